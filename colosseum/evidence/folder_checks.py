"""Folders looked over. In: a campaign's folder; out: what is not as it was written, what a crash left, and its runs."""

from dataclasses import dataclass
from pathlib import Path

from colosseum.campaign.doctor import Defects, examine
from colosseum.campaign.folder import Damaged, Folder, Plan
from colosseum.campaign.listing import Overview, overview
from colosseum.campaign.verifying import Discrepancy, Verified, verify
from colosseum.evidence.findings import in_words, read_campaign


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


def examine_folder(path: Path, *, repair: bool = False) -> Defects:
    """Every defect; nothing is written unless `repair`. Raises ColosseumError."""
    with in_words(path):
        return Defects(tuple(examine(Folder(path), read_campaign(path), repair=repair)))


@dataclass(frozen=True)
class RunsFile:
    """The runs of a campaign."""

    runs: tuple[Overview, ...]


def list_folder(path: Path) -> tuple[RunsFile, Plan]:
    """All runs, with the plan that they are of. Raises ColosseumError."""
    plan = read_campaign(path)
    with in_words(path):
        return RunsFile(tuple(overview(Folder(path), each) for each in plan.trials)), plan
