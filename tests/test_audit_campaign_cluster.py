"""Clusters: whatever becomes of workers, every run is made once, and comes to what one process makes of it."""

import os
import re
import secrets
import signal
import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import dask
import dask_jobqueue  # noqa: F401 - what it holds by default is read here, not where a test changes some of it
import psutil
import pytest
from asking import KEY, give_key
from chat_mind import key_of, late, plays
from chat_server import Answer, Body, ChatServer, fails
from conftest import MATCH, SPECS, checked
from distributed import Client, LocalCluster
from test_cli_commands import Done, colosseum
from warm_process import Command

from colosseum.campaign import cluster
from colosseum.campaign.calls import read_calls
from colosseum.campaign.cluster import DaskCrew, Place, Supply, Unusable, crew, read_place
from colosseum.campaign.dispatch import Dispatch
from colosseum.campaign.folder import Folder
from colosseum.campaign.planning import Asked, Planned, plan
from colosseum.campaign.purse import Purse
from colosseum.campaign.runner import Options, Tally
from colosseum.campaign.worker import Instructions, Made, Share, leave, make_block
from colosseum.model.experiment import Conditions
from colosseum.model.settings import Settings
from colosseum.players.models.request import Endpoint, Price
from colosseum.run.trial import Expansions, Trials, blocks

SPEC = MATCH.replace("experiment e {", "experiment e { rounds 1 seeds 1..4")
"""Four blocks of two runs; a run takes six calls."""
RUNS, CALLS = 8, 48
TOY = SPECS / "toy.colo"
WITHOUT_KEY = {"OPENAI_API_KEY": None, "OPENAI_BASE_URL": None, "OPENAI_API_BASE": None}


# ---- what is compared ------------------------------------------------------------------------------------------


def files(folder: Path) -> dict[str, bytes]:
    """What a campaign leaves of its runs, without what differs from call to call, and what dead workers left half."""
    found = {}
    for path in (folder / "runs").iterdir():
        if path.suffix not in (".lock", ".part"):
            found[path.name] = re.sub(
                rb'"(seconds|chain|id)\\?": ?(\\?"(chatcmpl-|[0-9a-f]{64})\w*\\?"|[\d.e-]+)', b"", path.read_bytes()
            )
    return found


def paid(folder: Path) -> Counter[str]:
    """How often every call is on file."""
    return Counter(
        f"{path.name} {key}" for path in (folder / "runs").glob("*.calls.jsonl") for key, _ in read_calls(path)
    )


def wait_for_results(folder: Path, number: int) -> None:
    deadline = time.monotonic() + 300
    while len(list((folder / "runs").glob("*.json"))) < number:
        assert time.monotonic() < deadline
        time.sleep(0.01)


# ---- workers of a scheduler ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def scheduler() -> Iterator[LocalCluster]:
    """Two workers; they have the key that models need."""
    with LocalCluster(
        n_workers=2, threads_per_worker=2, memory_limit=0, dashboard_address="127.0.0.1:0", env={"OPENAI_API_KEY": KEY}
    ) as found:
        yield found


def processes(scheduler: LocalCluster) -> list[int]:
    with Client(scheduler, set_as_default=False) as client:
        return list(client.run(os.getpid).values())


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    path = tmp_path / "spec.colo"
    path.write_text(SPEC)
    return path


def audit(spec: Path, out: Path, url: str, *more: object, **environment: str | None) -> Done:
    """The campaign of a model, whose key is not told here."""
    return colosseum(
        "audit", spec, "--model", "openai/test", "--api-base", url, "--price", "1,1", "--out", out, *more,
        **{**WITHOUT_KEY, **environment},
    )  # fmt: skip


class Counting:
    """A script that counts what is asked, and does something in the middle."""

    def __init__(self, at: int = 0, deed: Callable[[], object] = int, *, seconds: float = 0.05) -> None:
        self.at, self.deed = at, deed
        self.times: Counter[str] = Counter()
        self.script = late(plays, seconds)

    def __call__(self, body: Body) -> Answer:
        if "ready" not in body["tools"][0]["function"]["name"]:
            self.times[key_of(body)] += 1
            if self.times.total() == self.at:
                self.deed()
        return self.script(body)


def test_a_model_that_dies_midway_is_not_asked_by_every_worker_for_every_run(
    scheduler: LocalCluster, spec: Path, tmp_path: Path
) -> None:
    asked = Counting(seconds=0.0)

    def script(body: Body) -> Answer:
        answer = asked(body)
        return fails(400, "the model broke") if asked.times.total() > 20 else answer

    some = ("--seeds", "1..12", "--max-connections", 4, "--cluster", scheduler.scheduler_address)
    with ChatServer(script) as server:
        done = audit(spec, tmp_path, server.url, *some)
    assert done.returncode == 3
    assert "because one call after another got no answer" in " ".join(done.stderr.split())
    assert asked.times.total() <= 20 + 2 * (5 + 2)  # five in vain, and two under way, of each worker


