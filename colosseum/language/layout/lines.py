"""Lines side by side. In: the lines of a layout; out: the text, with what belongs together lined up.

Two things are lined up, each in runs of adjacent lines at the same depth: the stops of statements of the same kind
(the `=` of params, the `{` of arms), and the comments at the ends of lines.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TypeAlias

WIDTH = 100
"""Columns that the words of a line may take; comments and texts may stick out."""
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
    stop: int = -1
    """The place in `code` that may be lined up; -1 for none."""
    kind: str = ""
    """Only stops of the same kind are lined up."""

    @property
    def width(self) -> int:
        """Columns without the comment."""
        return self.indent + len(self.code)

    def __str__(self) -> str:
        code = " " * self.indent + self.code if self.code else ""
        return f"{code}  {self.remark}" if self.remark else code


def lined_up(lines: list[Line]) -> list[Line]:
    """The lines with stops and comments lined up."""
    return _runs(_runs(_single(lines), _with_stop, _stops), _with_remark, _remarks)


def _single(lines: list[Line]) -> list[Line]:
    """Without the stops of what goes on below its first line."""
    following = [*lines[1:], Line(0, "")]
    return [
        replace(line, stop=-1) if line.stop >= 0 and below.code and below.indent > line.indent else line
        for line, below in zip(lines, following, strict=True)
    ]


def _with_stop(line: Line) -> str | None:
    return line.kind if line.stop >= 0 else None


def _with_remark(line: Line) -> str | None:
    return "" if line.remark else None


_Kind: TypeAlias = Callable[[Line], str | None]
_Change: TypeAlias = Callable[[list[Line]], list[Line]]


def _runs(lines: list[Line], kind: _Kind, change: _Change) -> list[Line]:
    """The lines with each run of the same kind and depth changed; lines of kind None stay as they are."""
    result: list[Line] = []
    run: list[Line] = []
    for line in lines:
        if run and (kind(line), line.indent) != (kind(run[0]), run[0].indent):
            result += change(run)
            run = []
        if kind(line) is None:
            result.append(line)
        else:
            run.append(line)
    return result + (change(run) if run else [])


def _stops(run: list[Line]) -> list[Line]:
    column = max(line.stop for line in run)
    padded = [
        replace(line, code=line.code[: line.stop] + " " * (column - line.stop) + line.code[line.stop :]) for line in run
    ]
    too_wide = any(new.width > max(WIDTH, old.width) for old, new in zip(run, padded, strict=True))
    return run if too_wide or _apart(line.stop for line in run) else padded


def _remarks(run: list[Line]) -> list[Line]:
    column = max(line.width for line in run)
    if _apart(line.width for line in run):
        return run
    return [replace(line, remark=" " * (column - line.width) + line.remark) for line in run]


def _apart(columns: Iterable[int]) -> bool:
    ordered = sorted(columns)
    return ordered[-1] - ordered[0] > MOST_PADDING
