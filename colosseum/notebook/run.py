"""One run for a notebook. In: a run as it is on file; out: a page, and its acts as columns."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from colosseum.diagnostics import counted
from colosseum.evidence.summary import is_scripted
from colosseum.notebook.acts import act_columns
from colosseum.notebook.conversation import conversation, value_words, without_thoughts
from colosseum.notebook.frames import Cells
from colosseum.notebook.page import html, named
from colosseum.notebook.played import OnFile

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


def run_columns(file: OnFile, *, thoughts: bool) -> list[Cells]:
    """One row an act, in their order; with `thoughts` the reasoning of models, too. Raises as `run_html` does."""
    told = file.told
    secret = {channel["name"]: channel["secret"] for channel in told["channels"]}
    members = None if file.played is None else file.members
    turns = told["turns"] if thoughts else without_thoughts(told["turns"])
    return act_columns(turns, secret=secret, players=file.listed.players, members=members)


def run_html(file: OnFile, title: str) -> str:
    """The page of a run. Raises what a run that cannot be measured raises."""
    told, best, listed = file.told, file.best, file.listed
    places, more = conversation(told)
    return html(
        "run.html",
        title_words=title,
        scripted_only=all(map(is_scripted, listed.players.values())),
        told=told,
        doubt=file.doubt,
        facts_found=list(_facts(file)),
        members=file.members,
        figures=[(name.replace("_", " "), *_figure(figure)) for name, figure in told.get("figures", {}).items()],
        places=places,
        more=more,
        few=FEW_JUDGEMENTS,
        decided=list(_decided(file)) if told.get("assignment") else [],
        unknown=best.get("reason", "") if told["status"] == "complete" else "",
    )


def _facts(file: OnFile) -> Iterator[tuple[str, str]]:
    listed, coalition = file.listed, file.coalition
    yield "run", listed.trial
    by_player: dict[str, list[str]] = {}
    for agent, player in listed.players.items():
        by_player.setdefault(player, []).append(agent)
    yield "who acted", "; ".join(f"{player}: {named(agents)}" for player, agents in by_player.items())
    if coalition is not None:
        yield "coalition", f"{coalition.name}: {named(coalition.members)}"
    elif file.played is not None:
        yield "coalition", "none"
    if broken := file.told.get("violations"):
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
