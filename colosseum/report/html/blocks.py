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
from colosseum.report.charts.words import clean
from colosseum.report.document import Amount, Between, Block, Chart, Table, TableCell
from colosseum.report.page import cell_words, table_notes
from colosseum.report.shapes import environment as escaping
from colosseum.report.svg import svg

HERE: Final = files("colosseum.report.html")
LONGEST: Final = 200_000
"""Characters of a text that are shown."""
MOST_OPEN: Final = 24
"""Rows of a table; a longer one is folded."""
TICKED: Final = re.compile(r"`([^`]+)`")
LIGHT, DARK = "xcode", "github-dark"
"""Styles of Pygments for specs, all of whose colours are read on their ground (contrast 4.5 and more)."""
NIGHT: Final = ':is([data-jp-theme-light="false"] *, .vscode-dark *, .vscode-high-contrast *, [theme="dark"] *)'
DAY: Final = ':is([data-jp-theme-light="true"] *, .vscode-light *, [theme="light"] *)'
"""How notebooks name their theme; where they do not the system's choice holds."""


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
    shown = text if len(text) <= LONGEST else f"{text[:LONGEST]}\n…"
    return [clean(line) for line in shown.splitlines()]


def marked(text: str) -> Markup:
    """A spec in colours, by classes of Pygments."""
    return Markup(highlight("\n".join(lines(text)), ColosseumLexer(), HtmlFormatter(nowrap=True)))


def facts_of(table: Table) -> list[tuple[str, str]]:
    """What stands below it."""
    return table_notes(table)[1]


def groups(table: Table) -> Iterator[tuple[str, list[tuple[TableCell, ...]]]]:
    """The rows by their headings, which are empty where there is none."""
    if not table.grouped:
        yield "", list(table.rows)
        return
    for heading, rows in groupby(table.rows, key=lambda row: row[0]):
        yield cell_words(heading), [row[1:] for row in rows]


def is_number(cell: TableCell) -> bool:
    """Whether a cell is aligned as numbers are."""
    return isinstance(cell, Amount | Between | int | float) and not isinstance(cell, bool)


def full(cell: TableCell) -> float | None:
    """A number with all its digits, for who saves the table."""
    value = cell.value if isinstance(cell, Amount) else cell
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def kind_of(block: Block) -> str:
    """The macro that shows it."""
    return "Chart" if isinstance(block, Chart) else type(block).__name__


@cache
def environment() -> Environment:
    """Of all templates; everything is escaped, and cleaned before."""
    made = escaping(FunctionLoader(lambda name: asset(f"templates/{name}")))
    made.filters |= {"ticked": ticked, "lines": lines, "marked": marked, "groups": groups, "kind": kind_of}
    made.filters |= {"note": lambda cell: getattr(cell, "note", "")}
    made.filters |= {"full": full, "svg": svg, "facts": facts_of}
    made.tests["figure"] = is_number
    made.globals |= {"words": cell_words, "most_open": MOST_OPEN}
    return made


# ---- style ---------------------------------------------------------------------------------------------------------


@cache
def page_style() -> str:
    """Of a page: colours, its own rules, blocks, pictures, specs; light, dark and in print."""
    light, dark = (asset(f"assets/{name}.css") for name in ("light", "dark"))
    asked, chosen = ":root:not([data-theme=light])", ":root[data-theme=dark]"
    night = "\n".join(
        f"{scope} {{ {dark} }}\n{_of_specs(DARK, scope)}" for scope in (asked, chosen)
    )  # fmt: skip
    first, second = night.split(f"\n{chosen}", 1)
    screen = f"@media screen {{\n@media (prefers-color-scheme: dark) {{\n{first}\n}}\n{chosen}{second}\n}}"
    own = [asset(f"assets/{name}.css") for name in ("page", "blocks", "viewer")]
    return "\n".join([f":root {{ {light} }}", *own, asset("assets/picture.css"), _of_specs(LIGHT, ""), screen])


@cache
def _cell_style() -> Markup:
    """Of a notebook's cell; all rules hold within its element."""
    light, dark = (asset(f"assets/{name}.css") for name in ("light", "dark"))
    rules = f"{asset('assets/blocks.css')}\n{asset('assets/picture.css')}\n{_of_specs(LIGHT, '')}"
    night = f".colosseum{NIGHT} {{ {dark} }}\n{_of_specs(DARK, f'.colosseum{NIGHT}')}"
    asked = f".colosseum:not({DAY}) {{ {dark} }}\n{_of_specs(DARK, f'.colosseum:not({DAY})')}"
    return Markup(
        f".colosseum {{ {light} }}\n.colosseum {{ {asset('assets/notebook.css')}\n{rules} }}\n"
        f"{night}\n@media (prefers-color-scheme: dark) {{\n{asked}\n}}"
    )


def _of_specs(name: str, scope: str) -> str:
    return "\n".join(HtmlFormatter(style=name).get_token_style_defs([f"{scope} .source"]))


def asset(name: str) -> str:
    """The text of a file that is shipped beside this one."""
    return (HERE / name).read_text(encoding="utf-8")
