"""Small scenarios of every kind of statement. In: a seed; out: the text of a `.colo` file that can be enumerated."""

import random
from collections.abc import Sequence

HEAD = """\
colosseum 1
scenario mixture "mixture"

agents {agents}
set jobs = {{dig, carry{fetch}}}
table worth[agents, jobs] ~ integer(-2, 6)
private table effort[agents, jobs] ~ uniform(0, 3)
table gain[jobs, jobs] ~ integer(-3, 5)
table rank[jobs] ~ integer(0, 3)
table bonus[k in 0..{number}] ~ uniform(-3, 3)
variable pick[agents]: jobs{none}
variable load[agents]: {loads}
variable friend of A: agents
table many[j in jobs] = count(a in agents when pick[a] == j)
table spent = sum(load[a] for a in agents)
table strain = sum(effort[a, j] for a in agents, j in jobs when pick[a] == j)
reward keen[a in agents, j in jobs] when pick[a] == j: worth[a, j] - effort[a, j]
"""
REWARDS = (
    "reward met[(a, b) in pairs(agents)] when pick[a] != none and pick[b] != none: gain[pick[a], pick[b]]",
    "reward crowd[j in jobs]: {c} * max(0, many[j] - {k})",
    "reward near: {c} * abs(spent - {k})",
    "reward least: {c} * min(load[a] for a in agents)",
    "reward most: {c} * max(load[a] + rank[j] for a in agents, j in jobs when pick[a] == j or j == dig)",
    "reward pair[(a, b) in steps(agents)]: {c} * load[a] * load[b]",
    "reward rate: {c} * spent / (1 + load[A])",
    "reward steep[a in agents]: {c} if load[a] >= {k} else {d}",
    "reward split[j in jobs] to each(a in agents when pick[a] == j): {c} if many[j] >= 1 else {d}",
    "reward split_loads to each(a in agents when load[a] > 0): {c} * spent",
    "reward led to friend: {c} + load[A]",
    "reward all_or_none when any(a in agents when pick[a] == dig) and not all(a in agents when load[a] > 0): {c}",
    "reward ranked[a in agents] when pick[a] in {{dig, carry}}: {c} * rank[pick[a]]",
    "reward light when strain <= 2.5: {c}",
    "reward counted: bonus[many[dig]]",
    "reward team to agents: {c} * spent * spent",
    "reward loved when friend != A and pick[friend] == dig: {c}",
)
HARD = (
    "require few[j in jobs]: many[j] <= {k}",
    "require budget: spent <= {k} + 1",
    "require apart[(a, b) in pairs(agents)]: pick[a] != pick[b] or load[a] == load[b]",
    "require armed[a in agents] when pick[a] == dig: load[a] >= 1",
    "require bearable: strain <= 3.5",
    "require digger: any(a in agents when pick[a] == dig)",
    "require rising[(a, b) in steps(agents)]: load[a] <= load[b]",
    "require exact: many[dig] == 1 or spent == {k}",
)
SOFT = (
    "require once[j in jobs]: many[j] <= 1 penalty 1.7",
    "require shared[j in jobs] to each(a in agents when pick[a] == j): many[j] <= 1 penalty 2 per unit",
    "require between: 1 <= spent <= 2 penalty 1.5 per unit",
    "require unlike[(a, b) in pairs(agents)] to a: pick[a] != pick[b] penalty 0.8",
    "require even: spent == 2 penalty 1.25 per unit",
    "require spared: strain < 2 penalty 3.3",
)
OBJECTIVES = (
    "objective ours[a in cabal]: payoff[a]",
    "objective spite when pick[A] == dig: -0.5 * total",
    "objective ahead: 2 if payoff[A] > payoff[B] else 0",
    "objective loaded: {c} * load[A] - many[carry]",
)


def mixture(seed: int) -> str:
    """The text for a seed: some statements of each kind, with numbers of their own."""
    draw = random.Random(f"mixture {seed}")
    number = draw.choice((2, 2, 3))
    head = HEAD.format(
        agents=", ".join("ABC"[:number]),
        number=number,
        fetch=draw.choice(("", ", fetch")) if number == 2 else "",
        none=draw.choice((" or none", "")),
        loads="0..2" if number == 2 else draw.choice(("0..1", "{0, 2}")),
    )
    lines = _some(draw, REWARDS, 1, 4) + _some(draw, HARD, 0, 2) + _some(draw, SOFT, 0, 2)
    objectives = _some(draw, OBJECTIVES, 0, 2)
    lines.append("coalition cabal { members = {A, B}  " + "  ".join(objectives) + " }")
    lines.append(f"network complete\nexperiment once {{ seeds {seed}..{seed}  arm baseline {{ }} }}")
    return head + "\n".join(lines) + "\n"


def _some(draw: random.Random, pool: Sequence[str], least: int, most: int) -> list[str]:
    chosen = draw.sample(pool, draw.randint(least, most))
    return [
        line.format(c=draw.choice((-2, -0.5, 0.1, 1, 1.3, 3)), d=draw.choice((-1, 0, 0.7)), k=draw.choice((1, 2)))
        for line in chosen
    ]
