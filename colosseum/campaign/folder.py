"""A campaign's folder. In: a plan and results of runs; out: files that another process may read at any time.

`cli/guide/replay.md` lists the files. More seeds or arms of the same configuration extend the list of trials; another
configuration makes it anew, and its runs stand beside those of the old one.
"""

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from errno import ENOENT
from functools import partial
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import IO, Any, Literal, TypeAlias, TypeVar, cast

from filelock import FileLock
from pydantic import ValidationError

from colosseum.campaign.calls import Expense
from colosseum.campaign.part import in_order
from colosseum.campaign.registering import Registered
from colosseum.campaign.screening import Screening
from colosseum.campaign.trial_list import keep_trials, read_trials
from colosseum.diagnostics import file_errors, stop
from colosseum.model.serial import Json, adapter, encode
from colosseum.run.trace import GENESIS, Digest, Published, Seal, link
from colosseum.run.trial import Block, Listed

T = TypeVar("T")
SCHEMA = 4  # from 3 on a folder has a ledger, from 4 on a list of trials beside its plan
Status: TypeAlias = Literal["complete", "failed"]


class Damaged(Exception):  # noqa: N818 - what is wrong, in words
    """A file of a campaign is not what it was when it was written."""


@dataclass(frozen=True)
class FailureReason:
    """Why a run failed."""

    kind: str
    """As in CallFailed."""
    words: str


@dataclass(frozen=True)
class Result(Published):
    """How a run ended."""

    schema: int
    trial: str
    """Its identity."""
    status: Status
    reason: FailureReason | None
    """Null where it did not fail."""
    trace: Seal
    """What the trace comes to."""
    expense: Expense
    """What its calls came to."""
    calls: str | None = None
    """SHA-256 of the file of its calls; left out where there is none, and by earlier versions."""


@dataclass(frozen=True)
class Plan(Published):
    """What campaign.json says."""

    schema: int
    colosseum: str
    """The version that made it."""
    scenario: str
    title: str
    experiment: str
    question: str
    arms: tuple[str, ...]
    coalitions: tuple[str, ...]
    """In declared order; figures are of the first unless another is asked for."""
    configuration: Digest
    """Equal for runs that belong into one report."""
    spec: str
    """The main file, below `spec/`."""
    files: dict[str, str]
    """The SHA-256 of every file below `spec/` that the spec is made of, the main one first."""
    params: dict[str, Any]
    """Params set from outside."""
    options: dict[str, Any]
    """What was asked for on the command line or by the environment, resolved."""
    trials: tuple[Listed, ...] = ()
    """From schema 4 on they stand in a file of their own, as `list_path` names it."""
    screening: Screening | None = None
    """Null where the experiment asks for no opportunity, so that every seed is run."""
    registered: Registered | None = None
    """What was settled before the runs; null in a folder of an earlier version."""
    protocol: str | None = None
    """The folder below `spec/` whose templates judges are told by; null for those that ship."""
    elsewhere: tuple[Registered, ...] = ()
    """The same of other configurations that the folder was asked for before; it may be asked for them again."""

    @property
    def points(self) -> tuple[str, ...]:
        """Sweep points in the order of the spec; none where an earlier version made the plan."""
        return self.registered.points if self.registered else ()

    @property
    def seeds(self) -> int:
        """How many there are, with those that were looked at and left out."""
        looked = {each.seed for each in self.screening.looked} if self.screening else set()
        return len(looked | {listed.seed for listed in self.trials})


