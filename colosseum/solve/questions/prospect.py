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
from colosseum.solve.questions.frontier import Frontier, Point, explored, frontier, point_of
from colosseum.solve.questions.preferred import ends, least_of
from colosseum.solve.rounding import ROUNDING, grain, rounded
from colosseum.solve.solver import NOT_PROVEN, Optimum, Solver

FIGURES: Final = (
    "coalition_value", "span", "unit", "opportunity", "outsider_loss", "critical_lambda", "achievability"
)  # fmt: skip
"""What has a reason where it is missing."""
SAME: Final = "every assignment is worth the same"
Ends: TypeAlias = tuple[float, float]
"""The least and the greatest."""
Opportunity: TypeAlias = tuple[float | None, str]
"""In fair shares, or None and why."""


@dataclass(frozen=True)
class Harm:
    """What maximisers of F_λ cost the team, in joint payoff."""

    strength: float
    """λ."""
    best: float | None
    """The best F_n among them."""
    worst: float | None
    """The worst F_n among them."""
    least: float | None
    """F_n* − best."""
    most: float | None
    """F_n* − worst."""
    bound: float | None
    """What Proposition C.1 says of the most."""
    outsider_loss: Ends | None
    """What they cost outsiders at least and at most, in u."""
    reason: str = ""
    """Why there are none of these."""


@dataclass(frozen=True)
class Prospect:
    """What there is to harm and to gain. A figure that is None has its reason under its name."""

    coalition: Coalition
    optimum: Optimum
    """x*."""
    minimum: Optimum
    frontier: Frontier
    harms: tuple[Harm, ...]
    """At the λs asked for, and at 1."""
    reasons: dict[str, str]
    wanted: float | None = None
    """F_c(x*)."""
    among_optima: Ends | None = None
    """F_c over all optima of the team."""
    outsiders: Ends | None = None
    """F_o over all optima of the team."""
    span: float | None = None
    unit: float | None = None
    """u = F_n* / |A|, or a share of the span where that is not above 0."""
    opportunity: float | None = None
    """How much there is to take, in fair shares: (max F_c − F_c) / u at the optimum that has the least F_c."""
    least_opportunity: float | None = None
    """The same at the optimum that has the greatest F_c."""
    critical_lambda: float | None = None
    """The smallest λ at which a maximiser of F_λ is no nominal optimum."""
    achievability: float | None = None
    """The λ above which every maximiser of F_λ attains the span; 1 / (1 + c) where F_c = −c · F_n."""

    def harm_of(self, point: Point) -> float | None:
        """What a point costs the team."""
        best = self.optimum.value
        return None if best is None else rounded(best - point.joint_payoff, best)

    def loss_of(self, point: Point) -> Ends | None:
        """What a point costs outsiders at least and at most, in u."""
        return _loss(self.outsiders, point.outsiders, self.unit)

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


def opportunity(solver: Solver, coalition: Coalition | None) -> Opportunity:
    """How much a coalition can take, in fair shares, as a prospect says; None and why.

    It is not known without members, without a proof of all optima, or where every assignment is worth the same.
    """
    if coalition is None or not coalition.members:
        return None, "there is no coalition" if coalition is None else "the coalition has no members"
    wanted = coalition_goal(coalition)
    optimum = solver.maximise(WELFARE)
    if optimum.proven is None:
        return None, _missing(optimum)
    try:
        most, least = solver.maximise(wanted).proven, least_of(solver, optimum, WELFARE, wanted).proven
    except NotLowered as fault:
        return None, str(fault)
    span = None if optimum.proven > ROUNDING else span_of(solver, optimum.proven)
    if most is None or least is None:
        return None, f"the most that the coalition can have is not proven: {NOT_PROVEN}"
    unit = fair_share(optimum.proven, span, len(solver.task.agents))
    return (None, unit) if isinstance(unit, str) else (rounded(most - least, most) / unit, "")


def span_of(solver: Solver, best: float) -> float | None:
    """`F_n* − F_n°`; None where it is not proven."""
    worst = solver.minimise(WELFARE).proven
    return None if worst is None else rounded(best - worst, best)


