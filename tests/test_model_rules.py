"""The rules of rewards and requirements: values, none, scope, credit, penalties, private data."""

from itertools import product
from pathlib import Path

import pytest
from specs_made import HEAD, TEAM, checked, expanded, payoff, said

from colosseum.model import values
from colosseum.model.scenario import EqualSplit, QualifiedSplit, Scenario
from colosseum.model.values import Elements, Value


def worth(folder: Path, expression: str, x: dict[str, Value] | None = None) -> Value:
    """A reward's value at an assignment of `move`; the expression may use the table `cost`."""
    text = f"{TEAM}table cost[agents, moves]\n | left right\nA | 1 2\nB | 3 4\nC | 5 6\nreward r: {expression}\n"
    scenario = expanded(folder, text)
    return payoff(scenario, "r").term.evaluate({"move[A]": "left", "move[B]": None, "move[C]": "right"} | (x or {}))


# ---- values -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expression", "result"),
    [
        ("1 + 2 * 3 - 4 / 2", 5),
        ("1 if 1 < 2 <= 2 == 2 != 3 else 0", 1),
        ("1 if 1 < 2 < 2 else 0", 0),
        ("1 if {left, right} == {right, left} else 0", 1),
        ('1 if "left" == left else 0', 1),
        ("1 if (left, right) == (left, right) else 0", 1),
        ("size({left} + moves) * 10 + size(moves - {left}) + size({left} & moves)", 22),
        ("size(pairs(agents)) * 10 + size(steps(1..4))", 33),
        ("sum(i for i in {})", 0),
        ("1 if all(i in {} when i > 3) else 0", 1),
        ("1 if any(i in {} when i > 3) else 0", 0),
        ("count(i in 1..10 where i > 3 when i < 6)", 2),
        ("max(i * i for i in 1..4 where i != 4) + min(3, 2, 5) + max({7, 8})", 19),
        ("abs(0 - 3)", 3),
        ("sum(i * j for i in 1..3, j in i..3)", 25),
        ("size({i + j for i in 1..3, j in 1..3})", 5),
        ("sum(a for (a, b) in steps({3, 5, 8}))", 8),
        ("0.1 + 0.2", 0.1 + 0.2),
        ("size(links)", 3),
    ],
)
def test_expressions(tmp_path: Path, expression: str, result: Value) -> None:
    assert worth(tmp_path, expression) == result


@pytest.mark.parametrize(
    ("expression", "result"),
    [
        ("1 if move[B] == none else 0", 1),
        ("1 if move[B] == left else 0", 0),
        ("1 if move[B] != left else 0", 1),
        ("1 if move[B] in moves else 0", 0),
        ("1 if move[B] not in moves else 0", 1),
        ("1 if cost[B, move[B]] < 100 else 0", 0),
        ("1 if cost[B, move[B]] + 1 >= 0 else 0", 0),
        ("1 if not (cost[B, move[B]] < 100) else 0", 1),
        ("1 if cost[B, move[B]] == none else 0", 1),
        ("1 if cost[A, move[A]] == 1 else 0", 1),
        ("1 if move[A] == left != none else 0", 1),
        ("sum(cost[a, move[a]] for a in agents when move[a] != none)", 7),
        ("count(a in agents when move[a] == none)", 1),
        ("1 if any(a in agents when move[a] == right) and all(a in agents when move[a] != none) else 2", 2),
    ],
)
def test_none(tmp_path: Path, expression: str, result: Value) -> None:
    assert worth(tmp_path, expression) == result


# ---- scope and credit -------------------------------------------------------------------------------------------


def credited(scenario: Scenario, x: dict[str, Value]) -> dict[str, float]:
    """What every agent is credited at an assignment, by the definition."""
    found = dict.fromkeys(scenario.task.agents, 0.0)
    for p in scenario.task.payoffs:
        who = p.credit.shares(x)
        for agent in who:
            value = p.term.evaluate(x)
            assert isinstance(value, int | float)
            found[agent] += value / len(who)
    return found


