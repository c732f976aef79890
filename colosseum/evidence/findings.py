"""Findings of a folder. In: its path; out: its plan, its Findings, or a ColosseumError.

Findings are what every kind of report is made of; `content` is what `report --json` prints and report.json holds.
"""

import os
from collections.abc import Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache, partial
from math import inf
from pathlib import Path
from statistics import fmean, median
from typing import Final, TypeVar

from pydantic import TypeAdapter

from colosseum.campaign.folder import Damaged, Plan
from colosseum.campaign.kept import Kept
from colosseum.campaign.margins import MARGINS
from colosseum.campaign.part import matching
from colosseum.campaign.registering import Registered
from colosseum.campaign.screening import Looked, Screening
from colosseum.campaign.verifying import beside, looked, unrecorded
from colosseum.campaign.workers import pool
from colosseum.diagnostics import counted, one_of, stop
from colosseum.evidence.contrasts import NamedContrast, Trend, contrasts, trends
from colosseum.evidence.figures import Figure, RunRecord
from colosseum.evidence.instance import DEADLINE, LITTLE
from colosseum.evidence.judges import Bench, bench
from colosseum.evidence.reading import Reader, Tell, unheard
from colosseum.evidence.spread import SpreadOrigin, UnitChange, spread_origins, unit_changes
from colosseum.evidence.strength import ArmStrength
from colosseum.evidence.summary import ArmSummary, Summary, summarise
from colosseum.evidence.verdict import Rule, ToTake, Verdicts, settle
from colosseum.model.experiment import factors
from colosseum.model.scenario import Coalition, Task
from colosseum.model.values import Fault
from colosseum.run.trace import BrokenTrace
from colosseum.run.trial import Listed
from colosseum.solve.arrays import Floats
from colosseum.solve.lowering.lower import NotLowered
from colosseum.solve.questions.equilibria import equilibria
from colosseum.solve.questions.prospect import Opportunity, opportunity
from colosseum.solve.scoring import ROUNDING
from colosseum.solve.solver import Solver

MOST_LISTED: Final = 12  # folders that a message names
SOON: Final = 1.0  # seconds of work in which an instance is to show that there is nothing to take
BARREN: Final = 0.2  # the share of seeds that must offer something for no effect to say much
ENOUGH_LOOKED: Final = 12  # seeds by which it is told how much there was to take
WORTH: Final = 200  # runs from which on processes are begun: each takes about a second to come up
PARTS: Final = 4  # of the runs for each process, so that none waits long for another
OPPORTUNITY: Final = TypeAdapter(Opportunity)

T = TypeVar("T", NamedContrast, Trend)


@dataclass(frozen=True)
class ReportFile:
    """What a campaign shows: every figure in full, every null with its reason."""

    scenario: str
    experiment: str
    question: str
    coalition: str | None
    """The one that is measured."""
    planned: int
    missing: int
    """Planned runs that have not ended."""
    scripted: bool
    """No model was asked."""
    imported: str | None
    """What read the runs, as others made them: `otel`, …; null of own runs."""
    players: tuple[str, ...]
    screening: Screening | None
    """What there is to take at the seeds that were looked at, before own runs or after imported ones; else null."""
    registered: Registered | None
    """What was settled before the runs; null of a coalition that was chosen after them."""
    judges: tuple[str, ...]
    bench: Bench
    """How far the judges can be trusted."""
    verdicts: Verdicts
    origins: tuple[SpreadOrigin, ...]
    """Where the spread of effects comes from."""
    control: str
    arms: tuple[str, ...]
    rows: tuple[ArmSummary, ...]
    """Each arm at each sweep point."""
    units: tuple[UnitChange, ...]
    """The change of CA with models and with seeds as units."""
    trends: tuple[Trend, ...]
    """How effects change along swept numbers."""
    contrasts: tuple[NamedContrast, ...]
    """Arms, or models, that the spec compares with each other."""
    strength: tuple[ArmStrength, ...] | None
    """λ_emp; null where it was not asked for."""


