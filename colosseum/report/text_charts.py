"""Charts for a terminal. In: the description of a chart, a width; out: rows of text, in ASCII if asked.

Lines consist of braille dots, two by four in a cell. In ASCII a line is a row of full stops.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from string import ascii_lowercase
from textwrap import wrap
from typing import Final, TypeAlias

from rich.cells import cell_len

from colosseum.report.charts.words import clean
from colosseum.report.document import IntervalChart, IntervalRow, LineChart, Plane, Spot
from colosseum.report.numbers import column, number
from colosseum.report.scale import Scale, scale

WIDEST: Final = 60
"""Cells of a drawing."""
LEAST: Final = 20
HEIGHT, TALL = 10, 12
"""Rows of a chart of lines, and of a plane."""
LONGEST: Final = 24
"""Cells of a name; a longer one is cut."""
MARKS: Final = tuple("●○├─┤│┊┼")
"""A mean with an interval, one without, an interval from end to end, 0, the margin, and 0 within an interval."""
PLAIN_MARKS: Final = tuple("ox[-]|:+")
FRAME: Final = "┤│└─┬┄"
"""A tick on the left, the left side, the corner, the lower side, a tick on it, a dotted line across."""
PLAIN_FRAME: Final = "+|+-+-"
DOTS: Final = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""The bit of each dot of a braille cell, by row from the top and by column."""
SEVERAL: Final = "*"
"""The mark where lines meet."""
Words: TypeAlias = Sequence[tuple[float, str]]
"""Values of an axis with their words. Of two that overlap, the first is shown."""


def text_rows(chart: IntervalChart | LineChart | Plane, width: int, *, ascii_only: bool) -> list[str]:
    """A chart without its title, no row wider than `width`."""
    if isinstance(chart, IntervalChart):
        return interval_rows(chart, width, ascii_only=ascii_only)
    if isinstance(chart, LineChart):
        return line_rows(chart, width, ascii_only=ascii_only)
    return plane_rows(chart, width, ascii_only=ascii_only)


# ---- means with intervals ------------------------------------------------------------------------------------------


def interval_rows(chart: IntervalChart, width: int, *, ascii_only: bool) -> list[str]:
    """One line for each row, with 0 and the margin. The notes stand at the right if there is room."""
    signs, frame = (PLAIN_MARKS, PLAIN_FRAME) if ascii_only else (MARKS, FRAME)
    label = min(LONGEST, max(cell_len(clean(row.name)) for row in chart.rows))
    note = max(cell_len(clean(row.note)) for row in chart.rows) + 2
    cells = width - label - 4
    notes = cells - note >= 2 * LEAST
    cells = max(LEAST, min(WIDEST, cells - note * notes))
    ends = [v for row in chart.rows for v in (row.low, row.high, row.mean) if v is not None]
    guides = [0.0] * chart.zero + ([] if chart.margin is None else [chart.margin])
    axis = scale([*guides, *ends], 0, cells - 1, margin=0)
    rows, group = list[str](), ""
    for row in chart.rows:
        if row.group != group:
            group = row.group
            rows.append(f"  {_cut(group, width - 2)}")
        track = _track(row, chart, axis, cells, signs)
        rows.append(f"  {_cut(row.name, label)}  {track}{'  ' + clean(row.note) if notes else ''}".rstrip())
    sign = "+" if chart.signed else "-"
    said = [(v, f"{v:g}") for v in guides] + [(v, number(v, 2, sign=sign)) for v in (axis.high, axis.low)]
    rows += _axis_rows(axis, said, clean(chart.axis), label + 3, frame)
    mean, alone, begin, dash, end, zero, rule, _ = signs
    bars = [row for row in chart.rows if row.low is not None]
    legend = [f"{begin}{dash}{mean}{dash}{end} mean and 95 % interval"] * bool(bars)
    legend += [f"{alone} mean, no interval"] * any(row.mean is not None and row.low is None for row in chart.rows)
    legend += [f"{zero} 0"] * chart.zero + [f"{rule} margin"] * (chart.margin is not None)
    return [*rows, *(f"  {line}" for line in wrap("; ".join(legend), max(LEAST, width - 2)))]


