"""`colosseum plan`."""

import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Final

from colosseum.campaign.folder import Folder
from colosseum.campaign.model_options import read_asking
from colosseum.campaign.part import read_design
from colosseum.campaign.planning import configured, screened_before
from colosseum.campaign.registering import Registered, register
from colosseum.campaign.screening import Screener, screening_json, screening_words
from colosseum.campaign.work import Request, default_folder, resolved
from colosseum.cli.words import checked_spec, note, say_json, wants_color
from colosseum.diagnostics import ColosseumError
from colosseum.evidence.arms import kinds
from colosseum.evidence.figures import Figure, RunRecord
from colosseum.evidence.reading import Reader, Unreadable
from colosseum.evidence.seeds import POWER, Needed, needed, smallest_effect
from colosseum.evidence.statistics import ENOUGH_NONZERO
from colosseum.report.page import list_facts, page_on, say
from colosseum.run.trial import Block, Expansions, Trials, blocks

LEAST: Final = 2
"""Seeds that have a spread."""


def plan_file(request: Request, *, as_data: bool) -> int:
    """Say what would be settled before the first run. Asks nothing and writes nothing. Raises ColosseumError."""
    checked = checked_spec(request.file, params=request.params)
    design = read_design(checked, request.part, file=str(request.file), say=note)
    asking, expansions = read_asking(request.wanted, checked, design), Expansions(checked.spec, checked.params)
    asked = configured(checked.designs[design.name], expansions, resolved(request, asking)).configuration
    settled = register(
        checked.designs[design.name], checked.expansion.scenario, checked.spec,
        seeds=len(design.seeds), configuration=asked,
    )  # fmt: skip
    folder = Folder(request.out or default_folder(checked, request.part))
    trials = Trials(expansions, asking.adjust, asking.endpoint, request.couple)
    screener = Screener(checked.designs[design.name], trials, screened_before(folder, asked))
    passing = list(screener.passing(blocks(design)))
    if screener.diagnostics or not passing:
        raise ColosseumError(*(screener.diagnostics or [screener.nothing]))
    run = replace(settled, seeds=_run_at(passing)) if screener.screening else settled
    power = _power(run, folder)
    if as_data:
        found = screening_json(screener.screening)
        say_json({**asdict(settled), "screening": found, "power": _power_json(run, power)})
        return 0
    with page_on(sys.stdout, color=wants_color(sys.stdout.isatty())) as console:
        say(console, f"{checked.expansion.scenario.name}, experiment {design.name}", style="bold")
        say(console, settled.question)
        say(console)
        screened = [("screened", screening_words(screener.screening))] if screener.screening else []
        list_facts(console, [*_facts(settled), *screened, *(("power", words) for words in _power_words(run, power))])
        say(console)
        say(console, f"An audit with the same options keeps this in {folder.plan_path} before its first run.")
    return 0


def _run_at(passing: Sequence[Block]) -> int:
    """Seeds that are run at the sweep point where they are fewest."""
    seeds: dict[str, set[int]] = {}
    for block in passing:
        seeds.setdefault(block.point, set()).add(block.seed)
    return min(map(len, seeds.values()))


def _facts(settled: Registered) -> list[tuple[str, str]]:
    margins = [f"{name.replace('_', ' ')} {margin:g} u" for name, margin in settled.margins.items()]
    points = len(settled.points)
    return [
        ("signal", settled.signal.replace("_", " ")),
        ("margin", " and ".join(margins) + ", the least effect that matters; u is a fair share"),
        ("seeds", f"{settled.seeds}" + (f", {settled.repeats} runs of each arm and seed" * (settled.repeats > 1))),
        ("control", settled.arms[0]),
        ("arms", ", ".join(settled.arms[1:]) or "none besides"),
        *([("points", f"{points} of the sweep, each with all arms")] if points > 1 else []),
        ("words", "a judge's score has to rise by 1 point"),
        ("effect", "where the lower 95 % limit is above 0 after Benjamini-Hochberg over all arms, points and signals"),
        ("no effect", "where the upper 90 % limit is below the margin; else it is not settled"),
        ("members", settled.fixed or "drawn from all agents, so that labels may be permuted"),
        ("digest", settled.digest),
    ]


def _power(settled: Registered, folder: Folder) -> list[Needed]:
    """What runs of equal arms in the folder say of chance, by sweep point; none where there are none."""
    try:
        reader = Reader(folder.path)
        plan = reader.plan()
        arms = (plan.arms[0], *settled.arms[1:])
        records = reader.records(replace(plan, trials=tuple(t for t in plan.trials if t.arm in arms)))
    except Unreadable:
        return []
    return [each for point in dict.fromkeys(r.point for r in records) for each in _at(point, records, settled)]


def _at(point: str, records: Sequence[RunRecord], settled: Registered) -> list[Needed]:
    here = [r for r in records if r.point == point]
    signal, margin = next(iter(settled.margins.items()))
    twins = [arm for arm, kind in kinds(here, settled.arms).items() if kind.kind == "again"]
    return [
        needed(
            [r for r in here if r.arm == settled.arms[0]], [r for r in here if r.arm == twin],
            arm=twin, point=point, signal=signal, margin=margin, planned=settled.seeds,
        )
        for twin in twins if any(r.arm == twin for r in here)
    ]  # fmt: skip


def _power_words(settled: Registered, power: Sequence[Needed]) -> list[str]:
    found = [_words(each) for each in power if each.smallest.value is not None]
    if found:
        return found
    share = _in_deviations(settled)
    if share.value is None:
        return [share.reason]
    return [
        f"{settled.seeds} seeds see an effect of {share.value:.2f} standard deviations of the paired differences in "
        f"{POWER:.0%} of studies; runs of an arm `again` in the folder would say what that is in fair shares"
        f"{_few(settled.seeds)}"
    ]


def _few(seeds: int) -> str:
    """What it means that there are few."""
    if seeds >= ENOUGH_NONZERO:
        return ""
    return f". That is by Student's t: of fewer than {ENOUGH_NONZERO} seeds exact tests of signs decide, which see less"


def _words(each: Needed) -> str:
    place = f"{each.point}: " if each.point else ""
    seeds = f"{each.seeds_to_see.value:,.0f} seeds" if each.seeds_to_see.value else each.seeds_to_see.reason
    return (
        f"{place}by `{each.arm}`, {each.planned} seeds see an effect of {each.smallest.value or 0:.3g} u in "
        f"{POWER:.0%} of studies; for one as large as the margin: {seeds}{_few(each.planned)}"
    )


def _in_deviations(settled: Registered) -> Figure:
    if settled.seeds < LEAST:
        return Figure(None, "one seed has no spread")
    return Figure(smallest_effect(1.0, settled.seeds))


def _power_json(settled: Registered, power: Sequence[Needed]) -> dict[str, object]:
    return {
        "smallest_in_standard_deviations": asdict(_in_deviations(settled)),
        "by_equal_arms": [
            {
                "point": each.point,
                "arm": each.arm,
                "signal": each.signal,
                "sd": asdict(each.sd),
                "smallest": asdict(each.smallest),
                "seeds_to_see_the_margin": asdict(each.seeds_to_see),
            }
            for each in power
        ],
    }
