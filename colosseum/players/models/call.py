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
from collections.abc import Mapping
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import replace
from functools import cache
from typing import Any, cast
from urllib.parse import unquote

from colosseum.language.gc_pause import gc_paused
from colosseum.players.models.failure import Failure, explain, redact, room
from colosseum.players.models.reply import Answer
from colosseum.players.models.request import Endpoint, Question
from colosseum.players.models.wire import Returned, Tape, current, recorded

OWN_MACHINES = ("lemonade", "llamafile", "lm_studio", "ollama", "ollama_chat")
"""Providers that are programs on a machine of one's own: a price of 0 is believed of nobody else."""
USER = re.compile(r"(?P<way>[\w+.-]+://)(?P<user>[^/?#\s]+)@")
OURS = frozenset(
    (
        "model", "messages", "prompt", "input", "system", "contents", "instructions", "system_instruction",
        "systemInstruction", "tools", "functions", "temperature", "max_tokens", "max_completion_tokens",
        "max_output_tokens", "maxOutputTokens", "maxTokens", "n", "best_of", "candidate_count", "candidateCount",
        "stream", "stream_options", "timeout", "api_base", "api_key", "api_version", "base_url", "headers",
        "extra_headers",
    )
)  # fmt: skip
"""Fields that `--extra-body` must not set: what is asked, of whom, and how much of it comes back."""
SETTINGS = ("generationConfig", "generation_config", "inferenceConfig")  # fields whose own fields are like these
MARKED = re.compile(r"^(?:anthropic|bedrock|openrouter|vertex_ai)/.*claude")
"""Models whose provider caches a prompt only up to a mark; the system message is the same in all turns."""
NESTING = frozenset(("anthropic", "bedrock"))
"""Providers to which litellm would send `extra_body` as a field of that name; by name, it passes on what is in it."""


def is_local(model: str) -> bool:
    """Whether a model is served by a program on the user's own machine."""
    return model.partition("/")[0] in OWN_MACHINES


DEARER = re.compile(r'"service_tier":\s*"(?!default"|standard"|auto")|"ephemeral_1h_input_tokens":\s*[1-9]')
"""A tier of service, or a cache that lasts, which litellm knows the prices of."""
_PRICED: ContextVar[bool] = ContextVar("priced", default=False)
"""Whether litellm's own price of a call is not needed: it takes an eighth of the CPU of a call."""


async def call(request: Question, *, priced: bool = False) -> Answer | Failure:
    """Asks once, with keys of the environment by litellm's names; `priced` says that the caller knows the price."""
    litellm = library()
    _PRICED.set(priced)
    import openai  # litellm's exceptions are declared as subclasses of openai's

    endpoint, start = request.endpoint, time.perf_counter()
    # where litellm takes the body by name, it would also take for itself what it knows
    reserved = {*OURS, *(litellm.types.utils.all_litellm_params if endpoint.model.partition("/")[0] in NESTING else ())}
    body = dict(endpoint.extra_body)
    inner = [name for where in SETTINGS if isinstance(there := body.get(where), dict) for name in there if name in OURS]
    named = [*(name for name in body if name in reserved or name.startswith("aws_")), *inner]
    if taken := ", ".join(f"`{name}`" for name in named):
        reason = f"`--extra-body` must not hold {taken}: `{endpoint.model}` would get another request"
        return Failure("bad_request", reason, again=False)
    _unlogged()
    told, replies = _told(request)
    with recorded(replies) as tape:
        try:
            async with asyncio.timeout(endpoint.timeout):
                response = await litellm.acompletion(messages=told, **_arguments(request))
        except (openai.OpenAIError, OSError) as error:
            came = _came(tape, start)
            if came is not None and came.http and came.http.status == 200 and came.trouble is None:
                return came.at(0.0 if is_local(endpoint.model) else None)  # litellm stumbled, and need not read it
            return _failed(error, endpoint, tape, came)
    answer = _came(tape, start)
    if answer is None or answer.completion is None:
        try:
            raw = response.model_dump(mode="json", exclude_none=True, warnings=False)
        except ValueError:  # fields within fields within fields
            reason = f"what `{endpoint.model}` sent cannot be written down"
            return Failure("transport", reason, again=False, came=answer)
        answer = Answer(raw, None, round(time.perf_counter() - start, 4), answer.http if answer else None)
    # litellm's own price has what no list of prices per token says. It is 0 where it does not know one, too.
    listed = response._hidden_params.get("response_cost")
    answer = answer.at(listed if listed or is_local(endpoint.model) else None)
    if answer.trouble is not None:
        reason = redact(f"what `{endpoint.model}` sent is no answer: {answer.trouble}")
        return Failure("transport", reason, again=True, came=answer)
    return answer


