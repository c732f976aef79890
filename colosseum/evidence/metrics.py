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
from colosseum.model.scenario import Coalition, Task
from colosseum.model.values import Fault, Value
from colosseum.optimum.goal import Goal, coalition_goal, payoff_of
from colosseum.optimum.lower import NotLowered
from colosseum.optimum.scoring import Local, Score, goal_value, score
from colosseum.optimum.partial import possible
from colosseum.optimum.solve import Optimum, Solver

MOST_ALTERNATIVES = 20_000
"""Joint moves of one agent that are enumerated; past it the integer program decides."""
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
            if any(e.status != "optimal" or e.value is None for e in ends):
                return Figure(None, f"the range of `{agent}`'s payoff is not proven")
            ranges.append((ends[0].value or 0.0) - (ends[1].value or 0.0))
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
        reason = "the outcome breaks a hard requirement"
        return {"regret": Figure(None, reason), "normalized_regret": Figure(None, reason)}
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
    if coalition is None:
        return {name: Figure(None, "there is no coalition") for name in names}
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


def _mean(regrets: Mapping[str, Figure], agents: Sequence[str], role: str) -> Figure:
    if not agents:
        return Figure(None, EVERYBODY)
    known = [v for a in agents if (v := regrets[a].value) is not None]
    return Figure(fmean(known)) if known else Figure(None, f"no {role}'s own decision can change its payoff")


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
    total = sum(regrets[a].value or 0.0 for a in outsiders)
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
        return Figure(None, "no own decision can change its payoff")
    if _alternatives(instance.task, agent) > MOST_ALTERNATIVES:
        return _goal_regret(instance, payoff_of(agent), agent, assignment)
    binding = [r for r in instance.task.hard if r.condition.scope & {v.name for v in instance.task.owned[agent]}]
    reachable = [
        local.worth(y) for y in _moves(instance.task, agent, assignment)
        if all(r.condition.evaluate(y) for r in binding)
    ]  # fmt: skip
    if not reachable:
        return Figure(None, "no move of its own satisfies the hard requirements")
    here = local.worth(assignment)
    return Figure(_rounded(max(reachable) - here, here))


def _alternatives(task: Task, agent: str) -> int:
    return prod(len(v.domain) for v in task.owned[agent])


def _moves(task: Task, agent: str, assignment: Mapping[str, Value]) -> "list[dict[str, Value]]":
    own = task.owned[agent]
    return [
        {**assignment, **dict(zip((v.name for v in own), values, strict=True))}
        for values in product(*(v.domain for v in own))
    ]


def _goal_regret(instance: Instance, goal: Goal, agent: str, assignment: Mapping[str, Value]) -> Figure:
    """How much an objective could gain by the agent's own decisions alone."""
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
    decisions taken earlier in turn order; later decisions stay fixed."""
    if order is None:
        return {a: Figure(None, "no turn order is given") for a in instance.task.agents}
    return {a: _sequential(instance, a, assignment, order[: order.index(a)]) for a in instance.task.agents}


def _sequential(instance: Instance, agent: str, assignment: Mapping[str, Value], earlier: Sequence[str]) -> Figure:
    task = instance.task
    local = Local(task, agent)
    if not local.moving:
        return Figure(None, "no own decision can change its payoff")
    if _alternatives(task, agent) > MOST_ALTERNATIVES:
        return Figure(None, f"the agent has more than {MOST_ALTERNATIVES:,} joint moves")
    own = {v.name for v in task.owned[agent]}
    known = {v.name for v in task.variables if v.owner in earlier} | own
    rules = [r for r in task.requirements if r.condition.scope & own]
    best = here = local.worth(assignment)
    for y in _moves(task, agent, assignment):
        decided = {name: y[name] for name in known}
        try:
            if all(possible(r.condition, decided, task, witness=y) for r in rules):
                best = max(best, local.worth(y))
        except Fault as fault:
            return Figure(None, f"a rule cannot be evaluated: {fault.message}")
    return Figure(_rounded(best - here, here))


def _rounded(difference: float, reference: float) -> float:
    """A difference of payoffs with rounding noise removed, so that a best response has regret 0."""
    return 0.0 if abs(difference) <= ROUNDING * max(1.0, abs(reference)) else difference
