"""What a coalition can gain at the team's cost. In: a solver and a coalition; out: the supported Pareto points of joint
payoff F_n and the coalition's objective F_c, and the λ at which maximisers of F_λ go from one to the next.

Dichotomic search (Aneja and Nair 1979): at the weights at which two neighbours are worth the same, a maximiser is a
point between them that beats both, or it proves that there is none. Both ends are lexicographic.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TypeAlias

from colosseum.model.scenario import Coalition
from colosseum.model.terms import NOTHING, ONE, Compare, Conditional, Constant, Decision, Member, Term
from colosseum.model.values import Elements, Value
from colosseum.solve.goal import WELFARE, Goal, bent, coalition_goal, mixed, outsiders_goal
from colosseum.solve.scoring import ROUNDING, goal_worth, grain, score
from colosseum.solve.solver import NOT_PROVEN, Optimum, Solver

OPENING = 8.0  # how much more the first goal counts to begin with, both measured by how far they may reach
STEEPER = 10.0  # how much more the first goal counts than where two points tie: the more, the fewer steps
MOST_STEPS = 100  # mixtures that are tried before the question is left open; one or two do as a rule

Margins: TypeAlias = tuple[float, float]  # what counts as equal in F_n, and in F_c, by a frontier's greatest values


@dataclass(frozen=True)
class Point:
    """An assignment that is best for some weighing of the two objectives."""

    joint_payoff: float
    """F_n."""
    coalition_value: float
    """F_c."""
    assignment: Mapping[str, Value]
    outsiders: tuple[float, float] | None = None
    """The least and the greatest F_o of assignments with this F_n and F_c; None where that is not proven."""


@dataclass(frozen=True)
class FrontierStep:
    """From one point to the next."""

    left: Point
    right: Point
    """With less F_n and more F_c."""
    reason: str = ""
    """Why more points may lie between the two; empty where it is proven that none does."""

    @property
    def strength(self) -> float:
        """The λ at which F_λ is the same at both; where nothing lies between, maximisers change here."""
        paid = self.left.joint_payoff - self.right.joint_payoff
        return paid / (paid + self.right.coalition_value - self.left.coalition_value)

    def apart(self, margins: Margins) -> bool:
        """Whether the ends differ in both objectives."""
        paid = self.left.joint_payoff - self.right.joint_payoff
        return paid > margins[0] and self.right.coalition_value - self.left.coalition_value > margins[1]

    def beaten_by(self, found: Point, margins: Margins) -> bool:
        """Whether a point lies above the line between the two: by more than twice what a solver may be off."""
        strength = self.strength
        gained = (1.0 - strength) * (found.joint_payoff - self.left.joint_payoff)
        gained += strength * (found.coalition_value - self.left.coalition_value)
        return gained > 2.0 * ((1.0 - strength) * margins[0] + strength * margins[1])


@dataclass(frozen=True)
class Frontier:
    """The supported points of a coalition, but for those on the straight line between two others: it is chance which of
    these a solver meets.
    """

    points: tuple[Point, ...]
    """F_n falls and F_c rises. Empty where an end is not proven."""
    steps: tuple[FrontierStep, ...]
    """Between neighbours: one less than there are points."""
    reason: str = ""
    """Why there are no points."""

    @property
    def ranges(self) -> tuple[tuple[float | None, float | None], ...]:
        """From which λ to which each point is a maximiser of F_λ; None where that is not proven."""
        if not self.points:
            return ()
        cuts = [0.0, *(None if step.reason else step.strength for step in self.steps), 1.0]
        return tuple(pairwise(cuts))


def frontier(solver: Solver, coalition: Coalition, nominal: Optimum) -> Frontier:
    """All supported points of (F_n, F_c), hard rules kept; `nominal` is an optimum of F_n. Raises NotLowered."""
    wanted = coalition_goal(coalition)
    corners: list[Point] = []
    for first, second, what in ((WELFARE, wanted, "the optimum"), (wanted, WELFARE, "the coalition's best")):
        known = nominal if first is WELFARE else solver.maximise(first)
        end = preferred_to(solver, known, first, second)
        if end.status != "optimal" or end.assignment is None:
            return Frontier((), (), f"{what} is not proven: {NOT_PROVEN}")
        corners.append(point_of(solver, wanted, end.assignment))
    left, right = corners
    margins = grain(left.joint_payoff, right.joint_payoff), grain(left.coalition_value, right.coalition_value)
    if not (whole := FrontierStep(left, right)).apart(margins):
        return Frontier((left,), ())
    steps = _straightened(_between(solver, coalition, whole, margins), margins)
    return Frontier((left, *(step.right for step in steps)), tuple(steps))


def explored(solver: Solver, coalition: Coalition, found: Frontier, x: Mapping[str, Value]) -> Frontier:
    """The same points, each at an assignment that differs from x in as few decisions as possible (its own where that
    takes too long), and with what it leaves to outsiders at least and at most.
    """
    same, others, points = _kept(x), outsiders_goal(solver.task.agents, coalition), []
    cuts = [0.0, *(step.strength for step in found.steps), 1.0]
    for point, (low, high) in zip(found.points, pairwise(cuts), strict=False):
        best = Optimum("optimal", assignment=dict(point.assignment))
        bending = bent(coalition, strength=(low + high) / 2)
        moved = preferred_to(solver, best, bending, same)
        left = [point.joint_payoff - point.coalition_value] * 2
        if coalition.objectives:
            every = ends(solver, best, bending, others)
            left = [e.value for e in every if e.value is not None and _alike(solver, coalition, point, e)]
        chosen = moved.assignment if _alike(solver, coalition, point, moved) else None
        outsiders = (left[0], left[1]) if len(left) > 1 else None
        points.append(replace(point, assignment=chosen or point.assignment, outsiders=outsiders))
    steps = (replace(s, left=a, right=b) for s, (a, b) in zip(found.steps, pairwise(points), strict=True))
    return replace(found, points=tuple(points), steps=tuple(steps))


def _alike(solver: Solver, coalition: Coalition, point: Point, found: Optimum) -> bool:
    """Whether an optimum is proven and is the same point."""
    if found.status != "optimal" or found.assignment is None:
        return False
    other = point_of(solver, coalition_goal(coalition), found.assignment)
    pairs = (point.joint_payoff, other.joint_payoff), (point.coalition_value, other.coalition_value)
    return all(abs(one - two) <= 2.0 * grain(one) for one, two in pairs)


def _kept(x: Mapping[str, Value]) -> Goal:
    """How many decisions are as in x; of equal numbers, the one that keeps earlier decisions is worth a little more."""
    terms = list[tuple[Term, float]]()
    for place, (name, value) in enumerate(x.items(), start=1):  # a name cannot equal a number, but be among numbers
        among = Member(Decision(name), Constant(Elements((value,))))
        same = Compare("==", Decision(name), Constant(None)) if value is None else among
        terms.append((Conditional(same, ONE, NOTHING), 1.0 + 0.5**place))
    return Goal(terms=tuple(terms))


def _between(solver: Solver, coalition: Coalition, step: FrontierStep, margins: Margins) -> list[FrontierStep]:
    """The way from one end to the other, split as long as a point beats both ends of a step."""
    best = solver.maximise(bent(coalition, strength=step.strength))
    if best.status != "optimal" or best.assignment is None:
        return [replace(step, reason=NOT_PROVEN)]
    found = point_of(solver, coalition_goal(coalition), best.assignment)
    parts = FrontierStep(step.left, found), FrontierStep(found, step.right)
    if not (all(part.apart(margins) for part in parts) and step.beaten_by(found, margins)):
        return [step]
    return [each for part in parts for each in _between(solver, coalition, part, margins)]


def _straightened(steps: list[FrontierStep], margins: Margins) -> list[FrontierStep]:
    """The steps without points that lie on the line between their neighbours."""
    kept = steps[:1]
    for step in steps[1:]:
        joined = FrontierStep(kept[-1].left, step.right)
        if kept[-1].reason or step.reason or joined.beaten_by(step.left, margins):
            kept.append(step)
        else:
            kept[-1] = joined
    return kept


def point_of(solver: Solver, wanted: Goal, assignment: Mapping[str, Value]) -> Point:
    """The point of an assignment, recomputed in the model."""
    joint_payoff, coalition_value = worths_of(solver, assignment, WELFARE, wanted)
    return Point(joint_payoff, coalition_value, assignment)


# ---- of equals, the one that another goal likes best -----------------------------------------------------------------


def preferred_to(
    solver: Solver, known: Optimum, first: Goal, second: Goal, *, sign: float = 1.0,
    fixed: Mapping[str, Value] | None = None,
) -> Optimum:  # fmt: skip
    """Among the maximisers of `first`, of which p is known, one at which `sign · second` is greatest; its value is
    that of `second`. Raises what `Solver.maximise` raises.

    With f and s the two goals, let r maximise `u·f + v·s` for some u, v > 0. If f(r) = f(p), r is the answer: where
    f(y) = f(p), `u·f(y) + v·s(y) ≤ u·f(r) + v·s(r)` leaves s(y) ≤ s(r). If p is worth as much in the mixture as r, it
    maximises it too, and is the answer for the same reason. Otherwise f(r) < f(p) and s(r) > s(p), and the next mixture
    is one in which r is worth less than p: so no point comes back, and as there are finitely many, the walk ends.

    Proofs are as good as the solver's: it may miss 1e-9 of a mixture's value, in which the difference at hand counts 1.
    """
    best = known.assignment
    if known.status != "optimal" or best is None:
        return Optimum(known.status, assignment=best)
    f, s = worths_of(solver, best, first, second)
    u, v = OPENING / (solver.reach(first) or 1.0), sign / (solver.reach(second) or 1.0)
    for _ in range(MOST_STEPS):
        found = solver.maximise(mixed({first: u, second: v}), fixed=fixed)
        if found.status != "optimal" or found.assignment is None:
            break
        there, other = worths_of(solver, found.assignment, first, second)
        ended, more = there >= f - grain(f), sign * (other - s)
        if ended and more > 0.0:
            best, s = found.assignment, other
        if ended or more <= 0.0 or u * (there - f) + v * (other - s) <= ROUNDING:
            return Optimum("optimal", s, best, s)
        u, v = STEEPER / (f - there), sign / more
    return Optimum("limit", assignment=best)


def ends(solver: Solver, known: Optimum, first: Goal, second: Goal) -> tuple[Optimum, Optimum]:
    """The least and the greatest value of `second` among the maximisers of `first`, of which one is known."""
    least, greatest = (preferred_to(solver, known, first, second, sign=sign) for sign in (-1.0, 1.0))
    return least, greatest


def worths_of(solver: Solver, x: Mapping[str, Value], *goals: Goal) -> list[float]:
    """What an assignment is worth by several goals, recomputed in the model."""
    scored = score(solver.task, x)
    return [goal_worth(goal, scored, x) for goal in goals]
