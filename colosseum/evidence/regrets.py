"""Regrets of single agents. In: an instance and a realised assignment; out: regrets by agent.

Source: the paper's section 5. Moves are joint moves over all variables of an agent; others stay at their decisions.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import product
from math import prod

from colosseum.evidence.figures import Figure
from colosseum.evidence.instance import BROKEN, SolvedTask
from colosseum.model.values import Fault, Value
from colosseum.solve.goal import Goal, payoff_of
from colosseum.solve.lowering.lower import NotLowered
from colosseum.solve.partial import shortfall
from colosseum.solve.rounding import ROUNDING, rounded
from colosseum.solve.scoring import Local, goal_value, hard_broken

MOST_ALTERNATIVES = 20_000
"""Joint moves of one agent that are enumerated; past it the integer program decides."""
UNMOVED = "no own decision can change its payoff"


class Options:
    """An agent's joint moves in a run, the others at their decisions. What a move is worth is worked out once."""

    def __init__(self, instance: SolvedTask, agent: str, assignment: Mapping[str, Value]) -> None:
        self.instance, self.agent, self.assignment = instance, agent, assignment
        self.own = instance.task.owned[agent]
        self.local = Local(instance.task, agent)
        names = {v.name for v in self.own}
        self.rules = tuple(r for r in instance.task.requirements if r.condition.scope & names)
        """What the agent's own decisions take part in, hard and soft."""
        self._worth: dict[int, float] = {}

    @property
    def number(self) -> int:
        """How many joint moves there are."""
        return prod(len(v.domain) for v in self.own)

    @cached_property
    def moves(self) -> list[dict[str, Value]]:
        """The assignments that they lead to."""
        joint = product(*(v.domain for v in self.own))
        return [{**self.assignment, **dict(zip((v.name for v in self.own), values, strict=True))} for values in joint]

    @cached_property
    def kept(self) -> list[int]:
        """The places of moves that break no hard rule that the agent takes part in."""
        return [place for place, y in enumerate(self.moves) if not hard_broken(self.rules, y)]

    @cached_property
    def here(self) -> float:
        """The part of r_i that the moves can change, as realised."""
        return self.local.worth(self.assignment)

    def worth(self, place: int) -> float:
        """The same after a move."""
        if place not in self._worth:
            self._worth[place] = self.local.worth(self.moves[place])
        return self._worth[place]


def best_response_regret(options: Options, *, enumerated: int = MOST_ALTERNATIVES) -> Figure:
    """δ_i = `max_{y_i} r_i(y_i ⊕ x̃_{−i}) − r_i(x̃)` over all of the agent's variables jointly, hard rules kept.

    Up to `enumerated` joint moves are gone through; more are left to the integer program, which knows no move where
    others have broken a hard rule among themselves.
    """
    if not options.local.moving:
        return Figure(None, UNMOVED)
    if hard_broken(options.rules, options.assignment):
        return Figure(None, "own decisions take part in breaking a hard requirement")
    if options.number > enumerated:
        return goal_regret(options.instance, payoff_of(options.agent), options.agent, options.assignment)
    return Figure(rounded(max(map(options.worth, options.kept)) - options.here, options.here))


def goal_regret(instance: SolvedTask, goal: Goal, agent: str, assignment: Mapping[str, Value]) -> Figure:
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


def sequential_regrets(options: Mapping[str, Options], order: Sequence[str] | None) -> dict[str, Figure]:
    """δ_i with alternatives restricted to the realised move and those that break no rule, hard or soft, against
    decisions taken earlier in turn order; later decisions stay fixed.

    A move breaks a rule when it makes every completion miss it by more than some other move of its own would: what
    earlier decisions broke already is not held against it, but adding to a `per unit` excess is.
    """
    if order is None:
        return {a: Figure(None, "no turn order is given") for a in options}
    turns = {a: order[:place] for place, a in enumerate(order)}
    return {a: _sequential(of, turns[a]) if a in turns else Figure(None, "it has no turn") for a, of in options.items()}


def _sequential(options: Options, earlier: Sequence[str]) -> Figure:
    task = options.instance.task
    if not options.local.moving:
        return Figure(None, UNMOVED)
    if options.number > MOST_ALTERNATIVES:
        return Figure(None, f"the agent has more than {MOST_ALTERNATIVES:,} joint moves")
    known = [v.name for v in task.variables if v.owner in earlier or v.owner == options.agent]
    try:
        missed = [
            [shortfall(r, {name: y[name] for name in known}, task, witness=y) for r in options.rules]
            for y in options.moves
        ]  # fmt: skip
    except Fault as fault:
        return Figure(None, f"a rule cannot be evaluated: {fault.message}")
    least = [min(column) for column in zip(*missed, strict=True)]
    allowed = [
        place for place in options.kept
        if all(m - n <= ROUNDING for m, n in zip(missed[place], least, strict=True))
    ]  # fmt: skip
    best = max([options.here, *map(options.worth, allowed)])
    return Figure(rounded(best - options.here, options.here))
