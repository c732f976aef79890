"""Frontiers against enumeration: the points, the λs, the harm at any λ and its bound, on games made by chance."""

import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise

import pytest
from games_made import Game, game
from hypothesis import given
from hypothesis import strategies as st
from test_solve_laws import Everything, random_games, tolerance
from test_solve_specs import scenario, specs

from colosseum.model.scenario import Coalition, EqualSplit, Objective, Payoff, Task, Variable
from colosseum.model.terms import Arithmetic, Constant, Decision, PayoffOf, Select
from colosseum.model.values import Value
from colosseum.solve.goal import WELFARE, Goal, coalition_goal
from colosseum.solve.lowering.lower import NotLowered
from colosseum.solve.questions.frontier import explored, frontier, preferred_to
from colosseum.solve.questions.prospect import Prospect, opportunity, prospect
from colosseum.solve.scoring import goal_value, score
from colosseum.solve.solver import Optimum, Solver

Pair = tuple[float, float]
"""F_n and F_c."""
BATCHES, BATCH = 5, 20
FLAT = 1e-7
"""A corner that turns less is rounding: games of halves and thirds have none between this and a hundredth."""


def hull(pairs: Iterable[Pair]) -> list[Pair]:
    """The corners of the upper right of the convex hull, from the greatest F_n to the greatest F_c."""
    corners: list[Pair] = []
    for pair in sorted(set(pairs), key=lambda p: (-p[0], -p[1])):
        if corners and pair[1] <= corners[-1][1]:
            continue
        while len(corners) > 1 and _turn(corners[-2], corners[-1], pair) <= FLAT:
            corners.pop()
        corners.append(pair)
    return corners


def _turn(one: Pair, two: Pair, three: Pair) -> float:
    """Above 0 where the second lies above the line from the first to the third."""
    return (one[0] - three[0]) * (two[1] - one[1]) - (three[1] - one[1]) * (one[0] - two[0])


def merged(pairs: Iterable[Pair]) -> list[Pair]:
    """Pairs without those that only rounding tells from another."""
    return [(round(a, 9), round(b, 9)) for a, b in pairs]


def crossing(one: Pair, other: Pair) -> float:
    """The λ at which both are worth the same."""
    return (one[0] - other[0]) / (one[0] - other[0] + other[1] - one[1])


def maximisers(pairs: Iterable[Pair], strength: float) -> list[Pair]:
    """Those of greatest F_λ."""
    found = [((1 - strength) * a + strength * b, (a, b)) for a, b in pairs]
    top = max(worth for worth, _ in found)
    return [pair for worth, pair in found if top - worth <= tolerance(top)]


# ---- games made by chance ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("batch", range(BATCHES))
def test_a_frontier_is_the_enumerated_one(batch: int) -> None:
    for seed in range(BATCH * batch, BATCH * (batch + 1)):
        made = game(seed)
        every = made.everything()
        solver = Solver(made.task)
        strengths = _strengths(seed, merged((a, b) for a, b, _ in every))
        found = prospect(solver, made.coalition, strengths=strengths)
        if not every:
            assert (found.optimum.status, found.frontier.points) == ("infeasible", ())
            continue
        pairs = merged((a, b) for a, b, _ in every)
        _has_the_corners(found, pairs)
        _says_where_the_optimum_is_left(found, pairs)
        _says_what_harm_there_is(found, pairs)
        _names_what_it_found(found, made)


@random_games(6)
@given(st.data())
def test_a_frontier_of_a_spec_is_the_enumerated_one(data: st.DataObject) -> None:
    """Specs as people write them, with whatever objectives a coalition may have."""
    found = scenario(data.draw(specs()))
    made = Game(found.task, found.coalitions[0])
    pairs = merged((a, b) for a, b, _ in made.everything())
    try:
        seen = prospect(Solver(made.task), made.coalition, strengths=_strengths(data.draw(st.integers(0, 99)), pairs))
    except NotLowered:
        assert made.coalition.objectives
        return
    if not pairs:
        assert seen.optimum.status == "infeasible"
        return
    _has_the_corners(seen, pairs)
    _says_where_the_optimum_is_left(seen, pairs)
    _says_what_harm_there_is(seen, pairs)
    _names_what_it_found(seen, made)


