"""One call of a model; the only file that knows litellm. In: a Request; out: an Answer or a Failure.

litellm takes seconds to import, so it is imported by the first call.
"""

import asyncio
import gc
import logging
import marshal
import os
import re
import time
import warnings
from base64 import b64encode
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cache, lru_cache
from typing import Any
from urllib.parse import unquote

from colosseum.players.models.executor import prepare
from colosseum.players.models.failure import Failure, explain, redact, room
from colosseum.players.models.reply import MILLION, Answer, LongPrice, Price
from colosseum.players.models.request import Endpoint, Request
from colosseum.players.models.wire import Returned, Tape, recorded

OWN_MACHINES = ("lemonade", "llamafile", "lm_studio", "ollama", "ollama_chat")
"""Providers that are programs on a machine of one's own: a price of 0 is believed of nobody else."""
USER = re.compile(r"(?P<way>[\w+.-]+://)(?P<user>[^/?#\s]+)@")
LONG = re.compile(r"input_cost_per_token_above_(\d+)k_tokens")
OURS = frozenset(
    (
        "model", "messages", "prompt", "input", "system", "contents", "instructions", "system_instruction",
        "systemInstruction", "tools", "functions", "temperature", "max_tokens", "max_completion_tokens", "n", "stream",
        "stream_options", "api_base", "api_key", "api_version", "base_url", "headers", "extra_headers", "timeout",
    )
)  # fmt: skip
"""What a request must not be told besides: what is asked, of whom, and how much of it comes back."""
MARKED = re.compile(r"^(?:anthropic|bedrock|openrouter|vertex_ai)/.*claude")
"""Models whose provider caches a prompt only up to a mark; the system message is the same in all turns."""
NESTING = frozenset(("anthropic", "bedrock"))
"""Providers to which litellm would send `extra_body` as a field of that name; by name, it passes on what is in it."""


async def call(request: Request) -> Answer | Failure:
    """Asks once. Keys come from the environment, under the names that litellm documents for each provider."""
    litellm = library()
    import openai  # litellm's exceptions are declared as subclasses of openai's

    endpoint = request.endpoint
    if taken := ", ".join(f"`{name}`" for name in endpoint.extra_body if name in _reserved(endpoint, litellm)):
        reason = f"`--extra-body` must not hold {taken}: `{endpoint.model}` would be asked something else than is said"
        return Failure("bad_request", reason, again=False)
    start = time.perf_counter()
    _unlogged()
    prepare(endpoint.model)
    told, replies = _told(request)
    with recorded(replies) as tape:
        try:
            async with asyncio.timeout(endpoint.timeout):
                response = await litellm.acompletion(
                    model=endpoint.model,
                    messages=told,
                    timeout=endpoint.timeout,
                    num_retries=0,
                    **_optional(request),
                )
        except (openai.OpenAIError, OSError) as error:
            needed = litellm.validate_environment(endpoint.model, api_base=endpoint.api_base)["missing_keys"]
            failed = explain(
                error,
                model=endpoint.model,
                api_base=endpoint.api_base,
                timeout=endpoint.timeout,
                missing_keys=tuple(name for name in needed if name not in os.environ),
            )
            came = _came(tape, endpoint, start)
            words = came.http.body if came and came.http else failed.reason
            fits = room(words, endpoint.most_tokens) if failed.kind == "context" else None
            return replace(failed, came=came, fits=fits)
    answer = _came(tape, endpoint, start)
    # litellm computes its own price with the answer: it has what no list of prices per token says.
    listed = response._hidden_params.get("response_cost")
    if answer is None or answer.completion is None:
        try:
            raw = response.model_dump(mode="json", exclude_none=True, warnings=False)
        except ValueError:  # fields within fields within fields
            reason = f"what `{endpoint.model}` sent cannot be written down"
            return Failure("transport", reason, again=False, came=answer)
        answer = Answer(raw, None, _seconds(start), answer.http if answer else None).priced(_price(endpoint))
    if answer.cost is None and endpoint.price is None:
        # It is 0 where tokens were not counted, and where the list has a 0 for want of a price.
        answer = replace(answer, cost=listed if listed or _own(endpoint.model) else None)
    if answer.trouble is not None:
        reason = redact(f"what `{endpoint.model}` sent is no answer: {answer.trouble}")
        return Failure("transport", reason, again=True, came=answer)
    return answer


def _came(tape: Tape, endpoint: Endpoint, start: float) -> Answer | None:
    """What came, as far as it is JSON, and what it took; None where nothing did."""
    if not tape.exchanges:
        return None
    answer = Answer.of(tape.exchanges[-1], None, _seconds(start))
    stated = answer.tokens.cost
    return answer.priced(_price(endpoint)) if stated is None or endpoint.price else replace(answer, cost=stated)


def _price(endpoint: Endpoint) -> Price | None:
    return endpoint.price or known_price(endpoint.model)


