"""What a campaign will take, as a page and as JSON. In: a Prospect; out: tables and facts on a console, a dictionary.

A figure that is not known is said to be so with the reason, and is never 0.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from colosseum.audit.campaign.estimate import Measured, Runs, Survey
from colosseum.audit.campaign.folder import Screening
from colosseum.audit.campaign.purse import BYTES
from colosseum.audit.campaign.rehearsal import SPARSE, Bounds, Load
from colosseum.cli.watching.wording import dollars
from colosseum.diagnostics import counted
from colosseum.evidence.figures import Figure
from colosseum.evidence.seeds import POWER, Needed
from colosseum.evidence.statistics import ENOUGH_NONZERO
from colosseum.players.models.reply import Price
from colosseum.report.page import Grid, list_facts, say, say_heading, show_grid
from colosseum.report.screening import screening_json, screening_words

UNKNOWN = "unknown price"
NO_TIME = "how long it takes depends on the providers' limits, so it is not told"


@dataclass(frozen=True)
class Prospect:
    """Everything that a dry run finds out."""

    title: str
    """The scenario and the experiment."""
    question: str
    folder: Path
    survey: Survey
    seed: int
    """Whose block was rehearsed."""
    loads: Mapping[str, Bounds]
    """By model, of the missing runs."""
    judges: Mapping[str, Bounds]
    """By judge, of the runs that are not judged yet."""
    prices: Mapping[str, Price]
    measured: Sequence[Measured]
    spent: float
    """US dollars so far, as far as prices are known."""
    unpriced: int
    """Answers so far without a known price."""
    unfinished: int
    """Answers on file of runs that were begun, which are not paid for again."""
    budget: float | None
    """Of all runs; of a shard, its part."""
    run_budget: float | None
    needed: Sequence[Needed]
    """By sweep point."""
    no_seeds: str
    """Why there is none; else empty."""
    screening: Screening | None
    """Which seeds are left out."""

    @property
    def unknown(self) -> list[str]:
        """Models without a known price."""
        return [model for model in {**self.loads, **self.judges} if model not in self.prices]

    @property
    def total(self) -> Bounds:
        """Of all models."""
        whole = Bounds(Load(), Load())
        for each in (*self.loads.values(), *self.judges.values()):
            whole.low.add(each.low)
            whole.high.add(each.high)
        return whole


# ---- JSON ----------------------------------------------------------------------------------------------------------


def as_json(found: Prospect) -> dict[str, object]:
    """The same as data."""
    unknown = ", ".join(f"`{model}`" for model in found.unknown)
    return {
        "schema": 1,
        "title": found.title,
        "question": found.question,
        "folder": str(found.folder),
        "runs": {**_runs(found.survey.runs), "arms": {arm: _runs(runs) for arm, runs in found.survey.arms.items()}},
        "models": {model: _load(found, model, bounds) for model, bounds in found.loads.items()},
        "judges": {model: _load(found, model, bounds) for model, bounds in found.judges.items()},
        "total": _bounds(found.total, f"the price of {unknown} is not known" if unknown else ""),
        "tokens_are": {
            "estimated": True,
            "bytes_for_one": {"low": SPARSE, "high": BYTES},
            "rehearsed_seed": found.seed,
        },
        "measured": [_measured(each) for each in found.measured],
        "spent": {"dollars": found.spent, "answers_of_unknown_price": found.unpriced},
        "answers_of_unfinished_runs": found.unfinished,
        "budget": {"campaign": found.budget, "run": found.run_budget},
        "seconds": {"value": None, "reason": NO_TIME},
        "screening": screening_json(found.screening),
        "seeds": {"points": [_needed(each) for each in found.needed], "reason": found.no_seeds or None},
    }


def _load(found: Prospect, model: str, bounds: Bounds) -> dict[str, object]:
    unknown = "" if model in found.prices else f"the price of `{model}` is not known"
    return {"price": _price(found.prices.get(model)), **_bounds(bounds, unknown)}


def _runs(runs: Runs) -> dict[str, object]:
    return {"planned": runs.planned, "complete": runs.complete, "failed": runs.failed, "missing": runs.missing}


def _price(price: Price | None) -> dict[str, object] | None:
    if price is None:
        return None
    long = price.long and {"above": price.long.above, "prompt": price.long.prompt, "completion": price.long.completion}
    return {"prompt": price.prompt, "completion": price.completion, "long_prompts": long}


def _bounds(bounds: Bounds, unknown: str) -> dict[str, object]:
    def both(name: str) -> dict[str, int]:
        return {"low": round(getattr(bounds.low, name)), "high": round(getattr(bounds.high, name))}

    return {
        "calls": both("calls"),
        "prompt_tokens": both("prompt_tokens"),
        "completion_tokens": both("completion_tokens"),
        "dollars": None if unknown else {"low": bounds.low.dollars, "high": bounds.high.dollars},
        "reason": unknown or None,
    }


def _measured(each: Measured) -> dict[str, object]:
    unpriced = f"{counted(each.unpriced, 'answer')} without a known price" if each.unpriced else None
    uncounted = f"{counted(each.uncounted, 'answer')} without a count of tokens" if each.uncounted else None
    return {
        "models": each.team,
        "complete_runs": each.runs,
        "a_run": {
            "calls": each.calls,
            "prompt_tokens": each.prompt_tokens,
            "completion_tokens": each.completion_tokens,
            "tokens_reason": uncounted,
            "dollars": each.dollars,
            "dollars_reason": unpriced,
        },
        "missing_runs": {"number": each.missing, "dollars": each.missing_dollars, "reason": unpriced},
    }


def _needed(each: Needed) -> dict[str, object]:
    return {
        "point": each.point,
        "arm": each.arm,
        "signal": each.signal,
        "pairs": each.pairs,
        "differing": each.differing,
        "sd": _figure(each.sd),
        "sd_limits": [_figure(figure) for figure in each.sd_limits],
        "margin": each.margin,
        "seeds": _figure(each.seeds),
        "seeds_limits": [_figure(figure) for figure in each.seeds_limits],
        "seeds_to_see_the_margin": _figure(each.seeds_to_see),
        "planned": each.planned,
        "half_width": _figure(each.half_width),
        "smallest_effect": _figure(each.smallest),
        "power": POWER,
    }


def _figure(figure: Figure) -> dict[str, object]:
    return {"value": figure.value, "reason": figure.reason or None}


# ---- the page ------------------------------------------------------------------------------------------------------


def show(found: Prospect, console: Console) -> None:
    """Print the page."""
    say(console, f"{found.title}: a dry run, which asks nothing and writes nothing", style="bold")
    if found.question:
        say(console, found.question)
    say_heading(console, "Runs")
    show_grid(console, _table_of_runs(found.survey))
    if found.screening:
        say(console, f"Screened: {screening_words(found.screening)}.")
    if found.loads or found.judges:
        say_heading(console, "What the missing runs will take, at least – at most")
        show_grid(console, _table_of_loads(found))
        say(console)
        for paragraph in _how(found):
            say(console, paragraph)
    else:
        say(console)
        say(console, "No model is asked: scripted players cost nothing.")
    facts = [*_money(found), *_so_far(found)]
    if facts:
        say_heading(console, "Money")
        list_facts(console, facts)
    say_heading(console, "Seeds needed")
    for paragraph in _seeds(found):
        say(console, paragraph)


def _table_of_runs(survey: Survey) -> Grid:
    rows = {**survey.arms, "in all": survey.runs}
    columns = ("planned", "complete", "failed", "missing")
    cells = tuple(tuple(f"{getattr(runs, column):,}" for column in columns) for runs in rows.values())
    return Grid(tuple(rows), columns, cells, turns=False)


def _table_of_loads(found: Prospect) -> Grid:
    rows = {**found.loads, **{f"judge {model}": bounds for model, bounds in found.judges.items()}}
    if len(rows) > 1:
        rows["in all"] = found.total
    unknown = {*found.unknown, *(f"judge {model}" for model in found.unknown), *(["in all"] if found.unknown else [])}
    cells = tuple(
        (
            _range(short(bounds.low.calls), short(bounds.high.calls)),
            _range(short(bounds.low.prompt_tokens), short(bounds.high.prompt_tokens)),
            _range(short(bounds.low.completion_tokens), short(bounds.high.completion_tokens)),
            UNKNOWN if name in unknown else _range(dollars(bounds.low.dollars), dollars(bounds.high.dollars)),
        )
        for name, bounds in rows.items()
    )
    return Grid(tuple(rows), ("calls", "prompt tokens", "completion tokens", "money"), cells, turns=False)


def _range(low: str, high: str) -> str:
    return low if low == high else f"{low} – {high}"


def short(number: float) -> str:
    """A count with three digits or so."""
    for least, sign in ((999.5e6, "B"), (999.5e3, "M"), (9999.5, "k")):
        if number >= least:
            return f"{number / {'B': 1e9, 'M': 1e6, 'k': 1e3}[sign]:.3g}{sign}"
    return f"{number:,.0f}"


def _how(found: Prospect) -> Iterator[str]:
    """How the bounds were found."""
    yield (
        "At least: one call a turn, in which nothing is said and nothing is decided. At most: every step of every turn "
        "is used, every answer has `max_tokens`, and all of it is posted where most others read it."
    )
    if found.judges:
        yield "A judge is asked nothing about a run in which nobody says anything; at most it needs all of its tries."
    point = "of every sweep point " if len(found.survey.examples) > 1 else ""
    yield (
        f"The real prompts of one block {point}(all arms at seed {found.seed}) were rehearsed; they stand for all. "
        f"Tokens are estimated from bytes of prompts and answers: {SPARSE:g} for one at least, {BYTES:g} at most."
    )
    yield f"Every model is asked once more beforehand, whether it can play or judge. No time is promised: {NO_TIME}."


def _money(found: Prospect) -> Iterator[tuple[str, str]]:
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


def _enough(found: Prospect, budget: float) -> str:
    """Whether a budget suffices, where that can be told."""
    if found.unknown or not found.survey.missing:
        return ""
    left, whole = budget - found.spent, found.total
    if left < whole.low.dollars:
        return ": less than the missing runs take at least, so that some will be left"
    return ": enough, whatever is said" if left >= whole.high.dollars else ": it may not be enough"


def _so_far(found: Prospect) -> Iterator[tuple[str, str]]:
    """What complete runs say of those that are missing."""
    for each in found.measured:
        took = f"{each.calls:.3g} calls"
        if each.prompt_tokens is not None and each.completion_tokens is not None:
            took += f", {short(each.prompt_tokens)} + {short(each.completion_tokens)} tokens"
        else:
            took += f", tokens not counted for {counted(each.uncounted, 'answer')}"
        took += f", {UNKNOWN}" if each.dollars is None else f", {dollars(each.dollars)}"
        words = f"a run with {each.team} took {took}, as the mean of {counted(each.runs, 'complete run')}"
        if each.missing and each.missing_dollars is not None:
            words += f"; by that, the {each.missing:,} missing will take {dollars(each.missing_dollars)}"
        yield "so far", words


def _seeds(found: Prospect) -> Iterator[str]:
    if found.no_seeds:
        yield f"Not known: {found.no_seeds}."
    for each in found.needed:
        yield _needed_words(each)


def _needed_words(each: Needed) -> str:
    """One sweep point's seeds in a paragraph."""
    place = f"{each.point}: " if each.point else ""
    signal = each.signal.replace("_", " ")
    if each.sd.value is None:
        return f"{place}not known: {each.sd.reason} ({counted(each.pairs, 'pair')} of `{each.arm}` and the control)."
    low, high = (figure.value or 0.0 for figure in each.sd_limits)
    by = "by chance" if place else "By chance"
    words = (
        f"{place}{by} alone, `{each.arm}` differs from the control in {signal} with a standard deviation of "
        f"{each.sd.value:.3g} fair shares (95 % limits {low:.3g} and {high:.3g}; {each.pairs} pairs, of which "
        f"{each.differing} differ)."
    )
    if each.margin:
        words += f" For a 95 % interval of ± {each.margin:g}, the margin: {_number(each.seeds)} seeds ("
        words += (
            f"{_number(each.seeds_limits[0])} to {_number(each.seeds_limits[1])} at these limits); to see an effect "
        )
        words += f"of {each.margin:g} in {POWER:.0%} of studies: {_number(each.seeds_to_see)}."
    if each.half_width.value is not None and each.smallest.value is not None:
        words += (
            f" The {each.planned} planned make an interval of ± {each.half_width.value:.3g} and show an effect of "
            f"{each.smallest.value:.3g} in {POWER:.0%} of studies."
        )
        if each.planned < ENOUGH_NONZERO:
            words += f" Fewer than {ENOUGH_NONZERO} have no interval: exact tests of signs decide, and see less."
    if each.differing < ENOUGH_NONZERO:
        words += f" With fewer than {ENOUGH_NONZERO} pairs that differ, this is a first guess."
    return words


def _number(figure: Figure) -> str:
    return figure.reason if figure.value is None else f"{figure.value:,.0f}"
