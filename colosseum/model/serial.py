"""JSON. In: a Scenario or other content, or its JSON; out: equal bytes for equal content, or the Scenario.

Numbers are finite and keys in a fixed order, as the JSON Schema that ships as `grammar/model.schema.json` says.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

from colosseum.language import shipped
from colosseum.model.scenario import Scenario

Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"
_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False, check_circular=False)


def encode(content: Mapping[str, Json]) -> str:
    """One line of JSON, the same for equal content. Raises ValueError on a number that is not finite."""
    return _JSON.encode(content)


def plain(content: object) -> Json:
    """A dataclass or model as plain values, by pydantic: each field under its name."""
    kind: Any = type(content)
    found: Json = adapter(kind).dump_python(content, mode="json")
    return found


if TYPE_CHECKING:
    from pydantic import TypeAdapter

SCHEMA = 1
LEFT_OUT = {"paraphrases", "suspects", "thoughts", "wire"}
"""Keys that stand only where they hold something: models that need none of them are as they were before."""


class NotAModel(ValueError):  # noqa: N818 - what the file is, not what went wrong in Python
    """A text that holds no scenario; its words say why, to follow the name of the file."""


@cache
def adapter(kind: type[Any]) -> "TypeAdapter[Any]":
    """What pydantic makes of a type."""
    from pydantic import TypeAdapter

    return TypeAdapter(kind)


def dump(scenario: Scenario) -> bytes:
    """One line of UTF-8 JSON, `schema` 1; equal scenarios give equal bytes.

    Numbers are written as Python writes them: other writers of JSON differ between their releases.
    """
    plain = adapter(Scenario).dump_python(scenario, mode="json", by_alias=True)
    variants = (variant for prompt in plain["prompts"] for variant in prompt["variants"])
    for each in (*plain["channels"], *plain["claims"], *plain["rubrics"], *variants):
        for key in each.keys() & LEFT_OUT:
            each.pop(key) if not each[key] else None
    return f"{encode(plain)}\n".encode()


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
        found: Scenario = adapter(Scenario).validate_json(data)
    except ValidationError as wrong:
        first = wrong.errors(include_url=False, include_context=False)[0]
        words, place = f"{first['msg'][:1].lower()}{first['msg'][1:]}", ".".join(map(str, first["loc"]))
        raise NotAModel(f"does not fit `schema: {SCHEMA}` at `{place}`: {words}") from None
    return found


def schema_text() -> str:
    """The JSON Schema, draft 2020-12, that every model fits."""
    return (shipped("grammar") / "model.schema.json").read_text(encoding="utf-8")


def content_hash(scenario: Scenario) -> str:
    """SHA-256 of the JSON, in hexadecimal: the scenario's identity, and what `sha256sum` says of its file."""
    return hashlib.sha256(dump(scenario)).hexdigest()
