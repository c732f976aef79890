"""The chat server, and `colosseum chaos`, as processes. In: how late and how faulty; out: addresses, what was served.

with ChatProcess(latency=0.3) as server, ChaosProcess(server.url, "cut=0.1", log) as chaos:
    ...  # point a client at chaos.url, and kill it; server.served says what it was told
"""

import argparse
import json
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path
from types import TracebackType

from chat_mind import late, plays
from chat_server import Body, ChatServer, Served
from warm_process import Command


class ChatProcess:
    """The process as a context manager; it ends with the one that began it."""

    def __init__(self, *, latency: float = 0.0) -> None:
        self._options = [f"--latency={latency}"]

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
        found = _read(f"{self.url}/served")["served"]
        return [Served(number, name, tuple(tools), *digests) for number, name, tools, *digests in found]


class ChaosProcess:
    """The proxy as a context manager."""

    def __init__(self, to: str, faults: str, log: Path, *, seed: int = 1) -> None:
        self._words = ("chaos", "--to", to, "--faults", faults, "--log", log, "--seed", seed)
        self.log = log

    def __enter__(self) -> "ChaosProcess":
        self._process = Command(*self._words)
        self.url = self._process.stdout.readline().strip()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._process.send_signal(signal.SIGTERM)
        _, words = self._process.communicate()
        assert self._process.returncode == 0, words
        assert "faults" in words

    @property
    def injected(self) -> list[Body]:
        """The lines of its log."""
        return [json.loads(line) for line in self.log.read_text(encoding="utf-8").splitlines()]


def _read(url: str) -> Body:
    with urllib.request.urlopen(url) as response:
        found: Body = json.load(response)
    return found


def main(arguments: list[str]) -> None:
    """Serve until nobody listens to us any more."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--latency", type=float, default=0.0, help="seconds of every answer that costs a run something")
    given = parser.parse_args(arguments)
    with ChatServer(late(plays, given.latency)) as server:
        sys.stdout.write(f"{server.url}\n")
        sys.stdout.flush()
        sys.stdin.read()


if __name__ == "__main__":
    main(sys.argv[1:])
