"""Users' own agents in real campaigns: recorded, resumed, replayed, paid for, and never trusted."""

import itertools
import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from chat_mind import plays
from chat_server import ChatServer
from conftest import MATCH
from plans import trials_of
from test_cli_commands import Done, colosseum
from warm_process import WHOLE, run

from colosseum.campaign.dotenv import added
from colosseum.players.own_source import Unplayable, mark_of

SPEC = MATCH.replace("experiment e {", "experiment e { rounds 1")
OPENING = "import asyncio, os, sys, time\nfrom colosseum import *\n"
PLAYS = """
class Trader:
    def __init__(self, agent):
        self.agent, self.acts = agent, 0

    async def act(self, view):
        self.acts += 1
        assert view.me == self.agent and view.data is None
        if view.position.phase == "planning":
            if view.steps:
                return Reply((done(),))
            thought = Thought("text", f"I am {view.me}")
            return Reply((post(view.channels[0].name, f"act {self.acts}"), done()), thoughts=(thought,))
        return Reply([decide(v.name, v.domain[0]) for v in view.variables] + [done()], note="decided",
                     usage=Usage(10, 5, cost=0.25, served_model="my model"))
"""
ONCE = "class Trader:\n    async def act(self, view):\n        "
"""An agent with one statement."""
numbers = itertools.count()

Write = Callable[..., str]


@pytest.fixture
def agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Writes a module of its own into the current folder, and gives the name of its agent."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "match.colo").write_text(SPEC, encoding="utf-8")

    def write(source: str, *, name: str = "", opening: str = OPENING) -> str:
        module = name or f"own_{os.getpid()}_{next(numbers)}"
        (tmp_path / f"{module}.py").write_text(opening + source, encoding="utf-8")
        return f"python:{module}:Trader"

    return write


def audit(*more: object, seeds: str = "1") -> Done:
    return colosseum("audit", "match.colo", "--out", "runs", "--seeds", seeds, *more, OPENAI_API_KEY="any")


def written(ending: str = ".jsonl") -> list[dict[str, Any]]:
    """All lines of all traces, or of all files of calls."""
    paths = (p for p in sorted(Path("runs/runs").iterdir()) if p.name[24:] == ending)
    return [json.loads(line) for path in paths for line in path.read_bytes().splitlines()]


def reasons() -> list[str]:
    return [line["reason"] for line in written() if line["event"] == "failed"]


# ---- a campaign ------------------------------------------------------------------------------------------------


def test_a_team_plays_and_is_replayed_without_its_source(agent: Write, tmp_path: Path) -> None:
    name = agent(PLAYS)
    done = audit("--model", name, seeds="1..2")
    assert done.returncode == 0, done.stderr
    assert "4 runs complete" in done.stderr
    assert "$3.00 spent" in done.stderr  # 4 runs of 3 decisions
    assert f" played by {name}" in " ".join(done.stdout.split())
    events = written()
    assert [e["text"] for e in events if e["event"] == "thought" and e["agent"] == "A"] == ["I am A"] * 4
    assert {e["text"] for e in events if e["event"] == "post"} == {"act 1"}  # made anew for each run and agent
    assert {e["event"] for e in events} >= {"decide", "outcome"}
    assert not [e for e in events if e["event"] == "mistake"]
    taken = [e["usage"] for e in events if e["event"] == "reply" and e["usage"]]
    assert {(u["prompt_tokens"], u["cost"], u["served_model"]) for u in taken} == {(10, 0.25, "my model")}
    (tmp_path / f"{name.split(':')[1]}.py").unlink()
    replayed = colosseum("replay", "runs")
    assert replayed.returncode == 0, replayed.stdout
    assert "4 runs made again: 4 equal" in replayed.stdout


def test_it_plays_beside_models_and_scripts(agent: Write) -> None:
    name = agent(PLAYS)
    with ChatServer(plays) as server:
        models = ("--model", f"A={name}", "--model", "B=openai/test", "--model", "C=sim/cooperate")
        done = audit(*models, "--api-base", server.url, "--price", "1,1")
    assert done.returncode == 0, done.stderr
    assert {line["model"] for line in written(".calls.jsonl")} == {name, "openai/test"}
    assert "2 runs made again: 2 equal" in colosseum("replay", "runs").stdout