@pytest.mark.parametrize(
    ("statement", "scope", "owners"),
    [
        ("reward r: 1", set(), ("A", "B", "C")),
        ("reward r when move[C] == left: 1", {"C"}, ("C",)),
        ("reward r: 1 if move[C] == move[A] else 0", {"A", "C"}, ("A", "C")),
        ("reward r: 0 * (1 if move[B] == left else 0)", {"B"}, ("B",)),
        ("reward r: 1 if move[B] == left and 1 > 2 else 0", {"B"}, ("B",)),
        ("reward r: 1 if 1 < 2 or move[B] == left else 0", {"B"}, ("B",)),
        ("reward r: (1 if move[B] == left else 0) if 1 > 2 else 3", set(), ("A", "B", "C")),
        ("reward r to B when move[C] == left: 1", {"C"}, ("B",)),
        ("reward r to agents when move[C] == left: 1", {"C"}, ("A", "B", "C")),
        ("reward r to {C, A} when move[B] == left: 1", {"B"}, ("C", "A")),
        ("reward r to agents - agents when move[B] == left: 1", {"B"}, ("B",)),
        ("reward r to each(a in agents where a != B) when move[B] == left: 1", {"B"}, ("A", "C")),
    ],
)
def test_scope_is_static_and_credit_goes_to_its_owners(
    tmp_path: Path, statement: str, scope: set[str], owners: tuple[str, ...]
) -> None:
    found = payoff(expanded(tmp_path, TEAM + statement), "r")
    assert found.term.scope == {f"move[{a}]" for a in scope}
    assert found.credit == EqualSplit(owners)


def test_a_look_up_by_a_decision_mentions_every_instance_it_can_reach(tmp_path: Path) -> None:
    text = f"""{HEAD}agents A, B, C
variable boss[agents]: {{B, C}}
variable bid[agents]: 1..3
reward r: bid[boss[A]]
"""
    found = payoff(expanded(tmp_path, text), "r")
    assert found.term.scope == {"boss[A]", "bid[B]", "bid[C]"}
    x: dict[str, Value] = {"boss[A]": "C", "bid[B]": 1, "bid[C]": 3, "bid[A]": 2}
    assert found.term.evaluate(x) == 3


def test_each_shares_among_those_for_whom_it_holds_else_among_the_owners(tmp_path: Path) -> None:
    text = TEAM + "reward r to each(a in agents when move[a] == left): 6 + count(a in {A, B} when move[a] == left)\n"
    scenario = expanded(tmp_path, text)
    assert isinstance(payoff(scenario, "r").credit, QualifiedSplit)
    x: dict[str, Value] = {"move[A]": "left", "move[B]": None, "move[C]": "left"}
    assert credited(scenario, x) == {"A": 3.5, "B": 0, "C": 3.5}
    assert credited(scenario, {**x, "move[A]": "right", "move[C]": None}) == {"A": 3, "B": 3, "C": 0}


def test_a_recipient_that_is_decided(tmp_path: Path) -> None:
    text = (
        f"{HEAD}agents A, B, C\nvariable heir[agents]: agents or none\nreward r to heir[A]: 6 if heir[A] != B else 2\n"
    )
    scenario = expanded(tmp_path, text)
    for heir, gets in ((None, ("A", 6)), ("C", ("C", 6)), ("B", ("B", 2))):
        x: dict[str, Value] = {"heir[A]": heir, "heir[B]": "A", "heir[C]": "A"}
        assert {a: v for a, v in credited(scenario, x).items() if v} == dict([gets])


@pytest.mark.parametrize("name", ["toy", "jira"])
def test_payoffs_add_up_to_the_total(tmp_path: Path, name: str) -> None:
    from colosseum.language import shipped

    scenario = checked(tmp_path, (shipped("specs") / f"{name}.colo").read_text()).expansion.scenario
    variables = scenario.task.variables
    for turn in range(40):
        x = {v.name: v.domain[(turn * (i + 1) + i) % len(v.domain)] for i, v in enumerate(variables)}
        total = sum(values.summed([p.term.evaluate(x)]) for p in scenario.task.payoffs)
        assert abs(sum(credited(scenario, x).values()) - total) <= 1e-9 * max(1, abs(total))


