"""A coalition's prospects as blocks. In: a scenario and a Prospect; out: figures, the frontier's points, harm at λ."""

from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from typing import Final

from colosseum.model.scenario import Scenario
from colosseum.optimum.questions.prospect import Prospect
from colosseum.optimum.rounding import grain
from colosseum.optimum.solve import NOT_PROVEN
from colosseum.report.document import Amount, Block, Definitions, Paragraph, Table
from colosseum.report.numbers import decimals

LITTLE: Final = 0.1
"""An opportunity below this is called little: a tenth of a fair share."""
BOUND: Final = "Proposition C.1, the lesser of span and λ / (1 - λ) · (F_c there - F_c at the optimum)"


def frontier_blocks(scenario: Scenario, found: Prospect) -> Iterator[Block]:
    """The figures, then the points of the frontier, and the harm at single λs."""
    yield Paragraph(f"{scenario.name}: {scenario.title}" if scenario.title else scenario.name, "title")
    aims = ", ".join(o.name for o in found.coalition.objectives) or "the sum of its members' payoffs"
    yield Paragraph(f"seed {scenario.seed}, coalition {found.coalition.name}: {', '.join(found.coalition.members)}")
    yield Paragraph(f"its objective: {aims}")
    yield prospect_table(found)
    yield Paragraph(opportunity_words(found))
    if found.frontier.points:
        yield from _point_blocks(scenario, found)
    if found.harms:
        yield harm_table(found)


def prospect_table(found: Prospect) -> Table:
    """What there is to take, and from which λ on it is taken."""
    best, worst = (o.value if o.status == "optimal" else None for o in (found.optimum, found.minimum))
    rows = (
        ("best joint payoff", best, "F_n at the optimum" if best is not None else NOT_PROVEN),
        ("worst joint payoff", worst, "F_n at its least" if worst is not None else NOT_PROVEN),
        ("span", found.span, "best - worst: the most harm anybody can do"),
        ("coalition value", found.wanted, "F_c, what the coalition wants, at the optimum"),
        ("best coalition value", _most(found), "F_c at its greatest"),
        ("opportunity", found.opportunity, "how much more that is, in fair shares"),
        ("critical λ", found.critical_lambda, _leaving(found)),
        ("achievability", found.achievability, "the λ above which its best plan does the worst there is"),
    )

    def reason(name: str) -> str:
        return found.reasons.get(name.replace("λ", "lambda").replace(" ", "_"), "")

    cells = tuple((name, Amount(value), reason(name) or meaning) for name, value, meaning in rows)
    return Table("prospects", "What the coalition can have", ("figure", "value", "what it is"), cells)


def _leaving(found: Prospect) -> str:
    """What happens at the critical λ."""
    if len(found.frontier.points) == 1:
        return "only there, where it does not care for the others, some best plan of the coalition is not the team's"
    return "where the coalition's best plan is no longer the team's"


def _most(found: Prospect) -> float | None:
    """max F_c."""
    return found.frontier.points[-1].coalition_value if found.frontier.points else None


def opportunity_words(found: Prospect) -> str:
    """How much there is to take, in a sentence."""
    most = _most(found)
    if most is None or found.wanted is None:
        return f"How much there is to take is not known: {found.frontier.reason}."
    if most - found.wanted <= grain(most):
        return "There is nothing to take: at the optimum the coalition has as much as it ever can."
    words = f"If all play along, the coalition can have {most - found.wanted:.4g} more than at the optimum"
    first = found.frontier.points[0].coalition_value
    if first - found.wanted > grain(first):
        words += f", {first - found.wanted:.4g} of it at no cost to the team"
    if found.opportunity is None or found.unit is None:
        return f"{words}."
    shares = f"{found.opportunity:.2g}"
    noun = "fair share" if shares == "1" else "fair shares"
    whole = "the best joint payoff" if (found.optimum.value or 0) > 0 else "the span"
    words += f": {shares} {noun} of {found.unit:.4g}, {whole} by agents."
    return (
        f"{words} That is little: runs will hardly tell colluders from others." if found.opportunity < LITTLE else words
    )


def _point_blocks(scenario: Scenario, found: Prospect) -> Iterator[Block]:
    points = found.frontier.points
    yield point_table(found)
    if len(points) == 1:
        yield Paragraph("One plan is best for both: there is nothing to trade.")
    else:
        yield Paragraph("A plan is everybody's; `colosseum scan` shows what members can do alone.", "quiet")
    for place, step in enumerate(found.frontier.steps, start=1):
        if step.reason:
            words = f"not proven: there may be more points between {place} and {place + 1}, {step.reason}"
            yield Paragraph(words, "warning")
    moved = [(place, found.movers(point, scenario.task)) for place, point in enumerate(points, start=1)]
    if any(movers for _, movers in moved):
        yield Definitions(tuple(_grouped(moved)), "Who decides otherwise than at the optimum")


def point_table(found: Prospect) -> Table:
    """The best plans at λ."""
    points = found.frontier.points
    lows = [low for low, _ in found.frontier.ranges]
    known = {0.0, 1.0, *(low for low in lows if low is not None)}
    cuts = next((p for p in range(3, 12) if len({f"{v:.{p}f}" for v in known}) == len(known)), 12)
    columns = (
        [p.joint_payoff for p in points], [p.coalition_value for p in points],
        [found.harm_of(p) for p in points], [found.bound_of(p) for p in points],
    )  # fmt: skip
    cells = zip(*(amounts(values) for values in columns), strict=True)
    rows = tuple(
        (str(n), Amount(low, cuts), *row) for n, (low, row) in enumerate(zip(lows, cells, strict=True), start=1)
    )
    title = "Best plans at λ, from all for the team (0) to all for the coalition (1)"
    return Table("plans", title, ("plan", "from λ", "F_n", "F_c", "harm", "bound"), rows, (("bound", BOUND),))


def amounts(values: Sequence[float | None]) -> list[Amount]:
    """Numbers of one column, with equally many decimals: as many as tell neighbours apart."""
    known = sorted({value for value in values if value is not None})
    gaps = [b - a for a, b in pairwise(known) if b - a > grain(max(map(abs, known)))]
    places = decimals(known, digits=3)
    while places < 6 and any(round(gap, places) == 0 for gap in gaps):
        places += 1
    return [Amount(value, places) for value in values]


def _grouped(moved: list[tuple[int, tuple[str, ...]]]) -> Iterator[tuple[str, str]]:
    """Points in a row for which the same agents move, as one."""
    for movers, group in groupby(moved, key=lambda each: each[1]):
        places = [place for place, _ in group]
        name = f"plan {places[0]}" if len(places) == 1 else f"plans {places[0]}-{places[-1]}"
        yield name, ", ".join(movers) or "nobody"


def harm_table(found: Prospect) -> Table:
    """At single λ, among the coalition's best plans."""
    harms = found.harms
    least, most, bound = (amounts([getattr(h, name) for h in harms]) for name in ("least", "most", "bound"))
    rows = tuple(
        (f"λ = {h.strength:g}", a, Amount(b.value, b.places, note=f"not proven, {h.reason}" if h.reason else ""), c)
        for h, a, b, c in zip(harms, least, most, bound, strict=True)
    )
    title = "Harm of a coalition that gets its way at λ, among its best plans"
    return Table("harm", title, ("λ", "least", "most", "bound"), rows, (("bound", BOUND),))
