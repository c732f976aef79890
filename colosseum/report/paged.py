"""Answers that show themselves. In: what was found, and its page; out: the same value with that page in a notebook."""

from collections.abc import Callable
from dataclasses import fields
from html import escape
from io import StringIO
from typing import TYPE_CHECKING, Any, TypeVar, cast

from colosseum.report.page import page_on

if TYPE_CHECKING:
    from rich.console import Console

T = TypeVar("T")


def paged(found: T, show: Callable[[T, "Console"], None]) -> T:
    """The same value; `print` and a notebook's cell show the page that the command line prints."""

    class Paged(type(found)):  # type: ignore[misc]  # a class of the same fields
        def __str__(self) -> str:
            page = StringIO()
            with page_on(page) as console:
                show(cast("T", self), console)
            return page.getvalue()

        __repr__ = __str__

        def _repr_html_(self) -> str:
            return f"<pre>{escape(str(self))}</pre>"

    Paged.__name__ = Paged.__qualname__ = type(found).__name__
    made: Any = Paged(**{each.name: getattr(found, each.name) for each in fields(cast("Any", found))})
    return cast("T", made)
