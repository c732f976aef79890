"""The state of a scripted player. In: a View with data; out: facts, announced moves, aims and plans.

Posts are not trusted: what is not a plain fact of the right kind is not heard, and facts that fit no task are dropped.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from colosseum.model import draws
from colosseum.model.scenario import Cell, Coalition, Task, Variable
from colosseum.model.values import Value, kind
from colosseum.players.scripted import phrases
from colosseum.players.scripted.knowledge import BelievedTask, Knowledge
from colosseum.players.view import Post, ToolCall, View, post
from colosseum.solve.goal import WELFARE, Goal, bent, mixed, payoff_of
from colosseum.solve.scoring import grain


@dataclass(frozen=True, eq=False)
class PlayerState:
    """All that a scripted player works out from its View."""

    view: View
    data: Knowledge

    def key(self, *parts: str) -> str:
        """The key of a private draw."""
        return draws.SEPARATOR.join((self.data.key, *parts))

    def drawn(self, purpose: str) -> dict[str, Value]:
        """A value of each of its variables at random."""
        return {v.name: draws.choice(self.key(purpose, v.name), v.domain) for v in self.view.variables}

    @property
    def round(self) -> int:
        """The round that it is in, from 1."""
        return self.view.position.round

    @property
    def last(self) -> bool:
        """Whether this is the last planning round of one who has something to decide."""
        return self.round == self.view.position.rounds and bool(self.view.variables)

    @cached_property
    def posts(self) -> list[Post]:
        """Everything it has read or said, in order."""
        return sorted({p.number: p for c in self.view.channels for p in c.posts}.values(), key=lambda p: p.number)

    def told(self, posts: Iterable[Post]) -> dict[Cell, Value]:
        """The private facts in posts; the first telling of a fact counts."""
        found, told = dict[Cell, Value](), [self.data.planner.facts(p.text) for p in posts]
        for facts in (*told, *reversed(told)):
            found |= facts
        return found

    @cached_property
    def heard(self) -> dict[Cell, Value]:
        """The private facts that anybody told it, where they are of the kind that it knows from its own."""
        kinds = {c.table: kind(v) for c, v in self.data.cells.items()}
        return {c: v for c, v in self.told(self.posts).items() if kinds.get(c.table, k := kind(v)) == k}

    @cached_property
    def belief(self) -> BelievedTask | None:
        """The task by its own cells and what it heard, where that can be true of some task, else by its own alone."""
        planner, own = self.data.planner, self.data.own
        return planner.belief({**self.heard, **own}) or planner.belief(own)

    @property
    def task(self) -> Task | None:
        """The task as it believes it."""
        return None if self.belief is None else self.belief.solver.task

    @cached_property
    def coalition(self) -> Coalition | None:
        """The coalition that it was told of, with its objectives as it believes them."""
        told = self.data.told.coalition
        side = told and self.data.planner.side and self.belief
        return replace(told, objectives=side.objectives) if told and side else told

    @cached_property
    def variables(self) -> dict[str, Variable]:
        """All variables as it believes them."""
        return {} if self.task is None else self.task.variable

    def public(self, texts: Iterable[str], *, but: Collection[str] = ()) -> Iterator[ToolCall]:
        """Post each text on every channel that is not secret, but on some."""
        names = [c.name for c in self.view.channels if not c.secret and c.name not in but]
        return (post(name, words) for words in texts for name in names)

    @cached_property
    def claimed(self) -> dict[str, Value]:
        """The moves that it announced itself."""
        return phrases.taken((p for p in self.posts if p.author == self.view.me), self.variables)

    @cached_property
    def decided(self) -> dict[str, Value]:
        """The decisions it can see, where they are possible as it believes."""
        return {n: v for _, n, v in self.view.decided if n in self.variables and v in self.variables[n].domain}

    def settled(self, agreed: Mapping[str, Value] | None = None) -> dict[str, Value]:
        """What its allies agreed on, the moves that others announced, the decisions it can see: the later wins."""
        promised = {n: v for n, v in (agreed or {}).items() if self.variables[n].owner != self.view.me}
        announced = phrases.taken((p for p in self.posts if p.author != self.view.me), self.variables)
        return {**promised, **announced, **self.decided}

    @property
    def own_aim(self) -> Goal:
        """`(1 - λ) · F_n + λ · r_i`."""
        return mixed({WELFARE: 1.0 - self.data.strength, payoff_of(self.view.me): self.data.strength})

    @cached_property
    def aim(self) -> Goal:
        """F_λ of the coalition that it was told of, else its own aim."""
        return bent(self.coalition, strength=self.data.strength) if self.coalition else self.own_aim

    def best(self, goal: Goal, fixed: Mapping[str, Value]) -> dict[str, Value] | None:
        """The best assignment for a goal with some variables fixed, as it believes; None when there is none."""
        found = self.belief.optimum(goal, fixed, first=True) if self.belief else None
        return found.assignment if found else None

    def worth(self, goal: Goal, fixed: Mapping[str, Value], instead: Mapping[Cell, Value] = {}) -> float | None:
        """The worth of the best assignment, as it believes or by other facts in place of some."""
        belief = self.data.planner.belief({**self.belief.known, **instead}) if self.belief and instead else self.belief
        found = belief.optimum(goal, fixed) if belief else None
        return found.value if found else None

    def plan(self, goal: Goal, agreed: Mapping[str, Value] | None = None) -> dict[str, Value]:
        """Its part of the best plan it can compute around what is settled; claims that allow no plan are not believed.

        What it agreed on with allies stands whatever others claim, unless decisions have made another move better.
        """
        kept = {**(agreed or {}), **self.decided}
        stands = kept != self.decided and self._still_best(goal, kept)
        ways = [*([kept] if stands else []), self.settled(agreed), self.decided, {}]
        return self.part(next(filter(None, (self.best(goal, fixed) for fixed in ways)), None))

    def _still_best(self, goal: Goal, agreed: Mapping[str, Value]) -> bool:
        """Whether the agreed moves are worth as much as any other own move beside the allies' agreed ones."""
        own = {v.name for v in self.view.variables} - self.decided.keys()
        free = {name: value for name, value in agreed.items() if name not in own}
        kept, best = self.worth(goal, agreed), self.worth(goal, free)
        return kept is not None and (best is None or kept >= best - grain(best))

    def part(self, plan: Mapping[str, Value] | None) -> dict[str, Value]:
        """Its own moves in a plan; the first value of the domain where the plan has none."""
        return {v.name: plan[v.name] if plan and v.name in plan else v.domain[0] for v in self.view.variables}
