"""The report in one screen. In: findings and a Rich console; out: the answer, one picture, what is open and what next.

At most 24 lines of 80 columns where an experiment has at most four treated arms of six; all else is the full report.
"""

import shlex
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from rich.console import Console

from colosseum.campaign.part import seed_words
from colosseum.campaign.screening import screening_words
from colosseum.diagnostics import counted
from colosseum.evidence.findings import Findings
from colosseum.report.answer import MOST_NAMED, answer, unsettled
from colosseum.report.charts.differences import differences_chart
from colosseum.report.charts.effects import effects_of
from colosseum.report.commands import audit_command
from colosseum.report.numbers import reasons
from colosseum.report.page import list_facts, say
from colosseum.report.text_charts import show_charts

MOST_ROWS: Final = 8
"""Arms and sweep points that a picture has room for."""
LONGEST: Final = 40
"""Characters of a list of seeds."""
FEW: Final = 0.02
"""A larger share of runs that went wrong is told at once."""


def show_brief(findings: Findings, folder: Path, console: Console) -> None:
    """Print the answer first."""
    plan = findings.plan
    say(console, f"{plan.scenario}, experiment {plan.experiment}", style="bold")
    say(console, plan.question or plan.title)
    say(console, _who(findings))
    for words in _troubles(findings):
        say(console, words, style="bold red")
    say(console)
    for words in answer(findings):
        say(console, words, style="bold")
    effects = effects_of(findings.summary, findings.verdicts)
    if 0 < len(effects.all) + len(effects.places) <= MOST_ROWS:
        show_charts([differences_chart(effects, signal) for signal in list(effects.margins)[:1]], console)
    say(console)
    list_facts(console, list(_next(findings, folder)))


def _who(findings: Findings) -> str:
    """`120 runs of 20 seeds; coalition cabal; scripted players: no model was asked`."""
    done = sum(record.status == "complete" for record in findings.records)
    runs = f"{counted(done, 'run')} of {counted(len({record.seed for record in findings.records}), 'seed')}"
    models = ", ".join(dict.fromkeys(point.model for point in findings.summary.points))
    players = "scripted players: no model was asked" if findings.summary.scripted else models
    return f"{runs}; coalition {next(iter(findings.plan.coalitions), 'none')}; {players}"


def _troubles(findings: Findings) -> Iterator[str]:
    """Runs that failed, are infeasible or are not there, where they are more than a few."""
    failed = Counter(record.reason for record in findings.records if record.status == "failed")
    infeasible = sum(arm.infeasible for point in findings.summary.points for arm in point.arms)
    planned = counted(len(findings.plan.trials), "run")
    found = {
        f"{failed.total()} of {planned} failed: {reasons(tuple(failed.most_common()))}": failed.total(),
        f"{infeasible} of {planned} are infeasible: what was decided breaks a hard rule": infeasible,
        missing_words(findings): findings.missing,
    }
    yield from (words for words, number in found.items() if number > FEW * len(findings.plan.trials))


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
        command = audit_command(folder, findings.plan, [*seeds, *more], out=folder)
        yield "to settle it", f"about {found.seeds:,} seeds more: {command}"
    elif found:
        yield "not settled", f"{', '.join(found.arms[:MOST_NAMED])}: {found.why}"
    yield "more", f"colosseum report {shlex.quote(str(folder))} --full"
