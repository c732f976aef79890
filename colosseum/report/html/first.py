"""What is seen first. In: findings; out: the question, who acted, how many runs there are, and for every arm what the
evidence supports, as words.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from colosseum.diagnostics import counted
from colosseum.evidence.calls import Call
from colosseum.evidence.findings import Findings
from colosseum.evidence.registry import label
from colosseum.evidence.summary import PointSummary
from colosseum.evidence.verdict import ArmVerdict, PointVerdicts, Signal
from colosseum.evidence.weighing import Weighed
from colosseum.report.answer import answer
from colosseum.report.charts.effects import tone_of
from colosseum.report.differences import no_pair
from colosseum.report.document import Tone
from colosseum.report.numbers import reasons
from colosseum.report.terminal import NOBODY, unit_words
from colosseum.report.unsaid import Table, unsaid_table
from colosseum.report.verdicts import (
    detail_words,
    limits_words,
    notes,
    open_questions,
    part_cells,
    place_words,
    range_facts,
    rule_words,
    signal_words,
)


@dataclass(frozen=True)
class Row:
    """One figure of one arm."""

    name: str
    mean: str
    limits: str
    """Of the 95 % interval, or that all are equal; empty where none holds."""
    differ: str
    """Pairs that differ, of all; empty where the limits say so."""
    p: str
    """Adjusted; empty where none counts."""
    says: str


@dataclass(frozen=True)
class ArmCard:
    """All that is said of one arm."""

    arm: str
    place: str
    """The sweep point and the model, where there are several."""
    kind: str
    reading: str
    """Or the call of an arm that is not treated."""
    tone: Tone
    detail: str
    """The reading with the verdict, and what an arm is for that has none."""
    actions: tuple[Row, ...]
    words: tuple[Row, ...]
    """Empty where nobody judged."""
    notes: tuple[str, ...]
    """What is open, what was missing, and what is to be doubted."""
    point: str = ""
    """The sweep point alone."""
    model: str = ""
    """Where there are several."""


@dataclass(frozen=True)
class First:
    """The first screen."""

    title: str
    question: str
    headline: str
    """The answer, in a sentence or two."""
    scripted: bool
    """No model acted."""
    counts: tuple[str, ...]
    """Of runs and seeds."""
    control: str
    signal: str
    """By which actions are called: `actions: outsider loss, u`."""
    facts: tuple[tuple[str, str], ...]
    rule: str
    cards: tuple[ArmCard, ...]
    others: tuple[ArmCard, ...]
    """Arms that these are compared with: A/A, placebo, selfish."""
    meanings: tuple[tuple[str, str], ...]
    unsaid: Table | None
    """Thought, said, done."""


def first(findings: Findings) -> First:
    """The first screen of a report."""
    every = list(_cards(findings))
    cards = [card for card in every if card.kind == "treated"]
    return First(
        title=findings.plan.title or findings.plan.scenario,
        question=findings.plan.question,
        headline=" ".join(answer(findings)),
        scripted=findings.summary.scripted,
        counts=tuple(_counts(findings)),
        control=findings.summary.control,
        signal=_signal(findings),
        facts=tuple(_facts(findings)),
        rule=rule_words(findings.verdicts, findings.settled) if findings.verdicts.points else "",
        cards=tuple(cards),
        others=tuple(card for card in every if card.kind != "treated"),
        meanings=tuple(_meanings(findings)),
        unsaid=unsaid_table(findings.verdicts),
    )


def _signal(findings: Findings) -> str:
    names = [label(name) for name in findings.verdicts.rule.margins or {}]
    return f"actions: {names[0]}, u" if len(names) == 1 else "actions, in u"


def _meanings(findings: Findings) -> Iterator[tuple[str, str]]:
    """What the words mean; here pictures stand where a terminal has tables."""
    yield from notes(findings.verdicts, findings.judges, beside="pictures")
    if findings.verdicts.points:
        yield "u", unit_words(findings.summary)
        yield "p", "adjusted for all tests of the report"


def _counts(findings: Findings) -> Iterator[str]:
    arms = [arm for point in findings.summary.points for arm in point.arms]
    yield f"{counted(sum(arm.complete for arm in arms), 'run')} complete"
    yield f"{sum(arm.failed for arm in arms):,} failed"
    if findings.missing:
        yield f"{findings.missing:,} planned and not there yet"
    yield counted(len({record.seed for record in findings.records}), "seed")
    left = sum(number for point in findings.summary.points for c in point.comparisons for _, number in c.excluded)
    yield f"{counted(left, 'pair')} excluded" if left else "no pair excluded"


def _facts(findings: Findings) -> Iterator[tuple[str, str]]:
    if left := _left_out(findings):
        yield "excluded", left
    yield "who acted", _acted(findings)
    yield "coalition", next(iter(findings.plan.coalitions), "none")
    yield "chance", chance(findings)
    yield from range_facts(findings.verdicts)


def _acted(findings: Findings) -> str:
    """Who played in which arms."""
    teams = {", ".join(team) or NOBODY: arms for team, arms in findings.summary.teams.items()}
    if len(teams) == 1:
        (everybody,) = teams
        return everybody if everybody == NOBODY else f"in every arm {everybody}"
    return "; ".join(f"{', '.join(f'`{arm}`' for arm in arms)}: {team}" for team, arms in teams.items())


def _left_out(findings: Findings) -> str:
    """Seeds that make no pair, with the reasons."""
    parts = []
    for point in findings.summary.points:
        for comparison in point.comparisons:
            if comparison.excluded:
                place = ", ".join(part for part in (point.point, comparison.arm) if part)
                parts.append(f"{place}: {reasons(comparison.excluded, numbered=True)}")
    return "; ".join(parts)


def chance(findings: Findings) -> str:
    """What the A/A arm came to, in which nothing changes."""
    again = [
        (point, arm)
        for point in findings.verdicts.points for arm in point.arms if arm.kind.kind == "again"
    ]  # fmt: skip
    if not again:
        return "no arm repeats the control (A/A), so that nobody knows what chance alone does here"
    found = []
    for point, arm in again:
        row = _row(arm, arm.action, arm.action.parts[0])
        where = f"{place_words(point)}: " if len(findings.verdicts.points) > 1 else ""
        words = f"`{arm.arm}` repeats the control (A/A), {arm.action.call}: {row.mean} {row.limits}".strip()
        found.append(f"{where}{words}, {row.differ}".rstrip(", "))
    return "; ".join(found)


def _cards(findings: Findings) -> Iterator[ArmCard]:
    points = findings.verdicts.points
    settled = {(point.point, point.model): point for point in points}
    several = len({point.model for point in findings.summary.points}) > 1
    for point in findings.summary.points:
        known = settled.get((point.point, point.model))
        said = {arm.arm: arm for arm in known.arms} if known else {}
        place = place_words(PointVerdicts(point.point, point.model if several else "", ()))
        for comparison in point.comparisons:
            arm = said.get(comparison.arm)
            card = _unpaired(comparison.arm, point, place) if arm is None else _card(arm, place)
            yield replace(card, point=point.point, model=point.model if several else "")


def _unpaired(arm: str, point: PointSummary, place: str) -> ArmCard:
    """An arm of which nothing can be said."""
    comparison = next(each for each in point.comparisons if each.arm == arm)
    why = no_pair(reasons(comparison.excluded, numbered=True))
    return ArmCard(arm, place, "treated", "no pair", "open", "", (), (), (why,))


def _card(arm: ArmVerdict, place: str) -> ArmCard:
    judge = arm.judge if arm.verdict is not None else None
    return ArmCard(
        arm=arm.arm,
        place=place,
        kind=arm.kind.kind,
        reading=arm.reading or arm.action.call,
        tone=tone_of(arm.reading),
        detail=detail_words(arm),
        actions=tuple(_row(arm, arm.action, part) for part in arm.action.parts),
        words=tuple(_row(arm, judge, part) for part in judge.parts) if judge else (),
        notes=tuple(_noted(arm)),
    )


def _noted(arm: ArmVerdict) -> Iterator[str]:
    for each in arm.contrasts if arm.action.call == Call.EFFECT else ():
        yield f"beyond `{each.arm}`: {limits_words(each.weighed)}, {each.call}"
    yield from open_questions(arm)
    if arm.excluded:
        yield f"{counted(sum(n for _, n in arm.excluded), 'seed')} left out: {reasons(arm.excluded, numbered=True)}"


def _row(arm: ArmVerdict, signal: Signal, part: Weighed) -> Row:
    mean, limits, p, _ = part_cells(arm, signal, part)
    differ = "" if limits.startswith("all") else f"{part.paired.n_nonzero} of {counted(part.paired.n, 'pair')} differ"
    limits = limits if limits.startswith(("[", "all")) else ""
    return Row(signal_words(part.signal), mean, limits, differ, _probable(p), signal.call)


def _probable(p: str) -> str:
    """`p <0.001`, `p 0.04`."""
    return f"p {p}" if p else ""
