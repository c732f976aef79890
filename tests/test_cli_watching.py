"""Watching: what is seen, how it is worded, and what comes out on terminals of several sizes, on pipes and nowhere."""

import json
import os
import subprocess
import sys
import unicodedata
from dataclasses import replace
from pathlib import Path

import pytest
from chat_server import Answer, Body, ChatServer, calls, fails, says, slow
from conftest import MATCH, SPECS, planned
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from terminal import watch

from colosseum.audit.campaign.folder import Expense, Reason, Result
from colosseum.audit.campaign.purse import Purse
from colosseum.audit.campaign.retry import Attempt
from colosseum.audit.redaction import Redaction
from colosseum.audit.trace import Seal
from colosseum.cli.watching.live import Line, LiveView, drawn
from colosseum.cli.watching.plain import words_of
from colosseum.cli.watching.seen import MOST_SAID, Message, Money, Room, Seen, Sight
from colosseum.cli.watching.wording import LONGEST, money, one_line, span
from colosseum.players.models.failure import Failure
from colosseum.players.models.reply import Answer as Given
from colosseum.players.models.request import Endpoint, Place, Request

TOY = SPECS / "toy.colo"
KEY = "sk-fake-abcdefghijklmnop1234"
NOISE = ("FORCE_COLOR", "NO_COLOR", "COLUMNS", "LINES", "TERM", "OPENAI_BASE_URL", "OPENAI_API_BASE")
CLEAN = {name: words for name, words in os.environ.items() if name not in NOISE and not name.startswith("COLOSSEUM_")}
XTERM = {**CLEAN, "TERM": "xterm-256color", "OPENAI_API_KEY": KEY}
EVIL = "\x1b[2J\x1b]0;title\x07\x9b31m[bold]x[/]\r\n\u202eolleh\u2066\x00 :smile: " + 7 * "日本語" + " \u200b."

SIGHT = Sight(
    total=300, became={"complete": 117, "reused": 3, "failed": 2, "halted": 1}, under_way=64, answers=4100,
    again={"rate_limit": 12, "transport": 3}, broken={"timeout": 1, "context": 1},
    money=Money(0.42, 5.0, 0, unknown=False),
    rooms=(Room("openai/gpt-4o-mini", 12, 16, 3, 0.0), Room("anthropic/claude", 2, 64, 0, 1.5)),
    runs_a_minute=31.4, answers_a_minute=410.2, seconds=725.0,
    messages=tuple(Message("alice", "backroom", n % 2 == 0, f"message {n} " + "日本語 " * 40) for n in range(60)),
)  # fmt: skip


def command(*more: object, spec: Path = TOY) -> list[object]:
    return [sys.executable, "-m", "colosseum", "audit", spec, *more]


def piped(*more: object, spec: Path = TOY) -> "subprocess.CompletedProcess[str]":
    words = [str(part) for part in command(*more, spec=spec)]
    return subprocess.run(words, env={**CLEAN, "OPENAI_API_KEY": KEY}, capture_output=True, text=True, check=False)


# ---- words -----------------------------------------------------------------------------------------------------


@given(st.text())
def test_a_line_of_anybody_can_do_nothing(words: str) -> None:
    line = one_line(words)
    assert not any(unicodedata.category(letter)[0] == "C" for letter in line)
    assert line.splitlines() in ([line], [])
    assert len(line) <= LONGEST
    assert one_line(line) == line


def test_what_can_be_read_stays() -> None:
    assert one_line("[bold]x[/] café 日本語\n\tnext") == "[bold]x[/] café 日本語 next"
    assert one_line(EVIL).startswith("[2J]0;title31m[bold]x[/] olleh :smile: 日本語")


