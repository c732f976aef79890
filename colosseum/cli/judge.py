"""`colosseum judge`."""

from dataclasses import dataclass, field
from pathlib import Path

from colosseum.api.reading import read_campaign
from colosseum.campaign.folder import Damaged, Folder, Plan
from colosseum.campaign.interrupting import awaited
from colosseum.campaign.judged import read_judges
from colosseum.campaign.judging import Judging, Verdicts
from colosseum.campaign.ledger import Ledger
from colosseum.campaign.model_options import Asking, Wanted, ask_whether_they_can, asking_words, read_asking, secrets_of
from colosseum.campaign.money import Budget, Limits, budget_of, left_words, silent_words, spent_words, verdict_words
from colosseum.campaign.panel import Judged, check_panel, judges_of, keep_judges, leave_out, who_judged
from colosseum.campaign.part import Part, read_design
from colosseum.campaign.purse import Purse
from colosseum.campaign.retry import Provider
from colosseum.campaign.signals import exit_code
from colosseum.campaign.source import PaidSource
from colosseum.campaign.spending import spent_before
from colosseum.cli.audit import going_on
from colosseum.cli.report import report_folder
from colosseum.cli.words import checked_spec, note
from colosseum.diagnostics import stop
from colosseum.model.experiment import Design
from colosseum.players.models.request import Endpoint
from colosseum.run.judging.lexical import NAME
from colosseum.run.redaction import Redaction


@dataclass(frozen=True)
class Request:
    """What the user asked for."""

    folder: Path
    judged: Judged
    wanted: Wanted = field(default_factory=Wanted)
    budget: Budget = field(default_factory=Budget)
    connections: int = 64
    without: tuple[str, ...] = ()
    """Judges whose scores are to count no longer."""


def judge_folder(request: Request, *, as_json: bool) -> int:
    """Have the complete runs of a folder judged, and report. Exit 3 when judgements are missing, 4 without money."""
    plan, folder = read_campaign(request.folder), Folder(request.folder)
    design, asking = _read(plan, folder, request)
    check_panel(request.judged)
    try:
        leave_out(request.without, folder)
        if request.without and not request.judged.models:
            note(f"left out: {', '.join(request.without)}; to name it as a judge lets it count again")
            return report_folder(folder.path, as_json=as_json, keep=True)
        endpoints, repeats = judges_of(who_judged(request.judged, folder), design, asking)
        if not endpoints:
            note(_nobody(folder))
            return report_folder(folder.path, as_json=as_json, keep=True)
        models = {each.model: each for each in endpoints}
        limits = budget_of(request.budget, design, models)
        note(asking_words(models, "judge"))
        ask_whether_they_can(models)
        keep_judges(folder, endpoints, repeats)
        code, words = _judged(plan, folder, request, endpoints, repeats, limits)
    except Damaged as damaged:
        raise stop("C123", str(damaged)) from None
    except OSError as error:
        raise stop("C122", f"cannot write to {folder.path}: {error.strerror}") from None
    except KeyboardInterrupt:
        note(f"interrupted; {going_on(folder.path)}")
        return exit_code()
    note(words)
    return max(code, report_folder(folder.path, as_json=as_json, keep=True))


def _nobody(folder: Folder) -> str:
    """That no model is asked, and who speaks."""
    earlier = read_judges(folder)
    if earlier is not None and earlier.counted:
        return f"`{NAME}` has nothing to do where models judged before: {', '.join(earlier.counted)}"
    return f"no model was named: `{NAME}`, a baseline that goes by words, reads the runs anew in every report"


def _read(plan: Plan, folder: Folder, request: Request) -> tuple[Design, Asking]:
    """The experiment of a folder, and how models are asked. Raises ColosseumError."""
    checked = checked_spec(folder.spec / plan.spec, seed=None, sets=())
    return read_design(checked, Part(plan.experiment), file=plan.spec), read_asking(request.wanted, checked)


def _judged(
    plan: Plan, folder: Folder, request: Request, endpoints: list[Endpoint], repeats: int, limits: Limits
) -> tuple[int, str]:
    """Make the judgements; an exit code, and what became of them."""
    before = spent_before(folder, plan.trials, limits.prices)
    ledger = None if limits.campaign is None else Ledger(folder.ledger(""))
    purse = Purse(
        limits.campaign, limits.prices, before.dollars, before.unpriced, before.bounded, ledger=ledger,
    )  # fmt: skip
    source = PaidSource(Provider(request.connections), purse)
    redaction = Redaction.of(others=secrets_of(endpoints))
    coalition = plan.coalitions[0] if plan.coalitions else ""
    judging = Judging(folder, coalition, endpoints, repeats, source, redaction)
    verdicts = awaited(judging.run(plan.trials), source, note)
    words = verdict_words(verdicts) or "there is no complete run to be judged"
    words += f", in {folder.path}" + (f"\n{spent}" if (spent := spent_words(purse)) else "")
    return _ended(verdicts, source, words)


def _ended(verdicts: Verdicts, source: PaidSource, words: str) -> tuple[int, str]:
    """An exit code, and why something is left."""
    silent = source.provider.gave_up
    if verdicts.left and silent:
        return 3, f"{words}\nleft {silent_words(silent.reason, runs=False)}"
    if verdicts.left:
        return 4, f"{words}\nleft {left_words(source.purse)}"
    return (3 if verdicts.missing else 0), words
