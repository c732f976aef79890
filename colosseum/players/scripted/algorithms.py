"""Classical algorithms for distributed constraint optimisation, spoken on the channels. In: a PlayerState; out: acts.

They pass messages in rounds; what is said in a round is heard in the next. Members of a coalition that a prompt has
told of allies report by F_λ, so that the algorithm, honest in itself, is steered (paper, v1, Figure 2).

MGM: maximum gain message (Maheswaran et al., 2004). DSA: distributed stochastic algorithm (Zhang et al., 2005).
Max-sum is in a file of its own.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from colosseum.model import draws
from colosseum.model.scenario import Task
from colosseum.model.values import Fault, Value
from colosseum.optimum.goal import Goal
from colosseum.optimum.scoring import goal_value, hard_broken
from colosseum.players.scripted import phrases
from colosseum.players.scripted.planted import joint_aim
from colosseum.players.scripted.player_state import PlayerState
from colosseum.players.scripted.rumors import post
from colosseum.players.view import Post, ToolCall

ACTIVE = 0.7
"""DSA: the probability with which an agent that could gain moves."""
BROKEN = 1e6
"""What a broken hard rule counts."""
LEAST = 1e-9
"""A gain that is none."""


@dataclass(frozen=True, eq=False)
class Search:
    """Where a local search stands, by what was said before this round."""

    mind: PlayerState

    @property
    def round(self) -> int:
        return self.mind.view.position.round

    @cached_property
    def task(self) -> Task | None:
        return self.mind.data.planner.task(self.mind.known)

    @cached_property
    def before(self) -> list[Post]:
        """What was said in earlier rounds."""
        return [p for p in self.mind.posts if p.round < self.round]

    @cached_property
    def own(self) -> dict[str, Value]:
        """Its own values: those that it announced, else drawn."""
        keys = {v.name: draws.SEPARATOR.join((self.mind.data.key, "first", v.name)) for v in self.mind.view.variables}
        drawn = {v.name: draws.choice(keys[v.name], v.domain) for v in self.mind.view.variables}
        said = self.mind.said(self.mind.posts)
        return {name: said.get(name, value) for name, value in drawn.items()}

    @cached_property
    def values(self) -> dict[str, Value]:
        """The values of all variables; of one that nobody announced, the first."""
        first = {name: v.domain[0] for name, v in self.mind.variables.items()}
        return {**first, **phrases.taken(self.before, self.mind.variables), **self.own}

    @cached_property
    def best_change(self) -> tuple[float, tuple[str, Value] | None]:
        """The most that one other value of one own variable would gain, and which; (0, None) where nothing would."""
        if self.task is None:
            return 0.0, None
        goal = joint_aim(self.mind)
        now = worth(self.task, goal, self.values)
        gain, change = LEAST * max(1.0, abs(now)), None
        for variable in self.mind.view.variables:
            for value in variable.domain:
                more = worth(self.task, goal, {**self.values, variable.name: value}) - now
                if more > gain:
                    gain, change = more, (variable.name, value)
        return (0.0, None) if change is None else (gain, change)

    def announce(self, moves: Mapping[str, Value]) -> Iterator[ToolCall]:
        """Say new values to all that do not know them."""
        said = self.mind.said(self.mind.posts)
        fresh = {name: value for name, value in moves.items() if name not in said or said[name] != value}
        if fresh:
            yield from public(self.mind, phrases.take(fresh))


def worth(task: Task, goal: Goal, values: Mapping[str, Value]) -> float:
    """What an assignment is worth for a goal, less BROKEN for each hard rule that it breaks or payoff it lacks."""
    try:
        broken = len(hard_broken(task.requirements, values))
        return goal_value(task, goal, values) - BROKEN * broken
    except Fault:
        return -BROKEN


def public(mind: PlayerState, said: str) -> Iterator[ToolCall]:
    """Say it on every channel that is not secret."""
    for channel in mind.view.channels:
        if not channel.secret:
            yield post(channel, said)


# ---- MGM -----------------------------------------------------------------------------------------------------


def mgm(mind: PlayerState) -> Iterator[ToolCall]:
    """Say values in odd rounds and gains in even ones, while anything changes; the greatest gain makes its move."""
    search = Search(mind)
    if not mind.view.variables:
        return
    if search.round % 2:
        yield from search.announce(mgm_moves(mind))
    elif any(p.round == search.round - 1 and p.text.startswith(phrases.TAKE) for p in search.before):
        yield from public(mind, phrases.gain(*search.best_change))


def mgm_moves(mind: PlayerState) -> dict[str, Value]:
    """Its values after the gains of the last round: of equal gains, that of the first agent counts."""
    search = Search(mind)
    gains = phrases.gains(p for p in search.before if p.round == search.round - 1)
    rank = {agent: place for place, agent in enumerate(mind.view.agents)}
    first = min(gains, key=lambda agent: (-gains[agent], rank[agent]), default=None)
    _, change = search.best_change if first == mind.view.me else (0.0, None)
    return search.own if change is None else {**search.own, change[0]: change[1]}


# ---- DSA -----------------------------------------------------------------------------------------------------


def dsa(mind: PlayerState) -> Iterator[ToolCall]:
    """Say a first value; in every later round move, with a probability, to what is better given the others' values."""
    search = Search(mind)
    key = draws.SEPARATOR.join((mind.data.key, "active", str(search.round)))
    moves = dict(search.own)
    if search.round > 1 and draws.unit(key) < ACTIVE and (change := search.best_change[1]) is not None:
        moves[change[0]] = change[1]
    yield from search.announce(moves)


def dsa_moves(mind: PlayerState) -> dict[str, Value]:
    """Its values as announced."""
    return Search(mind).own
