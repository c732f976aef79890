"""Answers in odd shapes. In: the JSON of a provider's answer; out: JSON that its clients seldom see.

A field is found by its name, wherever it is: so an answer of OpenAI's, Anthropic's or Gemini's form is changed alike.
"""

import json
import random
from collections.abc import Callable
from functools import partial
from typing import Final, TypeAlias

Json: TypeAlias = object
DIGITS: Final = "9" * 5_000  # more than Python reads as one number
DEEP: Final = "[" * 3_000 + "]" * 3_000
ARGUMENTS: Final = "arguments"
CALLED_WITH: Final = ("arguments", "input", "args")
"""Fields that hold the arguments of a call: OpenAI's, a text of JSON; Anthropic's and Gemini's, an object."""
ODD_OBJECTS: Final[tuple[Json, ...]] = ({}, [], "text", 7, {"unknown": None}, {"channel": {}, "variable": []})
ODD_TEXTS: Final = (
    "", "{no json", f'{{"text": {DIGITS}}}', f'{{"text": {DEEP}}}', '{"value": 1e999}',
    *(json.dumps(each) for each in ODD_OBJECTS),
)  # fmt: skip


def reshaped(kind: str, answer: bytes, draw: random.Random) -> bytes | None:
    """The answer with one thing odd; None where it has no place for that, as where it is a stream."""
    try:
        read = json.loads(answer)
    except ValueError:
        return None
    if not isinstance(read, dict) or not read:
        return None
    if kind == ARGUMENTS:
        return _with_change(CALLED_WITH, partial(_odd_arguments, draw=draw), read)
    return SHAPES[kind](read)


def _odd_arguments(given: Json, draw: random.Random) -> Json:
    return draw.choice(ODD_TEXTS) if isinstance(given, str) else draw.choice(ODD_OBJECTS)


def _parts(content: Json) -> Json:
    """A text as a list of parts, as some servers send it; nothing else is changed."""
    return [{"type": "text", "text": content}] if isinstance(content, str) else content or []


def _with_field(value: str, answer: Json) -> bytes:
    """One more field, whose value need not be JSON that Python writes."""
    return f'{{"odd": {value}, {json.dumps(answer)[1:]}'.encode()


def _with_change(names: tuple[str, ...], change: Callable[[Json], Json], answer: Json) -> bytes | None:
    found = _changed(answer, names, change)
    return None if found == answer else json.dumps(found).encode()


def _changed(value: Json, names: tuple[str, ...], change: Callable[[Json], Json]) -> Json:
    """The value with these fields changed, wherever they are."""
    match value:
        case dict():
            return {name: change(it) if name in names else _changed(it, names, change) for name, it in value.items()}
        case list():
            return [_changed(each, names, change) for each in value]
        case _:
            return value


SHAPES: Final[dict[str, Callable[[Json], bytes | None]]] = {
    "number": partial(_with_field, DIGITS),
    "deep": partial(_with_field, DEEP),
    "usage-text": partial(_with_change, ("usage",), str),
    "content-list": partial(_with_change, ("content",), _parts),
    "tool-calls-object": partial(_with_change, ("tool_calls",), lambda calls: {"0": calls}),
}
"""How each odd shape is made; None where the answer lacks the field."""
