"""Replays. In: a folder, its list of trials and what makes them; out: every run made again in another folder, compared,
and what its models were asked: requests are not on file.

Answers come from the recorded calls, and scripted players act by themselves, so no model is asked. A run is reproduced
when its trace and its result are equal byte for byte.
"""

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import takewhile, zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal, TypeAlias

from colosseum import __version__
from colosseum.campaign.calls import Heard, Missing, Overheard, RunCalls, read_calls, read_failures
from colosseum.campaign.folder import Damaged, Folder, Plan, Result, keep_file
from colosseum.campaign.model_options import Asking
from colosseum.campaign.registering import register, unlike
from colosseum.campaign.runner import perform
from colosseum.campaign.vetting import require
from colosseum.diagnostics import ColosseumError, stop
from colosseum.model.check import check
from colosseum.model.experiment import Arm
from colosseum.players.models.reply import Answer
from colosseum.run.redaction import Redaction
from colosseum.run.run import completed
from colosseum.run.trace import TraceWriter
from colosseum.run.trial import Listed, Trial, Trials

Verdict: TypeAlias = Literal["equal", "different", "not on file", "not ended"]
MOST_NAMED = 5  # parts that differ and are named


@dataclass(frozen=True)
class Replayed:
    """What became of one listed run."""

    listed: Listed
    verdict: Verdict
    words: str = ""
    """Where the first difference is, or why there is nothing to compare."""


@dataclass(frozen=True)
class Remaking:
    """Makes listed trials from the spec that a folder keeps."""

    folder: Folder
    cells: dict[tuple[str, str], Arm]
    """By sweep point and arm."""
    trials: Trials
    settled: str = ""
    """In what the rule that was settled differs from the spec's."""

    @classmethod
    def of(cls, folder: Folder, plan: Plan) -> "Remaking":
        """Reads the spec, and what was asked for. Raises ColosseumError."""
        found = require(*check(folder.spec / plan.spec, params=plan.params))
        if plan.experiment not in found.designs:
            raise stop("C123", f"the spec in {folder.spec} has no experiment `{plan.experiment}`")
        try:
            asking = Asking.from_options(plan.options)
        except ValueError:
            if plan.options.get("imported"):
                raise stop("C123", f"the runs in {folder.path} are imported: there is nothing to play again") from None
            raise stop("C123", f"{folder.plan_path} does not say how its models were asked") from None
        cells = {(cell.point, cell.name): cell for cell in found.designs[plan.experiment].cells}
        trials, settled = Trials(found.spec, found.params, asking.adjust, asking.endpoint), ""
        if plan.registered and plan.colosseum == __version__:  # another version may read the same spec differently
            design, rule = found.designs[plan.experiment], plan.registered
            fresh = register(design, found, seeds=rule.seeds, configuration=plan.configuration)
            settled = ", ".join(unlike(rule, fresh))
        return cls(folder, cells, trials, settled)

    def __call__(self, listed: Listed) -> Trial | str:
        """The trial, or why this version makes none, or another one."""
        cell = self.cells.get((listed.point, listed.arm))
        if cell is None:
            return "the spec has no such arm"
        try:
            made = self.trials.trial(cell, listed.seed, listed.repeat)
        except ColosseumError as fault:
            return f"this version cannot make it: {fault.diagnostics[0].message}"
        return made if made.identity == listed.trial else _otherwise(self.folder.trace(listed.trial), made)


def replay(folder: Folder, plan: Plan, make: Remaking, into: Folder) -> Iterator[Replayed]:
    """Make every run of a plan that has ended again, in the order of the list. Raises OSError."""
    for path in filter(Path.exists, (folder.plan_path, *folder.lists, folder.ledger_path)):
        keep_file(into.path / path.name, path.read_bytes())
    for listed in plan.trials:
        yield _replayed(folder, listed, make, into)


def _replayed(folder: Folder, listed: Listed, make: Remaking, into: Folder) -> Replayed:
    try:
        result = folder.result(listed.trial)
    except Damaged as damaged:
        return Replayed(listed, "different", str(damaged))
    if result is None:
        return Replayed(listed, "not ended")
    trial = make(listed)
    if isinstance(trial, str):
        return Replayed(listed, "different", trial)
    made = made_again(folder, trial, into)
    if isinstance(made, str):
        path, asked = folder.calls(trial.identity), result.expense.calls + (result.status == "failed")
        kept = {*dict(read_calls(path)), *dict(read_failures(path))}
        if not path.exists() or len(kept) < asked:
            return Replayed(listed, "not on file", "not all of its calls are there")
        return Replayed(listed, "different", f"something else is asked: {made}")
    into.commit(made if result.calls else replace(made, calls=None))  # earlier versions sealed no calls
    words = _unlike(folder.trace(listed.trial), into.trace(listed.trial))
    words = words or _unlike(folder.result_path(listed.trial), into.result_path(listed.trial))
    return Replayed(listed, "different" if words else "equal", words)


