"""What runs came to: tables by arm, what went wrong, and that a null is never a number."""

from pathlib import Path

import pytest
from records import figures, record, study
from reported import column, flat, found, meanings, notes, printed, told, words

from colosseum.evidence.figures import RunRecord
from colosseum.evidence.summary import Summary, summarise
from colosseum.report.answer import brief, facts, full, opening, troubles
from colosseum.report.document import Definitions, Table
from colosseum.report.outcomes import (
    difference_table,
    outcome_table,
    trouble_table,
)
from colosseum.report.verdicts import verdict_blocks
from colosseum.run.trial import Listed

EFFECTS = {"baseline": 0.0, "again": 0.0, "emergent": 0.15, "prompted": 0.3}
ARMS = tuple(EFFECTS)
RUNS = Path("runs")


def troubled() -> list[RunRecord]:
    return [
        *study(effects=EFFECTS, seeds=30),
        record("baseline", 31, figures(refused=2)),
        record("emergent", 31, None, reason="timeout: no answer"),
        record("prompted", 31, figures(scalars={"payoff_gap": "the coalition is everybody"}, undecided=1)),
    ]


def of_runs(*records: RunRecord, arms: tuple[str, ...] = ("baseline",)) -> Summary:
    return summarise(records, arms=arms)


# ---- figures by arm ------------------------------------------------------------------------------------------------


def test_outcomes_are_means_with_what_they_lack() -> None:
    summary = summarise(troubled(), arms=ARMS)
    table = outcome_table(summary)
    assert column(table, "arm") == list(ARMS)
    assert [row[1:4] for row in words(table)] == [
        ["31", "0", "31"],
        ["30", "0", "30"],
        ["30", "1", "30"],
        ["31", "0", "31"],
    ]
    mean = summary.rows[3].scalars["joint_payoff"].mean.value
    assert mean is not None
    assert column(table, "joint payoff")[3].startswith(f"{mean:.1f} ± ")
    assert notes(table) == ["missing in 1 of 31 runs: the coalition is everybody"]


def test_an_arm_without_runs_has_no_figures_and_no_pair() -> None:
    summary = summarise(study(effects={"baseline": 0.0}, seeds=3), arms=("baseline", "emergent"))
    table = outcome_table(summary)
    assert words(table)[1] == ["emergent", "0", "0", "0", *["–"] * 8]
    assert set(notes(table)) == {"no complete run"}
    assert notes(difference_table(summary))[0].startswith("no seed makes a pair of runs: ")


def test_a_null_in_every_run_is_a_dash_with_its_reason() -> None:
    nothing = figures(scalars={"outsider_regret": "no outsider", "unit": 0.0})
    summary = of_runs(*(record(a, s, nothing) for a in ("a", "b") for s in (1, 2)), arms=("a", "b"))
    assert column(outcome_table(summary), "outsider regret") == ["–", "–"]
    assert notes(outcome_table(summary)) == ["missing in 2 of 2 runs: no outsider"] * 2
    table = difference_table(summary)
    rows = {row[1]: row[2:] for row in words(table)}
    assert rows["outsider loss, u"] == ["–"]
    assert rows["joint payoff"] == ["+0.00 (0/2 differ)"]
    assert "missing in 2 of 2 pairs: u is not positive" in notes(table)


def test_differences_have_an_interval_where_enough_pairs_differ() -> None:
    summary = summarise(study(effects=EFFECTS, seeds=60), arms=ARMS)
    loss = summary.rows[2].differences["outsider_loss"]
    (cell,) = [row[2] for row in words(difference_table(summary)) if row[:2] == ["emergent", "outsider loss, u"]]
    assert cell.startswith(f"{loss.mean.value:+.3f} [")
    few = words(difference_table(summarise(study(effects=EFFECTS, seeds=8), arms=ARMS)))
    assert all(row[2].endswith("/8 differ)") for row in few)


def test_pairs_that_were_left_out_are_counted_with_reasons() -> None:
    said = [block for block in verdict_blocks(found(troubled())) if isinstance(block, Definitions)]
    left = [words_ for block in said for _, words_ in block.items if words_.startswith("left out: ")]
    assert left == [
        "left out: no treated run (1)", "left out: the treated run failed (1)",
        "left out: the treated run left a variable undecided (1)",
    ]  # fmt: skip


def test_the_coalitions_objective_is_shown_where_it_is_not_what_its_members_earn() -> None:
    control = [record("baseline", seed, figures(scalars={"coalition_value": 7.25})) for seed in (1, 2)]
    treated = [record("told", seed, figures(scalars={"coalition_value": 9.5})) for seed in (1, 2)]
    summary = of_runs(*control, *treated, arms=("baseline", "told"))
    assert column(outcome_table(summary), "coalition value") == ["7.25", "9.50"]
    (row,) = [row for row in words(difference_table(summary)) if row[1] == "coalition value"]
    assert row[2] == "+2.25 (2/2 differ)"


