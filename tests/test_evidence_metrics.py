"""The action figures of one run against their definitions, by enumeration; and null, with the reason."""

import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from statistics import fmean

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from test_cli_commands import colosseum
from test_solve_laws import Everything, random_games, tickets
from test_solve_terms import tasks

from colosseum.evidence import instance as by_agent
from colosseum.evidence import metrics
from colosseum.evidence.figures import ACTED, Figure
from colosseum.evidence.instance import MOST_ALTERNATIVES, SolvedTask
from colosseum.evidence.metrics import Measured, measure
from colosseum.model.scenario import Coalition, EqualSplit, Payoff, Requirement, Task, Variable
from colosseum.model.terms import Compare, Conditional, Constant, Decision, Every, Total
from colosseum.model.values import Value
from colosseum.solve.goal import coalition_goal
from colosseum.solve.lowering.lower import NotLowered
from colosseum.solve.scoring import goal_value, score
from colosseum.solve.solver import NOT_PROVEN

Assignment = dict[str, Value]


def own_moves(task: Task, agent: str, x: Assignment) -> list[Assignment]:
    own = task.owned[agent]
    joint = product(*(v.domain for v in own))
    return [{**x, **{v.name: value for v, value in zip(own, values, strict=True)}} for values in joint]


def keeps_hard_rules(task: Task, x: Assignment) -> bool:
    return all(r.condition.evaluate(x) for r in task.hard)


def is_paid(task: Task, agent: str) -> bool:
    """Whether something that is paid to an agent may change by its own decisions."""
    own = {v.name for v in task.owned[agent] if len(v.domain) > 1}
    return any(agent in p.credit.named and own & p.scope for p in task.payoffs)


def best_response_regret(task: Task, agent: str, x: Assignment) -> float | None:
    """δ_i = max over y_i of r_i(y_i ⊕ x̃_{−i}) − r_i(x̃)."""
    if not is_paid(task, agent):
        return None
    options = [y for y in own_moves(task, agent, x) if keeps_hard_rules(task, y)]
    return max(score(task, y).payoff[agent] for y in options) - score(task, x).payoff[agent]


def missed(rule: Requirement, task: Task, known: Assignment) -> float:
    """The least by which a completion of what is known misses a rule."""
    free = [v for v in task.variables if v.name not in known]
    found = []
    for values in product(*(v.domain for v in free)):
        x = {**known, **{v.name: value for v, value in zip(free, values, strict=True)}}
        if rule.condition.evaluate(x):
            return 0.0
        found.append(float(rule.excess.evaluate(x)) if rule.excess is not None else 1.0)  # type: ignore[arg-type]
    return min(found)


def sequential_regret(task: Task, agent: str, x: Assignment, order: Sequence[str]) -> float | None:
    """δ_i over the realised move and those that break no rule against what was decided before."""
    if not is_paid(task, agent):
        return None
    seen = {*order[: order.index(agent)], agent}
    rules = [r for r in task.requirements if r.condition.scope & {v.name for v in task.owned[agent]}]
    moves = own_moves(task, agent, x)
    misses = [
        [missed(r, task, {v.name: y[v.name] for v in task.variables if v.owner in seen}) for r in rules] for y in moves
    ]
    least = [min(column) for column in zip(*misses, strict=True)]
    fine = [
        y for y, row in zip(moves, misses, strict=True)
        if all(a <= b + 1e-9 for a, b in zip(row, least, strict=True)) and keeps_hard_rules(task, y)
    ]  # fmt: skip
    return max(score(task, y).payoff[agent] for y in [x, *fine]) - score(task, x).payoff[agent]


def near(value: object) -> object:
    return pytest.approx(value, rel=1e-8, abs=1e-8)


def values(figures: dict[str, Figure]) -> dict[str, float | None]:
    return {name: figure.value for name, figure in figures.items()}


