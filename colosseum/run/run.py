"""One run of the protocol. In: a trial and its players; out: a trace, event by event, and the realised assignment.

Planning: `rounds` times everybody in turn order, then a survey where there are claims, then one execution turn each in
the same order. A turn ends as soon as the player has nothing more to do; who writes and calls no tool while planning is
told so once. In the survey all are asked side by side, each in private; nothing of it is shown to anybody later, so
that being asked changes no decision.
"""

import asyncio
from collections.abc import Awaitable, Coroutine, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from typing import Any, TypeAlias, TypeVar

from colosseum.model import draws
from colosseum.model.template_files import AsIs
from colosseum.model.values import Value, plain, text
from colosseum.players.models.written import thoughtless
from colosseum.players.scripted.knowledge import Knowledge
from colosseum.players.view import CallFailed, Note, Player, Position, Post, Reply, Step, ToolCall, ToolResult, View
from colosseum.run import turn
from colosseum.run.stage import Stage, view
from colosseum.run.trace import TraceWriter
from colosseum.run.trial import Trial

T = TypeVar("T")
Answered: TypeAlias = tuple[str, Mapping[str, object]]  # the template of what a call is answered, and what it is given


@dataclass
class LiveRun:
    """A run while it goes on."""

    trial: Trial
    players: Mapping[str, Player]
    rules: turn.Rules | None
    """None lets everybody decide as they like."""
    trace: TraceWriter
    posts: list[Post] = field(default_factory=list)
    """On channels by their names on the wire; the trace has those of the spec."""
    decided: list[tuple[str, str, Value]] = field(default_factory=list)
    stated: set[tuple[str, str]] = field(default_factory=set)
    """Whose belief about which claim is known."""
    data: dict[str, Knowledge] = field(default_factory=dict)
    notes: dict[str, tuple[Note, ...]] = field(default_factory=dict)
    """What each agent is shown of its earlier turns, as are views of them."""
    earlier: dict[str, tuple[View, ...]] = field(default_factory=dict)

    @property
    def stage(self) -> Stage:
        """What is fixed for the whole run."""
        return self.trial.stage

    async def play(self) -> None:
        """Play to the end. Raises CallFailed when a player could not be asked; the trace then ends with `failed`."""
        self.data = {agent: self.trial.instance.library.knowledge(self.stage, agent) for agent in self.stage.order}
        for event, content in self.trial.opening():
            self.trace.write(event, **content)
        try:
            for position, agents in self.stage.turns:
                await self._turns(agents, position)
        except CallFailed as failure:
            self.trace.write("failed", kind=failure.kind, reason=failure.reason)
            raise
        self._outcome()

    async def _turns(self, agents: Sequence[str], position: Position) -> None:
        """The turns of one agent, or of several side by side: ask, carry out, answer, until done or out of steps."""
        posts = tuple(self.posts)
        going: dict[str, tuple[Step, ...]] = dict.fromkeys(agents, ())
        for _ in range(position.steps):
            self.trace.save()
            replies = await side_by_side(self._asked(agent, position, posts, steps) for agent, steps in going.items())
            for agent, reply in zip(tuple(going), replies, strict=True):
                step, over = self._carry_out(agent, position, reply, going[agent])
                going[agent] = (*going[agent], step)
                if over or len(going[agent]) == position.steps:
                    self._recall(agent, position, posts, going[agent])
                    del going[agent]
            if not going:
                break

    def _recall(self, agent: str, position: Position, posts: tuple[Post, ...], steps: tuple[Step, ...]) -> None:
        """Keep what the agent is to be shown of a planning turn that has ended; nothing it does later is."""
        if position.phase != "planning":
            return
        match self.stage.conditions.settings.memory:
            case "notes":
                written = (thoughtless(s.reply.note) for s in steps if s.reply.finish != "refusal")
                notes = (Note(position.round, words) for words in written if words)
                self.notes[agent] = (*self.notes.get(agent, ()), *notes)
            case "all":
                seen = view(self.stage, agent, position, posts=posts, steps=steps)
                self.earlier[agent] = (*self.earlier.get(agent, ()), seen)

    def _asked(
        self, agent: str, position: Position, posts: tuple[Post, ...], steps: tuple[Step, ...]
    ) -> Awaitable[Reply]:
        seen = view(
            self.stage, agent, position, posts=posts, decided=self.decided, steps=steps, data=self.data[agent],
            notes=self.notes.get(agent, ()), earlier=self.earlier.get(agent, ()),
        )  # fmt: skip
        return self.players[agent].act(seen)

    def _settled(self, agent: str, position: Position, reply: Reply) -> bool:
        """Nothing is left to do. Who must decide, or was asked, and calls no tool is asked again, unless it refuses."""
        if position.phase == "planning" or reply.finish == "refusal":
            return not reply.calls and reply.finish != "length"  # who was cut off may have been about to call one
        if position.phase == "survey":
            return {(agent, claim.name) for claim in self.stage.claims} <= self.stated
        names = {v.name for v in self.stage.scenario.task.owned[agent]}
        return names <= {variable for _, variable, _ in self.decided}

    def _carry_out(self, agent: str, position: Position, reply: Reply, before: tuple[Step, ...]) -> tuple[Step, bool]:
        """What a reply comes to, and whether the turn is over."""
        self._log_reply(agent, position, reply)
        number = len(reply.calls) + len(reply.written)
        if number > turn.MOST_CALLS:  # no provider takes them back, but without
            said = turn.Mistake("argument", "too_many", most=turn.MOST_CALLS, number=number)
            reply = replace(reply, calls=(), written=(), provider_state=None)
            return Step(reply, (self._mistaken(agent, position, ToolCall("", "", {}), said),)), False
        results = [self._result(agent, position, reply, call) for call in reply.calls]
        done = any(each.ok and each.call.tool == "done" for each in results)
        results += [self._mistaken(agent, position, call, turn.in_text(call)) for call in reply.written]
        if position.phase == "planning" and turn.idle(reply):
            again = any(turn.idle(step.reply) for step in before)
            said = turn.Mistake("idle", "idle_again" if again else "idle")
            return Step(reply, (self._mistaken(agent, position, ToolCall("", "", {}), said),)), again
        over = all(r.ok for r in results) and (done or self._settled(agent, position, reply))
        return Step(reply, tuple(results)), over

    def _result(self, agent: str, position: Position, reply: Reply, call: ToolCall) -> ToolResult:
        """Carry out a call."""
        cut_off = reply.finish in ("length", "refusal") and call is reply.calls[-1]
        try:
            arguments = turn.check_call(call, position.phase, cut_off=cut_off)
            match call.tool:
                case "post":
                    answer, facts = self._post(agent, position, arguments)
                case "decide":
                    answer, facts = self._decide(agent, position, arguments)
                case "state_belief":
                    answer, facts = self._state(agent, arguments)
                case _:
                    answer, facts = "over", {}
        except turn.Mistake as mistake:
            return self._mistaken(agent, position, call, mistake)
        return ToolResult(call, answer != "refused", self.stage.templates.say(answer, **facts))

    def _mistaken(self, agent: str, position: Position, call: ToolCall, mistake: turn.Mistake) -> ToolResult:
        words, kind = self.stage.templates.say(mistake.answer, **mistake.facts), mistake.kind
        self.trace.write("mistake", agent=agent, round=position.round, tool=call.tool, kind=kind, message=words)
        return ToolResult(call, ok=False, message=words)

    def _post(self, agent: str, position: Position, arguments: Mapping[str, object]) -> Answered:
        names = {self.stage.wire[c.name]: c.name for c in self.stage.channels if agent in c.members}
        wire, words = turn.read_post(arguments, names)
        post = Post(len(self.posts) + 1, position.round, wire, agent, words)
        self.posts.append(post)
        self.trace.write("post", number=post.number, agent=agent, round=position.round, channel=names[wire], text=words)
        return "posted", {"channel": AsIs(wire)}

    def _decide(self, agent: str, position: Position, arguments: Mapping[str, object]) -> Answered:
        owned, taken = self.stage.scenario.task.owned[agent], {variable: value for _, variable, value in self.decided}
        name, value = turn.read_decision(arguments, position.phase, owned, taken)
        refusing = self.stage.conditions.settings.decisions == "sequential"
        broken = self.rules.forbids(taken, name, value) if self.rules and refusing else None
        decision: Any = {"agent": agent, "round": position.round, "variable": name, "value": plain(value)}
        facts = {"variable": AsIs(name), "value": AsIs(text(value))}
        if broken is not None:
            self.trace.write("refused", **decision, rule=broken)
            return "refused", {**facts, "rule": AsIs(broken)}
        self.decided.append((agent, name, value))
        self.trace.write("decide", **decision)
        return "taken", facts

    def _state(self, agent: str, arguments: Mapping[str, object]) -> Answered:
        claim, belief, sure = turn.read_belief(arguments, [claim.name for claim in self.stage.claims])
        self.stated.add((agent, claim))
        self.trace.write("belief", agent=agent, claim=claim, belief=belief, confidence=sure)
        return "believed", {"claim": AsIs(claim), "belief": AsIs(belief), "confidence": AsIs(f"{sure:g}")}

    def _log_reply(self, agent: str, position: Position, reply: Reply) -> None:
        place: Any = {"agent": agent, "phase": position.phase, "round": position.round}
        for thought in reply.thoughts:
            self.trace.write("thought", **place, kind=thought.kind, text=thought.text)
        calls: Any = [{"id": c.id, "tool": c.tool, "arguments": c.arguments} for c in reply.calls]
        usage = None if reply.usage is None else asdict(reply.usage)
        self.trace.write("reply", **place, calls=calls, note=reply.note, finish=reply.finish, usage=usage)

    def _outcome(self) -> None:
        """What stands at the end; an undecided variable opts out where it can, else takes a seeded draw."""
        chosen = {variable: value for _, variable, value in self.decided}
        undecided = [v for v in self.stage.scenario.task.variables if v.name not in chosen]
        for variable in undecided:
            key = draws.key(self.stage.scenario.seed, "undecided", (variable.name, self.stage.repeat))
            chosen[variable.name] = None if None in variable.domain else draws.choice(key, variable.domain)
        assignment = {v.name: plain(chosen[v.name]) for v in self.stage.scenario.task.variables}
        self.trace.write("outcome", assignment=assignment, undecided=[v.name for v in undecided])


def completed(work: Coroutine[None, None, T]) -> T:
    """The result of a coroutine, also where this thread runs an event loop already, as a notebook does."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with ThreadPoolExecutor(1) as beside:
        return beside.submit(asyncio.run, work).result()


async def side_by_side(asked: Iterable[Awaitable[Reply]]) -> list[Reply]:
    """All replies, in order. Raises what kept one from coming, once all have ended: no answer is lost on the way."""
    replies = await asyncio.gather(*asked, return_exceptions=True)
    broken = sorted((r for r in replies if isinstance(r, BaseException)), key=lambda r: isinstance(r, CallFailed))
    if broken:
        raise broken[0]  # a stop comes before a failure: the run can be gone on with
    return [reply for reply in replies if isinstance(reply, Reply)]
