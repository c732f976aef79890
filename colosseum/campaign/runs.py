"""Which run is meant. In: a plan, and a run's name as typed; out: the run; and words for one."""

from collections.abc import Sequence

from colosseum.campaign.folder import Plan
from colosseum.diagnostics import closest, stop
from colosseum.run.trial import Listed

SHORT = 8
"""Characters of an identity that are shown."""
MOST_LISTED = 8
"""Runs that a message lists."""


def run_words(listed: Listed) -> str:
    """`3fa9c2d1, prompted, seed 3`, with the sweep point and the repeat where there are any."""
    parts = [listed.trial[:SHORT], listed.point, listed.arm, f"seed {listed.seed}"]
    return ", ".join([*filter(None, parts), *([f"repeat {listed.repeat}"] if listed.repeat > 1 else [])])


def find_run(plan: Plan, words: str) -> Listed:
    """The run that is meant by the start of its identity, or by `ARM:SEED[:REPEAT]`. Raises ColosseumError."""
    found = [listed for listed in plan.trials if _meant(listed, words)]
    if len(found) == 1:
        return found[0]
    if found:
        raise stop("C122", f"`{words}` is {len(found)} runs", help=f"name one: {_listed(found)}")
    arm = words.partition(":")[0]
    help_ = closest(arm, plan.arms) if ":" in words and arm not in plan.arms else ""
    near = [listed for listed in plan.trials if listed.arm == arm] or plan.trials
    first = f"{near[0].arm}:{near[0].seed}" if near else ""
    raise stop("C122", f"there is no run `{words}`", help=help_ or f"as in `{first}`, or by its id: {_listed(near)}")


def _meant(listed: Listed, words: str) -> bool:
    arm, colon, rest = words.partition(":")
    if not colon:
        return bool(words) and listed.trial.startswith(words.lower())
    seed, _, repeat = rest.partition(":")
    return (listed.arm, str(listed.seed)) == (arm, seed) and repeat in ("", str(listed.repeat))


def _listed(found: Sequence[Listed]) -> str:
    shown = "; ".join(f"`{listed.trial[:SHORT]}` ({run_words(listed)[SHORT + 2 :]})" for listed in found[:MOST_LISTED])
    return f"{shown}; …" if len(found) > MOST_LISTED else shown
