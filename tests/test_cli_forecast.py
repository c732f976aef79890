"""The likely bill: near what servers of several habits really charge, before any run and after a pilot.

Every server counts tokens as providers do: all that it is sent, and what it thinks besides what it says. The code knows
none of these habits.
"""

import json
import math
import os
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from chat_mind import _decisions, key_of
from chat_server import Answer, Body, ChatServer, calls
from conftest import KEY, SPECS, results
from terminal import watch
from test_cli_commands import Done, colosseum

from colosseum.campaign.folder import Folder

JIRA = (SPECS / "jira.colo").read_text(encoding="utf-8")
SOME = ("--arm", "baseline", "--arm", "emergent", "--seeds", "1..5", "--set", "engineers=4", "--set", "tickets=5")


def talker(
    *, posts: int, words: int, thinks: int = 0, at_once: bool = False, per_token: float = 4.0
) -> Callable[[Body], Answer]:
    """A model that posts so many posts a turn of about so many words, and thinks so many tokens in every reply."""

    def script(body: Body) -> Answer:
        tools = {tool["function"]["name"]: tool["function"]["parameters"]["properties"] for tool in body["tools"]}
        if "ready" in tools:
            return calls(("ready", {}))
        draw = random.Random(key_of(body))
        if "decide" in tools:
            made = list(_decisions(body["messages"], tools["decide"], draw))
        else:
            said = sum(message["role"] == "assistant" for message in body["messages"])
            number = posts if at_once else min(1, posts - said)
            made = [("post", _post(tools["post"]["channel"]["enum"], words, draw)) for _ in range(number)]
        answer = calls(*made, *([] if made and not at_once else [("done", {})]))
        assert isinstance(answer.body, dict)
        thought = round(thinks * draw.uniform(0.5, 1.5))
        sent = [len(json.dumps(part)) for part in ([body["messages"], body["tools"]], answer.body["choices"])]
        prompt, completion = (round(size / per_token) for size in sent)
        usage = {
            "prompt_tokens": prompt,
            "completion_tokens": completion + thought,
            "total_tokens": prompt + completion + thought,
            "completion_tokens_details": {"reasoning_tokens": thought},
        }
        return replace(answer, body={**answer.body, "usage": usage})

    return script


