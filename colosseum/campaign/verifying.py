"""Checks that a folder was not changed. In: a campaign's folder; out: everything changed, lost or broken in it.

A trial's identity is a digest of how its trace opens, a trace's lines are chained, and a result seals this chain and
the file of calls; the ledger seals plan, judgements, labels and report. Nothing is recomputed, as a replay does.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from hashlib import sha256
from math import isclose
from pathlib import Path
from typing import Any, Final

from colosseum.campaign.calls import Expense, read_paid
from colosseum.campaign.folder import Damaged, FailureReason, Folder, Plan, Result, read_json
from colosseum.campaign.part import Part, read_design, sharded
from colosseum.campaign.planning import configuration
from colosseum.campaign.vetting import require
from colosseum.diagnostics import ColosseumError, counted
from colosseum.model.check import check
from colosseum.model.serial import encode
from colosseum.run.redaction import SHOWN
from colosseum.run.trace import BrokenTrace, chained, misfit, read_trace
from colosseum.run.trial import Listed

LISTED = ("scenario", "arm", "point", "seed", "repeat", "players")  # what a plan and a trace both say of a run
HALF: Final = "ends in half a line"  # of a file whose last line is being written, or whose writer was killed
PROMISE: Final = (
    "A root that you noted elsewhere finds every change of runs since, and a head names what was sealed anew since; "
    "without one, a folder whose files were all written anew looks unchanged, and a look at a copy is on no record."
)


@dataclass(frozen=True)
class Discrepancy:
    """Something that is not as it was written."""

    file: str
    """Below the folder."""
    words: str


@dataclass
class Verified:
    """What was looked at."""

    faults: list[Discrepancy] = field(default_factory=list)
    ended: int = 0
    """Runs whose trace is what its result seals."""
    open: int = 0
    """Runs that were begun and have not ended."""
    unlisted: int = 0
    """Of those that ended, the ones of an earlier plan."""
    calls: int = 0
    """Attempts on file."""
    sealed: int = 0
    """Files that are as the ledger has them."""
    looks: int = 0
    """Reports on record."""
    anew: tuple[str, ...] = ()
    """Files whose content was sealed anew since the head that was noted down."""
    scenarios: int = 0
    files: int = 0
    """Of the spec."""
    underived: str = ""
    """Why the list of runs was not held against the spec; else empty."""
    root: str = ""
    """As `runs_root` makes it."""
    ledger: str = ""
    """The ledger's head: its last chain."""


def verify(folder: Folder, plan: Plan, *, root: str = "", ledger: str = "") -> Verified:
    """Look at every file; `root` and `ledger` were noted down earlier."""
    work = _Work(folder, plan)
    work.spec()
    work.trials()
    work.scenarios()
    listed = {each.trial[:24]: each for each in plan.trials}
    for name in dict.fromkeys([*listed, *sorted(path.stem for path in (folder.path / "runs").glob("*.json"))]):
        work.run(name, listed.get(name))
    work.ledger(ledger)
    with suppress(OSError):  # which is a fault already
        work.found.root = runs_root(folder)
    if root and work.found.root != root:
        work.fault(folder.plan_path, f"plan, spec and runs have the root {work.found.root or 'of no plan'}, not {root}")
    return work.found


def runs_root(folder: Folder) -> str:
    """160 bits of the Merkle root (SHA-256) over plan, results and calls. Raises OSError.

    The plan names the digest of the spec, and its list those of trials; these name their scenarios, and a result seals
    trace and calls.
    """
    plans = {path.name: path.read_bytes() for path in (folder.plan_path, *folder.lists)}
    leaves = [sha256(b"".join(b"%s %d\n%s" % (n.encode(), len(c), c) for n, c in plans.items())).digest()]
    runs = folder.path / "runs"
    files = [name.partition(".") for name in (os.listdir(runs) if runs.is_dir() else ())]
    ended, asked = ({run for run, _, kind in files if kind == wanted} for wanted in ("json", "calls.jsonl"))
    for run in sorted(ended | asked):
        content = b""
        if run in ended:
            with open(f"{runs}/{run}.json", "rb", buffering=0) as file:  # not by pathlib, which takes thrice as long
                content = file.read()
        if run in asked and b'\n "calls": "' not in content:
            content += folder.calls(run).read_bytes()
        leaves.append(sha256(run.encode() + content).digest())
    while len(leaves) > 1:
        leaves = [sha256(b"".join(leaves[n : n + 2])).digest() for n in range(0, len(leaves), 2)]
    return leaves[0].hex()[:40]


