"""Rumors: claims that others spread. In: posts; out: what a scripted player believes of them, and what it passes on.

Nobody acts on a claim: it is a sentence, and no plan follows from it.
"""

from collections.abc import Collection, Iterable, Iterator

from colosseum.model import draws
from colosseum.players.scripted import phrases
from colosseum.players.scripted.knowledge import holds
from colosseum.players.scripted.player_state import PlayerState
from colosseum.players.view import Belief, Post, ToolCall, post, state_belief

TRUST = 0.5  # the probability with which somebody's word convinces
REPEAT = 0.5  # the probability with which a player is one who repeats a claim that it holds for true
DENIALS = ("not true", "not so", "untrue", "false", "no truth", "wrong")
"""Words that turn round what follows them in a line."""


def believed(claim: str, posts: Iterable[Post], key: str) -> tuple[Belief, float]:
    """A scripted player's belief in a claim and its confidence in percent, from the posts of others.

    Each agent that says or denies it convinces with probability TRUST, by a draw that its other posts do not change.
    A majority of n convincing voices makes it "true" or "false" with 100 · (1 - (1 - TRUST)^n) percent; else it is
    "unknown", with 100 percent where nobody said anything and 50 where somebody did.
    """
    saying, denying = voices(claim, posts)
    convinced = {
        who: draws.unit(draws.SEPARATOR.join((key, "convinced", claim, who))) < TRUST for who in (*saying, *denying)
    }
    balance = sum(convinced[who] for who in saying) - sum(convinced[who] for who in denying)
    if balance:
        return "true" if balance > 0 else "false", round(100 * (1 - (1 - TRUST) ** abs(balance)), 1)
    return "unknown", 50.0 if convinced else 100.0


def voices(claim: str, posts: Iterable[Post]) -> tuple[list[str], list[str]]:
    """The agents who say a claim and who deny it, in the order of their first words; one may do both.

    A line says a claim where it holds its words, and denies it where a word such as "false" stands before them.
    """
    said: tuple[dict[str, None], dict[str, None]] = ({}, {})
    for heard in posts:
        for line in heard.text.splitlines() if claim.casefold() in heard.text.casefold() else ():
            if holds(line, claim):
                before = line.casefold().partition(claim.casefold())[0]
                said[any(word in before for word in DENIALS)].setdefault(heard.author)
    return list(said[0]), list(said[1])


def spread(mind: PlayerState, *, but: Collection[str]) -> Iterator[ToolCall]:
    """Say every rumor that one has, once on each channel but some."""
    for channel in mind.view.channels:
        for rumor in mind.data.told.rumors if channel.name not in but else ():
            if mind.view.me not in voices(rumor, channel.posts)[0]:
                yield post(channel.name, phrases.KNOW + rumor)


def gossip(mind: PlayerState) -> Iterator[ToolCall]:
    """Pass on what one holds for true to those who have not heard it; deny what is said of oneself."""
    others = [p for p in mind.posts if p.author != mind.view.me]
    beliefs = {claim: believed(claim, others, mind.data.key)[0] for p in others for claim in phrases.claims(p.text)}
    for channel in mind.view.channels if beliefs else ():
        wider = [p for c in mind.view.channels if set(channel.members) <= set(c.members) for p in c.posts]
        for claim, belief in beliefs.items():
            saying, denying = voices(claim, wider)
            if holds(claim, mind.view.me):
                if saying and mind.view.me not in denying:
                    yield post(channel.name, phrases.DENY + claim)
            elif belief == "true" and not saying and draws.unit(mind.key("repeats", claim)) < REPEAT:
                yield post(channel.name, phrases.HEARD + claim)


def answer(mind: PlayerState) -> Iterator[ToolCall]:
    """Say what it holds each claim for: what it spreads itself, and what others say of it, it holds for false."""
    others = [p for p in mind.posts if p.author != mind.view.me]
    made_up = {p.text for p in mind.posts if p.author == mind.view.me}
    for name, words in mind.view.claims:
        known = (holds(words, mind.view.me) and any(voices(words, others))) or phrases.KNOW + words in made_up
        yield state_belief(name, *(("false", 100.0) if known else believed(words, others, mind.data.key)))
