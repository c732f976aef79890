"""Names of broken statements. In: the stretches of text that cannot be read; out: names not to report.

A mistake in one statement must not hide a mistake in another, nor cause one: what the rest says is checked all the
same, and whatever hangs on a word of a broken stretch is left alone.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

WORD = re.compile(r"[^\W\d]\w*")
NAMED = re.compile(
    r"\s*(?:agents|network|colosseum|scenario"
    r"|(?:(?:override|private|secret)\s+)*(?!private|secret)\w+\s+(?!(?:for|from|of|to|when)\b)[^\W\d])"
)
"""How a statement begins whose name, if it has one, can be read."""
NAME = re.compile(r"\s*(?:(?:override|private|secret)\s+)*\w+\s+([^\W\d]\w*)")
"""The name that a broken statement seems to declare."""
SHORTEST_PART = 3
"""A word of a broken stretch may be a name of at least so many letters and what was meant to follow it."""


@dataclass(frozen=True, slots=True)
class Doubts:
    """Names whose meaning cannot be known because of a mistake that is already told."""

    words: frozenset[str] = frozenset()
    """Words in broken stretches: each may be declared, or born as an element, there."""
    contested: frozenset[str] = frozenset()
    """Names that are declared, but maybe not as what they are meant to be."""
    everything: bool = False
    """A whole file or table of names could not be read, so that any name may be declared there."""

    def __or__(self, other: "Doubts") -> "Doubts":
        return Doubts(self.words | other.words, self.contested | other.contested, self.everything or other.everything)

    def __bool__(self) -> bool:
        return bool(self.words or self.contested) or self.everything

    def covers(self, name: str) -> bool:
        """Whether a name that nothing declares may be declared where the text is broken; `ticket3` by `ticket`."""
        if self.everything or name in self.words or name.rstrip("0123456789") in self.words:
            return True
        return len(name) >= SHORTEST_PART and any(word.startswith(name) for word in self.words)


NO_DOUBTS = Doubts()


def doubts_in(stretches: Iterable[str]) -> Doubts:
    """The doubts that stretches of broken text raise: all of them, where names stand in a file or are missing."""
    stretches = list(stretches)
    found = [frozenset(WORD.findall(stretch)) for stretch in stretches]
    words = frozenset[str]().union(*found)
    replaced = frozenset[str]().union(*(f for f in found if "override" in f))
    hidden = not words.isdisjoint(("use", "from")) or not all(NAMED.match(stretch) for stretch in stretches)
    named = frozenset(match[1] for stretch in stretches if (match := NAME.match(stretch)) and "agents" not in match[0])
    return Doubts(words, replaced | named, everything=hidden)
