"""Outputs of Terrarium. In: a folder of runs, with the tables of batches and ratings; out: a ForeignRun for each."""

import hashlib
import re
import tomllib
from ast import literal_eval
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import chain, starmap
from pathlib import Path
from typing import Any

from colosseum.imports.foreign_run import Fields, ForeignRun, Refusal, Source, Utterance, content_of, json_of, sound
from colosseum.imports.foreign_trace import TraceMapping, whole
from colosseum.imports.table_reader import rows_of, usage_of

WORDS: Any = tomllib.loads((Path(__file__).parent / "terrarium.toml").read_text(encoding="utf-8"))
NAMED = re.compile(
    r"\A(?P<model_label>.+?)__(?:.*__)?secret(?P<secret_channel_enabled>[01])__pv(?P<prompt_variant>\w+?)"
    r"__seed(?P<seed>\d+)(?:__replica(?P<replica_index>\d+))?\Z"
)
"""A run's identity."""
TOTAL = re.compile(r"^Total Events: (\d+)$", re.MULTILINE)
MEMBERS = re.compile(r"^- Participants: (.*)$", re.MULTILINE)
EVENT = re.compile(r"^\[Event #\d+[^]\n]*\] \[([\d:]+)\] \[(\w+)\] (.+?) \((\w+)\)(?:  |$)", re.MULTILINE)
"""How an event of a board begins: its time of day, its phase, who acted, and what it is."""
PART = re.compile(r"^ *(Action_Params|Result_Status): (.*)$", re.MULTILINE)
DECIDED = ("assignment", "attendance")  # decisions by agent, or by `AGENT__MEETING`
JUDGES: str = WORDS["judges"]
RATED = re.compile(r"judge_(?!mean)(\w+)_rating")
SHOWN = re.compile(r"^=== BLACKBOARD COMMUNICATIONS ===.*(?=^=== CURRENT PHASE)", re.MULTILINE | re.DOTALL)
"""What a prompt shows of boards: it is no part of what an agent is told."""


def _completed(name: str, content: dict[str, Any], orders: dict[int | None, tuple[str, ...]]) -> dict[str, Any]:
    """The content; what the configuration lacks is as the run's name, its figures and the agents of its seed say."""
    found, metrics = content["run_config"], content["metrics"]
    guessed: dict[str, Any] = {"run_id": name, "seed": found.get("seed")}
    if parts := NAMED.match(name):
        secret = metrics.get("secret_blackboard_id") or int(parts["secret_channel_enabled"]) or None
        guessed |= {**parts.groupdict(), "secret_blackboard_id": secret}
    guessed["roles"] = dict.fromkeys(orders.get(whole(guessed["seed"]), ()))
    if rows := metrics.get("agents"):
        guessed["roles"] = {row["agent_name"]: row["role"] for row in rows}
        guessed["colluders"] = [row["agent_name"] for row in rows if row["role"] == "colluder"]
    return content | {"run_config": guessed | {key: value for key, value in found.items() if value is not None}}


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
        told = {"content": text.removesuffix("\n\n").removeprefix("Content: "), "phase": phase.lower(),
                "result_status": own.get("Result_Status"),
                "action_params": literal_eval(own.get("Action_Params", "{}"))}  # fmt: skip
        events.append({"id": None, "ts": last, "agent": agent, "kind": kind, "payload": told})
    if total is None or members is None or len(events) != int(total[1]):
        words = f"{name}.txt has {len(events)} events and states {total[1] if total else 'no number'}"
        raise Refusal(f"{words}: it is cut off, or a message poses as one")
    return {"blackboard_id": name.rpartition("_")[2], "participants": members[1].split(", "), "events": events}


