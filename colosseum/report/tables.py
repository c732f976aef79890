"""Runs as a table for other programs. In: run records; out: named columns, one row a run, as CSV or Parquet.

Numbers are in full, a null is an empty cell. A figure that is null in some complete run has a column of reasons beside
it; why a run failed stands in `reason`. A channel that a run did not have has no number of posts.
"""

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeAlias

from colosseum.campaign.folder import Plan, replace_file
from colosseum.evidence.figures import Figure, RunFigures, RunRecord

Cell: TypeAlias = str | int | float | bool | None
Kind: TypeAlias = Literal["text", "whole", "number", "truth"]
WIDEST_WHOLE: Final = 2**63
"""Whole numbers from here on are written as text."""
FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")
"""How a text begins that a spreadsheet would compute, also by full-width signs."""
SUFFIXES: Final = (".csv", ".parquet")
NEEDS: Final = "pyarrow"
"""What Parquet files are written with."""


@dataclass(frozen=True)
class Column:
    """One column."""

    name: str
    kind: Kind
    cells: tuple[Cell, ...]
    """One a run."""


def columns(plan: Plan, records: Sequence[RunRecord]) -> list[Column]:
    """All columns, in an order that does not depend on what came out."""
    return [
        *_identity(plan, records),
        *_figures(records, "", lambda run: run.scalars),
        *_figures(records, "judge", lambda run: run.rubrics),
        *_numbers(records, "payoff", "number", lambda run: run.payoff),
        *_figures(records, "best_response_regret", lambda run: run.best_response_regret),
        *_figures(records, "sequential_regret", lambda run: run.sequential_regret),
        *_numbers(records, "posts", "whole", lambda run: run.posts),
        *_numbers(records, "characters", "whole", _characters),
        _whole("failed_posts", records, lambda run: run.failed_posts),
        *_numbers(records, "violations", "whole", lambda run: run.violations),
        *_numbers(records, "refused", "whole", lambda run: run.refused),
        *_numbers(records, "undecided", "whole", lambda run: run.undecided),
        Column("infeasible", "truth", tuple(r.figures.infeasible if r.figures else None for r in records)),
        *_beliefs(records),
    ]


def _characters(run: RunFigures) -> dict[str, int]:
    """By channel; every channel of the run is a key."""
    return {channel: sum(s.characters for s in run.talk if s.channel == channel) for channel in run.posts}


def _identity(plan: Plan, records: Sequence[RunRecord]) -> Iterator[Column]:
    """Which run it is, who played, and how it ended."""
    coalition = next(iter(plan.coalitions), None)
    yield _text("trial", (r.trial for r in records))
    for name, word in (("scenario", plan.scenario), ("experiment", plan.experiment), ("coalition", coalition)):
        yield _text(name, (word for _ in records))
    yield _text("point", (r.point for r in records))
    yield _text("arm", (r.arm for r in records))
    yield _count("seed", tuple(r.seed for r in records))
    yield _count("repeat", tuple(r.repeat for r in records))
    yield _text("model", (r.model for r in records))
    for agent in dict.fromkeys(agent for r in records for agent in r.players):
        yield _text(f"player[{agent}]", (r.players.get(agent) for r in records))
    yield from _sides(records)
    yield _text("status", (r.status for r in records))
    yield _text("reason", (r.reason or None for r in records))


def _sides(records: Sequence[RunRecord]) -> Iterator[Column]:
    """Who is in the coalition, and who in each secret channel that was live: the sides whose means figures compare."""
    setups = [r.figures.setup if r.figures else None for r in records]
    for agent in dict.fromkeys(agent for setup in setups if setup for agent in setup.played):
        cells = tuple(agent in setup.members if setup and agent in setup.played else None for setup in setups)
        yield Column(f"member[{agent}]", "truth", cells)
    for channel in dict.fromkeys(name for setup in setups if setup for name, _ in setup.secret):
        who = [dict(setup.secret).get(channel) if setup else None for setup in setups]
        yield _text(f"secret[{channel}]", (None if each is None else ", ".join(each) for each in who))


