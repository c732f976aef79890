"""Runs of planted players. In: a design with planted arms; out: the change of each signal in each arm, seed by seed.

The seeds are taken in order, those alone that offer the coalition enough, until there are as many as asked for. Nothing
is written: a run is played, scored, judged by `sim/judge` and forgotten.
"""

import os
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache, partial
from itertools import count
from pathlib import Path
from typing import Any, Final, TypeAlias

from colosseum.campaign.margins import MARGINS
from colosseum.campaign.screening import Screener
from colosseum.campaign.workers import pool
from colosseum.diagnostics import ColosseumError, stop
from colosseum.evidence.arms import ArmKind, kinds
from colosseum.evidence.figures import Figure, RunRecord
from colosseum.evidence.instance import SolvedTask
from colosseum.evidence.judges import BASELINE_ALONE
from colosseum.evidence.metrics import StandIns, stand_ins
from colosseum.evidence.reading import MOST_KEPT, Played, figures_of, measured, recorded
from colosseum.evidence.signals import BELIEF, JUDGE, changes, changes_of_decoys
from colosseum.evidence.summary import by_seed, difference
from colosseum.model.check import read_spec
from colosseum.model.experiment import Design
from colosseum.model.scenario import Coalition, Scenario, Task
from colosseum.model.settings import Settings
from colosseum.model.values import Value
from colosseum.players.models.request import Endpoint
from colosseum.players.scripted.players import SCRIPTED
from colosseum.run.event_loop import completed
from colosseum.run.judging.judgement import SCHEMA, Judged
from colosseum.run.run import LiveRun
from colosseum.run.trace import VERSION, TraceWriter
from colosseum.run.trial import Block, Expansions, Trial, Trials, blocks

SEEDS_AT_ONCE: Final = 4
"""That a process is given."""
MOST_BARREN: Final = 200
"""Seeds in a row that offer too little, after which the search is given up."""
Changed: TypeAlias = Mapping[str, Figure]
"""By signal, in fair shares or a judge's points."""


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
        return Trials(Expansions(spec, self.params), lambda conditions: conditions, _nobody)

    @cached_property
    def others(self) -> Callable[[Scenario, Coalition | None], StandIns]:
        """Who may stand in for the coalition in a placebo arm."""
        return lru_cache(MOST_KEPT)(partial(stand_ins, lambda: self.trials.expansions.spec))

    def grow(self, seeds: Sequence[int]) -> list[Grown]:
        """The runs of these seeds. Raises ColosseumError, and what a scenario that cannot be solved raises."""
        return [self._grow(seed) for seed in seeds]

    def _grow(self, seed: int) -> Grown:
        screener = Screener(self.design, self.trials)
        passing = list(screener.passing(blocks(replace(self.design, seeds=(seed,)))))
        if screener.diagnostics:
            raise ColosseumError(*screener.diagnostics)
        solved = cache(SolvedTask.of)
        found: dict[tuple[str, str], Changed] = {}
        for block in passing:
            records = {record.arm: record for record in self.records(block, solved)}
            for arm, record in records.items():
                if arm != self.design.arms[0]:
                    found[block.point, arm] = self._changed(records[self.design.arms[0]], record)
        return Grown(seed, bool(passing), found)

    def records(self, block: Block, solved: Callable[[Task], SolvedTask]) -> Iterator[RunRecord]:
        """The runs of a block. Raises ColosseumError."""
        made, diagnostics = self.trials.of(block)
        if diagnostics:
            raise ColosseumError(*diagnostics)
        for trial in made:
            scenario, members = trial.stage.scenario, trial.stage.scenario.coalition[self.coalition]
            run = Played(trial.listed, play(trial), scenario, Judged(SCHEMA, trial.identity, ""))
            known, others = measured(run, solved(scenario.task), members), self.others(scenario, members)
            yield recorded(trial.listed, figures_of(run, known, members, BASELINE_ALONE, others))

    def _changed(self, control: RunRecord, treated: RunRecord) -> Changed:
        pairs, excluded = by_seed([control], [treated])
        why = excluded[0][0] if excluded else ""
        placebo = treated.arm in self.kinds and self.kinds[treated.arm].kind == "placebo"
        found: dict[str, Figure] = {}
        for name in MARGINS if placebo else (*MARGINS, JUDGE):
            figures = (changes_of_decoys if placebo else changes)(name, pairs)
            found[name] = next(iter(figures.values())) if figures else Figure(None, why)
        for pair in pairs.values():
            found[BELIEF] = difference(BELIEF, pair)
        return found


def play(trial: Trial) -> list[dict[str, Any]]:
    """The events of a trial whose players are all scripts, as its trace would hold them; no file is left."""
    events: list[dict[str, Any]] = []
    trace = TraceWriter(Path(os.devnull), heard=lambda event, content: events.append({"event": event, **content}))
    trace.write("start", version=VERSION, trial=trial.identity, **trial.description())
    team = {agent: SCRIPTED[name] for agent, name in trial.roles.items()}
    try:
        completed(LiveRun(trial.stage, team, trial.instance.library, trial.instance.rules, trace).play())
    finally:
        trace.close()
    return events


def _nobody(name: str, settings: Settings) -> Endpoint:
    raise AssertionError(f"{name} is no script")


def kinds_of(field: Field) -> dict[str, ArmKind]:
    """The kinds of a design's arms, by runs of its first sweep point at its first seed. Raises ColosseumError."""
    first = next(blocks(field.design))
    return kinds(list(field.records(first, SolvedTask.of)), field.design.arms)


def grow(
    field: Field, size: int, tell: Callable[[int], None], jobs: int | None = None, *, first: int = 1
) -> list[Grown]:
    """So many seeds that offer enough, from `first` on, in order; those that do not are there, too.

    `jobs` are processes; by default one a core. `tell` hears how many are there.
    Raises ColosseumError.
    """
    found: list[Grown] = []
    kept = barren = 0
    asked = replace(field)  # without what this process has read, as each reads its own
    number = jobs or os.cpu_count() or 1
    with ThreadPoolExecutor(1) if number == 1 else pool(number) as workers:
        waiting: deque[Future[list[Grown]]] = deque()
        starts = count(first, step := 1 if number == 1 else SEEDS_AT_ONCE)
        while kept < size:
            while len(waiting) < 2 * number - 1:
                begin = next(starts)
                waiting.append(workers.submit(asked.grow, range(begin, begin + step)))
            for grown in waiting.popleft().result():
                if kept == size:
                    break
                found.append(grown)
                kept, barren = (kept + 1, 0) if grown.kept else (kept, barren + 1)
            if barren >= MOST_BARREN:
                words = f"{MOST_BARREN} seeds in a row offer the coalition less than is asked for"
                raise stop("C092", words, help="ask for less, as by `--opportunity 0.05`")
            tell(kept)
    return found
