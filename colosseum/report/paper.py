"""Charts and tables as files. In: blocks of a report, a folder; out: PDF, SVG and PNG by matplotlib, and CSV.

A file that cannot be written does not stop the others; the caller learns which are missing. Names are plain text, never
mathematics.
"""

from collections import ChainMap
from collections.abc import Iterable
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, assert_never
from warnings import catch_warnings, simplefilter

from colosseum.campaign.folder import replace_file
from colosseum.diagnostics.harmless import clean
from colosseum.report.document import Amount, AnyChart, Chart, IntervalChart, Limits, Plot, Table, TableCell, numbers
from colosseum.report.tables import FigureTable
from colosseum.report.words import shortened, slug

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FORMATS: Final = ("pdf", "svg", "png")
HELP: Final = f"{', '.join(map(str.upper, FORMATS))} need matplotlib: `pip install 'colosseum[figures]'`"
UNDATED: Final[dict[str, Any]] = {"pdf": {"CreationDate": None}, "svg": {"Date": None}}
SETTINGS: Final[Any] = {
    "pdf.fonttype": 42, "text.parse_math": False, "svg.hashsalt": "colosseum", "savefig.dpi": 300, "font.size": 8,
}  # fmt: skip
"""Fonts are embedded as TrueType (42), as most publishers ask."""
TONES: Final = {"bad": "C3^", "clear": "C0o", "open": "C1D", "plain": "C7s"}  # colour and form of a mean
FORMS: Final = "os^Dv"


def write_files(blocks: Iterable[AnyChart | Table], folder: Path) -> tuple[int, list[str]]:
    """Write every chart in all formats and every table as CSV, by name. Returns how many files, and what is missing.

    A plane has no CSV: the tables of verdicts and of pairs have its numbers.
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
        if not isinstance(block, Plot):
            files["csv"] = csv_of(block.table if isinstance(block, Chart) else block)
        for ending, content in files.items():
            replace_file(folder / f"{slug(block.name)}.{ending}", content)
        written += len(files)
    return written, list(missing)


def figure_files(chart: AnyChart) -> dict[str, bytes]:
    """The chart by format. Raises ImportError without the extra `figures`."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context(SETTINGS), catch_warnings():
        simplefilter("ignore")  # of signs that the font lacks: they are drawn as boxes
        height = 1 + 0.3 * len(chart.rows) if isinstance(chart, IntervalChart) else 3.5
        figure = Figure(figsize=(4.5, height), layout="constrained")
        axes = figure.add_subplot()
        axes.set_title(shortened(chart.title.replace("`", "")), fontsize=8)
        match chart:
            case IntervalChart():
                _intervals(axes, chart)
            case Plot():
                _plot(axes, chart)
            case _:
                assert_never(chart)
        found = {}
        for name in FORMATS:  # no date is written, so that equal charts are equal files
            figure.savefig(stream := BytesIO(), format=name, metadata=UNDATED.get(name))
            found[name] = stream.getvalue()
        return found


def _intervals(axes: "Axes", chart: IntervalChart) -> None:
    """A row has its dots in grey, and over them the mean on its interval."""
    for place, row in enumerate(chart.rows):
        axes.plot(row.dots, [place + 0.2] * len(row.dots), ".", color="0.7", markersize=3)
        if (mean := row.change.value) is not None:
            axes.errorbar(mean, place, xerr=_around(mean, row.change.limits), fmt=TONES[row.tone], markersize=4)
    axes.axvline(0, color="0.5", linewidth=0.8)
    axes.axvline(chart.margin, color="0.5", linewidth=0.8, linestyle="--")
    names = [shortened(", ".join(filter(None, (row.name, row.group)))) for row in chart.rows]
    axes.set_yticks(range(len(chart.rows)), names)
    axes.set_ylim(len(chart.rows) - 0.5, -0.5)
    axes.set_xlabel(shortened(chart.axis))


def _plot(axes: "Axes", chart: Plot) -> None:
    """A series has a colour and a form, and every spot its interval."""
    for draw, least in zip((axes.axvline, axes.axhline), chart.margins, strict=True):
        draw(0, color="0.5", linewidth=0.8)
        draw(least, color="0.5", linewidth=0.8, linestyle="--")
    order = [*chart.series, *chart.spots]  # so that an arm has the same colour and form in all charts
    for name, spots in chart.spots.items():
        place = order.index(name)
        for spot in spots:
            axes.errorbar(
                spot.x, spot.y, _around(spot.y, spot.y_limits), _around(spot.x, spot.x_limits), FORMS[place % 5],
                color=f"C{place}", markersize=4, linewidth=0.8, label=shortened(name) if spot is spots[0] else None,
            )  # fmt: skip
    axes.set_xlabel(shortened(chart.across))
    axes.set_ylabel(shortened(chart.up))
    if any(chart.spots):
        axes.legend(fontsize=6)


def _around(mean: float, limits: Limits | None) -> list[list[float]] | None:
    """How far limits are below and above a mean."""
    return [[max(0.0, mean - limits[0])], [max(0.0, limits[1] - mean)]] if limits else None


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
        found = {name if key == "value" else f"{name} {key}": value for key, value in numbers(cell).items()}
        note = f"{cell.words} {cell.note}".strip()
    return {**found, f"{name} note": clean(note)} if note else found
