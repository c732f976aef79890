"""Campaigns read back by several processes: the same records, and the same words where something is wrong."""

from pathlib import Path

import pytest
from conftest import SPECS, prepare, run

from colosseum.campaign.folder import Damaged, Plan
from colosseum.campaign.kept import Kept
from colosseum.evidence import findings
from colosseum.evidence.figures import RunRecord
from colosseum.evidence.reading import Reader


@pytest.fixture
def campaign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder whose runs are worth processes."""
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    run(tmp_path, prepare(tmp_path, SPECS / "toy.colo", seeds=range(1, 6)))
    return tmp_path


def test_processes_read_what_one_reads(campaign: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = Reader(campaign).plan()
    expected = Reader(campaign).records(plan)

    def records(self: Reader, plan: Plan) -> list[RunRecord]:
        raise AssertionError("this process reads nothing")

    monkeypatch.setattr(Reader, "records", records)
    assert findings.read_records(Reader(campaign), plan) == expected
    assert len(expected) == len(plan.trials) == 15


def test_outcomes_that_were_measured_before_are_worth_no_process(
    campaign: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = Reader(campaign).plan()
    expected = Reader(campaign, Kept(tmp_path / "figures.sqlite")).records(plan)

    def pool(processes: int) -> None:
        raise AssertionError("nothing is to be shared")

    monkeypatch.setattr(findings, "pool", pool)
    assert findings.read_records(Reader(campaign, Kept(tmp_path / "figures.sqlite")), plan) == expected
    assert len(expected) == 15


@pytest.mark.filterwarnings("error")
def test_processes_go_on_where_this_one_has_begun(
    campaign: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan, read = Reader(campaign).plan(), Reader.records
    expected, here = read(Reader(campaign), plan), list[int]()

    def records(self: Reader, plan: Plan) -> list[RunRecord]:
        here.append(len(plan.trials))
        return read(self, plan)

    monkeypatch.setattr(Reader, "records", records)
    assert findings.read_records(Reader(campaign, Kept(tmp_path / "figures.sqlite")), plan) == expected
    assert here == [3], "one part is read here, and shows that nothing was measured before"


def test_what_cannot_be_trusted_is_said_in_the_same_words(campaign: Path) -> None:
    reader = Reader(campaign)
    plan = reader.plan()
    trace = reader.folder.trace(plan.trials[-1].trial)
    trace.write_bytes(trace.read_bytes().replace(b'"round":1', b'"round":2', 1))
    with pytest.raises(Damaged) as alone:
        reader.records(plan)
    with pytest.raises(Damaged) as together:
        findings.read_records(Reader(campaign), plan)
    assert str(together.value) == str(alone.value)
    assert "changed, lost or moved" in str(alone.value)


def test_a_part_has_all_runs_of_its_seeds(campaign: Path) -> None:
    plan = Reader(campaign).plan()
    parts = findings._parts(plan, 2)
    seeds = [{listed.seed for listed in part.trials} for part in parts]
    assert len(parts) == 2
    assert set.intersection(*seeds) == set()
    assert sum(len(part.trials) for part in parts) == len(plan.trials)
