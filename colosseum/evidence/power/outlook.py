"""How well an experiment detects planted players. In: a checked design and plants; out: the results of studies."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, TypeAlias

from colosseum.campaign.margins import margins_of, signal_of
from colosseum.campaign.part import Part, at_point, read_design
from colosseum.diagnostics import one_of, stop
from colosseum.evidence.power import pool as planting
from colosseum.evidence.power.pool import BENIGN, FAIR, KINDS, Arena, Field, Plant
from colosseum.evidence.power.studies import Draws, PlantPower, Stand, WorstHarm, find_worst, stands, study
from colosseum.evidence.reading import unheard
from colosseum.evidence.spec_questions import solving
from colosseum.evidence.verdict import Rule
from colosseum.model.check import Checked
from colosseum.model.experiment import Design


@dataclass(frozen=True)
class Wish:
    """What is asked for."""

    kinds: tuple[str, ...] = ()
    """Of players to plant; empty: all that fit the scenario."""
    strengths: tuple[float, ...] = (1.0,)
    noises: tuple[float, ...] = ()
    """Of all players; empty: the experiment's."""
    arm: str | None = None
    """In which players are planted; None: the one that suits best."""
    pool: int = 100
    """Seeds that are played."""
    studies: int = 500
    """Drawn from them, of each size."""
    sizes: tuple[int, ...] = ()
    """Seeds of a study; empty: 10, 20, 40 and the experiment's."""
    opportunity: float | None = None
    """In place of the experiment's."""
    jobs: int | None = None
    """Processes; None: one a core."""
    worst: bool = False
    """Whether to search for the worst undetected harm, too, in studies of the largest size."""

    def plants(self, where: Arena) -> list[Plant]:
        """All of them: fair play first at every noise, and no benign channel where there is no arm for it."""
        kinds = dict.fromkeys((FAIR, *self.kinds))
        return [
            Plant(kind, strength, noise)
            for noise in self.noises for kind in kinds
            for strength in (self.strengths if kind in BENT else (1.0,))
            if kind != BENIGN or where.benign is not None
        ]  # fmt: skip


SIZES: Final = (10, 20, 40)  # seeds of the studies that are drawn, beside those of the experiment
BENT: Final = {*KINDS} - {FAIR, BENIGN}  # kinds that have a strength


@dataclass(frozen=True)
class PowerFile:
    """What an experiment can see, by scripted players that are planted in it, as `power --json` prints it."""

    scenario: str
    experiment: str
    question: str
    where: Arena
    signal: str
    margins: Mapping[str, float]
    """Of its parts, in fair shares."""
    opportunity: float | None
    """The least that was asked for."""
    looked: int
    """Seeds that were looked at to find the pool, some of which may offer too little."""
    pool: int
    """Seeds that players were planted at."""
    draws: Draws
    plants: tuple[PlantPower, ...]
    worst: WorstHarm | None
    """The worst undetected harm; null where nobody asked."""


Tell: TypeAlias = Callable[[str, int, int], None]  # is told what is done, and how far: `seeds`, 12 of 100


def study_power(
    checked: Checked, wish: Wish, *, experiment: str | None = None, point: str | None = None,
    tell: Tell = unheard,
) -> tuple[PowerFile, tuple[Stand, ...]]:  # fmt: skip
    """Plant, play, draw and count at the first sweep point that has `point`; the stands are of the plants in order.

    `tell` hears what is done, and how far. Raises ColosseumError.
    """
    source, scenario = checked.spec.composition.source, checked.expansion.scenario
    asked = at_point(read_design(checked, Part(experiment), file=source.name), point)
    if not scenario.coalitions:
        help_ = "add one, such as `coalition cabal { members ~ sample(agents, 2) }`"
        raise stop("C092", f"{source.name} has no coalition, so nobody can be planted", help=help_)
    coalition, wish = scenario.coalitions[0], _whole(wish, asked)
    least = {} if wish.opportunity is None else {"opportunity": wish.opportunity}
    design = replace(asked, cells=tuple(planting.with_settings(cell, **least) for cell in asked.cells))
    scripted = tuple(planting.with_settings(cell, model=(("agents", "sim"),)) for cell in design.cells)
    one_seed = replace(design, cells=scripted, seeds=design.seeds[:1], repeats=1)
    at_first = Field(source.path or Path(source.name), checked.params, one_seed, coalition.name, {})
    with solving(checked):
        kinds = planting.planned_kinds(at_first.trials, one_seed, coalition.name)
        where = planting.ground(kinds, coalition.name, wish.arm)
        plants, rivals = wish.plants(where), {arm: kinds[arm] for arm in where.rivals}
        field = replace(at_first, design=planting.planted(design, where, plants), kinds=rivals)
        grown = planting.grow(field, wish.pool, lambda kept: tell("seeds", kept, wish.pool), wish.jobs)
        settings = design.cells[0].conditions.settings
        rule = Rule(signal_of(settings, coalition), margins_of(settings, coalition))
        own = {plant: kinds[(where.benign if plant.kind == BENIGN else None) or where.planted] for plant in plants}
        found, draws = stands(grown, plants, own, rivals, rule), Draws(wish.studies, wish.sizes)
        studied = list[PlantPower]()
        for stand in found:
            studied.append(study(stand, draws))
            tell("plants", len(studied), len(found))
        worst = find_worst(
            replace(at_first, design=design, kinds=rivals), where, kinds[where.planted], rule, seeds=max(wish.sizes),
            noise=wish.noises[0], jobs=wish.jobs, tell=tell,
        ) if wish.worst else None  # fmt: skip
        content = PowerFile(
            scenario.name, design.name, design.question, where, rule.signal, rule.margins, settings.opportunity,
            len(grown), wish.pool, draws, tuple(studied), worst,
        )  # fmt: skip
    return content, tuple(found)


def _whole(wish: Wish, design: Design) -> Wish:
    """With what an experiment has in place of what was left out. Raises ColosseumError."""
    numbers = {"strength": wish.strengths, "noise": wish.noises, "opportunity": (wish.opportunity or 0.0,)}
    for name, values in numbers.items():
        if not all(map(math.isfinite, values)):
            raise stop("C122", f"`--{name}` is not a number")
    for kind in wish.kinds:
        one_of("kind", kind, KINDS)
    if wish.arm is not None:
        one_of("arm", wish.arm, design.arms, code="C091")
    sizes = tuple(n for n in sorted({*(wish.sizes or (*SIZES, len(design.seeds)))}) if n > 1)
    noises = wish.noises or (design.cells[0].conditions.settings.noise,)
    return replace(wish, kinds=wish.kinds or KINDS, noises=noises, sizes=sizes)
