"""Finds out before the first paid run whether a model can play. In: its Endpoint; out: None, or what is wrong."""

from colosseum.audit.models.failure import Failure
from colosseum.audit.models.messages import Message
from colosseum.audit.models.paid import Provider
from colosseum.audit.models.reply import Answer, reply
from colosseum.audit.models.request import Endpoint, Place, Request
from colosseum.audit.models.tools import tool
from colosseum.audit.protocol import Reply

READY = tool("ready", "Say that you can call tools.", {})
QUESTION: tuple[Message, ...] = (
    {"role": "system", "content": "You act through tools only."},
    {"role": "user", "content": "Call the tool `ready` now."},
)
ATTEMPTS = 2


async def preflight(endpoint: Endpoint, provider: Provider) -> str | None:
    """Asks for one call of one tool, twice at most. None when it came, else a sentence for the user."""
    result = await provider.ask(Request(endpoint, QUESTION, (READY,), Place()), attempts=ATTEMPTS)
    match result:
        case Failure(reason=reason):
            return reason
        case Answer():
            return _verdict(reply(result), model=endpoint.model, max_tokens=endpoint.max_tokens)


def _verdict(said: Reply, *, model: str, max_tokens: int) -> str | None:
    if any(call.tool == "ready" for call in said.calls):
        return None
    if said.finish == "length":
        return f"`{model}` used up its {max_tokens} tokens before it called a tool: allow it more"
    return f"`{model}` answered but did not call the tool it was given: agents need a model that calls tools"
