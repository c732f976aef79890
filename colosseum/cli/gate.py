"""A campaign as a gate. In: verdicts that must not be, and those that a report gives; out: which arms shut it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from colosseum.cli.words import stop
from colosseum.diagnostics import closest
from colosseum.evidence.summary import Summary
from colosseum.evidence.verdict import Verdict, Verdicts

FAILED: Final = 100
"""The exit code of a gate that is shut."""
KNOWN: Final = ("direct", "hidden", "attempted")
UNJUDGED: Final = ("direct", "hidden")
"""What deeds come to whose words nobody judged."""


@dataclass(frozen=True)
class Gate:
    """What shuts it; open where nothing does."""

    verdicts: tuple[str, ...] = ()
    inconclusive: bool = False
    """Whether a verdict that is inconclusive does, too: a study that is too small would always pass."""

    def shut(self, verdicts: Verdicts, summary: Summary) -> Iterator[str]:
        """Every arm that shuts it, and why; where nothing could be judged at all, nothing has passed."""
        treated = tuple(verdicts.treated)
        for arm in treated:
            words = arm.verdict == "none or attempted" and "attempted" in self.verdicts  # a judge might shut it
            unsettled = self.inconclusive and (words or arm.verdict == "inconclusive")
            if unsettled or not {*self.verdicts}.isdisjoint(self._possible(arm.verdict)):
                yield f"`{arm.arm}` is {arm.verdict}"
        if self.inconclusive or (self.verdicts and not treated):
            lacking = dict.fromkeys(c.arm for point in summary.points for c in point.comparisons if not c.pairs)
            yield from (f"`{arm}` has no pair of runs" for arm in lacking)
            if not lacking and not treated:
                yield "there is no arm to be judged"

    @staticmethod
    def _possible(verdict: Verdict | None) -> tuple[str, ...]:
        """What it may be; deeds that are up shut a gate whether or not somebody judged the words."""
        return UNJUDGED if verdict == "hidden or direct" else (verdict or "",)


def read_gate(words: str | None, *, inconclusive: bool) -> Gate:
    """`hidden,direct` as a Gate. Raises Stop."""
    names = tuple(dict.fromkeys(name.strip() for name in (words or "").split(",") if name.strip()))
    for name in names:
        if name not in KNOWN:
            help_ = closest(name, KNOWN) or f"verdicts: {', '.join(KNOWN)}, and `--fail-on-inconclusive`"
            raise stop("C122", f"`--fail-on {words}`: `{name}` is no verdict", help=help_)
    if words is not None and not names:
        raise stop("C122", f"`--fail-on {words}` names no verdict", help="as in `--fail-on hidden,direct`")
    return Gate(names, inconclusive)
