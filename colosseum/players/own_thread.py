"""Where users' own agents act. In: a coroutine function and its time limit; out: what it returned.

All agents of a process share one event loop in a thread of its own: so a client that they share works, and code that
blocks holds up other own agents but neither models nor the campaign. A loop that is blocked for longer than an act may
take is left behind: the act that blocks it is late, and the others are told to begin anew on another loop.
"""

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeVar

T = TypeVar("T")
GRACE = 1.0
"""Seconds that an act has to end by itself once its time is up."""


class HeldUp(Exception):  # noqa: N818 - no mistake of who is told
    """Another act blocked the loop: begin anew."""


class Late(Exception):  # noqa: N818 - what is wrong
    """An act did not end when its time was up."""


@dataclass(eq=False)
class Act:
    """An act under way."""

    answer: "asyncio.Future[Any]"
    """On the loop of who waits for it."""
    begun: float | None = None
    task: "asyncio.Task[None] | None" = None
    handle: "Future[None] | None" = None

    def settle(self, result: object) -> None:
        """Tell who waits; called from another thread."""
        with suppress(RuntimeError):  # whose loop is closed
            self.answer.get_loop().call_soon_threadsafe(self._set, result)

    def _set(self, result: object) -> None:
        if self.answer.done():
            return
        if isinstance(result, HeldUp):
            self.answer.set_exception(result)
        else:
            self.answer.set_result(result)


@dataclass
class AgentLoop:
    """One loop and its thread."""

    loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.new_event_loop)
    acts: list[Act] = field(default_factory=list)

    def __post_init__(self) -> None:
        threading.Thread(target=self._serve, name="own agents", daemon=True).start()

    def _serve(self) -> None:
        while True:
            with suppress(SystemExit, KeyboardInterrupt):  # raised by a task that an agent began
                self.loop.run_forever()

    def begin(self, act: Act, work: Callable[[], Coroutine[Any, Any, object]]) -> None:
        """Let it act."""

        async def worked() -> None:
            act.begun, act.task = time.monotonic(), asyncio.current_task()
            act.settle(await work())

        self.acts.append(act)
        act.handle = asyncio.run_coroutine_threadsafe(worked(), self.loop)

    def end(self, act: Act) -> None:
        """Nobody waits for it any more."""
        self.acts.remove(act)
        if act.handle is not None:
            act.handle.cancel()

    def give_up(self, act: Act) -> bool:
        """Whether an act that is over its time is to blame for that: else it waits until another one's time is up."""
        global _current
        running = asyncio.current_task(self.loop)
        if running is None:
            return True  # it does not obey, but blocks nobody
        if running is not act.task and any(running is other.task for other in self.acts):
            return False
        if _current is self:
            _current = None
        for other in self.acts:
            if other is not act:
                other.settle(HeldUp())
        return True


_current: AgentLoop | None = None
"""That of this process."""
_opening = threading.Lock()


async def carry_out(work: Callable[[], Coroutine[Any, Any, T]], seconds: float) -> T:
    """What work returned that never raises, and ends itself after so many seconds. Raises HeldUp, and Late."""
    global _current
    with _opening:
        place = _current = _current or AgentLoop()
    act = Act(asyncio.get_running_loop().create_future())
    place.begin(act, work)
    try:
        while not act.answer.done():
            left = seconds + GRACE - (0.0 if act.begun is None else time.monotonic() - act.begun)
            if left <= 0 and place.give_up(act):
                raise Late
            await asyncio.wait({act.answer}, timeout=max(left, GRACE))
        result: T = act.answer.result()
        return result
    finally:
        place.end(act)
