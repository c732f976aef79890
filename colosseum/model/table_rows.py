"""Entries of data into a table. In: rows as a grid, a map or a file gives them, and the keys wanted; out: the entries.

Total: a missing, doubled or unknown entry is a diagnostic. A wrong label is told once, at the label, and not for
every cell beside it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from colosseum.diagnostics import Diagnostic, Label, Span, closest, report
from colosseum.language.syntax import Cell
from colosseum.model.values import Entries, Key, Value, instance_name, text

MOST_LISTED = 3
"""Entries that a message names before it counts the rest."""
MOST_KNOWN = 8
"""Labels that a help names."""
MOST_COMPARED = 2000
"""Labels among which a near one is looked for."""


@dataclass(frozen=True, slots=True)
class TableEntry:
    """One entry of a table as data gives it, and where it stands."""

    labels: tuple[Cell, ...]
    value: Value
    span: Span

    @property
    def key(self) -> Key:
        """The values of its labels."""
        return tuple(label.value for label in self.labels)


@dataclass(frozen=True, slots=True)
class WantedTable:
    """A table whose entries are to be found."""

    name: str
    sets: Sequence[str]
    """The name of the set that each index runs over; empty where it has none."""
    at: Span
    """Where the table is named."""
    data: Span
    """Where its entries are listed; in a file, its header."""


def fit(
    rows: Iterable[TableEntry], keys: Iterable[Key], wanted: WantedTable
) -> tuple[Entries, list[Diagnostic]]:
    """The entries in the order of the keys, and what is wrong with them."""
    order = dict.fromkeys(keys)
    labels = [dict.fromkeys(column) for column in zip(*order, strict=True)] if order else []
    found: dict[Key, TableEntry] = {}
    strange: dict[tuple[int, Value], TableEntry] = {}
    beside: list[TableEntry] = []
    diagnostics: list[Diagnostic] = []
    for row in rows:
        key = row.key
        unknown = [(i, part) for i, part in enumerate(key) if i >= len(labels) or part not in labels[i]]
        for place in unknown:
            strange.setdefault(place, row)
        if key in found:
            message = f"`{instance_name(wanted.name, key)}` is given twice"
            diagnostics.append(report("C061", row.span, message, labels=[Label(found[key].span, "first here")]))
        elif key in order:
            found[key] = row
        elif not unknown:
            beside.append(row)
    for (position, part), row in strange.items():
        diagnostics.append(_unknown_label(position, part, row, labels, wanted))
    diagnostics += _left_out(beside, wanted)
    if not strange:
        diagnostics += _missing([key for key in order if key not in found], wanted)
    return {key: found[key].value for key in order if key in found}, diagnostics


def _unknown_label(
    position: int, part: Value, row: TableEntry, labels: Sequence[Mapping[Value, None]], wanted: WantedTable
) -> Diagnostic:
    """A row's or column's label that no entry of the table has."""
    place = row.labels[position].span
    over = wanted.sets[position] if position < len(wanted.sets) else ""
    known = [text(label) for label in labels[position]] if position < len(labels) else []
    what = f"is not in `{over}`, over which `{wanted.name}` runs" if over else f"is not an index of `{wanted.name}`"
    labelled = [Label(wanted.at, "the table")]
    owner = f"`{over}` has" if over else "known are"
    help_ = closest(text(part), known[:MOST_COMPARED]) or (f"{owner}: {few(known, MOST_KNOWN)}" if known else "")
    return report("C061", place, f"`{text(part)}` {what}", labels=labelled, help=help_)


def _left_out(rows: Sequence[TableEntry], wanted: WantedTable) -> Iterator[Diagnostic]:
    """Entries whose labels are known, but not together: a `where` leaves them out."""
    if rows:
        names = few([f"`{instance_name(wanted.name, row.key)}`" for row in rows])
        some = "is not an entry" if len(rows) == 1 else "are not entries"
        labels = [Label(wanted.at, "the table")]
        help_ = "the `where` of its indices leaves this out; without it, every combination has a value"
        yield report("C061", rows[0].span, f"{names} {some} of this table", labels=labels, help=help_)


def _missing(keys: Sequence[Key], wanted: WantedTable) -> Iterator[Diagnostic]:
    if keys:
        in_file = wanted.data.source is not wanted.at.source
        labels = [Label(wanted.at, "the table")] if in_file else []
        message = f"no value for {few([f'`{instance_name(wanted.name, key)}`' for key in keys])}"
        place = wanted.data if in_file else wanted.at
        yield report("C061", place, message, labels=labels, help="a table has a value for each of its indices")


def few(names: Sequence[str], most: int = MOST_LISTED) -> str:
    """The first of these, and how many more there are."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")