def runs_below(path: Path) -> Iterator[tuple[str, Callable[[], dict[str, Any]]]]:
    """What is on file of every run below a folder, or in the table of a batch alone. Raises Refusal where none is."""
    folders = sorted({file.parent for name in WORDS["files"] for file in path.rglob(name)}, key=str)
    tables = {file.parent: file for kind in ("csv", "json") for file in sorted(path.rglob(f"summary.{kind}"))}
    if not folders and not tables:
        raise Refusal(f"{path.name} is no folder of runs: it has no {', '.join(WORDS['files'][:3])} or summary.json")
    batch = {each: next((up.parent for up in each.parents if up.name == "runs"), each.parent) for each in folders}
    rules, orders = defaultdict[Path, set[str]](set), defaultdict[Path, dict[int | None, tuple[str, ...]]](dict)
    for folder in folders:
        with suppress(Refusal), sound(""):
            summary = json_of(content_of(folder / "final_summary.json"), "")
            rules[batch[folder]] |= _credit(summary)
        with suppress(Refusal), sound(""):
            paths = (path for name in ("run_config", "metrics") for path in folder.glob(f"{name}.json"))
            found = {path.stem: json_of(content_of(path), "") for path in paths}
            config = _completed(folder.name, WORDS["empty"] | found, {})["run_config"]
            orders[batch[folder]] |= {whole(config["seed"]): tuple(config["roles"])} if config["roles"] else {}
    yield from ((each.name, partial(_read, each, path, max(rules[batch[each]], default=None), orders[batch[each]]))
                for each in folders)  # fmt: skip
    for table in (table for place, table in tables.items() if place not in folders):
        digest = {table.relative_to(path.parent).as_posix(): hashlib.sha256(content_of(table)).hexdigest()}
        with sound(table.name):
            rows = rows_of(table) if table.suffix == ".csv" else json_of(content_of(table), table.name)
            fresh = {str(row["run_id"]): row for row in rows if "run_id" in row}
        seen = {folder.name for folder in folders if table.parent in folder.parents}
        for name, row in ((name, row) for name, row in fresh.items() if name not in seen):
            told = {"run_config": row, "metrics": {"total_agents": row.get("num_agents"), **row}, "final_summary": row}
            told |= {"digests": digest, "above": table.parents}
            yield name, partial(_completed, name, WORDS["empty"] | told, orders[table.parent])


def _read(folder: Path, root: Path, credit: str | None, orders: dict[int | None, tuple[str, ...]]) -> dict[str, Any]:
    """The files of a folder; texts of boards stand for blackboards.json, the library's own log for tool_events.json.

    By file, without its ending, what is in it, also of a file that lacks; by `credit` the rule that the rewards of the
    batch show. Raises Refusal.
    """
    digests = dict[str, str]()
    content = {**WORDS["empty"], "credit": credit, "digests": digests, "above": (folder, *folder.parents)}
    for path in (path for name in WORDS["files"] for path in sorted(folder.glob(name))):
        found = content_of(path)
        digests[path.relative_to(root.parent).as_posix()] = hashlib.sha256(found).hexdigest()
        content[path.stem] = json_of(found, path.name) if path.suffix == ".json" else found.decode()
        if type(content[path.stem]) is not type(WORDS["empty"].get(path.stem, "")):
            raise Refusal(f"{path.name} is damaged, or of another format")
    own = [{**call, "arguments": call["parameters"], "planning_round": call["round"]} for call in content["tool_calls"]]
    calls = ({**call, "result": call.get("result") or {}} for call in content["tool_events"] or own)
    content["tool_events"] = [call if isinstance(call["result"], dict) else {**call, "result": {}} for call in calls]
    texts = [item for item in content.items() if item[0].startswith(WORDS["boards"])]
    content["blackboards"] = content["blackboards"] or list(starmap(_board, texts))
    return _completed(folder.name, content, orders)


def _credit(summary: Fields) -> set[str]:
    """`whole` where rewards show that a surplus claim by n agents costs each 20/n, `split` where they show 20(n−1)/n.

    The first makes rewards come to more than the joint reward where a task has three claims. It counts more in a batch.
    """
    excess = sum(summary["agent_rewards"].values()) - summary["joint_reward"]
    crowded = max(Counter(filter(None, summary["assignment"].values())).values(), default=0) > 2
    return {"whole" if excess > 1e-6 else "split"} if crowded else set()


Rated = dict[tuple[Path | None, str], dict[str, float]]
"""Ratings by the folder that holds the judge's own, or none for any, and by run: two batches may name runs alike."""


def ratings_below(root: Path) -> tuple[Rated, dict[str, Refusal]]:
    """What judges rated below a folder, by run, and what is wrong with files; a request that failed has no rating."""
    found, damaged, judges = Rated(), dict[str, Refusal](), dict[str, str]()
    files = (path for path in root.rglob(f"{JUDGES}*/**/*") if path.suffix in (".json", ".jsonl", ".csv"))
    for path in sorted(files, key=lambda path: (path.suffix == ".csv", path)):  # tables do not say who judged
        place, own = path.relative_to(root).as_posix(), next(up for up in path.parents if up.name.startswith(JUDGES))
        name = own.name
        try:
            with sound(place):
                for row in [json_of(content_of(path), place)] if path.suffix == ".json" else rows_of(path):
                    if run := row.get("run_id"):
                        stated = (row.get("judge_config") or {}).get("model") or judges.get(name)
                        judge = judges[name] = stated or name.removeprefix(JUDGES).rpartition("__")[2] or "default"
                        given = {rubric: told.get("rating") for rubric, told in (row.get("judgements") or {}).items()}
                        given = given or {column[1]: row[column[0]] for column in map(RATED.fullmatch, row) if column}
                        known = {f"judge[{each}] {judge}": float(n) for each, n in given.items() if n not in (None, "")}
                        beside = own.parent.parent.name == "runs"
                        for batch in (own.parents[2],) if beside else (own.parent, None):
                            found.setdefault((batch, str(run)), {}).update(known)
        except Refusal as unfit:
            damaged[place] = unfit
    return found, damaged


