"""Figures as tidy tables: a row a run, a pair, an agent or a post. In: findings, a folder; out: a FigureTable."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

from colosseum.campaign.acts_table import rows
from colosseum.campaign.folder import Folder
from colosseum.diagnostics import closest, stop
from colosseum.evidence.figures import Figure
from colosseum.evidence.findings import Findings
from colosseum.evidence.summary import DIFFERENCES, by_seed, difference, grouped, unit_of
from colosseum.report.frames import Kind, frame
from colosseum.report.tables import columns

if TYPE_CHECKING:
    from pandas import DataFrame

Rows = Iterator[dict[str, object]]
SPENT: Final = ("calls", "prompt_tokens", "completion_tokens", "cost", "unpriced")
"""Of a run's expense; cost in US dollars."""


@dataclass(frozen=True)
class FigureTable:
    """Rows with equal columns; a figure that is null has its reason in the column NAME_reason."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]

    def to_pandas(self) -> "DataFrame":
        """As a data frame. Raises ImportError without pandas."""
        cells = {name: tuple(row[place] for row in self.rows) for place, name in enumerate(self.columns)}
        return frame((name, _kind(found), found) for name, found in cells.items())


def _kind(cells: tuple[Any, ...]) -> Kind:
    """What a column holds."""
    types = {type(cell) for cell in cells if cell is not None}
    return "truth" if types == {bool} else "whole" if types == {int} else "number" if types <= {int, float} else "text"


def figure_table(kind: str, findings: Findings, folder: Folder) -> FigureTable:
    """A table of one of the kinds in KINDS. Raises ColosseumError."""
    if kind not in KINDS:
        help_ = closest(kind, KINDS) or f"kinds: {', '.join(KINDS)}"
        raise stop("C122", f"there are no figures of `{kind}`", help=help_)
    found = list(KINDS[kind](findings, folder))
    names = tuple(dict.fromkeys(name for row in found for name in row))
    return FigureTable(names, tuple(tuple(row.get(name) for name in names) for row in found))


def _runs(findings: Findings, folder: Folder) -> Rows:
    table = columns(findings.plan, findings.records)
    for place, record in enumerate(findings.records):
        result = folder.result(record.trial)
        spent = asdict(result.expense) if result else {}
        yield {**{c.name: c.cells[place] for c in table}, **{name: spent.get(name) for name in SPENT}}


def _pairs(findings: Findings, folder: Folder) -> Rows:
    """Treated − control by seed, in the figure's own unit; outsider_loss is in u."""
    control, *treated = findings.summary.arms or ("",)
    for (point, model), runs in grouped(findings.records, findings.summary.arms).items():
        of = {arm: [run for run in runs if run.arm == arm] for arm in findings.summary.arms}
        for arm in treated:
            for seed, pair in by_seed(of[control], of[arm])[0].items():
                changes = {"u": unit_of(pair), **{name: difference(name, pair) for name in DIFFERENCES}}
                yield {"point": point, "model": model, "arm": arm, "seed": seed, **_cells(changes)}


def _agents(findings: Findings, folder: Folder) -> Rows:
    for record, run in ((each, each.figures) for each in findings.records if each.figures):
        for agent in run.payoff:
            said = [each for each in run.talk if each.agent == agent]
            yield {
                **{name: getattr(record, name) for name in ("trial", "point", "model", "arm", "seed", "repeat")},
                "agent": agent, "player": record.players.get(agent),
                "member": agent in run.setup.members if run.setup else None, "payoff": run.payoff[agent],
                **_cells({"best_response_regret": run.best_response_regret[agent],
                          "sequential_regret": run.sequential_regret[agent]}),
                "refused": run.refused.get(agent), "undecided": run.undecided.get(agent),
                "posts": sum(each.posts for each in said), "characters": sum(each.characters for each in said),
            }  # fmt: skip


def _posts(findings: Findings, folder: Folder) -> Rows:
    return (asdict(row) for row in rows(folder, findings.plan) if row.kind == "post")


def _cells(figures: Mapping[str, Figure]) -> dict[str, object]:
    values = {name: figure.value for name, figure in figures.items()}
    return values | {f"{name}_reason": figure.reason for name, figure in figures.items() if figure.reason}


KINDS: Final = {"runs": _runs, "pairs": _pairs, "agents": _agents, "posts": _posts}
