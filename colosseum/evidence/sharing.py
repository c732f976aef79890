"""Runs read back by several processes. In: a campaign's folder; out: the same records, sooner if there are many.

As long as most runs were read before, one process does: they are not worth the start of others.
"""

import os
from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from colosseum.campaign.folder import Plan
from colosseum.campaign.kept import Kept
from colosseum.campaign.workers import pool
from colosseum.evidence.figures import RunRecord
from colosseum.evidence.reading import Reader, Tell, unheard
from colosseum.run.trial import Listed

WORTH = 200  # runs from which on processes are begun: each takes about a second to come up
PARTS = 4  # of the runs for each process, so that none waits long for another


def records(
    path: Path, plan: Plan, *, kept: Kept | None = None, alone: bool = False, tell: Tell = unheard
) -> list[RunRecord]:
    """Every trial that has ended, as listed. Raises Unreadable, and what a scenario that cannot be solved raises.

    `kept` has outcomes that were measured before; `alone` begins no other process; `tell` hears how many runs are read.
    """
    processes, whole = 1 if alone else os.cpu_count() or 1, len(plan.trials)
    reader = Reader(path, kept=kept)
    if whole < WORTH or processes == 1:
        return reader.records(plan, tell)
    parts, found, done = _parts(plan, PARTS * processes), list[RunRecord](), 0
    while kept is not None and parts and 2 * kept.misses <= len(found):
        done += len(parts[0].trials)
        found += reader.records(parts.pop(0))
        tell(done, whole)
    for part, made in zip(parts, _spread(path, parts, processes, kept) if parts else (), strict=True):
        done += len(part.trials)
        found += made
        tell(done, whole)
    ended = {record.trial: record for record in found}
    return [ended[listed.trial] for listed in plan.trials if listed.trial in ended]


def _spread(path: Path, parts: list[Plan], processes: int, kept: Kept | None) -> Iterator[list[RunRecord]]:
    """The records of each part, by several processes; where one of them fails, by this one."""
    made = 0
    try:
        with pool(processes) as workers:
            for made, found in enumerate(workers.map(Reader(path, kept=kept).records, parts), start=1):  # noqa: B007
                yield found
    except Exception:  # noqa: BLE001 - whatever is wrong is found again here, and said in the same words
        yield from map(Reader(path, kept=kept).records, parts[made:])


def _parts(plan: Plan, number: int) -> list[Plan]:
    """About so many of equal size, each with all runs of its seeds: an instance is solved once."""
    seeds = [list(group) for _, group in groupby(sorted(plan.trials, key=lambda t: t.seed), key=lambda t: t.seed)]
    parts: list[list[Listed]] = [[]]
    for group in seeds:
        if len(parts[-1]) * number >= len(plan.trials):
            parts.append([])
        parts[-1] += group
    return [replace(plan, trials=tuple(part)) for part in parts]
