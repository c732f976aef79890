"""Classical algorithms for distributed constraint optimisation, spoken on the channels. In: a PlayerState; out: acts.

MGM: maximum gain message (Maheswaran et al., 2004). DSA: distributed stochastic algorithm (Zhang et al., 2005).
Max-sum (Farinelli et al., 2008): every agent says in each round what each value of the variables that change its payoff
is worth to it, given what others said of the rest; in the end each variable takes the value worth most to all together.
Members of a coalition that know their allies report by F_λ, which steers the algorithm (paper, v1, Figure 2).
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from colosseum.model import draws
from colosseum.model.scenario import Task, Variable
from colosseum.model.values import Fault, Value
from colosseum.players.scripted import phrases
from colosseum.players.scripted.player_state import PlayerState
from colosseum.players.view import ToolCall
from colosseum.solve.goal import Goal, coalition_goal, mixed, payoff_of
from colosseum.solve.lowering.rules import written_out
from colosseum.solve.scoring import goal_value, grain, hard_broken

ACTIVE = 0.7  # DSA: the probability with which an agent that could gain moves
BROKEN = 1e6  # the cost of a broken hard rule
MOST_VALUES = 100  # max-sum: joint values that one maximum is taken over; variables beyond stay at what they seem to be
DAMPED = 0.5  # max-sum: the share of its former message in a new one
TASTE = 0.01
"""Max-sum: how far a taste for a value of its own may go, as a share of what its function can change: to break ties."""


def worth(task: Task, goal: Goal, values: Mapping[str, Value]) -> float:
    """The value of an assignment for a goal, less BROKEN for each hard rule that it breaks or payoff it lacks."""
    try:
        return goal_value(task, goal, values) - BROKEN * len(hard_broken(task.requirements, values))
    except Fault:
        return -BROKEN


def announced(mind: PlayerState) -> dict[str, Value]:
    """Its own values: those that it announced, else drawn."""
    return {name: mind.claimed.get(name, value) for name, value in mind.drawn("first").items()}


def best_change(mind: PlayerState) -> tuple[float, dict[str, Value]]:
    """The most that another value of one own variable would gain, and that value; empty where nothing would gain.

    What others said in this round does not count yet; what nobody announced is taken to have its first value.
    """
    if mind.task is None:
        return 0.0, {}
    before = (p for p in mind.posts if p.round < mind.round)
    first = {v.name: v.domain[0] for v in mind.task.variables}
    values = {**first, **phrases.taken(before, mind.variables), **announced(mind)}
    now = worth(mind.task, mind.aim, values)
    gain, change = grain(now), dict[str, Value]()
    for variable in mind.view.variables:
        for value in variable.domain:
            more = worth(mind.task, mind.aim, {**values, variable.name: value}) - now
            if more > gain:
                gain, change = more, {variable.name: value}
    return gain, change


def announce(mind: PlayerState, change: Mapping[str, Value]) -> Iterator[ToolCall]:
    """Say own values, with a change, to all that do not know them."""
    moves = {**announced(mind), **change}
    fresh = {name: value for name, value in moves.items() if name not in mind.claimed or mind.claimed[name] != value}
    return mind.public([phrases.take(fresh)] if fresh else [])


def mgm(mind: PlayerState) -> Iterator[ToolCall]:
    """Say values in odd rounds and gains in even ones, while anything changes; the greatest gain makes its move."""
    if mind.round % 2:
        yield from announce(mind, mgm_moves(mind))
    elif mind.view.variables and any(p.text.startswith(phrases.TAKE) for p in mind.posts if p.round == mind.round - 1):
        yield from mind.public([phrases.gain(*best_change(mind))])


def mgm_moves(mind: PlayerState) -> dict[str, Value]:
    """Its values after the gains of the last round: of equal gains, that of the first agent counts."""
    lately = (p for p in mind.posts if p.round == mind.round - 1)
    gains = {who: amount or 0.0 for who, _, _, amount in phrases.moves(lately, phrases.GAIN, mind.variables)}
    first = min(gains, key=lambda agent: (-gains[agent], mind.view.agents.index(agent)), default=None)
    return {**announced(mind), **(best_change(mind)[1] if first == mind.view.me else {})}


def dsa(mind: PlayerState) -> Iterator[ToolCall]:
    """Say a first value; in every later round move, with a probability, to what is better given the others' values."""
    active = mind.round > 1 and draws.unit(mind.key("active", str(mind.round))) < ACTIVE
    return announce(mind, best_change(mind)[1] if active else {})


