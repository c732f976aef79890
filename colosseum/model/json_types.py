"""Pydantic schemas of the model's types. In: annotations of those types; out: how each stands in JSON.

Pydantic is imported only when a model is written or read: these are plain marks until then.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, get_args

from colosseum.model.record import Record

if TYPE_CHECKING:
    from pydantic_core import CoreSchema

Handler = Callable[[Any], "CoreSchema"]
STRICT = {"extra": "forbid", "allow_inf_nan": False}
"""Settings of the whole model: no unknown key, and finite numbers."""


class Tagged(Record):
    """A union: the field of this name says which of its types stands there."""

    field: str

    def __get_pydantic_core_schema__(self, source: Any, handler: Handler) -> "CoreSchema":
        from pydantic import Field

        return handler(Annotated[source, Field(discriminator=self.field)])


class OneOf(Record):
    """A text that is one of these."""

    words: tuple[str, ...]

    def __get_pydantic_core_schema__(self, source: Any, handler: Handler) -> "CoreSchema":
        from pydantic_core import core_schema

        return core_schema.literal_schema(list(self.words))


class Finite:
    """A number that is neither infinite nor not a number."""

    def __get_pydantic_core_schema__(self, source: Any, handler: Handler) -> "CoreSchema":
        from pydantic_core import core_schema

        return core_schema.float_schema(allow_inf_nan=False)  # a recursive type does not heed STRICT


class AsObject:
    """Pairs of a name and a value: `(("n", 6), ("m", 8))` stands as `{"n": 6, "m": 8}`."""

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> "CoreSchema":
        from pydantic_core import core_schema

        _, value = get_args(get_args(source)[0])
        written = core_schema.dict_schema(core_schema.str_schema(), handler.generate_schema(value))
        return core_schema.no_info_after_validator_function(
            lambda found: tuple(found.items()),
            written,
            serialization=core_schema.plain_serializer_function_ser_schema(dict, return_schema=written),
        )
