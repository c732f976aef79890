"""The JSON Schema of models. In: the model's types; out: draft 2020-12, with what each field is in its own words.

Written from the types themselves: the file that is published must not change with another release of a library.
"""

import ast
import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from inspect import getdoc, getsource
from itertools import pairwise
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeAlias, Union, get_args, get_origin, get_type_hints

from typing_extensions import TypeAliasType

from colosseum.model.json_types import AsObject, Finite, OneOf, Tagged
from colosseum.model.scenario import Scenario
from colosseum.model.serial import LEFT_OUT, SCHEMA

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
TAGS = {"op": "Which kind of term this is.", "how": "Which kind of split this is."}
"""What the fields are that tell the types of a union apart."""
TYPES = {str: "string", int: "integer", float: "number", bool: "boolean", NoneType: "null"}


def json_schema() -> Plain:
    """The schema of `schema: 1`."""
    writer = _Writer()
    model = writer.record(Scenario)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": IDENTITY,
        "title": "Colosseum model",
        **model,
        "description": ABOUT,
        "$defs": dict(sorted(writer.definitions.items())),
    }


def schema_text() -> str:
    """The schema as it is published: indented, ending in a line feed."""
    return json.dumps(json_schema(), ensure_ascii=False, indent=2) + "\n"


class _Writer:
    """Schemas of types; those with a name are defined once and referred to."""

    def __init__(self) -> None:
        self.definitions: dict[str, Plain] = {}

    def of(self, hint: Any) -> Plain:
        """The schema of a type as an annotation writes it."""
        origin, arguments = get_origin(hint), get_args(hint)
        if isinstance(hint, TypeAliasType):
            described = {"description": UNIONS[hint.__name__]}
            return self._named(hint.__name__, lambda: described | self.of(_resolved(hint)))
        if is_dataclass(hint) and isinstance(hint, type):
            return self._named(hint.__name__, lambda: self.record(hint))
        if origin is Annotated:
            return self._marked(*arguments)
        if origin is Literal:
            return {"const": arguments[0]} if len(arguments) == 1 else {"enum": list(arguments)}
        if origin is tuple and arguments[-1] is Ellipsis:
            return {"type": "array", "items": self.of(arguments[0])}
        if origin is tuple:
            parts = [self.of(part) for part in arguments]
            return {"type": "array", "prefixItems": parts, "minItems": len(parts), "maxItems": len(parts)}
        if origin in (Union, UnionType):
            return {"anyOf": [self.of(part) for part in arguments]}
        return {"type": TYPES[hint]}

    def record(self, of: type) -> Plain:
        """A dataclass: its keys in declared order, and no others; one whose default is none is left out then."""
        hints, words = get_type_hints(of, include_extras=True), TAGS | _docstrings(of.__module__)[of.__name__]
        assert is_dataclass(of)
        config: Mapping[str, Callable[[str], str]] = getattr(of, "__pydantic_config__", {})
        alias = config.get("alias_generator", str)
        properties = {alias(f.name): {**self.of(hints[f.name]), "description": words[f.name]} for f in fields(of)}
        return {
            "type": "object",
            "description": getdoc(of),
            "properties": properties,
            "required": [name for name in properties if name not in LEFT_OUT],
            "additionalProperties": False,
        }

    def _named(self, name: str, make: Callable[[], Plain]) -> Plain:
        if name not in self.definitions:
            self.definitions[name] = {}  # a type may be part of itself
            self.definitions[name] = make()
        return {"$ref": f"#/$defs/{name}"}

    def _marked(self, hint: Any, mark: object) -> Plain:
        match mark:
            case OneOf(words=words):
                return {"enum": list(words)}
            case Finite():
                return self.of(hint)
            case AsObject():
                _, value = get_args(get_args(hint)[0])
                return {"type": "object", "additionalProperties": self.of(value)}
            case Tagged(field=tag):
                return self._tagged(tag, get_args(hint))
        raise TypeError(mark)

    def _tagged(self, tag: str, choices: tuple[type, ...]) -> Plain:
        """Told apart by the tag alone: what is wrong is blamed where it stands, and no choice is tried in vain."""
        known = {get_args(get_type_hints(choice)[tag])[0]: self.of(choice) for choice in choices}
        return {
            "type": "object",
            "properties": {tag: {"enum": list(known)}},
            "required": [tag],
            "allOf": [
                {"if": {"properties": {tag: {"const": name}}}, "then": choice} for name, choice in known.items()
            ],
        }  # fmt: skip


def _resolved(alias: TypeAliasType) -> Any:
    """What an alias stands for, also where that is written as a text."""
    holder = type("_", (), {"__annotations__": {"value": alias.__value__}})
    return get_type_hints(holder, globalns=vars(sys.modules[alias.__module__ or ""]), include_extras=True)["value"]


@cache
def _docstrings(module: str) -> dict[str, dict[str, str]]:
    """The texts that stand under the fields of a module's classes."""
    found: dict[str, dict[str, str]] = {}
    for node in ast.parse(getsource(sys.modules[module])).body:
        if isinstance(node, ast.ClassDef):
            found[node.name] = {
                field.target.id: " ".join(str(text.value.value).split())
                for field, text in pairwise(node.body)
                if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
                and isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant)
            }  # fmt: skip
    return found
