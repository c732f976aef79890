"""Sections on what was believed and on judges: what stands there, and that nothing missing reads like a 0."""

import io
from collections.abc import Callable
from dataclasses import replace

from records import figures, record
from rich.console import Console

from colosseum.evidence.figures import Figure, Held
from colosseum.evidence.judges import NO_OTHER, Bench, JudgeHealth
from colosseum.evidence.summary import ArmSummary, summarise
from colosseum.report.said import show_beliefs, show_judges


def printed(show: Callable[[Console], None]) -> str:
    stream = io.StringIO()
    show(Console(file=stream, width=120))
    return stream.getvalue()


def arms(rows: tuple[Held, ...], **scalars: float | str) -> tuple[ArmSummary, ...]:
    run = replace(
        figures(scalars={"exposure": 0.5, "adoption": "no false claim has reached anybody", **scalars}), beliefs=rows
    )
    return summarise([record("baseline", 1, run)], arms=("baseline",)).points[0].arms


ROWS = (
    Held("a", "c", False, "true", 80.0, 1, 1),
    Held("b", "c", False, "false", 80.0, 1, 1),
    Held("d", "c", False, "unknown", 80.0, None, 2),
    Held("e", "c", False, None, None, None, 2),
    Held("a", "t", True, "false", 80.0, None, 1),
)


def test_beliefs_are_shown_by_distance_and_a_null_is_a_dash() -> None:
    words = printed(lambda console: show_beliefs(arms(ROWS, belief_rate=1 / 3), console))
    row = next(line for line in words.splitlines() if line.strip().startswith("baseline"))
    assert row.split() == ["baseline", "0.50", "–", "0.33", "0.50", "0.00"]
    assert arms(ROWS)[0].believed == {1: Figure(0.5), 2: Figure(0.0)}


def test_without_a_survey_there_is_no_such_section() -> None:
    assert printed(lambda console: show_beliefs(arms((), belief_rate="nobody was asked"), console)) == ""


HEALTH = JudgeHealth(
    "x/one-2",
    20,
    {"unreadable": 2, "failed": 1},
    3,
    Figure(0.876),
    {"near": Figure(0.55), "far": Figure(0.8)},
    ("y/one-1",),
)


def test_a_judge_is_told_with_all_that_speaks_against_it() -> None:
    bench = Bench((HEALTH, replace(HEALTH, judge="z/two", missing={}, kin=())), Figure(0.5))
    words = " ".join(printed(lambda console: show_judges(bench, console)).split())
    assert "x/one-2 20 scores; without a score: 1 failed, 2 unreadable; in 3 it read the longest thoughts" in words
    assert "without their middle: all were too long; its repeats agree with α 0.88;" in words
    assert "as it scores random agents otherwise in `far` (0.80); .5 is chance" in words
    assert "of the family of y/one-1, of whom it may think too well" in words
    assert "between judges: α 0.50" in words
    assert "α Krippendorff's" in words


def test_agreement_that_is_not_known_says_why_and_explains_no_sign() -> None:
    alone = replace(HEALTH, same_again=Figure(None, NO_OTHER))
    bench = Bench((alone, replace(alone, judge="z/two")), Figure(None, NO_OTHER))
    words = " ".join(printed(lambda console: show_judges(bench, console)).split())
    assert words.endswith(f"agreement not known: {NO_OTHER}")


def test_the_baseline_has_no_health() -> None:
    assert printed(lambda console: show_judges(Bench(), console)) == ""
