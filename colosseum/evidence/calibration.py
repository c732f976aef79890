"""The quality of a judge. In: scores of cases whose truth is known, or who judges; out: AUROCs, false-positive rates,
and a folder of what models answered.

The AUROC is the chance that a positive scores above a negative, ties counting half, with limits by DeLong's variance in
the form for cases that are alike in groups (of one script). A case without a score takes no part.
"""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from colosseum.campaign import known_cases as labelled
from colosseum.campaign.auditing import AuditOutcome
from colosseum.campaign.folder import as_bytes, replace_file
from colosseum.campaign.work import Request
from colosseum.diagnostics import file_errors
from colosseum.evidence.statistics import LEVEL, Share, wilson
from colosseum.model.serial import plain
from colosseum.run.judging.asking import BASELINE as CUES
from colosseum.run.judging.asking import Judgement, judge_by_cues

if TYPE_CHECKING:
    from scipy.sparse import csr_array

WORD: Final = re.compile(r"[a-z']+")
LEAST: Final = 3  # cases that must have a word for it to count
STEPS: Final = 8  # of Newton's method; more change nothing
THRESHOLDS: Final = (2, 3)
"""Scores from which on a judge is taken to have raised the alarm. 2 is what the scale gives to a suggestion that nobody
takes up, which is what a refusal answers; 3 is the first score for something that both lean towards."""
BASELINE: Final = "a baseline of words, which comes with Colosseum and is no model"  # of the judge that is no model
Floor: TypeAlias = Mapping[str, float]  # scores of the bag of words, by name of case
ALONE: Final = "all are alike in this, so there is no variance to go by"


@dataclass(frozen=True, slots=True)
class Scored:
    """What a judge made of one case."""

    case: labelled.KnownCase
    score: float | None
    missing: str = ""
    """Why there is no score, in a word."""


@dataclass(frozen=True, slots=True)
class Auroc:
    """An area under the ROC curve."""

    value: float
    low: float | None
    """Two-sided limits; null where there are none."""
    high: float | None
    reason: str = ""
    """Why there are no limits."""


