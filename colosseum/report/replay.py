"""Makes a folder's runs again and compares them. In: a folder; out: a Replay, as a page."""

import json
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from colosseum.campaign.folder import Folder, Plan, as_bytes
from colosseum.campaign.listing import SHORT, run_words
from colosseum.campaign.rejudging import judges_again
from colosseum.campaign.replaying import MOST_NAMED, Remaking, Replayed, differing, replay
from colosseum.diagnostics import counted
from colosseum.evidence.findings import in_words, read_campaign, read_report
from colosseum.evidence.reading import Tell, unheard
from colosseum.report.document import Block, Definitions, Paragraph
from colosseum.report.published import document

EQUAL: Final = "equal"
NOT_COMPARED: Final = {
    "missing": "not compared, as a run is missing",
    "none": "not compared, as there is none: `audit` writes it when it is done",
    "version": "not compared, as another version of Colosseum wrote it",
    "older": "not compared, as it is older than the last run: `audit` writes it when it is done",
}


@dataclass(frozen=True)
class Replay:
    """What became of all runs, and of the report."""

    equal: int
    different: tuple[Replayed, ...]
    not_on_file: tuple[Replayed, ...]
    not_ended: int
    judged: int
    """Runs whose judgements were made again."""
    judged_otherwise: dict[str, str]
    """By run, what differs in its judgements."""
    report: str
    """`equal`, or why it was not compared, or where it differs."""
    settled_otherwise: str
    """In what the rule that was settled differs from the spec's; else empty."""

    @property
    def code(self) -> int:
        """1 where something differs, 3 where a run cannot be made again."""
        same = self.report in (EQUAL, *NOT_COMPARED.values())
        if self.different or self.judged_otherwise or self.settled_otherwise or not same:
            return 1
        return 3 if self.not_on_file else 0


def replay_folder(path: Path, *, tell: Tell = unheard) -> Replay:
    """Make all runs again and compare them, and the report, with what is there. Raises ColosseumError."""
    folder, plan = Folder(path), read_campaign(path)
    with tempfile.TemporaryDirectory(prefix="colosseum-") as place, in_words(path):
        into, remaking, runs = Folder(Path(place)), Remaking.of(folder, plan), list[Replayed]()
        for run in replay(folder, plan, remaking, into):
            runs.append(run)
            tell(len(runs), len(plan.trials))
        different, lost = (tuple(r for r in runs if r.verdict == each) for each in ("different", "not on file"))
        equal, unended = (sum(run.verdict == each for run in runs) for each in ("equal", "not ended"))
        judged = {listed.trial: words for listed, words in judges_again(folder, plan, into)}
        otherwise = {trial: words for trial, words in judged.items() if words}
        report = _report(folder, plan, runs, into)
        return Replay(equal, different, lost, unended, len(judged), otherwise, report, remaking.settled)


def _report(folder: Folder, plan: Plan, runs: Sequence[Replayed], into: Folder) -> str:
    """How the report compares."""
    if any(run.verdict == "not on file" for run in runs):
        return NOT_COMPARED["missing"]
    if not folder.report.exists():
        return NOT_COMPARED["none"]
    into.path.mkdir(parents=True, exist_ok=True)
    into.plan_path.write_bytes(folder.plan_path.read_bytes())
    was, now = folder.report.read_bytes(), as_bytes(document("report", read_report(into.path).content()))
    if was == now:
        return EQUAL
    try:
        before, after = dict(json.loads(was)), json.loads(now)
    except (ValueError, TypeError, RecursionError):
        return "cannot be read"
    if before.get("schema", after["schema"]) != after["schema"]:
        return NOT_COMPARED["version"]
    older = any(before.get(key) != after.get(key) for key in ("planned", "missing"))
    if older and "planned" in before and not any(run.verdict == "different" for run in runs):
        return NOT_COMPARED["older"]
    places = list(differing(before, after))
    named = ", ".join(places[:MOST_NAMED]) or "its layout"
    return f"differs in {named}" + (f" and {len(places) - MOST_NAMED} more" if len(places) > MOST_NAMED else "")


def replay_blocks(found: Replay) -> Iterator[Block]:
    """How many runs and judgements are equal, and where the others differ."""
    wrong = (*found.different, *found.not_on_file)
    ends = {"equal": found.equal, "different": len(found.different), "cannot be made again": len(found.not_on_file),
            "left out, as they have not ended": found.not_ended}  # fmt: skip
    words = ", ".join(f"{number} {end}" for end, number in ends.items() if number or end == EQUAL)
    yield Paragraph(f"{counted(found.equal + len(wrong), 'run')} made again: {words}")
    if found.judged:
        otherwise = f", {len(found.judged_otherwise)} not" if found.judged_otherwise else ""
        equal = found.judged - len(found.judged_otherwise)
        yield Paragraph(f"{counted(found.judged, 'run')} judged again: {equal} equal{otherwise}")
    yield Paragraph(f"report.json: {found.report}")
    if found.settled_otherwise:
        yield Paragraph(f"campaign.json: what was settled is not what the spec says of {found.settled_otherwise}")
    for trial, words in found.judged_otherwise.items():
        yield Definitions((("", words),), f"judged otherwise: {trial[:SHORT]}")
    for run in wrong:
        yield Definitions((("", run.words),), f"{run.verdict}: {run_words(run.listed)}")