def _failed(error: Exception, endpoint: Endpoint, tape: Tape, came: Answer | None) -> Failure:
    """Why there is no answer, with what came in its place, and the tokens that would fit where it was too long."""
    model, address = endpoint.model, endpoint.api_base
    if tape.redirect is not None:
        here, there = tape.redirect
        reason = f"`{model}`: {here} redirects to {there}, which gets no key; if you trust it, name it by `--api-base`"
        return Failure("bad_request", redact(reason), again=False, came=came)
    needed = library().validate_environment(model, api_base=address)["missing_keys"]
    missing = tuple(name for name in needed if name not in os.environ)
    failed = explain(error, model=model, api_base=address, timeout=endpoint.timeout, missing_keys=missing)
    words = came.http.body if came and came.http else failed.reason
    fits = room(words, endpoint.most_tokens) if failed.kind == "context" else None
    if came and came.http and came.http.status == 408:
        failed = replace(failed, reason=f"`{model}` gave up before `--timeout` did: status 408")
    return replace(failed, came=came, fits=fits)


def _came(tape: Tape, start: float) -> Answer | None:
    """What came last, as far as it is JSON; None where nothing did."""
    return Answer.of(tape.exchanges[-1], None, round(time.perf_counter() - start, 4)) if tape.exchanges else None


def _told(request: Question) -> tuple[list[Mapping[str, Any]], list[Returned | None]]:
    """The messages for litellm, and the replies among them that go back in the provider's own words."""
    told: list[Mapping[str, Any]] = []
    replies: list[Returned | None] = [m.get("returned") for m in request.messages if m["role"] == "assistant"]
    for message in request.messages:
        returned: Returned | None = message.get("returned")
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
    with gc_paused():  # a fifth of the import's time is collections that free nothing
        import litellm

    litellm.suppress_debug_info = True
    litellm.drop_params = litellm.modify_params = False  # the environment may ask for either
    pricing = litellm.response_cost_calculator  # its releases disagree on the type
    litellm.response_cost_calculator = cast(Any, lambda **told: None if _PRICED.get() and _plain() else pricing(**told))
    for part in ("LiteLLM", "LiteLLM Proxy", "LiteLLM Router"):
        logging.getLogger(part).setLevel(logging.CRITICAL)
    warnings.filterwarnings("ignore", "Pydantic serializer warnings", UserWarning)  # of answers with odd types
    gc.freeze()  # its objects stay: nobody need look through them for garbage again
    return litellm


def _plain() -> bool:
    """Whether the answer was made at the usual prices of tokens."""
    tape = current()
    return not (tape and tape.exchanges and DEARER.search(tape.exchanges[-1].body))


def _unlogged() -> None:
    """Nobody reads litellm's own log of a call; a release that has no such switch keeps it, which costs time alone."""
    with suppress(ImportError):
        from litellm._internal_context import is_internal_call

        is_internal_call.set(True)


def _arguments(request: Question) -> dict[str, Any]:
    """All but the messages, without what there is nothing to say of; copies, since litellm writes into some of them."""
    endpoint = request.endpoint
    said_besides: Any = dict(endpoint.extra_body), request.tools
    extra, tools = marshal.loads(marshal.dumps(said_besides))  # a deep copy, only quicker
    by_name = endpoint.model.partition("/")[0] in NESTING
    address, user = _addressed(endpoint.api_base)
    said = {
        "model": endpoint.model,
        "timeout": endpoint.timeout,
        "num_retries": 0,
        "temperature": endpoint.temperature,
        "max_tokens": endpoint.max_tokens,
        "api_base": address,
        "extra_headers": {**endpoint.headers, **user} or None,
        "extra_body": None if by_name else extra or None,
        "tools": tools or None,
    }
    return {name: value for name, value in said.items() if value is not None} | (extra if by_name else {})


def _addressed(api_base: str | None) -> tuple[str | None, dict[str, str]]:
    """An address without the user in it, and the header that names the user, which takes the place of a key's."""
    match = USER.match(api_base or "")
    if api_base is None or match is None:
        return api_base, {}
    name, _, password = match["user"].partition(":")
    basic = b64encode(f"{unquote(name)}:{unquote(password)}".encode()).decode()
    return match["way"] + api_base[match.end() :], {"Authorization": f"Basic {basic}"}
