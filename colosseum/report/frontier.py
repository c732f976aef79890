"""A coalition's prospects as a page for the terminal. In: a scenario and a Prospect; out: figures, table and plot.

Reads the same without colour and in a pipe; where the encoding has no braille the plot is in ASCII.
"""

from collections.abc import Iterator
from itertools import groupby
from string import ascii_lowercase
from typing import Final, TextIO

from rich.console import Console
from rich.table import Table
from rich.text import Text

from colosseum.model.scenario import Scenario
from colosseum.optimum.questions.prospect import Prospect
from colosseum.optimum.rounding import grain
from colosseum.optimum.solve import NOT_PROVEN, Optimum
from colosseum.report.document import Plane, PlanePoint
from colosseum.report.numbers import column, told_apart
from colosseum.report.page import Grid, list_facts, page_on, printable, say, show_grid
from colosseum.report.text_charts import plane_rows

MOST_ROWS: Final = 60
"""Points beyond these are not listed; `--json` has them all."""
LITTLE: Final = 0.1
"""An opportunity below this is called little: a tenth of a fair share."""
SIGNS: Final = "123456789" + ascii_lowercase
"""What marks the points, as long as there are no more than these; past them all are `o`, and numbered in the table."""
NOMINAL: Final = "*"
"""What marks x* where it is none of the points."""
UNKNOWN: Final = "-"


def render_frontier(scenario: Scenario, found: Prospect, stream: TextIO) -> None:
    """Print the figures, then the points of the frontier, its plot, and the harm at single λs."""
    with page_on(stream) as console:
        _render_header(scenario, found, console)
        _render_figures(found, console)
        say(console)
        say(console, _opportunity_in_words(found))
        if found.frontier.points:
            _render_points(scenario, found, console)
            _render_plot(found, console)
        if found.harms:
            _render_harms(found, console)


def _render_header(scenario: Scenario, found: Prospect, console: Console) -> None:
    say(console, f"{scenario.name}: {scenario.title}" if scenario.title else scenario.name, style="bold")
    aims = ", ".join(o.name for o in found.coalition.objectives) or "the sum of its members' payoffs"
    say(console, f"seed {scenario.seed}, coalition {found.coalition.name}: {', '.join(found.coalition.members)}")
    say(console, f"its objective: {aims}")
    say(console)


def _render_figures(found: Prospect, console: Console) -> None:
    figures = Table(box=None, pad_edge=False, show_header=False)
    figures.add_column(overflow="fold")
    figures.add_column(justify="right", overflow="fold")
    figures.add_column(overflow="fold", style="dim")
    best, worst, span = told_apart([_proven(found.optimum), _proven(found.minimum), found.span])
    wanted, most = told_apart([found.wanted, _most(found)])
    rows = (
        ("best joint payoff", best, "F_n at the optimum" if best != UNKNOWN else NOT_PROVEN),
        ("worst joint payoff", worst, "F_n at its least" if worst != UNKNOWN else NOT_PROVEN),
        ("span", span, "best - worst: the most harm anybody can do"),
        ("coalition value", wanted, "F_c, what the coalition wants, at the optimum"),
        ("best coalition value", most, "F_c at its greatest"),
        ("opportunity", _ratio(found.opportunity), "how much more that is, in fair shares"),
        ("critical λ", _ratio(found.critical_lambda), _leaving(found)),
        ("achievability", _ratio(found.achievability), "the λ above which its best plan does the worst there is"),
    )
    for name, value, meaning in rows:
        reason = found.reasons.get(name.replace("λ", "lambda").replace(" ", "_"), "")
        cells = (name, value, reason or meaning)
        figures.add_row(*(Text(printable(cell, console.encoding)) for cell in cells))
    console.print(figures)


def _proven(optimum: Optimum) -> float | None:
    return optimum.value if optimum.status == "optimal" else None


def _leaving(found: Prospect) -> str:
    """What happens at the critical λ."""
    if len(found.frontier.points) == 1:
        return "only there, where it does not care for the others, some best plan of the coalition is not the team's"
    return "where the coalition's best plan is no longer the team's"


def _most(found: Prospect) -> float | None:
    """max F_c."""
    return found.frontier.points[-1].coalition_value if found.frontier.points else None


def _opportunity_in_words(found: Prospect) -> str:
    most = _most(found)
    if most is None or found.wanted is None:
        return f"How much there is to take is not known: {found.frontier.reason}."
    if most - found.wanted <= grain(most):
        return "There is nothing to take: at the optimum the coalition has as much as it ever can."
    words = f"If all play along, the coalition can have {most - found.wanted:.4g} more than at the optimum"
    if _below(found):
        words += f", {found.frontier.points[0].coalition_value - found.wanted:.4g} of it at no cost to the team"
    if found.opportunity is None or found.unit is None:
        return f"{words}."
    shares = f"{found.opportunity:.2g}"
    noun = "fair share" if shares == "1" else "fair shares"
    whole = "the best joint payoff" if (found.optimum.value or 0) > 0 else "the span"
    words += f": {shares} {noun} of {found.unit:.4g}, {whole} by agents."
    return (
        f"{words} That is little: runs will hardly tell colluders from others." if found.opportunity < LITTLE else words
    )


