"""What coalitions could do, as blocks. In: a scenario, and a Prospect or a Scan; out: figures and harms, a ranking."""

from collections.abc import Iterator
from itertools import islice
from typing import Final

from colosseum.evidence.registry import REGISTRY, label
from colosseum.model.scenario import Scenario, Task
from colosseum.report.document import Amount, Block, Definitions, Paragraph, Table, TableCell
from colosseum.report.instances import heading
from colosseum.solve.questions.exposure import MEASURES, Scan
from colosseum.solve.questions.prospect import Prospect
from colosseum.solve.rounding import grain
from colosseum.solve.solver import NOT_PROVEN

LITTLE: Final = 0.1
"""An opportunity below this is called little: a tenth of a fair share."""


def frontier_blocks(scenario: Scenario, found: Prospect) -> Iterator[Block]:
    """The figures, then the points of the frontier, and the harm at single λs."""
    yield from heading(scenario, f"coalition {found.coalition.name}: {', '.join(found.coalition.members)}")
    aims = ", ".join(o.name for o in found.coalition.objectives) or "the sum of its members' payoffs"
    yield Paragraph(f"its objective: {aims}")
    yield prospect_table(found)
    yield Paragraph(opportunity_words(found))
    if found.frontier.points:
        yield point_table(found, scenario.task)
        if words := harmless_words(found):
            yield Paragraph(words)
        scan = f"`colosseum scan --size {len(found.coalition.members)}` shows what members can do alone"
        yield Paragraph(f"A plan is everybody's, the others' too; {scan}.", "quiet")
    for place, step in enumerate(found.frontier.steps, start=1):
        if step.reason:
            words = f"not proven: there may be more points between {place} and {place + 1}, {step.reason}"
            yield Paragraph(words, "warning")
    if found.harms:
        yield harm_table(found)


def prospect_table(found: Prospect) -> Table:
    """What there is to take, and from which λ on it is taken."""
    most = found.frontier.points[-1].coalition_value if found.frontier.points else None
    lost = found.harms[-1].outsider_loss if found.harms else None
    least, tied = found.least_opportunity, "; {:.4g} at the optimum that is best for it: the team has several"
    tied = tied.format(least) if least not in (None, found.opportunity) else ""
    why = {"best joint payoff": NOT_PROVEN, "worst joint payoff": NOT_PROVEN}
    why |= {name.replace("lambda", "λ").replace("_", " "): reason for name, reason in found.reasons.items()}
    rows = (
        ("best joint payoff", found.optimum.proven, "F_n at the optimum"),
        ("worst joint payoff", found.minimum.proven, "F_n at its least"),
        ("span", found.span, "best - worst: the most harm anybody can do"),
        ("coalition value", found.wanted, "F_c, what the coalition wants, at the optimum"),
        ("best coalition value", most, "F_c at its greatest"),
        ("opportunity", found.opportunity, f"how much more that is, in fair shares{tied}"),
        ("outsider loss", lost[1] if lost else None, "what others then lose at most, in fair shares"),
        ("critical λ", found.critical_lambda, "where the coalition's best plan is no longer the team's"),
        ("achievability", found.achievability, "the λ above which its best plan does the worst there is"),
    )
    cells = tuple(
        (name, Amount(value), meaning if value is not None else why.get(name, meaning)) for name, value, meaning in rows
    )
    return Table("prospects", "What the coalition can have", ("figure", "value", "what it is"), cells)


def opportunity_words(found: Prospect) -> str:
    """How much there is to take, in a sentence."""
    values = [point.coalition_value for point in found.frontier.points]
    if not values or found.among_optima is None:
        return f"How much there is to take is not known: {found.frontier.reason or NOT_PROVEN}."
    gain, free = values[-1] - found.among_optima[0], values[0] - found.among_optima[0]
    lost = found.harms[-1].outsider_loss
    others = f" Others lose up to {lost[1]:.2g} fair shares by it." if lost and lost[1] > 0 else ""
    if gain <= grain(values[-1]):
        return f"There is nothing to take: at the optimum the coalition has as much as it ever can.{others}"
    words = f"If all play along, the coalition can have {gain:.4g} more than at the optimum"
    if free > grain(values[0]):
        words += f", {free:.4g} of it at no cost to the team"
    if found.opportunity is None:
        return f"{words}.{others}"
    little = " That is little: runs will hardly tell colluders from others." * (found.opportunity < LITTLE)
    return f"{words}: {found.opportunity:.2g} fair shares.{others}{little}"


