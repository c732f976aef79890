"""Charts for papers, by matplotlib. In: the description of a chart; out: PDF, SVG and PNG.

One function for each kind of chart. Names are plain text, never mathematics.
"""

from collections.abc import Sequence
from io import BytesIO
from math import cos, pi, sin
from typing import TYPE_CHECKING, Any, Final, assert_never
from warnings import catch_warnings, simplefilter

from colosseum.report.charts.words import clean
from colosseum.report.document import AnyChart, IntervalChart, NetworkChart, Plot, Tone
from colosseum.report.shapes import looks

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NEEDS: Final = "matplotlib"
FORMATS: Final = ("pdf", "svg", "png")
WIDE: Final = 4.8
"""Width in inches."""
STYLE: Final[Any] = {
    "pdf.fonttype": 42, "ps.fonttype": 42, "text.parse_math": False, "svg.hashsalt": "colosseum", "font.size": 8,
    "axes.spines.top": False, "axes.spines.right": False, "axes.titlesize": 8, "legend.frameon": False,
    "axes.axisbelow": True, "axes.grid": True, "grid.color": "#e4e4e4", "figure.constrained_layout.use": True,
    "savefig.dpi": 300,
}  # fmt: skip
"""Fonts are embedded as TrueType (42), as most publishers ask."""
COLOURS: Final = ("#6b6b6b", "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
"""Of `series-0` and so on: the palette of Okabe and Ito, for all kinds of colour vision."""
MARKERS: Final = {"circle": "o", "square": "s", "triangle": "^", "diamond": "D", "wedge": "v", "cross": "x"}
TONES: Final[dict[Tone, tuple[str, str]]] = {
    "bad": ("#d55e00", "^"), "clear": ("#0072b2", "o"), "open": ("#a87400", "D"), "plain": ("#5a5a5a", "s"),
}  # fmt: skip
Style = tuple[str, str]
"""Colour and marker."""


def figure_files(chart: AnyChart) -> dict[str, bytes]:
    """The chart by format. Raises ImportError without the extra `figures`."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context(STYLE), catch_warnings():
        simplefilter("ignore")  # of signs that the font lacks: they are drawn as boxes
        match chart:
            case IntervalChart():
                figure = _intervals(chart)
            case Plot():
                figure = _plot(chart)
            case NetworkChart():
                figure = _network(chart)
            case _:
                assert_never(chart)
        assert isinstance(figure, Figure)
        return {name: _saved(figure, name) for name in FORMATS}


def _saved(figure: "Figure", name: str) -> bytes:
    """No date is written, so that equal charts are equal files."""
    stream = BytesIO()
    undated: dict[str, dict[str, Any]] = {"pdf": {"CreationDate": None}, "svg": {"Date": None}}
    figure.savefig(stream, format=name, metadata=undated.get(name))
    return stream.getvalue()


def _axes(high: float, rows: int = 1) -> tuple["Figure", list["Axes"]]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDE, high))
    return figure, list(figure.subplots(rows, 1, squeeze=False, sharex=True)[:, 0])


def _styles(names: Sequence[str], series: Sequence[str]) -> dict[str, Style]:
    """Colours and markers, as on a page."""
    found = looks(names, series)
    return {name: (COLOURS[int(role.rpartition("-")[2])], MARKERS[form]) for name, (role, form) in found.items()}


def _intervals(chart: IntervalChart) -> "Figure":
    figure, (axes,) = _axes(0.7 + 0.3 * len(chart.rows))
    styles = _styles([row.series for row in chart.rows if row.series], chart.series)
    for place, row in enumerate(chart.rows):
        colour, marker = styles.get(row.series, TONES[row.tone])
        values = [dot.value for dot in row.dots]
        axes.plot(values, [place + 0.22] * len(values), "|", color=colour, alpha=0.6, markersize=5)
        low, high = (0.0, row.mean) if chart.zero and not row.dots and row.low is None else (row.low, row.high)
        if low is not None and high is not None:
            axes.plot([low, high], [place, place], color=colour, linewidth=2)
        if row.mean is not None:
            axes.plot([row.mean], [place], marker, color=colour, markersize=5)
        axes.annotate(clean(row.note), (1.01, place), xycoords=("axes fraction", "data"), va="center", fontsize=7)
    names = [clean(", ".join(word for word in (row.group, row.name) if word)) for row in chart.rows]
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.grid(visible=False, axis="y")
    for value in chart.guides:
        axes.axvline(value, color="black", linewidth=0.8, linestyle=":" if value else "-")
    axes.set_xlabel(clean(chart.axis))
    return figure


def _plot(chart: Plot) -> "Figure":
    from matplotlib.lines import Line2D

    figure, panels = _axes(1.0 + max(1.8, 3.2 / len(chart.panels)) * len(chart.panels), len(chart.panels))
    styles = _styles([name for _, name, _ in chart.spots if name], chart.series)
    for axes, (heading, panel) in zip(panels, chart.panels.items(), strict=True):
        axes.set_title(clean(heading), loc="left")
        axes.set_ylabel(clean(chart.up), fontsize=7)
        axes.plot([x for x, _ in chart.boundary], [y for _, y in chart.boundary], color="black", linewidth=1)
        for axis, value, words in chart.guides:
            upright, style = axis == "across", ":" if words else "-"
            (axes.axvline if upright else axes.axhline)(value, color="black", linewidth=0.8, linestyle=style)
            where = axes.get_xaxis_transform() if upright else axes.get_yaxis_transform()
            place, turn, va = ((value, 1.0), 90, "top") if upright else ((1.0, value), 0, "bottom")
            axes.text(*place, clean(words), transform=where, rotation=turn, ha="right", va=va, fontsize=6)
        for name, series in panel.items():
            colour, marker = styles.get(name, ("black", "."))
            xs, ys = [spot.x for spot in series], [float("nan") if spot.y is None else spot.y for spot in series]
            axes.plot(xs, ys, "-" if chart.joined else "", color=colour, marker=marker, markersize=4, alpha=0.8)
            for spot in series:
                place = spot.x, spot.y or 0.0
                axes.plot(spot.x_limits or (), [place[1]] * len(spot.x_limits or ()), color=colour, linewidth=1)
                axes.plot([place[0]] * len(spot.y_limits or ()), spot.y_limits or (), color=colour, linewidth=1)
                axes.annotate(clean(spot.name)[:60], place, xytext=(4, 4), textcoords="offset points", fontsize=6)
    panels[-1].set_xlabel(clean(chart.across))
    if marks := [Line2D([], [], color=colour, marker=marker, linestyle="") for colour, marker in styles.values()]:
        figure.legend(marks, [clean(name)[:60] for name in styles], loc="outside lower center", ncols=3, fontsize=7)
    return figure


def _network(chart: NetworkChart) -> "Figure":
    figure, (axes,) = _axes(WIDE * 0.8)
    turns = {agent: pi / 2 - 2 * pi * n / len(chart.agents) for n, agent in enumerate(chart.agents)}
    places = {agent: (cos(turn), sin(turn)) for agent, turn in turns.items()}
    for channel in sorted(chart.channels, key=lambda channel: channel.secret):
        ends = [places[agent] for agent in channel.members if agent in places]
        style: dict[str, Any] = {"color": "#d55e00", "linestyle": "--"} if channel.secret else {"color": "#8c8c8c"}
        middle = [sum(values) / len(ends) for values in zip(*ends, strict=True)] if ends else [0.0, 0.0]
        for x, y in ends:
            axes.plot([middle[0], x], [middle[1], y], linewidth=1.5 if channel.secret else 0.8, zorder=1, **style)
        if channel.secret:
            axes.annotate(clean(channel.name), (middle[0], middle[1]), fontsize=7, ha="center")
    for agent, (x, y) in places.items():
        colour, marker = ("#d55e00", "D") if agent in chart.coalition else ("white", "o")
        axes.plot([x], [y], marker, color=colour, markeredgecolor="black", markersize=9, zorder=2)
        axes.annotate(clean(agent), (1.25 * x, 1.2 * y), ha="center", va="center", fontsize=7)
    axes.set_axis_off()
    axes.set_aspect("equal")
    axes.margins(0.25)
    return figure
