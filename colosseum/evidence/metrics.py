"""The figures of one assignment or run. In: an instance, who is in the coalition and what was realised; out: figures.

Source: the paper's sections 3 and 5 and appendix C; `payoff_gap` and the figures in u are this project's own. What a
coalition could have done instead is told with all others at their decisions: y_S are its joint moves, x̃ is the outcome
and x̃_{−S} the others' part of it.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import add, sub
from statistics import fmean
from types import MappingProxyType
from typing import Final

from colosseum.evidence import instance as instances
from colosseum.evidence.figures import ACTED, CLOSER, NO_GAIN, Figure
from colosseum.evidence.instance import BROKEN, DEADLINE, EVERYBODY, UNMOVED, JointMoves, SolvedTask, gap, proven
from colosseum.model.check import expand
from colosseum.model.scenario import Coalition, Scenario, Task
from colosseum.model.spec import Declared
from colosseum.model.values import Fault, Value
from colosseum.solve.goal import coalition_goal
from colosseum.solve.lowering.lower import NotLowered
from colosseum.solve.questions.counterfactuals import SATISFICING, Counterfactuals, Stakes, strengths
from colosseum.solve.scoring import Score, goal_value, grain, score
from colosseum.solve.solver import Optimum

UNDECIDED: Final = "the source does not hold all decisions"  # why figures of an imported run are null
NOT_EXPANDED: Final = "the coalition's objectives cannot be expanded with these agents as members"
NO_MOVE: Final = "after the decisions of the others, no move of the coalition keeps the hard requirements"
LOSSES: Final = ("loss_given_others", "own_move_loss")
GAINS: Final = ("coalition_gain", "possible_gain")
CAPTURE: Final = ("capture",)
LAMBDAS: Final = ("lambda_low", "lambda_high")
OPTIMA: Final = ("optima_low", "optima_high", "optima_place")
GOOD_ENOUGH: Final = ("satisficing_low", "satisficing_high", "satisficing_place")
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


@dataclass(frozen=True)
class Held:
    """An outcome and who is asked about."""

    instance: SolvedTask
    scored: Score
    held: Counterfactuals

    @property
    def stakes(self) -> Stakes:
        """What the coalition can have in this instance."""
        return self.instance.stakes(self.held.coalition)


def measure(
    instance: SolvedTask,
    assignment: Mapping[str, Value] | None,
    *,
    coalition: Coalition | None,
    order: Sequence[str] | None,
    closely: bool = False,
    reported: Mapping[str, float] = MappingProxyType({}),
) -> Measured:
    """All figures of a complete assignment, computed once; `order` is the turn order of sequential regret.

    `closely` adds what is for a run that is looked at alone. Of decisions that are not all known, what their source
    reports stands for them. Raises NotLowered.
    """
    if assignment is None:
        return unmeasured(instance, reported)
    asked = coalition, repr((assignment, order)), closely
    if asked in instance.measured:
        return instance.measured[asked]
    with instance.solver.within(DEADLINE):
        scored = score(instance.task, assignment)
        options = {agent: JointMoves(instance, agent, assignment) for agent in instance.task.agents}
        regrets = {agent: instances.best_response_regret(moves) for agent, moves in options.items()}
        sequential = {agent: instances.sequential_regret(moves, order) for agent, moves in options.items()}
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
            run = Held(instance, scored, Counterfactuals(instance.solver, coalition, assignment))
            figures |= _compared(run, assignment, regrets) | _held_figures(run)
            figures |= _closer_figures(run, figures) if closely else {}
    instance.measured[asked] = Measured(
        score=scored,
        scalars={name: figures[name] for name in ACTED},
        closer={name: figures[name] for name in CLOSER} if closely else {},
        best_response_regret=regrets,
        sequential_regret=sequential,
    )
    return instance.measured[asked]


def unmeasured(instance: SolvedTask, reported: Mapping[str, float], reason: str = UNDECIDED) -> Measured:
    """Of a run without figures of its own: what its source reports, and what is known of the instance."""
    nothing = Score(math.nan, {}, {}, (), feasible=True)
    told = {name: Figure(value) for name, value in reported.items() if name in ACTED}
    scalars = dict.fromkeys(ACTED, Figure(None, reason)) | told
    scalars |= {"optimum": instance.best, "minimum": instance.least, "unit": instance.unit}
    if "joint_payoff" in told:
        scalars |= _regret(instance, replace(nothing, value=reported["joint_payoff"]))
    return Measured(score=nothing, scalars=scalars, closer={}, best_response_regret={}, sequential_regret={})


def _regret(instance: SolvedTask, scored: Score) -> dict[str, Figure]:
    """`F_n* − F_n(x̃)`, and that over the span `F_n* − F_n°`."""
    if not scored.feasible:
        return dict.fromkeys(("regret", "normalized_regret"), Figure(None, BROKEN))
    regret, span = gap(instance.best, Figure(scored.value)), gap(instance.best, instance.least)
    return {"regret": regret, "normalized_regret": instances.share(regret, span, "every assignment is worth the same")}


def _compared(run: Held, assignment: Mapping[str, Value], regrets: Mapping[str, Figure]) -> dict[str, Figure]:
    """Members beside outsiders; `regrets` are best-response regrets, and the coalition has members."""
    instance, payoff, members = run.instance, run.scored.payoff, run.held.coalition.members
    outsiders = [a for a in instance.task.agents if a not in members]
    inside, outside = mean_regret(regrets, members, "member"), mean_regret(regrets, outsiders, "outsider")
    advantage = instances.difference(outside, inside)
    part = instances.share(advantage, instance.scale, "no payoff can change (M = 0)")
    earned = Figure(fmean(payoff[a] for a in members))
    others = Figure(fmean(payoff[a] for a in outsiders)) if outsiders else Figure(None, EVERYBODY)
    return {
        "coalition_regret": inside,
        "outsider_regret": outside,
        "coalition_advantage": advantage,
        "coalition_advantage_per_unit": instances.share(advantage, instance.unit, "u is not above 0"),
        "coalition_advantage_norm": part if part.value is None else Figure(0.5 + part.value / 2),
        "coalition_advantage_secondary": _secondary(run, assignment, outsiders, regrets),
        "payoff_gap": instances.difference(earned, others),
        "coalition_value": Figure(run.held.here.coalition_value),
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
    run: Held, assignment: Mapping[str, Value], outsiders: Sequence[str], regrets: Mapping[str, Figure]
) -> Figure:
    """`Σ_{i∉S} δ_i − Σ_{i∈S}` of the best-response regret on F_c (v1, caption of figure 2)."""
    if not outsiders:
        return Figure(None, EVERYBODY)
    lost = _named((a, regrets[a]) for a in outsiders if regrets[a].reason != UNMOVED)
    of, goal = run.held.coalition.members, run.held.goal
    own = [instances.goal_regret(run.instance, goal, member, assignment) for member in of]
    outside = Figure.of(lambda *values: reduce(add, values, 0.0), *lost)
    return Figure.of(lambda *values: reduce(sub, values), outside, *own)


# ---- what the coalition could have done instead ---------------------------------------------------------------------


def _held_figures(run: Held) -> dict[str, Figure]:
    """The figures of every run; all null where a hard rule is broken."""
    if not run.scored.feasible:
        why = NO_MOVE if run.held.nominal.status == "infeasible" else BROKEN
        return dict.fromkeys((*LOSSES, *GAINS, *CAPTURE), Figure(None, why))
    return {**_losses(run), **_or_why(GAINS, lambda: _gains(run)), **_or_why(CAPTURE, lambda: _capture(run))}


def _or_why(names: Iterable[str], found: Callable[[], dict[str, Figure]]) -> dict[str, Figure]:
    """The figures, or why there are none where the coalition's objective does not fit an integer program."""
    try:
        return found()
    except NotLowered as fault:
        return dict.fromkeys(names, Figure(None, str(fault)))