def test_models_are_asked_by_workers_and_a_killed_one_costs_its_calls_under_way_alone(
    scheduler: LocalCluster, spec: Path, tmp_path: Path
) -> None:
    first, _ = processes(scheduler)
    asked = Counting(20, lambda: os.kill(first, signal.SIGKILL))
    with ChatServer(plays) as server:
        assert audit(spec, tmp_path / "alone", server.url, OPENAI_API_KEY=KEY).returncode == 0
    with ChatServer(asked) as server:
        done = audit(spec, tmp_path / "shared", server.url, "--cluster", scheduler.scheduler_address)
    assert done.returncode == 0, done.stderr
    assert "2 workers; of 64 calls of a model at once, each makes 32" in done.stderr
    assert f"{RUNS} runs complete, in" in done.stderr
    assert files(tmp_path / "shared") == files(tmp_path / "alone")
    assert len(paid(tmp_path / "shared")) == paid(tmp_path / "shared").total() == CALLS
    assert CALLS <= asked.times.total() <= CALLS + 4  # two blocks of two runs each were the first worker's


def test_answers_under_way_at_ctrl_c_are_kept(scheduler: LocalCluster, spec: Path, tmp_path: Path) -> None:
    asked = Counting(20, lambda: os.kill(os.getpid(), signal.SIGINT))
    with ChatServer(asked) as server:
        done = audit(spec, tmp_path / "out", server.url, "--cluster", scheduler.scheduler_address)
        assert done.returncode == 130, done.stderr
        assert "waiting for calls under way" in done.stderr
        assert paid(tmp_path / "out").total() == asked.times.total() < CALLS
        done = audit(spec, tmp_path / "out", server.url, "--cluster", scheduler.scheduler_address)
    assert done.returncode == 0, done.stderr
    assert asked.times.total() == paid(tmp_path / "out").total() == CALLS


def test_a_killed_worker_and_ctrl_c_leave_what_one_process_makes(scheduler: LocalCluster, tmp_path: Path) -> None:
    """The command has workers of its own here; Ctrl-C reaches everybody who has the terminal."""
    alone, out = tmp_path / "alone", tmp_path / "shared"
    asked = ["audit", str(TOY), "--seeds", "1..20", "--json", "--out"]
    process = Command(*asked, out, "--cluster", "local:2")
    wait_for_results(out, 2)
    children = psutil.Process(process.pid).children()
    workers = [child for child in children if any("spawn_main" in word for word in child.cmdline())]
    workers[0].kill()
    wait_for_results(out, 10)
    os.killpg(process.pid, signal.SIGINT)
    _, words = process.communicate()
    assert (process.returncode, "Traceback" in words) == (130, False), words
    assert "run the same command to go on" in words
    assert len(workers) == 2
    assert not any(worker.is_running() for worker in workers)
    made = len(list((out / "runs").glob("*.json")))
    assert 10 <= made < 60
    done = colosseum(*asked, out, "--cluster", scheduler.scheduler_address)
    assert f"60 runs complete, {made} of them from before" in done.stderr
    assert done.stdout == colosseum(*asked, alone, "--jobs", 1).stdout
    assert files(out) == files(alone)
    assert not list(out.glob("cluster-*"))


# ---- money -----------------------------------------------------------------------------------------------------


class Alone:
    """A crew of one, here, that begins to work when it is asked for the result."""

    def __init__(self, instructions: Instructions, *, deaths: int = 0) -> None:
        self.instructions, self.deaths = instructions, deaths
        self.given: deque[tuple[int, Share]] = deque()

    def workers(self) -> int:
        return 1

    def places(self) -> int:
        return 3

    def give(self, number: int, share: Share) -> None:
        self.given.append((number, share))

    def take(self) -> tuple[int, Made]:
        number, share = self.given.popleft()
        for _ in range(self.deaths):  # of workers that were done but had not said so
            make_block(self.instructions, share)
        return number, make_block(self.instructions, share)


def modelled(conditions: Conditions) -> Conditions:
    return replace(conditions, settings=replace(conditions.settings, model=(("agents", "openai/test"),), max_tokens=9))


def told(out: Path, adjust: Callable[[Conditions], Conditions], *, url: str = "", **options: object) -> Instructions:
    """Instructions for the workers of a campaign in a folder."""
    price = Price(1000.0, 1000.0)

    def endpoint(name: str, settings: Settings) -> Endpoint:
        return Endpoint(name, max_tokens=settings.max_tokens, api_base=url, price=price)

    token = secrets.token_hex(8)  # a scheduler may still know the blocks of the test before
    return Instructions(
        token, out, "spec.colo", {}, adjust, endpoint, False, Options(**options), {"openai/test": price}  # type: ignore[arg-type]
    )  # fmt: skip


