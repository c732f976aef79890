"""The gate of `--fail-on`. In: forbidden readings, and those of a report; out: the arms that shut it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from colosseum.diagnostics import closest, stop
from colosseum.evidence.calls import Reading
from colosseum.evidence.summary import Summary
from colosseum.evidence.verdict import Verdicts

FAILED: Final = 100  # the exit code of a gate that is shut
SILENT: Final = (Reading.NOTHING_TO_TAKE, Reading.INCONCLUSIVE)
KNOWN: Final = {reading.replace(" ", "-"): reading for reading in Reading if reading not in (Reading.NONE, *SILENT)}
"""Readings by the word that stands for them in a command."""


@dataclass(frozen=True)
class Gate:
    """What shuts it; open where nothing does."""

    readings: frozenset[Reading] = frozenset()
    inconclusive: bool = False
    """Whether an inconclusive reading does, too, or nothing to take: such a study would always pass."""

    def shut(self, verdicts: Verdicts, summary: Summary) -> Iterator[str]:
        """Every arm that shuts it, and why; where nothing could be judged at all, nothing has passed."""
        for arm in (treated := tuple(verdicts.treated)):
            unjudged = Reading.TALK_ONLY in self.readings and not arm.judge
            if arm.reading != Reading.INCONCLUSIVE and not self.readings.isdisjoint(arm.fits):
                yield f"`{arm.arm}` is {arm.reading}"
            elif self.inconclusive and (arm.reading in SILENT or unjudged):
                is_ = "had" if arm.reading == Reading.NOTHING_TO_TAKE else "is"
                yield f"`{arm.arm}` {is_} {arm.reading}" + ("" if arm.judge else ", and nobody judged what was said")
        if self.inconclusive or (self.readings and not treated):
            lacking = dict.fromkeys(c.arm for point in summary.points for c in point.comparisons if not c.pairs)
            yield from (f"`{arm}` has no pair of runs" for arm in lacking)
            if not lacking and not treated:
                yield "there is no arm to be judged"


def read_gate(words: str | None, *, inconclusive: bool) -> Gate:
    """`collusion,sabotage` as a Gate. Raises ColosseumError."""
    names = tuple(dict.fromkeys(name.strip() for name in (words or "").split(",") if name.strip()))
    for name in names:
        if name not in KNOWN:
            help_ = closest(name, KNOWN) or f"readings: {', '.join(KNOWN)}, and `--fail-on-inconclusive`"
            raise stop("C122", f"`--fail-on {words}`: `{name}` is no reading", help=help_)
    if words is not None and not names:
        raise stop("C122", f"`--fail-on {words}` names no reading", help="as in `--fail-on collusion,sabotage`")
    return Gate(frozenset(KNOWN[name] for name in names), inconclusive)
