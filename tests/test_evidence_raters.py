"""Labels by people: a draw of blinded questions, agreement, and scores by arm."""

import json
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest
from conftest import SPECS
from test_cli_commands import colosseum

from colosseum import Campaign
from colosseum.diagnostics import ColosseumError
from colosseum.evidence.findings import read_campaign
from colosseum.evidence.judges import LabelDraw, cohen, draw_questions, keep_labels, label_figures, read_labels
from colosseum.evidence.statistics import Interval, rectified


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("labels") / "runs"
    assert colosseum("audit", SPECS / "jira.colo", "--seeds", "1..2", "--out", place).returncode == 0
    return place


def ratings(*shares: tuple[int, int]) -> list[int]:
    return [score for score, times in shares for _ in range(times)]


@pytest.mark.parametrize(
    ("one", "other", "plain", "weighted"),
    [
        (ratings((1, 25), (0, 25)), ratings((1, 20), (0, 5), (1, 10), (0, 15)), 0.4, 0.4),
        ([2, 0, 2, 2, 0, 1], [0, 0, 2, 2, 0, 2], 0.4286, 0.5455),
        (ratings((0, 46), (1, 44), (2, 10)), ratings((0, 50), (1, 40), (2, 10)), 0.9315, 0.9541),
    ],
)
def test_kappa_is_that_of_worked_examples(one: list[int], other: list[int], plain: float, weighted: float) -> None:
    """Those of Wikipedia and of scikit-learn's documentation and tests; the second weighted one is by hand."""
    pairs = list(zip(one, other, strict=True))
    assert cohen(pairs, lambda a, b: a != b).value == pytest.approx(plain, abs=1e-4)
    assert cohen(pairs, lambda a, b: (a - b) ** 2).value == pytest.approx(weighted, abs=1e-4)


def test_kappa_without_a_pair_or_without_a_difference_has_a_reason() -> None:
    assert cohen([], lambda a, b: a != b).value is None
    assert cohen([(3, 3), (3, 3)], lambda a, b: a != b).reason == "all scores are equal"
    for distance in (lambda a, b: a != b, lambda a, b: (a - b) ** 2):
        assert cohen([(1, 4)], distance).value is None
        assert cohen([(1, 4)], distance).reason == "one label of both says nothing of agreement"


def saved(path: Path, rater: str, scores: dict[str, int], draw: LabelDraw | None = None) -> Path:
    labels = [{"item": item, "rubric": "collusion", "score": score, "comment": ""} for item, score in scores.items()]
    drawn = asdict(draw) if draw else None
    path.write_text(json.dumps({"schema": 1, "rater": rater, "draw": drawn, "labels": labels}), encoding="utf-8")
    return path


def test_people_correct_a_judge_by_the_difference_estimator() -> None:
    """By hand: 4 runs of mean 2, two of them read; people give 0.5 more, `s²(Y) = 4.5` and `s²(e) = 0.5`."""
    found = rectified([0, 1, 3, 4], [(0, 1), (4, 4)])
    assert isinstance(found, Interval)
    assert found.mean == pytest.approx(2.5)
    half = 12.706204736432095 * (4.5 / 4 + (1 / 2 - 1 / 4) * 0.5) ** 0.5
    assert (found.low, found.high) == pytest.approx((2.5 - half, 2.5 + half))
    assert rectified([0, 1], [(0, 1)]) == "fewer than two runs have labels"
    assert rectified([1, 1, 1], [(1, 2), (1, 2)]) == "all labels are equal"


def expected(share: float) -> float:
    """What two raters give on average, rounding and the ends of the scale included, by 4 million draws."""
    plot = (np.random.default_rng(1).random(4_000_000) < share) * 4.0
    return float(np.clip(np.rint(plot + np.random.default_rng(2).normal(0, 1, len(plot))), -5, 5).mean())


TRUTH = {False: expected(0.5), True: expected(0.15)}


