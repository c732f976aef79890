"""Runs that were read before: the same figures to the last digit, from nowhere but the files they depend on."""

import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from secrets import token_hex

import pytest
from conftest import SPECS, prepare, run
from pydantic import TypeAdapter

import colosseum
from colosseum.campaign import kept as keeping
from colosseum.campaign.folder import Damaged
from colosseum.campaign.kept import Kept, SharedParts, program
from colosseum.evidence.figures import Figure, RunFigures
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


def solved(reader: Reader) -> bool:
    return reader.solved.cache_info().currsize > 0


def test_what_was_measured_is_found_again_and_nothing_is_solved(campaign: Path, tmp_path: Path) -> None:
    plan = Reader(campaign).plan()
    computed = Reader(campaign).records(plan)
    first = Reader(campaign, kept=Kept(tmp_path / "figures.sqlite"))
    assert first.records(plan) == computed
    assert solved(first)
    again = Reader(campaign, kept=Kept(tmp_path / "figures.sqlite"))
    found = again.records(plan)
    assert repr(found) == repr(computed), "whole numbers stay whole, and every digit is kept"
    assert again.scenario.cache_info().misses == 0, "neither scenarios nor traces are read"


def test_figures_that_runs_have_in_common_are_one_object(campaign: Path, tmp_path: Path) -> None:
    """So many runs take little memory, whether they are measured now or were before."""
    plan = Reader(campaign).plan()
    for _ in range(2):
        found = Reader(campaign, kept=Kept(tmp_path / "figures.sqlite")).records(plan)
        figures = [record.figures for record in found if record.figures]
        for part in ("scalars", "payoff", "talk", "rubrics", "refused", "undecided"):
            values = [getattr(each, part) for each in figures]
            assert len({id(value) for value in values}) == len({repr(value) for value in values}), part
        degrees = {id(each.setup.degree) for each in figures if each.setup}
        assert len(figures) > len(degrees) == 1, "the parts of a part, too"


def test_a_part_that_is_absent_stays_absent() -> None:
    shared, plain = SharedParts(RunFigures), TypeAdapter(RunFigures)
    bare = RunFigures({"regret": Figure(None, "a\tb\nc")}, {"Ann": 1.5}, {}, {}, {}, {}, 0, {}, {}, infeasible=False)
    assert shared.validate_json(shared.dump_json(bare)) == bare == plain.validate_json(plain.dump_json(bare))


@pytest.mark.parametrize("part", ["scenarios", "runs"])
def test_a_file_that_was_changed_is_found_though_its_figures_are_kept(
    campaign: Path, tmp_path: Path, part: str
) -> None:
    plan, path = Reader(campaign).plan(), tmp_path / "figures.sqlite"
    Reader(campaign, kept=Kept(path)).records(plan)
    file = max((campaign / part).iterdir(), key=lambda each: each.stat().st_size)
    file.write_bytes(file.read_bytes().replace(b"Ann", b"Bob").replace(b"1", b"2", 1))
    with pytest.raises(Damaged):
        Reader(campaign, kept=Kept(path)).records(plan)


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
    assert solved(reader)


def test_a_cache_that_is_none_only_costs_time(campaign: Path, tmp_path: Path) -> None:
    path = tmp_path / "figures.sqlite"
    path.write_text("this is no database", encoding="utf-8")
    plan = Reader(campaign).plan()
    assert Reader(campaign, kept=Kept(path)).records(plan) == Reader(campaign).records(plan)
    assert Reader(campaign, kept=Kept(tmp_path / "none" / "at" / "all")).records(plan)


@pytest.mark.parametrize("damage", ["schema", "kind"])
def test_a_damaged_cache_only_costs_time(damage: str, campaign: Path, tmp_path: Path) -> None:
    """Python cannot read what SQLite says of the one, and finds text for bytes in the other."""
    path, plan = tmp_path / "figures.sqlite", Reader(campaign).plan()
    computed = Reader(campaign, kept=Kept(path)).records(plan)
    damaged = tmp_path / "damaged.sqlite"
    damaged.write_bytes(path.read_bytes().replace(b"CREATE TABLE measured", b"CREATE TABLE me\x9bsured"))
    if damage == "kind":
        shutil.copy(path, damaged)
        with sqlite3.connect(damaged) as store:
            store.execute("UPDATE measured SET content = 'text'")
    assert Reader(campaign, kept=Kept(damaged)).records(plan) == computed


def asked(found: Kept, *of: str, make: int = 0) -> int:
    known = found.find(TypeAdapter(int), key := found.key(*of))
    return found.keep(TypeAdapter(int), key, make) if known is None else known


def test_another_program_or_question_is_another_key(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    found = Kept(tmp_path / "figures.sqlite")
    questions = [("a", "cabal", "left"), ("b", "cabal", "left"), ("acabal", "", "left"), ("acabal", "left")]
    for place, question in enumerate(questions):
        assert asked(found, *question, make=place) == place
    assert [asked(found, *question, make=9) for question in questions] == [0, 1, 2, 3]
    monkeypatch.setattr(keeping, "program", lambda: "changed")
    assert asked(found, *questions[0], make=9) == 9


def test_a_program_is_its_sources(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for package in keeping.SOURCES:
        (tmp_path / package).mkdir()
    (tmp_path / "evidence" / "instance.py").write_text("one", encoding="utf-8")
    monkeypatch.setattr(colosseum, "__file__", str(tmp_path / "__init__.py"))
    before = program.__wrapped__()
    assert program.__wrapped__() == before
    for name in ("instance.py", "cues.toml"):
        (tmp_path / "evidence" / name).write_text("two", encoding="utf-8")
        assert program.__wrapped__() != before, name
        before = program.__wrapped__()


def test_the_oldest_are_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeping, "MOST", 20)
    found, texts = Kept(tmp_path / "figures.sqlite"), TypeAdapter(str)
    for number in range(60):
        found.keep(texts, found.key(str(number)), token_hex(20_000))
    assert found.path.stat().st_size < 800_000
    left = [number for number in range(60) if found.find(texts, found.key(str(number)))]
    assert left == list(range(40, 60))


def test_a_process_that_was_forked_does_not_use_what_this_one_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """https://www.sqlite.org/howtocorrupt.html, section 2.6."""
    kept, number = Kept(tmp_path / "figures.sqlite"), TypeAdapter(int)
    kept.keep(number, b"key", 7)
    monkeypatch.setattr("os.getpid", lambda: -1)
    assert kept.find(number, b"key") == 7
    assert keeping._open.cache_info().currsize == 2
