"""Lines of a file of calls, runs/ID.calls.jsonl: their type, and so their JSON Schema."""

from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import BaseModel, Field, TypeAdapter

from colosseum.run.events import STRICT, Count, Digest, Number

VERSION: Final = 2
"""Raised when a field changes its name or meaning."""


class AskedPlace(BaseModel):
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


class AttemptRecord(BaseModel):
    """What every attempt to ask a model has."""

    model_config = STRICT
    call: Digest
    """SHA-256 of model, parameters, messages, tools and place: equal for equal work."""
    place: AskedPlace
    """Where in the run."""
    model: str
    """Who was asked."""
    prompt_bytes: Count
    """Of what was asked, as JSON in UTF-8."""
    max_tokens: Count
    """That an answer might have."""
    attempt: Number
    """Of this call, from 1."""


class Http(BaseModel):
    """An HTTP answer as it came, before anything was read of it; values of keys are blanked out."""

    model_config = STRICT
    status: Count
    type: str
    body: str


class Answered(AttemptRecord):
    """An attempt that got an answer."""

    kind: Literal["ok"]
    origin: Digest | None = None
    """The trial in which it was paid for, where that is another one."""
    cost: float | None
    """US dollars; null where no price is known."""
    seconds: float
    """From the question to the answer."""
    http: Http | None = None
    """The answer as it came; files of earlier versions leave it out."""
    raw: dict[str, Any] | None = None
    """What litellm made of it, where the body is in a protocol that it alone can read."""


class Unanswered(AttemptRecord):
    """An attempt that got none."""

    kind: Literal["transport", "timeout", "rate_limit", "authentication", "context", "bad_request", "refusal", "agent"]
    """Why."""
    reason: str
    """In words."""
    delay: float | None
    """Seconds until the next attempt; null when this was the last."""
    cost: float | None = None
    """US dollars that it cost all the same; null where no price is known."""
    seconds: float | None = None
    """From the question to the answer."""
    http: Http | None = None
    """What came."""
    raw: dict[str, Any] | None = None
    """What litellm made of it, as of an answer."""


CallLine: TypeAlias = Annotated[Answered | Unanswered, Field(discriminator="kind")]


def calls_adapter() -> "TypeAdapter[Answered | Unanswered]":
    """What pydantic makes of a line's type."""
    return TypeAdapter(CallLine)
