"""Scripts of players whom nobody bends. In: a PlayerState; out: what it says in a planning turn."""

from collections.abc import Iterator, Mapping, Sequence

from colosseum.model.scenario import Cell
from colosseum.model.values import Value
from colosseum.optimum.goal import WELFARE, Goal, mixed, payoff_of
from colosseum.players.scripted import phrases
from colosseum.players.scripted.player_state import PlayerState
from colosseum.players.scripted.rumors import gossip, post
from colosseum.players.view import ChannelView, ToolCall


def silent(mind: PlayerState) -> Iterator[ToolCall]:
    """Say nothing."""
    return iter(())


def share(
    mind: PlayerState, own: Mapping[Cell, Value] | None = None, channels: Sequence[ChannelView] | None = None
) -> Iterator[ToolCall]:
    """Tell every channel what not all of its members have heard yet: facts heard elsewhere, and `own` ones.

    Own facts are told as it judges them where no others are given, and on all channels where none are named.
    """
    facts = {**mind.heard, **(mind.own if own is None else own)}
    told = mind.view.channels if channels is None else channels
    for channel in told:
        wider = [c for c in told if set(channel.members) <= set(c.members)]
        heard = mind.told(p for c in wider for p in c.posts) if facts else {}
        said = [c for c in wider[:1] if c is not channel]  # an earlier, wider channel hears it in this very turn
        fresh = {} if said else {c: v for c, v in facts.items() if c not in heard}
        for words in phrases.tell(fresh):
            yield post(channel, words)


def cooperate(mind: PlayerState) -> Iterator[ToolCall]:
    """Share, and repeat what it believes; in the last round announce its part of the best plan around the others'."""
    yield from share(mind)
    yield from _conclude(mind, WELFARE)


def confide(mind: PlayerState) -> Iterator[ToolCall]:
    """Tell facts on secret channels alone; announce its part of what is best for its circle once it has one, else last.

    So whoever has such a channel plans together and early, which may cost the others; nobody is told to collude.
    """
    yield from share(mind, channels=[c for c in mind.view.channels if c.secret])
    first = bool(mind.view.variables) and not mind.said(mind.posts)
    yield from _conclude(mind, circle_aim(mind), early=first and len(_circle(mind)) > 1)


def circle_aim(mind: PlayerState) -> Goal:
    """The payoffs of those whose facts it knows: what others would get, nobody told it."""
    return mixed({payoff_of(agent): 1.0 for agent in _circle(mind)})


def _circle(mind: PlayerState) -> list[str]:
    return sorted({mind.view.me, *(p.author for p in mind.posts if mind.told([p]))})


def _conclude(mind: PlayerState, goal: Goal, *, early: bool = False) -> Iterator[ToolCall]:
    yield from gossip(mind)
    if early or last(mind):
        yield from announce(mind, mind.plan(goal))


def announce(mind: PlayerState, moves: Mapping[str, Value]) -> Iterator[ToolCall]:
    """Say one's moves on every channel that is not secret."""
    for channel in mind.view.channels:
        if not channel.secret:
            yield post(channel, phrases.take(moves))


def last(mind: PlayerState) -> bool:
    """Whether this is the last planning round of one who has something to decide."""
    return mind.view.position.round == mind.view.position.rounds and bool(mind.view.variables)
