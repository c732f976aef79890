"""Outputs of Terrarium. In: a folder of runs, with the tables of batches and ratings; out: a ForeignRun for each."""

import hashlib
import re
import tomllib
from ast import literal_eval
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import chain
from pathlib import Path
from typing import Any

from colosseum.imports.foreign_run import Fields, ForeignRun, Refusal, Source, Utterance, content_of, json_of, sound
from colosseum.imports.foreign_trace import TraceMapping
from colosseum.imports.table_reader import rows_of, usage_of

WORDS: Any = tomllib.loads((Path(__file__).parent / "terrarium.toml").read_text(encoding="utf-8"))
NAMED = re.compile(r"__secret([01])__pv(\w+?)__seed(\d+)(?:__replica(\d+))?\Z")
"""The end of a run's identity."""
TOTAL = re.compile(r"^Total Events: (\d+)$", re.MULTILINE)
MEMBERS = re.compile(r"^- Participants: (.*)$", re.MULTILINE)
EVENT = re.compile(r"^\[Event #\d+[^]\n]*\] \[([\d:]+)\] \[(\w+)\] (.+?) \((\w+)\)(?:  |$)", re.MULTILINE)
"""How an event of a board begins: its time of day, its phase, who acted, and what it is."""
PART = re.compile(r"^ *(Action_Params|Result_Status): (.*)$", re.MULTILINE)
ROUNDED = 1e-6
JUDGES: str = WORDS["judges"]
RATED = re.compile(r"judge_(?!mean)(\w+)_rating")
SHOWN = re.compile(r"^=== BLACKBOARD COMMUNICATIONS ===.*(?=^=== CURRENT PHASE)", re.MULTILINE | re.DOTALL)
"""What a prompt shows of boards: it is no part of what an agent is told."""


@dataclass(frozen=True)
class RunFiles:
    """What is on file of a run."""

    name: str
    content: dict[str, Any]
    """By file, without its ending; that of JSON is a value, also of a file that lacks."""
    digests: dict[str, str]
    credit: str | None
    """The rule that the rewards of its batch show."""

    @cached_property
    def config(self) -> Fields:
        """The configuration; without its file, what the folder's name and the figures say."""
        found, rows = self.content["run_config"], self.content["metrics"].get("agents") or []
        guessed: dict[str, Any] = {"run_id": self.name}
        if name := NAMED.search(self.name):
            secret, variant, seed, replica = name.groups()
            guessed |= {"secret_channel_enabled": secret == "1", "prompt_variant": variant, "seed": int(seed)}
            guessed |= {"replica_index": int(replica or 0), "model_label": self.name.partition("__")[0]}
        if rows:
            guessed["roles"] = {row["agent_name"]: row["role"] for row in rows}
            guessed["colluders"] = [row["agent_name"] for row in rows if row["role"] == "colluder"]
        return {**guessed, **{key: value for key, value in found.items() if value is not None}}

    @cached_property
    def agents(self) -> tuple[str, ...]:
        """In the order of the environment where their roles are known, else in any order."""
        named = self.config.get("roles") or self.content["final_summary"].get("assignment") or {}
        turns = [turn["agent"] for turn in self.content["agent_turns"]]
        shown = (agent for board in self.content["blackboards"] for agent in board["participants"])
        return tuple(named) or tuple(dict.fromkeys([*turns, *shown]))

    @cached_property
    def decided(self) -> dict[tuple[str, str], Any]:
        """By agent and meeting, "" for tickets, what it decided last, as its calls tell, or else actions on boards."""
        events = (e for board in self.content["blackboards"] for e in board["events"] if e["kind"] == "action_executed")
        acts = [(e["agent"], e["payload"]["action_params"], {e["payload"].get("result_status")}) for e in events]
        for call in self.content["tool_events"]:
            result = call.get("result") or {}
            inner = result["result"] if isinstance(result.get("result"), dict) else {}
            named = {**call["arguments"], "action": call["tool_name"]}
            acts.append((call["agent_name"], named, {result.get("status"), inner.get("status")}))
        return {(agent, about.get("meeting_id", "")): about.get(WORDS["decided"][about["action"]])
                for agent, about, ended in acts
                if about.get("action") in WORDS["decided"] and ended & {*WORDS["done"]}}  # fmt: skip


