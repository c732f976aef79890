"""`colosseum report`."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

from colosseum.campaign.folder import Folder
from colosseum.cli.live_view import progress_lines
from colosseum.cli.words import note, print_out, say_json, show
from colosseum.diagnostics import stop
from colosseum.evidence.findings import in_words, read_campaign, read_report
from colosseum.evidence.strength import strengths
from colosseum.evidence.verdict import FAILED, Gate
from colosseum.report import answer, files
from colosseum.report.outcomes import strength_table

NO_GATE: Final = Gate()


def report_folders(folders: Sequence[Path], one: Callable[[Path], int], *, only_one: str) -> int:
    """Several folders one below the other, each told by `one`; exits as the worst of them. Raises ColosseumError.

    `only_one` names what was asked for that several folders cannot share; else it is empty.
    """
    if len(folders) > 1 and only_one:
        raise stop("C122", f"{only_one} is for the report of one folder", help="run the command for each folder")
    codes = []
    for folder in folders:
        if len(folders) > 1:
            print_out(f"{'' if folder == folders[0] else chr(10)}{folder}")
        codes.append(one(folder))
    return max(codes)


def report_folder(
    folder: Path, *, coalition: str | None = None, point: str | None = None, gate: Gate = NO_GATE,
    table: Path | None = None, html: Path | None = None, figures: Path | None = None,
    thoughts: bool = False, calls: bool = False, strength: bool = False, published: bool = False,
    full: bool = False, as_json: bool = False, keep: bool = False,
) -> int:  # fmt: skip
    """Print what the runs of a campaign show, or write it to the files that are named; exit 100 at a shut gate, 3 when
    some runs failed. With `keep` the folder keeps it as JSON. Raises ColosseumError.
    """
    for option, path in (("--table", table), ("--html", html), ("--figures", figures)):
        files.check_file(option, path)
    writes = any((table, html, figures))
    if not keep and read_campaign(folder).trials and not any(folder.glob("runs/*.jsonl")):
        help_ = "put its folder `runs` back, or make them by the same `colosseum audit`"
        raise stop("C123", f"{folder} holds no runs, though its plan lists some", help=help_)
    report = read_report(folder, coalition=coalition, tell=partial(progress_lines(note), "runs"))
    if lost := Folder(folder).lost(report.plan) if any(r.figures is None for r in report.records) else []:
        note(f"{lost[0]} is missing{f', and {len(lost) - 1} more' * (len(lost) > 1)}: its runs count as failed; "
             f"`colosseum doctor {folder}` says what can be made again, and at what cost")  # fmt: skip
    if as_json and report.unrecorded:
        note(report.unrecorded)
    if keep:
        files.keep_report(folder, report)
    if point is not None:  # all tests are counted in its verdicts
        report = report.at(point)
    if writes:
        note("\n".join(files.write_report(
            folder, report, table=table, html=html, figures=figures,
            thoughts=thoughts, published=published, calls=calls,
        )))  # fmt: skip
    with in_words(folder):
        found = strengths(folder, report.plan, partial(progress_lines(note), "strength")) if strength else None
    if as_json:
        say_json("report", replace(report.report, strength=None if found is None else tuple(found)))
    else:
        whole, asked = full or published, {"--coalition": coalition, "--point": point}
        typed = [word for option, value in asked.items() if value is not None for word in (option, value)]
        blocks = answer.full(report, folder, published=published) if whole else answer.brief(report, folder, typed)
        show([*(blocks if whole or not writes else ()), *([] if found is None else [strength_table(found)])])
    if shut := Counter(gate.shut(report.verdicts, report.summary)):
        words = [why if number == 1 else f"{why} at {number} sweep points" for why, number in shut.items()]
        note(f"the gate is shut: {'; '.join(words)}")
        return FAILED
    return 3 if any(r.status == "failed" for r in report.records) else 0
