"""Faults into diagnostics. In: a Fault raised while a statement was evaluated; out: diagnostics."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from colosseum.diagnostics import Diagnostic, Span, report
from colosseum.model.values import Fault


class Poisoned(Fault):
    """Suppressed: the fact is missing because of a mistake that is already reported."""


@dataclass
class Problems:
    """The diagnostics of a stage; the same mistake at the same place is reported once."""

    diagnostics: list[Diagnostic] = field(default_factory=list)
    seen: set[tuple[str, str, int]] = field(default_factory=set)

    def add(self, diagnostic: Diagnostic) -> None:
        """Keep it, unless the same code was reported for the same place."""
        span = diagnostic.span
        place = (diagnostic.code, span.source.name if span else "", span.start if span else -1)
        if place not in self.seen:
            self.seen.add(place)
            self.diagnostics.append(diagnostic)

    @contextmanager
    def caught(self, span: Span) -> Iterator[None]:
        """Reports a fault of what is done inside."""
        try:
            yield
        except Fault as fault:
            self.fault(fault, span)

    def fault(self, fault: Fault, span: Span, *, instance: str = "") -> None:
        """Report a fault at its own span, or at `span`; `instance` names the case that failed."""
        fault.__traceback__ = None  # a fault may be kept, and its frames hold all that was made so far
        if isinstance(fault, Poisoned):
            return
        help_ = [fault.help] if fault.help else []
        if "[" in instance:
            help_.append(f"this happens for `{instance}`")
        self.add(report(fault.code, fault.span or span, fault.message, help=help_))
