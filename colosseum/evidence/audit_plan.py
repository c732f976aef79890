"""The rule fixed before the first run. In: a request and a checked spec; out: an AuditPlan with its power.

Asks no model and writes nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from colosseum.campaign.draft import draft
from colosseum.campaign.registering import Registered
from colosseum.campaign.screening import Screening
from colosseum.campaign.work import Request
from colosseum.evidence.arms import kinds
from colosseum.evidence.figures import RunRecord
from colosseum.evidence.findings import in_words
from colosseum.evidence.reading import Reader, Unreadable
from colosseum.evidence.seeds import Needed, needed
from colosseum.model.check import Checked


@dataclass(frozen=True)
class AuditPlan:
    """What is settled, and what so many seeds can see."""

    title: str
    """The scenario and the experiment."""
    folder: Path
    """Where the audit keeps it."""
    registered: Registered
    screening: Screening | None
    """Which seeds are left out."""
    seeds: int
    """That are run, at the sweep point where they are fewest."""
    power: Sequence[Needed]
    """What runs of equal arms in the folder say of chance, by sweep point; empty where there are none."""


def plan_audit(checked: Checked, request: Request) -> AuditPlan:
    """What the same audit would settle. Raises ColosseumError."""
    place = request.place(checked)
    with in_words(place):
        made = draft(checked, request)
        settled, seeds = made.registered, min(made.seeds.values())
        seeds = seeds if made.screener.screening else settled.seeds
        power = chance(replace(settled, seeds=seeds), place)
    return AuditPlan(made.title, place, settled, made.screener.screening, seeds, power)


def chance(settled: Registered, folder: Path) -> list[Needed]:
    """What runs of equal arms in a folder say of chance, by sweep point."""
    try:
        reader = Reader(folder)
        plan = reader.plan()
        records = reader.records(replace(plan, trials=tuple(t for t in plan.trials if t.arm in settled.arms)))
    except Unreadable:
        return []
    return [each for point in dict.fromkeys(r.point for r in records) for each in _at(point, records, settled)]


def _at(point: str, records: Sequence[RunRecord], settled: Registered) -> list[Needed]:
    here = [r for r in records if r.point == point]
    signal, margin = next(iter(settled.margins.items()))
    twins = [arm for arm, kind in kinds(here, settled.arms).items() if kind.kind == "again"]
    return [
        needed(
            [r for r in here if r.arm == settled.arms[0]], [r for r in here if r.arm == twin],
            arm=twin, point=point, signal=signal, margin=margin, planned=settled.seeds,
        )
        for twin in twins if any(r.arm == twin for r in here)
    ]  # fmt: skip
