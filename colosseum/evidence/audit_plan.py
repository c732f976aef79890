"""The rule fixed before the first run. In: a request and a checked spec; out: an AuditPlan with its power.

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
from colosseum.evidence.figures import RunRecord
from colosseum.evidence.findings import in_words, read_campaign
from colosseum.evidence.reading import Reader, Unreadable
from colosseum.evidence.seeds import Needed, Noise, needed, noise_of
from colosseum.model.check import Checked
from colosseum.run.trial import Listed


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
    noise: Noise | None = None
    """What real runs differ by, and seeds by replicas; null where no folder of them was named."""


def plan_audit(checked: Checked, request: Request, *, noise_from: Path | None = None) -> AuditPlan:
    """What the same audit would settle, by the noise of real runs where a folder is named. Raises ColosseumError."""
    place = request.place(checked)
    with in_words(place):
        made = draft(checked, request)
        settled, seeds = made.registered, min(made.seeds.values())
        seeds = seeds if made.screener.screening else settled.seeds
        power = chance(replace(settled, seeds=seeds), place)
    noise = None if noise_from is None else real_noise(checked, noise_from, experiment=request.part.experiment)
    return AuditPlan(made.title, place, settled, made.screener.screening, seeds, power, noise)


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


def chance(settled: Registered, folder: Path, trials: Sequence[Listed] | None = None) -> list[Needed]:
    """What runs of equal arms in a folder say of chance, by sweep point: `trials`, or all that are planned."""
    try:
        reader = Reader(folder)
        plan = reader.plan()
        chosen = (t for t in (plan.trials if trials is None else trials) if t.arm in settled.arms)
        records = reader.records(replace(plan, trials=tuple(chosen)))
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
            of=(point, twin, signal), margin=margin, planned=settled.seeds,
        )
        for twin in twins if any(r.arm == twin for r in here)
    ]  # fmt: skip
