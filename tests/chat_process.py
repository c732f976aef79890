"""The chat server in a process of its own. In: how late and how faulty it is; out: its address, and what it served.

with ChatProcess(latency=0.3) as server:
    ...  # point a client at server.url, and kill it; server.state() says what was served
"""

import argparse
import json
import subprocess
import sys
import urllib.request
from pathlib import Path
from types import TracebackType

from chat_mind import Faulty, late, plays
from chat_server import Body, ChatServer


class ChatProcess:
    """The process as a context manager; it ends with the one that began it."""

    def __init__(self, *, latency: float = 0.0, faults: float = 0.0, seed: int = 1) -> None:
        self._options = ["--latency", str(latency), "--faults", str(faults), "--seed", str(seed)]

    def __enter__(self) -> "ChatProcess":
        command = [sys.executable, str(Path(__file__)), *self._options]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        self.url = self._process.stdout.readline().strip()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._process.communicate()

    def state(self) -> Body:
        """What was asked and answered so far."""
        with urllib.request.urlopen(self.url) as response:
            found: Body = json.load(response)
        return found


def main(arguments: list[str]) -> None:
    """Serve until nobody listens to us any more."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--latency", type=float, default=0.0, help="seconds of every answer")
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
