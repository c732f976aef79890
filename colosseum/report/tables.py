"""Tables for other programs. In: findings; out: a FigureTable: CSV, JSON lines or a data frame.

Numbers are in full, and a null is an empty cell. What a column holds shows in its cells. A row is a run, a pair,
an agent, an act, or a figure of an arm; columns come in an order that does not depend on what came out.
"""

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import chain
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from colosseum.campaign.folder import Folder, replace_file
from colosseum.diagnostics import counted, file_errors, one_of, stop
from colosseum.evidence.figures import Figure, RunFigures
from colosseum.evidence.findings import Findings
from colosseum.evidence.readings import Call, Reading, Verdict, Weighed
from colosseum.evidence.summary import DIFFERENCES, difference, grouped, pairs_of, unit_of
from colosseum.evidence.verdict import ArmVerdict, Signal
from colosseum.imports.exporting import ACTS, act_rows
from colosseum.imports.table_reader import guarded
from colosseum.report.cells import limits
from colosseum.report.effects import effects_of
from colosseum.report.words import no_pair

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True)
class FigureTable:
    """Rows with equal columns; a figure that is null has its reason in the column NAME_reason."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]

    @classmethod
    def of(cls, rows: Iterable[Mapping[str, object]], heads: Sequence[str]) -> "FigureTable":
        """The columns are `heads`, then the other names; those that differ in `[…]` alone stand together.

        Of the columns of reasons, those without any are left out.
        """
        found = list(rows)
        every = list(dict.fromkeys(chain(heads, *found)))
        families = {family: place for place, family in enumerate(dict.fromkeys(map(_family, every)))}
        names = tuple(
            name for name in sorted(every, key=lambda name: families[_family(name)])
            if not _family(name).endswith("_reason") or any(row.get(name) for row in found)
        )  # fmt: skip
        return cls(names, tuple(tuple(row.get(name) for name in names) for row in found))

    def to_pandas(self) -> "DataFrame":
        """As a data frame of the types that pandas infers. Raises ImportError without pandas."""
        try:
            import pandas
        except ImportError:
            raise ImportError("tables need pandas, which comes with `pip install 'colosseum[pandas]'`") from None
        with pandas.option_context("mode.string_storage", "python"):  # that of Arrow holds no half of a sign
            frame = pandas.DataFrame(self.rows, columns=self.columns)
        nulls = [name for name in frame if frame[name].isna().all() and not _family(name).endswith("reason")]
        return frame.astype(dict.fromkeys(nulls, float))

    def __repr__(self) -> str:
        return f"<colosseum.FigureTable: {counted(len(self.rows), 'row')} of {counted(len(self.columns), 'column')}>"

    def write(self, path: str | PathLike[str]) -> None:
        """Write a file of the kind that its name ends in. Raises ColosseumError."""
        make = ENDINGS.get(Path(path).suffix.lower())
        if make is None:
            raise stop("C122", f"`{path}` does not end in {' or '.join(ENDINGS)}")
        with file_errors(Path(path)):
            replace_file(Path(path), make(self))

    def to_csv(self) -> bytes:
        """UTF-8 after RFC 4180; a text that a spreadsheet would take for a formula has an apostrophe before it."""
        sheet = io.StringIO()
        lines = ([str(cell).lower() if isinstance(cell, bool) else guarded(cell) for cell in row]
                 for row in (self.columns, *self.rows))  # fmt: skip
        csv.writer(sheet, lineterminator="\r\n").writerows(lines)
        return sheet.getvalue().encode("utf-8", "backslashreplace")

    def to_jsonl(self) -> bytes:
        """An object a line, with every text as it was written."""
        rows = (dict(zip(self.columns, row, strict=True)) for row in self.rows)
        lines = [f"{json.dumps(row, ensure_ascii=False, allow_nan=False)}\n" for row in rows]
        return "".join(lines).encode("utf-8", "backslashreplace")


ENDINGS: Final = {".csv": FigureTable.to_csv, ".jsonl": FigureTable.to_jsonl}  # of files, with what makes them


def _family(name: str) -> str:
    return name.partition("[")[0]


Rows: TypeAlias = Iterator[dict[str, object]]
RUN: Final = ("point", "arm", "seed", "repeat", "model")
SPENT: Final = ("calls", "prompt_tokens", "completion_tokens", "cost", "unpriced")
"""Of a run's expense; cost in US dollars."""


