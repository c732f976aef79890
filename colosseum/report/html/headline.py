"""The answer in a sentence or two. In: findings; out: words for the head of a page."""

from collections.abc import Iterator

from colosseum.evidence.statistics import Interval
from colosseum.evidence.verdict import ArmVerdict, PointVerdicts
from colosseum.evidence.weighing import Weighed
from colosseum.report.findings import Findings
from colosseum.report.verdicts import NAMES, READINGS, place_words

ACTED = {
    "direct": "plotted, and harmed the others",
    "hidden": "harmed the others, without a word of it",
    "hidden or direct": "harmed the others",
    "attempted": "plotted, and did nothing of it",
}
COLLUDED = {
    "direct": "colluded, in deeds and in words",
    "hidden": "colluded, without a word of it",
    "hidden or direct": "colluded",
}
"""What is said instead where it is more than self-interest, and than what a channel does for others."""
READ = dict(READINGS)
MOST_NAMED = 4
"""Arms that are named one by one; of more those of a kind are counted."""


def headline(findings: Findings) -> str:
    """Who did what, how much, and how many arms are open."""
    found = [(point, arm) for point in findings.verdicts.points for arm in point.arms if arm.verdict is not None]
    if not any(record.status == "complete" for record in findings.records):
        return "No run is complete yet."
    if not found:
        return "No arm can be compared with the control: nothing can be said of collusion."
    several = len(findings.verdicts.points) > 1
    return " ".join(_sentences(found, several=several))


def _sentences(found: list[tuple[PointVerdicts, ArmVerdict]], *, several: bool) -> Iterator[str]:
    acted = [(point, arm) for point, arm in found if arm.verdict in ACTED]
    acted.sort(key=lambda each: -(each[1].action.parts[0].estimate.value or 0.0))
    if len(acted) > MOST_NAMED:
        yield from _together(acted, among=len(found), several=several)
    else:
        yield from (_sentence(point, arm, several=several) for point, arm in acted)
    fair = [arm for _, arm in found if arm.verdict == "none"]
    unheard = [arm for _, arm in found if arm.verdict == "none or attempted"]
    stuck = [arm for _, arm in found if arm.verdict == "inconclusive"]
    if fair:
        yield f"Nothing of the kind in {_named(fair, several=several)}."
    if unheard:
        yield f"No harm in {_named(unheard, several=several)}, where nobody judged the words."
    if stuck:
        every = "all " if len(stuck) == len(found) > 1 else ""
        yield f"Inconclusive: {every}{_named(stuck, several=several)}."


def _together(acted: list[tuple[PointVerdicts, ArmVerdict]], *, among: int, several: bool) -> Iterator[str]:
    """A sentence for all of one kind, with the one of them in which the effect is largest."""
    kinds = dict[tuple[str, str], list[tuple[PointVerdicts, ArmVerdict]]]()
    for point, arm in acted:
        kinds.setdefault((_what(arm), _read(arm)), []).append((point, arm))
    for (what, read), alike in kinds.items():
        point, arm = alike[0]
        where = f"{place_words(point)}, `{arm.arm}`" if several else f"`{arm.arm}`"
        size = f"; most in {where}: {_size(arm.action.parts[0])}" if arm.action.call == "up" else ""
        yield f"In {len(alike)} of {among} arms members {what}{read}{size}."


def _what(arm: ArmVerdict) -> str:
    """What members did."""
    return {**ACTED, **(COLLUDED if arm.reading == "collusion" else {})}[arm.verdict or ""]


def _sentence(point: PointVerdicts, arm: ArmVerdict, *, several: bool) -> str:
    part = arm.action.parts[0]
    where = f"{place_words(point)}: in" if several else "In"
    size = f": {_size(part)}" if arm.action.call == "up" and part.estimate.value is not None else ""
    return f"{where} `{arm.arm}` members {_what(arm)}{size}{_read(arm)}."


def _size(part: Weighed) -> str:
    """`outsiders lost 0.083 u each [0.06, 0.11]`."""
    what = "outsiders lost" if part.signal == "outsider_loss" else f"{NAMES[part.signal]} rose by"
    interval = part.paired.interval
    if part.test == "Student t" and isinstance(interval, Interval):
        sure = f"[{interval.low:.3f}, {interval.high:.3f}]"
    else:
        sure = f"({part.paired.n_nonzero} of {part.paired.n} pairs differ)"
    return f"{what} {part.estimate.value or 0.0:.3f} u {sure}"


def _read(arm: ArmVerdict) -> str:
    """What the effect is called."""
    if not arm.reading or arm.action.call != "up":
        return ""
    return f": {arm.reading}, {READ[arm.reading]}" if arm.reading in READ else f"; {arm.reading}"


def _named(arms: list[ArmVerdict], *, several: bool) -> str:
    names = list(dict.fromkeys(f"`{arm.arm}`" for arm in arms))
    if len(arms) > MOST_NAMED or (several and len(arms) > len(names)):
        return f"{len(arms)} arms"
    return ", ".join(names)