@pytest.mark.parametrize("skewed", [False, True])
@pytest.mark.parametrize(("runs", "read"), [(40, 10), (40, 20), (100, 20)])
def test_corrected_means_cover_what_raters_would_give(runs: int, read: int, skewed: bool) -> None:
    """Raters who err, and a judge who sees half of it and adds one point: the judge's own mean is always off."""
    chance, covered, studies = np.random.default_rng(46), 0, 2_000
    for _ in range(studies):
        plot = (chance.random(runs) < (0.15 if skewed else 0.5)) * 4.0
        people = np.clip(np.rint(plot + chance.normal(0, 1, (2, runs))), -5, 5).mean(axis=0)
        judge = np.clip(np.rint(0.5 * plot + 1 + chance.normal(0, 1, runs)), -5, 5)
        found = rectified(judge.tolist(), list(zip(judge[:read].tolist(), people[:read].tolist(), strict=True)))
        truth = TRUTH[skewed]
        covered += isinstance(found, Interval) and found.low <= truth <= found.high
    assert covered / studies >= 0.93


def test_labels_are_kept_and_come_to_figures(folder: Path, tmp_path: Path) -> None:
    plan = read_campaign(folder)
    draw, questions = draw_questions(folder, plan, runs=6)
    assert (draw.runs, draw.of, len(questions)) == (6, 12, 12)
    assert draw_questions(folder, plan, runs=6) == (draw, questions)
    asked = read_labels(folder).asked
    arms = {each.trial: each.arm for each in plan.trials}
    mine = {name: 4 if asked[name] == (asked[name][0], "coalition") else 1 for name in questions}
    files = [saved(tmp_path / "a.json", "Ann", mine), saved(tmp_path / "b.json", "Ben", mine)]
    figures = dict(label_figures(keep_labels(folder, plan, files), plan))
    assert figures["κ of Ann and Ben, 12 labels"].value == 1
    assert {name: figure.value for name, figure in figures.items() if name.startswith("people")} == {
        f"people, `{arms[trial]}`": 3 for trial, _ in sorted(asked.values(), key=lambda each: each[0])
    }
    assert len(keep_labels(folder, plan, [saved(tmp_path / "b.json", "Ben", {})]).raters) == 2
    done = colosseum("judge", "label", folder, "--import", files[0], files[1])
    assert done.returncode == 0, done.stderr
    assert f"kept in {folder}: Ann 12 labels, Ben 0 labels\n" in done.stderr
    refused = colosseum("judge", "label", folder, "--out", tmp_path / "x.html", "--json")
    assert (refused.returncode, "`--json` is for the report after `--import`" in refused.stderr) == (2, True)
    twice = json.loads(files[0].read_text(encoding="utf-8"))
    twice["labels"].append({**twice["labels"][0], "score": 0})
    (tmp_path / "twice.json").write_text(json.dumps(twice), encoding="utf-8")
    with pytest.raises(ColosseumError, match=f"gives two scores of {twice['labels'][0]['item']}"):
        keep_labels(folder, plan, [tmp_path / "twice.json"])
    labelled = Campaign(folder).add_labels(files)
    assert labelled.findings.bench.ratings["weighted κ of Ann and Ben, 0 labels"].value is None
    assert labelled.findings.bench.corrected == ()
    drawn = [saved(tmp_path / "c.json", "Cleo", mine, draw)]
    drawn.append(saved(tmp_path / "d.json", "Dan", mine, replace(draw, of=9)))
    by = {each.arm: each for each in Campaign(folder).add_labels(drawn[:1]).findings.bench.corrected}
    assert sum(each.labelled for each in by.values()) == 6
    assert {each.runs for each in by.values()} == {2}
    assert {each.mean.reason for each in by.values() if each.labelled == 1} <= {"fewer than two runs have labels"}
    late = Campaign(folder).add_labels(drawn).findings.bench.corrected
    assert {each.mean.reason for each in late} == {"runs were added since the labels were drawn"}
    shown = json.loads(colosseum("report", folder, "--json").stdout)
    assert shown["bench"]["ratings"]["weighted κ of Ann and Ben, 0 labels"]["value"] is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "holds no labels as the page saves them: Invalid JSON"),
        ('{"schema": 1, "rater": "", "draw": null, "labels": []}', "rater"),
        ('{"schema": 1, "rater": "A", "draw": null, "labels": [{"item": "x", "rubric": "c", "score": 9}]}', "score"),
        ('{"schema": 1, "rater": "A", "draw": null, "labels": [{"item": "x", "rubric": "c", "score": 1}]}', "another"),
    ],
)
def test_a_file_that_holds_no_labels_of_this_folder_is_refused(
    folder: Path, tmp_path: Path, text: str, words: str
) -> None:
    path = tmp_path / "labels.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ColosseumError, match=words):
        keep_labels(folder, read_campaign(folder), [path])
