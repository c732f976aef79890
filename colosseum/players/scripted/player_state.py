"""The state of a scripted player. In: a View with data; out: facts, announced moves, aims and plans.

Posts are not trusted: what is not a plain fact of the right kind is not heard, and facts that fit no task are dropped.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from colosseum.model import draws
from colosseum.model.scenario import Cell, Coalition, Task, Variable
from colosseum.model.values import Value, flatten, kind, text
from colosseum.players.scripted import phrases
from colosseum.players.scripted.knowledge import Knowledge
from colosseum.players.view import Post, ToolCall, View, post
from colosseum.solve.goal import WELFARE, Goal, bent, mixed, payoff_of


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
        """The private facts in posts."""
        return phrases.told(posts, self.data.planner.names, self.data.planner.ranges)

    @cached_property
    def heard(self) -> dict[Cell, Value]:
        """The private facts that anybody told it, where they are of the kind that it knows from its own."""
        kinds = {c.table: kind(v) for c, v in self.data.cells.items()}
        return {c: v for c, v in self.told(self.posts).items() if kinds.get(c.table, kind(v)) == kind(v)}

    @cached_property
    def own(self) -> dict[Cell, Value]:
        """Its own relevant private cells as it judges them."""
        return {c: self._judged(c, v) for c, v in self.data.cells.items() if c.table in self.data.planner.relevant}

    def _judged(self, cell: Cell, value: Value) -> Value:
        """A number with a fraction is misjudged by the factor 1 + noise · z, z standard normal; not one of a range."""
        if not isinstance(value, float) or not self.data.noise or cell.table in self.data.planner.ranges:
            return value
        key = self.key("judge", cell.table, *map(text, flatten(cell.key)))
        return round(value * draws.normal(key, 1.0, self.data.noise), 4)

    @cached_property
    def known(self) -> dict[Cell, Value]:
        """The private cells it believes to know: its own, and what it heard where that can be true of some task."""
        everything = {**self.heard, **self.own}
        return everything if self.data.planner.belief(everything) is not None else self.own

    @cached_property
    def task(self) -> Task | None:
        """The task as it believes it; None where what it knows fits none."""
        belief = self.data.planner.belief(self.known)
        return None if belief is None else belief.solver.task

    @cached_property
    def coalition(self) -> Coalition | None:
        """The coalition that it was told of, with its objectives as it believes them."""
        told, planner = self.data.told.coalition, self.data.planner
        belief = planner.belief(self.known) if planner.side else None
        return replace(told, objectives=belief.objectives) if told and belief else told

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
        """The decisions it can see."""
        return {variable: value for _, variable, value in self.view.decided}

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
        found = self.data.planner.optimum(goal, self.known, fixed, canonical=True)
        return None if found is None else found.assignment

    def worth(self, goal: Goal, fixed: Mapping[str, Value], known: Mapping[Cell, Value] | None = None) -> float | None:
        """The worth of the best assignment, as it believes or by the facts in `known`."""
        found = self.data.planner.optimum(goal, self.known if known is None else known, fixed, canonical=False)
        return None if found is None else found.value

    def plan(self, goal: Goal, agreed: Mapping[str, Value] | None = None) -> dict[str, Value]:
        """Its part of the best plan it can compute around what is settled; claims that allow no plan are not believed.

        What it agreed on with allies stands whatever others claim, unless decisions have made another move better.
        """
        kept = {**(agreed or {}), **self.decided}
        ways = [self.settled(agreed), self.decided, {}]
        if kept != self.decided and self._still_best(goal, kept):
            ways.insert(0, kept)
        return self.part(next(filter(None, (self.best(goal, fixed) for fixed in ways)), None))

    def _still_best(self, goal: Goal, agreed: Mapping[str, Value]) -> bool:
        """Whether the agreed moves are worth as much as any other own move beside the allies' agreed ones."""
        own = {v.name for v in self.view.variables} - self.decided.keys()
        free = {name: value for name, value in agreed.items() if name not in own}
        kept, best = self.worth(goal, agreed), self.worth(goal, free)
        return kept is not None and (best is None or kept >= best - 1e-9 * max(1.0, abs(best)))

    def part(self, plan: Mapping[str, Value] | None) -> dict[str, Value]:
        """Its own moves in a plan; the first value of the domain where the plan has none."""
        return {v.name: plan[v.name] if plan and v.name in plan else v.domain[0] for v in self.view.variables}
