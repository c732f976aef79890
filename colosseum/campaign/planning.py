"""The plan of a campaign, written before its first run. In: a design and its trials; out: a Plan in a folder."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from filelock import FileLock

from colosseum import __version__
from colosseum.campaign.folder import SCHEMA, Folder, Plan, keep_file
from colosseum.campaign.part import in_order, united
from colosseum.campaign.registering import extended, register
from colosseum.campaign.screening import Screener, joined
from colosseum.campaign.trial_list import read_trials
from colosseum.diagnostics import stop
from colosseum.language.compose import NewFile, gathered
from colosseum.model.check import Checked
from colosseum.model.experiment import Design
from colosseum.model.serial import Json, encode
from colosseum.model.values import plain
from colosseum.run.trial import PROTOCOL, Block, Listed, Trial, Trials

CONFIGURING = ("model", "temperature", "max_tokens", "extra_body", "tools", "own", "couple")
"""Options that change what a run comes to; others say where and for how much it is made."""


@dataclass(frozen=True)
class Planned:
    """A block and its trials, as they are listed."""

    block: Block
    listed: tuple[Listed, ...]
    turns: Mapping[str, int] = field(default_factory=dict)
    """By trial, the turns that are not a scripted player's; 0 where all of the block had ended."""


def plan(
    folder: Folder, asked: Plan, design: Design, blocks: Iterable[Block], trials: Trials, *, before: Plan | None
) -> tuple[list[Planned], Plan]:
    """Every trial that is asked for, and the plan of the folder with them; nothing is written.

    The `design` is the whole experiment, with arms that no trial is of; `before` is the plan that is there. Seeds
    without the opportunity that it asks for make no trials; what was found of them is in the plan, too.
    Raises ColosseumError, OSError, and NotLowered where payoffs or hard rules fit no integer program.
    """
    planned: list[Planned] = []
    own = before if before and before.configuration == asked.configuration else None
    screener = Screener(design, trials, own.screening if own else None)
    same = own.trials if own and own.colosseum == __version__ else ()  # they would begin now as they did
    ended = {(each.point, each.arm, each.seed, each.repeat): each for each in same if folder.ended(each.trial)}
    for block in screener.passing(blocks):
        known = [ended.get((block.point, arm.name, block.seed, block.repeat)) for arm in block.arms]
        if planned and None not in known:
            listed = tuple(each for each in known if each)
            planned.append(Planned(block, listed, dict.fromkeys((each.trial for each in listed), 0)))
            continue
        made = trials.of(block)
        if any(ended.get((t.point, t.arm, t.seed, t.stage.repeat), t.listed) != t.listed for t in made):
            ended = {}  # this version, or its prompts, makes other runs of the same configuration
        if not planned:
            check_rules(trials, made[0])
        planned.append(Planned(block, tuple(t.listed for t in made), {t.identity: t.turns for t in made}))
    if not planned:  # a design has a cell, and a seed, unless all are left out
        raise screener.nothing
    listed = tuple(each for block in planned for each in block.listed)
    return planned, _extended(folder, replace(asked, trials=listed, screening=screener.screening), before)


def check_rules(trials: Trials, made: Trial) -> None:
    """Raises ColosseumError where no assignment keeps the hard rules of a run, and NotLowered."""
    if not made.instance.rules.can_be_kept():
        help_ = f"`colosseum compile {trials.spec.composition.source.path} --seed {made.seed}` says which rules"
        raise stop("C101", f"at seed {made.seed} no assignment satisfies the hard requirements", help=help_)


def write_plan(folder: Folder, files: Iterable[NewFile], plan: Plan) -> None:
    """Write a plan and the files of its spec, as other shards may at the same time. Raises OSError."""
    folder.path.mkdir(parents=True, exist_ok=True)
    with FileLock(folder.path / "campaign.lock") as lock:
        for file in files:
            keep_file(folder.spec / file.path, file.content)
        folder.keep_plan(_extended(folder, plan, folder.earlier()))
        Path(lock.lock_file).unlink(missing_ok=True)


def _extended(folder: Folder, plan: Plan, earlier: Plan | None) -> Plan:
    """A plan with what the folder's earlier one of its configuration has besides, and what was settled before runs."""
    kept = [*earlier.elsewhere, *filter(None, [earlier.registered])] if earlier else []
    known = next((each for each in kept if each.configuration == plan.configuration), None)
    plan = replace(plan, elsewhere=tuple(each for each in kept if each.configuration != plan.configuration))
    if earlier and earlier.configuration == plan.configuration:
        before, options = earlier.seeds, dict(plan.options)
        if all(earlier.options.get(name) == options.get(name) for name in ("seeds", "arms")):
            options["shard"] = united([earlier.options.get("shard"), options.get("shard")])
        plan = together([earlier, replace(plan, options=options)])
    else:
        path, ended = folder.list_path(plan.configuration), {t.seed for t in plan.trials if folder.ended(t.trial)}
        old = tuple(read_trials(path)) if path.exists() else ()  # the folder was asked for another one in between
        before = len({each.seed for each in old}) or plan.seeds - len({each.seed for each in plan.trials} - ended)
        plan = together([replace(plan, trials=old), plan])
    if plan.registered is None:
        return plan
    runs = sum(folder.ended(listed.trial) for listed in plan.trials)
    settled = extended(known, plan.registered, before=before, after=plan.seeds, ended=runs)
    return replace(plan, registered=settled)


def together(plans: Sequence[Plan]) -> Plan:
    """The last of some plans of one configuration, which names all arms, with the trials and arms of every one."""
    last = plans[-1]
    trials = in_order((listed for plan in plans for listed in plan.trials), last.points)
    present = {last.arms[0], *(listed.arm for listed in trials)}  # the control is, run or not
    arms = tuple(name for name in last.arms if name in present)
    return replace(last, arms=arms, trials=trials, screening=joined((plan.screening for plan in plans), last.points))


def configured(
    design: Design, checked: Checked, options: Mapping[str, Json], *, seeds: int | None = None
) -> tuple[Plan, tuple[NewFile, ...]]:
    """What the runs of an experiment with such options have in common: a plan without trials, and the spec's files.

    The rule is in it where it is known how many `seeds` are asked for, in all shards. Raises OSError.
    """
    files = gathered(checked.spec.composition, folders=design.protocols)
    params: dict[str, Json] = {name: plain(value) for name, value in sorted(checked.params.items())}
    digests = {file.path.as_posix(): hashlib.sha256(file.content).hexdigest() for file in files}
    scenario, of = checked.expansion.scenario, configuration(design.name, digests, params, options)
    settled = None if seeds is None else register(design, checked, seeds=seeds, configuration=of)
    plan = Plan(
        schema=SCHEMA, colosseum=__version__, scenario=scenario.name, title=scenario.title, experiment=design.name,
        question=design.question, arms=design.arms, coalitions=tuple(c.name for c in scenario.coalitions),
        configuration=of, spec=files[0].path.as_posix(), files=digests, params=params, options=dict(options),
        registered=settled, protocol=design.cells[0].conditions.settings.protocol,
    )  # fmt: skip
    return plan, files


def configuration(
    experiment: str, files: Mapping[str, str], params: Mapping[str, Json], options: Mapping[str, Json]
) -> str:
    """A digest of all that runs of one report have in common; `files` are the spec's with their SHA-256."""
    content: dict[str, Json] = {
        "protocol": PROTOCOL,
        "spec": list(files.values()),
        "params": params,
        "experiment": experiment,
        "options": {name: options.get(name) for name in CONFIGURING},
    }
    return hashlib.sha256(encode(content).encode()).hexdigest()
