"""What an audit settles, can show and will take, as pages. In: an AuditPlan or a Forecast; out: tables and facts.

A figure that is not known is said to be so with the reason, and is never 0.
"""

from collections.abc import Callable, Iterator
from dataclasses import fields

from colosseum.campaign.estimate import NOTHING, Runs, Spread
from colosseum.campaign.folder import Folder
from colosseum.campaign.margins import ENOUGH_ALIKE, ENOUGH_NONZERO, few_seeds
from colosseum.campaign.money import dollars
from colosseum.campaign.screening import screening_words
from colosseum.diagnostics import counted
from colosseum.evidence.audit_plan import SEEDS, AuditPlan, SpecCard
from colosseum.evidence.figures import Figure
from colosseum.evidence.forecast import Forecast
from colosseum.evidence.seeds import POWER, EqualArms, needed_seeds, smallest_effect
from colosseum.report.cells import change, described
from colosseum.report.document import Block, Definitions, Paragraph, Table, TableCell
from colosseum.report.page import cell_words
from colosseum.report.power import noise_blocks
from colosseum.report.words import WORDS, span

UNKNOWN = "unknown price"
BOUNDS = ("low", "likely", "high", "ceiling")


def plan_blocks(found: AuditPlan) -> Iterator[Block]:
    """Signal, margin, seeds, arms and power."""
    settled = found.registered
    yield Paragraph(found.title, "title")
    yield Paragraph(settled.question)
    margins = " and ".join(f"{name.replace('_', ' ')} {margin:g} u" for name, margin in settled.margins.items())
    facts = {
        "signal": settled.signal.replace("_", " "),
        "margin": f"{margins}, the least effect that matters; u is a fair share",
        "seeds": f"{settled.seeds}" + f", {settled.repeats} runs of each arm and seed" * (settled.repeats > 1),
        "control": settled.arms[0],
        "arms": ", ".join(settled.arms[1:]) or "none besides",
        "points": f"{len(settled.points)} of the sweep, each with all arms" if len(settled.points) > 1 else "",
        "rule": WORDS["notes"]["planned-rule"],
        "members": settled.fixed or "drawn from all agents, so that labels may be permuted",
        "digest": settled.digest,
        "screened": screening_words(found.screening) if found.screening else "",
    }
    margin, few = next(iter(settled.margins.values())), few_seeds(found.seeds)
    powers = [*([few] if few else []), *(needed_words(each, margin, found.seeds) for each in found.power)]
    yield Definitions((*((name, words) for name, words in facts.items() if words), *(("power", w) for w in powers)))
    if isinstance(found.card, str):
        yield Paragraph(f"What this spec can show is not known: {found.card}.")
    else:
        title = f"What it can show, by scripted players at {SEEDS} seeds, in fair shares"
        yield Definitions(tuple(_card(found.card, margin, found.seeds).items()), title)
    yield from noise_blocks(found.noise) if found.noise else ()
    kept = Folder(found.folder).plan_path
    yield Paragraph(f"An audit with the same options keeps this in {kept} before its first run.")


def _card(card: SpecCard, margin: float, planned: int) -> dict[str, str]:
    """The validity card: at most 11 lines of 80 columns."""
    by = {n: [r for r in card.possible if card.possible[r].value == n] for n in (ENOUGH_ALIKE, ENOUGH_NONZERO)}
    lacking = dict.fromkeys(figure.reason for figure in card.possible.values() if figure.reason)
    told = WORDS["card"] | {"spread": card.sd.reason} if card.sd.reason else WORDS["card"]
    figures = {each.name: getattr(card, each.name) for each in fields(card)}
    said = {name: "–" if figure.value is None else f"{figure.value:.3g}" for name, figure in figures.items()
            if isinstance(figure, Figure)}  # fmt: skip
    likely = "; ".join(f"{reading} from {each.value or '–'}" for reading, each in card.likely.items())
    possible = "; ".join([*(f"from {n} seeds {', '.join(each)}" for n, each in by.items() if each), *lacking])
    said |= {"apart": cell_words(change(card.apart)), "possible": possible, "likely": likely}
    return {name: words.format(**said, margin=margin, planned=planned) for name, words in told.items()}


