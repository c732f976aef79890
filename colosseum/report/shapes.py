"""Shapes of a picture. In: places in a view box; out: texts, lines, marks, axes and legends, and inline SVG."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeAlias
from urllib.parse import quote

from rich.cells import cell_len, set_cell_size

from colosseum.report.charts.words import clean
from colosseum.report.document import Tone
from colosseum.report.scale import Scale, tick_words

if TYPE_CHECKING:
    from jinja2 import BaseLoader, Environment, Template

WIDTH: Final = 420.0
"""The width of every view box. Type of size 13 stays readable when this is shown in 360 pixels."""
LEFT, RIGHT = 46.0, 412.0
CELL: Final = 8.0
"""The width of a sign of size 13, in a wide font; wide signs have two."""
FORMS: Final = ("circle", "square", "triangle", "diamond", "wedge", "cross")
"""Forms of marks, so that arms differ without colour."""
HUES: Final = 6
"""Colours of arms; `series-0` is the control's grey."""
Place: TypeAlias = tuple[float, float]
Look: TypeAlias = tuple[str, str]
"""Class and form."""
TONES: Final[dict[Tone, Look]] = {
    "bad": ("up", "triangle"), "clear": ("down", "circle"), "open": ("open", "diamond"), "plain": ("soft", "square"),
}  # fmt: skip
"""How a reading looks, also without colour."""


@dataclass(frozen=True)
class Text:
    """Words on one line."""

    kind: ClassVar = "text"
    x: float
    y: float
    """Of the base line."""
    words: str
    role: str = ""
    """Classes of the style sheet."""
    anchor: str = "start"
    title: str = ""
    """The whole text, where it was shortened."""


@dataclass(frozen=True)
class Line:
    """A line through places, or an area between them."""

    kind: ClassVar = "line"
    places: Sequence[Place]
    role: str
    title: str = ""
    closed: bool = False


@dataclass(frozen=True)
class Mark:
    """A sign at a place."""

    kind: ClassVar = "mark"
    x: float
    y: float
    form: str
    """A form that the template knows."""
    role: str = ""
    size: float = 4.0
    """Half its width."""
    title: str = ""
    run: str = ""
    """The trial that it leads to."""


Shape: TypeAlias = Text | Line | Mark


def width_of(text: str) -> float:
    """The estimated width of a text."""
    return cell_len(text) * CELL


def named(x: float, y: float, name: str, room: float, role: str = "", anchor: str = "start") -> Text:
    """A name, shortened to the room. The whole name is then its title."""
    whole, cells = clean(name), max(2, int(room / CELL))
    if cell_len(whole) <= cells:
        return Text(x, y, whole, role, anchor)
    return Text(x, y, f"{set_cell_size(whole, cells - 1).rstrip()}…", role, anchor, whole)


def looks(names: Iterable[str], series: Sequence[str]) -> dict[str, Look]:
    """The look of each name. The first of `series` is grey and round; names outside `series` start with the second."""
    wanted = dict.fromkeys(names)
    known = list(series) if set(wanted) <= set(series) else ["", *wanted]
    turns = (divmod(place, HUES) for place in range(len(known)))
    every = [("series-0", "circle"), *((f"series-{n + 1}", FORMS[1 + (n + t) % (len(FORMS) - 1)]) for t, n in turns)]
    return {name: every[known.index(name)] for name in sorted(wanted, key=known.index)}


# ---- axes and legends ----------------------------------------------------------------------------------------------


def rule(x1: float, y1: float, x2: float, y2: float, role: str, title: str = "") -> Line:
    return Line(((x1, y1), (x2, y2)), f"rule {role}", title)


def bottom_axis(
    across: Scale, top: float, bottom: float, name: str, values: Sequence[float] = (), *, sign: bool = False
) -> Iterator[Shape]:
    """Vertical rules at round numbers, or at `values`, and the name of the axis."""
    ticks = values or across.ticks()
    words = tick_words(ticks, signed=sign)
    yield from (rule(across(tick), top, across(tick), bottom, "grid") for tick in ticks)
    yield from (Text(across(t), bottom + 16, w, "soft", "middle") for t, w in zip(ticks, words, strict=True))
    yield named((across.start + across.end) / 2, bottom + 34, name, WIDTH - 8, "soft", "middle")


def left_axis(up: Scale, name: str) -> Iterator[Shape]:
    """Horizontal rules at round numbers, and the name of the axis above them."""
    ticks = up.ticks()
    for tick, words in zip(ticks, tick_words(ticks), strict=True):
        yield rule(LEFT, up(tick), RIGHT, up(tick), "grid")
        yield Text(LEFT - 6, up(tick) + 4, words, "soft", "end")
    yield named(4, up.end - 24, name, WIDTH - 8, "soft")


def legend(entries: Mapping[str, Look], top: float) -> tuple[float, list[Shape]]:
    """Marks with their names, on as many lines as they need."""
    shapes: list[Shape] = []
    x, y = 8.0, top + 12
    for name, (role, form) in entries.items():
        wide = min(WIDTH - 40, width_of(name))
        if x > 8 and x + 14 + wide > WIDTH - 4:
            x, y = 8.0, y + 20
        shapes += [Mark(x + 4, y - 4, form, role), named(x + 14, y, name, WIDTH - 30, "soft")]
        x += 14 + wide + 16
    return (y - top + 8 if entries else 0.0), shapes


# ---- markup --------------------------------------------------------------------------------------------------------


def apart(texts: Iterable[Text]) -> list[Text]:
    """Those that do not overlap an earlier one."""
    boxes, kept = list[tuple[float, float, float]](), list[Text]()
    for text in (text for text in texts if text.words):
        wide = width_of(text.words)
        left = text.x - {"start": 0.0, "middle": wide / 2, "end": wide}[text.anchor]
        if not any(left < end and start < left + wide and abs(text.y - y) < 16 for start, end, y in boxes):
            boxes.append((left, left + wide, text.y))
            kept.append(text)
    return kept


@cache
def picture() -> "Template":
    """Of inline SVG."""
    made = environment()
    made.filters["px"] = lambda value: f"{round(value, 1) + 0.0:g}"
    made.filters["run"] = lambda trial: f"#run={quote(trial, safe='', errors='replace')}"
    source = files("colosseum.report.html").joinpath("templates/picture.svg.j2").read_text(encoding="utf-8")
    return made.from_string(source)


def environment(loader: "BaseLoader | None" = None) -> "Environment":
    """The settings of all templates: every text is cleaned and escaped."""
    from jinja2 import Environment, StrictUndefined

    return Environment(
        loader=loader,
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=cleaned,
    )


def cleaned(value: Any) -> Any:
    """A value as a template prints it: text is cleaned, our own markup stays."""
    from markupsafe import Markup

    return clean(value) if isinstance(value, str) and not isinstance(value, Markup) else value
