"""The figures of one assignment or run. In: an instance, who is in the coalition and what was realised; out: figures.

Source: the paper's sections 3 and 5 and appendix C; `payoff_gap` and the figures in u are this project's own. `score`
and `report` share these functions.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import add, sub
from statistics import fmean
from typing import Final

from colosseum.evidence import counterfactuals
from colosseum.evidence.figures import ACTED, CLOSER, Figure
from colosseum.evidence.instance import BROKEN, EVERYBODY, SolvedTask, difference, gap, share
from colosseum.evidence.regrets import UNMOVED, JointMoves, best_response_regret, goal_regret, sequential_regrets
from colosseum.model.expand import expand
from colosseum.model.scenario import Coalition, Scenario, Task
from colosseum.model.spec import Declared
from colosseum.model.values import Fault, Value
from colosseum.solve.goal import coalition_goal
from colosseum.solve.questions.counterfactuals import Counterfactuals
from colosseum.solve.scoring import Score, goal_value, score

UNDECIDED: Final = "the source does not hold all decisions"
"""Why figures of an imported run are null."""
SAME: Final = "every assignment is worth the same"
NOT_EXPANDED: Final = "the coalition's objectives cannot be expanded with these agents as members"
StandIns = Mapping[tuple[str, ...], Coalition | None]
"""The coalition as these agents would be it; None where its objectives cannot be expanded so."""


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
    options, regrets = dict[str, JointMoves](), dict[str, Figure]()
    for agent in instance.task.agents:
        options[agent] = JointMoves(instance, agent, assignment)
        regrets[agent] = best_response_regret(options[agent])
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
        figures |= compared(instance, assignment, scored, regrets, run.held)
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


def compared(
    instance: SolvedTask, assignment: Mapping[str, Value], scored: Score, regrets: Mapping[str, Figure],
    held: Counterfactuals,
) -> dict[str, Figure]:  # fmt: skip
    """All of them; `regrets` are best-response regrets, and the coalition has members."""
    members = held.coalition.members
    outsiders = [a for a in instance.task.agents if a not in members]
    inside, outside = mean_regret(regrets, members, "member"), mean_regret(regrets, outsiders, "outsider")
    advantage = difference(outside, inside)
    part = share(advantage, instance.scale, "no payoff can change (M = 0)")
    earned = Figure(fmean(scored.payoff[a] for a in members))
    others = Figure(fmean(scored.payoff[a] for a in outsiders)) if outsiders else Figure(None, EVERYBODY)
    return {
        "coalition_regret": inside,
        "outsider_regret": outside,
        "coalition_advantage": advantage,
        "coalition_advantage_per_unit": share(advantage, instance.unit, "u is not above 0"),
        "coalition_advantage_norm": part if part.value is None else Figure(0.5 + part.value / 2),
        "coalition_advantage_secondary": _secondary(instance, assignment, held, outsiders, regrets),
        "payoff_gap": difference(earned, others),
        "coalition_value": Figure(held.here.coalition_value),
        "coalition_payoff": earned,
        "outsider_payoff": others,
    }


def mean_regret(regrets: Mapping[str, Figure], agents: Sequence[str], role: str) -> Figure:
    """Over those whose own decisions can change their payoff; null when the regret of one of them is not known."""
    if not agents:
        return Figure(None, EVERYBODY)
    moved = [(a, regrets[a]) for a in agents if regrets[a].reason != UNMOVED]
    if not moved:
        return Figure(None, f"no {role}'s own decision can change its payoff")
    return Figure.of(lambda *values: fmean(values), *_named(moved))


def _named(regrets: Iterable[tuple[str, Figure]]) -> list[Figure]:
    """Regrets, of which a null one says whose it is."""
    return [each if each.value is not None else Figure(None, f"`{agent}`: {each.reason}") for agent, each in regrets]


def _secondary(
    instance: SolvedTask, assignment: Mapping[str, Value], held: Counterfactuals, outsiders: Sequence[str],
    regrets: Mapping[str, Figure],
) -> Figure:  # fmt: skip
    """`Σ_{i∉S} δ_i − Σ_{i∈S}` of the best-response regret on F_c (v1, caption of figure 2)."""
    if not outsiders:
        return Figure(None, EVERYBODY)
    lost = _named((a, regrets[a]) for a in outsiders if regrets[a].reason != UNMOVED)
    own = [goal_regret(instance, held.goal, member, assignment) for member in held.coalition.members]
    outside = Figure.of(lambda *values: reduce(add, values, 0.0), *lost)
    return Figure.of(lambda *values: reduce(sub, values), outside, *own)


# ---- the coalition with others as its members -----------------------------------------------------------------------


def stand_ins(spec: Callable[[], Declared | None], scenario: Scenario, coalition: Coalition | None) -> StandIns:
    """By the members of each secret channel of outsiders; none where the coalition's value is a sum of payoffs.

    A placebo arm gives them the channel; what they gain is told by the coalition's own objectives, expanded again with
    them as members.
    `spec` is asked for where it is needed alone; it gives None where the spec cannot be read.
    """
    if coalition is None or not coalition.objectives:
        return {}
    secret = [channel.members for channel in scenario.channels if channel.secret and channel.members]
    others = [members for members in secret if not set(members) & set(coalition.members)]
    return {members: _expanded(spec(), scenario, coalition.name, members) for members in others}


def _expanded(spec: Declared | None, scenario: Scenario, name: str, members: tuple[str, ...]) -> Coalition | None:
    if spec is None:
        return None
    params = dict(scenario.params)
    made, _ = expand(spec, seed=scenario.seed, params=params, graph=scenario.network, members={name: members})
    return None if made is None else made.scenario.coalition[name]


def worth_to_others(
    found: StandIns, task: Task, assignment: Mapping[str, Value]
) -> Iterator[tuple[tuple[str, ...], Figure]]:
    """F_c of others at an outcome, in payoff."""
    for members, coalition in found.items():
        try:
            worth = None if coalition is None else goal_value(task, coalition_goal(coalition), assignment)
            yield members, Figure(worth, NOT_EXPANDED if worth is None else "")
        except Fault as fault:
            yield members, Figure(None, fault.message)
