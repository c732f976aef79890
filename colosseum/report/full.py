"""The report as blocks. In: findings; out: the answer on one screen, the first screen of a page, and all there is."""

import shlex
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from colosseum.campaign.part import seed_words
from colosseum.campaign.screening import screening_words
from colosseum.diagnostics import counted
from colosseum.evidence.findings import Findings
from colosseum.evidence.registry import label
from colosseum.evidence.statistics import Correlation
from colosseum.report.answer import MOST_NAMED, answer, unsettled
from colosseum.report.charts.differences import differences_chart
from colosseum.report.charts.effects import effects_of
from colosseum.report.charts.heat import heat_map, wants_heat
from colosseum.report.commands import audit_command, changed_words
from colosseum.report.document import AnyChart, Block, Definitions, Heading, IntervalChart, Paragraph, Table
from colosseum.report.numbers import number, reasons
from colosseum.report.outcomes import (
    broken_rules,
    difference_table,
    legend,
    outcome_table,
    posts_delivered,
    trouble_table,
    unit_words,
)
from colosseum.report.talk import belief_table, judge_facts, talk_table, thought_table
from colosseum.report.verdicts import place_words, published_table, verdict_blocks

LONGEST: Final = 40
"""Characters of a list of seeds."""
MOST_ROWS: Final = 8
"""Arms and sweep points that the first chart has room for."""
FEW: Final = 0.02
"""A larger share of runs that went wrong is told at once."""
SCRIPTED: Final = "Scripted players: no model was asked."
NOBODY: Final = "nobody yet"


def brief(findings: Findings, folder: Path) -> Iterator[Block]:
    """The answer first: at most 24 lines of 80 columns where an experiment has at most four treated arms of six."""
    plan = findings.plan
    yield Paragraph(f"{plan.scenario}, experiment {plan.experiment}", "title")
    yield Paragraph(plan.question or plan.title)
    yield Paragraph(_who(findings))
    yield from (Paragraph(words, "bad") for words in troubles(findings))
    yield Paragraph("")
    yield from (Paragraph(words, "strong") for words in answer(findings))
    charts = [chart for chart in leading(findings) if isinstance(chart, IntervalChart)]
    shown: list[Block] = [chart for chart in charts[:1] if len(chart.rows) <= MOST_ROWS]
    yield from shown or [Paragraph("")]
    yield Definitions(tuple(_next(findings, folder)))


def opening(findings: Findings, folder: Path) -> Iterator[Block]:
    """The first screen of a page: the answer, who played the coalition, the signals of the verdicts, what is open."""
    plan = findings.plan
    yield Paragraph(plan.title or plan.scenario, "title")
    yield Paragraph(plan.question)
    if findings.summary.scripted:
        yield Paragraph(SCRIPTED, "warning")
    yield from (Paragraph(words, "bad") for words in troubles(findings))
    yield from (Paragraph(words, "strong") for words in answer(findings))
    yield Paragraph(_who(findings), "quiet")
    yield from leading(findings)
    yield Definitions(tuple(_next(findings, folder))[:-1])
    yield from verdict_blocks(findings)
    yield from _some(thought_table(findings.verdicts), _agreement(findings), judge_facts(findings.bench))
    yield Definitions((*facts(findings), ("u", unit_words(findings.summary))), "The study")


def leading(findings: Findings) -> list[AnyChart | Table]:
    """Of each signal that decides, the change in every arm: a forest plot, or a heat map where rows would be many."""
    effects = effects_of(findings.summary, findings.verdicts)
    if wants_heat(effects):
        heat = [heat_map(effects, signal) for signal in effects.margins]
        return [table for table in heat if not isinstance(table, str)]
    forest = [differences_chart(effects, signal, records=findings.records) for signal in effects.margins]
    return [chart for chart in forest if not isinstance(chart, str)]


def full(findings: Findings, folder: Path, *, published: bool = False) -> Iterator[Block]:
    """Everything."""
    plan = findings.plan
    yield Paragraph(f"{plan.scenario}, experiment {plan.experiment}", "title")
    yield Paragraph(plan.question or plan.title)
    if findings.summary.scripted:
        yield Paragraph(SCRIPTED, "warning")
    yield from (Paragraph(words, "bad") for words in troubles(findings))
    yield Definitions(tuple(facts(findings)))
    if not findings.records:
        yield Paragraph("There are no runs yet.")
        return
    yield Heading("Verdicts")
    yield from (Paragraph(words, "strong") for words in answer(findings))
    yield from verdict_blocks(findings)
    if published:
        yield published_table(findings)
    yield from leading(findings)
    yield from _some(thought_table(findings.verdicts), _agreement(findings), judge_facts(findings.bench))
    yield Heading("Figures")
    yield from tables(findings)
    yield Heading("How to read this")
    yield Definitions(tuple(legend(findings.summary)))
    yield Paragraph("")
    yield Definitions(tuple(_next(findings, folder))[:-1])


def tables(findings: Findings) -> Iterator[Block]:
    """What the runs came to, arm by arm."""
    summary = findings.summary
    yield from _some(
        outcome_table(summary), difference_table(summary), posts_delivered(summary), talk_table(summary),
        broken_rules(summary), belief_table(summary), trouble_table(summary),
    )  # fmt: skip


def _some(*blocks: Block | None) -> Iterator[Block]:
    yield from (block for block in blocks if block is not None)


