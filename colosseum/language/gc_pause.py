"""Pauses Python's garbage collector. In: work that makes many objects and no circles of them; out: the same work."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def gc_paused() -> Iterator[None]:
    """No collections inside: each would go through all terms made so far and free nothing.

    Afterwards the new objects count as old, so only the next full collection looks at them.
    """
    working = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if working:
            if not _frozen_by_others():  # unfreezing would return their objects, too
                gc.freeze()
                gc.unfreeze()
            gc.enable()


_frozen: list[bool] = []


def _frozen_by_others() -> bool:
    """True once other code has called `gc.freeze()`; not counted again, which takes long where many are frozen."""
    if not _frozen and gc.get_freeze_count():
        _frozen.append(True)
    return bool(_frozen)
