"""Finds out before the first paid run whether a model can play. In: its Endpoint; out: None, or what is wrong."""

import asyncio
import re
from dataclasses import replace

from colosseum.campaign.retry import Provider, Sleep
from colosseum.players.models.failure import Failure
from colosseum.players.models.messages import Message, exchange, how
from colosseum.players.models.reply import Answer, reply
from colosseum.players.models.request import Endpoint, Place, Question
from colosseum.players.models.tools import tool
from colosseum.players.own_source import Unplayable, load
from colosseum.players.protocol.templates import shipped
from colosseum.players.view import Reply, Step, ToolResult

SYSTEM, USER = "You act through tools only.", "Call the tool `ready` now."
ATTEMPTS = 2
PATIENCE = 30.0
"""Seconds that it may wait for a provider that limits the rate: nobody is told meanwhile."""
OF_TOOLS = re.compile(r"\b(?:tools?|tool_\w+|functions?)\b", re.IGNORECASE)
TRY_TEXT = "try `--tools text`, for models that write their calls as text"


async def preflight(endpoint: Endpoint, sleep: Sleep = asyncio.sleep) -> str | None:
    """Asks for one call of one tool. None when it came, else a sentence for the user.

    Where reasoning came with it, the call is answered and the model asked again: it may want its reasoning back. A
    user's own agent is imported, and not asked.
    """
    if endpoint.own is not None:
        try:
            load(endpoint.model, tuple(endpoint.own.items()))
        except Unplayable as fault:
            return f"{fault}; {fault.help}".rstrip("; ")
        return None
    in_text, ready = endpoint.dialect == "text", tool(shipped(), "ready")
    system = f"{SYSTEM}\n\n{how([ready])}" if in_text else SYSTEM
    messages: tuple[Message, ...] = ({"role": "system", "content": system}, {"role": "user", "content": USER})
    asked = Question(endpoint, messages, () if in_text else (ready,), Place())
    provider = Provider(attempts=ATTEMPTS, most_wait=PATIENCE, sleep=sleep)
    result = await provider.ask(asked)
    if isinstance(result, Answer):
        said = reply(result, known={"ready": ()}, as_text=in_text)
        wrong = _verdict(said, endpoint)
        if wrong is not None or said.provider_state is None:
            return wrong
        results = tuple(ToolResult(call, ok=True, message="You can. Call `ready` once more.") for call in said.calls)
        asked = replace(asked, messages=(*asked.messages, *exchange(Step(said, results), shipped())))
        result = await provider.ask(asked)
    match result:
        case Failure(reason=reason):
            blamed = endpoint.dialect == "native" and OF_TOOLS.search(reason.replace(endpoint.model, ""))
            return f"{reason}; {TRY_TEXT}" if blamed else reason
        case Answer():
            return None


def _verdict(said: Reply, endpoint: Endpoint) -> str | None:
    model, in_text = f"`{endpoint.model}`", endpoint.dialect == "text"
    if any(call.tool == "ready" and not isinstance(call.arguments, str) for call in said.calls):
        return None
    if said.finish == "length":
        return f"{model} used up its {endpoint.most_tokens} tokens before it called a tool: allow it more"
    if in_text:
        return f"{model} answered but wrote no call that can be read: agents need a model that calls tools"
    if said.written:
        return f"{model} wrote its call as text, which is not read: {TRY_TEXT}"
    return f"{model} answered but did not call the tool it was given: {TRY_TEXT}"
