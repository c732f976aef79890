"""JSON output of `power`. In: an Outlook; out: what `power --json` prints."""

from collections.abc import Mapping
from dataclasses import dataclass

from colosseum.evidence.calls import Verdict
from colosseum.evidence.figures import Figure
from colosseum.evidence.power.outlook import Outlook
from colosseum.evidence.power.planting import Arena, Plant
from colosseum.evidence.power.studies import SIGNALS, Draws, Shares, Studied, StudyRule
from colosseum.evidence.power.worst import WorstHarm
from colosseum.evidence.statistics.means import Paired
from colosseum.evidence.statistics.shares import Share, wilson


@dataclass(frozen=True)
class SignalPower:
    """One signal of one plant; lists are in the order of seeds."""

    effect: Paired
    """Of the whole pool."""
    seen: tuple[Share | str, ...]
    """The share of studies in which the signal shows an effect, or why nobody can tell."""
    needed: Figure
    """Seeds with which this plant is seen in four of five studies."""


@dataclass(frozen=True)
class PlantPower:
    """What studies say of one plant."""

    plant: Plant
    right_verdict: Verdict | None
    signals: Mapping[str, SignalPower]
    by_seeds: tuple[Shares, ...]
    right: tuple[Share | str, ...]
    """The share of studies with the right verdict, by seeds; empty where no verdict is about the plant."""


@dataclass(frozen=True)
class PowerFile:
    """What an experiment can see, by scripted players that are planted in it."""

    scenario: str
    experiment: str
    where: Arena
    rule: StudyRule
    opportunity: float | None
    """The least that was asked for."""
    looked: int
    pool: int
    draws: Draws
    plants: tuple[PlantPower, ...]
    worst: WorstHarm | None
    """The worst undetected harm; null where nobody asked."""


def power_content(found: Outlook, scenario: str) -> PowerFile:
    """Everything; shares with Wilson's 95 % limits."""
    plants = tuple(_plant(each, found) for each in found.studied)
    return PowerFile(
        scenario, found.experiment, found.where, found.rule, found.least, found.looked, found.pool, found.draws, plants,
        found.worst,
    )  # fmt: skip


def _plant(found: Studied, whole: Outlook) -> PlantPower:
    plant, by_seeds = found.stand.plant, tuple(found.shares.values())
    right = tuple(wilson(each.verdicts[plant.right], each.studies) for each in by_seeds) if plant.right else ()
    signals = {name: _signal(name, found, whole) for name in SIGNALS}
    return PlantPower(plant, plant.right, signals, by_seeds, right)


def _signal(name: str, found: Studied, whole: Outlook) -> SignalPower:
    sizes, studies, why = whole.draws.sizes, whole.draws.studies, found.stand.why(name)
    seen = tuple(why or wilson(found.detection[name, size], studies) for size in sizes)
    return SignalPower(found.effects[name], seen, found.needed(name))
