"""The IR: a scenario checked and expanded for one seed. In: nothing; out: the types that later stages read.

A Task is the cooperative problem, a distributed constraint optimisation problem: agents own variables with finite
domains, payoffs score an assignment, hard requirements bind it. A Scenario adds who may conspire, who may talk and
what everybody is told. `jira.colo` at seed 1 is a Task of 6 variables `pick[engineer1]`…, 48 rewards
`done[engineer1, ticket1]`… and 8 soft requirements `one_owner[ticket1]`…, with a coalition of two.
"""

import tomllib
from collections.abc import Iterator
from dataclasses import field
from functools import cached_property
from pathlib import Path
from typing import Annotated, Final, Literal

from typing_extensions import TypeAliasType

from colosseum.language.record import STRICT, AsObject, Record, Tagged
from colosseum.model.terms import NOTHING, ONE, Assignment, Conditional, Term, Total
from colosseum.model.values import Value

LOWEST: Final = 0
HIGHEST: Final = 5  # the ends of the scale of every rubric: whole numbers from 0, nothing of the kind, to 5


class Variable(Record):
    """A decision: one value of its domain, chosen by its owner. None in the domain is the opt-out."""

    name: str
    """`pick[engineer1]`: the statement's name and its index values."""
    owner: str
    """The agent who decides it."""
    domain: tuple[Value, ...]
    """What it may be, in declared order."""

    @cached_property
    def kinds(self) -> frozenset[type]:
        """The types of its values."""
        return frozenset(map(type, self.domain))


class EqualSplit(Record):
    """The payoff is shared equally by these agents."""

    how: Literal["equal"] = field(default="equal", kw_only=True)
    agents: tuple[str, ...]
    """Who shares, in declared order."""

    @property
    def named(self) -> tuple[str, ...]:
        """Who may share."""
        return self.agents

    def shares(self, x: Assignment) -> tuple[str, ...]:
        """Who shares at x."""
        return self.agents


class QualifiedSplit(Record):
    """Shared equally by the candidates whose condition holds at the assignment; by `otherwise` if none qualifies."""

    how: Literal["qualified"] = field(default="qualified", kw_only=True)
    candidates: tuple[tuple[str, Term], ...]
    """Pairs of an agent and its condition."""
    otherwise: tuple[str, ...]
    """Who shares when no condition holds."""

    @property
    def named(self) -> tuple[str, ...]:
        """Who may share."""
        return (*(agent for agent, _ in self.candidates), *self.otherwise)

    @cached_property
    def count(self) -> Total:
        """How many qualify, as a term: one for all who ask, who may keep what they know of it."""
        return Total(tuple(Conditional(condition, ONE, NOTHING) for _, condition in self.candidates))

    def shares(self, x: Assignment) -> tuple[str, ...]:
        """Who shares at x."""
        return tuple(agent for agent, condition in self.candidates if condition.evaluate(x)) or self.otherwise


Credit = TypeAliasType("Credit", Annotated[EqualSplit | QualifiedSplit, Tagged("how")])


class Payoff(Record):
    """One instance of a reward, or of a soft requirement's penalty (its term is then ≤ 0)."""

    name: str
    """`done[engineer1, ticket1]`."""
    statement: str
    """`done`."""
    kind: Literal["reward", "penalty"]
    """What the statement is."""
    term: Term
    """What it pays at an assignment: a number, negative where it costs."""
    credit: Credit
    """Who is credited with it."""

    @property
    def scope(self) -> frozenset[str]:
        """The variables that change what it pays, or who shares it."""
        if isinstance(self.credit, EqualSplit):
            return self.term.scope  # the set itself, whose hash is known
        return self.term.scope.union(*(condition.scope for _, condition in self.credit.candidates))


class Requirement(Record):
    """One instance of a `require`. Hard when `penalty` is none; else its price is in the payoff of the same name."""

    name: str
    """`one_owner[ticket1]`."""
    statement: str
    """`one_owner`."""
    condition: Term
    """What should hold."""
    penalty: float | None
    """The price of breaking it, or of each unit of the excess; null when no assignment may break it."""
    excess: Term | None
    """What `per unit` measures (≥ 0); null without it."""

    @property
    def hard(self) -> bool:
        """No assignment that breaks it counts."""
        return self.penalty is None


class Cell(Record):
    """One entry of a private table, such as `cost[engineer1, ticket1]`."""

    table: str
    """The table's name."""
    key: tuple[Value, ...]
    """One value for each of its indices."""

    def __eq__(self, other: object) -> bool:  # the same as of any record, in half the time: players know hundreds
        return type(other) is Cell and self.key == other.key and self.table == other.table

    def __hash__(self) -> int:
        return hash((self.table, self.key))


class Task(Record):
    """The cooperative problem: maximise F_n, the sum of all payoffs, under the hard requirements."""

    agents: tuple[str, ...]
    """Who decides, in declared order."""
    variables: tuple[Variable, ...]
    """The decisions, in declared order."""
    payoffs: tuple[Payoff, ...]
    """All that is paid. F_n is their sum."""
    requirements: tuple[Requirement, ...]
    """All that is required, hard or at a price."""
    reads: tuple[Cell, ...] = ()
    """The private cells that the payoffs, requirements and domains were computed from."""

    @cached_property
    def variable(self) -> dict[str, Variable]:
        """Variables by name, in declared order."""
        return {v.name: v for v in self.variables}

    @cached_property
    def position(self) -> dict[str, int]:
        """The place of each variable in declared order."""
        return {name: place for place, name in enumerate(self.variable)}

    @cached_property
    def owned(self) -> dict[str, tuple[Variable, ...]]:
        """Variables by owner; every agent is a key."""
        return {a: tuple(v for v in self.variables if v.owner == a) for a in self.agents}

    @property
    def hard(self) -> Iterator[Requirement]:
        """The requirements that bind."""
        return (r for r in self.requirements if r.hard)


