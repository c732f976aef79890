"""Folders looked over. In: a campaign's folder; out: what is not as it was written, what a crash left, and its runs."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from colosseum.campaign.doctor import Defect, examine
from colosseum.campaign.folder import Damaged, Folder, Plan
from colosseum.campaign.listing import Overview, overviews, run_words
from colosseum.campaign.verifying import Discrepancy, Verified, doubt, so_far, verify
from colosseum.diagnostics import file_errors, stop
from colosseum.evidence.findings import in_words, read_campaign
from colosseum.run.trial import Listed


def verify_folder(path: Path, *, root: str = "", ledger: str = "") -> Verified:
    """Everything that is not as it was written, or as a noted root or head says. Raises ColosseumError."""
    folder = Folder(path)
    try:
        return verify(folder, folder.plan(), root=root, ledger=ledger)
    except Damaged as damaged:
        return Verified([Discrepancy(folder.plan_path.name, str(damaged).removeprefix(f"{folder.plan_path} "))])
    except OSError:
        read_campaign(path)  # says what to name in place of a folder that is no campaign
        raise


@dataclass(frozen=True)
class Defects:
    """What a crash, or somebody, left in a folder."""

    defects: tuple[Defect, ...]

    @property
    def left(self) -> int:
        """How many are not repaired."""
        return sum(not each.repaired for each in self.defects)


def examine_folder(path: Path, *, repair: bool = False) -> Defects:
    """Every defect; nothing is written unless `repair`. Raises ColosseumError."""
    with in_words(path):
        return Defects(tuple(examine(Folder(path), read_campaign(path), repair=repair)))


# ---- runs ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class RunsFile:
    """The runs of a campaign."""

    runs: tuple[Overview, ...]


@dataclass(frozen=True)
class RunFile:
    """One run with its events."""

    listed: Listed
    whole: bool
    """Whether the trace ends with a whole line."""
    doubt: str
    """Why it cannot be trusted; else empty."""
    events: tuple[Mapping[str, Any], ...]
    """As `colosseum schema trace` has them."""


def list_folder(path: Path) -> tuple[RunsFile, Plan]:
    """All runs, with the plan that they are of. Raises ColosseumError."""
    plan = read_campaign(path)
    with in_words(path):
        return RunsFile(tuple(overviews(Folder(path), plan))), plan


def read_run(path: Path, listed: Listed, *, thoughts: bool = False) -> RunFile:
    """What is on file of a run, also of one that goes on or was cut off. Raises ColosseumError."""
    folder, trace = Folder(path), Folder(path).trace(listed.trial)
    if not trace.exists():
        raise stop("C122", f"the run {run_words(listed)} has not begun: there is no {trace.name}")
    with file_errors(trace, verb="read", code="C123"):
        found = so_far(trace)
        wrong = found.broken or doubt(folder, listed, found)
    events = tuple(event for event in found.events if thoughts or event.get("event") != "thought")
    return RunFile(listed, not found.half, wrong, events)