def test_what_it_is_shown_is_what_a_model_is_told(agent: Write) -> None:
    source = """
        open("shown.json", "w").write(__import__("json").dumps([messages(view), tools(view)]))
        return Reply((done(),))"""
    with ChatServer(plays) as server:
        models = ("--model", f"A={agent(ONCE + source)}", "--model", "B=openai/test", "--model", "C=openai/test")
        assert audit(*models, "--api-base", server.url, "--no-budget", "--arm", "baseline").returncode == 0
    shown = json.loads(Path("shown.json").read_text())
    sent = next(r.body for r in server.requests if "decide" in json.dumps(r.body["tools"]))
    assert shown[0][0]["content"] == sent["messages"][0]["content"].replace('agent "B"', 'agent "A"').replace(
        'agent "C"', 'agent "A"'
    )
    assert [tool["function"]["name"] for tool in shown[1]] == [tool["function"]["name"] for tool in sent["tools"]]


def test_it_plays_on_a_cluster(agent: Write) -> None:
    name = agent(PLAYS)
    done = audit("--model", name, "--cluster", "local:2", seeds="1..3")
    assert done.returncode == 0, done.stderr
    assert "6 runs complete" in done.stderr


# ---- going on --------------------------------------------------------------------------------------------------


def test_after_a_kill_it_goes_on_from_its_replies(agent: Write, tmp_path: Path) -> None:
    name = agent(
        """
class Trader:
    def __init__(self, agent):
        self.said = 0

    def resume(self, history):
        self.said = len(history)
        tell(f"resumed {[v.me for v, _ in history][0]} {len(history)} {isinstance(history[0][1], Reply)}")

    async def act(self, view):
        self.said += 1
        tell(f"act {view.me} {view.position.round}")
        if view.me == "B" and view.position.round == 2 and not os.path.exists("on"):
            os.kill(os.getpid(), 9)
        if view.position.phase == "planning":
            return Reply((post(view.channels[0].name, str(self.said)), done()))
        return Reply(tuple(decide(v.name, v.domain[-1]) for v in view.variables), note=str(self.said))

def tell(words):
    with open("told", "a") as file:
        print(words, file=file)
"""
    )
    words = ("audit", "match.colo", "--out", "runs", "--seeds", 1, "--arm", "baseline", "--model", name)
    assert run(*words).returncode == -signal.SIGKILL
    before = Path("told").read_text().splitlines()
    Path("on").touch()
    gone_on = run(*words)
    assert gone_on.returncode == 0, gone_on.stderr
    after = Path("told").read_text().splitlines()[len(before) :]
    asked = [line for line in (*before, *after) if line.startswith("act")]
    assert before[-1] == "act B 2"
    assert sorted(asked) == sorted([f"act {who} {n}" for who in "ABC" for n in (1, 2)] + ["act B 2"])
    assert "resumed B 1 True" in after
    notes = [e["note"] for e in written() if e["event"] == "reply" and e["phase"] == "execution"]
    assert notes == ["2", "2", "2"]
    assert colosseum("replay", "runs").returncode == 0


def test_changed_source_is_new_work_unless_it_has_the_same_version(agent: Write) -> None:
    name = agent(PLAYS)
    module = name.split(":")[1]
    assert audit("--model", name).returncode == 0
    agent(PLAYS + "# a remark\n", name=module)
    again = colosseum("audit", "match.colo", "--out", "runs", "--seeds", "1", "--model", name, "--dry-run", "--json")
    assert json.loads(again.stdout)["runs"]["missing"] == 2
    first = agent(PLAYS.replace("    def __init__", '    version = "2"\n\n    def __init__'))
    second = agent(PLAYS.replace("    def __init__", '    version: str = "2"\n    """Later."""\n\n    def __init__'))
    assert mark_of(first) == mark_of(second) == {"version": "2"}
    assert set(mark_of(name)) == {"source"}


def test_a_source_that_changes_while_it_is_planned_is_not_run(agent: Write) -> None:
    name = agent(PLAYS)
    from colosseum.players.own_source import load

    mark = tuple(mark_of(name).items())
    agent(PLAYS + "# a remark\n", name=name.split(":")[1])
    with pytest.raises(Unplayable, match="its source was changed"):
        load(name, mark)


# ---- money -----------------------------------------------------------------------------------------------------


def test_its_bill_counts_towards_the_budget(agent: Write) -> None:
    name = agent(PLAYS)
    done = audit("--model", name, "--budget", "2", seeds="1..9")
    assert done.returncode == 4, done.stderr
    assert "the same command with a larger `--budget` goes on" in done.stderr
    spent = sum(line["cost"] for line in written(".calls.jsonl"))
    assert 1.5 <= spent <= 2.5
    assert audit("--model", name, "--budget", "20", seeds="1..9").returncode == 0
    assert sum(line["cost"] for line in written(".calls.jsonl")) == 18 * 0.75


