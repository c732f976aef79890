"""A small OpenAI-compatible server on a loopback socket. In: scripted answers; out: what a client gets and sent.

    with ChatServer([calls(("done", {})), says("thinking")]) as server:
        ...  # point a client at server.url; server.requests are the bodies it sent

The script is a list, whose last answer is repeated, or a function from request body to answer. `chat_process` runs it
in a process of its own.
"""

import asyncio
import hashlib
import json
import socket
import struct
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from email.utils import formatdate
from types import TracebackType
from typing import Any, Literal, TypeAlias

Body: TypeAlias = dict[str, Any]  # a border: what JSON holds
Sent: TypeAlias = Literal["all", "half", "headers", "nothing"]


@dataclass(frozen=True)
class Answer:
    """What one request gets: a status with a body, after a delay, or a part of it."""

    body: Body | bytes
    """JSON, or bytes that are sent as they are."""
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    delay: float = 0.0
    sent: Sent = "all"
    """After `half` and `nothing` the connection is closed; after `headers` nothing comes any more."""


@dataclass(frozen=True)
class Request:
    """One request as it arrived."""

    path: str
    headers: dict[str, str]
    """By names in lower case."""
    body: Body


@dataclass(frozen=True)
class Served:
    """A completion that was sent in full."""

    connection: int
    """From 1, in the order in which they were opened."""
    completion: str
    """Its id, which no other one has."""
    tools: tuple[str, ...]
    """That were offered."""
    asked: str
    """Digest of the request, as `colosseum chaos` writes it that has this server's url."""
    answered: str
    """Digest of the answer, as `colosseum chaos` writes it."""


Script: TypeAlias = Sequence[Answer] | Callable[[Body], Answer]


def says(text: str | None, *, finish: str = "stop", refusal: str | None = None, usage: bool = True) -> Answer:
    """A message of text alone; None is a message without content."""
    return _completion({"role": "assistant", "content": text, "refusal": refusal}, finish=finish, usage=usage)


def calls(*made: tuple[str, object], text: str | None = None, finish: str = "tool_calls") -> Answer:
    """A message with tool calls `(tool, arguments)`; a str of arguments is sent as it is."""
    tool_calls = [
        {
            "id": f"call_{n}",
            "type": "function",
            "function": {"name": tool, "arguments": given if isinstance(given, str) else json.dumps(given)},
        }
        for n, (tool, given) in enumerate(made, 1)
    ]
    return _completion({"role": "assistant", "content": text, "tool_calls": tool_calls}, finish=finish)


def thinks(answer: Answer, reasoning: str, *, field: str = "reasoning_content") -> Answer:
    """The same answer with reasoning beside it, as servers of open models send it."""
    assert isinstance(answer.body, dict)
    (choice,) = answer.body["choices"]
    message = {**choice["message"], field: reasoning}
    return replace(answer, body={**answer.body, "choices": [{**choice, "message": message}]})


def fails(status: int, message: str, *, code: str | None = None, retry_after: str | None = None) -> Answer:
    """An HTTP error as OpenAI words it."""
    headers = () if retry_after is None else (("Retry-After", retry_after),)
    return Answer({"error": {"message": message, "type": "error", "param": None, "code": code}}, status, headers)


def refuses() -> Answer:
    """The provider's own filter turns the request down."""
    return fails(400, "the prompt was flagged", code="content_policy_violation")


def overflows() -> Answer:
    """The conversation is too long for the model."""
    return fails(400, "8192 tokens is all there is", code="context_length_exceeded")


def cuts() -> Answer:
    """The connection is reset before a byte of an answer."""
    return Answer({}, sent="nothing")


def cuts_midway(answer: Answer) -> Answer:
    """The connection is reset in the middle of an answer."""
    return replace(answer, sent="half")


def hangs() -> Answer:
    """The headers come, and then nothing."""
    return Answer({}, sent="headers")


def raw(content: bytes) -> Answer:
    """These bytes with a status of 200: a proxy's page, JSON that is broken, nothing at all."""
    return Answer(content)