def _strengths(seed: int, pairs: list[Pair]) -> list[float]:
    """Some λs: fractions, any, and those at which maximisers change."""
    chance = random.Random(seed)
    corners = hull(pairs)
    return [chance.choice((0.0, 0.25, 0.5, 1 / 3, 0.75)), chance.random()] + [
        crossing(a, b) for a, b in pairwise(corners)
    ]  # fmt: skip


def _has_the_corners(found: Prospect, pairs: list[Pair]) -> None:
    corners = hull(pairs)
    assert not any(step.reason for step in found.frontier.steps)
    assert [(p.joint_payoff, p.coalition_value) for p in found.frontier.points] == [
        pytest.approx(corner, abs=1e-8) for corner in corners
    ]
    cuts = [crossing(a, b) for a, b in pairwise(corners)]
    assert [step.strength for step in found.frontier.steps] == pytest.approx(cuts, abs=1e-7)
    assert [low for low, _ in found.frontier.ranges] == pytest.approx([0.0, *cuts], abs=1e-7)
    assert [high for _, high in found.frontier.ranges] == pytest.approx([*cuts, 1.0], abs=1e-7)


def _says_where_the_optimum_is_left(found: Prospect, pairs: list[Pair]) -> None:
    best = max(a for a, _ in pairs)
    worst = min(a for a, _ in pairs)
    spoils = max(b for a, b in pairs if a == best)
    leaving = [crossing((best, spoils), (a, b)) for a, b in pairs if a < best and b >= spoils]
    assert found.span == pytest.approx(best - worst, abs=1e-8)
    assert found.critical_lambda == (pytest.approx(min(leaving), abs=1e-7) if leaving else None)
    assert ("critical_lambda" in found.reasons) is (not leaving)
    last = hull(pairs)[-1]
    attained = best > worst and last[0] == worst
    assert (found.achievability is not None) is attained
    assert ("achievability" in found.reasons) is not attained
    if attained:
        assert found.achievability == pytest.approx(crossing(hull(pairs)[-2], last), abs=1e-7)


def _says_what_harm_there_is(found: Prospect, pairs: list[Pair]) -> None:
    best = max(a for a, _ in pairs)
    assert found.wanted is not None
    assert found.span is not None
    assert found.harms[-1].strength == 1.0
    for harm in found.harms:
        tied = maximisers(pairs, harm.strength)
        assert (harm.best, harm.worst) == pytest.approx((max(a for a, _ in tied), min(a for a, _ in tied)), abs=1e-7)
        assert (harm.least, harm.most) == pytest.approx(
            (best - max(a for a, _ in tied), best - min(a for a, _ in tied)), abs=1e-7
        )
        assert harm.bound is not None
        assert harm.most is not None
        assert harm.most <= harm.bound + 1e-8 / max(1e-8, 1 - harm.strength), "rounding counts the more, the nearer 1"
        assert harm.bound <= found.span + 1e-9
        if harm.strength < 1:
            gained = max(b for a, b in tied) - found.wanted
            allowed = min(found.span, harm.strength / (1 - harm.strength) * gained)
            assert harm.bound == pytest.approx(allowed, abs=1e-8 / (1 - harm.strength))
    for point in found.frontier.points:
        loss, limit = found.harm_of(point), found.bound_of(point)
        assert loss == pytest.approx(best - point.joint_payoff, abs=1e-8)
        assert loss is not None
        assert limit is not None
        assert loss <= limit + 1e-7


