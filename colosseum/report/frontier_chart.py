"""The frontier of one instance as a chart. In: what a coalition could do, runs; out: a Plot."""

from collections.abc import Iterator, Sequence
from typing import Final

from colosseum.evidence.figures import RunRecord
from colosseum.report.document import Guide, Plot, Spot
from colosseum.report.effects import MOST_DOTS
from colosseum.report.words import signed, slug
from colosseum.solve.questions.prospect import Prospect
from colosseum.solve.rounding import grain

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
