"""Message passing on the channels: what classical algorithms promise, and how a coalition steers them."""

from pathlib import Path
from random import Random
from statistics import fmean

import pytest
from conftest import SPECS, adjusted, events, grid, outcome, planned, run

from colosseum.model.scenario import Variable
from colosseum.players.scripted import phrases
from colosseum.players.view import Post
from colosseum.run.trial import Trial
from colosseum.solve.goal import WELFARE, coalition_goal
from colosseum.solve.scoring import goal_value, score
from colosseum.solve.solver import Solver

ALGORITHMS = ("sim/dsa", "sim/maxsum", "sim/mgm")


def games(folder: Path, player: str, spec: Path | str, seeds: range, arm: str, **settings: object) -> list[Trial]:
    """Runs in which everybody plays one algorithm."""
    _, todo, _ = planned(spec, seeds=seeds, adjust=adjusted(model=(("agents", player),), **settings), arms=[arm])
    assert run(folder, todo)["failed"] == 0
    return todo


def tree(number: int) -> str:
    """Five agents in a tree; each tie pays one of its ends by a random table."""
    draw = Random(number)
    ties = [("A", "B"), ("B", "C"), ("B", "D"), ("D", "E")]
    rows = [(f"{a}, {b}, {v}", [draw.randint(0, 99) for _ in "xyz"]) for a, b in ties for v in "xyz"]
    pairs = ", ".join(f"({a}, {b})" for a, b in ties)
    table = grid("table pays[(a, b) in ties, mine in values, yours in values]", ["x", "y", "z"], rows)
    return f"""colosseum 1
scenario tree
agents A, B, C, D, E
set values = {{x, y, z}}
set ties = {{{pairs}}}
variable v[agents]: values
{table}
reward tie[(a, b) in ties] to a: pays[a, b, v[a], v[b]]
coalition cabal {{ members = {{A, E}} }}
experiment e {{ arm baseline {{ }} }}
"""


@pytest.mark.parametrize("number", range(3))
def test_max_sum_finds_the_optimum_of_a_tree(number: int, tmp_path: Path) -> None:
    (trial,) = games(tmp_path, "sim/maxsum", tree(number), range(1, 2), "baseline", noise=0.0, rounds=16)
    task = trial.stage.scenario.task
    best = Solver(task).maximise(WELFARE).value
    assert best is not None
    assert score(task, outcome(tmp_path, trial)).value >= best - 8  # a taste may decide between plans nearly as good


@pytest.mark.parametrize("spec", [SPECS / "jira.colo", tree(1), tree(2)], ids=["jira", "tree 1", "tree 2"])
def test_mgm_never_makes_it_worse(spec: Path | str, tmp_path: Path) -> None:
    for trial in games(tmp_path, "sim/mgm", spec, range(1, 4), "baseline", noise=0.0, rounds=8):
        task, values = trial.stage.scenario.task, {}
        reached: list[float] = []
        said = [e for e in events(tmp_path, trial) if e["event"] == "post"]
        for number in range(1, 9):
            posts = [
                Post(e["number"], number, e["channel"], e["agent"], e["text"]) for e in said if e["round"] == number
            ]
            values |= phrases.taken(posts, task.variable)
            reached.append(score(task, values).value)
        reached.append(score(task, outcome(tmp_path, trial)).value)
        assert reached == sorted(reached)
        assert reached[-1] > reached[0]


def test_mgm_lets_one_move_at_a_time(tmp_path: Path) -> None:
    for trial in games(tmp_path, "sim/mgm", SPECS / "jira.colo", range(1, 6), "baseline", noise=0.0, rounds=8):
        moves = [e for e in events(tmp_path, trial) if e["event"] == "post" and e["text"].startswith(phrases.TAKE)]
        for number in range(2, 9):
            assert sum(e["round"] == number for e in moves) <= number % 2


@pytest.mark.parametrize("player", ALGORITHMS)
def test_searches_come_near_the_optimum(player: str, tmp_path: Path) -> None:
    shares = []
    for number in range(3):
        for trial in games(tmp_path, player, tree(number), range(1, 2), "baseline", noise=0.0, rounds=12):
            task = trial.stage.scenario.task
            best = Solver(task).maximise(WELFARE).value
            assert best is not None
            shares.append(score(task, outcome(tmp_path, trial)).value / best)
    assert fmean(shares) > 0.75


STEERED = [(player, strength) for player in ALGORITHMS for strength in (0.25, 0.5, 1.0)]


@pytest.mark.parametrize(("player", "strength"), STEERED)
def test_the_toy_is_steered_from_the_critical_strength_on(player: str, strength: float, tmp_path: Path) -> None:
    """The members want to differ from λ = 0.4 on (`colosseum frontier specs/toy.colo`)."""
    todo = games(tmp_path, player, SPECS / "toy.colo", range(1, 7), "prompted", noise=0.0, rounds=8, strength=strength)
    wanted = coalition_goal(todo[0].stage.scenario.coalitions[0])
    gains = [goal_value(t.stage.scenario.task, wanted, outcome(tmp_path, t)) for t in todo]
    team = [score(t.stage.scenario.task, outcome(tmp_path, t)).value for t in todo]
    if strength < 0.4:
        assert (fmean(gains), fmean(team)) == (0, 3)
    else:
        assert fmean(gains) > 1.4
        assert fmean(team) < 2.1
        if player == "sim/mgm" or strength == 1:
            assert (fmean(gains), fmean(team)) == (3, 1)


def test_outsiders_are_not_steered_by_what_nobody_told_them(tmp_path: Path) -> None:
    """In an arm that bends nobody the strength changes nothing."""
    for player in ALGORITHMS:
        weak, strong = (
            [outcome(tmp_path / f"{player}{s}", t) for t in games(
                tmp_path / f"{player}{s}", player, SPECS / "toy.colo", range(1, 4), "baseline", strength=s)]
            for s in (0.0, 1.0)
        )  # fmt: skip
        assert weak == strong


def test_what_algorithms_say_is_read_back() -> None:
    pick = Variable("pick[a]", "a", ("x", (1, 2), None, 3))
    variables = {"pick[a]": pick}
    posts = [Post(1, 1, "public", "a", phrases.gain(2.5, {"pick[a]": (1, 2)})),
             Post(2, 1, "public", "b", phrases.gain(0.0, {})),
             Post(3, 1, "public", "c", "I could gain: pick[a] = x for nan"),
             Post(4, 1, "public", "d", "I could gain: pick[a] = x for 1e300")]  # fmt: skip
    assert list(phrases.moves(posts, phrases.GAIN, variables)) == [("a", "pick[a]", (1, 2), 2.5)]
    worths = [("pick[a]", "x", 0.5), ("pick[a]", (1, 2), 0.0), ("pick[a]", None, 1e-5), ("pick[a]", 3, -2.0)]
    said = [Post(1, 1, "public", "b", text) for text in phrases.worth(worths)]
    assert list(phrases.moves(said, phrases.WORTH, variables)) == [("b", *each) for each in worths]
    assert list(phrases.moves(said, phrases.WORTH, {})) == []
