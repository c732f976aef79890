"""One run as it is on file. In: a campaign's folder and which run; out: its events and blocks."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from colosseum.campaign.folder import Folder
from colosseum.campaign.verifying import misfit, so_far
from colosseum.evidence.judges import Panel
from colosseum.evidence.kept import Kept
from colosseum.evidence.reading import Played, Reader, figures_of, recorded
from colosseum.evidence.summary import is_scripted
from colosseum.model.scenario import Coalition
from colosseum.report.conversation import conversation_blocks, outcome_blocks
from colosseum.report.document import Block, Definitions, Paragraph
from colosseum.report.html.cases import optimum
from colosseum.report.html.telling import tell, turns
from colosseum.run import events as ev
from colosseum.run.trial import Listed


@dataclass(frozen=True)
class OnFile:
    """A run as far as it went."""

    listed: Listed
    events: list[dict[str, Any]]
    doubt: str
    """Why what is on file of a run that has not ended may be wrong."""
    played: Played | None
    """None of a run that has not ended."""
    coalition: Coalition | None
    panel: Panel

    @property
    def members(self) -> tuple[str, ...]:
        """Of the coalition that is measured."""
        return self.coalition.members if self.coalition else ()

    @cached_property
    def told(self) -> dict[str, Any]:
        """Everything that happened, as data. Raises what a run that cannot be measured raises."""
        if self.played is None:
            channels = [channel for e in self.events if e["event"] == "channels" for channel in e["channels"]]
            found = list(turns(self.events))
            return {"status": "unfinished", "reason": "", "channels": channels, "turns": found, "judgements": []}
        played, reason = self.played, self.played.result.reason
        name = self.listed.trial
        figures = None if reason else figures_of(
            played.events, name, played.scenario, played.solved, self.coalition, played.judged, self.panel
        )  # fmt: skip
        record = recorded(self.listed, figures, f"{reason.kind}: {reason.words}" if reason else "")
        return tell(played, record, self.coalition, self.panel)

    @cached_property
    def best(self) -> dict[str, Any]:
        """The optimum of the run's instance: its `assignment`, None with a `reason` where it is not known."""
        if self.played is None:
            return {"assignment": None, "reason": "the run has not ended"}
        return optimum(self.played)


def on_file(path: Path, listed: Listed, coalition: str) -> OnFile | None:
    """Read a run; None where it has not begun. Raises Unreadable where it was changed."""
    reader = Reader(path, kept=Kept.of_user())
    played = reader.played(listed)
    if played is None:
        return _unfinished(Folder(path), listed, reader.panel)
    return OnFile(listed, played.events, "", played, played.scenario.coalition.get(coalition), reader.panel)


def _unfinished(folder: Folder, listed: Listed, panel: Panel) -> OnFile | None:
    try:
        found = so_far(folder.trace(listed.trial))
    except FileNotFoundError:
        return None
    wrong = next((words for event in found.events if (words := misfit(event))), "")
    events = [event for event in found.events if not misfit(event)]
    return OnFile(listed, events, found.broken or wrong, None, None, panel)


def run_blocks(file: OnFile, title: str) -> Iterator[Block]:
    """The run, what is measured of it, and its conversation. Raises what a run that cannot be measured raises."""
    told = file.told
    yield Paragraph(title, "title")
    if all(map(is_scripted, file.listed.players.values())):
        yield Paragraph("Scripted players: no model was asked.", "warning")
    if told["status"] == "failed":
        yield Paragraph(f"This run failed, and is no result: {told['reason']}", "bad")
    elif told["status"] != "complete":
        yield Paragraph("No end yet: the run goes on, or was cut off, and is no result.", "warning")
    if file.doubt:
        yield Paragraph(f"This trace cannot be trusted: {file.doubt}", "bad")
    yield Definitions(tuple(_facts(file)))
    if file.played is not None:
        owned = {agent: [v.name for v in found] for agent, found in file.played.scenario.task.owned.items()}
        yield from outcome_blocks({**told, "judgements": _unquoted(told)}, file.members, owned, file.best)
    readable = [ev.read_event(event) for event in file.events if not misfit(event)]
    yield from conversation_blocks(readable, prompts=False, thoughts=False)


def _unquoted(told: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Judgements without what they quote of thoughts."""
    thoughts = {act["n"] for turn in told["turns"] for act in turn["acts"] if act["is"] == "thought"}
    return [
        {**each, "quote": ""} if any(span["n"] in thoughts for span in each["spans"]) else each
        for each in told["judgements"]
    ]


def _facts(file: OnFile) -> Iterator[tuple[str, str]]:
    listed, coalition = file.listed, file.coalition
    yield "run", listed.trial
    by_player: dict[str, list[str]] = {}
    for agent, player in listed.players.items():
        by_player.setdefault(player, []).append(agent)
    yield "who acted", "; ".join(f"{player}: {', '.join(agents)}" for player, agents in by_player.items())
    if coalition is not None:
        yield "coalition", f"{coalition.name}: {', '.join(coalition.members)}"
    elif file.played is not None:
        yield "coalition", "none"