def prepared(out: Path, adjust: Callable[[Conditions], Conditions] = lambda c: c) -> list[Planned]:
    """A campaign's folder with its plan."""
    found = checked(SPEC)
    design = next(iter(found.designs.values()))
    trials = Trials(Expansions(found.spec, found.params), adjust, lambda name, settings: Endpoint(name, max_tokens=9))
    made, diagnostics = plan(Folder(out), Asked(design, "", "", {}), blocks(design), trials)
    assert not diagnostics
    return made


@dataclass
class Spending:
    """A campaign of a model in this process."""

    tally: Tally
    purse: Purse
    asked: Counter[str]
    """How often what was asked for."""
    at_once: int
    """The most calls that were under way together."""


def spend(
    out: Path, limit: float | None = None, *, connections: int = 8, deaths: int = 0, **options: object
) -> Spending:
    """Make it in a folder."""
    asked, at_once = Counting(seconds=0.015), [0]

    def script(body: Body) -> Answer:
        at_once.append(server.under_way)
        return asked(body)

    with ChatServer(script) as server:
        instructions = told(out, modelled, url=server.url, **options)
        out.mkdir(exist_ok=True)
        instructions.token_path.write_text(instructions.token)
        purse = Purse(limit, instructions.prices)
        workers = Alone(instructions, deaths=deaths)
        dispatch = Dispatch(Folder(out), workers, purse, lambda *became: None, connections)
        tally = dispatch.run(prepared(out, modelled))
        leave(instructions.token)
    return Spending(tally, purse, asked.times, max(at_once) + 1)


ANSWER = 0.018
"""US dollars: 18 tokens. A call might cost up to about 1.4, of which its prompt is the most."""


