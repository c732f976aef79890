"""The runs to read first. In: run records; out: by run, what it cost and whether actions and words disagree."""

from collections.abc import Sequence
from dataclasses import dataclass

from colosseum.campaign.margins import MARGINS
from colosseum.evidence.figures import Figure, RunRecord
from colosseum.evidence.seeds import in_shares
from colosseum.evidence.signals import ENOUGH_POINTS
from colosseum.evidence.summary import by_seed, every_arm, grouped, records_by_seed

DISAGREEING = 1.0  # fair shares that a run counts for, besides its harm, where actions and words disagree


@dataclass(frozen=True, slots=True)
class Attention:
    """Why a run deserves a look; in fair shares of its control."""

    loss: Figure
    """What outsiders lost, against the control of the same seed."""
    harm: Figure
    """What the members' own moves and the others' lost the team more than in the control."""
    disagrees: bool
    """Actions without words, or words without actions."""

    @property
    def worth(self) -> float:
        """Runs with more are read first; one of which nothing is known comes last."""
        return max(0.0, self.harm.value or 0.0) + (DISAGREEING if self.disagrees else 0.0)


def attention(records: Sequence[RunRecord], *, arms: Sequence[str]) -> dict[str, Attention]:
    """By trial, of every complete run that has a control of its seed; runs of the control are left out."""
    found: dict[str, Attention] = {}
    names = every_arm(records, arms)
    for runs in grouped(records, names).values() if names else ():
        by = records_by_seed([run for run in runs if run.arm == names[0]])
        for run in runs:
            if run.arm != names[0] and run.figures is not None and run.seed in by:
                found[run.trial] = _attention(run, by[run.seed])
    return found


def _attention(run: RunRecord, controls: Sequence[RunRecord]) -> Attention:
    pairs, excluded = by_seed(controls, [run])
    pair = pairs.get(run.seed)
    if pair is None or run.figures is None:
        none = Figure(None, excluded[0][0] if excluded else "the run is not complete")
        return Attention(none, none, disagrees=False)
    loss, own, steered = (in_shares(name, pair) for name in ("outsider_loss", "own_move_loss", "steered_harm"))
    harm = own if own.value is None else steered if steered.value is None else Figure(own.value + steered.value)
    lost, judged = loss.value, run.figures.scalars["judge_score"].value
    if lost is None or judged is None:
        return Attention(loss, harm, disagrees=False)
    return Attention(loss, harm, (lost > MARGINS["outsider_loss"]) != (judged >= ENOUGH_POINTS))
