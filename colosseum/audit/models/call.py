"""One call of a model; the only file that knows litellm. In: messages and tools; out: an Answer or a Failure.

litellm takes seconds to import, so it is imported by the first call.
"""

import asyncio
import logging
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass

from colosseum.audit.models.failure import Failure, explain
from colosseum.audit.models.messages import Message
from colosseum.audit.models.reply import Answer, completion
from colosseum.audit.models.tools import Tool


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Which model is asked, where and how."""

    model: str
    """As litellm names it: `provider/model`."""
    api_base: str | None
    temperature: float | None
    """None is left to the provider; some models take no other."""
    max_tokens: int
    timeout: float
    """Seconds for the whole call."""


async def call(endpoint: Endpoint, messages: Sequence[Message], tools: Sequence[Tool]) -> Answer | Failure:
    """Asks once. Keys come from the environment, under the names that litellm documents for each provider."""
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # or the import downloads a price list
    os.environ.setdefault("LITELLM_MODE", "PRODUCTION")  # or the import reads a .env file
    import litellm
    import openai  # litellm's exceptions are declared as subclasses of openai's

    litellm.suppress_debug_info = True
    logging.getLogger("LiteLLM").setLevel(logging.CRITICAL)
    optional = {"temperature": endpoint.temperature, "api_base": endpoint.api_base}
    start = time.perf_counter()
    try:
        async with asyncio.timeout(endpoint.timeout):
            response = await litellm.acompletion(
                model=endpoint.model,
                messages=list(messages),
                tools=list(tools),
                max_tokens=endpoint.max_tokens,
                timeout=endpoint.timeout,
                num_retries=0,
                **{name: value for name, value in optional.items() if value is not None},
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
    read = completion(response)
    if read is None:
        return Failure("transport", f"the answer of `{endpoint.model}` could not be read", again=True)
    # The price that `completion_cost` gives, computed by litellm with the answer; None for a model without a price.
    cost = response._hidden_params.get("response_cost")
    return Answer(read, cost, time.perf_counter() - start)
