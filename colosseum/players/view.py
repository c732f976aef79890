"""The seam between a run and a player. In: a View, all that one agent may see; out: a Reply, what the agent does.

A player is anything with `async act(view) -> Reply`. The run answers each call with a ToolResult, and asks again until
the player is done or the turn has no steps left.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias

from colosseum.model.scenario import Variable
from colosseum.model.values import Value, plain

Phase: TypeAlias = Literal["planning", "survey", "execution"]
Memory: TypeAlias = Literal["none", "notes", "all"]  # what an agent sees of its own earlier turns
Finish: TypeAlias = Literal["stop", "tool_calls", "length", "refusal", "empty"]
Belief: TypeAlias = Literal["false", "true", "unknown"]  # an agent's answer about a claim
TOOLS = {
    "post": ("channel", "text"),
    "decide": ("variable", "value"),
    "state_belief": ("claim", "belief", "confidence"),
    "done": (),
}
"""All tools, and the names of their arguments."""


@dataclass(frozen=True, slots=True)
class Post:
    """One message on a channel."""

    number: int
    """Its place among all posts of the run, from 1; in a View, among those that the agent may read."""
    round: int
    """The planning round it was sent in, from 1; rounds + 1 in the execution turn."""
    channel: str
    author: str
    text: str


@dataclass(frozen=True, slots=True)
class Note:
    """Text that an agent wrote outside of its calls."""

    round: int
    text: str


@dataclass(frozen=True, slots=True)
class ChannelView:
    """A channel of the agent, with all its posts so far."""

    name: str
    """The name that agents read and use."""
    members: tuple[str, ...]
    secret: bool
    posts: tuple[Post, ...]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call as the player made it, not yet checked."""

    id: str
    tool: str
    arguments: dict[str, object] | str
    """The named arguments; a str is the raw text of arguments that could not be read as a JSON object."""


def post(channel: str, text: str) -> ToolCall:
    """A message to all members of a channel; the run gives calls their ids."""
    return ToolCall("", "post", {"channel": channel, "text": text})


def decide(variable: str, value: Value) -> ToolCall:
    """A value of the domain for one of the agent's own variables; None decides nothing."""
    return ToolCall("", "decide", {"variable": variable, "value": plain(value) if isinstance(value, tuple) else value})


def state_belief(claim: str, belief: Belief, confidence: float) -> ToolCall:
    """In the survey: whether the agent believes a claim, and how sure it is in percent."""
    return ToolCall("", "state_belief", {"claim": claim, "belief": belief, "confidence": confidence})


def done() -> ToolCall:
    """The end of the turn."""
    return ToolCall("", "done", {})


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The run's answer to a call: `ok`, or an error that says what to do instead."""

    call: ToolCall
    ok: bool
    message: str


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens, cost and time of a model call. A figure that the provider did not give is None, never 0."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost: float | None = None
    """US dollars."""
    seconds: float = 0.0
    served_model: str = ""
    """The model that the provider says it used."""


@dataclass(frozen=True, slots=True)
class Thought:
    """Reasoning that a player shows beside its reply. It is kept on file and reaches no other agent."""

    kind: Literal["text", "summary", "withheld"]
    """The reasoning itself, the provider's summary of it, or reasoning that the provider encrypts or keeps back."""
    text: str
    """Empty where it is withheld."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a player does in one step."""

    calls: tuple[ToolCall, ...] = ()
    note: str = ""
    """Free text: a private note, logged and never delivered."""
    usage: Usage | None = None
    """None for scripted players, and for your own agents that cost nothing."""
    finish: Finish = "stop"
    """Why the model stopped; length is a reply that was cut off."""
    written: tuple[ToolCall, ...] = ()
    """Calls that it wrote as text by mistake: none is carried out, and the player is told so."""
    thoughts: tuple[Thought, ...] = ()
    """In the order in which they came."""
    provider_state: Mapping[str, object] | None = field(default=None, repr=False)
    """Data that the provider needs back unchanged in the same turn, such as signed thinking blocks."""


@dataclass(frozen=True, slots=True)
class Step:
    """One exchange of the current turn: what the player did, and the answers to it."""

    reply: Reply
    results: tuple[ToolResult, ...]


@dataclass(frozen=True, slots=True)
class Position:
    """How far the run is; every agent knows it."""

    phase: Phase
    round: int
    """From 1; rounds + 1 in the survey and in the execution turn."""
    rounds: int
    steps: int
    """Replies that one turn may take, each with any number of calls."""


@dataclass(frozen=True, slots=True)
class View:
    """All that one agent may see when it acts. Prompts are made from this alone."""

    me: str
    agents: tuple[str, ...]
    position: Position
    briefing: tuple[str, ...]
    """Its prompts, in declared order."""
    variables: tuple[Variable, ...]
    """Its own variables."""
    channels: tuple[ChannelView, ...]
    decided: tuple[tuple[str, str, Value], ...] = ()
    """Decisions that it may see, its own included, in their order: (agent, variable, value)."""
    steps: tuple[Step, ...] = ()
    """The exchanges of this turn so far."""
    claims: tuple[tuple[str, str], ...] = ()
    """In the survey: the name and the words of each claim that it is asked about."""
    memory: Memory = "notes"
    notes: tuple[Note, ...] = ()
    """Its own notes of earlier turns; only with the memory `notes`."""
    earlier: tuple["View", ...] = ()
    """Its own earlier turns, without the survey; only with the memory `all`."""
    data: object = field(default=None, compare=False, repr=False)
    """The same facts as data (`Knowledge`), for scripted players; a model player never reads it."""


class Player(Protocol):
    """Chooses an agent's tool calls."""

    async def act(self, view: View) -> Reply:
        """Do one step. Raises CallFailed if there is no answer."""
        ...


class CallFailed(Exception):  # noqa: N818 - an outcome of a run
    """A model could not be asked. The run fails with this reason; other runs go on."""

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(reason)
        self.kind = kind
        """transport, timeout, rate_limit, authentication, context, bad_request, or agent (your own)."""
        self.reason = reason
