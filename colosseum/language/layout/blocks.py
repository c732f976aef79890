"""Blocks between braces. In: entries and their words; out: one line if the author wrote one, else a line for each."""

from collections.abc import Callable, Iterable
from typing import TypeVar

from colosseum.language.layout.document import HARD, NOTHING, Break, Document, Plain, cat, group, nest
from colosseum.language.layout.words import WordReader

N = TypeVar("N")
BETWEEN = "  "
"""Entries on one line stand two blanks apart."""


def block(entries: Iterable[N], layout: Callable[[N], Document], words: WordReader) -> Document:
    """`{ a  b }`, or one entry a line: when the author broke the line behind `{`, or there is no room."""
    opening = words.take()
    broken = words.broken()
    inside: list[Document] = []
    for number, entry in enumerate(entries):
        inside.append(words.separator(BETWEEN if number else " ", first=number == 0))
        inside.append(layout(entry))
    if not inside:
        return _empty(opening, words)
    left = words.take_last(first=False)
    end = HARD if broken else Break(" ")
    return group(cat(opening, nest(cat(*inside, left)), end, words.take()))


def _empty(opening: Document, words: WordReader) -> Document:
    """`{ }`, or the comments that stand in it."""
    left = words.take_last(first=True)
    if left is NOTHING and not opening.closes:
        return cat(opening, Plain(" "), words.take())
    return cat(opening, nest(left), HARD, words.take())
