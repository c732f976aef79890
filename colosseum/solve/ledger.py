"""Payoffs and broken requirements of an assignment. In: a task and an assignment; out: worths, sharers, breaks.

What one variable decides is worked out once for each of its values and then remembered: of the thousands of payoffs
`done[a, t]` only those of the tickets that are picked are looked at; what several decide is prepared for when it is
asked for again. The result is that of going through all in order.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Generic, TypeAlias, TypeVar
from weakref import finalize

from colosseum.model.gc_pause import gc_paused
from colosseum.model.scenario import Credit, EqualSplit, Payoff, Requirement, Task
from colosseum.model.terms import Assignment, Term
from colosseum.model.values import Fault, Number, Value, number
from colosseum.solve.prepared import Rule, prepared

Entry: TypeAlias = tuple[Number, tuple[str, ...]]
"""What a payoff is worth, and who shares it."""
Item = TypeVar("Item")
Outcome = TypeVar("Outcome")
FIRST = itemgetter(0)

Outcomes: TypeAlias = Callable[[Assignment], Outcome | None]
Reading: TypeAlias = Callable[[Term], Rule]


@dataclass
class _Outcomes(Generic[Item, Outcome]):
    """What comes of each item at an assignment; None where nothing does."""

    items: list[tuple[frozenset[str], Item]]
    """Each item with the variables that decide it."""
    rule: "Callable[[Item, Reading], Outcomes[Outcome]]"
    """What comes of an item, by a way to read its terms."""
    alone: dict[str, list[tuple[int, Item]]] = field(init=False, default_factory=dict)
    """The items that one variable decides, with their places, by that variable."""
    together: list[tuple[int, Item]] = field(init=False, default_factory=list)
    known: dict[tuple[str, Value], list[tuple[int, Outcome]]] = field(init=False, default_factory=dict)
    prepared: "list[tuple[int, Outcomes[Outcome]]] | None" = field(init=False, default=None)
    """The rules of what several variables decide, from the second assignment on."""
    asked: bool = field(init=False, default=False)

    def __post_init__(self) -> None:
        for place, (scope, item) in enumerate(self.items):
            kept = self.alone.setdefault(next(iter(scope)), []) if len(scope) == 1 else self.together
            kept.append((place, item))

    def at(self, x: Assignment) -> list[Outcome]:
        """In the order of the items. Raises the Fault of the first item that has one."""
        try:
            found = self._together(x)
            for name, items in self.alone.items():
                key = (name, x[name])
                if key not in self.known:
                    self.known[key] = self._among(items, x)
                found += self.known[key]
        except Fault:
            for _, item in self.items:
                self.rule(item, plainly)(x)
            raise
        return [outcome for _, outcome in sorted(found, key=FIRST)]

    def _together(self, x: Assignment) -> list[tuple[int, Outcome]]:
        if not self.asked:
            self.asked = True
            return self._among(self.together, x)
        if self.prepared is None:
            self.prepared = [(place, self.rule(item, prepared)) for place, item in self.together]
        outcomes = [(place, rule(x)) for place, rule in self.prepared]
        return [(place, outcome) for place, outcome in outcomes if outcome is not None]

    def _among(self, items: Iterable[tuple[int, Item]], x: Assignment) -> list[tuple[int, Outcome]]:
        outcomes = ((place, self.rule(item, plainly)(x)) for place, item in items)
        return [(place, outcome) for place, outcome in outcomes if outcome is not None]


@dataclass
class _Ledger:
    """What is known of one task."""

    payoffs: _Outcomes[Payoff, Entry]
    requirements: _Outcomes[Requirement, Requirement]


_KNOWN: dict[int, _Ledger] = {}
"""By the identity of tasks that are alive."""


def paid(task: Task, x: Assignment) -> list[Entry]:
    """What every payoff that is not 0 is worth, in declared order. Raises Fault where a payoff is none."""
    return _ledger(task).payoffs.at(x)


def broken(task: Task, x: Assignment) -> list[Requirement]:
    """The requirements that an assignment breaks, hard and soft, in declared order."""
    return _ledger(task).requirements.at(x)


def credit_scope(credit: Credit) -> frozenset[str]:
    """The variables that decide who shares."""
    if isinstance(credit, EqualSplit):
        return frozenset()
    return frozenset().union(*(condition.scope for _, condition in credit.candidates))


def _ledger(task: Task) -> _Ledger:
    if id(task) not in _KNOWN:
        with gc_paused():
            payoffs = [(p.term.scope | credit_scope(p.credit), p) for p in task.payoffs]
            requirements = [(r.condition.scope, r) for r in task.requirements]
            _KNOWN[id(task)] = _Ledger(_Outcomes(payoffs, _entry), _Outcomes(requirements, _break))
        finalize(task, _KNOWN.pop, id(task), None)
    return _KNOWN[id(task)]


def plainly(term: Term) -> Rule:
    """What a term evaluates to, as it stands."""
    return term.evaluate


def _entry(payoff: Payoff, reading: Reading) -> Outcomes[Entry]:
    value = reading(payoff.term)

    def rule(x: Assignment) -> Entry | None:
        worth = number(value(x), f"the payoff `{payoff.name}`")
        return (worth, payoff.credit.shares(x)) if worth else None

    return rule


def _break(requirement: Requirement, reading: Reading) -> Outcomes[Requirement]:
    holds = reading(requirement.condition)
    return lambda x: None if holds(x) else requirement
