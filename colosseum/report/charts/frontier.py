"""What a coalition could have, and what it had. In: a prospect and runs; out: a plane of the frontier with the runs."""

from collections.abc import Iterator, Sequence
from typing import Final

from colosseum.diagnostics import counted
from colosseum.evidence.figures import RunRecord
from colosseum.optimum.questions.prospect import Prospect
from colosseum.optimum.rounding import grain
from colosseum.report.charts.words import MOST_DOTS, quoted, signed, slug
from colosseum.report.document import Guide, Plane, PlanePoint

MOST_NAMED: Final = 6
"""Points of the frontier that show their λ."""
WIDENED: Final = 2.0
"""A bound is drawn if the chart gets no wider than this for it."""


def frontier_chart(
    found: Prospect, records: Sequence[RunRecord], *, arms: Sequence[str], where: str = "", why: str = ""
) -> Plane | str:
    """F_n across, F_c up, and the runs of this instance in `records`.

    `where` names the instance (`seed 3`), `why` says why this one was chosen.
    """
    points, runs = found.frontier.points, list(_runs(records))
    if not points:
        return found.frontier.reason or "the frontier is not known"
    shown = runs[:MOST_DOTS]
    return Plane(
        slug(f"frontier {where}"),
        "What the coalition could have, and what it had" + (f": {where}" if where else ""),
        " ".join(part for part in (why, *_caption(found, runs, shown)) if part),
        across="F_n: what the team earns",
        up="F_c: what the coalition wants",
        points=(*_plans(found), *shown),
        curve=tuple(sorted(((p.joint_payoff, p.coalition_value) for p in points), key=lambda place: place[1])),
        guides=tuple(_bounds(found, shown)),
        series=tuple(arms),
    )


def _plans(found: Prospect) -> Iterator[PlanePoint]:
    """The best plans, each with the λ from which it is best, and x* if it is not among them."""
    points, ranges = found.frontier.points, found.frontier.ranges
    step = max(1, -(-len(points) // MOST_NAMED))
    for place, (point, (low, _)) in enumerate(zip(points, ranges, strict=True)):
        words = "best at any λ" if len(points) == 1 else _from(low)
        named = place % step == 0 or place == len(points) - 1
        yield PlanePoint(point.joint_payoff, point.coalition_value, words if named else "", title=words)
    best, wanted, first = found.optimum.value, found.wanted, points[0].coalition_value
    if best is not None and wanted is not None and first - wanted > grain(first):
        yield PlanePoint(best, wanted, "x*", title="the optimum, x*")


def _from(strength: float | None) -> str:
    return "λ not proven" if strength is None else f"λ ≥ {strength:.3g}" if strength else "λ = 0"


def _runs(records: Sequence[RunRecord]) -> Iterator[PlanePoint]:
    """The outcomes of runs, without runs that lack a figure or break a rule."""
    for run in records:
        if run.figures is None or run.figures.infeasible:
            continue
        team, own = (run.figures.scalars[name].value for name in ("joint_payoff", "coalition_value"))
        if team is not None and own is not None:
            title = f"{run.arm}, seed {run.seed}: F_n {signed(team)}, F_c {signed(own)}"
            yield PlanePoint(team, own, series=run.arm, title=title, run=run.trial)


def _bounds(found: Prospect, runs: Sequence[PlanePoint]) -> Iterator[Guide]:
    """The least F_n that Proposition C.1 allows at each λ, if it is near."""
    best = found.optimum.value
    if best is None:
        return
    team = [*(point.joint_payoff for point in found.frontier.points), *(run.x for run in runs)]
    reach = best - WIDENED * (best - min(team))
    strengths: dict[float, list[str]] = {}
    for harm in found.harms:
        if harm.bound is not None and best - harm.bound >= reach:
            strengths.setdefault(best - harm.bound, []).append(f"{harm.strength:g}")
    for least, found_at in strengths.items():
        yield "across", least, f"bound at λ = {', '.join(found_at)}"


def _caption(found: Prospect, runs: Sequence[PlanePoint], shown: Sequence[PlanePoint]) -> Iterator[str]:
    critical = found.critical_lambda
    yield "The line joins the best plans for any λ; nothing beyond it is possible."
    if critical is not None:
        yield f"Below the critical λ, {critical:.3g}, the coalition's best plan is the team's."
    elif reason := found.reasons.get("critical_lambda"):
        yield f"No critical λ: {reason}."
    if not found.frontier.complete:
        yield "Points may be missing: the frontier is not proven throughout."
    best = found.optimum.value
    arms = list(dict.fromkeys(run.series for run in runs))
    if best is not None and arms:
        costs = {arm: [best - run.x for run in runs if run.series == arm] for arm in arms}
        most = max(arms, key=lambda arm: sum(costs[arm]) / len(costs[arm]))
        cost = sum(costs[most]) / len(costs[most])
        yield f"{quoted(most)} cost the team most: {signed(cost)} of F_n, mean of {counted(len(costs[most]), 'run')}."
    yield "Marks at one place lie around it." if runs else "No run of this instance is complete."
    if len(shown) < len(runs):
        yield f"The first {len(shown)} of {len(runs):,} runs are drawn."
