"""A second way notices answers that are wrong, and says so only of those."""

import re
from dataclasses import dataclass, replace

import pytest
from test_cli_commands import TOY, colosseum, read
from test_solve_laws import chosen, tickets

from colosseum.evidence.spec_questions import solve, verified, wrong_answers
from colosseum.language.files import shipped
from colosseum.model.check import Checked, check
from colosseum.model.scenario import EqualSplit, Payoff, Requirement, Task, Variable
from colosseum.model.terms import Compare, Conditional, Constant, Decision, Total
from colosseum.solve.backend import Engine, Optimum, Query
from colosseum.solve.backends import installed_engines
from colosseum.solve.goal import WELFARE, payoff_of
from colosseum.solve.solver import Solver
from colosseum.solve.verify import Verification, engines, verify


def crowd(size: int = 14) -> Task:
    """Who goes out, and two at least must: too many joint values for a table, none for an integer program."""
    agents = tuple(f"agent{i:02}" for i in range(size))
    variables = tuple(Variable(a, a, ("out", "in", "up", "down")) for a in agents)
    out = Total(tuple(Conditional(chosen(a, "out"), Constant(1), Constant(0)) for a in agents))
    worths = enumerate(agents, start=1)
    payoffs = tuple(
        Payoff(a, "stay", "reward", Conditional(chosen(a, "in"), Constant(n), Constant(0)), EqualSplit((a,)))
        for n, a in worths
    )
    rule = Requirement("two", "two", Compare(">=", out, Constant(2)), None, None)
    return Task(agents, variables, payoffs, (rule,))


def again(task: Task, optimum: Optimum, sign: float = 1.0, *, by: Engine = "highs") -> Verification:
    """What other engines say if the answer was found by the given one."""
    return verify(task, replace(optimum, by=by), WELFARE, sign)


def others(*without: Engine) -> tuple[Engine, ...]:
    """All installed engines but these."""
    return tuple(name for name in installed_engines() if name not in without)


@pytest.mark.parametrize(
    ("task", "cannot", "least", "most"), [(tickets(), (), 0, 8), (crowd(), ("elimination", "toulbar2"), 0, 102)]
)
def test_right_answers_agree(task: Task, cannot: tuple[Engine, ...], least: float, most: float) -> None:
    solver = Solver(task)
    for optimum, sign, value in (
        (solver.maximise(WELFARE, canonical=True), 1.0, most), (solver.minimise(WELFARE), -1.0, least),
    ):  # fmt: skip
        found = again(task, optimum, sign)
        assert (found.status, found.by, found.value, found.reason) == ("agrees", others("highs", *cannot), value, "")
        assert tuple(found.without) == cannot
        other = again(task, optimum, sign, by="elimination")
        assert (other.status, other.by, other.value) == ("agrees", others("elimination", *cannot), value)


@pytest.mark.parametrize(("task", "way"), [(tickets(), "elimination"), (crowd(), "cp-sat")])
def test_a_worse_point_is_no_optimum(task: Task, way: Engine) -> None:
    """An answer that attains what it says, and is not the best."""
    solver = Solver(task)
    worse = solver.maximise(WELFARE, fixed={task.variables[-1].name: task.variables[-1].domain[0]})
    best = solver.maximise(WELFARE).value
    if worse.value == best:
        worse = solver.maximise(WELFARE, fixed={v.name: v.domain[0] for v in task.variables})
    assert again(task, worse, by="elimination").status == "disagrees"
    found = again(task, worse)
    assert (found.status, found.by, found.value) == ("disagrees", (way,), best)
    assert "found an assignment worth" in found.reason
    high = again(task, solver.maximise(WELFARE), -1.0)
    assert (high.status, high.by, high.value) == ("disagrees", (way,), solver.minimise(WELFARE).value)
    nothing = again(task, Optimum("infeasible", None, None, None, canonical=False, seconds=0.0))
    assert (nothing.status, nothing.value) == ("disagrees", best)


def test_an_answer_must_attain_what_it_says() -> None:
    for task in (tickets(), crowd()):
        best = Solver(task).maximise(WELFARE)
        assert best.value is not None
        more = again(task, replace(best, value=best.value + 1, bound=best.value + 1))
        assert (more.status, more.by) == ("disagrees", ())
        assert "the assignment found by highs is worth" in more.reason
    all_in = {v.name: "in" for v in task.variables}
    broken = again(task, Optimum("optimal", 105.0, all_in, 105.0, canonical=False, seconds=0.0))
    assert (broken.status, broken.reason) == ("disagrees", "the assignment found by highs breaks `two`")


def test_what_is_not_proven_is_not_verified() -> None:
    best = Solver(tickets()).maximise(WELFARE)
    found = again(tickets(), replace(best, status="limit", bound=9.0))
    assert (found.status, found.by) == ("not verified", ())
    assert "not proven" in found.reason


@dataclass
class Denying:
    """An engine that finds nothing, or something worse."""

    name: Engine
    found: Optimum

    def solve(self, query: Query, *, until: float) -> Optimum:
        return replace(self.found, by=self.name)


