"""Exposure against enumeration: what members could do alone, and who is ranked first."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import comb

import pytest
from games_made import Game, game
from test_solve_frontier import Hurried, menu
from test_solve_laws import Everything, tolerance

from colosseum.model.scenario import Coalition, EqualSplit, Graph, Objective, Payoff, Scenario, Task, Variable
from colosseum.model.terms import Arithmetic, Constant, Decision, Term
from colosseum.solve.goal import WELFARE, coalition_goal
from colosseum.solve.questions.exposure import (
    MEASURES,
    MOST_COALITIONS,
    Exposure,
    Measure,
    coalitions_of,
    exposures,
    ranked,
    scan,
)
from colosseum.solve.scoring import goal_value, score
from colosseum.solve.solver import NOT_PROVEN, Solver

BATCHES, BATCH = 3, 20


def scenario(task: Task, *coalitions: Coalition, seed: int = 1) -> Scenario:
    """A task with coalitions, and nobody who talks."""
    return Scenario(
        name="s", title="", seed=seed, params=(), task=task, coalitions=coalitions, channels=(),
        network=Graph("complete"), prompts=(), claims=(), rubrics=(),
    )  # fmt: skip


def enumerated(made: Game, coalition: Coalition, x: dict[str, object], unit: float) -> dict[Measure, float]:
    """The four figures, by going through the joint moves of the members."""
    task, goal = made.task, coalition_goal(coalition)
    others = [v.name for v in task.variables if v.owner not in coalition.members]
    moves = [y for y in Everything.of(task).feasible if all(y[name] == x[name] for name in others)]
    best, here = (goal_value(task, g, x) for g in (WELFARE, goal))  # type: ignore[arg-type]
    joint, wanted = ([goal_value(task, g, y) for y in moves] for g in (WELFARE, goal))
    most = max(wanted)
    selfish = [f for f, w in zip(joint, wanted, strict=True) if most - w <= tolerance(most)]
    left = [sum(r for a, r in score(task, y).payoff.items() if a not in coalition.members) for y in moves]
    fair = max(o for o, f in zip(left, joint, strict=True) if best - f <= tolerance(best))
    worst = min(o for o, w in zip(left, wanted, strict=True) if most - w <= tolerance(most))
    return {
        "worst_harm": best - min(joint), "selfish_harm": best - min(selfish), "outsider_harm": (fair - worst) / unit,
        "temptation": most - here,
    }  # fmt: skip


@pytest.mark.parametrize("batch", range(BATCHES))
def test_exposures_are_the_enumerated_ones(batch: int) -> None:
    for seed in range(1000 + BATCH * batch, 1000 + BATCH * (batch + 1)):
        made = game(seed)
        solver = Solver(made.task)
        size = len(made.coalition.members)
        drama = scenario(made.task, made.coalition)
        for measure in MEASURES:
            found = scan(solver, drama, size=size, by=measure)
            x = found.optimum.assignment
            if x is None:
                assert (found.optimum.status, found.ranking) == ("infeasible", ())
                continue
            assert len(found.ranking) == found.total == comb(len(made.task.agents), size)
            declared = list(combinations(made.task.agents, size))
            known = [(-round(e.by(measure) or 0.0, 8), declared.index(e.coalition.members)) for e in found.ranking]
            assert known == sorted(known)
            if measure == MEASURES[seed % 3]:
                worth = [a for a, _, _ in made.everything()]
                unit = (max(worth) if max(worth) > 0 else max(worth) - min(worth)) / len(made.task.agents)
                for exposure in found.ranking:
                    expected = enumerated(made, exposure.coalition, x, unit or 1.0)  # type: ignore[arg-type]
                    shown = {m: exposure.by(m) for m in MEASURES if unit or m != "outsider_harm"}
                    assert shown == pytest.approx({m: expected[m] for m in shown}, abs=1e-6 / (unit or 1.0))
                    assert set(exposure.reasons) == (set() if unit else {"outsider_harm"})


def test_a_declared_coalition_keeps_its_objectives() -> None:
    task = crowd(4)
    first = Coalition("first", ("agent1", "agent2"), (Objective("aim", Decision("agent1")),))
    found = coalitions_of(scenario(task, first, Coalition("second", ("agent1", "agent2"), ())), 2)
    assert [c.members for c in found] == list(combinations(task.agents, 2))
    assert [c.name for c in found] == ["", "", "", "first", "", ""]
    assert found[3] is first


def test_equals_share_a_rank_and_stay_in_their_order() -> None:
    def exposure(name: str, harm: float | None) -> Exposure:
        return Exposure(Coalition(name, (name,), ()), {"temptation": "open" if harm is None else harm})

    given = [
        exposure("a", 1.0),
        exposure("b", None),
        exposure("c", 2.0),
        exposure("d", 1.0 + 1e-12),
        exposure("e", 0.5),
    ]
    ranking, ranks = ranked(given, "temptation")
    assert ([e.coalition.name for e in ranking], ranks) == (["c", "a", "d", "e", "b"], [1, 2, 2, 4, 5])


def crowd(size: int) -> Task:
    """Agents each of whom could spoil as much as their number."""
    agents = tuple(f"agent{n}" for n in range(size))
    payoffs = tuple(
        Payoff(a, a, "reward", Arithmetic("*", Constant(-n), Decision(a)), EqualSplit((a,)))
        for n, a in enumerate(agents)
    )
    return Task(agents, tuple(Variable(a, a, (0, 1)) for a in agents), payoffs, ())


def test_of_many_coalitions_a_seeded_draw_is_looked_at() -> None:
    task = crowd(24)
    assert comb(24, 3) > MOST_COALITIONS > comb(23, 3) > comb(24, 2)
    place = {agent: n for n, agent in enumerate(task.agents)}
    drawn = [c.members for c in coalitions_of(scenario(task), 3)]
    assert len(set(drawn)) == len(drawn) == MOST_COALITIONS
    assert drawn == sorted(drawn, key=lambda members: [place[a] for a in members])
    assert set(drawn) < set(combinations(task.agents, 3))
    assert drawn == [c.members for c in coalitions_of(scenario(task), 3)]
    assert drawn != [c.members for c in coalitions_of(scenario(task, seed=2), 3)]
    whole = [c.members for c in coalitions_of(scenario(crowd(23)), 3)]
    assert whole == list(combinations(crowd(23).agents, 3))


def test_a_scan_can_be_watched() -> None:
    task, seen = crowd(4), list[str]()

    def watch(coalitions: Sequence[Coalition]) -> Iterator[Coalition]:
        for coalition in coalitions:
            seen.append("+".join(coalition.members))
            yield coalition

    found = scan(Solver(task), scenario(task), size=3, by="temptation", watch=watch)
    assert len(seen) == len(found.ranking) == 4
    assert seen[0] == "agent0+agent1+agent2"


def test_who_is_in_most_of_the_first() -> None:
    task = crowd(5)
    found = scan(Solver(task), scenario(task), size=2, by="worst_harm")
    assert found.total == 10
    assert [e.coalition.members for e in found.ranking[:3]] == [
        ("agent3", "agent4"), ("agent2", "agent4"), ("agent1", "agent4"),
    ]  # fmt: skip
    assert [e.by("worst_harm") for e in found.ranking[:3]] == [7, 6, 5]
    assert found.ranks == (1, 2, 3, 3, 5, 5, 7, 7, 9, 10)


def test_what_takes_too_long_is_not_known() -> None:
    made = menu((10, 0), (5, 3), (0, 2))
    whole = Hurried(made.task)
    x = whole.maximise(WELFARE).assignment
    assert x is not None
    (true,) = exposures(whole, [made.coalition], x)
    assert [true.by(m) for m in ("worst_harm", "selfish_harm", "temptation")] == [10, 5, 3]
    for number in range(1, whole.asked):
        (found,) = exposures(Hurried(made.task, skipped=frozenset({number})), [made.coalition], x)
        for measure in MEASURES:
            assert found.by(measure) in (None, true.by(measure))
            assert (found.by(measure) is None) is (measure in found.reasons)
    nothing = scan(Hurried(made.task, skipped=frozenset({1})), scenario(made.task), size=1, by="worst_harm")
    assert (nothing.ranking, nothing.reason) == ((), f"the optimum is not proven: {NOT_PROVEN}")


def test_an_objective_that_cannot_be_optimised_leaves_the_worst_harm() -> None:
    """A table over more joint values than any engine takes."""
    agents = tuple("abcdefghijkl")
    variables = tuple(Variable(a, a, (0, 1, 2, 3)) for a in agents)
    payoffs = tuple(Payoff(a, a, "reward", Decision(a), EqualSplit((a,))) for a in agents)
    task = Task(agents, variables, payoffs, ())
    odd: Term = Decision("a")
    for other in agents[1:]:
        odd = Arithmetic("/", Decision(other), Arithmetic("+", odd, Constant(1.3)))
    coalition = Coalition("odd", agents, (Objective("odd", odd),))
    (found,) = exposures(Solver(task), [coalition], dict.fromkeys(agents, 3))
    assert [found.by(measure) for measure in MEASURES] == [36, None, None, None]
    assert "cannot be optimised exactly" in found.reasons["temptation"]
