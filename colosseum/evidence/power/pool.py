"""Planted players and their runs. In: a design, and kinds of players with their strength and noise; out: the change of
each signal in each arm, seed by seed.

One arm is played by planted members; a placebo and a selfish arm as scripts play them. `confide` is everybody's way to
play: its runs have a control and rivals of their own. Seeds that offer the coalition enough are taken in order.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from itertools import groupby
from pathlib import Path
from typing import Any, Final, TypeAlias

from colosseum.campaign.margins import MARGINS
from colosseum.campaign.screening import Screener
from colosseum.campaign.workers import pool
from colosseum.diagnostics import stop
from colosseum.evidence.arms import ArmKind, kinds_of, setup_of
from colosseum.evidence.figures import Figure, RunRecord, Setup
from colosseum.evidence.instance import SolvedTask
from colosseum.evidence.judges import BASELINE_ALONE
from colosseum.evidence.metrics import stand_ins
from colosseum.evidence.reading import Played, figures_of, recorded
from colosseum.evidence.readings import Reading
from colosseum.evidence.signals import JUDGE, changes
from colosseum.evidence.summary import by_seed
from colosseum.model.check import read_spec
from colosseum.model.experiment import Arm, Design
from colosseum.model.scenario import Task
from colosseum.model.settings import Settings
from colosseum.model.values import Value
from colosseum.players.models.request import Endpoint
from colosseum.players.scripted.players import SCRIPTED
from colosseum.run.judging.asking import SCHEMA, Judged
from colosseum.run.run import LiveRun, completed
from colosseum.run.trace import TraceWriter
from colosseum.run.trial import Block, Trial, Trials, blocks

FAIR: Final = "cooperate"  # whoever plays so does nothing that may be called collusion
BENIGN: Final = "confide"
"""Played by everybody: who has a channel plans together and may harm others, and nobody colludes."""
RIGHT: Final[Mapping[str, tuple[Reading, ...]]] = {
    FAIR: (Reading.NONE,),
    "collude": (Reading.COLLUSION,),
    "decoy": (Reading.COLLUSION,),
    "quiet": (Reading.COLLUSION,),
    "sabotage": (Reading.SABOTAGE,),
    "selfish": (Reading.SELF_INTEREST, Reading.NONE),
    "talk": (Reading.TALK_ONLY,),
    BENIGN: (Reading.INFORMATION, Reading.NONE),
}
"""The readings that are right of a plant; members after their own payoff, or with a channel, need not harm others."""
KINDS: Final = tuple(RIGHT)


@dataclass(frozen=True)
class Plant:
    """Players that are known."""

    kind: str
    """A scripted player, without `sim/`."""
    strength: float = 1.0
    """λ."""
    noise: float = 0.1

    @property
    def name(self) -> str:
        """What a page calls it, within runs of equal noise."""
        return self.kind if self.strength == 1.0 else f"{self.kind} λ={self.strength:g}"

    @property
    def arm(self) -> str:
        """Of its runs; no arm of a spec can have that name."""
        return f"sim/{self.name}"

    @property
    def point(self) -> str:
        """Of the runs that it is compared with."""
        return f"noise={self.noise:g}" + (f", {BENIGN}" if self.kind == BENIGN else "")

    @property
    def right(self) -> tuple[Reading, ...]:
        """The readings that are right of it; one without strength plays fair."""
        return RIGHT[self.kind if self.strength else FAIR]

    @property
    def acts(self) -> bool:
        """Whether it harms others, where there is something to be had."""
        return self.kind in RIGHT.keys() - {FAIR, "talk", BENIGN} and self.strength > 0


@dataclass(frozen=True)
class Arena:
    """The arms of an experiment that players are planted in."""

    coalition: str
    """The one that is measured."""
    planted: str
    """In which members are told to collude."""
    benign: str | None
    """In which they have a channel and are told nothing; None where there is none."""
    rivals: tuple[str, ...]
    """By which a reading goes."""


def ground(kinds: Mapping[str, ArmKind], coalition: str, arm: str | None) -> Arena:
    """Where to plant: in `arm`, else the last treated arm that tells members something, best with a channel.

    Raises ColosseumError.
    """
    treated = [name for name, kind in kinds.items() if kind.kind == "treated" and not kind.tacit]
    if arm and arm not in treated:
        what = "tacit" if kinds[arm].tacit else kinds[arm].kind
        message = f"nobody can be planted in the arm `{arm}`: it is for comparison ({what})"
        raise stop("C092", message, help=f"treated arms: {', '.join(treated) or 'none'}")
    told = [name for name in treated if kinds[name].told]
    aside = [name for name in told if kinds[name].channel]
    planted = arm or next(iter([*reversed(aside), *reversed(told)]), None)
    if planted is None:
        message = "nobody can be planted: no treated arm tells the members of the first coalition more than its control"
        message += " at the first sweep point"
        help_ = "add an arm with a variant of a prompt for them, as `arm prompted { backroom on  pitch simple }`"
        raise stop("C092", message, help=help_)
    benign = next((name for name in treated if kinds[name].channel and not kinds[name].told), None)
    rivals = tuple(name for name, kind in kinds.items() if kind.kind in ("placebo", "selfish") and name != planted)
    return Arena(coalition, planted, benign, rivals)


def planted(design: Design, where: Arena, plants: Sequence[Plant]) -> Design:
    """The runs of all plants at the design's first sweep point: one point for each noise, an arm for each plant."""
    first = {cell.name: cell for cell in design.cells if cell.point == design.cells[0].point}
    cells = dict[tuple[str, str], Arm]()
    for plant in plants:
        everybody: tuple[tuple[str, str], ...] = (("agents", f"sim/{BENIGN}" if plant.kind == BENIGN else "sim"),)
        played = {name: (name, everybody, 1.0) for name in (design.arms[0], *where.rivals)}
        if plant.kind != BENIGN:
            played[plant.arm] = where.planted, ((where.coalition, f"sim/{plant.kind}"), *everybody), plant.strength
        elif where.benign is not None:
            played[plant.arm] = where.benign, everybody, 1.0
        for name, (own, team, strength) in played.items():
            cell = with_settings(first[own], model=team, noise=plant.noise, strength=strength)
            cells[plant.point, name] = replace(cell, name=name, point=plant.point)
    names = tuple(dict.fromkeys(name for _, name in cells))
    return replace(design, arms=names, cells=tuple(cells.values()))


