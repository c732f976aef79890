"""The threads of a loop, without one for what litellm prepares. In: work of a loop; out: its future."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import ContextVar
from functools import partial
from typing import ParamSpec, TypeVar
from weakref import WeakSet

P = ParamSpec("P")
T = TypeVar("T")

ASYNCHRONOUS = frozenset(
    (
        "anthropic", "deepseek", "fireworks_ai", "groq", "hosted_vllm", "mistral", "openai", "openrouter",
        "together_ai", "xai",
    )
)  # fmt: skip
"""Providers for which litellm only makes a coroutine: it waits neither for a network nor for a disk on the way."""

THREADS = "colosseum"
"""How their names begin."""

_preparing: ContextVar[bool] = ContextVar("preparing", default=False)
_known: WeakSet[asyncio.AbstractEventLoop] = WeakSet()


class Threads(ThreadPoolExecutor):
    """Does at once what litellm would have a thread prepare, where it waits for nothing; a change of threads takes
    longer than the work. litellm hands over a `partial`; anything else, such as the look for an address, waits.
    """

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """As any executor: what the work raises is the future's."""
        if not (_preparing.get() and isinstance(fn, partial)):
            return super().submit(fn, *args, **kwargs)
        future = Future[T]()
        try:
            future.set_result(fn(*args, **kwargs))
        except BaseException as error:  # noqa: BLE001 - the asker's, who waits for the future
            future.set_exception(error)
        return future


def prepare(model: str) -> None:
    """Lets the running task's next call of `model` be prepared without a thread, where that cannot hold up others."""
    _preparing.set(model.partition("/")[0] in ASYNCHRONOUS)
    loop = asyncio.get_running_loop()
    if loop not in _known:
        loop.set_default_executor(Threads(thread_name_prefix=THREADS))
        _known.add(loop)
