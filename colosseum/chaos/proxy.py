"""A server on loopback before an endpoint. In: its address and what to inject; out: answers, faults, lines of a log.

Bytes pass as they are, streams included, whatever the provider. Only an answer that is to be changed is read whole.
"""

import asyncio
import hashlib
import json
import os
import signal
import socket
import struct
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager as Context
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Final, TextIO
from urllib.parse import urlsplit

import aiohttp
from aiohttp import web
from multidict import CIMultiDict
from yarl import URL

from colosseum.chaos.injection import PACING, Faults, Injection, read_faults
from colosseum.chaos.odd_answers import reshaped
from colosseum.diagnostics import file_errors, stop

HOST: Final = "127.0.0.1"
ELSEWHERE: Final = "https://chaos.invalid/"
"""A host that can never exist (RFC 2606): a client that follows a redirect sends its key to nobody."""
HOP: Final = frozenset((
    "connection", "host", "keep-alive", "proxy-authenticate", "proxy-authorization", "te", "trailer",
    "transfer-encoding", "upgrade",
))  # fmt: skip
"""Headers that concern one connection alone (RFC 9110, section 7.6.1)."""
ERRORS: Final = {
    "server-error": (500, 502, 503, 529), "rate-limit": (429,), "retry-after": (429,), "redirect": (302, 307, 308),
}  # fmt: skip
"""Statuses of the faults that are answers of the proxy's own."""
HEADERS: Final = {"retry-after": {"Retry-After": "1"}, "redirect": {"Location": ELSEWHERE}}
LATEST: Final = 1.0  # seconds by which a slow answer is late at most
OWN_HEADERS: Final = ("Accept", "Accept-Encoding", "Content-Type", "User-Agent")
"""Headers that aiohttp would add to a request that has none."""


