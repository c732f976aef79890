"""One run of the protocol. In: a stage and its players; out: a trace, event by event, and the realised assignment.

Planning: `rounds` times everybody in turn order, then a survey where there are claims, then one execution turn each in
the same order. A turn ends as soon as the player has nothing more to do. In the survey all are asked side by side, each
in private; nothing of it is shown to anybody later, so that being asked changes no decision.
"""

import asyncio
from collections.abc import Awaitable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from colosseum.audit.rules import Rules
from colosseum.audit.stage import Spoken, Stage, knowledge, survey_steps, view
from colosseum.audit.trace import TraceWriter
from colosseum.audit.turn import (
    Deed,
    EndTurn,
    Mistake,
    Own,
    SendPost,
    StateBelief,
    TakeDecision,
    cut_off,
    in_text,
    read,
)
from colosseum.model import draws
from colosseum.model.json_text import Json
from colosseum.model.values import Value, plain, text
from colosseum.players.scripted.knowledge import Knowledge, Library
from colosseum.players.view import (
    CallFailed,
    Player,
    Position,
    Post,
    Reply,
    Step,
    ToolCall,
    ToolResult,
    Usage,
)


@dataclass
class Run:
    """A run while it goes on."""

    stage: Stage
    players: Mapping[str, Player]
    library: Library
    rules: Rules
    trace: TraceWriter
    posts: list[Post] = field(default_factory=list)
    decided: list[tuple[str, str, Value]] = field(default_factory=list)
    stated: set[tuple[str, str]] = field(default_factory=set)
    """Whose belief about which claim is known."""
    data: dict[str, Knowledge] = field(default_factory=dict)

    async def play(self) -> None:
        """Play to the end. Raises CallFailed when a player could not be asked; the trace then ends with `failed`."""
        settings = self.stage.conditions.settings
        order = turn_order(self.stage)
        self.data = {agent: knowledge(self.stage, self.library, agent) for agent in order}
        self.trace.write("order", agents=list(order))
        self.trace.write("channels", channels=self._channels())
        for agent in order:
            self.trace.write("briefing", agent=agent, texts=list(self.stage.briefings[agent]))
        try:
            for number in range(1, settings.rounds + 1):
                for agent in order:
                    await self._turn(agent, Position("planning", number, settings.rounds, settings.steps))
            if self.stage.claims:
                position = Position("survey", settings.rounds + 1, settings.rounds, survey_steps(self.stage))
                await self._survey(order, position)
            for agent in order:
                if self.stage.scenario.task.owned[agent]:
                    await self._turn(agent, Position("execution", settings.rounds + 1, settings.rounds, settings.steps))
        except CallFailed as failure:
            self.trace.write("failed", kind=failure.kind, reason=failure.reason)
            raise
        self._outcome()

    def _channels(self) -> list[dict[str, Json]]:
        """Who may post and read where, so that a trace can be read by itself."""
        return [{"name": c.name, "members": list(c.members), "secret": c.secret} for c in self.stage.channels]

    async def _turn(self, agent: str, position: Position) -> None:
        """One turn: ask, carry out, answer, until done or out of steps."""
        spoken = Spoken(tuple(self.posts), ())
        steps: tuple[Step, ...] = ()
        for _ in range(position.steps):
            now = Spoken(spoken.posts, tuple(self.decided))
            self.trace.save()
            reply = await self._asked(agent, position, now, steps)
            step, over = self._carry_out(agent, position, reply)
            steps = (*steps, step)
            if over:
                break

    async def _survey(self, order: Sequence[str], position: Position) -> None:
        """Everybody is asked what it holds the claims for, all at once: no answer depends on another."""
        now = Spoken(tuple(self.posts), ())
        going: dict[str, tuple[Step, ...]] = dict.fromkeys(order, ())
        for _ in range(position.steps):
            self.trace.save()
            replies = await side_by_side(self._asked(agent, position, now, steps) for agent, steps in going.items())
            for agent, reply in zip(tuple(going), replies, strict=True):
                step, over = self._carry_out(agent, position, reply)
                going[agent] = (*going[agent], step)
                if over:
                    del going[agent]
            if not going:
                break

    def _asked(self, agent: str, position: Position, now: Spoken, steps: tuple[Step, ...]) -> Awaitable[Reply]:
        return self.players[agent].act(view(self.stage, agent, position, now, steps=steps, data=self.data[agent]))

    def _settled(self, agent: str, position: Position, reply: Reply) -> bool:
        """Nothing is left to do. Who must decide, or was asked, and calls no tool is asked again, unless it refuses."""
        if position.phase == "planning" or reply.finish == "refusal":
            return not reply.calls and reply.finish != "length"  # who was cut off may have been about to call one
        if position.phase == "survey":
            return {(agent, claim.name) for claim in self.stage.claims} <= self.stated
        names = {v.name for v in self.stage.scenario.task.owned[agent]}
        return names <= {variable for _, variable, _ in self.decided}

    def _carry_out(self, agent: str, position: Position, reply: Reply) -> tuple[Step, bool]:
        """What a reply comes to, and whether the turn is over."""
        self._log_reply(agent, position, reply)
        results: list[ToolResult] = []
        done = False
        for call in reply.calls:
            match deed := self._read(agent, position, reply, call):
                case SendPost():
                    results.append(self._post(agent, position, call, deed))
                case TakeDecision():
                    results.append(self._decide(agent, position, call, deed))
                case StateBelief():
                    results.append(self._state(agent, call, deed))
                case EndTurn():
                    done = True
                    results.append(ToolResult(call, ok=True, message="your turn is over"))
                case Mistake() as mistake:
                    results.append(self._mistaken(agent, position, call, mistake))
        results += [self._mistaken(agent, position, call, in_text(call)) for call in reply.written]
        over = all(r.ok for r in results) and (done or self._settled(agent, position, reply))
        return Step(reply, tuple(results)), over

    def _read(self, agent: str, position: Position, reply: Reply, call: ToolCall) -> Deed:
        """What a call asks for."""
        if reply.finish in ("length", "refusal") and call is reply.calls[-1] and isinstance(call.arguments, str):
            return cut_off(call)
        own = Own(
            phase=position.phase,
            channels=[c for c in self.stage.channels if agent in c.members],
            variables=self.stage.scenario.task.owned[agent],
            decided=[variable for _, variable, _ in self.decided],
            claims=[claim.name for claim in self.stage.claims],
        )
        return read(call, own)

    def _mistaken(self, agent: str, position: Position, call: ToolCall, mistake: Mistake) -> ToolResult:
        self.trace.write(
            "mistake", agent=agent, round=position.round, tool=call.tool, kind=mistake.kind, message=mistake.message
        )
        return ToolResult(call, ok=False, message=mistake.message)

    def _post(self, agent: str, position: Position, call: ToolCall, deed: SendPost) -> ToolResult:
        post = Post(len(self.posts) + 1, position.round, deed.channel, agent, deed.text)
        self.posts.append(post)
        self.trace.write(
            "post", number=post.number, agent=agent, round=position.round, channel=deed.channel, text=deed.text
        )
        return ToolResult(call, ok=True, message=f"posted to {deed.channel}")

    def _decide(self, agent: str, position: Position, call: ToolCall, deed: TakeDecision) -> ToolResult:
        name, taken = deed.variable.name, {variable: value for _, variable, value in self.decided}
        sequential = self.stage.conditions.settings.decisions == "sequential"
        broken = self.rules.forbids(taken, name, deed.value) if sequential else None
        if broken is not None:
            message = f"{name} = {text(deed.value)} is refused: it breaks the rule {broken}; choose another value"
            self.trace.write(
                "refused", agent=agent, round=position.round, variable=name, value=plain(deed.value), rule=broken
            )
            return ToolResult(call, ok=False, message=message)
        self.decided.append((agent, name, deed.value))
        self.trace.write("decide", agent=agent, round=position.round, variable=name, value=plain(deed.value))
        return ToolResult(call, ok=True, message=f"{name} = {text(deed.value)}")

    def _state(self, agent: str, call: ToolCall, deed: StateBelief) -> ToolResult:
        self.stated.add((agent, deed.claim))
        self.trace.write("belief", agent=agent, claim=deed.claim, belief=deed.belief, confidence=deed.confidence)
        return ToolResult(call, ok=True, message=f"{deed.claim}: {deed.belief}, {deed.confidence:g} % sure")

    def _log_reply(self, agent: str, position: Position, reply: Reply) -> None:
        phase, number = position.phase, position.round
        for thought in reply.thoughts:
            self.trace.write("thought", agent=agent, phase=phase, round=number, kind=thought.kind, text=thought.text)
        self.trace.write(
            "reply",
            agent=agent,
            phase=phase,
            round=number,
            calls=[{"id": c.id, "tool": c.tool, "arguments": c.arguments} for c in reply.calls],  # type: ignore[dict-item]
            note=reply.note,
            finish=reply.finish,
            usage=None if reply.usage is None else _taken(reply.usage),
        )

    def _outcome(self) -> None:
        """What stands at the end; an undecided variable opts out where it can, else takes a seeded draw."""
        chosen = {variable: value for _, variable, value in self.decided}
        undecided = [v for v in self.stage.scenario.task.variables if v.name not in chosen]
        for variable in undecided:
            key = draws.key(self.stage.scenario.seed, "undecided", (variable.name, self.stage.repeat))
            chosen[variable.name] = None if None in variable.domain else draws.choice(key, variable.domain)
        assignment = {v.name: plain(chosen[v.name]) for v in self.stage.scenario.task.variables}
        self.trace.write("outcome", assignment=assignment, undecided=[v.name for v in undecided])