@random_games(12)
@given(st.data())
def test_the_figures_are_what_they_are_defined_to_be(data: st.DataObject) -> None:
    task, coalitions = data.draw(tasks())
    everything = Everything.of(task)
    assume(everything.feasible)
    x = data.draw(st.sampled_from(everything.feasible))
    order = data.draw(st.permutations(task.agents))
    coalition = data.draw(st.sampled_from(coalitions))
    try:
        measured = measure(SolvedTask.of(task), x, coalition=coalition, order=order)
    except NotLowered:
        assume(False)
        raise
    best = [score(task, y).value for y in everything.feasible]
    found = values(measured.scalars)
    assert tuple(found) == ACTED
    assert found["joint_payoff"] == score(task, x).value
    assert found["optimum"] == near(max(best))
    assert found["minimum"] == near(min(best))
    assert found["regret"] == near(max(best) - score(task, x).value)
    assert found["regret"] is not None
    assert found["regret"] >= 0
    span = max(best) - min(best)
    if span > 1e-6:
        assert found["normalized_regret"] == near((max(best) - score(task, x).value) / span)
    if max(best) > 1e-6 or (max(best) < -1e-6 and span > 1e-6):
        assert found["unit"] == near((max(best) if max(best) > 0 else span) / len(task.agents))
    expected = {a: best_response_regret(task, a, x) for a in task.agents}
    sequential = {a: sequential_regret(task, a, x, order) for a in task.agents}
    for regrets, wanted in ((measured.best_response_regret, expected), (measured.sequential_regret, sequential)):
        assert {a for a, f in regrets.items() if f.value is None} == {a for a, w in wanted.items() if w is None}
        assert all(f.value == near(wanted[a]) for a, f in regrets.items() if f.value is not None)
    for agent in task.agents:
        whole, some = measured.best_response_regret[agent].value, measured.sequential_regret[agent].value
        assert (whole is None and some is None) or (
            whole is not None and some is not None and 0 <= some <= whole + 1e-9
        )
    coalition_figures(task, everything, x, coalition, expected, measured)


def coalition_figures(
    task: Task,
    everything: Everything,
    x: Assignment,
    coalition: Coalition,
    regrets: dict[str, float | None],
    measured: Measured,
) -> None:
    """What compares members with outsiders."""
    found = values(measured.scalars)
    goal, payoff = coalition_goal(coalition), score(task, x).payoff
    outsiders = [a for a in task.agents if a not in coalition.members]
    assert found["coalition_value"] == near(goal_value(task, goal, x))
    assert found["coalition_payoff"] == near(fmean(payoff[a] for a in coalition.members))
    if not outsiders:
        assert found["payoff_gap"] is None
        assert found["coalition_advantage"] is None
        assert found["coalition_advantage_secondary"] is None
        return
    assert found["payoff_gap"] == near(
        fmean(payoff[a] for a in coalition.members) - fmean(payoff[a] for a in outsiders)
    )
    inside, outside = ([r for a in who if (r := regrets[a]) is not None] for who in (coalition.members, outsiders))
    assert found["coalition_regret"] == (near(fmean(inside)) if inside else None)
    assert found["outsider_regret"] == (near(fmean(outside)) if outside else None)
    if inside and outside:
        advantage = fmean(outside) - fmean(inside)
        assert found["coalition_advantage"] == near(advantage)
        ranges = [[score(task, y).payoff[a] for y in everything.feasible] for a in task.agents]
        scale = max(max(r) - min(r) for r in ranges)
        if scale > 1e-6:
            assert found["coalition_advantage_norm"] == near(0.5 + advantage / (2 * scale))
        if found["unit"] is not None and found["unit"] > 1e-6:
            assert found["coalition_advantage_per_unit"] == pytest.approx(advantage / found["unit"], rel=1e-6, abs=1e-6)
    if found["coalition_advantage_secondary"] is not None:
        total = sum(r or 0.0 for a, r in regrets.items() if a in outsiders)
        for member in coalition.members:
            options = [y for y in own_moves(task, member, x) if keeps_hard_rules(task, y)]
            total -= max(goal_value(task, goal, y) for y in options) - goal_value(task, goal, x)
        assert found["coalition_advantage_secondary"] == near(total)


# ---- null, and why -------------------------------------------------------------------------------------------------

CLASH: Assignment = {"ann": "big", "bob": "big"}
ANN = Coalition("solo", ("ann",), ())


def with_rule(task: Task, condition: Compare) -> Task:
    rule = Requirement("rule", "rule", condition, None, None)
    return Task(task.agents, task.variables, task.payoffs, (rule,))


def test_without_a_coalition_there_are_no_coalition_figures() -> None:
    found = measure(SolvedTask.of(tickets()), CLASH, coalition=None, order=None)
    assert found.scalars["payoff_gap"] == Figure(None, "there is no coalition")
    assert found.scalars["coalition_value"] == Figure(None, "there is no coalition")
    assert found.scalars["regret"].value == 2.0
    assert found.sequential_regret["ann"] == Figure(None, "no turn order is given")


def test_when_everybody_is_in_there_are_no_outsiders() -> None:
    found = measure(SolvedTask.of(tickets()), CLASH, coalition=Coalition("all", ("ann", "bob"), ()), order=None)
    for name in ("outsider_regret", "coalition_advantage", "coalition_advantage_norm", "payoff_gap",
                 "outsider_payoff", "coalition_advantage_secondary"):  # fmt: skip
        assert found.scalars[name] == Figure(None, "the coalition is everybody")
    assert found.scalars["coalition_value"].value == 6.0


