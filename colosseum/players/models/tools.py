"""The tools a model may call. In: a View and the templates; out: their JSON schemas, in OpenAI's shape.

`post` names the agent's own channels, `decide` (in the execution turn only) its own variables; `done` ends the turn.
"""

from functools import lru_cache
from typing import Any, TypeAlias

from colosseum.model.scenario import Variable
from colosseum.model.template_files import AsIs, json_line
from colosseum.model.values import Value, is_number, text
from colosseum.players.protocol.templates import Templates, shipped
from colosseum.players.view import View

REMEMBERED = 256
"""System messages and lists of tools that are kept, as an agent's are the same in all turns; posts eight times."""
Tool: TypeAlias = dict[str, Any]
"""A tool as a chat request lists it: a border, what JSON holds. Nobody may change one that is remembered."""


def tools(view: View, templates: Templates | None = None) -> tuple[Tool, ...]:
    """What the agent may call in this turn; a tool that could never succeed is not offered."""
    survey, execution = (view.position.phase == phase for phase in ("survey", "execution"))
    return _tools(
        templates or shipped(),
        () if survey else tuple(channel.name for channel in view.channels),
        view.variables if execution else (),
        tuple(name for name, _ in view.claims) if survey else None,
    )


@lru_cache(maxsize=REMEMBERED)
def _tools(
    words: Templates, channels: tuple[str, ...], variables: tuple[Variable, ...], claims: tuple[str, ...] | None
) -> tuple[Tool, ...]:
    offered = [] if claims is None else [tool(words, "state_belief", claims=claims)]
    if channels:
        offered.append(tool(words, "post", channels=channels))
    if variables:
        fractions = any(isinstance(value, float) for variable in variables for value in variable.domain)
        domains = json_line("; ".join(f"{variable.name}: {domain(variable)}" for variable in variables))
        offered.append(tool(
            words, "decide", variables=[variable.name for variable in variables], domains=AsIs(domains[1:-1]),
            number="number" if fractions else "integer",
        ))  # fmt: skip
    return (*offered, tool(words, "done"))


def tool(words: Templates, name: str, **facts: object) -> Tool:
    """A tool by its template; all of its arguments are required."""
    found = words.tool(name, **facts)
    arguments: Any = found["arguments"]
    kinds = {"type": "object", "properties": arguments, "required": list(arguments), "additionalProperties": False}
    function = {"name": found["name"], "description": found["description"], "parameters": kinds}
    return {"type": "function", "function": function}


def domain(variable: Variable) -> AsIs:
    """`"a", "b", 3, null`: the values as `decide` takes them."""
    return AsIs(", ".join(json_line(plain(value)) for value in variable.domain))


def plain(value: Value) -> str | int | float | None:
    """A value as a tool argument: numbers and none as JSON has them, all else as the text users read."""
    return value if value is None or is_number(value) else text(value)
