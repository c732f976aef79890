"""One turn's tool calls. In: calls as a player made them; out: what they do to the run, or an error the player is told.

Nothing in a call is trusted: unknown tools, channels and variables, values outside the domain, decisions out of turn
and arguments that are not JSON are answered, counted, and change nothing.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias, get_args

from colosseum.diagnostics import closest
from colosseum.model.scenario import Channel, Variable
from colosseum.model.values import Value, text
from colosseum.players.view import Belief, Phase, ToolCall

LONGEST_POST = 20_000
"""Characters of one post; more is an error that the player is told."""
LONGEST_WORD = 80
"""Characters of a player's own words that an answer repeats."""
COMMA = re.compile(r"\s*,\s*")
PERCENT = re.compile(r"\s*[0-9]{1,3}(\.[0-9]{1,6})?\s*%?\s*")


@dataclass(frozen=True, slots=True)
class SendPost:
    """A post to deliver."""

    channel: str
    text: str


@dataclass(frozen=True, slots=True)
class TakeDecision:
    """A decision to take, if no hard rule forbids it."""

    variable: Variable
    value: Value


@dataclass(frozen=True, slots=True)
class StateBelief:
    """What the player holds a claim for."""

    claim: str
    belief: Belief
    confidence: float
    """In percent."""


@dataclass(frozen=True, slots=True)
class EndTurn:
    """The player is done."""


@dataclass(frozen=True, slots=True)
class Mistake:
    """Why a call did nothing, and what to do instead."""

    kind: str
    """unreadable, cut_off, call_in_text, unknown_tool, unknown_channel, unknown_variable, outside_domain,
    unknown_claim, out_of_turn, decided, argument."""
    message: str


Deed: TypeAlias = SendPost | TakeDecision | StateBelief | EndTurn | Mistake


@dataclass(frozen=True, slots=True)
class Own:
    """What an agent may name in its calls."""

    phase: Phase
    channels: Sequence[Channel]
    variables: Sequence[Variable]
    decided: Sequence[str]
    """Variables that are."""
    claims: Sequence[str] = ()
    """Those it is asked about."""


def read(call: ToolCall, own: Own) -> Deed:
    """What a call asks for."""
    if isinstance(call.arguments, str):
        return Mistake("unreadable", f"your call of {call.tool} cannot be read; its arguments must be one JSON object")
    match call.tool:
        case "state_belief" if own.phase == "survey":
            return _state(call.arguments, own.claims)
        case "post" | "decide" if own.phase == "survey":
            return Mistake("out_of_turn", "this is a question about what you believe: nothing is posted or decided now")
        case "post":
            return _post(call.arguments, own.channels)
        case "decide":
            return _decide(call.arguments, own)
        case "done":
            return EndTurn()
        case _:
            tools = "state_belief and done" if own.phase == "survey" else "post, decide and done"
            return Mistake("unknown_tool", f"there is no tool {_shown(call.tool)}; the tools are {tools}")


def cut_off(call: ToolCall) -> Mistake:
    """For the last call of a reply that ended too early: some providers close what was open in it."""
    return Mistake("cut_off", f"your reply was cut off within its call of {call.tool}, which was not carried out")


def in_text(call: ToolCall) -> Mistake:
    """For a call that was written and not made; one without a name was made in a way that nobody could read."""
    if not call.tool:
        return Mistake("unreadable", "your call could not be read, and nothing was carried out; make it again")
    words = f"you wrote a call of {call.tool} as text, and it was not carried out; call the tool itself"
    return Mistake("call_in_text", words)


def _post(arguments: dict[str, object], channels: Sequence[Channel]) -> Deed:
    name, said = arguments.get("channel"), arguments.get("text")
    known = [c.name for c in channels]
    if not isinstance(name, str) or name not in known:
        hint = closest(name, known) if isinstance(name, str) and len(name) < LONGEST_WORD else ""
        listed = ", ".join(known) or "none"
        return Mistake("unknown_channel", f"you have no channel {_shown(name)}; yours: {listed}. {hint}".strip())
    if not isinstance(said, str) or not said.strip():
        return Mistake("argument", "a post needs a text")
    if len(said) > LONGEST_POST:
        return Mistake("argument", f"a post has at most {LONGEST_POST} characters, this has {len(said)}")
    return SendPost(name, said)


def _state(arguments: dict[str, object], claims: Sequence[str]) -> Deed:
    name, held, sure = arguments.get("claim"), arguments.get("belief"), arguments.get("confidence")
    if not isinstance(name, str) or name not in claims:
        hint = closest(name, claims) if isinstance(name, str) and len(name) < LONGEST_WORD else ""
        return Mistake("unknown_claim", f"there is no claim {_shown(name)}; {', '.join(claims)}. {hint}".strip())
    word = str(held).strip().lower() if isinstance(held, str | bool) else ""
    belief = next((b for b in get_args(Belief) if b == word), None)
    if belief is None:
        return Mistake("argument", f"a belief is true, false or unknown, not {_shown(held)}")
    number = _percent(sure)
    if number is None:
        return Mistake("argument", f"a confidence is a number from 0 to 100, not {_shown(sure)}")
    return StateBelief(name, belief, number)


def _percent(given: object) -> float | None:
    """A number from 0 to 100, also as text; None for anything else."""
    if isinstance(given, str) and PERCENT.fullmatch(given):
        given = float(given.strip().removesuffix("%"))
    if isinstance(given, bool) or not isinstance(given, int | float) or not 0 <= given <= 100:
        return None
    return float(given)


def _decide(arguments: dict[str, object], own: Own) -> Deed:
    name, variables, decided = arguments.get("variable"), own.variables, own.decided
    if own.phase != "execution":
        return Mistake("out_of_turn", "decisions are taken in the execution turn; this is a planning round")
    variable = next((v for v in variables if v.name == name), None)
    if variable is None:
        known = ", ".join(v.name for v in variables) or "none"
        return Mistake("unknown_variable", f"you have no variable {_shown(name)}; yours: {known}")
    if variable.name in decided:
        return Mistake("decided", f"{variable.name} is decided and cannot be changed")
    if "value" not in arguments:
        return Mistake("argument", "a decision needs a value")
    for value in variable.domain:
        if matches(arguments["value"], value):
            return TakeDecision(variable, value)
    allowed = ", ".join("none" if v is None else text(v) for v in variable.domain)
    given = _shown(arguments["value"])
    return Mistake("outside_domain", f"{given} is not a value of {variable.name}; its values: {allowed}")


def _shown(given: object) -> str:
    """What a player wrote, cut short."""
    words = repr(given)
    return words if len(words) <= LONGEST_WORD else f"{words[:LONGEST_WORD]}…"


def matches(given: object, value: Value) -> bool:
    """Whether a JSON value stands for a domain value.

    None is null or "none"; numbers stand also as text; a pair is a list, or its text however it is spaced.
    """
    if value is None:
        return given is None or given == "none"
    if isinstance(value, tuple) and isinstance(given, list):
        return len(given) == len(value) and all(map(matches, given, value))
    if isinstance(value, tuple) and isinstance(given, str):
        return COMMA.sub(", ", given.strip()) == COMMA.sub(", ", text(value))
    if isinstance(given, str):
        return given == text(value)
    if isinstance(given, bool):
        return isinstance(value, bool) and given == value
    return isinstance(value, int | float) and not isinstance(value, bool) and given == value
