"""Everything that a page shows. In: a campaign's folder and its findings; out: Content.

Cases are read one by one, and each is packed. The charts are those of effects, and the frontier of one instance.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from colosseum.campaign.kept import Kept
from colosseum.evidence.attention import Attention, attention
from colosseum.evidence.calls import Call
from colosseum.evidence.figures import Figure, RunRecord
from colosseum.evidence.findings import Findings
from colosseum.evidence.reading import Reader
from colosseum.evidence.registry import REGISTRY
from colosseum.evidence.verdict import ArmVerdict, PointVerdicts
from colosseum.report.answer import opening, tables
from colosseum.report.document import Block, Definitions, Plot, Spot
from colosseum.report.effects import MOST_DOTS, effects_of, plane_chart, tone_of
from colosseum.report.html.cases import SHOWN, cases, coalition_of, runs_of
from colosseum.report.html.page import Content, exact
from colosseum.report.instances import harmless_words
from colosseum.report.provenance import provenance_blocks
from colosseum.report.words import signed, slug
from colosseum.solve.lowering.lower import NotLowered
from colosseum.solve.questions.prospect import Prospect, prospect

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
    reader = Reader(folder, kept=Kept.of_user())
    made = list(cases(reader, findings, thoughts=thoughts, calls=calls))
    case_of = {trial: place for place, case in enumerate(made) for trial in case.trials}
    if reader.kept is not None:
        reader.kept.write()
    effects, shown = effects_of(summary, findings.verdicts), most_telling(ordered, summary.control)
    found = {"actions against messages": plane_chart(effects)}
    found |= {"the published plane": plane_chart(effects, published=True)} if published else {}
    found |= {"frontier": _frontier(reader, findings, shown)} if shown else {}
    charts = [chart for chart in found.values() if not isinstance(chart, str)]
    missing = [(name, why) for name, why in found.items() if isinstance(why, str)]
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


# ---- the frontier --------------------------------------------------------------------------------------------------

LIMIT: Final = 15.0
"""Seconds for the frontier: a chart is not worth more, and `colosseum frontier` takes longer."""


def most_telling(ordered: Sequence[RunRecord], control: str) -> RunRecord | None:
    """The run whose instance is drawn: the first in which the coalition gained by the control, else the first."""
    runs = [run for run in ordered if run.figures is not None]
    base = {(run.point, run.seed, run.model): value_of(run) for run in runs if run.arm == control}
    pairs = ((run, base.get((run.point, run.seed, run.model)), value_of(run)) for run in runs if run.arm != control)
    gained = (run for run, before, after in pairs if before is not None and after is not None and after >= before)
    return next(gained, runs[0] if runs else None)


def value_of(run: RunRecord) -> float | None:
    """What the coalition has."""
    return run.figures.scalars["coalition_value"].value if run.figures else None


def _frontier(reader: Reader, findings: Findings, shown: RunRecord) -> Plot | str:
    """Of the instance of one run, with all its runs; a str is why there is none."""
    listed = {each.trial: each for each in findings.plan.trials}
    runs = runs_of(reader, [(listed[shown.trial], shown)])
    coalition, instance = coalition_of(runs, findings), runs[0][0].solved.instance
    if coalition is None or not 0 < len(coalition.members) < len(runs[0][0].scenario.task.agents):
        return "there is no coalition" if coalition is None or not coalition.members else "the coalition is everybody"
    try:
        with instance.solver.within(LIMIT):
            if instance.best.value is None:
                return "the optimum is not known"
            found = prospect(instance.solver, coalition, known=instance.optimum)
    except NotLowered as fault:
        return str(fault)
    here = [run for run in findings.records if listed[run.trial].scenario == listed[shown.trial].scenario]
    where = ", ".join(part for part in (shown.point, f"seed {shown.seed}") if part)
    return frontier_chart(found, here, arms=findings.summary.arms, where=where)


def frontier_chart(found: Prospect, runs: Sequence[RunRecord], *, arms: Sequence[str], where: str) -> Plot | str:
    """F_n across, F_c up, with the runs of this instance; `where` names it: `seed 3`."""
    points = found.frontier.points
    if not points:
        return found.frontier.reason or "the frontier is not known"
    lows = (low for low, _ in found.frontier.ranges)
    words = ["λ not proven" if low is None else f"λ ≥ {low:.3g}" if low else "λ = 0" for low in lows]
    plans = zip(points, words, strict=True)
    series = {"": tuple(Spot(p.joint_payoff, p.coalition_value, name=name, title=name) for p, name in plans)}
    for run in runs[:MOST_DOTS]:
        team, own = (run.figures.scalars["joint_payoff"].value, value_of(run)) if run.figures else (None, None)
        if team is not None and own is not None and run.figures and not run.figures.infeasible:
            title = f"{run.arm}, seed {run.seed}: F_n {signed(team)}, F_c {signed(own)}"
            series[run.arm] = (*series.get(run.arm, ()), Spot(team, own, title=title, run=run.trial))
    missing = "" if found.frontier.complete else "Points may be missing: the frontier is not proven throughout."
    return Plot(
        slug(f"frontier {where}"),
        f"What the coalition could have, and what it had: {where}",
        f"Nothing beyond the line is possible; it joins the best plans for any λ. {harmless_words(found)} {missing}",
        across="F_n: what the team earns",
        up="F_c: what the coalition wants",
        spots=series,
        boundary=tuple(sorted(((p.joint_payoff, p.coalition_value) for p in points), key=lambda place: place[1])),
        series=tuple(arms),
    )
