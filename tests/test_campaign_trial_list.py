"""The list of trials: it grows by what it lacks, and a crash in the middle of a line loses nothing that was there."""

import json
import time
from dataclasses import replace
from pathlib import Path

import pytest
from audited import audit, scripted, spec
from conftest import SPECS
from hypothesis import given
from hypothesis import strategies as st
from plans import as_before, list_of, trials_of
from test_cli_commands import colosseum

from colosseum.campaign.part import sharded
from colosseum.campaign.trial_list import keep_trials, read_trials
from colosseum.campaign.vetting import require
from colosseum.model.check import check
from colosseum.run.trial import Listed, blocks

DESIGN = require(*check(SPECS / "toy.colo")).designs["steered"]


def listed(number: int) -> Listed:
    """One of many trials that have their players in common."""
    arm = "baseline" if number % 2 else "prompted"
    return Listed(f"{number:064x}", arm, "", number // 2, 1, "sim", {"A": f"sim/{arm}"}, f"{number // 2:064x}")


@given(parts=st.lists(st.lists(st.integers(0, 30), unique=True, max_size=8), max_size=5), torn=st.integers(0, 400))
def test_a_list_is_what_was_kept_last(
    tmp_path_factory: pytest.TempPathFactory, parts: list[list[int]], torn: int
) -> None:
    path = tmp_path_factory.mktemp("list") / "trials.jsonl"
    for part in parts:
        trials = list(map(listed, part))
        keep_trials(path, trials)
        found = list(read_trials(path))
        assert sorted(found, key=repr) == sorted(trials, key=repr)
        path.write_bytes(path.read_bytes()[: max(0, path.stat().st_size - torn)])  # as a crash may leave it
        left = list(read_trials(path))
        assert left == found[: len(left)]


@given(number=st.integers(1, 12), seeds=st.integers(1, 20), chosen=st.sets(st.integers(1, 12)))
def test_shards_are_all_blocks_once(number: int, seeds: int, chosen: set[int]) -> None:
    design = replace(DESIGN, seeds=tuple(range(seeds)))
    whole = list(blocks(design))
    assert len(whole) == len({(each.point, each.seed, each.repeat) for each in whole}) == 15 * seeds * design.repeats
    mine = sorted(n for n in chosen if n <= number)
    found = list(sharded(design, ",".join(f"{n}/{number}" for n in mine) or None))
    assert found == [block for place, block in enumerate(whole) if not mine or place % number + 1 in mine]


def test_one_shard_of_a_million_needs_no_other() -> None:
    """Less than the 15 s that listing all of them takes, and far less on a machine at rest."""
    begun = time.process_time()
    assert len(list(sharded(replace(DESIGN, seeds=tuple(range(100_000))), "7/1500000"))) == 1
    assert time.process_time() - begun < 5


def test_trials_of_other_shards_are_not_written_again(tmp_path: Path) -> None:
    path = tmp_path / "trials.jsonl"
    keep_trials(path, map(listed, range(6)))
    first = path.read_bytes()
    keep_trials(path, map(listed, reversed(range(9))))
    assert path.read_bytes().startswith(first)
    again = list(read_trials(path))
    assert again == [*map(listed, range(6)), *map(listed, (8, 7, 6))]
    assert len({id(each.players) for each in again}) == 2, "what trials have in common is one object"


def test_a_folder_with_its_list_in_the_plan_is_gone_on_with(tmp_path: Path) -> None:
    """As schema 3 had it: no run is made again, and what stood there stands in the list."""
    folder = scripted(tmp_path)
    before = trials_of(folder)
    as_before(folder, 3)
    assert "4 complete" in colosseum("log", "list", folder).stdout
    done = audit(tmp_path / "match.colo", folder, "--seeds", "1..3")
    assert "6 runs complete, 4 of them from before" in done.stderr
    assert "trials" not in json.loads((folder / "campaign.json").read_bytes())
    assert trials_of(folder)[:4] == before
    assert json.loads(colosseum("log", "verify", folder, "--json").stdout)["faults"] == []


def test_a_shard_adds_its_trials_and_a_refused_one_leaves_the_list_as_it_was(tmp_path: Path) -> None:
    folder = scripted(tmp_path, "--shard", "1/2", seeds="1..4")
    first, plan = list_of(folder).read_bytes(), (folder / "campaign.json").read_bytes()
    model = ("--seeds", "1..4", "--shard", "2/2", "--judge", "openai/unknown-model", "--budget", "1")
    assert audit(spec(tmp_path), folder, *model).returncode == 2
    assert (list_of(folder).read_bytes(), (folder / "campaign.json").read_bytes()) == (first, plan)
    assert audit(spec(tmp_path), folder, "--seeds", "1..4", "--shard", "2/2").returncode == 0
    assert list_of(folder).read_bytes().startswith(first)
    assert len(trials_of(folder)) == 8
    assert json.loads(colosseum("log", "verify", folder, "--json").stdout)["faults"] == []
