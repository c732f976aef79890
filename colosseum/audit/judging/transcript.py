"""What a judge reads. In: the events of a run; out: what was said, without what would give an arm or a name away.

All that was posted is there, in order, and nothing else: no prompts, no notes, no decisions. Agents and channels have
numbers that are drawn anew for every run, also where a post names them; a channel on which nothing was said is absent.
So transcripts of all arms have the same scope, and a judge can tell them apart by what was said alone.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from colosseum.model import draws
from colosseum.model.channels import PUBLIC
from colosseum.model.scenario import Coalition, Scenario
from colosseum.model.template_files import Line, json_line
from colosseum.players.protocol.templates import Templates, shipped

PARTED: Final = re.compile(r"(?<=[^\W\d])(?=\d)")
"""Where people put a blank into a name like `engineer3`."""
Spelled: TypeAlias = tuple[str, tuple[int, int]]
"""A sign, and where it comes from: the first place, and one past the last."""
SHORT: Final = 2
"""Characters of names that are only names as they are spelled: `A` is one, and `a` is not."""


@dataclass(frozen=True)
class Said:
    """One post."""

    round: int
    channel: int
    """Its number."""
    author: int
    text: str
    """With numbers in place of names."""
    original: str
    """As it was written."""

    @property
    def line(self) -> str:
        """As the judge reads it: the words are data, whatever they say."""
        head = f'"round": {self.round}, "channel": {self.channel}, "from": "Agent {self.author}"'
        return f'{{{head}, "text": {json_line(self.text)}}}'


@dataclass(frozen=True)
class Transcript:
    """What was said in one run."""

    agents: Mapping[str, int]
    """The number of each agent."""
    channels: Mapping[int, tuple[int, ...]]
    """By number, those who can read it; channels on which something was said."""
    posts: tuple[Said, ...]
    hidden: "_Hidden | None" = field(default=None, repr=False, compare=False)
    """Put the numbers in; None where there were no names."""

    def spelled(self, post: Said) -> "list[Spelled]":
        """The signs of its text, each with its place in the original."""
        if self.hidden is None:
            return [(sign, (n, n + 1)) for n, sign in enumerate(post.original)]
        return self.hidden.spelled(post.original)

    @property
    def words(self) -> str:
        """All of it as text, without who is focal."""
        return self.told(shipped())

    def told(self, templates: Templates) -> str:
        """The same, by the templates in force."""
        channels = [Line(f"Channel {number}: {_agents(members)}") for number, members in self.channels.items()]
        return templates.say("transcript", channels=channels, posts=[Line(post.line) for post in self.posts])

    def numbers(self, agents: Sequence[str]) -> tuple[int, ...]:
        """Their numbers, in order."""
        return tuple(sorted(self.agents[agent] for agent in agents))


def transcript(events: Sequence[Mapping[str, Any]], scenario: Scenario, trial: str) -> Transcript:
    """The transcript of a run; `trial` is its identity, by which numbers are drawn."""
    agents = _numbered(scenario.task.agents, draws.key(scenario.seed, "judged agents", (trial,)))
    members = {
        str(c["name"]): tuple(map(str, c["members"])) for e in events if e["event"] == "channels" for c in e["channels"]
    }
    posts = [e for e in events if e["event"] == "post"]
    used = [name for name in members if any(e["channel"] == name for e in posts)]
    channels = _numbered(used, draws.key(scenario.seed, "judged channels", (trial,)))
    listed = [c for e in events if e["event"] == "channels" for c in e["channels"] if c["name"] in channels]
    wired = {str(c["wire"]): channels[c["name"]] for c in listed if c.get("wire") and c["wire"] != PUBLIC}
    hidden = _Hidden(agents, {c["name"]: channels[c["name"]] for c in listed if c["secret"]} | wired)
    return Transcript(
        agents,
        {
            n: tuple(sorted(agents[a] for a in members[name]))
            for name, n in sorted(channels.items(), key=lambda c: c[1])
        },
        tuple(
            Said(
                int(e["round"]), channels[str(e["channel"])], agents[str(e["agent"])], hidden.words(str(e["text"])),
                str(e["text"]),
            )
            for e in posts
        ),
        hidden,
    )  # fmt: skip


def focal_sets(scenario: Scenario, coalition: Coalition) -> dict[str, tuple[str, ...]]:
    """The true coalition and a random set of the same size, the same in all arms; empty where there is no other set.

    It is drawn from outsiders; where there are too few of them, members fill it up.
    """
    agents, members = scenario.task.agents, coalition.members
    if not members or set(members) == set(agents):
        return {}
    order = [str(a) for a in draws.shuffle(draws.key(scenario.seed, "focal", (coalition.name,)), agents)]
    drawn = sorted(order, key=lambda agent: agent in members)[: len(members)]
    return {"coalition": members, "random": tuple(a for a in agents if a in drawn)}


def _numbered(names: Sequence[str], key: str) -> dict[str, int]:
    """Numbers from 1, drawn."""
    return {str(name): number for number, name in enumerate(draws.shuffle(key, tuple(names)), start=1)}


def _agents(numbers: Sequence[int]) -> str:
    return ", ".join(f"Agent {number}" for number in numbers)


class _Hidden:
    """Puts numbers in place of names."""

    def __init__(self, agents: Mapping[str, int], channels: Mapping[str, int]) -> None:
        self.shown = {_plain(name): f"Channel {number}" for name, number in channels.items()}
        self.shown |= {_plain(name): f"Agent {number}" for name, number in agents.items()}
        names = sorted({*agents, *channels}, key=len, reverse=True)
        self.pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(_spelled, names))})(?!\w)")

    def words(self, text: str) -> str:
        """The text with numbers."""
        return self.pattern.sub(lambda found: self.shown.get(_plain(found[0]), found[0]), text)

    def spelled(self, text: str) -> list[Spelled]:
        """The signs of the same; all of a number come from the whole name."""
        signs, start = list[Spelled](), 0
        for found in self.pattern.finditer(text):
            signs += [(text[n], (n, n + 1)) for n in range(start, found.start())]
            signs += [(sign, found.span()) for sign in self.shown.get(_plain(found[0]), found[0])]
            start = found.end()
        return [*signs, *((text[n], (n, n + 1)) for n in range(start, len(text)))]


def _spelled(name: str) -> str:
    """A pattern for a name as people write it."""
    if len(name) <= SHORT:
        return re.escape(name)
    parted = r"[\s_-]?".join(map(re.escape, PARTED.split(name)))
    return f"(?i:{parted})"


def _plain(name: str) -> str:
    return re.sub(r"[\s_-]", "", name).casefold()
