"""Specs against rules worked out by hand. In: a spec, its domains and its rules in plain Python; out: agreement.

Nothing of the package takes part in what is expected: every assignment is enumerated here, priced by the test's own
function, and both ends of every objective are compared with what the integer program finds.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

import pytest
from specs_made import expanded

from colosseum.model.scenario import Scenario
from colosseum.model.values import Value
from colosseum.solve.goal import WELFARE, Goal, coalition_goal, payoff_of
from colosseum.solve.lowering.lower import lower
from colosseum.solve.lowering.rules import DEFAULT_LIMITS, LoweringLimits
from colosseum.solve.scoring import score
from colosseum.solve.solver import Solver

STRUCTURAL = LoweringLimits(small=0, conflict=0)
"""Rows and columns wherever they are possible, as large games need them."""
Chosen = Mapping[str, Value]
"""What is decided, as a file of assignments names it: `{"pick[ann]": "t1"}`."""


@dataclass
class Book:
    """What the rules of a case say of one assignment."""

    agents: tuple[str, ...]
    payoff: dict[str, float] = field(default_factory=dict)
    wanted: dict[str, float] = field(default_factory=dict)
    """F_c by coalition, where it is not the sum of members' payoffs."""
    feasible: bool = True

    def pay(self, worth: float, *to: str) -> None:
        """Credit an amount to these agents in equal parts; to all when none is named."""
        for agent in to or self.agents:
            self.payoff[agent] = self.payoff.get(agent, 0.0) + worth / len(to or self.agents)

    def must(self, condition: bool) -> None:
        """A hard rule."""
        self.feasible = self.feasible and condition

    def want(self, coalition: str, worth: float) -> None:
        """Part of a coalition's objective."""
        self.wanted[coalition] = self.wanted.get(coalition, 0.0) + worth

    @property
    def total(self) -> float:
        """F_n."""
        return sum(self.payoff.values())

    def of(self, agent: str) -> float:
        """r_i."""
        return self.payoff.get(agent, 0.0)


def digest(*key: object) -> int:
    """The hash of a draw's key, by the recipe of the reference."""
    return int.from_bytes(hashlib.blake2b("\x1f".join(map(str, key)).encode(), digest_size=8).digest(), "big")


def integer(low: int, high: int, *key: object) -> int:
    """`~ integer(low, high)` for a key of seed, statement and index values."""
    return low + ((digest(*key) * (high - low + 1)) >> 64)


def sample(items: Sequence[str], size: int, *key: object) -> tuple[str, ...]:
    """`~ sample({…}, size)`; of one item, `~ choice`."""
    chosen = sorted(items, key=lambda item: digest(*key, item))[:size]
    return tuple(item for item in items if item in chosen)


Rules = Callable[[Chosen, Book], None]
Domains = Mapping[str, Sequence[Value]]


def agrees(folder: Path, text: str, domains: Domains, rules: Rules, **params: Value) -> Scenario:
    """The spec means what the rules say: its domains, every assignment's payoffs, and both ends of every objective."""
    scenario = expanded(folder, text, **params)
    task = scenario.task
    assert {v.name: v.domain for v in task.variables} == {name: tuple(d) for name, d in domains.items()}
    priced = list(_priced(scenario, domains, rules))
    goals: list[tuple[Goal, Callable[[Book], float]]] = [(WELFARE, lambda book: book.total)]
    goals += [(payoff_of(a), lambda book, a=a: book.of(a)) for a in task.agents]  # type: ignore[misc]
    for c in scenario.coalitions:
        goals.append((coalition_goal(c), lambda book, c=c: (  # type: ignore[misc]
            book.wanted.get(c.name, 0.0) if c.objectives else sum(map(book.of, c.members)))))  # fmt: skip
    for limits in (DEFAULT_LIMITS, STRUCTURAL):
        solver = Solver(task)
        solver.highs.lowered = lower(task, limits=limits)
        for goal, worth in goals:
            values = [worth(book) for _, book in priced if book.feasible]
            for query, best in ((solver.maximise, max), (solver.minimise, min)):
                found = query(goal)
                if not values:
                    assert (found.status, found.assignment) == ("infeasible", None)
                    continue
                assert found.status == "optimal"
                assert found.value == pytest.approx(best(values), rel=1e-9, abs=1e-9)
                book = Book(task.agents)
                rules(found.assignment or {}, book)
                assert book.feasible
                assert worth(book) == pytest.approx(found.value, rel=1e-9, abs=1e-9)
    return scenario


def _priced(scenario: Scenario, domains: Domains, rules: Rules) -> list[tuple[Chosen, Book]]:
    """Every assignment with its book, which the package's own score must equal."""
    found = []
    for values in product(*domains.values()):
        x: Chosen = dict(zip(domains, values, strict=True))
        book = Book(scenario.task.agents)
        rules(x, book)
        scored = score(scenario.task, x)
        assert scored.feasible == book.feasible, x
        assert scored.payoff == pytest.approx({a: book.of(a) for a in scenario.task.agents}, rel=1e-9, abs=1e-9), x
        assert scored.value == pytest.approx(book.total, rel=1e-9, abs=1e-9), x
        found.append((x, book))
    return found
