"""The list of a campaign's trials. In: trials; out: DIR/trials-CONFIGURATION.jsonl, a line each, and the trials again.

The file only grows, so that shards of a campaign add their trials and write nobody else's anew: of a million runs it
has 300 MB. What many trials have in common is one object in memory.
"""

import os
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import Final

from pydantic import TypeAdapter

from colosseum.campaign.calls import mend, whole_lines
from colosseum.model.serial import encode
from colosseum.run.trial import Listed

MANY: Final = 1_000  # lines that are read at a time
LINES: Final = TypeAdapter(list[Listed])


def read_trials(path: Path) -> Iterator[Listed]:
    """As they were added. Raises OSError, and ValidationError where a line is none of ours."""
    known: dict[str, dict[str, str]] = {}
    scenario = ""
    whole = whole_lines(path)
    while lines := list(islice(whole, MANY)):
        for each in LINES.validate_json(b"[" + b",".join(lines) + b"]"):
            scenario = scenario if scenario == each.scenario else each.scenario
            players = known.setdefault(repr(each.players), each.players)
            yield Listed(each.trial, each.arm, each.point, each.seed, each.repeat, each.model, players, scenario)


def keep_trials(path: Path, trials: Iterable[Listed]) -> None:
    """Make a list that of these trials: it grows by what it lacks, and begins anew if it has others. Raises OSError."""
    wanted = {each.trial: each for each in trials}
    known = {line[10:74].decode("ascii", "replace") for line in whole_lines(path)} if path.exists() else set()
    if known and known == wanted.keys():
        return
    if not known <= wanted.keys():
        path.unlink()
        known.clear()
    mend(path)
    with open(path, "ab") as file:
        file.writelines(f"{encode(asdict(each))}\n".encode() for trial, each in wanted.items() if trial not in known)
        file.flush()
        os.fsync(file.fileno())