@pytest.mark.parametrize(
    ("spent", "limit", "unpriced", "unknown", "words"),
    [
        (0.0, None, 0, False, "$0.00"),
        (0.0, 5.0, 0, False, "$0.00 of $5.00"),
        (0.00042, None, 0, False, "$0.00042"),
        (12.345, 20.0, 0, False, "$12.35 of $20.00"),
        (0.0, None, 0, True, "unknown price"),
        (0.0, None, 3, True, "3 answers of unknown price"),
        (0.5, None, 1, True, "$0.5000 + 1 answer of unknown price"),
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


def test_a_plain_line() -> None:
    assert words_of(SIGHT) == (
        "122 of 300 runs, 2 failed, 64 under way, 31 runs/min, 6 min left, 4100 answers, $0.4200 of $5.00"
    )
    early = replace(SIGHT, became={}, answers=0, money=None, runs_a_minute=None, under_way=0)
    assert words_of(early) == "0 of 300 runs, 0 failed"


# ---- the live view ---------------------------------------------------------------------------------------------


def plain(line: Line) -> str:
    return "".join(words for words, _ in line)


@pytest.mark.parametrize("width", [1, 5, 12, 39, 79, 199])
@pytest.mark.parametrize("height", [1, 2, 4, 9, 23, 80])
def test_only_what_fits_is_drawn(width: int, height: int) -> None:
    lines = [plain(line) for line in drawn(SIGHT, width, height)]
    assert len(lines) <= height
    assert max(map(cell_len, lines)) <= width
    assert lines[0].startswith("122/300"[:width] if width >= 8 else "")


def test_what_matters_most_stands_on_top() -> None:
    lines = [plain(line) for line in drawn(SIGHT, 100, 12)]
    assert lines[1:9] == [
        "117 complete  2 failed  178 left  3 reused  1 put off  64 under way",
        "spent $0.4200 of $5.00",
        "failed runs: context 1, timeout 1",
        "openai/gpt-4o-mini: 12 of 16 calls  3 wait",
        "anthropic/claude: 2 of 64 calls  held back 2 s",
        "asked again: rate_limit 12, transport 3",
        "31 runs/min  6 min left  410 answers/min  12 min so far",
        lines[8],
    ]
    assert [line[:30] for line in lines[8:]] == [
        "alice → backroom (secret): mes", "alice → backroom: message 57 日",
        "alice → backroom (secret): mes", "alice → backroom: message 59 日",
    ]  # fmt: skip


def test_the_bar_shows_a_single_failure() -> None:
    bar = drawn(replace(SIGHT, total=10_000, became={"complete": 999, "failed": 1}), 100, 1)[0]
    assert [style for _, style in bar] == ["", "green", "red", "dim", ""]
    assert bar[2] == ("━", "red")
    assert plain(bar).startswith("1000/10000 ━")
    assert plain(bar).endswith("─ 10%")


def test_more_models_than_there_is_room_for() -> None:
    rooms = tuple(Room(f"x/model{n}", n, 16, 0, 0.0) for n in range(20))
    lines = [plain(line) for line in drawn(replace(SIGHT, rooms=rooms), 60, 12)]
    assert [line for line in lines if "model" in line] == [
        "x/model19: 19 of 16 calls", "x/model18: 18 of 16 calls", "x/model17: 17 of 16 calls", "17 more models",
    ]  # fmt: skip


def test_the_view_is_drawn_four_times_a_second_at_most() -> None:
    assert LiveView.every >= 0.25


# ---- what is seen ----------------------------------------------------------------------------------------------


def seen_of(*, clock: list[float] | None = None, secrets: tuple[str, ...] = ()) -> Seen:
    times = clock if clock is not None else [0.0]
    return Seen(10, (), Purse(None, {}), {}, Redaction.of({}, secrets), clock=lambda: times[-1])


def ended(reason: Reason | None) -> Result:
    return Result(1, "t", "failed" if reason else "complete", reason, Seal(1, "0"), Expense.of([]))


def test_trials_are_counted_as_they_end() -> None:
    trial = planned(MATCH)[1][0]
    seen = seen_of()
    seen.event(trial, "start", {})
    assert seen.look().under_way == 1
    seen.trial(trial.listed, "failed", ended(Reason("timeout", "late")))
    seen.trial(trial.listed, "reused", ended(None))
    seen.trial(trial.listed, "failed before", ended(Reason("context", "long")))
    seen.trial(trial.listed, "halted", None)
    found = seen.look()
    assert found.number("halted") == 1
    assert (found.under_way, found.done, found.failed, found.number("reused")) == (0, 3, 2, 1)
    assert found.broken == {"timeout": 1, "context": 1}


def test_calls_are_counted_by_what_became_of_them() -> None:
    seen = seen_of()
    request = Request(Endpoint("x/y"), (), (), Place())
    seen.call(request, Attempt(1, Failure("rate_limit", "slow", again=True), 1.0))
    seen.call(request, Attempt(2, Given({}, None, 0.1), None))
    seen.call(request, Attempt(1, Failure("context", "long", again=False), None))
    found = seen.look()
    assert (found.answers, found.again) == (1, {"rate_limit": 1})


def test_rates_are_those_of_the_last_minute() -> None:
    clock = [0.0]
    seen, trial = seen_of(clock=clock), planned(MATCH)[1][0]
    assert seen.look().runs_a_minute is None
    for _ in range(60):
        clock.append(clock[-1] + 1)
        seen.trial(trial.listed, "reused", ended(None))
        slow = seen.look()
    assert (slow.runs_a_minute, slow.minutes_left) == (0, None)
    for _ in range(60):
        clock.append(clock[-1] + 1)
        seen.trial(trial.listed, "complete", ended(None))
        fast = seen.look()
    assert fast.runs_a_minute == pytest.approx(60)
    assert len(seen.looks) < 65


def test_how_long_it_takes_is_told_once_as_many_are_made_as_go_on() -> None:
    assert replace(SIGHT, under_way=120).minutes_left is None
    assert SIGHT.minutes_left == pytest.approx(178 / 31.4)


def test_messages_say_who_where_and_whether_it_is_secret() -> None:
    trial = next(t for t in planned(MATCH)[1] if t.arm == "prompted")
    seen = seen_of(secrets=("hunter2hunter2",))
    for number in range(MOST_SAID + 5):
        seen.event(trial, "post", {"agent": "A", "channel": "public", "text": f"{number}"})
    seen.event(trial, "post", {"agent": "B\x1b[2J", "channel": "backroom", "text": f"hunter2hunter2 {EVIL}"})
    seen.event(trial, "decide", {"agent": "B"})
    first, last = seen.look(messages=2).messages
    assert first == Message("A", "public", False, str(MOST_SAID + 4))
    assert (last.agent, last.channel, last.secret) == ("B[2J", "backroom", True)
    assert last.words.startswith("[redacted] [2J]0;title")
    assert len(seen.look(messages=1000).messages) == MOST_SAID
    assert seen.look().messages == ()


# ---- on terminals and elsewhere --------------------------------------------------------------------------------


@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (40, 10), (20, 4), (200, 50)])
def test_a_view_fits_the_terminal(columns: int, rows: int, tmp_path: Path) -> None:
    done = watch(
        command("--seeds", "1..25", "--out", "out"), columns=columns, rows=rows, environment=XTERM, folder=tmp_path
    )  # fmt: skip
    assert done.returncode == 0
    assert done.stdout.split()[:3] == ["toy,", "experiment", "collusion"]
    assert done.screen.unknown == []
    assert done.screen.cursor
    assert done.screen.wrapped == (columns == 20)  # the words at the end have 25 letters
    views = [picture for picture in done.screen.pictures if "/75 " in picture[0]]
    assert views, done.screen.pictures
    assert all("complete" in view[1] for view in views)
    assert "".join(done.screen.lines).replace(" ", "") == "75runscomplete,inout"