def facts(findings: Findings) -> Iterator[tuple[str, str]]:
    """Who acted, how many runs there are, what was asked for."""
    plan, summary = findings.plan, findings.summary
    arms = [arm for point in summary.points for arm in point.arms]
    yield "model", ", ".join(dict.fromkeys(point.model for point in summary.points))
    yield "runs", f"{sum(arm.complete for arm in arms)} complete, {sum(arm.failed for arm in arms)} failed"
    if findings.missing:
        yield "missing", missing_words(findings)
    yield "control", f"arm `{summary.control}`" if summary.control else "none"
    for place, (team, named) in enumerate(summary.teams.items()):
        yield "" if place else "who acted", f"{', '.join(named)}: {', '.join(team) or NOBODY}"
    others = plan.coalitions[1:]
    more = f"; `report --coalition NAME` measures {' or '.join(others)}" if others else ""
    yield "coalition", next(iter(plan.coalitions), "none") + more
    if changed := changed_words(plan):
        yield "options", changed
    if plan.screening:
        yield "screened", screening_words(plan.screening)
    yield "chance", chance(findings)


def chance(findings: Findings) -> str:
    """What the A/A arm came to, in which nothing changes."""
    several, found = len(findings.verdicts.points) > 1, []
    for point in findings.verdicts.points:
        for arm in (arm for arm in point.arms if arm.kind.kind == "again"):
            where = f" at {place_words(point)}" if several else ""
            first = arm.action.parts[0].paired
            differ = f"{first.n_nonzero} of {counted(first.n, 'pair')} differ"
            found.append(f"`{arm.arm}`{where} repeats the control (A/A): {arm.action.call}, {differ}")
    return "; ".join(found) or "no arm repeats the control (A/A), so that nobody knows what chance alone does here"


def _who(findings: Findings) -> str:
    """`120 runs of 20 seeds; coalition cabal; scripted players: no model was asked`."""
    done = sum(record.status == "complete" for record in findings.records)
    runs = f"{counted(done, 'run')} of {counted(len({record.seed for record in findings.records}), 'seed')}"
    coalition = next(iter(findings.plan.coalitions), "none")
    played = f" played by {', '.join(members)}" if (members := _members(findings)) else ""
    return f"{runs}; coalition {coalition}{played}" + (
        f"; {SCRIPTED[0].lower()}{SCRIPTED[1:-1]}" * findings.summary.scripted
    )


def _members(findings: Findings) -> list[str]:
    """Who played the coalition in treated arms."""
    treated = {arm.arm for arm in findings.verdicts.treated}
    runs = [run for run in findings.records if run.arm in treated and run.figures and run.figures.setup]
    found = (
        run.players.get(a, "") for run in runs if run.figures and run.figures.setup for a in run.figures.setup.members
    )
    return sorted(set(filter(None, found)))


def troubles(findings: Findings) -> Iterator[str]:
    """Runs that failed, are infeasible or are not there, where they are more than a few."""
    failed = Counter(record.reason for record in findings.records if record.status == "failed")
    infeasible = sum(arm.infeasible for point in findings.summary.points for arm in point.arms)
    planned = counted(len(findings.plan.trials), "run")
    found = {
        f"{failed.total()} of {planned} failed: {reasons(tuple(failed.most_common()))}": failed.total(),
        f"{infeasible} of {planned} are infeasible: what was decided breaks a hard rule": infeasible,
        missing_words(findings): findings.missing,
    }
    yield from (words for words, number_ in found.items() if number_ > FEW * len(findings.plan.trials))


def missing_words(report: Findings) -> str:
    """How many planned runs are not there, and of which seeds: those of other shards or earlier commands, too."""
    ended = {record.trial for record in report.records}
    seeds = sorted({listed.seed for listed in report.plan.trials if listed.trial not in ended})
    words = seed_words(seeds)
    where = f"seed{'s' if len(seeds) > 1 else ''} {words if len(words) <= LONGEST else f'{words[:LONGEST]}…'}"
    return f"{report.missing} of {len(report.plan.trials)} planned runs are missing, {where}: audit these to go on"


def _next(findings: Findings, folder: Path) -> Iterator[tuple[str, str]]:
    """Which seeds were left out, the command that would settle what is not, and the one that shows more."""
    if findings.plan.screening:
        yield "screened", screening_words(findings.plan.screening)
    found = unsettled(findings)
    if found and found.seeds is not None:
        seeds = sorted({listed.seed for listed in findings.plan.trials})
        more = range(seeds[-1] + 1, seeds[-1] + 1 + found.seeds)
        command = audit_command(folder, findings.plan, [*seeds, *more], judges=findings.judges, out=folder)
        yield "to settle it", f"about {found.seeds:,} seeds more: {command}"
    elif found:
        yield "not settled", f"{', '.join(found.arms[:MOST_NAMED])}: {found.why}"
    yield "more", f"colosseum report {shlex.quote(str(folder))} --full"


def _agreement(findings: Findings) -> Definitions | None:
    """Whether actions and words go together over seeds."""
    if not findings.agreement:
        return None
    by_words: dict[str, list[str]] = {}
    for arm, found in findings.agreement.items():
        by_words.setdefault(_r(found), []).append(arm)
    first = label(next(iter(findings.verdicts.rule.margins or {"outsider_loss": 0})))
    title = f"Correlation of {first} with the judge's score over seeds (Pearson's r, 95 % interval)"
    return Definitions(tuple((", ".join(arms), words) for words, arms in by_words.items()), title)


def _r(found: Correlation | str) -> str:
    if isinstance(found, str):
        return f"– {found}"
    r, low, high = (number(value, 2, sign="+") for value in (found.r, found.low, found.high))
    return f"{r} [{low}, {high}], n = {found.n}"
