"""Max-sum (Farinelli et al., 2008), spoken on the channels. In: a PlayerState; out: acts.

Every agent is a function of the variables that it is paid by. In each round it says what each value of each of them is
worth to it, given what all others said of the rest; in the end each takes the value that is worth most to all together.
Members of a coalition that a prompt has told of allies say their part of F_λ.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from colosseum.model import draws
from colosseum.model.scenario import Task, Variable
from colosseum.model.terms import PayoffOf, Term
from colosseum.model.values import Value
from colosseum.optimum.goal import Goal, mixed, payoff_of
from colosseum.optimum.ledger import credit_scope
from colosseum.optimum.scoring import may_credit
from colosseum.players.scripted import phrases
from colosseum.players.scripted.algorithms import public, worth
from colosseum.players.scripted.player_state import PlayerState
from colosseum.players.view import ToolCall

MOST_VALUES = 100
"""Joint values that one maximum is taken over; variables beyond stay at what they seem to be."""
DAMPED = 0.5
"""The share of its former message in a new one."""
TASTE = 0.01
"""How far a taste for a value of its own may go, as a share of what its function can change: it breaks ties."""
Worths = dict[Value, float]


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
        """What agents said that values are worth to them, by agent and variable."""
        return phrases.worths(self.mind.posts, self.task.variable)

    def others(self, variable: Variable) -> Worths:
        """What a variable's values are worth to everybody else together, the best of them 0."""
        heard = [said[variable.name] for agent, said in self.said.items()
                 if agent != self.mind.view.me and variable.name in said]  # fmt: skip
        sums = {value: sum(each.get(value, 0.0) for each in heard) for value in variable.domain}
        most = max(sums.values())
        return {value: amount - most for value, amount in sums.items()}

    def messages(self) -> Iterator[tuple[str, Value, float]]:
        """What it says of every variable of its scope, the worst value of each 0."""
        outside = {v.name: self.others(v) for v in self.scope}
        likely = {v.name: max(v.domain, key=outside[v.name].__getitem__) for v in self.scope}
        base = {**{v.name: v.domain[0] for v in self.task.variables}, **likely}
        amounts = {v.name: self._amounts(v, base) for v in self.scope}
        span = max((max(a for _, a in found) - min(a for _, a in found) for found in amounts.values()), default=0.0)
        tastes = {v.name: self._tastes(v, span) for v in self.scope}
        former = self.said.get(self.mind.view.me, {})
        for variable in self.scope:
            new = dict.fromkeys(variable.domain, -math.inf)
            for chosen, amount in amounts[variable.name]:
                known = (outside[n][d] + tastes[n][d] for n, d in chosen.items() if n != variable.name)
                new[chosen[variable.name]] = max(new[chosen[variable.name]], amount + sum(known))
            least = min(new.values())
            for value, taste in tastes[variable.name].items():
                fresh = new[value] - least + taste
                yield variable.name, value, fresh + DAMPED * (former.get(variable.name, {}).get(value, fresh) - fresh)

    def _amounts(self, target: Variable, base: Mapping[str, Value]) -> list[tuple[dict[str, Value], float]]:
        """What its function comes to at joint values of the target and the variables that go with it."""
        free = self._free(target)
        joint = (
            dict(zip((v.name for v in free), values, strict=True)) for values in product(*(v.domain for v in free))
        )
        return [(chosen, worth(self.task, self.goal, {**base, **chosen})) for chosen in joint]

    def _free(self, target: Variable) -> list[Variable]:
        """The target, then own variables, then others, as many as make MOST_VALUES joint values at most."""
        own = [v for v in self.scope if v.owner == self.mind.view.me]
        free, size = [target], len(target.domain)
        for variable in [*own, *(v for v in self.scope if v not in own)]:
            if variable is not target and size * len(variable.domain) <= MOST_VALUES:
                free, size = [*free, variable], size * len(variable.domain)
        return free

    def _tastes(self, variable: Variable, span: float) -> Worths:
        if variable.owner != self.mind.view.me:
            return dict.fromkeys(variable.domain, 0.0)
        key = draws.SEPARATOR.join((self.mind.data.key, "taste", variable.name))
        units = (draws.unit(draws.SEPARATOR.join((key, str(place)))) for place in range(len(variable.domain)))
        return {value: TASTE * span * unit for value, unit in zip(variable.domain, units, strict=True)}

    def moves(self) -> dict[str, Value]:
        """The values that are worth most to all together, itself included."""
        mine = self.said.get(self.mind.view.me, {})
        chosen: dict[str, Value] = {}
        for variable in self.mind.view.variables:
            all_ = {v: amount + mine.get(variable.name, {}).get(v, 0.0) for v, amount in self.others(variable).items()}
            chosen[variable.name] = max(variable.domain, key=all_.__getitem__)
        return chosen


def _reads_payoffs(term: Term) -> bool:
    return isinstance(term, PayoffOf) or any(map(_reads_payoffs, term.below))


def maxsum(mind: PlayerState) -> Iterator[ToolCall]:
    """Say what values are worth to oneself; in the last round also what one takes."""
    task = mind.data.planner.task(mind.known)
    if task is None:
        return
    function = Function(mind, task)
    for words in phrases.worth(function.messages()):
        yield from public(mind, words)
    if mind.view.variables and mind.view.position.round == mind.view.position.rounds:
        yield from public(mind, phrases.take(function.moves()))


def maxsum_moves(mind: PlayerState) -> dict[str, Value]:
    """The values that are worth most, by what was said."""
    task = mind.data.planner.task(mind.known)
    return mind.part(None if task is None else Function(mind, task).moves())
