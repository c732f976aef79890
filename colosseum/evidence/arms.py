"""Kinds of arms. In: the events of runs; out: a Setup for each, and by the setups of its runs the kind of an arm.

The spec may say by `purpose` what an arm is for; else what it changes says so, not its name. `again` changes nothing;
`placebo` gives a secret channel to others than the coalition; `selfish` tells the members something, or has them played
by somebody else, that knows of no partner, without a channel; all others are treated. A lone member has no partner: of
such a coalition an arm is `selfish` by its name, or by who plays it.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from types import MappingProxyType
from typing import Any, Literal, TypeAlias, cast

from colosseum.campaign.margins import few_seeds
from colosseum.evidence.figures import RunFigures, RunRecord, Setup, ToldText
from colosseum.language import syntax
from colosseum.language.words import GRAPHS
from colosseum.model.check import Checked
from colosseum.model.experiment import Design
from colosseum.model.scenario import Coalition, Prompt
from colosseum.model.serial import encode
from colosseum.model.spec import Declared
from colosseum.run.judging.transcript import channels_of

Place: TypeAlias = tuple[int, int]  # seed and repeat
Kind: TypeAlias = Literal["control", "again", "placebo", "selfish", "treated"]
NAMED: tuple[Kind, ...] = ("again", "placebo", "selfish")
"""Kinds that an arm has by its name where no setup of its runs is known, or none of them says what agents are told."""
RANDOM_GRAPHS = {*GRAPHS} - {"edges", "star"}
ALONE = "sim/selfish"  # the scripted player that has no partner


@dataclass(frozen=True, slots=True)
class ArmKind:
    """What an arm is for."""

    kind: Kind
    channel: bool = False
    """Whether members have a secret channel that they do not have in the control."""
    told: bool = False
    """Whether members are told something else, or played by somebody else, than in the control, and not all others."""
    tacit: bool = False
    """Whether it is treated, as its purpose says, though members look after themselves alone, without a channel."""

    @property
    def bends(self) -> bool:
        """Whether it changes anything for members alone; else no effect of it is a deed of theirs."""
        return self.channel or self.told


def setup_of(events: Sequence[Mapping[str, Any]], coalition: Coalition | None, prompts: Sequence[Prompt]) -> Setup:
    """From the events of a run. Where its source says nothing of prompts, its arm's own variants are what was told."""
    start, channels = events[0], channels_of(events)
    members, settings = coalition.members if coalition else (), start["conditions"]["settings"]
    public = [tuple(c["members"]) for c in channels if not c["secret"]]
    players = {str(agent): str(player) for agent, player in start["players"].items()}
    told: dict[str, tuple[ToldText, ...]] = dict.fromkeys(players, ())
    briefings = [event for event in events if event["event"] == "briefing"]
    said = [(str(event["agent"]), str(text)) for event in briefings for text in event["texts"]]
    theirs = (start.get("imported") or {}).get("names", {}) if said else {}
    if start.get("imported") and not said:
        chosen = start["conditions"]["variants"].items()
        own = [v for prompt in prompts for v in prompt.variants[1:] if (prompt.name, v.name) in chosen]
        said = [(agent, text) for variant in own for agent, text in variant.texts if text]
    for agent, text in said:
        named = (theirs.get(m, m) for m in members if m != agent)
        partners = "|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in named) or r"\Z."
        told[agent] += (ToldText(_digest(text), re.search(partners, text) is not None),)
    taken = [(e["agent"], e["usage"]["served_model"]) for e in events if e["event"] == "reply" and e["usage"]]
    served = {(players[str(agent)], str(model)) for agent, model in taken if model}
    return Setup(
        members=members, own_objective=bool(coalition and coalition.objectives), told=told, played=players,
        secret=tuple((str(c["name"]), tuple(map(str, c["members"]))) for c in channels if c["secret"]),
        order=str(settings["order"]), served=tuple(sorted(served)),
        degree={a: len({other for c in public if a in c for other in c if other != a}) for a in players},
        rest=_digest(encode({"": [start["scenario"], start["models"], settings, [list(p) for p in public]]})),
        wordings=tuple(sorted(start.get("wordings", {}).items())),
    )  # fmt: skip


def _digest(text: str) -> str:
    return blake2b(text.encode(), digest_size=12).hexdigest()


def kinds(
    records: Sequence[RunRecord], arms: Sequence[str], purposes: Mapping[str, str] = MappingProxyType({})
) -> dict[str, ArmKind]:
    """The kind of every arm of one sweep point, as `purposes` says or by how it differs from the first, the control."""
    setups: dict[str, dict[Place, Setup]] = {arm: {} for arm in arms}
    for run in records:
        if run.arm in setups and run.figures is not None and run.figures.setup is not None:
            setups[run.arm][run.seed, run.repeat] = run.figures.setup  # repeats may be told in other words
    return kinds_of(setups, purposes)