def truncated(answer: Answer) -> Answer:
    """The first half of an answer's JSON, as if it were the whole."""
    written = _written(answer)
    return Answer(written[: len(written) // 2])


def slow(answer: Answer, seconds: float) -> Answer:
    """The same answer, late."""
    return replace(answer, delay=seconds)


def _completion(message: Body, *, finish: str, usage: bool = True) -> Answer:
    body: Body = {
        "id": "chatcmpl-0",
        "object": "chat.completion",
        "created": 1,
        "model": "served-model-1",
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
    }
    if usage:
        body["usage"] = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
    return Answer(body)


def _written(answer: Answer) -> bytes:
    return answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


class ChatServer:
    """The server as a context manager; `requests` and `served` grow in the order of arrival and of answers."""

    def __init__(self, script: Script) -> None:
        self.requests: list[Request] = []
        self.served: list[Served] = []
        self.connections = 0
        self.under_way = 0
        self._script = script
        self._open: set[Connection] = set()

    def __enter__(self) -> "ChatServer":
        self._socket = socket.create_server(("127.0.0.1", 0), backlog=1024)
        self._url = f"http://127.0.0.1:{self._socket.getsockname()[1]}/v1"
        self._loop, self._ready = asyncio.new_event_loop(), threading.Event()
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()
        self._ready.wait()  # or it might be closed before it is open
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._loop.call_soon_threadsafe(self._close)
        self._thread.join()

    def _serve(self) -> None:
        """In a thread of its own, so that a client's loop may go on beside it."""
        make = self._loop.create_server(lambda: Connection(self), sock=self._socket)
        self._server = self._loop.run_until_complete(make)
        self._ready.set()
        self._loop.run_forever()
        self._loop.close()

    @property
    def url(self) -> str:
        """What a client takes as its base address."""
        return self._url

    def answer(self, request: Request) -> Answer:
        """Records the request and says what it gets; every completion has an id of its own."""
        self.requests.append(request)
        number = len(self.requests)
        script = self._script
        found = script(request.body) if callable(script) else script[min(number, len(script)) - 1]
        if isinstance(found.body, dict) and "choices" in found.body:
            return replace(found, body={**found.body, "id": f"chatcmpl-{number}"})
        return found

    def opened(self, connection: "Connection") -> int:
        """One more connection; its number."""
        self._open.add(connection)
        self.connections += 1
        return self.connections

    def closed(self, connection: "Connection") -> None:
        """One connection less."""
        self._open.discard(connection)

    def told(self, path: str) -> Body:
        """What was asked and answered so far, for whoever asks from another process."""
        if path.endswith("/served"):
            return {"served": [[*vars(each).values()] for each in self.served]}
        return {"requests": len(self.requests), "under_way": self.under_way}

    def _close(self) -> None:
        self._server.close()
        for connection in tuple(self._open):
            connection.reset()
        self._loop.call_soon(self._loop.stop)


class Connection(asyncio.Protocol):
    """One connection, kept alive; requests on it are answered one after the other."""

    def __init__(self, server: ChatServer) -> None:
        self.server, self.number = server, 0
        self.received = b""
        self.answering: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """It is open."""
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.number = self.server.opened(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """The client has gone away: what is not sent yet never is."""
        if self.answering is not None:
            self.answering.cancel()
            self.server.under_way -= 1
        self.server.closed(self)

    def data_received(self, data: bytes) -> None:
        """A piece of a request."""
        self.received += data
        head, found, rest = self.received.partition(b"\r\n\r\n")
        if not found:
            return
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        length = int(headers.get("content-length", "0"))
        if len(rest) < length:
            return
        self.received = rest[length:]
        method, path, _ = first.split(" ")
        if method == "GET":
            self._send(Answer(self.server.told(path)))
            return
        body = json.loads(rest[:length])
        answer = self.server.answer(Request(path, headers, body))
        tools = tuple(tool.get("function", tool).get("name", "") for tool in body.get("tools") or ())
        self.server.under_way += 1
        asked = _digest(f"{method} {path.removeprefix('/v1')}\n".encode() + rest[:length])
        self.answering = asyncio.get_running_loop().call_later(answer.delay, self._answered, answer, tools, asked)

    def reset(self) -> None:
        """Ends the connection without a word."""
        made = self.transport.get_extra_info("socket")
        made.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.transport.abort()

    def _answered(self, answer: Answer, tools: tuple[str, ...], asked: str) -> None:
        """It is time for the answer."""
        if answer.sent != "headers":  # of which there is no end
            self.answering = None
            self.server.under_way -= 1
        self._send(answer, tools, asked)

    def _send(self, answer: Answer, tools: tuple[str, ...] = (), asked: str = "") -> None:
        payload = _written(answer)
        opening = _opening(answer, len(payload))
        match answer.sent:
            case "all":
                self.transport.write(opening + payload)
                if isinstance(answer.body, dict) and "choices" in answer.body:
                    served = Served(self.number, answer.body["id"], tools, asked, _digest(payload))
                    self.server.served.append(served)
            case "half":
                self.transport.write(opening + payload[: len(payload) // 2])
                self.transport.close()
            case "headers":
                self.transport.write(opening)
            case "nothing":
                self.reset()


def _opening(answer: Answer, length: int) -> bytes:
    """The status and the headers."""
    named = (
        *answer.headers,
        ("Date", formatdate(usegmt=True)),
        ("Content-Type", "application/json"),
        ("Content-Length", str(length)),
    )
    lines = (f"HTTP/1.1 {answer.status} Said", *(f"{name}: {value}" for name, value in named), "", "")
    return "\r\n".join(lines).encode()


def unused_url() -> str:
    """The address of a port on which nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{probe.getsockname()[1]}/v1"
