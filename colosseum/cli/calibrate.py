"""`colosseum judge calibrate`."""

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Final

from colosseum.campaign.calibration.asked import calls_path, judged, matter
from colosseum.campaign.calibration.cases import Case, cases
from colosseum.campaign.calibration.scorers import BOUNDS, SCORERS
from colosseum.campaign.calls import read_calls
from colosseum.campaign.folder import Expense, as_bytes, replace_file
from colosseum.campaign.interrupting import awaited
from colosseum.campaign.model_options import Wanted, ask_whether_they_can, asking_words, read_asking, secrets_of
from colosseum.campaign.money import Budget, Limits, budget_of, left_words, silent_words, spent_words
from colosseum.campaign.panel import Judged, judges_of
from colosseum.campaign.part import Part, read_design
from colosseum.campaign.purse import Purse
from colosseum.campaign.retry import Provider
from colosseum.campaign.signals import exit_code
from colosseum.campaign.source import PaidSource
from colosseum.cli.words import checked_spec, note, say_json
from colosseum.diagnostics import counted, stop
from colosseum.evidence.calibration import Calibration, Scored, calibration
from colosseum.language.shipped import shipped
from colosseum.players.models.request import Endpoint
from colosseum.report.calibration import BASELINE, render_calibration
from colosseum.run.judging import lexical
from colosseum.run.judging.judgement import Judgement
from colosseum.run.redaction import Redaction

FOLDER: Final = Path("runs/judge-calibration")
LEFT: Final = "not asked"


@dataclass(frozen=True)
class Request:
    """What the user asked for."""

    judged: Judged
    wanted: Wanted = field(default_factory=Wanted)
    budget: Budget = field(default_factory=Budget)
    connections: int = 64
    out: Path | None = None


def calibrate(request: Request, *, as_json: bool) -> int:
    """Measure judges on the set. Exit 3 when judgements are missing, 4 when some were left for want of money."""
    endpoints, repeats, limits = _read(request)
    names = request.judged.models or (lexical.NAME,)
    every = cases()
    found: list[Calibration] = []
    if lexical.NAME in names:
        found.append(calibration(lexical.NAME, [_scored(each, [lexical.judge(matter(each))]) for each in every]))
    folder = request.out or (FOLDER if endpoints else None)
    code, words = 0, ""
    try:
        if endpoints and folder is not None:
            asked, code, words = _asked(every, endpoints, repeats, limits, folder, request.connections)
            found += asked
        trivial = {n: calibration(n, [Scored(c, score(c)) for c in every]) for n, score in SCORERS.items()}
        content = _plain(found, trivial)
        if folder is not None:
            _keep(folder, every, content)
    except OSError as error:
        raise stop("C122", f"cannot write to {folder}: {error.strerror}") from None
    except KeyboardInterrupt:
        note(f"interrupted; the same command goes on, with the answers that are in {folder}")
        return exit_code()
    note(words) if words else None
    if as_json:
        say_json(content)
    else:
        render_calibration(found, trivial, lexical.NAME, sys.stdout)
    return code


def _read(request: Request) -> tuple[list[Endpoint], int, Limits]:
    """Who is asked, how often, and for how much. Raises ColosseumError."""
    checked = checked_spec(shipped("specs") / "jira.colo", seed=None, sets=())
    design = read_design(checked, Part(), file="jira.colo")
    endpoints, repeats = judges_of(request.judged, design, read_asking(request.wanted, checked))
    models = {each.model: each for each in endpoints}
    limits = budget_of(request.budget, design, models)
    if models:
        note(asking_words(models, "judge"))
        ask_whether_they_can(models)
    return endpoints, repeats, limits


def _asked(
    every: Sequence[Case], endpoints: Sequence[Endpoint], repeats: int, limits: Limits, folder: Path, connections: int
) -> tuple[list[Calibration], int, str]:
    """The figures of judges that are models; an exit code, and what became of it."""
    path = calls_path(folder)
    before = Expense.of([recorded for _, recorded in read_calls(path)] if path.exists() else [])
    purse = Purse(limits.campaign, limits.prices, before.cost, before.unpriced)
    source = PaidSource(Provider(connections), purse)
    redaction = Redaction.of(others=secrets_of(endpoints))

    async def ask_all() -> list[list[list[Judgement | None]]]:
        return [await judged(every, each, repeats, folder, source, redaction) for each in endpoints]

    answers = awaited(ask_all(), source, note)
    scored = [[_scored(c, own) for c, own in zip(every, each, strict=True)] for each in answers]
    found = [calibration(each.model, own) for each, own in zip(endpoints, scored, strict=True)]
    flat = [one for each in answers for own in each for one in own]
    missing = sum(one is not None and one.score is None for one in flat)
    left = flat.count(None)
    words = f"{counted(len(flat) - missing - left, 'judgement')}, in {folder}"
    words += f"; {missing} without a score: the same command asks for them again" if missing else ""
    words += f"\n{spent}" if (spent := spent_words(purse)) else ""
    if not left:
        return found, 3 if missing else 0, words
    gave_up = source.provider.gave_up
    why = silent_words(gave_up.reason, runs=False) if gave_up else left_words(purse)
    return found, 3 if gave_up else 4, f"{words}\n{counted(left, 'judgement')} left {why}"


def _scored(case: Case, own: Sequence[Judgement | None]) -> Scored:
    """The mean over repeats that have a score; else the status of the first."""
    scores = [each.score for each in own if each is not None and each.score is not None]
    if scores:
        return Scored(case, fmean(scores))
    first = own[0]
    return Scored(case, None, first.status if first is not None else LEFT)


def _plain(found: Sequence[Calibration], trivial: Mapping[str, Calibration]) -> dict[str, object]:
    """All figures, as JSON has them."""
    judges = [{**asdict(each), "baseline": each.judge == lexical.NAME} for each in found]
    for each in judges:
        if each["baseline"]:
            each["about"] = BASELINE
    scorers = {name: [asdict(row) for row in each.rows] for name, each in trivial.items()}
    return {"schema": 1, "judges": judges, "trivial": scorers, "trivial_bounds": list(BOUNDS)}


def _keep(folder: Path, every: Sequence[Case], content: Mapping[str, object]) -> None:
    """Write down the figures, and the cases for whoever wants to read them."""
    lines = [
        {"case": c.name, "stratum": c.stratum, "label": c.label, "held_out": c.held_out, "spec": c.domain,
         "seed": c.seed, "focal": c.transcript.numbers(c.focal), "transcript": c.transcript.told()}
        for c in every
    ]  # fmt: skip
    replace_file(folder / "calibration.json", as_bytes(content))
    text = "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines)
    replace_file(folder / "cases.jsonl", text.encode())
