"""Variance shares: those of an analysis of variance of equal numbers, unbiased of others, joint where unknown."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_cli_commands import colosseum as command

import colosseum
from colosseum.evidence.spread import VarianceShare, _beside, shares

SPEC = """colosseum 1
scenario wordings
agents A, B, C, D
variable v[agents]: 1..6
reward r[a in agents]: v[a]
coalition pair { members ~ sample(agents, 2) }
secret channel aside for pair
prompt plea for pair {
  plain: ""
  bent: paraphrases "One, with {{ allies }}." "Two, with {{ allies }}." "Three, with {{ allies }}."
}
experiment study "?" {
  seeds 1..6
  repeats 3
  arm baseline { }
  arm bent { plea bent  aside on  model "sim/random" }
}
"""


def told(values: list[float], seeds: list[int], wordings: list[int]) -> dict[str, VarianceShare]:
    found = shares(values, {"seeds": seeds, "wordings": wordings})
    assert not isinstance(found, str)
    return {each.factor: each for each in found}


@given(st.integers(0, 10**6), st.integers(2, 8), st.integers(2, 5))
@settings(max_examples=25)
def test_of_equal_numbers_they_are_those_of_an_analysis_of_variance(seed: int, rows: int, columns: int) -> None:
    values = np.random.default_rng(seed).normal(0, 1, (rows, columns)) + np.arange(rows)[:, None]
    found = told(values.ravel().tolist(), [row for row in range(rows) for _ in range(columns)], [0] * values.size)
    means = values.mean(axis=1)
    within = float(((values - means[:, None]) ** 2).sum()) / (rows * (columns - 1))
    between = max(0.0, (columns * float(means.var(ddof=1)) - within) / columns)
    assert [found[name].variance for name in ("seeds", "repeats")] == pytest.approx([between, within], abs=1e-9)
    assert sum(each.variance_share for each in found.values()) == pytest.approx(1)


def test_of_unequal_numbers_they_are_right_in_the_mean() -> None:
    """Seeds 4, wordings 1, repeats 2, in a design with gaps; over 400 draws."""
    coin = np.random.default_rng(5)
    seeds = [s for s in range(30) for _ in range(1 + s % 3)]
    wordings = [(s + n) % 4 for n, s in enumerate(seeds)]
    sums = {"seeds": 0.0, "wordings": 0.0, "repeats": 0.0}
    for _ in range(400):
        parts = coin.normal(0, 2, 30)[seeds] + coin.normal(0, 1, 4)[wordings] + coin.normal(0, 2**0.5, len(seeds))
        for name, each in told(parts.tolist(), seeds, wordings).items():
            sums[name] += each.variance / 400
    assert [sums[name] for name in ("seeds", "wordings", "repeats")] == pytest.approx([4, 1, 2], rel=0.15)


def test_what_runs_do_not_tell_apart_has_one_share() -> None:
    values = [0.1, 0.4, 0.2, 0.9]
    assert told(values, [1, 2, 3, 4], [0] * 4).keys() == {"seeds and repeats"}
    assert told(values, [1, 1, 2, 2], [1, 1, 2, 2]).keys() == {"seeds and wordings and repeats"}
    assert told(values, [1, 2, 3, 4], [1, 1, 2, 2]).keys() == {"wordings", "seeds and repeats"}
    assert shares([0.5, 0.5], {"seeds": [1, 2], "wordings": [0, 0]}) == "all values are equal"
    assert shares([], {"seeds": [], "wordings": []}) == "there is no value"


def test_twice_as_many_seeds_halve_the_variance_of_the_mean_unless_wordings_differ() -> None:
    found = told([1.0, 1.2, 3.0, 3.3, 5.0, 5.1], [1, 1, 2, 2, 3, 3], [0] * 6)
    assert found["seeds"].left_if_doubled == pytest.approx(0.5)
    assert 0.9 < found["repeats"].left_if_doubled < 1
    crossed = told([1.0, 4.2, 1.1, 3.9, 1.3, 4.0], [1, 1, 2, 2, 3, 3], [1, 2] * 3)
    assert crossed["wordings"].left_if_doubled < 0.6 < crossed["seeds"].left_if_doubled


def test_a_report_tells_them_and_so_do_the_figures(tmp_path: Path) -> None:
    (tmp_path / "spec.colo").write_text(SPEC, encoding="utf-8")
    campaign = colosseum.audit(tmp_path / "spec.colo", out=tmp_path / "runs")
    first = next(each for each in campaign.findings.report.origins if each.signal == "outsider_loss")
    assert [(part.factor, part.levels) for part in first.shares] == [("seeds", 6), ("wordings", 3), ("repeats", 18)]
    words = command("report", campaign.folder, "--full", COLUMNS="80", NO_COLOR="1").stdout
    assert "Where the spread of effects comes from" in words
    content = json.loads(command("report", campaign.folder, "--json").stdout)["origins"]
    assert [part["factor"] for part in content[0]["shares"]] == ["seeds", "wordings", "repeats"]
    assert all(bool(each["shares"]) != bool(each["reason"]) for each in content)
    records = campaign.findings.records
    cells = [seed for seed, _, _ in _beside(records, "baseline", "bent")]
    assert cells == [run.seed for run in records if run.arm == "baseline"], "whatever the hash seed is"
