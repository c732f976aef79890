"""How well an experiment detects planted players. In: a checked design and plants; out: the results of studies."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, TypeAlias

from colosseum.campaign.margins import margins_of, signal_of
from colosseum.campaign.part import Part, at_point, read_design
from colosseum.diagnostics import closest, stop
from colosseum.evidence.arms import ArmKind
from colosseum.evidence.power.pool import (
    BENIGN,
    FAIR,
    KINDS,
    RUMORS,
    Arena,
    Field,
    Plant,
    ground,
    grow,
    planned_kinds,
    planted,
    with_settings,
)
from colosseum.evidence.power.studies import Draws, PlantPower, Search, Stand, StudyRule, WorstHarm, stands, study
from colosseum.evidence.reading import unheard
from colosseum.evidence.spec_questions import solving
from colosseum.model.check import Checked
from colosseum.model.experiment import Design
from colosseum.model.scenario import Coalition
from colosseum.model.values import Value


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


SIZES: Final = (10, 20, 40)
"""Seeds of the studies that are drawn, beside those of the experiment."""
BENT: Final = {*KINDS} - {FAIR, BENIGN}
"""Kinds that have a strength."""


@dataclass(frozen=True)
class PowerFile:
    """What an experiment can see, by scripted players that are planted in it, as `power --json` prints it."""

    scenario: str
    experiment: str
    where: Arena
    rule: StudyRule
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


@dataclass(frozen=True)
class Outlook:
    """What came of it, and from what."""

    file: PowerFile
    question: str
    rivals: Mapping[str, ArmKind]
    stands: tuple[Stand, ...]
    """Of the plants, in their order."""


Tell: TypeAlias = Callable[[str, int, int], None]
"""Is told what is done, and how far: `seeds`, 12 of 100."""


def study_power(
    checked: Checked, wish: Wish, *, experiment: str | None = None, point: str | None = None,
    tell: Tell = unheard,
) -> Outlook:  # fmt: skip
    """What an experiment of a spec can see, at the first sweep point that has `point`. Raises ColosseumError."""
    source, scenario = checked.spec.composition.source, checked.expansion.scenario
    design = at_point(read_design(checked, Part(experiment), file=source.name), point)
    if not scenario.coalitions:
        help_ = "add one, such as `coalition cabal { members ~ sample(agents, 2) }`"
        raise stop("C092", f"{source.name} has no coalition, so nobody can be planted", help=help_)
    whole = _whole(wish, design, claims=bool(scenario.claims))
    with solving(checked):
        return outlook(source.path or Path(source.name), checked.params, design, scenario.coalitions[0], whole, tell,
                       scenario=scenario.name)  # fmt: skip


def _whole(wish: Wish, design: Design, *, claims: bool) -> Wish:
    """With what an experiment has in place of what was left out. Raises ColosseumError."""
    numbers = {"strength": wish.strengths, "noise": wish.noises, "opportunity": (wish.opportunity or 0.0,)}
    for name, values in numbers.items():
        if not all(map(math.isfinite, values)):
            raise stop("C122", f"`--{name}` is not a number")
    every, others = (*KINDS, RUMORS) if claims else KINDS, design.arms[1:]
    for kind in wish.kinds:
        if kind == RUMORS and not claims:
            help_ = 'add a claim, such as `claim away: "Ann is away" is false`'
            raise stop("C122", f"`{RUMORS}` has nothing to spread", help=help_)
        if kind not in every:
            raise stop("C122", f"`{kind}` is not planted", help=closest(kind, every) or f"kinds: {', '.join(every)}")
    if wish.arm is not None and wish.arm not in others:
        help_ = closest(wish.arm, others) or f"arms: {', '.join(others) or 'none but the control'}"
        raise stop("C091", f"nobody can be planted in an arm `{wish.arm}`", help=help_)
    sizes = tuple(n for n in sorted({*(wish.sizes or (*SIZES, len(design.seeds)))}) if n > 1)
    noises = wish.noises or (design.cells[0].conditions.settings.noise,)
    return replace(wish, kinds=wish.kinds or every, noises=noises, sizes=sizes)


def outlook(
    file: Path, params: Mapping[str, Value], design: Design, coalition: Coalition, wish: Wish, tell: Tell, *,
    scenario: str = "",
) -> Outlook:  # fmt: skip
    """Plant, play, draw and count; `tell` hears what is done, and how far.

    Raises ColosseumError, and what a scenario that cannot be solved raises.
    """
    if wish.opportunity is not None:
        cells = (with_settings(cell, opportunity=wish.opportunity) for cell in design.cells)
        design = replace(design, cells=tuple(cells))
    here = (cell for cell in design.cells if cell.point == design.cells[0].point)
    scripted = tuple(with_settings(cell, model=(("agents", "sim"),)) for cell in here)
    one_seed = replace(design, cells=scripted, seeds=design.seeds[:1], repeats=1)
    at_first = Field(file, params, one_seed, coalition.name, {})
    kinds = planned_kinds(at_first.trials, one_seed, coalition.name)
    if wish.arm and (kind := kinds[wish.arm].kind) != "treated":
        help_ = f"treated arms: {', '.join(arm for arm in kinds if kinds[arm].kind == 'treated') or 'none'}"
        raise stop("C092", f"nobody can be planted in the arm `{wish.arm}`: it is for comparison ({kind})", help=help_)
    where = ground(kinds, coalition.name, wish.arm)
    if where is None:
        message = "nobody can be planted: no arm tells the members of the first coalition more than its control does"
        help_ = "add an arm with a variant of a prompt for them, as `arm prompted { backroom on  pitch simple }`"
        raise stop("C092", message, help=help_)
    plants = wish.plants(where)
    rivals = {arm: kinds[arm] for arm in where.rivals}
    field = replace(at_first, design=planted(design, where, plants), kinds=rivals)
    grown = grow(field, wish.pool, lambda kept: tell("seeds", kept, wish.pool), wish.jobs)
    settings = design.cells[0].conditions.settings
    rule = StudyRule(signal_of(settings, coalition), margins_of(settings, coalition))
    own = {plant: kinds[(where.benign if plant.kind == BENIGN else None) or where.planted] for plant in plants}
    found = stands(grown, plants, own, rivals, rule)
    draws = Draws(wish.studies, wish.sizes)
    studied = list[PlantPower]()
    for stand in found:
        studied.append(study(stand, draws))
        tell("plants", len(studied), len(found))
    ahead = replace(at_first, design=design, kinds=rivals)
    search = Search(ahead, where, kinds[where.planted], rule, max(wish.sizes), wish.noises[0], wish.jobs, tell)
    content = PowerFile(
        scenario, design.name, where, rule, settings.opportunity, len(grown), wish.pool, draws, tuple(studied),
        search.find() if wish.worst else None,
    )  # fmt: skip
    return Outlook(content, design.question, rivals, tuple(found))
