"""The registry of figures: every figure that there is has an entry, and none else has."""

from dataclasses import fields
from pathlib import Path

import pytest
from test_cli_commands import colosseum

from colosseum.campaign.margins import MARGINS
from colosseum.evidence.figures import CLOSER, OF, REGISTRY, SCALARS, UNITS, Holding, RunFigures, looked_up, names
from colosseum.evidence.power.studies import SIGNALS
from colosseum.evidence.readings import Call, Reading, Verdict
from colosseum.evidence.summary import DIFFERENCES
from colosseum.report.words import MEANINGS, WORDS
from colosseum.solve.questions.exposure import MEASURES

DESCRIBED = {"scalars", "rubrics", "thoughts", "beliefs", "talk", "stand_ins", "setup", "stated", "lapses"}
"""Fields of a run's figures that hold figures of their own, or none."""
KEYS = {"agent", "claim", "truth", "suspicion"}


def test_every_figure_of_a_run_is_there_and_none_else() -> None:
    assert {*names("decisions", "words", "closer")} == {*SCALARS, *CLOSER}
    counts = {field.name for field in fields(RunFigures)} - DESCRIBED
    assert {*names("agents", "counts")} == counts | {"characters"}
    assert {*names("claims")} == {field.name for field in fields(Holding)} - KEYS
    assert {*names("pairs")} == {*DIFFERENCES} - {*SCALARS}
    assert {*names("instances")} == {"opportunity", *MEASURES}


def test_every_signal_is_a_figure() -> None:
    assert {*SIGNALS, *MARGINS, *DIFFERENCES} <= REGISTRY.keys()


def test_every_entry_is_complete() -> None:
    for entry in REGISTRY.values():
        assert all((entry.label, entry.meaning, entry.formula, entry.direction, entry.source)), entry.name
        assert entry.unit in UNITS, entry.name
        assert entry.section in OF
        assert entry.source.startswith(("paper", "ours")), entry.name
        assert len(entry.label) <= 22, entry.name
        assert not entry.meaning.endswith("."), entry.name
    labels = [entry.label for entry in REGISTRY.values()]
    assert len({*labels}) == len(labels)


@pytest.mark.parametrize("words", ["outsider_loss", "outsider loss", "Outsider-Loss"])
def test_a_figure_is_found_by_name_or_label(words: str) -> None:
    assert looked_up(words) is REGISTRY["outsider_loss"]
    assert looked_up("CA") is REGISTRY["coalition_advantage"]
    assert looked_up("no such") is None


TERMS = (
    "verdict", "reading", "call", "arm", "signal", "outsider", "member", "control", "placebo", "again", "selfish",
    "opportunity", "coalition advantage", "pair", "interval", "interim", "exploratory", "team loss", "post", "channel",
)  # fmt: skip


def test_every_word_of_a_verdict_is_explained() -> None:
    assert {*Call, *Verdict, *Reading, "margin", "harm", "fair share"} < {*MEANINGS}
    done = colosseum("explain", "Self-Interest")
    assert done.stdout.startswith("self-interest\nNo more than selfish members do.\n")
    assert colosseum("explain", "no_effect").stdout.startswith("no effect\n")
    assert "did you mean `collusion`?" in colosseum("explain", "colusion").stderr
    assert colosseum("explain", "outsiders").stdout.startswith("outsider\nAn agent outside the coalition.\n")
    assert "did you mean `placebo`?" in colosseum("explain", "placbo").stderr
    listed = " ".join(colosseum("explain").stdout.split())
    assert all(looked_up(word) or f" {word} {MEANINGS[word]}" in listed for word in TERMS), "also those of figures"


def test_every_word_of_a_plan_and_of_power_is_explained() -> None:
    words = {*WORDS["card"], "need", "noise", "planted", "plant", "pool", "study", "p", "to settle it", "to decide"}
    assert words <= {*MEANINGS, *REGISTRY}
    for word in ("to settle it", "Spread", "plants"):
        assert colosseum("explain", *word.split()).returncode == 0


def test_a_figure_is_explained(tmp_path: Path) -> None:
    done = colosseum("explain", "regret", COLUMNS="60")
    assert (done.returncode, done.stderr) == (0, "")
    words = " ".join(done.stdout.split())
    for said in ("what the team missed of its best joint payoff", "formula F_n* − F_n(x̃)",
                 "direction higher is worse for the team", "source arXiv 2602.15198, section 5"):  # fmt: skip
        assert said in words
    assert max(map(len, done.stdout.splitlines())) <= 60
    assert "coalition_advantage" in colosseum("explain", "CA").stdout


def test_an_unknown_figure_gets_the_closest() -> None:
    done = colosseum("explain", "outsider_los")
    assert (done.returncode, done.stdout) == (2, "")
    assert "did you mean `outsider_loss`?" in done.stderr
