"""What became of the runs of an import. In: nothing; out: what `import --json` prints."""

from dataclasses import dataclass
from typing import Literal

LONGEST_NAME = 80
"""Characters of a source's name for a player or a run that are kept."""


@dataclass(frozen=True)
class ImportedRun:
    """What became of one run of a source."""

    source: str
    """Its name there."""
    became: Literal["new", "known", "refused"]
    reason: str
    """Why it was refused; else empty."""
    trial: str
    """Its identity here; empty of one that was refused."""
    arm: str
    seed: int | None
    repeat: int | None
    model: str
    posts: int
    decisions: int
    """Variables that agents decided."""
    fills: int
    """Variables that were drawn for agents who decided nothing."""
    missing: tuple[str, ...]
    """What the source does not hold."""


@dataclass(frozen=True)
class ImportFile:
    """What an import found."""

    out: str
    dry_run: bool
    reader: str
    runs: tuple[ImportedRun, ...]

    @property
    def refused(self) -> int:
        """Runs that do not fit."""
        return sum(run.became == "refused" for run in self.runs)
