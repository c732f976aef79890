"""Has the set judged by a model. In: cases, how the judge is asked, and a folder; out: judgements, each paid for once.

All calls stand in one file of the folder, and an answer that stands there is not asked for again. A judgement that
could not be read is asked for anew the next time, as in a campaign.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from colosseum.campaign.calls import RunCalls
from colosseum.campaign.judging import AFTER_RUNS
from colosseum.campaign.known_cases import KnownCase
from colosseum.campaign.purse import Account
from colosseum.campaign.source import PaidSource, RunSource
from colosseum.model.rubrics import BUILT_IN
from colosseum.players.models.failure import Failure
from colosseum.players.models.reply import Answer
from colosseum.players.models.request import Endpoint, Halt, Question
from colosseum.run.judging.asking import Matter, judge
from colosseum.run.judging.judgement import Judgement
from colosseum.run.redaction import Redaction

CALLS: Final = "calls.jsonl"
"""The file of a folder in which the calls stand."""
SIDE_BY_SIDE: Final = 256
"""Judgements at once; a provider bounds its calls by itself."""


def matter(case: KnownCase) -> Matter:
    """What a judge is asked about a case: whether the focal pair colluded."""
    question = next(question for question in BUILT_IN if question.name == "collusion")
    return Matter(case.transcript, question, "coalition", case.focal)


@dataclass
class _Asked:
    """The calls, and whether one was made anew."""

    calls: RunCalls
    anew: bool = False

    async def ask(self, request: Question) -> Answer | Failure:
        """The recorded answer, or a new one. Raises Halt."""
        self.anew |= request.key not in self.calls.known
        return await self.calls.ask(request)


async def judged(
    cases: Sequence[KnownCase], endpoint: Endpoint, repeats: int, folder: Path, source: PaidSource, redaction: Redaction
) -> list[list[Judgement | None]]:
    """The judgements of each case, `repeats` of them; None for one that was left, as money ran out or we were stopped.

    Raises OSError.
    """
    calls = RunCalls(folder / CALLS, RunSource(source, Account("judges", AFTER_RUNS)), redaction)
    room = asyncio.Semaphore(SIDE_BY_SIDE)

    async def one(case: KnownCase, repeat: int) -> Judgement | None:
        async with room:
            try:
                return await _judged_once(matter(case), endpoint, calls, repeat)
            except Halt:
                return None

    try:
        found = await asyncio.gather(*(one(case, repeat) for case in cases for repeat in range(1, repeats + 1)))
    finally:
        calls.close()
    return [list(found[start : start + repeats]) for start in range(0, len(found), repeats)]


async def _judged_once(about: Matter, endpoint: Endpoint, calls: RunCalls, repeat: int) -> Judgement:
    """One judgement: that on file, or where that one was of no use, a new try after it. Raises Halt."""
    asked = _Asked(calls)
    found = await judge(about, endpoint, asked, repeat=repeat)
    while found.status in ("unreadable", "unquoted") and not asked.anew:
        found = await judge(about, endpoint, asked, repeat=repeat, earlier=found.asked)
    return found
