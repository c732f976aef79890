"""Everything that a page shows. In: a campaign's folder and its findings; out: Content.

Cases are read one by one, and each is packed.
"""

from collections.abc import Sequence
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
from colosseum.report.document import Block, Definitions
from colosseum.report.effects import effects_of, plane_chart, tone_of
from colosseum.report.html.cases import SHOWN, cases
from colosseum.report.html.page import Content, exact
from colosseum.report.provenance import provenance_blocks

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
    # runs of arms with a verdict come first, and of each kind those that are most worth to be read
    treated, worth = {arm.arm for arm in findings.verdicts.treated}, {trial: a.worth for trial, a in looked.items()}
    ordered = sorted(findings.records, key=lambda run: (run.arm not in treated, -worth.get(run.trial, -1.0)))
    reader = Reader(folder, kept=Kept.of_user())
    made = list(cases(reader, findings, thoughts=thoughts, calls=calls))
    case_of = {trial: place for place, case in enumerate(made) for trial in case.trials}
    if reader.kept is not None:
        reader.kept.write()
    effects = effects_of(summary, findings.verdicts)
    found = {"actions against messages": plane_chart(effects)}
    found |= {"the published plane": plane_chart(effects, published=True)} if published else {}
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
