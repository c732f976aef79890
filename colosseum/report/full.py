"""The report as blocks. In: findings; out: the answer on one screen, the first screen of a page, and all there is."""

import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from colosseum.campaign.listing import SHORT
from colosseum.campaign.part import seed_words
from colosseum.diagnostics import counted
from colosseum.evidence.attention import attention
from colosseum.evidence.calls import Call
from colosseum.evidence.findings import Findings
from colosseum.evidence.registry import REGISTRY, label
from colosseum.report.answer import answer, next_steps, treated
from colosseum.report.commands import changed_words
from colosseum.report.document import (
    Amount,
    AnyChart,
    Between,
    Block,
    Definitions,
    Heading,
    IntervalChart,
    Paragraph,
    Table,
)
from colosseum.report.effects import differences_chart, effects_of, heat_map, wants_heat
from colosseum.report.outcomes import (
    belief_table,
    difference_table,
    judge_facts,
    outcome_table,
    talk_table,
    thought_table,
    trouble_table,
)
from colosseum.report.verdicts import published_table, verdict_blocks
from colosseum.report.words import reasons

LONGEST: Final = 40
"""Characters of a list of seeds."""
MOST_MEMBERS: Final = 4
"""Members of a larger coalition are not named."""
MOST_ROWS: Final = 8
"""Arms and sweep points that the first chart has room for."""
FEW: Final = 0.02
"""A larger share of runs that went wrong is told at once."""


def brief(findings: Findings, folder: Path, selection: Sequence[str] = ()) -> Iterator[Block]:
    """The answer first: at most 24 lines of 80 columns where an experiment has at most four treated arms of six.

    `selection` has the options by which it is of one coalition or of some sweep points.
    """
    yield from _answer(findings)
    first = leading(findings)[:1]
    shown: list[Block] = [c for c in first if isinstance(c, IntervalChart) and len(c.rows) <= MOST_ROWS]
    yield from shown or [Paragraph("")]
    yield Definitions((*next_steps(findings, folder), *_further(findings, folder, selection)))


