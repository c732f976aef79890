"""The thread of users' own agents. In: a coroutine function and its time limit; out: what it returned.

All agents of a process share one event loop in a thread of its own: so a client that they share works, and code that
blocks holds up other own agents but neither models nor the campaign. A loop that is blocked for longer than an act may
take is left behind: the act that blocks it is late, and the others are told to begin anew on another loop.
"""

import asyncio
import math
import threading
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeVar

T = TypeVar("T")
GRACE = 1.0  # seconds that an act has to end by itself once its time is up


class HeldUp(Exception):  # noqa: N818 - not an error of the agent that is told
    """Another act blocked the loop: begin anew."""


class Late(Exception):  # noqa: N818 - what is wrong
    """An act did not end when its time was up."""


@dataclass(eq=False)
class UnderWay:
    """An act under way."""

    answer: "Future[Any]" = field(default_factory=Future)
    begun: float = math.inf
    task: "asyncio.Task[None] | None" = None


class AgentLoop:
    """One loop and its thread."""

    def __init__(self) -> None:
        self.loop, self.acts = asyncio.new_event_loop(), list[UnderWay]()
        self.loop.set_exception_handler(_told)
        threading.Thread(target=self._serve, name="own agents", daemon=True).start()

    def _serve(self) -> None:
        while True:
            with suppress(SystemExit, KeyboardInterrupt):  # raised by a task that an agent began
                self.loop.run_forever()

    def give_up(self, act: UnderWay) -> bool:
        """Whether an act that is over its time is to blame for that: else it waits until another one's time is up."""
        global _current
        running = asyncio.current_task(self.loop)
        if running is None or running is act.task or all(running is not other.task for other in self.acts):
            if running is not None:
                _current = None if _current is self else _current
                for other in self.acts:
                    with suppress(InvalidStateError):
                        other.answer.set_exception(HeldUp())
            return True
        return False


def _told(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """An agent's own task that exits is not logged as an unhandled error."""
    if not isinstance(context.get("exception"), SystemExit | KeyboardInterrupt):
        loop.default_exception_handler(context)


_current: AgentLoop | None = None  # that of this process
_opening = threading.Lock()


async def carry_out(work: Callable[[], Coroutine[Any, Any, T]], seconds: float) -> T:
    """What work returned that never raises, and ends itself after so many seconds. Raises HeldUp, and Late."""
    global _current
    with _opening:
        place = _current = _current or AgentLoop()
    act = UnderWay()

    async def worked() -> None:
        act.begun, act.task = time.monotonic(), asyncio.current_task()
        result = await work()
        with suppress(InvalidStateError):  # nobody waits any more
            act.answer.set_result(result)

    place.acts.append(act)
    handle, waiting = asyncio.run_coroutine_threadsafe(worked(), place.loop), asyncio.wrap_future(act.answer)
    try:
        while not waiting.done():
            left = act.begun + seconds + GRACE - time.monotonic()
            if left <= 0 and place.give_up(act):
                raise Late
            await asyncio.wait({waiting}, timeout=min(max(left, GRACE), seconds + GRACE))
        result: T = waiting.result()
        return result
    finally:
        place.acts.remove(act)
        handle.cancel()
        waiting.cancel()