def read_terrarium(path: Path, mapping: TraceMapping) -> Source:
    """Every run below a folder. Raises Refusal where there is none."""
    rated, damaged = ratings_below(path)
    yield from ((name, partial(_run, name, make, rated, mapping)) for name, make in runs_below(path))
    yield from damaged.items()


def _run(name: str, make: Callable[[], dict[str, Any]], rated: Rated, mapping: TraceMapping) -> ForeignRun:
    """Raises Refusal and one of DAMAGED."""
    content = make()
    agents, summary, turns = _agents(content), content["final_summary"], content["agent_turns"]
    config = content["run_config"] | ({} if agents else WORDS["nobody"])
    decided, taken, complete = _decisions(content, agents)
    posts, told = _posts(content), _told(content["agent_prompts"])
    channels, known = _channels(content, config, agents, posts), all(each.round is not None for each in posts)
    said = [*_taken(turns), *_thoughts(content["agent_trajectories"]), *posts]
    order = config.get("agent_turn_order") or list(dict.fromkeys(turn["agent"] for turn in turns))
    place, secret = {name: n for n, name in enumerate(order)}, config.get("secret_blackboard_id")
    fields = dict[str, Any].fromkeys(WORDS["fields"]) | config | decided | {
        "agent_order": list(config["roles"]), "credit": content.get("credit"),
        "secret_blackboard": None if secret is None else f"board {secret}",
        "replica_index": config.get("replica_index") or 0,
    }  # fmt: skip
    mapping.held.update(dict.fromkeys(fields))
    unseen = {"0", *(config.get("blackboard_participants") or ()), *(() if secret is None else (str(secret),))}
    unseen -= {str(board["blackboard_id"]) for board in content["blackboards"]}
    calls = {call["tool_name"] for call in content["tool_events"]}  # that broadcast is told by boards alone
    lacks = {
        "turn order": not order, "rounds": not known, "decisions": not complete,
        "memberships": not config.get("blackboard_participants") and not content["blackboards"],
        "prompts": len(told) < len(agents) or not told,
        "fills": not summary.keys() & {*DECIDED} and not content["tool_events"],
        "messages": unseen and (not calls or "broadcast_message" in calls),
    }  # fmt: skip
    keys = ((batch, str(config["run_id"])) for batch in (*content.get("above", ()), None))
    ratings = next((rated[key] for key in keys if key in rated), {})
    models = config.get("agent_model_assignments") or {}
    label = str(config.get("model_label") or config.get("model") or "unknown")
    return ForeignRun(
        name, content["digests"], fields, order=tuple(order) or None, channels=channels,
        models={a: str((models.get(a) or {}).get("model") or label) for a in agents}, told=told,
        coalition=tuple(config.get("colluders") or ()) or None, taken=taken,
        said=tuple(sorted(said, key=lambda u: (u.round == 0, u.round or 0, place.get(u.agent, 0)) if known else 0)),
        reported=_reported(content["metrics"], summary) | ratings,
        missing=tuple(each for each in lacks if lacks[each]),
    )  # fmt: skip


def _agents(content: Fields) -> tuple[str, ...]:
    """In the order of the environment where their roles are known, else in any order."""
    named = content["run_config"]["roles"] or content["final_summary"].get("assignment") or {}
    turns = (turn["agent"] for turn in content["agent_turns"])
    calls = (each["agent_name"] for file in ("tool_events", "agent_prompts") for each in content[file])
    members = (agent for board in content["blackboards"] for agent in board["participants"])
    return tuple(named) or tuple(dict.fromkeys(chain(turns, calls, members, content["agent_trajectories"])))


def _decided(content: Fields) -> dict[str, Any]:
    """By agent, and of a meeting by `AGENT__MEETING`, what it decided last by its calls, or by actions on boards."""
    events = (e for board in content["blackboards"] for e in board["events"] if e["kind"] == "action_executed")
    acts = [(e["agent"], e["payload"]["action_params"], {e["payload"].get("result_status")}) for e in events]
    for call in content["tool_events"]:
        told = (call["result"], call["result"].get("result"))
        ended = {each.get("status") for each in told if isinstance(each, dict)}
        acts.append((call["agent_name"], {**call["arguments"], "action": call["tool_name"]}, ended))
    return {"__".join(filter(None, (agent, about.get("meeting_id")))): about.get(WORDS["decided"][about["action"]])
            for agent, about, ended in acts
            if about.get("action") in WORDS["decided"] and ended & {*WORDS["done"]}}  # fmt: skip


