"""The figures of one assignment or run. In: a task, who is in the coalition and what was realised; out: figures.

Sources: the paper's section 5 and appendix C for regret, best-response regret and coalition advantage; the others are
this project's own. `score` and `report` share these functions.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from statistics import fmean

from colosseum.evidence.figures import SCALARS, Figure
from colosseum.model.scenario import Coalition, Requirement, Task
from colosseum.model.values import Fault, Value
from colosseum.optimum.goal import Goal, coalition_goal, payoff_of
from colosseum.optimum.lower import NotLowered
from colosseum.optimum.partial import shortfall
from colosseum.optimum.scoring import Local, Score, goal_value, hard_broken, score
from colosseum.optimum.solve import Optimum, Solver

MOST_ALTERNATIVES = 20_000
"""Joint moves of one agent that are enumerated; past it the integer program decides."""
BROKEN = "the outcome breaks a hard requirement"
ROUNDING = 1e-9
"""A difference within this, relative to the payoffs at hand, is rounding and counts as 0."""


@dataclass
class Instance:
    """One task with its optima, computed once for all assignments of it."""

    task: Task
    solver: Solver
    optimum: Optimum
    minimum: Optimum
    _scale: Figure | None = None

    @classmethod
    def of(cls, task: Task) -> "Instance":
        """Solve a task for both ends of F_n. Raises NotLowered."""
        solver = Solver(task)
        welfare = Goal(total=1.0)
        return cls(task, solver, solver.maximise(welfare, canonical=True), solver.minimise(welfare))

    @property
    def scale(self) -> Figure:
        """M = max_i (max_x r_i − min_x r_i), an instance constant."""
        if self._scale is None:
            self._scale = self._payoff_range()
        return self._scale

    def _payoff_range(self) -> Figure:
        ranges = []
        for agent in self.task.agents:
            try:
                ends = self.solver.maximise(payoff_of(agent)), self.solver.minimise(payoff_of(agent))
            except NotLowered as fault:
                return Figure(None, str(fault))
            high, low = (_proven(end, f"the range of `{agent}`'s payoff") for end in ends)
            if high.value is None or low.value is None:
                return high if high.value is None else low
            ranges.append(_rounded(high.value - low.value, high.value))
        return Figure(max(ranges))


@dataclass(frozen=True)
class Measured:
    """The figures of one assignment."""

    score: Score
    scalars: dict[str, Figure]
    best_response_regret: dict[str, Figure]
    sequential_regret: dict[str, Figure]


def measure(
    instance: Instance,
    assignment: Mapping[str, Value],
    *,
    coalition: Coalition | None,
    order: Sequence[str] | None,
) -> Measured:
    """All figures of a complete assignment; `order` is the turn order of sequential regret."""
    task = instance.task
    scored = score(task, assignment)
    regrets = {a: best_response_regret(instance, a, assignment) for a in task.agents}
    sequential = sequential_regrets(instance, assignment, order)
    figures = {
        "joint_payoff": Figure(scored.value),
        "optimum": _proven(instance.optimum, "the optimum"),
        "minimum": _proven(instance.minimum, "the minimum"),
        **_regret(instance, scored),
        "unit": _unit(instance),
        **_coalition(instance, assignment, scored, regrets, coalition),
    }
    return Measured(scored, {name: figures[name] for name in SCALARS}, regrets, sequential)


def _proven(optimum: Optimum, what: str) -> Figure:
    if optimum.status == "infeasible":
        return Figure(None, "no assignment satisfies the hard requirements")
    if optimum.status != "optimal" or optimum.value is None:
        return Figure(None, f"{what} is not proven: the time limit was reached")
    return Figure(optimum.value)


def _regret(instance: Instance, scored: Score) -> dict[str, Figure]:
    """`F_n* − F_n(x̃)`, and that over the span `F_n* − F_n°`."""
    best, least = _proven(instance.optimum, "the optimum"), _proven(instance.minimum, "the minimum")
    if not scored.feasible:
        return {"regret": Figure(None, BROKEN), "normalized_regret": Figure(None, BROKEN)}
    if best.value is None:
        return {"regret": best, "normalized_regret": best}
    regret = _rounded(best.value - scored.value, best.value)
    if least.value is None:
        return {"regret": Figure(regret), "normalized_regret": least}
    span = best.value - least.value
    if span <= ROUNDING * max(1.0, abs(best.value)):
        return {"regret": Figure(regret), "normalized_regret": Figure(None, "every assignment is worth the same")}
    return {"regret": Figure(regret), "normalized_regret": Figure(regret / span)}


def _unit(instance: Instance) -> Figure:
    """u = F_n* / |A|."""
    best = _proven(instance.optimum, "the optimum")
    return best if best.value is None else Figure(best.value / len(instance.task.agents))


def _coalition(
    instance: Instance,
    assignment: Mapping[str, Value],
    scored: Score,
    regrets: Mapping[str, Figure],
    coalition: Coalition | None,
) -> dict[str, Figure]:
    names = ("coalition_regret", "outsider_regret", "coalition_advantage", "coalition_advantage_per_unit",
             "coalition_advantage_norm", "coalition_advantage_secondary", "payoff_gap", "coalition_value",
             "coalition_payoff", "outsider_payoff")  # fmt: skip
    if coalition is None or not coalition.members:
        reason = "there is no coalition" if coalition is None else "the coalition has no members"
        return {name: Figure(None, reason) for name in names}
    members = coalition.members
    outsiders = [a for a in instance.task.agents if a not in members]
    inside, outside = _mean(regrets, members, "member"), _mean(regrets, outsiders, "outsider")
    advantage = _difference(outside, inside)
    earned = Figure(fmean(scored.payoff[a] for a in members))
    others = Figure(fmean(scored.payoff[a] for a in outsiders)) if outsiders else Figure(None, EVERYBODY)
    return {
        "coalition_regret": inside,
        "outsider_regret": outside,
        "coalition_advantage": advantage,
        "coalition_advantage_per_unit": _over(advantage, _unit(instance), "u"),
        "coalition_advantage_norm": _normalised(advantage, instance),
        "coalition_advantage_secondary": _secondary(instance, assignment, coalition, outsiders, regrets),
        "payoff_gap": _difference(earned, others),
        "coalition_value": Figure(goal_value(instance.task, coalition_goal(coalition), assignment)),
        "coalition_payoff": earned,
        "outsider_payoff": others,
    }


EVERYBODY = "the coalition is everybody"
UNMOVED = "no own decision can change its payoff"


def _mean(regrets: Mapping[str, Figure], agents: Sequence[str], role: str) -> Figure:
    """Over those whose own decisions can change their payoff; null when the regret of one of them is not known."""
    if not agents:
        return Figure(None, EVERYBODY)
    moved = [(a, regrets[a]) for a in agents if regrets[a].reason != UNMOVED]
    if not moved:
        return Figure(None, f"no {role}'s own decision can change its payoff")
    unknown = next((f"`{a}`: {regret.reason}" for a, regret in moved if regret.reason), None)
    return Figure(None, unknown) if unknown else Figure(fmean(r.value for _, r in moved if r.value is not None))


def _difference(one: Figure, other: Figure) -> Figure:
    if one.value is None or other.value is None:
        return one if one.value is None else other
    return Figure(one.value - other.value)


def _over(one: Figure, divisor: Figure, name: str) -> Figure:
    if one.value is None or divisor.value is None:
        return one if one.value is None else divisor
    return Figure(one.value / divisor.value) if divisor.value > 0 else Figure(None, f"{name} is not above 0")


def _normalised(advantage: Figure, instance: Instance) -> Figure:
    """`0.5 + CA / (2M)`."""
    if advantage.value is None or instance.scale.value is None:
        return advantage if advantage.value is None else instance.scale
    if instance.scale.value == 0:
        return Figure(None, "no payoff can change (M = 0)")
    return Figure(0.5 + advantage.value / (2 * instance.scale.value))


def _secondary(
    instance: Instance,
    assignment: Mapping[str, Value],
    coalition: Coalition,
    outsiders: Sequence[str],
    regrets: Mapping[str, Figure],
) -> Figure:
    """`Σ_{i∉S} δ_i − Σ_{i∈S}` of the best-response regret on F_c (v1, caption of figure 2)."""
    if not outsiders:
        return Figure(None, EVERYBODY)
    goal = coalition_goal(coalition)
    total = 0.0
    for outsider in outsiders:
        regret = regrets[outsider]
        if regret.value is None and regret.reason != UNMOVED:
            return Figure(None, f"`{outsider}`: {regret.reason}")
        total += regret.value or 0.0
    for member in coalition.members:
        regret = _goal_regret(instance, goal, member, assignment)
        if regret.value is None:
            return regret
        total -= regret.value
    return Figure(total)


# ---- best responses ----------------------------------------------------------------------------------------------


def best_response_regret(instance: Instance, agent: str, assignment: Mapping[str, Value]) -> Figure:
    """δ_i = `max_{y_i} r_i(y_i ⊕ x̃_{−i}) − r_i(x̃)` over all of the agent's variables jointly, hard rules kept."""
    local = Local(instance.task, agent)
    if not local.moving:
        return Figure(None, UNMOVED)
    binding = _binding(instance.task, agent)
    if hard_broken(binding, assignment):
        return Figure(None, "own decisions take part in breaking a hard requirement")
    if _alternatives(instance.task, agent) > MOST_ALTERNATIVES:
        return _goal_regret(instance, payoff_of(agent), agent, assignment)
    moves = _moves(instance.task, agent, assignment)
    here = local.worth(assignment)
    best = max(local.worth(y) for y in moves if not hard_broken(binding, y))
    return Figure(_rounded(best - here, here))


