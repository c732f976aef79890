"""JSON. In: JSON as Python holds it, or a dataclass; out: a text that is equal for equal content, or plain values."""

import json
from collections.abc import Mapping, Sequence
from typing import TypeAlias

Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"
_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False, check_circular=False)


def encode(content: Mapping[str, Json]) -> str:
    """One line of JSON, the same for equal content. Raises ValueError on a number that is not finite."""
    return _JSON.encode(content)


def plain(content: object) -> Json:
    """A dataclass or model as plain values, by pydantic: each field under its name."""
    from pydantic import TypeAdapter

    found: Json = TypeAdapter(type(content)).dump_python(content, mode="json")
    return found
