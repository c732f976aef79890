"""How many calls one model gets at once. In: what became of calls; out: when the next may begin.

Room doubles while calls succeed, up to a most; it halves when the provider limits the rate, at most once for all the
calls that were under way then, and grows by one a round from there on. Nothing begins before the time that the
provider asked to wait is over.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

START = 16
"""Calls at once to begin with."""


@dataclass
class Turn:
    """One call under way."""

    gate: "Gate"
    begun: int
    """How often room had been cut when it began."""

    def succeeded(self) -> None:
        """An answer came."""
        gate = self.gate
        step = 1.0 if gate.cuts == 0 else 1.0 / gate.room
        gate.room = min(float(gate.most), gate.room + step)

    def limited(self, after: float | None) -> None:
        """The provider limits the rate, and asks to wait so many seconds."""
        gate = self.gate
        if self.begun == gate.cuts:
            gate.room, gate.cuts = max(1.0, gate.room / 2), gate.cuts + 1
        if after:
            gate.hold(after)


@dataclass
class Gate:
    """The room of one model."""

    most: int
    clock: Callable[[], float] = field(default=lambda: asyncio.get_running_loop().time())
    room: float = field(init=False)
    cuts: int = field(init=False, default=0)
    """How often room was halved."""
    under_way: int = field(init=False, default=0)
    until: float = field(init=False, default=0.0)
    """Nothing begins before this moment on the loop's clock."""
    waiting: deque["asyncio.Future[None]"] = field(init=False, default_factory=deque)
    timer: asyncio.TimerHandle | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        self.room = float(min(START, self.most))

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[Turn]:
        """Waits for room; within the block a call is under way."""
        await self._enter()
        try:
            yield Turn(self, self.cuts)
        finally:
            self.under_way -= 1
            self._wake()

    def hold(self, seconds: float) -> None:
        """Begin nothing for so long."""
        self.until = max(self.until, self.clock() + seconds)
        if self.timer is not None:
            self.timer.cancel()
        loop = asyncio.get_running_loop()
        self.timer = loop.call_later(max(0.0, self.until - self.clock()), self._wake)

    @property
    def _open(self) -> bool:
        return self.under_way < int(self.room) and self.clock() >= self.until

    async def _enter(self) -> None:
        if self._open and not self.waiting:
            self.under_way += 1
            return
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.waiting.append(place)
        try:
            await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled():  # it had been let in already
                self.under_way -= 1
                self._wake()
            else:
                self.waiting.remove(place)
            raise

    def _wake(self) -> None:
        """Let in as many as there is room for."""
        while self.waiting and self._open:
            place = self.waiting.popleft()
            if not place.done():
                self.under_way += 1
                place.set_result(None)
