"""Keeps to the limits of a provider that nobody tells. In: calls of one model; out: when each may begin.

Two things are limited: calls at once (`room`), and calls that begin in a second (`pace`, no limit until one is met).
Both grow only while somebody waits for them, so they are never more than was tried.

A refusal lowers the pace a little, and every answer raises it by much less, so that it settles where about one call in
sixty is refused. Where half of the calls are refused the pace falls faster. A wait of a second or two is for the call
that was asked to wait; a longer one is for all. Room is cut instead where the call that was refused began beside more
others than any that was answered.

Some providers turn calls away at random, however few there are. After several cuts in a row a test shows which it is,
below the pace that was granted meanwhile: there a limit turns nobody away. Where some still are, that share is usual
from then on, the cuts are undone, and only more than that cuts the pace again.
"""

import asyncio
import math
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

START = 16  # calls at once to begin with
LEAST, FIRST = 0.25, 1.0  # calls a second that are left however often the pace is cut, and by the first cut
BELOW = 0.96  # of the pace that was too much: to there it is cut, and to there it grows back at once
FAR, FARTHER = 0.7, 0.5  # the same where every other call is refused: as long as few are counted, and after that
FEW = 4  # calls of which a refused half says little of how far the pace is from the limit
AT_ONCE = 1.25  # by how much every answer raises a pace that is below that
GROWTH, MANY = 0.0007, 100.0
"""By how much every answer raises a pace above that, and answers in a row after which each raises it by more."""
STEADY = 30.0  # seconds without a cut after which it grows faster. The first are shorter, to find the limit.
DOUBLING = 15.0  # seconds in which it doubles then, as room does
SOON = 15.0  # seconds after a cut in which another one belongs to the same series: less than a rest
DOUBTS, MOST_DOUBTS = 5, 24  # cuts in a series of which the last is a test; twice as many whenever a limit was met
TESTING = 0.9  # of what was granted: the pace of a test
TESTED, LASTING = 25, 200  # calls of a test at least, and calls after which counts fade
KNOWN, AGAIN = 10, 3  # answers that show how many calls at once are answered, and that show it once more
PERSISTING, SHOWN = 4.0, 0.15
"""Refusals that a test waits for, if as large a share is refused as before, and the most that this share counts."""
WORSE, BETTER = 3.0, 2.0
"""Standard deviations by which more than usual are turned away before a cut, or fewer before less is usual."""
BRIEF, SHORT = 2.0, 10.0  # seconds to wait that concern one call alone; the second where it is usual to be turned away


@dataclass
class Turn:
    """One call under way."""

    gate: "RateLimit"
    cuts: int
    """How many cuts there had been when it began."""
    beside: int
    """Calls that were under way when it began, with it."""

    def sent(self) -> None:
        """It goes out, later than it was let in: so that the next one keeps its distance, that counts from here."""
        self.gate.following = max(self.gate.following, self.gate.clock() + 1.0 / self.gate.pace)

    def succeeded(self) -> None:
        """An answer came."""
        if self.cuts == self.gate.cuts:
            self.gate.answered += 1
            self.gate.most_beside = max(self.gate.most_beside, self.beside)
            self.gate.judge()
        if self.cuts >= self.gate.first:
            self.gate.grow()

    def limited(self, after: float | None) -> None:
        """The provider limits the rate, and asks to wait so many seconds."""
        gate = self.gate
        if self.cuts == gate.cuts:
            gate.refuse(self.beside)
        elif self.cuts >= gate.first:
            gate.then = gate.then[0], gate.then[1], gate.then[2] + 1
        if after and after > (SHORT if gate.usual > 0 else BRIEF):
            gate.until = max(gate.until, gate.clock() + after)


