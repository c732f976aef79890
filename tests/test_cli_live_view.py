"""The live view: progress by turns, what is left, failures and money, on terminals of several sizes and as JSON lines.

All on real runs against a loopback server, but for what takes minutes, for which a clock is turned.
"""

import json
import os
import re
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from chat_mind import late, plays
from chat_server import Answer, Body, ChatServer, fails
from conftest import KEY, MATCH, SPECS, planned
from jsonschema import Draft202012Validator, ValidationError
from terminal import watch
from test_cli_commands import colosseum
from warm_process import Command, run

from colosseum.campaign.calls import Expense
from colosseum.campaign.folder import FailureReason, Result
from colosseum.campaign.meter import Gauge
from colosseum.campaign.money import money
from colosseum.campaign.purse import Purse
from colosseum.campaign.rate_limit import RateLimit
from colosseum.campaign.retry import OUTAGE, Attempt
from colosseum.cli.live_view import view
from colosseum.players.models.failure import Failure
from colosseum.players.models.reply import Answer as Given
from colosseum.players.models.request import Endpoint, Place, Price, Question
from colosseum.report.words import span
from colosseum.run.trace import Seal
from colosseum.run.trial import Trial

TOY, JIRA = SPECS / "toy.colo", SPECS / "jira.colo"
NOISE = ("FORCE_COLOR", "NO_COLOR", "COLUMNS", "LINES", "TERM", "OPENAI_BASE_URL", "OPENAI_API_BASE")
CLEAN = {name: words for name, words in os.environ.items() if name not in NOISE and not name.startswith("COLOSSEUM_")}
XTERM = {**CLEAN, "TERM": "xterm-256color", "OPENAI_API_KEY": KEY}
MODEL = ("--model", "openai/test", "--price", "1,2", "--seeds", "1..2", "--arm", "emergent", "--arm", "baseline",
         "--set", "engineers=4", "--set", "tickets=5")  # fmt: skip


def command(*more: object, spec: Path = JIRA) -> list[object]:
    return ["audit", spec, *more]


def piped(*more: object, spec: Path = JIRA) -> "subprocess.CompletedProcess[str]":
    return run(*command(*more, spec=spec), env={**CLEAN, "OPENAI_API_KEY": KEY})


# ---- words -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spent", "limit", "unpriced", "unknown", "words"),
    [
        (0.0, None, 0, False, "$0.00"),
        (0.0, 5.0, 0, False, "$0.00 of $5.00"),
        (0.00042, None, 0, False, "$0.00042"),
        (12.345, 20.0, 0, False, "$12.35 of $20.00"),
        (0.0, None, 0, True, "unknown price"),
        (0.0, None, 3, True, "3 answers of unknown cost"),
        (0.5, None, 1, True, "$0.5000 + 1 answer of unknown cost"),
        (0.5, None, 0, True, "$0.5000 + unknown price"),
    ],
)
def test_money_that_is_not_known_is_never_0(
    spent: float, limit: float | None, unpriced: int, unknown: bool, words: str
) -> None:
    assert money(spent, limit, unpriced, unknown=unknown) == words


@pytest.mark.parametrize(("seconds", "words"), [(0, "0 s"), (89, "89 s"), (90, "2 min"), (5399, "1 h 30 min")])
def test_lengths_of_time(seconds: float, words: str) -> None:
    assert span(seconds) == words


# ---- what is counted -------------------------------------------------------------------------------------------


def trials(model: str = "openai/test") -> list[Trial]:
    return planned(MATCH.replace("experiment e {", f'experiment e {{ rounds 4 model "{model}" '))[1]


def ended(reason: FailureReason | None = None) -> Result:
    return Result(1, "t", "failed" if reason else "complete", reason, Seal(1, "0"), Expense.of([]))


class Clocked:
    """A meter of some trials whose clock is turned by hand."""

    def __init__(self, made: list[Trial], prices: dict[str, Price] | None = None) -> None:
        self.now = 0.0
        self.purse = Purse(10.0, {"openai/test": Price(1, 2)} if prices is None else prices)
        gates = {("openai/test", None): RateLimit(8, clock=lambda: self.now)}
        turns = {trial.identity: trial.turns for trial in made}
        self.meter = Gauge(turns, ("openai/test",), self.purse, gates, clock=lambda: self.now)

    def reply(self, trial: Trial, agent: str, number: int, *, seconds: float = 2.0) -> None:
        """One answer, which takes so many seconds."""
        self.now += seconds
        raw = {"choices": [], "usage": {"prompt_tokens": 100, "completion_tokens": 20}}
        self.meter.call(Question(Endpoint("openai/test"), (), (), Place()), Attempt(1, Given(raw, None, seconds), None))
        self.meter.event(trial, "reply", {"agent": agent, "phase": "planning", "round": number})
        self.purse.spent += 0.01


