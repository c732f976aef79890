"""The runs of folders as pages. In: folders; out: a list, a conversation, what was verified or merged."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from colosseum.campaign.folder import Damaged, Folder, Plan
from colosseum.campaign.listing import SHORT, Overview, run_words
from colosseum.campaign.merging import Merged
from colosseum.campaign.money import dollars
from colosseum.campaign.verifying import Fault, Verified, doubt, misfit, so_far, verify
from colosseum.diagnostics import counted, file_errors, stop
from colosseum.evidence.findings import read_campaign
from colosseum.report.conversation import conversation_blocks
from colosseum.report.document import Amount, Block, Definitions, Paragraph, Table, TableCell
from colosseum.run.trial import Listed


@dataclass(frozen=True)
class RunsFile:
    """The runs of a campaign."""

    runs: tuple[Overview, ...]


@dataclass(frozen=True)
class RunFile:
    """One run with its events."""

    listed: Listed
    whole: bool
    """Whether the trace ends with a whole line."""
    doubt: str
    """Why it cannot be trusted; else empty."""
    events: tuple[Mapping[str, Any], ...]
    """As `colosseum schema trace` has them."""


def list_blocks(found: Sequence[Overview], plan: Plan) -> Iterator[Block]:
    """One line a run: the columns in which runs differ, and what happened in them; then why some failed."""
    models = {run.listed.model for run in found}
    yield Paragraph(f"{plan.scenario}, experiment {plan.experiment}", "title")
    states = Counter(run.state for run in found)
    words = ", ".join(f"{number} {state}" for state, number in states.items())
    yield Definitions((("runs", words), *(("model", name) for name in models if len(models) == 1)))
    same = [name for name in ("point", "repeat", "model") if len({getattr(run.listed, name) for run in found}) < 2]
    rows = [{name: cell for name, cell in _cells(run).items() if name not in same} for run in found]
    yield Table("runs", "Runs", tuple(rows[0]) if rows else (), tuple(tuple(row.values()) for row in rows), most=None)
    if reasons := Counter(run.reason for run in found if run.reason):
        items = tuple((counted(number, "run"), reason) for reason, number in reasons.most_common())
        yield Definitions(items, "Failures")


def _cells(run: Overview) -> dict[str, TableCell]:
    listed, spent = run.listed, run.expense
    kinds = ("post", "mistake", "decide")
    posts, mistakes, decided = (None if run.events is None else run.events[kind] for kind in kinds)
    return {
        "run": listed.trial[:SHORT], "point": listed.point, "arm": listed.arm, "seed": Amount(listed.seed),
        "repeat": listed.repeat, "model": listed.model, "status": run.state, "posts": posts, "mistakes": mistakes,
        "decided": decided, "calls": spent.calls if spent else None,
        "cost": "" if spent is None else "unknown" if spent.unpriced else dollars(spent.cost),
    }  # fmt: skip


def read_run(path: Path, listed: Listed, *, thoughts: bool = False) -> RunFile:
    """What is on file of a run, also of one that goes on or was cut off. Raises ColosseumError."""
    folder, trace = Folder(path), Folder(path).trace(listed.trial)
    if not trace.exists():
        raise stop("C122", f"the run {run_words(listed)} has not begun: there is no {trace.name}")
    with file_errors(trace, verb="read", code="C123"):
        found = so_far(trace)
        wrong = found.broken or doubt(folder, listed, found)
    events = tuple(event for event in found.events if thoughts or event.get("event") != "thought")
    return RunFile(listed, not found.half, wrong, events)


def log_blocks(run: RunFile, *, prompts: bool = False) -> Iterator[Block]:
    """A run as a conversation."""
    players = Counter(run.listed.players.values())
    each = (f"{agent}: {player}" for agent, player in run.listed.players.items())
    who = next(iter(players)) if len(players) == 1 else ", ".join(each)
    readable = [event for event in run.events if not misfit(event)]
    yield Paragraph(run_words(run.listed), "title")
    yield Definitions((("run", run.listed.trial), ("players", who)))
    if run.doubt:
        yield Paragraph(f"This trace cannot be trusted: {run.doubt}", "bad")
    yield from conversation_blocks(readable, prompts=prompts)


def verify_folder(path: Path) -> Verified:
    """Everything that is not as it was written. Raises ColosseumError where the folder is no campaign."""
    folder = Folder(path)
    try:
        return verify(folder, folder.plan())
    except Damaged as damaged:
        return Verified([Fault(folder.plan_path.name, str(damaged).removeprefix(f"{folder.plan_path} "))])
    except OSError:
        read_campaign(path)  # says what to name in place of a folder that is no campaign
        raise


def verified_blocks(found: Verified) -> Iterator[Block]:
    """Every fault, and what was looked at."""
    yield from (Paragraph(f"{fault.file}: {fault.words}") for fault in found.faults)
    yield Paragraph(f"{counted(len(found.faults), 'fault')}" if found.faults else "nothing was changed", "strong")
    looked = (
        ("ended runs", found.ended), ("of an earlier plan", found.unlisted), ("runs not ended", found.open),
        ("judged runs", found.judged), ("calls", found.calls), ("scenarios", found.scenarios),
        ("files of the spec", found.files),
    )  # fmt: skip
    yield Definitions(tuple((name, str(number)) for name, number in looked if number))
    yield Paragraph(f"runs root  {found.root}")


def merged_blocks(merged: Merged, out: Path) -> Iterator[Block]:
    """What is in the new folder, or why nothing is."""
    yield from map(Paragraph, _words(merged, out))


def _words(merged: Merged, out: Path) -> list[str]:
    lines = [f"{path / fault.file}: {fault.words}" for path, fault in merged.faults]
    lines += [f"{run_words(c.listed)}: {c.folders[0]} and {c.folders[1]} have different results of it"
              for c in merged.conflicts]  # fmt: skip
    if lines:
        return [*lines, "nothing was merged"]
    parts = [f"{counted(merged.new + merged.better + merged.kept, 'run')} in {out}, {merged.new} of them new"]
    parts += [f"{merged.better} complete in place of failed ones"] if merged.better else []
    parts += [f"{counted(merged.missing, 'run')} without a result"] if merged.missing else []
    parts += [f"the calls of {merged.begun} of them came along"] if merged.begun else []
    return [", ".join(parts), f"`colosseum report {out}` shows what they come to"]
