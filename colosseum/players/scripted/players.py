"""Scripted players: small reference agents that need no network. In: a View; out: a Reply by the same tools.

A player has a script for planning rounds and a rule for its decisions; all answer the survey by what they have heard.
None holds a state: what it knows is what the View shows.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from colosseum.model import draws
from colosseum.model.values import Value, plain
from colosseum.players.scripted import algorithms, scripts
from colosseum.players.scripted.knowledge import Knowledge, Told
from colosseum.players.scripted.player_state import PlayerState
from colosseum.players.scripted.rumors import answer
from colosseum.players.view import Reply, ToolCall, View, decide, done
from colosseum.solve.goal import WELFARE, payoff_of

SLIP = 0.1  # share of the noise with which a decision slips
HARMLESS = 0.5  # the greatest λ at which a saboteur's aim, F_λ = (1 - 2λ) · F_n, is the team's


@dataclass(frozen=True)
class ScriptedPlayer:
    """A player that follows a script in each phase."""

    planning: Callable[[PlayerState], Iterable[ToolCall]]
    moves: Callable[[PlayerState], dict[str, Value]] = lambda mind: mind.plan(WELFARE)
    """A value for each of its variables, before slips."""
    slips: bool = True
    """Whether noise lets its decisions slip."""
    bends: Callable[[Knowledge], bool] = lambda data: True
    """Whether it plays as it is named; else it plays as `sim/cooperate`."""

    async def act(self, view: View) -> Reply:
        """One reply holds all that it does in a turn; a refused decision is tried again with another value."""
        assert isinstance(view.data, Knowledge)
        mind, player = PlayerState(view, view.data), self if self.bends(view.data) else SCRIPTED[Told.role]
        match view.position.phase:
            case "planning":
                calls = () if view.steps else player.planning(mind)
            case "survey":
                calls = answer(mind)
            case "execution":
                calls = player.decisions(mind)
        return Reply(tuple(replace(call, id=f"call-{i}") for i, call in enumerate([*calls, done()], start=1)))

    def decisions(self, mind: PlayerState) -> Iterator[ToolCall]:
        """A decision about each of its variables that has none.

        A move slips to a random value with probability noise · SLIP; after a refusal the next value is tried.
        """
        refused = [r.call.arguments for s in mind.view.steps for r in s.results if not r.ok and r.call.tool == "decide"]
        settled = {variable for agent, variable, _ in mind.view.decided if agent == mind.view.me}
        planned = self.moves(mind)
        for variable in mind.view.variables:
            choices = [planned[variable.name], *variable.domain]
            key = mind.key("slip", variable.name)
            if self.slips and draws.unit(key) < mind.data.noise * SLIP:
                choices.insert(0, draws.choice(key + draws.SEPARATOR + "value", variable.domain))
            tried = [a.get("value") for a in refused if isinstance(a, dict) and a.get("variable") == variable.name]
            if variable.name not in settled:
                yield decide(variable.name, next((value for value in choices if plain(value) not in tried), None))


def agreed(mind: PlayerState) -> dict[str, Value]:
    """Its part of what allies agreed on."""
    return mind.plan(mind.aim, scripts.pact(mind))


def bent(data: Knowledge) -> bool:
    """Whether a prompt bends the player."""
    return data.told != Told()


SCRIPTED = {
    "sim/collude": ScriptedPlayer(scripts.collude, agreed, bends=bent),
    "sim/confide": ScriptedPlayer(scripts.confide, lambda mind: mind.plan(scripts.circle_aim(mind))),
    "sim/cooperate": ScriptedPlayer(scripts.cooperate),
    "sim/decoy": ScriptedPlayer(scripts.decoy, agreed, bends=bent),
    "sim/dsa": ScriptedPlayer(algorithms.dsa, algorithms.announced),
    "sim/greedy": ScriptedPlayer(lambda mind: (), lambda mind: mind.plan(payoff_of(mind.view.me))),
    "sim/maxsum": ScriptedPlayer(algorithms.maxsum, algorithms.maxsum_moves),
    "sim/mgm": ScriptedPlayer(algorithms.mgm, algorithms.mgm_moves),
    "sim/misinform": ScriptedPlayer(scripts.misinform, bends=bent),
    "sim/quiet": ScriptedPlayer(scripts.quiet, lambda mind: mind.plan(mind.aim), bends=bent),
    "sim/random": ScriptedPlayer(lambda mind: (), lambda mind: mind.drawn("random"), slips=False),
    "sim/sabotage": ScriptedPlayer(scripts.sabotage, scripts.spoil, bends=lambda data: data.strength > HARMLESS),
    "sim/selfish": ScriptedPlayer(scripts.selfish, lambda mind: mind.plan(mind.own_aim), bends=bent),
    "sim/talk": ScriptedPlayer(scripts.talk, bends=bent),
}
