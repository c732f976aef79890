"""Answers that show themselves. In: what was found, and its blocks; out: an equal value that shows its page."""

from collections.abc import Callable, Iterable
from dataclasses import fields
from io import StringIO
from typing import Any, TypeVar, cast

from colosseum.report.document import Block
from colosseum.report.html.page import cell_of
from colosseum.report.page import print_blocks

T = TypeVar("T")


def paged(found: T, blocks: Callable[[T], Iterable[Block]]) -> T:
    """An equal value; `print` shows the page that the command line prints, a notebook's cell the same as HTML."""
    kind = type(found)

    class Paged(kind):  # type: ignore[misc,valid-type]  # a class of the same fields
        def __str__(self) -> str:
            page = StringIO()
            print_blocks(blocks(cast("T", self)), page, color=False)
            return page.getvalue()

        __repr__ = __str__

        def _repr_html_(self) -> str:
            return cell_of(blocks(cast("T", self)))

        def __eq__(self, other: object) -> bool:
            return isinstance(other, kind) and _values(self) == _values(other)

        __hash__ = kind.__hash__

        def __reduce__(self) -> tuple[Any, ...]:
            return kind, tuple(_values(self).values())  # a copy in another process is a plain value

    Paged.__name__ = Paged.__qualname__ = kind.__name__
    made: Any = Paged(**_values(found))
    return cast("T", made)


def _values(found: Any) -> dict[str, Any]:
    return {each.name: getattr(found, each.name) for each in fields(found)}
