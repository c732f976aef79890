"""The answer and all behind it. In: findings; out: a sentence a treated arm, what is not settled, all as blocks."""

import math
import shlex
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from shutil import get_terminal_size
from statistics import fmean
from typing import Final, TypeAlias

from colosseum.campaign.folder import Folder
from colosseum.campaign.listing import SHORT
from colosseum.campaign.margins import ENOUGH_NONZERO
from colosseum.campaign.part import seed_words
from colosseum.campaign.screening import screening_words
from colosseum.campaign.verifying import heads
from colosseum.diagnostics import counted
from colosseum.evidence.arms import no_placebo
from colosseum.evidence.figures import REGISTRY, Figure, RunRecord, label
from colosseum.evidence.findings import Findings
from colosseum.evidence.readings import Call, Reading, Weighed, more_seeds, reason
from colosseum.evidence.signals import JUDGE, attention
from colosseum.evidence.statistics import RATE, Interval
from colosseum.evidence.summary import ArmSummary, grouped, losses
from colosseum.evidence.talk import LAPSES
from colosseum.evidence.verdict import ArmVerdict
from colosseum.report import outcomes, verdicts
from colosseum.report.cells import amount, change, described, ends, level, named, p_cell
from colosseum.report.document import AnyChart, Block, Definitions, Heading, IntervalChart, Paragraph, Table
from colosseum.report.effects import MANY, differences_chart, effects_of, heat_map
from colosseum.report.page import WHOLE, cell_words, text_of
from colosseum.report.provenance import audit_command, changed_words
from colosseum.report.words import MEANINGS, WORDS, no_pair, number, reasons, shortened
from colosseum.run.judging.asking import BASELINE
from colosseum.solve.scoring import ROUNDING

MOST_NAMED: Final = 4  # treated arms that have a sentence each, and members of a coalition that are named
Named: TypeAlias = tuple[str, ArmVerdict]  # a treated arm, and its name with its place: `prompted` at n=6


def answer(findings: Findings) -> list[str]:
    """A sentence for each treated arm, those with an effect first; of many arms one for each reading."""
    if not any(record.status == "complete" for record in findings.records):
        return ["No run is complete yet."]
    found, rows = treated(findings), findings.summary.rows
    if not found:
        why = next((f" ({no_pair(row.excluded)})" for row in rows if row.excluded), "")
        return [WORDS["answers"]["untreated" if findings.verdicts.arms else "not compared"].format(why=why)]
    if len(found) > MOST_NAMED or len({(row.point, row.model) for row in rows}) > 1:
        return list(_together(found))
    return [f"In {name} {sentence(arm)}{_most(findings, arm)}{_unused(rows, arm)}." for name, arm in found]


def _most(findings: Findings, arm: ArmVerdict) -> str:
    """Which of the others lost most, where that is more than the mean by the margin, and who gained most."""
    part = arm.action.deciding
    if arm.action.call != Call.EFFECT or part.signal != "outsider_loss":
        return ""
    lost = losses(findings.records, arm.arm, findings.summary.control)
    if not lost or max(lost.values()) - fmean(lost.values()) < part.margin:
        return ""
    least, most = (best(lost, key=lost.__getitem__) for best in (min, max))
    other = f"; {least} gained {_percent(-lost[least])}%" if lost[least] <= -part.margin else ""
    return f". Most was lost by {most}, {_percent(lost[most])}%{other}"


def _unused(rows: Sequence[ArmSummary], arm: ArmVerdict) -> str:
    """That nobody posted in the channels that the arm, or the placebo that it is set against, adds to the control's."""
    uses = {each.arm: each.uses for each in rows}
    public, silent = {use.channel for use in rows[0].uses}, list[str]()
    rivals = dict.fromkeys(each.arm for each in arm.decisive if each.against == "placebo")
    for name in (arm.arm, *rivals):
        own = [use for use in uses[name] if use.channel not in public]
        if not any(use.used for use in own):
            silent += [f"`{use.channel}`" + f" of `{name}`" * (name != arm.arm) for use in own]
    return f". There is no post in {' or '.join(silent)}" if silent else ""


