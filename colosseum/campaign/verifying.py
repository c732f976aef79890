"""Checks that a folder was not changed. In: a campaign's folder; out: everything changed, lost or broken in it.

A trial's identity is a digest of how its trace opens, a trace's lines are chained, and a result seals the chain; so
whoever changes a run must change all three, and then it is no run of the plan any more. Nothing is recomputed: that is
what a replay does.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from colosseum.campaign.folder import Damaged, Folder, Plan, Result, result_adapter
from colosseum.campaign.planning import configuration
from colosseum.campaign.rejudging import wrong_judgement
from colosseum.campaign.schemas import wrong_call
from colosseum.model import serial
from colosseum.model.json_text import encode
from colosseum.run.events import read_event
from colosseum.run.redaction import SHOWN
from colosseum.run.trace import BrokenTrace, chained, read_trace
from colosseum.run.trial import Listed

LISTED = ("scenario", "arm", "point", "seed", "repeat", "players")
"""What a plan and a trace both say of a run."""


@dataclass(frozen=True)
class Fault:
    """Something that is not as it was written."""

    file: str
    """Below the folder."""
    words: str


@dataclass
class Verified:
    """What was looked at."""

    faults: list[Fault] = field(default_factory=list)
    ended: int = 0
    """Runs whose trace is what its result seals."""
    open: int = 0
    """Runs that were begun and have not ended."""
    unlisted: int = 0
    """Of those that ended, the ones of an earlier plan."""
    calls: int = 0
    """Attempts on file."""
    judged: int = 0
    """Runs with judgements that fit them."""
    scenarios: int = 0
    files: int = 0
    """Of the spec."""


def verify(folder: Folder, plan: Plan) -> Verified:
    """Look at every file."""
    work = _Work(folder, plan)
    work.spec()
    work.scenarios()
    for listed in plan.trials:
        work.run(listed)
    work.others()
    return work.found


@dataclass
class _Work:
    folder: Folder
    plan: Plan
    found: Verified = field(default_factory=Verified)

    def fault(self, path: Path, words: str) -> None:
        self.found.faults.append(Fault(path.relative_to(self.folder.path).as_posix(), words))

    def read(self, path: Path) -> bytes | None:
        """A file's content; None, and a fault, where it cannot be read."""
        try:
            return path.read_bytes()
        except FileNotFoundError:
            self.fault(path, "is missing")
        except OSError as error:
            self.fault(path, f"cannot be read: {error.strerror}")
        return None

    def spec(self) -> None:
        """The spec's files against the digests in the plan, and these against the plan's own."""
        plan = self.plan
        for name, digest in plan.files.items():
            path = self.folder.spec / name
            content = self.read(path)
            if content is not None and hashlib.sha256(content).hexdigest() != digest:
                self.fault(path, "was changed")
            self.found.files += content is not None
        if configuration(plan.experiment, plan.files, plan.params, plan.options) != plan.configuration:
            self.fault(self.folder.plan_path, "its experiment, files, params or options were changed")
        settled = plan.registered
        if settled is not None and plan.seeds > settled.seeds and not settled.looks:
            words = f"{plan.seeds} seeds are more than the {settled.seeds} that were planned, but no look is on record"
            self.fault(self.folder.plan_path, words)

    def scenarios(self) -> None:
        """Every scenario that a run refers to, against its name; it comes with the first run that was begun."""
        begun = {listed.scenario for listed in self.plan.trials if self.folder.trace(listed.trial).exists()}
        for name in dict.fromkeys(listed.scenario for listed in self.plan.trials):
            path = self.folder.scenario(name)
            content = self.read(path) if name in begun or path.exists() else None
            if content is None:
                continue
            self.found.scenarios += 1
            if hashlib.sha256(content).hexdigest() != name:
                self.fault(path, "was changed: its content does not fit its name")
                continue
            try:
                serial.load(content)
            except serial.NotAModel as wrong:
                self.fault(path, str(wrong))

    def run(self, listed: Listed) -> None:
        """One run of the plan, whatever became of it."""
        result, begun = self._result(listed.trial), self.folder.trace(listed.trial).exists()
        if isinstance(result, Result):
            self._ended(listed.trial, result, listed)
        elif result is None and begun:
            self.found.open += 1
            self._open(self.folder.trace(listed.trial))
        self._calls(self.folder.calls(listed.trial), ended=isinstance(result, Result))

    def others(self) -> None:
        """Results that no trial of the plan has: runs of an earlier plan, which stay."""
        known = {self.folder.result_path(listed.trial) for listed in self.plan.trials}
        for path in sorted((self.folder.path / "runs").glob("*.json")):
            if path in known:
                continue
            if (content := self.read(path)) is None:
                continue
            try:
                result = result_adapter().validate_json(content)
            except ValueError:
                self.fault(path, "is no result")
                continue
            if self.folder.result_path(result.trial) != path:
                self.fault(path, "is the result of another trial")
                continue
            self.found.unlisted += 1
            self._ended(result.trial, result, None)
            self._calls(self.folder.calls(result.trial), ended=True)

    def _result(self, trial: str) -> Result | str | None:
        path = self.folder.result_path(trial)
        try:
            return self.folder.result(trial)
        except Damaged:
            self.fault(path, "is no result of this trial")
        except OSError as error:
            self.fault(path, f"cannot be read: {error.strerror}")
        return "damaged"

    def _ended(self, trial: str, result: Result, listed: Listed | None) -> None:
        """A trace against its result, its schema and the plan."""
        path = self.folder.trace(trial)
        try:
            events = read_trace(path, result.trace)
        except BrokenTrace as broken:
            self.fault(path, str(broken).removeprefix(f"{path.name}: "))
            return
        except FileNotFoundError:
            self.fault(path, "is missing")
            return
        except OSError as error:
            self.fault(path, f"cannot be read: {error.strerror}")
            return
        words = next(_untrue(events, trial, result, listed), "")
        if words:
            self.fault(path, words)
        self.found.ended += not words
        if listed is not None and not words and self.folder.judged(trial).exists():
            self._judged(listed, events)

    def _judged(self, listed: Listed, events: Sequence[Mapping[str, Any]]) -> None:
        """The judgements of a run, and the calls that they are made of."""
        path = self.folder.judged(listed.trial)
        try:
            words = wrong_judgement(self.folder, self.plan, listed, events)
        except OSError as error:
            words = f"cannot be read: {error.strerror}"
        if words:
            self.fault(path, words.removeprefix(f"{path} "))
        self.found.judged += not words
        self._calls(self.folder.judging(listed.trial), ended=False)

    def _open(self, path: Path) -> None:
        """A trace that still grows: what is there must fit together."""
        try:
            found = so_far(path)
        except OSError as error:
            self.fault(path, f"cannot be read: {error.strerror}")
            return
        wrong = (f"line {number}: {words}" for number, e in enumerate(found.events, 1) if (words := misfit(e)))
        words = found.broken or next(wrong, "")
        if words:
            self.fault(path, words)

    def _calls(self, path: Path, *, ended: bool) -> None:
        """Every line of a file of calls; the last may be half where the run has not ended."""
        if not path.exists():
            return
        lines = (self.read(path) or b"").splitlines(keepends=True)
        for number, raw in enumerate(lines, start=1):
            words = wrong_call(raw)
            if words and not (number == len(lines) and not raw.endswith(b"\n") and not ended):
                self.fault(path, f"line {number} {words}")
            self.found.calls += not words