def harmless_words(found: Prospect) -> str:
    """Below which λ nobody is harmed; empty where that is not known."""
    lost = found.loss_of(found.frontier.points[0])
    if lost and lost[1] > 0:
        return f"No λ above 0 is harmless: others lose up to {lost[1]:.2g} fair shares where the team loses nothing."
    if lost is None or found.critical_lambda is None:
        return ""
    return f"Below λ = {found.critical_lambda:.3g} it is harmless: neither the team nor others lose."


def point_table(found: Prospect, task: Task) -> Table:
    """The best plans at λ, and who decides otherwise than at the optimum."""
    rows = tuple(
        (str(n), Amount(low, 3), Amount(p.joint_payoff), Amount(p.coalition_value), Amount(found.harm_of(p)),
         _loss(found.loss_of(p)), Amount(found.bound_of(p)), ", ".join(found.movers(p, task)))
        for n, (p, (low, _)) in enumerate(zip(found.frontier.points, found.frontier.ranges, strict=True), start=1)
    )  # fmt: skip
    title = "Best plans at λ, from all for the team (0) to all for the coalition (1)"
    columns = ("plan", "from λ", "F_n", "F_c", "harm", "others lose", "bound", "who decides otherwise")
    bound = "Proposition C.1, the lesser of span and λ / (1 - λ) · (F_c there - F_c at the optimum)"
    lose = "in fair shares, of what outsiders have at the optimum that is best for them"
    return Table("plans", title, columns, rows, (("others lose", lose), ("bound", bound)))


def _loss(found: tuple[float, float] | None) -> TableCell:
    """Both ends, where they differ."""
    if found is None or f"{found[0]:.3f}" == f"{found[1]:.3f}":
        return Amount(None if found is None else found[1], 3)
    return f"{found[0]:.3f} to {found[1]:.3f}"


def harm_table(found: Prospect) -> Table:
    """At single λ, among the coalition's best plans."""
    rows = tuple(
        (f"λ = {h.strength:g}", Amount(h.least), Amount(h.most, note=f"not proven, {h.reason}" if h.reason else ""),
         _loss(h.outsider_loss), Amount(h.bound))
        for h in found.harms
    )  # fmt: skip
    title = "Harm of a coalition that gets its way at λ, among its best plans"
    return Table("harm", title, ("λ", "least", "most", "others lose", "bound"), rows)


# ---- whom to watch -------------------------------------------------------------------------------------------------


def scan_blocks(scenario: Scenario, found: Scan, *, top: int = 10) -> Iterator[Block]:
    """The first coalitions of the ranking, then who is in most of them."""
    looked = f"{len(found.ranking):,}" if found.sampled else f"all {found.total:,}"
    drawn = f", drawn from {found.total:,}" * found.sampled
    yield from heading(scenario, f"{looked} coalitions of {found.size} of {len(scenario.task.agents)} agents{drawn}")
    if found.reason:
        yield Paragraph(found.reason)
        return
    yield scan_table(found, top)
    if 2 <= top < len(found.ranking):
        words = ", ".join(f"{agent} {times}" for agent, times in islice(found.most_often(top).items(), 8))
        yield Definitions(((f"most often among these {top}", words),))


def scan_table(found: Scan, top: int) -> Table:
    """A row a coalition, of which a terminal shows the first."""
    rows: tuple[tuple[TableCell, ...], ...] = tuple(
        (
            str(rank), ", ".join(each.coalition.members) + (f" ({each.coalition.name})" if each.coalition.name else ""),
            *(Amount(each.by(measure), note=each.reasons.get(measure, "")) for measure in MEASURES),
        )
        for rank, each in zip(found.ranks, found.ranking, strict=True)
    )  # fmt: skip
    facts = tuple((label(measure), REGISTRY[measure].meaning) for measure in MEASURES)
    title = f"What members alone could do while all others decide as at the optimum, by {found.by.replace('_', ' ')}"
    return Table("scan", title, ("rank", "coalition", *map(label, MEASURES)), rows, facts, most=top)
