"""Random specs as people write them, from text to proven optimum: every answer is the enumerated one."""

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st
from test_solve_laws import STRUCTURAL, Everything, adds_up, agrees, goals_of, limited, random_games

from colosseum.model.check import check
from colosseum.model.scenario import Scenario
from colosseum.solve.lowering.lower import NotLowered
from colosseum.solve.lowering.rules import DEFAULT_LIMITS

HEAD = """colosseum 1
scenario game "A random game"
agents ann, bob{more}
set items = {{p, q, r}}
set slots = {low}..{high}
set counts = 0..3
set busy = {busy}
table worth[items] = {{p: {p}, q: {q}, r: 0.5}}
table cost[agents, items] ~ integer(0, 9)
table bonus[k in counts] = k * (5 - 2 * k)
table match[items, items]
     | p    q   r
  p  | 1    0   2
  q  | 0.25 3  -1
  r  | 0    0   1
table load[i in items] = count(a in agents when pick[a] == i)
variable pick[agents]: items{pick_none}
variable slot[busy]: slots{slot_none}
variable buddy of ann: {{ann, bob}}{buddy_none}
"""
REWARDS = (
    "[a in agents, i in items] when pick[a] == i: 3 * worth[i] - cost[a, i]",
    "[(a, b) in pairs(agents)] when pick[a] != none and pick[b] != none: match[pick[a], pick[b]]",
    "[a in agents] to {a, ann} when pick[a] != none: match[pick[a], q] * 2",
    "[a in busy] when slot[a] != none: K * slot[a]",
    "[i in items] to each(a in agents when pick[a] == i): K * load[i]",
    "[i in items] to each(a in agents when pick[a] != i): worth[i]",
    ": -2 * max(0, count(a in agents when pick[a] == p) - 1)",
    ": sum(slot[a] + 0.5 for a in busy when slot[a] != none)",
    " to bob: min(2, sum(K * slot[a] for a in busy when slot[a] != none))",
    ": max(slot[a] if slot[a] != none else K for a in busy)",
    " when slot[ann] != none and buddy != none: abs(slot[ann] - K) if buddy == bob else K",
    " to buddy: K if pick[ann] == pick[bob] else 1.5",
    ": K if any(a in agents when pick[a] == q) and not all(a in busy when slot[a] >= 1) else -1",
    "[a in agents] to a when pick[a] != none: 0 - load[pick[a]]",
    " to each(a in agents when pick[a] == p or buddy == a): bonus[count(a in agents when pick[a] == r)]",
    " to ann when slot[ann] != none: slot[ann] * (1 if pick[bob] == r else 0)",
    " when buddy != none: K * (1 if pick[buddy] == q else 0)",
)
CONDITIONS = (
    "load[p] OP 1",
    "sum(slot[a] for a in busy when slot[a] != none) OP K",
    "slot[ann] OP K",
    "pick[ann] != pick[bob]",
    "pick[ann] in {p, r} or pick[bob] == none",
    "pick[bob] not in {q}",
    "buddy == bob or not (pick[ann] == p and pick[bob] == p)",
    "load[p] + load[q] OP load[r]",
    "2 * slot[ann] + load[p] OP K",
    "(slot[ann] if pick[ann] == p else load[q]) OP 1",
    "0 <= load[q] <= 1",
    "max(slot[ann], load[p]) OP 1",
    "all(i in items when load[i] <= 1 or i == p)",
)
MEASURED = ("load[p] OP 1", "sum(slot[a] for a in busy when slot[a] != none) OP K", "load[p] + load[q] OP 2 * load[r]")
OBJECTIVES = (
    "payoff[ann] - payoff[bob]",
    "-total",
    "max(payoff[ann], payoff[bob])",
    "min(total, 3)",
    "abs(payoff[ann] - K)",
    "total if pick[ann] == p else payoff[bob]",
    "2 * load[p] - load[q]",
    "payoff[bob] if load[p] <= 1 else 0",
    "K if pick[ann] == p and pick[bob] == q else 0",
)


@st.composite
def specs(draw: st.DrawFn) -> str:
    """A spec with a few hundred assignments at most."""
    busy = draw(st.sampled_from(("{ann}", "{ann, bob}")))
    three = draw(st.integers(0, 3)) == 3 and busy == "{ann}"
    number = st.integers(-3, 5)

    def filled(template: str, orders: tuple[str, ...] = ("==", "!=", "<", "<=", ">", ">=")) -> str:
        order = draw(st.sampled_from(orders))
        return template.replace("OP", order).replace("K", str(draw(number)))

    def none() -> str:
        return draw(st.sampled_from((" or none", "")))

    lines = [HEAD.format(
        more=", cid" if three else "", low=draw(st.integers(-1, 0)), high=draw(st.integers(1, 2)), p=draw(number),
        q=draw(number), busy=busy, pick_none="" if three else none(), slot_none=none(), buddy_none=none(),
    )]  # fmt: skip
    for n, body in enumerate(draw(st.lists(st.sampled_from(REWARDS), min_size=1, max_size=4))):
        lines.append(f"reward pay{n}{filled(body)}")
    for n, body in enumerate(draw(st.lists(st.sampled_from(CONDITIONS), max_size=2))):
        lines.append(f"require rule{n}{draw(WHEN)}: {filled(body)}")
    for n, body in enumerate(draw(st.lists(st.sampled_from(CONDITIONS), max_size=2))):
        lines.append(f"require wish{n}{draw(RECIPIENT)}{draw(WHEN)}: {filled(body)} penalty 2.5")
    for n, body in enumerate(draw(st.lists(st.sampled_from(MEASURED), max_size=2))):
        measured = filled(body, ("<=", ">=", "=="))
        lines.append(f"require unit{n}{draw(RECIPIENT)}{draw(WHEN)}: {measured} penalty 2 per unit")
    aims = draw(st.lists(st.sampled_from(OBJECTIVES), max_size=2))
    wanted = "".join(f"\n  objective aim{n}: {filled(body)}" for n, body in enumerate(aims))
    lines.append(f"coalition cabal {{ members = {{bob}}{wanted} }}")
    return "\n".join(lines)


WHEN = st.sampled_from(("", "", " when pick[ann] == p", " when pick[bob] != q and buddy == ann"))
RECIPIENT = st.sampled_from(("", " to bob", " to {ann, bob}", " to each(a in agents when pick[a] == p)", " to buddy"))


def scenario(text: str) -> Scenario:
    with TemporaryDirectory() as folder:
        file = Path(folder) / "game.colo"
        file.write_text(text, encoding="utf-8")
        checked, diagnostics = check(file, seed=1)
    assert checked is not None, f"{[d.message for d in diagnostics]}\n{text}"
    return checked.expansion.scenario


@random_games(10)
@given(st.data())
def test_a_spec_is_optimised_exactly(data: st.DataObject) -> None:
    found = scenario(data.draw(specs()))
    task = found.task
    everything = Everything.of(task)
    adds_up(everything)
    limits = data.draw(st.sampled_from((DEFAULT_LIMITS, STRUCTURAL)))
    solver = limited(task, limits, only=data.draw(st.sampled_from(("highs", "highs", None))))
    for goal in data.draw(st.permutations(goals_of(task, found.coalitions))):
        held = data.draw(st.lists(st.sampled_from(task.variables), max_size=2, unique=True))
        try:
            agrees(solver, everything, goal, {v.name: data.draw(st.sampled_from(v.domain)) for v in held})
        except NotLowered:
            assert goal.terms