@dataclass(frozen=True)
class VerdictRow:
    """One figure of one arm, as it was weighed."""

    point: str
    model: str
    arm: str
    kind: str | None = None
    """What the arm is for: treated, again (A/A), placebo, selfish."""
    signal: str | None = None
    """Actions or words."""
    figure: str | None = None
    mean: float | None = None
    """Of the paired differences from the control."""
    low: float | None = None
    high: float | None = None
    """Limits of the 95 % interval, or of the level that the rule asks for."""
    n: int = 0
    """Pairs."""
    n_nonzero: int | None = None
    """Pairs that differ."""
    margin: float | None = None
    test: str | None = None
    p: float | None = None
    """That counts rises alone."""
    adjusted_p: float | None = None
    """With all other tests counted; of the signal as a whole."""
    call: Call | None = None
    """Of this figure alone; where a signal has several, all have to rise."""
    more_seeds: float | None = None
    """That would settle what is not."""
    verdict: Verdict | None = None
    """None of arms that are not treated, and where nothing can be said."""
    reading: Reading | None = None
    """What the arm shows."""
    below_margin: bool | None = None
    reason: str | None = None
    """Why something in the row is null, or inconclusive."""


def verdict_rows(findings: Findings) -> Iterator[VerdictRow]:
    """All rows."""
    for each in effects_of(findings.summary, findings.verdicts).all:
        place, arm = (each.point, each.model, each.arm), each.verdict
        if arm is None:
            yield VerdictRow(*place, reason=no_pair(each.summary.excluded))
            continue
        words = {"words": arm.judge} if arm.judge and arm.verdict else {}
        for name, signal in ({"actions": arm.action} | words).items():
            for part, call in zip(signal.parts, signal.calls, strict=True):
                yield _row(place, arm, name, signal, part, call)


def _row(
    place: tuple[str, str, str], arm: ArmVerdict, name: str, signal: Signal, part: Weighed, call: Call
) -> VerdictRow:
    treated, interval = arm.verdict is not None, part.paired.interval
    low, high = limits(part.paired) or (None, None)
    few = "" if low is not None else "no interval holds where so few pairs differ: exact tests decide"
    uncounted = "" if treated else "an arm that is not treated is not among the tests that are counted"
    reasons = (
        part.estimate.reason, interval if isinstance(interval, str) else few, part.p.reason,
        signal.adjusted_p.reason or uncounted, signal.reason,
    )  # fmt: skip
    return VerdictRow(
        *place, arm.kind.kind, name, part.signal, part.estimate.value, low, high, part.paired.n, part.paired.n_nonzero,
        part.margin, part.test, part.upward.value, signal.adjusted_p.value if treated else None, call,
        signal.more_seeds.value, arm.verdict, arm.reading, signal.below,
        "; ".join(dict.fromkeys(filter(None, reasons))) or None,
    )  # fmt: skip


def figure_table(kind: str, findings: Findings, folder: Folder) -> FigureTable:
    """A table of one of the kinds in KINDS. Raises ColosseumError, OSError, Damaged and BrokenTrace."""
    make, heads = KINDS[one_of("table", kind, KINDS)]
    return FigureTable.of(make(findings, folder), heads)


def _runs(findings: Findings, folder: Folder) -> Rows:
    """Those that have ended; a channel that a run did not have has no number of posts."""
    plan = findings.plan
    shared = {"scenario": plan.scenario, "experiment": plan.experiment, "coalition": next(iter(plan.coalitions), None)}
    for record in findings.records:
        result = folder.result(record.trial)
        yield {
            "trial": record.trial, **shared, **{name: getattr(record, name) for name in RUN},
            "status": record.status, "reason": record.reason or None, **_each("player", record.players),
            **(_measured(record.figures) if record.figures else {}),
            **({name: getattr(result.expense, name) for name in SPENT} if result else {}),
        }  # fmt: skip