def treated(findings: Findings) -> list[Named]:
    """All treated arms, the largest effects first."""
    found = [
        (f"`{arm.arm}`" + (f" at {place}" if place else ""), arm)
        for place, arms in named(findings.verdicts.arms, findings.summary.rows)
        for arm in arms if arm.reading is not None
    ]  # fmt: skip
    return sorted(found, key=lambda each: rank(each[1]))


def rank(arm: ArmVerdict) -> tuple[bool, bool, float]:
    """Treated arms come first, of these the largest effects."""
    return arm.reading is None, arm.action.call != Call.EFFECT, -(arm.action.deciding.estimate.value or 0.0)


def _together(found: Sequence[Named]) -> Iterator[str]:
    for fits in dict.fromkeys(arm.fits for _, arm in found):
        (name, first), *others = [each for each in found if each[1].fits == fits]
        among = f" ({' or '.join(fits)})" if len(fits) > 1 else ""
        words = f"{first.reading}{among} in {len(others) + 1} of {len(found)} treated arms"
        if first.action.call == Call.EFFECT:
            words += f", most in {name}: {harm(first.action.deciding)}"
        yield f"{words[0].upper()}{words[1:]}."


def sentence(arm: ArmVerdict) -> str:
    """What a treated arm shows, without its name; where its reading is inconclusive, what its actions show."""
    part, shown = arm.action.deciding, str(arm.action.call if arm.reading == Reading.INCONCLUSIVE else arm.reading)
    costs = arm.to_take.median.value if arm.to_take else None
    most = "" if costs is None else f". The best plan for the coalition costs each at most {_percent(costs)}%"
    words = WORDS["sentences"]
    lapses = (f". {each.name.capitalize()}: in {each.treated} of {each.seeds} seeds" for each in arm.checks.outcomes
              if each.name in LAPSES and each.treated > each.control and (each.p.value or 1.0) < RATE)  # fmt: skip
    of = "tacit {}" if arm.kind.tacit else "{}" if arm.kind.bends else "{} on all"
    return words.get(of.format(shown), words[shown]).format(
        done=harm(part), harmless=_harmless(part), most=most, sure=_sure(part, why=arm.action.reason),
        besides="".join(f", and {harm(each)}" for each in arm.action.parts[1:]), fits=" or ".join(arm.fits),
        than=words["than"] * arm.kind.channel, meanings=" and ".join(MEANINGS[each] for each in arm.fits),
        selfish="".join(words["selfish"].format(c.arm) for c in arm.contrasts if c.against == "selfish" != c.arm),
        rivals=" and ".join(each for each in arm.fits if each != Reading.COLLUSION),
        unjudged="" if arm.judge else "; nobody judged what was said",
        effect="cost the others anything" if part.signal == "outsider_loss" else f"raised the {label(part.signal)}",
    ) + "".join(lapses)  # fmt: skip


def harm(part: Weighed) -> str:
    """`cost the others 8.3% of a fair share each on average (6.0 to 11%)`."""
    size = f"{_percent(part.estimate.value or 0.0)}% of a fair share"
    if part.signal == "outsider_loss":
        return f"cost the others {size} each on average ({_sure(part)})"
    return f"raised the {label(part.signal)} by {size} ({_sure(part)})"


def _harmless(part: Weighed) -> str:
    """That no effect as large as the margin is left; a fall, whose limits lie below 0, is told as one."""
    loss, found = part.signal == "outsider_loss", part.paired.interval
    high = found.high if isinstance(found, Interval) else part.estimate.value
    if part.paired.reliable and high is not None and high < -ROUNDING:
        size = f"{_percent(-(part.estimate.value or 0.0))}% of a fair share"
        words = f"the others lost {size} less each" if loss else f"the {label(part.signal)} fell by {size}"
        return f"{words} ({_sure(part, -1)})"
    which = "the others lost" if loss else f"the {label(part.signal)} rose by"
    return f"{which} less than {_percent(part.margin)}% of a fair share ({_sure(part)})"


