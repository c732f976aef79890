"""Payees in plain words. In: `to …` of a statement and the credit of its instances; out: who shares what it pays."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TypeAlias

from colosseum.language import syntax
from colosseum.model.environment import Environment
from colosseum.model.evaluate import prepare, prepare_bindings, prepare_when
from colosseum.model.plain_words import ATOM, Words, shown
from colosseum.model.scenario import Credit, EqualSplit, Task
from colosseum.model.terms import Ground
from colosseum.model.values import Elements
from colosseum.model.world import World

Shared: TypeAlias = tuple[Environment, Credit]
"""An instance: its bindings and who is credited."""
DECIDERS = "those whose decisions it depends on"
MOST_BINDERS = 3
"""Binders that together may be the payees."""


@dataclass(frozen=True)
class Payees:
    """Says who is credited with the instances of one statement."""

    world: World
    task: Task
    words: Words
    guarded: bool
    """Whether some may not know which instances there are: then payees are told by a rule only, never by name."""

    def say(self, recipients: syntax.Recipients | None, instances: Sequence[Shared], verb: str) -> str:
        """`paid to a`, `split equally among all agents`; the default where it can come to that."""
        match recipients:
            case None:
                one = all(len(credit.named) == 1 for _, credit in instances)
                return f"{f'{verb} to' if one else 'split equally among'} {self._named(instances)}"
            case syntax.ToWhom(recipient=expr):
                rule = prepare(expr)
                found = [rule(env) for env, _ in instances]
                one = all(isinstance(who, str | Ground) for who in found)
                said = f"{f'{verb} to' if one else 'split equally among'} {self.words.say(expr, ATOM)}"
                nobody = [who is None or (isinstance(who, Elements) and not who) for who in found]
            case syntax.ToEach(binders=binders, when=when):
                rounds, holds = prepare_bindings(binders), prepare_when(when)
                nobody = [not any(holds(inner) for inner in rounds(env)) for env, _ in instances]
                single = len(binders.items) == len(binders.items[0].names) == 1
                first = "" if single else f"{binders.items[0].names[0]} for which there is "
                said = f"split equally among each {first}{self.words.filtered(binders, when)}"
        unclear = [s for s, none in zip(instances, nobody, strict=True) if none or not isinstance(s[1], EqualSplit)]
        return f"{said} (if that is nobody: {self._named(unclear)})" if unclear else said

    def _named(self, instances: Sequence[Shared]) -> str:
        """The agents who share by default: all, those whom binders stand for, always the same, or listed."""
        groups = [(env.bindings, c.agents if isinstance(c, EqualSplit) else c.otherwise) for env, c in instances]
        names = list(groups[0][0]) if groups else []
        if groups and all(agents == self.task.agents for _, agents in groups) and len(self.task.agents) > 1:
            return "all agents"
        for size in range(1, MOST_BINDERS + 1):
            for some in combinations(names, size):
                if all({bound[n] for n in some} == set(agents) for bound, agents in groups):
                    return ", ".join(some)
        for size in range(0 if groups and not self.guarded else len(names) + 1, len(names) + 1):
            for some in combinations(names, size):  # the fewest that tell who shares
                found = {tuple(bound[n] for n in some): agents for bound, agents in groups}
                if all(found[tuple(bound[n] for n in some)] == agents for bound, agents in groups):
                    places = [" and ".join(f"{n} = {shown(v)}" for n, v in zip(some, at, strict=True)) for at in found]
                    lists = [", ".join(map(shown, agents)) for agents in found.values()]
                    listed = (f"{who} where {at}" if at else who for at, who in zip(places, lists, strict=True))
                    return "; ".join(listed)
        return DECIDERS
