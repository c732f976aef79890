"""Runs of folders as pages. In: folders; out: a list, a conversation, what was verified, merged, imported, replayed."""

import json
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from colosseum.campaign.doctor import Defects, examine
from colosseum.campaign.folder import Damaged, Folder, Plan, as_bytes
from colosseum.campaign.judging import judges_again
from colosseum.campaign.kept import Kept
from colosseum.campaign.listing import SHORT, Overview, RunFile, overview, run_words
from colosseum.campaign.merging import Merged
from colosseum.campaign.money import dollars
from colosseum.campaign.replaying import MOST_NAMED, Remaking, Replayed, differing, replay
from colosseum.campaign.verifying import PROMISE, Discrepancy, Verified, verify
from colosseum.diagnostics import ColosseumError, counted
from colosseum.evidence.findings import in_words, read_campaign, read_report
from colosseum.evidence.reading import Reader, Tell, unheard
from colosseum.imports.foreign_run import ImportFile
from colosseum.model.networks import PUBLIC
from colosseum.report.cells import amount, described
from colosseum.report.conversation import conversation_blocks
from colosseum.report.document import Amount, Block, Definitions, Paragraph, TableCell
from colosseum.report.published import document
from colosseum.report.words import WORDS
from colosseum.run.trace import misfit


@dataclass(frozen=True)
class RunsFile:
    """The runs of a campaign."""

    runs: tuple[Overview, ...]


def list_folder(path: Path) -> tuple[RunsFile, Plan]:
    """All runs, with the plan that they are of. Raises ColosseumError."""
    plan = read_campaign(path)
    with in_words(path):
        return RunsFile(tuple(overview(Folder(path), each) for each in plan.trials)), plan


def verify_folder(path: Path, *, root: str = "", ledger: str = "") -> Verified:
    """Everything that is not as it was written, or as a noted root or head says. Raises ColosseumError."""
    folder = Folder(path)
    try:
        return verify(folder, folder.plan(), root=root, ledger=ledger)
    except Damaged as damaged:
        return Verified([Discrepancy(folder.plan_path.name, str(damaged).removeprefix(f"{folder.plan_path} "))])
    except OSError:
        read_campaign(path)  # says what to name in place of a folder that is no campaign
        raise


def examine_folder(path: Path, *, repair: bool = False) -> Defects:
    """Every defect; nothing is written unless `repair`. Raises ColosseumError."""
    with in_words(path):
        return Defects(tuple(examine(Folder(path), read_campaign(path), repair=repair)))


def list_blocks(found: Sequence[Overview], plan: Plan) -> Iterator[Block]:
    """One line a run: the columns in which runs differ, and what happened in them; then why some failed."""
    yield Paragraph(f"{plan.scenario}, experiment {plan.experiment}", "title")
    yield Paragraph(", ".join(f"{number} {state}" for state, number in Counter(run.state for run in found).items()))
    same = [name for name in ("point", "repeat", "model") if len({getattr(run.listed, name) for run in found}) < 2]
    rows = [{name: cell for name, cell in _cells(run).items() if name not in same} for run in found]
    yield described("runs", (list(row.values()) for row in rows), rows[0] if rows else (), most=None)
    if reasons := Counter(run.reason for run in found if run.reason):
        yield Definitions(tuple((counted(n, "run"), reason) for reason, n in reasons.most_common()), "Failures")


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


def log_blocks(run: RunFile, folder: Path, *, prompts: bool = False) -> Iterator[Block]:
    """A run as a conversation, and what it came to."""
    players = Counter(run.listed.players.values())
    who = next(iter(players)) if len(players) == 1 else ", ".join(map(": ".join, run.listed.players.items()))
    readable = [event for event in run.events if not misfit(event)]
    yield Paragraph(run_words(run.listed), "title")
    theirs = [event["imported"] for event in readable if event.get("imported")]
    whence = (f"{i['reader']}, `{i['source']}`; not in it: {', '.join(i['missing']) or 'nothing'}" for i in theirs)
    yield Definitions((("run", run.listed.trial), ("players", who), *(("imported", words) for words in whence)))
    if run.doubt:
        yield Paragraph(f"This trace cannot be trusted: {run.doubt}", "bad")
    yield from conversation_blocks(readable, prompts=prompts)
    if not run.doubt:
        yield from _came_to(run, folder)


