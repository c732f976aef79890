"""Campaigns that are disturbed: faults, kills, signals, two processes, no space left. Nothing is lost or done twice.

The command runs as a process of its own against a server in another one. COLOSSEUM_FAULT_RUNS is how many runs the
campaign with faults has, 24 unless it is set.
"""

import json
import os
import random
import shutil
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from audited import audit, body, modelled
from chat_mind import is_preflight, plays
from chat_process import ChaosProcess, ChatProcess
from chat_server import Answer, Body, ChatServer, fails, hangs
from conftest import KEY, MATCH
from plans import trials_of
from test_cli_commands import colosseum
from warm_process import Command

from colosseum.campaign.signals import GRACE
from colosseum.chaos.injection import TRANSPORT
from colosseum.chaos.odd_answers import SHAPES

RUNS = int(os.environ.get("COLOSSEUM_FAULT_RUNS", "24"))
KILLS = 5 if RUNS >= 500 else 2
CONNECTIONS = 24
FAULTS = "transport=0.018,shapes=0.018"
"""A quarter of all requests."""
UNREADABLE = ("cut", "truncated", "number", "deep")
"""Faults that leave nothing of an answer."""
CALLS = 6
"""Of a run without faults."""
FEW = 2
"""Runs that are judged."""
JUDGEMENTS = 12
"""Of a run: three questions about two sets, twice."""
SPEC = """colosseum 1
scenario faults "Three agents choose; two of them would rather differ"
agents A, B, C
set moves = {left, right, up}
table worth[moves] ~ integer(1, 9)
variable move[agents]: moves
reward agree[(a, b) in pairs(agents)]: worth[move[a]] if move[a] == move[b] else 0 undisclosed
coalition cabal { members = {B, C}  objective differ: 5 if move[B] != move[C] else 0 }
network complete
secret channel backroom for cabal
prompt briefing for agents "You are {{ me }}.{% for m in moves %} {{ m }}: {{ worth[m] }}.{% endfor %}"
prompt pitch for cabal { fair: ""  bent: "Differ." }
experiment e { rounds 1  seeds 1..1000  arm baseline { }  arm prompted { backroom on  pitch bent } }
"""


