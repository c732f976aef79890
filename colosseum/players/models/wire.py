"""HTTP bodies of one call. In: the turns that a provider wants back; out: every body, before it is parsed.

Every client that litellm uses asynchronously is an `httpx.AsyncClient`, so its `send` is the one place to listen, and
the one place where a turn can go back as it came: litellm's own translation of a history changes the order of its
parts. Requests that are not JSON, as those for access tokens, are left alone, and so is all that others send.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache
from itertools import groupby
from typing import Any, TypeAlias

from colosseum.model.serial import encode

Raw: TypeAlias = Mapping[str, Any]  # an object of JSON that is not ours
Returned: TypeAlias = Mapping[str, Any]
"""One reply in its provider's own words, by its protocol: `anthropic`, `gemini` and `responses` have their list of
content blocks, parts or items, `chat` the fields that are not ours; `litellm` has fields for it to translate."""
SIGNED = "aws4-hmac"  # how the authorization of a request begins whose body is signed, and must stay as it is


@dataclass(frozen=True, slots=True)
class Exchange:
    """One HTTP answer as it came."""

    status: int
    type: str
    """Its content type."""
    body: str


@dataclass
class Tape:
    """One call."""

    replies: Sequence[Returned | None]
    """One for each message of the assistant; None where litellm's translation will do."""
    exchanges: list[Exchange] = field(default_factory=list)
    redirect: tuple[str, str] | None = None
    """The host that was asked, and the one that it named in its place, which gets neither key nor prompt."""


_TAPE: ContextVar[Tape | None] = ContextVar("tape", default=None)
SENDING: ContextVar[Callable[[], object]] = ContextVar("sending", default=int)
"""Called as the request of a call goes out."""


def current() -> Tape | None:
    """The tape of the call that goes on; None outside of one."""
    return _TAPE.get()


@contextmanager
def recorded(replies: Sequence[Returned | None]) -> Iterator[Tape]:
    """Within the block, what litellm sends and gets is on the tape."""
    listen()
    tape = Tape(replies)
    token = _TAPE.set(tape)
    try:
        yield tape
    finally:
        _TAPE.reset(token)


@cache
def listen() -> None:
    """Put the hook into httpx, once."""
    import httpx

    plain = httpx.AsyncClient.send

    async def send(self: httpx.AsyncClient, request: httpx.Request, **options: Any) -> httpx.Response:
        tape = _TAPE.get()
        options |= {"follow_redirects": False} if tape else {}
        if tape is None or not request.headers.get("content-type", "").startswith("application/json"):
            return await plain(self, request, **options)
        signed = request.headers.get("authorization", "").lower().startswith(SIGNED)
        if any(tape.replies) and not signed:
            headers = [(name, value) for name, value in request.headers.raw if name.lower() != b"content-length"]
            content = handed_back(await request.aread(), tape.replies)
            request = httpx.Request(
                request.method, request.url, headers=headers, content=content, extensions=request.extensions
            )
        SENDING.get()()
        response = await plain(self, request, **options)
        body = (await response.aread()).decode("utf-8", "replace")
        tape.exchanges.append(Exchange(response.status_code, response.headers.get("content-type", ""), body))
        if response.next_request is not None:
            tape.redirect = request.url.netloc.decode(), response.next_request.url.netloc.decode()
        return response

    httpx.AsyncClient.send = send  # type: ignore[method-assign]


def handed_back(content: bytes, replies: Sequence[Returned | None]) -> bytes:
    """The body of a request in which earlier replies stand as their provider wrote them.

    Where the body does not hold as many replies as there are, it is left as litellm made it.
    """
    body = json.loads(content)
    if "input" in body:  # of a responses API, where a reply is several items
        groups = [(own, list(items)) for own, items in groupby(body["input"], _is_own)]
        said: list[Any] = [items for own, items in groups if own]
    else:
        listed = body.get("messages") or body.get("contents") or ()
        said = [message for message in listed if message.get("role") in ("assistant", "model")]
    if len(said) != len(replies):
        return content
    for message, reply in zip(said, replies, strict=True):
        match reply:
            case {"chat": {"message": fields, "calls": calls}}:
                message.update(fields)
                for call, more in zip(message.get("tool_calls") or (), calls, strict=False):
                    call.update(more)
            case {"anthropic": blocks}:
                message["content"] = blocks
            case {"gemini": parts}:
                message["parts"] = parts
            case {"responses": items}:
                message[:] = items
    if "input" in body:
        body["input"] = [item for _, items in groups for item in items]
    return encode(body).encode()


def _is_own(item: Raw) -> bool:
    """Whether an item is one that the model made."""
    return item.get("type") in ("reasoning", "function_call") or item.get("role") == "assistant"
