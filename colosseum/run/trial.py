"""Trials. In: a spec, a design and models; out: every run to be made, each with an identity.

The identity is a hash of the scenario (its prompts with it), the arm and its conditions, the players with their
parameters, the seed and the version of the protocol: equal hash, equal work; a changed configuration is new work.
What a run may cost and how it is judged are no part of it, nor where a model is served.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from itertools import product
from typing import Any

from colosseum.diagnostics import ColosseumError, has_errors
from colosseum.model import draws, serial
from colosseum.model.check import Expansion, expand
from colosseum.model.experiment import Arm, Conditions, Design
from colosseum.model.serial import Json, encode
from colosseum.model.settings import Settings
from colosseum.model.spec import Declared
from colosseum.model.values import Elements, Value, plain
from colosseum.players.models.request import Endpoint
from colosseum.players.protocol.own import protocol_folder
from colosseum.players.scripted.players import SCRIPTED
from colosseum.run.stage import Library, Stage, roles_of
from colosseum.run.trace import VERSION, Digest, Published
from colosseum.run.turn import Rules

PROTOCOL = 5  # raised when the same trial would be played differently
PLAYED = ("rounds", "steps", "order", "decisions", "undecided", "survey", "consolidate", "strength", "noise", "names",
          "memory")  # fmt: skip
"""Settings that change what happens in a run; those of models are among their parameters."""
MOST_KEPT, MOST_KNOWN = 8, 8_000_000
"""Expansions that are remembered with all that is made of them, and bytes of JSON of those that are without it."""


@dataclass(frozen=True, slots=True)
class Listed(Published):
    """A trial as a folder lists it."""

    trial: Digest
    arm: str
    point: str
    seed: int
    repeat: int
    model: str
    players: dict[str, str]
    scenario: Digest


@dataclass(frozen=True)
class SharedScenario:
    """A scenario with all that its runs share."""

    expansion: Expansion
    written: bytes
    """The scenario's JSON without its title, which no player reads."""
    digest: str
    """SHA-256 of that, in hexadecimal."""
    library: Library
    rules: Rules


@dataclass(frozen=True)
class Trial:
    """One run to be made."""

    stage: Stage
    arm: str
    point: str
    roles: dict[str, str]
    """The name of every agent's player."""
    endpoints: dict[str, Endpoint]
    """How every model among them is asked."""
    instance: SharedScenario = field(compare=False, repr=False)

    @property
    def seed(self) -> int:
        """Of the instance."""
        return self.stage.scenario.seed

    @property
    def most_calls(self) -> int:
        """How many a run may need, where every turn takes all its steps."""
        return sum(position.steps * len(agents) for position, agents in self.stage.turns)

    @property
    def turns(self) -> int:
        """Of agents that no script plays, with their answers to a survey."""
        return sum(self.roles[agent] not in SCRIPTED for _, agents in self.stage.turns for agent in agents)

    def description(self) -> dict[str, Json]:
        """Everything that makes this trial what it is, as the trace opens with it."""
        return {
            "protocol": PROTOCOL,
            "scenario": self.instance.digest,
            "arm": self.arm,
            "point": self.point,
            "seed": self.seed,
            "repeat": self.stage.repeat,
            "wordings": dict(self.stage.wordings),
            "players": dict(self.roles),
            "models": {name: endpoint.parameters for name, endpoint in self.endpoints.items()},
            "conditions": conditions_json(self.stage.conditions),
            "coupled": False,  # earlier versions could share answers between arms
            "templates": self.stage.templates.digest,
        }

    def opening(self) -> Iterator[tuple[str, dict[str, Json]]]:
        """The events before the first turn, so that a trace can be read by itself."""
        stage = self.stage
        live = [{**asdict(c), "members": list(c.members), "wire": stage.wire[c.name]} for c in stage.channels]
        yield "start", {"version": VERSION, "trial": self.identity, **self.description()}
        yield "order", {"agents": list(stage.order)}
        yield "channels", {"channels": live}
        for agent in stage.order:
            yield "briefing", {"agent": agent, "texts": list(stage.briefings[agent])}

    @cached_property
    def identity(self) -> str:
        """SHA-256 of the description, in hexadecimal."""
        return hashlib.sha256(encode(self.description()).encode()).hexdigest()

    @property
    def listed(self) -> Listed:
        """As a folder lists it."""
        named = self.stage.conditions.settings.model
        model = named[0][1] if len(named) == 1 and named[0][0] == "agents" else ", ".join(f"{w}={m}" for w, m in named)
        return Listed(
            self.identity, self.arm, self.point, self.seed, self.stage.repeat, model, self.roles, self.instance.digest
        )


