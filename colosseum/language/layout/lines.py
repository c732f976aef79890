"""Lines side by side. In: the lines of a layout; out: the text, with what belongs together lined up.

Two things are lined up, each in runs of adjacent lines at the same depth: the stops of statements of the same kind
(the `=` of params, the `{` of arms), and the comments at the ends of lines.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import groupby

WIDTH = 100
"""Columns that the words of a line may take; comments and texts may stick out."""
NEAR = 30
"""Columns within which something of several lines may begin behind other words."""
MOST_PADDING = 30
"""Runs whose columns lie further apart than this are left as they are."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the result."""

    indent: int
    code: str
    """The words, without indentation; a comment that has the line to itself; empty for a blank line."""
    remark: str = ""
    """The comment at its end."""
    kind: str = ""
    """Only stops of the same kind are lined up; empty where there is none."""
    stop: int = 0
    """The place in `code` that may be lined up."""

    @property
    def width(self) -> int:
        """Columns without the comment."""
        return self.indent + len(self.code)

    def __str__(self) -> str:
        code = " " * self.indent + self.code if self.code else ""
        return f"{code}  {self.remark}" if self.remark else code


def lined_up(lines: list[Line]) -> list[Line]:
    """The lines with stops and comments lined up; no stop of a line that goes on below."""
    following = [*lines[1:], Line(0, "")]
    single = [
        replace(line, kind="") if below.code and below.indent > line.indent else line
        for line, below in zip(lines, following, strict=True)
    ]
    return _runs(_runs(single, lambda line: line.kind, _stops), lambda line: line.remark and "#", _remarks)


def _runs(lines: list[Line], kind: Callable[[Line], str], change: Callable[[list[Line]], list[Line]]) -> list[Line]:
    """The lines with each run of the same kind and depth changed; lines of no kind stay as they are."""
    result: list[Line] = []
    for (found, _), adjacent in groupby(lines, key=lambda line: (kind(line), line.indent)):
        run = list(adjacent)
        result += change(run) if found else run
    return result


def _stops(run: list[Line]) -> list[Line]:
    column = max(line.stop for line in run)
    padded = [
        replace(line, code=line.code[: line.stop] + " " * (column - line.stop) + line.code[line.stop :]) for line in run
    ]
    return run if _apart(line.stop for line in run) else padded


def _remarks(run: list[Line]) -> list[Line]:
    column = max(line.width for line in run)
    if _apart(line.width for line in run):
        return run
    return [replace(line, remark=" " * (column - line.width) + line.remark) for line in run]


def _apart(columns: Iterable[int]) -> bool:
    ordered = sorted(columns)
    return ordered[-1] - ordered[0] > MOST_PADDING
