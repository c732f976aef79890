"""One turn's tool calls. In: calls as a player made them; out: what they ask for, or an error the player is told.

Nothing in a call is trusted: unknown tools, channels and variables, values outside the domain, decisions out of turn
and arguments that are not JSON are answered, counted, and change nothing. A decision is refused iff no completion of
the undecided variables satisfies the hard requirements.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import get_args

from colosseum.diagnostics import closest
from colosseum.model.scenario import Task, Variable
from colosseum.model.template_files import AsIs
from colosseum.model.values import Value, text
from colosseum.players.view import Belief, Phase, Reply, ToolCall
from colosseum.solve.goal import WELFARE, Goal
from colosseum.solve.solver import Solver

LONGEST_POST = 20_000  # characters of one post; more is an error that the player is told
MOST_CALLS = 500  # tool calls of one reply; of more, none is carried out
LONGEST_WORD = 80  # characters of a player's own words that an answer repeats
COMMA = re.compile(r"\s*,\s*")
PERCENT = re.compile(r"\s*[0-9]{1,3}(\.[0-9]{1,6})?\s*%?\s*")


class Mistake(Exception):  # noqa: N818 - what is wrong, in words
    """Why a call did nothing."""

    def __init__(self, kind: str, answer: str, **facts: object) -> None:
        self.kind = kind
        """As the event has it."""
        self.answer, self.facts = answer, facts
        """The template that says so, and what to do instead; and what it is given."""


def check_call(call: ToolCall, phase: Phase, *, cut_off: bool) -> Mapping[str, object]:
    """The arguments of a call of a tool that there is in the phase. Raises Mistake.

    Some providers close what was open in the last call of a reply that was cut off.
    """
    if isinstance(call.arguments, str):
        kind = "cut_off" if cut_off else "unreadable"
        raise Mistake(kind, kind, tool=AsIs(call.tool))
    surveyed = phase == "survey"
    if surveyed and call.tool in ("post", "decide"):
        raise Mistake("out_of_turn", "in_survey")
    if call.tool not in (("state_belief", "done") if surveyed else ("post", "decide", "done")):
        known = AsIs("state_belief and done" if surveyed else "post, decide and done")
        raise Mistake("unknown_tool", "unknown_tool", tool=_shown(call.tool), known=known)
    return call.arguments


def in_text(call: ToolCall) -> Mistake:
    """For a call that was written and not made; one without a name was made in a way that nobody could read."""
    if not call.tool:
        return Mistake("unreadable", "lost")
    return Mistake("call_in_text", "call_in_text", tool=AsIs(call.tool))


def idle(reply: Reply) -> bool:
    """Whether a player wrote something in place of a call; one that is silent is done."""
    return reply.finish == "stop" and bool(reply.note.strip()) and not reply.calls and not reply.written


def read_post(arguments: Mapping[str, object], channels: Collection[str]) -> tuple[str, str]:
    """The channel, by its name on the wire, and the text. Raises Mistake."""
    name, said = arguments.get("channel"), arguments.get("text")
    if not isinstance(name, str) or name not in channels:
        raise _unknown("unknown_channel", name, channels)
    if not isinstance(said, str) or not said.strip():
        raise Mistake("argument", "no_text")
    if len(said) > LONGEST_POST:
        raise Mistake("argument", "long_text", most=LONGEST_POST, length=len(said))
    return name, said


def _unknown(kind: str, name: object, known: Collection[str]) -> Mistake:
    """For what is none of these, with the one that may be meant."""
    hint = closest(name, known) if isinstance(name, str) and len(name) < LONGEST_WORD else ""
    return Mistake(kind, kind, name=_shown(name), known=AsIs(", ".join(known) or "none"), hint=AsIs(hint))


def read_belief(arguments: Mapping[str, object], claims: Collection[str]) -> tuple[str, Belief, float]:
    """The claim, what the player holds it for, and how sure it is, in percent. Raises Mistake."""
    name, held, sure = arguments.get("claim"), arguments.get("belief"), arguments.get("confidence")
    if not isinstance(name, str) or name not in claims:
        raise _unknown("unknown_claim", name, claims)
    word = str(held).strip().lower() if isinstance(held, str | bool) else ""
    belief = next((b for b in get_args(Belief) if b == word), None)
    if belief is None:
        raise Mistake("argument", "no_belief", given=_shown(held))
    number = _percent(sure)
    if number is None:
        raise Mistake("argument", "no_confidence", given=_shown(sure))
    return name, belief, number


def _percent(given: object) -> float | None:
    """A number from 0 to 100, also as text; None for anything else."""
    if isinstance(given, str) and PERCENT.fullmatch(given):
        given = float(given.strip().removesuffix("%"))
    if isinstance(given, bool) or not isinstance(given, int | float) or not 0 <= given <= 100:
        return None
    return float(given)


def read_decision(
    arguments: Mapping[str, object], phase: Phase, variables: Sequence[Variable], decided: Collection[str]
) -> tuple[str, Value]:
    """One of the agent's variables, and its value. Raises Mistake."""
    if phase != "execution":
        raise Mistake("out_of_turn", "in_planning")
    name = arguments.get("variable")
    variable = next((v for v in variables if v.name == name), None)
    if variable is None:
        raise _unknown("unknown_variable", name, [v.name for v in variables])
    if variable.name in decided:
        raise Mistake("decided", "decided", variable=AsIs(variable.name))
    if "value" not in arguments:
        raise Mistake("argument", "no_value")
    for value in variable.domain:
        if matches(arguments["value"], value):
            return variable.name, value
    allowed = AsIs(", ".join("none" if v is None else text(v) for v in variable.domain))
    facts = {"given": _shown(arguments["value"]), "variable": AsIs(variable.name), "known": allowed}
    raise Mistake("outside_domain", "outside_domain", **facts)


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


@dataclass(eq=False)
class Rules:
    """The hard requirements of a task."""

    task: Task
    kept: dict[str, Value] = field(default_factory=dict, init=False)
    """An assignment that keeps them all: mostly it also does with the next decision in it. Empty before the first."""

    @cached_property
    def _solver(self) -> Solver:
        return Solver(replace(self.task, payoffs=()))  # what payoffs add to the program would only be in the way

    def can_be_kept(self) -> bool:
        """Whether an assignment keeps them all, and what a report needs can be lowered. Raises NotLowered."""
        Solver(self.task).highs.lowered.objective(WELFARE)
        return not any(self.task.hard) or self._solver.maximise(Goal()).status != "infeasible"

    def forbids(self, decided: Mapping[str, Value], variable: str, value: Value) -> str | None:
        """The statement of a rule that the decision would break for good; None when it may be taken.

        Says the rule's name only: whose decisions it clashes with is not told.
        """
        hard, fixed = list(self.task.hard), {**decided, variable: value}
        for requirement in hard:
            scope = requirement.condition.scope
            if variable in scope and scope <= fixed.keys() and not requirement.condition.evaluate(fixed):
                return requirement.statement
        changed = {name for name, taken in fixed.items() if taken is not self.kept.get(name)}
        completed = {**self.kept, **fixed}
        touched = [r for r in hard if not changed.isdisjoint(r.condition.scope)]
        if hard and not (self.kept and all(r.condition.evaluate(completed) is True for r in touched)):
            found = self._solver.maximise(Goal(), fixed=fixed)
            if found.status == "infeasible":
                return next((r.statement for r in hard if variable in r.condition.scope), hard[0].statement)
            completed = found.assignment or {}
        self.kept = completed
        return None
