"""The plan of a campaign, written before its first run. In: a design and its trials; out: a Plan in a folder."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from colosseum import __version__
from colosseum.campaign.folder import SCHEMA, Folder, Plan, keep_file
from colosseum.campaign.registering import register
from colosseum.campaign.screening import Screener
from colosseum.diagnostics import ColosseumError
from colosseum.language.compose import NewFile, gathered
from colosseum.model.experiment import Design
from colosseum.model.serial import Json, encode
from colosseum.model.values import plain
from colosseum.run.trial import PROTOCOL, Block, Expansions, Listed, Trial, Trials

CONFIGURING = ("model", "temperature", "max_tokens", "extra_body", "tools", "own", "couple")
"""Options that change what a run comes to; others say where and for how much it is made."""


@dataclass(frozen=True)
class Configured:
    """What runs of one report have in common."""

    design: Design
    """The whole experiment, with arms that no trial is of."""
    configuration: str
    files: tuple[NewFile, ...]
    """The spec's, the main one first."""
    digests: dict[str, str]
    """The SHA-256 of each."""
    params: dict[str, Json]
    options: dict[str, Json]
    """What was asked for, resolved."""


@dataclass(frozen=True)
class Planned:
    """A block and its trials, as they are listed."""

    block: Block
    listed: tuple[Listed, ...]
    turns: Mapping[str, int] = field(default_factory=dict)
    """By trial, the turns that are not a scripted player's; 0 where all of the block had ended."""


def plan(
    folder: Folder, asked: Configured, blocks: Iterable[Block], trials: Trials, *, seeds: int, before: Plan | None
) -> tuple[list[Planned], Plan]:
    """Write down every trial and the spec, or say what is wrong with one and write nothing.

    `seeds` is how many are asked for, in all shards; `before` is the plan that is there, and the one returned is whole.
    Seeds without the opportunity that the experiment asks for make no trials; what was found of them is written, too.
    Raises ColosseumError, OSError, UnknownPlayer, and NotLowered where payoffs or hard rules fit no integer program.
    """
    planned: list[Planned] = []
    first: Trial | None = None
    before = before if before and before.configuration == asked.configuration else None
    screener = Screener(asked.design, trials, before.screening if before else None)
    same = before.trials if before and before.colosseum == __version__ else ()  # they would begin now as they did
    ended = {(each.point, each.arm, each.seed, each.repeat): each for each in same if folder.ended(each.trial)}
    for block in screener.passing(blocks):
        known = [ended.get((block.point, arm.name, block.seed, block.repeat)) for arm in block.arms]
        if first and None not in known:
            listed = tuple(each for each in known if each)
            planned.append(Planned(block, listed, dict.fromkeys((each.trial for each in listed), 0)))
            continue
        made, diagnostics = trials.of(block)
        if diagnostics:
            raise ColosseumError(*diagnostics)
        if any(ended.get((t.point, t.arm, t.seed, t.stage.repeat), t.listed) != t.listed for t in made):
            ended = {}  # this version, or its prompts, makes other runs of the same configuration
        planned.append(Planned(block, tuple(t.listed for t in made), {t.identity: t.turns for t in made}))
        if first is None:
            first = made[0]
            first.instance.rules.prepare()
    if screener.diagnostics or first is None:  # a design has a cell, and a seed, unless all are left out
        raise ColosseumError(*(screener.diagnostics or [screener.nothing]))
    for file in asked.files:
        keep_file(folder.spec / file.path, file.content)
    whole = plan_of(asked, [each for block in planned for each in block.listed], first)
    spec, scenario = trials.expansions.spec, first.stage.scenario
    settled = register(asked.design, scenario, spec, seeds=seeds, configuration=asked.configuration)
    whole = replace(whole, screening=screener.screening, registered=settled)
    return planned, folder.write_plan(whole, asked.design.arms)


def remade(trials: Trials, block: Block) -> Sequence[Trial]:
    """The trials of a block that were made before, when it was planned."""
    made, diagnostics = trials.of(block)
    assert not diagnostics, diagnostics
    return made


def configured(design: Design, expansions: Expansions, options: Mapping[str, Json]) -> Configured:
    """What the runs of an experiment with such options have in common. Raises OSError."""
    files = gathered(expansions.spec.composition, folders=design.protocols)
    params: dict[str, Json] = {name: plain(value) for name, value in sorted(expansions.params.items())}
    digests = {file.path.as_posix(): hashlib.sha256(file.content).hexdigest() for file in files}
    digest = configuration(design.name, digests, params, options)
    return Configured(design, digest, files, digests, params, dict(options))


def plan_of(asked: Configured, listed: Sequence[Listed], first: Trial) -> Plan:
    """The plan of trials, one of which is the first."""
    design, scenario = asked.design, first.stage.scenario
    present = {design.arms[0], *(each.arm for each in listed)}  # the control is it, run or not
    return Plan(
        schema=SCHEMA,
        colosseum=__version__,
        scenario=scenario.name,
        title=scenario.title,
        experiment=design.name,
        question=design.question,
        arms=tuple(name for name in design.arms if name in present),
        coalitions=tuple(c.name for c in scenario.coalitions),
        configuration=asked.configuration,
        spec=asked.files[0].path.as_posix(),
        files=asked.digests,
        params=asked.params,
        options=asked.options,
        trials=tuple(listed),
        protocol=design.cells[0].conditions.settings.protocol,
    )


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
