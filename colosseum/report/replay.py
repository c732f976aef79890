"""Makes a folder's runs again and compares them. In: a folder; out: a Replay, as a page."""

import json
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from colosseum.campaign.folder import Folder, Plan, as_bytes
from colosseum.campaign.listing import run_words
from colosseum.campaign.part import Say, silent
from colosseum.campaign.rejudging import judges_again
from colosseum.campaign.replaying import Remaking, Replayed, Verdict, differing, replay
from colosseum.diagnostics import counted
from colosseum.evidence.findings import in_words, read_campaign, read_report
from colosseum.report.document import Block, Definitions, Paragraph
from colosseum.report.published import document
from colosseum.run.trial import Listed

MOST_NAMED = 5
"""Figures that differ and are named."""
EVERY = 10.0
"""Seconds between two words on how far it is."""


@dataclass(frozen=True)
class Replay:
    """What became of all runs, and of the report."""

    runs: Sequence[Replayed]
    judged: Sequence[tuple[Listed, str]]
    """Runs whose judgements were made again, with what differs in them."""
    report: str
    """`equal`, or why it was not compared, or where it differs."""
    differs: bool
    """Whether the report does."""
    settled: str = ""
    """In what the rule that was settled differs from the spec's; empty where it does not."""

    def of(self, verdict: Verdict) -> list[Replayed]:
        """The runs that this became of."""
        return [run for run in self.runs if run.verdict == verdict]

    @property
    def code(self) -> int:
        """1 where something differs, 3 where a run cannot be made again."""
        if self.of("different") or self.differs or self.settled or any(words for _, words in self.judged):
            return 1
        return 3 if self.of("not on file") else 0

    @property
    def content(self) -> "ReplayFile":
        """As JSON has it."""
        different, lost = tuple(self.of("different")), tuple(self.of("not on file"))
        otherwise = {listed.trial: words for listed, words in self.judged if words}
        equal, open_ = len(self.of("equal")), len(self.of("not ended"))
        return ReplayFile(equal, different, lost, open_, len(self.judged), otherwise, self.report, self.settled)


@dataclass(frozen=True)
class ReplayFile:
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


def replay_folder(path: Path, *, tell: Say = silent) -> Replay:
    """Make all runs again and compare them, and the report, with what is there. Raises ColosseumError."""
    folder, plan = Folder(path), read_campaign(path)
    with tempfile.TemporaryDirectory(prefix="colosseum-") as place, in_words(path):
        into, remaking = Folder(Path(place)), Remaking.of(folder, plan)
        runs = list(_told(replay(folder, plan, remaking, into), len(plan.trials), tell))
        return Replay(
            runs, list(judges_again(folder, plan, into)), *_report(folder, plan, runs, into), remaking.settled
        )


def _told(runs: Iterable[Replayed], number: int, tell: Say) -> Iterator[Replayed]:
    """The same, with a word now and then on how far it is."""
    then = time.monotonic()
    for count, run in enumerate(runs, start=1):
        yield run
        if time.monotonic() - then > EVERY:
            then = time.monotonic()
            tell(f"{count} of {counted(number, 'run')} looked at")


def _report(folder: Folder, plan: Plan, runs: Sequence[Replayed], into: Folder) -> tuple[str, bool]:
    """How the report compares, and whether it differs."""
    if any(run.verdict == "not on file" for run in runs):
        return "not compared, as a run is missing", False
    if not folder.report.exists():
        return "not compared, as there is none: `audit` writes it when it is done", False
    into.path.mkdir(parents=True, exist_ok=True)
    into.plan_path.write_bytes(folder.plan_path.read_bytes())
    was = folder.report.read_bytes()
    now = as_bytes(document("report", read_report(into.path).content()))
    if was == now:
        return "equal", False
    before, after = _content(was), json.loads(now)
    if before.get("schema", after["schema"]) != after["schema"]:
        return "not compared, as another version of Colosseum wrote it", False
    older = [key for key in ("planned", "missing") if before.get(key) != after.get(key)]
    if older and "planned" in before and not any(run.verdict == "different" for run in runs):
        return "not compared, as it is older than the last run: `audit` writes it when it is done", False
    places = list(differing(before, after))
    named = ", ".join(places[:MOST_NAMED]) or "its layout"
    return f"differs in {named}" + (f" and {len(places) - MOST_NAMED} more" if len(places) > MOST_NAMED else ""), True


def _content(raw: bytes) -> dict[str, object]:
    try:
        found = json.loads(raw)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def replay_blocks(found: Replay) -> Iterator[Block]:
    """How many runs and judgements are equal, and where the others differ."""
    equal, different, lost = (len(found.of(verdict)) for verdict in ("equal", "different", "not on file"))
    parts = [f"{counted(equal + different + lost, 'run')} made again: {equal} equal"]
    parts += [f"{different} different"] if different else []
    parts += [f"{lost} cannot be made again"] if lost else []
    parts += [f"{counted(len(found.of('not ended')), 'run')} left out, not ended yet"] if found.of("not ended") else []
    yield Paragraph(", ".join(parts))
    otherwise = [(listed, words) for listed, words in found.judged if words]
    if found.judged:
        ends = f"{len(found.judged) - len(otherwise)} equal" + (f", {len(otherwise)} not" if otherwise else "")
        yield Paragraph(f"{counted(len(found.judged), 'run')} judged again: {ends}")
    yield Paragraph(f"report.json: {found.report}")
    if found.settled:
        yield Paragraph(f"campaign.json: what was settled is not what the spec says of {found.settled}")
    for listed, words in otherwise:
        yield Paragraph("")
        yield Paragraph(f"judged otherwise: {run_words(listed)}", "strong")
        yield Definitions((("", words),))
    for run in (*found.of("different"), *found.of("not on file")):
        yield Paragraph("")
        yield Paragraph(f"{run.verdict}: {run_words(run.listed)}", "strong")
        yield Definitions((("", run.words),))
