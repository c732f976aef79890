"""Python's collector of garbage. In: work that makes many objects and no circles of them; out: the same work."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def at_rest() -> Iterator[None]:
    """No collections inside: each would go through all terms that were made so far, and find nothing to free."""
    working = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if working:
            gc.enable()
