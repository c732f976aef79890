"""Scenarios as JSON. In: a Scenario or its JSON; out: bytes that are equal for equal scenarios, or the Scenario."""

import hashlib
from functools import cache
from typing import TYPE_CHECKING

from colosseum.model.scenario import Scenario

if TYPE_CHECKING:
    from pydantic import TypeAdapter


@cache
def _adapter() -> "TypeAdapter[Scenario]":
    from pydantic import TypeAdapter

    return TypeAdapter(Scenario)


def dump(scenario: Scenario) -> bytes:
    """Compact UTF-8 JSON, `schema` 1; equal scenarios give equal bytes."""
    return _adapter().dump_json(scenario)


def load(data: bytes) -> Scenario:
    """The scenario of a JSON text; raises pydantic.ValidationError."""
    return _adapter().validate_json(data)


def content_hash(scenario: Scenario) -> str:
    """SHA-256 of the JSON, in hexadecimal: the scenario's identity."""
    return hashlib.sha256(dump(scenario)).hexdigest()
