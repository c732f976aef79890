"""Spans inside templates. In: a text, a line of its template and a pattern; out: the narrowest span that fits."""

import re

from colosseum.diagnostics import Span
from colosseum.language import syntax

BLOCK = re.compile(r"\{\{.*?(?:\}\}|$)|\{%.*?(?:%\}|$)", re.DOTALL)
"""`{{ … }}` and `{% … %}`, also where the end is missing."""


def passage(text: syntax.Text, line: int, *, pattern: str = "") -> Span:
    """The first match of a regular expression in the blocks of a line (counted from 1 in the template).

    Without a match, the only block of the line; else the line; else, on a line of nothing, the whole text.
    """
    source, (low, high) = text.span.source, _line(text, line)
    if low >= high:
        return text.span
    blocks = [Span(source, *found.span()) for found in BLOCK.finditer(source.text, low, high)]
    for block in blocks if pattern else ():
        found = re.compile(pattern).search(source.text, block.start, block.end)
        if found:
            return Span(source, *found.span())
    return blocks[0] if len(blocks) == 1 else Span(source, low, high)


def _line(text: syntax.Text, line: int) -> tuple[int, int]:
    """Start and end of a template line in the source, without the blanks and quotes around it."""
    source = text.span.source
    head = 0 if text.long and text.span.text[3:].lstrip(" \t\r").startswith("\n") else 1
    number = min(text.span.line + line - head, len(source.line_starts))
    quotes = 3 if text.long else 1
    low = max(text.span.start + quotes, source.line_starts[number - 1])
    high = min(text.span.end - quotes, source.line_starts[number - 1] + len(source.line(number)))
    written = source.text[low:high]
    return low + len(written) - len(written.lstrip()), low + len(written.rstrip())
