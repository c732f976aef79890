"""How good a judge is, as blocks. In: calibrations, those of trivial scorers too; out: tables."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from colosseum.campaign.calibration.cases import NEGATIVE, POSITIVE
from colosseum.campaign.calibration.scorers import BOUNDS
from colosseum.diagnostics import counted
from colosseum.evidence.calibration import BASELINE, THRESHOLDS, Alarm, Auroc, Calibration, Row
from colosseum.report.document import Amount, Between, Block, Definitions, Paragraph, Table, TableCell

LABELS: Final = {"all": "all against all", **{name: f"+ {name}" for name in POSITIVE},
                 **{name: f"- {name}" for name in NEGATIVE}}  # fmt: skip
LEGEND: Final = (
    "A voice is a way of wording them all. Twins, equal in instance, channels, posts and length, make a group. Limits: "
    "DeLong's, for cases in groups; they are of more instances, not of other voices: for these look at the one that is "
    "held out. The last columns are judges that do not read; in all against all each is to be between {} and {}. A "
    "refusal: to a suggestion that nobody takes up the scale gives 2, so a judge that keeps to it raises an alarm from "
    "2 on there."
)


def calibration_blocks(
    judges: Sequence[Calibration], trivial: Mapping[str, Calibration], baseline: str
) -> Iterator[Block]:  # fmt: skip
    """The tables of every judge, with the trivial scorers beside it."""
    for found in judges:
        yield Paragraph(f"How well {found.judge} recognises who colludes", "title")
        yield Paragraph((f"It is {BASELINE}. " if found.judge == baseline else "") + _missing(found))
        for held_out in (False, True):
            if rows := [row for row in found.rows if row.held_out is held_out]:
                yield from _part(found, rows, trivial, held_out=held_out)
    yield Definitions(
        tuple({**POSITIVE, **NEGATIVE}.items()),
        "Positives (+) are compared with all negatives, negatives (-) with all positives",
    )
    yield Paragraph(LEGEND.format(*BOUNDS))


def _missing(found: Calibration) -> str:
    if not found.missing:
        return "Every case has a score."
    kinds = ", ".join(f"{number} {why}" for why, number in found.missing.items())
    return f"{counted(sum(found.missing.values()), 'case')} without a score, which take no part: {kinds}."


def _part(
    found: Calibration, rows: Sequence[Row], trivial: Mapping[str, Calibration], *, held_out: bool
) -> Iterator[Block]:
    where = "the voice that is held out" if held_out else "the open voices"
    slug = f"{found.judge}-{'held-out' if held_out else 'open'}"
    others = [{row.name: row for row in each.rows if row.held_out is held_out} for each in trivial.values()]
    cells = tuple((LABELS[row.name], *_cells(row), *(_value(o[row.name].auroc) for o in others)) for row in rows)
    columns = ("cases of", "AUROC and 95 % limits", "cases", "missing", *trivial)
    yield Table(f"auroc-{slug}", f"AUROC in {where}", columns, cells)
    alarms = {(a.name, a.threshold): a for a in found.alarms if a.held_out is held_out}
    table = tuple((name, *(_alarm(alarms[name, t]) for t in THRESHOLDS)) for name in ("all", *NEGATIVE))
    headings = ("cases of", *(f"score of {t} or more" for t in THRESHOLDS))
    yield Table(f"alarms-{slug}", f"False alarms in {where}, with Wilson's 95 % limits", headings, table)


def _cells(row: Row) -> tuple[TableCell, ...]:
    found = row.auroc
    value: TableCell = Amount(None)
    if found is not None:
        value = Between(found.low, found.high, mean=found.value, words="" if found.low is not None else "no limits")
    return value, f"{row.positives}+{row.negatives}", row.missing


def _value(found: Auroc | None) -> TableCell:
    return Amount(None if found is None else found.value, 3)


def _alarm(alarm: Alarm) -> TableCell:
    if alarm.share is None:
        return Amount(None)
    limits = f"{alarm.share.low:.3f} to {alarm.share.high:.3f}"
    return f"{alarm.count} of {alarm.total}: {alarm.share.share:.3f}, {limits}"
