"""JSON on one line. In: JSON as Python holds it; out: a text that is equal for equal content."""

import json
from collections.abc import Mapping, Sequence
from typing import TypeAlias

Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"
_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False, check_circular=False)


def encode(content: Mapping[str, Json]) -> str:
    """One line of JSON, the same for equal content. Raises ValueError on a number that is not finite."""
    return _JSON.encode(content)
