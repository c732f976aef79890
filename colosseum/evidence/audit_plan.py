"""What is known before the first run. In: a request and a checked spec; out: an AuditPlan, the rule with its validity
card, and a Forecast, what the missing runs of a campaign will take.

Asks no model and writes nothing. For the card scripted players play SEEDS seeds: fair play, collusion, self-interest.
"""

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from statistics import fmean, median
from typing import Final, Literal

from colosseum.campaign.estimate import Estimate, Runs, calls_on_file, examples, judge_loads, run_loads, runs_by_arm
from colosseum.campaign.folder import Damaged, Folder
from colosseum.campaign.judged import judges_of
from colosseum.campaign.margins import ENOUGH_ALIKE, ENOUGH_NONZERO, MARGINS, few_seeds, margins_of
from colosseum.campaign.money import campaign_budget
from colosseum.campaign.part import Part, read_design, read_shard
from colosseum.campaign.purse import Purse
from colosseum.campaign.registering import Registered
from colosseum.campaign.screening import Looked, Screener, Screening
from colosseum.campaign.work import Request, Work, draft, foresee
from colosseum.diagnostics import ColosseumError, stop
from colosseum.evidence.arms import ArmKind, no_placebo, one_instance
from colosseum.evidence.figures import Figure, label, parted
from colosseum.evidence.findings import in_words, read_campaign
from colosseum.evidence.power.outlook import Tell, Wish, study_power
from colosseum.evidence.power.pool import planned_kinds, with_settings
from colosseum.evidence.power.studies import Stand
from colosseum.evidence.reading import Reader, unheard
from colosseum.evidence.readings import OWN, WIDE, Against, Reading
from colosseum.evidence.signals import less
from colosseum.evidence.spread import NO_SPREAD, Noise, change_by_chance, noise_of
from colosseum.evidence.statistics import Paired, paired, smallest_effect
from colosseum.model.check import Checked
from colosseum.model.scenario import Scenario
from colosseum.players.models.request import Price
from colosseum.run.trial import blocks
from colosseum.solve.scoring import ROUNDING

SEEDS: Final = 12
PATIENCE: Final = 12.0  # seconds of computing for the players


@dataclass(frozen=True)
class SpecCard:
    """What an experiment can show, in fair shares; what is not known is null with the reason."""

    sd: Figure
    """Of the signal's change between equal arms."""
    spread_of: Literal["runs on file", "scripted fair play"]
    quantum: Figure
    """The least change of the signal that any player made."""
    moving: Figure
    """Of the planned pairs, as many as have to change by what is usual of players for an effect of the margin."""
    opportunity: Figure
    """What the coalition can gain: the median over seeds."""
    to_take: Figure
    """What its best plan costs each other: the median over seeds."""
    exposed: Figure
    """The share of seeds in which that is the margin or more."""
    apart: Paired
    """What colluders change the signal by, less what selfish members do, seed by seed."""
    settled: Figure
    """The smallest margin that the planned seeds settle in four of five studies."""
    possible: Mapping[Reading, Figure]
    """The fewest seeds with which a reading can be said at all."""


def spec_card(
    checked: Checked, made: Work, planned: int, on_file: Paired | None, tell: Tell = unheard
) -> SpecCard | str:
    """The card of an experiment; a str is why there is none. `on_file` is how equal arms that were run differ."""
    until = time.process_time() + PATIENCE

    def told(what: str, done: int, whole: int) -> None:
        tell(f"{what} of scripted players", done, whole)
        if time.process_time() > until:
            raise TimeoutError

    wish = Wish(("collude", "selfish"), pool=SEEDS, studies=1, jobs=1)
    try:
        _, found = study_power(checked, wish, experiment=made.design.name, tell=told)
        looked = list(_looked(made))
    except ColosseumError as fault:
        return fault.diagnostics[0].message
    except TimeoutError:
        return f"scripted players took longer than {PATIENCE:g} seconds for {SEEDS} seeds"
    return _card(checked.expansion.scenario, found, looked, on_file, planned)


def _looked(made: Work) -> Iterator[Looked]:
    """What the coalition could take at the first seeds, at the first sweep point."""
    cells = tuple(with_settings(c, opportunity=0.0) for c in made.design.cells if c.point == made.design.cells[0].point)
    screener = Screener(design := replace(made.design, cells=cells, seeds=made.design.seeds[:SEEDS]), made.trials)
    list(screener.passing(blocks(design)))
    yield from screener.looked.values()


