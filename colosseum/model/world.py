"""Worlds: the data of one instance. In: facts by name; out: look-ups, mistakes in facts, places to evaluate in.

A World is complete and frozen. It is made by `realise` from a seed, or by `imagine` from what one agent knows. An
Environment is a place in it: one object that carries bindings, and what may be mentioned there.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import Any, TypeAlias, cast

from colosseum.diagnostics import Diagnostic, Span, report
from colosseum.language.record import Record
from colosseum.model.spec import Declared
from colosseum.model.terms import Decision
from colosseum.model.values import Elements, Entries, Fault, Key, Value, a, instance_name, text

FAMILIES = {
    "param": "params", "set": "sets", "coalition": "sets", "channel": "sets", "table": "tables", "variable": "domains",
}  # fmt: skip
"""The field of a World that holds the symbols of each kind."""
Read: TypeAlias = tuple[str, Key]  # a private cell: its table and its key
MOST_STEPS = 1_000_000
"""Rounds of loops, over all statements, that one expansion may visit, with the terms that they leave."""
MOST_EVALUATED = 2_000_000
"""Terms that one expansion may evaluate to look for assignments at which a payoff is undefined."""


class Poisoned(Fault):
    """Suppressed: the fact is missing because of a mistake that is already reported."""


class Problems(Record):
    """The diagnostics of a stage; the same mistake at the same place is reported once."""

    diagnostics: list[Diagnostic] = field(default_factory=list)
    seen: set[object] = field(default_factory=set)

    def add(self, *diagnostics: Diagnostic) -> None:
        """Keep each, unless the same code was reported for the same place."""
        for diagnostic in diagnostics:
            span = diagnostic.span
            place = (diagnostic.code, (span.source.name, span.start) if span else diagnostic.message)
            if place not in self.seen:
                self.seen.add(place)
                self.diagnostics.append(diagnostic)

    def refuse(self, errors: Iterable[Diagnostic]) -> None:
        """Keep errors; raises Poisoned where there are any."""
        self.add(*(found := list(errors)))
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
        help_ = (fault.help, f"this happens for `{instance}`" if "[" in instance else "")
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
    reads: dict[Key, set[Read]]
    """The private cells that it was computed from."""

    @cached_property
    def entries(self) -> dict[Key, Decision]:
        """The terms by key."""
        return {key: Decision(instance_name(self.name, key)) for key in self.domains}

    @cached_property
    def reach(self) -> dict[str, frozenset[Value]]:
        """What may be decided, by the instance's name."""
        return {decision.variable: frozenset(self.domains[key]) for key, decision in self.entries.items()}


Source: TypeAlias = TableData | Decided  # a table or a variable, looked up by keys


class World(Record):
    """All facts of one instance: params, sets and coalitions by name, tables.

    One that was realised with errors lacks what is in error; asking for it raises Poisoned.
    """

    spec: Declared
    params: dict[str, Value] = field(default_factory=dict)
    sets: dict[str, Elements] = field(default_factory=dict)
    """`agents`, every set, every coalition, every channel's members, and `links`."""
    tables: dict[str, TableData] = field(default_factory=dict)
    domains: dict[str, Decided] = field(default_factory=dict, repr=False)
    """Every variable's instances."""
    elements: frozenset[str] = frozenset()
    """Those that have a name."""

    def fact(self, family: str, name: str) -> Any:
        """A param, set, table or variable's domains by its name. Raises Fault when the fact itself is in error."""
        try:
            return getattr(self, family)[name]
        except KeyError:
            raise Poisoned(f"`{name}` is in error") from None

    def param(self, name: str) -> Value:
        return cast(Value, self.fact("params", name))

    def members(self, name: str) -> Elements:
        """A set, or the agents of a coalition or channel."""
        return cast(Elements, self.fact("sets", name))

    def table(self, name: str) -> TableData:
        return cast(TableData, self.fact("tables", name))

    def decided(self, variable: str) -> Decided:
        return cast(Decided, self.fact("domains", variable))


