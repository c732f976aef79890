"""Our own runs for others to read. In: the sealed traces of a folder; out: an ExportedRun for each that is complete."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from colosseum.campaign.folder import Folder, Plan
from colosseum.campaign.verifying import misfit
from colosseum.run.trace import BrokenTrace, read_trace
from colosseum.run.trial import Listed


@dataclass(frozen=True)
class ExportedAct:
    """A post, a decision or a thought."""

    n: int
    """The event's place in its trace."""
    kind: Literal["post", "decide", "thought"]
    round: int | None
    text: str | None
    """None of a decision."""
    channel: str | None = None
    variable: str | None = None
    value: bool | int | float | str | None = None
    failed: str = ""
    """What the agent was told where the post was not delivered."""


@dataclass(frozen=True)
class ExportedTurn:
    """What an agent did in one exchange."""

    n: int
    """Its place in the trace."""
    agent: str
    round: int | None
    tokens: tuple[int, int]
    """Of what was sent, and of the answer; 0 where nothing is known."""
    acts: tuple[ExportedAct, ...]


@dataclass(frozen=True)
class ExportedRun:
    """A run by the names of its own scenario."""

    listed: Listed
    order: tuple[str, ...]
    """Of turns; empty where it is not known."""
    channels: Mapping[str, bool]
    """Those that were live; whether each is secret."""
    turns: tuple[ExportedTurn, ...]

    @property
    def fields(self) -> dict[str, str | int]:
        """What tells it apart, and what importers cannot see in its acts: names are separated by spaces."""
        own = self.listed
        named: dict[str, str | int] = {"run": own.trial, "arm": own.arm, "point": own.point, "seed": own.seed}
        told: dict[str, str | int] = {"turn_order": " ".join(self.order), "channels": " ".join(self.channels)}
        return named | {"repeat": own.repeat, "model_label": own.model} | told


def exported_runs(folder: Folder, plan: Plan, without: Collection[str]) -> Iterator[ExportedRun]:
    """The complete runs, in the order of the plan. Raises OSError, Damaged and BrokenTrace."""
    for listed in plan.trials:
        result = folder.result(listed.trial)
        if result is not None and result.status == "complete":
            path = folder.trace(listed.trial)
            events = read_trace(path, result.trace)
            if wrong := next(filter(None, map(misfit, events)), None):
                raise BrokenTrace(f"{path.name}: {wrong}")
            single: dict[Any, Any] = {event["event"]: event for event in events}
            channels = {channel["name"]: channel["secret"] for channel in single["channels"]["channels"]}
            order = tuple(single["order"]["agents"] or ())
            yield ExportedRun(listed, order, channels, tuple(_turns(events, without)))


def _turns(events: list[Any], without: Collection[str]) -> Iterator[ExportedTurn]:
    """Thoughts stand before the reply that they came with, and what its calls came to after it."""
    starts = [place for place, event in enumerate(events) if event["event"] == "reply"]
    before = 0
    for start, end in zip(starts, [*starts[1:], len(events)], strict=True):
        reply, thoughts = events[start], events[before:start]
        before = max((place + 1 for place in range(start, end) if events[place]["event"] != "thought"), default=end)
        acts = () if "thoughts" in without else (_act(e, e["text"]) for e in thoughts if e["event"] == "thought")
        said = [*(act for act in acts if act.text), *_outcomes(reply, events[start + 1 : before], without)]
        usage = reply["usage"] or {}
        tokens = usage.get("prompt_tokens") or 0, usage.get("completion_tokens") or 0
        yield ExportedTurn(start, reply["agent"], reply["round"], tokens, tuple(said))


def _outcomes(reply: Any, events: list[Any], without: Collection[str]) -> Iterator[ExportedAct]:
    """Each post, delivered or not, is that of the next call."""
    written = iter([call["arguments"] for call in reply["calls"] if call["tool"] == "post"])
    for event in events:
        failed = event["event"] == "mistake" and event["tool"] == "post"
        asked: Any = next(written, "") if failed or event["event"] == "post" else ""
        if failed and "raw" not in without:
            told = asked if isinstance(asked, dict) else {"text": asked}
            yield ExportedAct(event["n"], "post", event["round"], str(told.get("text", "")), failed=event["message"])
        elif event["event"] in ("post", "decide"):
            yield _act(event, event.get("text"))


def _act(event: Any, words: str | None) -> ExportedAct:
    where, variable = event.get("channel"), event.get("variable")
    return ExportedAct(event["n"], event["event"], event["round"], words, where, variable, event.get("value"))
