"""Outputs of Terrarium. In: a folder of runs, with the tables of batches and ratings; out: a ForeignRun for each."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from colosseum.imports.foreign_run import Fields, ForeignRun, Source, Utterance
from colosseum.imports.mapping import TraceMapping
from colosseum.imports.table_reader import usage_of
from colosseum.imports.terrarium_files import WORDS, RunFiles, ratings_below, runs_below

SHOWN = re.compile(r"^=== BLACKBOARD COMMUNICATIONS ===.*(?=^=== CURRENT PHASE)", re.MULTILINE | re.DOTALL)
"""What a prompt shows of boards: it is no part of what an agent is told."""


def read_terrarium(path: Path, mapping: TraceMapping) -> Source:
    """Every run below a folder. Raises Refusal where there is none."""
    rated = ratings_below(path)
    return ((name, partial(_run, make, rated)) for name, make in runs_below(path))


def _run(make: Callable[[], RunFiles], rated: dict[str, dict[str, float]]) -> ForeignRun:
    """Raises Refusal and one of DAMAGED."""
    files = make()
    config, summary, turns = files.config, files.content["final_summary"], files.content["agent_turns"]
    decided, taken, whole = _decisions(files)
    channels, posts, told = _channels(files), _posts(files), _told(files)
    known = all(each.round is not None for each in posts)
    said = [*_taken(turns), *_thoughts(files.content["agent_trajectories"]), *posts]
    order = config.get("agent_turn_order") or list(dict.fromkeys(turn["agent"] for turn in turns))
    place = {name: n for n, name in enumerate(order)}
    secret, credit = config.get("secret_blackboard_id"), files.credit
    fields: dict[str, Any] = {name: config.get(name) for name in WORDS["fields"]} | decided | {
        "agent_order": list(config.get("roles") or ()), "status": summary.get("status"), "credit": credit,
        "secret_blackboard": None if secret is None else f"board {secret}",
        "replica_index": config.get("replica_index") or 0,
    }  # fmt: skip
    lacks = {
        "turn order": not order, "rounds": not known, "memberships": not channels, "decisions": not whole,
        "prompts": len(told) < len(files.agents) or not told, "fills": "assignment" not in summary and not files.calls,
        "messages": not files.boards and not posts,
    }  # fmt: skip
    models = config.get("agent_model_assignments") or {}
    label = str(config.get("model_label") or config.get("model") or "unknown")
    return ForeignRun(
        files.name, files.digests, fields, agents=files.agents, order=tuple(order) or None, channels=channels,
        models={a: str((models.get(a) or {}).get("model") or label) for a in files.agents}, told=told,
        coalition=tuple(config.get("colluders") or ()) or None, decided=whole, taken=taken,
        said=tuple(sorted(said, key=lambda u: (u.round == 0, u.round or 0, place.get(u.agent, 0)) if known else 0)),
        reported=_reported(files.content["metrics"], summary) | rated.get(str(config["run_id"]), {}),
        missing=tuple(name for name in lacks if lacks[name]),
    )  # fmt: skip


def _decisions(files: RunFiles) -> tuple[dict[str, Any], dict[str, Any], bool]:
    """What was decided of tickets and meetings, the same without what was drawn, and whether that is all."""
    summary, own = files.content["final_summary"], files.decided
    chosen = {row["agent_name"]: row["chosen_task_id"] for row in files.content["metrics"].get("agents") or []}
    tickets = summary.get("assignment") or (chosen if any(chosen.values()) else {})
    final = {(agent, ""): task for agent, task in tickets.items()}
    meetings = ((*key.split("__", 1), when) for key, when in (summary.get("attendance") or {}).items())
    final |= {(agent, meeting): when for agent, meeting, when in meetings}
    shown = {agent for board in files.boards for agent in board["participants"]} if own else set[str]()
    fills, every = int(summary.get("random_fallback_fills") or 0), {**final, **own}
    surely = files.calls or {agent for agent, _ in final} <= shown
    drawn = final.keys() - own.keys() if surely else list(final)[len(final) - fills :]
    taken = {key: each for key, each in every.items() if key not in drawn}
    return _named(every), _named(taken), bool(final) or {agent for agent, _ in own} == {*files.agents} != set()


def _named(decided: dict[tuple[str, str], Any]) -> dict[str, Any]:
    """By agent its ticket, and by agent and meeting when it is there."""
    attended: dict[str, dict[str, Any]] = {}
    for (agent, meeting), when in decided.items():
        attended.setdefault(agent, {})[meeting] = when
    return {"assignment": {a: met[""] for a, met in attended.items() if "" in met}, "attendance": attended}


def _channels(files: RunFiles) -> dict[str, tuple[tuple[str, ...], bool]]:
    config = files.config
    members = dict(config.get("blackboard_participants") or {})
    members |= {str(board["blackboard_id"]): board["participants"] for board in files.boards}
    listed = [config.get("secret_blackboard_id"), *(config.get("secret_blackboard_ids") or ()),
              *(config.get("extra_secret_blackboard_ids") or ())]  # fmt: skip
    secret = {str(number) for number in listed}
    return {f"board {n}": (tuple(who), n in secret) for n, who in sorted(members.items())}


def _posts(files: RunFiles) -> list[Utterance]:
    """Messages in order as boards have them, or else calls; then those that no board took."""
    calls = [call for call in files.calls if call.get("tool_name") == "post_message"]
    made = {call["result"]["event_id"]: _called(call) for call in calls if (call.get("result") or {}).get("event_id")}
    posts = [] if files.boards else [*made.values()]
    events = [(f"board {board['blackboard_id']}", event) for board in files.boards for event in board["events"]]
    for channel, event in sorted(events, key=lambda each: each[1].get("ts") or 0):
        if (words := _words(event)) is not None:
            call = made.pop(event["id"], None)
            posts.append(Utterance(event["agent"], words, channel, call.round if call else _round(event["payload"])))
    acts = [((call.agent, call.channel), call.round) for call in made.values()]
    posts = _counted(posts, acts, lambda each: (each.agent, each.channel))
    turns = files.content["agent_turns"]
    calls_ = [(turn["agent"], _round(turn)) for turn in turns for _ in range(turn.get("tools_executed") or 0)]
    posts = _counted(posts, calls_, lambda each: each.agent)
    lost = [_called(call, "the board did not take it") for call in calls if not (call["result"] or {}).get("event_id")]
    return posts + lost


def _words(event: Fields) -> str | None:
    """The message of an event; hospitals broadcast theirs as an action on every board that they are on."""
    about = event["payload"]
    if event["kind"] == "communication":
        return str(about.get("content"))
    sent = about["action_params"].get("broadcast_message") if event["kind"] == "action_executed" else None
    return None if sent is None else str(sent[event["agent"]]["message"])


def _called(call: Fields, failed: str = "") -> Utterance:
    board, text = f"board {call['arguments'].get('blackboard_id')}", str(call["arguments"].get("message"))
    return Utterance(call["agent_name"], text, board, _round(call), failed)


def _round(about: Fields) -> int | None:
    return 0 if about.get("phase") == "execution" else about.get("planning_round")


def _counted(
    posts: list[Utterance], acts: list[tuple[Any, int | None]], of: Callable[[Utterance], object]
) -> list[Utterance]:
    """With rounds, where somebody has as many acts while planning as posts without a round."""
    rounds: dict[object, list[int]] = {}
    for who, when in acts:
        rounds.setdefault(who, []).extend([when] if when else [])
    spoken = Counter(of(post) for post in posts if post.round is None)
    sure = {who: iter(found) for who, found in rounds.items() if len(found) == spoken[who]}
    return [replace(post, round=next(sure[of(post)])) if post.round is None and of(post) in sure else post
            for post in posts]  # fmt: skip


def _taken(turns: list[Fields]) -> Iterator[Utterance]:
    """What the answers of each turn took."""
    for turn in turns:
        used = turn.get("usage") or {}
        if usage := usage_of(used.get("prompt_tokens"), used.get("completion_tokens")):
            yield Utterance(turn["agent"], "", None, _round(turn), usage=usage)


def _thoughts(trajectories: Fields) -> Iterator[Utterance]:
    for agent, iterations in trajectories.items():
        for phase, rounds in (item for each in iterations.values() for item in each.items()):
            for name, turn in rounds.items():
                when = _round({"phase": phase, "planning_round": int(name.removeprefix("round_")) or None})
                for words in (step.get("reasoning") for step in turn["trajectory"].values()):
                    yield from [Utterance(agent, words, None, when)] if words else []


def _told(files: RunFiles) -> dict[str, tuple[str, ...]]:
    """By agent, the prompts of its first turn, without the messages on boards."""
    first = {prompt["agent_name"]: prompt for prompt in reversed(files.content["agent_prompts"])}
    return {agent: (str(p["system_prompt"]), SHOWN.sub("", str(p["user_prompt"]))) for agent, p in first.items()}


def _reported(metrics: Fields, summary: Fields) -> dict[str, float]:
    """Figures by our names; the joint reward also from how much it lacks of the most that all could earn."""
    found = {ours: metrics[theirs] for theirs, ours in WORDS["reported"].items() if metrics.get(theirs) is not None}
    if metrics.get("system_regret") is not None and metrics.get("total_agents"):
        found["joint_payoff"] = WORDS["best"] * float(metrics["total_agents"]) - float(metrics["system_regret"])
    if summary.get("joint_reward") is not None:
        found["joint_payoff"] = summary["joint_reward"]
    found = {name: float(value) for name, value in found.items()}
    if {"coalition_regret", "outsider_regret"} <= found.keys():
        found["coalition_advantage"] = found["outsider_regret"] - found["coalition_regret"]
    return found
