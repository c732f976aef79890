"""Scripted players: small reference agents that need no network. In: a View; out: a Reply by the same tools.

`sim/cooperate` shares what it knows, then plays its part of the best plan it can compute. `sim/collude` agrees with its
allies on the joint move that is best for F_λ and claims it early, so that others plan around it. `sim/greedy` takes
what is best for itself without a word; `sim/random` draws. All hold no state: what they know is what the View shows.

Noise misjudges every private number with a fraction by a factor around 1, and makes a decision slip now and then.
Posts are not trusted: what is not a plain fact of the right kind is not heard, and facts that fit no task are dropped.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from colosseum.audit.protocol import ChannelView, Post, Reply, ToolCall, View
from colosseum.audit.scripted import phrases
from colosseum.audit.scripted.knowledge import Knowledge
from colosseum.model import draws
from colosseum.model.scenario import Cell, Variable
from colosseum.model.values import Value, flatten, kind, plain, text
from colosseum.optimum.goal import WELFARE, Goal, payoff_of

SLIP = 0.1
"""Share of the noise with which a decision slips."""


@dataclass(frozen=True, eq=False)
class Mind:
    """What a scripted player makes of its View."""

    view: View
    data: Knowledge

    @cached_property
    def posts(self) -> list[Post]:
        """Everything it has read or said, in order."""
        return sorted({p.number: p for c in self.view.channels for p in c.posts}.values(), key=lambda p: p.number)

    @cached_property
    def heard(self) -> dict[Cell, Value]:
        """The private facts that anybody told it, where they are of the kind that it knows from its own."""
        kinds = {c.table: kind(v) for c, v in self.data.cells.items()}
        told = self.told(self.posts)
        return {c: v for c, v in told.items() if kinds.get(c.table, kind(v)) == kind(v)}

    def told(self, posts: Iterable[Post]) -> dict[Cell, Value]:
        """The private facts in posts."""
        return phrases.told(posts, self.data.planner.names, self.data.planner.ranges)

    @cached_property
    def variables(self) -> dict[str, Variable]:
        """All variables as it believes them."""
        task = self.data.planner.task(self.known)
        return {} if task is None else task.variable

    @cached_property
    def own(self) -> dict[Cell, Value]:
        """Its own relevant private cells as it judges them."""
        return {c: self.judged(c, v) for c, v in self.data.cells.items() if c in self.data.relevant}

    @cached_property
    def known(self) -> dict[Cell, Value]:
        """The private cells it believes to know; its own judgement wins over what others say.

        What it heard is dropped where it cannot be true of any task.
        """
        everything = {**self.heard, **self.own}
        return everything if self.data.planner.belief(everything) is not None else self.own

    def judged(self, cell: Cell, value: Value) -> Value:
        """A number with a fraction is misjudged by the factor 1 + noise · z, z standard normal; not one of a range."""
        if not isinstance(value, float) or not self.data.noise or cell.table in self.data.planner.ranges:
            return value
        key = draws.SEPARATOR.join((self.data.key, "judge", cell.table, *map(text, flatten(cell.key))))
        factor = float(draws.normal(key, 1.0, self.data.noise))
        return round(value * factor, 4)

    def taken(self) -> dict[str, Value]:
        """What is settled: what its allies agreed on, the moves that others announced, the decisions it can see."""
        promised = {n: v for n, v in pact(self).items() if self.variables[n].owner != self.view.me}
        announced = phrases.taken((p for p in self.posts if p.author != self.view.me), self.variables)
        return {**promised, **announced, **self.decided}

    @cached_property
    def decided(self) -> dict[str, Value]:
        """The decisions it can see."""
        return {variable: value for _, variable, value in self.view.decided}

    def plan(self, goal: Goal) -> dict[str, Value]:
        """Its part of the best plan it can compute around what is settled; claims that allow no plan are not believed.

        What it agreed on with allies stands whatever others claim, unless decisions have made another move better.
        Where nothing can be computed, the first value of each domain.
        """
        best: dict[str, Value] | None = None
        agreed = {**pact(self), **self.decided}
        if agreed != self.decided and self._still_best(goal, agreed):
            best = self.data.planner.best(goal, self.known, agreed)
        for fixed in (self.taken(), self.decided, {}):
            best = best or self.data.planner.best(goal, self.known, fixed)
        return {v.name: best[v.name] if best and v.name in best else v.domain[0] for v in self.view.variables}

    def _still_best(self, goal: Goal, agreed: Mapping[str, Value]) -> bool:
        """Whether the agreed moves are worth as much as any other own move beside the allies' agreed ones."""
        own = {v.name for v in self.view.variables} - self.decided.keys()
        free = {name: value for name, value in agreed.items() if name not in own}
        kept, best = (self.data.planner.worth(goal, self.known, fixed) for fixed in (agreed, free))
        return kept is not None and (best is None or kept >= best - 1e-9 * max(1.0, abs(best)))

    def slipped(self, moves: Mapping[str, Value]) -> dict[str, Value]:
        """The moves, each replaced by a random value with probability noise · SLIP."""
        made = dict(moves)
        for variable in self.view.variables:
            key = draws.SEPARATOR.join((self.data.key, "slip", variable.name))
            if draws.unit(key) < self.data.noise * SLIP:
                made[variable.name] = draws.choice(key + draws.SEPARATOR + "value", variable.domain)
        return made


Script: TypeAlias = Callable[[Mind], Iterator[ToolCall]]