def test_blocks_get_parts_of_the_budget_and_no_answer_is_paid_for_twice(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    give_key(monkeypatch)
    found = spend(tmp_path, 9.0)
    assert (found.tally["complete"], found.tally["halted"], found.purse.reached) == (RUNS, 0, False)
    assert found.purse.spent == pytest.approx(CALLS * ANSWER)
    assert (found.asked.total(), found.purse.calls, found.purse.aside) == (CALLS, CALLS, 0)
    assert found.at_once == 2


def test_a_budget_on_a_cluster_is_kept_and_more_goes_on(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What was spent before counts for the block it was spent on, and not again."""
    give_key(monkeypatch)
    limit = 2 * ANSWER * 12 + 1.5
    found = spend(tmp_path, limit)
    assert found.purse.reached
    assert found.tally["complete"] + found.tally["halted"] == RUNS
    assert 2 <= found.tally["complete"] < RUNS
    assert found.purse.spent == pytest.approx(found.asked.total() * ANSWER)
    assert found.purse.spent <= limit
    assert found.asked.total() > 6 * found.tally["complete"]  # a run was left in the middle
    more = spend(tmp_path, 20.0)
    assert more.tally["complete"] + more.tally["reused"] == RUNS
    assert found.asked.total() + more.asked.total() == CALLS
    assert more.purse.spent == pytest.approx(more.asked.total() * ANSWER)


def test_a_budget_of_one_run_holds_in_workers_too(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    give_key(monkeypatch)
    found = spend(tmp_path, run_budget=1.0)
    assert (found.tally["halted"], found.purse.reached) == (RUNS, False)
    assert found.asked.total() < CALLS


def test_what_a_dead_worker_had_made_is_made_by_this_call_and_not_from_before(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    give_key(monkeypatch)
    found = spend(tmp_path, deaths=2, connections=1)
    assert found.tally.became == {"complete": RUNS}
    assert found.purse.spent == pytest.approx(CALLS * ANSWER)
    assert (found.asked.total(), found.at_once) == (CALLS, 1)


# ---- what goes wrong ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words", ["4", "local", "local:0", "local:x", "slurm:", "tcp://host", "host:8786", "tcp://:1 2"]
)
def test_a_place_that_is_none_is_told(words: str, spec: Path, tmp_path: Path) -> None:
    done = colosseum("audit", spec, "--out", tmp_path / "out", "--cluster", words)
    assert (done.returncode, done.stdout) == (2, "")
    assert "error[C127]" in done.stderr
    assert "local:4" in done.stderr
    assert not (tmp_path / "out").exists()


def test_places_are_read() -> None:
    assert [read_place(words) for words in ("local:4", "slurm", "htcondor:20", "tls://host:8786")] == [
        Place("local", 4), Place("slurm", 1), Place("htcondor", 20), Place("address", 0, "tls://host:8786"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--cluster", "tcp://127.0.0.1:9"], "no scheduler answers at tcp://127.0.0.1:9"),
        (["--cluster", "slurm:2"], "`sbatch` is not on this machine"),
        (["--cluster", "local:9", "--max-connections", 8], "9 workers cannot share `--max-connections 8`"),
        (
            ["--cluster", "local:2", "--budget", 1, "--cache", "off"],
            "a budget on a cluster needs answers that are kept",
        ),
        (["--cluster", "local:2", "--api-base", "http://me:secret@host/v1"], "the password in `--api-base`"),
    ],
)
def test_a_cluster_that_cannot_do_it_is_told_in_words(
    options: list[object], words: str, spec: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "PATIENCE", "0.3s")
    monkeypatch.setenv("PATH", "")
    done = audit(spec, tmp_path / "out", "http://127.0.0.1:9/v1", *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr
    assert not (tmp_path / "out" / "runs").exists()


def test_what_is_not_installed_is_named(spec: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    done = colosseum("audit", spec, "--out", tmp_path / "out", "--cluster", "local:2")
    assert done.returncode == 2
    assert "`--cluster` needs distributed" in done.stderr
    assert "pip install 'colosseum[cluster]'" in done.stderr


# ---- jobs --------------------------------------------------------------------------------------------------------


@pytest.fixture
def queue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Commands of a queue whose jobs begin at once, here, or that says no."""
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")

    def write(sbatch: str) -> None:
        for name, script in (("sbatch", sbatch), ("scancel", 'kill -- "-$1"')):
            (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n")
            (tmp_path / name).chmod(0o755)

    return write


JOB = {
    "jobqueue.slurm.cores": 1,
    "jobqueue.slurm.memory": "1GB",
    "jobqueue.slurm.scheduler-options": {"host": "127.0.0.1"},
}


def test_jobs_of_a_queue_make_a_campaign(queue: Callable[[str], None], spec: Path, tmp_path: Path) -> None:
    queue('cp "$1" "$1.job"; setsid sh "$1.job" > /dev/null 2>&1 < /dev/null & echo "Submitted batch job $!"')
    with dask.config.set(JOB):
        done = colosseum("audit", spec, "--out", tmp_path / "out", "--cluster", "slurm:1")
    assert done.returncode == 0, done.stderr
    assert f"{RUNS} runs complete" in done.stderr


def test_a_queue_that_takes_no_job_is_told(queue: Callable[[str], None], spec: Path, tmp_path: Path) -> None:
    queue('echo "sbatch: error: Invalid account" >&2; exit 1')
    with dask.config.set(JOB):
        refused = colosseum("audit", spec, "--out", tmp_path / "out", "--cluster", "slurm:2")
    unknown = colosseum("audit", spec, "--out", tmp_path / "out", "--cluster", "slurm")
    assert (refused.returncode, unknown.returncode) == (2, 2)
    assert "no job was taken: sbatch: error: Invalid account" in refused.stderr
    assert "You must specify how much cores and memory" in unknown.stderr
    assert "jobqueue.yaml" in unknown.stderr


# ---- what breaks in workers --------------------------------------------------------------------------------------


def broken(conditions: Conditions) -> Conditions:
    """What a bug does."""
    raise ZeroDivisionError("a bug")


def at(scheduler: LocalCluster) -> Place:
    return read_place(scheduler.scheduler_address)


def test_what_breaks_in_a_worker_is_told_with_its_place(scheduler: LocalCluster, tmp_path: Path) -> None:
    planned = prepared(tmp_path)
    with (
        pytest.raises(ZeroDivisionError, match="a bug") as caught,
        crew(at(scheduler), told(tmp_path, broken), threads=1, say=print) as workers,
    ):
        Dispatch(Folder(tmp_path), workers, Purse(None, {}), lambda *became: None, 8).run(planned)
    assert [entry.name for entry in caught.traceback][-1] == "broken"
    assert re.fullmatch(r"in a worker, with the block of seed [1-4], repeat 1", caught.value.__notes__[0])


def test_workers_that_would_make_other_runs_make_none(scheduler: LocalCluster, tmp_path: Path) -> None:
    planned = prepared(tmp_path)
    (tmp_path / "spec" / "spec.colo").write_text(SPEC.replace("Differ", "Match"))
    with (
        pytest.raises(Unusable, match="would make other runs than were planned"),
        crew(at(scheduler), told(tmp_path, lambda c: c), threads=1, say=print) as workers,
    ):
        Dispatch(Folder(tmp_path), workers, Purse(None, {}), lambda *became: None, 8).run(planned)
    assert not (tmp_path / "runs").exists()


def test_workers_that_do_not_see_the_folder_make_nothing(scheduler: LocalCluster, tmp_path: Path) -> None:
    prepared(tmp_path)
    with Client(scheduler, set_as_default=False) as client:
        workers = DaskCrew(client, told(tmp_path, lambda c: c), Supply(), print)
        with pytest.raises(Unusable, match=f"does not see {tmp_path}"):
            workers.meet()