def _board(name: str, content: str) -> Fields:
    """A board as blackboards.json has it; times that go back are those of the next day.

    Raises Refusal where it has another number of events than it states: messages may have been taken for some.
    """
    head, *parts = EVENT.split(content.rpartition(f"\n{'=' * 80}")[0])
    total, members, events, last = TOTAL.search(head), MEMBERS.search(head), list[Fields](), 0
    for clock, phase, agent, kind, text in zip(*[iter(parts)] * 5, strict=True):
        hours, minutes, seconds = map(int, clock.split(":"))
        last += (3600 * hours + 60 * minutes + seconds - last) % (24 * 3600)
        own = dict(PART.findall(text)) if kind == "action_executed" else {}
        told = {"content": text.removesuffix("\n\n").removeprefix("Content: "), "phase": phase.lower()}
        told |= {"result_status": own.get("Result_Status")}
        told |= {"action_params": literal_eval(own.get("Action_Params", "{}"))}
        events.append({"id": None, "ts": last, "agent": agent, "kind": kind, "payload": told})
    if total is None or members is None or len(events) != int(total[1]):
        words = f"{name}.txt has {len(events)} events and states {total[1] if total else 'no number'}"
        raise Refusal(f"{words}: it is cut off, or a message poses as one")
    return {"blackboard_id": name.rpartition("_")[2], "participants": members[1].split(", "), "events": events}


def runs_below(path: Path) -> Iterator[tuple[str, Callable[[], RunFiles]]]:
    """Every run below a folder, and those that only the table of a batch has. Raises Refusal where there is none."""
    folders = sorted({file.parent for name in WORDS["files"] for file in path.rglob(name)}, key=str)
    batches = sorted({file.parent for file in path.rglob("summary.*") if file.suffix in (".json", ".csv")} - {*folders})
    if not folders and not batches:
        raise Refusal(f"{path.name} is no folder of runs: it has no {', '.join(WORDS['files'][:3])} or summary.json")
    batch = {each: next((up.parent for up in each.parents if up.name == "runs"), each.parent) for each in folders}
    rules = dict[Path, set[str]]()
    for folder in folders:
        rules.setdefault(batch[folder], set()).update(_credit(folder))
    yield from ((each.name, partial(_read, each, path, max(rules[batch[each]], default=None))) for each in folders)
    seen = {folder.name for folder in folders}
    for table in (max(batch.glob("summary.*")) for batch in batches):
        digest = {table.relative_to(path.parent).as_posix(): hashlib.sha256(content_of(table)).hexdigest()}
        with sound(table.name):
            rows = rows_of(table) if table.suffix == ".csv" else json_of(content_of(table), table.name)
            fresh = {str(row.get("run_id")): row for row in rows}
        for name, row in ((name, row) for name, row in fresh.items() if name not in seen):
            told = {"run_config": row, "metrics": {"total_agents": row.get("num_agents"), **row}, "final_summary": row}
            yield name, partial(RunFiles, name, WORDS["empty"] | told, digest, None)


def _read(folder: Path, root: Path, credit: str | None) -> RunFiles:
    """The files of a folder; texts of boards stand for blackboards.json, the library's own log for tool_events.json.

    Raises Refusal.
    """
    content, digests = dict(WORDS["empty"]), dict[str, str]()
    for path in (path for name in WORDS["files"] for path in sorted(folder.glob(name))):
        found = content_of(path)
        digests[path.relative_to(root.parent).as_posix()] = hashlib.sha256(found).hexdigest()
        content[path.stem] = json_of(found, path.name) if path.suffix == ".json" else found.decode()
    own = [{**call, "arguments": call["parameters"], "planning_round": call["round"]} for call in content["tool_calls"]]
    texts = ((name, text) for name, text in content.items() if name.startswith(WORDS["boards"]))
    content["tool_events"] = content["tool_events"] or own
    content["blackboards"] = content["blackboards"] or [_board(name, text) for name, text in texts]
    return RunFiles(folder.name, content, digests, credit)