def _seconds(start: float) -> float:
    return round(time.perf_counter() - start, 4)


def _told(request: Request) -> tuple[list[Mapping[str, Any]], list[Returned | None]]:
    """The messages for litellm, and the replies among them that go back in the provider's own words."""
    told: list[Mapping[str, Any]] = []
    replies: list[Returned | None] = []
    for message in request.messages:
        returned: Returned | None = message.get("returned")
        if message["role"] == "assistant":
            replies.append(returned)
        plain = {name: value for name, value in message.items() if name != "returned"}
        told.append({**plain, **returned.get("litellm", {})} if returned else message)
    if told and told[0]["role"] == "system" and MARKED.search(request.endpoint.model):
        marked = {"type": "text", "text": told[0]["content"], "cache_control": {"type": "ephemeral"}}
        told[0] = {**told[0], "content": [marked]}
    return told, replies


@cache
def library() -> Any:  # a border: litellm's own types are not exact
    """litellm, quiet, without a look at the network or at a .env file, and sending what it is told or nothing."""
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # or the import downloads a price list
    os.environ["LITELLM_MODE"] = "PRODUCTION"  # or the import reads a .env file, of a folder above, too
    import litellm

    litellm.suppress_debug_info = True
    litellm.drop_params = litellm.modify_params = False  # the environment may ask for either
    logging.getLogger("LiteLLM").setLevel(logging.CRITICAL)
    warnings.filterwarnings("ignore", "Pydantic serializer warnings", UserWarning)  # of answers with odd types
    gc.freeze()  # its objects stay: nobody need look through them for garbage again
    return litellm


def _unlogged() -> None:
    """Nobody reads litellm's own log of a call; a release that has no such switch keeps it, which costs time alone."""
    with suppress(ImportError):
        from litellm._internal_context import is_internal_call

        is_internal_call.set(True)


@lru_cache(maxsize=256)
def known_price(model: str) -> Price | None:
    """What litellm's price list says; None for a model that is not on it, or not with both prices.

    The list has 0 for want of a price, too, so that is not believed of a model that somebody else serves.
    """
    listed = library().model_cost
    found = listed.get(model) or listed.get(model.partition("/")[2])
    if not found:
        return None
    prompt, completion = found.get("input_cost_per_token"), found.get("output_cost_per_token")
    if prompt is None or completion is None or not (_own(model) or (prompt and completion)):
        return None
    cached = (found.get(f"cache_{way}_input_token_cost") for way in ("read", "creation"))
    read, stored = (None if each is None else each * MILLION for each in cached)
    return Price(prompt * MILLION, completion * MILLION, _long(found), read, stored)


def _own(model: str) -> bool:
    return model.partition("/")[0] in OWN_MACHINES


def _long(found: Mapping[str, Any]) -> LongPrice | None:
    """What long prompts cost, where that is more."""
    limits = sorted(int(match[1]) for name in found if (match := LONG.fullmatch(name)))
    if not limits:
        return None
    names = (f"{way}_cost_per_token_above_{limits[0]}k_tokens" for way in ("input", "output"))
    prompt, completion = (found.get(name) for name in names)
    if not prompt or not completion:
        return None
    return LongPrice(limits[0] * 1000, prompt * MILLION, completion * MILLION)


def _reserved(endpoint: Endpoint, litellm: Any) -> Collection[str]:
    """What `extra_body` must not hold; where litellm takes it by name, also what litellm would take for itself."""
    return {*OURS, *litellm.types.utils.all_litellm_params} if _by_name(endpoint) else OURS


def _by_name(endpoint: Endpoint) -> bool:
    return endpoint.model.partition("/")[0] in NESTING


def _optional(request: Request) -> dict[str, Any]:
    """Arguments that are left out where there is nothing to say; copies, since litellm writes into some of them."""
    endpoint = request.endpoint
    said_besides: Any = dict(endpoint.extra_body), request.tools
    extra, tools = marshal.loads(marshal.dumps(said_besides))  # a deep copy, only quicker
    by_name = _by_name(endpoint)
    address, headers = _addressed(endpoint.api_base)
    said = {
        "temperature": endpoint.temperature,
        "max_tokens": endpoint.max_tokens,
        "api_base": address,
        "extra_headers": {**endpoint.headers, **(headers or {})} or None,
        "extra_body": None if by_name else extra or None,
        "tools": tools or None,
    }
    return {name: value for name, value in said.items() if value is not None} | (extra if by_name else {})


def _addressed(api_base: str | None) -> tuple[str | None, dict[str, str] | None]:
    """An address without the user in it, and the header that names the user, which takes the place of a key's."""
    match = USER.match(api_base or "")
    if api_base is None or match is None:
        return api_base, None
    name, _, password = match["user"].partition(":")
    basic = b64encode(f"{unquote(name)}:{unquote(password)}".encode()).decode()
    return match["way"] + api_base[match.end() :], {"Authorization": f"Basic {basic}"}
