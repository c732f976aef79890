"""Small games made by chance. In: a seed; out: a task and a coalition, and all that can be decided, enumerated."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

from test_solve_laws import Everything

from colosseum.model.scenario import (
    Coalition,
    EqualSplit,
    Objective,
    Payoff,
    QualifiedSplit,
    Requirement,
    Task,
    Variable,
)
from colosseum.model.terms import Arithmetic, Compare, Conditional, Constant, Decision, Inverse, PayoffOf, Select, Term
from colosseum.model.values import Value
from colosseum.solve.goal import WELFARE, coalition_goal
from colosseum.solve.scoring import goal_value

Amount: TypeAlias = Callable[[], float]
AGENTS = ("ann", "bob", "cid", "dee")


@dataclass(frozen=True)
class Game:
    """A task, and one coalition in it."""

    task: Task
    coalition: Coalition

    def everything(self) -> list[tuple[float, float, dict[str, Value]]]:
        """F_n, F_c and the assignment, for all assignments that keep the hard rules."""
        goal = coalition_goal(self.coalition)
        return [
            (goal_value(self.task, WELFARE, x), goal_value(self.task, goal, x), x)
            for x in Everything.of(self.task).feasible
        ]  # fmt: skip


def game(seed: int) -> Game:
    """A game of two to four agents with some 100 assignments; some only count in whole numbers and are full of ties."""
    chance = random.Random(seed)
    agents = AGENTS[: chance.choice((2, 3, 3, 4))]
    whole = chance.random() < 0.6
    variables = [Variable(a, a, (0, 1, 2)[: chance.choice((2, 3))]) for a in agents]
    if len(agents) < 4 and chance.random() < 0.5:
        variables.append(Variable("extra", chance.choice(agents), (3, 4)))

    def amount() -> float:
        return chance.randint(-3, 4) if whole else chance.uniform(-3, 4)

    payoffs = []
    for number in range(chance.randint(2, 5)):
        scope = chance.sample(variables, chance.choice((1, 2, 2)))
        name = f"pay{number}"
        payoffs.append(Payoff(name, name, "reward", _table(name, scope, amount), _credit(chance, agents, variables)))
    requirements = tuple(
        Requirement(f"rule{n}", f"rule{n}", _rule(chance, variables), None, None)
        for n in range(chance.choice((0, 0, 1)))
    )
    task = Task(agents, tuple(variables), tuple(payoffs), requirements)
    members = tuple(sorted(chance.sample(agents, chance.randint(1, len(agents) - 1)), key=agents.index))
    return Game(task, Coalition("cabal", members, _objectives(chance, agents, variables, amount)))


def _table(name: str, scope: Sequence[Variable], amount: Amount) -> Term:
    keys = product(*(v.domain for v in scope))
    return Select(name, tuple(Decision(v.name) for v in scope), tuple((key, Constant(amount())) for key in keys))


def _credit(chance: random.Random, agents: Sequence[str], variables: Sequence[Variable]) -> EqualSplit | QualifiedSplit:
    if chance.random() < 0.2:
        chosen = tuple((a, Compare("==", Decision(a), Constant(1))) for a in agents)
        return QualifiedSplit(chosen, tuple(agents))
    return EqualSplit(tuple(sorted(chance.sample(agents, chance.choice((1, 1, 2))), key=agents.index)))


def _rule(chance: random.Random, variables: Sequence[Variable]) -> Term:
    one, other = chance.sample(variables, 2)
    clash = Compare("==", Decision(one.name), Decision(other.name))
    return Inverse(clash) if chance.random() < 0.7 else clash


def _objectives(
    chance: random.Random, agents: Sequence[str], variables: Sequence[Variable], amount: Amount
) -> tuple[Objective, ...]:
    """None, or damage, envy, a whim about two decisions, or a whim about one that leaves much to chance."""
    total, first = PayoffOf(None), PayoffOf(agents[0])
    match chance.choice(("none", "none", "none", "damage", "envy", "whim", "indifferent")):
        case "damage":
            term: Term = Arithmetic("*", Constant(-chance.choice((0.5, 1, 2, 3))), total)
        case "envy":
            term = Arithmetic("-", first, PayoffOf(agents[-1]))
        case "whim":
            term = _table("whim", chance.sample(variables, 2), amount)
        case "indifferent":
            term = Conditional(Compare("==", Decision(agents[0]), Constant(1)), Constant(1), Constant(0))
        case _:
            return ()
    return (Objective("aim", term),)