def _untrue(events: Sequence[Mapping[str, Any]], trial: str, result: Result, listed: Listed | None) -> Iterator[str]:
    """What a trace says that its schema, its identity, the plan or its result contradict."""
    for number, event in enumerate(events, start=1):
        if words := misfit(event):
            yield f"line {number}: {words}"
    start, end = events[0], events[-1]
    if start["event"] != "start" or [e["event"] for e in events].count("start") != 1:
        yield "does not begin with its start"
    elif start["trial"] != trial:
        yield "is the trace of another trial"
    elif not _is_itself(start):
        yield "line 1: the content does not match the trial's identity"
    elif listed is not None and (wrong := [k for k in LISTED if start[k] != getattr(listed, k)]):
        yield f"is listed with another {wrong[0]}"
    failure = next(({"kind": e["kind"], "words": e["reason"]} for e in events if e["event"] == "failed"), None)
    reason = None if result.reason is None else {"kind": result.reason.kind, "words": result.reason.words}
    if end["status"] != result.status or failure != reason:
        yield f"does not end as {trial[:24]}.json says"


def _is_itself(start: Mapping[str, Any]) -> bool:
    """Whether an identity is the digest of what follows it; where a secret was taken out nobody can tell."""
    written = encode(
        {key: value for key, value in start.items() if key not in ("n", "event", "version", "trial", "chain")}
    )
    return SHOWN in written or hashlib.sha256(written.encode()).hexdigest() == start["trial"]


def misfit(event: Mapping[str, Any]) -> str:
    """In what an event is none of ours; empty where it is one."""
    try:
        read_event(event)
    except ValueError as wrong:
        return str(wrong)
    return ""


@dataclass(frozen=True)
class SoFar:
    """A trace as far as it can be read."""

    events: list[dict[str, Any]]
    broken: str
    """Where its chain breaks, in words; empty where it does not."""
    half: bool
    """Whether the last line is not whole: it is being written, or its writer was killed."""


def so_far(path: Path) -> SoFar:
    """The events of a trace whose run may go on. Raises OSError."""
    events: list[dict[str, Any]] = []
    try:
        for event in chained(path):
            events.append(event)  # so that what comes before a break is kept
    except BrokenTrace as broken:
        if path.read_bytes().count(b"\n") == len(events):
            return SoFar(events, "", half=True)
        return SoFar(events, str(broken).removeprefix(f"{path.name}: "), half=False)
    return SoFar(events, "", half=False)


def doubt(folder: Folder, listed: Listed, found: SoFar) -> str:
    """Why a trace whose chain holds is not to be trusted all the same."""
    try:
        result = folder.result(listed.trial)
    except Damaged as damaged:
        return str(damaged)
    wrong = next((words for event in found.events if (words := misfit(event))), "")
    if wrong or result is None:
        return wrong
    last = found.events[-1]["chain"] if found.events else ""
    sealed = (len(found.events), last) == (result.trace.events, result.trace.chain)
    return "" if sealed and not found.half else "it is not the one that its result seals"
