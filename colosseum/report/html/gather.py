"""Everything that a page shows. In: a campaign's folder and its findings; out: Content.

Cases are read one by one, and each is packed. The charts are those of effects, and the frontier of one instance.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

from colosseum.campaign.kept import Kept
from colosseum.evidence.attention import Attention, attention
from colosseum.evidence.calls import Call
from colosseum.evidence.figures import Figure, RunRecord
from colosseum.evidence.findings import Findings
from colosseum.evidence.reading import Reader
from colosseum.evidence.registry import REGISTRY
from colosseum.evidence.verdict import ArmVerdict, PointVerdicts
from colosseum.model.scenario import Coalition
from colosseum.report.answer import opening, tables
from colosseum.report.document import AnyChart, Block, Definitions, Guide, Plot, Spot
from colosseum.report.effects import MOST_DOTS, effects_of, plane_chart, tone_of
from colosseum.report.html.cases import SHOWN, Run, cases, coalition_of, health_blocks, runs_of
from colosseum.report.html.page import Content, exact
from colosseum.report.provenance import provenance_blocks
from colosseum.report.words import signed, slug
from colosseum.solve.lowering.lower import NotLowered
from colosseum.solve.questions.prospect import Prospect, prospect
from colosseum.solve.rounding import grain

COLUMNS: Final = (
    "trial", "case", "arm", "model", "repeat", "status", "worth", "harm", "loss", "judge", "disagrees", "regret",
)  # fmt: skip
"""Of a run in the index."""


def gather(
    folder: Path, findings: Findings, *, thoughts: bool = False, published: bool = False, calls: bool = False
) -> Content:
    """Read all runs; thoughts, calls and the plane of the published rule are there on request. Raises Unreadable."""
    plan, summary = findings.plan, findings.summary
    looked = attention(findings.records, arms=plan.arms)
    ordered = _ordered(findings, looked)
    shown = most_telling(ordered, summary.control)
    reader = Reader(folder, kept=Kept.of_user())
    made = list(cases(reader, findings, thoughts=thoughts, calls=calls))
    case_of = {trial: place for place, case in enumerate(made) for trial in case.trials}
    if reader.kept is not None:
        reader.kept.write()
    case_runs = {r.trial: r for r in ordered if shown and (r.point, r.seed) == (shown.point, shown.seed)}
    telling = runs_of(reader, [(each, case_runs[each.trial]) for each in plan.trials if each.trial in case_runs])
    found = list(charts_of(findings, shown, telling, published=published))
    charts = [chart for _, chart in found if not isinstance(chart, str)]
    missing = [(name, why) for name, why in found if isinstance(why, str)]
    index = {
        "campaign": plan.configuration,
        "control": summary.control,
        "arms": summary.arms,
        "figures": [(name, REGISTRY[name].label, REGISTRY[name].meaning) for name in SHOWN],
        "readings": [_read(point, arm) for point in findings.verdicts.points for arm in point.arms],
        "cases": [{"point": case.point, "seed": exact(case.seed)} for case in made],
        "columns": COLUMNS,
        "runs": [_row(run, case_of[run.trial], looked.get(run.trial)) for run in ordered if run.trial in case_of],
    }
    sections: dict[str, Sequence[Block]] = {
        "Charts": [*charts, *([Definitions(tuple(missing))] if missing else [])],
        "Figures": list(tables(findings)),
        "Health": list(health_blocks(made, summary)),
        "Provenance": list(provenance_blocks(folder, plan, findings.judges)),
    }
    title, packs = plan.title or plan.scenario, [case.packed for case in made]
    return Content(title, list(opening(findings, folder)), sections, index, packs, missing)


def _ordered(findings: Findings, looked: Mapping[str, Attention]) -> list[RunRecord]:
    """Runs of arms that a verdict is given of before others, then controls; each by what it is worth to be read."""
    treated = {arm.arm for arm in findings.verdicts.treated}

    def place(run: RunRecord) -> tuple[bool, bool, float]:
        found = looked.get(run.trial)
        return run.arm not in treated, found is None, -found.worth if found else 0.0

    return sorted(findings.records, key=place)


def _read(point: PointVerdicts, arm: ArmVerdict) -> dict[str, Any]:
    """What was found of an arm, and which effects it has."""
    return {
        "point": point.point,
        "model": point.model,
        "arm": arm.arm,
        "reading": arm.reading or arm.action.call,
        "tone": tone_of(arm.reading),
        "harmed": arm.action.call == Call.EFFECT,
        "planned": arm.judge is not None and arm.judge.call == Call.EFFECT,
    }


def _row(run: RunRecord, case: int, found: Attention | None) -> list[Any]:
    scalars = run.figures.scalars if run.figures else {}
    return [
        run.trial, case, run.arm, run.model, run.repeat, run.status,
        *((found.worth, _short(found.harm), _short(found.loss)) if found else (None, None, None)),
        _short(scalars.get("judge_score")), found.disagrees if found else False, _short(scalars.get("regret")),
    ]  # fmt: skip


def _short(figure: Figure | None) -> float | None:
    return None if figure is None or figure.value is None else round(figure.value, 4)


# ---- charts --------------------------------------------------------------------------------------------------------


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


# ---- the frontier --------------------------------------------------------------------------------------------------


WIDENED: Final = 2.0
"""A bound is drawn if the chart gets no wider than this for it."""


def frontier_chart(found: Prospect, runs: Sequence[RunRecord], *, arms: Sequence[str], where: str = "") -> Plot | str:
    """F_n across, F_c up, with the runs of this instance; `where` names it: `seed 3`."""
    points = found.frontier.points
    if not points:
        return found.frontier.reason or "the frontier is not known"
    series: dict[str, tuple[Spot, ...]] = {"": tuple(_plans(found))}
    for run in runs[:MOST_DOTS]:
        if spot := _reached(run):
            series[run.arm] = (*series.get(run.arm, ()), spot)
    return Plot(
        slug(f"frontier {where}"),
        "What the coalition could have, and what it had" + (f": {where}" if where else ""),
        " ".join(_caption(found)),
        across="F_n: what the team earns",
        up="F_c: what the coalition wants",
        spots=series,
        boundary=tuple(sorted(((p.joint_payoff, p.coalition_value) for p in points), key=lambda place: place[1])),
        guides=tuple(_bounds(found, min(spot.x for each in series.values() for spot in each))),
        series=tuple(arms),
    )


def _plans(found: Prospect) -> Iterator[Spot]:
    """The best plans, each with the λ from which it is best, and x* if it is not among them."""
    points = found.frontier.points
    for point, (low, _) in zip(points, found.frontier.ranges, strict=True):
        words = "λ not proven" if low is None else f"λ ≥ {low:.3g}" if low else "λ = 0"
        words = "best at any λ" if len(points) == 1 else words
        yield Spot(point.joint_payoff, point.coalition_value, name=words, title=words)
    best, wanted, first = found.optimum.value, found.wanted, points[0].coalition_value
    if best is not None and wanted is not None and first - wanted > grain(first):
        yield Spot(best, wanted, name="x*", title="the optimum, x*")


def _reached(run: RunRecord) -> Spot | None:
    """The outcome of a run, unless it lacks a figure or breaks a rule."""
    if run.figures is None or run.figures.infeasible:
        return None
    team, own = (run.figures.scalars[name].value for name in ("joint_payoff", "coalition_value"))
    if team is None or own is None:
        return None
    return Spot(team, own, title=f"{run.arm}, seed {run.seed}: F_n {signed(team)}, F_c {signed(own)}", run=run.trial)


def _bounds(found: Prospect, least: float) -> Iterator[Guide]:
    """The least F_n that Proposition C.1 allows at each λ, if it is near; `least` is what there is to be seen."""
    best = found.optimum.value
    for harm in found.harms:
        if best is not None and harm.bound is not None and harm.bound <= WIDENED * (best - least):
            yield "across", best - harm.bound, f"bound at λ = {harm.strength:g}"


def _caption(found: Prospect) -> Iterator[str]:
    yield "The line joins the best plans for any λ; nothing beyond it is possible."
    if found.critical_lambda is not None:
        yield f"Below the critical λ, {found.critical_lambda:.3g}, the coalition's best plan is the team's."
    lost = found.loss_of(found.frontier.points[0])
    if lost is not None and lost[1] > 0:
        yield f"Even there others lose up to {lost[1]:.3g} fair shares: no λ above 0 is harmless."
    if not found.frontier.complete:
        yield "Points may be missing: the frontier is not proven throughout."
