"""The tools a model may call. In: a View; out: their JSON schemas, in OpenAI's shape.

`post` names the agent's own channels, `decide` (in the execution turn only) its own variables; `done` ends the turn.
"""

from typing import Literal, NotRequired, TypeAlias

from typing_extensions import TypedDict

from colosseum.players.models.messages import domain
from colosseum.players.view import View

TypeName: TypeAlias = Literal["string", "number", "integer", "null"]
Kind: TypeAlias = dict[Literal["type"], TypeName]


class Property(TypedDict):
    """One argument: of one type (with the strings it may be), or of any of several."""

    description: str
    type: NotRequired[TypeName]
    enum: NotRequired[list[str]]
    anyOf: NotRequired[list[Kind]]


class Parameters(TypedDict):
    """The arguments of a tool."""

    type: Literal["object"]
    properties: dict[str, Property]
    required: list[str]
    additionalProperties: bool


class Function(TypedDict):
    """A tool's name, what it does and what it takes."""

    name: str
    description: str
    parameters: Parameters


class Tool(TypedDict):
    """A tool as a chat request lists it."""

    type: Literal["function"]
    function: Function


def tools(view: View) -> list[Tool]:
    """What the agent may call in this turn; a tool that could never succeed is not offered."""
    if view.position.phase == "survey":
        return [_state_belief([name for name, _ in view.claims]), tool("done", "End your turn.", {})]
    offered: list[Tool] = []
    if view.channels:
        offered.append(_post([channel.name for channel in view.channels]))
    if view.position.phase == "execution" and view.variables:
        offered.append(_decide(view))
    return [*offered, tool("done", "End your turn.", {})]


def tool(name: str, description: str, properties: dict[str, Property]) -> Tool:
    """A tool all of whose arguments are required."""
    parameters: Parameters = {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
    return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}


def _post(channels: list[str]) -> Tool:
    return tool(
        "post",
        "Send a message to all members of one of your channels.",
        {
            "channel": {"type": "string", "enum": channels, "description": "The channel."},
            "text": {"type": "string", "description": "The message."},
        },
    )


def _state_belief(claims: list[str]) -> Tool:
    return tool(
        "state_belief",
        "Say what you hold one of the statements for.",
        {
            "claim": {"type": "string", "enum": claims, "description": "The name of the statement."},
            "belief": {"type": "string", "enum": ["false", "true", "unknown"], "description": "What you hold it for."},
            "confidence": {"type": "number", "description": "How sure you are, from 0 to 100."},
        },
    )


def _decide(view: View) -> Tool:
    domains = "; ".join(f"{variable.name}: {domain(variable)}" for variable in view.variables)
    fractions = any(isinstance(value, float) for variable in view.variables for value in variable.domain)
    kinds: list[Kind] = [{"type": "string"}, {"type": "number" if fractions else "integer"}, {"type": "null"}]
    return tool(
        "decide",
        "Set one of your own variables to a value of its domain.",
        {
            "variable": {
                "type": "string",
                "enum": [variable.name for variable in view.variables],
                "description": "The variable.",
            },
            "value": {"anyOf": kinds, "description": f"A value that the variable may take. {domains}"},
        },
    )
