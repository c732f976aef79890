"""`colosseum chaos` over real sockets: what the openai client gets, streams, equal draws, campaigns through it."""

import asyncio
import json
import random
import signal
import socket
import threading
from pathlib import Path

import openai
import pytest
from audited import spec
from chat_mind import plays
from chat_process import ChaosProcess
from chat_server import ChatServer, calls, says, unused_url
from conftest import KEY
from hypothesis import given
from hypothesis import strategies as st
from test_cli_commands import colosseum

from colosseum.campaign.signals import handling, interrupt
from colosseum.chaos.injection import IN_A_ROW, KINDS, PACING, TRANSPORT, Faults, read_faults
from colosseum.chaos.odd_answers import SHAPES, reshaped
from colosseum.chaos.proxy import run_proxy
from colosseum.cli.guide import guide_pages

MESSAGES = [{"role": "user", "content": "hello"}]


def client(url: str) -> openai.OpenAI:
    return openai.OpenAI(base_url=url, api_key=KEY, max_retries=0, timeout=2)


def ask(url: str) -> str | None:
    found = client(url).chat.completions.create(model="m", messages=MESSAGES)  # type: ignore[arg-type]
    return found.choices[0].message.content


@pytest.mark.parametrize(
    ("kind", "error"),
    [
        ("refused", openai.APIConnectionError), ("cut", openai.APIConnectionError),
        ("truncated", json.JSONDecodeError), ("server-error", openai.InternalServerError),
        ("rate-limit", openai.RateLimitError), ("retry-after", openai.RateLimitError),
        ("stalled", openai.APITimeoutError), ("redirect", openai.APIConnectionError),
        ("number", ValueError), ("deep", RecursionError),
    ],
)  # fmt: skip
def test_the_openai_client_fails_as_each_fault_says(kind: str, error: type[Exception], tmp_path: Path) -> None:
    with ChatServer([says("hi")]) as server, ChaosProcess(server.url, f"{kind}=1", tmp_path / "log") as chaos:
        for _ in range(IN_A_ROW):
            with pytest.raises(error) as caught:
                ask(chaos.url)
            if isinstance(caught.value, openai.RateLimitError):
                waited = caught.value.response.headers.get("retry-after")
                assert waited == ("1" if kind == "retry-after" else None)
        assert ask(chaos.url) == "hi"
        asked = kind in SHAPES or kind in ("cut", "truncated")
        assert len(server.requests) == 1 + IN_A_ROW * asked
        assert [(each["kind"], each["time"], each["asked"]) for each in chaos.injected] == [
            (kind, time, asked) for time in range(1, IN_A_ROW + 1)
        ]
        assert server.requests[-1].headers["authorization"] == f"Bearer {KEY}"
        assert server.requests[-1].path == "/v1/chat/completions"


def test_strict_pacing_turns_away_what_comes_too_soon(tmp_path: Path) -> None:
    with ChatServer([says("hi")]) as server, ChaosProcess(server.url, f"{PACING}=0.01", tmp_path / "log") as chaos:
        assert ask(chaos.url) == "hi"
        with pytest.raises(openai.RateLimitError):
            ask(chaos.url)
        assert [each["kind"] for each in chaos.injected] == [PACING]


def test_a_stream_passes_piece_by_piece(tmp_path: Path) -> None:
    """The server sends the second piece once the client has the first."""
    first = threading.Event()

    def piece(text: str) -> bytes:
        choice = {"index": 0, "delta": {"content": text}, "finish_reason": None}
        body = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}
        data = f"data: {json.dumps(body)}\n\n".encode()
        return f"{len(data):x}\r\n".encode() + data + b"\r\n"

    def serve(listening: socket.socket) -> None:
        connection, _ = listening.accept()
        with connection:
            connection.recv(65536)
            opening = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
            connection.sendall(opening + piece("one"))
            assert first.wait(60)
            connection.sendall(piece("two") + b"0\r\n\r\n")

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=serve, args=(listening,))
        thread.start()
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        with ChaosProcess(url, "cut=0.000001", tmp_path / "log") as chaos:
            made = openai.OpenAI(base_url=chaos.url, api_key=KEY, max_retries=0, timeout=60)
            heard = []
            for each in made.chat.completions.create(model="m", messages=MESSAGES, stream=True):  # type: ignore[call-overload]
                heard.append(each.choices[0].delta.content)
                first.set()
        thread.join()
    assert heard == ["one", "two"]


def test_an_endpoint_that_is_not_there_is_named_in_a_502(tmp_path: Path) -> None:
    url = unused_url()
    with (
        ChaosProcess(url, "cut=0.000001", tmp_path / "log") as chaos,
        pytest.raises(openai.InternalServerError, match="colosseum chaos cannot reach " + url),
    ):
        ask(chaos.url)


@given(st.integers(0, 2**32), st.lists(st.sampled_from("abc"), max_size=60), st.randoms(use_true_random=False))
def test_equal_seeds_and_requests_get_equal_faults_in_any_order(
    seed: int, requests: list[str], order: random.Random
) -> None:
    def drawn(asked: list[str]) -> dict[tuple[str, int], str | None]:
        faults = Faults(dict.fromkeys(KINDS, 0.05), seed)
        found = [faults.draw(each) for each in asked]
        return {(each.digest, each.time): each.kind for each in found}

    shuffled = list(requests)
    order.shuffle(shuffled)
    found = drawn(requests)
    assert found == drawn(shuffled)
    for name in "abc":
        kinds = [kind for (digest, _), kind in sorted(found.items(), key=lambda each: each[0][1]) if digest == name]
        assert all(None in kinds[at : at + IN_A_ROW + 1] for at in range(len(kinds) - IN_A_ROW))


