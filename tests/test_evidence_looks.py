"""Looks: published boundaries, what a look costs, and what becomes of looks that are on file."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtri

from colosseum.campaign.folder import Damaged, Folder
from colosseum.campaign.looks import NAME, join_looks, looked, read_looks
from colosseum.evidence import looks
from colosseum.evidence.looks import rate_of, shares_seen
from colosseum.evidence.statistics import RATE
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
    monkeypatch.setattr(looks, "POWER_OF_TIME", power)
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


@given(st.sets(st.integers(1, 39), min_size=1, max_size=6), st.integers(1, 39))
def test_a_look_more_leaves_less(seeds: set[int], more: int) -> None:
    few, many = (rate_of(shares_seen([*each, 40], 40)) for each in (seeds, seeds | {more}))
    assert 0 < many <= few + 1e-6
    assert few < RATE


def test_an_interim_call_needs_stronger_evidence_the_earlier_it_is() -> None:
    early, late, plan = (Rule(planned=40, seen=(seeds,)) for seeds in (8, 32, 40))
    assert early.rate < late.rate < plan.rate
    assert (early.interim, late.interim, plan.interim) == (True, True, False)
    assert early.last_rate == Rule(planned=40, seen=(8, 40)).rate


# ---- on file -------------------------------------------------------------------------------------------------------


def test_looks_are_kept_once_each(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    assert looked(folder, 0, 20) == []
    assert looked(folder, 5, 20) == [5]
    assert looked(folder, 5, 20) == [5]
    assert looked(folder, 12, 20) == [5, 12]
    assert looked(folder, 20, 20) == [5, 12, 20]
    assert [look.seeds for look in read_looks(folder)] == [5, 12], "the plan is no look before the plan"


def test_looks_before_a_fresh_start_stay_on_file(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    looked(folder, 15, 20)
    assert looked(folder, 5, 20) == [5], "fewer seeds are no later look"
    assert [look.seeds for look in read_looks(folder)] == [15, 5]
    assert looked(folder, 20, 20) == [5, 15, 20]


def test_a_look_at_little_more_is_the_same_look(tmp_path: Path) -> None:
    assert looked(Folder(tmp_path), 500, 1000) == [500]
    assert looked(Folder(tmp_path), 505, 1000) == [500]
    assert looked(Folder(tmp_path), 510, 1000) == [500, 510]


@pytest.mark.parametrize("change", ["drop", "edit", "garbage"])
def test_changed_looks_are_found(tmp_path: Path, change: str) -> None:
    folder, path = Folder(tmp_path), tmp_path / NAME
    for seeds in (5, 10, 15):
        looked(folder, seeds, 20)
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    edited = json.dumps(json.loads(lines[1]) | {"seeds": 6}) + "\n"
    changed = {"drop": lines[1:], "edit": [lines[0], edited, lines[2]], "garbage": [lines[0], "{}\n"]}[change]
    path.write_text("".join(changed), encoding="utf-8")
    with pytest.raises(Damaged, match="was changed"):
        read_looks(folder)


def test_a_line_that_was_cut_off_is_no_look(tmp_path: Path) -> None:
    folder, path = Folder(tmp_path), tmp_path / NAME
    looked(folder, 5, 20)
    with open(path, "ab") as file:
        file.write(b'{"seeds": 9')
    assert looked(folder, 12, 20) == [5, 12]
    assert [look.seeds for look in read_looks(folder)] == [5, 12]


def test_folders_that_are_joined_keep_their_looks(tmp_path: Path) -> None:
    one, other, both = (Folder(tmp_path / name) for name in ("one", "other", "both"))
    for folder, seeds in ((one, 5), (other, 8), (one, 10)):
        looked(folder, seeds, 20)
    join_looks([one, other], both)
    assert sorted(look.seeds for look in read_looks(both)) == [5, 8, 10]
    join_looks([both, one], both)
    assert len(read_looks(both)) == 3
    assert looked(both, 20, 20) == [5, 8, 10, 20]
