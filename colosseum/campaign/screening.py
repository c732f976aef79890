"""Screening of seeds. In: an experiment that asks for an opportunity, and blocks; out: those that have it.

A seed is looked at once for each sweep point, before any run, and all of its arms and repeats are run or left out
together: the instance of every arm of the experiment must have the opportunity, so that every part finds the same.
"""

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

from colosseum.campaign.part import ranks, seed_words
from colosseum.diagnostics import ColosseumError, counted, stop
from colosseum.model.experiment import Conditions, Design
from colosseum.model.scenario import Coalition, Task
from colosseum.run.trial import Block, Trials
from colosseum.solve.questions.prospect import Opportunity, opportunity
from colosseum.solve.scoring import ROUNDING
from colosseum.solve.solver import TIME_LIMIT, Solver

LONGEST = 60  # characters of a list of seeds

@dataclass(frozen=True)
class Looked:
    """What was found at one seed before any run."""

    point: str
    seed: int
    opportunity: float | None
    """The least of the instances of its arms, in fair shares; null where one is not known."""
    reason: str
    """Why it is not known; else empty."""
    kept: bool
    """Whether it is enough; else no run is made of it."""
    outsider_loss: float | None = None
    """What others lose at most where the coalition takes most: the least of the instances, in fair shares."""
    no_loss: str = "an earlier version did not look for it"
    """Why that is not known; else empty."""


@dataclass(frozen=True)
class Screening:
    """Which seeds were looked at, and which of them are run."""

    least: float
    """The opportunity that an instance needs."""
    looked: tuple[Looked, ...]
    """Point by point, seed by seed."""


def joined(every: Iterable[Screening | None], points: Iterable[str]) -> Screening | None:
    """What the plans of one configuration looked at together; of what several did, what is known counts."""
    parts = [each for each in every if each is not None]
    looked = sorted((each for part in parts for each in part.looked), key=lambda each: each.opportunity is not None)
    found, rank = {(each.point, each.seed): each for each in looked}, ranks(points)
    order = sorted(found.values(), key=lambda each: (rank(each.point), each.seed))
    return replace(parts[0], looked=tuple(order)) if parts else None


@dataclass
class Screener:
    """Looks at the seeds of one experiment."""

    design: Design
    """The whole of it."""
    trials: Trials
    earlier: Screening | None = None
    """What was found before with the same configuration: it is not looked for again."""
    looked: dict[tuple[str, int], Looked] = field(init=False, default_factory=dict)
    """By sweep point and seed, of the blocks that were asked for."""
    _found: dict[tuple[str, int], Looked] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        if self.earlier is not None:
            self._found = {(each.point, each.seed): each for each in self.earlier.looked}

    @property
    def least(self) -> float | None:
        """The opportunity asked for."""
        return self.design.cells[0].conditions.settings.opportunity

    @property
    def screening(self) -> Screening | None:
        """What was found; none where nothing is asked for."""
        return None if self.least is None else Screening(self.least, tuple(self.looked.values()))

    def passing(self, blocks: Iterable[Block]) -> Iterator[Block]:
        """The blocks that are to be run. Raises ColosseumError where there is no instance."""
        for block in blocks:
            place = (block.point, block.seed)
            if self.least is None:
                yield block
                continue
            if place not in self._found:
                self._look(block.seed, self.least)
            self.looked[place] = self._found[place]
            if self.looked[place].kept:
                yield block

    @property
    def nothing(self) -> ColosseumError:
        """The error where no block passes."""
        known = [(each.opportunity, each) for each in self.looked.values() if each.opportunity is not None]
        message = f"none of {counted(len(self.looked), 'seed')} has an opportunity of at least {self.least:g}"
        if not known:
            reason = next((each.reason for each in self.looked.values()), "there is no seed")
            return stop("C092", message, help=f"of the first one it is not known: {reason}")
        most, where = max(known, key=lambda each: each[0])
        place = f"seed {where.seed}" + (f" of {where.point}" if where.point else "")
        greatest = f"the greatest is {most:.3g}, at {place}"
        return stop("C092", message, help=f"{greatest}: look at more seeds, or ask for less")

    def _look(self, seed: int, least: float) -> None:
        """Look at a seed at every sweep point, as many have one task."""
        known: dict[tuple[Task, Coalition | None], Opportunity] = {}
        for point in dict.fromkeys(cell.point for cell in self.design.cells):
            if (point, seed) in self._found:
                continue
            arms = [self._measured(cell.conditions, seed, known) for cell in self.design.cells if cell.point == point]
            value, reason = _least(arms, "opportunity")
            kept = value is not None and value >= least - ROUNDING
            self._found[point, seed] = Looked(point, seed, value, reason, kept, *_least(arms, "outsider_loss"))

    def _measured(
        self, conditions: Conditions, seed: int, known: dict[tuple[Task, Coalition | None], Opportunity]
    ) -> Opportunity:  # fmt: skip
        """The opportunity of the first coalition in an arm's instance."""
        scenario = self.trials.instance(seed, self.trials.adjust(conditions)).expansion.scenario
        place = scenario.task, next(iter(scenario.coalitions), None)
        if place not in known:
            known[place] = opportunity(Solver(scenario.task, until=time.monotonic() + TIME_LIMIT), place[1])
        return known[place]


def _least(arms: Sequence[Opportunity], figure: str) -> tuple[float | None, str]:
    """The least of a figure in any arm; None and why where it is not known in one."""
    reason = next((each.reasons[figure] for each in arms if figure in each.reasons), "")
    return None if reason else min(getattr(each, figure) for each in arms), reason


def screening_words(screening: Screening) -> str:
    """`12 of 20 seeds have an opportunity of at least 0.1; left out: 3, 7..9`, sweep point by sweep point."""
    points = groupby(screening.looked, key=lambda each: each.point)
    words = {point: _words(list(looked), screening.least) for point, looked in points}
    if len(set(words.values())) == 1:
        return next(iter(words.values())) + " at every sweep point" * (len(words) > 1)
    return "; ".join(f"{point}: {said}" for point, said in words.items())


def _words(looked: Sequence[Looked], least: float) -> str:
    """Of one sweep point."""
    kept = sum(each.kept for each in looked)
    has = "has" if kept == 1 else "have"
    said = [f"{kept} of {counted(len(looked), 'seed')} {has} an opportunity of at least {least:g}"]
    others: dict[str, list[int]] = {}
    for each in sorted(looked, key=lambda each: (each.reason, each.seed)):
        if not each.kept:
            others.setdefault(each.reason, []).append(each.seed)
    for reason, seeds in others.items():
        listed = seed_words(seeds).replace(",", ", ")
        listed = listed if len(listed) <= LONGEST else f"{listed[:LONGEST].rpartition(',')[0]}, …"
        said.append(f"not known at {listed}: {reason}" if reason else f"left out: {listed}")
    return "; ".join(said)