def _came_to(run: RunFile, folder: Path) -> Iterator[Block]:
    """Payoffs beside the optimum, broken rules and scores, of a run that has ended; or why they are not known."""
    try:
        with in_words(folder):
            reader = Reader(folder, Kept.of_user())
            plan = reader.plan()
            ended = reader.records(replace(plan, trials=(run.listed,)))
        found, why = next(((each.figures, each.reason) for each in ended), (None, ""))
    except ColosseumError as fault:
        found, why = None, fault.diagnostics[0].message
    if why:
        yield Definitions((("not known", why),), "What it came to")
    elif found:
        who = dict.fromkeys(found.setup.members if found.setup else (), f", in {next(iter(plan.coalitions), '')}")
        rows = [(agent + who.get(agent, ""), Amount(worth)) for agent, worth in found.payoff.items()]
        rows += [(words, amount(found.scalars[name])) for name, words in WORDS["earned"].items()]
        rows += [(f"broken: {name}", Amount(times)) for name, times in found.violations.items() if times]
        rows += [(f"score: {name}", amount(figure, signed=True)) for name, figure in found.rubrics.items()]
        yield described("came-to", rows, judges=", ".join(reader.judges))


def verified_blocks(found: Verified) -> Iterator[Block]:
    """Every fault, and what was looked at."""
    yield from (Paragraph(f"{fault.file}: {fault.words}") for fault in found.faults)
    yield Paragraph(f"{counted(len(found.faults), 'fault')}" if found.faults else "nothing was changed", "strong")
    yield Definitions(tuple((words, str(n)) for name, words in WORDS["looked"].items() if (n := getattr(found, name))))
    if found.anew:
        yield Paragraph(f"sealed anew since that head: {', '.join(found.anew)}")
    if found.underived:
        yield Paragraph(f"the list of runs was not held against the spec: {found.underived}")
    yield Definitions((("runs root", found.root or "none"), ("ledger head", found.ledger or "none")))
    yield Paragraph(PROMISE)


def merged_blocks(merged: Merged, out: Path) -> Iterator[Block]:
    """What is in the new folder, or why nothing is."""
    yield from (Paragraph(f"{path / fault.file}: {fault.words}") for path, fault in merged.faults)
    if merged.faults:
        yield Paragraph("nothing was merged")
        return
    parts = [f"{counted(merged.new + merged.better + merged.kept, 'run')} in {out}, {merged.new} of them new"]
    parts += [f"{merged.better} complete in place of failed ones"] if merged.better else []
    parts += [f"{counted(merged.missing, 'run')} without a result"] if merged.missing else []
    parts += [f"the calls of {merged.begun} of them came along"] if merged.begun else []
    yield Paragraph(", ".join(parts))
    yield Paragraph(f"`colosseum report {out}` shows what they come to")


def defect_blocks(found: Defects) -> Iterator[Block]:
    """Every defect with its remedy, and what that costs."""
    for each in found.defects:
        cost = "an unknown amount" if each.dollars is None else dollars(each.dollars)
        again = f"; {counted(each.calls, 'call')} or more again, of a run that cost {cost}" * bool(each.calls)
        yield Paragraph(f"{each.file}: {each.words}", "strong")
        yield Paragraph(f"{'done: ' * each.repaired}{each.remedy or 'nothing here repairs it'}{again}")
    yield Paragraph(f"{counted(found.left, 'defect')} left" if found.left else "nothing is left to repair", "strong")
    if any(each.free and not each.repaired for each in found.defects):
        yield Paragraph("`--repair` does what costs nothing")


