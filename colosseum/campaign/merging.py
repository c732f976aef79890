"""Joins folders of one configuration, such as shards made on several machines. In: folders; out: one folder.

A run comes along with its calls, its trace and, in the end, its result, so that it counts only once it is there whole.
What is there already stays; a result that differs from it is named, and then nothing is written.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import reduce
from itertools import pairwise
from pathlib import Path

from colosseum.campaign.calls import mend, read_calls
from colosseum.campaign.folder import Damaged, Folder, Plan, as_bytes, joined, keep_file, replace_file
from colosseum.campaign.judged import Judges, read_judged, read_judges, write_judged, write_judges
from colosseum.campaign.looks import join_looks
from colosseum.campaign.planning import CONFIGURING
from colosseum.campaign.registering import agreed
from colosseum.campaign.verifying import Fault, verify
from colosseum.diagnostics import stop
from colosseum.run.trial import Listed

APART = "runs of different configurations do not belong into one report"


@dataclass(frozen=True)
class Conflict:
    """Two results of one trial."""

    listed: Listed
    folders: tuple[Path, Path]


@dataclass
class Merged:
    """What came of it."""

    faults: list[tuple[Path, Fault]] = field(default_factory=list)
    """Folders in which something was changed; then nothing is merged."""
    conflicts: list[Conflict] = field(default_factory=list)
    """Then nothing is merged either."""
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


@dataclass(frozen=True)
class _Source:
    """A folder and its plan."""

    folder: Folder
    plan: Plan


def merge(paths: Sequence[Path], out: Path) -> Merged:
    """Join all into one folder, which may be there. Raises ColosseumError."""
    try:
        return _merged(paths, out)
    except Damaged as damaged:
        raise stop("C123", str(damaged)) from None
    except OSError as error:
        raise stop("C122", f"cannot merge into {out}: {error.filename or out}: {error.strerror}") from None


def _merged(paths: Sequence[Path], out: Path) -> Merged:
    target = Folder(out)
    own = [target] if target.plan_path.exists() else []
    others = {path.resolve(): Folder(path) for path in paths if path.resolve() != out.resolve()}
    if not others:
        raise stop("C122", f"{out} cannot be merged into itself", help="name the folders that are to be joined")
    sources = [_Source(folder, folder.plan()) for folder in (*own, *others.values())]
    for other in sources[1:]:
        if other.plan.configuration != sources[0].plan.configuration:
            words = f"{other.folder.path} is not like {sources[0].folder.path}: {_words(sources[0].plan, other.plan)}"
            raise stop("C123", words, help=APART)
    merged = Merged()
    for source in sources:
        merged.faults += [(source.folder.path, fault) for fault in verify(source.folder, source.plan).faults]
    if merged.faults:
        return merged
    chosen = {listed.trial: _choose(listed, sources, merged) for listed in _trials(sources)}
    if merged.conflicts:
        return merged
    _common_judges(sources, target)
    _common(sources, target)
    join_looks((source.folder for source in sources), target)
    for listed in _trials(sources):
        _take(listed, chosen[listed.trial], target, merged)
        _take_judged(listed, sources, target)
    if merged.new or merged.better:
        target.report.unlink(missing_ok=True)  # it was of fewer runs
    return merged


def _words(one: Plan, other: Plan) -> str:
    """In what a plan differs from another."""
    before, after = _telling(one), _telling(other)
    names = [name for name in {**before, **after} if before.get(name) != after.get(name)]
    found = [f"its {name} is {_shown(after.get(name))}, not {_shown(before.get(name))}" for name in names]
    files = [name for name in {**one.files, **other.files} if one.files.get(name) != other.files.get(name)]
    how = {(True, True): "has another", (True, False): "lacks the file", (False, True): "has the file"}
    found += [f"its spec {how[name in one.files, name in other.files]} {name}" for name in files]
    return "; ".join(found) or f"version {other.colosseum} made it, which plays otherwise than {one.colosseum}"


def _telling(plan: Plan) -> dict[str, object]:
    """What sets runs of different configurations apart, besides the files of the spec."""
    params = {f"param {name}": value for name, value in plan.params.items()}
    options = {f"option {name}": plan.options.get(name) for name in CONFIGURING}
    return {"scenario": plan.scenario, "experiment": plan.experiment, **params, **options}


def _shown(value: object) -> str:
    return "not given" if value in (None, "", {}) else json.dumps(value, ensure_ascii=False)


def _trials(sources: Sequence[_Source]) -> list[Listed]:
    """All trials, each once, in the order of the folders."""
    return list({listed.trial: listed for source in sources for listed in source.plan.trials}.values())


def _choose(listed: Listed, sources: Sequence[_Source], merged: Merged) -> Folder | None:
    """Whose run is taken: the first complete one, else the first that failed, else the one with the most calls."""
    results = [(s.folder, result) for s in sources if (result := s.folder.result(listed.trial)) is not None]
    complete = [(folder, result) for folder, result in results if result.status == "complete"]
    for folder, result in complete[1:]:
        if result != complete[0][1]:
            merged.conflicts.append(Conflict(listed, (complete[0][0].path, folder.path)))
    if complete or results:
        return (complete or results)[0][0]
    begun = [source.folder for source in sources if _answers(source.folder, listed)]
    return max(begun, key=lambda folder: _answers(folder, listed), default=None)


def _answers(folder: Folder, listed: Listed) -> int:
    """How many answers a run has on file."""
    path = folder.calls(listed.trial)
    return len(dict(read_calls(path))) if path.exists() else 0


def _common(sources: Sequence[_Source], target: Folder) -> None:
    """What all runs refer to: the spec, scenarios, and the list of trials."""
    for source in sources:
        for name in source.plan.files:
            keep_file(target.spec / name, (source.folder.spec / name).read_bytes())
        for listed in source.plan.trials:
            path, found = target.scenario(listed.scenario), source.folder.scenario(listed.scenario)
            if found.exists() and not path.exists():
                keep_file(path, found.read_bytes())
    plans = [source.plan for source in sources]
    options = {
        name: value if all(plan.options.get(name) == value for plan in plans) else None
        for name, value in plans[0].options.items()
    }
    whole = replace(
        plans[0], arms=_arms(plans), options=options, trials=tuple(_trials(sources)), screening=joined(*plans)
    )
    whole = replace(whole, registered=agreed([plan.registered for plan in plans], seeds=whole.seeds))
    keep_file(target.plan_path, as_bytes(asdict(whole)))


def _arms(plans: Sequence[Plan]) -> tuple[str, ...]:
    """All arms; one that the first plan lacks stands behind the one that it follows in its own."""
    order = list(plans[0].arms)
    for plan in plans[1:]:
        for before, arm in pairwise(plan.arms):  # the first is the control, which every plan has
            if arm not in order:
                order.insert(order.index(before) + 1, arm)
    return tuple(order)


def _take(listed: Listed, source: Folder | None, target: Folder, merged: Merged) -> None:
    """Copy one run, the result last, unless what is there is as good."""
    trial = listed.trial
    result = source.result(trial) if source is not None else None
    before = target.result(trial)
    if source is None or result is None:
        merged.missing += 1
        if source is not None and source.path != target.path:
            _copy(source.calls(trial), target.calls(trial))
            mend(target.calls(trial))
            merged.begun += 1
        return
    if before == result:
        merged.kept += 1
        return
    merged.better += before is not None
    merged.new += before is None
    target.retract(trial)
    _copy(source.calls(trial), target.calls(trial))
    _copy(source.trace(trial), target.trace(trial))
    _copy(source.result_path(trial), target.result_path(trial))


def _common_judges(sources: Sequence[_Source], target: Folder) -> None:
    """Who judged, anywhere. Raises ColosseumError where one was asked in two ways."""
    found = [(source.folder, judges) for source in sources if (judges := read_judges(source.folder)) is not None]
    for folder, judges in found[1:]:
        if not judges.like(found[0][1]):
            words = f"{folder.path} is not like {found[0][0].path}: a judge was asked with other parameters"
            raise stop("C123", words, help=APART)
    if found:
        write_judges(target, reduce(Judges.joined, (judges for _, judges in found)))


def _take_judged(listed: Listed, sources: Sequence[_Source], target: Folder) -> None:
    """Copy the judgements of a run as it was taken, from where there are most of them."""
    result = target.result(listed.trial)
    if result is None:
        return
    found = [(read_judged(s.folder, listed.trial, result.trace.chain), s.folder) for s in sources]
    most, folder = max(found, key=lambda each: sum(j.status == "ok" for j in each[0].judgements))
    if most.judgements and folder.path != target.path:
        _copy(folder.judging(listed.trial), target.judging(listed.trial))
        write_judged(target, most)


def _copy(source: Path, target: Path) -> None:
    """The file as it is there, or none where there is none."""
    if source.exists():
        replace_file(target, source.read_bytes())
    else:
        target.unlink(missing_ok=True)
