"""A small OpenAI-compatible server on a loopback socket. In: scripted answers; out: what a client gets and sent.

    with ChatServer([calls(("done", {})), says("thinking")]) as server:
        ...  # point a client at server.url; server.requests are the bodies it sent

The script is a list, whose last answer is repeated, or a function from request body to answer.
"""

import json
import socket
import struct
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, TypeAlias

Body: TypeAlias = dict[str, Any]  # a border: what JSON holds


@dataclass(frozen=True)
class Answer:
    """What one request gets: a status with a body, after a delay; or a connection cut without a word."""

    body: Body
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    delay: float = 0.0
    cut: bool = False


@dataclass(frozen=True)
class Request:
    """One request as it arrived."""

    path: str
    headers: dict[str, str]
    """By names in lower case."""
    body: Body


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


def fails(status: int, message: str, *, code: str | None = None, retry_after: str | None = None) -> Answer:
    """An HTTP error as OpenAI words it."""
    headers = () if retry_after is None else (("Retry-After", retry_after),)
    return Answer({"error": {"message": message, "type": "error", "param": None, "code": code}}, status, headers)


def cuts() -> Answer:
    """The connection is reset before a byte of an answer."""
    return Answer({}, cut=True)


def slow(answer: Answer, seconds: float) -> Answer:
    """The same answer, late."""
    return replace(answer, delay=seconds)


def _completion(message: Body, *, finish: str, usage: bool = True) -> Answer:
    body: Body = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "served-model-1",
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
    }
    if usage:
        body["usage"] = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
    return Answer(body)


class ChatServer:
    """The server as a context manager; `requests` grows in the order of arrival."""

    def __init__(self, script: Script) -> None:
        self.requests: list[Request] = []
        self._script = script
        self._lock = threading.Lock()
        self._closing = threading.Event()

    def __enter__(self) -> "ChatServer":
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        """What a client takes as its base address."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def answer(self, request: Request) -> Answer:
        """Records the request and says what it gets."""
        with self._lock:
            self.requests.append(request)
            if callable(self._script):
                return self._script(request.body)
            return self._script[min(len(self.requests), len(self._script)) - 1]

    def wait(self, seconds: float) -> None:
        """Holds an answer back, but not longer than the server lives."""
        self._closing.wait(seconds)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                length = int(self.headers["Content-Length"])
                body = json.loads(self.rfile.read(length))
                answer = server.answer(Request(self.path, {k.lower(): v for k, v in self.headers.items()}, body))
                if answer.delay:
                    server.wait(answer.delay)
                if answer.cut:
                    self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    self.close_connection = True
                    self.connection.close()
                    return
                _send(self, answer)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - http.server's name
                """Nothing is printed."""

        return Handler


def _send(handler: BaseHTTPRequestHandler, answer: Answer) -> None:
    """Writes the answer; a client that has gone away is no fault of the server."""
    payload = json.dumps(answer.body).encode()
    try:
        handler.send_response(answer.status)
        for name, value in (*answer.headers, ("Content-Type", "application/json"), ("Content-Length", len(payload))):
            handler.send_header(name, str(value))
        handler.end_headers()
        handler.wfile.write(payload)
    except (BrokenPipeError, ConnectionResetError):
        handler.close_connection = True


def unused_url() -> str:
    """The address of a port on which nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{probe.getsockname()[1]}/v1"
