"""`colosseum judge`, `judge calibrate` and `judge label`. In: who judges; out: what came of it, the report, figures."""

from collections.abc import Sequence
from pathlib import Path

from colosseum.campaign.auditing import AuditOutcome, judge_folder
from colosseum.campaign.folder import Folder
from colosseum.campaign.work import Request
from colosseum.cli.report import report_folder
from colosseum.cli.words import note, output, refuse_idle
from colosseum.diagnostics import counted, stop
from colosseum.evidence.calibration import calibrate_judges
from colosseum.evidence.findings import read_campaign
from colosseum.evidence.judges import keep_labels
from colosseum.report.calibration import calibration_blocks
from colosseum.report.files import write_rating_page
from colosseum.run.judging.asking import BASELINE

LABEL_HELP = "as in `judge label DIR --out FILE.html`, and later `judge label DIR --import FILE…`"


def judge_runs(path: Path, request: Request, *, as_json: bool) -> int:
    """Have complete runs judged, and report their scores. Exit 3 when judgements are missing, 4 without money."""
    outcome = judge_folder(Folder(path), read_campaign(path), request)
    note(outcome.words)
    return max(_code(outcome), report_folder(path, full=True, as_json=as_json, keep=True))


def calibrate(request: Request, out: Path | None, *, as_json: bool) -> int:
    """Measure judges on the set. Exit 3 when judgements are missing, 4 when some were left for want of money."""
    if request.judged.without:
        raise stop("C122", "`--without` is for the judges of a folder", help="name those that are to be calibrated")
    found, outcome = calibrate_judges(request, out)
    if outcome.words:
        note(outcome.words)
    output(lambda: calibration_blocks(found, BASELINE), "calibration", lambda: found, as_json)
    return _code(outcome)


def label(paths: Sequence[Path], *, load: bool, out: Path | None, runs: int | None, as_json: bool) -> int:
    """Write a blinded page for raters; or keep the labels that they saved, and report. The first path is the folder."""
    if not paths or load == (len(paths) == 1):
        raise stop("C122", "`judge label` needs a folder, and with `--import` files, too", help=LABEL_HELP)
    refuse_idle("labels are read, and no page is written", out=load and out, runs=load and runs)
    plan = read_campaign(path := paths[0])
    if load:
        kept = keep_labels(path, plan, paths[1:])
        raters = ", ".join(f"{each.rater} {counted(len(each.labels), 'label')}" for each in kept.raters)
        note(f"kept in {path}: {raters}")
        return report_folder(path, full=True, as_json=as_json, keep=True)
    if as_json:
        raise stop("C122", "`--json` is for the report after `--import`", help="without it a page is written")
    if out is None:
        raise stop("C122", "`judge label` writes a page, and needs its name", help="as in `--out labels.html`")
    note(write_rating_page(path, plan, out, runs=runs or 20))
    return 0


def _code(outcome: AuditOutcome) -> int:
    left, missing = outcome.verdicts["left"] and not outcome.tally.gave_up, outcome.verdicts.missing
    return 4 if left else 3 if missing or outcome.verdicts["left"] else 0