@dataclass
class Meter:
    """Counts the work of an expansion, so that a stranger's spec cannot run for ever."""

    steps: int = 0
    """Rounds that were visited and terms that were made."""
    evaluated: int = 0
    """Terms that were evaluated at assignments to look for examples of mistakes."""
    exhausted: Fault | None = None
    """The Fault raised at the limit. The same one is raised again, so that it is reported once."""

    def count(self, steps: int) -> None:
        """Raises a Fault when the limit is passed."""
        self.steps += steps
        if self.steps > MOST_STEPS:
            message = f"this spec expands to more than {MOST_STEPS:,} rounds of loops and terms, which is the limit"
            self.exhausted = self.exhausted or Fault(message, code="C056", help="loop over smaller sets")
            raise self.exhausted.with_traceback(None)

    def affords(self, terms: int) -> bool:
        """Whether so many more terms may be evaluated, which is then counted: looking for mistakes is bounded too."""
        allowed = self.evaluated + terms <= MOST_EVALUATED
        self.evaluated += terms if allowed else 0
        return allowed

    def foresee(self, sizes: Sequence[int]) -> None:
        """Refuse nested loops before they run, with their product; raises a Fault."""
        rounds = prod(sizes)
        if rounds > MOST_STEPS:
            message = f"this loop expands to {rounds:,} rounds, at most {MOST_STEPS:,} are allowed"
            raise Fault(message, code="C056", help="loop over smaller sets")


@dataclass(slots=True)
class Environment:
    """One round of the loops around an expression: the facts, and what it may mention.

    Nothing changes it: a round inside is a new one. It is not frozen because that takes three times as long to make.
    """

    facts: World
    meter: Meter = field(default_factory=Meter)
    bindings: dict[str, Value] = field(default_factory=dict)
    reads: set[Read] = field(default_factory=set)
    """Private cells that were read are added here."""
    rounds: tuple[int, ...] = ()
    """The sizes of the loops around this place, as far as they were known before they ran."""
    decisions: bool = True
    """Whether variables may be mentioned."""
    payoffs: bool = False
    """Whether `payoff[a]` and `total` may be mentioned."""

    def bind(self, names: tuple[str, ...], item: Value, *, apart: bool = False) -> "Environment":
        """A round inside this one, where an element has these names; `apart`, its further private reads are its own."""
        reads = self.reads.copy() if apart else self.reads
        bindings = self.bindings.copy()
        if len(names) == 1:
            bindings[names[0]] = item
        elif names:
            if not isinstance(item, tuple) or len(item) != len(names):
                message = f"`({', '.join(names)})` does not fit the element `{text(item)}`"
                raise Fault(message, code="C057")
            bindings.update(zip(names, item, strict=True))
        return Environment(self.facts, self.meter, bindings, reads, self.rounds, self.decisions, self.payoffs)

    def fixed(self) -> "Environment":
        """The same round, where decisions may not be mentioned (`where`, data, domains)."""
        if not self.decisions:
            return self
        return Environment(self.facts, self.meter, self.bindings, self.reads, self.rounds, False, self.payoffs)

    def unknown(self, name: str) -> Fault:
        """The Fault for a name that means nothing here."""
        symbol = self.facts.spec.symbols.get(name)
        if symbol is None and (name == "agents" or self.facts.spec.doubts.covers(name)):
            return Poisoned(f"`{name}` may be declared where the text is broken")
        if symbol is not None:
            return Fault(f"`{name}` is {a(symbol.kind)} and has no value", code="C041")
        return Fault(f"`{name}` is not the name of anything", code="C041")

    def refuse_private(self, name: str) -> None:
        """Raises a Fault when a public fact is computed from a private table."""
        source = min((instance_name(*read) for read in self.reads), default=None)
        if source is not None:
            message = f"`{name}` is computed from `{source}`, which is private"
            raise Fault(message, code="C062", help=f"others may know `{name}`, so it may not tell what is private")
