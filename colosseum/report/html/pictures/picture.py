"""A picture and its numbers. In: shapes in a frame; out: inline SVG, made by the one template that knows markup."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from colosseum.report.html.pictures.shapes import Shape
from colosseum.report.page import printable

if TYPE_CHECKING:
    from jinja2 import Environment

TEMPLATES: Final = Path(__file__).parent / "templates"
WIDTH: Final = 480
"""Of every view box: text of 13 is read on a telephone, and is as large as a page's own where it has 34 rem."""
Cell: TypeAlias = str | float | int | None


@dataclass(frozen=True)
class Table:
    """The numbers of a picture."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    """One cell a column; None is what is not known."""


@dataclass(frozen=True)
class Picture:
    """One picture of a report."""

    name: str
    """A slug, unique within a report: `arms-outsider-payoff`."""
    title: str
    caption: str
    """What is to be seen in it, from its data."""
    svg: str
    """Inline; colours and type are those of `picture.css`, which a page needs once."""
    table: Table


def draw(
    name: str, title: str, caption: str, *, height: float, shapes: Sequence[Shape], table: Table, hatched: bool = False
) -> Picture:
    """Shapes as a picture of WIDTH × `height`; `hatched` declares the hatches that areas may name."""
    words = {"name": slug(name), "title": title.replace("`", ""), "caption": caption.replace("`", "")}
    template = _environment().get_template("picture.svg.j2")
    svg = template.render(**words, width=WIDTH, height=height, shapes=shapes, hatched=hatched)
    return Picture(words["name"], clean(title), clean(caption), svg, _trimmed(table))


def _trimmed(table: Table) -> Table:
    """Without columns that are empty texts throughout."""
    kept = [place for place in range(len(table.columns)) if any(row[place] != "" for row in table.rows)]
    return Table(
        tuple(table.columns[place] for place in kept), tuple(tuple(row[place] for place in kept) for row in table.rows)
    )


def slug(text: str) -> str:
    """What may be an id: small letters, digits and hyphens, 80 at most."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:80] or "picture"


def clean(text: str) -> str:
    """One line, without signs that no markup may hold or that turn writing round."""
    return printable(text, "utf-8")


def style_sheet() -> str:
    """What a page inlines once: light, dark, and in print."""
    return (TEMPLATES / "picture.css").read_text(encoding="utf-8")


@cache
def _environment() -> "Environment":
    """Everything is escaped, and cleaned before."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    found = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=cleaned,
    )
    found.filters["px"] = px
    return found


def cleaned(value: Any) -> Any:
    """What a template says of a value: a text is cleaned, markup of ours stays."""
    from markupsafe import Markup

    return clean(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def px(value: float) -> str:
    """A length to a tenth."""
    return f"{round(value, 1) + 0.0:g}"
