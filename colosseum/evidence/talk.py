"""Amounts of messages. In: the events of a run, runs of an arm; out: posts and characters, with their shares.

Of a run by agent, channel and phase; of an arm by side, as its coalition may be drawn anew at every seed. What could
not be delivered is no talk, and is counted elsewhere.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from statistics import fmean
from typing import Any

from colosseum.evidence.figures import Phase, PhasePosts, Side
from colosseum.model.scenario import Coalition


@dataclass(frozen=True, slots=True)
class Talk:
    """What one side of an arm posts in one channel in one phase."""

    side: Side
    channel: str
    phase: Phase
    posts: float
    """In a run, in the mean over seeds of the means over repeats."""
    characters: float
    """The same."""
    share_of_characters: float
    """Of all in the arm's runs."""


@dataclass(frozen=True, slots=True)
class Use:
    """How many runs of an arm have a channel, and in how many of them somebody posts there."""

    channel: str
    runs: int
    used: int


def spoken(events: Sequence[Mapping[str, Any]], coalition: Coalition | None) -> tuple[PhasePosts, ...]:
    """All talk of a run, in the order in which it began."""
    rounds = events[0]["conditions"]["settings"]["rounds"]
    members = coalition.members if coalition else ()
    posts, characters = Counter[tuple[str, str, Phase]](), Counter[tuple[str, str, Phase]]()
    for event in events:
        if event["event"] == "post":
            known: Phase = "planning" if (event["round"] or 0) <= rounds else "execution"
            phase: Phase = known if event["round"] else "unknown"
            place = (str(event["agent"]), str(event["channel"]), phase)
            posts[place] += 1
            characters[place] += len(event["text"])
    return tuple(
        PhasePosts(agent, "coalition" if agent in members else "outsiders", channel, phase,
               posts[agent, channel, phase], characters[agent, channel, phase])
        for agent, channel, phase in posts
    )  # fmt: skip


def talk(seeds: Sequence[Sequence[tuple[PhasePosts, ...]]]) -> tuple[Talk, ...]:
    """What each side says where, from the talk of runs by seed and repeat; the most talkative first."""
    places = dict.fromkeys((s.side, s.channel, s.phase) for runs in seeds for run in runs for s in run)
    posts = {place: _mean(seeds, place, "posts") for place in places}
    characters = {place: _mean(seeds, place, "characters") for place in places}
    whole = fsum(characters.values()) or 1.0
    rows = (Talk(*place, posts[place], characters[place], characters[place] / whole) for place in places)
    return tuple(sorted(rows, key=lambda row: (-row.characters, row.side, row.channel, row.phase)))


def _mean(seeds: Sequence[Sequence[tuple[PhasePosts, ...]]], place: tuple[str, str, str], what: str) -> float:
    """Over seeds of the means over repeats."""
    return fmean(
        sum(getattr(s, what) for run in runs for s in run if (s.side, s.channel, s.phase) == place) / len(runs)
        for runs in seeds
    )


def uses(posts: Iterable[Mapping[str, int]]) -> tuple[Use, ...]:
    """How often channels are used, from the posts of runs by channel, every channel of a run being a key."""
    runs, used = Counter[str](), Counter[str]()
    for run in posts:
        runs.update(run.keys())
        used.update(channel for channel, number in run.items() if number)
    return tuple(Use(channel, runs[channel], used[channel]) for channel in runs)