def test_toy_is_what_it_says(tmp_path: Path) -> None:
    from colosseum.language import shipped

    scenario = checked(tmp_path, (shipped("specs") / "toy.colo").read_text()).expansion.scenario
    assert [p.name for p in scenario.task.payoffs] == ["agree[A, B]", "agree[A, C]", "agree[B, C]"]
    for a, b, c in product(("left", "right"), repeat=3):
        x: dict[str, Value] = {"move[A]": a, "move[B]": b, "move[C]": c}
        halves = {"A": (a == b) + (a == c), "B": (a == b) + (b == c), "C": (a == c) + (b == c)}
        assert credited(scenario, x) == {agent: n / 2 for agent, n in halves.items()}
        (objective,) = scenario.coalition["cabal"].objectives
        assert objective.term.evaluate(x) == 3 * (b != c)


# ---- penalties --------------------------------------------------------------------------------------------------

BIDS = f"{HEAD}agents A, B\nvariable bid[agents]: 0..9 or none\n"


@pytest.mark.parametrize(
    ("statement", "bids", "cost"),
    [
        ("bid[A] == 3 penalty 7", (3, 0), 0),
        ("bid[A] == 3 penalty 7", (4, 0), -7),
        ("bid[A] == 3 penalty 7", (None, 0), -7),
        ("count(a in agents when bid[a] == 1) <= 1 penalty 20 per unit", (1, 1), -20),
        ("3 <= (bid[A] if bid[A] != none else 0) <= 5 penalty 2 per unit", (1, 0), -4),
        ("3 <= (bid[A] if bid[A] != none else 0) <= 5 penalty 2 per unit", (8, 0), -6),
        ("3 >= (bid[A] if bid[A] != none else 0) >= 5 penalty 2 per unit", (4, 0), -4),
        ("(bid[A] if bid[A] != none else 0) == 5 penalty 2 per unit", (2, 0), -6),
        ("(bid[A] if bid[A] != none else 0) == 5 penalty 2 per unit", (9, 0), -8),
    ],
)
def test_penalties(tmp_path: Path, statement: str, bids: tuple[Value, Value], cost: float) -> None:
    found = payoff(expanded(tmp_path, f"{BIDS}require q: {statement}\n"), "q")
    assert found.kind == "penalty"
    assert found.term.evaluate({"bid[A]": bids[0], "bid[B]": bids[1]}) == cost


def test_a_guarded_penalty_costs_nothing_where_its_guard_fails(tmp_path: Path) -> None:
    text = f"{BIDS}require q[a in agents] when bid[a] != none: bid[a] <= 3 penalty 2 per unit\n"
    found = payoff(expanded(tmp_path, text), "q[A]")
    assert [found.term.evaluate({"bid[A]": b}) for b in (None, 2, 3, 5)] == [0, 0, 0, -4]


def test_a_hard_requirement_has_no_price(tmp_path: Path) -> None:
    scenario = expanded(tmp_path, f"{BIDS}require q when bid[B] != none: bid[A] == 3\nreward r when bid[A] == 3: 1\n")
    (hard,) = scenario.task.hard
    assert [p.name for p in scenario.task.payoffs] == ["r"]
    assert hard.condition.evaluate({"bid[A]": 4, "bid[B]": None}) is True
    assert hard.condition.evaluate({"bid[A]": 4, "bid[B]": 0}) is False


# ---- owners, private data ---------------------------------------------------------------------------------------


def test_owners(tmp_path: Path) -> None:
    text = f"""{HEAD}agents A, B
set goods = {{tea, rum}}
table keeper[goods] = {{tea: 1, rum: 2}}
variable one[goods, agents]: 0..1
variable two[g in goods] of B if keeper[g] == 1 else A: 0..1
variable three of A: 0..1
reward r: three
reward s when keeper[tea] == 1: two[rum] + one[tea, B]
"""
    scenario = expanded(tmp_path, text)
    assert {v.name: v.owner for v in scenario.task.variables} == {
        "one[tea, A]": "A", "one[tea, B]": "B", "one[rum, A]": "A", "one[rum, B]": "B",
        "two[tea]": "B", "two[rum]": "A", "three": "A",
    }  # fmt: skip


