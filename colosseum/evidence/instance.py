"""An instance and the moves of its agents. In: a task, and a realised assignment; out: a live solver with the optima
that figures refer to, each computed once, and the regrets of single agents.

Source of regrets: the paper's section 5. Moves are joint moves over all of an agent's variables, with the others held.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce
from math import inf, prod
from operator import sub
from typing import TYPE_CHECKING

import numpy as np

from colosseum.evidence.figures import Figure
from colosseum.model.scenario import Coalition, Requirement, Task
from colosseum.model.terms import Arithmetic, Compare, Every, Extremum, Some, Term, Total
from colosseum.model.values import Value
from colosseum.solve.arrays import Floats, Mask, represented, worths
from colosseum.solve.goal import WELFARE, Goal, payoff_of
from colosseum.solve.lowering.lower import NotLowered
from colosseum.solve.lowering.rules import credited
from colosseum.solve.questions.counterfactuals import SOON, AskedOnce, Stakes
from colosseum.solve.questions.prospect import fair_share
from colosseum.solve.scoring import ROUNDING, goal_value, hard_broken, rounded
from colosseum.solve.solver import NOT_PROVEN, Optimum, Solver

if TYPE_CHECKING:
    from colosseum.evidence.metrics import Measured

DEADLINE = 15.0  # seconds of work for all figures of one run, and for each end of F_n; those that take longer are null
LITTLE = 0.1  # a smaller opportunity is called little: a tenth of a fair share
BROKEN = "the outcome breaks a hard requirement"
EVERYBODY = "the coalition is everybody"


@dataclass(eq=False)
class SolvedTask:
    """One task with its optima, computed once for all assignments of it."""

    task: Task
    solver: Solver
    optimum: Optimum
    minimum: Optimum
    _stakes: dict[Coalition, Stakes] = field(default_factory=dict)
    measured: dict[tuple[Coalition | None, str, bool], "Measured"] = field(default_factory=dict)
    """The figures of outcomes, as many runs end alike: by the outcome in words, and whether they were asked closely."""

    @classmethod
    def of(cls, task: Task) -> "SolvedTask":
        """Solve a task for both ends of F_n. Raises NotLowered."""
        solver = AskedOnce(task, by_work=True)
        optimum = solver.maximise(WELFARE, canonical=True)
        solver.time_limit = DEADLINE
        return cls(task, solver, optimum, solver.minimise(WELFARE))

    @property
    def best(self) -> Figure:
        """F_n*."""
        return proven(self.optimum, "the optimum")

    @property
    def least(self) -> Figure:
        """F_n°."""
        return proven(self.minimum, "the minimum")

    @property
    def span(self) -> Figure:
        """`F_n* − F_n°`."""
        return difference(self.best, self.least)

    @property
    def unit(self) -> Figure:
        """u = F_n* / |A|, or a share of the span where that is not above 0; null where that is 0, too."""
        if self.best.value is None:
            return self.best
        share = fair_share(self.best.value, self.span.value, len(self.task.agents))
        return Figure(None, share) if isinstance(share, str) else Figure(share)

    @cached_property
    def payoffs(self) -> dict[str, tuple[Term, ...]]:
        """By agent, what is credited to it, a term for each payoff."""
        return {agent: credited(agent, self.task).below for agent in self.task.agents}

    @cached_property
    def scale(self) -> Figure:
        """M = max_i (max_x r_i − min_x r_i); agents who might range farthest come first, until none can exceed it."""
        widest = Figure(0.0)
        try:
            with self.solver.within(SOON):
                reach = {agent: self.solver.reach(payoff_of(agent)) for agent in self.task.agents}
                for agent in sorted(reach, key=lambda a: -reach[a]):
                    if widest.value is None or reach[agent] <= widest.value:
                        break
                    ends = self.solver.maximise(payoff_of(agent)), self.solver.minimise(payoff_of(agent))
                    found = gap(*(proven(end, f"the range of `{agent}`'s payoff") for end in ends))
                    widest = max(widest, found, key=lambda each: inf if each.value is None else each.value)
        except NotLowered as fault:
            return Figure(None, str(fault))
        return widest

    def stakes(self, coalition: Coalition) -> Stakes:
        """What a coalition can have here."""
        return self._stakes.setdefault(coalition, Stakes(self.solver, coalition, self.optimum, self.minimum))


def proven(optimum: Optimum, what: str) -> Figure:
    """The value of an optimum that is one."""
    if optimum.status == "infeasible":
        return Figure(None, "no assignment satisfies the hard requirements")
    return Figure(optimum.proven, f"{what} is not proven: {NOT_PROVEN}" if optimum.proven is None else "")


def difference(one: Figure, other: Figure) -> Figure:
    """`one − other`; null where one of them is."""
    return Figure.of(sub, one, other)


def gap(one: Figure, other: Figure) -> Figure:
    """`one − other` without noise."""
    return Figure.of(lambda a, b: rounded(a - b, a), one, other)


def share(part: Figure, whole: Figure, nothing: str) -> Figure:
    """`part / whole`; null, for the reason given, where the whole is 0."""
    if part.value is None or whole.value is None:
        return part if part.value is None else whole
    return Figure(part.value / whole.value) if whole.value > 0 else Figure(None, nothing)


# ---- the moves of agents --------------------------------------------------------------------------------------------


MOST_ALTERNATIVES = 20_000  # joint moves of one agent that are enumerated; past it the integer program decides
NEVER = np.zeros(())
UNMOVED = "no own decision can change its payoff"


class JointMoves:
    """An agent's joint moves in a run, the others at their decisions: arrays with an axis for each of its variables."""

    def __init__(self, instance: SolvedTask, agent: str, assignment: Mapping[str, Value]) -> None:
        self.instance, self.agent, self.assignment = instance, agent, assignment
        self.own = instance.task.owned[agent]
        self.names = {v.name for v in self.own}
        free = {v.name for v in self.own if len(v.domain) > 1}
        self.moving = [part for part in instance.payoffs[agent] if part.scope & free]
        self.rules = tuple(r for r in instance.task.requirements if r.condition.scope & self.names)
        """What the agent's own decisions take part in, hard and soft."""
        self.shape = [len(v.domain) for v in self.own]

    @cached_property
    def worth(self) -> Floats:
        """The part of r_i that the moves can change."""
        return sum((self.ends(part, self.assignment)[0] for part in self.moving), np.zeros(self.shape))

    @cached_property
    def holds(self) -> list[Mask]:
        """Where each of the rules holds."""
        return [self.ends(rule.condition, self.assignment)[0] > 0 for rule in self.rules]

    @cached_property
    def kept(self) -> Mask:
        """The moves that break no hard rule that the agent takes part in."""
        held = [holds for rule, holds in zip(self.rules, self.holds, strict=True) if rule.hard]
        return reduce(np.logical_and, held, np.ones(self.shape, dtype=np.bool_))

    def regret(self, allowed: Mask) -> Figure:
        """What the best of these moves gains over the realised one, if it does."""
        here = float(self.worth[tuple(v.domain.index(self.assignment[v.name]) for v in self.own)])
        return Figure(rounded(float(self.worth[allowed].max(initial=here)) - here, here))

    def missed(self, rule: Requirement, holds: Mask, known: Collection[str]) -> Floats:
        """By how much each move makes every completion of the known decisions miss a rule at least.

        In units of its excess with `per unit`, or by the least that counts where these are not known; else 1.
        """
        possible = np.asarray(holds.all() or self.ends(rule.condition, known)[1] > 0)
        if rule.excess is None or possible.all():
            return np.where(possible, 0.0, 1.0)
        least = self.ends(rule.excess, known)[0]
        return np.where(possible, 0.0, np.maximum(least, 2.0 * ROUNDING))

    def ends(self, term: Term, known: Collection[str]) -> tuple[Floats, Floats]:
        """The least and the greatest value of a term after each move, whatever the open decisions will be, with axes of
        length 1 for variables that do not change it.

        Exact for as many outcomes as moves may be, and for sums and orders of parts that share no open decision; else
        they may lie farther out.
        """
        table = self.instance.solver.elimination.factors.table_of(term)
        if table is None:
            return self._bounds(term, known)
        left = [name for name in table.places if name in self.names or name not in known]
        entries, open_ = table.at(self.assignment, left), tuple(a for a, n in enumerate(left) if n not in self.names)
        low, high = (entries.min(axis=open_), entries.max(axis=open_)) if open_ else (entries, entries)
        moved = [name for name in left if name in self.names]
        if not moved:
            return np.asarray(low), np.asarray(high)
        axes = [len(v.domain) if v.name in moved else 1 for v in self.own]
        return table.spread(low, moved).reshape(axes), table.spread(high, moved).reshape(axes)

    def _bounds(self, term: Term, known: Collection[str]) -> tuple[Floats, Floats]:
        """The same for a term that has no table."""
        left = [name for name in term.distinguished if not (name in known or name in self.names)]
        _, open_ = represented(term, [self.instance.task.variable[name] for name in left])
        own = [v for v in self.own if v.name in term.scope]
        if not open_ or prod(len(v.domain) for v in (*own, *open_)) <= MOST_ALTERNATIVES:
            axes = [len(v.domain) if v.name in term.scope else 1 for v in self.own] if own else []
            values = worths(term, [*own, *open_], given=self.assignment).reshape([*axes, -1])
            return values.min(axis=-1), values.max(axis=-1)
        if not isinstance(term, Arithmetic | Compare | Every | Extremum | Some | Total):
            return np.array(-inf), np.array(inf)
        lows, highs = zip(*(self.ends(part, known) for part in term.below), strict=True)
        match term:
            case Total():
                return sum(lows, np.zeros(())), sum(highs, np.zeros(()))
            case Arithmetic(operator="+"):
                return lows[0] + lows[1], highs[0] + highs[1]
            case Arithmetic(operator="-"):
                return lows[0] - highs[1], highs[0] - lows[1]
            case Extremum(which="max", parts=parts) if all((low > 0).all() for low in lows[len(parts) :]):
                return reduce(np.maximum, lows[: len(parts)]), reduce(np.maximum, highs[: len(parts)])
            case Compare(operator="<=" | "<" | ">=" | ">" as operator):
                one, other = (0, 1) if operator.startswith("<") else (1, 0)
                return NEVER, (np.less_equal if operator.endswith("=") else np.less)(lows[one], highs[other])
            case Compare(operator="==", left=Total()):  # which is never none
                return NEVER, (lows[0] <= highs[1]) & (lows[1] <= highs[0])
            case Every() | Some():
                return NEVER, reduce(np.minimum if isinstance(term, Every) else np.maximum, highs)
        return np.array(-inf), np.array(inf)


