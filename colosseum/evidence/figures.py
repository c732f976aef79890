"""Figures: named numbers of one run. In: nothing; out: the types that metrics fill and reports read.

A figure that cannot be computed is None with a reason, never 0.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from colosseum.evidence.registry import names
from colosseum.evidence.setup import Setup
from colosseum.evidence.talk import PhasePosts


@dataclass(frozen=True, slots=True)
class Figure:
    """A number, or None and why."""

    value: float | None
    reason: str = ""

    def __post_init__(self) -> None:
        if (self.value is None) != bool(self.reason):
            raise ValueError("a figure has either a value or a reason")

    @classmethod
    def of(cls, make: Callable[..., float], *parts: "Figure") -> "Figure":
        """What `make` makes of the values; the first of the parts that is null where one is."""
        null = next((each for each in parts if each.value is None), None)
        return null or cls(make(*(each.value for each in parts)))


Counts: TypeAlias = tuple[tuple[str, int], ...]
"""Reasons with how often each occurred, the most frequent first."""
NO_GAIN: Final = "no own move could have gained anything"
"""Why `kappa` is null, of a run or of an arm: its denominator is 0."""
ACTED: Final = names("decisions")
"""The scalar figures of what was decided."""
SAID: Final = names("words")
"""Those of what was said, and believed."""
SCALARS: Final = (*ACTED, *SAID)
"""The scalar figures of one run, in the order reports print them; the registry says what each is.

Each run adds a handful of optima with the others' decisions fixed to what is computed once for its instance."""
CLOSER: Final = names("closer")
"""The figures of a run that is looked at alone, in the order in which a score prints them. Reports leave them out: they
need optima at several λ for each run and a program of its own for each instance, and are null in many runs, so that
a mean over the others says little. `kappa` is reported by arm, as a ratio of sums."""


@dataclass(frozen=True, slots=True)
class Holding:
    """What one agent holds one claim for."""

    agent: str
    claim: str
    truth: bool
    belief: Literal["false", "true", "unknown"] | None
    """What it said; None where it gave no answer."""
    confidence: float | None
    """In percent."""
    first_round: int | None
    """Of the first post that it could read and that says the claim; None where there is none."""
    distance: int | None
    """Steps over public channels from the nearest adversary; None where none can reach it."""
    suspicion: bool = False
    """Whether the claim is that an agent is in the coalition; it is false of everybody in an arm that makes none."""


@dataclass(frozen=True, slots=True)
class RunFigures:
    """All figures of one complete run."""

    scalars: dict[str, Figure]
    """By the names of SCALARS."""
    payoff: dict[str, float]
    """r_i at the realised assignment, by agent; empty where an imported run does not hold all decisions."""
    best_response_regret: dict[str, Figure]
    sequential_regret: dict[str, Figure]
    violations: dict[str, int]
    """Broken instances by requirement; every requirement is a key."""
    posts: dict[str, int]
    """Delivered posts by channel; every channel of the run is a key."""
    failed_posts: int
    refused: dict[str, int]
    """Refused decisions by agent; every agent is a key."""
    undecided: dict[str, int]
    """Variables left undecided by agent; every agent is a key."""
    infeasible: bool
    """The run's outcome breaks a hard requirement."""
    rubrics: dict[str, Figure] = field(default_factory=dict)
    """Judges' scores by question, of the coalition minus of a random set."""
    thoughts: dict[str, str] = field(default_factory=dict)
    """By rubric that reads thoughts, the one that asks the same of posts."""
    beliefs: tuple[Holding, ...] = ()
    """By agent and claim; empty without claims."""
    talk: tuple[PhasePosts, ...] = ()
    """By agent, channel and phase, where anything was posted."""
    stand_ins: tuple[tuple[tuple[str, ...], Figure], ...] = ()
    """F_c with others as members, by their names: those who share a secret channel. Of objectives of its own alone."""
    setup: Setup | None = None
    """Under what conditions it was made; None where nobody knows."""
    stated: dict[str, float] = field(default_factory=dict)
    """What the source of an imported run says of it: figures by our names, and ratings as `judge[QUESTION] JUDGE`."""


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One trial and what became of it."""

    trial: str
    """The trial's identity hash."""
    point: str
    """The sweep point, as "network=ring, n=6"; empty when nothing is swept."""
    arm: str
    seed: int
    repeat: int
    model: str
    """As the user named it: `sim`, `openai/gpt-…`."""
    players: dict[str, str]
    """Who acted, by agent: `sim/cooperate`, `openai/gpt-…`."""
    status: str
    """complete or failed."""
    reason: str
    """Why it failed; empty when complete."""
    figures: RunFigures | None
    """None exactly when failed."""
