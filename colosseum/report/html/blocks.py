"""Blocks as HTML. In: blocks; out: markup without scripts that loads nothing, for a page and for a notebook.

Whatever agents, specs and providers wrote is text: it is escaped, and signs that nobody sees are replaced.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files
from itertools import groupby
from typing import Final

from jinja2 import Environment, FunctionLoader
from markupsafe import Markup, escape
from pygments import highlight
from pygments.formatters import HtmlFormatter

from colosseum.language.highlight import ColosseumLexer
from colosseum.report.document import Amount, Between, Block, Table, TableCell
from colosseum.report.page import cell_words, table_notes
from colosseum.report.pictures import environment as escaping
from colosseum.report.pictures import svg
from colosseum.report.words import clean

HERE: Final = files("colosseum.report.html")
MOST_OPEN: Final = 24
"""Rows of a table; a longer one is folded."""
TICKED: Final = re.compile(r"`([^`]+)`")


def html_of(blocks: Iterable[Block]) -> Markup:
    """The blocks from top to bottom."""
    return Markup(environment().get_template("blocks.html").render(blocks=list(blocks)))


def cell_of(blocks: Iterable[Block]) -> str:
    """The same as one element for a notebook, with the style it needs; it follows the notebook from light to dark."""
    return f'<div class="colosseum"><style>{_cell_style()}</style>{html_of(blocks)}</div>'


# ---- what templates use --------------------------------------------------------------------------------------------


def ticked(words: str) -> Markup:
    """Words in which names stand between backticks, with these marked."""
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if place % 2 else escape(part)
        for place, part in enumerate(TICKED.split(clean(words)))
    )


def lines(text: str) -> list[str]:
    """Each cleaned."""
    return [clean(line) for line in text.splitlines()]


def marked(text: str) -> Markup:
    """A spec in colours, by classes of Pygments."""
    return Markup(highlight("\n".join(lines(text)), ColosseumLexer(), HtmlFormatter(nowrap=True)))


def groups(table: Table) -> Iterator[tuple[str, list[tuple[TableCell, ...]]]]:
    """The rows by their headings, which are empty where there is none."""
    if not table.grouped:
        yield "", list(table.rows)
        return
    for heading, rows in groupby(table.rows, key=lambda row: row[0]):
        yield cell_words(heading), [row[1:] for row in rows]


def numbers(cell: TableCell) -> dict[str, float | None]:
    """What a cell holds with all its digits, for who saves the table: a value, and the ends of its interval."""
    if isinstance(cell, Between):
        return {"value": cell.mean, "low": cell.low, "high": cell.high}
    if isinstance(cell, Amount):
        return {"value": cell.value}
    return {"value": cell} if isinstance(cell, int | float) and not isinstance(cell, bool) else {}


@cache
def environment() -> Environment:
    """Of all templates; everything is escaped, and cleaned before."""
    made = escaping(FunctionLoader(lambda name: asset(f"templates/{name}")))
    made.filters |= {
        "ticked": ticked,
        "lines": lines,
        "marked": marked,
        "groups": groups,
        "numbers": numbers,
        "svg": svg,
    }
    made.tests["figure"] = lambda cell: bool(numbers(cell))
    made.globals |= {"words": cell_words, "table_notes": table_notes, "most_open": MOST_OPEN}
    return made


# ---- style ---------------------------------------------------------------------------------------------------------


@cache
def page_style() -> str:
    """Of a page: light, dark and in print."""
    return "\n".join([f":root {{ {_css('colors')} }}", *map(_css, ("page", "blocks", "viewer", "picture"))])


@cache
def _cell_style() -> Markup:
    """Of a notebook's cell; all rules hold within its element."""
    return Markup(f".colosseum {{ {' '.join(map(_css, ('colors', 'notebook', 'blocks', 'picture')))} }}")


def _css(name: str) -> str:
    return asset(f"assets/{name}.css")


def asset(name: str) -> str:
    """The text of a file that is shipped beside this one."""
    return (HERE / name).read_text(encoding="utf-8")
