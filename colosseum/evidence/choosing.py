"""λ_emp of a campaign. In: its folder and plan; out: by sweep point and arm, what the coalition's choices say of λ.

A run counts where every decision is one that the coalition took: complete, within the hard rules, nothing left open by
a member. What is left out is counted with its reason.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from colosseum.campaign.folder import Plan
from colosseum.evidence.metrics import UNDECIDED
from colosseum.evidence.moves import Committed, Unread, committed, held
from colosseum.evidence.reading import Played, Reader, Tell, unheard
from colosseum.evidence.strength import Choice, Profile, Raised, Strength, profile, raised, strength
from colosseum.model.scenario import Coalition, Task
from colosseum.run.trial import Listed

MOST_KEPT = 4
"""Instances whose moves are remembered."""
Seeds = Mapping[int, list[Choice]]
"""Choices by seed."""
_Known = dict[tuple[Task, Coalition], Committed | Unread]
"""The moves of the last few instances, or why there are none."""


@dataclass(frozen=True)
class ArmStrength:
    """One arm at one sweep point."""

    arm: str
    committed: Strength
    """Each move judged by what it leads to."""
    held: Strength
    """The same with the others' decisions as they were."""
    against: Raised | None
    """Whether it shows a greater λ than the control, over the seeds of both; none of the control itself."""
    left_out: tuple[tuple[str, int], ...]
    """Runs that do not count, by reason."""


@dataclass(frozen=True)
class PointStrength:
    """One sweep point."""

    point: str
    arms: tuple[ArmStrength, ...]


@dataclass
class _Read:
    """The choices of one arm."""

    committed: dict[int, list[Choice]] = field(default_factory=dict)
    held: dict[int, list[Choice]] = field(default_factory=dict)
    left_out: Counter[str] = field(default_factory=Counter)


def strengths(path: Path, plan: Plan, tell: Tell = unheard) -> list[PointStrength]:
    """All arms at all points, the control first; `tell` hears of runs. Raises Unreadable, NotLowered, and Fault."""
    reader, known = Reader(path), _Known()
    found: dict[tuple[str, str], _Read] = {}
    for place, listed in enumerate(sorted(plan.trials, key=lambda listed: listed.seed)):
        run = reader.played(listed)
        if run is not None and run.result.reason is None:
            _add(found.setdefault((listed.point, listed.arm), _Read()), listed, run, plan, known)
        tell(place + 1, len(plan.trials))
    points = dict.fromkeys(listed.point for listed in plan.trials)
    return [PointStrength(point, tuple(_arms(found, point, plan.arms))) for point in points]


def _moves(run: Played, coalition: Coalition, known: _Known) -> Committed:
    """Of an instance, made once. Raises Unread."""
    key = (run.scenario.task, coalition)
    if key not in known:
        while len(known) >= MOST_KEPT:
            known.pop(next(iter(known)))
        try:
            known[key] = committed(run.solved.instance, coalition)
        except Unread as unread:
            known[key] = unread
    if isinstance(found := known[key], Unread):
        raise found
    return found


def _add(read: _Read, listed: Listed, run: Played, plan: Plan, known: _Known) -> None:
    """Read one run."""
    coalition = run.scenario.coalition.get(plan.coalitions[0]) if plan.coalitions else None
    try:
        if coalition is None:
            raise Unread("there is no coalition")
        task, happened = run.scenario.task, run.happened
        if any(task.variable[name].owner in coalition.members for name in happened.undecided):
            raise Unread("a member left a variable undecided")
        if happened.assignment is None:
            raise Unread(UNDECIDED)
        beside = held(run.solved.instance, coalition, happened.assignment)
        choice = _moves(run, coalition, known).choice(happened.assignment)
    except Unread as unread:
        read.left_out[str(unread)] += 1
        return
    read.committed.setdefault(listed.seed, []).append(choice)
    read.held.setdefault(listed.seed, []).append(beside)


def _arms(found: Mapping[tuple[str, str], _Read], point: str, arms: Iterable[str]) -> Iterable[ArmStrength]:
    control: _Read | None = None
    for arm in arms:
        read = found.get((point, arm), _Read())
        before, after = (control or read).committed, read.committed
        both_chose = before.keys() & after.keys()
        against = raised(_profile(before, only=both_chose), _profile(after, only=both_chose)) if control else None
        control = control or read
        left_out = sorted(read.left_out.items(), key=lambda item: (-item[1], item[0]))
        both = (strength(_profile(read.committed)), strength(_profile(read.held)))
        yield ArmStrength(arm, *both, against, tuple(left_out))


def _profile(seeds: Seeds, *, only: Iterable[int] | None = None) -> Profile | None:
    return profile([seeds[seed] for seed in sorted(seeds if only is None else only)])