@dataclass(frozen=True, eq=False)
class PayoffFunction:
    """One agent's function, and what is said of it and its variables."""

    mind: PlayerState
    task: Task

    @cached_property
    def goal(self) -> Goal:
        """r_i; its part of F_λ, `(1 - λ) · r_i + λ · F_c / |S|`, where it was told of its allies."""
        mine, coalition, strength = payoff_of(self.mind.view.me), self.mind.coalition, self.mind.data.strength
        if coalition is None:
            return mine
        return mixed({mine: 1.0 - strength, coalition_goal(coalition): strength / len(coalition.members)})

    @cached_property
    def scope(self) -> tuple[Variable, ...]:
        """The variables that its function, or a hard rule on its own variables, depends on; its own always."""
        if any(written_out(term, self.task) is not term for term, _ in self.goal.terms):
            return self.task.variables
        own, paid = {v.name for v in self.mind.view.variables}, {agent for agent, _ in self.goal.payoffs}
        scopes = [p.scope for p in self.task.payoffs if not paid.isdisjoint(p.credit.named)]
        scopes += [term.scope for term, _ in self.goal.terms]
        scopes += [r.condition.scope for r in self.task.hard if own & r.condition.scope]
        names = own.union(*scopes)
        return tuple(v for v in self.task.variables if v.name in names)

    @cached_property
    def said(self) -> dict[tuple[str, Value], dict[str, float]]:
        """The worth of values as agents said it, by variable and value, then by agent; the last word counts."""
        found: dict[tuple[str, Value], dict[str, float]] = {}
        for agent, name, value, amount in phrases.moves(self.mind.posts, phrases.WORTH, self.task.variable):
            if amount is not None:
                found.setdefault((name, value), {})[agent] = amount
        return found

    def former(self, variable: Variable, value: Value, otherwise: float) -> float:
        """Its own last message about a value."""
        return self.said.get((variable.name, value), {}).get(self.mind.view.me, otherwise)

    def others(self, variable: Variable) -> dict[Value, float]:
        """The worth of a variable's values to everybody else together, the best of them 0."""
        heard = {value: self.said.get((variable.name, value), {}).items() for value in variable.domain}
        sums = {value: sum(worth for who, worth in said if who != self.mind.view.me) for value, said in heard.items()}
        most = max(sums.values())
        return {value: amount - most for value, amount in sums.items()}

    def messages(self) -> Iterator[tuple[str, Value, float]]:
        """Its message about every variable of its scope, the worst value of each 0."""
        outside = {v.name: self.others(v) for v in self.scope}
        likely = {v.name: max(v.domain, key=outside[v.name].__getitem__) for v in self.scope}
        base = {**{v.name: v.domain[0] for v in self.task.variables}, **likely}
        amounts = {v.name: self._amounts(v, base) for v in self.scope}
        span = max((max(a for _, a in found) - min(a for _, a in found) for found in amounts.values()), default=0.0)
        tastes = {v.name: self._tastes(v, TASTE * span) for v in self.scope}
        for variable in self.scope:
            new = dict.fromkeys(variable.domain, -math.inf)
            for chosen, amount in amounts[variable.name]:
                known = (outside[n][d] + tastes[n][d] for n, d in chosen.items() if n != variable.name)
                new[chosen[variable.name]] = max(new[chosen[variable.name]], amount + sum(known))
            least = min(new.values())
            for value, taste in tastes[variable.name].items():
                fresh = new[value] - least + taste
                yield variable.name, value, fresh + DAMPED * (self.former(variable, value, fresh) - fresh)

    def _amounts(self, target: Variable, base: Mapping[str, Value]) -> list[tuple[dict[str, Value], float]]:
        """The value of its function at joint values of the target and the variables that go with it.

        These are own variables, then others, as many as make MOST_VALUES joint values at most.
        """
        free, size = [target], len(target.domain)
        for variable in sorted(self.scope, key=lambda v: v.owner != self.mind.view.me):
            if variable is not target and size * len(variable.domain) <= MOST_VALUES:
                free, size = [*free, variable], size * len(variable.domain)
        names = [v.name for v in free]
        joint = (dict(zip(names, values, strict=True)) for values in product(*(v.domain for v in free)))
        return [(chosen, worth(self.task, self.goal, {**base, **chosen})) for chosen in joint]

    def _tastes(self, variable: Variable, most: float) -> dict[Value, float]:
        most = most if variable.owner == self.mind.view.me else 0.0
        keys = (self.mind.key("taste", variable.name, str(place)) for place in range(len(variable.domain)))
        return {value: most * draws.unit(key) for value, key in zip(variable.domain, keys, strict=True)}


def maxsum(mind: PlayerState) -> Iterator[ToolCall]:
    """Say what values are worth to oneself; in the last round also what one takes."""
    if mind.task is not None:
        yield from mind.public(phrases.worth(PayoffFunction(mind, mind.task).messages()))
        if mind.last:
            yield from mind.public([phrases.take(maxsum_moves(mind))])


def maxsum_moves(mind: PlayerState) -> dict[str, Value]:
    """The values that are worth most to all together, itself included, by what was said."""
    chosen: dict[str, Value] = {}
    if mind.task is not None:
        function = PayoffFunction(mind, mind.task)
        for variable in mind.view.variables:
            worths = {v: amount + function.former(variable, v, 0.0) for v, amount in function.others(variable).items()}
            chosen[variable.name] = max(variable.domain, key=worths.__getitem__)
    return mind.part(chosen)
