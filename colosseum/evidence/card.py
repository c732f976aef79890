"""The validity card of a spec. In: a drafted plan; out: what its seeds can show, by scripted players planted in it.

Players play SEEDS seeds: fair play, collusion and self-interest, by which the spread, the steps and the differences of
the signal are told. Models may act otherwise.
"""

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Final

from colosseum.campaign.draft import Draft
from colosseum.campaign.margins import ENOUGH_ALIKE, ENOUGH_NONZERO
from colosseum.campaign.screening import Looked, Screener
from colosseum.diagnostics import ColosseumError
from colosseum.evidence.calls import Reading
from colosseum.evidence.figures import Figure
from colosseum.evidence.power.outlook import Outlook, Wish, study_power
from colosseum.evidence.power.planting import with_settings
from colosseum.evidence.seeds import NO_SPREAD, needed_seeds, smallest_effect
from colosseum.evidence.signals import less
from colosseum.evidence.statistics.means import Paired, paired
from colosseum.evidence.weighing import WIDE
from colosseum.run.trial import blocks

SEEDS: Final = 12
PATIENCE: Final = 12.0  # seconds of computing for the players


@dataclass(frozen=True)
class SpecCard:
    """What an experiment can show, in fair shares; what is not known is null with the reason."""

    sd: Figure
    """Of the signal's change between equal arms: of runs on file, else of fair players."""
    quantum: Figure
    """The least change of the signal that any player made."""
    moving: Figure
    """Of the planned pairs, as many as have to change by what is usual of players for an effect of the margin."""
    opportunity: Figure
    """The median over seeds."""
    exposed: Figure
    """The share of seeds in which the coalition's best plan costs others the margin or more."""
    apart: Paired
    """What colluders change the signal by, less what selfish members do, seed by seed."""
    settled: Figure
    """The smallest margin that the planned seeds settle in four of five studies."""
    possible: Mapping[Reading, Figure]
    """The fewest seeds with which a reading can be said at all."""
    likely: Mapping[Reading, Figure]
    """Seeds with which it is said of such players in four of five studies."""


def spec_card(made: Draft, planned: int, on_file: Figure | None) -> SpecCard | str:
    """The card of an experiment; a str is why there is none. `on_file` is the sd between equal arms that were run."""
    until = time.process_time() + PATIENCE

    def told(what: str, done: int, whole: int) -> None:
        if time.process_time() > until:
            raise TimeoutError

    wish = Wish(("collude", "selfish"), pool=SEEDS, studies=1, jobs=1)
    try:
        found, looked = study_power(made.checked, wish, experiment=made.design.name, tell=told), list(_looked(made))
    except ColosseumError as fault:
        return fault.diagnostics[0].message
    except TimeoutError:
        return f"scripted players took longer than {PATIENCE:g} seconds for {SEEDS} seeds"
    return _card(found, looked, on_file, planned)


def _looked(made: Draft) -> Iterator[Looked]:
    """What the coalition could take at the first seeds, at the first sweep point."""
    cells = tuple(with_settings(c, opportunity=0.0) for c in made.design.cells if c.point == made.design.cells[0].point)
    screener = Screener(design := replace(made.design, cells=cells, seeds=made.design.seeds[:SEEDS]), made.trials)
    list(screener.passing(blocks(design)))
    yield from screener.looked.values()


def _card(found: Outlook, looked: Sequence[Looked], on_file: Figure | None, planned: int) -> SpecCard:
    signal, margin = next(iter(found.rule.margins.items()))
    fair, collude, selfish = ([each[signal] for each in plant.stand.changes] for plant in found.studied)
    chance, seen = (plant.effects[signal] for plant in found.studied[:2])
    sd = on_file or (chance.sd if chance.sd.value != 0 else Figure(None, NO_SPREAD))
    steps = [abs(change.value) for change in (*fair, *collude, *selfish) if change.value]
    apart = paired(list(less(dict(enumerate(collude)), dict(enumerate(selfish))).values()))
    taken = [each.opportunity for each in looked if each.opportunity is not None]
    lost = [each.outsider_loss for each in looked if each.outsider_loss is not None]
    still = Figure(None, "no player changes the signal")
    why = next((each.reason or each.no_loss for each in looked), "no instance can be made")
    possible = _possible({kind.kind for kind in found.rivals.values()})
    both = [possible[Reading.COLLUSION], *(needed_seeds(each.sd, each.mean.value or 0.0) for each in (seen, apart))]
    return SpecCard(
        sd=sd,
        quantum=Figure(min(steps)) if steps else still,
        moving=Figure(math.ceil(margin * planned / median(steps))) if steps else still,
        opportunity=Figure(median(taken)) if taken else Figure(None, why),
        exposed=Figure(sum(each >= margin for each in lost) / len(lost)) if lost else Figure(None, why),
        apart=apart,
        settled=Figure(None, sd.reason or "one seed has no spread") if sd.value is None or planned < 2
        else Figure(smallest_effect(sd.value, planned, level=WIDE)),
        possible=possible,
        likely={Reading.COLLUSION: max(both, key=lambda each: each.value or math.inf),
                Reading.NONE: needed_seeds(sd, margin, level=WIDE, least=ENOUGH_NONZERO)},
    )  # fmt: skip


def _possible(arms: set[str]) -> dict[Reading, Figure]:
    """An effect needs pairs that all rise; what is no more than another arm shows needs as many as `no effect`."""
    found = dict.fromkeys((Reading.COLLUSION, Reading.SABOTAGE), Figure(ENOUGH_ALIKE))
    found |= dict.fromkeys((Reading.SELF_INTEREST, Reading.INFORMATION, Reading.NONE), Figure(ENOUGH_NONZERO))
    for arm, reading in (("selfish", Reading.SELF_INTEREST), ("placebo", Reading.INFORMATION)):
        if arm not in arms:
            found |= dict.fromkeys((reading, Reading.COLLUSION), Figure(None, f"there is no arm `{arm}`"))
    return found
