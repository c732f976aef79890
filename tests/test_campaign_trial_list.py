"""The list of trials: it grows by what it lacks, and a crash in the middle of a line loses nothing that was there."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colosseum.campaign.trial_list import keep_trials, read_trials
from colosseum.run.trial import Listed


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


def test_trials_of_other_shards_are_not_written_again(tmp_path: Path) -> None:
    path = tmp_path / "trials.jsonl"
    keep_trials(path, map(listed, range(6)))
    first = path.read_bytes()
    keep_trials(path, map(listed, reversed(range(9))))
    assert path.read_bytes().startswith(first)
    again = list(read_trials(path))
    assert again == [*map(listed, range(6)), *map(listed, (8, 7, 6))]
    assert len({id(each.players) for each in again}) == 2, "what trials have in common is one object"