def _names_what_it_found(found: Prospect, made: Game) -> None:
    """Points are assignments that are worth what is said, each as near to x* as any that is."""
    everything = made.everything()
    x = found.optimum.assignment
    assert x is not None
    for point in found.frontier.points:
        same = [
            y
            for a, b, y in everything
            if (a, b) == pytest.approx((point.joint_payoff, point.coalition_value), abs=1e-9)
        ]
        assert point.assignment in same
        moved = [sum(y[name] != x[name] for name in x) for y in (point.assignment, *same)]
        assert moved[0] == min(moved)
        movers = {v.owner for v in made.task.variables if point.assignment[v.name] != x[v.name]}
        assert found.movers(point, made.task) == tuple(a for a in made.task.agents if a in movers)
    best, span = found.optimum.value, found.span
    assert best is not None
    assert span is not None
    unit = (best if best > 0 else span) / len(made.task.agents) or None
    assert found.unit == unit
    if unit is not None:
        most, tied = max(b for _, b, _ in everything), [b for a, b, _ in everything if best - a <= tolerance(best)]
        taken = (most - min(tied)) / unit, (most - max(tied)) / unit
        assert (found.opportunity, found.least_opportunity) == pytest.approx(taken, abs=1e-7 / unit)
        bare = opportunity(Solver(made.task), made.coalition)
        assert bare.opportunity == pytest.approx(taken[0], abs=1e-7 / unit)
        last = found.harms[-1].outsider_loss
        assert last is not None
        assert bare.outsider_loss == found.outsider_loss == pytest.approx(last[1], abs=1e-7 / unit)
        _says_what_outsiders_lose(found, made, unit)
    else:
        assert (found.opportunity, found.reasons["opportunity"]) == (None, "every assignment is worth the same")


def _says_what_outsiders_lose(found: Prospect, made: Game, unit: float) -> None:
    """At optima, at points and at any λ: ties may leave them more or less."""
    every = [
        (a, b, sum(r for agent, r in score(made.task, x).payoff.items() if agent not in made.coalition.members))
        for a, b, x in made.everything()
    ]
    best = max(a for a, _, _ in every)

    def over(tied: Iterable[tuple[float, float, float]], place: int) -> object:
        values = [each[place] for each in tied]
        return pytest.approx((min(values), max(values)), abs=1e-7)

    optima = [each for each in every if best - each[0] <= tolerance(best)]
    assert found.among_optima == over(optima, 1)
    assert found.outsiders == over(optima, 2)
    fair = max(left for _, _, left in optima)
    for point in found.frontier.points:
        here = pytest.approx((point.joint_payoff, point.coalition_value), abs=1e-9)
        tied = [each for each in every if each[:2] == here]
        assert point.outsiders == over(tied, 2)
        lost = [(fair - left) / unit for _, _, left in tied]
        assert found.loss_of(point) == pytest.approx((min(lost), max(lost)), abs=1e-7 / unit)
    for harm in found.harms:
        worth = [(1 - harm.strength) * a + harm.strength * b for a, b, _ in every]
        lost = [
            (fair - e[2]) / unit for e, w in zip(every, worth, strict=True) if max(worth) - w <= tolerance(max(worth))
        ]
        assert harm.outsider_loss == pytest.approx((min(lost), max(lost)), abs=1e-6 / unit)


# ---- games by hand -------------------------------------------------------------------------------------------------


def menu(*offers: Pair) -> Game:
    """One decision of ann's: each of its values pays bob so much, and is worth so much to the coalition of ann."""
    numbers = tuple(range(len(offers)))
    pay, aim = (
        Select("t", (Decision("pick"),), tuple(((n,), Constant(offers[n][side])) for n in numbers)) for side in (0, 1)
    )
    task = Task(
        ("ann", "bob"),
        (Variable("pick", "ann", numbers),),
        (Payoff("pay", "pay", "reward", pay, EqualSplit(("bob",))),),
        (),
    )
    return Game(task, Coalition("greed", ("ann",), (Objective("aim", aim),)))


def outlook(made: Game, *strengths: float) -> Prospect:
    return prospect(Solver(made.task), made.coalition, strengths=strengths)


def values(found: Prospect) -> list[Pair]:
    return [(p.joint_payoff, p.coalition_value) for p in found.frontier.points]


def test_a_point_on_the_line_between_two_others_is_no_point() -> None:
    found = outlook(menu((10, 0), (8, 2), (6, 4), (4, 6), (4, 5), (3, 6)), 0.5)
    assert values(found) == [(10, 0), (4, 6)]
    assert (found.critical_lambda, found.achievability) == (0.5, None)
    assert (found.harms[0].least, found.harms[0].most, found.harms[0].bound) == (0, 6, 6)
    assert (found.harms[1].least, found.harms[1].most, found.harms[1].bound) == (6, 7, 7), "what it does not care for"


