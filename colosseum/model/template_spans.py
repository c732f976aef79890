"""Places in templates. In: a text of a spec and a line of its template; out: the span of a tag or a look-up there."""

import re
from collections.abc import Sequence

from colosseum.diagnostics import Span
from colosseum.language.syntax import Text

MARKED = re.compile(r"\{\{.*?(?:\}\}|$)|\{%.*?(?:%\}|$)", re.DOTALL)
"""`{{ … }}` and `{% … %}`, also where the end is missing."""
TAG = re.compile(r"\{#.*?#\}|\{%[-+]?\s*(\w+).*?%\}", re.DOTALL)


def unclosed_tag(text: Text) -> Span | None:
    """The innermost `{% for … %}` or `{% if … %}` that nothing closes."""
    opened = list[Span]()
    for tag in TAG.finditer(text.span.source.text, text.span.start, text.span.end):
        if tag[1] in ("for", "if"):
            opened.append(Span(text.span.source, *tag.span()))
        elif tag[1] in ("endfor", "endif") and opened:
            opened.pop()
    return opened[-1] if opened else None


def entry_span(text: Text, line: int, table: str, key: Sequence[str]) -> Span | None:
    """The look-up of a table on a line whose indices are written most like a key; None where there is none."""
    pattern, source = re.compile(rf"\b{re.escape(table)}\s*\[([^\[\]]*)\]"), text.span.source
    found = [match for block in _blocks(text, line) for match in pattern.finditer(source.text, block.start, block.end)]

    def alike(match: re.Match[str]) -> int:
        written = [part.strip(" '\"\\") for part in match[1].split(",")]
        return sum(one == other for one, other in zip(written, key, strict=False))

    best = max(found, key=alike, default=None)
    return Span(source, *best.span()) if best else None


def template_span(text: Text, line: int, *, pattern: str = "") -> Span:
    """The first match of a regular expression in the blocks of a line (counted from 1 in the template).

    Without a match, the only block of the line; else the line; else, on a line of nothing, the whole text.
    """
    source, (low, high), blocks = text.span.source, _extent(text, line), _blocks(text, line)
    if low >= high:
        return text.span
    for block in blocks if pattern else ():
        found = re.compile(pattern).search(source.text, block.start, block.end)
        if found:
            return Span(source, *found.span())
    return blocks[0] if len(blocks) == 1 else Span(source, low, high)


def _blocks(text: Text, line: int) -> list[Span]:
    """What stands in braces on a line."""
    source = text.span.source
    return [Span(source, *found.span()) for found in MARKED.finditer(source.text, *_extent(text, line))]


def _extent(text: Text, line: int) -> tuple[int, int]:
    """Start and end of a template line in the source, without the blanks and quotes around it."""
    source = text.span.source
    head = 0 if text.long and text.span.text[3:].lstrip(" \t\r").startswith("\n") else 1
    number = min(text.span.line + line - head, len(source.line_starts))
    quotes = 3 if text.long else 1
    low = max(text.span.start + quotes, source.line_starts[number - 1])
    high = min(text.span.end - quotes, source.line_starts[number - 1] + len(source.line(number)))
    written = source.text[low:high]
    return low + len(written) - len(written.lstrip()), low + len(written.rstrip())
