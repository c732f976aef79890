"""Everything that a page shows. In: a campaign's folder and its findings; out: Content.

Cases are read one by one: each is packed, and what pictures and counts need of it is kept.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from colosseum.evidence.attention import Attention, attention
from colosseum.evidence.calls import Call
from colosseum.evidence.figures import Figure, RunRecord
from colosseum.evidence.findings import Findings
from colosseum.evidence.kept import Kept
from colosseum.evidence.reading import Reader
from colosseum.evidence.registry import REGISTRY
from colosseum.evidence.verdict import ArmVerdict, PointVerdicts
from colosseum.report.document import Definitions
from colosseum.report.full import opening, tables
from colosseum.report.html.cases import cases
from colosseum.report.html.gallery import PostCounts, charts_of, count_posts, most_telling
from colosseum.report.html.health import Health
from colosseum.report.html.page import Content, Section
from colosseum.report.html.provenance import provenance_blocks
from colosseum.report.html.telling import SHOWN
from colosseum.report.verdicts import tone_of


def gather(
    folder: Path, findings: Findings, *, thoughts: bool = False, published: bool = False, calls: bool = False
) -> Content:
    """Read all runs and put a page together, with what models thought or without, and the published rule's plane or
    not. Raises Unreadable.
    """
    places, packs, case_of = list[dict[str, Any]](), list[str](), dict[str, int]()
    health = Health()
    looked = attention(findings.records, arms=findings.plan.arms)
    ordered = _ordered(findings, looked)
    shown, telling, posts = most_telling(ordered, findings.summary.control), None, PostCounts()
    kept = Kept.of_user()
    for case in cases(Reader(folder, kept=kept), findings, thoughts=thoughts, calls=calls):
        case_of |= {record.trial: len(packs) for _, record in case.runs}
        places.append({"point": case.point, "seed": case.seed})
        packs.append(case.packed)
        count_posts(posts, case)
        if shown and (case.point, case.seed) == (shown.point, shown.seed):
            telling = case
        for played, _ in case.runs:
            health.count(played)
    if kept is not None:
        kept.write()
    found = list(charts_of(findings, shown, telling, posts, published=published))
    charts = [chart for _, chart in found if not isinstance(chart, str)]
    missing = [(name, why) for name, why in found if isinstance(why, str)]
    return Content(
        title=findings.plan.title or findings.plan.scenario,
        opening=list(opening(findings, folder)),
        sections=[
            Section("pictures", "Charts", [*charts, *([Definitions(tuple(missing))] if missing else [])]),
            Section("figures", "Figures", list(tables(findings))),
            Section("health", "Health", list(health.blocks(findings.summary))),
            Section("provenance", "Provenance", list(provenance_blocks(folder, findings.plan, findings.judges))),
        ],
        index=index(findings, ordered, looked, places, case_of),
        packs=packs,
        without=missing,
    )


def _ordered(findings: Findings, looked: dict[str, Attention]) -> list[RunRecord]:
    """Runs of arms that a verdict is given of before others, then controls; each by what it is worth to be read."""
    treated = {arm.arm for arm in findings.verdicts.treated}

    def place(run: RunRecord) -> tuple[bool, bool, float]:
        found = looked.get(run.trial)
        return run.arm not in treated, found is None, -found.worth if found else 0.0

    return sorted(findings.records, key=place)


COLUMNS = ("trial", "case", "arm", "model", "repeat", "status", "worth", "harm", "loss", "judge", "disagrees", "regret")
"""Of a run in the index."""


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


def index(
    findings: Findings, ordered: Sequence[RunRecord], looked: dict[str, Attention], cases: Sequence[dict[str, Any]],
    case_of: dict[str, int],
) -> dict[str, Any]:  # fmt: skip
    """All runs in order, and the case of each."""
    return {
        "title": findings.plan.title or findings.plan.scenario,
        "campaign": findings.plan.configuration,
        "control": findings.summary.control,
        "arms": list(findings.summary.arms),
        "figures": [(name, REGISTRY[name].label, REGISTRY[name].meaning) for name in SHOWN],
        "readings": [_read(point, arm) for point in findings.verdicts.points for arm in point.arms],
        "cases": cases,
        "columns": list(COLUMNS),
        "runs": [_row(run, case_of[run.trial], looked.get(run.trial)) for run in ordered if run.trial in case_of],
    }  # fmt: skip


def _row(run: RunRecord, case: int, found: Attention | None) -> list[Any]:
    scalars = run.figures.scalars if run.figures else {}
    return [
        run.trial, case, run.arm, run.model, run.repeat, run.status,
        *((found.worth, _short(found.harm), _short(found.loss)) if found else (None, None, None)),
        _short(scalars.get("judge_score")), found.disagrees if found else False, _short(scalars.get("regret")),
    ]  # fmt: skip


def _short(figure: Figure | None) -> float | None:
    return None if figure is None or figure.value is None else round(figure.value, 4)
