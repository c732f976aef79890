"""One turn's tool calls. In: calls as a player made them; out: what they do to the run, or an error the player is told.

Nothing in a call is trusted: unknown tools, channels and variables, values outside the domain, decisions out of turn
and arguments that are not JSON are answered, counted, and change nothing.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, get_args

from colosseum.diagnostics import closest
from colosseum.model.scenario import Variable
from colosseum.model.template_files import AsIs
from colosseum.model.values import Value, text
from colosseum.players.view import Belief, Phase, Reply, ToolCall

LONGEST_POST = 20_000
"""Characters of one post; more is an error that the player is told."""
MOST_CALLS = 500
"""Tool calls of one reply; of more, none is carried out."""
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
    """Why a call did nothing."""

    kind: str
    """As the event has it."""
    answer: str
    """The template that says so, and what to do instead."""
    facts: Mapping[str, object] = field(default_factory=dict)
    """That it is given."""


Action: TypeAlias = SendPost | TakeDecision | StateBelief | EndTurn | Mistake


@dataclass(frozen=True, slots=True)
class Own:
    """What an agent may name in its calls."""

    phase: Phase
    channels: Sequence[str]
    """By their names on the wire."""
    variables: Sequence[Variable]
    decided: Sequence[str]
    """Variables that are."""
    claims: Sequence[str] = ()
    """Those it is asked about."""


def read(call: ToolCall, own: Own) -> Action:
    """What a call asks for."""
    if isinstance(call.arguments, str):
        return Mistake("unreadable", "unreadable", {"tool": AsIs(call.tool)})
    match call.tool:
        case "state_belief" if own.phase == "survey":
            return _state(call.arguments, own.claims)
        case "post" | "decide" if own.phase == "survey":
            return Mistake("out_of_turn", "in_survey")
        case "post":
            return _post(call.arguments, own.channels)
        case "decide":
            return _decide(call.arguments, own)
        case "done":
            return EndTurn()
        case _:
            known = AsIs("state_belief and done" if own.phase == "survey" else "post, decide and done")
            return Mistake("unknown_tool", "unknown_tool", {"tool": _shown(call.tool), "known": known})


def cut_off(call: ToolCall) -> Mistake:
    """For the last call of a reply that ended too early: some providers close what was open in it."""
    return Mistake("cut_off", "cut_off", {"tool": AsIs(call.tool)})


def in_text(call: ToolCall) -> Mistake:
    """For a call that was written and not made; one without a name was made in a way that nobody could read."""
    if not call.tool:
        return Mistake("unreadable", "lost")
    return Mistake("call_in_text", "call_in_text", {"tool": AsIs(call.tool)})


def idle(reply: Reply) -> bool:
    """Whether a player wrote something in place of a call; one that is silent is done."""
    return reply.finish == "stop" and bool(reply.note.strip()) and not reply.calls and not reply.written


def _post(arguments: dict[str, object], channels: Sequence[str]) -> Action:
    name, said = arguments.get("channel"), arguments.get("text")
    if not isinstance(name, str) or name not in channels:
        return _unknown("unknown_channel", name, channels)
    if not isinstance(said, str) or not said.strip():
        return Mistake("argument", "no_text")
    if len(said) > LONGEST_POST:
        return Mistake("argument", "long_text", {"most": LONGEST_POST, "length": len(said)})
    return SendPost(name, said)


def _unknown(kind: str, name: object, known: Sequence[str]) -> Mistake:
    """For what is none of these, with the one that may be meant."""
    hint = closest(name, known) if isinstance(name, str) and len(name) < LONGEST_WORD else ""
    return Mistake(kind, kind, {"name": _shown(name), "known": AsIs(", ".join(known) or "none"), "hint": AsIs(hint)})


def _state(arguments: dict[str, object], claims: Sequence[str]) -> Action:
    name, held, sure = arguments.get("claim"), arguments.get("belief"), arguments.get("confidence")
    if not isinstance(name, str) or name not in claims:
        return _unknown("unknown_claim", name, claims)
    word = str(held).strip().lower() if isinstance(held, str | bool) else ""
    belief = next((b for b in get_args(Belief) if b == word), None)
    if belief is None:
        return Mistake("argument", "no_belief", {"given": _shown(held)})
    number = _percent(sure)
    if number is None:
        return Mistake("argument", "no_confidence", {"given": _shown(sure)})
    return StateBelief(name, belief, number)


def _percent(given: object) -> float | None:
    """A number from 0 to 100, also as text; None for anything else."""
    if isinstance(given, str) and PERCENT.fullmatch(given):
        given = float(given.strip().removesuffix("%"))
    if isinstance(given, bool) or not isinstance(given, int | float) or not 0 <= given <= 100:
        return None
    return float(given)


def _decide(arguments: dict[str, object], own: Own) -> Action:
    name, variables, decided = arguments.get("variable"), own.variables, own.decided
    if own.phase != "execution":
        return Mistake("out_of_turn", "in_planning")
    variable = next((v for v in variables if v.name == name), None)
    if variable is None:
        return _unknown("unknown_variable", name, [v.name for v in variables])
    if variable.name in decided:
        return Mistake("decided", "decided", {"variable": AsIs(variable.name)})
    if "value" not in arguments:
        return Mistake("argument", "no_value")
    for value in variable.domain:
        if matches(arguments["value"], value):
            return TakeDecision(variable, value)
    allowed = AsIs(", ".join("none" if v is None else text(v) for v in variable.domain))
    given = _shown(arguments["value"])
    facts = {"given": given, "variable": AsIs(variable.name), "known": allowed}
    return Mistake("outside_domain", "outside_domain", facts)


def _shown(given: object) -> AsIs:
    """What a player wrote, cut short."""
    words = repr(given)
    return AsIs(words if len(words) <= LONGEST_WORD else f"{words[:LONGEST_WORD]}…")


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
