"""Instances as blocks. In: a scenario, with optima, a score, a Prospect or a Scan; out: values, decisions, rankings."""

from collections.abc import Iterator, Mapping, Sequence

from colosseum.diagnostics import Source, counted
from colosseum.evidence.figures import REGISTRY, label
from colosseum.evidence.instance import LITTLE
from colosseum.evidence.metrics import Measured
from colosseum.evidence.spec_questions import Optima
from colosseum.model.scenario import Coalition, Scenario, Task
from colosseum.model.values import Value, text
from colosseum.report.cells import Row, amount, described
from colosseum.report.document import Amount, Block, Listing, Paragraph, Table, TableCell
from colosseum.solve.questions.exposure import MEASURES, Scan
from colosseum.solve.questions.prospect import Prospect
from colosseum.solve.scoring import grain, score
from colosseum.solve.solver import NOT_PROVEN, Optimum
from colosseum.solve.verify import Verification


def heading(scenario: Scenario, *words: str) -> Iterator[Block]:
    """Its name and title, then its seed and what is asked of it."""
    yield Paragraph(f"{scenario.name}: {scenario.title}" if scenario.title else scenario.name, "title")
    yield Paragraph(", ".join((f"seed {scenario.seed}", *words)))


def size_words(scenario: Scenario) -> str:
    """How many agents and variables it has."""
    return f"{counted(len(scenario.task.agents), 'agent')}, {counted(len(scenario.task.variables), 'variable')}"


def optima_blocks(optima: Optima) -> Iterator[Block]:
    """The values, then who does what at the optimum and what everybody earns."""
    yield from heading(optima.scenario, size_words(optima.scenario))
    yield value_table(optima)
    yield from assignment_tables(optima)


def instance_blocks(
    scenario: Scenario, optima: Optima | str, *, warnings: Sequence[str], sources: Sequence[Source]
) -> Iterator[Block]:
    """One instance: the optima or why they are not known, who can write to whom, and the spec."""
    if isinstance(optima, str):
        yield from heading(scenario, size_words(scenario))
        yield Paragraph(f"The optimum is not known: {optima}", "bad")
    else:
        yield from optima_blocks(optima)
    yield from (Paragraph(words, "warning") for words in warnings)
    off = "secret: off unless an arm turns it on"
    yield described("channels", ((c.name, off if c.secret else "", ", ".join(c.members)) for c in scenario.channels))
    yield from (Listing(source.name, source.text) for source in sources)


def value_table(optima: Optima) -> Table:
    """The best and the worst for all, and the best for each coalition, with proofs."""
    members = (f" ({', '.join(each.members) or 'nobody'})" for each in optima.scenario.coalitions)
    again = optima.verified or {}
    rows = (
        (name + whose, Amount(None if isinstance(found, str) else found.value),
         (open_words(found) or "optimal") + _again(again.get(name)))
        for (name, (*_, found)), whose in zip(optima.asked.items(), ("", "", *members), strict=True)
    )  # fmt: skip
    return described("optima", rows)


def _again(found: Verification | None) -> str:
    """What a second way says of a value."""
    if found is None:
        return ""
    if found.status == "agrees":
        return f", verified by {' and '.join(filter(None, (', '.join(found.by[:-1]), found.by[-1])))}"
    return f", {'not verified' if found.status == 'not verified' else 'WRONG'}: {found.reason}"


def open_words(best: Optimum | str) -> str:
    """Why a best is not known, or not proven; empty where it is."""
    if isinstance(best, str):
        return best
    if best.status == "infeasible":
        return "no assignment satisfies the hard requirements"
    if best.status == "optimal":
        return ""
    known = "" if best.value is None else f"bound {best.bound}, gap {best.gap}; "
    return f"not proven: {known}{best.reason or NOT_PROVEN}"


def assignment_tables(optima: Optima) -> Iterator[Block]:
    """Decisions and payoffs at the optimum and at each coalition's best; nothing where the optimum is not known."""
    task, best = optima.scenario.task, optima.optimum.assignment
    if best is None:
        return
    others = {n: o.assignment for n, o in optima.coalitions.items() if isinstance(o, Optimum) and o.assignment}
    where, every = ("at the optimum", *(f"at best of {name}" for name in others)), (best, *others.values())
    decided = ((v.name, v.owner, *(text(found[v.name]) for found in every)) for v in task.variables)
    yield described("decisions", decided, where)
    scores = [score(task, found) for found in every]
    earned: list[Row] = [(agent, *(Amount(found.payoff[agent]) for found in scores)) for agent in task.agents]
    yield described("payoffs", earned, where)
    if broken := scores[0].broken:
        yield Paragraph(f"the optimum itself breaks {counted(len(broken), 'rule')}, such as {broken[0]}")


def score_blocks(
    measured: Measured, scenario: Scenario, coalition: Coalition | None, undecided: Mapping[str, Value]
) -> Iterator[Block]:
    """The figures of the assignment, then payoff and regret by agent, then what is broken and what was filled in."""
    who = [f"coalition {coalition.name}: {', '.join(coalition.members) or 'nobody'}"] if coalition else []
    yield from heading(scenario, *who)
    figures = {**measured.scalars, **(measured.closer if coalition else {})}
    told = ((label(key), Amount(each.value), each.reason or REGISTRY[key].meaning) for key, each in figures.items())
    yield described("figures", told)
    members, paid = coalition.members if coalition else (), measured.score.payoff
    regrets = (measured.best_response_regret, measured.sequential_regret)
    rows: list[Row] = [(a + " *" * (a in members), Amount(paid[a]), *(amount(r[a]) for r in regrets)) for a in paid]
    yield described("agents", rows, facts=[("*", "in the coalition")] if members else [])
    if measured.score.broken:
        yield Paragraph(f"breaks: {', '.join(measured.score.broken)}")
    if undecided:
        filled = ", ".join(f"{name} = {text(value)}" for name, value in undecided.items())
        yield Paragraph(f"undecided, so counted as: {filled}")


