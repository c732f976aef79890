"""Shapes of a picture. In: places in a view box; out: texts, lines and marks, and inline SVG by one template."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeAlias
from unicodedata import east_asian_width
from urllib.parse import quote

from colosseum.report.charts.words import clean

if TYPE_CHECKING:
    from jinja2 import BaseLoader, Environment
    from markupsafe import Markup

WIDTH: Final = 420.0
"""The width of every view box. Type of size 13 stays readable when this is shown in 360 pixels."""
SIZE: Final = 13.0
"""Of type; some classes of the style sheet have 12."""
Place: TypeAlias = tuple[float, float]


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
    href: str = ""


@dataclass(frozen=True)
class Line:
    """A line through places, or an area between them."""

    kind: ClassVar = "line"
    places: Sequence[Place]
    role: str
    title: str = ""
    closed: bool = False
    href: ClassVar = ""


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
    href: str = ""


Shape: TypeAlias = Text | Line | Mark


def run_link(trial: str) -> str:
    """The link to a run on the page."""
    return f"#run={quote(trial, safe='', errors='replace')}" if trial else ""


def width_of(text: str, size: float = SIZE) -> float:
    """The estimated width of a text, in a wide font."""
    return sum(map(_share, text)) * size


def _share(sign: str) -> float:
    """The width of one sign, as a share of the size of type."""
    if east_asian_width(sign) in "WF":
        return 1.0
    return 0.36 if sign in "iljftr.,:;'|![]() `" else 0.9 if sign in "mwMW@%…" else 0.7 if sign.isupper() else 0.6


def named(x: float, y: float, name: str, room: float, role: str = "", anchor: str = "start", href: str = "") -> Text:
    """A name, shortened to the room. The whole name is then its title."""
    whole = clean(name)
    size = SIZE * 1.1 if "strong" in role else SIZE
    if width_of(whole, size) <= room:
        return Text(x, y, whole, role, anchor, href=href)
    kept, wide = "", width_of("…", size)
    for sign in whole:
        wide += width_of(sign, size)
        if wide > room:
            break
        kept += sign
    return Text(x, y, f"{kept.rstrip()}…", role, anchor, whole, href)


def box_of(text: Text) -> tuple[float, float, float, float]:
    """The box around a text: left, top, right, bottom."""
    wide = width_of(text.words)
    left = text.x - {"start": 0.0, "middle": wide / 2, "end": wide}[text.anchor]
    return left, text.y - 12, left + wide, text.y + 4


def apart(texts: Iterable[Text], taken: Iterable[tuple[float, float, float, float]] = ()) -> list[Text]:
    """The texts that overlap neither the taken boxes nor an earlier text."""
    boxes, kept = list(taken), list[Text]()
    for text in texts:
        left, top, right, bottom = box = box_of(text)
        if not any(left < r and a < right and top < d and b < bottom for a, b, r, d in boxes):
            boxes.append(box)
            kept.append(text)
    return kept


def markup(name: str, title: str, caption: str, *, height: float, shapes: Sequence[Shape]) -> "Markup":
    """Shapes as inline SVG. Colours and type come from `picture.css`."""
    from markupsafe import Markup

    words = {"name": name, "title": title.replace("`", ""), "caption": caption.replace("`", "")}
    return Markup(_template().render(**words, width=WIDTH, height=height, shapes=shapes))


@cache
def _template() -> Any:
    made = environment()
    made.filters["px"] = lambda value: f"{round(value, 1) + 0.0:g}"
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
