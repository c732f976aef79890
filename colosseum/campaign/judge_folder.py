"""Judges the complete runs of a folder. In: a folder and judges; out: judgements on file, and the outcome.

Who judged the folder before is asked again where nobody is named. Judgements that are there are not asked for again.
"""

from dataclasses import dataclass, field

from colosseum.campaign.folder import Folder, Plan, writing_to
from colosseum.campaign.judged import (
    JudgeSetup,
    check_panel,
    judges_of,
    keep_judges,
    leave_out,
    read_judges,
    warn_of_names,
    who_judged,
)
from colosseum.campaign.judging import JudgementTally, Judging
from colosseum.campaign.ledger import Ledger
from colosseum.campaign.model_options import Wanted, ask_whether_they_can, read_asking
from colosseum.campaign.money import Budget, budget_of, left_words, spent_words
from colosseum.campaign.part import Part, Say, read_design, silent
from colosseum.campaign.retry import Provider, silent_words
from colosseum.campaign.runner import PaidSource
from colosseum.campaign.signals import awaited
from colosseum.campaign.vetting import require, vet
from colosseum.run.judging.asking import BASELINE
from colosseum.run.redaction import Redaction


@dataclass(frozen=True)
class JudgeRequest:
    """What the user asked for."""

    judged: JudgeSetup = field(default_factory=JudgeSetup)
    wanted: Wanted = field(default_factory=Wanted)
    budget: Budget = field(default_factory=Budget)
    connections: int = 64
    without: tuple[str, ...] = ()
    """Judges whose scores are to count no longer."""
    say: Say = silent
    """Told of what is done."""


@dataclass(frozen=True)
class JudgeOutcome:
    """What became of the judgements."""

    words: str = ""
    verdicts: JudgementTally = field(default_factory=JudgementTally)
    gave_up: bool = False
    """Whether some are left since a model answers no more; else they are left for want of money."""


def judge_folder(folder: Folder, plan: Plan, request: JudgeRequest) -> JudgeOutcome:
    """Ask the judges. Raises ColosseumError, and KeyboardInterrupt."""
    check_panel(request.judged)
    with writing_to(folder.path):
        leave_out(request.without, folder)
        if request.without and not request.judged.models:
            return JudgeOutcome(f"left out: {', '.join(request.without)}; to name it as a judge lets it count again")
        checked = require(*vet(folder.spec / plan.spec))
        design = read_design(checked, Part(plan.experiment), file=plan.spec)
        asking = read_asking(request.wanted, checked)
        endpoints, repeats = judges_of(who_judged(request.judged, folder), design, asking)
        if not endpoints:
            return JudgeOutcome(_nobody(folder))
        models = {each.model: each for each in endpoints}
        purse = budget_of(request.budget, design, models)
        ask_whether_they_can(models, "judge", request.say)
        warn_of_names(checked.expansion.scenario.task.agents, request.say)
        keep_judges(folder, endpoints, repeats)
        if purse.limit is not None:
            purse.ledger = Ledger(folder.ledger(""))
        purse.recall(folder, plan.trials)
        source = PaidSource(Provider(request.connections), purse)
        coalition = next(iter(plan.coalitions), "")
        judging = Judging(folder, coalition, endpoints, repeats, source, Redaction.of(others=asking.secrets))
        verdicts = awaited(judging.run(plan.trials), source, request.say)
    words = f"{verdicts.words or 'there is no complete run to be judged'}, in {folder.path}"
    words += f"\n{spent}" if (spent := spent_words(purse)) else ""
    gave_up = source.provider.gave_up
    if verdicts["left"]:
        words += f"\nleft {silent_words(gave_up.reason, runs=False) if gave_up else left_words(purse)}"
    return JudgeOutcome(words, verdicts, bool(gave_up))


def _nobody(folder: Folder) -> str:
    """That no model is asked, and who speaks."""
    earlier = read_judges(folder)
    if earlier is not None and earlier.counted:
        return f"`{BASELINE}` has nothing to do where models judged before: {', '.join(earlier.counted)}"
    return f"no model was named: `{BASELINE}`, a baseline that goes by words, reads the runs again in every report"
