"""The JSON Schema of models. In: the model's types; out: draft 2020-12, with what each field is in its own words."""

import json
from dataclasses import fields, is_dataclass
from typing import Any

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from colosseum.model.serial import SCHEMA, adapter

IDENTITY = f"urn:colosseum:model:{SCHEMA}"
TITLE = "Colosseum model"
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


class _Generate(GenerateJsonSchema):
    """Every key is always written, in declared order, and tagged unions are told apart by their tag alone."""

    def dataclass_schema(self, schema: core_schema.DataclassSchema) -> JsonSchemaValue:
        found = super().dataclass_schema(schema)
        written, of = found["properties"], schema["cls"]
        assert is_dataclass(of)
        names = [f.name for f in fields(of)] if len(written) > 1 else list(written)
        return {
            "type": "object",
            "description": found["description"],
            "properties": {name: _plain(written[name]) for name in names},
            "required": names,
            "additionalProperties": False,
        }

    def tagged_union_schema(self, schema: core_schema.TaggedUnionSchema) -> JsonSchemaValue:
        tag = str(schema["discriminator"])
        known = {str(name): self.generate_inner(choice) for name, choice in schema["choices"].items()}
        return {
            "type": "object",
            "properties": {tag: {"enum": list(known)}},
            "required": [tag],
            "allOf": [{"if": {"properties": {tag: {"const": name}}}, "then": choice} for name, choice in known.items()],
        }

    def sort(self, value: JsonSchemaValue, parent_key: str | None = None) -> JsonSchemaValue:
        return value


def _description(name: str) -> dict[str, str]:
    return {"description": UNIONS[name]} if name in UNIONS else {}


def _plain(field: dict[str, Any]) -> dict[str, Any]:
    """A field without what pydantic adds for forms."""
    return {key: value for key, value in field.items() if key not in ("title", "default")}


def json_schema() -> dict[str, Any]:
    """The schema of `schema: 1`."""
    found = adapter().json_schema(mode="serialization", schema_generator=_Generate)
    definitions = {name: {**_description(name), **content} for name, content in sorted(found.pop("$defs").items())}
    identity = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": IDENTITY, "title": TITLE}
    return {**identity, **found, "description": ABOUT, "$defs": definitions}


def schema_text() -> str:
    """The schema as it is published: indented, ending in a line feed."""
    return json.dumps(json_schema(), ensure_ascii=False, indent=2) + "\n"