def _measured(run: RunFigures) -> dict[str, object]:
    """The sides that figures compare, the figures, and what each agent holds each claim for."""
    setup, beliefs = run.setup, {f"{held.agent}, {held.claim}": held for held in run.beliefs}
    characters = {name: sum(each.characters for each in run.talk if each.channel == name) for name in run.posts}
    return {
        **_each("member", {agent: agent in setup.members for agent in setup.played} if setup else {}),
        **_each("secret", {name: ", ".join(who) for name, who in setup.secret} if setup else {}),
        **_cells(run.scalars), **_cells(run.rubrics, "judge"), **_each("payoff", run.payoff),
        **_cells(run.best_response_regret, "best_response_regret"),
        **_cells(run.sequential_regret, "sequential_regret"),
        **_each("posts", run.posts), **_each("characters", characters), "failed_posts": run.failed_posts,
        **_each("violations", run.violations), **_each("refused", run.refused), **_each("undecided", run.undecided),
        "infeasible": run.infeasible, **_each("stated", run.stated),
        **{f"{name}[{key}]": getattr(held, name) for key, held in beliefs.items()
           for name in ("belief", "confidence", "first_round", "distance")},
    }  # fmt: skip


def _each(name: str, cells: Mapping[str, object]) -> dict[str, object]:
    return {f"{name}[{key}]": cell for key, cell in cells.items()}


def _cells(figures: Mapping[str, Figure], of: str = "") -> dict[str, object]:
    """Every figure with the reason why it is null."""
    found: dict[str, object] = {}
    for name, figure in figures.items():
        found[f"{of}[{name}]" if of else name] = figure.value
        found[f"{of}_reason[{name}]" if of else f"{name}_reason"] = figure.reason or None
    return found


def _pairs(findings: Findings, folder: Folder) -> Rows:
    """Treated − control by seed, in the figure's own unit; outsider_loss is in u."""
    control, *treated = findings.summary.arms or ("",)
    for (point, model), runs in grouped(findings.records, findings.summary.arms).items():
        for arm in treated:
            for seed, pair in pairs_of(runs, control, arm).items():
                changes = {"u": unit_of(pair), **{name: difference(name, pair) for name in DIFFERENCES}}
                yield {"point": point, "model": model, "arm": arm, "seed": seed, **_cells(changes)}


def _agents(findings: Findings, folder: Folder) -> Rows:
    for record, run in ((each, each.figures) for each in findings.records if each.figures):
        for agent in run.payoff:
            said = [each for each in run.talk if each.agent == agent]
            regrets = {name: getattr(run, name)[agent] for name in ("best_response_regret", "sequential_regret")}
            yield {
                "trial": record.trial, **{name: getattr(record, name) for name in RUN},
                "agent": agent, "player": record.players.get(agent),
                "member": agent in run.setup.members if run.setup else None,
                **{name: getattr(run, name).get(agent) for name in ("payoff", "refused", "undecided")},
                **_cells(regrets),
                **{name: sum(getattr(each, name) for each in said) for name in ("posts", "characters")},
            }  # fmt: skip


VERDICT = tuple(field.name for field in fields(VerdictRow))
KINDS: Final[dict[str, tuple[Callable[[Findings, Folder], Rows], Sequence[str]]]] = {
    "runs": (_runs, ("trial", "scenario", "experiment", "coalition", *RUN, "status", "reason")),
    "pairs": (_pairs, ("point", "model", "arm", "seed")),
    "agents": (_agents, ("trial", *RUN, "agent")),
    "acts": (lambda findings, folder: act_rows(folder, findings.plan), ACTS),
    "verdicts": (lambda findings, _: map(vars, verdict_rows(findings)), VERDICT),
}
"""What makes the rows, and the columns that stand even where there is no row."""
