"""Scenarios as JSON, and its JSON Schema. In: a Scenario or its JSON; out: equal bytes for equal scenarios, or it.

Numbers are finite and keys in a fixed order. The schema is draft 2020-12, made from what pydantic makes of the types.
"""

import ast
import hashlib
import json
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from inspect import getsource
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

from colosseum.model.scenario import Scenario

if TYPE_CHECKING:
    from pydantic import TypeAdapter, ValidationError

SCHEMA = 1
LEFT_OUT = {"paraphrases", "suspects", "thoughts", "wire"}
"""Keys that stand only where they hold something: models that need none of them are as they were before."""


class NotAModel(ValueError):  # noqa: N818 - what the file is, not what went wrong in Python
    """A text that holds no scenario; its words say why, to follow the name of the file."""


@cache
def adapter() -> "TypeAdapter[Scenario]":
    """What pydantic makes of the model's types."""
    from pydantic import TypeAdapter

    return TypeAdapter(Scenario)


def dump(scenario: Scenario) -> bytes:
    """One line of UTF-8 JSON, `schema` 1; equal scenarios give equal bytes.

    Numbers are written as Python writes them: other writers of JSON differ between their releases.
    """
    plain = adapter().dump_python(scenario, mode="json", by_alias=True)
    variants = (variant for prompt in plain["prompts"] for variant in prompt["variants"])
    for each in (*plain["channels"], *plain["claims"], *plain["rubrics"], *variants):
        for key in each.keys() & LEFT_OUT:
            each.pop(key) if not each[key] else None
    return (json.dumps(plain, ensure_ascii=False, allow_nan=False, separators=(",", ":")) + "\n").encode()


def load(data: bytes) -> Scenario:
    """The scenario of a JSON text; raises NotAModel."""
    from pydantic import ValidationError
    from pydantic_core import from_json

    try:
        content = from_json(data)
    except ValueError as wrong:
        raise NotAModel(f"is not JSON: {wrong}") from None
    if not isinstance(content, dict) or "schema" not in content:
        raise NotAModel(f"is not a model: a model is a JSON object with `schema: {SCHEMA}`")
    if content["schema"] != SCHEMA:
        written = json.dumps(content["schema"], ensure_ascii=False)
        raise NotAModel(f"has `schema: {written}`; this version of colosseum reads `schema: {SCHEMA}`")
    try:
        return adapter().validate_json(data)
    except ValidationError as wrong:
        raise NotAModel(_misfit(wrong, content)) from None


def content_hash(scenario: Scenario) -> str:
    """SHA-256 of the JSON, in hexadecimal: the scenario's identity, and what `sha256sum` says of its file."""
    return hashlib.sha256(dump(scenario)).hexdigest()


def _misfit(wrong: "ValidationError", content: object) -> str:
    """The first place where it is not as the schema says, and what is wrong there."""
    first = wrong.errors(include_url=False, include_context=False)[0]
    words = {"missing": "is missing", "unexpected_keyword_argument": "means nothing here"}.get(first["type"])
    place = _place(first["loc"], content)
    wrong_words = f"is not right: {first['msg'][:1].lower()}{first['msg'][1:]}"
    return f"does not fit `schema: {SCHEMA}`: `{place}` {words or wrong_words}"


def _place(steps: Iterable[int | str], content: object) -> str:
    """`task.variables[3].owner`: pydantic's steps that the text has, and the last of all."""
    place, kept, last = "", content, ""
    for step in steps:
        last = str(step)
        if isinstance(kept, list) and isinstance(step, int) and step < len(kept):
            place, kept, last = f"{place}[{step}]", kept[step], ""
        elif isinstance(kept, dict) and step in kept:
            place, kept, last = f"{place}.{step}", kept[str(step)], ""
    return (f"{place}.{last}" if isinstance(kept, dict) and last else place).removeprefix(".")

Plain: TypeAlias = dict[str, Any]
"""JSON."""
IDENTITY = f"urn:colosseum:model:{SCHEMA}"
ABOUT = (
    "A scenario checked and expanded for one seed: who decides what, what every assignment pays and to whom, what is "
    "required, who may conspire, who can talk to whom and what everybody is told. The file is one line of UTF-8 that "
    "ends in a line feed, its keys are in the order given here, and equal scenarios are equal bytes, so the SHA-256 "
    "of the file is the scenario's identity. Names are strings, numbers are finite (integers may be larger than 2^53), "
    'conditions are true or false, none is null, pairs are arrays and sets are {"set": [...]}.'
)
UNIONS = {
    "Credit": "Who is credited with a payoff.",
    "Term": (
        "What is left of an expression of the spec once loops, data and params are folded away: a number, a condition "
        "or another value for every assignment of the variables."
    ),
    "Value": "A number, a name, a condition, none, a pair or a set.",
}
"""What the types are that have no class of their own."""
MODULES = ("colosseum.model.scenario", "colosseum.model.terms", "colosseum.model.values")
"""Where the types are, with words under their fields."""
FIRST = {
    "schema": "The edition of this format.",
    "op": "Which kind of term this is.",
    "how": "Which kind of split this is.",
    "set": "Its elements, each once.",
}
"""What the keys are that come first in their objects."""


def json_schema() -> Plain:
    """The schema of `schema: 1`."""
    model = adapter().json_schema()
    definitions = model.pop("$defs")
    words = {name: each for module in MODULES for name, each in _docstrings(module).items()}
    for name, part in {"Scenario": model, **definitions}.items():
        part.pop("title", None)
        if "properties" in part:
            part["properties"] = _described(part["properties"], words[name])
            part["required"] = [key for key in part["properties"] if key not in LEFT_OUT]
        else:
            definitions[name] = {"description": UNIONS[name], **(_tagged(part) if "discriminator" in part else part)}
    dialect = "https://json-schema.org/draft/2020-12/schema"
    head = {"$schema": dialect, "$id": IDENTITY, "title": "Colosseum model", **model, "description": ABOUT}
    return {**head, "$defs": dict(sorted(definitions.items()))}


def schema_text() -> str:
    """The schema as it is published: indented, ending in a line feed."""
    return json.dumps(json_schema(), ensure_ascii=False, indent=2) + "\n"


def _described(properties: Plain, words: dict[str, str]) -> Plain:
    """Properties in the order in which they are written, each with what it is; every key is written, so none has a
    default."""
    said = words | FIRST
    plain = {
        key: {word: part for word, part in field.items() if word not in ("title", "default")}
        for key, field in properties.items()
    }
    return {key: {**plain[key], "description": said[key]} for key in sorted(plain, key=lambda key: key not in FIRST)}


def _tagged(union: Plain) -> Plain:
    """Told apart by the tag alone: what is wrong is blamed where it stands, and no choice is tried in vain."""
    tag, choices = union["discriminator"]["propertyName"], union["discriminator"]["mapping"]
    return {
        "type": "object",
        "properties": {tag: {"enum": list(choices)}},
        "required": [tag],
        "allOf": [
            {"if": {"properties": {tag: {"const": name}}}, "then": {"$ref": choice}} for name, choice in choices.items()
        ],
    }  # fmt: skip


def _docstrings(module: str) -> dict[str, dict[str, str]]:
    """The texts that stand under the fields of a module's classes."""
    return {
        node.name: {
            field.target.id: " ".join(str(text.value.value).split())
            for field, text in pairwise(node.body)
            if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
            and isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant)
        }
        for node in ast.parse(getsource(import_module(module))).body if isinstance(node, ast.ClassDef)
    }  # fmt: skip