def _further(findings: Findings, folder: Path, selection: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The commands that show a run of the arm with the largest effect, the most harmful one, and all there is."""
    place, found = shlex.quote(str(folder)), treated(findings.verdicts.points)
    if found and found[0][1].action.call == Call.EFFECT:
        arm, control = found[0][1].arm, findings.summary.control
        looked = attention([run for run in findings.records if run.arm in (arm, control)], arms=(control, arm))
        best = max((run for run in findings.records if run.trial in looked), key=lambda run: looked[run.trial].worth)
        alone = sum((run.arm, run.seed) == (arm, best.seed) for run in findings.records) == 1
        yield "see it", f"colosseum log show {place} {f'{arm}:{best.seed}' if alone else best.trial[:SHORT]}"
    yield "more", shlex.join(["colosseum", "report", str(folder), *selection, "--full"])


def opening(findings: Findings, folder: Path) -> Iterator[Block]:
    """The first screen of a page: the answer, the signals of the verdicts, what is open, and the study."""
    yield from _answer(findings)
    yield from leading(findings)
    if steps := tuple(next_steps(findings, folder)):
        yield Definitions(steps, "Next steps")
    yield Paragraph("")
    yield from verdict_blocks(findings)
    yield from _some(thought_table(findings.verdicts), _agreement(findings), judge_facts(findings.bench))
    yield Definitions(tuple(facts(findings)), "The study")


def full(findings: Findings, folder: Path, *, published: bool = False) -> Iterator[Block]:
    """Everything."""
    yield from opening(findings, folder)
    if published:
        yield published_table(findings)
    yield Heading("Figures")
    yield from tables(findings)
    yield Paragraph("`colosseum explain FIGURE` says what a figure means and how it is computed.")


def tables(findings: Findings) -> Iterator[Block]:
    """What the runs came to, arm by arm."""
    summary = findings.summary
    if findings.records:
        yield from _some(
            outcome_table(summary), difference_table(summary), talk_table(summary), belief_table(summary),
            trouble_table(summary),
        )  # fmt: skip


def _answer(findings: Findings) -> Iterator[Block]:
    """What was asked, what went wrong, and the answer."""
    plan = findings.plan
    yield Paragraph(f"{plan.scenario}, experiment {plan.experiment}", "title")
    yield Paragraph(plan.question or plan.title)
    yield Paragraph(_who(findings))
    yield from (Paragraph(words, "bad") for words in troubles(findings))
    yield Paragraph("")
    yield from (Paragraph(words, "strong") for words in answer(findings))


def leading(findings: Findings) -> list[AnyChart | Table]:
    """Of each signal that decides, the change in every arm: a forest plot, or a heat map where rows would be many."""
    effects = effects_of(findings.summary, findings.verdicts)
    charts: list[AnyChart | Table | str]
    if wants_heat(effects):
        charts = [heat_map(effects, signal) for signal in effects.margins]
    else:
        charts = [differences_chart(effects, signal, records=findings.records) for signal in effects.margins]
    return [chart for chart in charts if not isinstance(chart, str)]


def _some(*blocks: Block | None) -> Iterator[Block]:
    yield from (block for block in blocks if block is not None)


def facts(findings: Findings) -> Iterator[tuple[str, str]]:
    """Who acted, how many runs there are, what was asked for."""
    plan, summary = findings.plan, findings.summary
    arms = [arm for point in summary.points for arm in point.arms]
    yield "scenario", f"{plan.scenario}: {plan.title}" if plan.title else plan.scenario
    yield "model", ", ".join(dict.fromkeys(point.model for point in summary.points))
    yield "runs", f"{sum(arm.complete for arm in arms)} complete, {sum(arm.failed for arm in arms)} failed"
    if findings.missing:
        yield "missing", missing_words(findings)
    yield "control", f"arm `{summary.control}`" if summary.control else "none"
    for place, (team, named) in enumerate(summary.teams.items()):
        yield "" if place else "who acted", f"{', '.join(named)}: {', '.join(team) or 'nobody yet'}"
    others = plan.coalitions[1:]
    more = f"; `report --coalition NAME` measures {' or '.join(others)}" if others else ""
    yield "coalition", next(iter(plan.coalitions), "none") + more
    if changed := changed_words(plan):
        yield "options", changed
    yield "u", REGISTRY["unit"].meaning


def _who(findings: Findings) -> str:
    """`120 runs of 20 seeds; coalition cabal; scripted players: no model was asked`."""
    done = sum(record.status == "complete" for record in findings.records)
    runs = f"{counted(done, 'run')} of {counted(len({record.seed for record in findings.records}), 'seed')}"
    scripted = "; scripted players: no model was asked" if findings.summary.scripted else ""
    return f"{runs}; coalition {next(iter(findings.plan.coalitions), 'none')}{_members(findings)}{scripted}"


def _members(findings: Findings) -> str:
    """` (Ann, Ben) played by sim/collude`: the members, unless they differ by seed, and who played in treated arms."""
    arms = {arm.arm for arm in findings.verdicts.treated}
    runs = [run for run in findings.records if run.arm in arms]
    teams = [(run, run.figures.setup.members) for run in runs if run.figures and run.figures.setup]
    members = teams[0][1] if len({team for _, team in teams}) == 1 else ()
    named = f" ({', '.join(members)})" if 0 < len(members) <= MOST_MEMBERS else ""
    players = sorted({run.players[agent] for run, team in teams for agent in team if agent in run.players})
    return named + (f" played by {', '.join(players)}" if players else "")


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


def _agreement(findings: Findings) -> Table | None:
    """Whether actions and words go together over seeds; None where no arm tells."""
    first = label(next(iter(findings.verdicts.rule.margins or {"outsider_loss": 0})))
    rows = tuple(
        (arm, Amount(None, note=each)) if isinstance(each, str)
        else (arm, Between(each.low, each.high, 2, signed=True, mean=each.r))
        for arm, each in findings.agreement.items()
    )  # fmt: skip
    title = f"Correlation of {first} with the judge's score over seeds"
    known = any(not isinstance(each, str) for each in findings.agreement.values())
    return Table("agreement", title, ("arm", "Pearson's r and 95 % interval"), rows) if known else None
