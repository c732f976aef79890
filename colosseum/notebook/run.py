"""One run. In: a campaign's folder and which run; out: its conversation and decisions for a notebook, and a table."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from colosseum.cli.runs import run_words
from colosseum.diagnostics import counted
from colosseum.evidence.summary import is_scripted
from colosseum.notebook.acts import act_columns
from colosseum.notebook.conversation import conversation, value_words, without_thoughts
from colosseum.notebook.failing import in_words
from colosseum.notebook.frames import frame
from colosseum.notebook.page import html, named, spelled
from colosseum.notebook.played import OnFile, on_file
from colosseum.run.trial import Listed

if TYPE_CHECKING:
    from pandas import DataFrame

FEW_JUDGEMENTS: Final = 12
"""Judgements up to which all are seen at once."""


@dataclass(frozen=True)
class Decided:
    """What one agent decided, and what came of it."""

    agent: str
    member: bool
    decisions: tuple[tuple[str, str, str], ...]
    """A variable, its value and a remark: what the optimum has, and whether nobody decided it."""
    payoff: str
    regret: str
    """What the agent alone could have had more."""


class Run:
    """One run of a campaign, as `Campaign.run` finds it; its last expression in a cell is its conversation."""

    def __init__(self, folder: Path, listed: Listed, coalition: str) -> None:
        """Raises ColosseumError where the run has not begun, or was changed."""
        with in_words():
            self._file: OnFile = on_file(folder, listed, coalition)

    @property
    def trial(self) -> str:
        """Its identity: a SHA-256 in hexadecimal."""
        return self._file.listed.trial

    @property
    def status(self) -> str:
        """Complete, failed or unfinished."""
        played = self._file.played
        return "unfinished" if played is None else played.result.status

    def to_pandas(self, *, thoughts: bool = False) -> "DataFrame":
        """One row an act, in their order: what was said, decided, refused, done wrong, noted and believed.

        With `thoughts` the reasoning of models, too. Raises ColosseumError, and ImportError without pandas.
        """
        with in_words():
            told = self._file.told
        secret = {channel["name"]: channel["secret"] for channel in told["channels"]}
        members = None if self._file.played is None else self._members
        turns = told["turns"] if thoughts else without_thoughts(told["turns"])
        return frame(act_columns(turns, secret=secret, players=self._file.listed.players, members=members))

    @property
    def _members(self) -> tuple[str, ...]:
        coalition = self._file.coalition
        return coalition.members if coalition else ()

    def __repr__(self) -> str:
        return f"<colosseum.Run {spelled(run_words(self._file.listed))}: {self.status}>"

    def _repr_html_(self) -> str:
        with in_words():
            told, best = self._file.told, self._file.best
        places, more = conversation(told)
        listed = self._file.listed
        return html(
            "run.html",
            title_words=run_words(listed),
            scripted_only=all(map(is_scripted, listed.players.values())),
            told=told,
            doubt=self._file.doubt,
            facts_found=list(self._facts()),
            members=self._members,
            figures=[(name.replace("_", " "), *_figure(figure)) for name, figure in told.get("figures", {}).items()],
            places=places,
            more=more,
            few=FEW_JUDGEMENTS,
            decided=list(_decided(self._file)) if told.get("assignment") else [],
            unknown=best.get("reason", "") if told["status"] == "complete" else "",
        )

    def _facts(self) -> Iterator[tuple[str, str]]:
        listed, coalition = self._file.listed, self._file.coalition
        yield "run", listed.trial
        by_player: dict[str, list[str]] = {}
        for agent, player in listed.players.items():
            by_player.setdefault(player, []).append(agent)
        yield "who acted", "; ".join(f"{player}: {named(agents)}" for player, agents in by_player.items())
        if coalition is not None:
            yield "coalition", f"{coalition.name}: {named(coalition.members)}"
        elif self._file.played is not None:
            yield "coalition", "none"
        told = self._file.told
        if broken := told.get("violations"):
            yield "broken", ", ".join(f"{name} ({counted(int(n), 'time')})" for name, n in broken.items())


def _figure(figure: Mapping[str, Any]) -> tuple[str, str]:
    """A figure and why there is none."""
    value = figure["value"]
    return ("–", str(figure.get("reason", ""))) if value is None else (f"{value:,.6g}", "")


def _decided(on_file: OnFile) -> Iterator[Decided]:
    """By agent, in declared order."""
    told, best, played = on_file.told, on_file.best, on_file.played
    assert played is not None
    none = {"value": None, "reason": "the run failed"}
    for agent, variables in played.scenario.task.owned.items():
        payoff = {"value": told["payoff"].get(agent), "reason": none["reason"]}
        yield Decided(
            agent,
            bool(on_file.coalition and agent in on_file.coalition.members),
            tuple(_decision(v.name, told, best["assignment"]) for v in variables),
            " ".join(_figure(payoff)).strip(),
            " ".join(_figure(told["best_response_regret"].get(agent, none))).strip(),
        )


def _decision(name: str, told: Mapping[str, Any], best: Mapping[str, object] | None) -> tuple[str, str, str]:
    value = told["assignment"].get(name)
    remarks = ["nobody decided it"] if name in told["undecided"] else []
    if best is not None:
        same = best[name] == value
        remarks.append("as at the optimum" if same else f"at the optimum: {value_words(best[name])}")
    return name, value_words(value), ", ".join(remarks)
