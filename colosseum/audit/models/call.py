"""One call of a model; the only file that knows litellm. In: a Request; out: an Answer or a Failure.

litellm takes seconds to import, so it is imported by the first call.
"""

import asyncio
import logging
import os
import re
import time
from collections.abc import Mapping
from typing import Any

from colosseum.audit.models.failure import Failure, explain
from colosseum.audit.models.reply import MILLION, Answer, LongPrice, Price
from colosseum.audit.models.request import Request

OWN_MACHINES = ("lemonade", "llamafile", "lm_studio", "ollama", "ollama_chat")
"""Providers that are programs on a machine of one's own: a price of 0 is believed of nobody else."""
LONG = re.compile(r"input_cost_per_token_above_(\d+)k_tokens")


async def call(request: Request) -> Answer | Failure:
    """Asks once. Keys come from the environment, under the names that litellm documents for each provider."""
    litellm = library()
    import openai  # litellm's exceptions are declared as subclasses of openai's

    endpoint = request.endpoint
    start = time.perf_counter()
    try:
        async with asyncio.timeout(endpoint.timeout):
            response = await litellm.acompletion(
                model=endpoint.model,
                messages=list(request.messages),
                max_tokens=endpoint.max_tokens,
                timeout=endpoint.timeout,
                num_retries=0,
                **_optional(request),
            )
    except (openai.OpenAIError, OSError) as error:
        needed = litellm.validate_environment(endpoint.model)["missing_keys"]
        return explain(
            error,
            model=endpoint.model,
            api_base=endpoint.api_base,
            timeout=endpoint.timeout,
            missing_keys=tuple(needed),
        )
    # The price that `completion_cost` gives, computed by litellm with the answer; None for a model without a price.
    # It is 0 where tokens were not counted, and where the list has a 0 for want of a price.
    cost = response._hidden_params.get("response_cost")
    cost = cost if cost or _own(endpoint.model) else None
    raw = response.model_dump(mode="json", exclude_none=True, warnings=False)
    answer = Answer(raw, cost, round(time.perf_counter() - start, 4))
    if answer.completion is None:
        return Failure("transport", f"the answer of `{endpoint.model}` could not be read", again=True)
    return answer.priced(endpoint.price) if endpoint.price else answer


def library() -> Any:  # a border: litellm's own types are not exact
    """litellm, quiet, and without a look at the network or at a .env file."""
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # or the import downloads a price list
    os.environ.setdefault("LITELLM_MODE", "PRODUCTION")  # or the import reads a .env file
    import litellm

    litellm.suppress_debug_info = True
    logging.getLogger("LiteLLM").setLevel(logging.CRITICAL)
    return litellm


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
    return Price(prompt * MILLION, completion * MILLION, _long(found))


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


def _optional(request: Request) -> dict[str, Any]:
    """Arguments that are left out where there is nothing to say."""
    endpoint = request.endpoint
    said = {
        "temperature": endpoint.temperature,
        "api_base": endpoint.api_base,
        "extra_body": dict(endpoint.extra_body) or None,
        "tools": list(request.tools) or None,
    }
    return {name: value for name, value in said.items() if value is not None}
