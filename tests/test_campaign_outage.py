"""Campaigns whose provider is down for a while: real sockets, 503, and no run that fails of it."""

import asyncio
import time
from pathlib import Path

import pytest
from chat_mind import plays
from chat_server import Answer, Body, ChatServer, fails
from conftest import KEY, MATCH, adjusted, prepare, run
from test_cli_commands import colosseum

from colosseum.campaign import retry
from colosseum.campaign.retry import Provider

FASTER = 100
"""How much faster than the clock campaigns wait here."""


class SilentServer:
    """Answers so many requests, then none for so many seconds."""

    def __init__(self, after: int, seconds: float) -> None:
        self.after, self.seconds = after, seconds
        self.number = self.turned_away = 0
        self.begun: float | None = None

    def __call__(self, body: Body) -> Answer:
        self.number += 1
        if self.number > self.after and self.begun is None:
            self.begun = time.monotonic()
        if self.begun is not None and time.monotonic() - self.begun < self.seconds:
            self.turned_away += 1
            return fails(503, "no capacity")
        return plays(body)


MODELLED = adjusted(model=(("agents", "openai/test"),))


async def sooner(seconds: float) -> None:
    await asyncio.sleep(seconds / FASTER)


@pytest.mark.usefixtures("key")
def test_an_outage_of_two_minutes_fails_no_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    outage = SilentServer(60, 120 / FASTER)
    with ChatServer(outage) as server:
        monkeypatch.setenv("OPENAI_API_BASE", server.url)
        monkeypatch.setattr(retry, "PROBE", retry.PROBE / FASTER)
        todo = prepare(tmp_path, MATCH, seeds=range(1, 9), adjust=MODELLED)
        provider = Provider(sleep=sooner, clock=lambda: FASTER * asyncio.get_running_loop().time())
        tally = run(tmp_path, todo, provider=provider)
    assert outage.turned_away >= 4
    assert tally == {"complete": 16}
    assert (provider.stopping, provider.gave_up) == (False, None)


def test_a_longer_one_pauses_the_campaign_and_the_same_command_goes_on(tmp_path: Path) -> None:
    (tmp_path / "spec.colo").write_text(MATCH)
    outage = SilentServer(40, 1e9)
    with ChatServer(outage) as server:

        def audit():
            return colosseum(
                "audit", tmp_path / "spec.colo", "--model", "openai/test", "--api-base", server.url, "--no-budget",
                "--seeds", "1..4", "--out", tmp_path / "out", "--patience", 0.1, "--json", OPENAI_API_KEY=KEY,
            )  # fmt: skip

        paused = audit()
        assert paused.returncode == 3, paused.stderr
        assert "no capacity" in paused.stderr
        assert "the same command goes on" in paused.stderr
        results = list((tmp_path / "out" / "runs").glob("*.json"))
        assert len(results) < 8
        assert not any('"failed"' in path.read_text() for path in results)
        outage.seconds = 0.0
        done = audit()
        assert done.returncode == 0, done.stderr
        assert len(list((tmp_path / "out" / "runs").glob("*.json"))) == 8
