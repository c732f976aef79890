"""`colosseum report`."""

import sys
from pathlib import Path

from rich.console import Console

from colosseum.cli.words import say_json, stop, wants_color
from colosseum.evidence.reading import Reader, Unreadable
from colosseum.evidence.summary import summarise
from colosseum.model.values import Fault
from colosseum.optimum.lower import NotLowered
from colosseum.report.export import to_json
from colosseum.report.terminal import render


def report_folder(folder: Path, *, as_json: bool) -> int:
    """Print what the runs of a campaign show; exit 3 when some failed."""
    reader = Reader(folder)
    try:
        plan = reader.plan()
        records = list(reader.records(plan))
    except Unreadable as fault:
        raise stop("C123", str(fault), help="name a folder that `colosseum audit` wrote") from None
    except NotLowered as fault:
        raise stop("C100", str(fault), help=NotLowered.HELP) from None
    except Fault as fault:
        raise stop(fault.code, fault.message, help=fault.help) from None
    summary = summarise(records, arms=plan.arms)
    missing = len(plan.trials) - len(records)
    if as_json:
        listed = {"scenario": plan.scenario, "experiment": plan.experiment, "question": plan.question,
                  "coalition": plan.coalition, "planned": len(plan.trials), "missing": missing}  # fmt: skip
        say_json({**listed, **to_json(summary)})
    else:
        color = wants_color(sys.stdout.isatty())
        console = Console(file=sys.stdout, highlight=False, no_color=not color, force_terminal=color or None)
        render(summary, title=f"{plan.scenario}, experiment {plan.experiment}", question=plan.question, console=console)
        if missing:
            console.print(f"\n{missing} of {len(plan.trials)} planned runs are not there: run the audit again.")
    return 3 if any(r.status == "failed" for r in records) else 0
