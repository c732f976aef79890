"""Our own runs for others to read. In: the sealed traces of a folder; out: an ExportedRun for each that is complete."""

import shlex
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from colosseum.campaign.folder import Folder
from colosseum.campaign.verifying import misfit
from colosseum.run.trace import BrokenTrace, Seal, read_trace
from colosseum.run.trial import Listed

Act: TypeAlias = Mapping[str, Any]
"""An event `reply`, `thought`, `post` or `decide`; a post that was not delivered has `failed`, and no channel."""


@dataclass(frozen=True)
class ExportedRun:
    """A run by the names of its own scenario."""

    listed: Listed
    order: tuple[str, ...]
    """Of turns; empty where it is not known."""
    channels: Mapping[str, bool]
    """Those that were live; whether each is secret."""
    acts: tuple[Act, ...]
    """Each reply stands before what was thought and done in it."""

    @property
    def fields(self) -> dict[str, str | int]:
        """What tells it apart, and what importers cannot see in its acts: names stand as in a shell."""
        own = self.listed
        named: dict[str, str | int] = {"run": own.trial, "arm": own.arm, "point": own.point, "seed": own.seed}
        told: dict[str, str | int] = {"turn_order": shlex.join(self.order), "channels": shlex.join(self.channels)}
        return named | {"repeat": own.repeat, "model_label": own.model} | told


def exported_runs(
    folder: Folder, complete: Iterable[tuple[Listed, Seal]], without: Collection[str]
) -> Iterator[ExportedRun]:
    """Complete runs, each with the seal of its trace. Raises OSError and BrokenTrace."""
    for listed, seal in complete:
        events = read_trace(folder.trace(listed.trial), seal)
        if wrong := next(filter(None, map(misfit, events)), None):
            raise BrokenTrace(f"{folder.trace(listed.trial).name}: {wrong}")
        single: dict[Any, Any] = {event["event"]: event for event in events}
        channels = {channel["name"]: channel["secret"] for channel in single["channels"]["channels"]}
        yield ExportedRun(listed, tuple(single["order"]["agents"] or ()), channels, tuple(_acts(events, without)))


def _acts(events: list[Any], without: Collection[str]) -> Iterator[Act]:
    """Each post, delivered or not, is that of the next call."""
    thoughts, written = list[Act](), iter(list[Any]())
    for event in events:
        match event["event"]:
            case "thought" if event["text"] and "thoughts" not in without:
                thoughts.append(event)
            case "reply":
                written = iter([call["arguments"] for call in event["calls"] if call["tool"] == "post"])
                yield from (event, *thoughts)
                thoughts.clear()
            case "mistake" if event["tool"] == "post":
                asked = next(written, "")
                told = str(asked.get("text", "") if isinstance(asked, dict) else asked)
                if "raw" not in without:
                    yield {**event, "event": "post", "channel": None, "text": told, "failed": event["message"]}
            case "post" | "decide" as kind:
                next(written, None) if kind == "post" else None
                yield event


def arguments_of(act: Act) -> dict[str, Any]:
    """Those of the tools `post` and `decide`."""
    return {name: act[name] for name in (("channel", "text") if act["event"] == "post" else ("variable", "value"))}


def taken(act: Act) -> dict[str, Any]:
    """The tokens and US dollars of a reply, as far as they are known."""
    named = {"input_tokens": "prompt_tokens", "output_tokens": "completion_tokens", "cost": "cost"}
    usage = act.get("usage") or {}
    return {name: usage[ours] for name, ours in named.items() if usage.get(ours) is not None}