def test_turns_that_have_begun_are_counted_once_and_a_run_that_ended_has_none_left() -> None:
    made = trials()
    clocked = Clocked(made)
    agents = len(made[0].roles)
    turns = sum(trial.turns for trial in made)
    assert made[0].turns == agents * 4 + agents
    assert (clocked.meter.look().turns_begun, clocked.meter.look().turns) == (0, turns)
    for trial in made:
        for agent in trial.roles:
            clocked.reply(trial, agent, 1)
            clocked.reply(trial, agent, 1)
    assert clocked.meter.look().turns_begun == agents * len(made)
    for trial in made:
        clocked.meter.trial(trial.listed, "complete", ended())
    done = clocked.meter.look(final=True)
    assert (done.turns_begun, done.turns, done.seconds_left, done.complete) == (turns, turns, 0.0, len(made))


def test_the_time_left_is_told_within_the_first_minute() -> None:
    made = trials()
    clocked = Clocked(made)
    assert clocked.meter.look().seconds_left is None
    agents = list(made[0].roles)
    for number in (1, 2, 3):
        clocked.reply(made[0], agents[0], number, seconds=4.0)
    found = clocked.meter.look()
    assert found.seconds == 12
    assert found.seconds_left == pytest.approx((found.turns - 3) * 4)
    assert found.dollars == pytest.approx(0.03)
    clocked.now += 600
    clocked.meter.look()
    clocked.now += 61
    assert clocked.meter.look().seconds_left is None  # nobody answers any more
    assert Clocked(made, prices={}).meter.look().dollars is None


def test_failures_are_told_by_kind_and_a_silent_model_since_when() -> None:
    made = trials()
    clocked = Clocked(made)
    request = Question(Endpoint("openai/test"), (), (), Place())
    clocked.reply(made[0], next(iter(made[0].roles)), 1)
    for kind, delay in (("rate_limit", 1.0), ("transport", 1.0), ("transport", None)):
        clocked.now += 10
        clocked.meter.call(request, Attempt(1, Failure(kind, "no", again=delay is not None), delay))
    clocked.meter.trial(made[0].listed, "failed", ended(FailureReason("transport", "no")))
    clocked.meter.trial(made[1].listed, "halted", None)
    found = clocked.meter.look()
    assert found.repeated_calls == {"rate_limit": 1, "transport": 1}
    assert (found.failed_runs, found.failed, found.halted) == ({"transport": 1}, 1, 1)
    assert (found.models[0].silent_for, found.models[0].last_failure, found.models[0].answers) == (20, "transport", 1)
    words = shown(clocked.meter)
    assert "failed runs: transport 1" in words
    assert found.models[0].pauses_in == OUTAGE - 20
    assert "no answer for 20 s: transport; pauses in 30 m" in words
    assert "openai/test: 0 of 8 calls under way, 0 waiting, no answer" in words


def test_a_model_that_asked_to_wait_is_told() -> None:
    clocked = Clocked(trials())
    (gate,) = clocked.meter.gates.values()
    gate.until = time.monotonic() + 45
    assert re.search(r"0 waiting, rate-limited for 4[345] s$", shown(clocked.meter))


def shown(meter: Gauge) -> str:
    return "\n".join(view(meter.look()))


# ---- on terminals and elsewhere --------------------------------------------------------------------------------


def now_and_then(script: Callable[[Body], Answer], every: int) -> Callable[[Body], Answer]:
    """The same, but each so many requests are turned down once."""
    number = 0

    def faulty(body: Body) -> Answer:
        nonlocal number
        number += 1
        return fails(503, "overloaded") if number % every == 0 else script(body)

    return faulty


@pytest.mark.parametrize(("columns", "rows", "colors"), [(80, 24, True), (60, 12, False)])
def test_a_view_of_real_runs_fits_the_terminal(columns: int, rows: int, colors: bool, tmp_path: Path) -> None:
    environment = XTERM if colors else {**XTERM, "NO_COLOR": "1"}
    with ChatServer(now_and_then(late(plays, 0.1), 40)) as server:
        words = command(*MODEL, "--api-base", server.url, "--out", "out")
        done = watch(words, columns=columns, rows=rows, environment=environment, folder=tmp_path)
    assert done.returncode == 0
    assert done.screen.wrapped == 0
    assert done.screen.unknown == []
    assert done.screen.cursor
    assert bool({given for given in done.screen.colors if given[0] == "3"}) is colors
    views = ["\n".join(picture) for picture in done.screen.pictures if any(" turns, " in line for line in picture)]
    parts = [re.search(r"(\d+) of (\d+) turns", view) for view in views]
    shares = [(int(found[1]), int(found[2])) for found in parts if found]
    assert shares == sorted(shares, key=lambda each: each[0])
    assert any(0 < begun < turns for begun, turns in shares)
    assert any(re.search(r"\d+ (s|min) left", view) for view in views)
    assert any(re.search(r"openai/test: \d+ of \d+ calls under way", view) for view in views)
    assert any("asked again: transport" in view for view in views)
    assert any("of 4 runs" in view and "under way" in view for view in views)