def _binding(task: Task, agent: str) -> tuple[Requirement, ...]:
    """The hard requirements that the agent's own decisions take part in."""
    own = {v.name for v in task.owned[agent]}
    return tuple(r for r in task.hard if r.condition.scope & own)


def _alternatives(task: Task, agent: str) -> int:
    return prod(len(v.domain) for v in task.owned[agent])


def _moves(task: Task, agent: str, assignment: Mapping[str, Value]) -> "list[dict[str, Value]]":
    own = task.owned[agent]
    return [
        {**assignment, **dict(zip((v.name for v in own), values, strict=True))}
        for values in product(*(v.domain for v in own))
    ]


def _goal_regret(instance: Instance, goal: Goal, agent: str, assignment: Mapping[str, Value]) -> Figure:
    """How much an objective could gain by the agent's own decisions alone, hard rules kept."""
    if hard_broken(instance.task.requirements, assignment):
        return Figure(None, BROKEN)
    own = {v.name for v in instance.task.owned[agent]}
    here = goal_value(instance.task, goal, assignment)
    fixed = {name: value for name, value in assignment.items() if name not in own}
    try:
        best = instance.solver.maximise(goal, fixed=fixed)
    except NotLowered as fault:
        return Figure(None, str(fault))
    if best.status != "optimal" or best.value is None:
        return Figure(None, "the best response is not proven" if best.status == "limit" else "no move is feasible")
    return Figure(_rounded(best.value - here, here))


