"""Checks that a folder was not changed. In: a campaign's folder; out: everything changed, lost or broken in it.

A trial's identity is a digest of how its trace opens, a trace's lines are chained, and a result seals the chain; so
whoever changes a run must change all three, and then it is no run of the plan any more. Nothing is recomputed: that is
what a replay does. A chain shows changes made since its root was noted elsewhere; whoever writes all files anew makes
a chain that holds, with another root.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from colosseum.campaign.calls import read_calls
from colosseum.campaign.folder import Damaged, Folder, Plan, Result, read_json, result_adapter
from colosseum.campaign.planning import configuration
from colosseum.campaign.rejudging import wrong_judgement
from colosseum.model import serial
from colosseum.model.json_text import encode
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
    root: str = ""
    """As `runs_root` makes it."""


def verify(folder: Folder, plan: Plan) -> Verified:
    """Look at every file."""
    work = _Work(folder, plan)
    work.spec()
    work.scenarios()
    for listed in plan.trials:
        work.run(listed)
    work.others()
    with suppress(OSError):  # which is a fault already
        work.found.root = runs_root(folder, plan)
    return work.found


def runs_root(folder: Folder, plan: Plan) -> str:
    """160 bits of the Merkle root (SHA-256) over plan, results and calls: who noted it down sees any change since."""
    told = ("configuration", "files", "params", "arms", "coalitions", "screening", "registered")
    head = {key: value for key, value in asdict(plan).items() if key in told}
    leaves = [sha256(encode(head).encode())]
    for trial in sorted(listed.trial for listed in plan.trials):
        for path in (folder.result_path(trial), folder.calls(trial)):  # a result seals its trace
            leaves.append(sha256(trial.encode() + (path.read_bytes() if path.exists() else b"")))
    while len(leaves) > 1:
        leaves = [sha256(b"".join(each.digest() for each in leaves[n : n + 2])) for n in range(0, len(leaves), 2)]
    return leaves[0].hexdigest()[:40]


@dataclass
class _Work:
    folder: Folder
    plan: Plan
    found: Verified = field(default_factory=Verified)

    def fault(self, path: Path, words: str) -> None:
        self.found.faults.append(Fault(path.relative_to(self.folder.path).as_posix(), words))

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

    def spec(self) -> None:
        """The spec's files against the digests in the plan, and these against the plan's own."""
        plan = self.plan
        for name, digest in plan.files.items():
            path = self.folder.spec / name
            content = self.read(path)
            if content is not None and sha256(content).hexdigest() != digest:
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
            if sha256(content).hexdigest() != name:
                self.fault(path, "was changed: its content does not fit its name")
                continue
            try:
                serial.load(content)
            except serial.NotAModel as wrong:
                self.fault(path, str(wrong))

    def run(self, listed: Listed) -> None:
        """One run of the plan, whatever became of it."""
        result: Result | Literal["damaged"] | None = "damaged"
        with self.readable(self.folder.result_path(listed.trial)):
            result = self.folder.result(listed.trial)
        if isinstance(result, Result):
            self._ended(listed.trial, result, listed)
        elif result is None and self.folder.trace(listed.trial).exists():
            self.found.open += 1
            self._open(self.folder.trace(listed.trial))
        self._calls(self.folder.calls(listed.trial), result if isinstance(result, Result) else None)

    def others(self) -> None:
        """Results that no trial of the plan has: runs of an earlier plan, which stay."""
        known = {self.folder.result_path(listed.trial) for listed in self.plan.trials}
        for path in sorted((self.folder.path / "runs").glob("*.json")):
            if path in known:
                continue
            with self.readable(path):
                result = read_json(path, result_adapter())
                if self.folder.result_path(result.trial) != path:
                    self.fault(path, "is the result of another trial")
                else:
                    self.found.unlisted += 1
                    self._ended(result.trial, result, None)
                    self._calls(self.folder.calls(result.trial), result)

    def _ended(self, trial: str, result: Result, listed: Listed | None) -> None:
        """A trace against its result, its schema and the plan."""
        path = self.folder.trace(trial)
        events: Sequence[Mapping[str, Any]] = ()
        with self.readable(path):
            events = read_trace(path, result.trace)
        if not events:
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
        with self.readable(path):
            if words := wrong_judgement(self.folder, self.plan, listed, events):
                self.fault(path, words.removeprefix(f"{path} "))
            self.found.judged += not words
        self._calls(self.folder.judging(listed.trial), None)

    def _open(self, path: Path) -> None:
        """A trace that still grows: what is there must fit together."""
        with self.readable(path):
            found = so_far(path)
            wrong = (f"line {number}: {words}" for number, e in enumerate(found.events, 1) if (words := misfit(e)))
            if words := found.broken or next(wrong, ""):
                self.fault(path, words)

    def _calls(self, path: Path, result: Result | None) -> None:
        """Every line of a file of calls, and whether a result has its answers; without one the last may be half."""
        from colosseum.campaign.schemas import wrong_call

        answers = result.expense.calls if result and self.plan.options.get("cache", "rw") == "rw" else 0
        if not path.exists() and not answers:
            return
        before, lines = len(self.found.faults), (self.read(path) or b"").splitlines(keepends=True)
        for number, raw in enumerate(lines, start=1):
            words = wrong_call(raw)
            if words and not (number == len(lines) and not raw.endswith(b"\n") and not result):
                self.fault(path, f"line {number} {words}")
            self.found.calls += not words
        if before == len(self.found.faults) and (kept := len(dict(read_calls(path)))) < answers:
            self.fault(path, f"has {kept} of the {answers} answers that its result counts")


def lacking(events: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """What no run of ours lacks: when something was done, the order of turns, the outcome."""
    for number, event in enumerate(() if events[0].get("imported") else events, start=1):
        for part in ("round", "agents", "assignment"):
            if part in event and event[part] is None:
                yield f"line {number}: `{event['event']}.{part}`: only an imported run may lack it"


def _untrue(events: Sequence[Mapping[str, Any]], trial: str, result: Result, listed: Listed | None) -> Iterator[str]:
    """What a trace says that its schema, its identity, the plan or its result contradict."""
    for number, event in enumerate(events, start=1):
        if words := misfit(event):
            yield f"line {number}: {words}"
    yield from lacking(events)
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
    return SHOWN in written or sha256(written.encode()).hexdigest() == start["trial"]


def misfit(event: Mapping[str, Any]) -> str:
    """In what an event is none of ours; empty where it is one."""
    from colosseum.run.events import read_event

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