def prospect(
    solver: Solver, coalition: Coalition, *, strengths: Iterable[float] = (), known: Optimum | None = None
) -> Prospect:
    """All figures of a coalition; harms at 1 and at the λs asked for, in rising order. `known` is x*.

    Raises NotLowered.
    """
    optimum, minimum = known or solver.maximise(WELFARE, canonical=True), solver.minimise(WELFARE)
    if optimum.proven is None or optimum.assignment is None:
        reason = _missing(optimum)
        return Prospect(coalition, optimum, minimum, Frontier((), (), reason), (), dict.fromkeys(FIGURES, reason))
    best, x, wanted = optimum.proven, optimum.assignment, coalition_goal(coalition)
    reasons: dict[str, str] = {}
    span = None if minimum.proven is None else rounded(best - minimum.proven, best)
    reasons["span"] = "" if span is not None else f"the minimum is not proven: {NOT_PROVEN}"
    share = fair_share(best, span, len(solver.task.agents))
    unit, reasons["unit"] = (None, share) if isinstance(share, str) else (share, "")
    found = explored(solver, coalition, frontier(solver, coalition, optimum), x)
    nominal = point_of(solver, wanted, x)
    outsiders = _values(ends(solver, optimum, WELFARE, outsiders_goal(solver.task.agents, coalition)))
    among = _values(ends(solver, optimum, WELFARE, wanted))
    rising = sorted({*strengths, 1.0})
    harms = tuple(_harm(solver, coalition, strength, nominal, span, outsiders, unit) for strength in rising)
    critical, reasons["critical_lambda"] = _critical(found, harms[-1])
    achievability, reasons["achievability"] = _achievability(found, minimum, span)
    taken: tuple[float | None, float | None] = None, None
    if found.points and unit is not None and among is not None:
        most = found.points[-1].coalition_value
        taken = rounded(most - among[0], most) / unit, rounded(most - among[1], most) / unit
    else:
        reasons["opportunity"] = found.reason or reasons["unit"] or f"the optima are not all known: {NOT_PROVEN}"
    if outsiders is None or unit is None:
        reasons["outsider_loss"] = reasons["unit"] or f"what the optima leave to outsiders is not proven: {NOT_PROVEN}"
    return Prospect(
        coalition=coalition,
        optimum=optimum,
        minimum=minimum,
        frontier=found,
        harms=harms,
        wanted=nominal.coalition_value,
        among_optima=among,
        outsiders=outsiders,
        span=span,
        unit=unit,
        opportunity=taken[0],
        least_opportunity=taken[1],
        critical_lambda=critical,
        achievability=achievability,
        reasons={name: reason for name, reason in reasons.items() if reason},
    )


def _missing(optimum: Optimum) -> str:
    """Why there is no x*."""
    if optimum.status == "infeasible":
        return "no assignment satisfies the hard requirements"
    return f"the optimum is not proven: {NOT_PROVEN}"


def _harm(
    solver: Solver, coalition: Coalition, strength: float, nominal: Point, span: float | None, fair: Ends | None,
    unit: float | None,
) -> Harm:  # fmt: skip
    """The least and the most harm among the maximisers at λ."""
    bending = bent(coalition, strength=strength)
    known = solver.maximise(bending)
    worst, best = ends(solver, known, bending, WELFARE)
    left = _values(ends(solver, known, bending, outsiders_goal(solver.task.agents, coalition)))
    if (values := _values((worst, best))) is None or worst.assignment is None:
        return Harm(strength, None, None, None, None, None, None, NOT_PROVEN)
    least, most = (rounded(nominal.joint_payoff - value, nominal.joint_payoff) for value in reversed(values))
    gained = point_of(solver, coalition_goal(coalition), worst.assignment).coalition_value - nominal.coalition_value
    limit = bound(strength, gained, span)
    return Harm(strength, values[1], values[0], least, most, limit, _loss(fair, left, unit))


def _values(found: tuple[Optimum, Optimum]) -> Ends | None:
    """Both ends, if they are proven."""
    low, high = found[0].proven, found[1].proven
    return None if low is None or high is None else (low, high)


def _loss(fair: Ends | None, left: Ends | None, unit: float | None) -> Ends | None:
    """What outsiders lose at least and at most, in u, of what they have at the optimum that is best for them."""
    if fair is None or left is None or unit is None:
        return None
    least, most = (rounded(fair[1] - value, fair[1]) / unit for value in reversed(left))
    return least, most


def _critical(found: Frontier, last: Harm) -> tuple[float | None, str]:
    """Where the first point gives way to the second; where there is but one, 1 if a tie there leaves the optimum."""
    if found.steps:
        first = found.steps[0]
        return (None, f"not proven: {first.reason}") if first.reason else (first.strength, "")
    if not found.points:
        return None, found.reason
    if last.most is None:
        return None, f"what happens at λ = 1 is not proven: {last.reason}"
    if last.most > 0:
        return 1.0, ""
    return None, "no λ up to 1 leaves the optimum: whatever is best for the coalition is best for the team"


def _achievability(found: Frontier, minimum: Optimum, span: float | None) -> tuple[float | None, str]:
    """Where the last point takes over, if that is the worst there is."""
    if not found.points:
        return None, found.reason
    if span is None or minimum.value is None:
        return None, "the span is not known"
    if span == 0:
        return None, "every assignment is worth the same to the team"
    last = found.points[-1].joint_payoff
    if last - minimum.value > grain(last) or not found.steps:
        return None, "even at λ = 1 some best plan does less harm than the span"
    step = found.steps[-1]
    return (None, f"not proven: {step.reason}") if step.reason else (step.strength, "")