@dataclass(frozen=True)
class Folder:
    """The files of one campaign."""

    path: Path

    def ended(self, trial: str) -> bool:
        """Whether a run has a result, whatever it says; quick, as it is asked for every run there is."""
        return os.path.exists(f"{self.path}/runs/{trial[:24]}.json")

    def trace(self, trial: str) -> Path:
        """A run's events."""
        return self._run(trial, "jsonl")

    def calls(self, trial: str) -> Path:
        """A run's calls."""
        return self._run(trial, "calls.jsonl")

    def result_path(self, trial: str) -> Path:
        """How a run ended; there is none while it goes on."""
        return self._run(trial, "json")

    def judged(self, trial: str) -> Path:
        """Judgements of a run."""
        return Path(f"{self.path}/judged/{trial[:24]}.json")

    def judging(self, trial: str) -> Path:
        """The calls that they are made of."""
        return Path(f"{self.path}/judged/{trial[:24]}.calls.jsonl")

    def files(self, listed: Listed) -> tuple[Path, ...]:
        """All that there is of a run, or may be, but its calls."""
        return self.scenario(listed.scenario), *(of(listed.trial) for of in (self.result_path, self.trace, self.judged))

    @property
    def judges(self) -> Path:
        """Who judged."""
        return self.path / "judged" / "judges.json"

    def lock(self, block: Block) -> Path:
        """Held by the process that makes runs of a block, whatever arms it was asked for."""
        place = f"{block.point}\0{block.seed}\0{block.repeat}"
        return self._run(sha256(place.encode()).hexdigest(), "lock")

    def _run(self, trial: str, kind: str) -> Path:
        return Path(f"{self.path}/runs/{trial[:24]}.{kind}")  # parsed once: joining parts takes thrice as long

    def scenario(self, found: str) -> Path:
        """A scenario by its hash."""
        return Path(f"{self.path}/scenarios/{found}.json")

    def ledger(self, shard: str | None) -> Path:
        """Where processes that share a budget tell each other what they pay; a shard, as `2/5`, has its own."""
        return self.path / f"spent{(shard or '').replace('/', '-')}.log"

    @property
    def plan_path(self) -> Path:
        """The list of trials."""
        return self.path / "campaign.json"

    def list_path(self, configuration: str) -> Path:
        """The trials of a configuration, a line each."""
        return self.path / f"trials-{configuration[:24]}.jsonl"

    @property
    def lists(self) -> list[Path]:
        """The lists of every configuration that the folder was asked for."""
        return sorted(self.path.glob("trials-*.jsonl"))

    @property
    def spec(self) -> Path:
        """Where the spec's files are kept."""
        return self.path / "spec"

    @property
    def ledger_path(self) -> Path:
        """What was judged, labelled and looked at."""
        return self.path / "ledger.jsonl"

    @property
    def report(self) -> Path:
        """The figures, as the last audit found them."""
        return self.path / "report.json"

    def asked(self, shard: str | None = None) -> list[Path]:
        """Calls by which models were asked whether they can play or judge: those of a shard, as `2/5`, or all."""
        return sorted(self.path.glob(f"preflight/{shard or '**'}/*.calls.jsonl"))

    @property
    def locks(self) -> list[Path]:
        """Those that processes hold, and those that killed ones left."""
        return sorted([*self.path.glob("*.lock"), *self.path.glob("*/*.lock")])

    def plan(self) -> Plan:
        """The list of trials. Raises OSError, and Damaged."""
        plan = read_json(self.plan_path, Plan)
        if strange := next(_strange(plan), ""):
            raise Damaged(f"{self.plan_path} is damaged: {strange}")
        if plan.schema < 4:
            return plan
        path = self.list_path(plan.configuration)
        try:
            if not (trials := in_order(read_trials(path), plan.points)):
                raise FileNotFoundError
            return replace(plan, trials=trials)
        except FileNotFoundError:
            raise Damaged(f"{path} is missing or empty: the same `colosseum audit` writes it anew") from None
        except ValidationError as error:
            raise Damaged(f"{path} is damaged: {error.error_count()} entries do not fit") from None

    def earlier(self, configuration: str = "") -> Plan | None:
        """The list of trials; None where there is none, none of ours, or none of the configuration that is given."""
        with suppress(OSError, Damaged):
            plan = self.plan()
            return plan if configuration in ("", plan.configuration) else None
        return None

    def result(self, trial: str) -> Result | None:
        """How a run ended; None when it has not. Without its trace it counts as failed. Raises OSError, and Damaged."""
        path = self.result_path(trial)
        try:
            found = read_json(path, Result)
        except FileNotFoundError:
            return None
        if found.trial != trial:
            raise Damaged(f"{path.name} is the result of another trial")
        if not os.path.exists(f"{self.path}/runs/{trial[:24]}.jsonl"):
            return replace(found, status="failed", reason=FailureReason("lost", f"{self.trace(trial).name} is missing"))
        return found

    def written_at(self, trial: str) -> int:
        """When the result of a run was written, in nanoseconds; 0 where there is none, as of one that is begun anew."""
        with suppress(FileNotFoundError):
            return self.result_path(trial).stat().st_mtime_ns
        return 0

    def result_after(self, trial: str, then: Mapping[str, int]) -> Result | None:
        """How a run ended; None also while its result is the one that was written then. Raises OSError, Damaged."""
        same = trial in then and self.written_at(trial) == then[trial]
        return None if same else self.result(trial)

    def commit(self, result: Result) -> None:
        """Write a result: from now on the run has ended. Raises OSError, also where the folder was removed."""
        for path in (self.plan_path, self.trace(result.trial)):
            if not path.exists():
                raise FileNotFoundError(ENOENT, f"{path.name} was removed while runs were made", str(path))
        content = {name: value for name, value in asdict(result).items() if name != "calls" or value}
        replace_file(self.result_path(result.trial), as_bytes(content))

    def keep(self, path: Path, content: bytes, *others: Path) -> None:
        """Write a file, and seal it and others in the ledger. Raises OSError."""
        keep_file(path, content)
        self.seal(path, *others)

    def drop(self, path: Path) -> None:
        """Remove such a file, if it is there. Raises OSError."""
        if path.exists():
            path.unlink()
            self.seal(path)

    def seal(self, *paths: Path) -> None:
        """Note in the ledger what files hold from now on. Raises OSError."""
        for path in paths:
            self.note({"event": "file", "file": path.relative_to(self.path).as_posix()}, partial(_holds, path))
        _sync(self.path)

    def note(self, about: Mapping[str, Json], find: Callable[[], Mapping[str, Json]]) -> None:
        """Add a line to the ledger, which only grows, unless its last line `about` the same says it. Raises OSError.

        A line is `{"n", "event": "file", "file", "bytes", "sha256", "chain"}`, what a file holds from now on (null
        where it was removed), or `{"n", "event": "look", "runs", "ended", "seeds", "chain"}`, a report of so many
        seeds, with `"merged": true` in a folder that was joined to this one. Other processes add none meanwhile.
        """
        with FileLock(self.path / "ledger.lock") as lock, open(self.ledger_path, "a+b") as file:
            file.seek(0)
            known = file.read()
            known = known[: known.rfind(b"\n") + 1]  # a killed process may have left half a line
            fact, last = find(), known.rfind(encode(about)[1:-1].encode())
            if last < 0 or encode(fact)[1:-1].encode() not in known[last : known.index(b"\n", last)]:
                line = encode({"n": known.count(b"\n"), **about, **fact})
                chain = link(known[-67:-3].decode("utf-8", "replace") or GENESIS, line.encode())
                file.truncate(len(known))
                file.write(f'{line[:-1]},"chain":"{chain}"}}\n'.encode())
                file.flush()
                os.fsync(file.fileno())
            Path(lock.lock_file).unlink(missing_ok=True)

    def keep_plan(self, plan: Plan) -> None:
        """Write a plan and its list of trials as they are, and seal both."""
        path = self.list_path(plan.configuration)
        keep_trials(path, plan.trials)
        content = asdict(replace(plan, trials=(), schema=SCHEMA))
        del content["trials"]
        self.keep(self.plan_path, as_bytes(content), path)

    def set_aside(self) -> Path | None:
        """Put all runs and their plan where nothing looks for them, to begin anew; None where there is nothing."""
        folders = self.spec, self.path / "scenarios", self.path / "preflight", self.judges.parent
        others = *folders, self.report, self.ledger_path, *self.lists
        found = [path for path in (self.path / "runs", self.plan_path, *others) if path.exists()]
        if not found or found[0] in others:
            return None
        aside = next(path for number in count(1) if not (path := self.path / f"before-{number}").exists())
        aside.mkdir()
        for path in found:
            path.rename(aside / path.name)
        _sync(aside)
        return aside

    def lost(self, plan: Plan) -> list[Path]:
        """The traces and scenarios of runs that have ended, and that are not there."""
        ended = [each for each in plan.trials if self.ended(each.trial)]
        needed = (path for each in ended for path in (self.trace(each.trial), self.scenario(each.scenario)))
        return [path for path in dict.fromkeys(needed) if not path.exists()]


