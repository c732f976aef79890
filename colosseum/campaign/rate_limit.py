"""The rate limit of one model. In: outcomes of calls; out: when the next call may begin.

Room doubles while calls succeed, up to a most. When the provider limits the rate it halves, at most once for all the
calls that were under way then, and nothing begins before the time that the provider asked to wait is over. Then it
doubles again to just below where it was cut, rests there, and grows slowly until it is cut again. It grows only while
somebody waits for it, so it is never more than was tried.

Room of 20 for calls that take 2 s is 10 calls a second. Once a limit was met calls begin at about that pace, one after
the other: many providers turn away calls that come all at once even where they would take as many in a second. Room of
less than 1 is a call now and then.

Some providers turn calls away at random, however few there are. A cut shows which it is: where a limit was met, half
the room ends it; where as large a share is turned away as before, the cut is undone, and that share is usual from then
on: only more than that cuts the room again.
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
LATE = 0.02
"""Seconds by which a call that began late does not delay the next one: timers are never exact."""
MEMORY = 0.05
"""The weight of one call in what calls take, and in the share that is turned away."""
SOON = 10.0
"""Seconds after a cut in which another one is a test of whether cuts help."""
DOUBTS, MOST_DOUBTS = 3, 24
"""Cuts, each soon after the one before, of which the last is a test; twice as many whenever a limit was met."""
TESTED, LASTING = 25, 200
"""Calls of a test at least, and calls after which counts fade."""
WORSE = 3.0
"""Standard deviations by which more than usual are turned away before room is cut."""
SHORT = 10.0
"""Seconds to wait that concern one call alone, where it is usual to be turned away."""


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
        if self.cuts == gate.cuts:
            gate.count(refused=False)
        gate.grow()

    def limited(self, after: float | None) -> bool:
        """The provider limits the rate, and asks to wait so many seconds; whether that is as usual."""
        gate = self.gate
        usual = gate.usual > 0
        if self.cuts == gate.cuts:
            usual = gate.count(refused=True)
        if after and (not usual or after > SHORT):
            gate.hold(after)
        return usual


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
    cut_at: float = field(init=False, default=0.0)
    """When room was halved last."""
    cuts: int = field(init=False, default=0)
    """How often room was halved."""
    share: float = field(init=False, default=0.0)
    """Of late calls, how many were turned away."""
    usual: float = field(init=False, default=0.0)
    """The share that is turned away however few calls there are."""
    seen: float = field(init=False, default=0.0)
    """Calls that began after the last cut and came back."""
    refused: float = field(init=False, default=0.0)
    """Of them, those that were turned away."""
    tested: tuple[float, float] | None = field(init=False, default=None)
    """While a cut is a test: the room and the share turned away before it."""
    rows: int = field(init=False, default=0)
    """Cuts, each soon after the one before."""
    doubts: int = field(init=False, default=DOUBTS)
    """So many of them make the next one a test."""
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
        if self.tested is not None:
            return
        if self.room < self.enough:
            if self.waiting:
                self.room = min(self.enough, self.room + min(1.0, self.room))
        elif now > self.rested:
            if self.waiting:
                self.room *= 2.0 ** ((now - self.rested) / STEADY)
            self.rested = now
        self.room = min(float(self.most), self.room)

    def count(self, *, refused: bool) -> bool:
        """Note how a call went; where it was turned away, whether that is as usual, or else cut the room."""
        self.seen, self.refused = self.seen + 1, self.refused + refused
        self.share += MEMORY * (refused - self.share)
        if self.tested is not None:
            self._test(*self.tested)
            return False
        usual = self.usual * self.seen
        spread = WORSE * math.sqrt(usual)
        if refused and self.refused > usual + spread + 2 * (usual > 0):
            self.cut()
            return False
        if self.seen > LASTING:
            self.usual = self.usual if self.refused > usual - spread else self.refused / self.seen
            self.seen, self.refused = self.seen / 2, self.refused / 2
        return True

    def _test(self, room: float, share: float) -> None:
        """See whether a cut helped, once it can be seen: a limit that was met leaves next to none to be turned away."""
        late, found = self.clock() > self.cut_at + SOON / 2, self.refused / self.seen
        if self.refused > max(4, self.seen / 2):
            self.cut()
        elif self.seen >= TESTED and (self.seen * share >= 2 or late):
            often = self.seen > self.clock() - self.cut_at  # where there is hardly a call a second, a limit was met
            same = 0.6 * share <= found <= 2 * share and share <= 0.4 and often
            if self.refused >= 2 and found > 0.3 * share and often and not same:  # the share was not known well
                self.share = found
                self.cut()
                return
            usual, self.usual = max(self.usual, found), 0.0
            self.tested, self.rows, self.doubts = None, 0, min(2 * self.doubts, MOST_DOUBTS)
            if self.refused >= 2 and same:  # the cut was of no use
                self.usual, self.room, self.enough, self.doubts = usual, room, math.inf, DOUBTS

    def cut(self) -> None:
        """Halve the room, as a test where it was cut a short time ago, or where some are turned away as usual."""
        self.rows = self.rows + 1 if self.seen < LASTING or self.clock() < self.cut_at + SOON else 1
        if self.tested is not None:
            self.tested = self.tested[0], self.share
        elif self.rows >= self.doubts or self.usual > 0:
            self.tested = self.room, self.share
        self.seen = self.refused = 0.0
        self.cut_at = self.clock()
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
