"""The answer in plain sentences. In: findings; out: a sentence a treated arm, and what is not settled.

A sentence is made from the reading of an arm alone: who harmed whom, by how much, how sure that is, what explains it.
"""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean
from typing import Final, TypeAlias

from colosseum.campaign.screening import screening_words
from colosseum.diagnostics import counted
from colosseum.evidence.calls import Call, Reading
from colosseum.evidence.findings import Findings
from colosseum.evidence.registry import label
from colosseum.evidence.summary import PointSummary, losses
from colosseum.evidence.verdict import ArmVerdict, PointVerdicts
from colosseum.evidence.weighing import Weighed
from colosseum.report.cells import limits, named
from colosseum.report.commands import audit_command
from colosseum.report.meanings import MEANINGS
from colosseum.report.words import number

MOST_NAMED: Final = 4
"""Treated arms that have a sentence each; of more, or at several points, those with one reading share one."""
Named: TypeAlias = tuple[str, ArmVerdict]
"""A treated arm, and its name with its place: `prompted` at n=6."""


def answer(findings: Findings) -> list[str]:
    """A sentence for each treated arm, those with an effect first; of many arms one for each reading."""
    if not any(record.status == "complete" for record in findings.records):
        return ["No run is complete yet."]
    found = treated(findings.verdicts.points)
    if not found:
        return ["No arm can be compared with the control: nothing can be said of collusion."]
    if len(found) <= MOST_NAMED and len(findings.verdicts.points) == 1:
        point = findings.summary.points[0]
        return [f"In {name} {sentence(arm)}{_most(findings, arm)}{_unused(point, arm)}." for name, arm in found]
    return list(_together(found))


def _most(findings: Findings, arm: ArmVerdict) -> str:
    """Which of the others lost most, where that is more than the mean by the margin."""
    part = _first(arm)
    if arm.action.call != Call.EFFECT or part.signal != "outsider_loss":
        return ""
    lost = losses(findings.records, arm.arm, findings.summary.control)
    who = max(lost, key=lambda agent: lost[agent], default="")
    unequal = who and lost[who] - fmean(lost.values()) >= part.margin
    return f"; {who} lost most, {_percent(lost[who])}%" if unequal else ""


def _unused(point: PointSummary, arm: ArmVerdict) -> str:
    """That nobody posted in the channels that the arm has and the control has not."""
    uses = {each.arm: each.uses for each in point.arms}
    public = {use.channel for use in uses[point.arms[0].arm]}
    own = [use for use in uses[arm.arm] if use.channel not in public]
    silent = bool(own) and not any(use.used for use in own)
    return f"; nobody posted in {' or '.join(f'`{use.channel}`' for use in own)}" if silent else ""


def treated(points: Sequence[PointVerdicts]) -> list[Named]:
    """All treated arms, the largest effects first."""
    found = [
        (f"`{arm.arm}`" + (f" at {place}" if place else ""), arm)
        for place, point in named(points) for arm in point.arms if arm.reading is not None
    ]  # fmt: skip
    return sorted(
        found, key=lambda each: (each[1].action.call != Call.EFFECT, -(_first(each[1]).estimate.value or 0.0))
    )


def _together(found: Sequence[Named]) -> Iterator[str]:
    for fits in dict.fromkeys(arm.fits for _, arm in found):
        (name, first), *others = [each for each in found if each[1].fits == fits]
        among = f" ({' or '.join(fits)})" if len(fits) > 1 else ""
        words = f"{first.reading}{among} in {len(others) + 1} of {len(found)} arms"
        if first.action.call == Call.EFFECT:
            words += f", most in {name}: {harm(_first(first))}"
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
            return f"members {done}, {' and '.join(MEANINGS[each] for each in arm.fits)}: {' or '.join(arm.fits)}"
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
    """`cost the others 8.3% of a fair share each on average (6.0 to 11%)`."""
    size = f"{_percent(part.estimate.value or 0.0)}% of a fair share"
    if part.signal == "outsider_loss":
        return f"cost the others {size} each on average ({_sure(part)})"
    return f"raised the {label(part.signal)} by {size} ({_sure(part)})"


def _harmless(part: Weighed) -> str:
    """That no effect as large as the margin is left."""
    least = f"less than {_percent(part.margin)}% of a fair share ({_sure(part)})"
    if part.signal == "outsider_loss":
        return f"the others lost {least}"
    return f"the {label(part.signal)} rose by {least}"


def _sure(part: Weighed) -> str:
    """The 95 % limits, or how many pairs differ where there are none."""
    if ends := limits(part.paired):
        return f"{_percent(ends[0])} to {_percent(ends[1])}%"
    if not part.paired.n:
        return part.unknown or part.estimate.reason
    if not part.paired.n_nonzero:
        return f"no pair of {part.paired.n} differs"
    return f"{part.paired.n_nonzero} of {counted(part.paired.n, 'pair')} differ: too few for an interval"


def _percent(share: float) -> str:
    """Two digits of it, without a decimal that is 0."""
    return number(100 * share, 0 if abs(share) >= 0.0995 or math.isclose(share, round(share, 2), abs_tol=1e-9) else 1)


# ---- what is not settled -------------------------------------------------------------------------------------------


def next_steps(findings: Findings, folder: Path) -> Iterator[tuple[str, str]]:
    """Which seeds were left out, and the command that would settle what is not settled in actions or words."""
    if findings.plan.screening:
        yield "screened", screening_words(findings.plan.screening)
    open_ = [
        (name, signal) for name, arm in treated(findings.verdicts.points)
        for signal in filter(None, (arm.action, arm.judge)) if signal.call == Call.NOT_SETTLED
    ]  # fmt: skip
    more = [round(s.more_seeds.value) for _, s in open_ if s.more_seeds.value is not None]
    if more:
        seeds = sorted({listed.seed for listed in findings.plan.trials})
        every = [*seeds, *range(seeds[-1] + 1, seeds[-1] + 1 + max(more))]
        command = audit_command(folder, findings.plan, every, judges=findings.judges, out=folder)
        yield "to settle it", f"about {max(more):,} seeds more: {command}"
    elif open_:
        ((why, _),) = Counter(signal.reason for _, signal in open_).most_common(1)
        yield "not settled", f"{', '.join(list(dict.fromkeys(name for name, _ in open_))[:MOST_NAMED])}: {why}"
