"""Answers that show themselves. In: what was found, and its blocks; out: the same value that shows its page."""

from collections.abc import Callable, Iterable
from dataclasses import fields
from io import StringIO
from typing import Any, TypeVar, cast

from colosseum.report.document import Block
from colosseum.report.html.blocks import cell_of
from colosseum.report.page import print_blocks

T = TypeVar("T")


def paged(found: T, blocks: Callable[[T], Iterable[Block]]) -> T:
    """The same value; `print` shows the page that the command line prints, a notebook's cell the same as HTML."""

    class Paged(type(found)):  # type: ignore[misc]  # a class of the same fields
        def __str__(self) -> str:
            page = StringIO()
            print_blocks(blocks(cast("T", self)), page, color=False)
            return page.getvalue()

        __repr__ = __str__

        def _repr_html_(self) -> str:
            return cell_of(blocks(cast("T", self)))

    Paged.__name__ = Paged.__qualname__ = type(found).__name__
    made: Any = Paged(**{each.name: getattr(found, each.name) for each in fields(cast("Any", found))})
    return cast("T", made)