def test_one_plan_that_is_best_for_both() -> None:
    found = outlook(menu((10, 4), (8, 2), (10, 3)))
    assert values(found) == [(10, 4)]
    assert found.critical_lambda is None
    assert "best for the team" in found.reasons["critical_lambda"]
    assert (found.opportunity, found.least_opportunity) == (0.2, 0), "it has 3 or 4 at an optimum"


def test_an_aim_that_does_not_care_leaves_the_optimum_at_one_only() -> None:
    found = outlook(menu((10, 1), (2, 1)), 0.999)
    assert values(found) == [(10, 1)]
    assert found.critical_lambda == 1.0
    assert [harm.most for harm in found.harms] == [0, 8]


def test_the_optimum_at_hand_may_leave_something_for_the_coalition() -> None:
    found = outlook(menu((10, 1), (10, 5), (0, 6)))
    assert found.wanted == 1, "the first of the optima"
    assert values(found) == [(10, 5), (0, 6)]
    assert found.opportunity == 1, "5 over u = 5"


@pytest.mark.parametrize("weight", [0.25, 1, 3])
def test_sabotage_attains_the_span_above_the_known_strength(weight: float) -> None:
    made = game(7)
    damage = Coalition("cabal", made.coalition.members, (
        Objective("damage", Arithmetic("*", Constant(-weight), PayoffOf(None))),
    ))  # fmt: skip
    cut = 1 / (1 + weight)
    found = prospect(Solver(made.task), damage, strengths=(cut - 0.01, cut + 0.01))
    assert found.achievability == found.critical_lambda == pytest.approx(cut)
    assert [harm.least for harm in found.harms] == pytest.approx([0, found.span, found.span])


def test_nothing_to_harm() -> None:
    found = outlook(menu((4, 1), (4, 2)))
    assert (found.span, found.critical_lambda, found.achievability) == (0, None, None)
    assert "worth the same" in found.reasons["achievability"]


@pytest.mark.parametrize("scale", [(1.0, 1e6), (1e6, 1.0), (1e-3, 1.0), (1.0, 1e-3), (1e9, 1e-3), (1e5, 1e5)])
def test_scales_do_not_matter(scale: Pair) -> None:
    """Thirty points on an arc, and as many below it."""
    offers = [(900.0 - k * k, 30.0 * k - d) for k in range(30) for d in (0, 1)]
    found = outlook(menu(*((a * scale[0], b * scale[1]) for a, b in offers)))
    assert values(found) == [pytest.approx((a * scale[0], b * scale[1])) for a, b in offers[::2]]
    cuts = [1 / (1 + 30 * scale[1] / ((2 * k + 1) * scale[0])) for k in range(29)]
    assert [step.strength for step in found.frontier.steps] == pytest.approx(cuts)


def test_points_that_only_rounding_tells_apart_are_one() -> None:
    found = outlook(
        menu((10, 0), (10 + 1e-12, 0), (10 - 1e-12, 1e-12), (5 + 1e-12, 5), (5, 5 + 1e-12), (7.5, 2.5 + 1e-11))
    )
    assert [pytest.approx(pair) for pair in values(found)] == [(10, 0), (5, 5)]


