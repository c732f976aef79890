"""What was believed, and how far judges can be trusted. In: arms, and a bench of judges; out: sections of a page."""

from collections.abc import Sequence
from typing import Final

from rich.console import Console

from colosseum.evidence.figures import Figure
from colosseum.evidence.judges import Bench, JudgeHealth
from colosseum.evidence.summary import ArmSummary
from colosseum.evidence.talk import Talk
from colosseum.report.numbers import number
from colosseum.report.page import Grid, list_facts, say, show_grid

RATES: Final = {"exposure": "reached", "adoption": "believed where reached", "belief_rate": "believed"}
"""Rates of beliefs and what they are called."""
FAR_FROM_CHANCE: Final = 0.1
"""Of a probability of .5, from which on a judge may be able to tell arms apart."""


def show_beliefs(arms: Sequence[ArmSummary], console: Console) -> None:
    """How far false claims came, by arm, and by the distance from adversaries; nothing where nobody was asked."""
    if not any(arm.scalars["belief_rate"].n for arm in arms):
        return
    steps = sorted({step for arm in arms for step in arm.believed})
    steps = steps if len(steps) > 1 else []
    rows = [
        [*(_share(arm.scalars[name].mean) for name in RATES), *(_share(_at(arm, step)) for step in steps)]
        for arm in arms
    ]
    columns = (*RATES.values(), *(f"believed {_away(step)}" for step in steps))
    say(console)
    say(console, "False claims: shares of pairs of an outsider and a claim", style="bold")
    show_grid(console, Grid(tuple(arm.arm for arm in arms), columns, tuple(map(tuple, rows)), turns=False))


def _at(arm: ArmSummary, step: int) -> Figure:
    return arm.believed.get(step, Figure(None, "nobody is so far away"))


def _away(step: int) -> str:
    return "next to an adversary" if step == 1 else f"{step} steps away"


def _share(figure: Figure) -> str:
    return "–" if figure.value is None else number(figure.value, 2)


def show_talk(arms: Sequence[ArmSummary], console: Console) -> None:
    """How much each side says where, by arm."""
    places = dict.fromkeys((row.side, row.channel, row.phase) for arm in arms for row in arm.talk)
    if not places:
        return
    by_arm = [{(row.side, row.channel, row.phase): row for row in arm.talk} for arm in arms]
    cells = tuple(tuple(_talk(rows.get(place)) for rows in by_arm) for place in places)
    labels = tuple(f"{s} in {c}" + (f", {phase}" if phase != "planning" else "") for s, c, phase in places)
    say(console)
    say(console, "Talk: posts and characters in a run, and the share of all characters", style="bold")
    show_grid(console, Grid(labels, tuple(arm.arm for arm in arms), cells))


def _talk(row: Talk | None) -> str:
    return "" if row is None else f"{row.posts:.1f}, {row.characters:,.0f}, {row.share_of_characters:.0%}"


def silences(arms: Sequence[ArmSummary]) -> list[str]:
    """Which channels nobody uses in how many runs of which arms."""
    silent = {(use.channel, use.runs - use.used, use.runs): list[str]() for arm in arms for use in arm.uses}
    for arm in arms:
        for use in arm.uses:
            silent[use.channel, use.runs - use.used, use.runs].append(f"`{arm.arm}`")
    return [
        f"nobody posts in {channel} in {'any' if missing == runs else f'{missing} of {runs}'} "
        f"{'run' if missing == runs else 'runs'} of {', '.join(names)}"
        for (channel, missing, runs), names in silent.items() if missing
    ]  # fmt: skip


def show_judges(bench: Bench, console: Console) -> None:
    """Each judge's health; the baseline has none."""
    if bench.baseline:
        return
    say(console)
    say(console, "Judges", style="bold")
    facts = [(judge.judge, _health(judge)) for judge in bench.judges]
    if len(bench.judges) > 1:
        found = bench.agreement
        said = f"between judges: α {_alpha(found)}" if found.value is not None else f"not known: {found.reason}"
        facts.append(("agreement", said))
    if any(found.value is not None for found in (bench.agreement, *(judge.same_again for judge in bench.judges))):
        facts.append(("α", "Krippendorff's, of interval data: 1 is perfect, 0 is chance"))
    list_facts(console, facts)


def _health(judge: JudgeHealth) -> str:
    parts = [f"{judge.given} scores" + ("" if judge.counts else ", which do not count: it was left out afterwards")]
    if judge.missing:
        missing = ", ".join(f"{count} {status}" for status, count in sorted(judge.missing.items()))
        parts.append(f"without a score: {missing}")
    if judge.cut:
        parts.append(f"in {judge.cut} it read the longest thoughts without their middle: all were too long")
    if judge.same_again.value is not None:
        parts.append(f"its repeats agree with α {_alpha(judge.same_again)}")
    told = {
        arm: figure.value
        for arm, figure in judge.guessing.items()
        if figure.value is not None and abs(figure.value - 0.5) > FAR_FROM_CHANCE
    }
    if told:
        arms = ", ".join(f"`{arm}` ({number(value, 2)})" for arm, value in told.items())
        parts.append(f"may tell arms from the control, as it scores random agents otherwise in {arms}; .5 is chance")
    if judge.kin:
        parts.append(f"of the family of {', '.join(judge.kin)}, of whom it may think too well")
    return "; ".join(parts)


def _alpha(figure: Figure) -> str:
    return figure.reason if figure.value is None else number(figure.value, 2)
