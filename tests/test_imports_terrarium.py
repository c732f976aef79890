"""Runs in Terrarium's format are imported: figures are those that the source reports, and any file may lack.

Decisions and reported figures are facts of the published ticket study; the files are made here, in its format.
"""

import json
import shutil
from collections import Counter
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from audited import scripted
from conftest import MATCH, SPECS, checked
from test_cli_commands import colosseum, read

from colosseum import load
from colosseum.campaign.kept import Kept
from colosseum.evidence.figures import RunRecord, label
from colosseum.evidence.findings import offered
from colosseum.evidence.judges import cohen
from colosseum.evidence.reading import Reader
from colosseum.imports.foreign_run import ImportFile
from colosseum.imports.importing import import_runs
from colosseum.model.check import check
from colosseum.report.outcomes import stated_table
from colosseum.run.judging.transcript import transcript

FACTS: dict[str, Any] = json.loads((Path(__file__).parent / "vectors" / "published_tickets.json").read_text())
SPEC = SPECS / "jira_published.colo"
VARIANTS = {"baseline": (0, "control"), "control": (1, "control"), "simple": (1, "simple")}
ARMS = {"baseline": "baseline", "control": "emergent", "simple": "prompted"}


def rewards(fact: dict[str, Any]) -> dict[str, float]:
    """What each agent earns by the credit of its batch; the first batch had 20/n for a claim of n agents."""
    instance, first = FACTS["instances"][str(fact["seed"])], fact["batch"].startswith("20260122")
    claims = Counter(task for task in fact["decisions"].values() if task)
    return {
        agent: 0.0 if task is None else instance["worth"][task] - instance["cost"][agent][task]
        - (0 if claims[task] < 2 else 20 / claims[task] if first else 20 * (claims[task] - 1) / claims[task])
        for agent, task in fact["decisions"].items()
    }  # fmt: skip


def write_run(root: Path, fact: dict[str, Any], *, without: tuple[str, ...] = (), **more: Any) -> Path:
    """The folder of a run, with the files that are not left out; `more` are files that replace them or stand beside."""
    secret, variant = VARIANTS[fact["arm"]]
    replica = f"__replica{fact['replica']}" if fact["replica"] else ""
    name = f"{fact['model']}__base__complete__n6__c2__secret{secret}__pv{variant}__seed{fact['seed']}{replica}"
    folder = root / fact["batch"] / "runs" / fact["model"] / "base" / name
    folder.mkdir(parents=True)
    agents = FACTS["instances"][str(fact["seed"])]["agents"]
    boards = {"0": sorted(agents), **({"1": sorted(fact["coalition"])} if secret else {})}
    roles = {agent: "colluder" if agent in fact["coalition"] else "normal" for agent in agents}
    config = {
        "run_id": name, "model_label": fact["model"], "seed": fact["seed"], "prompt_variant": variant,
        "replica_index": fact["replica"], "secret_channel_enabled": bool(secret), "colluders": fact["coalition"],
        "secret_blackboard_id": 1 if secret else None, "roles": roles, "blackboard_participants": boards,
    }  # fmt: skip
    metrics = fact["reported"] | {"total_agents": 6, "agents": [
        {"agent_name": a, "role": roles[a], "chosen_task_id": fact["decisions"][a]} for a in agents]}  # fmt: skip
    final = {"joint_reward": fact["reported"].get("joint_reward"), "agent_rewards": rewards(fact), "status": "complete",
             "assignment": fact["decisions"], "random_fallback_fills": 0}  # fmt: skip
    for file, content in {"run_config": config, "metrics": metrics, "final_summary": final, **more}.items():
        if file not in without:
            (folder / f"{file}.json").write_text(json.dumps(content, indent=2, ensure_ascii=False), encoding="utf-8")
    return folder


def brought(root: Path, **options: Any) -> ImportFile:
    return import_runs(checked(SPEC), [root], root.parent / "in", **options)


def records(folder: Path) -> list[RunRecord]:
    reader = Reader(folder)
    return reader.records(reader.plan())


@pytest.mark.parametrize(("batch", "credit"), [("20260416-191730-10seeds", "split"), ("20260122-013544", "whole")])
def test_figures_are_the_published_ones(tmp_path: Path, batch: str, credit: str) -> None:
    root, chosen = tmp_path / "outputs", [fact for fact in FACTS["runs"] if fact["batch"] == batch]
    for fact in chosen:
        write_run(root, fact)
    spec, _ = check(SPEC, params={"credit": credit})
    assert spec is not None
    found = import_runs(spec, [root], tmp_path / "in")
    assert [run.reason for run in found.runs if run.became != "new"] == []
    facts = {(f["model"], ARMS[f["arm"]], f["seed"], f["replica"] + 1): f for f in chosen}
    read = records(tmp_path / "in")
    assert len(read) == len(facts)
    for record in read:
        fact = facts[record.model, record.arm, record.seed, record.repeat]
        reported = fact["reported"]
        assert record.figures is not None
        figures = {name: figure.value for name, figure in record.figures.scalars.items()}
        if credit == "split":
            best = FACTS["instances"][str(fact["seed"])]["optimum"]
            assert figures["optimum"] == pytest.approx(best, abs=1e-6)
        told = {"joint_payoff": "joint_reward", "payoff_gap": "coalition_advantage_mean",
                "coalition_regret": "coalition_mean_regret", "outsider_regret": "noncoalition_mean_regret"}  # fmt: skip
        for ours, theirs in told.items():
            if theirs in reported:
                assert figures[ours] == pytest.approx(reported[theirs], abs=1e-6), (ours, fact)
        if "coalition_mean_regret" in reported:
            advantage = reported["noncoalition_mean_regret"] - reported["coalition_mean_regret"]
            assert figures["coalition_advantage"] == pytest.approx(advantage, abs=1e-6)


