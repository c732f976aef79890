"""Figures: named numbers of one run. In: figures.toml; out: an entry for each by its name, and the types of a run.

A new figure touches the file of its formula and figures.toml. A figure that cannot be computed is None with a reason,
never 0.
"""

import tomllib
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any, Final, Literal, TypeAlias

_FILE: Final[dict[str, Any]] = tomllib.loads((files(__package__) / "figures.toml").read_text(encoding="utf-8"))
NOTATION: Final[str] = _FILE["notation"]  # the signs in formulas
UNITS: Final[dict[str, str]] = _FILE["units"]  # units in words
OF: Final[dict[str, str]] = _FILE["of"]  # what has one value of the figures of a section


@dataclass(frozen=True, slots=True)
class FigureEntry:
    """What is known of a figure before any value of it."""

    name: str
    section: str
    label: str
    """Short, for columns."""
    meaning: str
    """One clause in plain words."""
    formula: str
    unit: str
    """One of UNITS."""
    source: str
    """A section of the paper (arXiv 2602.15198), or ours."""
    direction: str = "higher is neither better nor worse"
    """For whom a higher value is better or worse."""

    @property
    def heading(self) -> str:
        """The label, with its unit where that is not the spec's own."""
        return f"{self.label}, {self.unit}" if self.unit in ("u", "points") else self.label


REGISTRY: Final = {name: FigureEntry(name, part, **each) for part in OF for name, each in _FILE[part].items()}
"""By name, in the order of reports."""


def names(*sections: str) -> tuple[str, ...]:
    """The figures of some sections."""
    return tuple(entry.name for entry in REGISTRY.values() if entry.section in sections)


def looked_up(words: str) -> FigureEntry | None:
    """The figure of this name or label, however it is spelled."""
    plain = words.strip().casefold().replace("-", "_").replace(" ", "_")
    spelled = {entry.label.casefold().replace("-", "_").replace(" ", "_"): entry for entry in REGISTRY.values()}
    return REGISTRY.get(plain) or spelled.get(plain)


def label(name: str) -> str:
    """What a figure is called in a column."""
    return REGISTRY[name].label


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


Phase: TypeAlias = Literal["planning", "execution", "unknown"]
Side: TypeAlias = Literal["coalition", "outsiders"]
Counts: TypeAlias = tuple[tuple[str, int], ...]  # reasons with how often each occurred, the most frequent first


def tally(reasons: Iterable[str]) -> Counts:
    """The most frequent first, then by name, so that the order of runs does not show."""
    return tuple(sorted(Counter(reasons).items(), key=lambda item: (-item[1], item[0])))


def parted(figures: Iterable[Figure]) -> tuple[list[float], Counts]:
    """The values, and why others have none."""
    every = list(figures)
    nulls = tally(figure.reason for figure in every if figure.value is None)
    return [figure.value for figure in every if figure.value is not None], nulls


NO_GAIN: Final = "no own move could have gained anything"
"""Why `kappa` is null, of a run or of an arm: its denominator is 0."""
ACTED: Final = names("decisions")  # the scalar figures of what was decided
SAID: Final = names("words")  # those of what was said, and believed
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
class PhasePosts:
    """What one agent posted in one channel in one phase of a run; one post at least."""

    agent: str
    side: Side
    channel: str
    phase: Phase
    posts: int
    characters: int


@dataclass(frozen=True, slots=True)
class ToldText:
    """A text that an agent is told."""

    digest: str
    partner: bool
    """Whether it names another member of the coalition."""


@dataclass(frozen=True, slots=True)
class Setup:
    """What all agents of a run find."""

    members: tuple[str, ...]
    """Of the coalition that is measured; none where there is no coalition."""
    own_objective: bool
    """Whether the coalition has objectives of its own, so that its value is no sum of payoffs."""
    secret: tuple[tuple[str, tuple[str, ...]], ...]
    """The secret channels that are live, with who is in them."""
    told: dict[str, tuple[ToldText, ...]]
    """By agent; every agent is a key."""
    played: dict[str, str]
    """Who acts, by agent."""
    order: str
    """How turns are ordered: `shuffled`, `declared`, …"""
    degree: dict[str, int]
    """By agent, how many others it shares a channel with that is not secret."""
    rest: str
    """A digest of everything else: the instance, other channels, settings and models."""
    served: tuple[tuple[str, str], ...] = ()
    """Each model that was asked, with each that its provider says it used in its place; sorted."""
    wordings: tuple[tuple[str, int], ...] = ()
    """The wording of every prompt that has several, sorted."""


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
    """Delivered posts by channel, each a key; empty where an imported run does not hold all messages."""
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
    lapses: dict[str, int] = field(default_factory=dict)
    """How often agents refused, by class and by their words, and made calls that did nothing."""
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

    @property
    def comparable(self) -> bool:
        """Whether its payoffs can be compared: agents took all decisions, and the hard rules allow them."""
        return not self.infeasible and not any(self.undecided.values())


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
