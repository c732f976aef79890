"""Which charts a page has. In: findings, one case; out: charts, and why others are missing."""

from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

from colosseum.evidence.figures import RunRecord
from colosseum.evidence.findings import Findings
from colosseum.model.scenario import Coalition
from colosseum.report.charts.effect_charts import lines_chart, plane_chart
from colosseum.report.charts.effects import BELIEVED, effects_of
from colosseum.report.charts.frontier_chart import frontier_chart
from colosseum.report.document import AnyChart
from colosseum.report.html.cases import Run, coalition_of
from colosseum.solve.lowering.lower import NotLowered
from colosseum.solve.questions.prospect import prospect

Shown: TypeAlias = tuple[str, AnyChart | str]
"""A chart by what it is called where there is none, and then the reason."""
LIMIT: Final = 15.0
"""Seconds for the frontier: a chart is not worth more, and `colosseum frontier` takes longer."""
STRENGTHS: Final = (0.25, 0.5, 0.75)
"""λ at which the bound of a coalition's harm is drawn, besides 1."""


def charts_of(
    findings: Findings, shown: RunRecord | None, case: Sequence[Run], *, published: bool = False
) -> Iterator[Shown]:
    """All charts; `case` has the runs of the instance of the run that is `shown`, whose frontier is drawn."""
    effects = effects_of(findings.summary, findings.verdicts)
    yield "actions against messages", plane_chart(effects)
    if published:
        yield "the published plane", plane_chart(effects, published=True)
    if effects.is_numeric(effects.inner):
        surveyed = any(record.figures and record.figures.beliefs for record in findings.records)
        for measure in (*effects.margins, *([BELIEVED] if surveyed else [])):
            yield f"lines of {measure.replace('_', ' ')}", lines_chart(effects, measure)
    if case and shown:
        yield "frontier", _frontier(case, coalition_of(case, findings), shown, findings.summary.arms)


def _frontier(
    case: Sequence[Run], coalition: Coalition | None, shown: RunRecord, arms: Sequence[str]
) -> AnyChart | str:
    """Of one instance; a str is why there is none."""
    where = ", ".join(part for part in (shown.point, f"seed {shown.seed}") if part)
    played = next(p for p, record in case if record.trial == shown.trial)
    here = [record for each, record in case if each.scenario.task == played.scenario.task]
    if coalition is None or not coalition.members:
        return "there is no coalition"
    if len(coalition.members) == len(played.scenario.task.agents):
        return "the coalition is everybody"
    try:
        instance = played.solved.instance
        with instance.solver.within(LIMIT):
            if instance.best.value is None:
                return "the optimum is not known"
            found = prospect(instance.solver, coalition, strengths=STRENGTHS, known=instance.optimum)
    except NotLowered as fault:
        return str(fault)
    return frontier_chart(found, here, arms=arms, where=where)


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