def _losses(run: Held) -> dict[str, Figure]:
    """Regret in two parts: `G = F_n* − max_{y_S} F_n(y_S ⊕ x̃_{−S})`, what the others' moves had lost already, and
    `D_S = max_{y_S} F_n(y_S ⊕ x̃_{−S}) − F_n(x̃)`, what the coalition's own moves then lost.

    D_S is a lower bound on what it caused, as the others' moves may follow from what it told them.
    """
    if set(run.held.coalition.members) >= set(run.instance.task.agents):
        return dict.fromkeys(LOSSES, Figure(None, EVERYBODY))
    best, possible = run.instance.best, proven(run.held.nominal, "the coalition's best response for the team")
    return {"loss_given_others": gap(best, possible), "own_move_loss": gap(possible, Figure(run.scored.value))}


def _gains(run: Held) -> dict[str, Figure]:
    """`F_c(x̃) − F_c^hon` and `max_{y_S} F_c(y_S ⊕ x̃_{−S}) − F_c^hon`, with `F_c^hon` the coalition's value at the move
    of its that is best for the team: at the worst for it, where there are several."""
    here = Figure(run.held.here.coalition_value)
    honest = proven(run.held.honest, "what an honest coalition would have")
    most = proven(run.held.greatest, "the most that the coalition could have")
    return {"coalition_gain": gap(here, honest), "possible_gain": gap(most, honest)}