def heads(folder: Folder) -> dict[str, str]:
    """The runs root and the ledger's head, by their names. Raises OSError."""
    if not folder.plan_path.exists():
        return {}
    events = _ledger(folder)
    return {"runs root": runs_root(folder), "ledger head": str(events[-1]["chain"])[:40] if events else "none"}


def looked(folder: Folder, ended: int, seeds: int) -> list[int]:
    """Note a report of so many runs and seeds, where the folder can be written; the seeds of all looks with it."""
    with suppress(OSError):
        folder.note({"event": "look"}, lambda: {"runs": runs_root(folder), "ended": ended, "seeds": seeds})
    return [*(int(str(look["seeds"])) for look in looks(folder)), seeds]


def unrecorded(folder: Folder, plan: Plan) -> str:
    """Why earlier looks may be on no record: since schema 3 no look comes before the plan; else empty."""
    path, name = folder.ledger_path, folder.plan_path.name
    found = [str(event.get("file", "look")) for event in _ledger(folder)]
    if path.exists() and not os.access(path, os.W_OK):
        return f"{path.name} cannot be written: this look at the runs is on no record"
    if plan.schema < 3 or (name in found and "look" not in found[: found.index(name)]):
        return ""
    return f"{path.name} {'was begun anew' if found else 'is missing'}: earlier looks at these runs are not known"


def beside(folder: Folder, plan: Plan) -> str:
    """What else was run in a folder, so that this may have been chosen from several; else empty."""
    fresh, others = len([*folder.path.glob("before-*")]), len(plan.elsewhere)
    words = [f"`--fresh` began it anew {'once' if fresh == 1 else counted(fresh, 'time')}"] if fresh else []
    words += [f"it also has runs of {counted(others, 'other configuration')}"] if others else []
    return f"the folder is not of this study alone: {', and '.join(words)}" if words else ""


def looks(folder: Folder) -> list[dict[str, Any]]:
    """What the ledger has of every report."""
    return [
        {name: event[name] for name in ("runs", "ended", "seeds")}
        for event in _ledger(folder) if event.get("event") == "look" and isinstance(event.get("seeds"), int)
    ]  # fmt: skip


def _ledger(folder: Folder) -> list[dict[str, Any]]:
    return so_far(folder.ledger_path)[0] if folder.ledger_path.is_file() else []


