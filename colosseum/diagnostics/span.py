"""Places in texts. In: a text and two offsets; out: lines, columns and the words in between."""

from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path


@dataclass(frozen=True, eq=False)
class Source:
    """One text that diagnostics may point into: a `.colo` file, a CSV file, a string in a test."""

    name: str
    """The name shown to users, usually a path as they wrote it."""
    text: str = field(repr=False)
    path: Path | None = None
    """Where it was read, or None for a text without a file."""

    @cached_property
    def line_starts(self) -> list[int]:
        """Offsets at which the lines begin; a line ends at `\\n` only, as editors count."""
        return [0, *(i + 1 for i, c in enumerate(self.text) if c == "\n")]

    def position(self, offset: int) -> tuple[int, int]:
        """The line and column of an offset, both counted from 1."""
        line = bisect_right(self.line_starts, offset)
        return line, offset - self.line_starts[line - 1] + 1

    def line(self, number: int) -> str:
        """The text of a line (counted from 1) without its end."""
        start = self.line_starts[number - 1]
        end = self.line_starts[number] - 1 if number < len(self.line_starts) else len(self.text)
        return self.text[start:end].rstrip("\r")


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open range of offsets in a source."""

    source: Source
    start: int
    end: int

    @property
    def text(self) -> str:
        """The words that the span covers."""
        return self.source.text[self.start : self.end]

    @property
    def line(self) -> int:
        """The line of its start, counted from 1."""
        return self.source.position(self.start)[0]

    @property
    def column(self) -> int:
        """The column of its start, counted from 1."""
        return self.source.position(self.start)[1]

    def to(self, other: "Span") -> "Span":
        """The span from this one's start to the other's end (same source)."""
        return Span(self.source, self.start, max(self.end, other.end))
