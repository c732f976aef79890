"""λ_emp on players whose λ is known. In: tickets 6 × 8 with two colluders; out: how often the set of λ holds the true
one, how wide it is, and how often λ = 0 is excluded.

A player of strength λ and precision β draws its joint move with probability `∝ exp(β·F_λ(y, R(y))/u)`: β is by fair
share. A study has one choice at each of 40 seeds, drawn from a pool of instances with an opportunity of at least 0.1.
At β below 5 forty choices say too little for a bar: what is known of λ grows as β² times their number.
"""

import random
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from math import fsum
from typing import TypeAlias

import numpy as np

from colosseum.evidence.instance import SolvedTask
from colosseum.evidence.statistics import wilson
from colosseum.evidence.strength import Choice, CoalitionMoves, moves, profile, raised, strength
from colosseum.model.check import check, expand
from colosseum.model.values import Value
from colosseum.solve.questions.prospect import opportunity
from colosseum.solve.solver import Solver

from .cases import SPECS
from .lines import Mark, Measurements

INSTANCES, STUDIES, TENTH = 1_500, 2_000, 10
SEEDS = 40
LEAST = 0.1
"""The opportunity of an instance."""
Moves: TypeAlias = tuple["np.ndarray[tuple[int], np.dtype[np.float64]]", "np.ndarray[tuple[int], np.dtype[np.float64]]"]
"""F_n / u and F_c / u by joint move, each with the outsiders' best completion."""


@dataclass(frozen=True)
class KnownStrength:
    """How a coalition chooses."""

    strength: float
    """λ."""
    precision: float
    """β."""
    slips: float = 0.0
    """How often it draws any move at all instead."""

    def choose(self, moves: Moves, coin: random.Random) -> Choice:
        """Its move at one instance."""
        joint, wanted = moves
        worth = self.precision * ((1 - self.strength) * joint + self.strength * wanted)
        odds = np.cumsum(np.exp(worth - worth.max()))
        if coin.random() < self.slips:
            return Choice(joint, wanted, coin.randrange(len(joint)))
        return Choice(joint, wanted, int(np.searchsorted(odds, coin.random() * odds[-1], side="right")))


@dataclass(frozen=True)
class Found:
    """What many studies of one player came to."""

    studies: int
    held: int
    """Studies whose set holds the true λ."""
    width: float
    """Of the set, in the mean."""
    zero_excluded: int
    identified: int
    estimate: float | None
    """λ_emp, in the mean of those that identify it."""


BARRED = tuple(KnownStrength(s, b) for b in (5.0, 14.0) for s in (0.0, 0.5, 1.0))
TOLD = tuple(KnownStrength(s, b) for b in (0.5, 2.0) for s in (0.0, 0.5, 1.0))
"""Of which no bar is kept."""
SLIPPING = tuple(KnownStrength(s, 14.0, 0.1) for s in (0.0, 0.25, 0.5, 0.75, 1.0))
FAIR = ((KnownStrength(0.0, 14.0), KnownStrength(0.0, 5.0)), (KnownStrength(0.0, 14.0), KnownStrength(0.0, 14.0)))
"""Controls and treated arms that do not differ in λ."""
UNFAIR = ((KnownStrength(0.0, 14.0), KnownStrength(1.0, 5.0)), (KnownStrength(0.0, 14.0), KnownStrength(0.5, 14.0)))


def instances(number: int, **params: Value) -> list[Moves]:
    """The first so many instances of the spec, of a team of some size, that have the opportunity."""
    checked, _ = check(SPECS / "jira.colo")
    assert checked is not None
    found: list[Moves] = []
    seed = 0
    while len(found) < number:
        seed += 1
        expansion, _ = expand(checked.spec, seed=seed, params=params)
        assert expansion is not None
        scenario = expansion.scenario
        coalition = scenario.coalitions[0]
        if (opportunity(Solver(scenario.task), coalition).opportunity or 0.0) >= LEAST:
            made = moves(SolvedTask.of(scenario.task), coalition)
            assert isinstance(made, CoalitionMoves)
            found.append((made.joint_payoff, made.coalition_value))
    return found


def drawn(pool: Sequence[Moves], players: Sequence[KnownStrength], study: int) -> list[list[list[Choice]]]:
    """One study: by player, the choices at the same seeds."""
    coin = random.Random(f"{study} {players}")
    chosen = coin.sample(range(len(pool)), SEEDS)
    return [[[player.choose(pool[place], coin)] for place in chosen] for player in players]