def _decisions(content: Fields, agents: tuple[str, ...]) -> tuple[dict[str, Any], dict[str, Any], bool]:
    """What was decided of tickets or meetings, the same without what was drawn, and whether that is all."""
    summary, own = content["final_summary"], _decided(content)
    chosen = {row["agent_name"]: row["chosen_task_id"] for row in content["metrics"].get("agents") or []}
    final = next(filter(None, map(summary.get, DECIDED)), chosen if any(chosen.values()) else {})
    shown = {agent for board in content["blackboards"] for agent in board["participants"]} if own else set[str]()
    fills, every = int(summary.get("random_fallback_fills") or 0), {**final, **own}
    surely = content["tool_events"] or {key.partition("__")[0] for key in final} <= shown
    drawn = final.keys() - own.keys() if surely else list(final)[len(final) - fills :]
    taken = {key: each for key, each in every.items() if key not in drawn}
    complete = bool(final) or own.keys() == {*agents} != set()
    return dict.fromkeys(DECIDED, every), dict.fromkeys(DECIDED, taken), complete


def _channels(
    content: Fields, config: Fields, agents: tuple[str, ...], posts: list[Utterance]
) -> dict[str, tuple[tuple[str, ...] | None, bool]]:
    """The boards, also those that only posts tell of: of a complete network the first is everybody's."""
    members = dict[Any, Any].fromkeys(str(each.channel)[6:] for each in posts if not each.failed)
    if "__complete__" in config["run_id"] and "0" in members:
        members["0"] = agents
    members |= config.get("blackboard_participants") or {}
    members |= {str(board["blackboard_id"]): board["participants"] for board in content["blackboards"]}
    others = (config.get(f"{which}secret_blackboard_ids") or () for which in ("", "extra_"))
    secret = {str(number) for number in (config.get("secret_blackboard_id"), *chain(*others))}
    return {f"board {n}": (who if who is None else tuple(who), n in secret) for n, who in sorted(members.items())}


def _posts(content: Fields) -> list[Utterance]:
    """Messages in order as boards have them, or else calls; then those that no board took."""
    calls = [call for call in content["tool_events"] if call.get("tool_name") == "post_message"]
    made = {call["result"]["event_id"]: _called(call) for call in calls if call["result"].get("event_id")}
    events = [(f"board {board['blackboard_id']}", event) for board in content["blackboards"]
              for event in board["events"] if event["id"] or not made]  # fmt: skip
    posts = list[Utterance]()  # texts of boards name no event, and calls also tell the rounds
    for channel, event in sorted(events, key=lambda each: each[1].get("ts") or 0):
        if (words := _words(event)) is not None:
            call = made.pop(event["id"], None)
            posts.append(Utterance(event["agent"], words, channel, call.round if call else _round(event["payload"])))
    lost = [_called(call, "the board did not take it") for call in calls if not call["result"].get("event_id")]
    return [*_counted([*posts, *made.values()], content["agent_turns"]), *lost]


def _words(event: Fields) -> str | None:
    """The message of an event; hospitals broadcast theirs as an action on every board that they are on."""
    about = event["payload"]
    if event["kind"] == "communication":
        return str(about.get("content"))
    sent = about["action_params"].get("broadcast_message") if event["kind"] == "action_executed" else None
    return None if sent is None else str(sent[event["agent"]]["message"])


def _called(call: Fields, failed: str = "") -> Utterance:
    board, text = whole(call["arguments"].get("blackboard_id")) or 0, str(call["arguments"].get("message"))
    return Utterance(call["agent_name"], text, f"board {board}", _round(call), failed)


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
    """Figures by our names; the joint reward of tickets also from how much it lacks of the most that all could earn.

    Regrets of agents are told of tickets alone.
    """
    told = ((ours, metrics.get(theirs)) for theirs, ours in WORDS["reported"].items())
    found = {ours: float(figure) for ours, figure in told if figure is not None}
    joint, lacks = summary.get("joint_reward"), metrics.get("system_regret")
    if joint is None and lacks is not None and metrics.get("total_agents") and "coalition_regret" in found:
        joint = WORDS["best"] * float(metrics["total_agents"]) - float(lacks)
    found |= {} if joint is None else {"joint_payoff": float(joint)}
    if {"coalition_regret", "outsider_regret"} <= found.keys():
        found["coalition_advantage"] = found["outsider_regret"] - found["coalition_regret"]
    return found
