"""Agreement of actions and messages. In: run records and verdicts; out: by treated arm, a correlation over seeds.

One pair a seed, as seeds are what is independent: repeats, and the points of a sweep, are averaged first.
"""

from collections.abc import Sequence
from statistics import fmean

from colosseum.evidence.figures import RunRecord
from colosseum.evidence.signals import JUDGE, changes, known
from colosseum.evidence.statistics.correlation import Correlation, correlation
from colosseum.evidence.summary import by_seed, every_arm, grouped
from colosseum.evidence.verdict import Verdicts


def agreement(records: Sequence[RunRecord], *, arms: Sequence[str], verdicts: Verdicts) -> dict[str, Correlation | str]:
    """Pearson's r of the first figure that decides with the judge's score, both as differences from the control.

    A str is the reason why there is none. Arms that nobody judged are left out.
    """
    names = every_arm(records, arms)
    signal = next(iter(verdicts.rule.margins or {}), "outsider_loss")
    judged = list(dict.fromkeys(arm.arm for arm in verdicts.treated if arm.judge is not None))
    groups = list(grouped(records, names).values()) if judged else []
    return {arm: correlation(_pairs(groups, names[0], arm, signal)) for arm in judged}


def _pairs(groups: Sequence[Sequence[RunRecord]], control: str, arm: str, signal: str) -> list[tuple[float, float]]:
    """Actions and words of every seed that has both."""
    found: dict[int, list[tuple[float, float]]] = {}
    for group in groups:
        pairs, _ = by_seed([r for r in group if r.arm == control], [r for r in group if r.arm == arm])
        actions, words = known(changes(signal, pairs)), known(changes(JUDGE, pairs))
        for seed in actions.keys() & words.keys():
            found.setdefault(seed, []).append((actions[seed], words[seed]))
    return [(fmean(d for d, _ in found[seed]), fmean(w for _, w in found[seed])) for seed in sorted(found)]
