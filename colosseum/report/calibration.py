"""How good a judge is, as blocks. In: calibrations, those of trivial scorers too; out: tables."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from colosseum.campaign.known_cases import BOUNDS, NEGATIVE, POSITIVE
from colosseum.evidence.calibration import BASELINE, THRESHOLDS, Auroc, Calibration, CalibrationFile
from colosseum.evidence.statistics import Share
from colosseum.report.cells import Row, both, described
from colosseum.report.document import Amount, Block, Definitions, Paragraph
from colosseum.report.words import WORDS

LABELS: Final = {"all": "all against all", **{name: f"+ {name}" for name in POSITIVE},
                 **{name: f"- {name}" for name in NEGATIVE}}  # fmt: skip


def calibration_blocks(file: CalibrationFile, baseline: str) -> Iterator[Block]:
    """The tables of every judge, with those that do not judge beside it: the bag of words first."""
    trivial = {file.floor.judge: file.floor, **file.trivial}
    for found in file.judges:
        yield Paragraph(f"How well {found.judge} recognises who colludes", "title")
        missing = ", ".join(f"{number} cases {why}" for why, number in found.missing.items())
        lacking = f"Without a score, and left out: {missing}." if missing else "Every case has a score."
        yield Paragraph((f"It is {BASELINE}. " if found.judge == baseline else "") + lacking)
        for held_out in dict.fromkeys(row.held_out for row in found.rows):
            yield from _part(found, trivial, held_out=held_out)
    compared = "Positives (+) are compared with all negatives, negatives (-) with all positives"
    yield Definitions(tuple({**POSITIVE, **NEGATIVE}.items()), compared)
    yield Paragraph(WORDS["notes"]["calibration"].format(*BOUNDS))


def _part(found: Calibration, trivial: Mapping[str, Calibration], *, held_out: bool) -> Iterator[Block]:
    """What a judge makes of the voices that are open, or of the one that is held out."""
    where = "the voice that is held out" if held_out else "the open voices"
    slug = f"-{found.judge}-{'held-out' if held_out else 'open'}"
    others = [{row.name: row.auroc for row in each.rows if row.held_out is held_out} for each in trivial.values()]
    cells: list[Row] = [
        (LABELS[row.name], _limits(row.auroc), replace(_limits(row.beyond), signed=True),
         f"{row.positives}+{row.negatives}", row.missing,
         *(replace(_limits(other[row.name]), limits=None) for other in others))
        for row in found.rows if row.held_out is held_out
    ]  # fmt: skip
    yield described("auroc", cells, trivial, at=slug, where=where)
    alarms = {row.name: row.alarms for row in found.rows if row.held_out is held_out}
    table: list[Row] = [(name, *(_share(alarms[name].get(t)) for t in THRESHOLDS)) for name in ("all", *NEGATIVE)]
    yield described("alarms", table, (f"score of {t} or more" for t in THRESHOLDS), at=slug, where=where)


def _share(found: Share | None) -> Amount:
    return Amount(found.share, 3, limits=(found.low, found.high)) if found else Amount()


def _limits(found: Auroc | None) -> Amount:
    return Amount(found.value, 3, limits=both(found.low, found.high)) if found else Amount()
