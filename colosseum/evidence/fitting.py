"""Whether events can be those of a run. In: the events of a trace and its scenario; out: what is wrong with them.

A chain of hashes says that a trace is what was sealed, not that it is one of ours: whoever writes one may seal it.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from colosseum.campaign.verifying import misfit
from colosseum.model.scenario import Scenario

ONCE = ("start", "order", "channels", "outcome", "end")


def strange(events: Sequence[Mapping[str, Any]], scenario: Scenario) -> str:
    """The first thing that no run of the scenario has; empty where there is none."""
    return next(_strange(events, scenario), "")


def _strange(events: Sequence[Mapping[str, Any]], scenario: Scenario) -> Iterator[str]:
    for event in events:
        if wrong := misfit(event):
            yield f"line {event['n'] + 1}: {wrong}"
    kinds = [event["event"] for event in events]
    if events[0]["event"] != "start" or any(kinds.count(kind) > 1 for kind in ONCE):
        yield "its events are not those of one run"
    yield from _unknown(events, scenario)


def _unknown(events: Sequence[Mapping[str, Any]], scenario: Scenario) -> Iterator[str]:
    """Names that nothing in the run has."""
    agents = set(scenario.task.agents)
    known = {"agent": agents, "claim": {claim.name for claim in scenario.claims}, "variable": {*scenario.task.variable}}
    listed = [channel for event in events if event["event"] == "channels" for channel in event["channels"]]
    known["channel"] = {channel["name"] for channel in listed}
    members = {name for channel in listed for name in channel["members"]}
    if events[0]["players"].keys() != agents or not members <= agents:
        yield "its agents are not the scenario's"
    for event in events:
        for part, names in known.items():
            if part in event and event[part] not in names:
                yield f"line {event['n'] + 1}: there is no {part} `{event[part]}`"
