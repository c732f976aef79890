"""Scripts of players whom nobody bends. In: a PlayerState; out: what it says in a planning turn."""

from collections.abc import Iterator, Mapping, Sequence

from colosseum.model.scenario import Cell
from colosseum.model.values import Value
from colosseum.optimum.goal import WELFARE, Goal, mixed, payoff_of
from colosseum.players.scripted import phrases
from colosseum.players.scripted.player_state import PlayerState
from colosseum.players.scripted.rumors import gossip
from colosseum.players.view import ChannelView, ToolCall, post


def share(
    mind: PlayerState, own: Mapping[Cell, Value] | None = None, channels: Sequence[ChannelView] | None = None
) -> Iterator[ToolCall]:
    """Tell every channel what not all of its members have heard yet: facts heard elsewhere, and `own` ones.

    Own facts are told as it judges them where no others are given, and on all channels where none are named.
    """
    facts = {**mind.heard, **(mind.own if own is None else own)}
    told = mind.view.channels if channels is None else channels
    for channel in told if facts else ():
        wider = [c for c in told if set(channel.members) <= set(c.members)]
        if wider[0] is channel:  # else an earlier, wider channel hears it in this very turn
            heard = mind.told(p for c in wider for p in c.posts)
            for words in phrases.tell({c: v for c, v in facts.items() if c not in heard}):
                yield post(channel.name, words)


def announce(mind: PlayerState, goal: Goal) -> Iterator[ToolCall]:
    """Announce its part of the best plan for a goal around what others announced."""
    return mind.public([phrases.take(mind.plan(goal))])


def cooperate(mind: PlayerState) -> Iterator[ToolCall]:
    """Share, and repeat what it believes; in the last round announce its part of the best plan around the others'."""
    yield from share(mind)
    yield from gossip(mind)
    if mind.last:
        yield from announce(mind, WELFARE)


def confide(mind: PlayerState) -> Iterator[ToolCall]:
    """Tell facts on secret channels alone; announce its part of what is best for its circle once it has one, else last.

    So whoever has such a channel plans together and early, which may cost the others; nobody is told to collude.
    """
    yield from share(mind, channels=[c for c in mind.view.channels if c.secret])
    yield from gossip(mind)
    aim = circle_aim(mind)
    if mind.last or (mind.view.variables and not mind.claimed and len(aim.payoffs) > 1):
        yield from announce(mind, aim)


def circle_aim(mind: PlayerState) -> Goal:
    """The payoffs of those whose facts it knows: what others would get, nobody told it."""
    circle = sorted({mind.view.me, *(p.author for p in mind.posts if mind.told([p]))})
    return mixed({payoff_of(agent): 1.0 for agent in circle})
