"""The files of Terrarium. In: a folder of runs, with the tables of batches and ratings; out: each run's, read once."""

import hashlib
import re
import tomllib
from ast import literal_eval
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from colosseum.imports.foreign_run import Fields, Refusal, content_of, json_of, sound
from colosseum.imports.table_reader import rows_of

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
    def calls(self) -> list[Fields]:
        """Calls of tools, in order: of tool_events.json, or else of the log that the library itself writes."""
        own = ({**e, "arguments": e["parameters"], "planning_round": e["round"]} for e in self.content["tool_calls"])
        return self.content["tool_events"] or [*own]

    @cached_property
    def boards(self) -> list[Fields]:
        """Boards with their members and events: of blackboards.json, or else of their texts."""
        texts = ((name, text) for name, text in self.content.items() if name.startswith(WORDS["boards"]))
        return self.content["blackboards"] or [_board(name, text) for name, text in texts]

    @cached_property
    def agents(self) -> tuple[str, ...]:
        """In the order of the environment where their roles are known, else in any order."""
        named = self.config.get("roles") or self.content["final_summary"].get("assignment") or {}
        turns = [turn["agent"] for turn in self.content["agent_turns"]]
        return tuple(named) or tuple(dict.fromkeys([*turns, *(a for b in self.boards for a in b["participants"])]))

    @cached_property
    def decided(self) -> dict[tuple[str, str], Any]:
        """By agent and meeting, "" for tickets, what it decided last, as its calls tell, or else actions on boards."""
        events = (e for board in self.boards for e in board["events"] if e["kind"] == "action_executed")
        acts = [(e["agent"], e["payload"]["action_params"], {e["payload"].get("result_status")}) for e in events]
        for call in self.calls:
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
    """The files of a folder. Raises Refusal."""
    content, digests = dict(WORDS["empty"]), dict[str, str]()
    for path in (path for name in WORDS["files"] for path in sorted(folder.glob(name))):
        found = content_of(path)
        digests[path.relative_to(root.parent).as_posix()] = hashlib.sha256(found).hexdigest()
        content[path.stem] = json_of(found, path.name) if path.suffix == ".json" else found.decode()
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
