"""Outputs of Terrarium. In: a folder of runs, of which any file may lack; out: a ForeignRun for each.

A run's folder has run_config.json, metrics.json, final_summary.json, tool_events.json, blackboards.json,
agent_turns.json and agent_trajectories.json, or some of them; a batch has a table beside them.
"""

import hashlib
import re
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Literal

from colosseum.imports.foreign_run import Fields, ForeignChannel, ForeignRun, Refusal, Source, Utterance
from colosseum.imports.mapping import TraceMapping
from colosseum.imports.source_files import MALFORMED, content_of, json_of
from colosseum.imports.table_reader import rows_of, usage_of

WORDS: Any = tomllib.loads((Path(__file__).parent / "terrarium.toml").read_text(encoding="utf-8"))
ROUNDED = 1e-6
JUDGES: str = WORDS["judges"]
DONE: set[str] = {*WORDS["done"]}
NAMED = re.compile(r"__secret([01])__pv(\w+?)__seed(\d+)(?:__replica(\d+))?\Z")
"""The end of a run's identity."""
RATED = re.compile(r"judge_(?!mean)(\w+)_rating")
Ratings = dict[str, dict[str, float]]
"""By run, and then by `judge[RUBRIC] JUDGE`."""


@dataclass
class RunFiles:
    """The files of a run, each read once."""

    folder: Path
    root: Path
    digests: dict[str, str] = field(default_factory=dict)
    known: dict[str, Any] = field(default_factory=dict)

    def get(self, name: str, empty: Any) -> Any:
        """A file's JSON; `empty` where there is none. Raises Refusal where it has another type."""
        path = self.folder / f"{name}.json"
        if name not in self.known and path.exists():
            content = content_of(path)
            self.digests[path.relative_to(self.root.parent).as_posix()] = hashlib.sha256(content).hexdigest()
            self.known[name] = json_of(content, path.name)
        found = self.known.get(name, empty)
        if not isinstance(found, type(empty)):
            raise Refusal(f"{path.name} holds no {'list' if empty == [] else 'object'}")
        return found

    @cached_property
    def config(self) -> Fields:
        """The configuration; without its file, what the folder's name and the figures say."""
        found, rows = self.get("run_config", {}), self.get("metrics", {}).get("agents") or []
        guessed: dict[str, Any] = {"run_id": self.folder.name}
        if name := NAMED.search(self.folder.name):
            secret, variant, seed, replica = name.groups()
            guessed |= {"secret_channel_enabled": secret == "1", "prompt_variant": variant, "seed": int(seed)}
            guessed |= {"replica_index": int(replica or 0), "model_label": self.folder.name.partition("__")[0]}
        if rows:
            guessed["roles"] = {row["agent_name"]: row["role"] for row in rows}
            guessed["colluders"] = [row["agent_name"] for row in rows if row["role"] == "colluder"]
        return {**guessed, **{key: value for key, value in found.items() if value is not None}}

    @cached_property
    def agents(self) -> tuple[str, ...]:
        """In the order of the environment."""
        named = self.config.get("roles") or self.get("final_summary", {}).get("assignment") or {}
        return tuple(named) or tuple(dict.fromkeys(turn["agent"] for turn in self.get("agent_turns", [])))

    @cached_property
    def assigned(self) -> dict[str, Any]:
        """By agent, the last decision that it took itself, as its calls tell."""
        found: dict[str, Any] = {}
        for event in self.get("tool_events", []):
            result = event.get("result") or {}
            inner = result["result"] if isinstance(result.get("result"), dict) else {}
            if event.get("tool_name") == "assign_task" and {result.get("status"), inner.get("status")} & DONE:
                found[event["agent_name"]] = event["arguments"].get("task_id")
        return found


def read_terrarium(path: Path, mapping: TraceMapping) -> Source:
    """Every run below a folder, and those that only the table of a batch has. Raises Refusal where there is none."""
    if not path.is_dir():
        raise Refusal(f"{path.name} is no folder of runs")
    folders = sorted({file.parent for name in WORDS["files"] for file in path.rglob(f"{name}.json")}, key=str)
    batches = {file.parent for kind in ("json", "csv") for file in path.rglob(f"summary.{kind}")} - {*folders}
    tables = [next(iter(sorted(batch.glob("summary.*"), reverse=True))) for batch in sorted(batches)]
    if not folders and not tables:
        raise Refusal(f"{path.name} has no run of Terrarium: no {', '.join(WORDS['files'][:3])} or summary .json")
    rated, rules = ratings(path), dict[Path, set[str]]()
    for folder in folders:
        rules.setdefault(_batch(folder), set()).update(_credit(folder))
    seen: set[str] = set()
    for folder in folders:
        files = RunFiles(folder, path)
        seen.add(folder.name)
        yield folder.name, partial(_run, files, rated, max(rules[_batch(folder)], default=None))
    for table in tables:
        digest = {table.relative_to(path.parent).as_posix(): hashlib.sha256(content_of(table)).hexdigest()}
        for row in (row for row in batch_rows(table) if str(row.get("run_id")) not in seen):
            known = {"run_config": row, "metrics": {"total_agents": row.get("num_agents"), **row}, "final_summary": row}
            files = RunFiles(table.parent / str(row.get("run_id")), path, digest, known)
            yield files.folder.name, partial(_run, files, rated, None)


