"""Reads folders of runs. In: where one is; out: its plan, and all that the runs show, or a ColosseumError."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

from colosseum.campaign.folder import Damaged, Folder, Plan
from colosseum.campaign.registering import Registered
from colosseum.diagnostics import closest, stop
from colosseum.evidence import sharing
from colosseum.evidence.agreement import agreement
from colosseum.evidence.figures import Figure
from colosseum.evidence.judges import bench
from colosseum.evidence.kept import Kept
from colosseum.evidence.reading import Reader, Unreadable
from colosseum.evidence.summary import summarise
from colosseum.evidence.verdict import Rule, settle
from colosseum.model.values import Fault
from colosseum.optimum.lowering.lower import NotLowered
from colosseum.report.findings import Findings
from colosseum.run.trace import BrokenTrace

MOST_LISTED: Final = 12
"""Folders that a message names."""


@contextmanager
def in_words(folder: Path | None = None) -> Iterator[None]:
    """Within the block, everything that is known to go wrong with a folder or a spec is a ColosseumError."""
    try:
        yield
    except (Damaged, Unreadable, BrokenTrace) as fault:
        raise stop("C123", str(fault), help=_campaigns(folder)) from None
    except NotLowered as fault:
        raise stop("C100", str(fault), help=fault.help) from None
    except Fault as fault:
        raise stop(fault.code, fault.message, help=fault.help) from None
    except OSError as error:
        raise stop("C123", f"cannot read {error.filename}: {error.strerror}") from None


def read_campaign(folder: Path) -> Plan:
    """The plan of a folder. Raises ColosseumError."""
    with in_words(folder):
        return Reader(folder).plan()


def read_report(folder: Path, *, coalition: str | None = None, alone: bool = False) -> Findings:
    """Recompute all figures, `alone` in this process. Raises ColosseumError."""
    asked = read_campaign(folder)
    plan = _measuring(asked, coalition)
    settled = asked.registered if plan.coalitions == asked.coalitions else None
    with in_words(folder):
        records = sharing.records(folder, plan, kept=Kept.of_user(), alone=alone)
        panel, judged = Reader(folder).panel, bench(Folder(folder), plan)
    verdicts = settle(records, arms=plan.arms, rule=_rule(plan, settled))
    together = agreement(records, arms=plan.arms, verdicts=verdicts)
    summary = summarise(records, arms=plan.arms)
    return Findings(plan, records, summary, verdicts, panel.judges, judged, together, settled)


def _rule(plan: Plan, settled: Registered | None) -> Rule:
    """What was settled before the runs, of the first coalition; others go by what fits them."""
    if settled is None:
        return Rule(looks=len(plan.registered.looks) if plan.registered else 0)
    drawn = Figure(None, settled.fixed) if settled.fixed else Figure(1.0)
    return Rule(settled.signal, settled.margins, len(settled.looks), drawn)


def _campaigns(folder: Path | None) -> str:
    """What to name in place of a folder that is no campaign: one that is, just below it, if there is any."""
    if folder is None:
        return ""
    if (folder / "campaign.json").exists():
        return "name a folder that `colosseum audit` wrote, as it wrote it"
    found = sorted(path.parent for path in folder.glob("*/campaign.json"))
    if len(found) == 1:
        return f"did you mean `{found[0]}`?"
    listed = ", ".join(str(path) for path in found[:MOST_LISTED])
    return f"campaigns below it: {listed}" if found else "name a folder that `colosseum audit` wrote"


def _measuring(plan: Plan, coalition: str | None) -> Plan:
    """The plan with the coalition asked for in front. Raises ColosseumError."""
    if coalition is None:
        return plan
    if coalition not in plan.coalitions:
        help_ = closest(coalition, plan.coalitions) or f"coalitions: {', '.join(plan.coalitions) or 'none'}"
        raise stop("C122", f"there is no coalition `{coalition}`", help=help_)
    return replace(plan, coalitions=(coalition, *(c for c in plan.coalitions if c != coalition)))