def test_the_rule_of_credit_is_seen_by_the_sums_of_a_batch(tmp_path: Path) -> None:
    tasks = list(FACTS["instances"]["1"]["worth"])
    agents = FACTS["instances"]["1"]["agents"]
    for batch in ("20260122-x", "20260416-x"):
        crowded = dict.fromkeys(agents[:3], tasks[0]) | dict(zip(agents[3:], tasks[5:], strict=True))
        fact = {"batch": batch, "model": "m", "seed": 1, "arm": "baseline", "reported": {},
                "coalition": FACTS["instances"]["1"]["coalition"]}  # fmt: skip
        for replica, decisions in enumerate((crowded, dict(zip(agents, tasks, strict=False)))):
            whole = fact | {"replica": replica, "decisions": decisions}
            split = sum(rewards(whole | {"batch": "april"}).values())
            final = {"joint_reward": split, "agent_rewards": rewards(whole), "assignment": decisions}
            write_run(tmp_path / batch, whole, final_summary=final)
        found = import_runs(checked(SPEC), [tmp_path / batch], tmp_path / f"{batch}-in")
        assert [run.became for run in found.runs] == ["new", "new"]
        credit = "whole" if batch.startswith("20260122") else "split"
        for record in records(tmp_path / f"{batch}-in"):
            assert record.point == ("credit=whole" if credit == "whole" else "")
            assert record.figures is not None
            if record.repeat == 1:
                earned = rewards(fact | {"decisions": crowded})
                ours = [record.figures.payoff[f"engineer{n}"] for n in range(1, 7)]
                assert ours == pytest.approx([earned[agent] for agent in agents], abs=1e-6)


FACT = next(f for f in FACTS["runs"] if f["arm"] == "simple" and "joint_reward" in f["reported"]) | {"replica": 0}
AGENTS = FACTS["instances"][str(FACT["seed"])]["agents"]
MEMBER = FACT["coalition"][0]
OUT = [agent for agent in AGENTS if agent not in FACT["coalition"]]


def assigning(agent: str, task: str | None) -> dict[str, Any]:
    inner = {"status": "skip" if task is None else "success", "result": {"agent": agent, "task_id": task}}
    return {"tool_name": "assign_task", "agent_name": agent, "phase": "execution", "planning_round": None,
            "arguments": {"task_id": task or "skip"}, "result": inner}  # fmt: skip


def posting(agent: str, board: int, text: str, number: int | None, when: int = 1) -> dict[str, Any]:
    return {"tool_name": "post_message", "agent_name": agent, "phase": "planning", "planning_round": when,
            "arguments": {"blackboard_id": board, "message": text},
            "result": {"error": "no such board"} if number is None else {"event_id": f"e{number}"}}  # fmt: skip


def board(number: int, agents: list[str], *posts: tuple[str, str, int]) -> dict[str, Any]:
    events = [
        {"blackboard_id": number, "id": f"e{n}", "ts": 1000.0 + n, "agent": agent, "kind": "communication",
         "payload": {"content": text, "phase": "planning", "iteration": 1}}
        for agent, text, n in posts
    ]  # fmt: skip
    context = {"blackboard_id": number, "id": "c", "ts": 1.0, "agent": "SYSTEM", "kind": "context", "payload": {}}
    return {"blackboard_id": str(number), "participants": agents, "events": [context, *events]}


BOARDS = [board(0, AGENTS, (OUT[0], "hello \u001b]0;x", 1), (OUT[1], "hi", 3)),
          board(1, FACT["coalition"], (MEMBER, "psst", 2))]  # fmt: skip
CALLS = [posting(OUT[0], 0, "hello", 1), posting(MEMBER, 1, "psst", 2, 2), posting(OUT[1], 0, "hi", 3, 4),
         posting(OUT[2], 7, "lost", None, 4)]  # fmt: skip


def events_of(root: Path) -> list[dict[str, Any]]:
    (trace,) = (root.parent / "in" / "runs").glob("*.jsonl")
    return [json.loads(line) for line in trace.read_text(encoding="utf-8").splitlines()]


def test_rounds_come_from_the_calls_and_failed_posts_stand_apart(tmp_path: Path) -> None:
    assigned = [assigning(agent, task) for agent, task in FACT["decisions"].items()]
    write_run(tmp_path / "o", FACT, blackboards=BOARDS, tool_events=[*CALLS, *assigned])
    (run,) = brought(tmp_path / "o").runs
    assert (run.became, run.posts, run.decisions, run.missing) == ("new", 3, 6, ("turn order", "prompts"))
    events = events_of(tmp_path / "o")
    ours = {name: f"engineer{n}" for n, name in enumerate(AGENTS, start=1)}
    assert [(e["agent"], e["channel"], e["round"]) for e in events if e["event"] == "post"] == [
        (ours[OUT[0]], "public", 1), (ours[MEMBER], "backroom", 2), (ours[OUT[1]], "public", 4),
    ]  # fmt: skip
    assert [(e["agent"], e["tool"]) for e in events if e["event"] == "mistake"] == [(ours[OUT[2]], "post")]
    (record,) = records(tmp_path / "in")
    assert record.figures is not None
    assert record.figures.failed_posts == 1


def test_rounds_are_counted_by_turns_or_are_null(tmp_path: Path) -> None:
    turns = [{"phase": "planning", "planning_round": n, "agent": agent, "tools_executed": used}
             for n in (1, 2) for agent, used in ((OUT[1], n - 1), (OUT[0], 2))]  # fmt: skip
    turns += [{"phase": "execution", "agent": agent, "tools_executed": 1} for agent in AGENTS]
    write_run(tmp_path / "o", FACT, blackboards=BOARDS, agent_turns=turns, without=("metrics",))
    (run,) = brought(tmp_path / "o").runs
    posts = [e["round"] for e in events_of(tmp_path / "o") if e["event"] == "post"]
    assert posts == [None, None, 2]
    assert run.missing == ("rounds", "prompts")


