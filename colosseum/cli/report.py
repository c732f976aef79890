"""`colosseum report`."""

import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from colosseum.campaign.folder import Folder, as_bytes, replace_file
from colosseum.campaign.part import matching
from colosseum.cli.words import note, print_out, say_json, wants_color
from colosseum.diagnostics import stop
from colosseum.evidence.choosing import strengths
from colosseum.evidence.findings import Findings, in_words, read_report
from colosseum.evidence.gate import FAILED, Gate
from colosseum.model.sweeps import factors
from colosseum.report import files as report_files
from colosseum.report.full import brief
from colosseum.report.full import full as everything
from colosseum.report.live_view import progress_bars
from colosseum.report.page import print_blocks
from colosseum.report.published import document
from colosseum.report.strengths import strength_blocks


@dataclass(frozen=True)
class Files:
    """What a report is written to, besides the terminal."""

    table: Path | None = None
    """A row for each run."""
    html: Path | None = None
    """A page for browsers."""
    figures: Path | None = None
    """A folder of charts and their numbers."""
    thoughts: bool = False
    calls: bool = False
    """Whether the page has what models thought."""

    @property
    def none(self) -> bool:
        """Whether nothing is written: what is written is not printed, too, unless it is asked for."""
        return (self.table, self.html, self.figures) == (None, None, None)

    def check(self) -> None:
        """Refuse what could not be written in the end, before anything is computed. Raises ColosseumError."""
        report_files.check_file("--table", self.table)
        report_files.check_file("--html", self.html)
        report_files.check_figures(self.figures)


NO_FILES = Files()
OPEN = Gate()
"""Nothing shuts it."""


def report_folder(
    folder: Path, *, as_json: bool, coalition: str | None = None, keep: bool = False, files: Files = NO_FILES,
    strength: bool = False, published: bool = False, full: bool = False, point: str | None = None, gate: Gate = OPEN,
) -> int:  # fmt: skip
    """Print what the runs of a campaign show, and keep it there as JSON; exit 100 at a shut gate, 3 when some failed.

    `files` are written besides; `strength` adds λ_emp, which takes its time; `point` is what a sweep point has to have
    in order to be shown, as `network=ring`.
    """
    files.check()
    with progress_bars(note) as tell:
        report = read_report(folder, coalition=coalition, tell=partial(tell, "runs"))
    if files.table is not None:
        note(report_files.write_table(folder, report, files.table))
    if keep:
        replace_file(Folder(folder).report, as_bytes(document("report", report.content())))
    report = at_points(report, point)
    if files.html is not None or files.figures is not None:
        content = report_files.read_content(
            folder, report, thoughts=files.thoughts, published=published, calls=files.calls
        )
        if files.html is not None:
            note(report_files.write_html(content, files.html))
        if files.figures is not None:
            note("\n".join(report_files.write_figures(content, files.figures)))
    shown = {each.point for each in report.summary.points}
    with in_words(folder):
        found = [p for p in strengths(folder, report.plan) if p.point in shown] if strength else None
    if as_json:
        say_json("report", report.content(found))
    else:
        if files.none or full or published:
            _show(report, folder, published=published, whole=full)
        if found is not None:
            print_blocks(strength_blocks(found), sys.stdout, color=wants_color(sys.stdout.isatty()))
    if shut := Counter(gate.shut(report.verdicts, report.summary)):
        words = [why if number == 1 else f"{why} at {number} sweep points" for why, number in shut.items()]
        note(f"the gate is shut: {'; '.join(words)}")
        return FAILED
    return 3 if any(r.status == "failed" for r in report.records) else 0


def report_folders(
    folders: Sequence[Path], *, as_json: bool, files: Files, report_one: Callable[[Path], int]
) -> int:  # fmt: skip
    """The reports of several folders, one below the other; exits as the worst of them. Raises ColosseumError."""
    if len(folders) > 1 and (as_json or not files.none):
        option = "--json" if as_json else "a file"
        raise stop("C122", f"{option} is for the report of one folder", help="run the command for each folder")
    codes = []
    for folder in folders:
        if len(folders) > 1:
            print_out(f"{'' if folder == folders[0] else chr(10)}{folder}")
        codes.append(report_one(folder))
    return max(codes)


def at_points(report: Findings, words: str | None) -> Findings:
    """The report of some sweep points; all tests are counted in its verdicts. Raises ColosseumError."""
    if words is None:
        return report
    return report.at(set(matching(words, {p.point: factors(p.point, p.model) for p in report.summary.points})))


def _show(report: Findings, folder: Path, *, published: bool, whole: bool) -> None:
    blocks = everything(report, folder, published=published) if whole or published else brief(report, folder)
    print_blocks(blocks, sys.stdout, color=wants_color(sys.stdout.isatty()))


def read_published(words: str | None) -> bool:
    """Whether `--verdict paper` was said. Raises ColosseumError."""
    if words not in (None, "paper"):
        raise stop("C122", f"`--verdict {words}`: the other rule is called `paper`", help="as in `--verdict paper`")
    return words is not None
