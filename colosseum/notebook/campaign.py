"""A folder of runs. In: where it is; out: its report for a notebook, its runs one by one, and both as tables."""

from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING

from colosseum.cli.report import read_campaign, read_report
from colosseum.cli.runs import find_run
from colosseum.cli.words import stop
from colosseum.diagnostics import closest
from colosseum.notebook.failing import in_words, place_of
from colosseum.notebook.frames import frame
from colosseum.notebook.page import html, spelled
from colosseum.notebook.run import Run
from colosseum.notebook.verdicts import verdict_columns
from colosseum.report.findings import Findings
from colosseum.report.html.first import ArmCard, First, first
from colosseum.report.tables import columns

if TYPE_CHECKING:
    from pandas import DataFrame

MOST_CARDS = 12
"""Arms that are seen at once; the others can be unfolded."""


class Campaign:
    """A folder that `colosseum audit` wrote; its last expression in a cell is its report.

    Runs that end after its report was read are seen by a new Campaign.
    """

    def __init__(self, folder: str | PathLike[str], *, coalition: str | None = None) -> None:
        """`coalition` is measured, else the spec's first. Raises ColosseumError where there is no such thing."""
        self.folder = place_of(folder)
        self.coalition = coalition
        with in_words():
            self._plan = read_campaign(self.folder)
            known = self._plan.coalitions
            if coalition is not None and coalition not in known:
                help_ = closest(str(coalition), known) or f"coalitions: {', '.join(known) or 'none'}"
                raise stop("C122", f"there is no coalition `{coalition}`", help=help_)

    @cached_property
    def findings(self) -> Findings:
        """All that the runs show, computed from their traces. Raises ColosseumError."""
        with in_words():
            return read_report(self.folder, coalition=self.coalition, alone=True)

    def run(self, words: str) -> Run:
        """One run, by the start of its id or as `ARM:SEED[:REPEAT]`. Raises ColosseumError, and TypeError."""
        if not isinstance(words, str):
            raise TypeError(f"a run is named in a text, as `prompted:1`, not by {words!r}"[:300])
        with in_words():
            listed = find_run(self._plan, words)
        return Run(self.folder, listed, self.coalition or next(iter(self._plan.coalitions), ""))

    def to_pandas(self) -> "DataFrame":
        """One row a run that has ended, complete or failed: the columns of `report --table`.

        Numbers are in full, in the spec's own units; a figure that is null in a complete run has a column of reasons.
        Raises ColosseumError, and ImportError without pandas.
        """
        found = self.findings
        return frame((column.name, column.kind, column.cells) for column in columns(found.plan, found.records))

    def verdicts_to_pandas(self) -> "DataFrame":
        """One row per sweep point, model, arm and figure: what was weighed, and what is said of it.

        `reason` says why a number is null or a call inconclusive. Raises ColosseumError, and ImportError without
        pandas.
        """
        return frame(verdict_columns(self.findings))

    def __repr__(self) -> str:
        plan = self._plan
        name = f"{plan.scenario}, experiment {plan.experiment}, {len(plan.trials):,} runs planned"
        return f"<colosseum.Campaign {str(self.folder)!r}: {spelled(name)}>"

    def __str__(self) -> str:
        return spelled("\n".join(_lines(first(self.findings))))

    def _repr_html_(self) -> str:
        return html("campaign.html", first=first(self.findings), most=MOST_CARDS)


def _lines(shown: First) -> list[str]:
    """The first screen without its figures."""
    banner = ["Scripted players: no model was asked."] if shown.scripted else []
    cards = [_line(card) for card in (*shown.cards, *shown.others)]
    head = [shown.title, *([shown.question] if shown.question else []), *banner, ", ".join(shown.counts)]
    return [*head, "", shown.headline, *([""] if cards else []), *cards]


def _line(card: ArmCard) -> str:
    name = f"{card.arm} ({card.place})" if card.place else card.arm
    return f"{name}: {card.reading}" + (f"; {card.detail}" if card.detail else "")
