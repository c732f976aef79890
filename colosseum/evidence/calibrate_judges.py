"""Measures judges on transcripts whose truth is known. In: who judges; out: Calibrated, kept in a folder."""

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Final

from colosseum.campaign.auditing import AuditOutcome
from colosseum.campaign.calls import Expense, read_calls
from colosseum.campaign.folder import as_bytes, replace_file
from colosseum.campaign.judged import judges_of
from colosseum.campaign.judging import JudgementTally
from colosseum.campaign.known_cases import CALLS, SCORERS, KnownCase, cases, judged, matter
from colosseum.campaign.model_options import ask_whether_they_can, read_asking
from colosseum.campaign.money import budget_of, left_words, spent_words
from colosseum.campaign.part import Part, read_design
from colosseum.campaign.purse import Purse
from colosseum.campaign.retry import Provider, silent_words
from colosseum.campaign.runner import PaidSource
from colosseum.campaign.signals import awaited
from colosseum.campaign.vetting import require, vet
from colosseum.campaign.work import Request
from colosseum.diagnostics import file_errors
from colosseum.evidence.calibration import Calibration, CalibrationFile, Scored, bag_of_words, calibration
from colosseum.language.files import shipped
from colosseum.model.serial import plain
from colosseum.players.models.request import Endpoint
from colosseum.run.judging.asking import BASELINE, Judgement, judge_by_cues
from colosseum.run.redaction import Redaction, secrets

FOLDER: Final = Path("runs/judge-calibration")


def calibrate_judges(request: Request, folder: Path | None = None) -> tuple[CalibrationFile, AuditOutcome]:
    """How good each judge is, and what became of asking those that are models; their calls are kept in the folder.

    Raises ColosseumError, and KeyboardInterrupt.
    """
    endpoints, repeats, purse = _read(request)
    names, every = request.judged.models or (BASELINE,), cases()
    floor = dict(zip((each.name for each in every), bag_of_words(every), strict=True))
    found: list[Calibration] = []
    if BASELINE in names:
        found.append(calibration(BASELINE, [_scored(each, [judge_by_cues(matter(each))]) for each in every], floor))
    folder, outcome = folder or (FOLDER if endpoints else None), AuditOutcome()
    with file_errors(folder or FOLDER):
        if endpoints and folder is not None:
            scores, outcome = _asked(every, endpoints, repeats, purse, folder, request)
            found += [calibration(judge, own, floor) for judge, own in scores]
        trivial = {n: calibration(n, [Scored(c, score(c.transcript)) for c in every]) for n, score in SCORERS.items()}
        words = calibration("bag of words", [Scored(each, floor[each.name]) for each in every])
        whole = CalibrationFile(tuple(found), words, trivial)
        if folder is not None:
            replace_file(folder / "calibration.json", as_bytes(plain(whole)))
    return whole, outcome


def _read(request: Request) -> tuple[list[Endpoint], int, Purse]:
    """Who is asked, how often, and for how much. Raises ColosseumError."""
    checked = require(*vet(shipped("specs") / "jira.colo"))
    design = read_design(checked, Part(), file="jira.colo")
    endpoints, repeats = judges_of(request.judged, design, read_asking(request.wanted, checked))
    models = {each.model: each for each in endpoints}
    purse = budget_of(request.budget, design, models)
    if models:
        ask_whether_they_can(models, "judge", request.say)
    return endpoints, repeats, purse


def _asked(
    every: Sequence[KnownCase], endpoints: Sequence[Endpoint], repeats: int, purse: Purse, folder: Path,
    request: Request,
) -> tuple[list[tuple[str, list[Scored]]], AuditOutcome]:  # fmt: skip
    """The scores of judges that are models, and what became of asking them."""
    path = folder / CALLS
    before = Expense.of([recorded for _, recorded in read_calls(path)] if path.exists() else [])
    purse.spent, purse.uncounted = before.cost, before.unpriced
    source = PaidSource(Provider(request.connections), purse)
    redaction = Redaction.of(others=secrets([e.api_base or "" for e in endpoints], [e.headers for e in endpoints]))

    async def ask_all() -> list[list[list[Judgement | None]]]:
        return [await judged(every, each, repeats, folder, source, redaction) for each in endpoints]

    answers = awaited(ask_all(), source, request.say)
    scored = [[_scored(c, own) for c, own in zip(every, each, strict=True)] for each in answers]
    found = [(each.model, own) for each, own in zip(endpoints, scored, strict=True)]
    verdicts = JudgementTally()
    for one in (one for each in answers for own in each for one in own):
        verdicts["left" if one is None else one.status] += 1
    gave_up = source.provider.gave_up
    why = silent_words(gave_up.reason, runs=False) if gave_up else left_words(purse)
    lines = f"{verdicts.words}, in {folder}", spent_words(purse), f"left {why}" * bool(verdicts["left"])
    outcome = AuditOutcome("\n".join(filter(None, lines)), verdicts=verdicts)
    outcome.tally.gave_up = gave_up.reason if gave_up else ""
    return found, outcome


def _scored(case: KnownCase, own: Sequence[Judgement | None]) -> Scored:
    """The mean over repeats that have a score; else the status of the first."""
    scores = [each.score for each in own if each is not None and each.score is not None]
    if scores:
        return Scored(case, fmean(scores))
    first = own[0]
    return Scored(case, None, first.status if first is not None else "not asked")
