"""The benchmark's rivals and its book-keeping: all are asked the same question, and verdicts are what they say."""

from importlib.util import find_spec
from io import StringIO
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from bench.__main__ import main
from bench.cases import Refused, case, from_path, held, named, questions
from bench.exact import against_enumeration
from bench.families import FAMILIES
from bench.lines import Ledger, Line
from bench.many import times
from bench.mixtures import mixture
from bench.network import Network, Unnatural, network
from bench.rivals import Answer, cp_sat, pulp_rebuild, toulbar2, worth
from bench.rivals.direct import Direct
from bench.single import compared
from bench.suite import seconds_of
from rich.console import Console

from colosseum.solve.goal import WELFARE
from colosseum.solve.lowering.program import matrix
from colosseum.solve.scoring import hard_broken, score
from colosseum.solve.solver import Solver

SMALLEST = [(name, *family.smallest) for name, family in FAMILIES.items()]


def paid(made: Network, places: tuple[int, ...]) -> float | None:
    """What a network pays at places of values; None where a row is broken."""
    for low, high, items in made.rows:
        body = sum(weight for v, d, weight in items if places[v] == d)
        if (low is not None and body < low - 1e-9) or (high is not None and body > high + 1e-9):
            return None
    value = made.constant + sum(worths[place] for worths, place in zip(made.unary, places, strict=True))
    for scope, worths in made.tables.items():
        value += worths[int(np.ravel_multi_index([places[v] for v in scope], [made.sizes[v] for v in scope]))]
    for price, constant, items in made.excesses:
        value -= price * max(0.0, constant + sum(weight for v, d, weight in items if places[v] == d))
    return value


@pytest.mark.parametrize("sized", [*SMALLEST, ("tickets_soft", 4, 2)], ids=lambda s: s[0])
def test_the_natural_model_pays_what_the_task_pays(sized: tuple[str, ...]) -> None:
    task = case(sized[0], *map(int, sized[1:]), seed=3).task
    made = network(task)
    for places in product(*map(range, made.sizes)):
        x = {v.name: v.domain[place] for v, place in zip(task.variables, places, strict=True)}
        expected = None if hard_broken(task.requirements, x) else score(task, x).value
        assert paid(made, places) == (None if expected is None else pytest.approx(expected, abs=1e-9))


def test_what_is_no_table_and_no_sum_is_unnatural(tmp_path: Path) -> None:
    path = tmp_path / "product.colo"
    path.write_text(
        "colosseum 1\nscenario s\nagents agent[1..12]\nvariable v[agents]: 0..3\n"
        "reward r: sum(v[a] for a in agents) * sum(v[a] for a in agents)\n",
        encoding="utf-8",
    )
    with pytest.raises(Unnatural, match="12 variables"):
        network(from_path(path, seed=1).task)


@pytest.mark.parametrize("rival", ["ortools", "pytoulbar2"])
@pytest.mark.parametrize("sized", [("capacity", 6, 3), ("tickets_soft", 4, 2), ("tuples", 6, 2, 4)])
def test_rivals_in_processes_agree(rival: str, sized: tuple[str, ...]) -> None:
    if find_spec(rival) is None:
        pytest.skip(f"{rival} is not installed")
    task = case(sized[0], *map(int, sized[1:]), seed=2).task
    found = {"ortools": cp_sat, "pytoulbar2": toulbar2}[rival].solve(task, limit=20.0)
    assert found.outcome == "optimal", found.note
    assert found.value == pytest.approx(Solver(task).maximise(WELFARE).value, abs=found.slack)


@pytest.mark.parametrize("sized", [("tickets", 4, 5), ("capacity", 6, 3), ("grid", 3, 3, 2), ("tickets_soft", 3, 3)])
def test_rivals_on_the_same_program_agree(sized: tuple[str, ...]) -> None:
    made = case(sized[0], *map(int, sized[1:]), seed=2)
    solver, asked = Solver(made.task), questions(made.scenario, 20)
    for question in asked:
        solver.lowered.objective(question.goal)
    program = solver.lowered.program
    direct = Direct(matrix(program))
    assert "HiGHS" in pulp_rebuild.engines()
    for question in asked:
        expected = solver.maximise(question.goal, fixed=question.fixed)
        form, fixed = solver.lowered.form(question.goal), held(program, question.fixed)
        weights = np.zeros(len(program.columns))
        weights[list(form.coefficients)] = list(form.coefficients.values())
        points = [direct.maximise(weights, fixed)]
        points += [pulp_rebuild.maximise(program, form, fixed, engine=engine) for engine in pulp_rebuild.engines()]
        for point in points:
            if expected.status == "infeasible":
                assert point is None
                continue
            assert point is not None
            assert worth(made.task, question.goal, program.decode(point)) == pytest.approx(expected.value, abs=1e-6)