def _figures(
    records: Sequence[RunRecord], name: str, figures: Callable[[RunFigures], Mapping[str, Figure]]
) -> Iterator[Column]:
    """A column for each figure, and one with reasons where it is null in a complete run."""
    runs = [figures(r.figures) if r.figures else None for r in records]
    for key in dict.fromkeys(key for run in runs for key in run or ()):
        found = [run.get(key) if run else None for run in runs]
        long = f"{name}[{key}]" if name else key
        yield Column(long, "number", tuple(each.value if each else None for each in found))
        reasons = [each.reason or None if each else None for each in found]
        if any(reasons):
            yield _text(f"{name}_reason[{key}]" if name else f"{key}_reason", reasons)


def _beliefs(records: Sequence[RunRecord]) -> Iterator[Column]:
    """What each agent holds each claim for, how sure it is, and when and how far away it could first read it."""
    runs = [{f"[{h.agent}, {h.claim}]": h for h in r.figures.beliefs} if r.figures else {} for r in records]
    for key in dict.fromkeys(key for run in runs for key in run):
        found = [run.get(key) for run in runs]
        yield _text(f"belief{key}", (h.belief if h else None for h in found))
        yield Column(f"confidence{key}", "number", tuple(h.confidence if h else None for h in found))
        yield _count(f"first_round{key}", tuple(h.first_round if h else None for h in found))
        yield _count(f"distance{key}", tuple(h.distance if h else None for h in found))


def _numbers(
    records: Sequence[RunRecord], name: str, kind: Kind, numbers: Callable[[RunFigures], Mapping[str, float]]
) -> Iterator[Column]:
    runs: list[Mapping[str, float]] = [numbers(r.figures) if r.figures else {} for r in records]
    for key in dict.fromkeys(key for run in runs for key in run):
        yield Column(f"{name}[{key}]", kind, tuple(run.get(key) for run in runs))


def _whole(name: str, records: Sequence[RunRecord], number: Callable[[RunFigures], int]) -> Column:
    return _count(name, tuple(number(r.figures) if r.figures else None for r in records))


def _count(name: str, numbers: tuple[int | None, ...]) -> Column:
    if any(number is not None and abs(number) >= WIDEST_WHOLE for number in numbers):
        return _text(name, (None if number is None else str(number) for number in numbers))
    return Column(name, "whole", numbers)


def _text(name: str, cells: Iterable[str | None]) -> Column:
    return Column(name, "text", tuple(cells))


# ---- files ---------------------------------------------------------------------------------------------------------


def write(table: Sequence[Column], path: Path) -> None:
    """Write a file of the kind that its name ends in, one of SUFFIXES. Raises OSError, ImportError without NEEDS."""
    replace_file(path, as_parquet(table) if path.suffix.lower() == ".parquet" else as_csv(table))


def as_csv(table: Sequence[Column]) -> bytes:
    """UTF-8 after RFC 4180.

    A text that a spreadsheet would take for a formula has an apostrophe before it; so has one that begins with one.
    """
    sheet = io.StringIO()
    writer = csv.writer(sheet, lineterminator="\r\n")
    writer.writerow([_inert(column.name) for column in table])
    writer.writerows(zip(*([_written(column.kind, cell) for cell in column.cells] for column in table), strict=True))
    return sheet.getvalue().encode()


def _written(kind: Kind, cell: Cell) -> str:
    match cell:
        case None:
            return ""
        case bool():
            return "true" if cell else "false"
        case str():
            return _inert(cell)
        case _:
            return repr(float(cell) if kind == "number" else cell)


def _inert(text: str) -> str:
    return f"'{text}" if text.startswith((*FORMULA, "'")) else text


def as_parquet(table: Sequence[Column]) -> bytes:
    """Text as it is, whole numbers of 64 bits, numbers of double precision, truths; all may be null."""
    import pyarrow
    from pyarrow import parquet

    kinds = {"text": pyarrow.string(), "whole": pyarrow.int64(), "number": pyarrow.float64(), "truth": pyarrow.bool_()}
    arrays = [pyarrow.array(column.cells, kinds[column.kind]) for column in table]
    sheet = pyarrow.BufferOutputStream()
    parquet.write_table(pyarrow.Table.from_arrays(arrays, [column.name for column in table]), sheet)
    return bytes(sheet.getvalue())
