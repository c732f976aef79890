"""Audits from Python: what the command makes, in scripts, threads and running loops, and no paid call twice."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from audited import spec
from chat_mind import plays
from chat_process import ChatProcess
from chat_server import ChatServer, says
from conftest import MATCH
from test_cli_commands import colosseum as command
from warm_process import Command

import colosseum
from colosseum.campaign.model_options import wanted_of

SPEC = MATCH.replace("experiment e {", "experiment e { rounds 1  seeds 1..4")
PRICE = (1.0, 50000.0)
"""Dollars a million tokens."""


def traces(folder: Path) -> dict[str, bytes]:
    """What is on file of each run."""
    return {path.name: path.read_bytes() for path in sorted((folder / "runs").glob("*.jsonl"))}


def asked(server: ChatServer) -> int:
    """Requests, but for those that ask whether a model can play."""
    return sum(not any(t["function"]["name"] == "ready" for t in r.body["tools"]) for r in server.requests)


def test_a_plain_script_makes_the_runs_of_the_command_and_prints_nothing(tmp_path: Path) -> None:
    spec(tmp_path, SPEC)
    script = tmp_path / "script.py"
    script.write_text("import colosseum\nassert colosseum.audit('match.colo').left == 0\n", encoding="utf-8")
    root = Path(colosseum.__file__).parent.parent
    done = subprocess.run(
        [sys.executable, script], cwd=tmp_path, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": str(root)},
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert command("audit", tmp_path / "match.colo", "--out", tmp_path / "out").returncode == 0
    made = traces(tmp_path / "runs" / "match-e")
    assert len(made) == 8
    assert made == traces(tmp_path / "out")
    kept = [tmp_path / place / "report.json" for place in ("runs/match-e", "out")]
    assert kept[0].read_bytes() == kept[1].read_bytes()
    assert colosseum.Campaign(kept[0].parent).replay().report == "equal"


def within_a_loop(work: Callable[[], colosseum.Campaign]) -> colosseum.Campaign:
    """As a cell of a notebook calls it."""

    async def cell() -> colosseum.Campaign:
        return work()

    return asyncio.run(cell())


def within_a_thread(work: Callable[[], colosseum.Campaign]) -> colosseum.Campaign:
    found: list[colosseum.Campaign] = []
    thread = threading.Thread(target=lambda: found.append(work()))
    thread.start()
    thread.join()
    return found[0]


@pytest.mark.usefixtures("key")
@pytest.mark.parametrize("within", [within_a_loop, within_a_thread])
def test_a_budget_is_kept_to_and_the_same_call_goes_on(
    within: Callable[[Callable[[], colosseum.Campaign]], colosseum.Campaign], tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    file = spec(tmp_path, SPEC)
    with ChatServer(plays) as server:
        asking = {"api_base": server.url, "price": PRICE, "max_tokens": 100}

        def audit(budget: float) -> colosseum.Campaign:
            return within(
                lambda: colosseum.audit(file, "e", "openai/test", out=tmp_path / "out", budget=budget, asking=asking)
            )

        poor = audit(12.0)
        first = asked(server)
        assert 0 < poor.left < 8
        assert "larger `--budget` goes on" in poor.outcome
        rich = audit(100.0)
        assert rich.left == 0
        assert "8 runs complete" in rich.outcome
        whole = asked(server)
        assert first < whole
        assert audit(100.0).left == 0
        assert asked(server) == whole
        alone = colosseum.audit(file, models="openai/test", out=tmp_path / "alone", no_budget=True, asking=asking)
        assert asked(server) == 2 * whole
    assert len(alone.findings.records) == 8
    assert capfd.readouterr() == ("", "")


@pytest.mark.usefixtures("key")
def test_a_model_for_each_and_progress(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    told = []
    with ChatServer(plays) as server:
        campaign = colosseum.audit(
            colosseum.load(spec(tmp_path, SPEC)), models={"agents": "openai/a", "cabal": "openai/b"}, seeds=range(7, 9),
            arms="baseline", out=tmp_path / "out", no_budget=True, asking={"api_base": server.url},
            progress=told.append,
        )  # fmt: skip
    assert [(run.seed, run.players) for run in campaign.findings.plan.trials] == [
        (seed, {"A": "openai/a", "B": "openai/b", "C": "openai/b"}) for seed in (7, 8)
    ]
    assert told[-1].final
    assert (told[-1].done, told[-1].runs) == (2, 2)
    assert capfd.readouterr() == ("", "")
    colosseum.audit(tmp_path / "match.colo", seeds="1", out=tmp_path / "printed", progress=True)
    assert "2 of 2 runs\n" in capfd.readouterr().out


def test_errors_are_those_of_the_command(tmp_path: Path) -> None:
    broken = spec(tmp_path, SPEC.replace("B, C}", "B, D}"))
    with pytest.raises(colosseum.ColosseumError) as found:
        colosseum.audit(broken, out=tmp_path / "out")
    said = command("audit", broken, "--out", tmp_path / "out").stderr
    assert str(found.value).splitlines() == [line for line in said.splitlines() if line]
    assert [d.code for d in found.value.diagnostics] == [d.code for d in colosseum.load(broken).diagnostics]
    assert not (tmp_path / "out").exists()
    whole = spec(tmp_path, SPEC)
    for options, words in (
        ({"experiment": "f"}, "there is no experiment `f`"),
        ({"models": "openai/unlisted"}, "the price of `openai/unlisted` is not known"),
        ({"models": {"nobody": "openai/a"}}, "`nobody` is not a coalition, an agent or `agents`"),
        ({"budget": 0}, "is an amount of more than 0"),
        ({"seeds": [1.5]}, "the seed has to be a whole number"),
        ({"asking": {"temprature": 1}}, "did you mean `temperature`?"),
        ({"size": 3}, "there is no param `size`"),
    ):
        given: dict[str, Any] = dict(options)  # a border: whatever a user writes
        with pytest.raises(colosseum.ColosseumError) as wrong:
            colosseum.audit(whole, out=tmp_path / "out", **given)
        assert words in str(wrong.value)


def test_options_are_read_as_if_they_were_typed() -> None:
    wanted = wanted_of(
        ["openai/a", "cabal=python:mine.own:Agent"],
        {
            "temperature": {"agents": 0.5, "cabal": None}, "price": {"openai/a": (1, 2)}, "max_tokens": 100,
            "extra_body": {"top_k": 20}, "header": {"openai/a": {"X-Team": "audits"}}, "allow_python": ["other"],
        },
    )  # fmt: skip
    assert wanted.models == ("openai/a", "cabal=python:mine.own:Agent")
    assert wanted.temperature == ("agents=0.5", "cabal=none")
    assert (wanted.price, wanted.max_tokens) == (("openai/a=1,2",), ("100",))
    assert wanted.extra_body == ('{"top_k": 20}',)
    assert wanted.header == ("openai/a=X-Team: audits",)
    assert {"mine.own", "other"} <= set(wanted.python)


INTERRUPTED = """
import asyncio, sys, colosseum

