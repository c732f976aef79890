"""Outcomes that were measured before: the same figures to the last digit, from nowhere but what they depend on."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import SPECS, prepare, run

import colosseum
from colosseum.evidence import kept as keeping
from colosseum.evidence.kept import Kept, key_of, program
from colosseum.evidence.reading import Reader


@pytest.fixture
def campaign(tmp_path: Path) -> Path:
    folder = tmp_path / "runs"
    run(folder, prepare(folder, SPECS / "toy.colo", arms=["baseline", "prompted"]))
    return folder


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    keeping._open.cache_clear()


def solved(reader: Reader) -> int:
    return sum(bool(found.instances) for found in reader.solved.values())


def test_what_was_measured_is_found_again_and_nothing_is_solved(campaign: Path, tmp_path: Path) -> None:
    plan = Reader(campaign).plan()
    computed = Reader(campaign).records(plan)
    first = Reader(campaign, kept=Kept(tmp_path / "figures.sqlite"))
    assert first.records(plan) == computed
    assert solved(first) == len(first.solved) > 0
    again = Reader(campaign, kept=Kept(tmp_path / "figures.sqlite"))
    found = again.records(plan)
    assert repr(found) == repr(computed), "whole numbers stay whole, and every digit is kept"
    assert solved(again) == 0


def test_a_row_that_was_changed_is_not_believed(campaign: Path, tmp_path: Path) -> None:
    path = tmp_path / "figures.sqlite"
    plan = Reader(campaign).plan()
    computed = Reader(campaign, kept=Kept(path)).records(plan)
    with sqlite3.connect(path) as store:
        rows = store.execute("SELECT key, content FROM measured").fetchall()
        for (key, _), (_, other) in zip(rows, [*rows[1:], rows[0]], strict=True):
            store.execute("UPDATE measured SET content = ? WHERE key = ?", (other, key))
    assert len(rows) > 1
    reader = Reader(campaign, kept=Kept(path))
    assert reader.records(plan) == computed
    assert solved(reader) > 0


def test_a_cache_that_is_none_only_costs_time(campaign: Path, tmp_path: Path) -> None:
    path = tmp_path / "figures.sqlite"
    path.write_text("this is no database", encoding="utf-8")
    plan = Reader(campaign).plan()
    assert Reader(campaign, kept=Kept(path)).records(plan) == Reader(campaign).records(plan)
    assert Reader(campaign, kept=Kept(tmp_path / "none" / "at" / "all")).records(plan)


def test_another_program_scenario_coalition_or_outcome_is_another_key(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = {key_of("a", "cabal", "left"), key_of("b", "cabal", "left"), key_of("a", "ring", "left")}
    keys |= {key_of("a", "cabal", "right"), key_of("acabal", "", "left")}
    monkeypatch.setattr(keeping, "program", lambda: "changed")
    assert len({*keys, key_of("a", "cabal", "left")}) == 6


def test_a_program_is_its_sources(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for package in keeping.SOURCES:
        (tmp_path / package).mkdir()
    (tmp_path / "evidence" / "regrets.py").write_text("one", encoding="utf-8")
    monkeypatch.setattr(colosseum, "__file__", str(tmp_path / "__init__.py"))
    before = program.__wrapped__()
    assert program.__wrapped__() == before
    (tmp_path / "evidence" / "regrets.py").write_text("two", encoding="utf-8")
    assert program.__wrapped__() != before


def test_the_oldest_are_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "figures.sqlite"
    monkeypatch.setattr(keeping, "MOST", 3)
    found = Kept(path)
    for number in range(5):
        found.keep(key_of("a", "cabal", str(number)), [number])
        found.write()
    assert [found.find(key_of("a", "cabal", str(n))) for n in range(5)] == [None, None, [2], [3], [4]]