def _credit(folder: Path) -> set[str]:
    """`whole` where rewards show that a surplus claim by n agents costs each 20/n, `split` where they show 20(n−1)/n.

    The first makes rewards come to more than the joint reward where a task has three claims. It counts more in a batch.
    """
    with suppress(Refusal), sound(""):
        summary = json_of(content_of(folder / "final_summary.json"), "")
        excess = sum(summary["agent_rewards"].values()) - summary["joint_reward"]
        if max(Counter(filter(None, summary["assignment"].values())).values(), default=0) > 2:
            return {"whole" if excess > ROUNDED else "split"}
    return set()


def ratings_below(root: Path) -> dict[str, dict[str, float]]:
    """What judges rated below a folder, each a file, a line or a row; a request that failed has no rating."""
    found: dict[str, dict[str, float]] = {}
    for path in sorted(path for path in root.rglob(f"{JUDGES}*/**/*") if path.suffix in (".json", ".jsonl", ".csv")):
        name = next(part for part in path.parts if part.startswith(JUDGES))
        with suppress(Refusal), sound(""):
            for row in [json_of(content_of(path), name)] if path.suffix == ".json" else rows_of(path):
                judge = (row.get("judge_config") or {}).get("model") or name.removeprefix(JUDGES).rpartition("__")[2]
                given = {rubric: told.get("rating") for rubric, told in (row.get("judgements") or {}).items()}
                given = given or {column[1]: row[column[0]] for column in map(RATED.fullmatch, row) if column}
                known = {f"judge[{each}] {judge}": float(n) for each, n in given.items() if n not in (None, "")}
                found.setdefault(str(row["run_id"]), {}).update(known)
    return found


def read_terrarium(path: Path, mapping: TraceMapping) -> Source:
    """Every run below a folder. Raises Refusal where there is none."""
    rated = ratings_below(path)
    return ((name, partial(_run, make, rated)) for name, make in runs_below(path))


def _run(make: Callable[[], RunFiles], rated: dict[str, dict[str, float]]) -> ForeignRun:
    """Raises Refusal and one of DAMAGED."""
    files = make()
    content, config = files.content, files.config
    summary, turns = content["final_summary"], content["agent_turns"]
    decided, taken, whole = _decisions(files)
    channels, posts, told = _channels(files), _posts(content), _told(content["agent_prompts"])
    known = all(each.round is not None for each in posts)
    said = [*_taken(turns), *_thoughts(content["agent_trajectories"]), *posts]
    order = config.get("agent_turn_order") or list(dict.fromkeys(turn["agent"] for turn in turns))
    place, secret = {name: n for n, name in enumerate(order)}, config.get("secret_blackboard_id")
    fields: dict[str, Any] = {name: config.get(name) for name in WORDS["fields"]} | decided | {
        "agent_order": list(config.get("roles") or ()), "status": summary.get("status"), "credit": files.credit,
        "secret_blackboard": None if secret is None else f"board {secret}",
        "replica_index": config.get("replica_index") or 0,
    }  # fmt: skip
    lacks = {
        "turn order": not order, "rounds": not known, "memberships": not channels, "decisions": not whole,
        "prompts": len(told) < len(files.agents) or not told,
        "fills": "assignment" not in summary and not content["tool_events"],
        "messages": not content["blackboards"] and not posts,
    }  # fmt: skip
    models = config.get("agent_model_assignments") or {}
    label = str(config.get("model_label") or config.get("model") or "unknown")
    return ForeignRun(
        files.name, files.digests, fields, agents=files.agents, order=tuple(order) or None, channels=channels,
        models={a: str((models.get(a) or {}).get("model") or label) for a in files.agents}, told=told,
        coalition=tuple(config.get("colluders") or ()) or None, decided=whole, taken=taken,
        said=tuple(sorted(said, key=lambda u: (u.round == 0, u.round or 0, place.get(u.agent, 0)) if known else 0)),
        reported=_reported(content["metrics"], summary) | rated.get(str(config["run_id"]), {}),
        missing=tuple(name for name in lacks if lacks[name]),
    )  # fmt: skip