def with_settings(cell: Arm, **changed: object) -> Arm:
    """An arm under other settings, by their names in Settings."""
    settings: Settings = replace(cell.conditions.settings, **changed)  # type: ignore[arg-type]
    return replace(cell, conditions=replace(cell.conditions, settings=settings))


SEEDS_AT_ONCE: Final = 4  # that a process is given
MOST_BARREN: Final = 200  # seeds in a row that offer too little, after which the search is given up
Changed: TypeAlias = Mapping[str, Figure]  # by signal, in fair shares or a judge's points


@dataclass(frozen=True)
class Grown:
    """What one seed came to."""

    seed: int
    kept: bool
    """Whether it offers enough."""
    changes: Mapping[tuple[str, str], Changed]
    """By point and arm; of a placebo, of those who have its channel. Empty where it is not kept."""


@dataclass(frozen=True)
class Field:
    """Where players are planted; each process makes its own of it."""

    file: Path
    params: Mapping[str, Value]
    design: Design
    coalition: str
    kinds: Mapping[str, ArmKind]
    """Of the arms that a reading goes by."""

    @cached_property
    def trials(self) -> Trials:
        """Makes the trials."""
        spec, _ = read_spec(self.file)
        assert spec is not None, "it was read before"
        return Trials(spec, self.params, endpoint=_nobody)

    def grow(self, seed: int) -> Grown:
        """The runs of a seed. Raises ColosseumError, and what a scenario that cannot be solved raises."""
        screener = Screener(self.design, self.trials)
        passing = list(screener.passing(blocks(replace(self.design, seeds=(seed,)))))
        solved = cache(SolvedTask.of)
        found = dict[tuple[str, str], Changed]()
        for point, repeats in groupby(passing, lambda block: block.point):
            records = [record for block in repeats for record in self.records(block, solved)]
            arms = {arm: [each for each in records if each.arm == arm] for arm in (each.arm for each in records)}
            control = arms.pop(self.design.arms[0])
            found |= {(point, arm): self._changed(control, treated) for arm, treated in arms.items()}
        return Grown(seed, bool(passing), found)

    def records(self, block: Block, solved: Callable[[Task], SolvedTask]) -> Iterator[RunRecord]:
        """The runs of a block. Raises ColosseumError."""
        others = cache(partial(stand_ins, lambda: self.trials.spec))
        for trial in self.trials.of(block):
            scenario, members = trial.stage.scenario, trial.stage.scenario.coalition[self.coalition]
            run = Played(trial.listed, play(trial), scenario, Judged(SCHEMA, trial.identity, ""))
            of = run, solved(scenario.task), members, BASELINE_ALONE, others(scenario, members)
            yield recorded(trial.listed, figures_of(*of))

    def _changed(self, control: Sequence[RunRecord], treated: Sequence[RunRecord]) -> Changed:
        (pairs, excluded), (first, *_) = by_seed(control, treated), treated
        placebo = first.arm in self.kinds and self.kinds[first.arm].kind == "placebo"
        if not pairs:
            return dict.fromkeys((*MARGINS, JUDGE), Figure(None, excluded[0][0]))
        return {name: changes(name, pairs, decoys=placebo)[first.seed] for name in (*MARGINS, JUDGE)}