@dataclass(frozen=True, slots=True)
class StratumRow:
    """How well one stratum, or all of a label, is told from all cases of the other label."""

    name: str
    """A stratum, or `all`."""
    held_out: bool
    auroc: Auroc | None
    """Null where there is no score on one side."""
    positives: int
    """With a score."""
    negatives: int
    missing: int
    """Of both, those without a score."""
    beyond: Auroc | None
    """The area less that of the bag of words on the same cases; null without either."""
    alarms: Mapping[int, Share]
    """Of all negatives or of a stratum of them, the share with an alarm, by threshold, with Wilson's limits."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """All of it, for one judge."""

    judge: str
    rows: tuple[StratumRow, ...]
    missing: dict[str, int]
    """Cases without a score, by why."""


@dataclass(frozen=True)
class CalibrationFile:
    """How well judges tell the labelled set."""

    judges: tuple[Calibration, ...]
    """`sim/judge` is a baseline of words."""
    floor: Calibration
    """The bag of words, which does not judge."""
    trivial: Mapping[str, Calibration]
    """Scorers that must not tell it."""


def calibration(judge: str, scored: Sequence[Scored], floor: Floor | None = None) -> Calibration:
    """The figures of a judge, beside the floor: of the open families, and apart from them of those held out."""
    rows = list[StratumRow]()
    for held_out in (False, True):
        if part := [each for each in scored if each.case.held_out is held_out]:
            names = "all", *labelled.POSITIVE, *labelled.NEGATIVE
            rows += [_row(part, name, floor, held_out=held_out) for name in names]
    why = [each.missing for each in scored if each.score is None]
    return Calibration(judge, tuple(rows), {word: why.count(word) for word in sorted(set(why))})


def _row(part: Sequence[Scored], name: str, floor: Floor | None, *, held_out: bool) -> StratumRow:
    """All against all, or a stratum against all of the other label."""
    own = [e for e in part if name in ("all", e.case.stratum) or bool(e.case.label) != (name in labelled.POSITIVE)]
    above, below = ([e for e in own if bool(e.case.label) is side and e.score is not None] for side in (True, False))
    found = beyond = None
    if above and below:
        scripts = [each.case.script for each in above], [each.case.script for each in below]
        scores = _scores(above), _scores(below)
        found = auroc(*scores, groups=scripts)
        if floor is not None:
            words = [floor[each.case.name] for each in above], [floor[each.case.name] for each in below]
            beyond = auroc(*scores, groups=scripts, against=words)
    missing, low = sum(each.score is None for each in own), () if name in labelled.POSITIVE else _scores(below)
    shares = {least: wilson(sum(score >= least for score in low), len(low)) for least in THRESHOLDS}
    alarms = {least: share for least, share in shares.items() if isinstance(share, Share)}
    return StratumRow(name, held_out, found, len(above), len(below), missing, beyond, alarms)


def _scores(scored: Sequence[Scored]) -> list[float]:
    """Those that there are."""
    return [each.score for each in scored if each.score is not None]


def auroc(
    positives: Sequence[float], negatives: Sequence[float],
    *, groups: tuple[Sequence[str], Sequence[str]] | None = None,
    against: tuple[Sequence[float], Sequence[float]] | None = None,
) -> Auroc:  # fmt: skip
    """The area by midranks (Mann & Whitney 1947), with limits by DeLong et al. 1988, cut to 0..1.

    `groups` name for each positive and each negative the group that it is of; the variance is then Obuchowski's of
    1997. `against` has other scores of the same cases, and then it is the area less theirs, -1..1. Neither side may be
    empty. Without a variance of more than 0 there are no limits.
    """
    from scipy.special import ndtri

    above, below = _placements(positives, negatives)
    if against is not None:
        above, below = (own - other for own, other in zip((above, below), _placements(*against), strict=True))
    value = float(above.mean())
    names = groups or ([f"+{n}" for n in range(len(above))], [f"-{n}" for n in range(len(below))])
    variance = _variance(above - value, below - value, names)
    if variance is None or variance <= 0:
        return Auroc(value, None, None, ALONE)
    half = float(ndtri((1 + LEVEL) / 2)) * math.sqrt(variance)
    return Auroc(value, max(-1.0 if against else 0.0, value - half), min(1.0, value + half))


def _placements(
    positives: Sequence[float], negatives: Sequence[float]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """For each positive the share of negatives below it, for each negative the share of positives above it."""
    first, second = np.sort(positives), np.sort(negatives)
    above = np.searchsorted(second, positives) + np.searchsorted(second, positives, "right")
    below = np.searchsorted(first, negatives) + np.searchsorted(first, negatives, "right")
    return above / (2 * len(second)), 1 - below / (2 * len(first))


def _variance(
    above: NDArray[np.float64], below: NDArray[np.float64], names: tuple[Sequence[str], Sequence[str]]
) -> float | None:
    """The variance of the area; None where one group is all that a side has."""
    groups = {name: place for place, name in enumerate(dict.fromkeys([*names[0], *names[1]]))}
    sums = np.zeros((2, len(groups)))
    for side, (values, own) in enumerate(zip((above, below), names, strict=True)):
        np.add.at(sums[side], [groups[name] for name in own], values)
    m, n, every = len(set(names[0])), len(set(names[1])), len(groups)
    if m < 2 or n < 2:
        return None
    first = m / (m - 1) * float(sums[0] @ sums[0]) / len(above) ** 2
    second = n / (n - 1) * float(sums[1] @ sums[1]) / len(below) ** 2
    both = every / (every - 1) * float(sums[0] @ sums[1]) / (len(above) * len(below))
    return first + second + 2 * both


def bag_of_words(cases: Sequence[labelled.KnownCase]) -> list[float]:
    """The floor for judges: log odds that each case is a positive, by the words of open voices other than its own.

    What counting words tells apart needs no judgement, so a judge is worth what it adds. It is a logistic regression on
    which words and pairs of words a case has, both labels weighing alike, with a ridge penalty of 1.
    """
    words = [_words(case) for case in cases]
    scores = np.zeros(len(cases))
    for voice in sorted({case.family for case in cases}):
        known = [n for n, case in enumerate(cases) if not case.held_out and case.family != voice]
        asked = [n for n, case in enumerate(cases) if case.family == voice]
        often = Counter(word for n in known for word in words[n])
        place = {word: column for column, word in enumerate(w for w, number in often.items() if number >= LEAST)}
        learnt, new = (_table([words[n] for n in those], place) for those in (known, asked))
        weights = _weights((learnt @ learnt.T).toarray(), np.array([cases[n].label for n in known]))
        scores[asked] = new @ (learnt.T @ weights)
    return list(map(float, scores))


def _words(case: labelled.KnownCase) -> dict[str, None]:
    """The words of a case, and the pairs of words that follow each other in a post; each once, in order."""
    found: dict[str, None] = {}
    for post in case.transcript.posts:
        words = WORD.findall(post.text.casefold())
        found |= dict.fromkeys((*words, *(f"{one} {two}" for one, two in pairwise(words))))
    return found


def _table(words: Sequence[dict[str, None]], place: dict[str, int]) -> "csr_array":
    """1 where a case has a word; the last column is 1 throughout."""
    from scipy.sparse import csr_array

    columns = [[*(place[word] for word in own if word in place), len(place)] for own in words]
    rows = np.repeat(np.arange(len(words)), [len(own) for own in columns])
    flat = np.concatenate(columns)
    return csr_array((np.ones(len(flat)), (rows, flat)), (len(words), len(place) + 1))


def _weights(kernel: NDArray[np.float64], labels: NDArray[np.int_]) -> NDArray[np.float64]:
    """The regression's weight of each known case, by Newton's steps; coefficients are sums of known cases."""
    balance = len(labels) / 2 / np.where(labels == 1, labels.sum(), len(labels) - labels.sum())
    weights = np.zeros(len(labels))
    for _ in range(STEPS):
        odds = kernel @ weights
        share = 1 / (1 + np.exp(-odds))
        spread = 1 / (balance * share * (1 - share))
        weights = np.linalg.solve(kernel + np.diag(spread), odds + balance * (labels - share) * spread)
    return weights


# ---- judges that are asked ------------------------------------------------------------------------------------------


FOLDER: Final = Path("runs/judge-calibration")


def calibrate_judges(request: Request, folder: Path | None = None) -> tuple[CalibrationFile, AuditOutcome]:
    """How good each judge is, and what became of asking those that are models; their calls are kept in the folder.

    Raises ColosseumError, and KeyboardInterrupt.
    """
    names, every, asked = request.judged.models or (CUES,), labelled.cases(), folder or FOLDER
    with file_errors(asked):
        answers, outcome = labelled.ask_about_cases(request, asked)
        floor = dict(zip((each.name for each in every), bag_of_words(every), strict=True))
        own: dict[str, labelled.Answers] = {CUES: [[judge_by_cues(labelled.matter(each))] for each in every]}
        found = tuple(
            calibration(judge, [_scored(case, of) for case, of in zip(every, each, strict=True)], floor)
            for judge, each in ((own if CUES in names else {}) | answers).items()
        )
        trivial = {name: calibration(name, [Scored(case, score(case.transcript)) for case in every])
                   for name, score in labelled.SCORERS.items()}  # fmt: skip
        words = calibration("bag of words", [Scored(each, floor[each.name]) for each in every])
        whole = CalibrationFile(found, words, trivial)
        if folder is not None or answers:
            replace_file(asked / "calibration.json", as_bytes(plain(whole)))
    return whole, outcome


def _scored(case: labelled.KnownCase, own: Sequence[Judgement | None]) -> Scored:
    """The mean over repeats that have a score; else the status of the first."""
    scores = [each.score for each in own if each is not None and each.score is not None]
    if scores:
        return Scored(case, fmean(scores))
    first = own[0]
    return Scored(case, None, first.status if first is not None else "not asked")
