"""What a campaign will take, as a page and as JSON. In: a Forecast; out: tables and facts on a console, a dictionary.

A figure that is not known is said to be so with the reason, and is never 0.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields

from colosseum.campaign.estimate import NOTHING, Bounds
from colosseum.campaign.lengths import Basis
from colosseum.campaign.money import dollars
from colosseum.campaign.screening import screening_words
from colosseum.campaign.survey import Runs
from colosseum.diagnostics import counted
from colosseum.evidence.forecast import Forecast
from colosseum.report.document import Block, Definitions, Heading, Paragraph, Table, TableCell
from colosseum.report.numbers import span
from colosseum.report.plan import needed_words

UNKNOWN = "unknown price"
WHERE: Mapping[Basis, str] = {
    "defaults": "nothing is known of it, so these are defaults",
    "this model in other specs": "as this machine saw it in other specs",
    "this model in this spec": "as this machine saw it in this spec",
    "runs in this folder": "measured in this folder",
}
COLUMNS = ("low", "likely", "high", "ceiling")


def forecast_blocks(found: Forecast) -> Iterator[Block]:
    """Runs, calls, tokens, money, and the seeds that it takes."""
    yield Paragraph(f"{found.title}: a dry run, which asks nothing and writes nothing", "title")
    yield Paragraph(found.question)
    arms, columns = {**found.survey.arms, "in all": found.survey.runs}, tuple(each.name for each in fields(Runs))
    rows = tuple((arm, *(getattr(runs, column) for column in columns)) for arm, runs in arms.items())
    yield Table("runs", "Runs", ("arm", *columns), rows)
    if found.screening:
        yield Paragraph(f"Screened: {screening_words(found.screening)}.")
    if found.outlook.models or found.judges:
        yield bill_table(found)
        yield from map(Paragraph, _how(found))
    else:
        yield Paragraph("No model is asked: scripted players cost nothing.")
    if facts := tuple(_money(found)):
        yield Definitions(facts, "Money")
    yield Heading("Seeds needed")
    yield from map(Paragraph, _seeds(found))


def bill_table(found: Forecast, title: str = "What the missing runs will take") -> Table:
    """What the missing runs will take, by model and judge, and all of them together."""
    tables = {**found.outlook.models, **{f"judge {model}": each for model, each in found.judges.items()}}
    if len(tables) > 1:
        tables["in all"] = found.total
    rows: list[tuple[TableCell, ...]] = []
    for name, estimate in tables.items():
        for label in ("calls", "prompt_tokens", "completion_tokens"):
            rows.append((name, label.replace("_", " "), *_cells(getattr(estimate, label), short)))
        dear = _cells(estimate.dollars, dollars) if estimate.dollars else (UNKNOWN, "", "", "")
        rows.append((name, "money", *dear))
    seconds = found.outlook.seconds
    rows.append((rows[-1][0], "time in all", *(span(getattr(seconds, name)) for name in COLUMNS[:3]), ""))
    return Table("bill", title, ("model", "", *COLUMNS), tuple(rows), grouped=True)


def _cells(bounds: Bounds, worded: Callable[[float], str]) -> tuple[str, ...]:
    figures = (bounds.low, bounds.likely, bounds.high, bounds.ceiling)
    return tuple("" if figure is None else worded(figure) for figure in figures)


def short(number: float) -> str:
    """A count with three digits or so."""
    for least, sign in ((999.5e6, "B"), (999.5e3, "M"), (9999.5, "k")):
        if number >= least:
            return f"{number / {'B': 1e9, 'M': 1e6, 'k': 1e3}[sign]:.3g}{sign}"
    return f"{number:,.0f}"


def _how(found: Forecast) -> Iterator[str]:
    """What the figures rest on."""
    ahead = found.outlook
    yield (
        "Low to high holds 9 bills of 10. The ceiling, by which the budget reserves, is what every step of every turn "
        "with every token of every answer would take. The real prompts of one block of every sweep point were rendered."
    )
    for model in ahead.models:
        each, where = ahead.habits[model], WHERE[ahead.basis[model]]
        yield (
            f"{model}: {each.planning_calls:.1f} calls a planning turn, {each.deciding_calls:.1f} to decide, "
            f"{each.completion_tokens:.0f} tokens a reply (thinking included), {each.posts:.1f} posts a turn of "
            f"{each.post_bytes / each.bytes_per_token:.0f} tokens, {each.bytes_per_token:.1f} bytes a token, "
            f"{each.seconds:.1f} s a call: {where}."
        )
    if ahead.blocks:
        yield f"Corrected by {counted(ahead.blocks, 'block')} of runs on file."
    elif ahead.models:
        yield "`--pilot 3` makes three blocks first, which count, and asks again with what they took."


def _money(found: Forecast) -> Iterator[tuple[str, str]]:
    for model, price in found.prices.items():
        words = f"{_amount(price.prompt)} for a million tokens of prompt, {_amount(price.completion)} of answer"
        if price.long:
            long = f"{_amount(price.long.prompt)} and {_amount(price.long.completion)}"
            words += f"; {long} where the prompt has more than {price.long.above:,}"
        yield model, words
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


def _amount(price: float) -> str:
    return f"${price:.2f}" if price == round(price, 2) else f"${price:g}"


def _enough(found: Forecast, budget: float) -> str:
    """Whether a budget suffices, where that can be told."""
    if found.unknown or not found.survey.missing:
        return ""
    left, bill = budget - found.spent, found.total.dollars or NOTHING
    if left < bill.low:
        return ": probably less than the missing runs take, so that some will be left"
    return ": probably enough" if left >= bill.high else ": it may not be enough"


def _seeds(found: Forecast) -> Iterator[str]:
    if found.no_seeds:
        yield f"Not known: {found.no_seeds}."
    for each in found.needed:
        yield f"{needed_words(each)}."
