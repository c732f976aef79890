"""Facts: the data of one instance. In: what was realised for a seed; out: look-ups by name, and mistakes in facts.

A World is complete and frozen. It is made by `realise` from a seed, or by `imagine` from what one agent knows.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias, cast

from colosseum.diagnostics import Diagnostic, Span, report
from colosseum.language.record import Record
from colosseum.model.spec import Declared, Symbol
from colosseum.model.terms import Decision
from colosseum.model.values import Elements, Entries, Fault, Key, Value, instance_name

FAMILIES = {
    "param": "params", "set": "sets", "coalition": "sets", "channel": "sets", "table": "tables", "variable": "domains",
}  # fmt: skip
"""The field of a World that holds the symbols of each kind."""


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

    def refuse(self, errors: Iterable[Diagnostic]) -> None:
        """Keep errors; raises Poisoned where there are any."""
        for error in (found := list(errors)):
            self.add(error)
        if found:
            raise Poisoned("reported")

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
        self.add(report(fault.code, fault.span or span, fault.message, labels=fault.labels, help=help_))


class TableData(Record):
    """A table's entries by flattened key, in the order of its indices."""

    name: str
    entries: Entries
    audience: dict[Key, tuple[str, ...]] | None = None
    """Who may see each entry; None for a public table."""

    @property
    def private(self) -> bool:
        """Whether entries are seen by some agents only."""
        return self.audience is not None


class Decided(Record):
    """The instances of a variable as terms and by name, each made once however often it is mentioned."""

    name: str
    domains: dict[Key, Key]
    """What may be decided, by key."""
    reads: dict[Key, set[tuple[str, Key]]]
    """The private cells that it was computed from."""

    @cached_property
    def entries(self) -> dict[Key, Decision]:
        """The terms by key."""
        return {key: Decision(instance_name(self.name, key)) for key in self.domains}

    @cached_property
    def reach(self) -> dict[str, frozenset[Value]]:
        """What may be decided, by the instance's name."""
        found: dict[str, frozenset[Value]] = {}
        for key, decision in self.entries.items():
            found.setdefault(decision.variable, frozenset(self.domains[key]))
        return found


Source: TypeAlias = TableData | Decided
"""A table or a variable, looked up by keys."""


class Facts(ABC):
    """The facts that evaluation asks for. Every look-up raises Fault when the fact itself is in error."""

    spec: Declared

    @abstractmethod
    def fact(self, family: str, name: str) -> Any:
        """A param, set, table or variable's domains by its name."""

    @property
    @abstractmethod
    def elements(self) -> frozenset[str]:
        """The elements that have a name."""

    @property
    def links(self) -> Elements:
        """The pairs that the network joins."""
        return cast(Elements, self.fact("network", "links"))

    def symbol(self, name: str) -> Symbol | None:
        return self.spec.symbols.get(name)

    def param(self, name: str) -> Value:
        return cast(Value, self.fact("params", name))

    def members(self, name: str) -> Elements:
        """A set, or the agents of a coalition or channel."""
        return cast(Elements, self.fact("sets", name))

    def table(self, name: str) -> TableData:
        return cast(TableData, self.fact("tables", name))

    def decided(self, variable: str) -> Decided:
        return cast(Decided, self.fact("domains", variable))


class World(Record, Facts):
    """All facts of one instance: params, sets and coalitions by name, tables, links of the network.

    One that was realised with errors lacks what is in error; asking for it raises Poisoned.
    """

    spec: Declared
    params: dict[str, Value]
    sets: dict[str, Elements]
    """`agents`, every set, every coalition and every channel's members."""
    tables: dict[str, TableData]
    domains: dict[str, Decided] = field(repr=False)
    """Every variable's instances."""
    network: dict[str, Elements]
    """Its links."""
    elements: frozenset[str] = frozenset()

    def fact(self, family: str, name: str) -> Any:
        try:
            return getattr(self, family)[name]
        except KeyError:
            raise Poisoned(f"`{name}` is in error") from None
