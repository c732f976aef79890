"""Messages and decisions as rows. In: the runs of a folder that ended; out: one row each."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from colosseum.campaign.folder import Folder, Plan
from colosseum.run.line_types import misfit
from colosseum.run.trace import BrokenTrace, read_trace
from colosseum.run.trial import Listed


@dataclass(frozen=True)
class ActRow:
    """A message, a decision or a thought."""

    run: str
    arm: str
    point: str
    seed: int
    repeat: int
    status: str
    """How the run ended: complete or failed."""
    n: int
    """The event's place in its trace."""
    round: int | None
    agent: str
    model: str
    """The agent's player."""
    kind: str
    """post or decide; thought on request."""
    channel: str | None
    secret: bool | None
    """Whether only the channel's members know of it."""
    text: str | None
    variable: str | None
    value: bool | int | float | str | None
    """Null is none where there is a variable."""


def rows(folder: Folder, plan: Plan, *, thoughts: bool = False) -> Iterator[ActRow]:
    """Of all runs that ended, in the order of the plan. Raises OSError, Damaged and BrokenTrace."""
    for listed in plan.trials:
        if (result := folder.result(listed.trial)) is not None:
            path = folder.trace(listed.trial)
            events = read_trace(path, result.trace)
            if words := next(filter(None, map(misfit, events)), ""):
                raise BrokenTrace(f"{path.name}: {words}")
            yield from _rows(events, listed, result.status, ("post", "decide", *["thought"] * thoughts))


def _rows(events: Iterable[Mapping[str, Any]], listed: Listed, status: str, kinds: tuple[str, ...]) -> Iterator[ActRow]:
    secret: dict[str, bool] = {}
    for event in events:
        if event["event"] == "channels":
            secret = {channel["name"]: channel["secret"] for channel in event["channels"]}
        elif event["event"] in kinds:
            channel = event.get("channel")
            yield ActRow(
                listed.trial, listed.arm, listed.point, listed.seed, listed.repeat, status, event["n"], event["round"],
                event["agent"], listed.players.get(event["agent"], ""), event["event"], channel,
                secret.get(str(channel)), event.get("text"), event.get("variable"), event.get("value"),
            )  # fmt: skip
