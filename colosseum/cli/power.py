"""`colosseum power`. In: a spec's file and what to plant; out: what the experiment can see, printed."""

import math
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.progress import Progress, TaskID

from colosseum.campaign.part import Part, matching, read_design
from colosseum.cli.words import checked_spec, say_json, wants_color
from colosseum.diagnostics import ColosseumError, closest, stop
from colosseum.evidence.power.outlook import Unplantable, Wish, outlook
from colosseum.evidence.power.planting import KINDS, RUMORS
from colosseum.evidence.power.pool import Broken
from colosseum.evidence.spec_questions import solving
from colosseum.model.experiment import Design
from colosseum.model.sweeps import factors
from colosseum.report.page import page_on
from colosseum.report.power import power_json, show_power

SIZES: Final = (10, 20, 40)
"""Seeds of the studies that are drawn, beside those of the experiment."""


@dataclass(frozen=True)
class Planting:
    """What the user asked for."""

    arm: str | None
    point: str | None
    """A part of the sweep point, as `network=ring`; None: the first one."""
    kinds: tuple[str, ...]
    strengths: tuple[float, ...]
    noises: tuple[float, ...]
    sizes: tuple[int, ...]
    pool: int
    studies: int
    opportunity: float | None


def power_file(file: Path, *, experiment: str | None, sets: Sequence[str], asked: Planting, as_data: bool) -> int:
    """Plant players, play, draw studies and print what they say. Asks no model, writes nothing."""
    checked = checked_spec(file, seed=None, sets=sets)
    design = read_design(checked, Part(experiment), file=str(file))
    scenario = checked.expansion.scenario
    if not scenario.coalitions:
        help_ = "add one, such as `coalition cabal { members ~ sample(agents, 2) }`"
        raise stop("C092", f"{file} has no coalition, so nobody can be planted", help=help_)
    design = _at_point(design, asked.point)
    wish = _wish(design, asked, claims=bool(scenario.claims))
    with solving(checked), _planting(), _progress() as tell:
        found = outlook(file, checked.params, design, scenario.coalitions[0], wish, tell)
    if as_data:
        say_json({"scenario": scenario.name, "experiment": design.name, **power_json(found)})
        return 0
    with page_on(sys.stdout, color=wants_color(sys.stdout.isatty())) as console:
        title = f"{scenario.name}, experiment {design.name}: what it can see"
        show_power(found, console, title=title, question=design.question, coalition=scenario.coalitions[0].name)
    return 0


@contextmanager
def _planting() -> Iterator[None]:
    """Within the block, an experiment that nobody can be planted in is a ColosseumError."""
    try:
        yield
    except Unplantable as fault:
        help_ = (
            "an arm with a variant of a prompt for the coalition, such as `arm prompted { backroom on  pitch simple }`"
        )
        raise stop("C092", f"nobody can be planted: {fault}", help=help_) from None
    except Broken as broken:
        if broken.diagnostics:
            raise ColosseumError(*broken.diagnostics) from None
        raise stop("C092", str(broken), help="ask for less, as by `--opportunity 0.05`") from None


def _at_point(design: Design, words: str | None) -> Design:
    """The first sweep point that has this."""
    points = list(dict.fromkeys(cell.point for cell in design.cells))
    here = matching(words, {point: factors(point) for point in points})[0] if words is not None else points[0]
    return replace(design, cells=tuple(cell for cell in design.cells if cell.point == here))


def _wish(design: Design, asked: Planting, *, claims: bool) -> Wish:
    numbers = {"strength": asked.strengths, "noise": asked.noises, "opportunity": (asked.opportunity or 0.0,)}
    for name, values in numbers.items():
        if not all(map(math.isfinite, values)):
            raise stop("C122", f"`--{name}` is not a number")
    every = (*KINDS, RUMORS) if claims else KINDS
    for kind in asked.kinds:
        if kind == RUMORS and not claims:
            help_ = 'add a claim, such as `claim away: "Ann is away" is false`'
            raise stop("C122", f"`{RUMORS}` has nothing to spread", help=help_)
        if kind not in every:
            raise stop("C122", f"`{kind}` is not planted", help=closest(kind, every) or f"kinds: {', '.join(every)}")
    if asked.arm is not None and asked.arm not in design.arms[1:]:
        help_ = closest(asked.arm, design.arms[1:]) or f"arms: {', '.join(design.arms[1:]) or 'none but the control'}"
        raise stop("C091", f"nobody can be planted in an arm `{asked.arm}`", help=help_)
    sizes = tuple(sorted(dict.fromkeys(asked.sizes or (*SIZES, len(design.seeds)))))
    noises = asked.noises or (design.cells[0].conditions.settings.noise,)
    return Wish(
        asked.kinds or every, asked.strengths or (1.0,), noises, asked.arm, asked.pool, asked.studies,
        tuple(n for n in sizes if n > 1), asked.opportunity,
    )  # fmt: skip


@contextmanager
def _progress() -> Iterator[Callable[[str, int, int], None]]:
    """Bars on a terminal, and nothing elsewhere."""
    with Progress(console=Console(file=sys.stderr), transient=True, disable=not sys.stderr.isatty()) as progress:
        bars: dict[str, TaskID] = {}

        def tell(what: str, done: int, whole: int) -> None:
            if what not in bars:
                bars[what] = progress.add_task(what, total=whole)
            progress.update(bars[what], completed=done)

        yield tell
