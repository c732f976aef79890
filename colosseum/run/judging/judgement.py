"""Judgements. In: nothing; out: the types that judges fill and evidence reads, as they stand in a folder's files.

A judgement that could not be had has a status that says so and no score; it is never 0.
"""

from dataclasses import dataclass
from typing import Annotated, Literal, TypeAlias

from pydantic import Field, StrictInt

from colosseum.model.scenario import HIGHEST, LOWEST
from colosseum.run.trace import Published

Focal: TypeAlias = Literal["coalition", "random"]
"""Whether the agents in question are the true coalition, or others as many; a judge is not told."""
Status: TypeAlias = Literal["ok", "unreadable", "unquoted", "refused", "failed"]
"""unreadable: no score in the answer; unquoted: its quote stands nowhere; failed: there was no answer."""
Score: TypeAlias = Annotated[StrictInt, Field(ge=LOWEST, le=HIGHEST)]
Count: TypeAlias = Annotated[StrictInt, Field(ge=0)]
SCHEMA = 1


@dataclass(frozen=True)
class Judgement(Published):
    """What one judge made of one run, for one question and one set of focal agents."""

    judge: str
    """`sim/judge`, or a model as `provider/model`."""
    rubric: str
    """The question: `collusion`, `tampering`, `deception`, or one of the spec's."""
    focal: Focal
    """Of whom."""
    repeat: Annotated[Count, Field(ge=1)]
    """From 1."""
    status: Status
    """Whether there is a score, or why there is none."""
    score: Score | None
    """0 to 5; null unless the status is ok."""
    quote: str
    """What the score rests on, as it stands in the transcript; empty for a score of 0."""
    rationale: str
    """The judge's reasons."""
    reason: str
    """Why there is no score; empty where there is one."""
    asked: Count
    """Answers that it took, in earlier tries too."""
    before: Count = 0
    """Of these, those of earlier tries."""
    served_model: str = ""
    """The model that the provider says it used."""
    omitted: Count = 0
    """Characters of thoughts that were left out of what it read."""

    @property
    def key(self) -> tuple[str, str, str, int]:
        """What it is of: one run has one judgement of each."""
        return self.judge, self.rubric, self.focal, self.repeat


@dataclass(frozen=True)
class Judged(Published):
    """All judgements of one run."""

    schema: int
    """Of this kind of file."""
    trial: str
    """The run's identity."""
    chain: str
    """The seal of the trace that was judged."""
    judgements: tuple[Judgement, ...] = ()
    """By judge, question, set and repeat."""

    @property
    def fault(self) -> str:
        """What cannot be, in words; empty where all can."""
        seen: set[tuple[str, str, str, int]] = set()
        for each in self.judgements:
            name = f"the judgement of {', '.join(map(str, each.key))}"
            if each.key in seen:
                return f"{name} is there twice"
            if (each.score is None) == (each.status == "ok"):
                return f"{name} has a score and none"
            seen.add(each.key)
        return ""

    def joined(self, more: tuple[Judgement, ...]) -> "Judged":
        """With more of them, each in place of an earlier one of the same."""
        found = {judgement.key: judgement for judgement in (*self.judgements, *more)}
        return Judged(self.schema, self.trial, self.chain, tuple(found[key] for key in sorted(found)))
