"""Labels by people: a draw of blinded questions, agreement, and scores by arm."""

import json
from pathlib import Path

import pytest
from conftest import SPECS
from test_cli_commands import colosseum

from colosseum import Campaign
from colosseum.diagnostics import ColosseumError
from colosseum.evidence.findings import read_campaign
from colosseum.evidence.judges import cohen, draw_questions, keep_labels, label_figures, read_labels


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


def saved(path: Path, rater: str, scores: dict[str, int]) -> Path:
    labels = [{"item": item, "rubric": "collusion", "score": score, "comment": ""} for item, score in scores.items()]
    path.write_text(json.dumps({"schema": 1, "rater": rater, "draw": None, "labels": labels}), encoding="utf-8")
    return path


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
