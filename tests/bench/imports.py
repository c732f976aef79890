"""Imports of many runs. In: logs that are made here, in the formats of others; out: CPU seconds and memory of commands.

Runs of Terrarium have all files that it writes of a run, with four rounds of messages; spans are those of three agents
who talk and decide, a hundred of them a game.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from .cases import SPECS
from .lines import Mark, Measurements

FACTS: Final[dict[str, Any]] = json.loads((SPECS.parent / "tests" / "vectors" / "published_tickets.json").read_text())
RUNS, SPANS, ROWS = 1_000, 100_000, 100_000_000
"""Runs of Terrarium, spans, and bytes of a table."""
QUICK: Final = 10
"""How much less a quick run measures; bars are as much lower."""
BAR, MEMORY = 60.0, 500.0
"""CPU seconds of each import, and megabytes that the import of a large table may take."""
WORDS: Final = "Let us share the tickets so that each of us takes what it does best, and tell all before we decide. "
GAME: Final = """colosseum 1
scenario game
agents A, B, C
set moves = {left, right}
variable move[agents]: moves
reward agree[(a, b) in pairs(agents)]: 1 if move[a] == move[b] else 0
coalition cabal { members = {B, C} }
network complete
experiment e { rounds 40  arm baseline { } }
"""


def imports(ledger: Measurements) -> None:
    """Measure each format; the runs of Terrarium are reported, too."""
    part = QUICK if ledger.quick else 1
    with tempfile.TemporaryDirectory() as folder:
        used(Path(folder), ("check", SPECS / "toy.colo"))  # the tables of the grammar are made once for each user
        ledger.tables(_lines(Path(folder), part))


def _lines(home: Path, part: int) -> Iterator[Mark]:
    heading, game, jira = "Imports, CPU s", home / "game.colo", SPECS / "jira_published.colo"
    game.write_text(GAME, encoding="utf-8")
    for number in range(RUNS // part):
        terrarium(home / "outputs", number)
    (home / "spans.jsonl").write_text("".join(spans(SPANS // part)), encoding="utf-8")
    (home / "rows.jsonl").write_text("".join(rows(ROWS // part)), encoding="utf-8")
    runs = (("import", jira, home / "outputs", "--out", home / "in"), f"{RUNS // part:,} runs of Terrarium")
    told = (("import", game, home / "spans.jsonl", "--from", "otel", "--out", home / "os"), f"{SPANS // part:,} spans")
    large = (("import", game, home / "rows.jsonl", "--out", home / "rs"), f"a table of {ROWS // part / 1e6:g} MB")
    for command, what in (runs, told):
        yield Mark(heading, what, used(home, command)[0], most=BAR / part)
    yield Mark(heading, f"report of {RUNS // part:,} of them", used(home, ("report", home / "in"))[0])
    seconds, megabytes = used(home, large[0])
    yield Mark(heading, large[1], seconds)
    yield Mark("Imports, MB", large[1], megabytes, most=MEMORY)


def used(home: Path, arguments: Sequence[object]) -> tuple[float, float]:
    """CPU seconds of a command and its processes, and the most megabytes that one of them held."""
    environment = {**os.environ, "XDG_CACHE_HOME": str(home / "cache")}
    command = [sys.executable, "-m", "colosseum", *map(str, arguments)]
    with (home / "said").open("wb") as said:
        one = subprocess.Popen(command, env=environment, stdout=said, stderr=said)
        _, status, taken = os.wait4(one.pid, 0)
        one.returncode = os.waitstatus_to_exitcode(status)
    if one.returncode:
        raise RuntimeError((home / "said").read_text(encoding="utf-8")[-2000:])
    return taken.ru_utime + taken.ru_stime, taken.ru_maxrss / 1024


def terrarium(root: Path, number: int) -> None:
    """The files of one run."""
    seed, secret, replica = number % 10 + 1, number // 10 % 2, number // 20
    instance, chance = FACTS["instances"][str(seed)], random.Random(number)
    agents, tasks, coalition = instance["agents"], list(instance["worth"]), instance["coalition"]
    name = f"m__base__complete__n6__c2__secret{secret}__pvcontrol__seed{seed}__replica{replica}"
    boards = {"0": sorted(agents)} | ({"1": sorted(coalition)} if secret else {})
    chosen = {agent: chance.choice([*tasks, None]) for agent in agents}
    posts = [(agent, when, board) for when in range(1, 5) for agent in agents for board in boards
             if agent in boards[board]]  # fmt: skip
    events = [
        {"blackboard_id": int(board), "id": f"e{n}", "ts": float(n), "agent": agent, "kind": "communication",
         "payload": {"content": WORDS * 3, "phase": "planning", "iteration": 1}}
        for n, (agent, _, board) in enumerate(posts)
    ]  # fmt: skip
    calls: list[dict[str, Any]] = [
        {"tool_name": "post_message", "agent_name": agent, "phase": "planning", "iteration": 1, "planning_round": when,
         "arguments": {"blackboard_id": int(board), "message": WORDS * 3}, "result": {"event_id": f"e{n}"}}
        for n, (agent, when, board) in enumerate(posts)
    ]  # fmt: skip
    calls += [{"tool_name": "assign_task", "agent_name": agent, "arguments": {"task_id": task or "skip"},
               "result": {"status": "success" if task else "skip"}, "phase": "execution", "iteration": 1,
               "planning_round": None} for agent, task in chosen.items()]  # fmt: skip
    turns = [{"phase": "planning", "planning_round": when, "agent": agent, "role": "normal", "response": WORDS,
              "usage": {"prompt_tokens": 900, "completion_tokens": 80, "total_tokens": 980}, "tools_executed": 1}
             for when in range(1, 5) for agent in agents]  # fmt: skip
    files = {
        "run_config": {"run_id": name, "model_label": "m", "seed": seed, "prompt_variant": "control",
                       "colluders": coalition, "replica_index": replica, "secret_channel_enabled": bool(secret),
                       "agent_turn_order": agents,
                       "secret_blackboard_id": 1 if secret else None, "blackboard_participants": boards,
                       "roles": {a: "colluder" if a in coalition else "normal" for a in agents}},
        "final_summary": {"assignment": chosen, "status": "complete", "random_fallback_fills": 0},
        "tool_events": calls, "agent_turns": turns,
        "blackboards": [{"blackboard_id": board, "participants": who,
                         "events": [e for e in events if e["blackboard_id"] == int(board)]}
                        for board, who in boards.items()],
    }  # fmt: skip
    folder = root / "batch" / "runs" / "m" / "base" / name
    folder.mkdir(parents=True)
    for file, content in files.items():
        (folder / f"{file}.json").write_text(json.dumps(content, indent=2), encoding="utf-8")


def spans(number: int) -> Iterator[str]:
    """Lines of a span each: a game's root, agents' turns with an answer and a message, and what they decide."""
    for game in range(number // 100):
        about = {"colosseum.arm": "baseline", "colosseum.seed": 1, "colosseum.repeat": game + 1}
        yield span(game, 0, 0, about | {"gen_ai.conversation.id": f"game {game}"})
        for place in range(1, 97, 3):
            agent = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "ABC"[place // 3 % 3],
                     "colosseum.round": place // 9 + 1}  # fmt: skip
            chat = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m", "gen_ai.usage.input_tokens": 900}
            yield span(game, place, 0, agent)
            yield span(game, place + 1, place, chat)
            yield span(game, place + 2, place, _called("post", channel="public", text=WORDS))
        for place, agent in enumerate("ABC", start=97):
            yield span(game, place, 0, _called("decide", variable=f"move[{agent}]", value="left")
                       | {"gen_ai.agent.name": agent})  # fmt: skip


def _called(tool: str, **arguments: str) -> dict[str, Any]:
    return {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": tool,
            "gen_ai.tool.call.arguments": json.dumps(arguments)}  # fmt: skip


def span(game: int, place: int, above: int, about: dict[str, Any]) -> str:
    """One span as a line of OTLP."""
    told = [{"key": key, "value": {"intValue": str(value)} if isinstance(value, int) else {"stringValue": value}}
            for key, value in about.items()]  # fmt: skip
    own = {"traceId": f"{game:032x}", "spanId": f"{place + 1:016x}", "startTimeUnixNano": str(place),
           "endTimeUnixNano": str(place + 1), "attributes": told}  # fmt: skip
    parent = {"parentSpanId": f"{above + 1:016x}"} if place else {}
    return json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [own | parent]}]}]}) + "\n"


def rows(size: int) -> Iterator[str]:
    """Rows of a table of about so many bytes, in runs of a hundred messages and three decisions."""
    written = run = 0
    while written < size:
        run += 1
        own = {"run": f"r{run}", "arm": "baseline", "seed": 1, "repeat": run, "model": "m"}
        acts = [own | {"agent": "ABC"[n % 3], "round": n // 3 + 1, "channel": "public", "text": WORDS * 8}
                for n in range(100)]  # fmt: skip
        acts += [own | {"agent": agent, "variable": f"move[{agent}]", "value": "left"} for agent in "ABC"]
        for line in (f"{json.dumps(act)}\n" for act in acts):
            written += len(line)
            yield line
