"""`colosseum report`."""

import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from rich.console import Console

from colosseum.campaign.folder import Damaged, Folder, Plan, as_bytes, replace_file
from colosseum.campaign.registering import Registered
from colosseum.cli import report_files
from colosseum.cli.experiment import MOST_LISTED, matching
from colosseum.cli.gate import FAILED, Gate
from colosseum.cli.words import note, say_json, stop, wants_color
from colosseum.diagnostics import closest
from colosseum.evidence import sharing
from colosseum.evidence.agreement import agreement
from colosseum.evidence.choosing import strengths
from colosseum.evidence.figures import Figure
from colosseum.evidence.judges import bench
from colosseum.evidence.kept import Kept
from colosseum.evidence.reading import Reader, Unreadable
from colosseum.evidence.summary import summarise
from colosseum.evidence.verdict import Rule, settle
from colosseum.model.json_text import encode
from colosseum.model.sweeps import factors
from colosseum.model.values import Fault
from colosseum.optimum.lowering.lower import NotLowered
from colosseum.report.brief import missing_words, show_brief
from colosseum.report.findings import Findings
from colosseum.report.page import page_on
from colosseum.report.screening import screening_words
from colosseum.report.strengths import show_strengths, strengths_json
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
    """A folder of pictures and their numbers."""
    thoughts: bool = False
    """Whether the page has what models thought."""

    def check(self) -> None:
        """Refuse what could not be written in the end, before anything is computed. Raises Stop."""
        report_files.check_table(self.table)
        report_files.check_html(self.html)
        report_files.check_pictures(self.figures)


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
        report_files.write_table(report.plan, report.records, files.table)
    if keep:
        replace_file(Folder(folder).report, as_bytes(report.content))
    report = at_points(report, point)
    if files.html is not None or files.figures is not None:
        content = report_files.read_content(folder, report, thoughts=files.thoughts)
        if files.html is not None:
            report_files.write_html(content, files.html)
        if files.figures is not None:
            report_files.write_pictures(content, files.figures)
    shown = {each.point for each in report.summary.points}
    found = [p for p in _read(folder, lambda: strengths(folder, report.plan)) if p.point in shown] if strength else None
    if as_json:
        say_json(report.content if found is None else {**report.content, "strength": strengths_json(found)})
    else:
        _show(report, folder, published=published, full=full)
        if found is not None:
            with page_on(sys.stdout, color=wants_color(sys.stdout.isatty())) as console:
                show_strengths(found, console)
    if shut := Counter(gate.shut(report.verdicts, report.summary)):
        words = [why if number == 1 else f"{why} at {number} sweep points" for why, number in shut.items()]
        note(f"the gate is shut: {'; '.join(words)}")
        return FAILED
    return 3 if any(r.status == "failed" for r in report.records) else 0


def read_report(folder: Path, *, coalition: str | None = None, alone: bool = False) -> Findings:
    """Recompute all figures, `alone` in this process. Raises Stop."""
    asked = read_campaign(folder)
    plan = _measuring(asked, coalition)
    settled = asked.registered if plan.coalitions == asked.coalitions else None
    records = _read(folder, lambda: sharing.records(folder, plan, kept=Kept.of_user(), alone=alone))
    panel, judged = _read(folder, lambda: (Reader(folder).panel, bench(Folder(folder), plan)))
    verdicts = settle(records, arms=plan.arms, rule=_rule(plan, settled))
    together = agreement(records, arms=plan.arms, verdicts=verdicts)
    summary = summarise(records, arms=plan.arms)
    return Findings(plan, records, summary, verdicts, panel.judges, judged, together, settled)


def at_points(report: Findings, words: str | None) -> Findings:
    """The report of some sweep points; all tests are counted in its verdicts. Raises Stop."""
    if words is None:
        return report
    return report.at(set(matching(words, {p.point: factors(p.point, p.model) for p in report.summary.points})))


def _rule(plan: Plan, settled: Registered | None) -> Rule:
    """What was settled before the runs, of the first coalition; others go by what fits them."""
    if settled is None:
        return Rule(looks=len(plan.registered.looks) if plan.registered else 0)
    drawn = Figure(None, settled.fixed) if settled.fixed else Figure(1.0)
    return Rule(settled.signal, settled.margins, len(settled.looks), drawn)


def read_campaign(folder: Path) -> Plan:
    """The plan of a folder. Raises Stop."""
    return _read(folder, Reader(folder).plan)


def _read(folder: Path, read: Callable[[], T]) -> T:
    """What is read from a folder, or is computed from that. Raises Stop."""
    try:
        return read()
    except (Damaged, Unreadable) as fault:
        raise stop("C123", str(fault), help=_campaigns(folder)) from None
    except NotLowered as fault:
        raise stop("C100", str(fault), help=fault.help) from None
    except Fault as fault:
        raise stop(fault.code, fault.message, help=fault.help) from None


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


def _campaigns(folder: Path) -> str:
    """What to name in place of a folder that is no campaign: one that is, just below it, if there is any."""
    if (folder / "campaign.json").exists():
        return "name a folder that `colosseum audit` wrote, as it wrote it"
    found = sorted(path.parent for path in folder.glob("*/campaign.json"))
    if len(found) == 1:
        return f"did you mean `{found[0]}`?"
    listed = ", ".join(str(path) for path in found[:MOST_LISTED])
    return f"campaigns below it: {listed}" if found else "name a folder that `colosseum audit` wrote"


def read_published(words: str | None) -> bool:
    """Whether `--verdict paper` was said. Raises Stop."""
    if words not in (None, "paper"):
        raise stop("C122", f"`--verdict {words}`: the other rule is called `paper`", help="as in `--verdict paper`")
    return words is not None


def _measuring(plan: Plan, coalition: str | None) -> Plan:
    """The plan with the coalition asked for in front. Raises Stop."""
    if coalition is None:
        return plan
    if coalition not in plan.coalitions:
        help_ = closest(coalition, plan.coalitions) or f"coalitions: {', '.join(plan.coalitions) or 'none'}"
        raise stop("C122", f"there is no coalition `{coalition}`", help=help_)
    return replace(plan, coalitions=(coalition, *(c for c in plan.coalitions if c != coalition)))


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
