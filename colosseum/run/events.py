"""The events of a trace, versions 3 and 4. In: the JSON of a line; out: one of fourteen kinds, or what is wrong.

`start` opens a trace and says what is played; `order`, `channels` and a `briefing` for every agent say who acts and
what each is told. Then every `reply` of an agent is followed by what its calls came to: a `post`, a `decide`, a
`mistake`, a `belief` about a claim, or a decision that was `refused`. `outcome`, or `failed` where a player could not
be asked, and `end` are the last.

Writers do not validate: a run that is paid for must not break off at a slip of ours. Tests do, and `log verify`.
"""

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, JsonValue, TypeAdapter, ValidationError

Value: TypeAlias = bool | int | float | str | None
"""A value of a variable: a name, a number, or null for none; a pair is its text."""
Digest = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
Count = Annotated[int, Field(ge=0)]
Number = Annotated[int, Field(ge=1)]
Round: TypeAlias = Number | None
"""Null where an imported run does not say when."""
MOST_STEPS = 6
LONGEST = 300
"""Parts of a place, and characters, that are said of what is wrong."""
STRICT = ConfigDict(extra="forbid", strict=True, frozen=True, use_attribute_docstrings=True, allow_inf_nan=False)


class Part(BaseModel):
    """A part of an event: nothing but these fields."""

    model_config = STRICT


class Event(Part):
    """What every event has."""

    n: Count
    """Its place in the trace, from 0."""
    chain: Digest
    """SHA-256 of the chain before it, a line break, and the line without its chain."""


class Parameters(Part):
    """How a model is asked: all that its answers depend on."""

    temperature: float | None
    """Null is left to the provider."""
    max_tokens: Number | None
    """Of one answer."""
    extra_body: dict[str, JsonValue]
    """Parameters that the provider's interface takes besides."""
    dialect: Literal["native", "text"]
    """Whether tools are called by the provider's interface, or as JSON in the text."""


class Settings(Part):
    """Settings of the spec that change what happens in a run."""

    rounds: Count
    """Planning rounds."""
    steps: Number
    """Exchanges that one turn may take."""
    order: Literal["shuffled", "declared", "coalition_first", "coalition_last"]
    """Of the turns."""
    decisions: Literal["sequential", "simultaneous"]
    """Whether decisions are seen by those who decide later, and refused where they break a hard rule."""
    undecided: Literal["draw"]
    """What becomes of a variable that nobody set."""
    survey: bool | None
    """Whether agents are asked what they hold claims for; null where there are claims."""
    consolidate: bool
    """Whether cliques of the network are one channel."""
    strength: float
    """λ of scripted colluders."""
    noise: float
    """Of scripted players."""
    names: Literal["neutral", "loaded"] | None = None
    """Of channels, as agents read them; null in version 3, which had those of the spec."""
    memory: Literal["none", "notes", "all"] | None = None
    """What agents are shown of their own earlier turns; null in version 3, which showed nothing."""


class Network(BaseModel):
    """A network in place of the spec's, with its arguments."""

    model_config = ConfigDict(extra="allow", frozen=True, use_attribute_docstrings=True)
    __pydantic_extra__: dict[str, JsonValue]
    kind: str
    """As in the spec: `ring`, `star`, …"""


class Conditions(Part):
    """What holds in this arm, at this sweep point."""

    settings: Settings
    channels: dict[str, bool]
    """Declared channels that are turned on or off."""
    variants: dict[str, str]
    """Prompt → variant, where it is not the first."""
    params: dict[str, JsonValue]
    """In place of the spec's."""
    network: Network | None
    """Null is the spec's own."""


class Imported(Part):
    """Where a run comes from that others made."""

    reader: str
    """`terrarium`, `table`, …"""
    source: str
    """The run's name there."""
    files: dict[str, Digest]
    """SHA-256 of all that was read of it, by file."""
    missing: list[str]
    """What the source does not hold."""
    reported: dict[str, float]
    """Figures that the source itself gives, by their names here."""
    names: dict[str, str] = Field(default_factory=dict)
    """Agent or channel → its name in the source, where it has another there."""


class Start(Event):
    """What is played. The SHA-256 of all fields from `protocol` on is the trial's identity."""

    event: Literal["start"]
    version: Literal[3, 4]
    """Of this schema; 4 added `thought`, `wordings` and `imported`."""
    trial: Digest
    """The trial's identity."""
    protocol: Number
    """Raised when the same trial would be played differently."""
    scenario: Digest
    """The scenario's SHA-256, and the name of its file."""
    arm: str
    """Its name in the experiment."""
    point: str
    """Of the sweep, as `n=6, network=ring`; empty when nothing is swept."""
    seed: Count
    """The instance."""
    repeat: Number
    """Runs that differ in nothing else are numbered."""
    wordings: dict[str, Number] = Field(default_factory=dict)
    """Prompt → the wording that is told, from 1, where it has several; absent before version 4."""
    players: dict[str, str]
    """Agent → its player: a scripted one (`sim/…`), a model (`provider/model`), or `python:module:Class`."""
    models: dict[str, Parameters | dict[Literal["source", "version"], str]]
    """How every model among them is asked, and which version of an own agent plays."""
    conditions: Conditions
    """What the arm sets."""
    coupled: bool
    """Whether answers to equal prompts are shared with other arms."""
    templates: Digest | None = None
    """SHA-256 of the templates by which models are told; null in version 3, which had none."""
    imported: Imported | None = None
    """Null of our own runs."""


class Order(Event):
    """The order of turns, in every round."""

    event: Literal["order"]
    agents: list[str] | None
    """All of them; null where an imported run does not say."""


