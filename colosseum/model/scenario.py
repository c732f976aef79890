"""The IR: a scenario checked and expanded for one seed. In: nothing; out: the types that later stages read.

A Task is the cooperative problem, a distributed constraint optimisation problem: agents own variables with finite
domains, payoffs score an assignment, hard requirements bind it. A Scenario adds who may conspire, who may talk and
what everybody is told. `jira.colo` at seed 1 is a Task of 6 variables `pick[engineer1]`…, 48 rewards
`done[engineer1, ticket1]`… and 8 soft requirements `one_owner[ticket1]`…, with a coalition of two.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

from colosseum.model.terms import Assignment, Term
from colosseum.model.values import Value


@dataclass(frozen=True)
class Variable:
    """A decision: one value of its domain, chosen by its owner. None in the domain is the opt-out."""

    name: str
    owner: str
    domain: tuple[Value, ...]


@dataclass(frozen=True)
class EqualSplit:
    """The payoff is shared equally by these agents."""

    agents: tuple[str, ...]
    how: Literal["equal"] = "equal"

    def shares(self, x: Assignment) -> tuple[str, ...]:
        """Who shares at x."""
        return self.agents


@dataclass(frozen=True)
class QualifiedSplit:
    """Shared equally by the candidates whose condition holds at x; by `otherwise` when none qualifies."""

    candidates: tuple[tuple[str, Term], ...]
    otherwise: tuple[str, ...]
    how: Literal["qualified"] = "qualified"

    def shares(self, x: Assignment) -> tuple[str, ...]:
        """Who shares at x."""
        return tuple(agent for agent, condition in self.candidates if condition.evaluate(x)) or self.otherwise


Credit: TypeAlias = EqualSplit | QualifiedSplit


@dataclass(frozen=True)
class Payoff:
    """One instance of a reward, or of a soft requirement's penalty (its term is then ≤ 0)."""

    name: str
    """`done[engineer1, ticket1]`."""
    statement: str
    """`done`."""
    kind: Literal["reward", "penalty"]
    term: Term
    credit: Credit


@dataclass(frozen=True)
class Requirement:
    """One instance of a `require`. Hard when `penalty` is None; else its price is in the payoff of the same name."""

    name: str
    statement: str
    condition: Term
    penalty: float | None
    excess: Term | None
    """What `per unit` measures (≥ 0), None without it."""

    @property
    def hard(self) -> bool:
        """No assignment that breaks it counts."""
        return self.penalty is None


@dataclass(frozen=True)
class Cell:
    """One entry of a private table, as `name` is written: `cost[engineer1, ticket1]`."""

    table: str
    key: tuple[Value, ...]


@dataclass(frozen=True)
class Task:
    """The cooperative problem: maximise F_n, the sum of all payoffs, under the hard requirements."""

    agents: tuple[str, ...]
    variables: tuple[Variable, ...]
    payoffs: tuple[Payoff, ...]
    requirements: tuple[Requirement, ...]
    reads: tuple[Cell, ...] = ()
    """The private cells that the payoffs, requirements and domains were computed from."""

    @cached_property
    def variable(self) -> dict[str, Variable]:
        """Variables by name, in declared order."""
        return {v.name: v for v in self.variables}

    @cached_property
    def owned(self) -> dict[str, tuple[Variable, ...]]:
        """Variables by owner; every agent is a key."""
        return {a: tuple(v for v in self.variables if v.owner == a) for a in self.agents}

    @property
    def hard(self) -> Iterator[Requirement]:
        """The requirements that bind."""
        return (r for r in self.requirements if r.hard)


@dataclass(frozen=True)
class Objective:
    """One objective of a coalition; its term may contain PayoffOf."""

    name: str
    term: Term


@dataclass(frozen=True)
class Coalition:
    """Who may conspire. F_c is the sum of the objectives, or of the members' payoffs when there are none."""

    name: str
    members: tuple[str, ...]
    objectives: tuple[Objective, ...]


@dataclass(frozen=True)
class Channel:
    """A declared channel. A secret one is off unless an arm turns it on, and only its members know of it."""

    name: str
    members: tuple[str, ...]
    secret: bool


@dataclass(frozen=True)
class Graph:
    """The network as written: its kind, its arguments, and the edges when they are listed."""

    kind: str
    arguments: tuple[tuple[str, Value], ...] = ()


@dataclass(frozen=True)
class Variant:
    """One wording of a prompt, rendered for every recipient."""

    name: str
    """Empty for a prompt of one text."""
    texts: tuple[tuple[str, str], ...]
    """(agent, text), in the order of the recipients."""


@dataclass(frozen=True)
class Prompt:
    """Text added to what its recipients are told; the first variant holds unless an arm says otherwise."""

    name: str
    recipients: tuple[str, ...]
    variants: tuple[Variant, ...]


@dataclass(frozen=True)
class Claim:
    """A statement that agents may spread and are asked about."""

    name: str
    text: str
    truth: bool


@dataclass(frozen=True)
class Rubric:
    """One more question for a judge."""

    name: str
    question: str
    anchors: tuple[tuple[int, str], ...]


@dataclass(frozen=True)
class Scenario:
    """The checked, expanded model for one seed."""

    name: str
    title: str
    seed: int
    params: tuple[tuple[str, Value], ...]
    task: Task
    coalitions: tuple[Coalition, ...]
    channels: tuple[Channel, ...]
    network: Graph
    prompts: tuple[Prompt, ...]
    claims: tuple[Claim, ...]
    rubrics: tuple[Rubric, ...]
    schema: Literal[1] = 1

    @cached_property
    def coalition(self) -> dict[str, Coalition]:
        """Coalitions by name, in declared order."""
        return {c.name: c for c in self.coalitions}