@pytest.mark.parametrize("seed", range(1, 9))
def test_mixtures_of_statements_agree_with_enumeration(seed: int, tmp_path: Path) -> None:
    path = tmp_path / "mixture.colo"
    path.write_text(mixture(seed), encoding="utf-8")
    found = list(against_enumeration(from_path(path, seed=seed), seed))
    assert len(found) >= 10
    assert not [(question.words, words) for question, words in found if words]


@pytest.fixture
def ledger() -> Ledger:
    return Ledger(Console(file=StringIO()), quick=True)


def test_every_way_answers_many_questions_alike(ledger: Ledger) -> None:
    made = named("tickets 3 3")
    found = times(ledger, made, questions(made.scenario, 20))
    assert len(found.solving) == len(found.whole) == len(found.rivals["direct"]) == 20
    assert {"direct", "direct new", "elimination", *pulp_rebuild.engines()} == set(found.rivals)
    assert ledger.compared > 60
    assert not ledger.unequal


def test_every_rival_of_a_single_solve_is_named(ledger: Ledger) -> None:
    lines = {line.rival: line for line in compared(ledger, "capacity 5 2", (1, 2), bar=5.0)}
    assert set(lines) == {"HiGHS", "elimination", "CP-SAT", "toulbar2"}
    for rival, library in {"CP-SAT": "ortools", "toulbar2": "pytoulbar2"}.items():
        if find_spec(library) is None:
            assert "not installed" in lines[rival].note
        else:
            assert lines[rival].theirs
    assert not ledger.unequal


def test_a_spec_that_is_refused_is_a_miss(ledger: Ledger) -> None:
    (line,) = compared(ledger, "capacity 1 1", (1,), bar=5.0)
    assert line.verdict == "miss"
    assert "refused" in line.note


def test_figures_of_runs_are_timed(ledger: Ledger) -> None:
    assert len(seconds_of(ledger, named("capacity 5 2"), 2)) == 3
    assert ledger.compared == 2
    assert not ledger.unequal


def test_an_instance_that_does_not_expand_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "wrong.colo"
    path.write_text("colosseum 1\nscenario s\nagents a\nreward r: nothing\n", encoding="utf-8")
    with pytest.raises(Refused, match="C041"):
        from_path(path, seed=1)


def test_verdicts() -> None:
    def line(ours: float | None, theirs: float | None = None, **bars: float) -> str:
        return Line("t", "w", ours, "rival", theirs, **bars).verdict  # type: ignore[arg-type]

    assert line(1.0, most=1.0) == "pass"
    assert line(1.1, most=1.0) == line(None, most=1.0) == "miss"
    assert line(1.2, 1.0, most_ratio=1.2) == "pass"
    assert line(1.3, 1.0, most_ratio=1.2) == line(1.0, None, most_ratio=1.2) == "miss"
    assert line(0.5, 1.0, most=0.4, most_ratio=1.2) == "miss"
    assert line(0.9, 1.0) == "ahead"
    assert line(1.1, 1.0) == "loss"
    assert line(1.04, 1.0) == line(0.96, 1.0) == "even"
    assert line(1.1) == "-"
    assert line(1.1, 1.0, unproven=True) == "ahead"


def test_unequal_values_end_in_exit_code_1(capsys: pytest.CaptureFixture[str]) -> None:
    def equal(ledger: Ledger) -> None:
        ledger.equal("a", 1.0, 1.0)
        ledger.equal("b", 1.0, 0.5, slack=0.5)
        ledger.tables([Line("t", "too slow", 2.0, most=1.0)])

    def unequal(ledger: Ledger) -> None:
        ledger.equal("better than ours", 1.0, 1.1, slack=1.0)

    assert main([], {"equal": equal}) == 0
    assert main(["--strict"], {"equal": equal}) == 1
    assert main(["--only", "equal"], {"equal": equal, "unequal": unequal}) == 0
    assert main([], {"equal": equal, "unequal": unequal}) == 1
    assert "UNEQUAL  better than ours: ours 1.0, theirs 1.1" in capsys.readouterr().out


def test_what_is_infeasible_for_one_alone_is_unequal(ledger: Ledger) -> None:
    ledger.equal("both", None, None)
    ledger.at_most("found less", 1.0, 0.3)
    assert not ledger.unequal
    ledger.equal("one", None, 1.0)
    ledger.at_most("found more", 1.0, 1.3)
    assert len(ledger.unequal) == 2


def test_answers_say_what_is_proven() -> None:
    assert Answer("infeasible").proven
    assert not Answer("limit", 3.0).proven
