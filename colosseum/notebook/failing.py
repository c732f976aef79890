"""What cannot be read or computed. In: whatever the layers below raise; out: one exception, in a user's words."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from os import PathLike
from pathlib import Path

from colosseum.campaign.folder import Damaged
from colosseum.cli.words import EXPLAIN, Stop
from colosseum.diagnostics import Diagnostic, Severity, render_text, report
from colosseum.evidence.reading import Unreadable
from colosseum.model.values import Fault
from colosseum.optimum.lowering.lower import NotLowered
from colosseum.run.trace import BrokenTrace


class ColosseumError(Exception):
    """Why something cannot be read or computed, in the words of the command line."""

    @classmethod
    def of(cls, diagnostics: Sequence[Diagnostic]) -> "ColosseumError":
        """All of them, and how to read more."""
        errors = [d.code for d in diagnostics if d.severity is Severity.ERROR]
        more = f"\n{EXPLAIN}colosseum explain {errors[0]}" if errors else ""
        return cls(render_text(diagnostics).rstrip() + more)

    def _render_traceback_(self) -> list[str]:
        """What a notebook shows in place of a traceback, which would be of lines that are not the user's."""
        return f"{type(self).__name__}: {self}".splitlines()


@contextmanager
def in_words() -> Iterator[None]:
    """Within the block, everything that is known to go wrong is a ColosseumError."""
    try:
        yield
    except Stop as stop:
        raise ColosseumError.of(stop.diagnostics) from None
    except (Unreadable, Damaged, BrokenTrace) as fault:
        raise _one("C123", str(fault)) from None
    except NotLowered as fault:
        raise _one("C100", str(fault), fault.help) from None
    except Fault as fault:
        raise _one(fault.code, fault.message, fault.help) from None
    except OSError as error:
        raise _one("C123", f"cannot read {error.filename}: {error.strerror}") from None


def place_of(given: str | PathLike[str]) -> Path:
    """A path as users write it, with `~`. Raises ColosseumError where there can be none."""
    path = Path(given)
    if "\0" in str(path):
        raise _one("C123", f"{str(path)!r} is no path: no name has the sign 0")
    try:
        return path.expanduser()
    except RuntimeError:
        raise _one("C123", f"cannot read {path}: there is no home folder of that name") from None


def _one(code: str, message: str, help_: str | Sequence[str] = "") -> ColosseumError:
    return ColosseumError.of([report(code, None, message, help=help_)])