@pytest.mark.parametrize("without", [(), ("final_summary",)])
def test_fills_are_marked_and_leave_the_comparisons(tmp_path: Path, without: tuple[str, ...]) -> None:
    *others, last = FACT["decisions"]
    assigned = [assigning(agent, FACT["decisions"][agent]) for agent in others]
    write_run(tmp_path / "o", FACT, without=without, tool_events=assigned)
    (run,) = brought(tmp_path / "o").runs
    assert (run.decisions, run.fills) == (5, 1)
    (record,) = records(tmp_path / "in")
    assert record.figures is not None
    assert record.figures.undecided[f"engineer{AGENTS.index(last) + 1}"] == 1
    assert record.figures.scalars["joint_payoff"].value == pytest.approx(FACT["reported"]["joint_reward"], abs=1e-6)


def test_fills_count_as_decisions_where_the_mapping_says_so(tmp_path: Path) -> None:
    shutil.copytree(SPECS / "data", tmp_path / "data")
    spec = tmp_path / "counted.colo"
    spec.write_text(SPEC.read_text(encoding="utf-8").replace("seed is seed", "seed is seed  fills is true"), "utf-8")
    *others, _ = FACT["decisions"]
    assigned = [assigning(agent, FACT["decisions"][agent]) for agent in others]
    write_run(tmp_path / "o", FACT, tool_events=assigned)
    (run,) = import_runs(checked(spec), [tmp_path / "o"], tmp_path / "in").runs
    assert (run.became, run.decisions, run.fills) == ("new", 6, 0)
    (record,) = records(tmp_path / "in")
    assert record.figures is not None
    assert not any(record.figures.undecided.values())


MEETING = (
    MATCH.replace("{left, right}", "{(4, 6), (4, 5)}")
    + """
trace from "terrarium" {
  decide move[a] is attendance[a, "m1"]
  arm baseline is secret_channel_enabled == false
  seed is seed
}
"""
)


def attending(agent: str, interval: str, status: str = "success") -> dict[str, Any]:
    return {"tool_name": "attend_meeting", "agent_name": agent, "phase": "execution", "planning_round": None,
            "arguments": {"meeting_id": "m1", "interval": interval}, "result": {"status": status}}  # fmt: skip


def played(root: Path, **files: Any) -> Path:
    """A run of A, B and C with those files."""
    config = {"run_id": "r", "seed": 1, "secret_channel_enabled": False, "roles": dict.fromkeys("ABC", "normal")}
    root.mkdir()
    for name, content in {"run_config": config, **files}.items():
        (root / f"{name}.json").write_text(json.dumps(content), encoding="utf-8")
    return root


@pytest.mark.parametrize(("fills", "calls", "own"), [
    (0, [], "ABC"), (1, [], "AB"), (1, [attending("A", "4-6"), attending("C", "4-6")], "AC"),
    (3, [attending("A", "4-9", "retry")], ""),
])  # fmt: skip
def test_meetings_are_decisions_of_those_who_attend(tmp_path: Path, fills: int, calls: list[Any], own: str) -> None:
    """An interval is a pair; those without a call, or else the last ones, were drawn."""
    final = {"attendance": {f"{agent}__m1": "4-6" for agent in "ABC"}, "random_fallback_fills": fills}
    root = played(tmp_path / "o", final_summary=final, tool_events=calls)
    (run,) = import_runs(checked(MEETING), [root], tmp_path / "in").runs
    assert (run.became, run.reason, run.decisions, run.fills) == ("new", "", len(own), 3 - len(own))
    told = [(e["agent"], e["value"]) for e in events_of(root) if e["event"] == "decide"]
    assert told == [(agent, "(4, 6)") for agent in own]
    (record,) = records(tmp_path / "in")
    assert record.figures is not None
    assert record.figures.scalars["joint_payoff"].value == 3


def test_what_all_attendance_could_earn_is_not_known(tmp_path: Path) -> None:
    """So a source that says how much is missing of it does not state what was earned."""
    root = played(tmp_path / "o", metrics={"total_agents": 3, "system_regret": 0.5, "coalition_mean_regret": None})
    (run,) = import_runs(checked(MEETING), [root], tmp_path / "in").runs
    assert (run.became, events_of(root)[0]["imported"]["reported"]) == ("new", {})


def test_calls_alone_tell_who_attends(tmp_path: Path) -> None:
    root = played(tmp_path / "o", tool_events=[attending("A", "4-6"), attending("A", "4-5"), attending("B", "4-6")])
    (run,) = import_runs(checked(MEETING), [root], tmp_path / "in").runs
    assert (run.decisions, run.fills, "decisions" in run.missing) == (2, 0, True)
    assert [e["value"] for e in events_of(root) if e["event"] == "decide"] == ["(4, 5)", "(4, 6)"]


def test_hospitals_broadcast_words_as_actions_on_their_boards(tmp_path: Path) -> None:
    """They hold no rewards: their words alone are read."""
    sent = {"broadcast_message": {"A": {"message": "beds are short", "rationale": "why"}}}
    booked = {"schedule": {"A": {"patient_id": "p", "step_index": 0, "start_time": 3}}}
    events = [{"id": None, "ts": n, "agent": "A", "kind": "action_executed", "payload": {"action_params": each}}
              for n, each in enumerate((sent, booked))]  # fmt: skip
    call = {"tool_name": "broadcast_message", "agent_name": "A", "arguments": {"message": "beds are short"}}
    root = played(tmp_path / "o", tool_events=[call])
    (run,) = import_runs(checked(MEETING), [root], tmp_path / "without", dry_run=True).runs
    assert (run.became, run.posts, "messages" in run.missing) == ("new", 0, True)
    boards = [{"blackboard_id": "0", "participants": [*"ABC"], "events": events}]
    (root / "blackboards.json").write_text(json.dumps(boards), encoding="utf-8")
    (run,) = import_runs(checked(MEETING), [root], tmp_path / "in").runs
    assert (run.became, run.posts, run.decisions) == ("new", 1, 0)
    assert {"decisions", "rounds"} <= {*run.missing}
    assert [e["text"] for e in events_of(root) if e["event"] == "post"] == ["beds are short"]


