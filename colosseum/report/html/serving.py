"""A report that is served while runs go on. In: a campaign's folder; out: a server for browsers on this machine."""

import sys
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock
from typing import Any, Final

from colosseum.campaign.folder import Folder
from colosseum.diagnostics import ColosseumError, file_errors, stop
from colosseum.evidence.findings import read_campaign, read_report
from colosseum.report.files import read_content
from colosseum.report.html.page import render

HOST: Final = "127.0.0.1"
PATIENCE: Final = 60.0
"""Seconds that a browser may take to ask, and to take the answer."""


def ended(folder: Path) -> int:
    """How many of the planned runs have ended. Raises ColosseumError."""
    trials = read_campaign(folder).trials
    with file_errors(folder, verb="read", code="C123"):
        return sum(Folder(folder).result_path(each.trial).exists() for each in trials)


@dataclass
class LivePage:
    """The page of a campaign that may still go on; made anew once there is more to show."""

    folder: Path
    thoughts: bool = False
    made: tuple[tuple[str, int], ...] = ()
    """What had been written when the page was made: JSON of the plan, results and judges, with its times."""
    page: bytes = b""
    lock: Lock = field(default_factory=Lock)

    def current(self) -> bytes:
        """The page of all runs that have ended by now, as they were judged by now. Raises ColosseumError."""
        with self.lock:
            with file_errors(self.folder, verb="read", code="C123"):
                now = tuple((path.name, path.stat().st_mtime_ns) for path in sorted(self.folder.rglob("*.json")))
            if now != self.made or not self.page:
                content = read_content(self.folder, read_report(self.folder), thoughts=self.thoughts)
                self.page, self.made = render(content, live=True).encode("utf-8", "replace"), now
            return self.page

    def state(self) -> bytes:
        """How many runs have ended by now, as JSON. Raises ColosseumError."""
        return f'{{"runs": {ended(self.folder)}}}'.encode()


class Server(ThreadingHTTPServer):
    """Says nothing of browsers that go before they are answered."""

    def __init__(self, live: LivePage, port: int) -> None:
        super().__init__((HOST, port), Handler)
        self.live = live

    @property
    def url(self) -> str:
        """Where the page is."""
        return f"http://{HOST}:{self.server_port}/"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Called where an answer failed."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


class Handler(BaseHTTPRequestHandler):
    """Answers two questions of browsers on this machine, and nothing else."""

    server: Server
    timeout = PATIENCE

    def do_GET(self) -> None:
        """Under another name it would be a page of somebody else's."""
        live, place = self.server.live, f":{self.server.server_port}"
        answers = {"/": ("text/html; charset=utf-8", live.current), "/state": ("application/json", live.state)}
        if self.headers.get("Host", "") not in (HOST + place, "localhost" + place):
            self._say(HTTPStatus.FORBIDDEN, "text/plain", b"not for other names")
        elif (found := answers.get(self.path)) is None:
            self._say(HTTPStatus.NOT_FOUND, "text/plain", b"not found")
        else:
            try:
                self._say(HTTPStatus.OK, found[0], found[1]())
            except ColosseumError as wrong:
                words = str(wrong).encode("utf-8", "replace")
                self._say(HTTPStatus.INTERNAL_SERVER_ERROR, "text/plain; charset=utf-8", words)

    def _say(self, status: HTTPStatus, kind: str, content: bytes) -> None:
        self.send_response(status)
        size = str(len(content))
        for name, value in (("Content-Type", kind), ("Content-Length", size), ("Cache-Control", "no-store"),
                            ("X-Content-Type-Options", "nosniff")):  # fmt: skip
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name in the base class
        """Say nothing of each request."""


def serving(live: LivePage, port: int) -> Server:
    """A server of the page at a port, or at a free one. Raises ColosseumError."""
    live.current()  # what is wrong with the folder is said here, not in a browser
    try:
        return Server(live, port)
    except OSError as error:
        help_ = "leave `--port` out, and a free one is taken"
        raise stop("C122", f"cannot serve at port {port}: {error.strerror}", help=help_) from None