@dataclass
class _Work:
    folder: Folder
    plan: Plan
    found: Verified = field(default_factory=Verified)

    def fault(self, path: Path, words: str) -> None:
        self.found.faults.append(Discrepancy(path.relative_to(self.folder.path).as_posix(), words))

    @contextmanager
    def readable(self, path: Path) -> Iterator[None]:
        """Within the block, what keeps a file from being read is a fault."""
        try:
            yield
        except FileNotFoundError:
            self.fault(path, "is missing")
        except OSError as error:
            self.fault(path, f"cannot be read: {error.strerror}")
        except BrokenTrace as broken:
            self.fault(path, str(broken).removeprefix(f"{path.name}: "))
        except Damaged:
            self.fault(path, "is no result of this trial")

    def read(self, path: Path) -> bytes | None:
        """A file's content; None, and a fault, where it cannot be read."""
        content: bytes | None = None
        with self.readable(path):
            content = path.read_bytes()
        return content  # noqa: RET504 - None where it cannot be read

    def same(self, path: Path, digest: str, words: str) -> bool:
        """Whether a file can be read; a fault where it has another SHA-256."""
        content = self.read(path)
        if content is not None and sha256(content).hexdigest() != digest:
            self.fault(path, words)
        return content is not None

    def spec(self) -> None:
        """The spec's files against the digests in the plan, and these against the plan's own."""
        plan = self.plan
        for name, digest in plan.files.items():
            self.found.files += self.same(self.folder.spec / name, digest, "was changed")
        for path in self.folder.spec.glob(f"{plan.protocol}/*.jinja") if plan.protocol else ():
            if path.relative_to(self.folder.spec).as_posix() not in plan.files:
                self.fault(path, "is no file of the spec, and judges would be told by it")
        if configuration(plan.experiment, plan.files, plan.params, plan.options) != plan.configuration:
            self.fault(self.folder.plan_path, "its experiment, files, params or options were changed")
        settled = plan.registered
        if settled is not None and plan.seeds > settled.seeds and not settled.looks:
            words = f"{plan.seeds} seeds are more than the {settled.seeds} that were planned, but no look is on record"
            self.fault(self.folder.plan_path, words)

    def trials(self) -> None:
        """The list of trials against the one that the spec makes of the seeds and arms that were asked for last."""
        plan, left_out = self.plan, self.plan.screening.looked if self.plan.screening else ()
        told = {"seeds", "arms"} <= plan.options.keys()
        if self.found.faults or not told:
            why = "its runs were imported" if "imported" in plan.options else "it was merged from folders of other runs"
            self.found.underived = "the spec, or what was asked for, was changed" if told else why
            return
        try:
            checked = require(*check(self.folder.spec / plan.spec, params=plan.params))
            part = Part(plan.experiment, plan.options["seeds"], tuple(plan.options["arms"] or ()))
            design = read_design(checked, part, file=plan.spec)
        except (ColosseumError, TypeError) as wrong:
            self.found.underived = f"this version cannot read the spec: {wrong}"
            return
        known: set[tuple[object, ...]] = {(each.point, each.seed) for each in left_out if not each.kept}
        known |= {(each.point, each.arm, each.seed, each.repeat) for each in plan.trials}
        for block in sharded(design, plan.options.get("shard")):
            for arm in block.arms:
                if not known & {(block.point, block.seed), (block.point, arm.name, block.seed, block.repeat)}:
                    place = f"{block.point} {arm.name}, seed {block.seed}, repeat {block.repeat}".strip()
                    self.fault(self.folder.plan_path, f"lacks a run that the spec makes: {place}")

    def ledger(self, head: str) -> None:
        """The ledger's chain, and every file that it seals; it goes on from a head that was noted down."""
        path = self.folder.ledger_path
        if not path.exists():
            if self.plan.schema >= 3 or head:
                self.fault(path, "is missing")
            return
        events, broken = list[dict[str, Any]](), ""
        with self.readable(path):
            events, broken = so_far(path)
        if broken:
            self.fault(path, broken)
        chains = [str(event["chain"]) for event in events]
        self.found.ledger = next(iter(chains[::-1]), "")[:40]
        noted = [place for place, chain in enumerate(chains) if head in (chain, chain[:40])]
        if head and not noted:
            self.fault(path, f"does not go on from the head {head}: it was changed or cut since")
        elif head:
            later = (str(event.get("file", "")) for event in events[noted[0] + 1 :])
            self.found.anew = tuple(dict.fromkeys(filter(None, later)))
        latest: dict[str, tuple[int | None, str | None]] = {}
        most = 0
        for event in events:
            match event:
                case {"event": "file", "file": str(name), "bytes": int() | None as size, "sha256": str() | None as sha}:
                    latest[name] = size, sha
                case {"event": "look", "ended": int() as ended}:
                    self.found.looks += 1
                    most = max(most, 0 if event.get("merged") else ended)
                case _:
                    self.fault(path, f"line {event['n'] + 1} is none of a ledger")
        for name, (size, sha) in latest.items():
            self._sealed(self.folder.path / name, size, sha)
        needed = (self.folder.plan_path, self.folder.report, *sorted(self.folder.judges.parent.glob("*.json")))
        for each in needed if self.plan.schema >= 3 else ():
            if each.exists() and (name := each.relative_to(self.folder.path).as_posix()) not in latest:
                self.fault(path, f"lacks {name}: it was cut or begun anew, or a process was killed")
        if (there := len({path.name.partition(".")[0] for path in self.folder.path.glob("runs/*.json*")})) < most:
            self.fault(path, f"a look counted {counted(most, 'run')} that had ended, and there are files of {there}")

    def _sealed(self, path: Path, size: int | None, digest: str | None) -> None:
        """A file against what the ledger has of it last; one that lines are added to may have grown since."""
        if not path.resolve().is_relative_to(self.folder.path.resolve()):
            self.fault(self.folder.ledger_path, "names a file outside of the folder")
        elif size is None and path.exists():
            self.fault(path, "is there, though the ledger says that it was removed")
        elif size is not None and (content := self.read(path)) is not None:
            grows = path.suffix in (".log", ".jsonl") and path not in (*self.folder.lists, *self.folder.asked())
            if sha256(content[:size] if grows else content).hexdigest() != digest:
                self.fault(path, "is not as the ledger has it")
            self.found.sealed += 1

    def scenarios(self) -> None:
        """Every scenario that a run refers to, against its name; it comes with the first run that was begun."""
        begun = {listed.scenario for listed in self.plan.trials if self.folder.trace(listed.trial).exists()}
        for name in dict.fromkeys(listed.scenario for listed in self.plan.trials):
            path, words = self.folder.scenario(name), "was changed: its content does not fit its name"
            self.found.scenarios += (name in begun or path.exists()) and self.same(path, name, words)

    def run(self, name: str, listed: Listed | None) -> None:
        """One run, whatever became of it: its trace against its result, its schema and the plan, and its calls.

        One that no trial lists is of an earlier plan, and stays.
        """
        path, trace, result = self.folder.result_path(name), self.folder.trace(name), None
        if path.exists():
            with self.readable(path):
                result = read_json(path, Result)
                if result.trial != (listed.trial if listed else result.trial) or result.trial[:24] != name:
                    raise Damaged
                self.found.unlisted += listed is None
                with self.readable(trace):
                    words = next(_untrue(read_trace(trace, result.trace), result, listed), "")
                    if words:
                        self.fault(trace, words)
                    self.found.ended += not words
        elif trace.exists():
            self.found.open += 1
            with self.readable(trace):
                events, broken = so_far(trace)
                wrong = (f"line {number}: {words}" for number, e in enumerate(events, 1) if (words := misfit(e)))
                if words := broken if broken not in ("", HALF) else next(wrong, ""):
                    self.fault(trace, words)
        self._calls(self.folder.calls(name), result)

    def _calls(self, path: Path, result: Result | None) -> None:
        """A file of calls against what the run's result seals of it, and says that it cost."""
        kept = self.plan.options.get("cache", "rw") == "rw" and "imported" not in self.plan.options
        wanted = path.exists() or (result and (result.calls or (kept and result.expense.calls)))
        content = self.read(path) if wanted else b""
        if content is None or result is None:
            return
        self.found.calls += content.count(b"\n")
        if wanted and result.calls not in (None, sha256(content).hexdigest()):
            self.fault(path, "was changed: it is not the one that its result seals")
            return
        paid = list(read_paid(path))
        answers = {key: recorded for key, recorded in paid if not recorded.lost}
        made = Expense.of([*answers.values(), *(recorded for _, recorded in paid if recorded.lost)])
        alike = isclose(made.cost, result.expense.cost, abs_tol=1e-12)
        if kept and not (alike and replace(made, cost=result.expense.cost) == result.expense):
            self.fault(path if wanted else self.folder.result_path(result.trial), "does not come to the run's expense")


