"""What a report says, before any surface shows it. In: figures and words; out: blocks.

A table or a chart is described here once, as data. A terminal, a page, a notebook and files each have one renderer a
kind of block. Numbers are kept in full; how many decimals are shown stands beside them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

Tone: TypeAlias = Literal["bad", "clear", "open", "plain"]
"""Of a reading: an effect was found, none was, or it is not settled; `plain` is of what has no reading."""
SIGNS: Final[Mapping[Tone, str]] = {"bad": "▲", "clear": "●", "open": "◇", "plain": ""}  # tones without colour
Limits: TypeAlias = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Amount:
    """A number in a cell with its 95 % interval, or why there is none; or words that have a tone or lead somewhere."""

    value: float | None = None
    """None beside an interval: its limits alone."""
    places: int | None = None
    """Decimals; None: six significant digits, and all of a large number's whole part."""
    signed: bool = False
    """Whether a plus is shown."""
    note: str = ""
    """Why there is no number, or what it lacks: shown below the table."""
    tone: Tone = "plain"
    """Of its reading: shown by colour, and by one of SIGNS behind a number."""
    link: str = ""
    """A place on the page: `#arm=prompted`."""
    limits: Limits | None = None
    words: str = ""
    """Instead of limits, `3 of 20 differ`, or of a number."""
    short: bool = False
    """Whether `0.31 ± 0.06` says enough, as the interval is symmetric."""

    @property
    def is_text(self) -> bool:
        """Whether it is words alone."""
        return bool(self.words) and self.value is None


TableCell: TypeAlias = str | int | float | bool | Amount | None
"""None is blank: the question does not arise. A number that is not known is an Amount with a note."""


def numbers(cell: TableCell) -> dict[str, float | None]:
    """What a cell holds with all digits: a value, and where there might be an interval its ends."""
    if not isinstance(cell, Amount):
        return {"value": cell} if isinstance(cell, int | float) and not isinstance(cell, bool) else {}
    low, high = cell.limits or (None, None)
    ends = {"low": low, "high": high} if cell.limits or cell.words else {}
    return {} if cell.is_text else {"value": cell.value, **ends}


@dataclass(frozen=True)
class Heading:
    """Opens a section."""

    text: str


@dataclass(frozen=True)
class Paragraph:
    """A paragraph; names in it may stand between backticks."""

    text: str
    style: Literal["", "title", "strong", "warning", "bad", "quiet"] = ""


@dataclass(frozen=True)
class Quote:
    """What somebody else wrote, or did: it stands apart from our own words, so that no text can pose as ours."""

    opening: str
    """Ours: `to floor (secret)`."""
    text: str = ""
    """Theirs, as it is."""
    style: Literal["", "secret", "wrong", "quiet", "strong"] = ""


@dataclass(frozen=True)
class Listing:
    """A text as it is, such as a spec or a prompt: no line is wrapped."""

    name: str
    text: str


@dataclass(frozen=True)
class Definitions:
    """Words with what they mean, one a line; an empty word goes on with the one above."""

    items: tuple[tuple[str, str], ...]
    title: str = ""


@dataclass(frozen=True)
class Table:
    """Rows of cells."""

    name: str
    """A slug, unique within a report: names its files and its place on a page."""
    title: str
    columns: tuple[str, ...]
    """The first is of the rows' names; with `grouped` the second is."""
    rows: tuple[tuple[TableCell, ...], ...]
    """One cell a column."""
    facts: tuple[tuple[str, str], ...] = ()
    """What its words and marks mean: shown below it."""
    grouped: bool = False
    """Whether the first column is shown as headings over the rows that share it."""
    most: int | None = 60
    """Rows that a terminal shows; None: all."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A place in a plot."""

    x: float
    y: float
    x_limits: Limits | None = None
    y_limits: Limits | None = None
    """Of 95 % intervals."""
    title: str = ""
    """Says what it is when it is pointed at."""


@dataclass(frozen=True)
class IntervalRow:
    """A mean with its interval, over the dots that it is of."""

    name: str
    change: Amount
    group: str = ""
    """The heading above it, which rows in sequence share."""
    note: str = ""
    """What is made of it: `effect`."""
    tone: Tone = "plain"
    dots: tuple[float, ...] = ()


@dataclass(frozen=True)
class Chart:
    """What all charts have."""

    name: str
    """A slug, unique within a report."""
    title: str
    caption: str
    """What is to be seen in it, from its data."""


@dataclass(frozen=True)
class IntervalChart(Chart):
    """Means with intervals along one axis: a forest plot."""

    axis: str
    """What is measured, with its unit; numbers are changes, shown with their sign."""
    rows: tuple[IntervalRow, ...]
    margin: float
    """The least effect that matters; the axis reaches it, and 0."""
    level: str = "95"
    """Of the intervals, in percent."""

    @property
    def table(self) -> Table:
        """Its numbers."""
        first = 0 if any(row.group for row in self.rows) else 1
        limits = f" [{self.level} %]" if any(row.change.limits for row in self.rows) else ""
        rows = tuple((row.group, row.name, row.change, row.note)[first:] for row in self.rows)
        columns = ("sweep point", "arm", f"mean{limits}, u", "call")[first:]
        return Table(self.name, self.title, columns, rows, grouped=not first)


@dataclass(frozen=True)
class Plot(Chart):
    """Two measures against each other; the tables of verdicts and of pairs have the numbers."""

    across: str
    up: str
    """What is measured, with its unit."""
    spots: Mapping[str, tuple[Spot, ...]]
    """By what a series is called."""
    margins: tuple[float, float]
    """The least effects that matter, across and up."""
    series: tuple[str, ...] = ()
    """All arms, the control first, so that an arm has the same colour and form in all charts."""


AnyChart: TypeAlias = IntervalChart | Plot
Block: TypeAlias = Heading | Paragraph | Quote | Listing | Definitions | Table | AnyChart