def test_as_much_is_set_aside_for_an_act_as_the_dearest_so_far_cost(agent: Write) -> None:
    done = audit("--model", agent(PLAYS), "--budget", "0.9", seeds="1..9")
    assert done.returncode == 4, done.stderr
    assert sum(line["cost"] for line in written(".calls.jsonl")) == 3 * 0.25
    assert "more than the budget" not in done.stderr


def test_acts_that_cost_more_than_could_be_known_are_told(agent: Write) -> None:
    done = audit("--model", agent(PLAYS), "--budget", "0.2", seeds="1..9")
    assert done.returncode == 4, done.stderr
    assert "more than the budget, because a call cost more than expected" in done.stderr


@pytest.mark.parametrize("statement", ["create_task(leave())", "run_in_executor(None, sys.exit, 3)"])
def test_what_leaves_beside_an_act_prints_nothing(agent: Write, statement: str) -> None:
    leaves = f"asyncio.get_running_loop().{statement}; await asyncio.sleep(0.05); return Reply((done(),))"
    done = audit("--model", agent("async def leave():\n    sys.exit(3)\n\n" + ONCE + leaves))
    assert done.returncode == 0, done.stderr
    assert "SystemExit" not in done.stderr
    assert "Traceback" not in done.stderr


def test_a_cost_that_it_does_not_know_is_not_taken_for_none(agent: Write) -> None:
    done = audit("--model", agent(PLAYS.replace("cost=0.25, ", "")))
    assert done.returncode == 0, done.stderr
    assert "6 answers of unknown cost" in done.stderr


# ---- what goes wrong in an act ---------------------------------------------------------------------------------

AT_B = 'if view.me == "B" and "Differ." in view.briefing:\n            '
"""In the arm `prompted` alone."""


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ('raise ValueError("bad  \\n price")', "raised ValueError: bad price, in line 6 of MODULE.py: `raise ValueErr"),
        ("sys.exit(3)", "raised SystemExit: 3, in line 6 of MODULE.py: `sys.exit(3)`"),
        ("raise KeyboardInterrupt", "raised KeyboardInterrupt, in line 6 of MODULE.py: `raise KeyboardInterrupt`"),
        ("raise asyncio.CancelledError", "raised CancelledError, in line 6"),
        ("await asyncio.sleep(-1, 1 / 0)", "raised ZeroDivisionError: division by zero, in line 6 of MODULE.py"),
        ("raise TimeoutError('mine')", "raised TimeoutError: mine"),
        ("raise type('Odd', (Exception,), {'__str__': None})", "raised Odd: <exception str() failed>, in line 6"),
        ("return None", "returned None, which is not a Reply"),
        ("return [post('public', 'x')]", "returned [ToolCall("),
        ("return Reply(post('public', 'x'))", "returned a Reply with no such `calls`"),
        ("return Reply(note=None)", "returned a Reply with no such `note`: Input should be a valid string, not None"),
        ("return Reply((decide('x', float('nan')),))", "returned a Reply that cannot be written as JSON"),
        ("return Reply(usage=Usage(cost=-1.0))", "returned an impossible Usage"),
        ("return Reply(finish='odd')", "returned a Reply with no such `finish`: Input should be 'stop', 'tool_calls'"),
    ],
)
def test_a_run_says_why_it_failed_and_others_go_on(agent: Write, statement: str, words: str) -> None:
    name = agent(ONCE + AT_B + statement + "\n        return Reply((done(),))")
    done = audit("--model", name)
    assert done.returncode == 3, done.stderr
    assert "1 run complete, 1 failed" in done.stderr
    assert words.replace("MODULE", name.split(":")[1]) in reasons()[0]
    assert [line["kind"] for line in written() if line["event"] == "failed"] == ["agent"]
    assert "2 runs made again: 2 equal" in colosseum("replay", "runs").stdout


def test_a_constructor_may_fail_too(agent: Write) -> None:
    source = "class Trader:\n    def __init__(self):\n        raise OSError('no disk')\n" + ONCE[14:] + "return Reply()"
    assert audit("--model", agent(source)).returncode == 3
    assert "raised OSError: no disk, in line 5 of" in reasons()[0]