def frontier_blocks(scenario: Scenario, found: Prospect) -> Iterator[Block]:
    """The figures, then the points of the frontier, and what single λs cost."""
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
        yield Paragraph(f"In a plan all decide as it says, the others too; {scan}.", "quiet")
    for place, step in enumerate(found.frontier.steps, start=1):
        if step.reason:
            words = f"not proven: there may be more points between {place} and {place + 1}, {step.reason}"
            yield Paragraph(words, "warning")
    if found.harms:
        yield harm_table(found)


def prospect_table(found: Prospect) -> Table:
    """What the coalition can gain, and from which λ on it does; what each plan comes to stands in `point_table`."""
    rows = (
        ("best joint payoff", "", found.optimum.proven, "F_n at the optimum"),
        ("worst joint payoff", "", found.minimum.proven, "F_n at its least"),
        ("span", "span", found.span, "best - worst: the most that anybody can cost the team"),
        ("opportunity", "opportunity", found.opportunity, REGISTRY["opportunity"].meaning),
        ("critical λ", "critical_lambda", found.critical_lambda, "from here on one of its best plans costs the team"),
        ("achievability", "achievability", found.achievability, "from here on its best plan does the worst there is"),
    )
    cells = ((name, Amount(value), meaning if value is not None else found.reasons.get(key, NOT_PROVEN))
             for name, key, value, meaning in rows)  # fmt: skip
    return described("prospects", cells)


def opportunity_words(found: Prospect) -> str:
    """What the coalition can gain, in a sentence."""
    values = [point.coalition_value for point in found.frontier.points]
    if not values or found.among_optima is None:
        return f"What the coalition can gain is not known: {found.frontier.reason or NOT_PROVEN}."
    gain, free = values[-1] - found.among_optima[0], values[0] - found.among_optima[0]
    lost = found.harms[-1].outsider_loss
    most = f"up to {lost[1]:.2g} fair shares" if lost and lost[1] > 0 else ""
    if gain <= grain(values[-1]):
        others = f" Plans that are as good for it cost the others {most}." if most else ""
        return f"There is nothing to gain: at the optimum the coalition has as much as it ever can.{others}"
    others = f" Others lose {most} by it." if most else ""
    words = f", {free:.4g} of it at no cost to the team" if free > grain(values[0]) else ""
    if found.opportunity is not None:
        little = " That is little: runs will hardly tell colluders from others." * (found.opportunity < LITTLE)
        words, others = f"{words}: {found.opportunity:.2g} fair shares", others + little
    return f"If all play along, the coalition can have {gain:.4g} more than at the optimum{words}.{others}"


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
    rows = (
        (str(n), Amount(low, 3), Amount(p.joint_payoff), Amount(p.coalition_value), Amount(found.harm_of(p)),
         _loss(found.loss_of(p)), Amount(found.bound_of(p)), ", ".join(found.movers(p, task)))
        for n, (p, (low, _)) in enumerate(zip(found.frontier.points, found.frontier.ranges, strict=True), start=1)
    )  # fmt: skip
    return described("plans", rows)


def _loss(found: tuple[float, float] | None) -> TableCell:
    """Both ends, where they differ."""
    if found is None or f"{found[0]:.3f}" == f"{found[1]:.3f}":
        return Amount(None if found is None else found[1], 3)
    return f"{found[0]:.3f} to {found[1]:.3f}"


def harm_table(found: Prospect) -> Table:
    """At single λ, among the coalition's best plans."""
    rows = (
        (f"λ = {h.strength:g}", Amount(h.least), Amount(h.most, note=f"not proven, {h.reason}" if h.reason else ""),
         _loss(h.outsider_loss), Amount(h.bound))
        for h in found.harms
    )  # fmt: skip
    return described("harm", rows)


def scan_blocks(scenario: Scenario, found: Scan, *, top: int = 10) -> Iterator[Block]:
    """The first coalitions of the ranking."""
    some, whole = len(found.ranking), f"{found.total:,}"
    looked, drawn = (f"{some:,}", f", drawn from {whole}") if 0 < some < found.total else (f"all {whole}", "")
    yield from heading(scenario, f"{looked} coalitions of {found.size} of {len(scenario.task.agents)} agents{drawn}")
    if found.reason:
        yield Paragraph(found.reason)
        return
    yield scan_table(found, top)


def scan_table(found: Scan, top: int) -> Table:
    """A row a coalition, of which a terminal shows the first."""
    facts = [(label(measure), REGISTRY[measure].meaning) for measure in MEASURES]
    return described("scan", (
        (
            str(rank), ", ".join(each.coalition.members) + (f" ({each.coalition.name})" if each.coalition.name else ""),
            *(Amount(each.by(measure), note=each.reasons.get(measure, "")) for measure in MEASURES),
        )
        for rank, each in zip(found.ranks, found.ranking, strict=True)
    ), map(label, MEASURES), facts=facts, most=top, by=label(found.by))  # fmt: skip