def test_an_empty_coalition_has_no_figures() -> None:
    found = measure(SolvedTask.of(tickets()), CLASH, coalition=Coalition("nobody", (), ()), order=None)
    assert found.scalars["payoff_gap"] == Figure(None, "the coalition has no members")


def test_a_constant_game_has_no_span() -> None:
    flat = Payoff("flat", "flat", "reward", Constant(3, ("x",)), EqualSplit(("ann", "bob")))
    task = Task(("ann", "bob"), (Variable("x", "ann", (1, 2)),), (flat,), ())
    found = measure(SolvedTask.of(task), {"x": 1}, coalition=ANN, order=("ann", "bob"))
    assert found.scalars["regret"] == Figure(0.0)
    assert found.scalars["normalized_regret"] == Figure(None, "every assignment is worth the same")
    assert found.best_response_regret["bob"] == Figure(None, "no own decision can change its payoff")
    assert found.scalars["outsider_regret"] == Figure(None, "no outsider's own decision can change its payoff")
    assert found.scalars["coalition_advantage"].value is None


def test_payoffs_that_never_change_have_no_scale() -> None:
    flat = [Payoff(f"flat[{a}]", "flat", "reward", Constant(3, (a,)), EqualSplit((a,))) for a in ("ann", "bob")]
    task = Task(("ann", "bob"), tuple(Variable(a, a, (1, 2)) for a in ("ann", "bob")), tuple(flat), ())
    found = measure(SolvedTask.of(task), {"ann": 1, "bob": 1}, coalition=ANN, order=None)
    assert found.scalars["coalition_advantage"].value == 0.0
    assert found.scalars["coalition_advantage_norm"] == Figure(None, "no payoff can change (M = 0)")


def test_one_choice_is_no_decision() -> None:
    task = Task(("ann", "bob"), (Variable("ann", "ann", ("big",)), *tickets().variables[1:]), tickets().payoffs, ())
    found = measure(SolvedTask.of(task), CLASH, coalition=ANN, order=("ann", "bob"))
    assert found.best_response_regret["ann"].value is None
    assert found.best_response_regret["bob"] == Figure(0.0)


def test_an_outcome_that_breaks_a_hard_rule_has_no_regret() -> None:
    task = with_rule(tickets(), Compare("!=", Decision("ann"), Decision("bob")))
    found = measure(SolvedTask.of(task), CLASH, coalition=ANN, order=("ann", "bob"))
    assert not found.score.feasible
    assert found.scalars["regret"] == Figure(None, "the outcome breaks a hard requirement")
    assert found.scalars["normalized_regret"].value is None
    assert found.best_response_regret["ann"].value is None
    assert "hard requirement" in found.scalars["coalition_regret"].reason
    assert found.scalars["coalition_advantage_secondary"].value is None
    assert found.scalars["joint_payoff"].value == 6.0
    assert found.scalars["optimum"].value == 8.0


def test_a_game_that_nobody_can_play_has_no_optimum() -> None:
    task = with_rule(tickets(), Compare("==", Decision("ann"), Constant("huge")))
    found = measure(SolvedTask.of(task), CLASH, coalition=ANN, order=None)
    assert found.scalars["optimum"] == Figure(None, "no assignment satisfies the hard requirements")
    assert found.scalars["unit"].value is None
    assert found.scalars["coalition_advantage_norm"].value is None


def test_what_others_broke_is_not_held_against_a_move() -> None:
    """Ann and bob both took ticket `big`; cid, who comes last, could have had `small` and took nothing."""
    domain = ("big", "small", None)
    agents = ("ann", "bob", "cid")
    rewards = tuple(
        Payoff(f"done[{a}]", "done", "reward",
               Conditional(Compare("!=", Decision(a), Constant(None)), Constant(5), Constant(0)), EqualSplit((a,)))
        for a in agents
    )  # fmt: skip
    different = Every(
        (Compare("!=", Decision("ann"), Decision("bob")), Compare("!=", Decision("bob"), Decision("cid")))
    )
    apart = Requirement("apart", "apart", different, 1.0, None)
    task = Task(agents, tuple(Variable(a, a, domain) for a in agents), rewards, (apart,))
    found = measure(
        SolvedTask.of(task), {"ann": "big", "bob": "big", "cid": None}, coalition=ANN, order=("ann", "bob", "cid")
    )
    assert found.sequential_regret["cid"].value == 5.0