def _sure(part: Weighed, sign: int = 1, why: str = f"an interval needs {ENOUGH_NONZERO}") -> str:
    """The limits, of a fall by `sign` -1, with their level unless it is 95 %; without any, how many differ, and why."""
    if isinstance(found := part.paired.interval, Interval) and part.paired.reliable:
        wide = "" if (told := level(1 - found.level)) == "95" else f"{told} % limits: "
        return f"{wide}{' to '.join(map(_percent, sorted((sign * found.low, sign * found.high))))}%"
    if not part.paired.n:
        return part.estimate.reason
    if not part.paired.n_nonzero:
        return f"no pair of {part.paired.n} differs in {label(part.signal)}"
    if part.paired.reliable:
        return f"alike in all {part.paired.n} pairs"
    differ = f"{part.paired.n_nonzero} of {counted(part.paired.n, 'pair')} differ{'s' * (part.paired.n_nonzero == 1)}"
    return f"{differ} in {label(part.signal)}: {why}"


def _percent(share: float) -> str:
    """Two digits of it, without a decimal that is 0."""
    return number(100 * share, 0 if abs(share) >= 0.0995 or math.isclose(share, round(share, 2), abs_tol=1e-9) else 1)


def next_steps(findings: Findings, folder: Path) -> Iterator[tuple[str, str]]:
    """Which seeds were left out, and what would settle what is not settled: more seeds, or an arm that is not there."""
    if screening := findings.plan.screening:
        kept = sum(each.kept for each in screening.looked)
        enough = f"{kept} of {len(screening.looked)} have an opportunity of at least {screening.least:g}"
        yield ("seeds", enough) if findings.plan.options.get("imported") else ("screened", screening_words(screening))
    if findings.judges == (BASELINE,) and not findings.summary.scripted and any(findings.verdicts.treated):
        yield "judge", f"{BASELINE} judged alone. It is {WORDS['notes']['baseline']}."
    for each in findings.report.contrasts:
        if each.signal != JUDGE:
            words = f"{cell_words(change(each.difference))} {verdicts.heading(each.signal)}"
            words = ", ".join(filter(None, (each.place, words, f"p {cell_words(p_cell(each.adjusted_p))}")))
            yield f"{each.first} − {each.second}", words
    rule, arms = findings.verdicts.rule, treated(findings)
    open_ = [each for name, arm in arms for each in _open(name, arm, rule.last_rate)]
    more = max((round(needed.value) for _, _, needed, _ in open_ if needed.value is not None), default=0)
    few = [needed.reason for _, _, needed, few in open_ if few and needed.value is None]
    if more or few:
        ran = {listed.seed for listed in findings.plan.trials}
        seeds = sorted({*ran, *(each.seed for each in screening.looked)} if screening else ran)
        double = (len(ran), ENOUGH_NONZERO - len(ran)) if few and rule.planned <= len(seeds) else ()
        more = max(rule.planned - len(seeds), math.ceil(max(more, *double, 0) * len(seeds) / len(ran)))
        every = [*seeds, *range(seeds[-1] + 1, seeds[-1] + 1 + more)]
        command = audit_command(folder, findings.plan, every, judges=findings.judges, out=folder)
        options, joined = findings.plan.options, "other shards have more: `colosseum merge` joins them"
        how = "import more runs" if options.get("imported") else joined if options.get("shard") else command
        words = f"more seeds, as {few[0]} how many; for a start" if few else f"probably {counted(more, 'seed')} more"
        limits, then = level(replace(rule, looks=rule.looks + 1).rate), ", and results exploratory" * bool(rule.looks)
        past = f" (past the {rule.planned} planned, limits are {limits} %{then})"
        words += past * (0 < rule.planned < len(every))
        yield "to settle it", f"{words}: {how}"
    elif open_:
        ((why, _),) = Counter(why for _, why, _, _ in open_).most_common(1)
        yield "not settled", f"{', '.join(list(dict.fromkeys(name for name, *_ in open_))[:MOST_NAMED])}: {why}"
    if lacking := dict.fromkeys(kind for _, arm in arms for kind in arm.lacking):
        setup = next((run.figures.setup for run in findings.records if run.figures and run.figures.setup), None)
        none = no_placebo(setup.played, setup.members) if "placebo" in lacking and setup else ""
        kinds = " and ".join(f"`{kind}`" for kind in lacking if kind != "placebo" or not none)
        yield "to decide", "; ".join(filter(None, (none, kinds and f"add {kinds} (see `colosseum guide spec`)")))


