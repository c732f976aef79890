"""Axes, legends and colours of charts on a page. In: values and names; out: shapes."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from colosseum.report.document import Tone
from colosseum.report.scale import Scale, tick_words
from colosseum.report.shapes import WIDTH, Line, Mark, Shape, Text, apart, named, width_of

LEFT, RIGHT, TOP = 46.0, 412.0, 30.0
FORMS: Final = ("circle", "square", "triangle", "diamond", "wedge", "cross")
"""Forms of marks, so that arms differ without colour."""
HUES: Final = 6
"""Colours of arms; `series-0` is the control's grey."""
Look: TypeAlias = tuple[str, str]
"""Class and form."""
TONES: Final[dict[Tone, Look]] = {
    "bad": ("up", "triangle"), "clear": ("down", "circle"), "open": ("open", "diamond"), "plain": ("soft", "square"),
}  # fmt: skip
"""How a reading looks, also without colour."""


def looks(names: Iterable[str], series: Sequence[str]) -> dict[str, Look]:
    """The look of each name. The first of `series` is grey and round; names outside `series` start with the second."""
    wanted = list(dict.fromkeys(names))
    wanted.sort(key=[*series, *wanted].index)
    places = {name: place for place, name in enumerate(series)}
    if not all(name in places for name in wanted):
        places = {name: place + 1 for place, name in enumerate(wanted)}
    found = {}
    for name in wanted:
        turn, hue = divmod(places[name] - 1, HUES)
        control = places[name] == 0
        found[name] = (
            f"series-{0 if control else hue + 1}",
            FORMS[0 if control else 1 + (hue + turn) % (len(FORMS) - 1)],
        )
    return found


def rule(x1: float, y1: float, x2: float, y2: float, role: str, title: str = "") -> Line:
    return Line(((x1, y1), (x2, y2)), f"rule {role}", title)


def bottom_axis(
    across: Scale, top: float, bottom: float, name: str, values: Sequence[float] = (), *, sign: bool = False
) -> Iterator[Shape]:
    """Vertical rules at round numbers, or at `values`, and the name of the axis."""
    ticks = values or across.ticks()
    words = [f"{value:g}" for value in values] if values else tick_words(ticks, signed=sign)
    for tick in ticks:
        yield rule(across(tick), top, across(tick), bottom, "grid")
    yield from apart(Text(across(t), bottom + 16, w, "soft", "middle") for t, w in zip(ticks, words, strict=True))
    yield named((across.start + across.end) / 2, bottom + 34, name, WIDTH - 8, "soft", "middle")


def left_axis(up: Scale, name: str, *, sign: bool = False, most: int = 5, above: float = 12) -> Iterator[Shape]:
    ticks = up.ticks(most)
    for tick, word in zip(ticks, tick_words(ticks, signed=sign), strict=True):
        yield rule(LEFT, up(tick), RIGHT, up(tick), "grid")
        yield Text(LEFT - 6, up(tick) + 4, word, "soft", "end")
    yield named(4, up.end - above, name, WIDTH - 8, "soft")


def legend(entries: Mapping[str, Look], top: float) -> tuple[float, list[Shape]]:
    """Marks with their names, on as many lines as they need."""
    shapes: list[Shape] = []
    x, y = 8.0, top + 12
    for name, (role, form) in entries.items():
        wide = min(WIDTH - 40, width_of(name, 12))
        if x > 8 and x + 14 + wide > WIDTH - 4:
            x, y = 8.0, y + 20
        shapes += [Mark(x + 4, y - 4, form, role), named(x + 14, y, name, WIDTH - 30, "soft")]
        x += 14 + wide + 16
    return (y - top + 8 if entries else 0.0), shapes