def made_again(folder: Folder, trial: Trial, into: Folder, heard: Heard | None = None) -> Result | str:
    """A run played again elsewhere from calls on file, or which call is missing; `heard` gets all. Raises OSError."""
    calls = RunCalls(folder.calls(trial.identity), None, Redaction())
    asked = Overheard(calls, [] if heard is None else heard)
    keep_file(into.scenario(trial.instance.digest), trial.instance.written)
    try:
        return completed(perform(trial, calls, TraceWriter(into.trace(trial.identity)), asked))
    except Missing as missing:
        return str(missing)


def overheard(folder: Folder, listed: Listed, make: Remaking) -> list[dict[str, Any]]:
    """The calls of a run; none where no model was asked, or where this version plays the run differently.

    Of the messages of a request only those stand there that follow the first `same` ones of the agent's last request.
    """
    trial = make(listed) if folder.calls(listed.trial).exists() else ""
    if isinstance(trial, str):
        return []
    heard: Heard = []
    with TemporaryDirectory() as place:
        made_again(folder, trial, Folder(Path(place)), heard)
    before: dict[str, list[Any]] = {}
    found = []
    for request, answer in heard:
        agent, messages = request.place.agent, list(request.messages)
        same = sum(
            1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(before.get(agent, ()), messages, strict=False))
        )
        before[agent] = messages
        found.append({
            "agent": agent, "phase": request.place.phase, "round": request.place.round, "same": same,
            "request": {"model": request.endpoint.model, "parameters": request.endpoint.parameters,
                        "messages": messages[same:], "tools": list(request.tools)},
            "reply": answer.raw if isinstance(answer, Answer) else {"failed": answer.kind, "reason": answer.reason},
        })  # fmt: skip
    return found


def _otherwise(path: Path, trial: Trial) -> str:
    """Why a trial that is listed is not the one that this version makes."""
    with suppress(OSError, ValueError, AttributeError):
        start, now = json.loads(path.read_bytes().partition(b"\n")[0]), trial.description()
        if found := list(differing({key: start.get(key) for key in now}, now)):
            return f"this version plays it differently: {', '.join(found[:MOST_NAMED])}"
    return "this version plays it differently"


def _unlike(before: Path, after: Path) -> str:
    """Where a trace, or a result, differs first from the one that was made again; empty when they are equal."""
    if not before.exists():
        return f"{before.name} is missing"
    was, now = before.read_bytes(), after.read_bytes()
    if was == now:
        return ""
    if before.suffix == ".json":
        return f"{before.name} differs in {_places(was, now)}"
    lines = enumerate(zip_longest(was.splitlines(), now.splitlines()), start=1)
    number, (old, new) = next(each for each in lines if each[1][0] != each[1][1])
    return f"{before.name}: line {number} differs in {_places(old, new)}"


def _places(was: bytes | None, now: bytes | None) -> str:
    """In what two texts of JSON differ: a line that only one trace has, in all."""
    if was is None or now is None:
        return "being added" if was is None else "being no longer there"
    with suppress(ValueError, RecursionError):
        if found := [place for place in differing(json.loads(was), json.loads(now)) if place != "chain"]:
            return ", ".join(found[:MOST_NAMED])
    return "its layout"


def differing(was: object, now: object, place: str = "") -> Iterator[str]:
    """The places in which two JSON values differ, as `expense.cost` or `arms[2].seeds`."""
    match was, now:
        case dict(), dict():
            for key in dict.fromkeys((*was, *now)):
                inner = f"{place}.{key}" if place else str(key)
                if key not in was or key not in now:
                    yield inner
                else:
                    yield from differing(was[key], now[key], inner)
        case list(), list() if len(was) == len(now):
            for number, (old, new) in enumerate(zip(was, now, strict=True)):
                yield from differing(old, new, f"{place}[{number}]")
        case _ if was != now or type(was) is not type(now):
            yield place