def _open(name: str, arm: ArmVerdict, rate: float) -> Iterator[tuple[str, str, Figure, bool]]:
    """What is not settled of an arm: its name, why, how many seeds more would settle it, and whether too few differ."""
    for each in (arm.action, arm.judge):
        if each and each.call == Call.NOT_SETTLED and arm.reading != Reading.NOTHING_TO_TAKE:
            yield name, each.reason, each.more_seeds, each.deciding.few
    for beyond in arm.decisive if arm.reading == Reading.INCONCLUSIVE else ():
        if beyond.call == Call.NOT_SETTLED:
            needed, place = more_seeds(beyond.weighed, rate=rate), verdicts.beyond_words(beyond)
            needed = Figure(None, f"{place} {needed.reason}") if needed.value is None else needed
            yield f"{name} {place}", reason(beyond.weighed, rate=rate), needed, beyond.weighed.few


HIGH, MOST_TOLD = 24, 9  # lines of the least terminal, and of the sentences on it, of which others share one
FEW: Final = 0.02  # a larger share of runs that went wrong is told at once


def brief(findings: Findings, folder: Path, selection: Sequence[str] = (), high: int | None = None) -> Iterator[Block]:
    """The answer first: at most `high` lines of 80 columns; None: those of the terminal, in a pipe as many as needed.

    `selection` has the options by which it is of one coalition or of some sweep points.
    """
    told, last = answer(findings), (*next_steps(findings, folder), *_further(findings, folder, selection))
    if lines(map(Paragraph, told)) > MOST_TOLD:
        told = list(_together(treated(findings)))
    above = [*_question(findings), *(Paragraph(words, "strong") for words in told)]
    yield from above
    used = 1 + lines([*above, Definitions(last)])
    effects = effects_of(findings.summary, findings.verdicts)
    every = [chart for signal in effects.margins if (chart := differences_chart(effects, signal))]
    room = high or (max(HIGH, get_terminal_size().lines) if sys.stdout.isatty() else WHOLE)
    charts: list[Block] = [chart for n, chart in enumerate(every, start=1) if used + lines(every[:n]) <= room]
    left = Paragraph("The screen is too low for all charts: `--full` has them." if every else "")
    yield from charts if charts and len(charts) == len(every) else [*charts, left]
    yield Definitions(last)


def lines(blocks: Iterable[Block]) -> int:
    """How many lines they have on a screen."""
    return len(text_of(blocks).splitlines())


