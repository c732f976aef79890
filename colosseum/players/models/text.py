"""What a model is told that calls tools in its text. In: a View and the templates; out: chat messages, and no tools.

It is told the same as any other model, and besides how calls are written and what tools there are. Its calls and what
they came to are told back as text. Who writes nothing is not quoted, so that the roles always take turns, as the chat
templates of many open models require.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from colosseum.model.template_files import Line
from colosseum.players.models.messages import Message, answered, state, system, uncalled
from colosseum.players.models.tools import Tool, tools
from colosseum.players.models.written import thoughtless
from colosseum.players.protocol.templates import Templates, shipped
from colosseum.players.view import Step, ToolCall, View


def messages(view: View, templates: Templates | None = None) -> list[Message]:
    """The system message, earlier turns that the agent remembers, the state of the run, the running turn so far."""
    words = templates or shipped()
    written = how(tools(view, words), words)
    told: list[Message] = [{"role": "system", "content": system(view, words, written)}]
    for turn in (*view.earlier, view):
        _tell(told, state(turn, words))
        for step in turn.steps:
            if said := _said(step):
                told.append({"role": "assistant", "content": said})
            _tell(told, _answer(step, words))
    return told


def _tell(told: list[Message], content: str) -> None:
    """Adds what the system says; where it spoke last, it goes on."""
    if told[-1]["role"] == "user":
        content = f"{told.pop()['content']}\n\n{content}"
    told.append({"role": "user", "content": content})


def how(offered: Sequence[Tool], templates: Templates | None = None) -> Line:
    """How tools are called, and which there are."""
    return Line((templates or shipped()).say("written", tools=[Line(_described(tool)) for tool in offered]))


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


def _said(step: Step) -> str:
    parts = (thoughtless(step.reply.note), *map(_written, step.reply.calls))
    return "\n".join(part for part in parts if part)


def _answer(step: Step, words: Templates) -> str:
    if not (step.reply.calls or step.reply.written):
        return uncalled(step, words)
    return "\n".join(f"{result.call.tool or 'call'}: {answered(result, words)}" for result in step.results)
