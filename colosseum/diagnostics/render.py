"""Diagnostics into words. In: diagnostics; out: rustc's layout as text, or plain values."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial

from colosseum.diagnostics.diagnostic import Diagnostic, Severity
from colosseum.diagnostics.span import Span

WIDEST_LINE = 160  # a source line longer than this is cut around the span, so that a terminal stays readable


def render_text(diagnostics: Iterable[Diagnostic], *, color: bool = False) -> str:
    """All diagnostics in rustc's layout, a blank line between them; `color` adds ANSI styles."""
    return "\n".join("\n".join(_block(d, partial(_painted, on=color))) + "\n" for d in diagnostics)


def _painted(text: str, style: str, *, on: bool) -> str:
    return f"\x1b[{style}m{text}\x1b[0m" if on and text else text


def _block(d: Diagnostic, paint: Callable[[str, str], str]) -> Iterator[str]:
    tone = "1;31" if d.severity is Severity.ERROR else "1;33"
    yield paint(f"{d.severity}[{d.code}]", tone) + paint(f": {_visible(d.message)}", "1")
    labels = [(label.span, label.text, "1;34") for label in d.labels]
    places = [(d.span, d.note, tone), *labels] if d.span else labels
    gutter = max((len(str(span.line)) for span, _, _ in places), default=1)
    bar = paint("|", "1;34")
    for number, (span, text, style) in enumerate(places):
        yield f"{' ' * gutter}{paint(':::' if number else '-->', '1;34')} {span.source.name}:{span.line}:{span.column}"
        yield f"{' ' * gutter} {bar}"
        shown, offset, length = _excerpt(span)
        yield f"{paint(str(span.line).rjust(gutter), '1;34')} {bar} {shown}"
        underline = f"{'^' * length} {_visible(text)}".rstrip()
        yield f"{' ' * gutter} {bar} {' ' * offset}{paint(underline, style)}"
    for line in d.help:
        yield f"{' ' * gutter} {paint('=', '1;34')} help: {_visible(line)}"


def _excerpt(span: Span) -> tuple[str, int, int]:
    """The line as shown, the offset of the span in it and the length to underline (at least 1)."""
    line, column = span.source.line(span.line), span.column - 1
    length = max(1, min(span.end - span.start, len(line) - column))
    if len(line) > WIDEST_LINE:
        left = max(0, column - WIDEST_LINE // 2)
        line, column = line[left : left + WIDEST_LINE], column - left
        length = max(1, min(length, len(line) - column))
    return _visible(line), column, length


def _visible(text: str) -> str:
    """Control characters (also bidirectional ones) as one visible mark each: a spec may come from a stranger."""
    return "".join(" " if c == "\t" else c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


@dataclass(frozen=True, slots=True)
class WrittenPlace:
    """Where something stands; lines and columns count from 1."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    text: str
    """What is said there."""


@dataclass(frozen=True, slots=True)
class WrittenDiagnostic:
    """A diagnostic as JSON has it."""

    code: str
    severity: Severity
    message: str
    place: WrittenPlace | None
    labels: tuple[WrittenPlace, ...]
    help: tuple[str, ...]


def written(d: Diagnostic) -> WrittenDiagnostic:
    """Without the text of the file."""
    labels = tuple(_place(label.span, label.text) for label in d.labels)
    return WrittenDiagnostic(d.code, d.severity, d.message, _place(d.span, d.note) if d.span else None, labels, d.help)


def _place(span: Span, text: str) -> WrittenPlace:
    return WrittenPlace(span.source.name, span.line, span.column, *span.source.position(span.end), text)
