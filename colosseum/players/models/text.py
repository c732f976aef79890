"""What a model is told that calls tools in its text. In: a View; out: chat messages, with no tools beside them.

It is told the same as any other model, and besides how calls are written and what tools there are. Its calls and what
they came to are told back as text. Who writes nothing is not quoted, so that the roles always take turns, as the chat
templates of many open models require.
"""

import json
from collections.abc import Sequence

from colosseum.players.models.messages import Message, answered, rules, state, uncalled
from colosseum.players.models.tools import Property, Tool, tools
from colosseum.players.models.written import thoughtless
from colosseum.players.view import Step, ToolCall, View

HOW = """How you call tools: write each call into your reply as a JSON object of its own, with the tool's name and its
arguments. Every such object that you write is carried out, in their order; all else in your reply is a private note.
What the calls came to is in the message that follows. The tools of this turn:"""


def messages(view: View) -> list[Message]:
    """The system message, the state of the run, then the exchanges of the running turn."""
    system = "\n\n".join((rules(view), how(tools(view)), *view.briefing))
    told: list[Message] = [{"role": "system", "content": system}, {"role": "user", "content": state(view)}]
    for step in view.steps:
        said, answer = _said(step), _answer(step)
        if said:
            told += [{"role": "assistant", "content": said}, {"role": "user", "content": answer}]
        else:
            told[-1] = {"role": "user", "content": f"{told[-1]['content']}\n\n{answer}"}
    return told


def how(offered: Sequence[Tool]) -> str:
    """How tools are called, and which there are."""
    return "\n".join((HOW, *(_described(tool) for tool in offered)))


def _described(tool: Tool) -> str:
    function = tool["function"]
    arguments = function["parameters"]["properties"]
    form = _written(ToolCall("", function["name"], dict.fromkeys(arguments, "…")))
    lines = [f"- {function['name']}: {function['description']}", f"  {form}"]
    return "\n".join((*lines, *(f"  {name}: {_domain(argument)}" for name, argument in arguments.items())))


def _domain(argument: Property) -> str:
    names = argument.get("enum")
    one_of = f" One of {', '.join(json.dumps(name, ensure_ascii=False) for name in names)}." if names else ""
    return argument["description"] + one_of


def _written(call: ToolCall) -> str:
    """A call as it should be written; one that could not be read, as it was."""
    if isinstance(call.arguments, str):
        return call.arguments or call.tool
    return json.dumps({"tool": call.tool, "arguments": call.arguments}, ensure_ascii=False)


def _said(step: Step) -> str:
    parts = (thoughtless(step.reply.note), *map(_written, step.reply.calls))
    return "\n".join(part for part in parts if part)


def _answer(step: Step) -> str:
    if not step.results:
        return uncalled(step)
    return "\n".join(f"{result.call.tool or 'call'}: {answered(result)}" for result in step.results)
