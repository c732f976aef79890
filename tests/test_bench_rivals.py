"""The benchmark's rivals and its book-keeping: all are asked the same question, and verdicts are what they say."""

from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from bench.__main__ import main
from bench.cases import Refused, case, from_path, held, named, questions
from bench.exact import against_enumeration
from bench.lines import Mark, Measurements
from bench.many import times
from bench.mixtures import mixture
from bench.rivals import RivalAnswer, pulp_rebuild, worth
from bench.rivals.direct import Direct
from bench.single import RIVALS, family_lines
from bench.suite import seconds_of
from rich.console import Console

from colosseum.solve.lowering.program import matrix
from colosseum.solve.solver import Solver


@pytest.mark.parametrize("sized", [("tickets", 4, 5), ("capacity", 6, 3), ("grid", 3, 3, 2), ("tickets_soft", 3, 3)])
def test_rivals_on_the_same_program_agree(sized: tuple[str, ...]) -> None:
    made = case(sized[0], *map(int, sized[1:]), seed=2)
    solver, asked = Solver(made.task), questions(made.scenario, 20)
    for question in asked:
        solver.highs.lowered.objective(question.goal)
    program = solver.highs.lowered.program
    direct = Direct(matrix(program))
    assert "HiGHS" in pulp_rebuild.engines()
    for question in asked:
        expected = solver.maximise(question.goal, fixed=question.fixed)
        form, fixed = solver.highs.lowered.form(question.goal), held(program, question.fixed)
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
def ledger() -> Measurements:
    return Measurements(Console(file=StringIO()), quick=True)


def test_every_way_answers_many_questions_alike(ledger: Measurements) -> None:
    made = named("tickets 3 3")
    found = times(ledger, made, questions(made.scenario, 20))
    assert len(found.solving) == len(found.whole) == len(found.rivals["direct"]) == 20
    assert {"direct", "direct new", "elimination", *pulp_rebuild.engines()} == set(found.rivals)
    assert ledger.compared > 60
    assert not ledger.unequal


def test_a_family_is_compared_with_the_best_engine(ledger: Measurements) -> None:
    lines = {line.what: line for line in family_lines(ledger, "capacity", ["capacity 5 2", "capacity 6 2"], (1, 2))}
    assert lines["capacity 5 2"].ours
    assert lines["capacity 5 2"].rival in ("HiGHS", *RIVALS)
    assert lines["left open where an engine needs 3 s"].verdict == "pass"
    assert not ledger.unequal


def test_a_spec_that_is_refused_is_a_miss(ledger: Measurements) -> None:
    line, *_ = family_lines(ledger, "capacity", ["capacity 1 1"], (1,))
    assert line.verdict == "miss"
    assert "refused" in line.note


def test_figures_of_runs_are_timed(ledger: Measurements) -> None:
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
        return Mark("t", "w", ours, "rival", theirs, **bars).verdict  # type: ignore[arg-type]

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
    def equal(ledger: Measurements) -> None:
        ledger.equal("a", 1.0, 1.0)
        ledger.equal("b", 1.0, 0.5, slack=0.5)
        ledger.tables([Mark("t", "too slow", 2.0, most=1.0)])

    def unequal(ledger: Measurements) -> None:
        ledger.equal("better than ours", 1.0, 1.1, slack=1.0)

    assert main([], {"equal": equal}) == 0
    assert main(["--strict"], {"equal": equal}) == 1
    assert main(["--only", "equal"], {"equal": equal, "unequal": unequal}) == 0
    assert main([], {"equal": equal, "unequal": unequal}) == 1
    assert "UNEQUAL  better than ours: ours 1.0, theirs 1.1" in capsys.readouterr().out


def test_what_is_infeasible_for_one_alone_is_unequal(ledger: Measurements) -> None:
    ledger.equal("both", None, None)
    ledger.at_most("found less", 1.0, 0.3)
    assert not ledger.unequal
    ledger.equal("one", None, 1.0)
    ledger.at_most("found more", 1.0, 1.3)
    assert len(ledger.unequal) == 2


def test_answers_say_what_is_proven() -> None:
    assert RivalAnswer("infeasible").proven
    assert not RivalAnswer("limit", 3.0).proven
