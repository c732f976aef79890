"""What an agent alone could still have gained. In: an instance and a realised assignment; out: regrets by agent.

Source: the paper's section 5. Moves are joint moves over all variables of an agent; others stay at their decisions.
"""

from collections.abc import Mapping, Sequence
from itertools import product
from math import prod

from colosseum.evidence.figures import Figure
from colosseum.evidence.instance import BROKEN, ROUNDING, Instance, rounded
from colosseum.model.scenario import Requirement, Task
from colosseum.model.values import Fault, Value
from colosseum.optimum.goal import Goal, payoff_of
from colosseum.optimum.lower import NotLowered
from colosseum.optimum.partial import shortfall
from colosseum.optimum.scoring import Local, goal_value, hard_broken

MOST_ALTERNATIVES = 20_000
"""Joint moves of one agent that are enumerated; past it the integer program decides."""
UNMOVED = "no own decision can change its payoff"


def best_response_regret(
    instance: Instance, agent: str, assignment: Mapping[str, Value], *, enumerated: int = MOST_ALTERNATIVES
) -> Figure:
    """δ_i = `max_{y_i} r_i(y_i ⊕ x̃_{−i}) − r_i(x̃)` over all of the agent's variables jointly, hard rules kept.

    Up to `enumerated` joint moves are gone through; more are left to the integer program, which knows no move where
    others have broken a hard rule among themselves.
    """
    local = Local(instance.task, agent)
    if not local.moving:
        return Figure(None, UNMOVED)
    binding = _binding(instance.task, agent)
    if hard_broken(binding, assignment):
        return Figure(None, "own decisions take part in breaking a hard requirement")
    if _alternatives(instance.task, agent) > enumerated:
        return goal_regret(instance, payoff_of(agent), agent, assignment)
    moves = _moves(instance.task, agent, assignment)
    here = local.worth(assignment)
    best = max(local.worth(y) for y in moves if not hard_broken(binding, y))
    return Figure(rounded(best - here, here))


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


def goal_regret(instance: Instance, goal: Goal, agent: str, assignment: Mapping[str, Value]) -> Figure:
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
    return Figure(rounded(best.value - here, here))


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
    return Figure(rounded(best - here, here))