def _post(channels: list[str], words: int, draw: random.Random) -> Body:
    length = draw.randint(words // 2, words + words // 2)
    text = " ".join(draw.choice(("ticket", "I", "take", "seven", "because")) for _ in range(length))
    return {"channel": draw.choice(channels), "text": text}


HABITS = {
    "short": talker(posts=1, words=4, at_once=True),
    "thinking": talker(posts=1, words=150, thinks=800),
    "chatty": talker(posts=3, words=70, per_token=3.3),
}


PRICE = ("--price", "0.5,2")


def audit(out: Path, server: ChatServer, *more: object, some: tuple[str, ...] = SOME) -> Done:
    asked = ("--model", "openai/test", "--api-base", server.url, *PRICE, *some, "--out", out, *more)
    spec = out.parent / "jira.colo"
    spec.write_text(JIRA.replace("rounds 4", "rounds 2"), encoding="utf-8")
    return colosseum("audit", spec, *asked, OPENAI_API_KEY=KEY, COLUMNS="100")


def dry(out: Path, server: ChatServer, *more: object, some: tuple[str, ...] = SOME) -> dict[str, Any]:
    done = audit(out, server, "--dry-run", "--json", *more, some=some)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


def spent(out: Path) -> tuple[float, int]:
    """US dollars and calls."""
    folder = Folder(out)
    expenses = [result.expense for _, result in results(folder) if result is not None]
    return sum(each.cost for each in expenses), sum(each.calls for each in expenses)


def off(guess: float, real: float) -> float:
    """By which factor a guess is wrong."""
    return math.exp(abs(math.log(guess / real)))


@pytest.mark.parametrize("name", HABITS)
def test_the_likely_bill_is_near_before_any_run_and_nearer_after_a_pilot(name: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with ChatServer(HABITS[name]) as server:
        before = dry(out, server)
        assert audit(out, server, "--pilot", 3).returncode == 4
        paid, _ = spent(out)
        after = dry(out, server)
        assert audit(out, server).returncode == 0
    whole, made = spent(out)
    assert off(before["total"]["dollars"], whole) < 4
    assert off(before["total"]["calls"], made) < 2.5
    assert (before["measured"], after["measured"]) == (0, 6)
    assert off(after["at_their_cost"], whole - paid) < 1.5
    for found in (before, after):
        assert found["seconds"] > 0
        assert all(found["total"][figure] > 0 for figure in ("prompt_tokens", "completion_tokens"))


def test_prompts_grow_with_posts_and_rounds(tmp_path: Path) -> None:
    few, many = (dry_of(tmp_path, rounds) for rounds in (2, 8))
    turns = (2 + 1) / (8 + 1)
    assert few["calls"] / many["calls"] == pytest.approx(turns, rel=0.1)
    assert few["prompt_tokens"] / many["prompt_tokens"] < 0.75 * turns


def dry_of(folder: Path, rounds: int) -> dict[str, Any]:
    """The whole of a dry run with so many rounds."""
    spec = folder / f"rounds{rounds}.colo"
    assert "rounds 4" in JIRA
    spec.write_text(JIRA.replace("rounds 4", f"rounds {rounds}"), encoding="utf-8")
    done = colosseum("audit", spec, "--model", "openai/test", *PRICE, *SOME, "--out", folder, "--dry-run", "--json")
    return dict(json.loads(done.stdout)["total"])


def test_models_that_are_known_to_think_are_expected_to(tmp_path: Path) -> None:
    def tokens(model: str, *more: str) -> float:
        done = colosseum(
            "audit", SPECS / "jira.colo", "--model", model, *SOME, *more, "--out", tmp_path, "--dry-run", "--json"
        )
        total = json.loads(done.stdout)["total"]
        return float(total["completion_tokens"] / total["calls"])

    usual = tokens("openai/gpt-4o-mini")
    assert tokens("openai/o4-mini") > 5 * usual
    assert tokens("openai/gpt-4o-mini", "--extra-body", '{"reasoning_effort": "high"}') > 5 * usual
    assert usual < tokens("openai/nobody-knows", *PRICE) < 5 * usual


# ---- pilots -----------------------------------------------------------------------------------------------------

FEW = ("--arm", "baseline", "--seeds", "1..6", "--set", "engineers=4", "--set", "tickets=5")


def test_a_pilot_counts_and_is_made_once(tmp_path: Path) -> None:
    with ChatServer(HABITS["short"]) as server:
        first = audit(tmp_path, server, "--pilot", 3, some=FEW)
        seeds = [each.seed for each, result in results(Folder(tmp_path)) if result]
        asked = len(server.requests)
        again = audit(tmp_path, server, "--pilot", 3, "--json", some=FEW)
        assert len(server.requests) == asked
        on = audit(tmp_path, server, "--pilot", 3, "--yes", some=FEW)
    assert (first.returncode, again.returncode, on.returncode) == (4, 4, 0)
    assert seeds == [1, 3, 6]
    assert "What the 3 runs left will take" in first.stdout
    assert "regret" not in first.stdout
    assert "the same command with `--yes`, or without `--pilot`, goes on" in first.stderr
    assert json.loads(again.stdout)["runs"]["missing"] == 3
    assert "What the 3 runs left will take" in on.stderr
    assert Folder(tmp_path).plan().trials == tuple(e for e, r in results(Folder(tmp_path)) if r)
    calls_ = [r for r in server.requests if r.body["tools"][0]["function"]["name"] == "ready"]
    assert len(calls_) == 2  # each command that has something to make asks whether the model can play, once


def test_a_pilot_of_scripted_players_ends_as_any_other(tmp_path: Path) -> None:
    asked = ("audit", SPECS / "toy.colo", "--pilot", 1, "--seeds", "1..2", "--out", tmp_path / "out")
    first, on = colosseum(*asked), colosseum(*asked, "--yes")
    assert (first.returncode, on.returncode) == (4, 0), first.stderr
    assert "No model is asked: scripted players cost nothing." in first.stdout
    assert "3 runs left: the same command with `--yes`" in first.stderr


@pytest.mark.parametrize(("word", "code"), [("y", 0), ("", 4)])
def test_on_a_terminal_a_pilot_asks(word: str, code: int, tmp_path: Path) -> None:
    environment = {**os.environ, "TERM": "xterm", "OPENAI_API_KEY": KEY}
    with ChatServer(HABITS["short"]) as server:
        asked = (
            "--model",
            "openai/test",
            "--api-base",
            server.url,
            *PRICE,
            *FEW,
            "--seeds",
            "1..3",
            "--out",
            tmp_path / "out",
        )
        words = ("audit", SPECS / "jira.colo", *asked, "--pilot", 2)
        done = watch(words, columns=80, rows=40, environment=environment, folder=tmp_path, types=f"{word}\n")
    assert done.returncode == code
    stood = [*done.screen.lines, *(line for picture in done.screen.pictures for line in picture)]
    assert any("Go on? [y/N]" in line for line in stood)
    assert ("coalition cabal" in done.stdout) is (code == 0)
