"""Payoffs and broken requirements of an assignment. In: a task and an assignment; out: worths, sharers, breaks.

What one variable decides is worked out once for each of its values and then remembered: of the thousands of payoffs
`done[a, t]` only those of the tickets that are picked are looked at. The result is that of going through all in order.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Generic, TypeAlias, TypeVar
from weakref import finalize

from colosseum.language.gc_pause import gc_paused
from colosseum.model.scenario import Credit, EqualSplit, Payoff, Requirement, Task
from colosseum.model.terms import Assignment
from colosseum.model.values import Fault, Number, Value, number

Entry: TypeAlias = tuple[Number, tuple[str, ...]]
"""What a payoff is worth, and who shares it."""
Item = TypeVar("Item")
Outcome = TypeVar("Outcome")
FIRST = itemgetter(0)


@dataclass
class _Outcomes(Generic[Item, Outcome]):
    """What comes of each item at an assignment; None where nothing does."""

    items: list[tuple[frozenset[str], Item]]
    """Each item with the variables that decide it."""
    rule: Callable[[Item, Assignment], Outcome | None]
    """What comes of an item."""
    alone: dict[str, list[tuple[int, Item]]] = field(init=False, default_factory=dict)
    """The items that one variable decides, with their places, by that variable."""
    together: list[tuple[int, Item]] = field(init=False, default_factory=list)
    """The others."""
    known: dict[tuple[str, Value], list[tuple[int, Outcome]]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        for place, (scope, item) in enumerate(self.items):
            alike = self.alone.setdefault(next(iter(scope)), []) if len(scope) == 1 else self.together
            alike.append((place, item))

    def at(self, x: Assignment) -> list[Outcome]:
        """In the order of the items. Raises the Fault of the first item that has one."""
        try:
            found = self._some(self.together, x)
            for name, items in self.alone.items():
                key = (name, x[name])
                if key not in self.known:
                    self.known[key] = self._some(items, x)
                found += self.known[key]
        except Fault:
            for _, item in self.items:
                self.rule(item, x)
            raise
        return [outcome for _, outcome in sorted(found, key=FIRST)]

    def _some(self, items: list[tuple[int, Item]], x: Assignment) -> list[tuple[int, Outcome]]:
        return [(place, outcome) for place, item in items if (outcome := self.rule(item, x)) is not None]


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


def _entry(payoff: Payoff, x: Assignment) -> Entry | None:
    worth = number(payoff.term.evaluate(x), f"the payoff `{payoff.name}`")
    return (worth, payoff.credit.shares(x)) if worth else None


def _break(requirement: Requirement, x: Assignment) -> Requirement | None:
    return None if requirement.condition.evaluate(x) else requirement
