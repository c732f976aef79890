"""Matchings: which programs are some, that their best points are those of enumeration, and what rows alone forbid."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from specs_made import HEAD, expanded
from test_solve_laws import STRUCTURAL, Everything, agrees, chosen, integer_program, random_games

from colosseum.model.scenario import EqualSplit, Payoff, Requirement, Task, Variable
from colosseum.model.terms import Compare, Conditional, Constant, Total
from colosseum.model.values import Value
from colosseum.solve.backends import highs_component as component
from colosseum.solve.backends.highs_live import Box
from colosseum.solve.backends.matching import Matching, matching
from colosseum.solve.goal import WELFARE, payoff_of
from colosseum.solve.lowering.lower import lower
from colosseum.solve.lowering.program import Matrix, matrix
from colosseum.solve.solver import Solver

THINGS = ("anvil", "bellows", "chisel")


def rule(thing: str, agents: list[str], room: int) -> Requirement:
    """No more agents take a thing than there is room for."""
    takers = Total(tuple(Conditional(chosen(agent, thing), Constant(1), Constant(0)) for agent in agents))
    return Requirement(f"room[{thing}]", "room", Compare("<=", takers, Constant(room)), None, None)


def pay(agent: str, value: Value, worth: float) -> Payoff:
    """What a decision is worth to who takes it."""
    paid = Conditional(chosen(agent, value), Constant(worth), Constant(0))
    return Payoff(f"pay[{agent}, {value}]", "pay", "reward", paid, EqualSplit((agent,)))


@st.composite
def games(draw: st.DrawFn) -> Task:
    """Agents who take a thing each, or none where they may; of some things there are not enough for all."""
    agents = [f"a{number}" for number in range(draw(st.integers(2, 4)))]
    worth = st.sampled_from([0.0, 1.0, 1.0, 2.5, -1.0, 7.0])
    domains: dict[str, tuple[Value, ...]] = {
        agent: tuple(draw(st.permutations([*THINGS, None, "rest"]))[: draw(st.integers(1, 5))]) for agent in agents
    }
    pays = [pay(agent, value, draw(worth)) for agent, domain in domains.items() for value in domain]
    rooms = {thing: draw(st.sampled_from([1, 1, 2, None])) for thing in THINGS}
    rules = [rule(thing, agents, room) for thing, room in rooms.items() if room is not None]
    return Task(tuple(agents), tuple(Variable(a, a, domains[a]) for a in agents), tuple(pays), tuple(rules))


@random_games(30)
@given(games(), st.data())
def test_optima_of_shared_things_are_those_of_enumeration(task: Task, data: st.DataObject) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(component, "LOADING", 0)
        solver, everything = integer_program(task, limits=STRUCTURAL), Everything.of(task)
        fixed = {v.name: data.draw(st.sampled_from(v.domain)) for v in task.variables if data.draw(st.booleans())}
        for goal in (WELFARE, payoff_of(task.agents[0])):
            agrees(solver, everything, goal, {})
            agrees(solver, everything, goal, fixed)


SHARED = (
    HEAD
    + """
agents A, B, C
set things = {p, q, r}
variable pick[agents]: things or none
reward done[a in agents, t in things] when pick[a] == t: 2
"""
)
ONE_OWNER = "require owner[t in things]: count(a in agents when pick[a] == t) <= 1\n"


def of_text(folder: Path, rules: str) -> list[Matching | None]:
    """The components of a game as matchings, in order."""
    lowered = lower(expanded(folder, SHARED + rules).task, limits=STRUCTURAL)
    lowered.objective(WELFARE)
    return [matching(part) for _, part in matrix(lowered.program).components()]


@pytest.mark.parametrize(
    ("rules", "shape"),
    [
        (ONE_OWNER, (3, 6)),
        ("require owner[t in things where t != r]: count(a in agents when pick[a] == t) <= 1\n", (3, 8)),
        ("require owner[t in things]: count(a in agents when pick[a] == t) <= 2\n", (3, 9)),
    ],
    ids=["one each", "one of some", "two each"],
)
def test_things_with_room_for_some_are_a_matching(tmp_path: Path, rules: str, shape: tuple[int, int]) -> None:
    [found] = of_text(tmp_path, rules)
    assert found is not None
    assert found.cell.shape == shape


@pytest.mark.parametrize(
    "rules",
    [
        "require someone[t in things]: count(a in agents when pick[a] == t) >= 1\n",
        "require few: count(a in agents when pick[a] in {p, q}) <= 1\n" + ONE_OWNER,
        "require few: count(a in agents when pick[a] in {p, q}) <= 1\n",
        "require load: sum((2 if a == A else 1) for a in agents when pick[a] == p) <= 2\n",
    ],
    ids=["at least", "two limits on one decision", "two ways to one place", "weights"],
)
def test_other_rules_make_none(tmp_path: Path, rules: str) -> None:
    assert not any(of_text(tmp_path, rules))


def test_variables_alone_are_none(tmp_path: Path) -> None:
    """Whoever decides alone needs nobody to match with."""
    assert of_text(tmp_path, "") == [None, None, None]


def test_a_table_too_large_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("colosseum.solve.backends.matching.MOST_CELLS", 17)
    assert of_text(tmp_path, ONE_OWNER) == [None]


def test_what_must_be_taken_by_two_is_infeasible(tmp_path: Path) -> None:
    lowered = lower(expanded(tmp_path, SHARED + ONE_OWNER).task, limits=STRUCTURAL)
    whole = matrix(lowered.program)
    found = matching(whole)
    assert found is not None
    low = whole.low.copy()
    low[[lowered.program.places["pick[A]"]["p"], lowered.program.choices["pick[B]"].start]] = 1.0
    answer = found.best(np.ones(len(low)), Box(low, whole.high))
    assert (answer.status, answer.point) == ("infeasible", None)


# ---- what rows alone forbid ----------------------------------------------------------------------------------------


@st.composite
def rows(draw: st.DrawFn) -> tuple[Matrix, list[float], list[float]]:
    """Five columns of 0 or 1 in three rows, and bounds within."""
    weights = np.array(draw(st.lists(st.sampled_from([1.0, -1.0, 2.0, 0.1]), min_size=15, max_size=15)))
    low = np.array(draw(st.lists(st.sampled_from([-9.0, -1.0, 0.0, 0.3]), min_size=3, max_size=3)))
    wide = np.array(draw(st.lists(st.sampled_from([0.0, 1.0, 2.0, np.inf]), min_size=3, max_size=3)))
    index = np.array([column for _ in range(3) for column in range(5)])
    program = Matrix(
        np.zeros(5), np.ones(5), np.ones(5, dtype=np.bool_), np.array([0, 5, 10, 15]), index, weights, low, low + wide
    )
    held = draw(st.lists(st.sampled_from([None, 0.0, 1.0]), min_size=5, max_size=5))
    return program, [h or 0.0 for h in held], [1.0 if h is None else h for h in held]


def test_many_optima_of_few_have_a_first(tmp_path: Path) -> None:
    """All but A may take what they like, as early as it is left."""
    text = SHARED.replace("A, B, C", "A, B, C, D[1..20]").replace("{p, q, r}", "thing[1..30]")
    solver = Solver(expanded(tmp_path, text + ONE_OWNER).task)
    best = solver.maximise(payoff_of("A"), canonical=True)
    assert best.canonical
    assert best.assignment is not None
    assert list(best.assignment.values()) == [f"thing{number}" for number in range(1, 24)]
