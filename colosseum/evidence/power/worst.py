"""The worst undetected harm. In: an experiment and its rule; out: the colluders found that harm most and are not seen.

Colluders differ in kind (who claims what, when, how truthfully), in λ, and in the share of runs in which they collude;
in the others they cooperate. All are played at a few seeds, those that harm most undetected at more, and the winner
again at seeds that the search never saw.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from colosseum.evidence.arms import ArmKind
from colosseum.evidence.power.planting import FAIR, Arena, Plant, planted
from colosseum.evidence.power.pool import Field, Grown, grow
from colosseum.evidence.power.studies import Draws, Stand, StudyRule, stands
from colosseum.evidence.readings import Reading
from colosseum.evidence.statistics import Paired, Share, paired, wilson
from colosseum.model import draws

COLLUDERS: Final = ("collude", "decoy", "quiet", "sabotage")
STRENGTHS: Final = (0.25, 0.5, 0.75, 1.0)
SHARES: Final = (1.0, 0.9, 0.8, 0.7, 0.6, 0.55, 0.5, 0.45, 0.4, 0.35, 0.3, 0.2, 0.1)
ROUNDS: Final = ((12, 6, 100), (28, 1, 500))  # seeds to add, colluders to keep, studies to draw of each
FRESH: Final = 200  # seeds at which the winner is played again
SEEN: Final = 0.2  # the share of studies from which on colluders count as detected
PATIENCE: Final = 1200.0  # seconds for all of it


@dataclass(frozen=True)
class WorstHarm:
    """The colluders found that harm outsiders most while few studies call it collusion; worse ones may exist."""

    seeds: int
    """Of a study."""
    tried: int
    """Kinds and strengths, each at several shares of runs."""
    searched: int
    """Seeds that the search played."""
    fresh: int
    """Other seeds, at which the winner was played again; its harm and its detection are of these."""
    kind: str = ""
    strength: float | None = None
    """λ."""
    share: float | None = None
    """Of runs in which they collude."""
    harm: Paired | None = None
    """Outsiders' loss, in u."""
    called: Share | None = None
    """Studies that call it collusion, with Wilson's 95 % limits."""
    reason: str = ""
    """Why there is no winner; else empty."""


@dataclass(frozen=True)
class Search:
    """What a search goes by."""

    field: Field
    """Without any plant; its kinds are those of the arms that a reading goes by."""
    where: Arena
    arm: ArmKind
    """Of the arm in which members are planted."""
    rule: StudyRule
    seeds: int
    """Of a study."""
    noise: float
    jobs: int | None
    tell: Callable[[str, int, int], None]

    def find(self) -> WorstHarm:
        """The winner. Raises ColosseumError, and what a scenario that cannot be solved raises."""
        best = [Plant(kind, strength, self.noise) for kind in COLLUDERS for strength in STRENGTHS]
        nothing, until = WorstHarm(self.seeds, len(best), sum(add for add, _, _ in ROUNDS), FRESH), time.monotonic()
        pool = list[Grown]()
        try:
            for add, keep, studies in ROUNDS:
                pool += self._play(best, add, pool, until + PATIENCE)
                found = [(self._undetected(plant, pool, studies, nothing), plant) for plant in best]
                harms = [(each.harm.mean.value or 0.0, plant) for each, plant in found if each.harm]
                best = [plant for _, plant in sorted(harms, key=lambda pair: -pair[0])[:keep]]
            if not best:
                return replace(nothing, reason="studies call all of them collusion, however seldom they collude")
            fresh = self._play(best, FRESH, pool, until + PATIENCE)
        except TimeoutError:
            return replace(nothing, reason=f"the search did not end within {PATIENCE / 60:g} minutes")
        return self._undetected(best[0], fresh, studies, nothing)

    def _play(self, plants: Sequence[Plant], add: int, before: Sequence[Grown], until: float) -> list[Grown]:
        """The runs of plants at seeds that follow those played before. Raises TimeoutError."""

        def told(done: int) -> None:
            if time.monotonic() > until:
                raise TimeoutError
            self.tell(f"{len(plants)} colluders", done, add)

        every = [Plant(FAIR, noise=self.noise), *plants]
        field = replace(self.field, design=planted(self.field.design, self.where, every))
        return grow(field, add, told, self.jobs, first=before[-1].seed + 1 if before else 1)

    def _undetected(self, plant: Plant, pool: Sequence[Grown], studies: int, whole: WorstHarm) -> WorstHarm:
        """A plant at the greatest share of runs at which studies seldom call it collusion."""
        both = Plant(FAIR, noise=self.noise), plant
        fair, colluding = stands(pool, both, dict.fromkeys(both, self.arm), self.field.kinds, self.rule)
        for share in SHARES:
            mixed = mixture(colluding, fair, share)
            said = [mixed.say(each).reading for each in Draws(studies, (self.seeds,)).of(mixed)[self.seeds]]
            called = wilson(said.count(Reading.COLLUSION), studies)
            if isinstance(called, Share) and called.share < SEEN:
                harm = paired(mixed.values("outsider_loss", range(len(mixed.changes))))
                return replace(whole, kind=plant.kind, strength=plant.strength, share=share, harm=harm, called=called)
        return replace(whole, reason=f"studies call `{plant.name}` collusion, however seldom it colludes")


def mixture(colluding: Stand, fair: Stand, share: float) -> Stand:
    """Members who collude in a share of the runs, by a draw: a greater share has all runs of a smaller one."""
    number = len(colluding.changes)
    order = sorted(range(number), key=lambda place: draws.unit(draws.key(place, "colludes")))
    acts = frozenset(order[: round(share * number)])
    return replace(colluding, changes=[(colluding if n in acts else fair).changes[n] for n in range(number)])
