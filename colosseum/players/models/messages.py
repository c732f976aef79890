"""Chat messages for a model. In: a View and the templates; out: messages, byte for byte the same for equal views.

Nothing but the View's fields (never `data`) reaches a prompt. The words stand in the templates, which print what other
agents wrote as JSON on one line each, so that no post can pose as a second post or as a line of ours.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import groupby
from typing import Any, Literal, NotRequired, TypeAlias

from typing_extensions import TypedDict  # pydantic reads no other before Python 3.12

from colosseum.model.template_files import AsIs
from colosseum.players.models.shapes import a_name
from colosseum.players.models.tools import REMEMBERED, Tool, domain, plain, tools
from colosseum.players.models.written import thoughtless
from colosseum.players.protocol.templates import Templates, shipped
from colosseum.players.view import Post, Step, ToolCall, ToolResult, View

Dialect: TypeAlias = Literal["native", "text"]
"""How tools are offered and called: by the provider's interface, or as JSON in the text."""


class Message(TypedDict):
    """A chat message in OpenAI's shape, which litellm translates for every provider."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str | None
    tool_calls: NotRequired[list[dict[str, Any]]]
    tool_call_id: NotRequired[str]
    returned: NotRequired[Mapping[str, Any]]
    """Of the assistant: the same reply in its provider's own words, which are sent in place of these."""


def asked(view: View, templates: Templates, dialect: Dialect) -> tuple[list[Message], tuple[Tool, ...]]:
    """What a model is sent: messages, and tools where its provider's interface has them."""
    return messages(view, templates, dialect), tools(view, templates) if dialect == "native" else ()


def messages(view: View, templates: Templates | None = None, dialect: Dialect = "native") -> list[Message]:
    """The system message, earlier turns that the agent remembers, the state of the run, the running turn so far."""
    words, in_text = templates or shipped(), dialect == "text"
    written = how(tools(view, words), words) if in_text else None
    told: list[Message] = [{"role": "system", "content": system(view, words, written)}]
    for turn in (*view.earlier, view):
        told.append({"role": "user", "content": state(turn, words)})
        told += [m for step in turn.steps for m in (exchange_in_text if in_text else exchange)(step, words)]
    return list(_in_turns(told)) if in_text else told


def system(view: View, words: Templates, written: AsIs | None = None) -> str:
    """Who the agent is, the protocol in plain words, and the briefing; `written` says how calls are written."""
    place, briefing = view.position, tuple(map(AsIs, view.briefing))
    facts = {"rounds": place.rounds, "steps": place.steps, "memory": view.memory, "briefing": briefing}
    return words.say("system", me=view.me, agents=view.agents, written=written, **facts)


def state(view: View, words: Templates) -> str:
    """Where the run stands, as far as the agent can see."""
    place = view.position
    return words.say(
        "state", phase=place.phase, round=place.round, rounds=place.rounds,
        channels=[(c.name, c.members, c.secret, [_posted(words, post) for post in c.posts]) for c in view.channels],
        variables=[(variable.name, domain(variable)) for variable in view.variables],
        claims=view.claims,
        decided=[(agent, name, plain(value)) for agent, name, value in view.decided],
        notes=[(note.round, note.text) for note in view.notes],
    )  # fmt: skip


@lru_cache(maxsize=8 * REMEMBERED)
def _posted(words: Templates, post: Post) -> AsIs:
    return AsIs(words.say("shown", number=post.number, round=post.round, author=post.author, text=post.text))


def answered(result: ToolResult, words: Templates) -> str:
    """What a call came to."""
    return result.message if result.ok else words.say("error", message=AsIs(result.message))


def uncalled(step: Step, words: Templates) -> str:
    """What is said to a reply that calls no tool."""
    if step.results:
        return step.results[0].message
    return words.say("cut_short" if step.reply.finish == "length" else "uncalled")


def exchange(step: Step, words: Templates) -> Iterator[Message]:
    """What the model did and what it was answered; every call gets an answer, or providers refuse the history."""
    reply = step.reply
    calls = [_made(call) for call in reply.calls]
    said: Message = {"role": "assistant", "content": reply.note or None}
    if calls:
        said["tool_calls"] = calls
    if reply.provider_state:
        said["returned"] = reply.provider_state
    if calls or reply.note:
        yield said
    answers = {result.call.id: answered(result, words) for result in step.results}
    for call in reply.calls:
        content = answers.get(call.id) or words.say("dropped")
        yield {"role": "tool", "tool_call_id": call.id, "content": content}
    if reply.written:
        lost = [answered(result, words) for result in step.results if result.call in reply.written]
        yield {"role": "user", "content": "\n".join(lost)}
    elif not calls:
        yield {"role": "user", "content": uncalled(step, words)}


def _made(call: ToolCall) -> dict[str, Any]:
    """The call as the model made it, as far as providers take it back: not with every name, nor without JSON."""
    arguments = {"unreadable": call.arguments} if isinstance(call.arguments, str) else call.arguments
    made = {"name": a_name(call.tool), "arguments": json.dumps(arguments)}
    return {"id": call.id, "type": "function", "function": made}


# ---- calls in the text -------------------------------------------------------------------------------------------


def _in_turns(told: Iterable[Message]) -> Iterator[Message]:
    """The messages with the roles in turns, as chat templates of many open models require: texts of one role as one."""
    for role, group in groupby(told, key=lambda message: message["role"]):
        yield {"role": role, "content": "\n\n".join(message["content"] or "" for message in group)}


def how(offered: Sequence[Tool], templates: Templates | None = None) -> AsIs:
    """How tools are called, and which there are."""
    return AsIs((templates or shipped()).say("written", tools=[AsIs(_described(tool)) for tool in offered]))


def _described(tool: Tool) -> str:
    function = tool["function"]
    arguments = function["parameters"]["properties"]
    form = _written(ToolCall("", function["name"], dict.fromkeys(arguments, "…")))
    lines = [f"- {function['name']}: {function['description']}", f"  {form}"]
    return "\n".join((*lines, *(f"  {name}: {_domain(argument)}" for name, argument in arguments.items())))


def _domain(argument: Mapping[str, Any]) -> str:
    names = argument.get("enum")
    one_of = f" One of {', '.join(json.dumps(name, ensure_ascii=False) for name in names)}." if names else ""
    return f"{argument['description']}{one_of}"


def _written(call: ToolCall) -> str:
    """A call as it should be written; one that could not be read, as it was."""
    if isinstance(call.arguments, str):
        return call.arguments or call.tool
    return json.dumps({"tool": call.tool, "arguments": call.arguments}, ensure_ascii=False)


def exchange_in_text(step: Step, words: Templates) -> Iterator[Message]:
    """What the model wrote and what it was answered; who wrote nothing is not quoted."""
    parts = (thoughtless(step.reply.note), *map(_written, step.reply.calls))
    if said := "\n".join(part for part in parts if part):
        yield {"role": "assistant", "content": said}
    answers = (f"{result.call.tool or 'call'}: {answered(result, words)}" for result in step.results)
    called = step.reply.calls or step.reply.written
    yield {"role": "user", "content": "\n".join(answers) if called else uncalled(step, words)}