def _card(
    scenario: Scenario, found: Sequence[Stand], looked: Sequence[Looked], on_file: Paired | None, planned: int
) -> SpecCard:
    task, members = scenario.task, scenario.coalitions[0].members
    (signal, margin), least = next(iter(found[0].rule.margins.items())), {**MARGINS, **found[0].rule.margins}
    fair, collude, selfish = ([each[signal] for each in stand.changes] for stand in found)
    chance = on_file or paired(*parted(fair))
    sd = chance.sd if chance.sd.value != 0 else Figure(None, NO_SPREAD)
    differing = planned * chance.n_nonzero / chance.n if chance.n else 0
    steps = [abs(change.value) for change in (*fair, *collude, *selfish) if change.value]
    apart = paired(*parted(less(dict(enumerate(collude)), dict(enumerate(selfish)))))
    taken = [each.opportunity for each in looked if each.opportunity is not None]
    others, enough = len(task.agents) - len(members), least["outsider_loss"] - ROUNDING
    lost = [each.outsider_loss / others for each in looked if each.outsider_loss is not None]
    still = Figure(None, "no player changes the signal")
    why = next((each.reason or each.no_loss for each in looked), "no instance can be made")
    return SpecCard(
        sd=sd,
        spread_of="runs on file" if on_file else "scripted fair play",
        quantum=Figure(min(steps)) if steps else still,
        moving=Figure(math.ceil(margin * planned / median(steps))) if steps else still,
        opportunity=Figure(median(taken)) if taken else Figure(None, why),
        to_take=Figure(median(lost)) if lost else Figure(None, why),
        exposed=Figure(sum(each >= enough for each in lost) / len(lost)) if lost else Figure(None, why),
        apart=apart,
        settled=Figure(None, sd.reason or few_seeds(planned)) if sd.value is None or planned < ENOUGH_NONZERO
        else Figure(None, "too few pairs differ") if differing < ENOUGH_NONZERO
        else Figure(smallest_effect(sd.value, planned, level=WIDE)),
        possible=_possible({*found[0].rivals}, no_placebo(task.agents, members), signal),
    )


def _possible(arms: set[Against], unplaceable: str, signal: str) -> dict[Reading, Figure]:
    """An effect needs pairs that all rise; what is no more than another arm shows needs as many as `no effect`."""
    found = dict.fromkeys((Reading.COLLUSION, Reading.SABOTAGE), Figure(ENOUGH_ALIKE))
    found |= dict.fromkeys((Reading.SELF_INTEREST, Reading.INFORMATION, Reading.NONE), Figure(ENOUGH_NONZERO))
    for arm, reading in (("selfish", Reading.SELF_INTEREST), ("placebo", Reading.INFORMATION)):
        if arm not in arms:
            why = (unplaceable if arm == "placebo" else "") or f"no arm counts as `{arm}`"
            found |= dict.fromkeys((reading, Reading.COLLUSION), Figure(None, why))
    if signal == OWN:
        why = f"sabotage cannot be read: members gain by an effect on the {label(OWN)}"
        found[Reading.SABOTAGE] = Figure(None, why)
    return found


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
    kinds: Mapping[str, ArmKind]
    """What each arm counts as."""
    card: SpecCard | str
    """What it can show, by scripted players; a str is why that is not known."""
    noise: Noise | None = None
    """What real runs differ by, and seeds by replicas; null where no folder of them was named."""


def plan_audit(
    checked: Checked, request: Request, *, noise_from: Path | None = None, effect: float | None = None,
    tell: Tell = unheard,
) -> AuditPlan:  # fmt: skip
    """What the same audit would settle, by the noise of real runs where a folder is named. Raises ColosseumError."""
    place = request.place(checked)
    with in_words(place):
        made = draft(checked, request)
        settled, screening = made.plan.registered, made.plan.screening
        assert settled is not None
        seeds = made.seeds if screening else settled.seeds
        card = spec_card(checked, made, seeds, _on_file(settled, place), tell)
        coalition = next((each.name for each in checked.expansion.scenario.coalitions), "")
        kinds = planned_kinds(made.trials, made.design, coalition)
    if words := one_instance(checked.spec, made.design):
        request.warn(words)
    if made.seeds < settled.seeds and not screening:
        request.warn(f"{made.seeds} of {settled.seeds} planned seeds: a report on them is interim")
    name = request.part.experiment
    noise = None if noise_from is None else real_noise(checked, noise_from, experiment=name, effect=effect)
    return AuditPlan(made.title, place, settled, screening, seeds, kinds, card, noise)


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
    purposes, planned = plan.registered.purposes if plan.registered else {}, len(design.seeds)
    return noise_of(records, plan.arms, purposes, signal=signal, wanted=effect or margin, planned=planned)