def needed_words(each: EqualArms, margin: float, planned: int) -> str:
    """What the spread between two equal arms says of one sweep point; fewer than 20 seeds make no interval."""
    place, sd = f"{each.point}: " if each.point else "", each.paired.sd
    if sd.value is None:
        return f"{place}not known: {sd.reason} ({counted(each.paired.n, 'pair')} of `{each.arm}` and the control)"
    see = needed_seeds(sd, margin, least=ENOUGH_NONZERO)
    least = f"; {planned} seeds see one of {smallest_effect(sd.value, planned):.3g} u" if planned > 1 else ""
    return (
        f"{place}by the spread of `{each.arm}` ({sd.value:.3g} u over {each.paired.n} pairs), "
        f"{see.value or see.reason} seeds see an effect as large as the margin in {POWER:.0%} of studies{least}"
    )


def forecast_blocks(found: Forecast) -> Iterator[Block]:
    """Runs, calls, tokens and money."""
    yield Paragraph(f"{found.title}: a dry run, which asks nothing and writes nothing", "title")
    yield Paragraph(found.question)
    arms, columns = {**found.arms, "in all": found.runs}, tuple(each.name for each in fields(Runs))
    yield described("forecast", ((arm, *(getattr(runs, c) for c in columns)) for arm, runs in arms.items()), columns)
    if found.screening:
        yield Paragraph(f"Screened: {screening_words(found.screening)}.")
    if found.models or found.judges:
        yield bill_table(found)
        yield from (Paragraph(f"{m}: {WORDS['lengths'][found.lengths_from[m]]}.") for m in found.models)
        if found.blocks_measured:
            yield Paragraph(f"Corrected by {counted(found.blocks_measured, 'block')} of runs on file.")
        elif found.models:
            yield Paragraph("`--pilot 3` makes three blocks first, which count, and asks again with what they took.")
    else:
        yield Paragraph("No model is asked: scripted players cost nothing.")
    if facts := tuple(_money(found)):
        yield Definitions(facts, "Money")


def bill_table(found: Forecast, title: str = "What the missing runs will take") -> Table:
    """What the missing runs will take, by model and judge, and all of them together."""
    tables = {**found.models, **{f"judge {model}": each for model, each in found.judges.items()}}
    if len(tables) > 1:
        tables["in all"] = found.total
    rows: list[tuple[TableCell, ...]] = []
    for name, estimate in tables.items():
        for label in ("calls", "prompt_tokens", "completion_tokens"):
            rows.append((name, label.replace("_", " "), *_cells(getattr(estimate, label), "{:,.0f}".format)))
        dear = _cells(estimate.dollars, dollars) if estimate.dollars else (UNKNOWN, "", "", "")
        rows.append((name, "money", *dear))
    rows.append((rows[-1][0], "time in all", *_cells(found.seconds, span)[:3], ""))
    return described("bill", rows, title=title)


def _cells(bounds: Spread, worded: Callable[[float], str]) -> tuple[str, ...]:
    return tuple("" if (figure := getattr(bounds, name)) is None else worded(figure) for name in BOUNDS)


def _money(found: Forecast) -> Iterator[tuple[str, str]]:
    for model, price in found.prices.items():
        yield model, f"{dollars(price.prompt)} for a million tokens of prompt, {dollars(price.completion)} of answer"
    for model in found.unknown:
        yield model, f"{UNKNOWN}: give it with `--price {model}=IN,OUT`, or say `--no-budget`"
    if found.spent or found.unpriced:
        more = f" and {counted(found.unpriced, 'answer')} of unknown price" if found.unpriced else ""
        yield "spent so far", f"{dollars(found.spent)}{more}"
    if found.unfinished:
        yield "on file", f"{counted(found.unfinished, 'answer')} of runs that were begun, which are not paid for again"
    if found.budget is not None:
        yield "budget", f"{dollars(found.budget)}{_enough(found, found.budget)}"
    if found.run_budget is not None:
        yield "budget of a run", dollars(found.run_budget)


def _enough(found: Forecast, budget: float) -> str:
    """Whether a budget suffices, where that can be told."""
    if found.unknown or not found.runs.missing:
        return ""
    left, bill = budget - found.spent, found.total.dollars or NOTHING
    if left < bill.low:
        return ": probably less than the missing runs take, so that some will be left"
    return ": probably enough" if left >= bill.high else ": it may not be enough"
