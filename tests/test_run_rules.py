"""Decisions against enumeration: one is refused iff no completion of the open variables keeps the hard rules."""

from itertools import permutations, product

import pytest

from colosseum.model.scenario import EqualSplit, Payoff, Requirement, Task, Variable
from colosseum.model.terms import Compare, Constant, Decision, Some, Term, Total
from colosseum.model.values import Value
from colosseum.run.turn import Rules

NAMES = ("a", "b", "c", "d")
A, B, C, D = (Decision(name) for name in NAMES)
SUM = Compare("<=", Total((A, B, C, D)), Constant(3))
ENOUGH = Compare(">=", Total((B, D)), Constant(2))
EITHER = Some((Compare("==", A, Constant(0)), Compare(">", C, B)))
APART = Compare("!=", A, D)
NEVER = Compare(">", Total((A, B)), Constant(9))


def task(*conditions: Term) -> Task:
    variables = tuple(Variable(name, "ann", (2, 0, 1)) for name in NAMES)
    rules = (Requirement(f"rule[{n}]", f"rule{n}", hard, None, None) for n, hard in enumerate(conditions))
    soft = Requirement("soft", "soft", Compare("==", A, Constant(2)), 1.0, None)
    return Task(("ann",), variables, (Payoff("p", "p", "reward", A, EqualSplit(("ann",))),), (*rules, soft))


@pytest.mark.parametrize("conditions", [(), (SUM,), (SUM, ENOUGH), (SUM, ENOUGH, EITHER, APART), (NEVER,)])
@pytest.mark.parametrize("order", [NAMES, *list(permutations(NAMES))[5::6]])
def test_a_decision_is_refused_iff_nothing_completes_it(conditions: tuple[Term, ...], order: tuple[str, ...]) -> None:
    """Run after run by the same rules: each knows what kept them in the run before."""
    game = task(*conditions)
    rules, domains = Rules(game), [v.domain for v in game.variables]
    every = [dict(zip(NAMES, values, strict=True)) for values in product(*domains)]
    kept = [x for x in every if all(condition.evaluate(x) for condition in conditions)]
    for values in product(*domains):
        decided: dict[str, Value] = {}
        for name, value in zip(order, values, strict=True):
            possible = any({**x, **decided, name: value} == x for x in kept)
            broken = rules.forbids(decided, name, value)
            assert (broken is None) == (possible or not conditions)
            assert broken is None or broken in [r.statement for r in game.hard]
            if broken is None:
                decided[name] = value
