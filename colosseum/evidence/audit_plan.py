"""The rule fixed before the first run. In: a request and a checked spec; out: an AuditPlan with its validity card.

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
from colosseum.evidence.card import SpecCard, spec_card
from colosseum.evidence.findings import in_words
from colosseum.evidence.reading import Reader, Unreadable
from colosseum.evidence.seeds import EqualArms, equal_arms
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
    power: Sequence[EqualArms]
    """What runs of equal arms in the folder say of chance, by sweep point; empty where there are none."""
    card: SpecCard | str
    """What it can show, by scripted players; a str is why that is not known."""


def plan_audit(checked: Checked, request: Request) -> AuditPlan:
    """What the same audit would settle. Raises ColosseumError."""
    place = request.place(checked)
    with in_words(place):
        made = draft(checked, request)
        settled, seeds = made.registered, min(made.seeds.values())
        seeds = seeds if made.screener.screening else settled.seeds
        power = chance(settled, place)
        card = spec_card(made, seeds, next((each.paired.sd for each in power if each.paired.sd.value), None))
    return AuditPlan(made.title, place, settled, made.screener.screening, seeds, power, card)


def chance(settled: Registered, folder: Path) -> list[EqualArms]:
    """What runs of equal arms in a folder say of chance, by sweep point."""
    try:
        reader = Reader(folder)
        plan = reader.plan()
        records = reader.records(replace(plan, trials=tuple(t for t in plan.trials if t.arm in settled.arms)))
    except Unreadable:
        return []
    signal, found = next(iter(settled.margins)), list[EqualArms]()
    for point in dict.fromkeys(r.point for r in records):
        here = [r for r in records if r.point == point]
        twins = [arm for arm, kind in kinds(here, settled.arms).items() if kind.kind == "again"]
        found += [equal_arms(here, settled.arms[0], arm, signal) for arm in twins if any(r.arm == arm for r in here)]
    return found