@pytest.mark.parametrize(("name", "status"), [("elimination", "disagrees"), ("pulp", "not verified")])
def test_an_engine_that_finds_less_is_believed_if_it_is_elimination(name: Engine, status: str) -> None:
    best = replace(Solver(tickets()).maximise(WELFARE), by="highs")
    for less, words in ((Optimum("infeasible"), "found no assignment, but there is one"),
                        (Optimum("optimal", 0.0, {"ann": None, "bob": None}, 0.0), "worth more than 0.0")):  # fmt: skip
        denying = Solver(tickets(), only=name)
        denying.alone = Denying(name, less)
        found = verify(tickets(), best, WELFARE, 1.0, by={name: denying})
        assert found.status == status
        assert words in found.reason


def test_another_optimum_is_not_the_first() -> None:
    """Bob may take the big ticket as well, but Ann comes first."""
    best = Solver(tickets()).maximise(WELFARE, canonical=True)
    other = {"ann": "small", "bob": "big"}
    assert again(tickets(), replace(best, assignment=other, canonical=False)).status == "agrees"
    found = again(tickets(), replace(best, assignment=other))
    assert (found.status, found.reason) == ("disagrees", "elimination found an optimum that comes before it")


@pytest.mark.parametrize("size", [2, 14])
def test_what_cannot_hold_is_infeasible_in_both_ways(size: int) -> None:
    task = crowd(size)
    never = Requirement("never", "never", chosen("agent00", "gone"), None, None)
    task = replace(task, requirements=(*task.requirements, never))
    found = again(task, Solver(task).maximise(WELFARE))
    assert (found.status, found.value) == ("agrees", None)


def test_no_time_is_no_verification() -> None:
    best = Solver(crowd()).maximise(WELFARE)
    assert best.by == "highs"
    found = verify(crowd(), best, WELFARE, 1.0, by=engines(crowd(), time_limit=0.0))
    assert (found.status, found.by, found.value) == ("not verified", (), None)
    assert tuple(found.without) == others("highs")


def test_a_goal_that_nothing_changes_is_verified() -> None:
    """PuLP adds a column of its own to an objective without any."""
    rule = Requirement("not_p", "not_p", Compare("!=", Decision("x"), Constant("p")), None, None)
    payoff = Payoff("r", "r", "reward", Constant(3), EqualSplit(("A",)))
    task = Task(("A",), (Variable("x", "A", ("p", "q", "s")),), (payoff,), (rule,))
    found = again(task, Solver(task).maximise(WELFARE), by="elimination")
    assert (found.status, found.by, found.value, found.reason) == ("agrees", others("elimination"), 3.0, "")


def test_no_optimum_is_reached_by_a_payoff_alone() -> None:
    """Each agent's own best is verified by its own factors."""
    task = tickets()
    for agent in task.agents:
        best = replace(Solver(task).maximise(payoff_of(agent)), by="highs")
        found = verify(task, best, payoff_of(agent), 1.0)
        assert (found.status, found.by, found.value) == ("agrees", others("highs"), 5.0)


# ---- the command ---------------------------------------------------------------------------------------------------


def spec(name: str) -> Checked:
    found, diagnostics = check(shipped("specs") / f"{name}.colo", seed=1)
    assert found is not None, diagnostics
    return found


def test_compile_verifies() -> None:
    done = colosseum("compile", TOY, "--verify")
    assert (done.returncode, done.stdout.count("verified by")) == (0, 3)
    assert "verified" not in colosseum("compile", TOY).stdout
    found = read("compile", TOY, "--verify")
    answers = found["optimum"], found["minimum"], found["coalitions"]["cabal"]
    assert [*found["verified"]] == ["best joint payoff", "worst joint payoff", "best of cabal"]
    for answer, again in zip(answers, found["verified"].values(), strict=True):
        assert (again["status"], again["value"], again["reason"]) == ("agrees", answer["value"], "")
        assert set(again["by"]) <= set(installed_engines())
        assert "pulp" in again["by"]
    assert read("compile", TOY)["verified"] is None


def test_a_wrong_answer_is_told() -> None:
    optima = solve(spec("toy"))
    assert not [*wrong_answers(optima), *wrong_answers(verified(optima))]
    (told,) = wrong_answers(verified(replace(optima, optimum=optima.minimum)))
    assert re.fullmatch(
        r"internal error: the best joint payoff is not 1\.0 \(optimal\): \w+ found an assignment worth 3\.0", told
    )


def test_the_hospitals_are_verified_by_integer_programs() -> None:
    """Counts over 26 decisions make tables that no elimination goes through."""
    task = spec("hospital").expansion.scenario.task
    found = again(task, Solver(task).maximise(WELFARE))
    assert (found.status, found.by) == ("agrees", ("cp-sat", "pulp"))
    assert set(found.without) == set(others("highs", "cp-sat", "pulp"))
    assert found.value == pytest.approx(7016)
