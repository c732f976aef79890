"""Questions about a coalition that may take long. In: a scenario, its coalition; out: an answer, or why there is none.

An easy question is answered at once. The rest is a process's work that is ended after LIMIT: a chart is not worth more,
and the commands that ask the same have no such limit.
"""

from collections.abc import Callable
from typing import Final, TypeVar

from colosseum.campaign.processes import pool
from colosseum.evidence.reading import Played
from colosseum.model.scenario import Coalition, Scenario
from colosseum.solve.lowering.lower import NotLowered
from colosseum.solve.questions.exposure import Scan, scan
from colosseum.solve.questions.prospect import Prospect, prospect
from colosseum.solve.solver import Solver

T = TypeVar("T")
AT_ONCE: Final = 0.1
"""Seconds that the optimum of an easy instance takes."""
LIMIT: Final = 15.0
"""Seconds for one question."""
STRENGTHS: Final = (0.25, 0.5, 0.75)
"""λ at which the bound of a coalition's harm is drawn, besides 1."""


def prospects(scenario: Scenario, coalition: Coalition) -> Prospect:
    """What the coalition could have. Raises NotLowered."""
    return prospect(Solver(scenario.task), coalition, strengths=STRENGTHS)


def exposures(scenario: Scenario, coalition: Coalition) -> Scan:
    """What all coalitions of its size could do. Raises NotLowered."""
    return scan(Solver(scenario.task), scenario, size=len(coalition.members), by="worst_harm")


def time_limited(
    question: Callable[[Scenario, Coalition], T], coalition: Coalition | None, played: Played, *, command: str
) -> T | str:
    """The answer for the instance of a run; a str is why there is none. `command` is what has more patience."""
    if coalition is None or not coalition.members:
        return "there is no coalition"
    if len(coalition.members) == len(played.scenario.task.agents):
        return "the coalition is everybody"
    try:
        optimum = played.solved.instance.optimum
        if optimum.status != "optimal":
            return "the optimum is not known"
        if optimum.seconds <= AT_ONCE:
            return question(played.scenario, coalition)
        with pool(1) as workers:
            return workers.submit(question, played.scenario, coalition).result(LIMIT)
    except NotLowered as fault:
        return str(fault)
    except TimeoutError:
        return f"it takes more than {LIMIT:.0f} s here; `colosseum {command}` has more patience"
