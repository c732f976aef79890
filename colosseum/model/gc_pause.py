"""Python's collector of garbage. In: work that makes many objects and no circles of them; out: the same work."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def at_rest() -> Iterator[None]:
    """No collections inside: each would go through all terms that were made so far, and find nothing to free.

    What was made counts as old afterwards, as if it had been gone through: the next full collection is the first that
    looks at it.
    """
    working = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if working:
            if not _kept_by_others():  # what somebody else set aside stays there
                gc.freeze()
                gc.unfreeze()  # to the old ones, without a look at any
            gc.enable()


_seen: list[bool] = []


def _kept_by_others() -> bool:
    """Whether somebody ever kept objects from it; asked until it is so, as to count them takes long where it is."""
    if not _seen and gc.get_freeze_count():
        _seen.append(True)
    return bool(_seen)