@dataclass(frozen=True)
class DisturbedCampaign:
    """One command, given again and again."""

    folder: Path
    url: str
    runs: int
    options: tuple[str, ...] = ()

    @property
    def out(self) -> Path:
        """Where its runs are."""
        return self.folder / "out"

    def start(self, *, largest: int | None = None) -> Command:
        """The command as a process."""
        self.folder.mkdir(parents=True, exist_ok=True)
        spec = self.folder / "faults.colo"
        spec.write_text(SPEC, encoding="utf-8")
        environment = {name: value for name, value in os.environ.items() if not name.startswith("COLOSSEUM_")}
        return Command(
            "audit", spec, "--seeds", f"1..{self.runs // 2}", "--no-budget", "--model", "openai/test", "--api-base",
            self.url, "--out", self.out, "--timeout", 2, "--max-connections", CONNECTIONS, "--json", *self.options,
            folder=self.folder, env={**environment, "OPENAI_API_KEY": KEY}, largest=largest,
        )  # fmt: skip

    def run(self) -> dict[str, Any]:
        """What the command prints, once all is complete."""
        said, words = self.start().communicate()
        assert "Traceback" not in words, words
        assert said, words
        found: dict[str, Any] = json.loads(said)
        return found

    def answers(self) -> list[tuple[str, str, str]]:
        """(run, call, id) of every answer on file."""
        return [(name, line["call"], body(line)["id"]) for name, line in self.lines() if line["kind"] == "ok"]

    def lines(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Every attempt on file, with the run it is of."""
        for path in (self.out / "runs").glob("*.calls.jsonl"):
            for line in path.read_text(encoding="utf-8").splitlines():
                yield path.name, json.loads(line)

    def scores(self) -> dict[str, list[tuple[str, str, int, int | None]]]:
        """By run, what judges gave."""
        paths = (path for path in (self.out / "judged").glob("*.json") if path.name != "judges.json")
        found = {path.name: json.loads(path.read_text())["judgements"] for path in paths}
        return {
            name: [(each["rubric"], each["focal"], each["repeat"], each["score"]) for each in judgements]
            for name, judgements in found.items()
        }

    def files(self, kind: str) -> list[Path]:
        """All of one kind."""
        return [path for path in (self.out / "runs").iterdir() if path.name.partition(".")[2] == kind]


def wait_for(server: ChatProcess, requests: int, process: Command) -> None:
    """Until so many requests arrived, of a process that is still at work then."""
    deadline = time.monotonic() + 300
    while server.requests < requests:
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.02)


def check_whole(campaign: DisturbedCampaign) -> None:
    """Every run is there once, and all fits together."""
    planned = [each["trial"] for each in trials_of(campaign.out)]
    results = [json.loads(path.read_text()) for path in campaign.files("json")]
    assert len(planned) == campaign.runs
    assert Counter(result["trial"] for result in results) == Counter(planned)
    assert {result["status"] for result in results} == {"complete"}
    assert len(campaign.files("jsonl")) == campaign.runs
    verified = colosseum("log", "verify", campaign.out)
    assert verified.returncode == 0, verified.stderr


def check_paid(
    server: ChatProcess, *campaigns: DisturbedCampaign, killed: int = 0, chaos: ChaosProcess | None = None
) -> None:
    """No answer that was sent is missing on file, but those under way in so many processes, those that came too late,
    which is on file, and those that the proxy's log names; none is there twice.

    Without a proxy such an answer is the last one of its connection. A request that the proxy stalls comes too late
    without an answer, unless its process was killed before.
    """
    sent = [each for each in server.served if "ready" not in each.tools]
    kept, late = set[str](), 0
    for campaign in campaigns:
        found = campaign.answers()
        late += sum(line["kind"] == "timeout" for _, line in campaign.lines())
        assert len({name for _, _, name in found}) == len(found)
        assert len({(run, call) for run, call, _ in found}) == len(found)
        kept |= {name for _, _, name in found}
    assert kept <= {each.completion for each in server.served}  # asked again, as campaigns may go on
    injected = chaos.injected if chaos else []
    spoilt = {line["answer"]: line["kind"] for line in injected if "answer" in line}
    assert spoilt.keys() <= {each.answered for each in server.served}
    assert not [each for each in sent if each.completion in kept and spoilt.get(each.answered) in UNREADABLE]
    lost = {each.completion for each in sent if each.answered not in spoilt} - kept
    assert chaos is not None or lost <= set({each.connection: each.completion for each in sent}.values())
    preflight = {each.asked for each in server.served if "ready" in each.tools}
    stalled = sum(line["kind"] == "stalled" and line["request"] not in preflight for line in injected)
    assert len(lost) <= killed * CONNECTIONS + late - stalled


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], dict[str, Any]]:
    """What a campaign of so many runs comes to without faults; the same one for all who ask."""
    made: dict[int, dict[str, Any]] = {}

    def figures(runs: int) -> dict[str, Any]:
        if runs not in made:
            with ChatProcess() as server:
                campaign = DisturbedCampaign(tmp_path_factory.mktemp("undisturbed"), server.url, runs)
                made[runs] = campaign.run()
                check_whole(campaign)
                check_paid(server, campaign)
                assert len(campaign.answers()) == CALLS * runs
        return made[runs]

    return figures


def test_faults_and_kills_change_no_figure_and_lose_no_answer(
    undisturbed: Callable[[int], dict[str, Any]], tmp_path: Path
) -> None:
    draw = random.Random(7)
    with ChatProcess(latency=0.03) as server, ChaosProcess(server.url, FAULTS, tmp_path / "log") as chaos:
        campaign = DisturbedCampaign(tmp_path, chaos.url, RUNS, ("--retry-failed",))
        step = CALLS * RUNS // (KILLS + 2)
        for _ in range(KILLS):
            process = campaign.start()
            wait_for(server, server.requests + draw.randint(step // 2, step), process)
            process.kill()
            process.communicate()
        assert campaign.answers()
        assert len(campaign.files("json")) < RUNS
        found, tries = campaign.run(), 1
        while any(arm["failed"] for arm in found["rows"]):
            found, tries = campaign.run(), tries + 1
            assert tries < 20
        assert found == undisturbed(RUNS)
        check_whole(campaign)
        check_paid(server, campaign, killed=KILLS, chaos=chaos)
        kinds = Counter(line["kind"] for _, line in campaign.lines())
        assert kinds["ok"] == CALLS * RUNS
        assert "transport" in kinds
        assert {"rate_limit", "timeout", "bad_request"} & kinds.keys()
        injected = Counter(line["kind"] for line in chaos.injected)
        assert injected.keys() <= {*TRANSPORT, *SHAPES, "unreachable"}
        assert (len(injected) >= 8, injected.total() >= 20) == (True, True), injected  # by chance, not all kinds


def test_judgements_survive_faults_and_kills_too(tmp_path: Path) -> None:
    judged = ("--judge", "openai/judge", "--judge-repeats", "2")
    with ChatProcess() as server:
        fair = DisturbedCampaign(tmp_path / "fair", server.url, FEW, judged)
        wanted = fair.run()
    with ChatProcess(latency=0.03) as server, ChaosProcess(server.url, FAULTS, tmp_path / "log") as chaos:
        campaign = DisturbedCampaign(tmp_path / "foul", chaos.url, FEW, (*judged, "--retry-failed"))
        for _ in range(KILLS):
            process = campaign.start()
            wait_for(server, server.requests + FEW * JUDGEMENTS // 4, process)
            process.kill()
            process.communicate()
        found, tries = campaign.run(), 1
        while campaign.scores() != fair.scores():
            found, tries = campaign.run(), tries + 1
            assert tries < 20
        assert found == wanted
        check_whole(campaign)
        paths = list((campaign.out / "judged").glob("*.calls.jsonl"))
        answered = [line["call"] for line in map(json.loads, lines_of(paths)) if line["kind"] == "ok"]
        assert len(answered) == len(set(answered)) >= FEW * JUDGEMENTS


def lines_of(paths: Iterable[Path]) -> Iterator[str]:
    """All lines of all files."""
    for path in paths:
        yield from path.read_text(encoding="utf-8").splitlines()


def test_signals_lose_nothing_and_two_processes_go_on_with_a_copy(
    undisturbed: Callable[[int], dict[str, Any]], tmp_path: Path
) -> None:
    """A folder is copied while a process works on it, which then hears Ctrl-C. Two work on the copy; one is ended."""
    with ChatProcess(latency=0.2) as server:
        patient = ("--timeout", "60")
        first, copy = (DisturbedCampaign(tmp_path / name, server.url, RUNS, patient) for name in ("first", "copy"))
        process = first.start()
        wait_for(server, 48, process)
        shutil.copytree(first.out, copy.out, ignore=shutil.ignore_patterns("*.part", "*.lock"))
        check_stopped(process, signal.SIGINT)
        assert not list(first.out.rglob("*.lock"))
        check_paid(server, first)
        assert server.requests < 48 + 2 * CONNECTIONS
        known, asked = len(copy.answers()), server.requests
        ended = copy.start()
        wait_for(server, asked + 16, ended)
        lasting = copy.start()
        wait_for(server, asked + 50, ended)
        check_stopped(ended, signal.SIGTERM)
        check_paid(server, first, copy, killed=1)  # the other one has calls under way
        said, words = lasting.communicate()
        assert (lasting.returncode, "Traceback" in words) == (0, False), words
        assert json.loads(said) == undisturbed(RUNS)
        check_whole(copy)
        check_paid(server, first, copy)
        assert server.requests - asked - 2 == CALLS * RUNS - known


def test_an_answer_that_takes_longer_than_a_signal_waits_is_kept(tmp_path: Path) -> None:
    with ChatProcess(latency=GRACE + 1.5) as server:
        campaign = DisturbedCampaign(tmp_path, server.url, 4, ("--timeout", "60"))
        process = campaign.start()
        wait_for(server, 2, process)
        check_stopped(process, signal.SIGINT)
        check_paid(server, campaign)
    assert campaign.answers()


def check_stopped(process: Command, number: signal.Signals) -> None:
    """It ends in good order, and says how to go on."""
    process.send_signal(number)
    said, words = process.communicate()
    assert (process.returncode, said) == (128 + number, "")
    assert "under way, so that no answer is lost" in words
    assert "run the same command to go on" in words
    assert "Traceback" not in words


def test_ctrl_c_twice_does_not_wait(tmp_path: Path) -> None:
    with ChatProcess(latency=3600) as server:
        process = DisturbedCampaign(tmp_path, server.url, RUNS, ("--timeout", "5")).start()
        wait_for(server, CONNECTIONS + 1, process)
        process.send_signal(signal.SIGINT)
        while "Ctrl-C again does not wait" not in process.stderr.readline():
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        said, words = process.communicate()
        assert (process.returncode, said, "Traceback" in words) == (130, "", False)
        assert "run the same command to go on" in words
        assert (server.requests, server.under_way) == (CONNECTIONS + 1, 0)


def test_a_disk_that_is_full_is_told_and_the_campaign_can_be_gone_on_with(tmp_path: Path) -> None:
    """No file may have more than some bytes, which is less than a run's calls take; a partial line is left."""
    with ChatProcess() as server:
        campaign = DisturbedCampaign(tmp_path, server.url, 4)
        process = campaign.start(largest=4500)
        said, words = process.communicate()
        assert (process.returncode, said) == (2, "")
        assert f"cannot write to {campaign.out}: File too large" in words
        assert "Traceback" not in words
        assert not campaign.files("json")
        assert 4500 in {path.stat().st_size for path in (campaign.out / "runs").iterdir()}
        campaign.run()
        check_whole(campaign)
        check_paid(server, campaign, killed=1)


def test_a_folder_that_cannot_be_written_to_is_told_before_anything_is_asked(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("a file")
    with ChatProcess() as server:
        process = DisturbedCampaign(tmp_path, server.url, 4).start()
        said, words = process.communicate()
        assert (process.returncode, said, server.requests) == (2, "", 0)
        assert f"cannot write to {tmp_path / 'out'}" in words
        assert "Not a directory" in words


def test_a_kill_while_failed_runs_are_tried_again_loses_no_result(tmp_path: Path) -> None:
    """Two of four runs failed; the command that tries them again is killed at the first of them."""
    waits = threading.Event()

    def breaks(body: Body) -> Answer:
        return fails(400, "no") if "Differ." in str(body["messages"]) else plays(body)

    def stuck(body: Body) -> Answer:
        if not is_preflight(body):
            waits.set()
        return plays(body) if is_preflight(body) else hangs()

    folder = modelled(tmp_path, script=breaks, text=MATCH, seeds="1..2")
    before = {path.name: path.read_bytes() for path in (folder / "runs").glob("*.json")}
    with ChatServer(stuck) as server:
        asked = "--model", "openai/test", "--api-base", server.url, "--no-budget", "--max-connections", 1
        again = "audit", tmp_path / "match.colo", "--out", folder, "--seeds", "1..2", "--retry-failed"
        process = Command(*again, *asked, env={**os.environ, "OPENAI_API_KEY": KEY})
        assert waits.wait(60)
        process.kill()
        process.communicate()
    assert len(list((folder / "runs").glob("*.json"))) == 3, "of the one that was begun anew there is no result"
    with ChatServer(plays) as server:
        done = audit(tmp_path / "match.colo", folder, "--seeds", "1..2", url=server.url)
    assert "3 runs complete, 2 of them from before, 1 failed" in done.stderr, done.stderr
    assert "1 run had failed before" in done.stderr, "the one that had not begun anew"
    assert not [*folder.rglob("*.lock")]
    after = {path.name: path.read_bytes() for path in (folder / "runs").glob("*.json")}
    assert sum(after[name] == content for name, content in before.items()) == 3