class Objective(Record):
    """One objective of a coalition; its term may contain PayoffOf."""

    name: str
    """`differ`."""
    term: Term
    """What it is worth to the coalition at an assignment."""


class Coalition(Record):
    """Who may conspire. F_c is the sum of the objectives, or of the members' payoffs when there are none."""

    name: str
    """Its name."""
    members: tuple[str, ...]
    """Who is in it, in declared order."""
    objectives: tuple[Objective, ...]
    """What it wants; none for the members' payoffs."""


class Channel(Record):
    """A declared channel. A secret one is off unless an arm turns it on, and only its members know of it."""

    name: str
    """Its name."""
    members: tuple[str, ...]
    """Who may post and read, in declared order."""
    secret: bool
    """Whether only its members know of it."""
    wire: str | None = None
    """The name that agents read, where the spec gives one; left out where it gives none."""


class Graph(Record):
    """The network as written: its kind, its arguments, and the edges when they are listed."""

    kind: str
    """`complete`, `path`, `ring`, `star`, `erdos_renyi`, `watts_strogatz`, `barabasi_albert` or `edges`."""
    arguments: Annotated[tuple[tuple[str, Value], ...], AsObject()] = ()
    """By name: `p`, `k`, `m`, `center`, or `edges`, a set of pairs of agents."""


class Variant(Record):
    """One variant of a prompt, rendered for every recipient."""

    name: str
    """Empty for a prompt of one text."""
    texts: Annotated[tuple[tuple[str, str], ...], AsObject()]
    """The text by agent, in the order of the recipients."""
    paraphrases: tuple[Annotated[tuple[tuple[str, str], ...], AsObject()], ...] = ()
    """Its other wordings in the same form; left out where there are none."""

    @property
    def wordings(self) -> tuple[tuple[tuple[str, str], ...], ...]:
        """All of them, the first included."""
        return (self.texts, *self.paraphrases)


class Prompt(Record):
    """Text added to what its recipients are told; the first variant holds unless an arm says otherwise."""

    name: str
    """Its name."""
    recipients: tuple[str, ...]
    """Who is told, in declared order."""
    variants: tuple[Variant, ...]
    """Its variants, the default first."""


class Claim(Record):
    """A statement that agents may spread and are asked about."""

    name: str
    """Its name with its index values."""
    text: str
    """What is said."""
    truth: bool
    """Whether it is so."""
    about: tuple[str, ...] = ()
    """The agents among its indices, in their order."""
    suspects: str = ""
    """The coalition whose members it is true of; left out where it is no suspicion."""


class Rubric(Record):
    """One more question for a judge."""

    name: str
    """Its name."""
    question: str
    """What the judge is asked."""
    anchors: tuple[tuple[int, str], ...]
    """Pairs of a score and what deserves it."""
    thoughts: bool = False
    """Whether the judge reads what agents thought, too; left out where it reads posts alone."""


BUILT_IN_RUBRICS: Final = tuple(
    Rubric(each["name"], each["question"], tuple(enumerate(each["anchors"])))
    for each in tomllib.loads(Path(__file__).with_name("rubrics.toml").read_text(encoding="utf-8"))["rubric"]
)
"""The rubrics of every campaign; the scale of each is this project's own."""


class Scenario(Record):
    """The checked, expanded model for one seed."""

    __pydantic_config__ = STRICT

    schema: Literal[1] = field(default=1, kw_only=True)
    """The edition of this format."""
    name: str
    """The scenario's name."""
    title: str
    """Its title; empty without one."""
    seed: int
    """The instance: what every draw is keyed by."""
    params: Annotated[tuple[tuple[str, Value], ...], AsObject()]
    """The params by name, as they were set."""
    task: Task
    """What is decided and what it pays."""
    coalitions: tuple[Coalition, ...]
    """Who may conspire, in declared order."""
    channels: tuple[Channel, ...]
    """The declared channels; those of the network are not listed."""
    network: Graph
    """The public network."""
    prompts: tuple[Prompt, ...]
    """What agents are told."""
    claims: tuple[Claim, ...]
    """What agents may spread."""
    rubrics: tuple[Rubric, ...]
    """What a judge is asked besides the built-in questions."""

    @cached_property
    def coalition(self) -> dict[str, Coalition]:
        """Coalitions by name, in declared order."""
        return {c.name: c for c in self.coalitions}


def rubrics(scenario: Scenario) -> tuple[Rubric, ...]:
    """All that a judge is asked about a run of the scenario, the built-in ones first."""
    return (*BUILT_IN_RUBRICS, *scenario.rubrics)


def said_in_posts(rubric: Rubric, scenario: Scenario) -> str:
    """The name of the rubric that asks of posts alone what this one asks of thoughts, too.

    It is the one with the same question, word for word, else the built-in one of collusion.
    """
    same = (r.name for r in scenario.rubrics if not r.thoughts and r.question == rubric.question)
    return next(same, BUILT_IN_RUBRICS[0].name)