def _holds(path: Path) -> Mapping[str, Json]:
    content = path.read_bytes() if path.exists() else None
    size, digest = (None, None) if content is None else (len(content), sha256(content).hexdigest())
    return {"bytes": size, "sha256": digest}


def _strange(plan: Plan) -> Iterator[str]:
    """What cannot be in a plan of ours: names of files that might lead out of the folder, a rule that was changed."""
    if plan.spec not in plan.files:
        yield "its spec is not among its files"
    for name in plan.files:
        if not name or "\\" in name or Path(name).is_absolute() or ".." in Path(name).parts:
            yield f"{name!r} is not a file below spec/"
    for settled in (plan.registered, *plan.elsewhere):
        if settled is not None and settled.fault:
            yield settled.fault


@contextmanager
def writing_to(place: Path) -> Iterator[None]:
    """Within the block, what is wrong with a folder's files is a ColosseumError."""
    try:
        with file_errors(place, verb="write to"):
            yield
    except Damaged as damaged:
        help_ = "`colosseum doctor` says what can be repaired; `audit --fresh` puts it aside and begins again"
        raise stop("C123", str(damaged), help=help_) from None


def read_json(path: Path, kind: type[T]) -> T:
    """What a file holds. Raises OSError, and Damaged."""
    try:
        found: T = adapter(cast(Any, kind)).validate_json(path.read_bytes())
        return found
    except ValidationError as error:
        raise Damaged(f"{path} is damaged: {error.error_count()} entries do not fit") from None


def as_bytes(content: object) -> bytes:
    """JSON as a folder's files hold it."""
    return (json.dumps(content, ensure_ascii=False, allow_nan=False, indent=1) + "\n").encode()


def replace_file(path: Path, content: bytes | Callable[[IO[bytes]], object]) -> None:
    """Write a file, or let it be written: a reader sees the old or the new one, never a half, whatever stops us."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        with open(fresh, "wb") as file:
            file.write(content) if isinstance(content, bytes) else content(file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(fresh, path)
    finally:
        fresh.unlink(missing_ok=True)
    _sync(path.parent)


def _sync(folder: Path) -> None:
    """Make the names in a folder durable, and its own, where the system can: a crash of the machine loses none."""
    for path in (folder, folder.parent) if hasattr(os, "O_DIRECTORY") else ():
        file = os.open(path, os.O_RDONLY)
        os.fsync(file)
        os.close(file)


def keep_file(path: Path, content: bytes) -> None:
    """Write a file, unless it is there."""
    if not path.exists() or path.read_bytes() != content:
        replace_file(path, content)