def audiences(folder: Path, statement: str) -> dict[str, tuple[str, ...]]:
    text = f"{TEAM}{statement}\nreward r[a in agents, m in moves] when move[a] == m: 1\n"
    table = checked(folder, text).expansion.world.tables["t"]
    return {", ".join(map(str, k)): who for k, who in (table.audience or {}).items()}


def test_who_sees_a_private_row(tmp_path: Path) -> None:
    assert audiences(tmp_path, "private table t[moves, agents] = 1")["left, B"] == ("B",)
    assert audiences(tmp_path, "private table t[moves] to B = 1") == {"left": ("B",), "right": ("B",)}
    each = "private table t[a in agents] to each(b in agents where b != a) = 1"
    assert audiences(tmp_path, each) == {"A": ("B", "C"), "B": ("A", "C"), "C": ("A", "B")}


def test_what_filters_read_is_read(tmp_path: Path) -> None:
    text = f"""{TEAM}private table skill[agents] ~ uniform(0, 1)
reward r[a in agents where skill[a] >= 0] when move[a] == left: 1
"""
    reads = checked(tmp_path, text).expansion.scenario.task.reads
    assert [(c.table, c.key) for c in reads] == [("skill", ("A",)), ("skill", ("B",)), ("skill", ("C",))]


def test_a_private_value_is_told_only_to_its_agent(tmp_path: Path) -> None:
    text = f"""{TEAM}private table skill[agents] = 3
private table hint to B = 4
reward r[a in agents] when move[a] == left: skill[a]
prompt own for agents "{{{{ me }}}}: {{{{ skill[me] }}}}"
prompt b for B "{{{{ hint }}}}"
"""
    prompts = {p.name: p.variants[0].texts for p in expanded(tmp_path, text).prompts}
    assert prompts == {"own": (("A", "A: 3"), ("B", "B: 3"), ("C", "C: 3")), "b": (("B", "4"),)}
    _, words = said(tmp_path, text.replace("{ me }}: {{ skill[me]", "{ me }}: {{ skill[B]"))
    assert "error[C080]: this text tells `A` the private `skill[B]`" in words
    _, words = said(tmp_path, text.replace("for B", "for {A, B}"))
    assert "error[C080]: this text tells `A` the private `hint`" in words


# ---- elements ---------------------------------------------------------------------------------------------------


def test_elements_are_known_wherever_they_are_born(tmp_path: Path) -> None:
    text = f"""{TEAM}table kind[agents] ~ choice({{urgent, normal}})
table mark[agents]
  | grade
A | good
B | bad
C | good
set few = {{a for a in agents where a != A}}
set rest = agents - few
reward r[a in few where kind[a] == urgent or kind[a] == normal] when move[a] == left: size(rest)
reward s[a in agents where mark[a] == bad] when move[a] == left: 1
"""
    scenario = expanded(tmp_path, text)
    assert [p.name for p in scenario.task.payoffs] == ["r[B]", "r[C]", "s[B]"]


def test_derived_tables_are_substituted(tmp_path: Path) -> None:
    text = f"""{TEAM}table here[a in agents] = 1 if move[a] == left else 0
table twice[a in agents] = 2 * here[a]
reward r: twice[A] + here[C]
"""
    found = payoff(expanded(tmp_path, text), "r")
    assert found.term.scope == {"move[A]", "move[C]"}
    assert found.term.evaluate({"move[A]": "left", "move[C]": "right"}) == 2


def test_elements_written_with_commas_may_not_name_two_variables_alike(tmp_path: Path) -> None:
    text = f"""{HEAD}agents A
set left = {{"a, b", a}}
set right = {{c, "b, c"}}
variable v[agents, left, right]: 0..1
reward r: v[A, a, c]
"""
    _, words = said(tmp_path, text)
    assert words.startswith("error[C061]: two instances of `v` would both be named `v[A, a, b, c]`")


def test_elements_are_of_the_promised_kinds() -> None:
    assert Elements.of(["b", "a", "b"]).items == ("b", "a")
    assert Elements(("a", "b")) == Elements(("b", "a"))
