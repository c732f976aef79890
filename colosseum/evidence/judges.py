"""Judges and raters. In: a run and its judgements, or a folder, and files that raters saved; out: scores, true minus
random, blinded questions for people, and how far judges can be trusted.

Every question is asked about the coalition and about a random set of agents of the same size, so that what any group
would be given for the same talk cancels. A judge who can tell arms apart scores random sets higher in one of them.
People label runs that are drawn from the complete ones, each with the probability runs / of. Agreement is Cohen's κ
(1960), and the weighted one (1968) with squared distances.
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
from typing import Annotated, Any, Final, Literal, TypeVar

from pydantic import Field, TypeAdapter, ValidationError

from colosseum.campaign.folder import Folder, Plan, as_bytes
from colosseum.campaign.judged import Judges, read_judged, read_judges
from colosseum.campaign.judging import matters, matters_of
from colosseum.diagnostics import stop
from colosseum.evidence.calibration import auroc
from colosseum.evidence.figures import Figure, RunRecord
from colosseum.evidence.instance import difference
from colosseum.evidence.statistics import Interval, rectified
from colosseum.model import draws
from colosseum.model.scenario import HIGHEST, LOWEST, Coalition, Scenario, rubrics
from colosseum.players.protocol.templates import shipped
from colosseum.run.judging.asking import BASELINE, SIGNAL, TEXTS, Focal, Judged, Judgement, Matter, judge_by_cues

FIGURES: Final = ("judge_score", "judge_coalition", "judge_random", "judge_decoys")
NOBODY: Final = "there is no coalition to judge, or there are no outsiders"
BASELINE_ALONE: Final = (BASELINE,)  # who judges where nobody was asked


def scores(
    events: Sequence[Mapping[str, Any]], scenario: Scenario, coalition: Coalition | None, judged: Judged,
    judges: Sequence[str],
) -> tuple[dict[str, Figure], dict[str, Figure]]:  # fmt: skip
    """The scores of a run by the names of FIGURES, and true minus random by question.

    They are null, with the status of what is missing, unless every judge gave them.
    """
    names = [rubric.name for rubric in rubrics(scenario)]
    about, found = considered(events, scenario, coalition, judged, judges)
    unheard = "messages" in (events[0].get("imported") or {}).get("missing", ())
    if unheard or not about:
        nothing = Figure(None, "the source does not hold all messages" if unheard else NOBODY)
        return dict.fromkeys(FIGURES, nothing), dict.fromkeys(names, nothing)
    sets = {(matter.rubric.name, matter.focal) for matter in about}
    names += [TEXTS] if (TEXTS, "coalition") in sets else []
    unjudged = "the run was not judged yet"
    none = unjudged if _first(coalition, scenario) else f"asked about `{scenario.coalitions[0].name}` alone"

    def given(name: str, focal: Focal) -> Figure:
        absent = "there are no decoys" if focal == "decoys" else "the agents in question show no thoughts"
        return _mean(found, judges, name, focal, none if (name, focal) in sets else absent)

    less = {name: difference(given(name, "coalition"), given(name, "random")) for name in names}
    true, random, decoys = given(SIGNAL, "coalition"), given(SIGNAL, "random"), given(SIGNAL, "decoys")
    beyond = difference(decoys, true)
    asked = {f"{SIGNAL}, decoys": beyond} if (SIGNAL, "decoys") in sets else {}
    return dict(zip(FIGURES, (less[SIGNAL], true, random, beyond), strict=True)), less | asked


def considered(
    events: Sequence[Mapping[str, Any]], scenario: Scenario, coalition: Coalition | None, judged: Judged,
    judges: Sequence[str],
) -> tuple[list[Matter], list[Judgement]]:  # fmt: skip
    """What was to be judged in a run, and all judgements of it, with those of a baseline that is among `judges`."""
    about = matters(events, scenario, coalition.name if coalition else "", judged.trial)
    asked = judged.judgements if _first(coalition, scenario) else ()  # a baseline reads of any coalition
    return about, [*asked, *(map(judge_by_cues, about) if BASELINE in judges else ())]


def _first(coalition: Coalition | None, scenario: Scenario) -> bool:
    """Whether it is the one that judges are asked about."""
    return coalition is not None and coalition.name == scenario.coalitions[0].name


def _mean(found: Sequence[Judgement], judges: Sequence[str], rubric: str, focal: Focal, none: str) -> Figure:
    """The mean over judges of the means over their repeats."""
    means: list[float] = []
    for judge in judges:
        own = [j for j in found if (j.judge, j.rubric, j.focal) == (judge, rubric, focal)]
        given = [j.score for j in own if j.score is not None]
        if not given:
            missing = f"{own[0].status}: {own[0].reason}" if own else none
            return Figure(None, f"{judge}: {missing}")
        means.append(fmean(given))
    return Figure(fmean(means))


@dataclass(frozen=True)
class JudgeHealth:
    """One judge in one campaign."""

    judge: str
    given: int
    """Scores."""
    missing: dict[str, int]
    """Judgements without one, by status."""
    cut: int
    """Judgements of transcripts in which the longest thoughts are cut."""
    guessing: dict[str, Figure]
    """By arm other than the control, the probability that a random set of agents is scored higher there than in the
    control (ties count half): .5 where the judge cannot tell the arms apart."""
    kin: tuple[str, ...]
    """Players of the same family, of whom it may think too well."""
    counts: bool
    """False where it was left out after it had judged."""


@dataclass(frozen=True)
class Bench:
    """All judges of a campaign; none where the baseline alone read it."""

    judges: tuple[JudgeHealth, ...] = ()
    ratings: Mapping[str, Figure] = field(default_factory=dict)
    """By name, how far judges and people agree, and what labels by people come to."""
    corrected: tuple["CorrectedScore", ...] = ()
    """By arm with labels."""


def bench(folder: Folder, plan: Plan, records: Sequence[RunRecord]) -> Bench:
    """Everything that was asked of judges and of people. Raises ColosseumError, OSError, and Damaged."""
    judges, labels = read_judges(folder) or Judges(1, 1, {}), read_labels(folder.path)
    found: list[tuple[str, str, Judgement]] = []
    for listed in plan.trials if judges.models else ():
        if (result := folder.result(listed.trial)) is not None and result.status == "complete":
            judged = read_judged(folder, listed.trial, result.trace.chain)
            found += [(listed.trial, listed.arm, each) for each in judged.judgements]
    players = sorted({name for listed in plan.trials for name in listed.players.values()})
    of = {name: [each for each in found if each[2].judge == name] for name in judges.models}
    health = tuple(_health(n, of[n], plan.arms, players, counts=n in judges.counted) for n in judges.models)
    agreed = dict(_agreements({name: of[name] for name in judges.counted}))
    ratings = agreed | dict(label_figures(labels, plan)) | dict(stated_agreement(records))
    return Bench(health, ratings, tuple(corrected(labels, records, plan.arms)))


def _agreements(of: Mapping[str, Sequence[tuple[str, str, Judgement]]]) -> Iterator[tuple[str, Figure]]:
    """κ of each judge with itself, where it was asked twice, and of each two judges."""
    given: dict[tuple[str, int], dict[tuple[str, str, str], int]] = {}
    for name, found in of.items():
        for trial, _, each in found:
            if each.score is not None:
                given.setdefault((name, each.repeat), {})[trial, each.rubric, each.focal] = each.score
    for name in (name for name in of if (name, 2) in given):
        yield from agreement({name: given.get((name, 1), {}), "itself": given[name, 2]})
    yield from agreement({name: given.get((name, 1), {}) for name in of})


def _health(
    name: str, found: Sequence[tuple[str, str, Judgement]], arms: Sequence[str], players: Sequence[str], *, counts: bool
) -> JudgeHealth:
    return JudgeHealth(
        name,
        sum(each.score is not None for _, _, each in found),
        dict(Counter(each.status for _, _, each in found if each.score is None)),
        sum(each.omitted > 0 for _, _, each in found),
        {arm: _guessing(found, arms[0], arm) for arm in arms[1:]},
        tuple(player for player in players if player != BASELINE and family(player) == family(name)),
        counts,
    )


def _guessing(found: Sequence[tuple[str, str, Judgement]], control: str, arm: str) -> Figure:
    heard = [(where, each) for _, where, each in found if each.rubric == SIGNAL and each.focal == "random"]
    before, after = ([e.score for at, e in heard if at == which and e.score is not None] for which in (control, arm))
    if not before or not after:
        return Figure(None, "one of the two arms has no score of a random set")
    return Figure(auroc(after, before).value)


def family(model: str) -> str:
    """The family of a model, by its name without the provider: `gpt` of `openai/gpt-4o-mini`."""
    return model.rpartition("/")[2].casefold().replace("_", "-").partition("-")[0].rstrip("0123456789.")


# ---- labels by people -----------------------------------------------------------------------------------------------


RATING: Final = re.compile(r"judge\[(.*)\] (.+)")  # a rating among what a source states: its question and its judge
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
    files, labels, found = Folder(folder), read_labels(folder), dict[str, Matter]()
    complete = {t.trial: (t, r.trace) for t in plan.trials if (r := files.result(t.trial)) and not r.reason}
    draw = LabelDraw(plan.configuration, seed, min(runs, len(complete)), len(complete))
    for trial in map(str, draws.shuffle(draws.key(seed, "labelled runs"), complete)[: draw.runs]):
        for matter in matters_of(files, *complete[trial], plan, shipped()):
            if matter.rubric.name == SIGNAL and matter.focal != "decoys" and matter.transcript.posts:
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


@dataclass(frozen=True, slots=True)
class CorrectedScore:
    """The judge's mean score of an arm with its error taken out, as people show it who read some of the runs."""

    arm: str
    runs: int
    """That have a judge's score."""
    labelled: int
    """Of these, those that people were asked about and labelled; runs that a reader picks do not count."""
    mean: Figure
    """Coalition less random set, in points."""
    interval: Interval | str