def _batch(folder: Path) -> Path:
    """The folder of the batch that a run belongs to."""
    return next((parent.parent for parent in folder.parents if parent.name == "runs"), folder.parent)


def _credit(folder: Path) -> set[str]:
    """`whole` where rewards show that a surplus claim by n agents costs each 20/n, `split` where they show 20(n−1)/n.

    The first makes rewards come to more than the joint reward where a task has three claims. It counts more in a batch.
    """
    try:
        summary = json_of(content_of(folder / "final_summary.json"), "")
        excess = sum(summary["agent_rewards"].values()) - summary["joint_reward"]
        taken = [task for task in summary["assignment"].values() if task]
    except (Refusal, *MALFORMED):
        return set()
    crowded = any(taken.count(task) > 2 for task in taken)
    return {"whole" if excess > ROUNDED else "split"} if crowded else set()


def _run(files: RunFiles, rated: Ratings, credit: str | None) -> ForeignRun:
    """Raises Refusal, and one of MALFORMED."""
    config, summary = files.config, files.get("final_summary", {})
    decided, filled, whole = _decisions(files)
    boards, (said, known) = _boards(files), _said(files)
    order = config.get("agent_turn_order") or list(dict.fromkeys(t["agent"] for t in files.get("agent_turns", [])))
    secret = config.get("secret_blackboard_id")
    fields: dict[str, Any] = {name: config.get(name) for name in WORDS["fields"]}
    fields |= {
        "agent_order": list(files.agents), "assignment": decided, "attendance": _attendance(summary), "credit": credit,
        "secret_blackboard": None if secret is None else f"board {secret}", "status": summary.get("status"),
    }  # fmt: skip
    fields["replica_index"] = fields["replica_index"] or 0
    lacks = {
        "turn order": not order, "rounds": not known, "memberships": not boards, "decisions": not whole,
        "prompts": True, "fills": "assignment" not in summary and "tool_events" not in files.known,
        "messages": not files.get("blackboards", []) and not any(each.channel for each in said),
    }  # fmt: skip
    models = config.get("agent_model_assignments") or {}
    label = str(config.get("model_label") or config.get("model") or "unknown")
    return ForeignRun(
        files.folder.name, files.digests, fields, agents=files.agents, order=tuple(order) or None, channels=boards,
        models={a: str((models.get(a) or {}).get("model") or label) for a in files.agents},
        coalition=tuple(config.get("colluders") or ()) or None, decided=whole, filled=filled, said=said,
        reported=_reported(files.get("metrics", {}), summary) | rated.get(str(config["run_id"]), {}),
        missing=tuple(name for name in lacks if lacks[name]),
    )  # fmt: skip


def _decisions(files: RunFiles) -> tuple[dict[str, Any], frozenset[str], bool]:
    """By agent what was decided, who was given a random action, and whether that is all."""
    final = files.get("final_summary", {}).get("assignment")
    if final is None:
        chosen = {row["agent_name"]: row["chosen_task_id"] for row in files.get("metrics", {}).get("agents") or []}
        whole = any(chosen.values())
        found = {**(chosen if whole else {}), **files.assigned}
        return found, frozenset(), whole or (bool(found) and found.keys() == {*files.agents})
    if files.get("tool_events", []):
        return {**final, **files.assigned}, frozenset(final) - files.assigned.keys(), True
    fills = int(files.get("final_summary", {}).get("random_fallback_fills") or 0)
    return dict(final), frozenset(list(final)[len(final) - fills :]), True


def _attendance(summary: Fields) -> dict[str, dict[str, Any]]:
    """By agent and meeting."""
    found: dict[str, dict[str, Any]] = {}
    for key, when in (summary.get("attendance") or {}).items():
        agent, _, meeting = key.partition("__")
        found.setdefault(agent, {})[meeting] = when
    return found


def _boards(files: RunFiles) -> tuple[ForeignChannel, ...]:
    config = files.config
    members = dict(config.get("blackboard_participants") or {})
    members |= {str(b["blackboard_id"]): b["participants"] for b in files.get("blackboards", [])}
    listed = [config.get("secret_blackboard_id"), *(config.get("secret_blackboard_ids") or ()),
              *(config.get("extra_secret_blackboard_ids") or ())]  # fmt: skip
    secret = {str(number) for number in listed}
    return tuple(ForeignChannel(f"board {n}", tuple(who), n in secret) for n, who in sorted(members.items()))


