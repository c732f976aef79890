"""The players of a run. In: a stage and the models that its settings name; out: a player for every agent.

`sim` is a scripted team: outsiders cooperate; members of a coalition do what a prompt tells them as far as a scripted
player can make it out (`Told.role`): they collude, look after themselves, sabotage or spread what is not so.
`sim/NAME` is one scripted player for everybody it is given to, `python:module:Class` a user's own agent, made once
for each run and agent; anything else is a model's name for litellm.
"""

from collections.abc import Mapping

from colosseum.diagnostics import closest
from colosseum.model.values import Elements
from colosseum.players.models.request import Asker, Endpoint
from colosseum.players.protocol.templates import Templates
from colosseum.players.scripted.players import SCRIPTED
from colosseum.players.view import Player
from colosseum.run.stage import Stage


class UnknownPlayer(Exception):  # noqa: N818 - what is wrong, in words
    """No scripted player has this name."""

    def __init__(self, name: str) -> None:
        super().__init__(f"there is no scripted player `{name}`")
        self.help = closest(name, SCRIPTED) or f"scripted players: sim, {', '.join(sorted(SCRIPTED))}"


def cast(stage: Stage, sets: Mapping[str, Elements]) -> dict[str, str]:
    """The name of every agent's player; `sets` are the groups that settings may name. Raises UnknownPlayer.

    Where several groups hold an agent the smallest decides, so `{cabal: "x/y", agents: "z/w"}` may be turned round.
    """
    roles: dict[str, str] = {}
    groups = [(sets.get(who, (who,)), model) for who, model in stage.conditions.settings.model]
    for group, model in sorted(groups, key=lambda entry: -len(entry[0])):
        for agent in group:
            roles[str(agent)] = stage.told(str(agent)).role if model == "sim" else model
    found = {agent: roles.get(agent) or stage.told(agent).role for agent in stage.scenario.task.agents}
    for name in (*roles.values(), *found.values()):
        if name.startswith("sim/") and name not in SCRIPTED:
            raise UnknownPlayer(name)
    return found


def players(
    roles: Mapping[str, str], endpoints: Mapping[str, Endpoint], asker: Asker, templates: Templates
) -> dict[str, Player]:
    """A player for every agent; agents of one model share its player, which holds no state."""
    from colosseum.players.models.player import ModelPlayer
    from colosseum.players.own_player import OwnPlayer

    models = {name: ModelPlayer(each, asker, templates) for name, each in endpoints.items() if each.own is None}
    own = {a: OwnPlayer(endpoints[n], asker) for a, n in roles.items() if n in endpoints and n not in models}
    return {agent: own.get(agent) or models.get(name) or SCRIPTED[name] for agent, name in roles.items()}
