"""Cells of figures and differences, and tables as tables.toml describes them. In: figures, rows; out: cells, tables."""

import tomllib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

from colosseum.evidence.figures import Counts, Figure
from colosseum.evidence.statistics import Interval, Paired
from colosseum.report.document import Amount, Limits, Table, TableCell
from colosseum.report.words import probability, reasons

if TYPE_CHECKING:
    from colosseum.evidence.summary import ArmSummary
    from colosseum.evidence.verdict import ArmVerdict
    from colosseum.report.effects import Effect

TABLES: Final[dict[str, Any]] = tomllib.loads((Path(__file__).parent / "tables.toml").read_text(encoding="utf-8"))
Row: TypeAlias = Sequence[TableCell]
PLACES: Final = 3  # decimals of fair shares


def amount(figure: Figure, places: int | None = None, *, signed: bool = False) -> Amount:
    """A figure, or why there is none."""
    return Amount(figure.value, places, signed, figure.reason)


def p_cell(p: Figure) -> TableCell:
    """A p to three decimals, or why there is none."""
    return amount(p, 3) if p.value is None else probability(p.value)


def both(low: float | None, high: float | None) -> Limits | None:
    """Limits, where both are known."""
    return None if low is None or high is None else (low, high)


def ends(interval: Interval | str) -> Limits | None:
    """Of an interval, where there is one."""
    return (interval.low, interval.high) if isinstance(interval, Interval) else None


def limits(paired: Paired) -> Limits | None:
    """Of the 95 % interval, where enough pairs differ to go by it."""
    return ends(paired.interval) if paired.reliable else None


def level(rate: float) -> str:
    """Of the limits at a two-sided rate of false alarms, in percent."""
    return f"{min(99.999, 100 * (1 - rate)):.5g}"


def change(paired: Paired, places: int = PLACES, *, note: str = "") -> Amount:
    """A mean difference with its limits, or with how many pairs differ; `note` says what it lacks."""
    if paired.mean.value is None:
        return Amount(None, note=note or paired.mean.reason)
    ends = limits(paired)
    words = f"(alike in all {paired.n})" if paired.reliable else f"({paired.n_nonzero}/{paired.n} differ)"
    return Amount(paired.mean.value, places, signed=True, limits=ends, words="" if ends else words, note=note)


def lacking(nulls: Counts, of: int, what: str) -> str:
    """In how many runs or pairs a figure is missing, and why; empty where it is in none."""
    return f"missing in {sum(count for _, count in nulls)} of {of} {what}: {reasons(nulls)}" if nulls else ""


A = TypeVar("A", bound="ArmSummary | ArmVerdict | Effect")


def named(arms: Iterable[A], among: Iterable["ArmSummary | Effect"] = ()) -> list[tuple[str, list[A]]]:
    """The arms of each sweep point with its name, and its model where there are several; one alone has no name.

    `among` has an arm of every point where `arms` may lack some.
    """
    found = dict[tuple[str, str], list[A]]()
    for arm in arms:
        found.setdefault((arm.point, arm.model), []).append(arm)
    points = {(each.point, each.model) for each in among} | found.keys()
    models = len({model for _, model in points}) > 1
    return [
        (", ".join(filter(None, (point, model * (models and "model=" not in point)))) * (len(points) > 1), each)
        for (point, model), each in found.items()
    ]


def described(
    name: str, rows: Iterable[Row], columns: Iterable[str] = (), *, facts: Iterable[tuple[str, str]] = (),
    at: str = "", most: int | None = 60, **words: Any,
) -> Table:  # fmt: skip
    """A table of tables.toml: `columns` stand at its `…`, `facts` before its own, `at` ends its slug."""
    told, found, words = TABLES[name], tuple(tuple(row) for row in rows), {"level": "95", **words}
    limited = any(isinstance(cell, Amount) and cell.limits for row in found for cell in row)
    words["interval"] = f" and {words['level']} % interval" * limited
    words["half"] = " ± half of its 95 % interval (Student's t)" * limited
    heads = [head for each in told["columns"] for head in (columns if each == "…" else [each.format(**words)])]
    own = [(word.format(**words), meaning.format(**words)) for word, meaning in told.get("facts", ())]
    slug, grouped = told.get("name", name) + at, told.get("grouped", False)
    return Table(slug, told["title"].format(**words), tuple(heads), found, (*facts, *own), grouped, most)


def point_table(
    name: str, arms: Sequence[A], rows: Callable[[Sequence[A]], Iterable[Row]], columns: Iterable[str] = (), *,
    facts: Iterable[tuple[str, str]] = (), **words: Any,
) -> Table:  # fmt: skip
    """A table of the rows that the arms of each sweep point make, grouped by the point where there are several."""
    points = named(arms)
    several = len(points) > 1
    found = ((*[place] * several, *row) for place, each in points for row in rows(each))
    table = described(name, found, columns, facts=facts, **words)
    return replace(table, columns=("sweep point", *table.columns), grouped=True) if several else table
