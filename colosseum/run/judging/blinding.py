"""Names out of sight. In: a text, and what stands for each name; out: the text without the names.

A name is found however it is written: in another case, in pieces (`Engineer#3`, `back-room`), with letters of another
alphabet that look alike, or with signs in it that nobody sees. A name of one or two signs is one only as it is spelled,
and where no word is meant: `A good plan` names nobody.
"""

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from itertools import pairwise
from typing import Final

SHORT: Final = 2  # signs of a name that is only one as it is spelled: `B` is one, and `b` is not
LONG: Final = 6  # signs of a name that is one with blanks in it, too
WITHIN, BLANK, APART = "[_#*/-]?", r"[\s_#*/-]?", r"[\W_]{0,3}"
"""What may stand between two letters of a name, before its number, and between its parts."""
LOOKALIKES: Final = str.maketrans(
    "аеорсухіјѕԁһАВЕЅІЈКМНОРСТУХΑΒΕΖΗΙΚΜΝΟΡΤΥΧοαινυ", "aeopcyxijsdhABESIJKMHOPCTYXABEZHIKMNOPTYXoaivu"
)
"""Letters of Cyrillic and Greek, and the Latin ones that they are taken for."""
FOLLOWING: Final = (
    "and|or|but|if|then|to|in|on|at|for|with|will|would|should|could|can|cannot|must|may|might|is|was|has|had|does|did|"
    "gets|takes|picks|plays|bids|votes|wants|needs|says|said|posts|chooses|decides|agrees"
)
"""Words that follow a name more often than the article `A`."""
WORDS: Final = {"A": rf"(?:(?<=[a-z,]\s)A|A(?!\s+(?!(?:{FOLLOWING})\b)[a-z]))", "I": r"I(?=\s*:)"}
"""Names that are words of English, and where they are names all the same."""


class Blinding:
    """Puts words such as `Agent 3` in place of names."""

    def __init__(self, shown: Mapping[str, str]) -> None:
        self.shown = {_plain(folded(name)): words for name, words in shown.items()}
        names = sorted(map(folded, shown), key=lambda name: (-len(name), name))  # one pattern for all runs of a spec
        self.pattern = re.compile("|".join(map(written, names)) or r"(?!)")

    def words(self, text: str) -> str:
        """The text without names."""
        if text.isascii():  # which is fast
            return self.pattern.sub(lambda found: self.shown.get(_plain(found[0]), found[0]), text)
        parts, start = list[str](), 0
        seen = [(part, place) for place, sign in enumerate(text) for part in folded(sign)]
        for found in self.pattern.finditer("".join(part for part, _ in seen)):
            parts += [text[start : seen[found.start()][1]], self.shown.get(_plain(found[0]), found[0])]
            start = seen[found.end() - 1][1] + 1
        return "".join((*parts, text[start:]))


@lru_cache(maxsize=4096)
def bare(text: str) -> str:
    """A sign or a name in its plain form, without marks."""
    if text.isascii():
        return text
    return "".join(p for p in unicodedata.normalize("NFKD", text) if unicodedata.category(p) not in ("Cf", "Mn"))


def folded(text: str) -> str:
    """A sign or a name by what is seen of it: in Latin letters that look alike."""
    return bare(text).translate(LOOKALIKES)


def written(name: str) -> str:
    """A pattern for a name as people write it."""
    parts = re.findall(r"[^\W_]+", name)
    if not parts:
        return re.escape(name)
    pattern = WORDS.get(name, re.escape(name))
    if len(name) > SHORT:
        between = BLANK if len(name) >= LONG else WITHIN
        pattern = f"(?i:{APART.join(_letters(part, between) for part in parts)})"
    if unicodedata.category(parts[0][0]) == "Lo":  # a script without blanks between words
        return pattern
    return rf"(?<![^\W_]){pattern}(?![^\W_])"


def _letters(part: str, between: str) -> str:
    """Letters and digits, with what may stand between them; people put a blank before a number."""
    pairs = ((between if one.isdigit() == other.isdigit() else BLANK) + other for one, other in pairwise(part))
    return part[0] + "".join(pairs)


def _plain(name: str) -> str:
    """By which a name is known."""
    return re.sub(r"[\W_]", "", name).casefold() or name