class Channel(Part):
    """Who can talk to whom."""

    name: str
    """Its name."""
    members: list[str]
    """Who may post and read."""
    secret: bool
    """Whether only its members know of it."""
    wire: str | None = None
    """The name that agents read; null in a trace of version 3, whose agents read the spec's."""


class Channels(Event):
    """The channels that are live in this run."""

    event: Literal["channels"]
    channels: list[Channel]
    """Those of the network first."""


class Briefing(Event):
    """What an agent is told at the beginning."""

    event: Literal["briefing"]
    agent: str
    """Who is told."""
    texts: list[str]
    """Prompts of the spec, filled in, in declared order."""


class Call(Part):
    """A tool call as the player made it."""

    id: str
    """Given by the player."""
    tool: str
    """`post`, `decide`, `done`, or whatever it wrote."""
    arguments: dict[str, Any] | str
    """The named arguments, however deep, or the raw text of what is no JSON object."""


class Usage(Part):
    """What an answer of a model took; null is what the provider did not say."""

    prompt_tokens: Count | None
    """Tokens of what was sent."""
    completion_tokens: Count | None
    """Tokens of the answer."""
    cost: float | None
    """US dollars; null where no price is known."""
    seconds: float | None
    """From the question to the answer; null where an imported run does not say."""
    served_model: str
    """The model that the provider says it used."""


class Acting(Event):
    """What an agent does."""

    agent: str
    """Whose it is."""
    round: Round
    """From 1; in the survey and the execution turn one more than the planning rounds."""


class Answering(Acting):
    """What an agent does in one exchange."""

    phase: Literal["planning", "survey", "execution"]
    """Beliefs are asked for in the survey, decisions are taken in execution."""


class Thought(Answering):
    """Reasoning that came with the reply that follows; no agent ever sees another's."""

    event: Literal["thought"]
    kind: Literal["text", "summary", "withheld"]
    """The reasoning itself, the provider's summary of it, or reasoning that the provider encrypts or keeps back."""
    text: str
    """Empty where it is withheld."""


class Reply(Answering):
    """What an agent did in one exchange; what its calls came to follows."""

    event: Literal["reply"]
    calls: list[Call]
    """In the order in which they are carried out."""
    note: str
    """A private note: no agent ever sees it."""
    finish: Literal["stop", "tool_calls", "length", "refusal", "empty"]
    """Why it stopped: `length` was cut off, `empty` said nothing."""
    usage: Usage | None
    """Null for scripted players."""


class Post(Acting):
    """A message that was delivered to all members of a channel."""

    event: Literal["post"]
    number: Number
    """Its place among all posts of the run."""
    channel: str
    """Where."""
    text: str
    """As the agent wrote it: nothing in it is to be trusted."""


class Mistake(Acting):
    """A call that did nothing; the agent was told why."""

    event: Literal["mistake"]
    tool: str
    """As the agent wrote it."""
    kind: Literal[
        "unreadable", "unknown_tool", "unknown_channel", "unknown_variable", "unknown_claim", "outside_domain",
        "out_of_turn", "decided", "argument", "cut_off", "call_in_text", "idle",
    ]  # fmt: skip
    """What was wrong with it; `idle` is a reply in a planning turn that called no tool."""
    message: str
    """What the agent was told."""


class Decide(Acting):
    """A decision that was taken, and stands."""

    event: Literal["decide"]
    variable: str
    """One of its own."""
    value: Value
    """Of the variable's domain."""


class Refused(Acting):
    """A decision that was not taken, as it would break a hard rule whatever the others do."""

    event: Literal["refused"]
    variable: str
    """One of its own."""
    value: Value
    """Of the variable's domain."""
    rule: str
    """The rule's statement in the spec."""


class Belief(Event):
    """What an agent says, asked in private, that it holds a claim for; the last word on a claim counts."""

    event: Literal["belief"]
    agent: str
    """Who was asked."""
    claim: str
    """Its name."""
    belief: Literal["false", "true", "unknown"]
    """The answer."""
    confidence: Annotated[float, Field(ge=0, le=100)]
    """In percent."""


class Failed(Event):
    """A player could not be asked; the run ends here."""

    event: Literal["failed"]
    kind: Literal["transport", "timeout", "rate_limit", "authentication", "context", "bad_request", "agent"]
    """What kept it from answering."""
    reason: str
    """In words."""


class Outcome(Event):
    """What stands at the end."""

    event: Literal["outcome"]
    assignment: dict[str, Value] | None
    """Every variable's value; null where an imported run does not hold all of them."""
    undecided: list[str]
    """Variables that nobody set: they opted out where they could, else took a draw."""


class End(Event):
    """The last event of a run that ended."""

    event: Literal["end"]
    status: Literal["complete", "failed"]
    """How it ended."""


AnyEvent: TypeAlias = Annotated[
    Start | Order | Channels | Briefing | Thought | Reply | Post | Mistake | Refused | Belief | Decide | Failed
    | Outcome | End,
    Field(discriminator="event"),
]


@cache
def adapter() -> "TypeAdapter[AnyEvent]":
    """What pydantic makes of them."""
    return TypeAdapter(AnyEvent)


def read_event(line: Mapping[str, Any]) -> AnyEvent:
    """An event from the JSON of its line. Raises ValueError, in words."""
    try:
        return adapter().validate_python(line)
    except ValidationError as wrong:
        raise ValueError(misfit(wrong)) from None


def misfit(wrong: ValidationError) -> str:
    """The first thing that is not as a schema says, in words."""
    first = wrong.errors(include_url=False, include_context=False, include_input=False)[0]
    place = ".".join(map(str, first["loc"][:MOST_STEPS]))
    message = first["msg"][:1].lower() + first["msg"][1:]
    return (f"`{place}`: {message}" if place else message)[:LONGEST]
