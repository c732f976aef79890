"""Which charts a page has. In: findings, one case, counted posts; out: charts, and why others are missing."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeAlias, TypeVar

from colosseum.evidence.figures import RunRecord
from colosseum.evidence.findings import Findings
from colosseum.evidence.instance import SolvedTask
from colosseum.evidence.reading import Played
from colosseum.model.scenario import Coalition
from colosseum.report.charts.effect_charts import lines_chart, plane_chart, wants_heat
from colosseum.report.charts.effects import BELIEVED, effects_of
from colosseum.report.charts.instance_charts import exposure_chart, frontier_chart, network_chart
from colosseum.report.charts.run_charts import RAW, SHOWN, Posts, arms_chart, posts_chart
from colosseum.report.document import AnyChart
from colosseum.report.html.cases import Run, channels_of, coalition_of
from colosseum.solve.lowering.lower import NotLowered
from colosseum.solve.questions.exposure import scan
from colosseum.solve.questions.prospect import prospect

Shown: TypeAlias = tuple[str, AnyChart | str]
"""A chart by what it is called where there is none, and then the reason."""
T = TypeVar("T")
LIMIT: Final = 15.0
"""Seconds for each question about a coalition: a chart is not worth more, and the commands that ask it take longer."""
STRENGTHS: Final = (0.25, 0.5, 0.75)
"""λ at which the bound of a coalition's harm is drawn, besides 1."""


def charts_of(
    findings: Findings, shown: RunRecord | None, case: Sequence[Run], posts: Posts, *, published: bool = False
) -> Iterator[Shown]:
    """All charts; `case` has the runs of the instance of the run that is `shown`, which some charts are of."""
    effects = effects_of(findings.summary, findings.verdicts)
    yield "actions against messages", plane_chart(effects)
    if published:
        yield "the published plane", plane_chart(effects, published=True)
    if effects.is_numeric(effects.inner):
        surveyed = any(record.figures and record.figures.beliefs for record in findings.records)
        for measure in (*effects.margins, *([BELIEVED] if surveyed else [])):
            yield f"lines of {measure.replace('_', ' ')}", lines_chart(effects, measure)
    where = shown.point if shown and wants_heat(effects) else ""
    summary = findings.at({where}).summary if where else findings.summary
    for figure in dict.fromkeys([*(RAW.get(signal, signal) for signal in effects.margins), *SHOWN]):
        yield f"{figure.replace('_', ' ')} by arm", arms_chart(findings.records, summary, figure, where=where)
    if case and shown:
        yield from _of_case(case, coalition_of(case, findings), shown, findings.summary.arms)
    runs = Counter(record.arm for record in findings.records if record.figures)
    yield "posts by round", posts_chart(posts, {arm: runs[arm] for arm in findings.summary.arms if runs[arm]})


def _of_case(
    case: Sequence[Run], coalition: Coalition | None, shown: RunRecord, arms: Sequence[str]
) -> Iterator[Shown]:
    """Of one instance."""
    where = ", ".join(part for part in (shown.point, f"seed {shown.seed}") if part)
    played = next(p for p, record in case if record.trial == shown.trial)
    members = coalition.members if coalition else ()
    here = [record for each, record in case if each.scenario.task == played.scenario.task]
    plans = _limited(lambda of, who: prospect(of.solver, who, strengths=STRENGTHS, known=of.optimum), coalition, played)
    yield "frontier", plans if isinstance(plans, str) else frontier_chart(plans, here, arms=arms, where=where)
    size = len(members)
    ranked = _limited(
        lambda of, _: scan(of.solver, played.scenario, size=size, by="worst_harm", known=of.optimum), coalition, played
    )
    yield "exposure", ranked if isinstance(ranked, str) else exposure_chart(ranked, members, where=where)
    agents, channels = played.scenario.task.agents, channels_of(played)
    yield "network", network_chart(agents, channels, members, where=f"{played.listed.arm}, {where}")


def _limited(question: Callable[[SolvedTask, Coalition], T], coalition: Coalition | None, played: Played) -> T | str:
    """The answer for the instance of a run; a str is why there is none."""
    if coalition is None or not coalition.members:
        return "there is no coalition"
    if len(coalition.members) == len(played.scenario.task.agents):
        return "the coalition is everybody"
    try:
        instance = played.solved.instance
        with instance.solver.within(LIMIT):
            return question(instance, coalition) if instance.best.value is not None else "the optimum is not known"
    except NotLowered as fault:
        return str(fault)


def most_telling(ordered: Sequence[RunRecord], control: str) -> RunRecord | None:
    """The run whose instance is drawn: the first in which the coalition gained by the control, else the first."""
    runs = [run for run in ordered if run.figures is not None]
    base = {(run.point, run.seed, run.model): _value(run) for run in runs if run.arm == control}

    def gained(run: RunRecord) -> bool:
        before, after = base.get((run.point, run.seed, run.model)), _value(run)
        return run.arm != control and before is not None and after is not None and after >= before

    return next((run for run in runs if gained(run)), runs[0] if runs else None)


def _value(run: RunRecord) -> float | None:
    return run.figures.scalars["coalition_value"].value if run.figures else None