def _track(row: IntervalRow, chart: IntervalChart, axis: Scale, cells: int, signs: Sequence[str]) -> str:
    mean, alone, begin, dash, end, zero, rule, within = signs
    track = [" "] * cells
    if chart.margin is not None:
        track[round(axis(chart.margin))] = rule
    if chart.zero:
        track[round(axis(0.0))] = zero
    if row.low is not None and row.high is not None:
        first, last = round(axis(row.low)), round(axis(row.high))
        track[first : last + 1] = [within if sign == zero else dash for sign in track[first : last + 1]]
        track[first], track[last] = begin, end
    if row.mean is not None:
        track[round(axis(row.mean))] = alone if row.low is None else mean
    return "".join(track)


def _cut(name: str, cells: int) -> str:
    """A name cut or filled to exactly this width."""
    line = clean(name)
    while cell_len(line) > cells:
        line = f"{line[:-2]}…"
    return line + " " * (cells - cell_len(line))


# ---- lines and planes ----------------------------------------------------------------------------------------------


def line_rows(chart: LineChart, width: int, *, ascii_only: bool) -> list[str]:
    """Panels one below the other; a letter marks each line."""
    spots = [spot for lines in chart.panels.values() for line in lines.values() for spot in line]
    xs = sorted({spot.x for spot in spots})
    ys = [0.0, *([] if chart.margin is None else [chart.margin]), *(s.mean for s in spots if s.mean is not None)]
    sign = "+" if chart.signed else "-"
    low, high = (number(value, 2, sign=sign) for value in (min(ys), max(ys)))
    up = [(0.0, "0"), (max(ys), high), (min(ys), low)]
    up += [] if chart.margin is None else [(chart.margin, f"{chart.margin:g}")]
    across = [(x, f"{x:g}") for x in (xs[0], xs[-1], *xs[1:-1])]
    levels = [0.0, *([] if chart.margin is None else [chart.margin])]
    rows: list[str] = []
    for heading, lines in chart.panels.items():
        rows += [_cut(heading, width).rstrip()] if heading else []
        curves = [_curve(line, letter) for line, letter in zip(lines.values(), ascii_lowercase, strict=False)]
        drawn = _drawing(
            curves, (), levels, across, up, (clean(chart.across), ""), (width, HEIGHT), ascii_only=ascii_only
        )
        rows += [_cut(chart.up, width).rstrip(), *drawn]
        legend = [f"  {letter}  {clean(name)}" for letter, name in zip(ascii_lowercase, lines, strict=False) if name]
        legend += [f"  {SEVERAL}  several of them"] if any(SEVERAL in row for row in drawn) else []
        rows += [_cut(line, width).rstrip() for line in legend] if len(lines) > 1 else []
    return rows


def _curve(line: Sequence[Spot], letter: str) -> list[tuple[float, float, str]]:
    return [(spot.x, spot.mean, letter) for spot in line if spot.mean is not None]


def plane_rows(chart: Plane, width: int, *, ascii_only: bool) -> list[str]:
    """The boundary as a line. A point is marked by its name if that is one sign, else by `o`."""
    points = [(p.x, p.y, p.name if len(p.name) == 1 else "o") for p in chart.points]
    xs, ys = [x for x, _ in chart.curve], [y for _, y in chart.curve]
    xs, ys = xs + [x for x, _, _ in points], ys + [y for _, y, _ in points]
    across, up = (list(zip(ends, column(ends), strict=True)) for ends in ([min(xs), max(xs)], [min(ys), max(ys)]))
    curve = [(x, y, "") for x, y in chart.curve]
    names = (clean(chart.across), clean(chart.up))
    return _drawing([curve], points, (), across, up, names, (width, TALL), ascii_only=ascii_only)