@dataclass(frozen=True)
class Findings:
    """What the runs of a folder show."""

    plan: Plan
    """With the coalition in front that is measured."""
    records: Sequence[RunRecord]
    summary: Summary
    verdicts: Verdicts
    judges: Sequence[str]
    bench: Bench
    settled: Registered | None
    """What was settled before the runs; None of a coalition that was chosen after them."""
    unrecorded: str = ""
    """Why earlier looks may be on no record; else empty."""

    def at(self, words: str) -> "Findings":
        """The same of sweep points such as `network=ring`; all tests stay counted. Raises ColosseumError."""
        summary, verdicts = self.summary, self.verdicts
        points = matching(words, {each.point: factors(each.point, each.model) for each in summary.rows})
        part = replace(
            self,
            plan=replace(self.plan, trials=tuple(t for t in self.plan.trials if t.point in points)),
            records=[record for record in self.records if record.point in points],
            summary=replace(summary, rows=tuple(row for row in summary.rows if row.point in points)),
            verdicts=replace(verdicts, arms=tuple(arm for arm in verdicts.arms if arm.point in points)),
        )
        every, some = self.report, part.report
        tests = _among(every.contrasts, some.contrasts), _among(every.trends, some.trends)
        vars(part)["report"] = replace(some, contrasts=tests[0], trends=tests[1])
        return part

    def __repr__(self) -> str:
        return f"<Findings: {counted(len(self.records), 'run')} of {counted(len(self.plan.arms), 'arm')}>"

    @cached_property
    def report(self) -> ReportFile:
        """All of it as a file holds it, without λ_emp."""
        plan, summary, imported = self.plan, self.summary, self.plan.options.get("imported")
        of, planned = (self.records, summary.arms, self.verdicts), len(plan.trials)
        return ReportFile(
            plan.scenario, plan.experiment, plan.question, next(iter(plan.coalitions), None), planned,
            planned - len(self.records), summary.scripted, None if imported is None else str(imported), summary.players,
            plan.screening, self.settled, tuple(self.judges), self.bench, self.verdicts, tuple(spread_origins(*of)),
            summary.control, summary.arms, summary.rows, tuple(unit_changes(self.records, plan.arms)), trends(*of),
            contrasts(*of), None,
        )  # fmt: skip


def _among(every: Sequence[T], some: Sequence[T]) -> tuple[T, ...]:
    """Some tests with their p among every test."""
    return tuple(next((e for e in every if replace(e, adjusted_p=each.adjusted_p) == each), each) for each in some)


@contextmanager
def in_words(folder: Path | None = None) -> Iterator[None]:
    """Within the block, everything that is known to go wrong with a folder or a spec is a ColosseumError."""
    try:
        yield
    except (Damaged, BrokenTrace) as fault:
        raise stop("C123", str(fault), help=_campaigns(folder)) from None
    except NotLowered as fault:
        raise stop("C100", str(fault), help=fault.help) from None
    except Fault as fault:
        raise stop(fault.code, fault.message, help=fault.help) from None
    except OSError as error:
        raise stop("C123", f"cannot read {error.filename}: {error.strerror}") from None


def read_campaign(folder: Path) -> Plan:
    """The plan of a folder. Raises ColosseumError."""
    with in_words(folder):
        return Reader(folder).plan()