def imported_blocks(found: ImportFile) -> Iterator[Block]:
    """What was found; the first 40 runs in a table, without columns that have nothing to tell apart."""
    became = Counter(run.became for run in found.runs)
    words = ", ".join(f"{became[state]} {state}" for state in ("new", "known", "refused") if became[state])
    title = "Nothing was written" if found.dry_run or found.refused == len(found.runs) else f"Imported into {found.out}"
    yield Paragraph(f"{title}: {words}", "title")
    alike = {name for name in ("became", "repeat", "fills") if len({getattr(run, name) for run in found.runs}) == 1}
    every = ("source", "became", "arm", "seed", "repeat", "model", "posts", "decisions", "fills")
    shown = [name for name in every if name not in alike]
    cells = ([getattr(run, name) for name in shown] for run in found.runs)
    rows = ([Amount(cell) if isinstance(cell, int) else cell for cell in row] for row in cells)
    yield described("imported", rows, ["run", *shown[1:]], most=40)
    kept = [run for run in found.runs if run.became != "refused"]
    if posted := tuple(_posted([run.channels for run in kept], found.reader)):
        yield Definitions(posted, "Posts by channel")
    if lacking := Counter(each for run in kept for each in run.missing):
        yield Definitions(tuple((name, counted(n, "run")) for name, n in lacking.most_common()), "Not in the source")
    if undecided := Counter(each for run in kept for each in run.undecided):
        title = "Decisions that nobody took" + f", {MOST_NAMED} of {len(undecided)}" * (len(undecided) > MOST_NAMED)
        yield Definitions(tuple((name, counted(n, "run")) for name, n in undecided.most_common(MOST_NAMED)), title)
    if refused := Counter(run.reason for run in found.runs if run.became == "refused"):
        of = {run.reason: run.source for run in reversed(found.runs)}
        most, title = refused.most_common(MOST_NAMED), f", {MOST_NAMED} of {len(refused)} reasons"
        told = ((counted(n, "run"), f"{why} ({'first ' * (n > 1)}in `{of[why]}`)") for why, n in most)
        yield Definitions(tuple(told), "Refused" + title * (len(refused) > MOST_NAMED))


def _posted(runs: Sequence[Mapping[str, int]], reader: str) -> Iterator[tuple[str, str]]:
    """Of each channel how many posts it has in how many runs, or what to mend where it has none."""
    if runs and not any(any(run.values()) for run in runs):
        yield "none", "no run has a post" + WORDS["notes"]["unposted"] * (reader != "terrarium")  # which maps none
        return
    for name in dict.fromkeys(name for run in runs for name in run):
        sent = [run[name] for run in runs if run.get(name)]
        none = "no post" if name == PUBLIC else WORDS["notes"]["silent"].format(channel=name)  # which nothing maps
        yield name, f"{counted(sum(sent), 'post')} in {counted(len(sent), 'run')}" if sent else none


EQUAL: Final = "equal"
NOT_COMPARED: Final = WORDS["not_compared"]


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
    was, now = folder.report.read_bytes(), as_bytes(document("report", read_report(into.path).report))
    if was == now:
        return EQUAL
    try:
        places = list(differing(json.loads(was), json.loads(now)))
    except (ValueError, RecursionError):
        return "cannot be read"
    if "schema" in places:
        return NOT_COMPARED["version"]
    if not {"planned", "missing"}.isdisjoint(places) and not any(run.verdict == "different" for run in runs):
        return NOT_COMPARED["older"]
    return f"differs in {', '.join(places[:MOST_NAMED]) or 'its layout'}"


def replay_blocks(found: Replay) -> Iterator[Block]:
    """How many runs and judgements are equal, and where the others differ."""
    wrong = (*found.different, *found.not_on_file)
    ends = {"different": len(found.different), "cannot be made again": len(found.not_on_file),
            "left out, as they have not ended": found.not_ended}  # fmt: skip
    words = ", ".join([f"{found.equal} equal", *(f"{number} {end}" for end, number in ends.items() if number)])
    yield Paragraph(f"{counted(found.equal + len(wrong), 'run')} made again: {words}")
    if found.judged:
        otherwise = f", {others} not" if (others := len(found.judged_otherwise)) else ""
        yield Paragraph(f"{counted(found.judged, 'run')} judged again: {found.judged - others} equal{otherwise}")
    yield Paragraph(f"report.json: {found.report}")
    if found.settled_otherwise:
        yield Paragraph(f"campaign.json: what was settled is not what the spec says of {found.settled_otherwise}")
    for trial, words in found.judged_otherwise.items():
        yield Paragraph(f"judged otherwise: {trial[:SHORT]}, {words}")
    for run in wrong:
        yield Paragraph(f"{run.verdict}: {run_words(run.listed)}: {run.words}")
