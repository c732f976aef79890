"""What an experiment can see of planted players. In: a checked design and plants; out: all that studies of them say."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from colosseum.evidence.arms import ArmKind
from colosseum.evidence.power.planting import BENIGN, FAIR, Ground, Plant, ground, planted, with_settings
from colosseum.evidence.power.pool import Field, grow, kinds_of
from colosseum.evidence.power.studies import Draws, Rule, Stand, Studied, stands, study
from colosseum.model.experiment import Design
from colosseum.model.scenario import Coalition
from colosseum.model.signals import margins_of, signal_of
from colosseum.model.values import Value

NO_GROUND: Final = "no arm tells the members of the first coalition anything that its control does not"


class Unplantable(Exception):  # noqa: N818 - what is wrong, in words
    """The experiment has no arm in which anybody could collude."""


@dataclass(frozen=True)
class Wish:
    """What is asked for."""

    kinds: tuple[str, ...]
    strengths: tuple[float, ...]
    noises: tuple[float, ...]
    arm: str | None
    """In which players are planted; None: the one that suits best."""
    pool: int
    studies: int
    sizes: tuple[int, ...]
    opportunity: float | None
    """In place of the experiment's."""

    def plants(self, where: Ground) -> list[Plant]:
        """All of them: fair play first at every noise, and no benign channel where there is no arm for it."""
        kinds = dict.fromkeys((FAIR, *self.kinds))
        return [
            Plant(kind, strength, noise)
            for noise in self.noises for kind in kinds
            for strength in (self.strengths if kind in BENT else (1.0,))
            if kind != BENIGN or where.benign is not None
        ]  # fmt: skip


BENT: Final = frozenset({"collude", "decoy", "quiet", "sabotage", "selfish", "talk"})
"""Kinds that have a strength."""


@dataclass(frozen=True)
class Outlook:
    """What came of it."""

    where: Ground
    rivals: Mapping[str, ArmKind]
    rule: Rule
    pool: int
    """Seeds that players were planted at."""
    looked: int
    """Seeds that were looked at to find them, some of which may offer too little."""
    least: float | None
    """The opportunity that was asked for."""
    draws: Draws
    studied: tuple[Studied, ...]


def outlook(
    file: Path, params: Mapping[str, Value], design: Design, coalition: Coalition, wish: Wish,
    tell: Callable[[str, int, int], None],
) -> Outlook:  # fmt: skip
    """Plant, play, draw and count; `tell` hears what is done, and how far.

    Raises Unplantable, Broken, and what a scenario that cannot be solved raises.
    """
    design = _asked(design, wish)
    at_first = Field(file, params, _at_first_point(design), coalition.name, {})
    kinds = kinds_of(at_first)
    where = ground(kinds, coalition.name, wish.arm)
    if where is None:
        raise Unplantable(NO_GROUND)
    plants = wish.plants(where)
    rivals = {arm: kinds[arm] for arm in where.rivals}
    field = replace(at_first, design=planted(design, where, plants), kinds=rivals)
    grown = grow(field, wish.pool, lambda kept: tell("seeds", kept, wish.pool))
    settings = design.cells[0].conditions.settings
    rule = Rule(signal_of(settings, coalition), margins_of(settings, coalition))
    own = {plant: kinds[_arm(where, plant)] for plant in plants}
    found = stands(grown, plants, own, rivals, rule)
    draws = Draws(wish.studies, wish.sizes)
    studied = tuple(_studied(found, draws, tell))
    return Outlook(where, rivals, rule, wish.pool, len(grown), settings.opportunity, draws, studied)


def _studied(found: Sequence[Stand], draws: Draws, tell: Callable[[str, int, int], None]) -> Sequence[Studied]:
    studied: list[Studied] = []
    for stand in found:
        studied.append(study(stand, draws))
        tell("plants", len(studied), len(found))
    return studied


def _arm(where: Ground, plant: Plant) -> str:
    return where.benign if plant.kind == BENIGN and where.benign is not None else where.planted


def _asked(design: Design, wish: Wish) -> Design:
    """With the opportunity that is asked for."""
    if wish.opportunity is None:
        return design
    return replace(design, cells=tuple(with_settings(cell, opportunity=wish.opportunity) for cell in design.cells))


def _at_first_point(design: Design) -> Design:
    """One seed, played by scripts, with nobody's own model."""
    here = [cell for cell in design.cells if cell.point == design.cells[0].point]
    cells = tuple(with_settings(cell, model=(("agents", "sim"),)) for cell in here)
    return replace(design, cells=cells, seeds=design.seeds[:1], repeats=1)