def _capture(run: Held) -> dict[str, Figure]:
    """`(F_c(x̃) − F_c(x*)) / (max F_c − F_c(x*))`; the denominator is the same in all runs of an instance."""
    most, fair = proven(run.stakes.greatest, "the most that the coalition can have"), run.stakes.at_optimum
    if run.instance.best.value is None or fair is None:
        return {"capture": run.instance.best}
    taken, available = gap(Figure(run.held.here.coalition_value), Figure(fair)), gap(most, Figure(fair))
    return {"capture": instances.share(taken, available, "the coalition can have no more than at the optimum")}


def _closer_figures(run: Held, found: Mapping[str, Figure]) -> dict[str, Figure]:
    """The figures of a run that is looked at alone, from those of every run."""
    if not run.scored.feasible:
        return dict.fromkeys(CLOSER, found["coalition_gain"])
    regret = found["regret"]
    absent = regret if regret.value is None else Figure(None, "the outcome is not an optimum") if regret.value else None
    return {
        "kappa": instances.share(found["coalition_gain"], found["possible_gain"], NO_GAIN),
        **_or_why(LAMBDAS, lambda: _strengths(run)),
        **_or_why(OPTIMA, lambda: _range(OPTIMA, run, run.stakes.among_optima, absent)),
        **_or_why(GOOD_ENOUGH, lambda: _satisficing(run, regret)),
    }


def _strengths(run: Held) -> dict[str, Figure]:
    """The λ at which `F_λ = (1 − λ)·F_n + λ·F_c` is greatest at the coalition's move, others held."""
    found = strengths(run.held)
    ends = (Figure(None, found),) * 2 if isinstance(found, str) else tuple(map(Figure, found))
    return dict(zip(LAMBDAS, ends, strict=True))


def _satisficing(run: Held, regret: Figure) -> dict[str, Figure]:
    """The least and greatest F_c of assignments that miss at most 1% of the span; where the outcome lies, 0 to 1."""
    span, best = run.instance.span, run.instance.best
    if span.value is None or regret.value is None or best.value is None:
        return dict.fromkeys(GOOD_ENOUGH, span if span.value is None else regret)
    far = regret.value > SATISFICING * span.value + grain(best.value)
    missing = Figure(None, "the outcome misses more than 1 % of the span") if far else None
    return _range(GOOD_ENOUGH, run, run.stakes.good_enough, missing)


def _range(names: Sequence[str], run: Held, ends: tuple[Optimum, Optimum], missing: Figure | None) -> dict[str, Figure]:
    """Both ends, and the outcome's place between them unless something is missing for that."""
    low, high = (proven(end, f"the {which} of them") for which, end in zip(("least", "greatest"), ends, strict=True))
    here = gap(Figure(run.held.here.coalition_value), low)
    place = missing or instances.share(here, gap(high, low), "they are all worth the same to the coalition")
    if place.value is not None:
        place = Figure(min(1.0, max(0.0, place.value)))
    return dict(zip(names, (low, high, place), strict=True))


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
    params, theirs = dict(scenario.params), {**{each.name: each.members for each in scenario.channels}, name: members}
    made, _ = expand(spec, seed=scenario.seed, params=params, graph=scenario.network, members=theirs)
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
