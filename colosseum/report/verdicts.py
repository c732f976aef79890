"""Verdicts as blocks. In: findings; out: the rule, a table of all arms, what is open, campaigns side by side."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from colosseum.campaign.margins import ENOUGH_ALIKE
from colosseum.campaign.registering import Registered
from colosseum.evidence.comparing import Pooled, SideBySide
from colosseum.evidence.figures import REGISTRY, Counts, label
from colosseum.evidence.findings import Findings
from colosseum.evidence.readings import Call, Contrast, Reading, Verdict, published
from colosseum.evidence.signals import JUDGE
from colosseum.evidence.statistics import RATE, Correlation
from colosseum.evidence.summary import ArmSummary
from colosseum.evidence.verdict import ArmVerdict, Verdicts
from colosseum.model.spec import ARTEFACTS
from colosseum.report.cells import PLACES, amount, change, described, ends, level, named, p_cell, point_table
from colosseum.report.document import Amount, Block, Definitions, Paragraph, Table, TableCell
from colosseum.report.effects import Effect, Effects, effects_of, tone_of
from colosseum.report.page import cell_words
from colosseum.report.words import MEANINGS, WORDS, no_pair, number, probability, reasons
from colosseum.run.judging.asking import BASELINE

MOST_DETAILED: Final = 12  # arms that are told of one by one


def verdict_blocks(findings: Findings) -> Iterator[Block]:
    """The rule, all arms in a table, and what is behind the readings."""
    verdicts = findings.verdicts
    if not verdicts.arms:
        return
    yield Paragraph(rule_words(verdicts, findings.settled))
    yield verdict_table(findings)
    effects = effects_of(findings.summary, verdicts)
    found = [(place, each.verdict, each.summary.excluded)
             for place, arms in named(effects.all) for each in arms if each.verdict]  # fmt: skip
    if len(found) > MOST_DETAILED:
        yield Paragraph("`report --point NAME=VALUE` tells what is behind the readings of some sweep points.", "quiet")
    elif behind := tuple(fact for each in found for fact in _behind(*each)):
        yield Definitions(behind, "What is behind the readings")
    if ranges := tuple(range_facts(effects)):
        yield Definitions(ranges)


def rule_words(verdicts: Verdicts, registered: Registered | None) -> str:
    """The rule, and when it was settled."""
    rule, when = verdicts.rule, "not settled beforehand"
    if registered is not None:
        when = f"settled when {registered.ended} runs had ended" if registered.ended else "settled before the runs"
    signals = " and ".join(label(name) for name in rule.margins)
    margins = " and ".join(f"{margin:g}" for margin in rule.margins.values())
    tests = f" (Benjamini-Hochberg over {verdicts.tests} tests)" if verdicts.tests > 1 else ""
    settled = WORDS["notes"]["rule"].format(when=when, signals=signals, tests=tests, margins=margins)
    now = "interim" if rule.interim else ("looked", "extended", "exploratory")[min(rule.looks, 2)]
    limits = {"low": level(rule.rate), "high": level(2 * rule.rate), "looks": rule.looks}
    return settled + f" {WORDS['notes'][now].format(**limits)}" * (level(rule.rate) != level(RATE))


def verdict_table(findings: Findings) -> Table:
    """A row for each arm at each sweep point."""
    effects = effects_of(findings.summary, findings.verdicts)
    judged = any(each.verdict and each.verdict.judge for each in effects.all)
    signals = [heading(name) for name in effects.margins]
    columns = [*signals, "p", *([REGISTRY[JUDGE].heading] if judged else [])]

    def rows(arms: Sequence[Effect]) -> Iterator[list[TableCell]]:
        for each in arms:
            arm, row = each.verdict, list[TableCell]((Amount(words=each.arm, link=each.link),))
            if arm is None:
                row += ["no pair", Amount(None, note=no_pair(each.summary.excluded))]
            else:  # p of treated arms alone
                p = "" if (found := arm.action.adjusted_p.value) is None or not arm.verdict else probability(found)
                heard = arm.judge and (arm.verdict or arm.kind.kind == "placebo")
                score = change(arm.judge.parts[0].paired, 2) if arm.judge and heard else None
                notes = [f"fits {' or '.join(arm.fits)}"] * (len(arm.fits) > 1)
                note = "; ".join(notes + ["an effect below the margin"] * arm.action.below)
                words = arm.reading or f"({arm.action.call})"  # of an arm that is not treated its call
                row += [Amount(words=words, link=each.link, tone=tone_of(arm.reading), note=note)]
                row += [*(change(w.paired) for w in arm.action.parts), p, score]
            yield [*row, *[None] * len(columns)][: 2 + len(columns)]

    told = {"control": findings.summary.control, "level": effects.level}
    return point_table("verdicts", effects.all, rows, columns, facts=_facts(findings), **told)


def _facts(findings: Findings) -> Iterator[tuple[str, str]]:
    """What the words of the table mean, who judged, and what the study lacks."""
    verdicts = findings.verdicts
    arms = verdicts.arms
    fits = {reading for arm in arms for reading in arm.fits}
    plain = {Reading.NONE, Reading.INCONCLUSIVE}  # they need no explanation
    means = MEANINGS | (WORDS["tacit"] if any(arm.kind.tacit for arm in arms) else {})
    yield from ((reading, means[reading]) for reading in Reading if reading in fits - plain)
    for name in dict.fromkeys(arm.arm for arm in arms if arm.kind.kind == "placebo"):
        yield name, "this row is measured as if those in the placebo channel were the coalition"
    if fits:
        yield "p", MEANINGS["p"]
        names = {BASELINE: f"{BASELINE} ({WORDS['notes']['baseline']})"}
        who = ", ".join(names.get(each, each) for each in findings.judges)
        if any(arm.judge for arm in arms):
            beyond = any(c.weighed.signal == JUDGE for arm in arms for c in arm.contrasts)
            yield "words", f"judged by {who}: an effect from 1 point on" + ", if the placebo has less" * beyond
        else:
            models = set(findings.judges) - {BASELINE}
            yield "words", f"no pair of runs has a score of {who}" if models else "nobody judged them"
        channel = any(arm.kind.channel for arm in verdicts.treated)
        there = {"selfish" if arm.kind.tacit else arm.kind.kind for arm in arms} | (set() if channel else {"placebo"})
        yield from ((f"no {kind} arm", words) for kind, words in WORDS["lacking"].items() if kind not in there)


def _behind(place: str, arm: ArmVerdict, excluded: Counts) -> Iterator[tuple[str, str]]:
    """Of one arm, its verdict, its contrasts, what is open, and what may distort it; the first with its name."""
    words = [f"{MEANINGS[arm.verdict]} ({arm.verdict})"] if arm.verdict and arm.verdict != Verdict.INCONCLUSIVE else []
    for c in arm.decisive:
        unit = "points" if c.weighed.signal == JUDGE else "u"
        words.append(f"{beyond_words(c)}: {cell_words(change(c.weighed.paired))} {unit}, {c.call}")
        if c.against == "equilibrium" and (beyond := c.weighed.estimate.value) is not None:
            rest = (arm.action.parts[0].estimate.value or 0.0) - beyond
            words.append(f"at the equilibrium where it is greatest: {number(rest, PLACES, sign='+')} u")
    for which, signal in (("actions", arm.action), ("words", arm.judge)):
        if arm.verdict and signal is not None and signal.call == Call.NOT_SETTLED:
            words.append(f"{which}: {signal.reason}")
    if (there := arm.to_take) and there.share.value is not None:
        most, often = number(there.median.value or 0.0, PLACES), f"the margin at {there.share.value:.0%} of them"
        words.append(f"to take: {most} u from each of the others (median of {there.seeds} seeds); {often}")
    if isinstance(found := arm.checks.together, Correlation) and arm.verdict:
        r = Amount(found.r, 2, signed=True, limits=(found.low, found.high))
        words.append(f"messages go with actions: r {cell_words(r)} over {found.n} seeds")
    words += _distortions(arm)
    words += [f"left out: {reasons(excluded, numbered=True)}"] if excluded else []
    name = ", ".join(filter(None, (arm.arm, place)))
    yield from (("" if number_ else name, each) for number_, each in enumerate(words))


def beyond_words(contrast: Contrast) -> str:
    """`beyond `placebo``, of actions or of messages."""
    what = f"`{contrast.arm}`" if contrast.arm else "any equilibrium"
    return "messages " * (contrast.weighed.signal == JUDGE) + f"beyond {what}"


def _distortions(arm: ArmVerdict) -> Iterator[str]:
    """What may distort the comparison."""
    served, bounds = arm.checks.served, arm.checks.bounds
    if served.differ:
        names = ", ".join(served.names)
        yield f"another model was served than for the control in {served.differ} of {served.seeds} pairs: {names}"
    for each in arm.checks.outcomes:
        if each.p.value is not None and each.p.value < RATE:
            seen = f"{each.treated} against {each.control} of {each.seeds} seeds"
            yield f"{each.name} in {seen} (McNemar p {probability(each.p.value)})"
    if not isinstance(bounds, str):
        low, high = (number(end, PLACES, sign="+") for end in (bounds.low, bounds.high))
        yield f"{bounds.missing} seeds are missing: with the worst seen in them, from {low} to {high}"


def range_facts(effects: Effects) -> Iterator[tuple[str, str]]:
    """For every setting that should not matter and is swept, the smallest and the largest effect over its values."""
    treated = {each.arm for each in effects.all if each.verdict and each.verdict.verdict}
    for setting in (name for name in ARTEFACTS if name in effects.swept):
        groups: dict[tuple[str, str, str], list[tuple[float, str]]] = {}
        others = [name for name in effects.swept if name != setting]
        for effect in (each for each in effects.all if each.arm in treated):
            for signal in (*effects.margins, JUDGE):
                if (mean := effect.change(signal).value) is not None:
                    told = groups.setdefault((effect.arm, effect.place(others), signal), [])
                    told.append((mean, effect.factors.get(setting, "")))
        for (arm, place, signal), found in groups.items():
            ends = [f"{number(mean, PLACES, sign='+')} ({setting} {value})" for mean, value in (min(found), max(found))]
            where = f" at {place}" if place else ""
            yield f"over {setting}", f"`{arm}`{where}, {label(signal)}: effect between {' and '.join(ends)}"


def published_table(findings: Findings) -> Table:
    """The verdicts of the published rule, by means alone."""

    def rows(arms: Sequence[ArmSummary]) -> Iterator[tuple[TableCell, ...]]:
        for each in arms[1:]:
            means = [each.differences[name].mean for name in ("coalition_advantage", JUDGE)]
            yield each.arm, *(amount(mean, 2, signed=True) for mean in means), published(*means) or "–"

    return point_table("published-rule", findings.summary.rows, rows)


def unit_table(findings: Findings) -> Table:
    """The change of CA from arm to arm, with models and with seeds as the units."""
    return described("units", (
        (f"{each.arm} − {each.against}", f"{each.change.n} {each.units}",
         replace(amount(each.change.mean, 2, signed=True), limits=ends(each.change.interval),
                 note=each.change.interval if isinstance(each.change.interval, str) else ""),
         p_cell(each.adjusted_p))
        for each in findings.report.units if each.change.n
    ))  # fmt: skip


def trend_table(findings: Findings) -> Table:
    """How effects change along swept numbers."""
    several = len({run.model for run in findings.records}) > 1
    return described("trends", (
        (", ".join(filter(None, (each.arm, each.place, each.model * several))),
         label(each.signal), f"{each.factor}, {each.levels} levels", change(each.slope, 4), p_cell(each.adjusted_p))
        for each in findings.report.trends
    ))  # fmt: skip


def heading(signal: str) -> str:
    """A signal with the unit of its changes."""
    return f"{label(signal)}, {'points' if signal == JUDGE else 'u'}"


def contrast_table(findings: Findings) -> Table:
    """Arms, or models, that the spec compares with each other."""
    return described("named-contrasts", (
        (f"{each.first} − {each.second}", each.place, heading(each.signal), change(each.difference),
         p_cell(each.adjusted_p))
        for each in findings.report.contrasts
    ))  # fmt: skip


def comparison_blocks(found: SideBySide) -> Iterator[Block]:
    """What members cost the others in each campaign, and which campaigns can be told apart."""
    scenarios = tuple(dict.fromkeys(each.scenario for each in found.arms))
    rows = [
        (", ".join(filter(None, (each.folder.name, each.model, each.arm, each.point))),
         *(change(each.effect) if each.scenario == s else None for s in scenarios), each.reading or "")
        for each in found.arms
    ]
    if rows:
        yield described("compare", rows, scenarios)
    if found.pooled:
        yield described("pooled", map(_pooled, found.pooled))
    for folder in found.not_compared:
        yield Paragraph(f"{folder}: no arm can be compared with its control", "warning")
    if not found.contrasts:
        yield Paragraph("No arm stands in two campaigns of one scenario and sweep point: none ranks above another.")
        return
    contrasts = (
        (f"{each.first.arm}: {each.first.folder.name} − {each.second.folder.name}", change(each.difference),
         each.difference.n, amount(each.adjusted_p, 3),
         "distinguishable" if each.distinguishable else "not distinguishable" if each.difference.n >= ENOUGH_ALIKE
         else f"too few pairs: fewer than {ENOUGH_ALIKE}")
        for each in found.contrasts
    )  # fmt: skip
    yield described("contrasts", contrasts)


def _pooled(each: Pooled) -> tuple[TableCell, ...]:
    """An arm over scenarios or models: its mean, and what another one may show."""
    name, units = ", ".join(filter(None, (each.arm, each.point))), f"{len(each.units)} {each.over}s, {each.within}"
    if isinstance(each.effect, str):
        return name, units, Amount(None, note=each.effect), None, None
    low, high = (number(end, PLACES, sign="+") for end in (each.effect.predicted_low, each.effect.predicted_high))
    mean = Amount(each.effect.mean, PLACES, signed=True, limits=(each.effect.low, each.effect.high))
    return name, units, mean, number(each.effect.tau, PLACES), f"{low} to {high}"