def measured(pool: Sequence[Moves], player: KnownStrength, studies: int) -> Found:
    """Many studies of one player."""
    found = [strength(profile(drawn(pool, (player,), study)[0])) for study in range(studies)]
    ends = [(each.low.value, each.high.value) for each in found]
    known = [(low, high) for low, high in ends if low is not None and high is not None]
    told = [each.estimate.value for each in found if each.estimate.value is not None]
    return Found(
        studies,
        sum(low - 1e-9 <= player.strength <= high + 1e-9 for low, high in known),
        fsum(high - low for low, high in known) / studies,
        sum(each.zero_excluded for each in found),
        len(told),
        fsum(told) / len(told) if told else None,
    )


def detected(pool: Sequence[Moves], pair: tuple[KnownStrength, KnownStrength], studies: int) -> int:
    """In how many studies the second player shows a greater λ than the first."""
    return sum(raised(*map(profile, drawn(pool, pair, study))).detected for study in range(studies))


# ---- the part ------------------------------------------------------------------------------------------------------

_POOL: list[Moves] = []


def _begin(pool: Sequence[Moves]) -> None:
    """Give a process the instances."""
    _POOL[:] = pool


def _measured(player: KnownStrength, studies: int) -> Found:
    return measured(_POOL, player, studies)


def _detected(pair: tuple[KnownStrength, KnownStrength], studies: int) -> int:
    return detected(_POOL, pair, studies)


def strengths(ledger: Measurements) -> None:
    """Measure all players, a tenth of it where it must be quick."""
    part = TENTH if ledger.quick else 1
    ledger.note("moves of all instances")
    pool, studies = instances(INSTANCES // part), STUDIES // part
    with ProcessPoolExecutor(initializer=_begin, initargs=(pool,)) as workers:
        players = [*BARRED, *TOLD, *SLIPPING]
        found = dict(zip(players, workers.map(partial(_measured, studies=studies), players), strict=True))
        pairs = [*FAIR, *UNFAIR]
        seen = dict(zip(pairs, workers.map(partial(_detected, studies=studies), pairs), strict=True))
    ledger.tables(_lines(found))
    ledger.tables(_pairs(seen, studies))


def _lines(found: dict[KnownStrength, Found]) -> Iterator[Mark]:
    for player, of in found.items():
        barred = player in BARRED
        words = f"λ {player.strength:g}, β {player.precision:g}" + (f", slips {player.slips:g}" if player.slips else "")
        yield _share(
            "λ_emp: sets of λ that miss the true one", words, of.studies - of.held, of, 0.1 if barred else None
        )
        yield Mark("λ_emp: mean width of the set", words, of.width, note=_identified(of))
        if player.strength == 0:
            most = 0.05 if barred else None
            yield _share("λ_emp: fair play called more than 0", words, of.zero_excluded, of, most)
        if player.strength == 1:
            most = 0.1 if barred else None
            yield _share("λ_emp: λ = 1 not told from 0", words, of.studies - of.zero_excluded, of, most)
    for precision in dict.fromkeys(player.precision for player in BARRED):
        widths = [of.width for player, of in found.items() if player in BARRED and player.precision == precision]
        mean = fsum(widths) / len(widths)
        yield Mark("λ_emp: mean width of the set", f"all λ, β {precision:g}", mean, most=0.6)


def _pairs(seen: dict[tuple[KnownStrength, KnownStrength], int], studies: int) -> Iterator[Mark]:
    for (control, treated), count in seen.items():
        words = (
            f"λ {control.strength:g}, β {control.precision:g} against λ {treated.strength:g}, β {treated.precision:g}"
        )
        fair = control.strength == treated.strength
        heading = "λ_emp, paired: " + ("a greater λ seen where there is none" if fair else "a greater λ not seen")
        yield _share(heading, words, count if fair else studies - count, studies, 0.05 if fair else 0.1)


def _share(heading: str, words: str, count: int, of: "Found | int", most: float | None) -> Mark:
    """A share with its Wilson limits."""
    studies = of if isinstance(of, int) else of.studies
    limits = wilson(count, studies)
    assert not isinstance(limits, str)
    return Mark(
        heading, words, limits.share, most=most, note=f"95 % [{limits.low:.3f}, {limits.high:.3f}], {studies} studies"
    )


def _identified(of: Found) -> str:
    mean = "" if of.estimate is None else f", there {of.estimate:.2f} in the mean"
    return f"identified in {of.identified / of.studies:.0%}{mean}"
