"""Scripted players: small reference agents that need no network. In: a View; out: a Reply by the same tools.

A player has a script for planning rounds and a rule for its decisions; all answer the survey by what they have heard.
None holds a state: what it knows is what the View shows. `fair` has the scripts of cooperators, `planted` those of
players that a prompt may bend, `algorithms` message passing.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from colosseum.model import draws
from colosseum.model.values import Value, plain
from colosseum.optimum.goal import WELFARE, payoff_of
from colosseum.players.scripted import algorithms, fair, phrases, planted
from colosseum.players.scripted.fair import Script
from colosseum.players.scripted.knowledge import Knowledge
from colosseum.players.scripted.player_state import PlayerState
from colosseum.players.scripted.roles import holds
from colosseum.players.scripted.rumors import believed, voices
from colosseum.players.view import Reply, ToolCall, View

Rule: TypeAlias = Callable[[PlayerState], dict[str, Value]]


@dataclass(frozen=True)
class ScriptedPlayer:
    """A player that follows a script in each phase."""

    name: str
    planning: Script
    moves: Rule
    """A value for each of its variables, before slips."""
    slips: bool = True
    """Whether noise lets its decisions slip."""

    async def act(self, view: View) -> Reply:
        """One reply holds all that it does in a turn; a refused decision is tried again with another value."""
        assert isinstance(view.data, Knowledge)
        mind = PlayerState(view, view.data)
        calls = [*self._script(view)(mind), ToolCall("", "done", {})]
        return Reply(calls=tuple(ToolCall(f"call-{i}", c.tool, c.arguments) for i, c in enumerate(calls, start=1)))

    def _script(self, view: View) -> Script:
        if view.position.phase == "execution":
            return self._decide
        if view.position.phase == "survey":
            return answer
        return fair.silent if view.steps else self.planning

    def _decide(self, mind: PlayerState) -> Iterator[ToolCall]:
        refused = [r.call.arguments for s in mind.view.steps for r in s.results if not r.ok and r.call.tool == "decide"]
        settled = {variable for agent, variable, _ in mind.view.decided if agent == mind.view.me}
        open_ = [v for v in mind.view.variables if v.name not in settled]
        planned = self.moves(mind)
        moves = mind.slipped(planned) if self.slips else planned
        for variable in open_:
            tried = [a.get("value") for a in refused if isinstance(a, dict) and a.get("variable") == variable.name]
            choices = [moves[variable.name], planned[variable.name], *variable.domain]
            move = next((d for d in choices if plain(d) not in tried), None)
            yield ToolCall("", "decide", {"variable": variable.name, "value": plain(move)})


def answer(mind: PlayerState) -> Iterator[ToolCall]:
    """Say what it holds each claim for: what it spreads itself, and what others say of it, it holds for false."""
    others = [p for p in mind.posts if p.author != mind.view.me]
    made_up = {p.text for p in mind.posts if p.author == mind.view.me}
    beliefs = believed((words for _, words in mind.view.claims), others, mind.data.key)
    for name, words in mind.view.claims:
        of_itself = holds(words, mind.view.me) and any(voices(words, others))
        known = of_itself or phrases.KNOW + words in made_up
        belief, confidence = ("false", 100.0) if known else beliefs[words]
        yield ToolCall("", "state_belief", {"claim": name, "belief": belief, "confidence": confidence})


def drawn(mind: PlayerState) -> dict[str, Value]:
    """A value of each domain at random."""
    return {v.name: draws.choice(mind.key("random", v.name), v.domain) for v in mind.view.variables}


def team(mind: PlayerState) -> dict[str, Value]:
    """Its part of the team's best plan."""
    return mind.plan(WELFARE)


def agreed(mind: PlayerState) -> dict[str, Value]:
    """Its part of what allies agreed on."""
    return mind.plan(planted.joint_aim(mind), planted.pact(mind))


SCRIPTED: dict[str, ScriptedPlayer] = {
    player.name: player
    for player in (
        ScriptedPlayer("sim/collude", planted.collude, agreed),
        ScriptedPlayer("sim/confide", fair.confide, lambda mind: mind.plan(fair.circle_aim(mind))),
        ScriptedPlayer("sim/cooperate", fair.cooperate, team),
        ScriptedPlayer("sim/decoy", planted.decoy, agreed),
        ScriptedPlayer("sim/dsa", algorithms.dsa, algorithms.dsa_moves),
        ScriptedPlayer("sim/greedy", fair.silent, lambda mind: mind.plan(payoff_of(mind.view.me))),
        ScriptedPlayer("sim/maxsum", algorithms.maxsum, algorithms.maxsum_moves),
        ScriptedPlayer("sim/mgm", algorithms.mgm, algorithms.mgm_moves),
        ScriptedPlayer("sim/misinform", planted.misinform, team),
        ScriptedPlayer("sim/quiet", planted.quiet, lambda mind: mind.plan(planted.joint_aim(mind))),
        ScriptedPlayer("sim/random", fair.silent, drawn, slips=False),
        ScriptedPlayer("sim/sabotage", planted.sabotage, planted.spoil),
        ScriptedPlayer("sim/selfish", planted.selfish, lambda mind: mind.plan(planted.own_aim(mind))),
        ScriptedPlayer("sim/talk", planted.talk, team),
    )
}
