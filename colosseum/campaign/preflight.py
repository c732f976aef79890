"""Finds out before the first run whether models can play. In: their Endpoints; out: what is wrong, in words.

What they answer is paid for like any other answer, and its calls stand in the folder.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from functools import partial
from uuid import uuid4

from colosseum.campaign.calls import line_of
from colosseum.campaign.folder import Folder
from colosseum.campaign.money import dollars
from colosseum.campaign.purse import Account, Purse
from colosseum.campaign.retry import Attempt, Provider
from colosseum.campaign.runner import PaidSource
from colosseum.diagnostics import stop
from colosseum.players.models.failure import Failure
from colosseum.players.models.messages import Message, exchange, how
from colosseum.players.models.reply import Answer, reply
from colosseum.players.models.request import Endpoint, Halt, Place, Question
from colosseum.players.models.tools import tool
from colosseum.players.own_source import Unplayable, load
from colosseum.players.protocol.templates import shipped
from colosseum.players.view import Reply, Step, ToolResult
from colosseum.run.redaction import Redaction
from colosseum.run.run import completed

SYSTEM, USER = "You act through tools only.", "Call the tool `ready` now."
ATTEMPTS = 2
PATIENCE = 30.0  # seconds that it may wait for a provider that limits the rate: nobody is told meanwhile
OF_TOOLS = re.compile(r"\b(?:tools?|tool_\w+|functions?)\b", re.IGNORECASE)
TRY_TEXT = "try `--tools text`, for models that write their calls as text"


def ask_whether_they_can(
    models: Mapping[str, Endpoint], part: str, say: Callable[[str], None], purse: Purse, folder: Folder,
    redaction: Redaction, shard: str | None = None,
) -> None:  # fmt: skip
    """Ask every model once, before the first run, whether it can play or judge. Raises ColosseumError."""
    say(f"asking {', '.join(models)} whether {'it' if len(models) == 1 else 'they'} can {part} …")
    apart, account, lines = replace(purse, changed=asyncio.Event()), Account("preflight"), list[bytes]()
    source = PaidSource(Provider(attempts=ATTEMPTS, most_wait=PATIENCE), apart)
    path = folder.path / "preflight" / (shard or "") / f"{uuid4().hex[:16]}.calls.jsonl"

    def heard(request: Question, attempt: Attempt) -> None:
        lines.append(line_of(request, attempt, redaction))
        if isinstance(attempt.result, Answer) or attempt.result.came:
            folder.keep(path, b"".join(lines))

    async def verdict(endpoint: Endpoint) -> str | None:
        try:
            return await preflight(endpoint, partial(source.ask, account, heard=heard))
        except Halt:  # there is no money for it, nor for runs
            return None

    async def verdicts() -> list[str | None]:
        return await asyncio.gather(*map(verdict, models.values()))

    wrong = list(filter(None, completed(verdicts())))
    purse.spent, purse.unpriced = apart.spent, apart.unpriced  # what else it shows is not of runs
    purse.bounded, purse.unanswered = apart.bounded, apart.unanswered
    if wrong:
        cost = f"; asking cost {dollars(account.spent)}" * (account.spent > 0)
        raise stop("C124", wrong[0], help=f"no run was started{cost}")


async def preflight(endpoint: Endpoint, ask: Callable[[Question], Awaitable[Answer | Failure]]) -> str | None:
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
    result = await ask(asked)
    if isinstance(result, Answer):
        said = reply(result, known={"ready": ()}, as_text=in_text)
        wrong = _verdict(said, endpoint)
        if wrong is not None or said.provider_state is None:
            return wrong
        results = tuple(ToolResult(call, ok=True, message="You can. Call `ready` once more.") for call in said.calls)
        asked = replace(asked, messages=(*asked.messages, *exchange(Step(said, results), shipped())))
        result = await ask(asked)
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