def test_sweep_points_and_models_are_groups() -> None:
    records = [
        *study(effects=EFFECTS, seeds=3, point="n=6"),
        *study(effects=EFFECTS, seeds=3, point="n=7"),
        *study(effects=EFFECTS, seeds=3, point="n=7", model="openai/x"),
    ]
    table = outcome_table(summarise(records, arms=ARMS))
    assert table.grouped
    assert list(dict.fromkeys(column(table, "sweep point"))) == [
        "n=6, sim", "n=7, sim", "n=7, openai/x"
    ]  # fmt: skip
    swept = [r for m in ("sim", "sim/greedy") for r in study(effects=EFFECTS, seeds=3, point=f'model="{m}"', model=m)]
    names = column(outcome_table(summarise(swept, arms=ARMS)), "sweep point")
    assert set(names) == {'model="sim"', 'model="sim/greedy"'}, "the model is named once"


# ---- counts --------------------------------------------------------------------------------------------------------


def test_what_went_wrong_is_counted_where_there_is_any() -> None:
    calm = of_runs(record("baseline", 1, figures(violations={"one_owner": 0})))
    assert (trouble_table(calm).rows, difference_table(calm)) == ((), None)
    wrong = record("baseline", 1, figures(infeasible=True, failed_posts=3, violations={"one_owner": 3}))
    failed = record("baseline", 2, None, reason="timeout: no answer")
    assert words(trouble_table(of_runs(wrong, failed))) == [
        ["one_owner broken, mean per run", "3.00"],
        ["runs that break a hard requirement", "1"], ["posts that were not delivered", "3"],
        ["failed: timeout: no answer", "1"],
    ]  # fmt: skip


# ---- the whole report ----------------------------------------------------------------------------------------------


def test_the_facts_of_a_study() -> None:
    late = Listed("late", "prompted", "", 40, 0, "sim", {}, "")
    report = found(troubled(), missing=[late], params={"n": 6})
    said = list(facts(report))
    assert ("missing", "1 of 124 planned runs are missing, seed 40: audit these to go on") in said
    assert ("who acted", "baseline, again: sim/cooperate") in said
    assert ("", "emergent, prompted: sim/collude, sim/cooperate") in said
    assert ("options", "--set n=6") in said


def test_runs_that_went_wrong_open_a_report_where_they_are_more_than_a_few() -> None:
    assert list(troubles(found(troubled()))) == []
    failed = [record("told", seed, None, reason="timeout: no answer") for seed in range(5)]
    late = [Listed(str(n), "told", "", 90 + n, 0, "sim", {}, "") for n in range(9)]
    broken = [record("again", seed, figures(infeasible=True)) for seed in range(6)]
    report = found([*study(effects=EFFECTS, seeds=2), *failed, *broken], missing=late)
    words_ = list(troubles(report))
    assert words_[:2] == [
        "5 of 28 runs failed: timeout: no answer",
        "6 of 28 runs are infeasible: what was decided breaks a hard rule",
    ]
    assert words_[2].startswith("9 of 28 planned runs are missing, seeds 90..98")
    for blocks in (brief(report, RUNS), opening(report, RUNS), full(report, RUNS)):
        assert set(words_) <= set(told(blocks))


def test_a_study_without_runs_has_no_result() -> None:
    for arms in ((), ("baseline",)):
        for blocks in (brief(found([], arms=arms), RUNS), full(found([], arms=arms), RUNS)):
            every = list(blocks)
            assert "No run is complete yet." in told(every)
            assert not [block for block in every if isinstance(block, Table)]


@pytest.mark.parametrize(("model", "scripted"), [("sim", True), ("openai/gpt-x", False)])
def test_scripted_players_are_announced_and_models_are_not(model: str, scripted: bool) -> None:
    players = ("sim/cooperate",) if scripted else (model, "sim/cooperate")
    report = found([record("baseline", 1, figures(), players=players, model=model)])
    for blocks in (brief(report, RUNS), opening(report, RUNS), full(report, RUNS)):
        assert ("no model was asked" in printed(blocks)) == scripted


@pytest.mark.parametrize("seeds", [3, 40])
def test_the_answer_is_one_screen_with_the_command_that_goes_on(seeds: int) -> None:
    report = found(study(effects=EFFECTS, seeds=seeds))
    blocks = list(brief(report, Path("a folder"), high=24))
    text = printed(blocks)
    assert len(text.splitlines()) <= 24
    last = blocks[-1]
    assert isinstance(last, Definitions)
    assert meanings(last)["more"] == "colosseum report 'a folder' --full"
    if "to settle it" in meanings(last):
        command = flat(meanings(last)["to settle it"])
        assert "colosseum audit 'a folder/spec/jira.colo' --experiment e --seeds 1.." in command
