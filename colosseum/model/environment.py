"""The place where an expression is evaluated. In: facts, bindings, permissions; out: one object that carries them."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import prod
from typing import TypeAlias

from colosseum.diagnostics import closest
from colosseum.language.record import Record
from colosseum.model.terms import Compare, Constant, Decision
from colosseum.model.values import Fault, Key, Value, a, instance_name, text
from colosseum.model.world import Facts, Poisoned, Source

Read: TypeAlias = tuple[str, Key]
"""A private cell: its table and its key."""
MOST_STEPS = 1_000_000
"""Rounds of loops, over all statements, that one expansion may visit, with the terms that they leave."""
MOST_EVALUATED = 2_000_000
"""Terms that one expansion may evaluate to look for assignments at which a payoff is undefined."""


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
            shown = " × ".join(f"{size:,}" for size in sizes)
            whole = f"{shown} = {rounds:,}" if len(sizes) > 1 else shown
            message = f"this loop expands to {whole} rounds, at most {MOST_STEPS:,} are allowed"
            raise Fault(message, code="C056", help="loop over smaller sets")


class Surroundings(Record):
    """The part that all rounds of all loops share: the facts, and what an expression may mention."""

    facts: Facts
    decisions: bool = True
    """Whether variables may be mentioned."""
    payoffs: bool = False
    """Whether `payoff[a]` and `total` may be mentioned."""
    meter: Meter = field(default_factory=Meter)
    sources: dict[str, Source] = field(default_factory=dict)
    """The tables and variables looked up so far, by name."""
    tests: dict[tuple[str, str], Compare] = field(default_factory=dict)
    """Whether a variable is a name: what rewards, requirements and shares all ask is one term."""

    def test(self, decision: Decision, name: str) -> Compare:
        """`decision == name`."""
        key = decision.variable, name
        found = self.tests.get(key)
        if found is None:
            found = self.tests[key] = Compare("==", decision, Constant(name))
        return found

    @cached_property
    def fixed(self) -> "Surroundings":
        """The same place, where decisions may not be mentioned (`where`, data, domains)."""
        return replace(self, decisions=False)


@dataclass(slots=True)
class Environment:
    """One round of the loops around an expression.

    Nothing changes it: a round inside is a new one. It is not frozen because that takes three times as long to make.
    """

    place: Surroundings
    bindings: dict[str, Value] = field(default_factory=dict)
    reads: set[Read] | None = None
    """Private cells that were read are added here."""
    rounds: tuple[int, ...] = ()
    """The sizes of the loops around this place, as far as they were known before they ran."""

    def bind(self, names: tuple[str, ...], item: Value, *, apart: bool = False) -> "Environment":
        """A round inside this one, where an element has these names; `apart`, its private reads are its own."""
        reads = self.reads.copy() if apart and self.reads is not None else self.reads
        bindings = self.bindings.copy()
        if len(names) == 1:
            bindings[names[0]] = item
        elif names:
            if not isinstance(item, tuple) or len(item) != len(names):
                message = f"`({', '.join(names)})` does not fit the element `{text(item)}`"
                raise Fault(message, code="C057")
            bindings.update(zip(names, item, strict=True))
        return Environment(self.place, bindings, reads, self.rounds)

    def apart(self) -> "Environment":
        """The same round, whose private reads are no longer added to the outer ones."""
        return self if self.reads is None else Environment(self.place, self.bindings, set(self.reads), self.rounds)

    def where(self, place: Surroundings) -> "Environment":
        """The same round, where other things may be mentioned."""
        return Environment(place, self.bindings, self.reads, self.rounds)

    def fixed(self) -> "Environment":
        """The same round, where decisions may not be mentioned."""
        return self.where(self.place.fixed) if self.place.decisions else self


def unknown(name: str, env: Environment) -> Fault:
    """The Fault for a name that means nothing here."""
    symbol = env.place.facts.symbol(name)
    if symbol is None and env.place.facts.spec.doubts.covers(name):
        return Poisoned(f"`{name}` may be declared where the text is broken")
    if symbol is not None:
        return Fault(f"`{name}` is {a(symbol.kind)} and has no value", code="C041")
    facts = env.place.facts
    help_ = facts.spec.helped(name, lambda: closest(name, [*env.bindings, *facts.spec.symbols, *facts.elements]))
    return Fault(f"`{name}` is not the name of anything", code="C041", help=help_)


def refuse_private(name: str, env: Environment) -> None:
    """Raises a Fault when a public fact is computed from a private table."""
    source = min((instance_name(*read) for read in env.reads or ()), default=None)
    if source is not None:
        message = f"`{name}` is computed from `{source}`, which is private"
        raise Fault(message, code="C062", help=f"others may know `{name}`, so it may not tell what is private")
