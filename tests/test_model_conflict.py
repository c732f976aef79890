"""Requirements that contradict each other: what `compile` names is a conflict, and none of it can be left out."""

import random
from collections.abc import Iterable
from itertools import product
from pathlib import Path

import pytest
from specs_made import HEAD, checked

from colosseum.diagnostics import ColosseumError, render_text
from colosseum.evidence.spec_questions import require_feasible, solve
from colosseum.model.check import Checked
from colosseum.model.payoff_rules import conflict_report, find_conflict
from colosseum.model.scenario import Requirement, Task

AGENTS = "agents A, B, C\nvariable n[agents]: 0..2\nreward r[a in agents]: n[a]\n"
RULES = (
    "require low_{i}: n[{a}] >= {k}", "require high_{i}: n[{a}] <= {k}", "require apart_{i}: n[{a}] != n[{b}]",
    "require sum_{i}: n[{a}] + n[{b}] == {k}", "require each_{i}[x in agents]: n[x] != {k}",
)  # fmt: skip


def possible(task: Task, requirements: Iterable[Requirement]) -> bool:
    """By going through all assignments."""
    hard = list(requirements)
    every = (dict(zip(task.variable, x, strict=True)) for x in product(*(v.domain for v in task.variables)))
    return any(all(r.condition.evaluate(x) for r in hard) for x in every)


def conflict_of(found: Checked) -> str:
    with pytest.raises(ColosseumError) as raised:
        require_feasible(solve(found).optimum, found)
    return render_text(raised.value.diagnostics)


@pytest.mark.parametrize("seed", range(40))
def test_a_conflict_is_least(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    rules = (chance.choice(RULES).format(i=i, a=chance.choice("ABC"), b=chance.choice("ABC"), k=chance.randrange(4))
             for i in range(7))  # fmt: skip
    spec = checked(tmp_path, HEAD + AGENTS + "\n".join(rules))
    task = spec.expansion.scenario.task
    if possible(task, task.hard):
        assert solve(spec).optimum.assignment is not None
        return
    found, least = find_conflict(task, lambda part: possible(part, part.hard))
    assert least
    assert not possible(task, found)
    for left_out in found:
        assert possible(task, [r for r in found if r is not left_out])
    assert render_text([conflict_report((found, True), spec.spec)]) == conflict_of(spec)


def test_each_rule_is_named_at_its_place_with_its_instances(tmp_path: Path) -> None:
    text = "require most: sum(n[a] for a in agents) <= 2\nrequire low[a in agents]: n[a] >= 1\nrequire idle: n[A] < 2\n"
    said = conflict_of(checked(tmp_path, HEAD + AGENTS + text))
    assert "`most`, `low[A]`, `low[B]` and `low[C]` contradict each other" in said
    assert said.count("^^^") == 2
    assert "idle" not in said


def test_a_rule_that_fails_by_itself_is_said_to(tmp_path: Path) -> None:
    said = conflict_of(checked(tmp_path, HEAD + AGENTS + "require two: n[A] >= 1\nrequire no: n[A] + n[B] > 4\n"))
    assert "nothing satisfies `no` even alone" in said


def test_a_search_that_ends_early_says_how_far_it_came(tmp_path: Path) -> None:
    text = "require low[a in agents]: n[a] >= 1\nrequire most: sum(n[a] for a in agents) <= 2\n"
    spec = checked(tmp_path, HEAD + AGENTS + text)
    task = spec.expansion.scenario.task
    found, least = find_conflict(task, lambda part: None)
    assert not least
    assert found == tuple(task.hard)
    said = render_text([conflict_report((found, False), spec.spec)])
    assert "some among `low[A]`, `low[B]`, `low[C]` and `most`" in said
