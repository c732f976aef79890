"""How good a judge is: AUROCs, their limits and false-positive rates, against scipy, definitions and hand counts."""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from chat_server import Answer, Body, ChatServer, calls
from conftest import KEY
from scipy.stats import mannwhitneyu, norm
from test_cli_commands import colosseum

from colosseum.campaign.known_cases import BOUNDS, NEGATIVE, POSITIVE, KnownCase, cases
from colosseum.evidence.calibration import THRESHOLDS, Auroc, Scored, auroc, calibration

DRAW = np.random.default_rng(7)


def some() -> Sequence[KnownCase]:
    """Of each voice and domain in the labelled set, one group of 8, each of 11 cases."""
    return [case for number, case in enumerate(cases()) if number % 88 < 11]


def by_definition(positives: Sequence[float], negatives: Sequence[float]) -> tuple[float, float]:
    """The area and its variance as DeLong et al. write them: every pair is looked at."""
    won = np.array([[1.0 if p > n else 0.5 if p == n else 0.0 for n in negatives] for p in positives])
    rows, columns = won.mean(axis=1), won.mean(axis=0)
    return won.mean(), rows.var(ddof=1) / len(positives) + columns.var(ddof=1) / len(negatives)


@pytest.mark.parametrize(("positives", "negatives"), [
    ([3, 4, 5, 2, 2], [1, 2, 0, 3]),
    ([0, 1, 1, 5], [0, 0, 2, 3, 3, 5]),
    (DRAW.normal(1, 1, 80), DRAW.normal(0, 1, 60)),
    (DRAW.integers(0, 6, 64), DRAW.integers(0, 5, 448)),
])  # fmt: skip
def test_the_area_is_mann_and_whitneys_and_its_limits_are_delongs(
    positives: Sequence[float], negatives: Sequence[float]
) -> None:
    found = auroc(positives, negatives)
    value, variance = by_definition(positives, negatives)
    wins = mannwhitneyu(positives, negatives).statistic
    assert found.value == pytest.approx(wins / len(positives) / len(negatives), abs=1e-12)
    half = norm.ppf(0.975) * np.sqrt(variance)
    assert found.value == pytest.approx(value, abs=1e-12)
    assert found.low == pytest.approx(max(0, value - half), abs=1e-9)
    assert found.high == pytest.approx(min(1, value + half), abs=1e-9)


def test_a_case_by_hand() -> None:
    # 3 beats 1 and 2; 2 beats 1 and ties with 2: 3.5 of 4. Rows 1 and 3/4, columns 1 and 3/4: each of variance 1/32.
    found = auroc([3, 2], [1, 2])
    half = norm.ppf(0.975) * np.sqrt(1 / 32 / 2 + 1 / 32 / 2)
    assert found.value == 0.875
    assert found.low == pytest.approx(0.875 - half, abs=1e-9)
    assert found.high == 1


def test_twins_are_no_independent_cases() -> None:
    above, below = [2, 3, 5, 4, 1, 3], [1, 2, 4, 0, 1, 3]
    names = ["a", "a", "b", "b", "c", "c"]
    found = auroc(above, below, groups=(names, names))
    won = np.array([[1.0 if p > n else 0.5 if p == n else 0.0 for n in below] for p in above])
    rows, columns = won.mean(axis=1) - won.mean(), won.mean(axis=0) - won.mean()
    r, c = (values.reshape(3, 2).sum(axis=1) for values in (rows, columns))
    # Obuchowski 1997: sums by group, each with k/(k-1), and twice what both sides share.
    variance = 1.5 * (r @ r + c @ c + 2 * r @ c) / 36
    assert found.high is not None
    assert found.low is not None
    assert found.low == pytest.approx(max(0, found.value - norm.ppf(0.975) * np.sqrt(variance)), abs=1e-9)
    # a case and its copy in one group tell as much as the case alone, but for k/(k-1)
    once, twice = (
        auroc([3, 1, 4] * k, [0, 2, 2] * k, groups=(["a", "b", "c"] * k, ["d", "e", "f"] * k)) for k in (1, 2)
    )
    assert (once.low, once.high) == pytest.approx((twice.low, twice.high), abs=1e-12)


@pytest.mark.parametrize(("positives", "negatives", "value"), [
    ([2, 2], [2, 2, 2], 0.5), ([5, 4], [0, 1], 1.0), ([0, 1], [3, 4], 0.0), ([3], [1, 2, 5], 2 / 3),
])  # fmt: skip
def test_without_a_variance_there_are_no_limits(
    positives: Sequence[float], negatives: Sequence[float], value: float
) -> None:
    found = auroc(positives, negatives)
    assert found == Auroc(pytest.approx(value), None, None, found.reason)
    assert found.reason


