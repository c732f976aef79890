"""Classical algorithms for distributed constraint optimisation, spoken on the channels. In: a PlayerState; out: acts.

They pass messages in rounds; what is said in a round is heard in the next. Members of a coalition that a prompt has
told of allies report by F_λ, so that the algorithm, honest in itself, is steered (paper, v1, Figure 2).

MGM: maximum gain message (Maheswaran et al., 2004). DSA: distributed stochastic algorithm (Zhang et al., 2005).
Max-sum (Farinelli et al., 2008): every agent is a function of the variables that it is paid by. In each round it says
what each value of each of them is worth to it, given what all others said of the rest; in the end each takes the value
that is worth most to all together.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from colosseum.model import draws
from colosseum.model.scenario import Task, Variable
from colosseum.model.terms import PayoffOf, Term
from colosseum.model.values import Fault, Value
from colosseum.optimum.goal import Goal, mixed, payoff_of
from colosseum.optimum.ledger import credit_scope
from colosseum.optimum.scoring import goal_value, hard_broken, may_credit
from colosseum.players.scripted import phrases
from colosseum.players.scripted.planted import joint_aim
from colosseum.players.scripted.player_state import PlayerState
from colosseum.players.view import Post, ToolCall

ACTIVE = 0.7
"""DSA: the probability with which an agent that could gain moves."""
BROKEN = 1e6
"""The cost of a broken hard rule."""
LEAST = 1e-9
"""A gain that is none."""
MOST_VALUES = 100
"""Max-sum: joint values that one maximum is taken over; variables beyond stay at what they seem to be."""
DAMPED = 0.5
"""Max-sum: the share of its former message in a new one."""
TASTE = 0.01
"""Max-sum: how far a taste for a value of its own may go, as a share of what its function can change: to break ties."""
Worths = dict[Value, float]


def worth(task: Task, goal: Goal, values: Mapping[str, Value]) -> float:
    """The value of an assignment for a goal, less BROKEN for each hard rule that it breaks or payoff it lacks."""
    try:
        broken = len(hard_broken(task.requirements, values))
        return goal_value(task, goal, values) - BROKEN * broken
    except Fault:
        return -BROKEN


# ---- MGM and DSA ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Search:
    """The state of a local search, by what was said before this round."""

    mind: PlayerState

    @property
    def round(self) -> int:
        return self.mind.view.position.round

    @cached_property
    def before(self) -> list[Post]:
        """The posts of earlier rounds."""
        return [p for p in self.mind.posts if p.round < self.round]

    @cached_property
    def own(self) -> dict[str, Value]:
        """Its own values: those that it announced, else drawn."""
        drawn = {v.name: draws.choice(self.mind.key("first", v.name), v.domain) for v in self.mind.view.variables}
        return {name: self.mind.claimed.get(name, value) for name, value in drawn.items()}

    @cached_property
    def values(self) -> dict[str, Value]:
        """The values of all variables; of one that nobody announced, the first."""
        first = {name: v.domain[0] for name, v in self.mind.variables.items()}
        return {**first, **phrases.taken(self.before, self.mind.variables), **self.own}

    @cached_property
    def best_change(self) -> tuple[float, tuple[str, Value] | None]:
        """The most that one other value of one own variable would gain, and which; (0, None) where nothing would."""
        task = self.mind.task
        if task is None:
            return 0.0, None
        goal = joint_aim(self.mind)
        now = worth(task, goal, self.values)
        gain, change = LEAST * max(1.0, abs(now)), None
        for variable in self.mind.view.variables:
            for value in variable.domain:
                more = worth(task, goal, {**self.values, variable.name: value}) - now
                if more > gain:
                    gain, change = more, (variable.name, value)
        return (0.0, None) if change is None else (gain, change)

    def announce(self, moves: Mapping[str, Value]) -> Iterator[ToolCall]:
        """Say new values to all that do not know them."""
        said = self.mind.claimed
        fresh = {name: value for name, value in moves.items() if name not in said or said[name] != value}
        return self.mind.public(phrases.take(fresh)) if fresh else iter(())


def mgm(mind: PlayerState) -> Iterator[ToolCall]:
    """Say values in odd rounds and gains in even ones, while anything changes; the greatest gain makes its move."""
    search = Search(mind)
    if not mind.view.variables:
        return
    if search.round % 2:
        yield from search.announce(mgm_moves(mind))
    elif any(p.round == search.round - 1 and p.text.startswith(phrases.TAKE) for p in search.before):
        yield from mind.public(phrases.gain(*search.best_change))


def mgm_moves(mind: PlayerState) -> dict[str, Value]:
    """Its values after the gains of the last round: of equal gains, that of the first agent counts."""
    search = Search(mind)
    gains = phrases.gains(p for p in search.before if p.round == search.round - 1)
    first = min(gains, key=lambda agent: (-gains[agent], mind.view.agents.index(agent)), default=None)
    _, change = search.best_change if first == mind.view.me else (0.0, None)
    return search.own if change is None else {**search.own, change[0]: change[1]}


def dsa(mind: PlayerState) -> Iterator[ToolCall]:
    """Say a first value; in every later round move, with a probability, to what is better given the others' values."""
    search = Search(mind)
    moves = dict(search.own)
    if search.round > 1 and draws.unit(mind.key("active", str(search.round))) < ACTIVE:
        _, change = search.best_change
        moves |= {} if change is None else {change[0]: change[1]}
    yield from search.announce(moves)


