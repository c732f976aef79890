"""Sums of variables that are numbers: one column each. In: random games of such sums; out: what enumeration finds."""

import pytest
from conftest import SPECS
from hypothesis import given
from hypothesis import strategies as st
from test_solve_laws import STRUCTURAL, Everything, agrees, integer_program, random_games

from colosseum.model.check import check
from colosseum.model.scenario import EqualSplit, Payoff, Requirement, Task, Variable
from colosseum.model.terms import Arithmetic, Compare, Constant, Decision, Extremum, Term, Total
from colosseum.solve.goal import WELFARE, payoff_of
from colosseum.solve.solver import Solver

NAMES = ("x", "y", "z")


def number(draw: st.DrawFn, name: str) -> Variable:
    """A variable whose values stand at equal steps, rising or falling; sometimes too few, or not equal."""
    first, step, values = draw(st.integers(-3, 3)), draw(st.sampled_from((1, 2, -1, 0.5))), draw(st.integers(3, 6))
    domain = [first + step * place for place in range(values)]
    return Variable(name, "ann", tuple(domain if draw(st.integers(0, 4)) else [*domain[:-1], 40]))


def weighted(draw: st.DrawFn, names: tuple[str, ...]) -> Term:
    """A sum of multiples of variables."""
    weights = [draw(st.sampled_from((-3, -1, 1, 2, 0.5))) for _ in names]
    parts = (Arithmetic("*", Constant(w), Decision(name)) for w, name in zip(weights, names, strict=True))
    return Total((Constant(draw(st.integers(-2, 2))), *parts))


@st.composite
def games(draw: st.DrawFn) -> Task:
    """Sums with limits and excesses; some variables are read by their values, too, or paid at uneven steps."""
    variables = tuple(number(draw, name) for name in NAMES)
    rule = Compare(draw(st.sampled_from(("<=", ">="))), weighted(draw, NAMES), Constant(draw(st.integers(-6, 9))))
    rules = [Requirement("limit", "limit", rule, None, None)]
    for place, v in enumerate(variables):
        if draw(st.integers(0, 3)) == 0:
            barred = Compare("!=", Decision(v.name), Constant(v.domain[draw(st.integers(0, len(v.domain) - 1))]))
            rules.append(Requirement(f"not[{place}]", "not", barred, None, None))
    over = Extremum("max", (Constant(0), weighted(draw, NAMES)), (Constant(True),) * 2, aggregate=False)
    terms = [weighted(draw, NAMES), Arithmetic("*", Constant(-1), over)]
    terms += [Arithmetic("*", Decision(name), Decision(name)) for name in NAMES if draw(st.integers(0, 3)) == 0]
    if draw(st.booleans()):
        terms.append(Arithmetic("*", weighted(draw, NAMES[:2]), weighted(draw, NAMES[1:])))
    payoffs = [Payoff(f"pay{n}", f"pay{n}", "reward", term, EqualSplit(("ann", "bob")[:1 + n % 2]))
               for n, term in enumerate(terms)]  # fmt: skip
    return Task(("ann", "bob"), variables, tuple(draw(st.permutations(payoffs))), tuple(rules))


@random_games(12)
@given(games(), st.sampled_from(NAMES))
def test_sums_of_numbers(task: Task, held: str) -> None:
    """Each goal is asked of a program that the goals before it may have given other rows."""
    solver, everything = integer_program(task, limits=STRUCTURAL), Everything.of(task)
    for goal in (payoff_of("bob"), WELFARE, payoff_of("ann")):
        agrees(solver, everything, goal, {})
    agrees(solver, everything, WELFARE, {held: task.variable[held].domain[1]})


def test_what_sums_alone_read_needs_no_search() -> None:
    """Seven of three stocks of twelve: the relaxation may take 12 with a share of 7/12, which is 7, and whole."""
    variables = tuple(Variable(name, "ann", tuple(range(13))) for name in NAMES)
    together = Total(tuple(map(Decision, NAMES)))
    limit = Requirement("limit", "limit", Compare("<=", together, Constant(7)), None, None)
    paid = Payoff("paid", "paid", "reward", Arithmetic("*", Constant(3), together), EqualSplit(("ann",)))
    solver = integer_program(Task(("ann",), variables, (paid,), (limit,)))
    assert solver.maximise(WELFARE).value == 21.0
    assert len(solver.highs.lowered.program.rows[-1].coefficients) == len(NAMES)
    assert "presolved" not in vars(solver.highs.live)


def test_the_reach_of_a_payoff_is_told_ticket_by_ticket() -> None:
    """Who takes one ticket shares the penalty of that one alone, not of all."""
    for seed in (1, 2, 3):
        checked, _ = check(SPECS / "jira.colo", seed=seed)
        assert checked is not None
        solver = Solver(checked.expansion.scenario.task)
        for agent in solver.task.agents:
            most, least = solver.maximise(payoff_of(agent)).value, solver.minimise(payoff_of(agent)).value
            assert most is not None
            assert least is not None
            assert solver.reach(payoff_of(agent)) == pytest.approx(most - least)
