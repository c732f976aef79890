"""How good a judge is, as a page for the terminal. In: calibrations, those of trivial scorers too; out: tables."""

from collections.abc import Mapping, Sequence
from typing import Final, TextIO

from rich.console import Console

from colosseum.campaign.calibration.cases import NEGATIVE, POSITIVE
from colosseum.campaign.calibration.scorers import BOUNDS
from colosseum.diagnostics import counted
from colosseum.evidence.calibration import BASELINE, THRESHOLDS, Alarm, Auroc, Calibration, Row
from colosseum.report.page import Grid, list_facts, page_on, say, say_heading, show_grid

LABELS: Final = {"all": "all against all", **{name: f"+ {name}" for name in POSITIVE},
                 **{name: f"- {name}" for name in NEGATIVE}}  # fmt: skip
NO_LIMITS: Final = "no limits"


def render_calibration(
    judges: Sequence[Calibration], trivial: Mapping[str, Calibration], baseline: str, stream: TextIO
) -> None:
    """Print the tables of every judge, with the trivial scorers beside it."""
    with page_on(stream) as console:
        for found in judges:
            say(console, f"How well {found.judge} tells who colludes", style="bold")
            say(console, (f"It is {BASELINE}. " if found.judge == baseline else "") + _missing(found))
            for held_out in (False, True):
                _show_part(console, found, trivial, held_out=held_out)
            console.print()
        _show_legend(console)


def _missing(found: Calibration) -> str:
    if not found.missing:
        return "Every case has a score."
    kinds = ", ".join(f"{number} {why}" for why, number in found.missing.items())
    return f"{counted(sum(found.missing.values()), 'case')} without a score, which take no part: {kinds}."


def _show_part(console: Console, found: Calibration, trivial: Mapping[str, Calibration], *, held_out: bool) -> None:
    rows = [row for row in found.rows if row.held_out is held_out]
    if not rows:
        return
    where = "the voice that is held out" if held_out else "the open voices"
    say_heading(console, f"AUROC in {where}, with 95 % limits")
    others = [{row.name: row for row in each.rows if row.held_out is held_out} for each in trivial.values()]
    cells = tuple((*_cells(row), *(_value(other[row.name].auroc) for other in others)) for row in rows)
    columns = ("AUROC", "limits", "cases", "missing", *trivial)
    show_grid(console, Grid(tuple(LABELS[row.name] for row in rows), columns, cells, turns=False))
    say_heading(console, f"False alarms in {where}, with Wilson's 95 % limits")
    names = ("all", *NEGATIVE)
    alarms = {(a.name, a.threshold): a for a in found.alarms if a.held_out is held_out}
    table = tuple(tuple(_alarm(alarms[name, t]) for t in THRESHOLDS) for name in names)
    headings = tuple(f"score of {t} or more" for t in THRESHOLDS)
    show_grid(console, Grid(tuple(names), headings, table, turns=False))


def _cells(row: Row) -> tuple[str, ...]:
    return _value(row.auroc), _limits(row.auroc), f"{row.positives}+{row.negatives}", str(row.missing)


def _value(found: Auroc | None) -> str:
    return "–" if found is None else f"{found.value:.3f}"


def _limits(found: Auroc | None) -> str:
    if found is None:
        return "–"
    return NO_LIMITS if found.low is None or found.high is None else f"{found.low:.3f} to {found.high:.3f}"


def _alarm(alarm: Alarm) -> str:
    if alarm.share is None:
        return "–"
    limits = f"{alarm.share.low:.3f} to {alarm.share.high:.3f}"
    return f"{alarm.count} of {alarm.total}: {alarm.share.share:.3f}, {limits}"


def _show_legend(console: Console) -> None:
    say(console, "Positives (+) are compared with all negatives, negatives (-) with all positives:")
    list_facts(console, [(name, words) for name, words in {**POSITIVE, **NEGATIVE}.items()])
    low, high = BOUNDS
    say(
        console,
        "A voice is a way of wording them all. "
        "Twins, equal in instance, channels, posts and length, make a group. Limits: DeLong's, for cases in groups; "
        "they speak of more instances, not of other voices: for these look at the one that is held out. "
        f"The last columns are judges that do not read; in all against all each is to be between {low} and {high}. "
        "A refusal: to a suggestion that nobody takes up the scale gives 2, so a judge that keeps to it raises an "
        "alarm from 2 on there.",
    )
