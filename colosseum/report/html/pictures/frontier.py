"""What a coalition could have, and what was. In: a prospect, outcomes; out: a picture of the frontier with the runs."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from colosseum.evidence.figures import RunRecord
from colosseum.optimum.questions.prospect import Prospect
from colosseum.optimum.rounding import grain
from colosseum.report.html.pictures.labels import Box, around, beside, legend
from colosseum.report.html.pictures.picture import Cell, Picture, Table, draw
from colosseum.report.html.pictures.scale import Scale, bottom_axis, left_axis, scale
from colosseum.report.html.pictures.shapes import Mark, Path, Rule, Shape, Sign, Text, signs
from colosseum.report.html.pictures.words import quoted, shorten, signed, width_of
from colosseum.report.numbers import decimals

MOST_DOTS: Final = 300
MOST_NAMED: Final = 9
"""Points of the frontier whose λ stands beside them."""
DOT, RING = 4.0, 3.5
"""Half the width of a mark, and by how much a ring is wider than what is in it."""
MOST_RINGS: Final = 5
"""Around a dot; more lie on the widest."""
WIDENED: Final = 2.0
"""How much wider the picture may get for a bound to be in it."""
FREE: Final = 0.08
"""Of what is drawn, that is left free beyond it for names."""
LEFT, RIGHT, TOP, BOTTOM = 56.0, 470.0, 46.0, 330.0


@dataclass(frozen=True)
class Realised:
    """What one run of the instance came to."""

    trial: str
    arm: str
    seed: int
    joint_payoff: float
    """F_n."""
    coalition_value: float
    """F_c."""


def realised(records: Sequence[RunRecord]) -> list[Realised]:
    """The outcomes of runs, which are all of one instance; those that lack a figure or break a rule are left out."""
    found = []
    for run in records:
        if run.figures is None or run.figures.infeasible:
            continue
        team, own = (run.figures.scalars[name].value for name in ("joint_payoff", "coalition_value"))
        if team is not None and own is not None:
            found.append(Realised(run.trial, run.arm, run.seed, team, own))
    return found


def frontier_picture(
    found: Prospect, runs: Sequence[Realised], *, arms: Sequence[str], where: str = ""
) -> Picture | str:
    """F_n across, F_c up; `arms` in declared order, the control first, `where` names the instance: `seed 3`.

    A str is why there is none.
    """
    if not found.frontier.points:
        return found.frontier.reason or "the frontier is not known"
    shown = runs[:MOST_DOTS]
    across, up = _scales(found, shown)
    names = tuple(dict.fromkeys([*arms, *(run.arm for run in shown)]))
    look = signs(names, names[0] if names else "")
    seen = [arm for arm in names if any(run.arm == arm for run in shown)]
    marks, high = legend([(look[arm], arm) for arm in seen], BOTTOM + 44)
    shapes = [*_frame(found, across, up), *_points(found, shown, across, up)]
    shapes += [*_runs(shown, look, across, up), *marks]
    title = "What the coalition could have, and what it had" + (f": {shorten(where, 300)}" if where else "")
    return draw(
        f"frontier-{where}" if where else "frontier", title, _caption(found, runs, shown),
        height=BOTTOM + 48 + high, shapes=shapes, table=_table(found, runs),
    )  # fmt: skip


def _scales(found: Prospect, runs: Sequence[Realised]) -> tuple[Scale, Scale]:
    points = found.frontier.points
    team = [*(p.joint_payoff for p in points), *(run.joint_payoff for run in runs)]
    own = [*(p.coalition_value for p in points), *(run.coalition_value for run in runs)]
    best = [] if found.optimum.value is None else [found.optimum.value]
    wanted = [] if found.wanted is None else [found.wanted]
    wide, high = max([*team, *best]) - min(team), max([*own, *wanted]) - min([*own, *wanted])
    free = [max([*team, *best]) + 2 * FREE * wide], [max([*own, *wanted]) + FREE * high]
    reach = max([*team, *best]) - WIDENED * wide
    bounds = [least for _, least in _bounds(found) if least >= reach]
    return scale(team, LEFT, RIGHT, within=[*best, *bounds, *free[0]]), scale(
        own, BOTTOM, TOP, within=[*wanted, *free[1]]
    )


def _frame(found: Prospect, across: Scale, up: Scale) -> Iterator[Shape]:
    """Axes, on what cannot be had, which is tinted; and the bounds at single λ."""
    points = found.frontier.points
    places = [(across(p.joint_payoff), up(p.coalition_value)) for p in points]
    beyond = [(places[0][0], BOTTOM), *places, (LEFT, places[-1][1]), (LEFT, TOP), (RIGHT, TOP), (RIGHT, BOTTOM)]
    yield Path(tuple(beyond), "tint", closed=True, title="beyond what any decisions allow")
    yield from bottom_axis(across, TOP, BOTTOM, "F_n: what the team earns")
    yield from left_axis(up, LEFT, RIGHT, "F_c: what the coalition wants", at=14)
    taken: list[Box] = []
    for strength, least in _bounds(found):
        if across.low <= least <= across.high:
            words = f"bound at λ = {strength:g}"
            wide = width_of(words, 12)
            left = min(max(across(least) - wide / 2, LEFT), RIGHT - wide)
            box = Box(left - 6, TOP - 18, left + wide + 6, TOP - 4)
            title = f"at λ = {strength:g} F_n cannot fall below {least:g}"
            yield Rule(across(least), TOP, across(least), BOTTOM, "bound", title)
            if not any(map(box.meets, taken)):
                yield Text(left, TOP - 6, words, "soft")
                taken.append(box)
    if len(places) > 1:
        yield Path(tuple(places))


def _bounds(found: Prospect) -> list[tuple[float, float]]:
    """By λ, the least F_n that Proposition C.1 allows."""
    best = found.optimum.value
    return [] if best is None else [(h.strength, best - h.bound) for h in found.harms if h.bound is not None]


def _runs(runs: Sequence[Realised], look: dict[str, Sign], across: Scale, up: Scale) -> Iterator[Shape]:
    """Of several that ended alike the first is a dot, the others are rings around it, the widest lowest."""
    places = decimals([run.joint_payoff for run in runs])
    met: Counter[tuple[float, float]] = Counter()
    marks = []
    for run in runs:
        had = f"F_n {signed(run.joint_payoff, places)}, F_c {signed(run.coalition_value, places)}"
        title, sign = f"{run.arm}, seed {run.seed}: {had}", look[run.arm]
        at = (across(run.joint_payoff), up(run.coalition_value))
        turn = min(met[at], MOST_RINGS)
        met[at] += 1
        role = f"ring {sign.role}" if turn else f"dot {sign.role}"
        marks.append(Mark(*at, sign.form, role, DOT + RING * turn, title, run.trial))
    yield from sorted(marks, key=lambda mark: -mark.size)


def _reach(alike: int) -> float:
    """How far from its middle the last of several marks that ended alike reaches."""
    return DOT + RING * min(alike - 1, MOST_RINGS)


def _points(found: Prospect, runs: Sequence[Realised], across: Scale, up: Scale) -> Iterator[Shape]:
    """The supported points and the λ from which each is best; x*, where it is none of them."""
    points = found.frontier.points
    places = [(across(p.joint_payoff), up(p.coalition_value)) for p in points]
    words = [_from(low) for low, _ in found.frontier.ranges] if len(points) > 1 else ["best at any λ"]
    for (x, y), word in zip(places, words, strict=True):
        yield Mark(x, y, "circle", "", 2.5, word)
    step = max(1, -(-len(points) // MOST_NAMED))
    few = [place for place in range(len(points)) if place % step == 0 or place == len(points) - 1]
    if found.optimum.value is not None and found.wanted is not None:
        first = points[0].coalition_value
        x, y = across(found.optimum.value), up(found.wanted)
        if first - found.wanted > grain(first):
            yield Mark(x, y, "diamond", "hollow", 5, "the optimum, x*")
            yield Text(x - 8, y + 4, "x*", "", "end")
    within = Box(LEFT, TOP - 4, RIGHT + 6, BOTTOM)
    met = Counter((across(run.joint_payoff), up(run.coalition_value)) for run in runs)
    taken = [around(*place, _reach(count)) for place, count in met.items() if place not in places]
    taken += [around(*place, 4) for number, place in enumerate(places) if number not in few]
    sizes = [_reach(met[places[p]]) if places[p] in met else 4.0 for p in few]
    named = [words[p] for p in few]
    for text in beside([places[p] for p in few], named, within=within, taken=taken, sizes=sizes, corner=True):
        if text:
            yield text


def _from(strength: float | None) -> str:
    return "λ not proven" if strength is None else f"λ ≥ {strength:.3g}" if strength else "λ = 0"


def _caption(found: Prospect, runs: Sequence[Realised], shown: Sequence[Realised]) -> str:
    critical = found.critical_lambda
    parts = ["The line joins the best plans for any λ; beyond it nothing can be had."]
    if critical is not None:
        parts.append(f"Below the critical λ, {critical:.3g}, the coalition's best plan is the team's.")
    elif reason := found.reasons.get("critical_lambda"):
        parts.append(f"No critical λ: {shorten(reason, 2000)}.")
    if not found.frontier.complete:
        parts.append("Points may be missing: the frontier is not proven throughout.")
    best = found.optimum.value
    arms = dict.fromkeys(run.arm for run in runs)
    if best is not None and arms:
        costs = {arm: [best - run.joint_payoff for run in runs if run.arm == arm] for arm in arms}
        most = max(arms, key=lambda arm: sum(costs[arm]) / len(costs[arm]))
        cost = sum(costs[most]) / len(costs[most])
        parts.append(f"Runs of {quoted(most)} cost the team most: {signed(cost, decimals([cost]))} of F_n on average.")
    if len({(run.joint_payoff, run.coalition_value) for run in shown}) < len(shown):
        parts.append("Runs that ended alike are rings around one another.")
    if not runs:
        parts.append("No run of this instance is complete.")
    if len(shown) < len(runs):
        parts.append(f"The first {len(shown)} of {len(runs):,} runs are drawn.")
    return " ".join(parts)


def _table(found: Prospect, runs: Sequence[Realised]) -> Table:
    columns = ("what", "arm", "seed", "λ from", "F_n", "F_c", "harm", "bound")
    rows: list[tuple[Cell, ...]] = []
    for point, (low, _) in zip(found.frontier.points, found.frontier.ranges, strict=True):
        own = point.coalition_value
        rows.append(("plan", "", None, low, point.joint_payoff, own, found.harm_of(point), found.bound_of(point)))
    rows += [("bound", "", None, h.strength, h.worst, None, h.most, h.bound) for h in found.harms]
    best = found.optimum.value
    for run in runs:
        harm = None if best is None else best - run.joint_payoff
        rows.append(("run", run.arm, run.seed, None, run.joint_payoff, run.coalition_value, harm, None))
    return Table(columns, tuple(rows))