def dsa_moves(mind: PlayerState) -> dict[str, Value]:
    """Its values as announced."""
    return Search(mind).own


# ---- Max-sum -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Function:
    """One agent's function, and what is said of it and its variables."""

    mind: PlayerState
    task: Task

    @cached_property
    def goal(self) -> Goal:
        """r_i; its part of F_λ, `(1 - λ) · r_i + λ · F_c / |S|`, where it was told of its allies."""
        mine, coalition = payoff_of(self.mind.view.me), self.mind.data.coalition
        if coalition is None:
            return mine
        strength, wanted = self.mind.data.strength, self.mind.data.planner.bent(coalition, 1.0, self.mind.known)
        return mixed({mine: 1.0 - strength, wanted: strength / len(coalition.members)})

    @cached_property
    def scope(self) -> tuple[Variable, ...]:
        """The variables that its function, or a hard rule on its own variables, depends on; its own always."""
        own = {v.name for v in self.mind.view.variables}
        paid = [agent for agent, _ in self.goal.payoffs]
        parts = [p for p in self.task.payoffs if any(may_credit(p.credit, agent) for agent in paid)]
        names = own.union(*(p.term.scope | credit_scope(p.credit) for p in parts))
        names |= frozenset[str]().union(*(term.scope for term, _ in self.goal.terms))
        if any(_reads_payoffs(term) for term, _ in self.goal.terms):
            return self.task.variables
        names |= {n for r in self.task.hard if own & r.condition.scope for n in r.condition.scope}
        return tuple(v for v in self.task.variables if v.name in names)

    @cached_property
    def said(self) -> dict[str, dict[str, Worths]]:
        """The worth of values as agents said it, by agent and variable."""
        return phrases.worths(self.mind.posts, self.task.variable)

    @property
    def former(self) -> dict[str, Worths]:
        """Its own last messages."""
        return self.said.get(self.mind.view.me, {})

    def others(self, variable: Variable) -> Worths:
        """The worth of a variable's values to everybody else together, the best of them 0."""
        heard = [said[variable.name] for agent, said in self.said.items()
                 if agent != self.mind.view.me and variable.name in said]  # fmt: skip
        sums = {value: sum(each.get(value, 0.0) for each in heard) for value in variable.domain}
        most = max(sums.values())
        return {value: amount - most for value, amount in sums.items()}

    def messages(self) -> Iterator[tuple[str, Value, float]]:
        """Its message about every variable of its scope, the worst value of each 0."""
        outside = {v.name: self.others(v) for v in self.scope}
        likely = {v.name: max(v.domain, key=outside[v.name].__getitem__) for v in self.scope}
        base = {**{v.name: v.domain[0] for v in self.task.variables}, **likely}
        amounts = {v.name: self._amounts(v, base) for v in self.scope}
        span = max((max(a for _, a in found) - min(a for _, a in found) for found in amounts.values()), default=0.0)
        tastes = {v.name: self._tastes(v, span) for v in self.scope}
        for variable in self.scope:
            new = dict.fromkeys(variable.domain, -math.inf)
            for chosen, amount in amounts[variable.name]:
                known = (outside[n][d] + tastes[n][d] for n, d in chosen.items() if n != variable.name)
                new[chosen[variable.name]] = max(new[chosen[variable.name]], amount + sum(known))
            least = min(new.values())
            for value, taste in tastes[variable.name].items():
                fresh = new[value] - least + taste
                former = self.former.get(variable.name, {}).get(value, fresh)
                yield variable.name, value, fresh + DAMPED * (former - fresh)

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

    def _tastes(self, variable: Variable, span: float) -> Worths:
        if variable.owner != self.mind.view.me:
            return dict.fromkeys(variable.domain, 0.0)
        units = (draws.unit(self.mind.key("taste", variable.name, str(i))) for i in range(len(variable.domain)))
        return {value: TASTE * span * unit for value, unit in zip(variable.domain, units, strict=True)}

    def moves(self) -> dict[str, Value]:
        """The values that are worth most to all together, itself included."""
        chosen: dict[str, Value] = {}
        for variable in self.mind.view.variables:
            mine = self.former.get(variable.name, {})
            all_ = {v: amount + mine.get(v, 0.0) for v, amount in self.others(variable).items()}
            chosen[variable.name] = max(variable.domain, key=all_.__getitem__)
        return chosen


def _reads_payoffs(term: Term) -> bool:
    return isinstance(term, PayoffOf) or any(map(_reads_payoffs, term.below))


def maxsum(mind: PlayerState) -> Iterator[ToolCall]:
    """Say what values are worth to oneself; in the last round also what one takes."""
    if mind.task is None:
        return
    function = Function(mind, mind.task)
    for words in phrases.worth(function.messages()):
        yield from mind.public(words)
    if mind.last:
        yield from mind.public(phrases.take(function.moves()))


def maxsum_moves(mind: PlayerState) -> dict[str, Value]:
    """The values that are worth most, by what was said."""
    return mind.part(None if mind.task is None else Function(mind, mind.task).moves())
