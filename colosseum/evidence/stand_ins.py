"""The coalition with others as its members. In: a spec, a scenario of it and an outcome; out: F_c of these others.

A placebo arm gives a secret channel to agents outside the coalition. Where the coalition has objectives of its own,
what these agents gain is told by the same objectives, expanded again with them as members.
"""

from collections.abc import Callable, Iterator, Mapping

from colosseum.evidence.figures import Figure
from colosseum.model.expand import expand
from colosseum.model.scenario import Coalition, Scenario, Task
from colosseum.model.spec import Declared
from colosseum.model.values import Fault, Value
from colosseum.solve.goal import coalition_goal
from colosseum.solve.scoring import goal_value

NOT_EXPANDED = "the coalition's objectives cannot be expanded with these agents as members"
StandIns = Mapping[tuple[str, ...], Coalition | None]
"""The coalition as these agents would be it; None where its objectives cannot be expanded so."""


def stand_ins(spec: Callable[[], Declared | None], scenario: Scenario, coalition: Coalition | None) -> StandIns:
    """By the members of each secret channel of outsiders; none where the coalition's value is a sum of payoffs.

    `spec` is asked for where it is needed alone; it gives None where the spec cannot be read.
    """
    if coalition is None or not coalition.objectives:
        return {}
    secret = [channel.members for channel in scenario.channels if channel.secret and channel.members]
    others = [members for members in secret if not set(members) & set(coalition.members)]
    return {members: _expanded(spec(), scenario, coalition.name, members) for members in others}


def _expanded(spec: Declared | None, scenario: Scenario, name: str, members: tuple[str, ...]) -> Coalition | None:
    if spec is None:
        return None
    params = dict(scenario.params)
    made, _ = expand(spec, seed=scenario.seed, params=params, graph=scenario.network, members={name: members})
    return None if made is None else made.scenario.coalition[name]


def values(found: StandIns, task: Task, assignment: Mapping[str, Value]) -> Iterator[tuple[tuple[str, ...], Figure]]:
    """F_c at an outcome, in payoff."""
    for members, coalition in found.items():
        try:
            worth = None if coalition is None else goal_value(task, coalition_goal(coalition), assignment)
            yield members, Figure(worth, NOT_EXPANDED if worth is None else "")
        except Fault as fault:
            yield members, Figure(None, fault.message)
