"""Transcripts for judges. In: the events of a run; out: its messages, without anything that reveals an arm or a name.

All posts are there, in order, and nothing else; thoughts only for a rubric that reads them, without the middle of the
longest where all are too long. Agents and channels have numbers, drawn anew for every run, also in texts; a channel of
which nobody said or thought anything is absent. Of a quote neither case nor accents nor signs between words matter.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Final

from colosseum.model import draws
from colosseum.model.networks import PUBLIC
from colosseum.model.scenario import Coalition, Scenario
from colosseum.model.template_files import AsIs, json_line
from colosseum.players.protocol.templates import Templates, shipped
from colosseum.run.judging.blinding import Blinding, bare, written

THOUGHTS: Final = {"text": "thought", "summary": "summary of a thought", "withheld": "withheld thought"}
"""What a judge reads of each kind of thought."""
MOST_THOUGHT: Final = 200_000  # characters of all thoughts of a run together that a judge reads
GAP: Final = " […] "
ESCAPED: Final = re.compile(r"\\(?:u([0-9a-fA-F]{4})|[nrt\"/\\])")
"""How JSON writes what a judge sees, and may copy as it stands."""
BETWEEN: Final = re.compile(r"[\W_]+")
WORDS: Final = re.compile(r"agent \d+(?!\S)|\S+", re.IGNORECASE)  # the words of a quote; what stands for a name is one


@dataclass(frozen=True)
class Said:
    """One post, or one thought."""

    round: int | None
    channel: int
    """Its number; 0 of a thought, and where it is not told."""
    author: int
    text: str
    """With numbers in place of names."""
    original: str
    """As it was written."""
    thought: str = ""
    """Its kind in words; empty of a post."""
    omitted: int = 0
    """Characters of its middle that are left out of the text, where the gap stands."""

    @property
    def line(self) -> str:
        """As the judge reads it: the words are data, whatever they say."""
        channel = f', "channel": {self.channel}' if self.channel else ""
        where = f', "private": "{self.thought}"' if self.thought else channel
        text = f', "text": {json_line(self.text)}' if self.thought != THOUGHTS["withheld"] else ""
        omitted = f', "characters left out at […]": {self.omitted}' if self.omitted else ""
        return f'{{"round": {self.round or "null"}{where}, "from": "Agent {self.author}"{text}{omitted}}}'


@dataclass(frozen=True)
class Transcript:
    """What was said in one run."""

    agents: Mapping[str, int]
    """The number of each agent."""
    channels: Mapping[int, tuple[int, ...]]
    """By number, those who can read it; channels on which something was said."""
    posts: tuple[Said, ...]
    """In order, with thoughts among them where those are read."""

    def told(self, templates: Templates | None = None) -> str:
        """All of it as text, without who is focal, by the templates in force or those that ship."""
        named = [(n, ", ".join(f"Agent {member}" for member in members)) for n, members in self.channels.items()]
        channels, posts = [AsIs(f"Channel {n}: {who}") for n, who in named], [AsIs(post.line) for post in self.posts]
        channels = channels or [AsIs("This is not told.")] * bool(posts)
        return (templates or shipped()).say("transcript", channels=channels, posts=posts)

    @property
    def texts_alone(self) -> "Transcript":
        """Without who can read what: how much of a score is the channel itself."""
        return replace(self, channels={}, posts=tuple(replace(post, channel=0) for post in self.posts))

    def thinkers(self) -> set[int]:
        """The numbers of the agents of whom there is a thought that can be read."""
        return {post.author for post in self.posts if post.thought and post.text.strip()}

    def numbers(self, agents: Sequence[str]) -> tuple[int, ...]:
        """Their numbers, in order."""
        return tuple(sorted(self.agents[agent] for agent in agents))


def passages(events: Sequence[Mapping[str, Any]], *, thoughts: bool) -> list[Mapping[str, Any]]:
    """The events that a transcript is made of, one for each of its posts."""
    return [e for e in events if e["event"] == "post" or (thoughts and e["event"] == "thought")]


def transcript(
    events: Sequence[Mapping[str, Any]], scenario: Scenario, trial: str, *, thoughts: bool = False
) -> Transcript:
    """The transcript of a run; `trial` is its identity, by which numbers are drawn."""
    agents = _numbered(scenario.task.agents, draws.key(scenario.seed, "judged agents", (trial,)))
    heard = passages(events, thoughts=thoughts)
    listed = [c for c in channels_of(events) if any(_uses(h, c) for h in heard)]
    channels = _numbered([c["name"] for c in listed], draws.key(scenario.seed, "judged channels", (trial,)))
    members = {channels[c["name"]]: tuple(sorted(agents[a] for a in c["members"])) for c in listed}
    wired = {str(c["wire"]): channels[c["name"]] for c in listed if c.get("wire") and c["wire"] != PUBLIC}
    secret = {c["name"]: channels[c["name"]] for c in listed if c["secret"]} | wired
    shown = {name: f"Channel {number}" for name, number in secret.items()}
    shown |= {name: f"Agent {number}" for name, number in agents.items()}
    theirs = (events[0].get("imported") or {}).get("names", {}) if events else {}
    hidden = Blinding({theirs.get(name, name): words for name, words in shown.items()})
    most = _share([len(e["text"]) for e in heard if e["event"] == "thought"])

    def said(e: Mapping[str, Any]) -> Said:
        text, by = str(e["text"]), (e["round"], channels.get(e.get("channel", ""), 0), agents[e["agent"]])
        kind, omitted = THOUGHTS[e["kind"]] if e["event"] == "thought" else "", max(0, len(text) - most)
        if not kind or not omitted:
            return Said(*by, hidden.words(text), text, kind)
        return Said(*by, hidden.words(text[: most // 2] + GAP + text[most // 2 + omitted :]), text, kind, omitted)

    return Transcript(agents, dict(sorted(members.items())), tuple(map(said, heard)))


def _share(lengths: Sequence[int]) -> int:
    """The most characters that each thought may have, so that all of them together have MOST_THOUGHT."""
    left = share = MOST_THOUGHT
    for place, length in enumerate(sorted(lengths)):
        left -= min(length, share := left // (len(lengths) - place))
    return share


def _uses(heard: Mapping[str, Any], channel: Mapping[str, Any]) -> bool:
    """Whether a post stands in a channel, or a thought names it."""
    if heard["event"] == "post":
        return bool(heard["channel"] == channel["name"])
    return channel["name"] in heard["text"] or (channel.get("wire") or channel["name"]) in heard["text"]


def focal_sets(
    events: Sequence[Mapping[str, Any]], scenario: Scenario, coalition: Coalition
) -> dict[str, tuple[str, ...]]:  # fmt: skip
    """The true coalition and a random set of the same size, the same in all arms; empty where there is no other set.

    It is drawn from outsiders; where there are too few of them, members fill it up. In a run in which no member has a
    secret channel, those who have one, or where none is live may have one, are a set, too: the decoys of a placebo.
    """
    agents, members = scenario.task.agents, coalition.members
    if not members or set(members) == set(agents):
        return {}
    order = [str(a) for a in draws.shuffle(draws.key(scenario.seed, "focal", (coalition.name,)), agents)]
    drawn = sorted(order, key=lambda agent: agent in members)[: len(members)]
    sets = {"coalition": members, "random": tuple(a for a in agents if a in drawn)}
    everybody = {member for each in scenario.coalitions for member in each.members} | {*members}
    there = [channel["members"] for channel in channels_of(events) if channel["secret"]]
    some = there or [channel.members for channel in scenario.channels if channel.secret]
    aside = {agent for group in some if not everybody & {*group} for agent in group}
    decoys = () if any({*members} & {*group} for group in there) else tuple(a for a in agents if a in aside)
    return {**sets, "decoys": decoys} if decoys else sets


def channels_of(events: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The channels that are live in a run."""
    return [channel for event in events if event["event"] == "channels" for channel in event["channels"]]