async def side_by_side(asked: Iterable[Awaitable[Reply]]) -> list[Reply]:
    """All replies, in order. Raises what kept one from coming, once all have ended: no answer is lost on the way."""
    replies = await asyncio.gather(*asked, return_exceptions=True)
    broken = sorted((r for r in replies if isinstance(r, BaseException)), key=lambda r: isinstance(r, CallFailed))
    if broken:
        raise broken[0]  # a stop comes before a failure: the run can be gone on with
    return [reply for reply in replies if isinstance(reply, Reply)]


def _taken(usage: Usage) -> dict[str, Json]:
    """What a call took, as the trace has it."""
    return {
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "cost": usage.cost,
        "seconds": usage.seconds,
        "served_model": usage.served_model,
    }


def turn_order(stage: Stage) -> tuple[str, ...]:
    """The order of turns; a shuffled one is drawn by seed alone, so that arms share it."""
    scenario = stage.scenario
    agents = tuple(str(a) for a in draws.shuffle(draws.key(scenario.seed, "order"), scenario.task.agents))
    members = set(scenario.coalitions[0].members) if scenario.coalitions else set()
    match stage.conditions.settings.order:
        case "declared":
            return scenario.task.agents
        case "coalition_first":
            return tuple(sorted(agents, key=lambda a: a not in members))
        case "coalition_last":
            return tuple(sorted(agents, key=lambda a: a in members))
        case _:
            return agents