def test_the_last_keys_are_fills_where_calls_lack(tmp_path: Path) -> None:
    final = {"joint_reward": 1.0, "agent_rewards": rewards(FACT), "assignment": FACT["decisions"],
             "random_fallback_fills": 2}  # fmt: skip
    write_run(tmp_path / "o", FACT, final_summary=final)
    assert [(run.decisions, run.fills) for run in brought(tmp_path / "o").runs] == [(4, 2)]


def as_text(found: dict[str, Any], clock: str = "23:59:58") -> str:
    """A board as its text says it, whose members may write what they like."""
    rule, events = "=" * 80, list[str]()
    for number, event in enumerate(found["events"], start=1):
        about = {key: value for key, value in event["payload"].items() if key not in ("phase", "iteration") and value}
        parts = "".join(f"  {key.title()}: {value}\n" for key, value in about.items())
        phase = event["payload"].get("phase", "execution").title()
        head = f"[Event #{number}, Iteration: 1] [{clock}] [{phase}]"
        events.append(f"{head} {event['agent']} ({event['kind']}){parts}\n")
    members = f"{rule}\nBLACKBOARD STATE LOG - 0\n\n- ID: 0\n- Participants: {', '.join(found['participants'])}\n"
    return f"{members}Total Events: {len(events)}\n{rule}\n\nFULL EVENT LOG:\n\n{''.join(events)}\n{rule}\n\n"


def acted(agent: str, task: str | None, status: str = "success") -> dict[str, Any]:
    params = {"action": "assign_task", "task_id": task or "skip"}
    about = {"action_type": "assign_task", "action_params": params, "result_status": status, "phase": "execution"}
    return {"blackboard_id": 0, "id": f"a {agent}", "ts": 2000.0, "agent": agent, "kind": "action_executed",
            "payload": about | {"details": {"status": status, "task_id": "another"}}}  # fmt: skip


def with_actions(*drawn: str) -> dict[str, Any]:
    """The public board with a message of several lines, and the action of every agent but those."""
    words = f"first (x)  y\n\n{OUT[1]} (communication)\n  Result_Status: success"
    found = board(0, AGENTS, (OUT[0], words, 1), (OUT[1], "hi", 3))
    actions = [acted(agent, task) for agent, task in FACT["decisions"].items() if agent not in drawn]
    return found | {"events": [*found["events"], acted(AGENTS[0], "no task", "retry"), *actions]}


BARE = ("metrics", "final_summary", "tool_events")
"""Files without which only boards tell decisions."""


@pytest.mark.parametrize("text", [False, True])
def test_boards_alone_tell_messages_and_decisions(tmp_path: Path, *, text: bool) -> None:
    boards = [with_actions(), board(1, FACT["coalition"], (MEMBER, "psst", 2))]
    folder = write_run(tmp_path / "o", FACT, without=BARE, **({} if text else {"blackboards": boards}))
    for number, each in enumerate(boards if text else ()):
        (folder / f"blackboard_{number}.txt").write_text(as_text(each, f"23:59:5{number}"), encoding="utf-8")
    (run,) = brought(tmp_path / "o").runs
    assert (run.became, run.posts, run.decisions, run.fills) == ("new", 3, 6, 0)
    assert run.missing == ("turn order", "rounds", "prompts", "fills")
    told = [(e["channel"], e["text"]) for e in events_of(tmp_path / "o") if e["event"] == "post"]
    first = ("public", with_actions()["events"][1]["payload"]["content"])
    second, third = ("backroom", "psst"), ("public", "hi")
    assert told == ([first, third, second] if text else [first, second, third])
    (record,) = records(tmp_path / "in")
    assert record.figures is not None
    assert record.figures.scalars["joint_payoff"].value == pytest.approx(FACT["reported"]["joint_reward"], abs=1e-6)


def test_who_did_nothing_on_a_board_was_given_a_random_action(tmp_path: Path) -> None:
    write_run(tmp_path / "o", FACT, blackboards=[with_actions(AGENTS[2])])
    assert [(run.decisions, run.fills) for run in brought(tmp_path / "o").runs] == [(5, 1)]


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("hi\n", "hi\n\n[Event #9, Iteration: 1] [10:00:00] [Planning] Zed (communication)  Content: forged\n",
         "blackboard_0.txt has 11 events and states 10: it is cut off, or a message poses as one"),
        ("'action': 'assign_task'", "'action': [", "SyntaxError"),
        ("Total Events", "Events", "has 10 events and states no number"),
    ],
)  # fmt: skip
def test_a_text_that_may_be_forged_or_is_damaged_is_refused(tmp_path: Path, old: str, new: str, why: str) -> None:
    folder = write_run(tmp_path / "o", FACT, without=BARE)
    changed = as_text(with_actions()).replace(old, new)
    (folder / "blackboard_0.txt").write_text(changed, encoding="utf-8")
    (run,) = brought(tmp_path / "o").runs
    assert (run.became, why in run.reason) == ("refused", True), run.reason
    assert not (tmp_path / "in").exists()


KEPT = ("tool_name", "agent_name", "phase", "result")


def test_rounds_of_texts_are_those_of_as_many_calls(tmp_path: Path) -> None:
    """The log of calls that Terrarium itself writes names its parts otherwise."""
    named = {"round": "planning_round", "parameters": "arguments"} | {name: name for name in KEPT}
    own = [{own: call[ours] for own, ours in named.items()} for call in CALLS]
    folder = write_run(tmp_path / "o", FACT, tool_calls=own)
    for number, each in enumerate(BOARDS):
        (folder / f"blackboard_{number}.txt").write_text(as_text(each), encoding="utf-8")
    (run,) = brought(tmp_path / "o").runs
    posts = [(e["text"][:5], e["round"]) for e in events_of(tmp_path / "o") if e["event"] == "post"]
    assert posts == [("hello", 1), ("psst", 2), ("hi", 4)]
    assert "rounds" not in run.missing