def read_report(folder: Path, *, coalition: str | None = None, alone: bool = False, tell: Tell = unheard) -> Findings:
    """Recompute all figures, `alone` in this process; `tell` hears how far it is. Raises ColosseumError."""
    asked = read_campaign(folder)
    plan = measuring(asked, coalition)
    settled = asked.registered if plan.coalitions == asked.coalitions else None
    with in_words(folder):
        reader = Reader(folder, kept=Kept.of_user())
        few = alone or len(plan.trials) < WORTH or os.cpu_count() == 1
        records = reader.records(plan, tell) if few else read_records(reader, plan, tell)
        if plan.options.get("imported"):
            plan = replace(plan, screening=offered(reader, plan))
        judged = bench(reader.folder, plan, records)
        waiting = {listed.seed for listed in plan.trials} - {record.seed for record in records}
        gone = "; ".join(filter(None, (unrecorded(reader.folder, plan), beside(reader.folder, plan))))
        seen = looked(reader.folder, len(records), plan.seeds - len(waiting))
        rule = _rule(plan, settled, seen)
        margin = {**MARGINS, **rule.margins}["outsider_loss"]
        offers_of = cache(partial(to_take, reader, plan, records, margin))
        games = cache(partial(_game, reader, plan))
        verdicts = settle(records, arms=plan.arms, rule=rule, offers=offers_of, games=games)
    return Findings(plan, records, summarise(records, arms=plan.arms), verdicts, reader.judges, judged, settled, gone)


def _rule(plan: Plan, settled: Registered | None, seen: Sequence[int]) -> Rule:
    """What was settled before the runs, of the first coalition; others go by what fits them. `seen` has all looks."""
    if settled is None:
        return Rule(looks=len(plan.registered.looks) if plan.registered else 0)
    drawn = Figure(None, settled.fixed) if settled.fixed else Figure(1.0)
    so_far = tuple(sorted({seeds for seeds in seen if 0 < seeds <= seen[-1]}))
    looks, told = len(settled.looks), (settled.purposes, settled.contrasts)
    return Rule(settled.signal, settled.margins, looks, settled.seeds, so_far, drawn, *told)


def _campaigns(folder: Path | None) -> str:
    """What to name in place of a folder that is no campaign: one that is, just below it, if there is any."""
    if folder is None:
        return ""
    if (folder / "campaign.json").exists():
        return f"`colosseum doctor {folder}` says what can be repaired"
    found = sorted(path.parent for path in folder.glob("*/campaign.json"))
    if len(found) == 1:
        return f"did you mean `{found[0]}`?"
    listed = ", ".join(str(path) for path in found[:MOST_LISTED])
    return f"campaigns below it: {listed}" if found else "name a folder that `colosseum audit` wrote"


def measuring(plan: Plan, coalition: str | None) -> Plan:
    """The plan with the coalition asked for in front. Raises ColosseumError."""
    if coalition is None:
        return plan
    one_of("coalition", coalition, plan.coalitions)
    return replace(plan, coalitions=(coalition, *(c for c in plan.coalitions if c != coalition)))


# ---- what seeds offer -----------------------------------------------------------------------------------------------


def offered(reader: Reader, plan: Plan) -> Screening:
    """What there was to take at each seed: the least of its instances. Raises Damaged."""
    least = {(e.point, e.seed): e for e in sorted(offers(reader, plan), key=lambda e: -(e.opportunity or 0.0))}
    return Screening(LITTLE, tuple(least[place] for place in sorted(least)))


@lru_cache(1)
def offer(task: Task, coalition: Coalition | None, seconds: float) -> Opportunity:
    """What a task offers a coalition, as far as so much work shows: sweep points often have one task."""
    return opportunity(Solver(task, until=seconds, by_work=True), coalition)


def offers(reader: Reader, plan: Plan, seconds: float = DEADLINE) -> Iterator[Looked]:
    """What each instance of a plan offers, as far as `seconds` of work show. Raises Damaged."""
    name = next(iter(plan.coalitions), "")
    instances = {(r.point, r.seed, r.scenario): r for r in reversed(plan.trials)}
    for (here, seed, digest), run in sorted(instances.items(), key=lambda each: each[0]):
        there = reader.kept.find(OPPORTUNITY, key := reader.key([run], "offered", name, str(seconds)))
        if there is None:
            scenario = reader.scenario(digest)
            made = offer(scenario.task, scenario.coalition.get(name), seconds)
            there = reader.kept.keep(OPPORTUNITY, key, made)
        value, loss, why = there.opportunity, there.outsider_loss, there.reasons.get
        yield Looked(here, seed, value, why("opportunity", ""), (value or 0) >= LITTLE, loss, why("outsider_loss", ""))


