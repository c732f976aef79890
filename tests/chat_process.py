"""The chat server in a process of its own. In: how late and how faulty it is; out: its address, and what it served.

with ChatProcess(latency=0.3) as server:
    ...  # point a client at server.url, and kill it; server.served says what it was told
"""

import argparse
import json
import subprocess
import sys
import urllib.request
from pathlib import Path
from types import TracebackType

from chat_mind import Faulty, late, plays
from chat_server import Body, ChatServer, Served


class ChatProcess:
    """The process as a context manager; it ends with the one that began it."""

    def __init__(self, *, latency: float = 0.0, faults: float = 0.0, seed: int = 1) -> None:
        self._options = [f"--latency={latency}", f"--faults={faults}", f"--seed={seed}"]

    def __enter__(self) -> "ChatProcess":
        command = [sys.executable, str(Path(__file__)), *self._options]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        self.url = self._process.stdout.readline().strip()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._process.communicate()

    @property
    def requests(self) -> int:
        """How many arrived so far."""
        return int(_read(self.url)["requests"])

    @property
    def under_way(self) -> int:
        """How many of them have no answer yet."""
        return int(_read(self.url)["under_way"])

    @property
    def served(self) -> list[Served]:
        """The completions that were sent in full."""
        return [Served(number, name, tuple(tools)) for number, name, tools in _read(f"{self.url}/served")["served"]]


def _read(url: str) -> Body:
    with urllib.request.urlopen(url) as response:
        found: Body = json.load(response)
    return found


def main(arguments: list[str]) -> None:
    """Serve until nobody listens to us any more."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--latency", type=float, default=0.0, help="seconds of every answer that costs a run something")
    parser.add_argument("--faults", type=float, default=0.0, help="the share of answers that are none")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(arguments)
    script = late(plays, given.latency)
    with ChatServer(Faulty(script, given.faults, given.seed)) as server:
        sys.stdout.write(f"{server.url}\n")
        sys.stdout.flush()
        sys.stdin.read()


if __name__ == "__main__":
    main(sys.argv[1:])