def _render_points(scenario: Scenario, found: Prospect, console: Console) -> None:
    say(console)
    say(console, "Best plans at λ, from all for the team (0) to all for the coalition (1)", style="bold")
    points, labels = found.frontier.points, _labels(len(found.frontier.points))
    columns = {
        "from λ": _cuts([low for low, _ in found.frontier.ranges]),
        "F_n": column([p.joint_payoff for p in points]),
        "F_c": column([p.coalition_value for p in points]),
        "harm": _known([found.harm_of(p) for p in points]),
        "bound": _known([found.bound_of(p) for p in points]),
    }
    shown = min(MOST_ROWS, len(points))
    cells = tuple(zip(*(values[:shown] for values in columns.values()), strict=True))
    show_grid(console, Grid(labels[:shown], tuple(columns), cells, turns=False))
    if shown < len(points):
        say(console, f"… and {len(points) - shown} more (--json lists all)")
    if len(points) == 1:
        say(console, "One plan is best for both: there is nothing to trade.")
    else:
        say(console, "Plans are everybody's; what members can do alone is what `colosseum scan` tells.", style="dim")
    for words in _gaps(found):
        say(console, words)
    moved = [(label, found.movers(p, scenario.task)) for label, p in zip(labels[:shown], points, strict=False)]
    if any(movers for _, movers in moved):
        say(console)
        say(console, "Who decides otherwise than at the optimum")
        list_facts(console, list(_grouped(moved)))


def _grouped(moved: list[tuple[str, tuple[str, ...]]]) -> Iterator[tuple[str, str]]:
    """Points in a row for which the same agents move, as one."""
    for movers, group in groupby(moved, key=lambda each: each[1]):
        labels = [label for label, _ in group]
        yield labels[0] if len(labels) == 1 else f"{labels[0]}-{labels[-1]}", ", ".join(movers) or "nobody"


def _gaps(found: Prospect) -> Iterator[str]:
    """Where points may be missing."""
    steps, labels = found.frontier.steps, _labels(len(found.frontier.points))
    for place, step in enumerate(steps):
        if step.reason:
            yield f"not proven: there may be more points between {labels[place]} and {labels[place + 1]}, {step.reason}"


def _render_plot(found: Prospect, console: Console) -> None:
    points = found.frontier.points
    if len(points) < 2:
        return
    signs = _signs(len(points))
    marks = [PlanePoint(p.joint_payoff, p.coalition_value, sign) for p, sign in zip(points, signs, strict=True)]
    others = []
    if found.optimum.value is not None and found.wanted is not None and _below(found):
        others.append(PlanePoint(found.optimum.value, found.wanted, NOMINAL))
    curve = tuple((p.joint_payoff, p.coalition_value) for p in points)
    chart = Plane("frontier", "", "", across="F_n", up="F_c", points=(*marks, *others), curve=curve)
    say(console)
    for line in plane_rows(chart, console.width, ascii_only=console.options.ascii_only):
        say(console, line)
    if others:
        say(console, f"{NOMINAL} the optimum; among plans that are as good for the team the coalition prefers 1")


def _below(found: Prospect) -> bool:
    """Whether x* is not the first point: an assignment as good for the team is better for the coalition."""
    first = found.frontier.points[0].coalition_value
    return found.wanted is not None and first - found.wanted > grain(first)


def _render_harms(found: Prospect, console: Console) -> None:
    say(console)
    say(console, "Harm of a coalition that gets its way at λ, among its best plans", style="bold")
    harms = found.harms
    columns = {
        "least": _known([h.least for h in harms]),
        "most": _known([h.most for h in harms]),
        "bound": _known([h.bound for h in harms]),
    }
    rows = tuple(f"λ = {h.strength:g}" for h in harms)
    show_grid(console, Grid(rows, tuple(columns), tuple(zip(*columns.values(), strict=True)), turns=False))
    for harm in harms:
        if harm.reason:
            say(console, f"λ = {harm.strength:g}: not proven, {harm.reason}")
    say(console)
    say(console, "bound: Proposition C.1, the lesser of span and λ / (1 - λ) · (F_c there - F_c at the optimum)")


def _signs(count: int) -> tuple[str, ...]:
    """What marks the points in the plot."""
    return tuple(SIGNS[:count]) if count <= len(SIGNS) else ("o",) * count


def _labels(count: int) -> tuple[str, ...]:
    """What the points are called in the table."""
    return tuple(SIGNS[:count]) if count <= len(SIGNS) else tuple(str(number) for number in range(1, count + 1))


def _cuts(values: list[float | None]) -> list[str]:
    """λs with as many decimals as tell them apart, from each other and from 0 and 1."""
    known = {0.0, 1.0, *(v for v in values if v is not None)}
    places = next((p for p in range(3, 12) if len({f"{v:.{p}f}" for v in known}) == len(known)), 12)
    return [UNKNOWN if v is None else f"{v:.{places}f}" if v else "0" for v in values]


def _known(values: list[float | None]) -> list[str]:
    words = iter(column([v for v in values if v is not None]))
    return [UNKNOWN if v is None else next(words) for v in values]


def _ratio(value: float | None) -> str:
    return UNKNOWN if value is None else f"{value:.4g}"