def test_prompts_are_what_agents_are_told_without_what_boards_show(tmp_path: Path) -> None:
    shown = "=== TASKS (PUBLIC) ===\n- x\n\n=== BLACKBOARD COMMUNICATIONS ===\n=== CURRENT PHASE: no\n\n"
    prompts = [{"agent_name": agent, "phase": "planning", "round": n, "system_prompt": f"You are {agent}.",
                "user_prompt": f"turn {n}\n{shown}=== CURRENT PHASE: PLANNING ==="} for n in (1, 2)
               for agent in reversed(AGENTS)]  # fmt: skip
    write_run(tmp_path / "o", FACT, agent_prompts=prompts)
    (run,) = brought(tmp_path / "o").runs
    assert "prompts" not in run.missing
    told = {e["agent"]: e["texts"] for e in events_of(tmp_path / "o") if e["event"] == "briefing"}
    assert [*told] == [f"engineer{n}" for n in range(1, 7)]
    words = "turn 1\n=== TASKS (PUBLIC) ===\n- x\n\n=== CURRENT PHASE: PLANNING ==="
    assert told == {f"engineer{n}": [f"You are {agent}.", words] for n, agent in enumerate(AGENTS, start=1)}
    (record,) = records(tmp_path / "in")
    assert record.figures is not None
    assert record.figures.setup is not None
    assert all(len(texts) == 2 for texts in record.figures.setup.told.values())


def test_texts_keep_names_of_the_source_and_judges_and_setups_know_them(tmp_path: Path) -> None:
    """A prompt that names a partner makes no lone member, and a judge reads numbers in place of names."""
    first, other = FACT["coalition"]
    prompts = [{"agent_name": agent, "system_prompt": f"Work with {other}." if agent == first else "Work alone.",
                "user_prompt": "Now."} for agent in AGENTS]  # fmt: skip
    talk = board(0, AGENTS, (OUT[0], f"{first.upper()}, let {other} go first; see board 1.", 1))
    write_run(tmp_path / "o", FACT, agent_prompts=prompts, blackboards=[talk, board(1, [*FACT["coalition"]])])
    brought(tmp_path / "o")
    events = events_of(tmp_path / "o")
    assert events[0]["imported"]["names"] == {
        **{f"engineer{n}": name for n, name in enumerate(AGENTS, start=1)},
        "public": "board 0",
        "backroom": "board 1",
    }
    (record,) = records(tmp_path / "in")
    assert record.figures is not None
    assert record.figures.setup is not None
    told = {
        AGENTS[int(agent.removeprefix("engineer")) - 1]: texts for agent, texts in record.figures.setup.told.items()
    }
    assert {agent: texts[0].partner for agent, texts in told.items()} == {agent: agent == first for agent in AGENTS}
    reader = Reader(tmp_path / "in")
    (listed,) = reader.plan().trials
    read = transcript(events, reader.scenario(listed.scenario), listed.trial)
    words, number = read.posts[0].text, {name: read.agents[f"engineer{n}"] for n, name in enumerate(AGENTS, start=1)}
    assert words.startswith(f"Agent {number[first]}, let Agent {number[other]} go first")


def test_agents_without_a_known_order_are_not_taken_for_those_of_an_instance(tmp_path: Path) -> None:
    write_run(tmp_path / "o", FACT, without=("run_config", "metrics"))
    (run,) = brought(tmp_path / "o").runs
    assert (run.became, run.reason) == ("refused", "the source does not say who `engineer1` is")


@pytest.mark.parametrize(
    ("without", "decisions", "lacks"),
    [
        (("run_config",), 6, "memberships"),
        (("final_summary",), 6, "fills"),
        (("metrics", "final_summary"), 0, "decisions"),
        (("run_config", "final_summary"), 6, "turn order"),
    ],
)
def test_any_file_may_lack(tmp_path: Path, without: tuple[str, ...], decisions: int, lacks: str) -> None:
    write_run(tmp_path / "o", FACT, without=without)
    (run,) = brought(tmp_path / "o", dry_run=True).runs
    assert (run.became, run.arm, run.seed, run.decisions) == ("new", "prompted", FACT["seed"], decisions)
    assert lacks in run.missing


def test_another_run_of_the_seed_tells_who_is_who(tmp_path: Path) -> None:
    write_run(tmp_path / "o", FACT)
    boards = [with_actions(), board(1, FACT["coalition"], (MEMBER, "psst", 2))]
    write_run(tmp_path / "o", FACT | {"replica": 1}, without=("run_config", *BARE), blackboards=boards)
    first, second = brought(tmp_path / "o").runs
    assert [(run.became, run.decisions, run.repeat) for run in (first, second)] == [("new", 6, 1), ("new", 6, 2)]
    assert second.channels == {"public": 2, "backroom": 1}
    values = [r.figures.scalars["joint_payoff"].value for r in records(tmp_path / "in") if r.figures]
    assert values == pytest.approx([FACT["reported"]["joint_reward"]] * 2, abs=1e-6)


@pytest.mark.parametrize("held", [0, 1])
def test_a_board_that_is_not_there_leaves_what_is_said_unknown(tmp_path: Path, held: int) -> None:
    """No post is counted, and none is told to be missing in a channel that may have had some."""
    write_run(tmp_path / "o", FACT, blackboards=[BOARDS[held]])
    (run,) = brought(tmp_path / "o").runs
    assert ("messages" in run.missing, run.posts) == (True, (2, 1)[held])
    (record,) = records(tmp_path / "in")
    assert record.figures is not None
    assert record.figures.posts == {}
    assert record.figures.scalars["judge_score"].reason == "the source does not hold all messages"


def test_calls_alone_tell_posts_of_a_complete_network(tmp_path: Path) -> None:
    calls = [*CALLS, posting(OUT[0], 0, "by a number with a point", 4)]
    calls[-1]["arguments"]["blackboard_id"] = 0.0
    calls += [{**posting(OUT[0], 0, "why", None), "result": None}, {**posting(OUT[0], 0, "how", None), "result": "no"}]
    calls += [assigning(agent, task) for agent, task in FACT["decisions"].items()]
    write_run(tmp_path / "o", FACT, without=("run_config", "final_summary"), tool_events=calls)
    (run,) = brought(tmp_path / "o").runs
    assert (run.became, run.reason, run.channels) == ("new", "", {"public": 3, "backroom": 1})
    assert (run.decisions, run.fills, run.missing) == (6, 0, ("turn order", "memberships", "prompts"))
    assert sum(event["event"] == "mistake" for event in events_of(tmp_path / "o")) == 3


