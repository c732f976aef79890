"""Locks on runs. In: trials and their blocks; out: claims, which one process has at a time.

A run is claimed by itself. Runs that share answers are claimed together: two processes that each made some of a block
would each pay for what its arms have in common, and be given different answers.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from filelock import FileLock

from colosseum.campaign.folder import Folder
from colosseum.run.trial import Trial


@dataclass
class RunClaim:
    """What this process holds."""

    lock: FileLock
    runs: int = 0
    """How many of its runs go on."""


@dataclass(frozen=True)
class Claims:
    """The claims of one process."""

    folder: Folder
    held: dict[Path, RunClaim] = field(default_factory=dict)

    @contextmanager
    def on(self, trial: Trial, block: Sequence[Trial]) -> Iterator[bool]:
        """Within the block no other process makes this run; whether one may have until now. Raises Timeout.

        The system lets go of the lock when a process dies, however it does. The file goes once there are results.
        """
        together = [other for other in block if other.coupled] if trial.coupled else [trial]
        path = self.folder.lock(min(other.identity for other in together))
        fresh = path not in self.held
        if fresh:
            path.parent.mkdir(parents=True, exist_ok=True)
            lock = FileLock(path, timeout=0)
            lock.acquire()
            self.held[path] = RunClaim(lock)
        claim = self.held[path]
        claim.runs += 1
        try:
            yield fresh
            if all(self.folder.result_path(other.identity).exists() for other in together):
                path.unlink(missing_ok=True)
        finally:
            claim.runs -= 1
            if not claim.runs:
                del self.held[path]
                claim.lock.release()
