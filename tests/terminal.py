"""A terminal without glass. In: a command and a size; out: what it wrote, and every picture that stood on the screen.

It knows the sequences that a live view needs and notes all others, as well as every line that did not fit.
"""

import fcntl
import os
import pty
import re
import struct
import termios
import unicodedata
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from warm_process import Command

PIECES = re.compile(r"\x1b\[(?P<given>[0-9;?]*)(?P<final>[A-Za-z])|(?P<other>\x1b.?)|(?P<letter>.)", re.DOTALL)


@dataclass
class Screen:
    """What stands on a screen of so many columns and rows."""

    columns: int
    rows: int
    lines: list[str] = field(init=False)
    row: int = 0
    at: int = 0
    """The column in which the next letter stands."""
    fresh: bool = False
    """Whether anything was written since the last picture."""
    pictures: list[list[str]] = field(default_factory=list)
    """Every screen that stood until something of it was erased."""
    wrapped: int = 0
    unknown: list[str] = field(default_factory=list)
    """Sequences and control characters that are no part of a live view."""
    colors: set[str] = field(default_factory=set)
    cursor: bool = True

    def __post_init__(self) -> None:
        self.lines = [""] * self.rows

    def feed(self, text: str) -> None:
        """Write text on it."""
        for piece in PIECES.finditer(text):
            match piece["final"], piece["letter"]:
                case (None, "\r"):
                    self.at = 0
                case (None, "\n"):
                    self._down()
                case (None, str() as letter) if unicodedata.category(letter)[0] != "C":
                    self._put(letter)
                case ("A", None):
                    self.row = max(0, self.row - int(piece["given"] or 1))
                case ("K", None):
                    self._taken()
                    self.lines[self.row] = ""
                case ("m", None):
                    self.colors |= {given for given in piece["given"].split(";") if len(given) > 1}
                case ("h" | "l" as final, None) if piece["given"] == "?25":
                    self.cursor = final == "h"
                case _:
                    self.unknown.append(piece[0])

    def _taken(self) -> None:
        if self.fresh:
            self.pictures.append([line.rstrip() for line in self.lines])
            self.fresh = False

    def _put(self, letter: str) -> None:
        wide = 0 if unicodedata.combining(letter) else 2 if unicodedata.east_asian_width(letter) in "WF" else 1
        if self.at + wide > self.columns:
            self.wrapped += 1
            self.at = 0
            self._down()
        if self.at == 0 and wide:
            self.lines[self.row] = ""
        self.lines[self.row] += letter
        self.at += wide
        self.fresh = True

    def _down(self) -> None:
        self.row += 1
        if self.row == self.rows:
            self.row -= 1
            self.lines = [*self.lines[1:], ""]


@dataclass(frozen=True)
class Seen:
    """How a command ended, and what it said."""

    returncode: int
    stdout: str
    screen: Screen


def watch(
    words: Sequence[object],
    *,
    columns: int,
    rows: int,
    environment: Mapping[str, str],
    folder: Path | None = None,
    types: str = "",
) -> Seen:
    """Run a command whose stderr is a terminal of this size, and whose stdout is not; `types` is its input."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    written = b""
    command = Command(*words, env=environment, folder=folder, terminal=theirs)
    os.close(theirs)
    os.write(ours, types.encode())
    with ThreadPoolExecutor(1) as beside:
        ended = beside.submit(command.communicate)
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # Linux says so when nobody holds the other end
                break
            if not part:
                break
            written += part
        os.close(ours)
        said, _ = ended.result()
    screen = Screen(columns, rows)
    screen.feed(written.decode("utf-8"))
    return Seen(command.wait(), said, screen)
