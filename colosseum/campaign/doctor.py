"""Repairs of a folder. In: a folder; out: its defects, each with a remedy and what that costs; repaired on request.

A trace or scenario is made again elsewhere, from recorded calls and the spec, and put back only where it is what the
run's result, or its own name, seals. Nothing that may have been paid for is removed.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeAlias

from filelock import FileLock, Timeout

from colosseum.campaign.calls import mend, read_calls
from colosseum.campaign.folder import Damaged, Folder, Plan, Result, read_json, replace_file
from colosseum.campaign.replaying import Remaking, made_again
from colosseum.campaign.verifying import Discrepancy, verify
from colosseum.diagnostics import stop
from colosseum.players.scripted.players import SCRIPTED
from colosseum.run.trial import Listed


@dataclass(frozen=True)
class Defect(Discrepancy):
    """Something that a crash, or somebody, left in a folder."""

    remedy: str
    """What repairs it; empty where nothing here can."""
    calls: int = 0
    """Calls of models that the remedy asks again."""
    dollars: float | None = 0.0
    """What the run cost that they are for; null where that is not known."""
    free: bool = False
    """Whether `repair` does it, at no cost."""
    repaired: bool = False


@dataclass(frozen=True)
class Defects:
    """What a crash, or somebody, left in a folder."""

    defects: tuple[Defect, ...]

    @property
    def left(self) -> int:
        """How many are not repaired."""
        return sum(not each.repaired for each in self.defects)


REMOVE = "remove it: `audit` makes the run again from its recorded calls"
JUDGE_AGAIN = "remove it: the same `judge` makes it again from its recorded calls"
Found: TypeAlias = Iterator[tuple[Defect, Callable[[], object] | None]]


def examine(folder: Folder, plan: Plan, *, repair: bool = False) -> Iterator[Defect]:
    """Every defect; nothing is written unless `repair`. Raises ColosseumError, OSError, and Damaged."""
    with TemporaryDirectory(prefix="colosseum-") as place:
        for found in (_left(folder, plan), _changed(folder, plan, Folder(Path(place)))):
            for defect, how in [*found]:  # all of them, before any is repaired
                if repair and how:
                    how()
                yield replace(defect, free=how is not None, repaired=repair and how is not None)


def _left(folder: Folder, plan: Plan) -> Found:
    """Locks and halves that killed processes left, and runs that are in no plan and have no result."""
    for path in folder.locks:
        try:
            with FileLock(path, timeout=0):
                pass
        except Timeout:
            raise stop("C122", f"a process holds {path}", help="look again once it has ended") from None
        remove = partial(path.unlink, missing_ok=True)
        yield _defect(folder, path, "is a lock that no process holds", "remove it"), remove
    for path in sorted(folder.path.rglob("*.part")):
        yield _defect(folder, path, "was not written to its end", "remove it: the file itself is whole"), path.unlink
    ended = {path.stem for path in (folder.path / "runs").glob("*.json")}
    listed = {each.trial[:24] for each in plan.trials}
    for path in sorted([*folder.path.glob("*/*.jsonl"), *folder.path.glob("*.jsonl")]):
        run, of_run = path.name.split(".")[0], path.parent == folder.path / "runs"
        if of_run and run not in listed | ended:
            yield _defect(folder, path, "is of no run of the plan, and has no result"), None
        if not (of_run and run in ended) and path.read_bytes()[-1:] not in (b"", b"\n"):
            yield _defect(folder, path, "ends with half a line", "cut that off"), partial(mend, path)


def _changed(folder: Folder, plan: Plan, into: Folder) -> Found:
    """What `log verify` finds: traces and scenarios of ended runs are made again; of lost calls it is told how many."""
    ended = [each for each in plan.trials if folder.ended(each.trial)]
    of = {p: e for e in ended for p in (folder.trace(e.trial), folder.calls(e.trial), folder.scenario(e.scenario))}
    results = {folder.result_path(each.trial): each for each in ended}
    judged = {folder.judged(each.trial) for each in ended if folder.judging(each.trial).exists()}
    make: Remaking | None = None
    for fault in verify(folder, plan).faults:
        path, fresh = folder.path / fault.file, into.path / fault.file
        if path in judged:
            yield Defect(fault.file, fault.words, JUDGE_AGAIN), partial(folder.drop, path)
            continue
        if path not in of:
            remove = path.unlink if path in results and _unreadable(folder, results[path]) else None
            yield Defect(fault.file, fault.words, REMOVE * bool(remove)), remove
            continue
        make = make or Remaking.of(folder, plan)
        if why := _made(folder, of[path], make, into, fresh):
            result, calls = folder.result_path(of[path].trial), folder.calls(of[path].trial)
            expense = read_json(result, Result).expense
            lost = max(0, expense.calls - len(dict(read_calls(calls))))
            remedy = f"{f'remove {result.name}; ' * (path == calls)}`audit --retry-failed` makes the run anew: {why}"
            dollars = None if expense.unpriced else expense.cost
            yield Defect(fault.file, fault.words, remedy, lost, dollars if lost else 0.0), None
        else:
            remedy = "make it again from the spec and the recorded calls"
            yield Defect(fault.file, fault.words, remedy), partial(replace_file, path, fresh.read_bytes())


def _unreadable(folder: Folder, listed: Listed) -> bool:
    """Whether the result of a run cannot be read, though its calls are there, if it had any."""
    with suppress(Damaged):
        return folder.result(listed.trial) is None
    return folder.calls(listed.trial).exists() or {*listed.players.values()} <= SCRIPTED.keys()


def _made(folder: Folder, listed: Listed, make: Remaking, into: Folder, fresh: Path) -> str:
    """Make a run again, with its scenario; why that gives no file that is what was sealed, else empty."""
    trial = make(listed)
    if isinstance(trial, str):
        return trial
    made = made_again(folder, trial, into)
    if fresh.suffix == ".json":  # a scenario, whose name is its digest
        return "" if fresh.exists() else "the spec makes another"
    sealed = read_json(folder.result_path(listed.trial), Result).trace
    equal = not isinstance(made, str) and made.trace == sealed and ".calls" not in fresh.suffixes
    return made if isinstance(made, str) else "" if equal else "made again it is another"


def _defect(folder: Folder, path: Path, words: str, remedy: str = "") -> Defect:
    return Defect(path.relative_to(folder.path).as_posix(), words, remedy)
