"""`colosseum report --strength`. In: a folder of runs and its plan; out: what choices say of λ, read and printed."""

import sys
from collections.abc import Sequence
from pathlib import Path

from colosseum.audit.campaign.folder import Plan
from colosseum.cli.words import stop, wants_color
from colosseum.evidence.choosing import PointStrength, strengths
from colosseum.evidence.reading import Unreadable
from colosseum.model.values import Fault
from colosseum.optimum.lowering.lower import NotLowered
from colosseum.report.page import page_on
from colosseum.report.strengths import show_strengths


def read_strengths(folder: Path, plan: Plan) -> list[PointStrength]:
    """λ_emp of every arm, from every joint move of the coalition at every seed. Raises Stop."""
    try:
        return strengths(folder, plan)
    except Unreadable as fault:
        raise stop("C123", str(fault)) from None
    except NotLowered as fault:
        raise stop("C100", str(fault), help=fault.help) from None
    except Fault as fault:
        raise stop(fault.code, fault.message, help=fault.help) from None


def say_strengths(found: Sequence[PointStrength]) -> None:
    """Print them, after a report."""
    with page_on(sys.stdout, color=wants_color(sys.stdout.isatty())) as console:
        show_strengths(found, console)
