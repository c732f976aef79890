"""What a coalition could do before any agent acts. In: a solver, a coalition and λs; out: figures, None with a reason.

`span = F_n* − F_n°` is the most harm that anybody can do. At λ, a coalition that can enforce a maximiser of F_λ does
between the least and the most harm of these maximisers, Δ; and since F_λ is at least as great there as at x*,
`Δ ≤ min{span, λ / (1 − λ) · [F_c(x_λ) − F_c(x*)]}` (paper, Proposition C.1).
"""

from collections.abc import Iterable
from dataclasses import dataclass

from colosseum.model.scenario import Coalition, Task
from colosseum.solve.goal import WELFARE, bent, coalition_goal
from colosseum.solve.questions.frontier import (
    Frontier,
    Point,
    frontier,
    nearest,
    point_of,
)
from colosseum.solve.questions.opportunity import SAME, fair_share, in_shares
from colosseum.solve.questions.preferred import negated, preferred_to
from colosseum.solve.rounding import grain, rounded
from colosseum.solve.solver import NOT_PROVEN, Optimum, Solver


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
    wanted: float | None
    """F_c(x*)."""
    span: float | None
    unit: float | None
    """u = F_n* / |A|, or a share of the span where that is not above 0."""
    opportunity: float | None
    """(max F_c − F_c(x*)) / u: how much there is to take, in fair shares."""
    critical_lambda: float | None
    """The smallest λ at which a maximiser of F_λ is no nominal optimum."""
    achievability: float | None
    """The λ above which every maximiser of F_λ attains the span; 1 / (1 + c) where F_c = −c · F_n."""
    reasons: dict[str, str]

    def harm_of(self, point: Point) -> float | None:
        """What a point costs the team."""
        best = self.optimum.value
        return None if best is None else rounded(best - point.joint_payoff, best)

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


def prospect(solver: Solver, coalition: Coalition, *, strengths: Iterable[float] = ()) -> Prospect:
    """All figures of a coalition; harms at 1 and at the λs asked for, in rising order. Raises NotLowered."""
    optimum, minimum = solver.maximise(WELFARE, canonical=True), solver.minimise(WELFARE)
    reasons: dict[str, str] = {}
    if optimum.status != "optimal" or optimum.assignment is None or optimum.value is None:
        return _unknown(coalition, optimum, minimum)
    best, x = optimum.value, optimum.assignment
    span = None
    if minimum.status == "optimal" and minimum.value is not None:
        span = rounded(best - minimum.value, best)
    else:
        reasons["span"] = f"the minimum is not proven: {NOT_PROVEN}"
    found = nearest(solver, coalition, frontier(solver, coalition, optimum), x)
    nominal = point_of(solver, coalition_goal(coalition), x)
    harms = tuple(_harm(solver, coalition, s, nominal=nominal, span=span) for s in sorted({*strengths, 1.0}))
    unit = fair_share(best, span or 0.0, len(solver.task.agents))
    reasons["unit"] = "" if unit is not None else SAME if span is not None else reasons["span"]
    critical, reasons["critical_lambda"] = _critical(found, harms[-1])
    achievability, reasons["achievability"] = _achievability(found, minimum, span)
    opportunity, reasons["opportunity"] = _opportunity(found, nominal.coalition_value, unit, reasons["unit"])
    return Prospect(
        coalition=coalition,
        optimum=optimum,
        minimum=minimum,
        frontier=found,
        harms=harms,
        wanted=nominal.coalition_value,
        span=span,
        unit=unit,
        opportunity=opportunity,
        critical_lambda=critical,
        achievability=achievability,
        reasons={name: reason for name, reason in reasons.items() if reason},
    )


def _unknown(coalition: Coalition, optimum: Optimum, minimum: Optimum) -> Prospect:
    """Nothing is known without x*."""
    reason = f"the optimum is not proven: {NOT_PROVEN}"
    if optimum.status == "infeasible":
        reason = "no assignment satisfies the hard requirements"
    names = ("coalition_value", "span", "unit", "opportunity", "critical_lambda", "achievability")
    nothing, reasons = Frontier((), (), reason), dict.fromkeys(names, reason)
    return Prospect(coalition, optimum, minimum, nothing, (), None, None, None, None, None, None, reasons)


def _harm(solver: Solver, coalition: Coalition, strength: float, *, nominal: Point, span: float | None) -> Harm:
    """The least and the most harm among the maximisers at λ."""
    bending = bent(coalition, strength=strength)
    known = solver.maximise(bending)
    ends: list[Point] = []
    for liked in (WELFARE, negated(WELFARE)):
        end = preferred_to(solver, known, bending, liked)
        if end.status != "optimal" or end.assignment is None:
            return Harm(strength, None, None, None, None, None, NOT_PROVEN)
        ends.append(point_of(solver, coalition_goal(coalition), end.assignment))
    best, worst = (end.joint_payoff for end in ends)
    least, most = (rounded(nominal.joint_payoff - value, nominal.joint_payoff) for value in (best, worst))
    gained = ends[1].coalition_value - nominal.coalition_value
    return Harm(strength, best, worst, least, most, bound(strength, gained, span))


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


def _opportunity(found: Frontier, here: float, unit: float | None, why: str) -> tuple[float | None, str]:
    """In units of u; `why` there is none."""
    if not found.points or unit is None:
        return None, found.reason or why
    shares = in_shares(found.points[-1].coalition_value, here, unit)
    return shares.value, shares.reason
