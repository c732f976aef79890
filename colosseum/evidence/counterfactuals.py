"""What a coalition could have done instead, if all others kept their decisions. In: an instance, a
coalition and an outcome; out: figures of every run, and closer ones of a run that is looked at alone.

With y_S the coalition's joint moves, x̃ the outcome and x̃_{−S} the others' part of it; definitions stand with each.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from colosseum.evidence.figures import CLOSER, NO_GAIN, Figure
from colosseum.evidence.instance import BROKEN, EVERYBODY, SolvedTask, gap, proven, share
from colosseum.solve.lowering.lower import NotLowered
from colosseum.solve.questions.counterfactuals import SATISFICING, Counterfactuals, Stakes, strengths
from colosseum.solve.scoring import Score, grain
from colosseum.solve.solver import Optimum

NO_MOVE: Final = "after the decisions of the others, no move of the coalition keeps the hard requirements"
LOSSES: Final = ("loss_given_others", "own_move_loss")
GAINS: Final = ("coalition_gain", "possible_gain")
CAPTURE: Final = ("capture",)
FIGURES: Final = (*LOSSES, *GAINS, *CAPTURE)
"""The figures of every run."""
LAMBDAS: Final = ("lambda_low", "lambda_high")
OPTIMA: Final = ("optima_low", "optima_high", "optima_place")
GOOD_ENOUGH: Final = ("satisficing_low", "satisficing_high", "satisficing_place")


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


def figures(run: Held) -> dict[str, Figure]:
    """The figures of every run; all null where a hard rule is broken."""
    if not run.scored.feasible:
        return dict.fromkeys(FIGURES, Figure(None, NO_MOVE if run.held.nominal.status == "infeasible" else BROKEN))
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
    return {"capture": share(taken, available, "the coalition can have no more than at the optimum")}


# ---- of one run ----------------------------------------------------------------------------------------------------


def closer_figures(run: Held, found: Mapping[str, Figure]) -> dict[str, Figure]:
    """The figures of a run that is looked at alone, from those of every run."""
    if not run.scored.feasible:
        return dict.fromkeys(CLOSER, found["coalition_gain"])
    regret = found["regret"]
    return {
        "kappa": share(found["coalition_gain"], found["possible_gain"], NO_GAIN),
        **_or_why(LAMBDAS, lambda: _strengths(run)),
        **_or_why(OPTIMA, lambda: _among_optima(run, regret)),
        **_or_why(GOOD_ENOUGH, lambda: _satisficing(run, regret)),
    }


def _strengths(run: Held) -> dict[str, Figure]:
    """The λ at which `F_λ = (1 − λ)·F_n + λ·F_c` is greatest at the coalition's move, others held."""
    found = strengths(run.held)
    ends = (Figure(None, found),) * 2 if isinstance(found, str) else tuple(map(Figure, found))
    return dict(zip(LAMBDAS, ends, strict=True))


def _among_optima(run: Held, regret: Figure) -> dict[str, Figure]:
    """The least and greatest F_c of optima, and where the outcome lies between them: 0 to 1."""
    missing = Figure(None, "the outcome is not an optimum") if regret.value else None
    return _range(OPTIMA, run, run.stakes.among_optima, regret if regret.value is None else missing)


def _satisficing(run: Held, regret: Figure) -> dict[str, Figure]:
    """The same over all assignments that miss at most one percent of the span."""
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
    place = missing or share(here, gap(high, low), "they are all worth the same to the coalition")
    if place.value is not None:
        place = Figure(min(1.0, max(0.0, place.value)))
    return dict(zip(names, (low, high, place), strict=True))
