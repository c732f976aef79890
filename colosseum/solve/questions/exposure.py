"""Exposure of coalitions. In: a solver and a coalition; out: what its members could do by their own decisions alone.

Everybody else decides as at the canonical optimum x*. Over the members' joint moves y that keep the hard rules:
`worst_harm = F_n* − min F_n(y)`, `selfish_harm = F_n* − F_n` at the y that is best for F_c (the worst for the team
among equals), `temptation = max F_c(y) − F_c(x*)`, and `outsider_harm`, in u, what outsiders have less at the y that is
best for F_c (the worst for them among equals) than at the y that is best for the team (the best for them among equals).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from math import comb, inf
from typing import Literal, TypeAlias, get_args

from colosseum.model import draws
from colosseum.model.scenario import Coalition, Scenario
from colosseum.model.values import Elements, Value
from colosseum.solve.goal import WELFARE, coalition_goal, outsiders_goal
from colosseum.solve.lowering.lower import NotLowered
from colosseum.solve.questions.frontier import preferred_to
from colosseum.solve.questions.prospect import fair_share, lost
from colosseum.solve.scoring import Score, goal_worth, grain, score
from colosseum.solve.solver import NOT_PROVEN, Optimum, Solver

MOST_COALITIONS = 2_000  # coalitions that a scan looks at; of more it draws so many
Measure: TypeAlias = Literal["worst_harm", "selfish_harm", "outsider_harm", "temptation"]
MEASURES: tuple[Measure, ...] = get_args(Measure)
Watch: TypeAlias = Callable[[Sequence[Coalition]], Iterable[Coalition]]  # hands coalitions on, one by one


@dataclass(frozen=True)
class Exposure:
    """What one coalition could do: each measure has a figure, or a reason why there is none."""

    coalition: Coalition
    figures: Mapping[Measure, float | str]

    def by(self, measure: Measure) -> float | None:
        """One of the figures."""
        found = self.figures[measure]
        return None if isinstance(found, str) else found

    @property
    def reasons(self) -> dict[str, str]:
        """Why figures are missing."""
        return {measure: why for measure, why in self.figures.items() if isinstance(why, str)}


@dataclass(frozen=True)
class Scan:
    """All coalitions of one size, the most exposed first."""

    size: int
    by: Measure
    optimum: Optimum
    """x*."""
    total: int
    """Coalitions of this size that there are."""
    ranking: tuple[Exposure, ...]
    ranks: tuple[int, ...]
    """Equals share one."""
    reason: str = ""
    """Why nothing is ranked."""


def scan(solver: Solver, scenario: Scenario, *, size: int, by: Measure, watch: Watch = iter) -> Scan:
    """Rank every coalition of a size, or a seeded draw of them; `watch` sees them go by. Raises NotLowered."""
    optimum = solver.maximise(WELFARE, canonical=True)
    total = comb(len(scenario.task.agents), size)
    if optimum.status != "optimal" or optimum.assignment is None:
        return Scan(size, by, optimum, total, (), (), f"the optimum is not proven: {NOT_PROVEN}")
    found = exposures(solver, watch(coalitions_of(scenario, size)), optimum.assignment)
    ranking, ranks = ranked(found, by)
    return Scan(size, by, optimum, total, tuple(ranking), tuple(ranks))


def exposures(solver: Solver, coalitions: Iterable[Coalition], x: Mapping[str, Value]) -> list[Exposure]:
    """What the members of each could do while all others decide as in `x`, the optimum."""
    scored = score(solver.task, x)
    span = lost(scored.value, solver.minimise(WELFARE).proven)
    unit = fair_share(scored.value, span, len(solver.task.agents))
    return [_exposure(solver, coalition, x, scored, unit) for coalition in coalitions]


def _exposure(
    solver: Solver, coalition: Coalition, x: Mapping[str, Value], scored: Score, unit: float | str
) -> Exposure:
    fixed = {v.name: x[v.name] for v in solver.task.variables if v.owner not in coalition.members}
    best, wanted, outsiders = scored.value, coalition_goal(coalition), outsiders_goal(solver.task.agents, coalition)
    of_equals = partial(preferred_to, solver, fixed=fixed)
    found: dict[Measure, float | str | None] = {}
    found["worst_harm"], why = lost(best, solver.minimise(WELFARE, fixed=fixed).proven), NOT_PROVEN
    try:
        selfish = solver.maximise(wanted, fixed=fixed)
        found["temptation"] = lost(selfish.proven, goal_worth(wanted, scored, x))
        found["selfish_harm"] = lost(best, of_equals(selfish, wanted, WELFARE, sign=-1.0).proven)
        fair = of_equals(Optimum("optimal", assignment=dict(x)), WELFARE, outsiders).proven
        left = of_equals(selfish, wanted, outsiders, sign=-1.0).proven
        found["outsider_harm"] = unit if isinstance(unit, str) else lost(fair, left, unit)
    except NotLowered as fault:
        why = str(fault)
    return Exposure(coalition, {each: why if (known := found.get(each)) is None else known for each in MEASURES})


def coalitions_of(scenario: Scenario, size: int) -> tuple[Coalition, ...]:
    """Every coalition of so many agents, in declared order; of more than MOST_COALITIONS a draw of so many.

    One with the members of a declared coalition is that one, with its objectives.
    """
    agents = scenario.task.agents
    found = combinations(agents, size) if comb(len(agents), size) <= MOST_COALITIONS else _drawn(scenario, size)
    declared = {frozenset(coalition.members): coalition for coalition in reversed(scenario.coalitions)}
    return tuple(declared.get(frozenset(members), Coalition("", members, ())) for members in found)


def _drawn(scenario: Scenario, size: int) -> list[tuple[str, ...]]:
    """Different coalitions drawn by the scenario's seed, in declared order."""
    agents, drawn, number = scenario.task.agents, set[tuple[str, ...]](), 0
    while len(drawn) < MOST_COALITIONS:
        key = draws.key(scenario.seed, "scan", (size, number))
        drawn.add(tuple(map(str, draws.sample(key, Elements(agents), size))))
        number += 1
    return sorted(drawn, key=lambda members: [agents.index(agent) for agent in members])


def ranked(exposures: Sequence[Exposure], measure: Measure) -> tuple[list[Exposure], list[int]]:
    """The most exposed first, and their ranks; equals, up to rounding, share one, and what is not known comes last."""
    known = [e.by(measure) for e in exposures]
    margin = grain(*(value for value in known if value is not None))

    def key(exposure: Exposure) -> float:
        value = exposure.by(measure)
        return inf if value is None else -round(value / margin)

    ranking = sorted(exposures, key=key)
    first: dict[float, int] = {}
    return ranking, [first.setdefault(key(exposure), place) for place, exposure in enumerate(ranking, start=1)]