def test_faults_come_as_often_as_they_are_asked_for() -> None:
    faults = Faults({"cut": 0.1, "slow": 0.3}, 1)
    kinds = [faults.draw(str(number)).kind for number in range(10_000)]
    assert abs(kinds.count("cut") - 1000) < 4 * 30
    assert abs(kinds.count("slow") - 3000) < 4 * 46


def test_a_later_share_wins_over_its_group() -> None:
    shares = read_faults("transport=0.02,redirect=0", 1).shares
    assert shares == {kind: 0.02 * (kind != "redirect") for kind in TRANSPORT}


@pytest.mark.parametrize(
    "answer",
    [
        calls(("post", {"text": "hi"})).body,
        {"type": "message", "content": [{"type": "tool_use", "id": "1", "name": "post", "input": {"text": "hi"}}]},
        {"candidates": [{"content": {"parts": [{"functionCall": {"name": "post", "args": {"text": "hi"}}}]}}]},
    ],
    ids=["openai", "anthropic", "gemini"],
)
def test_arguments_become_odd_in_the_form_of_each_provider(answer: object) -> None:
    found = {reshaped("arguments", json.dumps(answer).encode(), random.Random(seed)) for seed in range(200)}
    assert len(found) >= 6
    assert not [each for each in found if each is None or b"post" not in each or b'"hi' in each]


@pytest.mark.parametrize("kind", [*SHAPES, "arguments"])
def test_an_answer_that_has_no_place_for_a_fault_stays_as_it_is(kind: str) -> None:
    for answer in (b"data: {}\n\n", b"[]", b"{}", b"", *[b'{"error": 1}'] * (kind not in ("number", "deep"))):
        assert reshaped(kind, answer, random.Random(1)) is None


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--faults", "cutt"), "there is no fault `cutt`"), (("--faults", "cut=x"), "needs a number from 0 to 1"),
        (("--faults", "cut=0.6,slow=0.6"), "add up to 1.2"), (("--faults", "pacing"), "as in `pacing=5`"),
        (("--faults", "cut=2"), "from 0 to 1"), (("--log", "no/such/folder/log"), "cannot write no/such/folder/log"),
        (("--to", "api.openai.com"), "as in `--to https://api.openai.com/v1`"),
    ],
)  # fmt: skip
def test_wrong_options_are_told_before_anything_is_served(options: tuple[str, str], words: str) -> None:
    done = colosseum("chaos", "--to", "http://127.0.0.1:9", *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr


def test_a_signal_that_comes_while_a_finalizer_runs_ends_it() -> None:
    """Python drops what is raised there: https://docs.python.org/3/reference/datamodel.html#object.__del__."""

    class Last:
        def __del__(self) -> None:
            signal.raise_signal(signal.SIGTERM)

    dropped: list[bool] = []

    def again() -> None:
        dropped.append(True)
        signal.raise_signal(signal.SIGTERM)

    def ready(_: str) -> None:
        Last()
        asyncio.get_running_loop().call_later(5, again)

    with handling(interrupt, signal.SIGTERM):
        assert run_proxy("http://127.0.0.1:9", None, seed=1, port=0, log=None, ready=ready).requests == 0
    assert not dropped


def test_a_port_that_is_taken_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = colosseum("chaos", "--to", "http://127.0.0.1:9", "--port", taken.getsockname()[1])
    assert (done.returncode, "cannot serve at port" in done.stderr) == (2, True)


def test_odd_arguments_are_mistakes_of_the_agent_and_the_campaign_is_whole(tmp_path: Path) -> None:
    out = tmp_path / "runs"
    with ChatServer(plays) as server, ChaosProcess(server.url, "arguments=0.4", tmp_path / "log") as chaos:
        for _ in range(IN_A_ROW + 1):
            done = colosseum(
                "audit", spec(tmp_path), "--model", "openai/test", "--price", "1,1", "--budget", "5", "--api-base",
                chaos.url, "--seeds", "1..3", "--out", out, OPENAI_API_KEY=KEY,
            )  # fmt: skip
            if "did not call the tool it was given" not in done.stderr:  # its first arguments of all were odd
                break
        assert done.returncode == 0, done.stderr
        assert {each["kind"] for each in chaos.injected} == {"arguments"}
    events = [json.loads(line) for path in (out / "runs").glob("*.jsonl") for line in path.open(encoding="utf-8")]
    assert [each for each in events if each.get("event") == "mistake"]
    kinds = {json.loads(line)["kind"] for path in (out / "runs").glob("*.calls.jsonl") for line in path.open()}
    assert kinds == {"ok"}
    for command in (("log", "verify"), ("replay",)):
        assert colosseum(*command, out).returncode == 0


def test_every_kind_is_in_the_guide() -> None:
    text = guide_pages()["chaos"].read_text(encoding="utf-8")
    assert not [kind for kind in (*TRANSPORT, *SHAPES, "arguments", "pacing") if f"`{kind}" not in text]
