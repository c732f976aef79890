"""`colosseum replay`."""

import gc
import json
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from colosseum import __version__
from colosseum.api.reading import read_campaign, read_report
from colosseum.campaign.folder import Damaged, Folder, Plan, as_bytes
from colosseum.campaign.model_options import Asking
from colosseum.campaign.registering import register, unlike
from colosseum.campaign.rejudging import judges_again
from colosseum.campaign.replaying import Replayed, Verdict, differing, replay
from colosseum.campaign.runs import run_words
from colosseum.cli.words import note, say_json, wants_color
from colosseum.diagnostics import ColosseumError, counted, has_errors, stop
from colosseum.model.check import Checked, check
from colosseum.model.experiment import Arm
from colosseum.optimum.lowering.lower import NotLowered
from colosseum.report.page import list_facts, page_on, say
from colosseum.run.team import UnknownPlayer
from colosseum.run.trial import Block, Expansions, Listed, Trial, Trials

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


def replay_folder(path: Path, *, as_json: bool) -> int:
    """Make all runs again and compare them, and the report, with what is there."""
    gc.enable()
    folder = Folder(path)
    plan = read_campaign(path)
    with tempfile.TemporaryDirectory(prefix="colosseum-") as place:
        into = Folder(Path(place))
        try:
            remaking = Remaking.of(folder, plan)
            runs = list(_told(replay(folder, plan, remaking, into), len(plan.trials)))
            judged = list(judges_again(folder, plan, into))
            found = Replay(runs, judged, *_report(folder, plan, runs, into), remaking.settled)
        except Damaged as damaged:
            raise stop("C123", str(damaged)) from None
        except OSError as error:
            raise stop("C123", f"cannot read {error.filename or path}: {error.strerror}") from None
        except NotLowered as fault:
            raise stop("C100", str(fault), help=fault.help) from None
    if as_json:
        say_json(_plain(found))
    else:
        _show(found)
    return found.code


def _told(runs: Iterable[Replayed], number: int) -> Iterator[Replayed]:
    """The same, with a word now and then on how far it is."""
    then = time.monotonic()
    for count, run in enumerate(runs, start=1):
        yield run
        if time.monotonic() - then > EVERY:
            then = time.monotonic()
            note(f"{count} of {counted(number, 'run')} looked at")


@dataclass(frozen=True)
class Remaking:
    """Makes listed trials from the spec that a folder keeps."""

    cells: dict[tuple[str, str], Arm]
    """By sweep point and arm."""
    trials: Trials
    settled: str = ""
    """In what the rule that was settled differs from the spec's."""

    @classmethod
    def of(cls, folder: Folder, plan: Plan) -> "Remaking":
        """Reads the spec, and what was asked for. Raises ColosseumError."""
        found, diagnostics = check(folder.spec / plan.spec, params=plan.params)
        if found is None or has_errors(diagnostics):
            raise ColosseumError(*diagnostics)
        if plan.experiment not in found.designs:
            raise stop("C123", f"the spec in {folder.spec} has no experiment `{plan.experiment}`")
        try:
            asking = Asking.from_options(plan.options)
        except ValueError:
            raise stop("C123", f"{folder.plan_path} does not say how its models were asked") from None
        cells = {(cell.point, cell.name): cell for cell in found.designs[plan.experiment].cells}
        coupled = plan.options.get("couple") is True
        trials = Trials(Expansions(found.spec, found.params), asking.adjust, asking.endpoint, coupled)
        return cls(cells, trials, _settled(found, plan))

    def __call__(self, listed: Listed) -> Trial | str:
        """The trial, or why there is none."""
        cell = self.cells.get((listed.point, listed.arm))
        if cell is None:
            return "the spec has no such arm"
        try:
            made, diagnostics = self.trials.of(Block(listed.point, listed.seed, listed.repeat, (cell,)))
        except UnknownPlayer as unknown:
            return str(unknown)
        return made[0] if made else f"this version cannot expand it: {diagnostics[0].message}"


def _settled(checked: Checked, plan: Plan) -> str:
    """In what the rule that was settled differs from the one that this version reads in the same spec."""
    if plan.registered is None or plan.colosseum != __version__:
        return ""
    design = checked.designs[plan.experiment]
    fresh = register(
        design, checked.expansion.scenario, checked.spec,
        seeds=plan.registered.seeds, configuration=plan.configuration,
    )  # fmt: skip
    return ", ".join(unlike(plan.registered, fresh))


def _report(folder: Folder, plan: Plan, runs: Sequence[Replayed], into: Folder) -> tuple[str, bool]:
    """How the report compares, and whether it differs."""
    if any(run.verdict == "not on file" for run in runs):
        return "not compared, as a run is missing", False
    if not folder.report.exists():
        return "not compared, as there is none: `audit` writes it when it is done", False
    into.path.mkdir(parents=True, exist_ok=True)
    into.plan_path.write_bytes(folder.plan_path.read_bytes())
    was = folder.report.read_bytes()
    now = as_bytes(read_report(into.path).content)
    if was == now:
        return "equal", False
    before, after = _content(was), json.loads(now)
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


def _plain(found: Replay) -> dict[str, object]:
    return {
        "schema": 1,
        "equal": len(found.of("equal")),
        "different": [_named(run) for run in found.of("different")],
        "not_on_file": [_named(run) for run in found.of("not on file")],
        "not_ended": len(found.of("not ended")),
        "judged": len(found.judged),
        "judged_otherwise": [{"run": listed.trial, "words": words} for listed, words in found.judged if words],
        "report": found.report,
        "settled_otherwise": found.settled,
    }


def _named(run: Replayed) -> dict[str, object]:
    listed = run.listed
    return {
        "run": listed.trial, "arm": listed.arm, "point": listed.point, "seed": listed.seed, "repeat": listed.repeat,
        "words": run.words,
    }  # fmt: skip


def _show(found: Replay) -> None:
    equal, different, lost = (len(found.of(verdict)) for verdict in ("equal", "different", "not on file"))
    parts = [f"{counted(equal + different + lost, 'run')} made again: {equal} equal"]
    parts += [f"{different} different"] if different else []
    parts += [f"{lost} cannot be made again"] if lost else []
    parts += [f"{counted(len(found.of('not ended')), 'run')} left out, not ended yet"] if found.of("not ended") else []
    with page_on(sys.stdout, color=wants_color(sys.stdout.isatty())) as console:
        say(console, ", ".join(parts))
        otherwise = [(listed, words) for listed, words in found.judged if words]
        if found.judged:
            ends = f"{len(found.judged) - len(otherwise)} equal" + (f", {len(otherwise)} not" if otherwise else "")
            say(console, f"{counted(len(found.judged), 'run')} judged again: {ends}")
        say(console, f"report.json: {found.report}")
        if found.settled:
            say(console, f"campaign.json: what was settled is not what the spec says of {found.settled}")
        for listed, words in otherwise:
            console.print()
            say(console, f"judged otherwise: {run_words(listed)}", style="bold")
            list_facts(console, [("", words)])
        for run in (*found.of("different"), *found.of("not on file")):
            console.print()
            say(console, f"{run.verdict}: {run_words(run.listed)}", style="bold")
            list_facts(console, [("", run.words)])
