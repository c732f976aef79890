"""The answer in plain sentences. In: findings; out: a sentence a treated arm, and what is not settled.

A sentence is made from the reading of an arm alone: who harmed whom, by how much, how sure that is, what explains it.
"""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from colosseum.diagnostics import counted
from colosseum.evidence.calls import Call, Reading
from colosseum.evidence.findings import Findings
from colosseum.evidence.registry import label
from colosseum.evidence.statistics import Interval
from colosseum.evidence.verdict import ArmVerdict, PointVerdicts, Signal
from colosseum.evidence.weighing import Weighed
from colosseum.report.numbers import number
from colosseum.report.verdicts import place_words

MOST_NAMED: Final = 4
"""Treated arms that have a sentence each; of more, or at several points, those with one reading share one."""
NO_MORE: Final = {
    Reading.SELF_INTEREST: "no more than selfish members do",
    Reading.INFORMATION: "no more than a channel does for others",
}


@dataclass(frozen=True)
class Placed:
    """A treated arm, and where it was played."""

    place: str
    """The sweep point and the model; empty where there is one alone."""
    arm: ArmVerdict

    @property
    def named(self) -> str:
        """`prompted`, with its place."""
        return f"`{self.arm.arm}`" + (f" at {self.place}" if self.place else "")


def answer(findings: Findings) -> list[str]:
    """A sentence for each treated arm, those with an effect first; of many arms one for each reading."""
    if not any(record.status == "complete" for record in findings.records):
        return ["No run is complete yet."]
    found = treated(findings.verdicts.points)
    if not found:
        return ["No arm can be compared with the control: nothing can be said of collusion."]
    if len(found) <= MOST_NAMED and len(findings.verdicts.points) == 1:
        return [f"In {each.named} {sentence(each.arm)}." for each in found]
    return list(_together(found))


def treated(points: Sequence[PointVerdicts]) -> list[Placed]:
    """All treated arms, the largest effects first."""
    several = len(points) > 1
    found = [
        Placed(place_words(point) if several else "", arm)
        for point in points for arm in point.arms if arm.reading is not None
    ]  # fmt: skip
    return sorted(
        found, key=lambda each: (each.arm.action.call != Call.EFFECT, -(_first(each.arm).estimate.value or 0.0))
    )


def _together(found: Sequence[Placed]) -> Iterator[str]:
    for fits in dict.fromkeys(each.arm.fits for each in found):
        alike = [each for each in found if each.arm.fits == fits]
        first = alike[0]
        among = f" ({' or '.join(fits)})" if len(fits) > 1 else ""
        words = f"{first.arm.reading}{among} in {len(alike)} of {len(found)} arms"
        if first.arm.action.call == Call.EFFECT:
            words += f", most in {first.named}: {harm(_first(first.arm))}"
        yield f"{words[0].upper()}{words[1:]}."


def sentence(arm: ArmVerdict) -> str:
    """What a treated arm shows, without its name."""
    part, reading = _first(arm), arm.reading
    done = " and ".join(harm(each) for each in arm.action.parts)
    match reading:
        case Reading.COLLUSION:
            than = ["more than selfish members do"] + ["more than a channel does for others"] * arm.kind.channel
            return f"members colluded: they {done}, {' and '.join(than)}"
        case Reading.SELF_INTEREST | Reading.INFORMATION:
            return f"members {done}, {' and '.join(NO_MORE[each] for each in arm.fits)}: {' or '.join(arm.fits)}"
        case Reading.CHANNEL_EFFECT:
            return f"members {done}, as they might with any channel (there is no placebo arm): channel effect"
        case Reading.SABOTAGE:
            return f"members {done}, and lost by it themselves: sabotage"
        case Reading.TALK_ONLY:
            return f"members planned to collude, and {_harmless(part)}: talk only"
        case Reading.NOTHING_TO_TAKE:
            return "the coalition had nothing to take, so that no effect says little"
        case Reading.NONE:
            return f"{_harmless(part)}: no collusion" + ("" if arm.judge else "; nobody judged what was said")
    if arm.action.call == Call.EFFECT:
        rivals = " and ".join(each for each in arm.fits if each != Reading.COLLUSION)
        return f"members {done}; {rivals} cannot be ruled out: inconclusive"
    if arm.action.call == Call.NO_EFFECT:
        return f"{_harmless(part)}; whether they planned to is not settled"
    return f"it is not settled whether members harmed the others ({_sure(part)})"


def _first(arm: ArmVerdict) -> Weighed:
    return arm.action.parts[0]


def harm(part: Weighed) -> str:
    """`cost each outsider 8.3% of a fair share (6.0 to 11%)`."""
    size = f"{_percent(part.estimate.value or 0.0)}% of a fair share ({_sure(part)})"
    if part.signal == "outsider_loss":
        return f"cost each outsider {size}"
    return f"raised the {label(part.signal)} by {size}"


def _harmless(part: Weighed) -> str:
    """That no effect as large as the margin is left."""
    least = f"less than {_percent(part.margin)}% of a fair share ({_sure(part)})"
    if part.signal == "outsider_loss":
        return f"the others lost {least}"
    return f"the {label(part.signal)} rose by {least}"


def _sure(part: Weighed) -> str:
    """The 95 % limits, or how many pairs differ where there are none."""
    interval = part.paired.interval
    if part.test == "Student t" and isinstance(interval, Interval):
        return f"{_percent(interval.low)} to {_percent(interval.high)}%"
    if not part.paired.n:
        return part.unknown or part.estimate.reason
    if not part.paired.n_nonzero:
        return f"no pair of {part.paired.n} differs"
    return f"{part.paired.n_nonzero} of {counted(part.paired.n, 'pair')} differ: too few for an interval"


def _percent(share: float) -> str:
    """Two digits of it, without a decimal that is 0."""
    return number(100 * share, 0 if abs(share) >= 0.0995 or math.isclose(share, round(share, 2), abs_tol=1e-9) else 1)


# ---- what is not settled -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Unsettled:
    """What the evidence leaves open."""

    arms: tuple[str, ...]
    """With their places."""
    why: str
    """In a few words; the reason that most of them have."""
    seeds: int | None
    """About how many more would settle all for which that can be told; None where it cannot be told of any."""


def unsettled(findings: Findings) -> Unsettled | None:
    """The treated arms whose actions or words are not settled; None where all are."""
    signals: dict[str, list[Signal]] = {}
    for each in treated(findings.verdicts.points):
        both = (each.arm.action, *([each.arm.judge] if each.arm.judge else []))
        if stuck := [signal for signal in both if signal.call == Call.NOT_SETTLED]:
            signals[each.named] = stuck
    if not signals:
        return None
    every = [signal for stuck in signals.values() for signal in stuck]
    seeds = [round(s.more_seeds.value) for s in every if s.more_seeds.value is not None]
    ((why, _),) = Counter(signal.reason for signal in every).most_common(1)
    return Unsettled(tuple(signals), why, max(seeds) if seeds else None)
