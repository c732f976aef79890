"""Diagnostics as data. In: a code, a span and a sentence; out: a frozen value that a renderer prints."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from colosseum.diagnostics.codes import CODES
from colosseum.diagnostics.span import Span


class Severity(StrEnum):
    """An error stops the work; a warning does not."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Label:
    """A second place that matters, with what to see there."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One thing to tell the user about their text."""

    code: str
    message: str
    """A sentence in the user's words, without a full stop; names in back-quotes."""
    span: Span | None
    """The primary place; None only when no text is at fault (a missing file, an option)."""
    note: str = ""
    """A few words printed under the primary place."""
    labels: tuple[Label, ...] = ()
    help: tuple[str, ...] = ()

    @property
    def severity(self) -> Severity:
        """Fixed by the code: `W…` warns, everything else is an error."""
        return Severity.WARNING if self.code.startswith("W") else Severity.ERROR

    @property
    def file(self) -> str | None:
        """The name of the text at fault, as the user wrote it."""
        return self.span.source.name if self.span else None

    @property
    def line(self) -> int | None:
        """Counted from 1."""
        return self.span.line if self.span else None

    @property
    def column(self) -> int | None:
        """Counted from 1."""
        return self.span.column if self.span else None


def report(
    code: str, span: Span | None, message: str, *, note: str = "", labels: Iterable[Label] = (),
    help: str | Iterable[str] = (),  # noqa: A002 - the word users read
) -> Diagnostic:  # fmt: skip
    """Make a diagnostic; an unknown code is a bug of ours and raises KeyError."""
    lines = [help] if isinstance(help, str) else help
    return Diagnostic(CODES[code].code, message, span, note, tuple(labels), tuple(filter(None, lines)))


def has_errors(diagnostics: Iterable[Diagnostic]) -> bool:
    """Whether any of them stops the work."""
    return any(d.severity is Severity.ERROR for d in diagnostics)


def counted(number: int, word: str) -> str:
    """`1 cell`, `2 cells`."""
    return f"{number} {word}{'' if number == 1 else 's'}"


def closest(word: str, known: Iterable[str]) -> str:
    """`did you mean …?` for the nearest known word, or an empty string."""
    return f"did you mean `{near}`?" if (near := nearest(word, known)) else ""


def nearest(word: str, known: Iterable[str]) -> str:
    """The known word that is nearest, or an empty string."""
    from difflib import get_close_matches

    return next(iter(get_close_matches(str(word), list(known), n=1, cutoff=0.6)), "")
