"""By how much a move makes every completion miss a rule: what arrays and bounds say is what enumerating all says."""

from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from test_solve_laws import random_games
from test_solve_terms import ALWAYS, TermDrawer, agents_of, variables_of

from colosseum.evidence import instance
from colosseum.evidence.instance import JointMoves, SolvedTask
from colosseum.model import terms
from colosseum.model.scenario import Requirement, Task, Variable
from colosseum.model.terms import Constant, Decision, Term
from colosseum.model.values import Fault, Value
from colosseum.solve.solver import Optimum, Solver

OPEN = Optimum("limit", None, None, None, canonical=False, seconds=0.0)
Question = tuple[Task, TermDrawer, str, dict[str, Value], list[str]]


@st.composite
def questions(draw: st.DrawFn) -> Question:
    """A task, an agent of it, what all decided, and the decisions that were known after the agent's."""
    agents = agents_of(draw)
    variables = variables_of(draw, agents)
    agent = draw(st.sampled_from([v.owner for v in variables]))
    realised = {v.name: draw(st.sampled_from(v.domain)) for v in variables}
    others = [v.name for v in variables if v.owner != agent]
    known = draw(st.lists(st.sampled_from(others), unique=True)) if others else []
    own = [v.name for v in variables if v.owner == agent]
    return Task(agents, variables, (), ()), TermDrawer(draw, variables), agent, realised, [*own, *known]


def missed(task: Task, rule: Requirement, agent: str, realised: dict[str, Value], known: Sequence[str]) -> list[float]:
    """Of every joint move of the agent, in the order of its domains."""
    ruled = Task(task.agents, task.variables, (), (rule,))
    moves = JointMoves(SolvedTask(ruled, Solver(ruled), OPEN, OPEN), agent, realised)
    if not moves.rules:
        assume(False)
    found = np.broadcast_to(moves.missed(rule, moves.holds[0], known), moves.shape)
    return [float(each) for each in found.ravel()]


def enumerated(
    task: Task, rule: Requirement, agent: str, realised: dict[str, Value], known: Sequence[str]
) -> list[float]:
    """The same, each completion evaluated for itself; examples at which it cannot be are not used."""
    own = [v for v in task.variables if v.owner == agent]
    free = [v for v in task.variables if v.owner != agent and v.name not in known]
    found = []
    try:
        for values in product(*(v.domain for v in own)):
            move = {**realised, **{v.name: value for v, value in zip(own, values, strict=True)}}
            every = [{**move, **{v.name: value for v, value in zip(free, values, strict=True)}}
                     for values in product(*(v.domain for v in free))]  # fmt: skip
            kept = any(rule.condition.evaluate(x) for x in every)
            over = [float(n) for x in every if rule.excess and isinstance(n := rule.excess.evaluate(x), int | float)]
            found.append(0.0 if kept else min(over, default=2e-9) if rule.excess else 1.0)
    except Fault:
        assume(False)
    return found


@random_games(40)
@given(questions(), st.integers(1, 3))
def test_a_rule_is_missed_for_good_where_no_completion_keeps_it(question: Question, depth: int) -> None:
    task, build, *run = question
    rule = Requirement("rule", "rule", build.condition(depth), 1.0, None)
    assert missed(task, rule, *run) == enumerated(task, rule, *run)


@random_games(40)
@given(questions())
def test_with_per_unit_the_least_excess_counts(question: Question) -> None:
    task, build, *run = question
    rule = at_most(build.surely(2), build.surely(0))
    assert missed(task, rule, *run) == pytest.approx(enumerated(task, rule, *run), abs=1e-12)


@random_games(30)
@given(questions())
def test_bounds_blame_no_move_for_more_than_it_does(question: Question) -> None:
    """As where there are too many outcomes to go through: then bounds of parts are put together."""
    task, build, *run = question
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(instance, "MOST_ALTERNATIVES", 4)
        for rule in (at_most(build.surely(2), build.surely(0)), Requirement("r", "r", build.condition(3), 1.0, None)):
            every = enumerated(task, rule, *run)
            got = missed(task, rule, *run)
            assert all(m <= e + 1e-12 for m, e in zip(got, every, strict=True)), (rule, got, every)


def at_most(left: Term, right: Term) -> Requirement:
    over = terms.Extremum("max", (Constant(0), terms.Arithmetic("-", left, right)), (ALWAYS, ALWAYS), aggregate=False)
    return Requirement("rule", "rule", terms.Compare("<=", left, right), 1.0, over)


def test_counts_of_many_are_settled_by_their_bounds() -> None:
    """Thirty voters, so a billion completions: nobody enumerates them."""
    names = [f"vote{i}" for i in range(30)]
    task = Task(tuple(names), tuple(Variable(n, n, ("yes", "no")) for n in names), (), ())
    ayes = terms.Total(tuple(
        terms.Conditional(terms.Compare("==", Decision(n), Constant("yes")), Constant(1), Constant(0)) for n in names
    ))  # fmt: skip
    rule = at_most(ayes, Constant(11))
    for earlier in range(30):
        realised: dict[str, Value] = dict.fromkeys(names, "yes")
        found = missed(task, rule, names[earlier], realised, names[: earlier + 1])
        assert found == [max(0, earlier + 1 - 11), max(0, earlier - 11)]
        quorum = Requirement("quorum", "quorum", terms.Compare(">", ayes, Constant(11)), 1.0, None)
        against = missed(task, quorum, names[earlier], dict.fromkeys(names, "no"), names[: earlier + 1])
        assert against == [float(30 - earlier <= 11), float(29 - earlier <= 11)]
