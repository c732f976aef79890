"""Quotes of judgements. In: a quote and a transcript; out: posts, and places in them.

Judges read transcripts with numbers for names, and copy more or less exactly: what stands between words does not
matter, nor the case, nor accents, nor whether a sign is shown as JSON shows it. Places are those of the original post.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from colosseum.run.judging.blinding import Spelled
from colosseum.run.judging.transcript import Transcript

ESCAPED: Final = re.compile(r"\\(?:u([0-9a-fA-F]{4})|[nrt\"/\\])")
"""How JSON writes what a judge sees, and may copy as it stands."""
BETWEEN: Final = re.compile(r"[\W_]+")


def places(quote: str, transcript: Transcript) -> list[tuple[int, int, int]]:
    """Where a quote stands as whole words: (place of the post, first sign, one past the last), in posts as written.

    Empty where it stands nowhere; the whole post where signs cannot be told apart.
    """
    wanted, found = _wording(quote), list[tuple[int, int, int]]()
    for number, post in enumerate(transcript.posts):
        whole = number, 0, len(post.original)
        if not wanted:
            found += [whole] if quote.strip() and quote.strip() == post.text.strip() else []
            continue
        text = _wording(post.text)
        if (first := _stands(wanted, text)) is not None:
            signs = _worded(transcript.spelled(post))
            exact = "".join(sign for sign, _ in signs) == text
            found.append((number, signs[first][1][0], signs[first + len(wanted) - 1][1][1]) if exact else whole)
    return found


@lru_cache(maxsize=256)
def _wording(text: str) -> str:
    """The words of a text with one blank between them, whether it was copied as written or as JSON shows it."""
    shown = ESCAPED.sub(lambda found: chr(int(found[1], 16)) if found[1] else " ", text)
    return BETWEEN.sub(" ", shown.casefold() if shown.isascii() else "".join(map(_folded, shown))).strip()


@lru_cache(maxsize=4096)
def _folded(sign: str) -> str:
    """A sign without its case, its form and the marks on it."""
    parts = unicodedata.normalize("NFKD", sign).casefold()
    return "".join(part for part in parts if unicodedata.category(part) not in ("Cf", "Mn"))


def _worded(signs: Sequence[Spelled]) -> list[Spelled]:
    """The same, of signs that know where they come from."""
    made: list[Spelled] = []
    for sign, place in _unescaped(signs):
        for each in _folded(sign):
            word = " " if BETWEEN.match(each) else each
            if word != " " or (made and made[-1][0] != " "):
                made.append((word, place))
    while made and made[-1][0] == " ":
        made.pop()
    return made


def _unescaped(signs: Sequence[Spelled]) -> Iterator[Spelled]:
    """Signs that JSON writes with a stroke, as they are meant."""
    text, start = "".join(sign for sign, _ in signs), 0
    for found in ESCAPED.finditer(text):
        yield from signs[start : found.start()]
        whole = signs[found.start()][1][0], signs[found.end() - 1][1][1]
        yield (chr(int(found[1], 16)) if found[1] else " "), whole
        start = found.end()
    yield from signs[start:]


def _stands(wanted: str, text: str) -> int | None:
    """Where it stands and cuts no word; scripts without blanks have words that nobody can tell apart."""
    first, last = wanted[0].isascii(), wanted[-1].isascii()
    place = text.find(wanted)
    while place >= 0:
        before, after = text[place - 1 : place] if place else "", text[place + len(wanted) :][:1]
        if not (first and before.isalnum() and before.isascii()) and not (last and after.isalnum() and after.isascii()):
            return place
        place = text.find(wanted, place + 1)
    return None
