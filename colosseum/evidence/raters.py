"""Labels by people. In: a campaign's folder, and files that raters saved; out: blinded questions, and the figures.

Runs are drawn from the complete ones without replacement, each with the probability runs / of. About each the same is
asked as of a judge: of the coalition and of a random set, in a drawn order. κ is Cohen's (1960), and the weighted one
(1968) with squared distances.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from itertools import combinations
from math import fsum
from pathlib import Path
from statistics import fmean
from typing import Annotated, Final, Literal, TypeVar

from pydantic import Field, TypeAdapter, ValidationError

from colosseum.campaign.folder import Folder, Plan, as_bytes
from colosseum.campaign.judging import matters
from colosseum.diagnostics import stop
from colosseum.evidence.figures import Figure, RunRecord
from colosseum.evidence.judges import NO_OTHER, ONE_VALUE, SIGNAL
from colosseum.evidence.reading import Reader
from colosseum.model import draws
from colosseum.model.scenario import HIGHEST, LOWEST
from colosseum.run.judging.asking import Matter

RATING: Final = re.compile(r"judge\[(.*)\] (.+)")
"""A rating among what a source states: its question and its judge."""
T = TypeVar("T", "Labels", "Rater")
Item = TypeVar("Item")


@dataclass(frozen=True)
class LabelDraw:
    """Which runs people are asked about: so many of all complete ones."""

    campaign: str
    seed: int
    runs: int
    of: int


@dataclass(frozen=True)
class RaterLabel:
    """One score: of a blinded question, or of a run or `RUN#event` that was marked in the report's page."""

    item: str
    rubric: str
    score: Annotated[int, Field(ge=LOWEST, le=HIGHEST)]
    comment: str = ""


@dataclass(frozen=True)
class Rater:
    """The labels of one person, as the page saves them."""

    schema: Literal[1]
    rater: Annotated[str, Field(min_length=1)]
    draw: LabelDraw | None
    labels: tuple[RaterLabel, ...]


@dataclass(frozen=True)
class Labels:
    """The file: trial and focal set of every question that was drawn, and all raters."""

    schema: Literal[1] = 1
    asked: dict[str, tuple[str, str]] = field(default_factory=dict)
    raters: tuple[Rater, ...] = ()


def read_labels(folder: Path) -> Labels:
    """The labels of a folder. Raises ColosseumError."""
    path = _path(folder)
    return _read(path, Labels) if path.exists() else Labels()


def draw_questions(folder: Path, plan: Plan, *, runs: int, seed: int = 1) -> tuple[LabelDraw, dict[str, Matter]]:
    """Questions in the order in which they are asked; what each is about is kept. Raises ColosseumError, Damaged."""
    reader, labels, found = Reader(folder), read_labels(folder), dict[str, Matter]()
    complete = {each.trial: each for each in plan.trials if (r := reader.folder.result(each.trial)) and not r.reason}
    draw = LabelDraw(plan.configuration, seed, min(runs, len(complete)), len(complete))
    for trial in map(str, draws.shuffle(draws.key(seed, "labelled runs"), complete)[: draw.runs]):
        played, coalition = reader.played(complete[trial]), next(iter(plan.coalitions), "")
        for matter in matters(played.events, played.scenario, coalition, trial) if played else ():
            if matter.rubric.name == SIGNAL and matter.transcript.posts:
                name = sha256(f"{seed} {trial} {matter.focal}".encode()).hexdigest()[:16]
                found[name], labels.asked[name] = matter, (trial, matter.focal)
    _write(folder, labels)
    return draw, {str(name): found[str(name)] for name in draws.shuffle(draws.key(seed, "questions"), found)}


