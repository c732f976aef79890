"""Exposure of coalitions. In: a solver and a coalition; out: what its members could do by their own decisions alone.

Everybody else decides as at the canonical optimum x*. Over the members' joint moves y that keep the hard rules:
`worst_harm = F_n* − min F_n(y)`, `selfish_harm = F_n* − F_n` at the y that is best for F_c (the worst for the team
among equals), `temptation = max F_c(y) − F_c(x*)`, and `outsider_harm`, in u, what outsiders have less at the y that is
best for F_c (the worst for them among equals) than at the y that is best for the team (the best for them among equals).
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb, inf
from typing import Literal, TypeAlias, get_args

from colosseum.model import draws
from colosseum.model.scenario import Coalition, Scenario
from colosseum.model.values import Elements, Value
from colosseum.solve.goal import WELFARE, coalition_goal, outsiders_goal
from colosseum.solve.lowering.lower import NotLowered
from colosseum.solve.questions.preferred import known_best, preferred_to
from colosseum.solve.questions.prospect import fair_share, lost
from colosseum.solve.rounding import grain
from colosseum.solve.scoring import Score, goal_worth, score
from colosseum.solve.solver import NOT_PROVEN, Optimum, Solver

MOST_COALITIONS = 2_000
"""Coalitions that a scan looks at; of more it draws so many."""
Measure: TypeAlias = Literal["worst_harm", "selfish_harm", "outsider_harm", "temptation"]
MEASURES: tuple[Measure, ...] = get_args(Measure)
Watch: TypeAlias = Callable[[Sequence[Coalition]], Iterable[Coalition]]
"""Hands coalitions on, one by one."""


@dataclass(frozen=True)
class Exposure:
    """What one coalition could do: each measure has a figure, or a reason why there is none."""

    coalition: Coalition
    figures: dict[Measure, float]
    reasons: dict[str, str]

    def by(self, measure: Measure) -> float | None:
        """One of the figures."""
        return self.figures.get(measure)


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

    @property
    def sampled(self) -> bool:
        """Whether only some of the coalitions were looked at."""
        return 0 < len(self.ranking) < self.total

    def most_often(self, top: int) -> dict[str, int]:
        """How often each agent is in one of the first so many coalitions, the most frequent first."""
        members = Counter(agent for exposure in self.ranking[:top] for agent in exposure.coalition.members)
        return dict(members.most_common())


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
    found: dict[Measure, float | None] = dict.fromkeys(MEASURES)
    missing = dict.fromkeys(MEASURES, NOT_PROVEN)
    found["worst_harm"] = lost(best, solver.minimise(WELFARE, fixed=fixed).proven)
    try:
        selfish = solver.maximise(wanted, fixed=fixed)
        found["temptation"] = lost(selfish.proven, goal_worth(wanted, scored, x))
        worst = preferred_to(solver, selfish, wanted, WELFARE, sign=-1.0, fixed=fixed).proven
        found["selfish_harm"] = lost(best, worst)
        if isinstance(unit, float):
            fair = preferred_to(solver, known_best(x), WELFARE, outsiders, fixed=fixed).proven
            left = preferred_to(solver, selfish, wanted, outsiders, sign=-1.0, fixed=fixed).proven
            found["outsider_harm"] = lost(fair, left, unit)
        else:
            missing["outsider_harm"] = unit
    except NotLowered as fault:
        missing = dict.fromkeys(MEASURES, str(fault))
    known = {measure: value for measure, value in found.items() if value is not None}
    return Exposure(coalition, known, {str(m): why for m, why in missing.items() if m not in known})


def coalitions_of(scenario: Scenario, size: int) -> tuple[Coalition, ...]:
    """Every coalition of so many agents, in declared order; of more than MOST_COALITIONS a draw of so many.

    One with exactly the members of a declared coalition is that coalition, with its objectives; the first of several.
    """
    agents = scenario.task.agents
    found = combinations(agents, size) if comb(len(agents), size) <= MOST_COALITIONS else _drawn(scenario, size)
    declared: dict[frozenset[str], Coalition] = {}
    for coalition in scenario.coalitions:
        declared.setdefault(frozenset(coalition.members), coalition)
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
    """The most exposed first, and their ranks.

    Equals, up to rounding, share a rank and stay in their order; those that are not known come last.
    """
    known = [e.by(measure) for e in exposures]
    margin = grain(*(value for value in known if value is not None))

    def key(exposure: Exposure) -> float:
        value = exposure.by(measure)
        return inf if value is None else -round(value / margin)

    ranking = sorted(exposures, key=key)
    first: dict[float, int] = {}
    return ranking, [first.setdefault(key(exposure), place) for place, exposure in enumerate(ranking, start=1)]