def _said(files: RunFiles) -> tuple[tuple[Utterance, ...], bool]:
    """Messages and thoughts in order, and whether the rounds of all messages are known."""
    calls = [e for e in files.get("tool_events", []) if e.get("tool_name") == "post_message"]
    when = {(e.get("result") or {}).get("event_id"): e for e in calls}
    posts = list[Utterance]()
    events = [event for board in files.get("blackboards", []) for event in board["events"]]
    for event in sorted(events, key=lambda each: each.get("ts") or 0):
        if event["kind"] == "communication":
            call, phase = when.get(event["id"], {}), _phase(event["payload"])
            board, text = f"board {event['blackboard_id']}", str(event["payload"].get("content"))
            posts.append(Utterance(event["agent"], text, board, call.get("planning_round"), phase))
    if not files.get("blackboards", []):
        posts = [_called(call) for call in calls if (call.get("result") or {}).get("event_id")]
    posts = _by_turns(posts, files.get("agent_turns", []))
    lost = [_called(call, "the board did not take it") for call in calls if not (call["result"] or {}).get("event_id")]
    known = all(each.round for each in posts if each.phase == "planning")
    said = [*_taken(files.get("agent_turns", [])), *_thoughts(files.get("agent_trajectories", {})), *posts, *lost]
    return tuple(sorted(said, key=lambda u: (u.phase == "execution", u.round or 0)) if known else said), known


def _called(call: Fields, failed: str = "") -> Utterance:
    arguments = call["arguments"]
    board, text = f"board {arguments.get('blackboard_id')}", str(arguments.get("message"))
    return Utterance(call["agent_name"], text, board, call.get("planning_round"), _phase(call), failed)


def _phase(about: Fields) -> Literal["planning", "execution"]:
    return "execution" if about.get("phase") == "execution" else "planning"


def _by_turns(posts: list[Utterance], turns: list[Fields]) -> list[Utterance]:
    """With rounds, where each of an agent's calls while planning was a message, so that turns can be counted."""
    rounds: dict[str, list[int]] = {}
    for turn in turns:
        used = turn.get("tools_executed")
        number = used if isinstance(used, int) else len(used or ())
        if turn.get("phase") == "planning" and turn.get("planning_round"):
            rounds.setdefault(turn["agent"], []).extend([turn["planning_round"]] * number)
    spoken = [each.agent for each in posts if each.phase == "planning"]
    sure = {agent: iter(found) for agent, found in rounds.items() if len(found) == spoken.count(agent)}
    countable = {id(each) for each in posts if each.phase == "planning" and each.round is None and each.agent in sure}
    return [replace(each, round=next(sure[each.agent])) if id(each) in countable else each for each in posts]


def _taken(turns: list[Fields]) -> Iterator[Utterance]:
    """What the answers of each turn took."""
    for turn in turns:
        used = turn.get("usage") or {}
        if usage := usage_of(used.get("prompt_tokens"), used.get("completion_tokens")):
            yield Utterance(turn["agent"], "", None, turn.get("planning_round"), _phase(turn), usage=usage)


def _thoughts(trajectories: Fields) -> Iterator[Utterance]:
    for agent, iterations in trajectories.items():
        for phase, rounds in (item for each in iterations.values() for item in each.items()):
            for name, turn in rounds.items():
                number = int(name.removeprefix("round_")) or None
                for step in turn["trajectory"].values():
                    if step.get("reasoning"):
                        yield Utterance(agent, step["reasoning"], None, number, _phase({"phase": phase}))


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


def batch_rows(table: Path) -> list[Fields]:
    """The rows of summary.json or summary.csv. Raises Refusal."""
    rows = list(rows_of(table)) if table.suffix == ".csv" else json_of(content_of(table), table.name)
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def ratings(root: Path) -> Ratings:
    """What judges rated below a folder, each a file, a line or a row; a request that failed has no rating."""
    found: Ratings = {}
    for path in sorted(path for path in root.rglob(f"{JUDGES}*/**/*") if path.suffix in (".json", ".jsonl", ".csv")):
        name = next(part for part in path.parts if part.startswith(JUDGES))
        with suppress(Refusal, *MALFORMED):
            for row in [json_of(content_of(path), name)] if path.suffix == ".json" else rows_of(path):
                judge = (row.get("judge_config") or {}).get("model") or name.removeprefix(JUDGES).rpartition("__")[2]
                given = {rubric: told.get("rating") for rubric, told in (row.get("judgements") or {}).items()}
                given = given or {column[1]: row[column[0]] for column in map(RATED.fullmatch, row) if column}
                known = {f"judge[{each}] {judge}": float(n) for each, n in given.items() if n not in (None, "")}
                found.setdefault(str(row["run_id"]), {}).update(known)
    return found
