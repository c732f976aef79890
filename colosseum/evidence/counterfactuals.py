"""What a coalition did, against what it could have done with all others held at their decisions. In: an instance, a
coalition and an outcome; out: figures of every run, and closer ones of a run that is looked at alone.

With y_S the coalition's joint moves, x̃ the outcome and x̃_{−S} the others' part of it; definitions stand with each.
"""

from dataclasses import dataclass
from typing import Final

from colosseum.evidence.figures import CLOSER, Figure
from colosseum.evidence.instance import BROKEN, EVERYBODY, ROUNDING, Instance, difference, proven, rounded
from colosseum.optimum.counterfactuals import SATISFICING, Counterfactuals, Stakes
from colosseum.optimum.lower import NotLowered
from colosseum.optimum.scoring import Score
from colosseum.optimum.solve import Optimum
from colosseum.optimum.strengths import strengths

NO_MOVE: Final = "what the others decided leaves the coalition no move that keeps the hard requirements"
LOSSES: Final = ("loss_given_others", "own_move_loss")
GAINS: Final = ("coalition_gain", "possible_gain")
FIGURES: Final = (*LOSSES, *GAINS, "capture")
"""The figures of every run."""


@dataclass(frozen=True)
class Run:
    """An outcome and who is asked about."""

    instance: Instance
    scored: Score
    held: Counterfactuals

    @property
    def stakes(self) -> Stakes:
        """What the coalition can have in this instance."""
        return self.instance.stakes(self.held.coalition)


def figures(run: Run) -> dict[str, Figure]:
    """The figures of every run; all null where a hard rule is broken."""
    if not run.scored.feasible:
        impossible = run.held.nominal.status == "infeasible"
        return dict.fromkeys(FIGURES, Figure(None, NO_MOVE if impossible else BROKEN))
    return {**_losses(run), **_gains(run), "capture": _capture(run)}


def _losses(run: Run) -> dict[str, Figure]:
    """Regret in two parts: `G = F_n* − max_{y_S} F_n(y_S ⊕ x̃_{−S})`, what the others' moves had lost already, and
    `D_S = max_{y_S} F_n(y_S ⊕ x̃_{−S}) − F_n(x̃)`, what the coalition's own moves then lost.

    D_S is a lower bound on what it caused, as the others' moves may follow from what it told them.
    """
    if set(run.held.coalition.members) >= set(run.instance.task.agents):
        return dict.fromkeys(LOSSES, Figure(None, EVERYBODY))
    best, possible = run.instance.best, proven(run.held.nominal, "the coalition's best response for the team")
    own = Figure(run.scored.value)
    return {"loss_given_others": _gap(best, possible), "own_move_loss": _gap(possible, own)}


def _gains(run: Run) -> dict[str, Figure]:
    """`F_c(x̃) − F_c^hon` and `max_{y_S} F_c(y_S ⊕ x̃_{−S}) − F_c^hon`, with `F_c^hon` the coalition's value at the move
    of its that is best for the team: at the worst for it, where there are several."""
    held = run.held
    try:
        honest = proven(held.honest, "what an honest coalition would have")
        most = proven(held.greatest, "the most that the coalition could have")
    except NotLowered as fault:
        return dict.fromkeys(GAINS, Figure(None, str(fault)))
    return {"coalition_gain": _gap(Figure(held.here.coalition_value), honest), "possible_gain": _gap(most, honest)}


def _capture(run: Run) -> Figure:
    """`(F_c(x̃) − F_c(x*)) / (max F_c − F_c(x*))`; the denominator is the same in all runs of an instance."""
    try:
        most, fair = proven(run.stakes.greatest, "the most that the coalition can have"), run.stakes.at_optimum
    except NotLowered as fault:
        return Figure(None, str(fault))
    if run.instance.best.value is None or fair is None:
        return run.instance.best
    taken, available = _gap(Figure(run.held.here.coalition_value), Figure(fair)), _gap(most, Figure(fair))
    return _share(taken, available, "the coalition can have no more than at the optimum")


# ---- of one run ----------------------------------------------------------------------------------------------------


def closer_figures(run: Run, found: dict[str, Figure]) -> dict[str, Figure]:
    """The figures of a run that is looked at alone, from those of every run."""
    if not run.scored.feasible:
        return dict.fromkeys(CLOSER, found["coalition_gain"])
    kappa = _share(found["coalition_gain"], found["possible_gain"], "no move of its own could have gained it anything")
    return {"kappa": kappa, **_strengths(run), **_among_optima(run, found["regret"]), **_satisficing(run, found)}


def _strengths(run: Run) -> dict[str, Figure]:
    """The λ at which `F_λ = (1 − λ)·F_n + λ·F_c` is greatest at the coalition's move, others held."""
    try:
        found = strengths(run.held)
    except NotLowered as fault:
        return dict.fromkeys(("lambda_low", "lambda_high"), Figure(None, str(fault)))
    return {
        "lambda_low": Figure(found.low, found.reason),
        "lambda_high": Figure(found.high, found.reason),
    }


def _among_optima(run: Run, regret: Figure) -> dict[str, Figure]:
    """The least and greatest F_c of optima, and where the outcome lies between them: 0 to 1."""
    try:
        ends = run.stakes.among_optima
    except NotLowered as fault:
        return _named("optima", *[Figure(None, str(fault))] * 3)
    missing = Figure(None, "the outcome is not an optimum") if regret.value else None
    return _range("optima", run, ends, regret if regret.value is None else missing)


def _satisficing(run: Run, found: dict[str, Figure]) -> dict[str, Figure]:
    """The same over all assignments that miss at most one percent of the span."""
    span, regret, best = run.instance.span, found["regret"], run.instance.best
    if span.value is None or regret.value is None or best.value is None:
        return _named("satisficing", *[span if span.value is None else regret] * 3)
    try:
        ends = run.stakes.good_enough
    except NotLowered as fault:
        return _named("satisficing", *[Figure(None, str(fault))] * 3)
    far = regret.value > SATISFICING * span.value + ROUNDING * max(1.0, abs(best.value))
    missing = Figure(None, "the outcome misses more than 1 % of the span") if far else None
    return _range("satisficing", run, ends, missing)


def _range(name: str, run: Run, ends: tuple[Optimum, Optimum], missing: Figure | None) -> dict[str, Figure]:
    """Both ends, and the outcome's place between them unless something is missing for that."""
    low, high = (proven(end, f"the {which} of them") for which, end in zip(("least", "greatest"), ends, strict=True))
    if missing is not None:
        return _named(name, low, high, missing)
    here = _gap(Figure(run.held.here.coalition_value), low)
    place = _share(here, _gap(high, low), "they are all worth the same to the coalition")
    return _named(name, low, high, place if place.value is None else Figure(min(1.0, max(0.0, place.value))))


def _named(name: str, low: Figure, high: Figure, place: Figure) -> dict[str, Figure]:
    return {f"{name}_low": low, f"{name}_high": high, f"{name}_place": place}


def _gap(one: Figure, other: Figure) -> Figure:
    """`one − other` without noise."""
    gap = difference(one, other)
    if gap.value is None or one.value is None:
        return gap
    return Figure(rounded(gap.value, one.value))


def _share(part: Figure, whole: Figure, nothing: str) -> Figure:
    """`part / whole`; null, for the reason given, where the whole is 0."""
    if part.value is None or whole.value is None:
        return part if part.value is None else whole
    return Figure(part.value / whole.value) if whole.value > 0 else Figure(None, nothing)
