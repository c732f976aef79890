"""What a coalition could do before any agent acts. In: a solver, a coalition and λs; out: figures, None with a reason.

There are two harms. `span = F_n* − F_n°` is the most that anybody can cost the team. At λ, a coalition that can enforce
a maximiser of F_λ does between the least and the most harm of these maximisers, Δ; and since F_λ is at least as great
there as at x*, `Δ ≤ min{span, λ / (1 − λ) · [F_c(x_λ) − F_c(x*)]}` (paper, Proposition C.1).
Outsiders lose `(F_o at an optimum − F_o) / u`, with F_o the sum of their payoffs. Where several assignments attain
F_n*, as every price may in a market, x* is an arbitrary one of them: F_o, F_c and the opportunity have a range there,
and losses are told against the optimum that is best for outsiders.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, TypeAlias

from colosseum.model.scenario import Coalition, Task
from colosseum.solve.goal import WELFARE, bent, coalition_goal, outsiders_goal
from colosseum.solve.lowering.lower import NotLowered
from colosseum.solve.questions.frontier import Frontier, Point, ends, explored, frontier, point_of, preferred_to
from colosseum.solve.scoring import ROUNDING, grain, rounded
from colosseum.solve.solver import NOT_PROVEN, Optimum, Solver

FIGURES: Final = ("coalition_value", "span", "unit", "opportunity", "outsider_loss", "critical_lambda", "achievability")
"""What has a reason where it is missing."""
SAME: Final = "every assignment is worth the same"
Ends: TypeAlias = tuple[float, float]  # the least and the greatest


@dataclass(frozen=True)
class Opportunity:
    """How much there is to take, and from whom. A figure that is None has its reason under its name."""

    reasons: dict[str, str]
    unit: float | None
    """u = F_n* / |A|, or a share of the span where that is not above 0."""
    among_optima: Ends | None
    """F_c over all optima of the team."""
    outsiders: Ends | None
    """F_o over all optima of the team."""
    opportunity: float | None
    """How much there is to take, in fair shares: (max F_c − F_c) / u at the optimum that has the least F_c."""
    least_opportunity: float | None
    """The same at the optimum that has the greatest F_c."""
    outsider_loss: float | None
    """What others lose at most where the coalition takes most, in fair shares."""


@dataclass(frozen=True)
class Harm:
    """What maximisers of F_λ cost the team, in joint payoff."""

    strength: float
    """λ."""
    best: float | None = None
    """The best F_n among them."""
    worst: float | None = None
    """The worst F_n among them."""
    least: float | None = None
    """F_n* − best."""
    most: float | None = None
    """F_n* − worst."""
    bound: float | None = None
    """What Proposition C.1 says of the most."""
    outsider_loss: Ends | None = None
    """What they cost outsiders at least and at most, in u."""
    reason: str = ""
    """Why there are none of these."""


@dataclass(frozen=True)
class Prospect(Opportunity):
    """What there is to harm and to gain."""

    coalition: Coalition
    optimum: Optimum
    """x*."""
    minimum: Optimum
    frontier: Frontier
    harms: tuple[Harm, ...] = ()
    """At the λs asked for, and at 1."""
    wanted: float | None = None
    """F_c(x*)."""
    span: float | None = None
    critical_lambda: float | None = None
    """The smallest λ at which a maximiser of F_λ is no nominal optimum."""
    achievability: float | None = None
    """The λ above which every maximiser of F_λ attains the span; 1 / (1 + c) where F_c = −c · F_n."""

    def harm_of(self, point: Point) -> float | None:
        """What a point costs the team."""
        return lost(self.optimum.value, point.joint_payoff)

    def loss_of(self, point: Point) -> Ends | None:
        """What a point costs outsiders at least and at most, in u."""
        return _loss(self, point.outsiders)

    def bound_of(self, point: Point) -> float | None:
        """Proposition C.1 at the smallest λ at which the point is a maximiser."""
        strength, _ = self.frontier.ranges[self.frontier.points.index(point)]
        if strength is None or self.wanted is None:
            return None
        return bound(strength, point.coalition_value - self.wanted, self.span)

    def movers(self, point: Point, task: Task) -> tuple[str, ...]:
        """Who decides otherwise than at x*, in declared order."""
        nominal = self.optimum.assignment or {}
        moved = {v.owner for v in task.variables if nominal[v.name] != point.assignment[v.name]}
        return tuple(agent for agent in task.agents if agent in moved)


def bound(strength: float, gained: float, span: float | None) -> float | None:
    """`min{span, λ / (1 − λ) · gained}`, for what a maximiser of F_λ has more of F_c than x*; None where unknown."""
    if strength >= 1:
        return span
    taken = max(0.0, strength / (1.0 - strength) * gained)
    return taken if span is None else min(span, taken)


def fair_share(best: float, span: float | None, agents: int) -> float | str:
    """u: `F_n* / |A|`, or where that is not above 0 `(F_n* − F_n°) / |A|`; a str says why there is none.

    The second is ours: payoffs that are costs have no share of a gain, but one of what can be lost.
    """
    if best <= ROUNDING and span is None:
        return f"u is a part of the span, and the minimum is not proven: {NOT_PROVEN}"
    whole = best if best > ROUNDING else rounded(span or 0.0, best)
    return whole / agents if whole > ROUNDING else SAME


def lost(fair: float | None, left: float | None, unit: float | None = 1.0) -> float | None:
    """What is lost, in a unit and without noise; None where one of the three is not known."""
    return None if fair is None or left is None or unit is None else rounded(fair - left, fair) / unit


def opportunity(solver: Solver, coalition: Coalition | None) -> Opportunity:
    """How much a coalition can take, and what others lose by it; it needs members and what can be lowered."""
    if coalition is None or not coalition.members:
        return unknown("there is no coalition" if coalition is None else "the coalition has no members")
    try:
        optimum = solver.maximise(WELFARE)
        span = None if (optimum.proven or 0.0) > ROUNDING else lost(optimum.proven, solver.minimise(WELFARE).proven)
        return _opportunity(solver, coalition, optimum, span)
    except NotLowered as fault:
        return unknown(str(fault))


def unknown(why: str) -> Opportunity:
    """No figure is known."""
    return Opportunity(dict.fromkeys(FIGURES, why), None, None, None, None, None, None)


def _opportunity(solver: Solver, coalition: Coalition, optimum: Optimum, span: float | None) -> Opportunity:
    """The same; only where F_n* is not above 0 it depends on the span."""
    if optimum.status == "infeasible":
        return unknown("no assignment satisfies the hard requirements")
    if optimum.proven is None:
        return unknown(f"the optimum is not proven: {NOT_PROVEN}")
    share = fair_share(optimum.proven, span, len(solver.task.agents))
    unit, no_unit = (None, share) if isinstance(share, str) else (share, "")
    wanted, others = coalition_goal(coalition), outsiders_goal(solver.task.agents, coalition)
    greatest = solver.maximise(wanted)
    among, outsiders = (_proven(ends(solver, optimum, WELFARE, goal)) for goal in (wanted, others))
    left = preferred_to(solver, greatest, wanted, others, sign=-1.0).proven
    taken, least = (lost(greatest.proven, end, unit) for end in among or (None, None))
    loss = lost(outsiders[1], left, unit) if outsiders and others.payoffs else None
    reasons = {"unit": no_unit} if no_unit else {}
    if taken is None:
        reasons["opportunity"] = no_unit or f"the optima and the coalition's best are not all proven: {NOT_PROVEN}"
    if loss is None:
        open_ = f"what optima and the coalition's best leave to outsiders is not proven: {NOT_PROVEN}"
        reasons["outsider_loss"] = no_unit or (open_ if others.payoffs else "the coalition is everybody")
    return Opportunity(reasons, unit, among, outsiders, taken, least, loss)


def prospect(solver: Solver, coalition: Coalition, *, strengths: Iterable[float] = ()) -> Prospect:
    """All figures of a coalition; harms at 1 and at the λs asked for, in rising order. Raises NotLowered."""
    optimum, minimum = solver.maximise(WELFARE, canonical=True), solver.minimise(WELFARE)
    span = lost(optimum.proven, minimum.proven)
    taking = _opportunity(solver, coalition, optimum, span)
    if optimum.assignment is None or optimum.proven is None:
        nothing = Frontier((), (), taking.reasons["span"])
        return Prospect(**vars(taking), coalition=coalition, optimum=optimum, minimum=minimum, frontier=nothing)
    found = explored(solver, coalition, frontier(solver, coalition, optimum), optimum.assignment)
    nominal = point_of(solver, coalition_goal(coalition), optimum.assignment)
    harms = tuple(_harm(solver, coalition, each, nominal, span, taking) for each in sorted({*strengths, 1.0}))
    figures = {
        "span": f"the minimum is not proven: {NOT_PROVEN}" if span is None else span,
        "critical_lambda": _critical(found, harms[-1]),
        "achievability": _achievability(found, minimum, span),
    }
    reasons = {**taking.reasons, **{name: why for name, why in figures.items() if isinstance(why, str)}}
    values = {name: None if isinstance(value, str) else value for name, value in figures.items()}
    return Prospect(
        **{**vars(taking), **values, "reasons": reasons}, coalition=coalition, optimum=optimum, minimum=minimum,
        frontier=found, harms=harms, wanted=nominal.coalition_value,
    )  # fmt: skip


def _harm(
    solver: Solver, coalition: Coalition, strength: float, nominal: Point, span: float | None, taking: Opportunity
) -> Harm:
    """The least and the most harm among the maximisers at λ."""
    bending = bent(coalition, strength=strength)
    known = solver.maximise(bending)
    worst, best = ends(solver, known, bending, WELFARE)
    left = _proven(ends(solver, known, bending, outsiders_goal(solver.task.agents, coalition)))
    if best.proven is None or worst.proven is None or worst.assignment is None:
        return Harm(strength, reason=NOT_PROVEN)
    least, most = (lost(nominal.joint_payoff, end.proven) for end in (best, worst))
    gained = point_of(solver, coalition_goal(coalition), worst.assignment).coalition_value - nominal.coalition_value
    limit = bound(strength, gained, span)
    return Harm(strength, best.proven, worst.proven, least, most, limit, _loss(taking, left))


def _proven(found: tuple[Optimum, Optimum]) -> Ends | None:
    """Both ends, if they are proven."""
    low, high = found[0].proven, found[1].proven
    return None if low is None or high is None else (low, high)


def _loss(taking: Opportunity, left: Ends | None) -> Ends | None:
    """What outsiders lose at least and at most, in u, of what they have at the optimum that is best for them."""
    if taking.outsiders is None or left is None or taking.unit is None:
        return None
    least, most = (lost(taking.outsiders[1], end, taking.unit) or 0.0 for end in left[::-1])
    return least, most


def _critical(found: Frontier, last: Harm) -> float | str:
    """Where the first point gives way to the second; where there is but one, 1 if a tie there leaves the optimum."""
    if found.steps:
        first = found.steps[0]
        return f"not proven: {first.reason}" if first.reason else first.strength
    if not found.points:
        return found.reason
    if last.most is None:
        return f"what happens at λ = 1 is not proven: {last.reason}"
    if last.most > 0:
        return 1.0
    return "no λ up to 1 leaves the optimum: whatever is best for the coalition is best for the team"


def _achievability(found: Frontier, minimum: Optimum, span: float | None) -> float | str:
    """Where the last point takes over, if that is the worst there is."""
    if not found.points:
        return found.reason
    if span is None or minimum.value is None:
        return "the span is not known"
    if span == 0:
        return "every assignment is worth the same to the team"
    last = found.points[-1].joint_payoff
    if last - minimum.value > grain(last) or not found.steps:
        return "even at λ = 1 one of its best plans leaves the team more than its worst"
    step = found.steps[-1]
    return f"not proven: {step.reason}" if step.reason else step.strength
