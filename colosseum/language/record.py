"""Records. In: a class with annotated fields; out: a dataclass of them, equal where class and fields are equal.

Marks in the annotations say how a field stands in JSON. Pydantic is imported only when a model is written or read.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from operator import attrgetter
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, dataclass_transform, get_args

if TYPE_CHECKING:
    from pydantic_core import CoreSchema


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class Record:
    """Makes a dataclass of every class that derives from it; only type checkers refuse to change its fields.

    Comparing, hashing and showing stand once, here: generating them for each class takes three quarters of the time
    that a dataclass takes to make, and a frozen one takes thrice as long to fill.
    """

    _compared: ClassVar["attrgetter[Any]"]

    def __init_subclass__(cls) -> None:
        dataclass(eq=False, repr=False)(cls)
        names = [each.name for each in fields(cls) if each.compare]  # type: ignore[arg-type]  # it is one now
        cls._compared = attrgetter(*names or ("__class__",))

    def __eq__(self, other: object) -> bool:
        return self is other or (type(self) is type(other) and bool(self._compared(self) == self._compared(other)))

    def __hash__(self) -> int:
        return hash(self._compared(self))

    def __repr__(self) -> str:
        shown = (f"{each.name}={getattr(self, each.name)!r}" for each in fields(self) if each.repr)  # type: ignore[arg-type]
        return f"{type(self).__qualname__}({', '.join(shown)})"

Handler = Callable[[Any], "CoreSchema"]
STRICT = {"extra": "forbid", "allow_inf_nan": False}  # settings of the whole model: no unknown key, and finite numbers


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