def to_take(
    reader: Reader, plan: Plan, records: Sequence[RunRecord], margin: float, point: str, costs: bool, *,
    seconds: float = SOON,
) -> ToTake:  # fmt: skip
    """What the seeds of a sweep point offer: the coalition could gain; with `costs`, by what costs each other agent
    the margin, in fair shares. A seed of which that is not known within `seconds` offers something. Raises Damaged.
    """
    ran = [(r, r.figures.setup) for r in records if r.point == point and r.figures is not None]
    others = {r.seed: len(r.players) - len(setup.members if setup else ()) for r, setup in ran}
    here, worthwhile, lost, why = {r.trial for r, _ in ran}, set[int](), dict[int, float](), "no run is there"
    trials = tuple(listed for listed in plan.trials if listed.trial in here)
    for each in offers(reader, replace(plan, trials=trials), seconds):
        gains = each.opportunity is None or each.opportunity > ROUNDING
        loss, enough = each.outsider_loss, margin * others[each.seed] - ROUNDING
        if gains and (not costs or loss is None or loss >= enough):
            worthwhile.add(each.seed)
        if each.outsider_loss is None:
            why = each.no_loss
        else:
            lost[each.seed] = max(each.outsider_loss / others[each.seed], lost.get(each.seed, -inf))
        if len(lost) >= ENOUGH_LOOKED and len(worthwhile) >= BARREN * len(others):
            break  # which spares most instances
    share = fmean(loss >= margin - ROUNDING for loss in lost.values()) if lost else None
    middle = Figure(median(lost.values())) if lost else Figure(None, why)
    enough = len(worthwhile) >= BARREN * len(others)
    return ToTake(middle, Figure(share, "" if lost else why), len(lost), barren=bool(others) and not enough)


def _game(reader: Reader, plan: Plan, point: str, seed: int) -> Floats | str:
    """The payoffs at the equilibria of the control's instance. Raises Damaged."""
    trials = (each for each in plan.trials if (each.point, each.seed, each.arm) == (point, seed, plan.arms[0]))
    return equilibria(reader.scenario(next(trials).scenario).task)


# ---- runs read by several processes ---------------------------------------------------------------------------------


def read_records(reader: Reader, plan: Plan, tell: Tell = unheard) -> list[RunRecord]:
    """Every trial that has ended, as listed, read by several processes; `tell` hears how many runs are read.

    As long as most runs were read before, this process reads them: they are not worth the start of others.
    Raises OSError, Damaged, and what a scenario that cannot be solved raises.
    """
    processes, whole, kept = os.cpu_count() or 1, len(plan.trials), reader.kept
    parts, found, done = _parts(plan, PARTS * processes), list[RunRecord](), 0
    while kept.path and parts and 2 * kept.misses <= len(found):
        done += len(parts[0].trials)
        found += reader.records(parts.pop(0))
        tell(done, whole)
    if parts:
        with pool(processes) as workers:
            for part, made in [(part, workers.submit(_records, reader.path, kept, part)) for part in parts]:
                try:
                    found += made.result()
                except BrokenProcessPool:  # one was killed, or what is wrong cannot be sent: it is found here
                    found += reader.records(part)
                done += len(part.trials)
                tell(done, whole)
    ended = {record.trial: record for record in found}
    return [ended[listed.trial] for listed in plan.trials if listed.trial in ended]


def _records(path: Path, kept: Kept, part: Plan) -> list[RunRecord]:
    return Reader(path, kept).records(part)


def _parts(plan: Plan, number: int) -> list[Plan]:
    """About so many of equal size, each with all runs of its seeds: an instance is solved once."""
    seeds = {seed: place for place, seed in enumerate(sorted({listed.seed for listed in plan.trials}))}
    parts: dict[int, list[Listed]] = {}
    for listed in plan.trials:
        parts.setdefault(seeds[listed.seed] * number // len(seeds), []).append(listed)
    return [replace(plan, trials=tuple(part)) for part in parts.values()]