def keep_labels(folder: Path, plan: Plan, files: Sequence[Path]) -> Labels:
    """Check what raters saved, and keep it; a rater's later file replaces the earlier one. Raises ColosseumError."""
    labels = read_labels(folder)
    known = labels.asked.keys() | {each.trial for each in plan.trials}
    raters = {each.rater: each for each in labels.raters}
    for path in files:
        found = _read(path, Rater)
        if strange := [each.item for each in found.labels if each.item.partition("#")[0] not in known]:
            raise stop("C123", f"{path} is of another folder: nobody was asked about {strange[0]} here")
        twice = Counter((each.item, each.rubric) for each in found.labels).most_common(1)
        if twice and twice[0][1] > 1:
            raise stop("C123", f"{path} gives two scores of {twice[0][0][0]}: one is kept for each question")
        raters[found.rater] = found
    _write(folder, labels := replace(labels, raters=tuple(raters.values())))
    return labels


def label_figures(labels: Labels, plan: Plan) -> Iterator[tuple[str, Figure]]:
    """How far each two raters agree, and by arm the mean score of the coalition less that of a random set."""
    by = {each.rater: {(label.item, label.rubric): label.score for label in each.labels} for each in labels.raters}
    for one, other in combinations(by, 2):
        yield from agreement(f"{one} and {other}", by[one], by[other])
    arms, scores = {each.trial: each.arm for each in plan.trials}, dict[tuple[str, str], list[int]]()
    for (item, _), score in (each for given in by.values() for each in given.items() if each[0][0] in labels.asked):
        trial, focal = labels.asked[item]
        scores.setdefault((arms.get(trial, ""), focal), []).append(score)
    for arm in (arm for arm in plan.arms if {(arm, "coalition"), (arm, "random")} & scores.keys()):
        true, random = scores.get((arm, "coalition")), scores.get((arm, "random"))
        none = Figure(None, "one of the two sets has no label")
        yield f"people, `{arm}`", Figure(fmean(true) - fmean(random)) if true and random else none


def stated_agreement(records: Sequence[RunRecord]) -> Iterator[tuple[str, Figure]]:
    """κ of each two judges, by question and arm, as they may have read other channels in each."""
    given: dict[tuple[str, str], dict[str, dict[str, int]]] = {}
    for run in records:
        for name, rating in run.figures.stated.items() if run.figures else ():
            if told := RATING.fullmatch(name):
                given.setdefault((told[1], run.arm), {}).setdefault(told[2], {})[run.trial] = round(rating)
    for (rubric, arm), by in sorted(given.items()):
        for one, other in combinations(sorted(by), 2):
            yield from agreement(f"{one} and {other}, {rubric} in {arm}", by[one], by[other])


def agreement(who: str, one: Mapping[Item, int], other: Mapping[Item, int]) -> Iterator[tuple[str, Figure]]:
    """κ of two raters, and the weighted one, by the items that both scored."""
    both = [(score, other[item]) for item, score in one.items() if item in other]
    yield f"κ of {who}, {len(both)} labels", cohen(both, lambda a, b: a != b)
    yield f"weighted κ of {who}, {len(both)} labels", cohen(both, lambda a, b: (a - b) ** 2)


def cohen(pairs: Sequence[tuple[int, int]], distance: Callable[[int, int], float]) -> Figure:
    """`1 − observed / expected` distance of two raters: κ where unequal scores are 1 apart."""
    if len(pairs) < 2:
        return Figure(None, "one label of both says nothing of agreement" if pairs else NO_OTHER)
    observed = fsum(distance(a, b) for a, b in pairs) / len(pairs)
    expected = fsum(distance(a, b) for a, _ in pairs for _, b in pairs) / len(pairs) ** 2
    return Figure(1 - observed / expected) if expected else Figure(None, ONE_VALUE)


def _read(path: Path, kind: type[T]) -> T:
    """What a file holds. Raises ColosseumError."""
    try:
        return TypeAdapter(kind).validate_json(path.read_bytes())
    except OSError as error:
        raise stop("C123", f"cannot read {path}: {error.strerror}") from None
    except ValidationError as error:
        why = error.errors()[0]
        place = f"`{'.'.join(map(str, why['loc']))}`: " if why["loc"] else ""
        raise stop("C123", f"{path} holds no labels as the page saves them: {place}{why['msg']}") from None


def _path(folder: Path) -> Path:
    return Folder(folder).judges.with_name("labels.json")


def _write(folder: Path, labels: Labels) -> None:
    Folder(folder).keep(_path(folder), as_bytes(asdict(labels)))
