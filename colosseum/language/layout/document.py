"""Parts of a layout. In: words and comments; out: documents that know their width and where they may break.

A document says where lines may be broken, not where they are: `printing` decides that, by the room there is. A comment
runs to the end of its line, so it breaks every group in which something follows it.
"""

import math
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import ClassVar, Literal, Self, TypeAlias

from colosseum.language.record import Record

Way: TypeAlias = Literal["plain", "group", "nest", "align", "braced", "fill"]
INDENT = 2  # columns by which a part stands to the right of what it belongs to


class Leaf(Record):
    """What holds no other document."""

    opens: ClassVar[bool] = False
    closes: ClassVar[bool] = False


class Plain(Leaf):
    """Words that stay together; with a line break among them, they fit on no line."""

    text: str
    stop: str = ""
    """Its column is lined up with those of the same kind on adjacent lines."""

    @property
    def width(self) -> float:
        """Its columns."""
        return math.inf if "\n" in self.text else len(self.text)


class LongText(Leaf):
    """A text between three quotes: its lines stand one level deeper than the statement that it ends or names."""

    lines: tuple[str, ...]
    width: ClassVar[float] = math.inf


class Remark(Record):
    """A comment: on a line of its own, or at the end of the line of the word before it."""

    text: str
    opens: bool
    """A new line must begin before it."""
    blank: bool = False
    """The author left a blank line before it."""
    closes: ClassVar[bool] = True
    width: ClassVar[float] = 0


class Break(Leaf):
    """Where a line may end; `flat` stands there when it does not."""

    flat: str = " "
    hard: bool = False
    """It always ends."""
    blank: bool = False
    """Where it ends, a blank line follows."""

    @property
    def width(self) -> float:
        """Its columns when the line goes on."""
        return math.inf if self.hard else len(self.flat)


class Cat(Record):
    """Documents one after the other."""

    parts: "tuple[Document, ...]"
    width: float
    """Columns on one line; infinite when it needs several."""
    opens: bool
    """Begins with a comment on a line of its own."""
    closes: bool
    """Ends with a comment."""
    way: Way = "plain"
    """How lines are broken in it.

    A group stands on one line if there is room, else every break outside of inner groups ends a line. Lines after the
    first of a nest stand one level deeper than those around, of what is aligned, below its first column; what is braced
    stands between lines of its own wherever it has no room on one line. A fill has a break between its parts, which
    ends the line only where the next part has no room.
    """
    snug: int = 0
    """Columns within which a part of a fill that fits on no line goes on, and is broken inside; else a line begins."""
    apart: bool = False
    """Behind a part of several lines of a fill, a new line begins."""
    position: int = 0
    """How many parts of a fill are printed already."""
    line: int = 0
    """The number of the line on which the part before began."""

    @classmethod
    def of(cls, *parts: "Document", way: Way = "plain") -> Self:
        """Those of the documents that are something."""
        kept = tuple([part for part in parts if part is not NOTHING])
        broken = any(left.closes or right.opens for left, right in pairwise(kept))
        opens, closes = (kept[0].opens, kept[-1].closes) if kept else (False, False)
        return cls(kept, math.inf if broken else sum(part.width for part in kept), opens, closes, way)


Document: TypeAlias = Plain | LongText | Remark | Break | Cat
NOTHING = Cat((), 0, opens=False, closes=False)
SPACE = Plain(" ")
HARD = Break(hard=True)
group, nest = partial(Cat.of, way="group"), partial(Cat.of, way="nest")
align, braced = partial(Cat.of, way="align"), partial(Cat.of, way="braced")


def cat(*parts: Document) -> Document:
    """Documents one after the other."""
    kept = [part for part in parts if part is not NOTHING]
    return kept[0] if len(kept) == 1 else Cat.of(*kept) if kept else NOTHING


def joined(items: Iterable[Document], between: Document) -> Document:
    """Documents with another one between each two."""
    return cat(*[part for item in items for part in (between, item)][1:])


def fill(items: Iterable[Document], *, snug: int = 0, apart: bool = False) -> Document:
    """As much on each line as there is room for."""
    kept = [item for item in items if item is not NOTHING]
    if len(kept) <= 1:
        return cat(*kept)
    made = Cat.of(*kept, way="fill")
    return replace(made, width=made.width + len(kept) - 1, snug=snug, apart=apart)
