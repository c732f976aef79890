"""Clusters: whatever becomes of workers, every run is made once, and comes to what one process makes of it."""

import os
import re
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from multiprocessing import get_context
from multiprocessing.forkserver import ensure_running
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import dask
import dask_jobqueue  # noqa: F401 - what it holds by default is read here, not where a test changes some of it
import pytest
from chat_mind import broken, key_of, late, plays
from chat_server import Answer, Body, ChatServer, fails
from conftest import KEY, MATCH, SPECS
from distributed import Client, LocalCluster
from test_campaign import wait_for_runs
from test_cli_commands import SILENT, Done, colosseum
from warm_process import Command, run

from colosseum.campaign import cluster
from colosseum.campaign.calls import read_calls
from colosseum.campaign.folder import Folder
from colosseum.campaign.meter import Gauge
from colosseum.campaign.purse import Purse
from colosseum.campaign.runner import Options
from colosseum.campaign.work import Request, Work, WorkerPlace, plan_work, read_place
from colosseum.campaign.workers import Instructions, make_runs, run_by_workers
from colosseum.diagnostics import ColosseumError
from colosseum.model.check import check

SPEC = MATCH.replace("experiment e {", "experiment e { rounds 1 seeds 1..4")
"""Four blocks of two runs; a run takes six calls."""
RUNS, CALLS = 8, 48
TOY = SPECS / "toy.colo"
WORKERS_IMPORT = ("litellm", "openai.resources", "scipy.special", "lark.lark")
"""Of what workers need, that which they import late."""
WITHOUT_KEY = {"OPENAI_API_KEY": None, "OPENAI_BASE_URL": None, "OPENAI_API_BASE": None}


# ---- what is compared ------------------------------------------------------------------------------------------


def files(folder: Path) -> dict[str, bytes]:
    """What a campaign leaves of its runs, without what differs from call to call, and what dead workers left half."""
    found = {}
    for path in (folder / "runs").iterdir():
        if path.suffix not in (".lock", ".part"):
            of_one_call = rb'"(seconds|chain|calls|id)\\?": ?(\\?"(chatcmpl-|[0-9a-f]{64})\w*\\?"|[\d.e-]+)'
            found[path.name] = re.sub(of_one_call, b"", path.read_bytes())
    return found


def paid(folder: Path) -> Counter[str]:
    """How often every call is on file."""
    return Counter(
        f"{path.name} {key}" for path in (folder / "runs").glob("*.calls.jsonl") for key, _ in read_calls(path)
    )


# ---- workers of a scheduler ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def scheduler() -> Iterator[LocalCluster]:
    """Two workers, forks of a process that has imported all; they have the key that models need."""
    get_context("forkserver").set_forkserver_preload(["distributed", "colosseum.campaign.worker", *WORKERS_IMPORT])
    ensure_running()
    with dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"}), LocalCluster(
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


def forked(*words: object, **environment: str | None) -> "CompletedProcess[str]":
    """The command in a process without threads, whose workers are forks: those of this one import all anew."""
    return run(*words, env={**SILENT, **{name: value for name, value in environment.items() if value is not None}})