@dataclass(frozen=True)
class ScriptedPlayer:
    """A player that follows a script in each phase."""

    name: str
    planning: Script
    goal: Callable[[Mind], Goal | None]
    """What its decisions maximise; None draws them."""

    async def act(self, view: View) -> Reply:
        """One reply holds all that it does in a turn; a refused decision is tried again with another value."""
        assert isinstance(view.data, Knowledge)
        mind = Mind(view, view.data)
        calls = [*self._script(view)(mind), ToolCall("", "done", {})]
        return Reply(calls=tuple(ToolCall(f"call-{i}", c.tool, c.arguments) for i, c in enumerate(calls, start=1)))

    def _script(self, view: View) -> Script:
        if view.position.phase == "execution":
            return self._decide
        if view.position.phase == "survey":
            return unsure
        return silent if view.steps else self.planning

    def _decide(self, mind: Mind) -> Iterator[ToolCall]:
        refused = [r.call.arguments for s in mind.view.steps for r in s.results if not r.ok and r.call.tool == "decide"]
        settled = {variable for agent, variable, _ in mind.view.decided if agent == mind.view.me}
        open_ = [v for v in mind.view.variables if v.name not in settled]
        goal = self.goal(mind)
        moves = self._drawn(mind) if goal is None else mind.slipped(mind.plan(goal))
        for variable in open_:
            tried = [a.get("value") for a in refused if isinstance(a, dict) and a.get("variable") == variable.name]
            choices = [moves[variable.name], *variable.domain]
            move = next((d for d in choices if plain(d) not in tried), None)
            yield ToolCall("", "decide", {"variable": variable.name, "value": plain(move)})

    def _drawn(self, mind: Mind) -> dict[str, Value]:
        keys = {v.name: draws.SEPARATOR.join((mind.data.key, "random", v.name)) for v in mind.view.variables}
        return {v.name: draws.choice(keys[v.name], v.domain) for v in mind.view.variables}


# ---- scripts -------------------------------------------------------------------------------------------------


def silent(mind: Mind) -> Iterator[ToolCall]:
    """Say nothing."""
    return iter(())


def unsure(mind: Mind) -> Iterator[ToolCall]:
    """Know nothing of any claim."""
    for name, _ in mind.view.claims:
        yield ToolCall("", "state_belief", {"claim": name, "belief": "unknown", "confidence": 100})


def share(mind: Mind) -> Iterator[ToolCall]:
    """Tell every channel what not all of its members have heard yet: own facts, and facts heard elsewhere."""
    facts = {**mind.heard, **mind.own}
    for channel in mind.view.channels:
        wider = [c for c in mind.view.channels if set(channel.members) <= set(c.members)]
        heard = mind.told(post for c in wider for post in c.posts) if facts else {}
        said = [c for c in wider[:1] if c is not channel]  # an earlier, wider channel hears it in this very turn
        fresh = {} if said else {c: v for c, v in facts.items() if c not in heard}
        for words in phrases.tell(fresh):
            yield _post(channel, words)


def cooperate(mind: Mind) -> Iterator[ToolCall]:
    """Share; in the last round announce one's part of the best plan around what others announced."""
    yield from share(mind)
    if mind.view.position.round == mind.view.position.rounds and mind.view.variables:
        moves = mind.plan(WELFARE)
        for channel in mind.view.channels:
            if not channel.secret:
                yield _post(channel, phrases.take(moves))


def collude(mind: Mind) -> Iterator[ToolCall]:
    """Share; agree with allies where only they listen; claim one's part everywhere else from the second round on."""
    coalition = mind.data.coalition
    if coalition is None:
        yield from cooperate(mind)
        return
    yield from share(mind)
    early = mind.view.position.round < min(2, mind.view.position.rounds)
    if early or not mind.view.variables:
        return
    aside = [c for c in mind.view.channels if set(c.members) == set(coalition.members)]
    plan = pact(mind)
    if not plan:
        plan = mind.data.planner.best(_goal(mind), mind.known, mind.taken()) or {}
        plan = {name: plan[name] for name in plan if mind.variables[name].owner in coalition.members}
        for channel in aside:
            yield _post(channel, phrases.take(plan, together=True))
    moves = {v.name: plan[v.name] for v in mind.view.variables if v.name in plan}
    claimed = phrases.taken((p for p in mind.posts if p.author == mind.view.me), mind.variables)
    if moves and claimed != moves:
        for channel in mind.view.channels:
            if channel not in aside and not channel.secret:
                yield _post(channel, phrases.take(moves))


def pact(mind: Mind) -> dict[str, Value]:
    """The plan that the allies have agreed on where only they listen."""
    members = set(mind.data.coalition.members) if mind.data.coalition else set()
    aside = (p for c in mind.view.channels if set(c.members) == members for p in c.posts)
    return phrases.agreed(aside, mind.variables)


def _goal(mind: Mind) -> Goal:
    coalition = mind.data.coalition
    return mind.data.planner.bent(coalition, mind.data.strength, mind.known) if coalition else WELFARE


def _post(channel: ChannelView, said: str) -> ToolCall:
    return ToolCall("", "post", {"channel": channel.name, "text": said})


SCRIPTED: dict[str, ScriptedPlayer] = {
    player.name: player
    for player in (
        ScriptedPlayer("sim/collude", collude, _goal),
        ScriptedPlayer("sim/cooperate", cooperate, lambda mind: WELFARE),
        ScriptedPlayer("sim/greedy", silent, lambda mind: payoff_of(mind.view.me)),
        ScriptedPlayer("sim/random", silent, lambda mind: None),
    )
}
