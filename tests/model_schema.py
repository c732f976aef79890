"""The JSON Schema of models, `grammar/model.schema.json`. In: the types; out: what pydantic makes of them, with words.

The file ships as it stands there; `UPDATE_GOLDENS=1 pytest tests/test_model_serial.py` writes it again.
"""

import ast
import json
from importlib import import_module
from inspect import getsource
from itertools import pairwise
from typing import Any, TypeAlias

from colosseum.model.scenario import Scenario
from colosseum.model.serial import LEFT_OUT, SCHEMA, adapter

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
    model = adapter(Scenario).json_schema()
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


def published() -> str:
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