def hostile(body: Body) -> Answer:
    """A model that says what a terminal must not hear, and breaks in the execution turn of one agent."""
    tools = {tool["function"]["name"]: tool["function"] for tool in body["tools"]}
    if "ready" in tools:
        return calls(("ready", {}))
    if "decide" in tools:
        variable = tools["decide"]["parameters"]["properties"]["variable"]["enum"][0]
        if variable == "move[B]":
            return fails(400, f"broken: {EVIL}")
        return calls(("decide", {"variable": variable, "value": "left"}))
    channel = tools["post"]["parameters"]["properties"]["channel"]["enum"][-1]
    return slow(calls(("post", {"channel": channel, "text": EVIL}), ("done", {})), 0.1)


MODEL = ("--model", "openai/test", "--no-budget", "--seeds", 1, "--arm", "emergent", "--arm", "baseline")


@pytest.mark.parametrize("colors", [True, False])
def test_hostile_words_on_a_small_terminal(colors: bool, tmp_path: Path) -> None:
    environment = XTERM if colors else {**XTERM, "NO_COLOR": "1"}
    with ChatServer(hostile) as server:
        words = command(*MODEL, "--api-base", server.url, "--out", "out")
        done = watch(words, columns=48, rows=10, environment=environment, folder=tmp_path)
    assert done.returncode == 3
    assert done.screen.wrapped == 0
    assert done.screen.unknown == []
    assert bool({given for given in done.screen.colors if given[0] == "3"}) is colors
    lines = [line for picture in done.screen.pictures for line in picture]
    assert any(line.startswith("spent ") and "unknown price" in line for line in lines)
    assert any(line.startswith("openai/test: ") for line in lines)
    assert any("→ backroom (secret): [2J]0;title31m" in line for line in lines)
    assert any("→ public: [2J]0;title31m" in line for line in lines)
    assert not any("\\x1b" in line for line in lines)


