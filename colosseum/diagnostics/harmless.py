"""Signs that a terminal would obey or cannot show. In: words of anybody; out: the same, escaped or without these."""

from collections.abc import Iterator
from typing import Final
from unicodedata import category

_SIGNS: Final = str.maketrans(
    {"±": "+/-", "–": "-", "−": "-", "…": "...", "·": "*", "λ": "lambda", "▲": "^", "●": "o", "◇": "?"}
)


def harmless(words: str) -> str:
    """The words with an escape of JSON for every character that a terminal would obey or nobody sees."""
    hidden = {ord(c): "".join(f"\\u{n:04x}" for n in _halves(c)) for c in set(words) if c != "\n" and _obeyed(c)}
    return words.translate(hidden) if hidden else words


def _obeyed(character: str) -> bool:
    """Control, format (also what turns the writing direction), halves of characters, breaks of lines and paragraphs."""
    return not character.isprintable() and category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp")


def _halves(character: str) -> Iterator[int]:
    """The one or two units of UTF-16 that JSON escapes."""
    units = character.encode("utf-16-be", "surrogatepass")
    return (int.from_bytes(units[n : n + 2]) for n in range(0, len(units), 2))


def printable(text: str, encoding: str) -> str:
    """One line without control characters (also bidirectional ones), in signs that the encoding has."""
    line = "".join(c if c.isprintable() else " " if c in "\t\n\r" else "\N{REPLACEMENT CHARACTER}" for c in text)
    if not encoding.lower().startswith("utf"):
        line = line.translate(_SIGNS).encode(encoding, "replace").decode(encoding)
    return line


def clean(text: str) -> str:
    """One line, without control characters or signs that reverse the direction of text."""
    return printable(text, "utf-8")
