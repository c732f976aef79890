"""Quotes of judgements. In: a quote and a transcript; out: posts, and places in them.

Judges read transcripts with numbers for names, and copy more or less exactly: what stands between words does not
matter, nor the case, nor accents, nor whether a sign is shown as JSON shows it. Places are those of the original post.
"""

import re
import unicodedata
from functools import lru_cache
from typing import Final

from colosseum.run.judging.blinding import written
from colosseum.run.judging.transcript import Transcript

ESCAPED: Final = re.compile(r"\\(?:u([0-9a-fA-F]{4})|[nrt\"/\\])")
"""How JSON writes what a judge sees, and may copy as it stands."""
BETWEEN: Final = re.compile(r"[\W_]+")
WORDS: Final = re.compile(r"agent \d+(?!\S)|\S+", re.IGNORECASE)
"""The words of a quote; what stands for a name is one."""


def places(quote: str, transcript: Transcript) -> list[tuple[int, int, int]]:
    """Where a quote stands as whole words: (place of the post, first sign, one past the last), in posts as written.

    Empty where it stands nowhere; the whole post where it is written with other signs there.
    """
    wanted, found = _wording(quote), list[tuple[int, int, int]]()
    pattern = _pattern(quote, transcript)
    for number, post in enumerate(transcript.posts):
        whole = number, 0, len(post.original)
        if not wanted:
            found += [whole] if quote.strip() and quote.strip() == post.text.strip() else []
        elif re.search(_uncut(re.escape(wanted), wanted), _wording(post.text)):
            here = pattern and pattern.search(post.original)
            found.append((number, *here.span()) if here else whole)
    return found


@lru_cache(maxsize=256)
def _wording(text: str) -> str:
    """The words of a text with one blank between them, whether it was copied as written or as JSON shows it."""
    shown = _shown(text)
    return BETWEEN.sub(" ", shown.casefold() if shown.isascii() else "".join(map(_folded, shown))).strip()


def _shown(text: str) -> str:
    """The signs that are meant where they stand as JSON writes them."""
    return ESCAPED.sub(lambda found: chr(int(found[1], 16)) if found[1] else " ", text)


@lru_cache(maxsize=4096)
def _folded(sign: str) -> str:
    """A sign without its case, its form and the marks on it."""
    parts = unicodedata.normalize("NFKD", sign).casefold()
    return "".join(part for part in parts if unicodedata.category(part) not in ("Cf", "Mn"))


def _pattern(quote: str, transcript: Transcript) -> re.Pattern[str] | None:
    """The quote as its author may have written it, with names in place of numbers; None where words have odd signs."""
    names = {f"agent {number}": written(name) for name, number in transcript.agents.items()}
    words = BETWEEN.sub(" ", _shown(quote)).strip()
    if not words or _wording(words) != _wording(quote):
        return None
    parts = ((re.escape(word), names.get(word.casefold())) for word in WORDS.findall(words))
    either = (f"(?:{word}|{name})" if name else word for word, name in parts)
    return re.compile(_uncut(r"[\W_]+".join(either), words), re.IGNORECASE)


def _uncut(pattern: str, words: str) -> str:
    """Where it cuts no word; scripts without blanks have words that nobody can tell apart."""
    before = "(?<![a-zA-Z0-9])" if words[0].isascii() else ""
    return before + pattern + ("(?![a-zA-Z0-9])" if words[-1].isascii() else "")