def best_response_regret(options: JointMoves, *, enumerated: int = MOST_ALTERNATIVES) -> Figure:
    """δ_i = `max_{y_i} r_i(y_i ⊕ x̃_{−i}) − r_i(x̃)` over all of the agent's variables jointly, hard rules kept.

    Up to `enumerated` joint moves are gone through; more are left to the integer program, which knows no move where
    others have broken a hard rule among themselves.
    """
    if not options.moving:
        return Figure(None, UNMOVED)
    if hard_broken(options.rules, options.assignment):
        return Figure(None, "own decisions take part in breaking a hard requirement")
    if prod(options.shape) > enumerated:
        return goal_regret(options.instance, payoff_of(options.agent), options.agent, options.assignment)
    return options.regret(options.kept)


def goal_regret(instance: SolvedTask, goal: Goal, agent: str, assignment: Mapping[str, Value]) -> Figure:
    """How much an objective could gain by the agent's own decisions alone, hard rules kept."""
    if hard_broken(instance.task.requirements, assignment):
        return Figure(None, BROKEN)
    own = {v.name for v in instance.task.owned[agent]}
    here = Figure(goal_value(instance.task, goal, assignment))
    fixed = {name: value for name, value in assignment.items() if name not in own}
    try:
        best = instance.solver.maximise(goal, fixed=fixed)
    except NotLowered as fault:
        return Figure(None, str(fault))
    return gap(proven(best, "the best response"), here)


def sequential_regret(of: JointMoves, order: Sequence[str] | None) -> Figure:
    """δ_i with alternatives restricted to the realised move and those that break no rule, hard or soft, against
    decisions taken earlier in turn order; later decisions stay fixed.

    A move breaks a rule when it makes every completion miss it by more than some other move of its own would: what
    earlier decisions broke already is not held against it, but adding to a `per unit` excess is.
    """
    if order is None:
        return Figure(None, "no turn order is given")
    if of.agent not in order:
        return Figure(None, "it has no turn")
    if not of.moving:
        return Figure(None, UNMOVED)
    if prod(of.shape) > MOST_ALTERNATIVES:
        return Figure(None, f"the agent has more than {MOST_ALTERNATIVES:,} joint moves")
    heard = order[: order.index(of.agent) + 1]
    known, allowed = {v.name for v in of.instance.task.variables if v.owner in heard}, of.kept
    for rule, holds in zip(of.rules, of.holds, strict=True):
        if of.instance.solver.late:
            return Figure(None, NOT_PROVEN)
        missed = of.missed(rule, holds, known)
        allowed = allowed & (missed <= missed.min() + ROUNDING)
    return of.regret(allowed)
