"""Runs read back by several processes. In: a campaign's folder; out: the same records, where there are many, sooner."""

import os
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from colosseum.audit.campaign.folder import Plan
from colosseum.audit.campaign.processes import pool
from colosseum.audit.trial import Listed
from colosseum.evidence.figures import RunRecord
from colosseum.evidence.reading import Reader

WORTH = 200
"""Runs from which on processes are begun: each takes about a second to come up."""
PARTS = 4
"""Of the runs for each process, so that none waits long for another."""


def records(path: Path, plan: Plan) -> list[RunRecord]:
    """Every trial that has ended, as listed. Raises Unreadable, and what a scenario that cannot be solved raises."""
    processes = os.cpu_count() or 1
    if len(plan.trials) < WORTH or processes == 1:
        return Reader(path).records(plan)
    try:
        with pool(processes) as workers:
            parts = list(workers.map(Reader(path).records, _parts(plan, PARTS * processes)))
    except Exception:  # noqa: BLE001 - whatever is wrong is found again here, and said in the same words
        return Reader(path).records(plan)
    found = {record.trial: record for part in parts for record in part}
    return [found[listed.trial] for listed in plan.trials if listed.trial in found]


def _parts(plan: Plan, number: int) -> list[Plan]:
    """About so many of equal size, each with all runs of its seeds: an instance is solved once."""
    seeds = [list(group) for _, group in groupby(sorted(plan.trials, key=_seed), key=_seed)]
    parts: list[list[Listed]] = [[]]
    for group in seeds:
        if len(parts[-1]) * number >= len(plan.trials):
            parts.append([])
        parts[-1] += group
    return [replace(plan, trials=tuple(part)) for part in parts]


def _seed(listed: Listed) -> int:
    return listed.seed
