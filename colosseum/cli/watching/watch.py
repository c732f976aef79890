"""Tells what is seen, in the way that was asked for. In: trials, attempts and events; out: a view, told by a clock.

Nothing is drawn when something happens: a thread looks now and then. A stream that nobody reads any more ends the
telling, not the runs.
"""

import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from threading import Event, Lock, Thread
from types import TracebackType
from typing import Literal, Protocol, TextIO, TypeAlias, get_args

from colosseum.audit.campaign.folder import Result
from colosseum.audit.campaign.retry import Attempt
from colosseum.audit.campaign.runner import Became
from colosseum.audit.trial import Listed, Trial
from colosseum.cli.watching.plain import PlainLines
from colosseum.cli.watching.seen import Seen
from colosseum.cli.watching.stream import JsonLines
from colosseum.cli.words import stop
from colosseum.diagnostics import closest
from colosseum.model.json_text import Json
from colosseum.players.models.request import Request

Display: TypeAlias = Literal["rich", "plain", "json", "none"]


class View(Protocol):
    """One way of telling."""

    every: float
    """Seconds between two calls of `tell`."""

    def begin(self) -> None:
        """Before the first trial."""
        ...

    def ended(self, trial: Listed, became: Became, result: Result | None) -> None:
        """A trial has become what it is."""
        ...

    def tell(self, seen: Seen) -> None:
        """Time has passed."""
        ...

    def finish(self, seen: Seen) -> None:
        """After the last trial."""
        ...


class Watch:
    """Hears of a campaign and tells of it while it is entered."""

    def __init__(self, display: Display, seen: Seen, *, stream: TextIO) -> None:
        self.seen = seen
        self.view = _view(display, stream)
        self.done, self.lock = Event(), Lock()
        self.thread: Thread | None = None

    def __enter__(self) -> "Watch":
        if self.view is not None:
            self.view.begin()
            self.thread = Thread(target=self._look_on, args=(self.view,), daemon=True)
            self.thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.done.set()
        if self.thread is not None:
            self.thread.join()
        if self.view is not None:
            with suppress(OSError):
                self.view.finish(self.seen)

    def trial(self, trial: Listed, became: Became, result: Result | None) -> None:
        """One more trial has become what it is."""
        self.seen.trial(trial, became, result)
        if self.view is not None:
            try:
                with self.lock:
                    self.view.ended(trial, became, result)
            except OSError:
                self.view = None

    def call(self, request: Request, attempt: Attempt) -> None:
        """A model was asked."""
        if self.view is not None:
            self.seen.call(request, attempt)

    def event(self, trial: Trial, event: str, content: Mapping[str, Json]) -> None:
        """Something happened in a run."""
        if self.view is not None:
            self.seen.event(trial, event, content)

    def _look_on(self, view: View) -> None:
        with suppress(OSError):
            while not self.done.wait(view.every):
                with self.lock:
                    view.tell(self.seen)


def _view(display: Display, stream: TextIO) -> View | None:
    match display:
        case "rich":
            from colosseum.cli.watching.live import LiveView

            return LiveView(stream)
        case "plain":
            return PlainLines(stream)
        case "json":
            return JsonLines(stream)
        case "none":
            return None


def read_display(words: str | None, *, stream: TextIO | None = None) -> Display:
    """The display of this name; where none is named, or rich has no terminal to draw on, what suits. Raises Stop."""
    can_draw = drawable(stream or sys.stderr)
    for display in get_args(Display):
        if words == display and (can_draw or display != "rich"):
            found: Display = display
            return found
    if words not in (None, "rich"):
        known = get_args(Display)
        raise stop("C122", f"`--display {words}` is none of {', '.join(known)}", help=closest(words, known))
    return "rich" if can_draw else "plain"


def drawable(stream: TextIO) -> bool:
    """Whether the stream is a terminal on which lines can be drawn anew."""
    return stream.isatty() and os.environ.get("TERM", "").lower() not in ("dumb", "unknown")