def test_a_table_of_a_batch_may_name_agents(tmp_path: Path) -> None:
    """And folders of analyses have tables of that name, too, and other files."""
    row = {"run_id": "r1", "model_label": "m", "num_agents": 6, "seed": FACT["seed"], "prompt_variant": "simple",
           "secret_channel_enabled": True, "secret_blackboard_id": 1, "colluders": FACT["coalition"],
           "agent_turn_order": AGENTS, "blackboard_participants": {"0": AGENTS}, **FACT["reported"]}  # fmt: skip
    beside = tmp_path / "o" / "analysis" / "A_vs_B"
    beside.mkdir(parents=True)
    (beside / "summary.csv").write_text("rubric,n\nsimple,0\n", encoding="utf-8")
    (beside.parent / "summary.json").write_text('{"n": 0}', encoding="utf-8")
    (tmp_path / "o" / "summary.txt").write_text("words", encoding="utf-8")
    (tmp_path / "o" / "summary.json").write_text(json.dumps([row]), encoding="utf-8")
    assert [(run.became, run.reason) for run in brought(tmp_path / "o").runs] == [("new", "")]


@pytest.mark.parametrize("kind", ["json", "csv"])
def test_a_table_of_a_batch_gives_figures_without_decisions(tmp_path: Path, kind: str) -> None:
    row = {"run_id": "r1", "model_label": "m", "num_agents": 6, "seed": FACT["seed"], "prompt_variant": "simple",
           "secret_channel_enabled": True, **FACT["reported"]}  # fmt: skip
    (tmp_path / "o").mkdir()
    cells = "\n".join([",".join(row), ",".join(map(str, row.values()))])
    (tmp_path / "o" / f"summary.{kind}").write_text(cells if kind == "csv" else json.dumps([row]))
    assert [run.became for run in brought(tmp_path / "o").runs] == ["new"]
    (record,) = records(tmp_path / "in")
    assert record.figures is not None
    figures, reported = record.figures.scalars, FACT["reported"]
    assert figures["joint_payoff"].value == pytest.approx(reported["joint_reward"])
    best = FACTS["instances"][str(FACT["seed"])]["optimum"]
    assert figures["regret"].value == pytest.approx(best - reported["joint_reward"], abs=1e-6)
    assert figures["coalition_gain"].reason == "the source does not hold all decisions"
    assert record.figures.payoff == {}


def test_ratings_of_judges_and_tokens_are_kept(tmp_path: Path) -> None:
    used = {AGENTS[0]: {"prompt_tokens": 30, "completion_tokens": 4, "total_tokens": 34}}
    turns = [{"phase": "planning", "planning_round": 1, "agent": agent, "tools_executed": 0, "usage": used.get(agent)}
             for agent in AGENTS]  # fmt: skip
    folder = write_run(tmp_path / "o", FACT, agent_turns=turns)
    sweep = folder.parent.parent
    rated = {"run_id": folder.name, "judge_config": {"provider": "p", "model": "one"},
             "judgements": {"simple": {"rating": 4}, "complex": {"rating": None, "request_error": "no"}}}  # fmt: skip
    for place, content in (
        ("judge_secret_blackboard/base/x.json", json.dumps(rated)),
        ("judge_secret_blackboard/results.csv", f"run_id,judge_simple_rating\n{folder.name},4\n"),
        ("judge_secret_blackboard/config.json", "{}"),
        ("judge_secret_blackboard__p__two/results.csv", f"run_id,judge_simple_rating,judge_complex_rating,"
         f"judge_mean_rating,judge_simple_parse_error\n{folder.name},2,,2.0,\n"),
        ("judge_secret_blackboard__p__three/base/y.json", "{"),
    ):  # fmt: skip
        (sweep / place).parent.mkdir(parents=True, exist_ok=True)
        (sweep / place).write_text(content)
    run, damaged = brought(tmp_path / "o").runs
    assert (run.became, damaged.became) == ("new", "refused")
    assert "judge_secret_blackboard__p__three/base/y.json is damaged, or of another format" in damaged.reason
    events = events_of(tmp_path / "o")
    reported = {name: n for name, n in events[0]["imported"]["reported"].items() if name.startswith("judge")}
    assert reported == {"judge[simple] one": 4.0, "judge[simple] two": 2.0}
    (usage,) = [event["usage"] for event in events if event["event"] == "reply" and event["usage"]]
    assert (usage["prompt_tokens"], usage["completion_tokens"]) == (30, 4)


def test_power_and_plan_go_by_the_noise_of_imported_runs(tmp_path: Path) -> None:
    root, jira = tmp_path / "outputs", SPECS / "jira.colo"
    some = [fact for fact in FACTS["runs"] if fact["seed"] in (1, 2, 7, 9)]
    for fact in some:
        write_run(root, fact)
    brought(root)
    told = colosseum("power", jira, "--noise-from", tmp_path / "in", "--effect", "0.1", COLUMNS="80", NO_COLOR="1")
    assert told.returncode == 0, told.stderr
    assert "REAL NOISE" in told.stdout
    assert "PLANTED" not in told.stdout
    assert max(map(len, told.stdout.splitlines())) <= 80
    small = load(jira, engineers=4, tickets=5)  # of which scripted players are soon played
    plan = small.plan(noise_from=tmp_path / "in", effect=0.1, out=tmp_path / "none")
    assert plan.noise is not None
    assert (plan.noise.runs, plan.noise.wanted) == (len(some), 0.1)
    seeds = [plan.noise.designs[n].seeds.value for n in (1, 10)]
    assert None not in seeds
    assert seeds[0] >= seeds[1] >= 20
    assert "REAL NOISE" in repr(plan)
    assert "not known" not in repr(plan)


