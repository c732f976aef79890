"""A player that is the user's own agent. In: a View; out: its Reply, checked, and kept like a model's answer.

An agent is made once for each run and agent, at its first act. Replies that are on file are not asked for again: an
agent with a `resume` hook is told of them before it acts on.
"""

import asyncio
import inspect
import json
import sys
import time
import traceback
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from colosseum.players.models.failure import Failure
from colosseum.players.models.messages import messages
from colosseum.players.models.reply import Answer, identified
from colosseum.players.models.request import Asker, Endpoint, Place, Question
from colosseum.players.models.shapes import MOST_TOKENS
from colosseum.players.models.tools import tools
from colosseum.players.models.written import writable
from colosseum.players.own_source import Unplayable, load, module_of
from colosseum.players.own_thread import HeldUp, Late, carry_out
from colosseum.players.view import CallFailed, Player, Reply, Usage, View

LONGEST = 300  # characters of an agent's own words in a reason
REPLIES = TypeAdapter(Reply)  # how replies are written down, and read again


@dataclass
class OwnPlayer:
    """One agent of one run."""

    endpoint: Endpoint
    asker: Asker
    agent: Player | None = None
    played: list[tuple[View, Reply]] = field(default_factory=list)
    """All that it was shown and did so far in this run."""

    async def act(self, view: View) -> Reply:
        """Do one step. Raises CallFailed where the agent raises, is late or returns no Reply."""
        seen = replace(view, data=None)
        place = Place(view.me, view.position.phase, view.position.round, len(view.steps) + 1)
        request = Question(self.endpoint, messages(seen), tools(seen), place, by=partial(self._answer, seen))
        match await self.asker.ask(request):
            case Answer(raw=raw):
                reply = REPLIES.validate_python(raw["reply"])
                self.played.append((seen, reply))
                return reply
            case Failure(kind=kind, reason=reason):
                raise CallFailed(kind, reason)

    async def _answer(self, view: View) -> Answer | Failure:
        """Ask the agent itself."""
        while True:
            try:
                return await carry_out(partial(self._limited, view), self.endpoint.timeout)
            except HeldUp:
                self.agent = None
            except Late:
                return self._late(", and does not stop: its act blocks")

    async def _limited(self, view: View) -> Answer | Failure:
        """On the agents' loop; whatever an agent raises, down to SystemExit, is a failure of its run."""
        name, start, limit = self.endpoint.model, time.perf_counter(), asyncio.timeout(self.endpoint.timeout)
        try:
            async with limit:
                reply = checked(await self._acted(view), view, name)
        except Unplayable as fault:
            return Failure("agent", f"{fault}; {fault.help}".rstrip("; "), again=False)
        except BaseException as error:  # noqa: BLE001 - the agent is the user's, and may raise anything
            if limit.expired():
                return self._late()
            return Failure("agent", f"`{name}` raised {_raised(error, module_of(name))}", again=False)
        seconds = round(time.perf_counter() - start, 4)
        taken = None if reply.usage is None else replace(reply.usage, seconds=seconds)
        written = REPLIES.dump_python(replace(reply, usage=taken), mode="json")
        return Answer({"reply": written}, 0.0 if taken is None else taken.cost, seconds)

    async def _acted(self, view: View) -> object:
        """What the agent returns; it is made first where there is none yet, and told its name if it asks for that."""
        if self.agent is None:
            kind = load(self.endpoint.model, tuple((self.endpoint.own or {}).items()))
            agent = kind(agent=view.me) if "agent" in inspect.signature(kind).parameters else kind()
            if self.played and (resume := getattr(agent, "resume", None)) is not None:
                told = resume(tuple(self.played))
                if inspect.isawaitable(told):
                    await told
            self.agent = agent
        return await self.agent.act(view)

    def _late(self, more: str = "") -> Failure:
        words = f"`{self.endpoint.model}` did not answer within {self.endpoint.timeout:g} s{more}"
        return Failure("timeout", words, again=False)


def checked(given: object, view: View, name: str) -> Reply:
    """What an agent returned as it can be written down, each call with an id. Raises Unplayable."""
    if not isinstance(given, Reply):
        raise Unplayable(f"`{name}` returned {_cut(repr(given))}, which is not a Reply")
    try:
        written = json.dumps(asdict(given), allow_nan=False, ensure_ascii=False)
        reply = replace(REPLIES.validate_json(writable(written)), written=(), provider_state=None)
    except ValidationError as error:
        first = error.errors()[0]
        words = f"`{'.'.join(map(str, first['loc']))}`: {first['msg']}, not {_cut(repr(first['input']))}"
        raise Unplayable(f"`{name}` returned a Reply with no such {words}") from None
    except (TypeError, ValueError, RecursionError) as error:
        raise Unplayable(f"`{name}` returned a Reply that cannot be written as JSON: {_cut(str(error))}") from None
    taken = reply.usage or Usage()
    if not all(0 <= (n or 0) < MOST_TOKENS for n in (taken.prompt_tokens, taken.completion_tokens, taken.cost)):
        raise Unplayable(f"`{name}` returned an impossible Usage: {taken}")
    used = frozenset(call.id for step in view.steps for call in step.reply.calls)
    return replace(reply, calls=identified(reply.calls, used))


def _raised(error: BaseException, module: str) -> str:
    """Type, message and the last line of the agent's own module that it came through."""
    frames, file = traceback.extract_tb(error.__traceback__), getattr(sys.modules.get(module), "__file__", None)
    at = next((frame for frame in reversed(frames) if frame.filename == file), frames[-1])
    words = f"{type(error).__name__}: {_cut(str(traceback.TracebackException(type(error), error, None)))}".rstrip(": ")
    return f"{words}, in line {at.lineno} of {Path(at.filename).name}: `{_cut(at.line or '')}`"


def _cut(words: str) -> str:
    line = " ".join(words.split())
    return line if len(line) <= LONGEST else f"{line[:LONGEST]}…"
