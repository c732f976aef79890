"""What seeds offer, and what a source states of its judges. In: a folder; out: opportunities, agreement of judges."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache, partial
from itertools import combinations
from typing import Final

from pydantic import TypeAdapter

from colosseum.campaign.folder import Plan
from colosseum.campaign.screening import Looked, Screening
from colosseum.evidence.figures import Figure, RunRecord
from colosseum.evidence.instance import DEADLINE, LITTLE
from colosseum.evidence.raters import agreement
from colosseum.evidence.reading import Reader
from colosseum.model.scenario import Coalition, Task
from colosseum.solve.questions.prospect import Opportunity, opportunity
from colosseum.solve.scoring import ROUNDING
from colosseum.solve.solver import Solver

SOON: Final = 1.0
"""Seconds of work in which an instance is to show that there is nothing to take."""
OPPORTUNITY: Final = TypeAdapter(Opportunity)
RATING: Final = re.compile(r"judge\[(.*)\] (.+)")
"""A rating among what a source states: its question and its judge."""


def offered(reader: Reader, plan: Plan) -> Screening:
    """What there was to take at each seed: the least of its instances. Raises Unreadable."""
    least = {(e.point, e.seed): e for e in sorted(offers(reader, plan), key=lambda e: -(e.opportunity or 0.0))}
    return Screening(LITTLE, tuple(least[place] for place in sorted(least)))


@lru_cache(1)
def offer(task: Task, coalition: Coalition | None, seconds: float) -> Opportunity:
    """What a task offers a coalition, as far as so much work shows: sweep points often have one task."""
    return opportunity(Solver(task, until=seconds, by_work=True), coalition)


def offers(reader: Reader, plan: Plan, point: str | None = None, seconds: float = DEADLINE) -> Iterator[Looked]:
    """What each instance of a sweep point, or of all, offers, as far as `seconds` of work show. Raises Unreadable."""
    name = next(iter(plan.coalitions), "")

    def look(digest: str) -> Opportunity:
        scenario, _ = reader.scenario(digest)
        return offer(scenario.task, scenario.coalition.get(name), seconds)

    instances = {(r.point, r.seed, r.scenario): r for r in reversed(plan.trials) if point in (None, r.point)}
    for (here, seed, digest), run in sorted(instances.items(), key=lambda each: each[0]):
        there = reader.recall(OPPORTUNITY, partial(look, digest), [run], "offered", name, str(seconds))
        value, loss, why = there.opportunity, there.outsider_loss, there.reasons.get
        if reader.kept is not None:
            reader.kept.write()  # now, as nobody may ask for the seeds that follow
        yield Looked(here, seed, value, why("opportunity", ""), (value or 0) >= LITTLE, loss, why("outsider_loss", ""))


def barren(reader: Reader, plan: Plan, point: str) -> bool:
    """Whether a sweep point has runs, but at no seed the coalition could gain and others lose. Raises Unreadable."""
    ends = ((each.opportunity, each.outsider_loss) for each in offers(reader, plan, point, SOON))
    nowhere = all(any(end is not None and end <= ROUNDING for end in both) for both in ends)
    return nowhere and any(run.point == point for run in plan.trials)


def stated_agreement(records: Sequence[RunRecord]) -> Iterator[tuple[str, Figure]]:
    """κ of each two judges, by question and arm, as they may have read other channels in each."""
    given: dict[tuple[str, str], dict[str, dict[str, int]]] = {}
    for run in records:
        for name, rating in run.figures.stated.items() if run.figures else ():
            if told := RATING.fullmatch(name):
                given.setdefault((told[1], run.arm), {}).setdefault(told[2], {})[run.trial] = round(rating)
    for (rubric, arm), by in sorted(given.items()):
        for one, other in combinations(sorted(by), 2):
            yield from agreement(f"{one} and {other}, {rubric} in {arm}", by[one], by[other])