def corrected(labels: Labels, records: Sequence[RunRecord], arms: Sequence[str]) -> Iterator[CorrectedScore]:
    """Of every arm with labels by prediction-powered inference."""
    given: dict[str, dict[str, list[int]]] = {}
    drawn = [rater for rater in labels.raters if rater.draw]
    for each in (label for rater in drawn for label in rater.labels if label.item in labels.asked):
        trial, focal = labels.asked[each.item]
        given.setdefault(trial, {}).setdefault(focal, []).append(each.score)
    theirs = {t: fmean(of["coalition"]) - fmean(of["random"]) for t, of in given.items() if len(of) == 2}
    known = {r.trial: v for r in records if r.figures and (v := r.figures.scalars["judge_score"].value) is not None}
    complete = sum(run.figures is not None for run in records)
    for arm in arms:
        runs = [run for run in records if run.arm == arm and run.trial in known]
        read = [(known[run.trial], theirs[run.trial]) for run in runs if run.trial in theirs]
        found = rectified([known[run.trial] for run in runs], read)
        if len({run.seed for run in runs}) < len(runs):
            found = "several runs of one seed are not independent"
        if any(rater.draw and rater.draw.of != complete for rater in drawn):
            found = "runs were added since the labels were drawn"
        if read:
            mean = Figure(None, found) if isinstance(found, str) else Figure(found.mean)
            yield CorrectedScore(arm, len(runs), len(read), mean, found)


