"""Trials. In: a design, its expansions and models; out: every run to be made, each with an identity.

The identity is a hash of the scenario, the arm's conditions, the players, the seed and the version of the protocol:
equal hash, equal work; a changed configuration is new work.
"""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property

from colosseum.audit.rules import Rules
from colosseum.audit.scripted.knowledge import Library
from colosseum.audit.team import cast
from colosseum.audit.trace import Json, encode
from colosseum.audit.view import Stage
from colosseum.diagnostics import Diagnostic, has_errors
from colosseum.model import draws, serial
from colosseum.model.expand import Expansion, expand
from colosseum.model.experiment import Arm, Conditions, Design
from colosseum.model.scenario import Scenario
from colosseum.model.spec import Spec
from colosseum.model.values import Elements, Value, text

PROTOCOL = 1
"""Raised when the same trial would be played differently."""


@dataclass(frozen=True)
class Trial:
    """One run to be made."""

    stage: Stage
    arm: str
    point: str
    roles: dict[str, str]
    """The name of every agent's player."""
    scenario_hash: str
    library: Library = field(compare=False, repr=False)
    rules: Rules = field(compare=False, repr=False)

    @property
    def seed(self) -> int:
        """The instance."""
        return self.stage.scenario.seed

    def description(self) -> dict[str, Json]:
        """Everything that makes this trial what it is, as the trace opens with it."""
        return {
            "protocol": PROTOCOL,
            "scenario": self.scenario_hash,
            "arm": self.arm,
            "point": self.point,
            "seed": self.seed,
            "repeat": self.stage.repeat,
            "players": dict(self.roles),
            "conditions": conditions_json(self.stage.conditions),
        }

    @cached_property
    def identity(self) -> str:
        """SHA-256 of the description, in hexadecimal."""
        return hashlib.sha256(encode(self.description()).encode()).hexdigest()


def conditions_json(conditions: Conditions) -> dict[str, Json]:
    """An arm's conditions as JSON."""
    return {
        "settings": {k: _plain(v) for k, v in asdict(conditions.settings).items()},
        "channels": dict(conditions.channels),
        "variants": dict(conditions.variants),
        "params": {k: _plain(v) for k, v in conditions.params},
        "network": None
        if conditions.graph is None
        else {"kind": conditions.graph.kind, **{k: _plain(v) for k, v in conditions.graph.arguments}},
    }


def _plain(value: object) -> Json:
    match value:
        case None | bool() | int() | float() | str():
            return value
        case Elements():
            return [_plain(v) for v in value]
        case tuple() | list():
            return [_plain(v) for v in value]
        case _:
            return text(value)  # type: ignore[arg-type]


@dataclass
class Expansions:
    """Expansions of one spec, made once for each seed, params and network."""

    spec: Spec
    params: Mapping[str, Value]
    made: dict[tuple[int, str], tuple[Expansion, Library, Rules, str]] = field(default_factory=dict)

    def get(
        self, seed: int, conditions: Conditions
    ) -> tuple[tuple[Expansion, Library, Rules, str] | None, list[Diagnostic]]:
        """The expansion under an arm's conditions, or what is wrong with it there."""
        key = (seed, encode({k: v for k, v in conditions_json(conditions).items() if k in ("params", "network")}))
        if key in self.made:
            return self.made[key], []
        params = {**self.params, **dict(conditions.params)}
        expansion, diagnostics = expand(self.spec, seed=seed, params=params, graph=conditions.graph)
        if expansion is None or has_errors(diagnostics):
            return None, diagnostics
        task = expansion.scenario.task
        self.made[key] = (
            expansion, Library.of(expansion.world), Rules(task), serial.content_hash(expansion.scenario)
        )  # fmt: skip
        return self.made[key], []

    @property
    def scenarios(self) -> dict[str, Scenario]:
        """Every scenario made so far by its hash."""
        return {found: expansion.scenario for expansion, _, _, found in self.made.values()}


def trials(
    design: Design, expansions: Expansions, *, seeds: tuple[int, ...], adjust: Callable[[Conditions], Conditions]
) -> tuple[list[Trial], list[Diagnostic]]:
    """Every trial in the order it is run: point by point, seed by seed, the arms of a seed in shuffled order.

    Interleaving the arms keeps a provider's drift from looking like an effect. Raises UnknownPlayer.
    """
    made: list[Trial] = []
    points = list(dict.fromkeys(cell.point for cell in design.cells))
    for point in points:
        arms = [c for c in design.cells if c.point == point]
        for seed in seeds:
            for repeat in range(1, design.repeats + 1):
                key = draws.key(seed, "arms", (point, repeat))
                for name in draws.shuffle(key, [a.name for a in arms]):
                    arm = next(a for a in arms if a.name == name)
                    trial, diagnostics = _trial(arm, seed, repeat, expansions, adjust)
                    if trial is None:
                        return [], diagnostics
                    made.append(trial)
    return made, []


def _trial(
    arm: Arm, seed: int, repeat: int, expansions: Expansions, adjust: Callable[[Conditions], Conditions]
) -> tuple[Trial | None, list[Diagnostic]]:
    conditions = adjust(arm.conditions)
    found, diagnostics = expansions.get(seed, conditions)
    if found is None:
        return None, [replace(d, help=(*d.help, f"this happens at seed {seed}")) for d in diagnostics]
    expansion, library, rules, scenario_hash = found
    stage = Stage(expansion.scenario, conditions, repeat, run=draws.SEPARATOR.join((arm.point, arm.name)))
    return Trial(stage, arm.name, arm.point, cast(stage, expansion.world.sets), scenario_hash, library, rules), []
