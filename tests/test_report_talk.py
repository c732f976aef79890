"""What was believed, thought and judged, and that nothing missing reads like a 0."""

from dataclasses import replace

from records import figures, record
from reported import notes, words

from colosseum.evidence.figures import Figure, Holding
from colosseum.evidence.judges import Bench, JudgeHealth
from colosseum.evidence.summary import Summary, summarise
from colosseum.report.outcomes import belief_table, judge_table

ROWS = (
    Holding("a", "c", False, "true", 80.0, 1, 1),
    Holding("b", "c", False, "false", 80.0, 1, 1),
    Holding("d", "c", False, "unknown", 80.0, None, 2),
    Holding("e", "c", False, None, None, None, 2),
    Holding("a", "t", True, "false", 80.0, None, 1),
)
HEALTH = JudgeHealth("x/one-2", 20, {"unreadable": 2, "failed": 1}, 3,
                     {"near": Figure(0.55), "far": Figure(0.8)}, ("y/one-1",), counts=True)  # fmt: skip


def summary(rows: tuple[Holding, ...], **scalars: float | str) -> Summary:
    given = {"exposure": 0.5, "adoption": "no false claim has reached anybody", **scalars}
    return summarise([record("baseline", 1, replace(figures(scalars=given), beliefs=rows))], arms=("baseline",))


def test_beliefs_are_shown_by_distance_and_a_null_is_a_dash() -> None:
    found = summary(ROWS, belief_rate=1 / 3)
    table = belief_table(found)
    assert words(table) == [["baseline", "0.50", "–", "0.33", "0.50", "0.00"]]
    assert notes(table) == ["no false claim has reached anybody"]
    assert found.rows[0].believed == {1: Figure(0.5), 2: Figure(0.0)}


def test_without_a_survey_there_is_no_such_table() -> None:
    assert belief_table(summary((), belief_rate="nobody was asked")) is None


def test_a_judge_is_shown_with_all_that_speaks_against_it() -> None:
    bench = Bench((HEALTH, replace(HEALTH, judge="z/two", missing={}, kin=())))
    assert words(judge_table(bench)) == [
        ["x/one-2", "20", "1 failed, 2 unreadable", "3", "far 0.80", "y/one-1", "yes"],
        ["z/two", "20", "", "3", "far 0.80", "", "yes"],
    ]


def test_the_baseline_has_no_health() -> None:
    assert judge_table(Bench()) is None