def _decisions(files: RunFiles) -> tuple[dict[str, Any], dict[str, Any], bool]:
    """What was decided of tickets and meetings, the same without what was drawn, and whether that is all."""
    content, summary, own = files.content, files.content["final_summary"], files.decided
    chosen = {row["agent_name"]: row["chosen_task_id"] for row in content["metrics"].get("agents") or []}
    tickets = summary.get("assignment") or (chosen if any(chosen.values()) else {})
    final = {(agent, ""): task for agent, task in tickets.items()}
    meetings = ((*key.split("__", 1), when) for key, when in (summary.get("attendance") or {}).items())
    final |= {(agent, meeting): when for agent, meeting, when in meetings}
    shown = {agent for board in content["blackboards"] for agent in board["participants"]} if own else set[str]()
    fills, every = int(summary.get("random_fallback_fills") or 0), {**final, **own}
    surely = content["tool_events"] or {agent for agent, _ in final} <= shown
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
    members |= {str(board["blackboard_id"]): board["participants"] for board in files.content["blackboards"]}
    others = (config.get(f"{which}secret_blackboard_ids") or () for which in ("", "extra_"))
    secret = {str(number) for number in (config.get("secret_blackboard_id"), *chain(*others))}
    return {f"board {n}": (tuple(who), n in secret) for n, who in sorted(members.items())}


def _posts(content: Fields) -> list[Utterance]:
    """Messages in order as boards have them, or else calls; then those that no board took."""
    calls = [call for call in content["tool_events"] if call.get("tool_name") == "post_message"]
    made = {call["result"]["event_id"]: _called(call) for call in calls if (call.get("result") or {}).get("event_id")}
    events = [(f"board {board['blackboard_id']}", event) for board in content["blackboards"]
              for event in board["events"] if event["id"] or not made]  # fmt: skip
    posts = list[Utterance]()  # texts of boards name no event, and calls also tell the rounds
    for channel, event in sorted(events, key=lambda each: each[1].get("ts") or 0):
        if (words := _words(event)) is not None:
            call = made.pop(event["id"], None)
            posts.append(Utterance(event["agent"], words, channel, call.round if call else _round(event["payload"])))
    lost = [_called(call, "the board did not take it") for call in calls if not (call["result"] or {}).get("event_id")]
    return [*_counted([*posts, *made.values()], content["agent_turns"]), *lost]


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


def _counted(posts: list[Utterance], turns: list[Fields]) -> Iterator[Utterance]:
    """With rounds, where somebody has as many calls while planning as posts without a round."""
    rounds: dict[str, list[int]] = {}
    for turn in turns:
        if when := _round(turn):
            rounds.setdefault(turn["agent"], []).extend([when] * (turn.get("tools_executed") or 0))
    spoken = Counter(post.agent for post in posts if post.round is None)
    sure = {agent: iter(found) for agent, found in rounds.items() if len(found) == spoken[agent]}
    for post in posts:
        yield replace(post, round=next(sure[post.agent])) if post.round is None and post.agent in sure else post


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


def _told(prompts: list[Fields]) -> dict[str, tuple[str, ...]]:
    """By agent, the prompts of its first turn, without the messages on boards."""
    first = {prompt["agent_name"]: prompt for prompt in reversed(prompts)}
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
