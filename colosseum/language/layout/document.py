"""Parts of a layout. In: words and comments; out: documents that know their width and where they may break.

A document says where lines may be broken, not where they are: `printing` decides that, by the room there is. A comment
runs to the end of its line, so it breaks every group in which something follows it.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

INDENT = 2
"""Columns by which a part stands to the right of what it belongs to."""
NEAR = 30
"""Columns within which something of several lines may begin behind other words."""


@dataclass(frozen=True, slots=True)
class Plain:
    """Words that stay together."""

    text: str
    width: float
    opens: ClassVar[bool] = False
    closes: ClassVar[bool] = False


@dataclass(frozen=True, slots=True)
class LongText:
    """A text between three quotes: its lines stand one level deeper than the statement that it ends or names."""

    lines: tuple[str, ...]
    width: ClassVar[float] = math.inf
    opens: ClassVar[bool] = False
    closes: ClassVar[bool] = False


@dataclass(frozen=True, slots=True)
class Remark:
    """A comment: on a line of its own, or at the end of the line of the word before it."""

    text: str
    own_line: bool
    width: ClassVar[float] = 0
    closes: ClassVar[bool] = True

    @property
    def opens(self) -> bool:
        """Whether a new line must begin before it."""
        return self.own_line


@dataclass(frozen=True, slots=True)
class Break:
    """Where a line may end; `flat` stands there when it does not."""

    flat: str = " "
    hard: bool = False
    """It always ends."""
    blank: bool = False
    """Where it ends, a blank line follows."""
    opens: ClassVar[bool] = False
    closes: ClassVar[bool] = False

    @property
    def width(self) -> float:
        """Its columns when the line goes on."""
        return math.inf if self.hard else len(self.flat)


@dataclass(frozen=True, slots=True)
class Stop:
    """A column to which adjacent lines of the same kind are lined up."""

    kind: str
    width: ClassVar[float] = 0
    opens: ClassVar[bool] = False
    closes: ClassVar[bool] = False


@dataclass(frozen=True, slots=True)
class Cat:
    """Documents one after the other."""

    parts: "tuple[Document, ...]"
    width: float
    """Columns on one line; infinite when it needs several."""
    opens: bool
    """Begins with a comment on a line of its own."""
    closes: bool
    """Ends with a comment."""


@dataclass(frozen=True)
class Around:
    """One document and where its lines stand."""

    content: "Document"
    width: float
    opens: bool
    closes: bool


class LayoutGroup(Around):
    """All on one line if there is room, else every break outside of inner groups ends a line."""


class Nest(Around):
    """Lines after the first stand one level deeper than those around."""


class Align(Around):
    """Lines after the first stand below its first column."""


@dataclass(frozen=True, slots=True)
class Fill:
    """Items with a break between them that ends the line only where the next item has no room."""

    items: "tuple[Document, ...]"
    snug: int
    """An item that fits on no line goes on within so many columns, and is broken inside; behind them, a line begins."""
    apart: bool
    """Behind an item of several lines, a new line begins."""
    width: float
    opens: bool
    closes: bool


@dataclass(frozen=True, slots=True)
class Bracket:
    """An opening word, what it holds, and its closing word. What has no room on one line stands behind the opening
    word, or between lines of its own if `block` is set or nothing else keeps the lines short enough."""

    opening: "Document"
    content: "Document"
    closing: "Document"
    block: bool
    width: float
    opens: bool
    closes: bool


Document: TypeAlias = Plain | LongText | Remark | Break | Stop | Cat | LayoutGroup | Fill | Nest | Align | Bracket

NOTHING = Cat((), 0, opens=False, closes=False)
SPACE = Plain(" ", 1)
HARD = Break(hard=True)


def plain(text: str) -> Plain:
    """Words that stay together; with a line break among them, they fit on no line."""
    return Plain(text, math.inf if "\n" in text else len(text))


def cat(*parts: Document) -> Document:
    """Documents one after the other."""
    kept = tuple(part for part in parts if part is not NOTHING)
    if len(kept) == 1:
        return kept[0]
    return Cat(kept, *_together(kept)) if kept else NOTHING


def joined(items: Iterable[Document], between: Document) -> Document:
    """Documents with another one between each two."""
    parts: list[Document] = []
    for item in items:
        parts += [between, item] if parts else [item]
    return cat(*parts)


def group(content: Document) -> Document:
    """On one line if there is room."""
    return LayoutGroup(content, content.width, content.opens, content.closes)


def nest(content: Document) -> Document:
    """One level deeper."""
    return Nest(content, content.width, content.opens, content.closes)


def align(content: Document) -> Document:
    """Below its first column."""
    return Align(content, content.width, content.opens, content.closes)


def fill(items: Iterable[Document], *, snug: int = 0, apart: bool = False) -> Document:
    """As much on each line as there is room for."""
    kept = tuple(item for item in items if item is not NOTHING)
    if len(kept) <= 1:
        return cat(*kept)
    width, opens, closes = _together(kept)
    return Fill(kept, snug, apart, width + max(0, len(kept) - 1), opens, closes)


def bracket(opening: Document, content: Document, closing: Document, *, block: bool = False) -> Document:
    """Something between brackets."""
    return Bracket(opening, content, closing, block, *_together((opening, content, closing)))


def _together(parts: tuple[Document, ...]) -> tuple[float, bool, bool]:
    """Width on one line, whether it opens with a comment, whether it closes with one."""
    width, opens, closes, first = 0.0, False, False, True
    for part in parts:
        if part is NOTHING:
            continue
        if first:
            opens, first = part.opens, False
        elif closes or part.opens:
            width = math.inf
        width += part.width
        closes = part.closes
    return width, opens, closes
