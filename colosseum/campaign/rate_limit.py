"""The rate limit of one model. In: outcomes of calls; out: when the next call may begin.

Room doubles while calls succeed, up to a most. When the provider limits the rate it halves, at most once for all the
calls that were under way then, and nothing begins before the time that the provider asked to wait is over. Then it
doubles again to just below where it was cut, rests there, and grows slowly until it is cut again. It grows only while
somebody waits for it, so it is never more than was tried.

Room of 20 for calls that take 2 s is 10 calls a second. Once a limit was met calls begin at about that pace, one after
the other: many providers turn away calls that come all at once even where they would take as many in a second. Room of
less than 1 is a call now and then.
"""

import asyncio
import math
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

START = 16
"""Calls at once to begin with."""
LEAST = 0.25
"""Room that is left however often it is cut."""
BELOW = 0.95
"""Of the room that was too much: to there it grows back at once."""
STEADY = 15.0
"""Seconds that it rests there, and in which it doubles after that. The first rests are shorter, to find the limit."""
EVENLY = 1.05
"""How much faster than evenly calls may begin: those that take long leave room for others."""
LATE = 0.05
"""Seconds by which a call that began late does not delay the next one: timers are never exact."""
MEMORY = 0.05
"""The weight of one call in what calls take."""


@dataclass
class Turn:
    """One call under way."""

    gate: "RateLimit"
    cuts: int
    """How often room had been cut when it began."""
    begun: float
    """On the loop's clock."""

    def succeeded(self) -> None:
        """An answer came."""
        gate = self.gate
        took = gate.clock() - self.begun
        gate.seconds = took if gate.seconds is None else gate.seconds + MEMORY * (took - gate.seconds)
        gate.answered = True
        gate.grow()

    def limited(self, after: float | None) -> None:
        """The provider limits the rate, and asks to wait so many seconds."""
        if self.cuts == self.gate.cuts:
            self.gate.cut()
        if after:
            self.gate.hold(after)


@dataclass
class RateLimit:
    """The room of one model."""

    most: int
    clock: Callable[[], float] = field(default=lambda: asyncio.get_running_loop().time())
    room: float = field(init=False)
    enough: float = field(init=False, default=math.inf)
    """Room up to which it grows at once."""
    rested: float = field(init=False, default=0.0)
    """Until when it then rests, and when it last grew after that."""
    cuts: int = field(init=False, default=0)
    """How often room was halved."""
    answered: bool = field(init=False, default=True)
    """Whether anything was since it was cut."""
    seconds: float | None = field(init=False, default=None)
    """What calls take of late."""
    under_way: int = field(init=False, default=0)
    until: float = field(init=False, default=-math.inf)
    """Nothing begins before this moment on the loop's clock."""
    following: float = field(init=False, default=-math.inf)
    """When the pace lets the next call begin."""
    waiting: deque["asyncio.Future[None]"] = field(init=False, default_factory=deque)
    timer: asyncio.TimerHandle | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        self.room = float(min(START, self.most))

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[Turn]:
        """Waits for room; within the block a call is under way."""
        await self._enter()
        try:
            yield Turn(self, self.cuts, self.clock())
        finally:
            self.under_way -= 1
            self._wake()

    @property
    def closed(self) -> float:
        """Seconds for which the provider asked to wait, from now on; at most 0 where it did not."""
        return self.until - self.clock()

    @property
    def pace(self) -> float | None:
        """Calls that may begin in a second; None where no limit was met yet."""
        return None if self.seconds is None or self.cuts == 0 else EVENLY * self.room / max(self.seconds, 1e-3)

    def grow(self) -> None:
        """Make more room, if somebody waits for it."""
        now = self.clock()
        if self.room < self.enough:
            if self.waiting:
                self.room = min(self.enough, self.room + min(1.0, self.room))
        elif now > self.rested:
            if self.waiting:
                self.room *= 2.0 ** ((now - self.rested) / STEADY)
            self.rested = now
        self.room = min(float(self.most), self.room)

    def cut(self) -> None:
        """Halve the room."""
        if self.answered:
            self.enough = BELOW * self.room
        self.answered = False
        self.room = max(LEAST, self.room / 2)
        self.cuts += 1
        self.rested = self.clock() + min(STEADY, 2.0 ** min(self.cuts, 10))

    def hold(self, seconds: float) -> None:
        """Begin nothing for so long."""
        self.until = max(self.until, self.clock() + seconds)

    def _wait(self) -> float | None:
        """Seconds until the next call may begin, at most 0 for at once; None when another one must end first."""
        if self.under_way >= math.ceil(self.room):
            return None
        return max(self.until, self.following) - self.clock()

    async def _enter(self) -> None:
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.waiting.append(place)
        self._wake()
        try:
            await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled():  # it had been let in already
                self.under_way -= 1
                self._wake()
            else:
                with suppress(ValueError):  # it may have been passed over in the meantime
                    self.waiting.remove(place)
            raise

    def _wake(self) -> None:
        """Let in as many as there is room for, and come back when it is time for more."""
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None
        while self.waiting:
            wait = self._wait()
            if wait is None:
                return
            if wait > 0:
                self.timer = asyncio.get_running_loop().call_later(wait, self._wake)
                return
            place = self.waiting.popleft()
            if not place.done():
                self._begin()
                place.set_result(None)

    def _begin(self) -> None:
        self.under_way += 1
        pace = self.pace
        if pace is not None:
            self.following = max(self.following, self.clock() - LATE) + 1.0 / pace
