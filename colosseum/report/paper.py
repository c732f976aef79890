"""Charts and tables as files. In: blocks of a report, a folder; out: PDF, SVG and PNG by matplotlib, and CSV.

A file that cannot be written does not stop the others; the caller learns which are missing. Places, texts and marks are
those of the page, colours and widths those of its style sheet in the light. Names are plain text, never mathematics.
"""

import re
from collections import ChainMap
from collections.abc import Iterable
from functools import cache
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from warnings import catch_warnings, simplefilter

from colosseum.campaign.folder import replace_file
from colosseum.report.document import Amount, AnyChart, Chart, Table, TableCell
from colosseum.report.html.page import asset
from colosseum.report.pictures import WIDTH, Mark, Shape, Text, drawn
from colosseum.report.tables import FigureTable
from colosseum.report.words import clean, slug

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS: Final = ("pdf", "svg", "png")
HELP: Final = f"{', '.join(map(str.upper, FORMATS))} need matplotlib: `pip install 'colosseum[figures]'`"
UNDATED: Final[dict[str, Any]] = {"pdf": {"CreationDate": None}, "svg": {"Date": None}}
WIDE: Final = 4.4
"""Width in inches."""
POINT: Final = 72 * WIDE / WIDTH
"""Points of a unit of the view box."""
SETTINGS: Final[Any] = {
    "pdf.fonttype": 42, "text.parse_math": False, "svg.hashsalt": "colosseum", "lines.scale_dashes": False,
    "savefig.dpi": 300,
}  # fmt: skip
"""Fonts are embedded as TrueType (42), as most publishers ask."""
MARKERS: Final = {"circle": "o", "square": "s", "triangle": "^", "diamond": "D", "wedge": "v", "cross": "x"}
RULE: Final = re.compile(r"\.picture ([^{]+)\{([^}]*)\}")
COLOUR: Final = re.compile(r"(--picture-[\w-]+): light-dark\((#\w+)")


def write_files(blocks: Iterable[AnyChart | Table], folder: Path) -> tuple[int, list[str]]:
    """Write every chart in all formats and every table as CSV, by name. Returns how many files, and what is missing.

    The folder is made where there is none; what else is in it stays. Raises OSError.
    """
    folder.mkdir(parents=True, exist_ok=True)
    written, missing = 0, dict[str, None]()
    for block in blocks:
        files: dict[str, bytes] = {}
        if isinstance(block, Chart):
            try:
                files |= figure_files(block)
            except ImportError:
                missing[HELP] = None
            except (ValueError, RuntimeError) as fault:
                missing[f"{block.name}: matplotlib cannot draw it: {clean(str(fault))}"] = None
        table = block.table if isinstance(block, Chart) else block
        files["csv"] = csv_of(table)
        for ending, content in files.items():
            replace_file(folder / f"{slug(block.name)}.{ending}", content)
        written += len(files)
    return written, list(missing)


# ---- pictures ------------------------------------------------------------------------------------------------------


