"""`colosseum report`."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from colosseum.campaign.folder import Folder
from colosseum.cli.live_view import progress_lines
from colosseum.cli.words import note, print_out, say_json, show
from colosseum.diagnostics import stop
from colosseum.evidence.findings import in_words, read_campaign, read_report
from colosseum.evidence.strength import strengths
from colosseum.evidence.verdict import FAILED, Gate
from colosseum.report import files
from colosseum.report.answer import brief, full
from colosseum.report.outcomes import strength_table


@dataclass(frozen=True)
class ReportRequest:
    """What `colosseum report` was asked for."""

    coalition: str | None = None
    table: Path | None = None
    """Where to write a row for each run."""
    html: Path | None = None
    """Where to write a page for browsers."""
    figures: Path | None = None
    """In which folder to write charts and their numbers."""
    thoughts: bool = False
    """Whether the page has what models thought."""
    calls: bool = False
    """Whether it has requests and replies."""
    strength: bool = False
    """Whether λ_emp is computed, which takes its time."""
    published: bool = False
    full: bool = False
    point: str | None = None
    """What a sweep point has to have in order to be shown, as `network=ring`."""
    gate: Gate = field(default_factory=Gate)
    as_json: bool = False

    @property
    def writes(self) -> bool:
        """Whether there are files: what is written is not printed, too, unless it is asked for."""
        return any((self.table, self.html, self.figures))


def report_folders(folders: Sequence[Path], request: ReportRequest) -> int:
    """The reports of several folders, one below the other; exits as the worst of them. Raises ColosseumError."""
    if len(folders) > 1 and (request.as_json or request.writes):
        option = "--json" if request.as_json else "a file"
        raise stop("C122", f"{option} is for the report of one folder", help="run the command for each folder")
    codes = []
    for folder in folders:
        if len(folders) > 1:
            print_out(f"{'' if folder == folders[0] else chr(10)}{folder}")
        codes.append(report_folder(folder, request))
    return max(codes)


def report_folder(folder: Path, request: ReportRequest, *, keep: bool = False) -> int:
    """Print what the runs of a campaign show, and keep it there as JSON; exit 100 at a shut gate, 3 when some failed.

    Raises ColosseumError.
    """
    for option, path in (("--table", request.table), ("--html", request.html), ("--figures", request.figures)):
        files.check_file(option, path)
    if not keep and read_campaign(folder).trials and not any(folder.glob("runs/*.jsonl")):
        help_ = "put its folder `runs` back, or make them by the same `colosseum audit`"
        raise stop("C123", f"{folder} holds no runs, though its plan lists some", help=help_)
    report = read_report(folder, coalition=request.coalition, tell=partial(progress_lines(note), "runs"))
    if lost := Folder(folder).lost(report.plan) if any(r.figures is None for r in report.records) else []:
        note(f"{lost[0]} is missing{f', and {len(lost) - 1} more' * (len(lost) > 1)}: its runs count as failed; "
             f"`colosseum doctor {folder}` says what can be made again, and at what cost")  # fmt: skip
    if request.as_json and report.unrecorded:
        note(report.unrecorded)
    if keep:
        files.keep_report(folder, report)
    if request.point is not None:  # all tests are counted in its verdicts
        report = report.at(request.point)
    if request.writes:
        note("\n".join(files.write_report(
            folder, report, table=request.table, html=request.html, figures=request.figures,
            thoughts=request.thoughts, published=request.published, calls=request.calls,
        )))  # fmt: skip
    with in_words(folder):
        found = strengths(folder, report.plan, partial(progress_lines(note), "strength")) if request.strength else None
    if request.as_json:
        say_json("report", replace(report.report, strength=None if found is None else tuple(found)))
    else:
        whole, asked = request.full or request.published, {"--coalition": request.coalition, "--point": request.point}
        typed = [word for option, value in asked.items() if value is not None for word in (option, value)]
        blocks = full(report, folder, published=request.published) if whole else brief(report, folder, typed)
        show([*(blocks if whole or not request.writes else ()), *([] if found is None else [strength_table(found)])])
    if shut := Counter(request.gate.shut(report.verdicts, report.summary)):
        words = [why if number == 1 else f"{why} at {number} sweep points" for why, number in shut.items()]
        note(f"the gate is shut: {'; '.join(words)}")
        return FAILED
    return 3 if any(r.status == "failed" for r in report.records) else 0