def test_what_a_judge_adds_is_the_area_less_the_floors_on_the_same_cases() -> None:
    judge, words = ([3.0, 4, 5, 2, 2], [1.0, 2, 0, 3]), ([1.0, 0, 4, 2, 3], [1.0, 2, 2, 0])
    found = auroc(*judge, against=words)
    assert found.value == pytest.approx(auroc(*judge).value - auroc(*words).value, abs=1e-12)
    rows, columns = (np.zeros(5), np.zeros(4))
    for sign, (above, below) in ((1, judge), (-1, words)):
        won = np.array([[1.0 if p > n else 0.5 if p == n else 0.0 for n in below] for p in above])
        rows, columns = rows + sign * won.mean(axis=1), columns + sign * won.mean(axis=0)
    half = norm.ppf(0.975) * np.sqrt(rows.var(ddof=1) / 5 + columns.var(ddof=1) / 4)
    assert (found.low, found.high) == pytest.approx((found.value - half, found.value + half), abs=1e-9)
    assert auroc(*judge, against=judge) == Auroc(0.0, None, None, found.reason or auroc([1], [0]).reason)
    scored = [Scored(case, float(case.label)) for case in some()]
    flat = calibration("x", scored, {case.name: 0.0 for case in some()})
    assert {row.beyond.value for row in flat.rows if row.beyond} == {0.5}


def test_rates_are_counted_and_what_is_missing_is_never_0() -> None:
    scored = []
    for case in some():
        odd = case.stratum == "quoting"
        score = None if odd and "-jira-" in case.name else 4.0 if case.label else 2.0 if odd else 0.0
        scored.append(Scored(case, score, "unreadable" if score is None else ""))
    found = calibration("x", scored)
    voices, held = 4, 1
    assert found.missing == {"unreadable": voices + held}
    rows = {(row.name, row.held_out): row for row in found.rows}
    assert set(rows) == {(name, out) for name in ("all", *POSITIVE, *NEGATIVE) for out in (False, True)}
    row = rows["quoting", False]
    assert (row.positives, row.negatives, row.missing) == (voices * 2 * len(POSITIVE), voices, voices)
    assert rows["split", False].missing == voices
    assert rows["refusal", True].missing == 0
    assert {row.auroc.value for row in found.rows if row.auroc} == {1.0}
    low, high = THRESHOLDS
    none = row.alarms[high]
    assert (row.alarms[low].share, none.share) == (1, 0)
    assert rows["all", False].alarms[low].share == pytest.approx(1 / (2 * len(NEGATIVE) - 1))
    assert rows["split", False].alarms == {}
    z2 = norm.ppf(0.975) ** 2
    assert (none.low, none.high) == pytest.approx((0, z2 / (voices + z2)), abs=1e-9)


def test_a_stratum_without_a_score_is_null() -> None:
    scored = [Scored(case, None, "failed") if case.stratum == "split" else Scored(case, 1.0) for case in some()]
    found = calibration("x", scored)
    assert {row.auroc for row in found.rows if row.name == "split"} == {None}
    scored = [Scored(case, None, "failed") if case.stratum == "refusal" else Scored(case, 1.0) for case in some()]
    assert [row.alarms for row in calibration("x", scored).rows if row.name == "refusal"] == [{}, {}]


# ---- the command -------------------------------------------------------------------------------------------------


def test_the_baseline_is_measured_named_and_compared(tmp_path: Path) -> None:
    done = colosseum("judge", "calibrate", "--out", tmp_path)
    assert done.returncode == 0, done.stderr
    content = json.loads((tmp_path / "calibration.json").read_bytes())
    (judge,) = content["judges"]
    assert judge["judge"] == "sim/judge"
    assert content["floor"]["judge"] == "bag of words"
    floor, rows = content["floor"]["rows"][0], judge["rows"]
    assert rows[0]["beyond"]["value"] == pytest.approx(rows[0]["auroc"]["value"] - floor["auroc"]["value"])
    low, high = BOUNDS
    for rows in content["trivial"].values():
        assert all(low <= row["auroc"]["value"] <= high for row in rows["rows"] if row["name"] == "all")
    page = done.stdout
    assert "a baseline of words" in page
    assert all(name in page for name in (*POSITIVE, *NEGATIVE, "keywords", "held out", "beyond the bag of words"))


def says_nothing_of_it(body: Body) -> Answer:
    if any(t["function"]["name"] == "ready" for t in body.get("tools", [])):
        return calls(("ready", {}))
    return calls(("judge", {"score": 0, "quote": "", "rationale": "nothing there"}))


def test_a_budget_ends_it_and_what_was_left_has_no_score(tmp_path: Path) -> None:
    with ChatServer(says_nothing_of_it) as server:
        done = colosseum("judge", "calibrate", "--judge", "openai/judge", "--api-base", server.url, "--price", "10,10",
                         "--budget", "0.06", "--out", tmp_path, "--json", OPENAI_API_KEY=KEY)  # fmt: skip
        asked = len(server.requests) - 1
    assert done.returncode == 4, done.stderr
    (judge,) = json.loads(done.stdout)["judges"]
    assert judge["judge"] == "openai/judge"
    assert 0 < asked < 880
    assert judge["missing"] == {"not asked": 880 - asked}
    assert json.loads((tmp_path / "calibration.json").read_bytes())["judges"] == [judge]
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert not [path for path in files if KEY in path.read_text(encoding="utf-8")]


@pytest.mark.parametrize(("judge", "said"), [("sim/nobody", "no judge"), ("nobody", "no provider")])
def test_who_is_no_judge_is_refused(judge: str, said: str) -> None:
    done = colosseum("judge", "calibrate", "--judge", judge)
    assert done.returncode == 2
    assert said in done.stderr


def test_a_folder_of_that_name_is_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "calibrate").mkdir()
    monkeypatch.chdir(tmp_path)
    done = colosseum("judge", "calibrate")
    assert done.returncode == 2
    assert "AUROC" not in done.stdout
