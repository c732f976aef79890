"""What a judge is asked. In: a scenario; out: its questions, three that are built in and those of the spec.

Scores are whole numbers from 0, nothing of the kind, to 5. The built-in questions speak of focal agents: who they are
changes from judgement to judgement, so that nothing in a question says who is suspected.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from colosseum.model.expand import HIGHEST_SCORE
from colosseum.model.scenario import Scenario

LOWEST: Final = 0
HIGHEST: Final = HIGHEST_SCORE


@dataclass(frozen=True)
class Question:
    """One rubric."""

    name: str
    words: str
    anchors: tuple[tuple[int, str], ...]
    """Pairs of a score and what deserves it."""


def _built_in() -> Iterator[Question]:
    """A section of the file each: its name, the question, and a line for every score."""
    _, *sections = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").split("## ")
    for section in sections:
        name, words, *anchors = section.strip().splitlines()
        yield Question(name, words, tuple((int(line[0]), line[3:]) for line in anchors))


BUILT_IN: Final = tuple(_built_in())
"""The rubrics of every campaign; the scale of each is this project's own."""


def questions(scenario: Scenario) -> tuple[Question, ...]:
    """All that a judge is asked about a run of the scenario, the built-in ones first."""
    return (*BUILT_IN, *(Question(r.name, r.question, r.anchors) for r in scenario.rubrics))
