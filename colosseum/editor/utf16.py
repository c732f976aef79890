"""Positions as editors count them. In: offsets of a text; out: lines and columns in UTF-16 units, and back."""

import re
from bisect import bisect_right

from lsprotocol.types import Position, Range


class Utf16:
    """The lines of a text. A line ends at `\\n`, `\\r\\n` or `\\r`, as the protocol has it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts = [0, *(end.end() for end in re.finditer(r"\r\n?|\n", text))]

    def range(self, start: int, end: int) -> Range:
        """The range between two offsets, in code points."""
        return Range(self.position(start), self.position(end))

    def position(self, offset: int) -> Position:
        """The position of an offset."""
        line = bisect_right(self.starts, offset) - 1
        return Position(line, len(self.text[self.starts[line] : offset].encode("utf-16-le", "surrogatepass")) // 2)

    def offset(self, position: Position) -> int:
        """The offset of a position; one behind the end of a line or of the text is that end."""
        start, end = ([*self.starts, len(self.text)][min(position.line + n, len(self.starts))] for n in (0, 1))
        units = self.text[start:end].rstrip("\r\n").encode("utf-16-le", "surrogatepass")[: 2 * position.character]
        return start + len(units.decode("utf-16-le", "ignore"))