@dataclass
class Enumerating(Solver):
    """A solver that goes through everything; of equals it answers with the one in the middle, as if to be awkward."""

    asked: int = field(default=0, init=False)

    def maximise(self, goal: Goal, *, fixed: Mapping[str, Value] | None = None, canonical: bool = False) -> Optimum:
        self.asked += 1
        held = fixed or {}
        every = [x for x in Everything.of(self.task).feasible if all(x[name] == held[name] for name in held)]
        worth = [goal_value(self.task, goal, x) for x in every]
        tied = [x for x, value in zip(every, worth, strict=True) if max(worth) - value <= tolerance(max(worth))]
        chosen = tied[0] if canonical else tied[len(tied) // 2]
        return Optimum("optimal", max(worth), chosen, max(worth), canonical=canonical, seconds=0.0)


def test_points_on_a_line_are_left_out_whichever_a_solver_meets() -> None:
    """All that lies on a side, and a side that is met in its middle before its ends are known."""
    straight = [(20.0 - k, float(k)) for k in range(21)]
    cut = [(20.0, 0.0), *((16.0 - k, 10.0 + k) for k in range(7)), (0.0, 20.0)]
    for offers, corners in ((straight, [(20, 0), (0, 20)]), (cut, [(20, 0), (16, 10), (10, 16), (0, 20)])):
        made = menu(*offers)
        for solver in (Solver(made.task), Enumerating(made.task)):
            found = frontier(solver, made.coalition, solver.maximise(WELFARE))
            assert [(p.joint_payoff, p.coalition_value) for p in found.points] == corners
            assert not any(step.reason for step in found.steps)


def test_a_tie_proves_that_there_is_nothing_between() -> None:
    made = menu(*((40.0 - k, float(k)) for k in range(41)))
    solver = Enumerating(made.task)
    pair = WELFARE, coalition_goal(made.coalition)
    ends = tuple(preferred_to(solver, solver.maximise(first), first, second) for first, second in (pair, pair[::-1]))
    before, solver.asked = solver.asked, 0
    frontier(solver, made.coalition, ends[0])
    assert solver.asked <= before + 1


def test_where_nobody_is_outside_nobody_loses_and_there_is_a_reason() -> None:
    made = menu((10, 4), (8, 6))
    found = opportunity(Solver(made.task), replace(made.coalition, members=made.task.agents))
    assert (found.opportunity, found.outsider_loss) == (0.4, None)
    assert found.reasons["outsider_loss"] == "the coalition is everybody"
    assert "no coalition" in opportunity(Solver(made.task), None).reasons["outsider_loss"]


# ---- what is not proven --------------------------------------------------------------------------------------------


@dataclass
class Hurried(Solver):
    """A solver that has no time for some of the queries, by their number."""

    skipped: frozenset[int] = frozenset()
    asked: int = field(default=0, init=False)

    def maximise(self, goal: Goal, *, fixed: Mapping[str, Value] | None = None, canonical: bool = False) -> Optimum:
        self.asked += 1
        if self.asked in self.skipped:
            return Optimum("limit", None, None, None, canonical=False, seconds=0.0)
        return super().maximise(goal, fixed=fixed, canonical=canonical)


def test_a_query_that_takes_too_long_never_makes_a_point() -> None:
    made = menu(*((-float(k * k), float(k)) for k in range(6)))
    counting = Hurried(made.task)
    whole = prospect(counting, made.coalition, strengths=(0.5,))
    assert not any(step.reason for step in whole.frontier.steps)
    known = values(whole)
    open_somewhere = 0
    for number in range(1, counting.asked + 1):
        found = prospect(Hurried(made.task, skipped=frozenset({number})), made.coalition, strengths=(0.5,))
        assert set(values(found)) <= set(known)
        assert found.frontier.reason or any(s.reason for s in found.frontier.steps) or values(found) == known
        for figure in ("span", "unit", "opportunity", "critical_lambda", "achievability"):
            assert getattr(found, figure) in (None, getattr(whole, figure))
            assert (getattr(found, figure) is None) is (figure in found.reasons)
        for harm, true in zip(found.harms, whole.harms, strict=False):
            assert harm.reason or replace(harm, outsider_loss=true.outsider_loss) == true
            assert harm.outsider_loss in (None, true.outsider_loss)
        open_somewhere += any(step.reason for step in found.frontier.steps)
    assert open_somewhere > 3


def test_an_assignment_as_near_as_possible_is_named() -> None:
    made = menu((10, 0), (1, 1), (0, 9), (0, 9))
    solver = Solver(made.task)
    found = frontier(solver, made.coalition, solver.maximise(WELFARE))
    for value in (2, 3):
        assert explored(solver, made.coalition, found, {"pick": value}).points[-1].assignment == {"pick": value}


def test_values_are_recomputed_in_the_model() -> None:
    made = game(11)
    for point in outlook(made).frontier.points:
        assert point.joint_payoff == goal_value(made.task, WELFARE, point.assignment)