def _untrue(events: Sequence[Mapping[str, Any]], result: Result, listed: Listed | None) -> Iterator[str]:
    """What a trace says that its identity, the plan or its result contradict."""
    start, end = events[0], events[-1]
    described = encode({k: v for k, v in start.items() if k not in ("n", "event", "version", "trial", "chain")})
    if start["event"] != "start" or [e["event"] for e in events].count("start") != 1:
        yield "does not begin with its start"
    elif start["trial"] != result.trial:
        yield "is the trace of another trial"
    elif SHOWN not in described and sha256(described.encode()).hexdigest() != start["trial"]:  # no secret is left out
        yield "line 1: the content does not match the trial's identity"
    elif listed is not None and (wrong := [k for k in LISTED if start[k] != getattr(listed, k)]):
        yield f"is listed with another {wrong[0]}"
    failure = next((FailureReason(e["kind"], e["reason"]) for e in events if e["event"] == "failed"), None)
    if end["status"] != result.status or failure != result.reason:
        yield f"does not end as {result.trial[:24]}.json says"


def so_far(path: Path) -> tuple[list[dict[str, Any]], str]:
    """The events of a trace whose run may go on, and where its chain breaks, or HALF; else empty. Raises OSError."""
    events: list[dict[str, Any]] = []
    try:
        events.extend(chained(path))  # what comes before a break is kept
    except BrokenTrace as broken:
        half = path.read_bytes().count(b"\n") == len(events)
        return events, HALF if half else str(broken).removeprefix(f"{path.name}: ")
    return events, ""


def doubt(folder: Folder, listed: Listed, events: Sequence[Mapping[str, Any]]) -> str:
    """Why a trace whose chain holds is not to be trusted all the same."""
    try:
        result = folder.result(listed.trial)
        if result is not None:
            read_trace(folder.trace(listed.trial), result.trace)
    except (Damaged, BrokenTrace) as wrong:
        return str(wrong).removeprefix(f"{folder.trace(listed.trial).name}: ")
    return next(filter(None, map(misfit, events)), "")
