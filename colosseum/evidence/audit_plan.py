"""The rule fixed before the first run. In: a request and a checked spec; out: an AuditPlan with its validity card.

Asks no model and writes nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from colosseum.campaign.draft import draft
from colosseum.campaign.margins import margins_of
from colosseum.campaign.part import Part, read_design
from colosseum.campaign.registering import Registered
from colosseum.campaign.screening import Screening
from colosseum.campaign.work import Request
from colosseum.diagnostics import stop
from colosseum.evidence.arms import kinds
from colosseum.evidence.card import SpecCard, spec_card
from colosseum.evidence.findings import in_words, read_campaign
from colosseum.evidence.reading import Reader, Unreadable
from colosseum.evidence.seeds import EqualArms, Noise, equal_arms, noise_of
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
    noise: Noise | None = None
    """What real runs differ by, and seeds by replicas; null where no folder of them was named."""


def plan_audit(
    checked: Checked, request: Request, *, noise_from: Path | None = None, effect: float | None = None
) -> AuditPlan:
    """What the same audit would settle, by the noise of real runs where a folder is named. Raises ColosseumError."""
    place = request.place(checked)
    with in_words(place):
        made = draft(checked, request)
        settled, seeds = made.registered, min(made.seeds.values())
        seeds = seeds if made.screener.screening else settled.seeds
        power = chance(settled, place)
        card = spec_card(made, seeds, next((each.paired.sd for each in power if each.paired.sd.value), None))
    asked = request.part.experiment
    noise = None if noise_from is None else real_noise(checked, noise_from, experiment=asked, effect=effect)
    return AuditPlan(made.title, place, settled, made.screener.screening, seeds, power, card, noise)


def real_noise(checked: Checked, folder: Path, *, experiment: str | None = None, effect: float | None = None) -> Noise:
    """What runs of models differ by, and the seeds for an `effect` in u, else for the margin. Raises ColosseumError."""
    design, coalitions = read_design(checked, Part(experiment), file=""), checked.expansion.scenario.coalitions
    margins = margins_of(design.cells[0].conditions.settings, next(iter(coalitions), None))
    (signal, margin), plan = next(iter(margins.items())), read_campaign(folder)
    with in_words(folder):
        records = Reader(folder).records(plan)
    if all(player.startswith("sim/") for run in records for player in run.players.values()):
        help_ = "name a folder of runs of models, imported or own"
        raise stop("C122", f"{folder} has no run of a model: scripts have no noise of their own", help=help_)
    return noise_of(records, plan.arms, signal=signal, wanted=effect or margin, planned=len(design.seeds))


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