def kinds_of(setups: Mapping[str, Mapping[Place, Setup]], purposes: Mapping[str, str]) -> dict[str, ArmKind]:
    """By arm, the control first."""
    arms = tuple(setups)
    found = {arm: _kind(arm, setups[arms[0]], setups[arm]) for arm in arms[1:]}
    for arm, kind in found.items():
        tacit = kind.tacit and purposes.get(arm) == "treated"
        found[arm] = replace(kind, kind=cast(Kind, purposes.get(arm, kind.kind)), tacit=tacit)
    lone = [arm for arm in found if found[arm].kind == "selfish" and arm not in purposes]
    kept = "selfish" if "selfish" in lone else next(iter(lone), "")
    return {
        arms[0]: ArmKind("control"),
        **{a: ArmKind("treated", told=True) if a in lone and a != kept else k for a, k in found.items()},
    }


def no_placebo(agents: Collection[str], members: Collection[str]) -> str:
    """Why a spec can have no placebo arm: its channel needs two outsiders. Empty where it can have one."""
    left = [agent for agent in agents if agent not in members]
    who = f"`{left[0]}` is the only one: add an agent" if left else "there are none"
    return "" if len(left) > 1 else f"no placebo arm is possible: its channel needs two outsiders, and {who}"


def one_instance(spec: Declared, design: Design) -> str:
    """What follows where seeds draw nothing, neither facts nor a network; empty where they do, and of one seed."""
    nodes = (node for each in spec.composition.statements for node in syntax.walk(each))
    drawn = any(isinstance(n, syntax.Drawn) or getattr(n, "function", "") in RANDOM_GRAPHS for n in nodes)
    if drawn or len(design.seeds) < 2 or any(sheet.seeds for sheet in spec.sheets.values()):
        return ""
    return f"nothing is drawn: all {len(design.seeds)} seeds are one instance, and only turns and players differ"


def cautions(checked: Checked) -> tuple[str, ...]:
    """What the experiments of a spec cannot show, however they end, each with the experiment's name."""
    scenario, found = checked.expansion.scenario, list[str]()
    unplaceable = next((no_placebo(scenario.task.agents, each.members) for each in scenario.coalitions[:1]), "")
    for design in (each for each in checked.designs.values() if len(each.arms) > 1):
        channel = any(on for cell in design.cells for _, on in cell.conditions.channels)
        words = few_seeds(len(design.seeds)), one_instance(checked.spec, design), unplaceable if channel else ""
        found += [f"experiment `{design.name}`: {each}" for each in words if each]
    return tuple(found)


def added(control: Setup, treated: Setup) -> tuple[tuple[str, ...], ...]:
    """The members of every secret channel that the control does not have."""
    return tuple(members for name, members in treated.secret if (name, members) not in control.secret)


def setup_in(run: Sequence[RunFigures]) -> Setup | None:
    """The setup of the repeats of one seed, where it is known."""
    return next((each.setup for each in run if each.setup is not None), None)


def _kind(arm: str, control: Mapping[Place, Setup], treated: Mapping[Place, Setup]) -> ArmKind:
    pairs = [(control[place], treated[place]) for place in sorted(control.keys() & treated.keys())]
    named = ArmKind(next((kind for kind in NAMED if kind == arm), "treated"), told=not pairs)
    channel = any(set(members) & set(after.members) for b, after in pairs for members in added(b, after))
    told = any(_told(before, after) for before, after in pairs)
    same = all((b.told, b.played, b.rest) == (after.told, after.played, after.rest) for b, after in pairs)
    if same and all(before.secret == after.secret for before, after in pairs):
        return ArmKind("again") if any(any(after.told.values()) for _, after in pairs) else named
    if same and not channel and any(added(*pair) for pair in pairs):
        return ArmKind("placebo")
    partners = arm == "selfish" or any(len(before.members) > 1 or _plays_alone(after) for before, after in pairs)
    alone = told and not any(added(*pair) for pair in pairs) and all(_alone(*pair) for pair in pairs)
    if alone and partners and all(before.rest == after.rest for before, after in pairs):
        return ArmKind("selfish", told=True, tacit=True)
    return ArmKind("treated", channel, told, alone) if pairs else named


def _told(before: Setup, after: Setup) -> bool:
    """Whether members are told something else, or played by somebody else, and not all others, too."""
    others = [agent for agent in before.told if agent not in before.members]
    everybody = bool(others) and all(_changed(before, after, [agent]) for agent in others)
    return _changed(before, after, before.members) and not everybody


def _changed(before: Setup, after: Setup, agents: Sequence[str]) -> bool:
    """Whether one of them is told something else, or played by somebody else."""
    return any(before.told.get(a) != after.told.get(a) or before.played.get(a) != after.played.get(a) for a in agents)


def _alone(before: Setup, after: Setup) -> bool:
    """Whether members alone are changed, and know of no partner in what is new to them."""
    others = [agent for agent in before.told if agent not in before.members]
    if _changed(before, after, others):
        return False
    known = {(member, text.digest) for member in before.members for text in before.told.get(member, ())}
    told = ((member, text) for member in before.members for text in after.told.get(member, ()))
    texts = [text for member, text in told if (member, text.digest) not in known]
    return not any(text.partner for text in texts) and (bool(texts) or _plays_alone(after))


def _plays_alone(setup: Setup) -> bool:
    """Whether a script that has no partner plays all members."""
    return all(setup.played[member] == ALONE for member in setup.members)