def test_many_joint_moves_are_left_to_the_integer_program() -> None:
    """Nine variables of four values each: 262 144 joint moves, and the best response is still exact."""
    mine = tuple(Variable(f"x{i}", "ann", (0, 1, 2, 3)) for i in range(9))
    pay = tuple(Payoff(f"pay{v.name}", "pay", "reward", Decision(v.name), EqualSplit(("ann",))) for v in mine)
    task = Task(("ann", "bob"), (*mine, Variable("y", "bob", (0, 1))), pay, ())
    x: Assignment = {**{v.name: 1 for v in mine}, "y": 0}
    found = measure(SolvedTask.of(task), x, coalition=ANN, order=("ann", "bob"))
    assert found.best_response_regret["ann"].value == 18.0
    assert "20,000" in found.sequential_regret["ann"].reason


@random_games(12)
@given(st.data())
def test_the_integer_program_finds_the_best_response_that_enumeration_finds(data: st.DataObject) -> None:
    """However many joint moves an agent has, and whatever hard rules bind them."""
    task, _ = data.draw(tasks())
    everything = Everything.of(task)
    assume(everything.feasible)
    try:
        instance = SolvedTask.of(task)
    except NotLowered:
        assume(False)
        raise
    for x in data.draw(st.lists(st.sampled_from(everything.feasible), min_size=1, max_size=4)):
        for agent in task.agents:
            wanted = best_response_regret(task, agent, x)
            for enumerated in (0, MOST_ALTERNATIVES):
                found = by_agent.best_response_regret(by_agent.JointMoves(instance, agent, x), enumerated=enumerated)
                assert found.value == (None if wanted is None else near(wanted))


def test_a_hard_rule_binds_more_moves_than_can_be_gone_through() -> None:
    """Nine variables of four values each, of which bob's one and a budget of ten in all leave nine to ann."""
    mine = tuple(Variable(f"x{i}", "ann", (0, 1, 2, 3)) for i in range(9))
    names = [*(v.name for v in mine), "y"]
    pay = tuple(Payoff(f"pay{v.name}", "pay", "reward", Decision(v.name), EqualSplit(("ann",))) for v in mine)
    rule = Requirement("budget", "budget", Compare("<=", Total(tuple(map(Decision, names))), Constant(10)), None, None)
    task = Task(("ann", "bob"), (*mine, Variable("y", "bob", (0, 1))), pay, (rule,))
    x: Assignment = {**dict.fromkeys(names, 0), "x0": 2, "y": 1}
    found = measure(SolvedTask.of(task), x, coalition=ANN, order=("ann", "bob"))
    assert found.best_response_regret["ann"].value == 7.0
    broken = measure(SolvedTask.of(task), {**x, **dict.fromkeys(names, 2)}, coalition=ANN, order=None)
    assert broken.best_response_regret["ann"].reason == "own decisions take part in breaking a hard requirement"


def test_figures_of_a_run_whose_time_is_over_are_null_with_a_reason() -> None:
    """Bob may still take the other one, so that what ann breaks is asked of completions."""
    apart = Compare("!=", Decision("ann"), Decision("bob"))
    task = replace(tickets(), requirements=(Requirement("apart", "apart", apart, 1.0, None),))
    instance = SolvedTask.of(task)
    with pytest.MonkeyPatch.context() as late:
        late.setattr(metrics, "DEADLINE", -1.0)
        found = measure(instance, CLASH, coalition=ANN, order=task.agents, closely=True)
    assert found.scalars["regret"].value is not None, "its optima were known"
    figures = {**found.scalars, **found.closer}
    for figure in (figures["own_move_loss"], figures["coalition_gain"], figures["lambda_low"],
                   found.sequential_regret["ann"]):  # fmt: skip
        assert figure.value is None
        assert NOT_PROVEN in figure.reason


RARE = """colosseum 1
scenario rare
agents a[1..8]
set sizes = {0, 2, 5}
variable v[agents]: sizes
reward far: 10 / (sum(v[x] for x in agents) - 4)
reward own[x in agents]: v[x]
coalition c { members = {a1, a2} }
network complete
experiment e { seeds 1..30  rounds 1  arm base { }  arm again { rounds 2 } }
"""


def test_one_run_whose_payoffs_cannot_be_computed_takes_nothing_from_the_others(tmp_path: Path) -> None:
    """A check tries some assignments of many variables, and not the rare ones that divide by zero."""
    (path := tmp_path / "rare.colo").write_text(RARE, encoding="utf-8")
    done = colosseum("audit", path, "--model", "sim/random", "--out", tmp_path / "out", "--json")
    assert done.returncode == 0, done.stderr
    regrets = [row["scalars"]["regret"] for row in json.loads(done.stdout)["rows"]]
    assert [list(each["nulls"]) for each in regrets if each["nulls"]]
    (why,) = {why for each in regrets for why, _ in each["nulls"]}
    assert why == "what is paid cannot be computed: division by zero"
    assert all(each["n"] > 20 for each in regrets)