def _on_file(settled: Registered, folder: Path) -> Paired | None:
    """How far equal arms differ in the runs of a folder, where it has any."""
    try:
        plan = (reader := Reader(folder)).plan()
        records = reader.records(replace(plan, trials=tuple(t for t in plan.trials if t.arm in settled.arms)))
    except (Damaged, OSError):
        return None
    return change_by_chance(records, settled.arms, next(iter(settled.margins)), settled.purposes)


# ---- what the missing runs will take, with nothing asked -------------------------------------------------------------


@dataclass(frozen=True)
class Forecast:
    """What the missing runs of a campaign will take, as `audit --dry-run --json` prints it."""

    title: str
    """The scenario and the experiment."""
    question: str
    folder: Path
    runs: Runs
    arms: Mapping[str, Runs]
    models: Mapping[str, Estimate]
    judges: Mapping[str, Estimate]
    """By judge, of the runs that are not judged yet."""
    total: Estimate
    """Of all models and judges."""
    prices: Mapping[str, Price]
    """Dollars for a million tokens, where they are known."""
    seconds: float
    """Probably, until all have ended."""
    measured: int
    """Complete runs on file whose cost is known."""
    at_their_cost: float | None
    """US dollars that missing runs take, besides what is on file, at the mean cost of those; null where none is."""
    spent: float
    """US dollars so far, as far as that is known."""
    unpriced: int
    """Answers so far of unknown cost."""
    unfinished: int
    """Answers on file of runs that were begun, which are not paid for again."""
    budget: float | None
    """Of all runs; of a shard, its part."""
    run_budget: float | None
    screening: Screening | None
    """Which seeds are left out."""

    @property
    def unknown(self) -> list[str]:
        """Models without a known price."""
        return [model for model in {**self.models, **self.judges} if model not in self.prices]


def forecast(checked: Checked, request: Request) -> Forecast:
    """What is to be made, and what it will take. Raises ColosseumError."""
    place = request.place(checked)
    with in_words(place):
        folder = Folder(place / "put aside" if request.fresh else place)
        work = foresee(checked, request, folder, folder.earlier())
        return _forecast(work, place)


def _forecast(work: Work, place: Path) -> Forecast:
    request, folder, shards = work.request, work.folder, read_shard(work.request.part.shard)[1]
    judges, repeats = judges_of(request.judged, work.design, work.asking)
    (made, prices, questions), arms = examples(work, judges), runs_by_arm(work)
    runs = Runs(*(sum(getattr(arm, each.name) for arm in arms.values()) for each in fields(Runs)))
    models, seconds, whole = run_loads(work, made)
    judging = judge_loads(work, made, prices, judges, [*questions] * repeats)
    unknown = dict.fromkeys(model for model in (*models, *judging) if model not in prices)
    spent = Purse(None, prices).recall(folder, work.counted, folder.asked(request.part.shard))
    ended = [found.expense for each in work.plan.trials if (found := folder.result(each.trial)) and not found.reason]
    costs = [each.cost for each in ended if each.calls and not each.unpriced]
    return Forecast(
        title=work.title, question=work.design.question, folder=place, runs=runs, arms=arms,
        models={name: Estimate.of([load], {name} & unknown.keys()) for name, load in models.items()},
        judges={name: Estimate.of([load], {name} & unknown.keys()) for name, load in judging.items()},
        total=Estimate.of([*models.values(), *judging.values()], unknown),
        prices=prices, seconds=seconds, measured=len(costs),
        at_their_cost=fmean(costs) * whole if costs else None, spent=spent.spent, unpriced=spent.unpriced,
        unfinished=sum(calls_on_file(work, each.trial).total() for each in work.left),
        budget=None if (limit := campaign_budget(request.budget, work.design)) is None else limit / shards,
        run_budget=request.budget.run, screening=work.plan.screening,
    )  # fmt: skip
