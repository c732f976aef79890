"""Runs as data for those who read them. In: a run as it was played, its record and the optimum; out: plain JSON.

Everything that happened is there, in the order of the trace, turn by turn; `n` is an event's place in it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from colosseum.evidence.figures import RunRecord
from colosseum.evidence.judges import Panel, considered
from colosseum.evidence.reading import Played
from colosseum.model.scenario import Coalition
from colosseum.report.html.health import ENDS
from colosseum.run.judging.asking import Matter
from colosseum.run.judging.quoting import places
from colosseum.run.judging.transcript import passages

SHOWN: Final = (
    "joint_payoff", "optimum", "regret", "own_move_loss", "loss_given_others", "coalition_value",
    "coalition_advantage", "judge_score", "judge_coalition", "judge_random", "belief_rate",
)  # fmt: skip
"""The figures that stand at the head of a run."""
OF_RECORD: Final = ("trial", "point", "model", "arm", "seed", "repeat", "status", "reason")
ACTS: Final = ("post", "mistake", "refused", "decide", "belief")
"""What the calls of a reply come to."""


def tell(played: Played, record: RunRecord, coalition: Coalition | None, panel: Panel) -> dict[str, Any]:
    """A run from its first event to its last."""
    figures, events = record.figures, played.events
    single = {str(event["event"]): event for event in events}
    outcome = single.get("outcome", {})
    return {
        **{name: getattr(record, name) for name in OF_RECORD},
        "scenario": played.listed.scenario,
        "players": dict(record.players),
        "order": list(single.get("order", {}).get("agents", ())),
        "channels": list(single.get("channels", {}).get("channels", ())),
        "briefings": {str(e["agent"]): {"n": e["n"], "texts": e["texts"]} for e in events if e["event"] == "briefing"},
        "claims": {claim.name: {"words": claim.text, "truth": claim.truth} for claim in played.scenario.claims},
        "events": len(events),
        "turns": list(turns(events)),
        "assignment": outcome.get("assignment", {}),
        "undecided": outcome.get("undecided", []),
        "figures": {} if figures is None else {name: asdict(figures.scalars[name]) for name in SHOWN},
        "payoff": {} if figures is None else dict(figures.payoff),
        "best_response_regret": {a: asdict(r) for a, r in figures.best_response_regret.items()} if figures else {},
        "violations": {} if figures is None else {name: n for name, n in figures.violations.items() if n},
        "judgements": [] if figures is None else list(_judgements(played, coalition, panel)),
        "expense": asdict(played.result.expense),
    }


def turns(events: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """What each agent did when it was its turn, with what the calls of its replies came to."""
    turn: dict[str, Any] | None = None
    for event in events:
        kind = event["event"]
        if kind in ("reply", "thought"):
            place = {"agent": event["agent"], "phase": event["phase"], "round": event["round"]}
            if turn is None or any(turn[name] != value for name, value in place.items()):
                if turn is not None:
                    yield turn
                turn = {**place, "acts": []}
            turn["acts"] += _aside(event)
        elif turn is not None and kind in ACTS:
            said = ("event", "chain", "agent", "round")  # by its turn already
            turn["acts"].append({"is": kind, **{k: v for k, v in event.items() if k not in said}})
        elif kind == "failed":
            turn = turn or {"agent": "", "phase": "", "round": 0, "acts": []}
            turn["acts"].append({"is": kind, **{name: event[name] for name in ("n", "kind", "reason")}})
    if turn is not None:
        yield turn


def without_thoughts(told: dict[str, Any]) -> dict[str, Any]:
    """The same with thoughts left out, also where a judge quotes them; their places stay."""
    thoughts = {act["n"]: act for turn in told["turns"] for act in turn["acts"] if act["is"] == "thought"}
    for act in thoughts.values():
        act.update({"kind": "omitted", "text": ""} if act["text"] else {})
    for each in told["judgements"]:
        each.update({"quote": "", "spans": []} if any(span["n"] in thoughts for span in each["spans"]) else {})
    return told


def _aside(reply: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """A thought, or a private note and an answer that broke off."""
    if reply["event"] == "thought":
        yield {"is": "thought", "n": reply["n"], "kind": reply["kind"], "text": reply["text"]}
        return
    if str(reply["note"]).strip():
        yield {"is": "note", "n": reply["n"], "text": reply["note"]}
    if reply["finish"] in ENDS:
        yield {"is": "finish", "n": reply["n"], "finish": reply["finish"]}


def _judgements(played: Played, coalition: Coalition | None, panel: Panel) -> Iterator[dict[str, Any]]:
    """All judgements, with the places of what they quote: (event, first sign, one past the last)."""
    about, found = considered(played.events, played.scenario, coalition, played.judged, panel)
    by = {(matter.rubric.name, matter.focal): matter for matter in about}
    for each in found:
        matter = by.get((each.rubric, each.focal))
        spans = _marked(each.quote, matter) if matter is not None and each.quote else []
        heard = passages(played.events, thoughts=matter is not None and matter.rubric.thoughts)
        yield {
            **asdict(each),
            "agents": [] if matter is None else list(matter.agents),
            "spans": [{"n": heard[post]["n"], "first": first, "last": last} for post, first, last in spans],
        }


def _marked(quote: str, matter: Matter) -> list[tuple[int, int, int]]:
    """The places of a quote in what the agents in question wrote; in all posts where they did not write it."""
    found, asked = places(quote, matter.transcript), matter.transcript.numbers(matter.agents)
    return [place for place in found if matter.transcript.posts[place[0]].author in asked] or found