def figure_files(chart: AnyChart) -> dict[str, bytes]:
    """The chart by format. Raises ImportError without the extra `figures`."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    height, shapes = drawn(chart)
    with rc_context(SETTINGS), catch_warnings():
        simplefilter("ignore")  # of signs that the font lacks: they are drawn as boxes
        figure = Figure(figsize=(WIDE, WIDE * height / WIDTH))
        axes = figure.add_axes((0, 0, 1, 1), xlim=(0, WIDTH), ylim=(height, 0))
        axes.set_axis_off()
        for place, shape in enumerate(shapes):
            _draw(axes, shape, place)
        return {name: _saved(figure, name) for name in FORMATS}


def _saved(figure: "Figure", name: str) -> bytes:
    """No date is written, so that equal charts are equal files."""
    figure.savefig(stream := BytesIO(), format=name, metadata=UNDATED.get(name))
    return stream.getvalue()


def _draw(axes: "Axes", shape: Shape, place: int) -> None:
    """One shape, over all before it."""
    from matplotlib.colors import to_rgba
    from matplotlib.patheffects import withStroke

    look = _look(frozenset(f"{shape.kind} {getattr(shape, 'form', '')} {shape.role}".split()))
    fill, edge = look.get("fill", "none"), look.get("stroke", "none")
    width, over = float(look.get("stroke-width", "1").removesuffix("px")) * POINT, 2 + place / 1e4
    if isinstance(shape, Text):
        size, side = float(look.get("font-size", "13px").removesuffix("px")), {"start": "left", "end": "right"}
        weight = "bold" if "font-weight" in look else "normal"
        text = axes.text(shape.x, shape.y, shape.words, color=fill, size=size * POINT * 0.94, weight=weight,
                         ha=side.get(shape.anchor, "center"), va="baseline", zorder=over)  # fmt: skip
        if edge != "none":
            text.set_path_effects([withStroke(linewidth=width, foreground=edge)])
    elif isinstance(shape, Mark):
        body = fill if fill == "none" else to_rgba(fill, float(look.get("fill-opacity", "1")))
        axes.plot(shape.x, shape.y, MARKERS[shape.form], markersize=2 * shape.size * POINT, markerfacecolor=body,
                  markeredgecolor=edge, markeredgewidth=width, zorder=over, clip_on=False)  # fmt: skip
    else:
        xs, ys = zip(*shape.places, strict=True)
        if shape.closed:
            axes.fill(xs, ys, color=fill, linewidth=0, zorder=over)
            return
        dashes = [float(part) * POINT for part in look.get("stroke-dasharray", "").split()]
        (line,) = axes.plot(xs, ys, color=edge, linewidth=width, zorder=over, solid_capstyle="butt",
                            alpha=float(look.get("stroke-opacity", "1")))  # fmt: skip
        if dashes:
            line.set_dashes(dashes)


@cache
def _look(classes: frozenset[str]) -> dict[str, str]:
    """What the style sheet says of a shape with these classes."""
    found: dict[str, str] = {}
    for wanted, said in _rules():
        if wanted <= classes:
            found |= said
    return found


@cache
def _rules() -> list[tuple[frozenset[str], dict[str, str]]]:
    """Classes with what they mean in the light, the most particular last."""
    colours = dict(COLOUR.findall(asset("assets/colors.css")))
    found: list[tuple[frozenset[str], dict[str, str]]] = []
    for selectors, body in RULE.findall(asset("assets/picture.css").partition("/*")[0]):
        parts = (part.partition(":") for part in body.split(";") if part.strip())
        said = {name.strip(): value.strip() for name, _, value in parts}
        said = {name: colours.get(value[4:-1], value) if value.startswith("var(") else value
                for name, value in said.items()}  # fmt: skip
        names = (each.removeprefix(".picture").replace(".", " ").split() for each in selectors.split(","))
        found += [(frozenset(each), said) for each in names]
    return sorted(found, key=lambda each: len(each[0]))


# ---- tables --------------------------------------------------------------------------------------------------------


def csv_of(table: Table) -> bytes:
    """Numbers in full. Limits and notes of cells have their own columns."""
    names = [clean(name) for name in table.columns]
    rows = [[_values(name, cell) for name, cell in zip(names, row, strict=True)] for row in table.rows]
    heads = list(chain(*chain(*zip(*rows, strict=True)))) or names
    return FigureTable.of([ChainMap(*row) for row in rows], heads).to_csv()


def _values(name: str, cell: TableCell) -> dict[str, object]:
    """What is in a cell, by column."""
    if not isinstance(cell, Amount):
        return {name: clean(cell) if isinstance(cell, str) else cell}
    if cell.is_text:
        found: dict[str, object] = {name: clean(cell.words)}
        note = cell.note
    else:
        found = {name if key == "value" else f"{name} {key}": value for key, value in cell.numbers.items()}
        note = f"{cell.words} {cell.note}".strip()
    return {**found, f"{name} note": clean(note)} if note else found