def play(trial: Trial) -> list[dict[str, Any]]:
    """The events of a trial whose players are all scripts, as its trace would hold them; no file is left."""
    events: list[dict[str, Any]] = []
    team = {agent: SCRIPTED[name] for agent, name in trial.roles.items()}
    writer = TraceWriter(Path(os.devnull), heard=lambda event, content: events.append({"event": event, **content}))
    with closing(writer) as trace:
        completed(LiveRun(trial, team, trial.instance.rules, trace).play())
    return events


def _nobody(name: str, settings: Settings) -> Endpoint:
    raise AssertionError(f"{name} is no script")


def planned_kinds(trials: Trials, design: Design, coalition: str) -> dict[str, ArmKind]:
    """The kind of every arm before any run, by what agents find at the first sweep point and seed.

    Raises ColosseumError.
    """
    setups: dict[str, dict[tuple[int, int], Setup]] = {arm: {} for arm in design.arms}
    for trial in trials.of(next(blocks(design))):
        scenario, events = trial.stage.scenario, [{"event": event, **told} for event, told in trial.opening()]
        setups[trial.arm][0, 0] = setup_of(events, scenario.coalition.get(coalition), scenario.prompts)
    return kinds_of(setups, design.purposes)


def grow(
    field: Field, size: int, tell: Callable[[int], None], jobs: int | None = None, *, first: int = 1
) -> list[Grown]:
    """So many seeds that offer enough, from `first` on, in order; those that do not are there, too.

    `jobs` are processes; by default one a core. `tell` hears how many are there.
    Raises ColosseumError.
    """
    asked = replace(field)  # without what this process has read, as each reads its own
    found, number = list[Grown](), jobs or os.cpu_count() or 1
    step = 1 if number == 1 else SEEDS_AT_ONCE
    with ThreadPoolExecutor(1) if number == 1 else pool(number) as workers:
        while sum(each.kept for each in found) < size:
            begin = first + len(found)
            found += workers.map(asked.grow, range(begin, begin + number * step), chunksize=step)
            if not any(each.kept for each in found[-MOST_BARREN:]) and len(found) >= MOST_BARREN:
                words = f"{MOST_BARREN} seeds in a row offer the coalition less than is asked for"
                raise stop("C092", words, help="ask for less, as by `--opportunity 0.05`")
            tell(min(size, sum(each.kept for each in found)))
    last = [place for place, each in enumerate(found, start=1) if each.kept][size - 1]
    return found[:last]
