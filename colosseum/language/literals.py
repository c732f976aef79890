r"""Values of quoted texts, numbers and labels. In: the words as written; out: values, or their errors.

Escapes in a text are `\"`, `\\`, `\n` and `\t`. A long text, between three quotes, has none: it is dedented, and the
line breaks that only serve its layout are dropped.
"""

import math
import re
from collections.abc import Iterator
from textwrap import dedent

ESCAPES = {'"': '"', "\\": "\\", "n": "\n", "t": "\t"}
QUOTE = '"'
LONG_QUOTE = '"""'
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_LABEL_PART = re.compile(r'"(?:\\.|[^"\\\n])*"|[^\s,"]+')


def unquote(written: str) -> str:
    """The text between one pair of quotes; an unknown escape stays as it is written."""
    return _ESCAPE.sub(lambda found: ESCAPES.get(found[1], found[0]), written[1:-1])


def wrong_escapes(written: str) -> Iterator[tuple[int, int]]:
    """Start and end, inside the quoted text as written, of each escape that is none of ours."""
    for found in _ESCAPE.finditer(written):
        if found[1] not in ESCAPES:
            yield found.start(), found.end()


def unquote_long(written: str) -> str:
    """The text between three quotes, dedented, without its first line break and its last line of blanks."""
    text = written[3:-3].replace("\r\n", "\n")
    head, newline, rest = text.partition("\n")
    if newline:
        text = dedent(rest) if not head.strip() else f"{head}\n{dedent(rest)}"
        body, newline, tail = text.rpartition("\n")
        if not tail.strip():
            text = body if newline else ""
    return text


def number(written: str) -> int | float | None:
    """An int when written without point and exponent, else a float; None when it is beyond what a float can hold."""
    if not math.isfinite(float(written)):
        return None
    return int(written) if written.isdigit() else float(written)


def label_parts(written: str) -> Iterator[tuple[int, str]]:
    """The parts of `low, "a b", -3` with the offset of each."""
    for found in _LABEL_PART.finditer(written):
        yield found.start(), found[0]