def conditions_json(conditions: Conditions) -> dict[str, Json]:
    """An arm's conditions as JSON."""
    graph = conditions.graph
    return {
        "settings": {k: _plain(v) for k, v in vars(conditions.settings).items() if k in PLAYED},
        "channels": dict(conditions.channels),
        "variants": dict(conditions.variants),
        "params": {k: _plain(v) for k, v in conditions.params},
        "network": {"kind": graph.kind, **{k: _plain(v) for k, v in graph.arguments}} if graph else None,
        **({"planted": True} if conditions.planted else {}),
    }


def _plain(value: Any) -> Json:
    """A value, or several, as JSON."""
    return [_plain(v) for v in value] if isinstance(value, Elements | tuple | list) else plain(value)


@dataclass(frozen=True)
class Block:
    """Runs that are compared with each other: all arms of a sweep point, seed and repeat, in the order of their runs.

    Their order is shuffled, so that a provider's drift does not look like an effect of an arm.
    """

    point: str
    seed: int
    repeat: int
    arms: tuple[Arm, ...]


def blocks(design: Design, wanted: Callable[[int], bool] = lambda place: True) -> Iterator[Block]:
    """All blocks, point by point, seed by seed; or those at the places that are `wanted`, from 0."""
    points = dict.fromkeys(cell.point for cell in design.cells)
    for place, (point, seed, repeat) in enumerate(product(points, design.seeds, range(1, design.repeats + 1))):
        if wanted(place):
            arms = {cell.name: cell for cell in design.cells if cell.point == point}
            names = draws.shuffle(draws.key(seed, "arms", (point, repeat)), list(arms))
            yield Block(point, seed, repeat, tuple(arms[str(name)] for name in names))


@dataclass
class Trials:
    """Makes the trials of blocks of one spec, of whose instances the last few are remembered."""

    spec: Declared
    params: Mapping[str, Value]
    adjust: Callable[[Conditions], Conditions] = lambda own: own
    """What was asked for in place of what the spec says."""
    endpoint: Callable[[str, Settings], Endpoint] = lambda name, _: Endpoint(name)
    """How a model is asked, by its name and the settings of the arm."""
    made: dict[tuple[int, str], SharedScenario] = field(default_factory=dict, init=False)
    known: dict[tuple[int, str], tuple[Expansion, bytes]] = field(default_factory=dict, init=False)
    """Many more expansions with their JSON: these are asked for when runs are planned, and again when they are made."""

    def of(self, block: Block) -> list[Trial]:
        """A block's trials, the same each time. Raises ColosseumError."""
        return [self.trial(arm, block.seed, block.repeat) for arm in block.arms]

    def trial(self, arm: Arm, seed: int, repeat: int) -> Trial:
        """The run of an arm at its sweep point. Raises ColosseumError."""
        conditions = self.adjust(arm.conditions)
        instance = self.instance(seed, conditions)
        templates, diagnostics = protocol_folder(self.spec.composition.source.path, conditions.settings.protocol)
        if diagnostics:
            raise ColosseumError(*diagnostics)
        run = draws.SEPARATOR.join((arm.point, arm.name))
        stage = Stage(instance.expansion.scenario, conditions, repeat, run=run, templates=templates)
        roles = roles_of(stage, instance.expansion.world.sets)
        models = dict.fromkeys(name for name in roles.values() if name not in SCRIPTED)
        endpoints = {name: self.endpoint(name, conditions.settings) for name in models}
        return Trial(stage, arm.name, arm.point, roles, endpoints, instance)

    def instance(self, seed: int, conditions: Conditions) -> SharedScenario:
        """The scenario of a seed under an arm's conditions. Raises ColosseumError."""
        key = (seed, encode({k: v for k, v in conditions_json(conditions).items() if k in ("params", "network")}))
        if key in self.made:
            return self.made[key]
        if (known := self.known.get(key)) is None:
            params = {**self.params, **dict(conditions.params)}
            expanded, diagnostics = expand(self.spec, seed=seed, params=params, graph=conditions.graph)
            if expanded is None or has_errors(diagnostics):
                raise ColosseumError(*(replace(d, help=(*d.help, f"this happens at seed {seed}")) for d in diagnostics))
            known = expanded, serial.dump(replace(expanded.scenario, title=""))
            if len(known[1]) * len(self.known) < MOST_KNOWN:
                self.known[key] = known
        while len(self.made) >= MOST_KEPT:
            self.made.pop(next(iter(self.made)))
        digest, rules = hashlib.sha256(known[1]).hexdigest(), Rules(known[0].scenario.task)
        self.made[key] = SharedScenario(*known, digest, Library.of(known[0].world), rules)
        return self.made[key]