BUSY = "end = time.monotonic() + 1.5\n            while time.monotonic() < end: pass\n            time.sleep(3600)"
"""Works until its time is up, which slows down all others, then blocks."""


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("await asyncio.sleep(60)", "did not answer within 1 s"),
        ("time.sleep(4)", "did not answer within 1 s"),
        (BUSY, "did not answer within 1 s, and does not stop: its act blocks"),
        ("while True:\n                try: await asyncio.sleep(60)\n                except BaseException: pass",
         "did not answer within 1 s, and does not stop: its act blocks"),
    ],
)  # fmt: skip
def test_a_hang_ends_one_run(agent: Write, statement: str, words: str, tmp_path: Path) -> None:
    source = ONCE + AT_B + statement + "\n        await asyncio.sleep(0.01)\n        return Reply((done(),))"
    arguments = ["audit", "match.colo", "--out", "runs", "--seeds", "1..2", "--model", agent(source), "--timeout=1"]
    done = run(*arguments, env={**os.environ, WHOLE: "1"})  # threads that do not stop are still there
    assert (done.returncode, "rror:" in done.stderr) == (3, False), done.stderr
    assert "2 runs complete, 2 failed" in done.stderr
    assert all(words in reason for reason in reasons())
    assert {line["kind"] for line in written() if line["event"] == "failed"} == {"timeout"}


# ---- what is found before the first run ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "name", "words"),
    [
        ("", "python:nowhere.at_all:Trader", "there is no module `nowhere.at_all` written in Python"),
        ("", "python:math:Trader", "there is no module `math` written in Python"),
        ("", "python:json", "does not name a class of a module"),
        ("", "python:../x:Trader", "does not name a class of a module"),
        ("class Trade: pass\n", "", "is not a class that is written in its module\n  = help: did you mean `Trade`?"),
        ("def Trader(): pass\n", "", "is not a class that is written in its module"),
        ("from json import JSONDecoder as Trader\n", "", "is not a class that is written in its module"),
        ("class Trader:\n    def act(self, view): pass\n", "", "has no `async def act`"),
        ("class Trader: pass\n", "", "has no `async def act`"),
        ("class Base: pass\nclass Trader(Base): pass\n", "", "has no `async def act`"),
        ("class Trader\n", "", "cannot be read"),
        ("import nothing_of_that_name\n" + ONCE + "pass", "", "cannot be imported: ModuleNotFoundError: No module"),
        ("sys.exit()\n" + ONCE + "pass", "", "cannot be imported: SystemExit"),
    ],
)
def test_what_cannot_play_is_told(agent: Write, source: str, name: str, words: str) -> None:
    made = agent(source)
    done = audit("--model", name or made)
    assert done.returncode == 2, done.stdout
    assert words in done.stderr
    assert not Path("runs/runs").exists()


def test_only_audit_imports_and_only_what_is_allowed(agent: Write) -> None:
    name = agent(PLAYS + "\nopen('imported', 'w').close()\n")
    module = name.split(":")[1]
    Path("match.colo").write_text(SPEC.replace("rounds 1", f'rounds 1  model {{cabal: "{name}"}}'), encoding="utf-8")
    for command in (("check",), ("compile", "--json"), ("plan",), ("audit", "--dry-run"),
                    ("audit", "--allow-python", module, "--dry-run")):  # fmt: skip
        done = colosseum(command[0], "match.colo", *command[1:])
        assert done.returncode == 0, done.stderr
    for allowed in ((), ("--allow-python", "json"), ("--allow-python", "own")):
        done = audit(*allowed)
        assert done.returncode == 2
        assert f"`--allow-python {module}` lets it run" in done.stderr
    Path(".env").write_text(f"COLOSSEUM_ALLOW_PYTHON={module}\nCOLOSSEUM_MODEL={name}\n", encoding="utf-8")
    assert audit().returncode == 2  # it came with the spec
    assert not Path("imported").exists()
    Path(".env").unlink()
    done = audit("--allow-python", module)
    assert done.returncode == 0, done.stderr
    assert Path("imported").exists()
    players = trials_of(Path("runs"))[0]["players"]
    assert players == {"A": "sim/cooperate", "B": name, "C": name}


def test_no_variable_of_a_dotenv_runs_code() -> None:
    sent = {"PYTHONPATH": "here", "LD_PRELOAD": "x.so", "COLOSSEUM_OWN_TEST": "1"}
    with added({name: words for name, words in sent.items() if name not in os.environ}) as new:
        assert new == {"COLOSSEUM_OWN_TEST"}


def test_a_package_of_the_current_folder_is_found_without_running_it(agent: Write) -> None:
    for folder in ("outer", "outer/inner"):
        Path(folder).mkdir()
        Path(folder, "__init__.py").write_text("raise RuntimeError\n", encoding="utf-8")
    Path("outer/inner/team.py").write_text(PLAYS, encoding="utf-8")
    assert set(mark_of("python:outer.inner.team:Trader")) == {"source"}


def test_a_judge_is_no_agent_of_ones_own(agent: Write) -> None:
    done = audit("--judge", agent(PLAYS))
    assert done.returncode == 2
    assert "is no judge" in done.stderr
