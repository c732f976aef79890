"""Waits for a coroutine, wherever it is asked. In: a coroutine; out: its result."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")


def completed(work: Coroutine[None, None, T]) -> T:
    """The result of a coroutine, also where this thread runs an event loop already, as a notebook does."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with ThreadPoolExecutor(1) as beside:
        return beside.submit(asyncio.run, work).result()
