"""`colosseum report`."""

import sys
from dataclasses import replace
from pathlib import Path

from colosseum.audit.campaign.folder import Plan
from colosseum.cli.words import say_json, stop, wants_color
from colosseum.diagnostics import closest
from colosseum.evidence.reading import Reader, Unreadable
from colosseum.evidence.summary import summarise
from colosseum.model.values import Fault
from colosseum.optimum.lowering.lower import NotLowered
from colosseum.report.export import to_json
from colosseum.report.page import page_on
from colosseum.report.terminal import render

MOST_LISTED = 12
"""Folders that a message lists."""


def report_folder(folder: Path, *, as_json: bool, coalition: str | None = None) -> int:
    """Print what the runs of a campaign show; exit 3 when some failed."""
    reader = Reader(folder)
    try:
        plan = _measuring(reader.plan(), coalition)
        records = reader.records(plan)
    except Unreadable as fault:
        raise stop("C123", str(fault), help=_campaigns(folder)) from None
    except NotLowered as fault:
        raise stop("C100", str(fault), help=fault.help) from None
    except Fault as fault:
        raise stop(fault.code, fault.message, help=fault.help) from None
    summary = summarise(records, arms=plan.arms)
    missing = len(plan.trials) - len(records)
    if as_json:
        listed = {
            "scenario": plan.scenario,
            "experiment": plan.experiment,
            "question": plan.question,
            "coalition": next(iter(plan.coalitions), None),
            "planned": len(plan.trials),
            "missing": missing,
        }
        say_json({**listed, **to_json(summary)})
    else:
        facts = [("coalition", _coalition_words(plan))]
        if missing:
            facts.append(("missing", f"{missing} of {len(plan.trials)} planned runs: run the same audit to go on"))
        title = f"{plan.scenario}, experiment {plan.experiment}"
        with page_on(sys.stdout, color=wants_color(sys.stdout.isatty())) as console:
            render(summary, title=title, question=plan.question, facts=facts, console=console)
    return 3 if any(r.status == "failed" for r in records) else 0


def _campaigns(folder: Path) -> str:
    """What to name in place of a folder that is no campaign: one that is, just below it, if there is any."""
    if (folder / "campaign.json").exists():
        return "name a folder that `colosseum audit` wrote, as it wrote it"
    found = sorted(path.parent for path in folder.glob("*/campaign.json"))
    if len(found) == 1:
        return f"did you mean `{found[0]}`?"
    listed = ", ".join(str(path) for path in found[:MOST_LISTED])
    return f"campaigns below it: {listed}" if found else "name a folder that `colosseum audit` wrote"


def _measuring(plan: Plan, coalition: str | None) -> Plan:
    """The plan with the coalition asked for in front. Raises Stop."""
    if coalition is None:
        return plan
    if coalition not in plan.coalitions:
        known = ", ".join(plan.coalitions) or "none"
        help_ = closest(coalition, plan.coalitions) or f"coalitions: {known}"
        raise stop("C122", f"there is no coalition `{coalition}`", help=help_)
    return replace(plan, coalitions=(coalition, *(c for c in plan.coalitions if c != coalition)))


def _coalition_words(plan: Plan) -> str:
    """Whose figures these are."""
    if len(plan.coalitions) < 2:
        return plan.coalitions[0] if plan.coalitions else "none"
    return f"{plan.coalitions[0]}; `report --coalition NAME` measures {' or '.join(plan.coalitions[1:])}"
