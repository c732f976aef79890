"""Charts for papers, by matplotlib. In: the description of a chart; out: the picture of the page as PDF, SVG and PNG.

Places, texts and marks are those of the page, colours and widths those of its style sheet in the light. Names are plain
text, never mathematics.
"""

import re
from functools import cache
from importlib.resources import files
from io import BytesIO
from typing import TYPE_CHECKING, Any, Final
from warnings import catch_warnings, simplefilter

from colosseum.report.document import AnyChart
from colosseum.report.shapes import WIDTH, Mark, Shape, Text
from colosseum.report.svg import drawn

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NEEDS: Final = "matplotlib"
FORMATS: Final = ("pdf", "svg", "png")
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


def _saved(figure: Any, name: str) -> bytes:
    """No date is written, so that equal charts are equal files."""
    stream = BytesIO()
    undated: dict[str, dict[str, Any]] = {"pdf": {"CreationDate": None}, "svg": {"Date": None}}
    figure.savefig(stream, format=name, metadata=undated.get(name))
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
    sheets = files("colosseum.report.html") / "assets"
    colours = dict(COLOUR.findall((sheets / "colors.css").read_text(encoding="utf-8")))
    found: list[tuple[frozenset[str], dict[str, str]]] = []
    for selectors, body in RULE.findall((sheets / "picture.css").read_text(encoding="utf-8").partition("/*")[0]):
        parts = (part.partition(":") for part in body.split(";") if part.strip())
        said = {name.strip(): value.strip() for name, _, value in parts}
        said = {name: colours.get(value[4:-1], value) if value.startswith("var(") else value
                for name, value in said.items()}  # fmt: skip
        names = (each.removeprefix(".picture").replace(".", " ").split() for each in selectors.split(","))
        found += [(frozenset(each), said) for each in names]
    return sorted(found, key=lambda each: len(each[0]))