async def cell():
    colosseum.audit("match.colo", models="openai/test", no_budget=True, asking={"api_base": "URL"}, out="out")

try:
    asyncio.run(cell())
except KeyboardInterrupt:
    sys.exit("stopped")
"""


@pytest.mark.usefixtures("key")
def test_ctrl_c_within_a_loop_loses_no_paid_call_and_the_same_call_goes_on(tmp_path: Path) -> None:
    file = spec(tmp_path, SPEC)
    with ChatProcess(latency=0.2) as server:
        process = Command("-c", INTERRUPTED.replace("URL", server.url), folder=tmp_path)
        while not server.under_way or all("ready" in each.tools for each in server.served):
            assert process.poll() is None
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate()
        assert (process.returncode, said) == (1, "stopped\n")
        out, asking = tmp_path / "out", {"api_base": server.url}
        assert colosseum.Campaign(out).left > 0
        assert colosseum.audit(file, models="openai/test", no_budget=True, asking=asking, out=out).left == 0
        paid = sum("ready" not in each.tools for each in server.served)
    kept = [line for path in (out / "runs").glob("*.calls.jsonl") for line in path.read_bytes().splitlines()]
    assert sum(b'"kind":"ok"' in line for line in kept) == paid


def test_what_is_refused_before_its_first_run_leaves_no_plan_but_what_was_paid(tmp_path: Path, key: None) -> None:
    path = spec(tmp_path, SPEC)
    with ChatServer(lambda body: says("I am ready.")) as server:
        asking = {"api_base": server.url}
        with pytest.raises(colosseum.ColosseumError, match="C124"):
            colosseum.audit(path, models="openai/test", out=tmp_path / "out", no_budget=True, asking=asking)
    with pytest.raises(colosseum.ColosseumError, match="C124"):
        colosseum.audit(path, models="nobody", out=tmp_path / "none", no_budget=True)
    assert not (tmp_path / "none").exists()
    assert sorted(each.name for each in (tmp_path / "out").iterdir()) == ["ledger.jsonl", "preflight"]
    assert colosseum.audit(path, arms=["baseline"], out=tmp_path / "out").left == 0
    before = (tmp_path / "out/campaign.json").read_bytes()
    with pytest.raises(colosseum.ColosseumError, match="C124"):
        colosseum.audit(path, models="nobody", out=tmp_path / "out", no_budget=True)
    assert (tmp_path / "out/campaign.json").read_bytes() == before
