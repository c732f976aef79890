"""Campaigns whose provider sends what nobody should: no run breaks, no answer is lost, no bill shrinks, all replays."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from audited import spec
from chat_mind import is_preflight, plays
from chat_server import Answer, Body, ChatServer, calls, fails, raw, thinks
from conftest import KEY
from test_cli_commands import Done, colosseum

from colosseum.campaign.calls import read_calls

Hostile = Callable[[Body], Answer]


def counted(prompt: float, completion: float) -> Hostile:
    """A sensible move with such counts."""
    return lambda body: changed(body, usage={"prompt_tokens": prompt, "completion_tokens": completion})


def changed(body: Body, **parts: object) -> Answer:
    """A sensible move in which something is otherwise."""
    move = plays(body).body
    assert isinstance(move, dict)
    return Answer({**move, **parts})


def stated(cost: object) -> Hostile:
    """A sensible move at a cost that its provider states."""
    return lambda body: changed(body, usage={"prompt_tokens": 9, "completion_tokens": 9, "cost": cost})


def cached(body: Body) -> Answer:
    """More of the prompt came from a cache than there is of it."""
    details = {"cached_tokens": 10**9}
    return changed(body, usage={"prompt_tokens": 9, "completion_tokens": 9, "prompt_tokens_details": details})


def too_large(body: Body) -> Answer:
    return calls(("decide", '{"variable": "move[A]", "value": 1e999}'))


def too_large_in_text(body: Body) -> Answer:
    return raw(json.dumps(calls(text='{"tool": "decide", "arguments": {"value": 1e999}}').body).encode())


def half_characters(body: Body) -> Answer:
    return calls(("po\ud800st", {"channel": "all", "text": "\ud800"}), text="\udfff")


def half_elsewhere(body: Body) -> Answer:
    return changed(body, model="served\ud800", service_tier="\udfff")


@contextmanager
def third(hostile: Hostile) -> Iterator[ChatServer]:
    """A server whose third answer is this, and the others sensible."""
    asked = 0

    def script(body: Body) -> Answer:
        nonlocal asked
        asked += not is_preflight(body)
        return hostile(body) if asked == 3 and not is_preflight(body) else plays(body)

    with ChatServer(script) as server:
        yield server


TOO_MANY = "Nothing was carried out: a reply makes at most 500 calls, this made 2000."
UNKNOWN = ("openai/test", "--price", "1,1")
"""A model that is on no list of prices."""


def audit(folder: Path, server: ChatServer, *more: str, model: tuple[str, ...] = UNKNOWN) -> Done:
    return colosseum(
        "audit", spec(folder), "--model", *model, "--api-base", server.url, "--seeds", "1",
        "--out", folder / "runs", *more, OPENAI_API_KEY=KEY, OPENAI_BASE_URL=None,
    )  # fmt: skip


def whole(folder: Path) -> None:
    """Everything is as it was sealed, and comes out again."""
    for command in (("log", "verify"), ("replay",)):
        done = colosseum(*command, folder / "runs")
        assert (done.returncode, done.stderr) == (0, ""), done.stdout


@pytest.mark.parametrize(
    "hostile",
    [too_large, too_large_in_text, half_characters, half_elsewhere, counted(10**400, 5), counted(-(10**6), -5)],
    ids=["too large", "too large in text", "half characters", "half elsewhere", "huge counts", "negative counts"],
)
def test_no_answer_breaks_a_campaign(hostile: Hostile, tmp_path: Path) -> None:
    with third(hostile) as server:
        done = audit(tmp_path, server, "--budget", "5", "--json")
        assert done.returncode == 0, done.stderr
        kept = [json.loads(line) for path in (tmp_path / "runs" / "runs").glob("*.calls.jsonl") for line in path.open()]
        assert len(kept) == len(server.requests) - 1
    assert min(line["cost"] or 0 for line in kept) >= 0
    whole(tmp_path)


@pytest.mark.parametrize("hostile", [stated(10**400), stated(-1.0), cached], ids=["huge", "negative", "all cached"])
def test_a_bill_that_cannot_be_is_none_and_its_answer_stays_on_file(hostile: Hostile, tmp_path: Path) -> None:
    with third(hostile) as server:
        done = audit(tmp_path, server, "--budget", "5", model=("openai/gpt-4o-mini",))
        assert done.returncode == 0, done.stderr
    kept = [json.loads(line) for path in (tmp_path / "runs" / "runs").glob("*.calls.jsonl") for line in path.open()]
    assert all(0 <= line["cost"] < 0.01 for line in kept)
    whole(tmp_path)


def test_a_reply_of_too_many_calls_does_nothing_and_is_told_so(tmp_path: Path) -> None:
    posts = [("post", {"channel": "public", "text": f"hello {number}"}) for number in range(2_000)]
    with third(lambda body: thinks(calls(*posts), "as many as I can")) as server:
        done = audit(tmp_path, server, "--no-budget")
        assert done.returncode == 0, done.stderr
        told = [str(asked.body["messages"][-1]) for asked in server.requests]
        assert [words for words in told if "Nothing was carried out" in words] == [
            str({"role": "user", "content": TOO_MANY})
        ]
        assert max(len(asked.body["messages"]) for asked in server.requests) < 20
    events = [json.loads(line) for path in (tmp_path / "runs" / "runs").glob("*.jsonl") for line in path.open()]
    assert [e["message"] for e in events if e.get("event") == "mistake"] == [TOO_MANY]
    assert not [e for e in events if e.get("event") == "post" and e["text"].startswith("hello ")]
    whole(tmp_path)


def test_an_answer_that_is_none_and_is_billed_is_not_asked_for_again_without_money(tmp_path: Path) -> None:
    broken_off = [{"index": 0, "message": {"role": "assistant", "content": "Hm"}, "finish_reason": "error"}]
    bill = {"prompt_tokens": 2000, "completion_tokens": 1000}

    def script(body: Body) -> Answer:
        return plays(body) if is_preflight(body) else changed(body, choices=broken_off, usage=bill)

    with ChatServer(script) as server:
        done = audit(tmp_path, server, "--max-tokens", "1000", "--budget", "0.0065")
        asked = len(server.requests) - 1
    assert (done.returncode, asked) == (4, 2), done.stderr
    assert "$0.0060 of $0.0065 spent" in done.stderr


def test_an_answer_with_fields_within_fields_is_on_file_as_it_came(tmp_path: Path) -> None:
    nested: object = "deep"
    for _ in range(600):
        nested = {"in": nested}
    with third(lambda body: changed(body, extra=nested)) as server:
        done = audit(tmp_path, server, "--budget", "5")
        assert done.returncode == 0, done.stderr
    lines = [line for path in (tmp_path / "runs" / "runs").glob("*.calls.jsonl") for line in path.open()]
    assert sum('{\\"in\\":' * 9 in line.replace(" ", "") for line in lines) == 1
    whole(tmp_path)


def test_words_of_a_failure_are_written_whatever_they_hold(tmp_path: Path) -> None:
    with third(lambda body: fails(400, "no \ud800")) as server:
        assert audit(tmp_path, server, "--budget", "5").returncode == 3
    whole(tmp_path)


@pytest.mark.parametrize(
    ("wait", "code"), [("700", 3), ("Mon, 01 Jan 2024 00:00:00 +99999999999999999", 0), ("-5", 0), ("1e9", 0)]
)
def test_whatever_the_wait_that_is_asked_for_runs_come_out_again(wait: str, code: int, tmp_path: Path) -> None:
    with third(lambda body: fails(429, "slow down", retry_after=wait)) as server:
        assert audit(tmp_path, server, "--budget", "5", "--patience", "10").returncode == code
    whole(tmp_path)


@pytest.mark.parametrize(
    ("name", "value"),
    [("seconds", '"abc"'), ("cost", '"x"'), ("cost", "-100"), ("prompt_bytes", "[1]"), ("attempt", '"x"'),
     ("max_tokens", "1e400"), ("max_tokens", "1" + "0" * 400), ("raw", "3")],
)  # fmt: skip
def test_a_line_of_calls_that_was_edited_is_none(name: str, value: str, tmp_path: Path) -> None:
    line = {"call": "k", "kind": "ok", "cost": 0.5, "seconds": 1.0, "attempt": 2, "prompt_bytes": 9, "max_tokens": 20}
    sound, edited = json.dumps({**line, "raw": {}}), json.dumps({**line, "raw": {}, name: "@"}).replace('"@"', value)
    path = tmp_path / "x.calls.jsonl"
    path.write_text(f"{sound}\n{edited}\n")
    ((key, recorded),) = read_calls(path)
    assert (key, recorded.attempts, recorded.answer.cost) == ("k", 2, 0.5)


def test_a_key_that_comes_back_in_escapes_reaches_no_file(tmp_path: Path) -> None:
    escaped = "".join(f"\\u{ord(character):04X}" for character in KEY[:-4]) + KEY[-4:]
    with third(lambda body: calls(("post", f'{{"channel": "all", "text": "{escaped}"}}'))) as server:
        assert audit(tmp_path, server, "--budget", "5").returncode == 0
    held = [path.read_text().replace("\\\\", "\\").lower() for path in tmp_path.rglob("*") if path.is_file()]
    assert not [text for text in held if escaped.lower() in text or KEY in text]
    assert any("[redacted]" in text for text in held)
    whole(tmp_path)
