"""What a campaign's files look like. In: a kind of file, or a line; out: its JSON Schema, or what is wrong with it."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from colosseum.audit import events
from colosseum.audit.campaign import folder, judged
from colosseum.audit.events import STRICT, Count, Digest, Number, misfit
from colosseum.audit.judging import judgement
from colosseum.audit.trace import VERSION

DIALECT = "https://json-schema.org/draft/2020-12/schema"


class Place(BaseModel):
    """Where in a run something was asked."""

    model_config = STRICT
    agent: str
    """Whose turn it was."""
    phase: str
    """`planning`, `survey` or `execution`."""
    round: Count
    """As in the trace."""
    step: Count
    """Of the turn, from 1."""


class Attempt(BaseModel):
    """What every attempt to ask a model has."""

    model_config = STRICT
    call: Digest
    """SHA-256 of model, parameters, messages, tools and place: equal for equal work."""
    place: Place
    """Where in the run."""
    model: str
    """Who was asked."""
    prompt_bytes: Count
    """Of what was asked, as JSON in UTF-8."""
    max_tokens: Count
    """That an answer might have."""
    attempt: Number
    """Of this call, from 1."""


class Answered(Attempt):
    """An attempt that got an answer."""

    kind: Literal["ok"]
    origin: Digest | None = None
    """The trial in which it was paid for, where that is another one."""
    cost: float | None
    """US dollars; null where no price is known."""
    seconds: float
    """From the question to the answer."""
    raw: dict[str, Any]
    """The answer as it came."""


class Unanswered(Attempt):
    """An attempt that got none."""

    kind: Literal["transport", "timeout", "rate_limit", "authentication", "context", "bad_request", "refusal", "agent"]
    """Why."""
    reason: str
    """In words."""
    delay: float | None
    """Seconds until the next attempt; null when this was the last."""


CallLine: TypeAlias = Annotated[Answered | Unanswered, Field(discriminator="kind")]


@cache
def _calls() -> "TypeAdapter[Answered | Unanswered]":
    return TypeAdapter(CallLine)


def wrong_call(raw: bytes) -> str:
    """What is wrong with a line of a file of calls; empty when nothing is."""
    if not raw.endswith(b"\n"):
        return "is not whole"
    try:
        _calls().validate_python(json.loads(raw))
    except ValidationError as wrong:
        return f"is not a call: {misfit(wrong)}"
    except (ValueError, RecursionError):
        return "is not JSON"
    return ""


@dataclass(frozen=True)
class Kind:
    """A kind of file, or of its lines."""

    about: str
    """What it is."""
    version: int
    """Raised when a field changes its name or meaning."""
    adapter: Callable[[], Any]
    """What pydantic makes of its type."""


KINDS = {
    "trace": Kind("A line of a trace, runs/ID.jsonl: an event of a run. The lines are chained by hash.",
                  VERSION, events.adapter),
    "calls": Kind("A line of runs/ID.calls.jsonl: one attempt to ask a model, as it went.", 1, _calls),
    "result": Kind("How a run ended, runs/ID.json; it seals the run's trace.", 1, folder.result_adapter),
    "campaign": Kind("What a folder is of, campaign.json: what is compared with what, and the list of trials.",
                     folder.SCHEMA, folder.plan_adapter),
    "judges": Kind("Who judges the runs of a folder, judged/judges.json, and how they are asked.",
                   judgement.SCHEMA, judged.judges_adapter),
    "judged": Kind("What judges made of a run, judged/ID.json.", judgement.SCHEMA, judged.judged_adapter),
}  # fmt: skip


def schema_text(name: str) -> str:
    """The schema of one of KINDS as it is published: indented, ending in a line feed."""
    kind = KINDS[name]
    found = {key: value for key, value in _untitled(kind.adapter().json_schema()).items() if key != "description"}
    opening = {"$schema": DIALECT, "$id": f"urn:colosseum:{name}:{kind.version}", "title": f"Colosseum {name}"}
    return json.dumps({**opening, "description": kind.about, **found}, ensure_ascii=False, indent=2) + "\n"


def _untitled(schema: Any) -> Any:
    """The schema without the titles that pydantic makes of names."""
    match schema:
        case dict():
            return {k: _untitled(v) for k, v in schema.items() if k != "title" or not isinstance(v, str)}
        case list():
            return [_untitled(each) for each in schema]
        case _:
            return schema
