"""Members against outsiders. In: an outcome, regrets by agent and a coalition; out: figures that compare the two.

Sources: the paper's sections 3 and 5 and appendix C; `payoff_gap` and the figures in u are this project's own.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from operator import add, sub
from statistics import fmean

from colosseum.evidence.figures import Figure
from colosseum.evidence.instance import EVERYBODY, SolvedTask, difference, share
from colosseum.evidence.regrets import UNMOVED, goal_regret
from colosseum.model.values import Value
from colosseum.solve.questions.counterfactuals import Counterfactuals
from colosseum.solve.scoring import Score


def figures(
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
