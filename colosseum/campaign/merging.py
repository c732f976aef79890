"""Joins folders of one configuration, such as shards made on several machines. In: folders; out: one folder.

A run comes along with its calls, its trace and, in the end, its result, so that it counts only once it is there whole.
What is there already stays; a result that differs from it is named, and then nothing is written.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from pathlib import Path

from colosseum.campaign.calls import mend, read_calls, whole_lines
from colosseum.campaign.folder import Folder, Plan, keep_file, replace_file, writing_to
from colosseum.campaign.judged import read_judged, read_judges, write_judged, write_judges
from colosseum.campaign.listing import run_words
from colosseum.campaign.part import united
from colosseum.campaign.planning import CONFIGURING, together
from colosseum.campaign.registering import agreed
from colosseum.campaign.replaying import differing
from colosseum.campaign.verifying import Discrepancy, looks, verify
from colosseum.diagnostics import stop
from colosseum.run.trial import Listed

APART = "runs of different configurations do not belong into one report"


@dataclass
class Merged:
    """What came of it."""

    faults: list[tuple[Path, Discrepancy]] = field(default_factory=list)
    """Folders in which something was changed, or has another result of a run; then nothing is merged."""
    new: int = 0
    """Results that were not there."""
    better: int = 0
    """Complete results in place of failed ones."""
    kept: int = 0
    """Results that were there."""
    begun: int = 0
    """Runs without a result whose calls came along."""
    missing: int = 0
    """Trials that nobody has a result of."""


def merge(paths: Sequence[Path], out: Path) -> Merged:
    """Join all into one folder, which may be there. Raises ColosseumError."""
    target, merged = Folder(out), Merged()
    own = [target] if target.plan_path.exists() else []
    others = {path.resolve(): Folder(path) for path in paths if path.resolve() != out.resolve()}
    if not others:
        raise stop("C122", f"{out} cannot be merged into itself", help="name the folders that are to be joined")
    with writing_to(out):
        plans = {folder: folder.plan() for folder in (*own, *others.values())}
        (first, plan), *more = plans.items()
        for folder, other in more:
            if other.configuration != plan.configuration:
                unlike = ", ".join(differing(_telling(plan), _telling(other))) or "the version that plays them"
                raise stop("C123", f"{folder.path} differs from {first.path} in {unlike}", help=APART)
        for folder, each in plans.items():
            merged.faults += [(folder.path, fault) for fault in verify(folder, each).faults]
        whole = _whole(list(plans.values()))
        chosen = {} if merged.faults else {each.trial: _choose(each, list(plans), merged) for each in whole.trials}
        if merged.faults:
            return merged
        _common_labels(list(plans), target)
        _common_judges(list(plans), target)
        _common(plans, whole, target)
        for trial, source in chosen.items():
            paid = [line for folder in plans for line in _lines(folder.calls(trial))]
            _take(trial, source, target, merged)
            _add(target.path / f"preflight/merged/{trial}.calls.jsonl", paid, target, _lines(target.calls(trial)))
            _take_judged(trial, list(plans), target)
        if merged.new or merged.better:
            target.drop(target.report)  # it was of fewer runs
    return merged


def _telling(plan: Plan) -> dict[str, object]:
    """What sets runs of different configurations apart."""
    options = {name: plan.options.get(name) for name in CONFIGURING}
    return {"scenario": plan.scenario, "experiment": plan.experiment, "files": plan.files, "params": plan.params,
            "options": options, "colosseum": plan.colosseum}  # fmt: skip


def _choose(listed: Listed, sources: Sequence[Folder], merged: Merged) -> Folder | None:
    """Whose run is taken: the first complete one, else that with the most answers; of equal ones, one that failed."""
    results = {folder: result for folder in sources if (result := folder.result(listed.trial)) is not None}
    complete = [(folder, result) for folder, result in results.items() if result.status == "complete"]
    for folder, result in complete[1:]:
        if result != complete[0][1]:
            words = f"is another result of {run_words(listed)} than the one in {complete[0][0].path}"
            merged.faults.append((folder.path, Discrepancy(f"runs/{folder.result_path(listed.trial).name}", words)))
    if complete:
        return complete[0][0]
    begun = [folder for folder in sources if folder in results or folder.calls(listed.trial).exists()]
    return max(begun, key=lambda f: (len(dict(read_calls(f.calls(listed.trial)))), f in results), default=None)


def _whole(every: Sequence[Plan]) -> Plan:
    """One plan of all: options that differ are not known, and the seeds and arms that were asked for are left out."""
    first = every[0]
    alike = {name for name, value in first.options.items() if all(p.options.get(name) == value for p in every)}
    options = {name: value if name in alike else None for name, value in first.options.items()
               if name in alike or name not in ("seeds", "arms")}  # fmt: skip
    options |= {"shard": united(plan.options.get("shard") for plan in every)}
    arms = first.registered.arms if first.registered else tuple(dict.fromkeys(arm for p in every for arm in p.arms))
    whole = together([*every[1:], replace(first, arms=arms, options=options)])
    return replace(whole, registered=agreed([plan.registered for plan in every], seeds=whole.seeds))


def _common(plans: Mapping[Folder, Plan], whole: Plan, target: Folder) -> None:
    """What all runs refer to: the spec, scenarios, the list of trials, and earlier looks at them."""
    for folder, plan in plans.items():
        for name in plan.files:
            keep_file(target.spec / name, (folder.spec / name).read_bytes())
        for found in {folder.scenario(listed.scenario) for listed in plan.trials}:
            if found.exists():
                keep_file(target.scenario(found.stem), found.read_bytes())
        for path in folder.asked() if folder != target else ():
            _add(target.path / path.relative_to(folder.path), _lines(path), target)
    target.keep_plan(whole)
    known = looks(target)
    for look in (look for folder in plans for look in looks(folder) if look not in known):
        target.note({"event": "look"}, partial(dict, look, merged=True))


def _take(trial: str, source: Folder | None, target: Folder, merged: Merged) -> None:
    """Copy one run, the result last, unless what is there is as good."""
    result = source.result(trial) if source is not None else None
    before = target.result(trial)
    merged.missing += result is None
    if source is None or (result is not None and before == result):
        merged.kept += result is not None
        return
    if result is None:
        merged.begun += source != target
    else:
        merged.better += before is not None
        merged.new += before is None
        target.result_path(trial).unlink(missing_ok=True)
    for place in (Folder.calls, Folder.trace, Folder.result_path) if source != target else ():
        found, path = place(source, trial), place(target, trial)
        if found.exists() and (result is not None or place == Folder.calls):
            replace_file(path, found.read_bytes())
        else:
            path.unlink(missing_ok=True)
    if result is None:
        mend(target.calls(trial))


def _lines(path: Path) -> list[bytes]:
    return [*whole_lines(path)] if path.exists() else []


def _add(path: Path, lines: Sequence[bytes], target: Folder, used: Sequence[bytes] = ()) -> None:
    """Add calls that are neither there nor `used` elsewhere, so that the bill counts all that was paid for."""
    known = {*used, *(kept := _lines(path))}
    if more := [line for line in dict.fromkeys(lines) if line not in known]:
        target.keep(path, b"".join([*kept, *more]))


def _common_labels(sources: Sequence[Folder], target: Folder) -> None:
    """What people labelled, which cannot be joined: it is of runs that were drawn. Raises ColosseumError."""
    paths = {path.read_bytes(): path for folder in sources if (path := folder.judges.with_name("labels.json")).exists()}
    if len(paths) > 1:
        help_ = "merge without one of them, then `colosseum judge label --import` the files of its raters"
        raise stop("C123", f"labels of people differ: {' and '.join(map(str, paths.values()))}", help=help_)
    for content in paths:
        target.keep(target.judges.with_name("labels.json"), content)


def _common_judges(sources: Sequence[Folder], target: Folder) -> None:
    """Who judged, anywhere. Raises ColosseumError where one was asked in two ways."""
    if found := [(judges, folder) for folder in sources if (judges := read_judges(folder))]:
        write_judges(target, reduce(lambda whole, each: whole.joined(*each), found[1:], found[0][0]))


def _take_judged(trial: str, sources: Sequence[Folder], target: Folder) -> None:
    """The judgements of a run as it was taken, and all calls of judges; of two of the same, one that has a score."""
    calls = list(dict.fromkeys(line for folder in sources for line in _lines(folder.judging(trial))))
    if result := target.result(trial):
        found = [read_judged(folder, trial, result.trace.chain) for folder in dict.fromkeys((target, *sources))]
        every = [judgement for each in reversed(found) for judgement in each.judgements]
        whole = found[0].joined(tuple(sorted(every, key=lambda each: each.status == "ok")))
        if whole != found[0] or calls != _lines(target.judging(trial)):
            if calls:
                replace_file(target.judging(trial), b"".join(calls))
            write_judged(target, whole)
