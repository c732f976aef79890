"""The penalty at which breaking a rule stops paying: found by re-solving, and checked by solving at it."""

import json
from pathlib import Path

import pytest
from specs_made import HEAD, expanded
from test_cli_commands import colosseum

from colosseum.model.scenario import Task
from colosseum.solve.goal import WELFARE
from colosseum.solve.questions.prices import Temptation, temptations
from colosseum.solve.solver import Solver

GAME = (f"{HEAD}param price = 3\nagents A, B, C\nset goods = {{car, bike}}\nvariable take[agents]: goods or none\n"
        "table worth[goods] = {car: 10, bike: 4}\n"
        "reward have[a in agents] when take[a] != none: worth[take[a]]\n")  # fmt: skip
SINGLE = "require single[g in goods]: count(a in agents when take[a] == g) <= 1 penalty price"
FEW = "require few: count(a in agents when take[a] != none) <= 1 penalty price"


def tempting(task: Task) -> tuple[Temptation, ...]:
    found = Solver(task).maximise(WELFARE)
    assert found.assignment is not None
    return temptations(task, found.assignment)


@pytest.mark.parametrize(
    ("rule", "enough"),
    [(SINGLE, 16.0), (f"{SINGLE} per unit", 10.0), (FEW, 20.0), (f"{FEW} per unit", 10.0)],
)
def test_a_rule_stops_tempting_at_its_price_and_not_before(tmp_path: Path, rule: str, enough: float) -> None:
    found = tempting(expanded(tmp_path, GAME + rule).task)
    assert [t.enough for t in found] == [pytest.approx(enough)]
    assert len(tempting(expanded(tmp_path, GAME + rule, price=enough * 0.99).task)) == 1
    assert tempting(expanded(tmp_path, GAME + rule, price=enough * 1.01).task) == ()


def test_a_rule_that_nothing_satisfies_has_no_price(tmp_path: Path) -> None:
    (found,) = tempting(expanded(tmp_path, f"{GAME}require odd: take[A] == car and take[A] == bike penalty 1").task)
    assert (found.factor, found.reason) == (None, "nothing satisfies all of it")


def test_a_rule_that_costs_nothing_has_no_factor(tmp_path: Path) -> None:
    (found,) = tempting(expanded(tmp_path, GAME + SINGLE, price=0).task)
    assert (found.enough, found.reason) == (None, "it costs nothing now")


def test_instances_of_several_prices_have_a_factor(tmp_path: Path) -> None:
    rule = SINGLE.replace("penalty price", "penalty 0.1 * worth[g]")
    (found,) = tempting(expanded(tmp_path, GAME + rule).task)
    assert found.price is None
    assert found.enough is None
    assert found.factor is not None
    assert found.factor > 1


def test_compile_tells_the_price(tmp_path: Path) -> None:
    spec = tmp_path / "game.colo"
    spec.write_text(GAME + SINGLE + "\n", encoding="utf-8")
    told = colosseum("compile", spec)
    assert "warning[W010]: breaking `single[car]` pays: the optimum itself does" in told.stderr
    assert "above a penalty of 16 breaking it never pays; it is 3" in told.stderr
    (entry,) = json.loads(colosseum("compile", spec, "--json").stdout)["worth_breaking"]
    assert (entry["statement"], entry["instances"], entry["price"]) == ("single", ["single[car]"], 3)
    assert entry["price"] * entry["factor"] == 16
    assert "W010" not in colosseum("compile", spec, "--set", "price=17").stderr