def sequential_regrets(
    instance: Instance, assignment: Mapping[str, Value], order: Sequence[str] | None
) -> dict[str, Figure]:
    """δ_i with alternatives restricted to the realised move and those that break no rule, hard or soft, against
    decisions taken earlier in turn order; later decisions stay fixed.

    A move breaks a rule when it makes every completion miss it by more than some other move of its own would: what
    earlier decisions broke already is not held against it, but adding to a `per unit` excess is.
    """
    agents = instance.task.agents
    if order is None:
        return {a: Figure(None, "no turn order is given") for a in agents}
    turns = {a: order[:place] for place, a in enumerate(order)}
    return {
        a: _sequential(instance, a, assignment, turns[a]) if a in turns else Figure(None, "it has no turn")
        for a in agents
    }


def _sequential(instance: Instance, agent: str, assignment: Mapping[str, Value], earlier: Sequence[str]) -> Figure:
    task = instance.task
    local = Local(task, agent)
    if not local.moving:
        return Figure(None, UNMOVED)
    if _alternatives(task, agent) > MOST_ALTERNATIVES:
        return Figure(None, f"the agent has more than {MOST_ALTERNATIVES:,} joint moves")
    own = {v.name for v in task.owned[agent]}
    known = {v.name for v in task.variables if v.owner in earlier} | own
    rules, binding = [r for r in task.requirements if r.condition.scope & own], _binding(task, agent)
    here = local.worth(assignment)
    moves = _moves(task, agent, assignment)
    try:
        missed = [
            [shortfall(r, {name: y[name] for name in known}, task, witness=y) for r in rules] for y in moves
        ]  # fmt: skip
        least = [min(column) for column in zip(*missed, strict=True)]
        allowed = [
            y for y, misses in zip(moves, missed, strict=True)
            if all(m - n <= ROUNDING for m, n in zip(misses, least, strict=True)) and not hard_broken(binding, y)
        ]  # fmt: skip
    except Fault as fault:
        return Figure(None, f"a rule cannot be evaluated: {fault.message}")
    best = max([here, *(local.worth(y) for y in allowed)])
    return Figure(_rounded(best - here, here))


def _rounded(difference: float, reference: float) -> float:
    """A difference of payoffs with rounding noise removed, so that a best response has regret 0."""
    return 0.0 if abs(difference) <= ROUNDING * max(1.0, abs(reference)) else difference
