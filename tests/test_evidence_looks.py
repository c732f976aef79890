"""Looks: published boundaries, what a look costs, and what becomes of looks that are on file."""

import math
from pathlib import Path

import numpy as np
import pytest
from conftest import MATCH
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtri
from test_cli_commands import colosseum

from colosseum.evidence import statistics
from colosseum.evidence.findings import read_report
from colosseum.evidence.statistics import RATE, rate_of, shares_seen
from colosseum.evidence.verdict import Rule


def critical(shares: tuple[float, ...]) -> float:
    return -float(ndtri(rate_of(shares) / 2))


@pytest.mark.parametrize(
    ("power", "published"),
    [(1, (2.58, 2.49, 2.41, 2.34, 2.28)), (2, (3.09, 2.71, 2.47, 2.28, 2.11)), (3, (3.54, 2.97, 2.61, 2.31, 2.05))],
)
def test_boundaries_are_those_of_the_literature(
    power: int, published: tuple[float, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Jennison & Turnbull (2000), Group Sequential Methods, section 7.2: five looks, α spent as its t-th power."""
    monkeypatch.setattr(statistics, "POWER_OF_TIME", power)
    rate_of.cache_clear()
    shares = tuple(n / 5 for n in range(1, 6))
    assert [critical(shares[:n]) for n in range(1, 6)] == pytest.approx(published, abs=0.006)
    rate_of.cache_clear()


def test_ten_looks_find_no_more_than_one() -> None:
    shares = tuple(n / 10 for n in range(1, 11))
    limits = [critical(shares[:n]) for n in range(1, 11)]
    steps = np.random.default_rng(3).normal(size=(400_000, 10)) * math.sqrt(0.1)
    reached = steps.cumsum(axis=1) / np.sqrt(shares)
    assert (reached > limits).any(axis=1).mean() == pytest.approx(RATE / 2, abs=0.0008)


def test_who_never_looks_before_the_plan_loses_nothing() -> None:
    assert Rule(planned=40, seen=(40,)).rate == RATE
    assert Rule(planned=40, seen=(10, 20, 40)).rate < RATE
    assert Rule(planned=40, seen=(10, 20, 40)).rate > 0.9 * RATE
    assert Rule().rate == RATE


@settings(max_examples=20)
@given(st.sets(st.integers(1, 39), min_size=1, max_size=6), st.integers(1, 39))
def test_a_look_more_leaves_less(seeds: set[int], more: int) -> None:
    few, many = (rate_of(shares_seen(sorted([*each, 40]), 40)) for each in (seeds, seeds | {more}))
    assert 0 < many <= few * (1 + 1e-6)
    assert few < RATE


def test_an_interim_call_needs_stronger_evidence_the_earlier_it_is() -> None:
    early, late, plan = (Rule(planned=40, seen=(seeds,)) for seeds in (8, 32, 40))
    assert early.rate < late.rate < plan.rate
    assert (early.interim, late.interim, plan.interim) == (True, True, False)
    assert early.last_rate == Rule(planned=40, seen=(8, 40)).rate


def test_a_look_at_little_more_is_the_same_look() -> None:
    assert shares_seen([500, 505, 510], 1000) == (0.5, 0.51)
    assert shares_seen([990, 995, 1000], 1000) == (0.99, 1.0), "the plan is a look of its own"
    assert shares_seen([5, 20, 25], 20) == (0.25, 1.0)


# ---- on file -------------------------------------------------------------------------------------------------------


def test_every_report_is_a_look_of_the_ledger(tmp_path: Path) -> None:
    spec, out = tmp_path / "match.colo", tmp_path / "out"
    spec.write_text(MATCH.replace("experiment e { ", "experiment e { seeds 1..8  "), encoding="utf-8")
    rules = []
    for seeds in ("1..2", "1..5", "1..8"):
        assert colosseum("audit", spec, "--seeds", seeds, "--out", out).returncode == 0
        rules.append(read_report(out).verdicts.rule)
    assert [rule.seen for rule in rules] == [(2,), (2, 5), (2, 5, 8)]
    assert [rule.interim for rule in rules] == [True, True, False]
    assert rules[0].rate < rules[1].rate < rules[2].rate < RATE
    assert "interim: 8 are planned" not in colosseum("report", out).stdout
    done = colosseum("replay", out)
    assert (done.returncode, "report.json: equal" in done.stdout) == (0, True), done.stdout
    ledger = out / "ledger.jsonl"
    ledger.write_text(ledger.read_text(encoding="utf-8").replace('"seeds":2', '"seeds":1'), encoding="utf-8")
    assert colosseum("log", "verify", out).returncode == 1


def test_a_study_that_is_looked_at_once_has_its_whole_rate(tmp_path: Path) -> None:
    spec, out = tmp_path / "match.colo", tmp_path / "out"
    spec.write_text(MATCH.replace("experiment e { ", "experiment e { seeds 1..3  "), encoding="utf-8")
    assert colosseum("audit", spec, "--out", out).returncode == 0
    assert read_report(out).verdicts.rule.rate == RATE


def test_folders_that_are_joined_keep_their_looks(tmp_path: Path) -> None:
    spec = tmp_path / "match.colo"
    spec.write_text(MATCH.replace("experiment e { ", "experiment e { seeds 1..8  "), encoding="utf-8")
    for name, seeds in (("one", "1..2"), ("other", "3..5")):
        assert colosseum("audit", spec, "--seeds", seeds, "--out", tmp_path / name).returncode == 0
    assert colosseum("merge", tmp_path / "one", tmp_path / "other", "-o", tmp_path / "both").returncode == 0
    assert read_report(tmp_path / "both").verdicts.rule.seen == (2, 3, 5)