def _further(findings: Findings, folder: Path, selection: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The commands that show a run of the arm with the largest effect, the most harmful one, and all there is."""
    place, found = shlex.quote(str(folder)), treated(findings)
    if found and found[0][1].action.call == Call.EFFECT:
        best = telling_run(findings, found[0][1])
        alone = sum((run.arm, run.seed) == (best.arm, best.seed) for run in findings.records) == 1
        yield "see it", f"colosseum log show {place} {f'{best.arm}:{best.seed}' if alone else best.trial[:SHORT]}"
    yield "more", shlex.join(["colosseum", "report", str(folder), *selection, "--full"])


def telling_run(findings: Findings, arm: ArmVerdict) -> RunRecord:
    """The run of an arm in which others lost most, where it has an effect; else the one most worth reading."""
    arms, every = (findings.summary.control, arm.arm), grouped(findings.records, findings.summary.arms)
    runs = [run for run in every[arm.point, arm.model] if run.arm in arms]
    looked, harmed = attention(runs, arms=arms), arm.action.call == Call.EFFECT
    seen = {trial: (found.loss.value or 0.0 if harmed else 0.0, found.worth) for trial, found in looked.items()}
    return max((run for run in runs if run.trial in seen), key=lambda run: seen[run.trial])


def opening(findings: Findings, folder: Path) -> Iterator[Block]:
    """The first screen of a page: the answer, the signals of the verdicts, what is open, and the study."""
    yield from _question(findings)
    yield from (Paragraph(words, "strong") for words in answer(findings))
    yield from leading(findings)
    if steps := tuple(next_steps(findings, folder)):
        yield Definitions(steps, "Next steps")
    yield Paragraph("")
    yield from verdicts.verdict_blocks(findings)
    ratings = [(name, amount(figure, 2)) for name, figure in findings.bench.ratings.items()]
    ratings += [(f"judge corrected, `{of.arm}`, {of.labelled}/{of.runs}",
                 replace(amount(of.mean, 2), limits=ends(of.interval))) for of in findings.bench.corrected]  # fmt: skip
    behind = (
        outcomes.rate_table(findings.verdicts), outcomes.judge_table(findings.bench),
        outcomes.rubric_table(findings.records, findings.plan.arms), described("ratings", ratings),
        verdicts.unit_table(findings) if len({run.model for run in findings.records}) > 1 else None,
        verdicts.trend_table(findings), verdicts.contrast_table(findings),
        outcomes.stated_table(findings.records, findings.plan.arms), outcomes.offered_table(findings.plan.screening),
    )  # fmt: skip
    yield from (table for table in behind if table and table.rows)
    yield Definitions(tuple(facts(findings)), "The study")


def full(findings: Findings, folder: Path, *, published: bool = False) -> Iterator[Block]:
    """Everything."""
    yield from (block for block in opening(findings, folder) if not isinstance(block, IntervalChart))
    if published:
        yield verdicts.published_table(findings)
    yield Heading("Figures")
    yield from tables(findings)
    yield Paragraph("`colosseum explain FIGURE` says what a figure means and how it is computed.")
    yield Definitions(tuple(heads(Folder(folder)).items()))


def tables(findings: Findings) -> Iterator[Block]:
    """What the runs came to, arm by arm."""
    if findings.records:
        placebos = {arm.arm for arm in findings.verdicts.arms if arm.kind.kind == "placebo"}
        whole = findings.summary
        made = (
            outcomes.outcome_table(whole), outcomes.difference_table(whole, placebos), outcomes.talk_table(whole),
            outcomes.belief_table(whole), outcomes.trouble_table(whole), outcomes.origin_table(findings.report.origins),
        )  # fmt: skip
        yield from (table for table in made if table and table.rows)


def _question(findings: Findings) -> Iterator[Paragraph]:
    """What was asked, who acted, and what went wrong."""
    plan = findings.plan
    yield Paragraph(f"{plan.scenario}, experiment {plan.experiment}", "title")
    yield Paragraph(plan.question or plan.title)
    yield Paragraph(_who(findings))
    yield from (Paragraph(words, "bad") for words in (findings.unrecorded, *troubles(findings)) if words)
    yield Paragraph("")


def leading(findings: Findings) -> list[AnyChart | Table]:
    """Of each signal that decides, the change in every arm: a forest plot, or a heat map where rows would be many."""
    effects = effects_of(findings.summary, findings.verdicts)
    heat = effects.swept and len(effects.all) > MANY
    charts = (heat_map(effects, signal) if heat else differences_chart(effects, signal) for signal in effects.margins)
    return [chart for chart in charts if chart]


def facts(findings: Findings) -> Iterator[tuple[str, str]]:
    """Who acted, and what was asked for."""
    plan = findings.plan
    if plan.title:
        yield "scenario", plan.title
    if findings.report.missing:
        yield "missing", missing_words(findings)
    for place, (team, arms) in enumerate(findings.summary.teams.items()):
        yield "" if place else "who acted", f"{', '.join(arms)}: {', '.join(team) or 'nobody yet'}"
    if others := plan.coalitions[1:]:
        yield "coalitions", f"`report --coalition NAME` measures {' or '.join(others)}"
    if changed := changed_words(plan):
        yield "options", changed
    units = [arm.scalars["unit"].mean.value for arm in findings.summary.rows if arm.arm == findings.summary.control]
    ends = dict.fromkeys(f"{end([u for u in units if u]):.4g}" for end in (min, max) if any(units))
    yield "u", REGISTRY["unit"].meaning + f"; on average {' to '.join(ends)} of the spec's own unit" * bool(ends)


def _who(findings: Findings) -> str:
    """`120 runs of 20 seeds; coalition cabal; no model was asked`."""
    done = sum(record.status == "complete" for record in findings.records)
    rule, seeds = findings.verdicts.rule, counted(len({record.seed for record in findings.records}), "seed")
    runs = f"{counted(done, 'run')} of {seeds}" + f", interim: {rule.planned} are planned" * rule.interim
    scripted = "; no model was asked" if findings.summary.scripted else ""
    if reader := findings.plan.options.get("imported"):
        scripted = f"; imported ({reader}): others made these runs, and prompts may differ in ways that are not seen"
    return f"{runs}; coalition {next(iter(findings.plan.coalitions), 'none')}{_members(findings)}{scripted}"


def _members(findings: Findings) -> str:
    """` (Ann, Ben) played by sim/collude`: the members, unless they differ by seed, and who plays in treated arms."""
    arms = {arm.arm for arm in findings.verdicts.treated}
    runs = [run for run in findings.records if run.arm in arms]
    teams = [(run, run.figures.setup.members) for run in runs if run.figures and run.figures.setup]
    members = teams[0][1] if len({team for _, team in teams}) == 1 else ()
    named = f" ({', '.join(members)})" if 0 < len(members) <= MOST_NAMED else ""
    by = sorted({run.players[agent] for run, team in teams for agent in team if agent in run.players})
    return named + (f" played by {' and '.join(by)}" if by else "")


def troubles(findings: Findings) -> Iterator[str]:
    """Runs that failed, are infeasible, are not there or ended before the rule was settled, if more than a few."""
    failed = Counter(record.reason for record in findings.records if record.status == "failed")
    infeasible = sum(row.infeasible for row in findings.summary.rows)
    planned, late = counted(len(findings.plan.trials), "run"), findings.settled.ended if findings.settled else 0
    found = {
        f"{failed.total()} of {planned} failed: {reasons(tuple(failed.most_common()))}": failed.total(),
        f"{infeasible} of {planned} are infeasible: what was decided breaks a hard rule": infeasible,
        missing_words(findings): findings.report.missing,
        f"The rule was settled when {counted(late, 'run')} had ended: new seeds have to confirm it": late,
    }
    yield from (words for words, number_ in found.items() if number_ > FEW * len(findings.plan.trials))


def missing_words(findings: Findings) -> str:
    """How many planned runs are not there, and of which seeds: those of other shards or earlier commands, too."""
    ended = {record.trial for record in findings.records}
    seeds = sorted({listed.seed for listed in findings.plan.trials if listed.trial not in ended})
    where = f"seed{'s' if len(seeds) > 1 else ''} {shortened(seed_words(seeds))}"
    missing, planned = findings.report.missing, findings.report.planned
    return f"{missing} of {planned} planned runs are missing, {where}: audit these to go on"
