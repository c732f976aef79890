"""Texts between three quotes. In: one as written; out: its lines below the quotes, where that leaves it what it is."""

from colosseum.language.layout.document import Document, LongText, Plain
from colosseum.language.literals import LONG_QUOTE, unquote_long


def long_text(written: str) -> Document:
    """Lines that are indented with what surrounds them; as written where it has one line, or would change."""
    if "\n" not in written:
        return Plain(written)
    value = unquote_long(written)
    if not value:
        return Plain(LONG_QUOTE * 2)
    lines = tuple(value.split("\n"))
    indented = "".join(f"  {line}\n" if line else "\n" for line in lines)
    if unquote_long(f"{LONG_QUOTE}\n{indented}{LONG_QUOTE}") != value:
        return Plain(written)
    return LongText(lines)
