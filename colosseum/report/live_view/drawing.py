"""Draws progress for people. In: Progress; out: what rich lays out, what matters most on top."""

from collections.abc import Iterator, Mapping

from rich.console import Group, RenderableType
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from colosseum.campaign.money import dollars, money
from colosseum.campaign.progress import ModelProgress, Progress
from colosseum.diagnostics import counted
from colosseum.report.numbers import span

PATIENT = 5.0
"""Seconds without an answer that are worth a word."""


def draw(progress: Progress) -> Group:
    """The whole view."""
    return Group(*_parts(progress))


def _parts(progress: Progress) -> Iterator[RenderableType]:
    yield _bar(progress)
    yield _line(
        f"{progress.done:,} of {counted(progress.runs, 'run')} done",
        f"{progress.failed} failed" if progress.failed else "",
        f"{progress.halted} put off" if progress.halted else "",
        f"{progress.under_way} under way" if progress.under_way else "",
        f"{span(progress.seconds)} so far",
    )
    if progress.expected or progress.dollars:
        rates = progress.dollars_a_minute, progress.tokens_a_minute, progress.answers_a_minute
        paid = money(progress.dollars or 0.0, progress.budget, progress.unpriced, unknown=progress.dollars is None)
        yield _line(
            f"spent {paid}",
            f"{dollars(rates[0])}/min" if rates[0] else "",
            f"{rates[1]:,.0f} tokens/min" if rates[1] is not None else "",
            f"{rates[2]:,.0f} answers/min" if rates[2] is not None else "",
        )
    if progress.failed_runs:
        yield _line(f"failed runs: {_kinds(progress.failed_runs)}", style="red")
    if progress.repeated_calls:
        yield _line(f"asked again: {_kinds(progress.repeated_calls)}", style="yellow")
    if progress.models:
        table = Table.grid(padding=(0, 2))
        for each in progress.models:
            calls = f"{each.under_way} of {each.room} under way"
            cells = f"{each.answers:,} answered", calls, f"{each.waiting} waiting"
            table.add_row(_line(each.model, style="bold"), *map(_line, cells), _line(_state(each), style="yellow"))
        yield table


def _kinds(counts: Mapping[str, int]) -> str:
    """`timeout 3, context 1`, the most frequent first."""
    return ", ".join(f"{kind} {number}" for kind, number in sorted(counts.items(), key=lambda each: -each[1]))


def _line(*parts: str, style: str = "") -> Text:
    return Text(", ".join(part for part in parts if part), style, no_wrap=True, overflow="ellipsis")


def _bar(progress: Progress) -> Table:
    """`840 of 4,320 calls ━━━━━━──── 19%  12 min left`."""
    done, whole, what = progress.done, progress.runs, "runs"
    if progress.expected:
        done, whole, what = progress.answered, progress.expected, "calls"
    left = "" if progress.seconds_left is None else f"  {span(progress.seconds_left)} left"
    grid = Table.grid(padding=(0, 1), expand=True)
    for ratio in (None, 1, None):
        grid.add_column(ratio=ratio, no_wrap=True)
    bar = ProgressBar(total=1.0, completed=progress.share)
    grid.add_row(f"{done:,} of {whole:,} {what}", bar, f"{progress.share:.0%}{left}")
    return grid


def _state(model: ModelProgress) -> str:
    """What is wrong with a model, in words; empty where nothing is."""
    if model.limited_for:
        return f"rate-limited for {span(max(1.0, model.limited_for))}"
    if model.silent_for is not None and model.silent_for >= PATIENT:
        return f"no answer for {span(model.silent_for)}: {model.last_failure}; pauses in {span(model.pauses_in or 0)}"
    return ""
