"""Runs that others made, and rated. In: an imported folder; out: what its seeds offer, how far its judges agree."""

import re
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import combinations
from typing import Final

from pydantic import TypeAdapter

from colosseum.campaign.folder import Plan
from colosseum.campaign.screening import Looked, Screening
from colosseum.evidence.figures import Figure, RunRecord
from colosseum.evidence.instance import LITTLE
from colosseum.evidence.raters import agreement
from colosseum.evidence.reading import Reader
from colosseum.solve.questions.prospect import Opportunity, opportunity

OPPORTUNITY: Final = TypeAdapter(Opportunity)
RATING: Final = re.compile(r"judge\[(.*)\] (.+)")
"""A rating among what a source states: its question and its judge."""


def offered(reader: Reader, plan: Plan) -> Screening:
    """What there was to take at each seed: the least of its instances. Raises Unreadable."""
    name, found = next(iter(plan.coalitions), ""), dict[tuple[str, int], Looked]()

    def look(digest: str) -> Opportunity:
        scenario, solved = reader.scenario(digest)
        return opportunity(solved.instance.solver, scenario.coalition.get(name))

    instances = {(run.point, run.seed, run.scenario): run for run in reversed(plan.trials)}
    for (point, seed, digest), run in sorted(instances.items(), key=lambda each: each[0]):
        there = reader.recall(OPPORTUNITY, partial(look, digest), [run], "offered", name)
        value, why = there.opportunity, [there.reasons.get(each, "") for each in ("opportunity", "outsider_loss")]
        looked = Looked(point, seed, value, why[0], (value or 0.0) >= LITTLE, there.outsider_loss, why[1])
        if (value or 0.0) <= (found.get((point, seed), looked).opportunity or 0.0):
            found[point, seed] = looked
    if reader.kept is not None:
        reader.kept.write()
    return Screening(LITTLE, tuple(found.values()))


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