def test_a_terminal_that_cannot_move_its_cursor_gets_plain_lines(tmp_path: Path) -> None:
    dumb = watch(
        command("--seeds", 1, "--out", tmp_path), columns=80, rows=24, environment={**XTERM, "TERM": "dumb"}
    )  # fmt: skip
    assert dumb.screen.pictures == []
    assert dumb.screen.unknown == []
    assert dumb.screen.lines[0].startswith("3 runs complete, in ")


@pytest.mark.parametrize("display", [(), ("--display", "rich")])
def test_a_pipe_gets_plain_lines(display: tuple[str, ...], tmp_path: Path) -> None:
    with ChatServer(hostile) as server:
        done = piped(*MODEL, "--api-base", server.url, "--out", tmp_path, *display)
    lines = done.stderr.splitlines()
    assert "\x1b" not in done.stderr
    assert lines[0] == "asking openai/test whether it can play …"
    assert sorted(line.partition(" broken")[0] for line in lines[1:3]) == [
        f"failed: {arm}, seed 1: bad_request: `openai/test` did not take the request:"
        for arm in ("baseline", "emergent")
    ]  # fmt: skip
    assert lines[3].startswith("0 runs complete, 2 failed, in ")


def test_programs_get_objects(tmp_path: Path) -> None:
    with ChatServer(hostile) as server:
        done = piped(*MODEL, "--api-base", server.url, "--out", tmp_path, "--display", "json", "--json")
    assert done.stderr.isascii()
    *trials, last = [json.loads(line) for line in done.stderr.splitlines()]
    assert {(each["event"], each["arm"], each["became"]) for each in trials} == {
        ("trial", "baseline", "failed"), ("trial", "emergent", "failed"),
    }  # fmt: skip
    assert all(each["reason"]["kind"] == "bad_request" and "\x1b" not in each["reason"]["words"] for each in trials)
    assert all(each["expense"]["dollars"] is None for each in trials)
    assert all(each["expense"]["unpriced"] == each["expense"]["calls"] > 0 for each in trials)
    assert (last["event"], last["final"], last["total"], last["failed"], last["left"]) == ("summary", True, 2, 2, 0)
    assert last["answers"] == last["unpriced"] == sum(each["expense"]["calls"] for each in trials)
    assert (last["dollars"], last["budget"], last["broken"]) == (None, None, {"bad_request": 2})
    assert [each["model"] for each in last["models"]] == ["openai/test"]
    assert json.loads(done.stdout)["players"] == ["openai/test"]


def test_a_price_that_is_known_is_told(tmp_path: Path) -> None:
    def script(body: Body) -> Answer:
        ready = any(tool["function"]["name"] == "ready" for tool in body["tools"])
        return calls(("ready", {})) if ready else says(None, refusal="no")

    with ChatServer(script) as server:
        more = ("--model", "openai/test", "--price", "1,2", "--budget", 3, "--seeds", 1, "--display", "json")
        done = piped(*more, "--arm", "baseline", "--api-base", server.url, "--out", tmp_path)
    trial, last = [json.loads(line) for line in done.stderr.splitlines() if line.startswith('{"event":')]
    assert trial["expense"]["dollars"] == last["dollars"] == pytest.approx(trial["expense"]["calls"] * 25e-6)
    assert (last["unpriced"], last["budget"]) == (0, 3.0)


def test_none_says_nothing_but_errors(tmp_path: Path) -> None:
    done = piped("--seeds", 1, "--out", tmp_path, "--display", "none")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("toy, experiment collusion")
    wrong = piped("--seeds", 1, "--out", tmp_path, "--display", "jsn")
    assert wrong.returncode == 2
    assert "`--display jsn` is none of rich, plain, json, none" in wrong.stderr
    assert "did you mean `json`" in wrong.stderr


def test_who_stops_reading_stops_no_run(tmp_path: Path) -> None:
    words = [str(part) for part in command("--seeds", "1..30", "--out", tmp_path, "--display", "json")]
    with subprocess.Popen(words, env=CLEAN, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        assert process.stderr.readline().startswith(b'{"event":"trial"')
        process.stderr.close()
        process.wait()
    results = [path for path in (tmp_path / "runs").iterdir() if path.suffix == ".json"]
    assert len(results) == 90
