"""Optima against enumeration: what every query must satisfy, checked here on a game small enough to do by hand.

Other tests of the optimum give their own tasks to `obeys_the_laws`.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import pytest
from hypothesis import HealthCheck, settings

from colosseum.model.scenario import Coalition, EqualSplit, Payoff, QualifiedSplit, Requirement, Task, Variable
from colosseum.model.terms import (
    Arithmetic,
    Compare,
    Conditional,
    Constant,
    Decision,
    Extremum,
    PayoffOf,
    Select,
    Some,
    Total,
)
from colosseum.model.values import Value
from colosseum.solve.backend import Engine
from colosseum.solve.backends.highs import Highs
from colosseum.solve.goal import WELFARE, Goal, bent, coalition_goal, payoff_of
from colosseum.solve.lowering.lower import Lowered, lower
from colosseum.solve.lowering.rules import DEFAULT_LIMITS, LoweringLimits
from colosseum.solve.scoring import goal_value, score
from colosseum.solve.solver import Solver

STRUCTURAL = LoweringLimits(small=0, conflict=0)
"""Everything by rows and columns, and tables only where nothing else fits: small games exercise what large ones use."""
EXAMPLES = int(os.environ.get("COLOSSEUM_EXAMPLES", "0"))
"""Set to run longer; 0 keeps what each test asks for."""


def random_games(examples: int) -> settings:
    """Hypothesis settings for tests that solve integer programs."""
    slow = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
    return settings(max_examples=EXAMPLES or examples, suppress_health_check=slow)


@dataclass(frozen=True)
class Everything:
    """All assignments of a task, in lexicographic order, with whether the hard requirements hold."""

    task: Task
    feasible: tuple[dict[str, Value], ...]

    @classmethod
    def of(cls, task: Task) -> "Everything":
        names = [v.name for v in task.variables]
        every = (dict(zip(names, values, strict=True)) for values in product(*(v.domain for v in task.variables)))
        return cls(task, tuple(x for x in every if all(r.condition.evaluate(x) for r in task.hard)))

    def best(self, goal: Goal, sign: float, fixed: Mapping[str, Value]) -> tuple[float, dict[str, Value]] | None:
        """The value of the best assignment and the first that attains it; None when there is none."""
        fitting = [x for x in self.feasible if all(x[name] == value for name, value in fixed.items())]
        values = [sign * goal_value(self.task, goal, x) for x in fitting]
        if not values:
            return None
        top = max(values)
        tie = tolerance(top)
        return sign * top, next(x for x, value in zip(fitting, values, strict=True) if top - value <= tie)


def tolerance(value: float) -> float:
    """How far two computations of one value may lie apart."""
    return 1e-9 * max(1.0, abs(value))


def goals_of(task: Task, coalitions: Sequence[Coalition] = ()) -> list[Goal]:
    """F_n, every r_i, and F_c and F_λ of every coalition."""
    found = [WELFARE, *(payoff_of(a) for a in task.agents)]
    for coalition in coalitions:
        found += [coalition_goal(coalition), bent(coalition, strength=0.25), bent(coalition, strength=1.0)]
    return found


def agrees(solver: Solver, everything: Everything, goal: Goal, fixed: Mapping[str, Value]) -> None:
    """Both ends of a goal are the enumerated ones, proven, attained, and the first of their kind, and within reach."""
    ends = [end[0] for sign in (1.0, -1.0) if (end := everything.best(goal, sign, {}))]
    assert not ends or ends[0] - ends[1] <= solver.reach(goal) + tolerance(max(map(abs, ends)))
    for sign, query in ((1.0, solver.maximise), (-1.0, solver.minimise)):
        expected = everything.best(goal, sign, fixed)
        found = query(goal, fixed=fixed, canonical=True)
        if expected is None:
            assert (found.status, found.value, found.assignment) == ("infeasible", None, None)
            continue
        value, first = expected
        assert found.status == "optimal"
        assert found.value == pytest.approx(value, rel=1e-9, abs=1e-9)
        assert found.bound == found.value
        assert found.gap == 0
        assert found.canonical
        assert found.assignment == first
        plain = query(goal, fixed=fixed)
        assert plain.status == "optimal"
        assert plain.assignment is not None
        assert plain.value == pytest.approx(value, rel=1e-9, abs=1e-9)
        assert all(plain.assignment[name] == held for name, held in fixed.items())
        assert plain.value == goal_value(everything.task, goal, plain.assignment)
        assert not [r for r in everything.task.hard if not r.condition.evaluate(plain.assignment)]


def integer_program(task: Task, *, limits: LoweringLimits = DEFAULT_LIMITS) -> Solver:
    """What is small enough to be enumerated is easily eliminated, too: HiGHS alone."""
    return limited(task, limits, only="highs")


def limited(task: Task, limits: LoweringLimits, *, only: Engine | None = None) -> Solver:
    """A solver whose program is lowered within limits."""
    solver = Solver(task, only=only)
    solver.highs = Limited(task, limits=limits)
    return solver


@dataclass
class Limited(Highs):
    """HiGHS, with a program that is lowered within limits."""

    limits: LoweringLimits = DEFAULT_LIMITS

    @cached_property
    def lowered(self) -> Lowered:
        return lower(self.task, limits=self.limits)


def adds_up(everything: Everything) -> None:
    """`Σ_i r_i = F_n` everywhere."""
    for x in everything.feasible:
        scored = score(everything.task, x)
        assert abs(sum(scored.payoff.values()) - scored.value) <= tolerance(scored.value)


# ---- a game by hand ------------------------------------------------------------------------------------------------


def chosen(variable: str, value: Value) -> Compare:
    """`variable == value`."""
    return Compare("==", Decision(variable), Constant(value))


def tickets() -> Task:
    """Two agents, two tickets: a ticket is worth 5 or 3, and one that both claim costs the two of them 4."""
    domain = ("big", "small", None)
    worth = {"big": 5, "small": 3}
    rewards = [
        Payoff(f"done[{a}, {t}]", "done", "reward",
               Conditional(chosen(a, t), Constant(w), Constant(0)), EqualSplit((a,)))
        for a in ("ann", "bob") for t, w in worth.items()
    ]  # fmt: skip
    clashes = [
        Payoff(f"alone[{t}]", "alone", "penalty",
               Conditional(Compare("<=", count, Constant(1)), Constant(0), Constant(-4)),
               QualifiedSplit((("ann", chosen("ann", t)), ("bob", chosen("bob", t))), ("ann", "bob")))
        for t in worth
        for count in [Total(tuple(Conditional(chosen(a, t), Constant(1), Constant(0)) for a in ("ann", "bob")))]
    ]  # fmt: skip
    variables = tuple(Variable(a, a, domain) for a in ("ann", "bob"))
    return Task(("ann", "bob"), variables, (*rewards, *clashes), ())


@pytest.mark.parametrize("limits", [DEFAULT_LIMITS, STRUCTURAL])
def test_a_game_by_hand(limits: LoweringLimits) -> None:
    solver = limited(tickets(), limits)
    best = solver.maximise(WELFARE, canonical=True)
    assert (best.value, best.assignment) == (8.0, {"ann": "big", "bob": "small"})
    worst = solver.minimise(WELFARE, canonical=True)
    assert (worst.value, worst.assignment) == (0.0, {"ann": None, "bob": None})
    assert solver.maximise(payoff_of("ann")).value == 5.0
    assert solver.minimise(payoff_of("ann")).value == 0.0
    assert solver.maximise(payoff_of("ann"), fixed={"ann": "small", "bob": "small"}).value == 1.0


def test_large_scopes_need_no_table() -> None:
    """Twelve agents with four choices each: a look-up by a count, and the greatest of what some of them hold."""
    agents = tuple(f"agent{i}" for i in range(12))
    ones = tuple(Conditional(chosen(a, 3), Constant(1), Constant(0)) for a in agents)
    bonus = Select("bonus", (Total(ones),), tuple(((k,), Constant(k * (11 - k))) for k in range(13)))
    held = tuple(Compare("!=", Decision(a), Constant(None)) for a in agents)
    most = Extremum("max", (Constant(-1), *map(Decision, agents)), (Constant(True), *held), aggregate=True)
    payoffs = tuple(Payoff(n, n, "reward", term, EqualSplit(agents)) for n, term in (("bonus", bonus), ("most", most)))
    task = Task(agents, tuple(Variable(a, a, (None, 1, 2, 3)) for a in agents), payoffs, ())
    solver = Solver(task)
    assert solver.maximise(WELFARE).value == 33.0
    assert solver.minimise(WELFARE).value == -9.0
    assert solver.maximise(WELFARE, fixed=dict.fromkeys(agents[:8], 2)).value == 31.0


def test_what_cannot_hold_is_infeasible() -> None:
    never = Requirement(
        "never", "never", Compare(">", Arithmetic("+", Decision("x"), Decision("y")), Constant(9)), None, None
    )
    task = Task(("ann",), (Variable("x", "ann", (0, 1)), Variable("y", "ann", (0, 1))), (), (never,))
    for limits in (DEFAULT_LIMITS, STRUCTURAL):
        found = limited(task, limits).maximise(WELFARE, canonical=True)
        assert (found.status, found.value, found.assignment, found.canonical) == ("infeasible", None, None, False)


def test_fractions_are_added_up_as_the_model_adds_them() -> None:
    """0.1 + 0.2 is above 0.3 in floating point: no row can say so, yet no optimum may break the rule."""
    tenths = Variable("x", "ann", (0.1, 0.4)), Variable("y", "ann", (0.2, 0.3)), Variable("z", "ann", (0.0, 0.1))
    spent = Arithmetic("+", Arithmetic("+", Decision("x"), Decision("y")), Decision("z"))
    for limit in (0.3, 0.4, 0.5, 0.6):
        rule = Requirement("budget", "budget", Compare("<=", spent, Constant(limit)), None, None)
        task = Task(("ann",), tenths, (Payoff("spent", "spent", "reward", spent, EqualSplit(("ann",))),), (rule,))
        for limits in (DEFAULT_LIMITS, STRUCTURAL):
            agrees(integer_program(task, limits=limits), Everything.of(task), WELFARE, {})
            agrees(limited(task, limits), Everything.of(task), WELFARE, {})


def test_a_value_outside_the_domain_is_infeasible() -> None:
    assert Solver(tickets()).maximise(WELFARE, fixed={"ann": "huge"}).status == "infeasible"


def test_conditions_of_payoffs_alone() -> None:
    """An `or` that reads decisions through payoffs only has no variable of its own."""
    rich = [Compare(">=", PayoffOf(agent), Constant(5)) for agent in ("ann", "bob")]
    goal = Goal(terms=((Conditional(Some((rich[0], rich[1])), Constant(1), Constant(0)), 1.0),))
    engines: tuple[Engine, ...] = ("highs", "elimination", "toulbar2", "pulp")
    assert [Solver(tickets(), only=engine).maximise(goal).value for engine in engines] == [1.0] * 4