def test_scripted_players_are_told_by_runs(tmp_path: Path) -> None:
    done = watch(command("--seeds", "1..25", "--out", tmp_path, spec=TOY), columns=80, rows=24, environment=XTERM)
    assert done.returncode == 0
    assert any("of 75 runs" in line for picture in done.screen.pictures for line in picture)
    shown = [line for picture in done.screen.pictures for line in picture if "one instance" not in line]
    assert not any("turns" in line or "spent" in line for line in shown)


@pytest.mark.parametrize("display", [(), ("--display", "rich")])
def test_without_a_terminal_the_same_facts_come_as_json(display: tuple[str, ...], tmp_path: Path) -> None:
    def script(body: Body) -> Answer:
        tools = {tool["function"]["name"] for tool in body["tools"]}
        return fails(400, "broken") if "decide" in tools and len(body["messages"]) == 2 else plays(body)

    with ChatServer(script) as server:
        done = piped(*MODEL, "--budget", 3, "--api-base", server.url, "--out", tmp_path, *display)
    assert "\x1b" not in done.stderr
    lines = [json.loads(line) for line in done.stderr.splitlines() if line.startswith('{"event":"progress"')]
    schema = json.loads(colosseum("schema", "progress").stdout)
    for line in lines:
        Draft202012Validator(schema).validate(line)
    last = lines[-1]
    assert (last["final"], last["runs"], last["failed"], last["failed_runs"]) == (True, 4, 4, {"bad_request": 4})
    assert last["turns_begun"] == last["turns"] > 0
    assert last["dollars"] == pytest.approx((last["models"][0]["answers"] + 1) * 25e-6)  # and the preflight
    assert (last["budget"], last["unpriced"], last["models"][0]["model"]) == (3.0, 0, "openai/test")
    assert last["models"][0]["answers"] == len(server.requests) - 1 - 4
    assert "0 runs complete, 4 failed, in " in done.stderr


def test_a_terminal_that_cannot_move_its_cursor_gets_json(tmp_path: Path) -> None:
    words = command("--seeds", 1, "--out", tmp_path, spec=TOY)
    dumb = watch(words, columns=400, rows=24, environment={**XTERM, "TERM": "dumb"})
    assert (dumb.screen.pictures, dumb.screen.unknown) == ([], [])
    lines = [line for line in dumb.screen.lines if line.startswith("{")]
    assert json.loads(lines[0])["complete"] == 3


def test_json_is_a_line_of_json_for_each_remark_too(tmp_path: Path) -> None:
    done = piped("--seeds", 1, "--out", tmp_path, "--display", "json", spec=TOY)
    lines = [json.loads(line) for line in done.stderr.splitlines()]
    schema = Draft202012Validator(json.loads(colosseum("schema", "progress").stdout))
    for line in lines:
        schema.validate(line)
    assert {line["event"] for line in lines} == {"progress", "remark"}
    assert lines[0]["event"] == "remark"
    assert lines[0]["words"].startswith("1 seed can only be a first try: ")
    with pytest.raises(ValidationError):
        schema.validate({"event": "remark", "schema": 2})


def test_a_dry_run_says_what_its_seeds_cannot_settle(tmp_path: Path) -> None:
    for seeds, words in (("1..5", "5 seeds can only be a first try"), ("1..20", "")):
        for more in ((), ("--json",)):
            done = piped("--seeds", seeds, "--out", tmp_path, "--dry-run", *more, spec=TOY)
            assert done.stderr.startswith(words) if words else done.stderr == ""


def test_none_says_nothing_but_warnings_and_errors(tmp_path: Path) -> None:
    done = piped("--seeds", 1, "--out", tmp_path, "--display", "none", spec=TOY)
    assert (done.returncode, len(done.stderr.splitlines())) == (0, 1)
    assert done.stderr.startswith("1 seed can only be a first try: ")
    assert done.stdout.startswith("toy, experiment collusion")
    wrong = piped("--seeds", 1, "--out", tmp_path, "--display", "jsn", spec=TOY)
    assert wrong.returncode == 2
    assert "`jsn` is not one of" in wrong.stderr


def test_who_stops_reading_stops_no_run(tmp_path: Path) -> None:
    process = Command(*command("--seeds", "1..3", "--out", tmp_path, spec=TOY), env=CLEAN)  # so few that it is said
    process.stderr.close()
    process.stdout.read()
    process.wait()
    results = [path for path in (tmp_path / "runs").iterdir() if path.suffix == ".json"]
    assert len(results) == 9


def test_a_resumed_campaign_counts_what_is_left_alone(tmp_path: Path) -> None:
    with ChatServer(plays) as server:
        at = ("--api-base", server.url, "--out", tmp_path)
        assert piped(*MODEL, *at, "--seeds", "1").returncode == 0
        done = piped(*MODEL, *at)
    last = json.loads(next(line for line in done.stderr.splitlines() if line.startswith('{"event"')))
    assert (last["runs"], last["reused"], last["complete"]) == (4, 2, 2)
    made = [path.read_text().count('"event":"reply"') for path in (tmp_path / "runs").glob("*[0-9a-f].jsonl")]
    assert last["turns_begun"] == last["turns"] == sum(made) / 2