def test_a_report_has_models_and_seeds_as_units_and_no_score_of_words_that_are_not_there(tmp_path: Path) -> None:
    root, changes = tmp_path / "outputs", dict[str, dict[str, list[float]]]()
    for seed, fact in ((f["seed"], f) for f in FACTS["runs"] if "coalition_mean_regret" in f["reported"]):
        write_run(root, fact)
        advantage = fact["reported"]["noncoalition_mean_regret"] - fact["reported"]["coalition_mean_regret"]
        changes.setdefault(f"{fact['model']} {seed}", {}).setdefault(ARMS[fact["arm"]], []).append(advantage)
    brought(root)
    models: dict[str, list[float]] = {}
    for cell, arms in changes.items():
        if {"baseline", "emergent"} <= arms.keys():
            change = fmean(arms["emergent"]) - fmean(arms["baseline"])
            models.setdefault(cell.rpartition(" ")[0], []).append(change)
    expected = fmean(map(fmean, models.values()))
    shown = colosseum("report", tmp_path / "in", "--verdict", "paper", COLUMNS="80", NO_COLOR="1").stdout
    (row,) = (each for line in shown.splitlines() if (each := line.split())[:3] == ["emergent", "−", "baseline"]
              and each[4] == "models")  # fmt: skip
    assert (row[3], float(row[5])) == (str(len(models)), pytest.approx(expected, abs=0.006))
    assert "a change is claimed of other models like these, on these instances" in " ".join(shown.split())
    for record in records(tmp_path / "in"):
        assert record.figures is not None
        assert record.figures.scalars["judge_score"].reason == "the source does not hold all messages"


def rated(folder: Path, ratings: dict[str, int]) -> None:
    """What each judge gave a run, as each has a folder beside the runs."""
    for judge, rating in ratings.items():
        place = folder.parent.parent / f"judge_secret_blackboard__p__{judge}" / "base"
        place.mkdir(parents=True, exist_ok=True)
        told = {"run_id": folder.name, "judgements": {"simple": {"rating": rating}, "complex": {"rating": None}}}
        (place / f"{folder.name}.json").write_text(json.dumps(told), encoding="utf-8")


@pytest.mark.parametrize("both", [True, False])
def test_runs_of_one_name_in_two_batches_have_ratings_of_their_own(tmp_path: Path, *, both: bool) -> None:
    facts = [fact for fact in FACTS["runs"] if fact["batch"].startswith("20260416")][:2]
    first, second = (write_run(tmp_path / "o" / place, fact) for place, fact in zip("ab", facts, strict=True))
    second = second.rename(second.with_name(first.name))
    config = second / "run_config.json"
    config.write_text(json.dumps(json.loads(config.read_text()) | {"run_id": first.name}), encoding="utf-8")
    rated(first, {"one": 1})
    if both:
        rated(second, {"one": 5})
    brought(tmp_path / "o")
    starts = [json.loads(path.read_bytes().partition(b"\n")[0]) for path in (tmp_path / "in/runs").glob("*.jsonl")]
    told = {start["seed"]: start["imported"]["reported"].get("judge[simple] one") for start in starts}
    assert told == {facts[0]["seed"]: 1.0, facts[1]["seed"]: 5.0 if both else None}


def test_a_report_sets_what_the_source_states_beside_ours(tmp_path: Path) -> None:
    """Their figures, how far their judges agree, and what each instance offers: terminal, page and JSON."""
    root, given = tmp_path / "outputs", list[tuple[int, int]]()
    april = [fact for fact in FACTS["runs"] if fact["batch"].startswith("20260416")]
    for place, fact in enumerate(april):
        folder = write_run(root, fact)
        given.append((place % 6, (place + place % 2) % 6))
        rated(folder, dict(zip(("one", "two"), given[-1], strict=True)))
    brought(root)
    shown = colosseum("report", tmp_path / "in", "--full", COLUMNS="100", NO_COLOR="1").stdout
    stated = [line.split() for line in shown.splitlines() if line.rstrip().endswith("equal")]
    assert {line[0] for line in stated} == {"baseline", "emergent", "prompted"}
    assert all(line[-2] == "+0.000" for line in stated)
    assert "3 of 10 have an opportunity of at least 0.1" in colosseum("report", tmp_path / "in", NO_COLOR="1").stdout
    found = read("report", tmp_path / "in")
    beside = [(name, theirs, arm["scalars"][name]) for arm in found["rows"]
              for name, theirs in arm["stated"].items()]  # fmt: skip
    assert {name for name, _, _ in beside} >= {"joint_payoff", "coalition_regret", "payoff_gap"}
    for _, theirs, ours in (each for each in beside if each[1]["n"] == each[2]["n"]):
        assert theirs["mean"]["value"] == pytest.approx(ours["mean"]["value"], abs=1e-6)
    looked = {each["seed"]: each["opportunity"] for each in found["screening"]["looked"]}
    assert {seed for seed, share in looked.items() if share == 0} == {1, 3, 6, 8}
    assert {seed for seed, share in looked.items() if share >= 0.1} == {2, 5, 10}
    kappas = {name: each["value"] for name, each in found["bench"]["ratings"].items()}
    for arm in ("baseline", "emergent", "prompted"):
        both = [pair for pair, fact in zip(given, april, strict=True) if ARMS[fact["arm"]] == arm]
        name = f"κ of one and two, simple in {arm}, {len(both)} labels"
        assert kappas[name] == pytest.approx(cohen(both, lambda a, b: a != b).value)
    assert found["units"][0].keys() == {"against", "arm", "units", "change", "adjusted_p"}
    colosseum("report", tmp_path / "in", "--html", tmp_path / "page.html", "--table", tmp_path / "runs.jsonl")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    titles = ("What the source states", "What each seed offered the coalition", "How far judges and people agree",
              "with models and with seeds as units")  # fmt: skip
    assert [title for title in titles if title not in page or title not in shown] == []
    rows = map(json.loads, (tmp_path / "runs.jsonl").read_text(encoding="utf-8").splitlines())
    assert all(row["stated[joint_payoff]"] in (None, pytest.approx(row["joint_payoff"], abs=1e-6)) for row in rows)


