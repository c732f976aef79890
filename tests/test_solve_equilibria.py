"""Pure Nash equilibria against nashpy for two, and against going through every profile for more."""

import random
from itertools import product
from pathlib import Path

import nashpy
import numpy as np
import pytest
from games_made import game
from specs_made import HEAD, expanded

from colosseum.model.scenario import Task
from colosseum.model.values import Value
from colosseum.solve.questions.equilibria import equilibria
from colosseum.solve.scoring import hard_broken, score


def by_hand(task: Task) -> list[list[float]]:
    """The payoffs of every profile that keeps the hard rules and that nobody gains by leaving."""
    names, found = [v.name for v in task.variables], list[list[float]]()
    every = [dict(zip(names, x, strict=True)) for x in product(*(v.domain for v in task.variables))]
    kept = [x for x in every if not hard_broken(task.requirements, x)]
    worth = {tuple(map(repr, x.values())): score(task, x).payoff for x in kept}

    def gains(x: dict[str, Value], agent: str) -> bool:
        held = {v.name for v in task.variables if v.owner != agent}
        others = (y for y in kept if all(repr(y[n]) == repr(x[n]) for n in held))
        here = worth[tuple(map(repr, x.values()))][agent]
        return any(worth[tuple(map(repr, y.values()))][agent] > here + 1e-9 * max(1.0, abs(here)) for y in others)

    for x in kept:
        if not any(gains(x, agent) for agent in task.agents):
            found.append([*worth[tuple(map(repr, x.values()))].values()])
    return sorted(found)


@pytest.mark.parametrize("seed", range(60))
def test_random_games_of_three_and_four(seed: int) -> None:
    task = game(seed).task
    found, expected = equilibria(task), by_hand(task)
    if isinstance(found, str):
        assert not expected, found
    else:
        assert np.array(sorted(found.tolist())) == pytest.approx(np.array(expected))


@pytest.mark.parametrize("seed", range(30))
def test_games_of_two_have_the_pure_equilibria_that_nashpy_finds(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    moves = ["x", "y", "z"]
    pay = {who: [[chance.randint(0, 6) for _ in moves] for _ in moves] for who in "ab"}
    grids = "".join(
        f"table pay_{who}[m in moves, n in moves]\n     | {' '.join(moves)}\n"
        + "".join(f"  {m} | {' '.join(map(str, row))}\n" for m, row in zip(moves, pay[who], strict=True))
        for who in "ab"
    )
    text = f"""{HEAD}agents A, B
set moves = {{x, y, z}}
variable pick[agents]: moves
{grids}reward ra to A: pay_a[pick[A], pick[B]]
reward rb to B: pay_b[pick[A], pick[B]]
"""
    ours, both = equilibria(expanded(tmp_path, text).task), nashpy.Game(np.array(pay["a"]), np.array(pay["b"]))
    theirs = [
        [float(pay["a"][i][j]), float(pay["b"][i][j])]
        for i, j in product(range(3), repeat=2) if all(both.is_best_response(np.eye(3)[i], np.eye(3)[j]))
    ]  # fmt: skip
    assert sorted([] if isinstance(ours, str) else ours.tolist()) == sorted(theirs)


def test_games_that_are_too_large_and_those_without_one_say_so(tmp_path: Path) -> None:
    task = game(1).task
    assert str(equilibria(task, most=3)).startswith("the one-shot game has ")
    pennies = f"""{HEAD}agents A, B
set side = {{heads, tails}}
variable coin[agents]: side
reward same to A: 1 if coin[A] == coin[B] else 0
reward other to B: 0 if coin[A] == coin[B] else 1
"""
    assert equilibria(expanded(tmp_path, pennies).task) == "the one-shot game has no pure equilibrium"