def _drawing(
    curves: Iterable[Sequence[tuple[float, float, str]]], points: Iterable[tuple[float, float, str]],
    levels: Sequence[float], across: Words, up: Words, names: tuple[str, str], size: tuple[int, int],
    *, ascii_only: bool,
) -> list[str]:  # fmt: skip
    """A frame with lines, marks and dotted levels. `names` are the names of the two axes."""
    frame = PLAIN_FRAME if ascii_only else FRAME
    margin = max(len(words) for _, words in up) + 1
    cells = max(8, min(size[0], WIDEST) - margin - 2)
    canvas = _Canvas(cells, size[1], ascii_only, SEVERAL if levels else "")
    x = scale([value for value, _ in across], 0, 2 * cells - 1, margin=0)
    y = scale([value for value, _ in up], 0, 4 * size[1] - 1, margin=0)
    for level in levels:
        canvas.level(y(level), frame[5])
    for curve in curves:
        for (a, b, _), (c, d, _) in pairwise(curve):
            canvas.line((x(a), y(b)), (x(c), y(d)))
        for a, b, sign in curve:
            canvas.mark((x(a), y(b)), sign)
    for a, b, sign in points:
        canvas.mark((x(a), y(b)), sign)
    ends: dict[int, str] = {}
    for value, words in up:
        ends.setdefault(canvas.cell((0, y(value)))[0], words)
    rows = [f"{names[1]:>{margin - 1}}"] if names[1] else []
    for place, row in enumerate(canvas.rows()):
        rows.append(f"{ends.get(place, ''):>{margin - 1}} {frame[0 if place in ends else 1]}{row}".rstrip())
    return [*rows, *_axis_rows(Scale(x.low, x.high, 0, cells - 1), across, names[0], margin, frame)]


def _axis_rows(axis: Scale, words: Words, name: str, margin: int, frame: str) -> Iterator[str]:
    """The lower side, the words of its ticks as far as there is room, and the name of the axis."""
    cells = round(axis.end) + 1
    places = {round(axis(value)) for value, _ in words}
    yield " " * margin + frame[2] + "".join(frame[4] if cell in places else frame[3] for cell in range(cells))
    line = " " * cells
    for value, word in words:
        start = max(0, min(cells - len(word), round(axis(value)) - len(word) // 2))
        if not line[max(0, start - 1) : start + len(word) + 1].strip():
            line = f"{line[:start]}{word}{line[start + len(word) :]}"
    said = wrap(name, cells) or [""]
    middle = (cells - cell_len(said[0])) // 2
    if len(said) == 1 and not line[max(0, middle - 1) : middle + len(name) + 1].strip():
        line, said = f"{line[:middle]}{name}{line[middle + len(name) :]}", []
    yield f"{' ' * (margin + 1)}{line}".rstrip()
    yield from (f"{' ' * (margin + 1)}{words:^{cells}}".rstrip() for words in said)


@dataclass
class _Canvas:
    """Cells to draw on. Places are counted in dots from the lower left. Marks hide lines, lines hide levels."""

    width: int
    height: int
    ascii_only: bool
    several: str = ""
    """Marks a place with several signs; if empty, the first sign stays."""
    cells: dict[tuple[int, int], str] = field(default_factory=dict)
    dots: dict[tuple[int, int], int] = field(default_factory=dict)
    marks: dict[tuple[int, int], str] = field(default_factory=dict)

    def cell(self, place: tuple[float, float]) -> tuple[int, int]:
        """Row from the top, and column."""
        return self.height - 1 - round(place[1]) // 4, round(place[0]) // 2

    def level(self, y: float, sign: str) -> None:
        row, _ = self.cell((0, y))
        self.cells |= {(row, column): sign for column in range(self.width)}

    def line(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        steps = max(1, round(max(abs(end[0] - start[0]), abs(end[1] - start[1]))))
        for step in range(steps + 1):
            x, y = (a + (b - a) * step / steps for a, b in zip(start, end, strict=True))
            at = self.cell((x, y))
            self.dots[at] = self.dots.get(at, 0) | DOTS[3 - round(y) % 4][round(x) % 2]
            self.cells[at] = "." if self.ascii_only else chr(0x2800 + self.dots[at])

    def mark(self, place: tuple[float, float], sign: str) -> None:
        if sign:
            held = self.marks.setdefault(self.cell(place), sign)
            self.marks[self.cell(place)] = self.several if self.several and held != sign else held

    def rows(self) -> list[str]:
        shown: Mapping[tuple[int, int], str] = self.cells | self.marks
        return ["".join(shown.get((row, column), " ") for column in range(self.width)) for row in range(self.height)]
