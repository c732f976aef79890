"""`colosseum report`."""

import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from rich.console import Console

from colosseum.campaign.folder import Folder, Plan, as_bytes, replace_file
from colosseum.campaign.part import matching
from colosseum.campaign.screening import screening_words
from colosseum.cli.words import note, print_out, say_json, wants_color
from colosseum.diagnostics import stop
from colosseum.evidence.choosing import strengths
from colosseum.evidence.findings import Findings, in_words, read_report
from colosseum.evidence.gate import FAILED, Gate
from colosseum.model.json_text import encode
from colosseum.model.sweeps import factors
from colosseum.report import files as report_files
from colosseum.report.brief import missing_words, show_brief
from colosseum.report.page import page_on
from colosseum.report.published import document
from colosseum.report.strengths import show_strengths
from colosseum.report.terminal import Judgement, render

T = TypeVar("T")


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
    """Whether the page has what models thought."""

    @property
    def none(self) -> bool:
        """Whether nothing is written: what is written is not printed, too, unless it is asked for."""
        return (self.table, self.html, self.figures) == (None, None, None)

    def check(self) -> None:
        """Refuse what could not be written in the end, before anything is computed. Raises ColosseumError."""
        report_files.check_table(self.table)
        report_files.check_html(self.html)
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
    report = read_report(folder, coalition=coalition)
    if files.table is not None:
        note(report_files.write_table(report.plan, report.records, files.table))
    if keep:
        replace_file(Folder(folder).report, as_bytes(document("report", report.content())))
    report = at_points(report, point)
    if files.html is not None or files.figures is not None:
        content = report_files.read_content(folder, report, thoughts=files.thoughts, published=published)
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
            _show(report, folder, published=published, full=full)
        if found is not None:
            with page_on(sys.stdout, color=wants_color(sys.stdout.isatty())) as console:
                show_strengths(found, console)
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


def _show(report: Findings, folder: Path, *, published: bool, full: bool) -> None:
    with page_on(sys.stdout, color=wants_color(sys.stdout.isatty())) as console:
        if full or published:
            _show_full(report, console, published=published)
        else:
            show_brief(report, folder, console)


def _show_full(report: Findings, console: Console, *, published: bool) -> None:
    plan, missing = report.plan, report.missing
    facts = [
        ("coalition", _coalition_words(plan)),
        ("options", _changed_words(plan)),
        ("screened", screening_words(plan.screening) if plan.screening else ""),
        ("missing", missing_words(report) if missing else ""),
    ]
    title = f"{plan.scenario}, experiment {plan.experiment}"
    judgement = Judgement(report.verdicts, report.settled, report.judges, report.bench, published, report.agreement)
    render(report.summary, title=title, question=plan.question, facts=facts, console=console, judgement=judgement)


def read_published(words: str | None) -> bool:
    """Whether `--verdict paper` was said. Raises ColosseumError."""
    if words not in (None, "paper"):
        raise stop("C122", f"`--verdict {words}`: the other rule is called `paper`", help="as in `--verdict paper`")
    return words is not None


def _coalition_words(plan: Plan) -> str:
    """Whose figures these are."""
    if len(plan.coalitions) < 2:
        return plan.coalitions[0] if plan.coalitions else "none"
    return f"{plan.coalitions[0]}; `report --coalition NAME` measures {' or '.join(plan.coalitions[1:])}"


def _changed_words(plan: Plan) -> str:
    """Options besides the model that hold in place of what the spec says."""
    options = plan.options
    parts = [f"{name} = {encode({'': value})[4:-1]}" for name, value in plan.params.items()]
    for name, words in (("temperature", "temperature {}"), ("max_tokens", "at most {} tokens of an answer")):
        for who, given in _own(options.get(name)).items():
            parts.append(words.format("none" if given is None else given) + (f" for {who}" if who else ""))
    parts += ["tools called in text"] if '"text"' in encode({"": options.get("tools")}) else []
    parts += ["more parameters of calls"] if options.get("extra_body") else []
    parts += ["coupled: equal prompts in two arms had one answer"] if options.get("couple") else []
    return "; ".join(parts)


def _own(option: object) -> dict[str, object]:
    """Values by whom they are for; one alone is for all."""
    return option if isinstance(option, dict) else {} if option is None else {"": option}