@dataclass
class Proxy:
    """Forwards requests, and injects what is drawn for them."""

    to: str
    faults: Faults
    log: TextIO
    requests: int = 0
    injected: Counter[str] = field(default_factory=Counter)
    following: float = 0.0
    """When pacing lets the next request through, on the loop's clock."""

    @property
    def summary(self) -> str:
        """How many requests came, and how many faults of each kind were injected."""
        kinds = [f"\n  {kind:20}{number:8,}" for kind, number in sorted(self.injected.items())]
        return f"{self.requests:,} requests, {self.injected.total():,} faults{''.join(kinds)}"

    async def serve(self, port: int, ready: Callable[[str], None]) -> None:
        """Serve until Ctrl-C or SIGTERM; `ready` gets the address and a hint. Raises OSError: the port is taken."""
        over = asyncio.Event()
        with suppress(NotImplementedError):  # on Windows Ctrl-C cancels us, and there is no SIGTERM
            for each in (signal.SIGINT, signal.SIGTERM):  # an exception could be raised, and lost, in any callback
                asyncio.get_running_loop().add_signal_handler(each, over.set)
        app = web.Application(client_max_size=0)  # no limit
        app.router.add_route("*", "/{path:.*}", self._answer)
        runner = web.AppRunner(
            app, handler_cancellation=True, auto_decompress=False, access_log=None, shutdown_timeout=0.1
        )
        cookies, no_limit = aiohttp.DummyCookieJar(), aiohttp.ClientTimeout(total=None)
        async with aiohttp.ClientSession(
            auto_decompress=False, cookie_jar=cookies, timeout=no_limit, trust_env=True,
            connector=aiohttp.TCPConnector(limit=0), skip_auto_headers=OWN_HEADERS,
        ) as self.session:  # fmt: skip
            await runner.setup()
            try:
                await web.TCPSite(runner, HOST, port, backlog=1024).start()
                ready(f"http://{HOST}:{runner.addresses[0][1]}\nUse this address as --api-base; Ctrl-C ends it.")
                await over.wait()
            finally:
                await runner.cleanup()

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        """What one request gets."""
        self.requests += 1
        body = await request.read()
        digest = _digest(f"{request.method} {request.raw_path}\n".encode() + body)
        if self._too_soon():
            self._note(request, Injection(digest, self.faults.came[digest] + 1, PACING, Random()))
            return _error(429, HEADERS["retry-after"])
        drawn = self.faults.draw(digest)
        try:
            return await self._injected(request, body, drawn)
        except aiohttp.ClientError as error:
            self._note(request, replace(drawn, kind="unreachable"))
            return _error(502, words=f"colosseum chaos cannot reach {self.to}: {error}")

    def _too_soon(self) -> bool:
        """Whether this request comes before the pace allows it."""
        if self.faults.pacing is None:
            return False
        now, earliest = asyncio.get_running_loop().time(), self.following
        if now >= earliest:
            self.following = now + 1 / self.faults.pacing
        return now < earliest

    async def _injected(self, request: web.Request, body: bytes, drawn: Injection) -> web.StreamResponse:
        """The fault that was drawn, or the answer."""
        match drawn.kind:
            case None:
                return await self._passed(request, body)
            case "refused":
                self._note(request, drawn)
                return _reset(request)
            case "server-error" | "rate-limit" | "retry-after" | "redirect" as kind:
                status = drawn.details.choice(ERRORS[kind])
                self._note(request, drawn, status=status)
                return _error(status, HEADERS.get(kind))
            case "slow":
                seconds = round(drawn.details.uniform(0, LATEST), 3)
                self._note(request, drawn, asked=True, seconds=seconds)
                await asyncio.sleep(seconds)
                return await self._passed(request, body)
            case "stalled":
                self._note(request, drawn)
                await web.StreamResponse(headers={"Content-Length": "100"}).prepare(request)
                await asyncio.Event().wait()  # until the client has gone
        return await self._spoilt(request, body, drawn)

    async def _passed(self, request: web.Request, body: bytes) -> web.StreamResponse:
        """The endpoint's answer, piece by piece as it comes."""
        async with self._ask(request, body) as answer:
            response = web.StreamResponse(status=answer.status, reason=answer.reason, headers=_kept(answer.headers))
            await response.prepare(request)
            try:
                async for piece in answer.content.iter_any():
                    await response.write(piece)
            except (aiohttp.ClientPayloadError, ConnectionError):  # the endpoint broke it off, or the client has gone
                return _reset(request)
            await response.write_eof()
            return response

    async def _spoilt(self, request: web.Request, body: bytes, drawn: Injection) -> web.StreamResponse:
        """The endpoint's answer, not as it came: cut, half of it, or in another shape."""
        async with self._ask(request, body, **{"Accept-Encoding": "identity"}) as answer:
            content, headers = await answer.read(), _kept(answer.headers)
        headers.popall("Content-Length", None)
        half = content[: len(content) // 2]
        if drawn.kind == "cut":
            self._note(request, drawn, asked=True, answer=_digest(content))
            headers["Content-Length"] = str(len(content))
            response = web.StreamResponse(status=answer.status, headers=headers)
            await response.prepare(request)
            await response.write(half)
            return _reset(request)
        spoilt = half if drawn.kind == "truncated" else reshaped(drawn.kind or "", content, drawn.details)
        if spoilt is not None:
            self._note(request, drawn, asked=True, answer=_digest(content))
        return web.Response(body=content if spoilt is None else spoilt, status=answer.status, headers=headers)

    def _ask(self, request: web.Request, body: bytes, **own: str) -> Context[aiohttp.ClientResponse]:
        """The endpoint, with everything that the client sent, and headers of our own."""
        headers = _kept(request.headers)
        headers.update(own)
        url = URL(self.to.rstrip("/") + request.raw_path, encoded=True)
        return self.session.request(request.method, url, headers=headers, data=body or None, allow_redirects=False)

    def _note(self, request: web.Request, drawn: Injection, *, asked: bool = False, **more: str | float) -> None:
        """A line of the log: what was injected, and whether the endpoint was asked, which it may charge for."""
        self.injected[drawn.kind or ""] += 1
        line = {"request": drawn.digest, "time": drawn.time, "path": request.path, "kind": drawn.kind, "asked": asked}
        self.log.write(json.dumps({**line, **more}) + "\n")
        self.log.flush()


def run_proxy(
    to: str, faults: str | None, *, seed: int, port: int, log: Path | None, ready: Callable[[str], None]
) -> Proxy:
    """Serve until Ctrl-C; the proxy says what was injected. Raises ColosseumError."""
    drawn = read_faults(faults, seed)
    address = urlsplit(to)
    if address.scheme not in ("http", "https") or not address.netloc or address.query:
        raise stop("C122", f"`--to {to}` is not an address", help="as in `--to https://api.openai.com/v1`")
    path = log or Path(os.devnull)
    with file_errors(path), path.open("a") as lines:
        proxy = Proxy(to, drawn, lines)
        try:
            with suppress(KeyboardInterrupt):
                asyncio.run(proxy.serve(port, ready))
        except OSError as error:
            help_ = "leave `--port` out, and a free one is taken"
            raise stop("C122", f"cannot serve at port {port}: {error.strerror}", help=help_) from None
    return proxy


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


def _kept(headers: Mapping[str, str]) -> CIMultiDict[str]:
    """Without those that concern one connection."""
    return CIMultiDict((name, value) for name, value in headers.items() if name.lower() not in HOP)


def _error(status: int, headers: Mapping[str, str] | None = None, words: str = "") -> web.Response:
    """An answer of no use, in the words that OpenAI and Anthropic share."""
    said = {"type": "error", "error": {"type": "injected", "message": words or "injected by colosseum chaos"}}
    return web.json_response(said, status=status, headers=headers)


def _reset(request: web.Request) -> web.Response:
    """End the connection without another word."""
    if request.transport is not None:
        made = request.transport.get_extra_info("socket")
        made.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        request.transport.abort()
    return web.Response()
