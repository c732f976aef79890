"""A budget shared by several processes. In: what one pays or reserves; out: what the others have.

Every change is a line `PROCESS DOLLARS ASIDE` at the end of one file, written at once: what was paid now, and all that
is set aside for calls under way. Who begins looks at payments from the end on: earlier ones stand in the runs' files. A
lock, which the system lets go of, shows who lives: what a process that died had set aside counts no more.
"""

import errno
import os
import re
import socket
import sys
import weakref
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

from filelock import FileLock, Timeout

if sys.platform != "win32":
    from fcntl import LOCK_EX, flock

AMOUNT = r"(\d+(?:\.\d+)?(?:e[+-]\d\d?)?)"
LINE = re.compile(rf"([\w.-]{{1,200}}) {AMOUNT}(?: {AMOUNT})?", re.ASCII)
"""Of the file; one that was torn, or is none of ours, says nothing."""


@dataclass
class Ledger:
    """One process's view of the file."""

    path: Path
    name: str = field(default_factory=lambda: f"{socket.gethostname()}-{os.getpid()}-{uuid4().hex[:8]}")
    """Of this process alone, be there others of its number in other containers; without blanks."""
    read: int = -1
    """Bytes of the file that are known, after which payments count; below 0 for all that is there."""
    others: dict[str, float] = field(init=False, default_factory=dict)
    """What other processes that live have set aside."""
    lock: FileLock | None = field(init=False, default=None)
    """Held once there is a word of ours."""

    def __post_init__(self) -> None:
        if self.read < 0:
            self.read = 0
            self.heard()

    def tell(self, dollars: float, aside: float = 0.0) -> None:
        """Something was paid, and so much is set aside in all. Raises OSError."""
        if self.lock is None:
            self._live()
        line = f"\n{self.name} {dollars!r} {max(0.0, aside)!r}\n".encode()  # on a line of its own
        with open(self.path, "ab", buffering=0) as file:
            if sys.platform != "win32":
                flock(file, LOCK_EX)  # a network's file system does not append in one step
            if file.write(line) < len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self.path))

    def heard(self) -> float:
        """What others have paid since this was asked last. Raises OSError."""
        new, paid = b"", 0.0
        with suppress(FileNotFoundError), open(self.path, "rb") as file:  # opened anew, as file systems of networks ask
            file.seek(self.read)
            new = file.read()
        whole = new[: new.rfind(b"\n") + 1]
        self.read += len(whole)
        for line in whole.decode("utf-8", "replace").splitlines():
            found = LINE.fullmatch(line)
            if found and found[1] != self.name:
                paid += float(found[2])
                self.others[found[1]] = float(found[3] or 0)
        self.others = {name: aside for name, aside in self.others.items() if aside > 0 and held(self._lock(name))}
        return paid

    def _lock(self, name: str) -> Path:
        return self.path.with_name(f"{self.path.name}.{name}.lock")

    def _live(self) -> None:
        """Show the others that we live, until we do not."""
        path = self._lock(self.name)
        path.parent.mkdir(parents=True, exist_ok=True)
        self.lock = FileLock(path, timeout=0)
        self.lock.acquire()
        weakref.finalize(self, _let_go, self.lock, path)


def held(path: Path) -> bool:
    """Whether a process holds a lock; one that nobody holds is removed."""
    try:
        if path.exists():
            with FileLock(path, timeout=0):
                path.unlink(missing_ok=True)
        return False
    except Timeout:
        return True


def _let_go(lock: FileLock, path: Path) -> None:
    path.unlink(missing_ok=True)
    lock.release()