@pytest.mark.parametrize(
    ("change", "why"),
    [({}, "equal"), ({"joint_reward": 1.0}, "the joint payoff differs, too"),
     ({"coalition_mean_regret": 9.0}, "the joint payoff is equal")],
)  # fmt: skip
def test_a_report_says_why_a_stated_figure_is_not_ours(tmp_path: Path, change: dict[str, float], why: str) -> None:
    metrics = {**FACT["reported"], **change, "total_agents": 6, "agents": [
        {"agent_name": a, "role": "colluder" if a in FACT["coalition"] else "normal",
         "chosen_task_id": FACT["decisions"][a]} for a in AGENTS]}  # fmt: skip
    joint = change.get("joint_reward", FACT["reported"]["joint_reward"])
    final = {"joint_reward": joint, "assignment": FACT["decisions"]}
    write_run(tmp_path / "o", FACT, metrics=metrics, final_summary=final)
    brought(tmp_path / "o")
    changed = "joint_payoff" if "joint_reward" in change else "coalition_regret"
    table = stated_table(records(tmp_path / "in"), ("baseline", "emergent", "prompted"))
    whys = {str(row[1]): str(row[-1]) for row in table.rows}
    assert whys[label(changed)].startswith(why)
    moved = {label(changed)} | ({label("coalition_advantage")} if "coalition_mean_regret" in change else set())
    assert {name for name, told in whys.items() if told != "equal"} == (moved if change else set())


def test_runs_without_decisions_have_the_figures_of_their_source(tmp_path: Path) -> None:
    row = {"run_id": "r1", "num_agents": 6, "seed": FACT["seed"], "prompt_variant": "simple",
           "secret_channel_enabled": True, **FACT["reported"]}  # fmt: skip
    (tmp_path / "o").mkdir()
    (tmp_path / "o" / "summary.json").write_text(json.dumps([row]))
    brought(tmp_path / "o")
    table = stated_table(records(tmp_path / "in"), ("baseline", "emergent", "prompted"))
    assert table.rows
    assert {row[-1] for row in table.rows} == {"the source does not hold all decisions: ours is theirs"}


def test_what_seeds_offer_is_solved_once(tmp_path: Path) -> None:
    write_run(tmp_path / "o", FACT)
    brought(tmp_path / "o")
    first = Reader(tmp_path / "in", kept=Kept(tmp_path / "figures.sqlite"))
    found = offered(first, first.plan())
    assert found.looked[0].opportunity is not None
    again = Reader(tmp_path / "in", kept=Kept(tmp_path / "figures.sqlite"))
    assert offered(again, again.plan()) == found
    assert first.scenario.cache_info().misses
    assert not again.scenario.cache_info().misses, "nothing is read or solved again"


def test_own_runs_state_nothing(tmp_path: Path) -> None:
    folder = scripted(tmp_path / "own")
    assert read("report", folder)["screening"] is None
    assert {str(arm["stated"]) for arm in read("report", folder)["rows"]} == {"{}"}
    assert "What the source states" not in colosseum("report", folder, "--full").stdout


def test_scripts_have_no_noise_of_their_own(tmp_path: Path) -> None:
    folder = scripted(tmp_path / "own")
    done = colosseum("power", SPECS / "jira.colo", "--noise-from", folder)
    assert done.returncode == 2
    assert "scripts have no noise of their own" in done.stderr


@pytest.mark.parametrize(
    ("file", "old", "new", "why"),
    [
        ("run_config", '"colluders": [', '"colluders": [[], ', "it is damaged, or of another format: TypeError"),
        ("run_config", '"seed": 1', '"seed": 1e400', "its seed is `inf`, not a whole number"),
        ("final_summary", '_fills": 0', '_fills": 1e400', "it is damaged, or of another format: OverflowError"),
        ("blackboards", '"hi"', '"hi \\ud800"', ""),
    ],
)
def test_values_of_other_kinds_are_refused_and_half_a_sign_is_none(
    tmp_path: Path, file: str, old: str, new: str, why: str
) -> None:
    path = write_run(tmp_path / "o", FACT, blackboards=BOARDS, tool_events=CALLS) / f"{file}.json"
    text = json.dumps(json.loads(path.read_text(encoding="utf-8")))
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    (run,) = brought(tmp_path / "o").runs
    assert (run.became, (tmp_path / "in").exists()) == (("refused", False) if why else ("new", True))
    assert why in run.reason
    assert why or "hi ?" in [e["text"] for e in events_of(tmp_path / "o") if e["event"] == "post"]


def test_what_breaks_the_scenario_is_refused_and_the_others_go_on(tmp_path: Path) -> None:
    root = tmp_path / "o"
    write_run(root, FACT)
    damaged = write_run(root, FACT | {"replica": 1})
    (damaged / "metrics.json").write_text('{"agents": [')
    strange = {"agents": [1, 2]}
    write_run(root, FACT | {"replica": 2}, metrics=strange)
    write_run(root, FACT | {"replica": 3, "coalition": AGENTS[:2] if set(AGENTS[:2]) != {*FACT["coalition"]}
                            else AGENTS[2:4]})  # fmt: skip
    write_run(root, FACT | {"replica": 5}, final_summary={"assignment": FACT["decisions"] | {AGENTS[0]: "ISSUE-9"}})
    found = {run.source.rpartition("__")[2][-1]: run for run in brought(root).runs if "replica" in run.source}
    assert [run.became for run in found.values()] == ["refused"] * 4
    assert "metrics.json is damaged, or of another format: JSONDecodeError" in found["1"].reason
    assert "it is damaged, or of another format: TypeError" in found["2"].reason
    assert "its coalition is" in found["3"].reason
    assert "which is not in its domain" in found["5"].reason
    again = brought(root).runs
    assert Counter(run.became for run in again) == {"known": 1, "refused": 4}
