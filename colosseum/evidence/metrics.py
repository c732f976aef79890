"""The figures of one assignment or run. In: an instance, who is in the coalition and what was realised; out: figures.

Source: the paper's section 5 and appendix C for regret. `score` and `report` share these functions.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from colosseum.evidence import coalition as compared
from colosseum.evidence import counterfactuals
from colosseum.evidence.figures import ACTED, CLOSER, Figure
from colosseum.evidence.instance import BROKEN, SolvedTask, gap, share
from colosseum.evidence.regrets import JointMoves, best_response_regret, sequential_regrets
from colosseum.model.scenario import Coalition
from colosseum.model.values import Value
from colosseum.solve.questions.counterfactuals import Counterfactuals
from colosseum.solve.scoring import Score, score

UNDECIDED: Final = "the source does not hold all decisions"
"""Why figures of an imported run are null."""
SAME: Final = "every assignment is worth the same"


@dataclass(frozen=True)
class Measured:
    """The figures of one assignment."""

    score: Score
    scalars: dict[str, Figure]
    """By the names of ACTED."""
    closer: dict[str, Figure]
    """By the names of CLOSER; empty where they were not asked for."""
    best_response_regret: dict[str, Figure]
    sequential_regret: dict[str, Figure]


def measure(
    instance: SolvedTask,
    assignment: Mapping[str, Value],
    *,
    coalition: Coalition | None,
    order: Sequence[str] | None,
    closely: bool = False,
) -> Measured:
    """All figures of a complete assignment; `order` is the turn order of sequential regret.

    `closely` adds what is for a run that is looked at alone.
    """
    scored = score(instance.task, assignment)
    options = {a: JointMoves(instance, a, assignment) for a in instance.task.agents}
    regrets = {a: best_response_regret(of) for a, of in options.items()}
    sequential = sequential_regrets(options, order)
    figures = {
        "joint_payoff": Figure(scored.value),
        "optimum": instance.best,
        "minimum": instance.least,
        **_regret(instance, scored),
        "unit": instance.unit,
    }
    if coalition is None or not coalition.members:
        reason = "there is no coalition" if coalition is None else "the coalition has no members"
        figures = dict.fromkeys((*ACTED, *CLOSER), Figure(None, reason)) | figures
    else:
        run = counterfactuals.Held(instance, scored, Counterfactuals(instance.solver, coalition, assignment))
        figures |= compared.figures(instance, assignment, scored, regrets, run.held)
        figures |= counterfactuals.figures(run)
        figures |= counterfactuals.closer_figures(run, figures) if closely else {}
    return Measured(
        score=scored,
        scalars={name: figures[name] for name in ACTED},
        closer={name: figures[name] for name in CLOSER} if closely else {},
        best_response_regret=regrets,
        sequential_regret=sequential,
    )


def unmeasured(instance: SolvedTask, reported: Mapping[str, float]) -> Measured:
    """Of a run whose decisions are not all known: what its source reports, and what is known of the instance."""
    nothing = Score(math.nan, {}, {}, (), feasible=True)
    told = {name: Figure(value) for name, value in reported.items() if name in ACTED}
    scalars = dict.fromkeys(ACTED, Figure(None, UNDECIDED)) | told
    scalars |= {"optimum": instance.best, "minimum": instance.least, "unit": instance.unit}
    if "joint_payoff" in told:
        scalars |= _regret(instance, replace(nothing, value=reported["joint_payoff"]))
    return Measured(score=nothing, scalars=scalars, closer={}, best_response_regret={}, sequential_regret={})


def _regret(instance: SolvedTask, scored: Score) -> dict[str, Figure]:
    """`F_n* − F_n(x̃)`, and that over the span `F_n* − F_n°`."""
    if not scored.feasible:
        return dict.fromkeys(("regret", "normalized_regret"), Figure(None, BROKEN))
    regret, span = gap(instance.best, Figure(scored.value)), gap(instance.best, instance.least)
    return {"regret": regret, "normalized_regret": share(regret, span, SAME)}