def audit(
    spec: Path, out: Path, url: str, *more: object,
    command: Callable[..., "Done | CompletedProcess[str]"] = colosseum, **environment: str | None,
) -> "Done | CompletedProcess[str]":  # fmt: skip
    """The campaign of a model, whose key is not told here."""
    return command(
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


def test_more_workers_than_connections_are_told(scheduler: LocalCluster, spec: Path, tmp_path: Path) -> None:
    options = ("--cluster", scheduler.scheduler_address, "--max-connections", 1)
    done = audit(spec, tmp_path / "out", "http://127.0.0.1:9/v1", *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert "2 workers cannot share `--max-connections 1`" in done.stderr


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
    assert "2 workers" in done.stderr
    assert f"{RUNS} runs complete, in" in done.stderr
    assert files(tmp_path / "shared") == files(tmp_path / "alone")
    assert len(paid(tmp_path / "shared")) == paid(tmp_path / "shared").total() == CALLS
    assert CALLS <= asked.times.total() <= CALLS + 4  # half of the runs at once are the first worker's


def test_answers_under_way_at_ctrl_c_are_kept(scheduler: LocalCluster, spec: Path, tmp_path: Path) -> None:
    asked = Counting(20, lambda: os.kill(os.getpid(), signal.SIGINT), seconds=0.5)
    with ChatServer(asked) as server:
        done = audit(spec, tmp_path / "out", server.url, "--cluster", scheduler.scheduler_address)
        assert done.returncode == 130, done.stderr
        assert "waiting for calls under way" in done.stderr
        assert paid(tmp_path / "out").total() == asked.times.total() < CALLS
        done = audit(spec, tmp_path / "out", server.url, "--cluster", scheduler.scheduler_address)
    assert done.returncode == 0, done.stderr
    assert asked.times.total() == paid(tmp_path / "out").total() == CALLS


def test_a_killed_worker_and_ctrl_c_leave_what_one_process_makes(scheduler: LocalCluster, tmp_path: Path) -> None:
    alone, out = tmp_path / "alone", tmp_path / "shared"
    asked = ["audit", str(TOY), "--seeds", "1..100", "--json", "--out"]
    process = Command(*asked, out, "--cluster", scheduler.scheduler_address)
    wait_for_runs(out, 2)
    os.kill(processes(scheduler)[0], signal.SIGKILL)
    wait_for_runs(out, 10)
    os.killpg(process.pid, signal.SIGINT)
    _, words = process.communicate()
    assert (process.returncode, "Traceback" in words) == (130, False), words
    assert "run the same command to go on" in words
    time.sleep(2.0)  # workers of a scheduler hear a moment later that they are to stop
    made = len(list((out / "runs").glob("*.json")))
    assert 10 <= made < 300
    done = colosseum(*asked, out, "--cluster", scheduler.scheduler_address)
    assert f"300 runs complete, {made} of them from before" in done.stderr
    assert done.stdout == colosseum(*asked, alone, "--jobs", 1).stdout
    assert files(out) == files(alone)
    assert not list(out.glob("cluster-*"))


# ---- money -----------------------------------------------------------------------------------------------------


ANSWER = 0.018
"""US dollars at `DEAR`: 18 tokens. A call might cost up to about 1.4, of which its prompt is the most."""
DEAR = ("--price", "1000,1000", "--max-tokens", 9)


def preflights(out: Path) -> int:
    """How many calls asked whether the model can play."""
    return sum(len(list(read_calls(path))) for path in Folder(out).asked())


@pytest.mark.parametrize("by", ["--jobs", "--cluster"])
def test_a_budget_is_shared_and_kept_and_more_goes_on(
    by: str, scheduler: LocalCluster, spec: Path, tmp_path: Path
) -> None:
    """Workers tell each other what they pay; no answer is paid for twice."""
    asked, out = Counting(seconds=0.015), tmp_path / "out"
    workers = (by, 2 if by == "--jobs" else scheduler.scheduler_address)
    given: Any = {"command": forked if by == "--jobs" else colosseum, "OPENAI_API_KEY": KEY}
    with ChatServer(asked) as server:
        done = audit(spec, out, server.url, *DEAR, "--budget", 5, "--seeds", "1..30", *workers, **given)
        assert done.returncode == 4, done.stderr
        assert "the same command with a larger `--budget` goes on" in done.stderr
        spent = asked.times.total() * ANSWER
        assert 2.5 < spent <= 5.0
        assert f"${spent + preflights(out) * ANSWER:.2f} of $5.00 spent" in done.stderr
        assert paid(out).total() == asked.times.total()
        done = audit(spec, out, server.url, *DEAR, "--budget", 100, "--seeds", "1..30", *workers, **given)
    assert done.returncode == 0, done.stderr
    assert asked.times.total() == len(paid(out)) == 60 * 6
    assert f"${(60 * 6 + preflights(out)) * ANSWER:.2f} of $100.00 spent" in done.stderr


def test_a_budget_of_one_run_holds_in_workers_too(spec: Path, tmp_path: Path) -> None:
    asked = Counting()
    with ChatServer(asked) as server:
        done = audit(
            spec, tmp_path, server.url, *DEAR, "--run-budget", 1, "--jobs", 2, command=forked, OPENAI_API_KEY=KEY
        )
    assert done.returncode == 4, done.stderr
    assert f"{RUNS} runs left, because a call may cost more than each has left" in done.stderr
    assert asked.times.total() < CALLS


def test_runs_that_failed_are_told_and_made_again_by_workers(spec: Path, tmp_path: Path) -> None:
    def breaks(body: Body) -> Answer:
        return fails(400, "no") if "Differ." in str(body["messages"]) else plays(body)

    asked: Any = ("--no-budget", "--jobs", 2, "--seeds")
    with ChatServer(breaks) as server:
        done = audit(spec, tmp_path, server.url, *asked, "1..2", command=forked, OPENAI_API_KEY=KEY)
        assert (done.returncode, "2 runs complete, 2 failed" in done.stderr) == (3, True), done.stderr
        done = audit(spec, tmp_path, server.url, *asked, "1..4", command=forked, OPENAI_API_KEY=KEY)
        assert "4 runs complete, 2 of them from before, 4 failed" in done.stderr, done.stderr
        assert "2 runs had failed before" in done.stderr
    with ChatServer(plays) as server:
        done = audit(spec, tmp_path, server.url, *asked, "1..4", "--retry-failed", command=forked, OPENAI_API_KEY=KEY)
    assert (done.returncode, "8 runs complete, 4 of them from before, in" in done.stderr) == (0, True), done.stderr


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
        WorkerPlace("local", 4), WorkerPlace("slurm"), WorkerPlace("htcondor", 20), WorkerPlace("tls://host:8786", 1),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--cluster", "tcp://127.0.0.1:9"], "no scheduler answers at tcp://127.0.0.1:9"),
        (["--cluster", "slurm:2", "--api-base", "http://me:secret@host/v1"], "the password in `--api-base`"),
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


def test_workers_that_cannot_ask_a_model_start_no_run(scheduler: LocalCluster, spec: Path, tmp_path: Path) -> None:
    with ChatServer(lambda body: fails(401, "no such key")) as server:
        done = audit(spec, tmp_path / "out", server.url, "--cluster", scheduler.scheduler_address)
    assert (done.returncode, done.stdout) == (2, "")
    words = " ".join(done.stderr.split())
    assert "error[C124]" in words
    assert "so it is for the worker on" in words
    assert "no run was started and nothing was spent on one" in words
    assert not (tmp_path / "out" / "runs").exists()


def test_what_is_not_installed_is_named(spec: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    done = colosseum("audit", spec, "--out", tmp_path / "out", "--cluster", "slurm:2")
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


def test_a_queue_that_takes_no_job_is_told(
    queue: Callable[[str], None], spec: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue('echo "sbatch: error: Invalid account" >&2; exit 1')
    with dask.config.set(JOB):
        refused = colosseum("audit", spec, "--out", tmp_path / "out", "--cluster", "slurm:2")
    unknown = colosseum("audit", spec, "--out", tmp_path / "out", "--cluster", "slurm")
    monkeypatch.setenv("PATH", "")
    with dask.config.set(JOB):
        nowhere = colosseum("audit", spec, "--out", tmp_path / "out", "--cluster", "slurm:2")
    assert (refused.returncode, unknown.returncode, nowhere.returncode) == (2, 2, 2)
    assert "no job was taken: [Errno 2] No such file or directory: 'sbatch'" in nowhere.stderr
    assert "no job was taken: sbatch: error: Invalid account" in refused.stderr
    assert "You must specify how much cores and memory" in unknown.stderr
    assert "jobqueue.yaml" in unknown.stderr


# ---- what breaks in workers --------------------------------------------------------------------------------------


def made_by(scheduler: LocalCluster, work: Work) -> object:
    """What comes of a campaign that is planned already."""
    place = read_place(scheduler.scheduler_address)
    purse = Purse(None, {})
    meter = Gauge({}, (), purse, {})
    far = replace(work, request=replace(work.request, cluster=place))
    return run_by_workers(far, {}, meter)


@pytest.fixture
def work(spec: Path, tmp_path: Path) -> Work:
    """Of scripted players, planned in a folder."""
    found, _ = check(spec)
    assert found is not None
    return plan_work(found, Request(spec), Folder(tmp_path / "out"))


def test_what_breaks_in_a_worker_is_told_with_its_place(scheduler: LocalCluster, work: Work) -> None:
    with pytest.raises(ZeroDivisionError, match="a bug") as caught:
        made_by(scheduler, replace(work, trials=replace(work.trials, adjust=broken)))
    assert [entry.name for entry in caught.traceback][-1] == "broken"


def test_workers_that_do_not_see_the_folder_make_nothing(work: Work) -> None:
    told = Instructions(work.folder.path / "sign", (), work.trials, Options(), Purse(None, {}))
    with pytest.raises(ColosseumError, match=f"does not see {work.folder.path}"):
        make_runs(told)
    work.folder.path.mkdir()
    told.sign.touch()
    with pytest.raises(ColosseumError, match=r"has Colosseum .*, not 0\.0"):
        make_runs(replace(told, version="0.0"))
