"""The exception for users. In: diagnostics; out: the one exception of the public surface, and of the command line."""

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from colosseum.diagnostics.diagnostic import Diagnostic, Severity, closest, report
from colosseum.diagnostics.render import render_text

EXPLAIN = "explain: "  # how the line begins that says where more can be read


class ColosseumError(Exception):
    """Why something cannot be read, computed or run. The diagnostics say it as data, the text as words."""

    def __init__(self, *diagnostics: Diagnostic) -> None:
        super().__init__(*diagnostics)
        self.diagnostics = diagnostics

    def __str__(self) -> str:
        words = explain_words(self.diagnostics)
        return render_text(self.diagnostics).rstrip() + (f"\n{words}" if words else "")

    def _render_traceback_(self) -> list[str]:
        """What a notebook shows in place of a traceback, which would be of lines that are not the user's."""
        return f"{type(self).__name__}: {self}".splitlines()


def stop(code: str, message: str, *, help: str = "") -> ColosseumError:  # noqa: A002 - the word users read
    """An error with one diagnostic that has no place in a text."""
    return ColosseumError(report(code, None, message, help=help))


def one_of(what: str, name: str, known: Collection[str], *, code: str = "C122") -> str:
    """The name, where it is known. Raises ColosseumError, as of `there is no coalition`."""
    if name not in known:
        every = closest(name, known) or f"{what}s: {', '.join(known) or 'none'}"
        raise stop(code, f"there is no {what} `{name}`", help=every)
    return name


@contextmanager
def file_errors(path: Path, *, verb: str = "write", code: str = "C122") -> Iterator[None]:
    """Within the block, an error of the operating system is a ColosseumError: `cannot write runs.csv: …`."""
    try:
        yield
    except OSError as error:
        raise stop(code, f"cannot {verb} {error.filename or path}: {error.strerror}") from None


def explain_words(diagnostics: Iterable[Diagnostic]) -> str:
    """The command that explains the first error, and codes of the others; empty where there is none."""
    codes = list(dict.fromkeys(d.code for d in diagnostics if d.severity is Severity.ERROR))
    others = f" (also {', '.join(codes[1:])})" if codes[1:] else ""
    return f"{EXPLAIN}colosseum explain {codes[0]}{others}" if codes else ""