@dataclass
class RateLimit:
    """The room and the pace of one model."""

    most: int
    clock: Callable[[], float] = field(default=lambda: asyncio.get_running_loop().time())
    room: float = field(init=False)
    """Calls at once."""
    full: float = field(init=False, default=math.inf)
    """Room up to which it grows at once."""
    pace: float = field(init=False, default=math.inf)
    """Calls that may begin in a second."""
    enough: float = field(init=False, default=math.inf)
    """The pace up to which it grows at once."""
    rested: float = field(init=False, default=math.inf)
    """Until when room rests and the pace grows slowly, and when they last grew after that."""
    cuts: int = field(init=False, default=0)
    cut_at: float = field(init=False, default=0.0)
    """When the last cut was."""
    since: float = field(init=False, default=math.inf)
    """When these counts of calls begin: with the last cut."""
    begun: float = field(init=False, default=0.0)
    refused: float = field(init=False, default=0.0)
    answered: int = field(init=False, default=0)
    most_beside: int = field(init=False, default=0)
    """Calls under way, at most, when one began that was answered."""
    crowds: int = field(init=False, default=0)
    """Refusals in a row that began beside more calls than any that was answered."""
    series: int = field(init=False, default=0)
    """Cuts, each soon after the one before."""
    first: int = field(init=False, default=0)
    """How many cuts there had been before the series."""
    then: tuple[float, float, float] = field(init=False, default=(0.0, 0.0, 0.0))
    """Of the series, seconds, calls and those that were refused."""
    untroubled: float = field(init=False, default=math.inf)
    """The pace before the series."""
    doubts: int = field(init=False, default=DOUBTS)
    """So many cuts in a series make the last one a test."""
    tested: float | None = field(init=False, default=None)
    """While the last cut is a test: the share that was refused before."""
    usual: float = field(init=False, default=0.0)
    """The share that is turned away however few calls there are."""
    under_way: int = field(init=False, default=0)
    until: float = field(init=False, default=-math.inf)
    """Nothing begins before this moment on the loop's clock."""
    following: float = field(init=False, default=-math.inf)
    """When the pace lets the next call begin."""
    waiting: int = field(init=False, default=0)
    """Calls that have not begun."""
    loop: asyncio.AbstractEventLoop | None = field(init=False, default=None)
    """That the door and the event are of: runs and judges are asked one after the other, each in a loop of its own."""
    door: asyncio.Lock = field(init=False)
    """Held by the one that begins next; all others stand in line for it."""
    ended: asyncio.Event = field(init=False)
    """Set when a call ends: it may have made room."""

    def __post_init__(self) -> None:
        self.room = float(min(START, self.most))

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[Turn]:
        """Waits for room; within the block a call is under way."""
        if self.loop is not (loop := asyncio.get_running_loop()):
            self.loop, self.door, self.ended = loop, asyncio.Lock(), asyncio.Event()
        self.waiting += 1
        try:
            async with self.door:
                while (wait := self._wait()) is None or wait > 0:
                    self.ended.clear()
                    with suppress(TimeoutError):
                        async with asyncio.timeout(wait):
                            await self.ended.wait()
                self._begin()
        finally:
            self.waiting -= 1
        try:
            yield Turn(self, self.cuts, self.under_way)
        finally:
            self.under_way -= 1
            self.ended.set()

    @property
    def closed(self) -> float:
        """Seconds for which nothing begins, from now on; at most 0 where something may."""
        return self.until - self.clock()

    def grow(self) -> None:
        """Make more room and go faster, if somebody waits for it."""
        now, fully = self.clock(), self.under_way >= math.ceil(self.room)
        if self.waiting and self.tested is None and now >= self.until:
            slowly = 2.0 ** min(10.0, max(0.0, now - self.rested) / DOUBLING)  # after a pause of hours, too
            if self.room < self.full:
                self.room = min(self.full, self.room + 1.0)
            elif fully:
                self.room *= slowly
            if not fully:
                faster = max(slowly, 1 + GROWTH * max(1.0, self.answered / MANY))
                self.pace = min(self.enough, AT_ONCE * self.pace) if self.pace < self.enough else faster * self.pace
        self.rested = max(self.rested, now)
        self.room = min(float(self.most), self.room)

    def refuse(self, beside: int) -> None:
        """Note that a call was turned away; where that is not as usual, cut the pace or the room."""
        self.refused += 1
        usual = self.usual * self.begun
        if self.tested is not None:
            self.judge()
        elif self.refused > usual + WORSE * math.sqrt(usual) + 2 * (self.usual > 0):
            self.cut(beside)

    def judge(self) -> None:
        """See whether a test helped, once it can be seen, or whether fewer than usual are turned away by now."""
        share = self.refused / max(1.0, self.begun)
        if self.tested is None:
            if self.begun > LASTING:
                usual = self.usual * self.begun
                if self.refused < usual - BETTER * math.sqrt(usual):
                    self.usual = (self.usual + share) / 2
                self.begun, self.refused, self.since = self.begun / 2, self.refused / 2, (self.since + self.clock()) / 2
            return
        more = min(SHOWN, self.tested - self.usual)
        if self.refused > 4 + 0.4 * self.begun:
            self.tested = None
            self.cut(0)
        elif self.begun >= TESTED and (self.begun * more >= PERSISTING or self.begun >= 2 * LASTING):
            self.tested, self.series, self.doubts = None, 0, min(2 * self.doubts, MOST_DOUBTS)
            if share - self.usual > 0.4 * more and self.refused >= 2:  # the cuts were of no use
                self.usual, self.doubts = share, DOUBTS
                self.full, self.enough = math.inf, max(self.enough, self.untroubled)
            self.usual = min(self.usual, (self.usual + share) / 2)
            self._count_anew()

    def cut(self, beside: int) -> None:
        """Lower the pace after a refusal, or the room."""
        now = self.clock()
        if self.series == 0 or now >= self.cut_at + SOON:
            self.series, self.first, self.then, self.untroubled = 0, self.cuts, (0.0, 0.0, 0.0), self.pace
        seconds, begun, refused = self.then
        seconds, begun, refused = seconds + now - self.since, begun + self.begun, refused + self.refused
        granted = max(0.0, begun - refused) / max(seconds, 1.0)
        self.series, self.then = self.series + 1, (seconds, begun, refused)
        if self.pace == math.inf:
            self.pace, self.then = max(FIRST, granted), (0.0, 0.0, 0.0)
        elif self.series > 1 and 2 * self.refused >= self.begun and 2 * refused >= begun:
            if self.begun > self.refused or self.enough == math.inf:
                self.enough = BELOW * self.pace
            self.pace *= FAR if begun < FEW else FARTHER
            if begun >= FEW:
                self.series, self.then, self.first = 1, (0.0, 0.0, 0.0), self.cuts + 1
        elif self._crowded(beside):
            self.room = self.full = float(self.most_beside)
        elif (self.series >= self.doubts or self.usual > 0) and begun >= TESTED:
            granted = max(granted, self.pace / 2) if self.pace < 4 * granted else granted  # most of it, with pauses
            self.tested, self.enough = refused / begun, min(BELOW * self.pace, 2 * granted)
            self.pace = TESTING * min(self.pace, granted)
        else:
            self.enough = self.pace = self.pace * (BELOW if 2 * self.refused < self.begun else BELOW**2)
        self.pace = max(LEAST, self.pace)
        self.cut_at, self.cuts = now, self.cuts + 1
        self.rested = now + min(STEADY, 2.0 ** min(self.cuts, 10))
        self._count_anew()

    def _crowded(self, beside: int) -> bool:
        """Whether calls at once are limited: twice in a row one was refused beside more than any that was answered."""
        known = self.answered >= (AGAIN if self.crowds else KNOWN)
        if known:
            self.crowds = self.crowds + 1 if beside > self.most_beside else 0
        return known and self.crowds > 1

    def _count_anew(self) -> None:
        self.since, self.begun, self.refused, self.answered, self.most_beside = self.clock(), 0.0, 0.0, 0, 0

    def _wait(self) -> float | None:
        """Seconds until the next call may begin, at most 0 for at once; None when another one must end first."""
        if self.under_way >= math.ceil(self.room):
            return None
        return max(self.until, self.following) - self.clock()

    def _begin(self) -> None:
        now = self.clock()
        self.since = min(self.since, now)
        self.under_way += 1
        self.begun += 1
        self.following = now + 1.0 / self.pace