def _numbered(names: Sequence[str], key: str) -> dict[str, int]:
    """Numbers from 1, drawn."""
    return {str(name): number for number, name in enumerate(draws.shuffle(key, tuple(names)), start=1)}


def places(quote: str, transcript: Transcript) -> list[tuple[int, int, int]]:
    """Where a quote stands as whole words: (place of the post, first sign, one past the last), in posts as written.

    Empty where it stands nowhere; the whole post where it is written with other signs there.
    """
    wanted, found = _wording(quote), list[tuple[int, int, int]]()
    pattern = _pattern(quote, transcript)
    for number, post in enumerate(transcript.posts):
        whole = number, 0, len(post.original)
        if not wanted:
            found += [whole] if quote.strip() and quote.strip() == post.text.strip() else []
        elif re.search(_uncut(re.escape(wanted), wanted), _wording(post.text)):
            here = pattern and pattern.search(post.original)
            found.append((number, *here.span()) if here else whole)
    return found


@lru_cache(maxsize=256)
def _wording(text: str) -> str:
    """The words of a text with one blank between them, whether it was copied as written or as JSON shows it."""
    shown = _shown(text)
    return BETWEEN.sub(" ", (shown if shown.isascii() else "".join(map(bare, shown))).casefold()).strip()


def _shown(text: str) -> str:
    """The signs that are meant where they stand as JSON writes them."""
    return ESCAPED.sub(lambda found: chr(int(found[1], 16)) if found[1] else " ", text)


def _pattern(quote: str, transcript: Transcript) -> re.Pattern[str] | None:
    """The quote as its author may have written it, with names in place of numbers; None where words have odd signs."""
    names = {f"agent {number}": written(name) for name, number in transcript.agents.items()}
    words = BETWEEN.sub(" ", _shown(quote)).strip()
    if not words or _wording(words) != _wording(quote):
        return None
    parts = ((re.escape(word), names.get(word.casefold())) for word in WORDS.findall(words))
    either = (f"(?:{word}|{name})" if name else word for word, name in parts)
    return re.compile(_uncut(r"[\W_]+".join(either), words), re.IGNORECASE)


def _uncut(pattern: str, words: str) -> str:
    """Where it cuts no word; scripts without blanks have words that nobody can tell apart."""
    before = "(?<![a-zA-Z0-9])" if words[0].isascii() else ""
    return before + pattern + ("(?![a-zA-Z0-9])" if words[-1].isascii() else "")
