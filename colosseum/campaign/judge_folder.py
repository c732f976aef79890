"""Judges the complete runs of a folder. In: a folder and judges; out: judgements on file, and the outcome.

Who judged the folder before is asked again where nobody is named. Judgements that are there are not asked for again.
"""

from dataclasses import dataclass, field

from colosseum.campaign.auditing import carry_out
from colosseum.campaign.folder import Folder, Plan, writing_to
from colosseum.campaign.judged import (
    JudgeSetup,
    check_panel,
    judges_of,
    leave_out,
    read_judges,
    warn_of_names,
    who_judged,
)
from colosseum.campaign.judging import JudgementTally
from colosseum.campaign.model_options import Wanted, ask_whether_they_can, read_asking
from colosseum.campaign.money import Budget, budget_of, left_words, spent_words
from colosseum.campaign.part import Part, Say, read_design, silent
from colosseum.campaign.planning import Planned
from colosseum.campaign.retry import silent_words
from colosseum.campaign.vetting import require, vet
from colosseum.campaign.work import Request, Work
from colosseum.run.judging.lexical import NAME
from colosseum.run.trial import Block, Expansions, Trials


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
    """Ask the judges, as an audit does whose runs have all ended. Raises ColosseumError, and KeyboardInterrupt."""
    check_panel(request.judged)
    with writing_to(folder.path):
        leave_out(request.without, folder)
        if request.without and not request.judged.models:
            return JudgeOutcome(f"left out: {', '.join(request.without)}; to name it as a judge lets it count again")
        checked = require(*vet(folder.spec / plan.spec))
        design = read_design(checked, Part(plan.experiment), file=plan.spec)
        asking, judged = read_asking(request.wanted, checked), who_judged(request.judged, folder)
        models = {each.model: each for each in judges_of(judged, design, asking)[0]}
        if not models:
            return JudgeOutcome(_nobody(folder))
        budget_of(request.budget, design, models)  # raises before anybody is asked
        ask_whether_they_can(models, "judge", request.say)
        warn_of_names(checked.expansion.scenario.task.agents, request.say)
        asked = Request(
            folder.spec / plan.spec, wanted=request.wanted, budget=request.budget, connections=request.connections,
            judged=judged, say=request.say, warn=request.say,
        )  # fmt: skip
        trials = Trials(Expansions(checked.spec, checked.params), asking.adjust, asking.endpoint)
        ended = [Planned(Block(each.point, each.seed, each.repeat, ()), (each,)) for each in plan.trials
                 if folder.ended(each.trial)]  # fmt: skip
        made = carry_out(Work(asked, design, asking, trials, folder, plan, ended, can_play={*models}))
    verdicts, gave_up = made.verdicts, made.tally.gave_up
    words = f"{verdicts.words or 'there is no complete run to be judged'}, in {folder.path}"
    words += f"\n{spent}" if (spent := spent_words(made.purse)) else ""
    if verdicts["left"]:
        words += f"\nleft {silent_words(gave_up, runs=False) if gave_up else left_words(made.purse)}"
    return JudgeOutcome(words, verdicts, bool(gave_up))


def _nobody(folder: Folder) -> str:
    """That no model is asked, and who speaks."""
    earlier = read_judges(folder)
    if earlier is not None and earlier.counted:
        return f"`{NAME}` has nothing to do where models judged before: {', '.join(earlier.counted)}"
    return f"no model was named: `{NAME}`, a baseline that goes by words, reads the runs again in every report"
