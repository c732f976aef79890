"""A request to a model. In: an endpoint, messages, tools and the place in a run; out: a Request with its key.

The key is equal for equal work: model, parameters, messages, tools and place. The address and the time that a call may
take are not in it: the same model served elsewhere is the same work.
"""

import hashlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

from colosseum.model.serial import Json, encode
from colosseum.players.models.failure import Failure
from colosseum.players.models.messages import Dialect, Message
from colosseum.players.models.reply import Answer
from colosseum.players.models.tools import Tool

MILLION = 1e6
LONGEST_ANSWER = 128_000  # tokens of an answer without `max_tokens`: the most that models give


@dataclass(frozen=True)
class LongPrice:
    """US dollars for a million tokens, of calls whose prompt is longer than so many tokens."""

    above: int
    prompt: float
    completion: float


@dataclass(frozen=True)
class Price:
    """US dollars for a million tokens."""

    prompt: float
    completion: float
    long: LongPrice | None = None
    read: float | None = None
    """Of a prompt's tokens that come from a cache; None is the price of all others."""
    stored: float | None = None
    """Of those that are written to one."""

    def cost(self, prompt_tokens: float, completion_tokens: float, *, read: float = 0, stored: float = 0) -> float:
        """Of one call, in US dollars; `read` and `stored` are parts of the prompt."""
        each = self.long if self.long and prompt_tokens > self.long.above else self
        read, stored = min(read, prompt_tokens), min(stored, max(0, prompt_tokens - read))
        cached = read * self._less(self.read) + stored * self._less(self.stored)
        return ((prompt_tokens - cached) * each.prompt + completion_tokens * each.completion) / MILLION

    def most(self, prompt_tokens: float, completion_tokens: float) -> float:
        """The same where all of the prompt may be written to a cache."""
        stored = prompt_tokens if (self.stored or 0) > self.prompt else 0
        return self.cost(prompt_tokens, completion_tokens, stored=stored)

    def _less(self, cached: float | None) -> float:
        """The share of a token's price that a cache saves."""
        return 0.0 if cached is None or not self.prompt else 1 - cached / self.prompt


@dataclass(frozen=True)
class Endpoint:
    """Which model is asked, where and how."""

    model: str
    """As litellm names it: `provider/model`."""
    temperature: float | None = 0.7
    """None is left to the provider; some models take no other."""
    max_tokens: int | None = 1500
    """None is left to the provider."""
    extra_body: Mapping[str, Json] = field(default_factory=dict)
    """Parameters that the provider's interface takes besides."""
    dialect: Dialect = "native"
    api_base: str | None = None
    timeout: float = 120.0
    """Seconds for the whole call."""
    price: Price | None = None
    """In place of the one that litellm knows."""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Sent besides; their values may be secret."""
    own: Mapping[str, str] | None = None
    """Of a user's own agent, what tells its versions apart; None of a model."""

    @property
    def most_tokens(self) -> int:
        """That one answer may have, as far as is known."""
        return LONGEST_ANSWER if self.max_tokens is None else self.max_tokens

    @property
    def tier(self) -> str:
        """Of service, that is asked for; empty for what is usual."""
        return str(self.extra_body.get("service_tier") or "")

    @property
    def parameters(self) -> dict[str, Json]:
        """All that the answer depends on, besides the model."""
        if self.own is not None:
            return dict(self.own)
        said = {"temperature": self.temperature, "max_tokens": self.max_tokens, "extra_body": dict(self.extra_body)}
        return {**said, "dialect": self.dialect}


@dataclass(frozen=True)
class Place:
    """Where in a run something is asked."""

    agent: str = ""
    """Empty when no agent asks."""
    phase: str = ""
    round: int = 0
    step: int = 0
    """From 1 within a turn."""


@dataclass(frozen=True)
class Question:
    """One question."""

    endpoint: Endpoint
    messages: Sequence[Message]
    tools: Sequence[Tool]
    place: Place
    by: Callable[[], Awaitable[Answer | Failure]] | None = field(default=None, compare=False, repr=False)
    """Who answers, where it is a user's own agent and no model."""

    @cached_property
    def key(self) -> str:
        """SHA-256 in hexadecimal."""
        return hashlib.sha256(self._content).hexdigest()

    @property
    def size(self) -> int:
        """Bytes of what is sent, as JSON."""
        return len(self._content)

    @cached_property
    def _content(self) -> bytes:
        place = self.place
        content: dict[str, Any] = {  # typed dicts of JSON, which no type of ours describes
            "model": self.endpoint.model,
            "parameters": self.endpoint.parameters,
            "messages": self.messages,
            "tools": self.tools,
            "place": [place.agent, place.phase, place.round, place.step],
        }
        return encode(content).encode("utf-8", "surrogatepass")


class Halt(Exception):  # noqa: N818 - a stop that was asked for
    """No more calls: the run is left as it is, and can be gone on with."""


class Asker(Protocol):
    """Whoever gets answers."""

    async def ask(self, request: Question) -> Answer | Failure:
        """The answer, or the failure after which no attempt is left or none would help."""
        ...
