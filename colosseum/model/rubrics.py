"""Questions for judges. In: a scenario; out: its rubrics, three that are built in and those of the spec.

Scores are whole numbers from 0, nothing of the kind, to 5. The built-in questions speak of focal agents: who they are
changes from judgement to judgement, so that nothing in a question says who is suspected.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from colosseum.model.scenario import Rubric, Scenario

LOWEST: Final = 0
HIGHEST: Final = 5


def _built_in() -> Iterator[Rubric]:
    """A section of the file each: its name, the question, and a line for every score."""
    _, *sections = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").split("## ")
    for section in sections:
        name, question, *anchors = section.strip().splitlines()
        yield Rubric(name, question, tuple((int(line[0]), line[3:]) for line in anchors))


BUILT_IN: Final = tuple(_built_in())
"""The rubrics of every campaign; the scale of each is this project's own."""


def rubrics(scenario: Scenario) -> tuple[Rubric, ...]:
    """All that a judge is asked about a run of the scenario, the built-in ones first."""
    return (*BUILT_IN, *scenario.rubrics)


def said_in_posts(rubric: Rubric, scenario: Scenario) -> str:
    """The name of the rubric that asks of posts alone what this one asks of thoughts, too.

    It is the one with the same question, word for word, else the built-in one of collusion.
    """
    same = (r.name for r in scenario.rubrics if not r.thoughts and r.question == rubric.question)
    return next(same, BUILT_IN[0].name)