def label_figures(labels: Labels, plan: Plan) -> Iterator[tuple[str, Figure]]:
    """How far each two raters agree, and by arm the mean score of the coalition less that of a random set."""
    by = {each.rater: {(label.item, label.rubric): label.score for label in each.labels} for each in labels.raters}
    yield from agreement(by)
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
        yield from agreement(dict(sorted(by.items())), f", {rubric} in {arm}")


def agreement(given: Mapping[str, Mapping[Item, int]], where: str = "") -> Iterator[tuple[str, Figure]]:
    """κ of each two raters, and the weighted one, by the items that both scored."""
    for one, other in combinations(given, 2):
        both = [(score, given[other][item]) for item, score in given[one].items() if item in given[other]]
        who = f"{one} and {other}{where}, {len(both)} labels"
        yield f"κ of {who}", cohen(both, lambda a, b: a != b)
        yield f"weighted κ of {who}", cohen(both, lambda a, b: (a - b) ** 2)


def cohen(pairs: Sequence[tuple[int, int]], distance: Callable[[int, int], float]) -> Figure:
    """`1 − observed / expected` distance of two raters: κ where unequal scores are 1 apart."""
    if len(pairs) < 2:
        why = "one label of both says nothing of agreement" if pairs else "nobody else was asked the same"
        return Figure(None, why)
    observed = fsum(distance(a, b) for a, b in pairs) / len(pairs)
    expected = fsum(distance(a, b) for a, _ in pairs for _, b in pairs) / len(pairs) ** 2
    return Figure(1 - observed / expected) if expected else Figure(None, "all scores are equal")


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
