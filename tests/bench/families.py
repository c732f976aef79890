"""Families of scenarios, from text. In: a family, its sizes and a seed; out: the text of a `.colo` file.

`python -m tests.bench.families tickets 6 8 --seed 1 -o tickets.colo` writes one. The file's only experiment has that
seed alone, so that `check` expands it with the seed; graphs are drawn here and written out as sets of pairs.
"""

import argparse
import random
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

Edge = tuple[int, int]


@dataclass(frozen=True)
class Family:
    """How a family is written."""

    write: Callable[..., str]
    """`(*sizes, seed=…)` to statements, without head and experiment."""
    sizes: tuple[str, ...]
    """What each size is."""
    smallest: tuple[int, ...]
    """Sizes of which every assignment can be enumerated."""


def family(name: str, *sizes: int, seed: int) -> str:
    """The text of one scenario. Raises ValueError for a family or a number of sizes that there is not."""
    kind = FAMILIES.get(name)
    if kind is None:
        raise ValueError(f"`{name}` is no family; there are {', '.join(FAMILIES)}")
    if len(sizes) != len(kind.sizes):
        raise ValueError(f"`{name}` has {len(kind.sizes)} sizes: {', '.join(kind.sizes)}")
    return (
        f'colosseum 1\nscenario {name} "{name} {" x ".join(map(str, sizes))}"\n\n{kind.write(*sizes, seed=seed)}\n'
        f"network complete\nexperiment once {{ rounds 2  seeds {seed}..{seed}  arm baseline {{ }} }}\n"
    )


# ---- shared work: who takes what ---------------------------------------------------------------------------

TICKETS = """\
agents engineer[1..{engineers}]
set tasks  = ticket[1..{tickets}]
set levels = {{low, medium, high, critical}}
table weight[levels] = {{low: 0.25, medium: 0.5, high: 0.75, critical: 1}}
table priority[tasks] of levels ~ choice(levels)
table effort[tasks] ~ integer(2, 8)
private table skill[agents, tasks] ~ uniform(0.2, 1.0)
private table cost[a in agents, t in tasks] = effort[t] / skill[a, t]
variable pick[agents]: tasks or none
reward done[a in agents, t in tasks] when pick[a] == t:
  20 + 20 * weight[priority[t]] - cost[a, t]
coalition cabal {{ members = {{engineer1, engineer2}} }}
"""


def tickets(engineers: int, tickets: int, *, seed: int) -> str:
    """Each ticket has one owner at most."""
    rule = "require one_owner[t in tasks]: count(a in agents when pick[a] == t) <= 1\n"
    return TICKETS.format(engineers=engineers, tickets=tickets) + rule


def tickets_soft(engineers: int, tickets: int, *, seed: int) -> str:
    """Each further owner costs 20, which all owners of the ticket share."""
    rule = """\
require one_owner[t in tasks] to each(a in agents when pick[a] == t):
  count(a in agents when pick[a] == t) <= 1
  penalty 20 per unit
"""
    return TICKETS.format(engineers=engineers, tickets=tickets) + rule


def sums(engineers: int, tickets: int, *, seed: int) -> str:
    """As tickets, their payoffs written as one long sum of counts."""
    ones = "\n  + ".join(
        f"(20 - effort[ticket{t}]) * count(a in agents when pick[a] == ticket{t})" for t in range(1, tickets + 1)
    )
    rule = "require one_owner[t in tasks]: count(a in agents when pick[a] == t) <= 1\n"
    return TICKETS.format(engineers=engineers, tickets=tickets) + rule + f"reward dues:\n  {ones}\n"


def capacity(patients: int, wards: int, *, seed: int) -> str:
    """Patients of whole needs and wards with too few beds: a multiple knapsack."""
    return f"""\
agents patient[1..{patients}]
set wards = ward[1..{wards}]
table need[agents] ~ integer(1, 4)
table beds[wards] = {round(0.7 * 2.5 * patients / wards)}
private table worth[agents, wards] ~ uniform(1, 10)
variable stay[agents]: wards or none
reward care[a in agents, w in wards] when stay[a] == w: worth[a, w]
require room[w in wards]: sum(need[a] for a in agents when stay[a] == w) <= beds[w]
coalition cabal {{ members = {{patient1, patient2}} }}
"""


def meetings(people: int, meetings: int, *, seed: int) -> str:
    """People say when they come to which meeting and when they leave; as `specs/meetings.colo`, without its prompts."""
    return f"""\
param day = 12
agents person[1..{people}]
set meetings = meeting[1..{meetings}]
set kinds    = {{soft, strict}}
table luck[meetings] ~ uniform(0, 1)
table kind[m in meetings] of kinds = soft if luck[m] < 0.6 or m == meeting1 else strict
table opens[meetings] ~ integer(0, day - 4)
table length[meetings] ~ integer(2, 4)
table closes[m in meetings] = opens[m] + (length[m] if kind[m] == soft else 1)
table invited[meetings] ~ sample(agents, 2..min(4, size(agents)))
table mine[a in agents] = {{m for m in meetings where a in invited[m]}}
table times[m in meetings] = opens[m]..closes[m] - 1
variable attend[a in agents, m in mine[a]]: {{(i, j) for i in times[m], j in i + 1..closes[m]}} or none
table there[a in agents, m in mine[a], h in times[m]] =
  attend[a, m] in {{(i, j) for i in opens[m]..h, j in h + 1..closes[m]}}
reward met[m in meetings, (a, b) in pairs(invited[m]) where kind[m] == soft] to invited[m]
  when any(h in times[m] when there[a, m, h] and there[b, m, h]): 2
reward full[m in meetings, a in invited[m] where kind[m] == strict]
  when attend[a, m] == (opens[m], closes[m]): 1
reward torn[a in agents, (m, n) in pairs(mine[a])]:
  -count(h in times[m] & times[n] when there[a, m, h] and there[a, n, h])
coalition cabal {{ members = {{person1, person2}} }}
"""


def roster(nurses: int, days: int, *, seed: int) -> str:
    """Nurses share out the shifts of some days: enough for each shift, rest, wishes and fair loads."""
    return f"""\
agents nurse[1..{nurses}]
set days   = 1..{days}
set shifts = {{early, late, night}}
set skills = {{ward, theatre}}
table skill[a in agents] of skills = theatre if a == nurse1 or a == nurse3 else ward
table needs[days, shifts] ~ integer(1, 2)
table after[shifts] = {{early: {{early, late, night}}, late: {{late, night}}, night: {{night}}}}
private table wish[agents, days] of shifts ~ choice(shifts)
private table cost[agents, days, shifts] ~ uniform(0, 3)
variable works[agents, days]: shifts or none
table present[d in days, s in shifts] = count(a in agents when works[a, d] == s)
table load[a in agents] = count(d in days when works[a, d] != none)
reward pay[a in agents, d in days, s in shifts] when works[a, d] == s: 4 - cost[a, d, s]
reward wished[a in agents, d in days] when works[a, d] == wish[a, d]: 1.5
reward fair[(a, b) in pairs(agents)]: -0.5 * abs(load[a] - load[b])
reward tired[a in agents]: -0.2 * load[a] * load[a]
require staffed[d in days, s in shifts]: present[d, s] >= needs[d, s] penalty 6 per unit
require trained[d in days]:
  any(a in agents where skill[a] == theatre when works[a, d] in {{early, late}}) penalty 3
require rested[a in agents, (d, e) in steps(days)] when works[a, d] != none and works[a, e] != none:
  works[a, e] in after[works[a, d]]
require free[a in agents]: load[a] <= {max(1, round(days * 5 / 7))}
coalition cabal {{ members = {{nurse1, nurse2}} }}
"""


# ---- graphs: who minds whom --------------------------------------------------------------------------------


def tree(nodes: int, values: int, *, seed: int) -> str:
    """A random tree: each node hangs from one before it."""
    draw = _chance("tree", nodes, seed)
    return _tied(nodes, values, [(draw.randrange(1, node), node) for node in range(2, nodes + 1)])


def grid(rows: int, columns: int, values: int, *, seed: int) -> str:
    """A lattice: each node minds those beside and below it."""
    at = {(r, c): r * columns + c + 1 for r in range(rows) for c in range(columns)}
    beside = [(node, at[r, c + 1]) for (r, c), node in at.items() if (r, c + 1) in at]
    below = [(node, at[r + 1, c]) for (r, c), node in at.items() if (r + 1, c) in at]
    return _tied(rows * columns, values, sorted(beside + below))


def scale_free(nodes: int, values: int, *, seed: int) -> str:
    """Barabási and Albert's graph: each newcomer joins two others, by their degree."""
    draw = _chance("scale_free", nodes, seed)
    edges, ends = [(1, 2)], [1, 2]
    for newcomer in range(3, nodes + 1):
        joined: set[int] = set()
        while len(joined) < 2:
            joined.add(draw.choice(ends))
        edges += [(old, newcomer) for old in sorted(joined)]
        ends += [*sorted(joined), newcomer, newcomer]
    return _tied(nodes, values, edges)


def pairs(nodes: int, values: int, density: int, *, seed: int) -> str:
    """Random tables over `density` of a hundred pairs."""
    return _tied(nodes, values, _some_pairs(nodes, round(density / 100 * nodes * (nodes - 1) / 2), seed))


def tuples(nodes: int, values: int, arity: int, *, seed: int) -> str:
    """As many random tables as nodes, over `arity` nodes each."""
    every = list(combinations(range(1, nodes + 1), arity))
    return _tied(nodes, values, sorted(_chance("tuples", nodes, seed).sample(every, min(nodes, len(every)))))


def colouring(nodes: int, values: int, degree: int, *, seed: int) -> str:
    """A random graph, `degree` on average; each edge of one colour costs a whole number."""
    return _coloured(nodes, values, degree, seed) + "table price[(a, b) in edges] ~ integer(1, 9)\n"


def colouring_random(nodes: int, values: int, degree: int, *, seed: int) -> str:
    """The same with any costs, and with colours that nodes like."""
    return (
        _coloured(nodes, values, degree, seed)
        + """\
table price[(a, b) in edges] ~ uniform(1, 9)
table taste[agents, values] ~ uniform(0, 2)
reward liked[a in agents]: taste[a, take[a]]
"""
    )


def _tied(nodes: int, values: int, ties: Iterable[tuple[int, ...]]) -> str:
    """What nodes that are tied take together is worth what their tie's own table of draws says."""
    lines = [_nodes(nodes, values), "variable take[agents]: values"]
    for tie in ties:
        name = "_".join(map(str, tie))
        lines += [f"table worth_{name}[{', '.join(f'v{node} in values' for node in tie)}] ~ uniform(0, 10)",
                  f"reward joint_{name}: worth_{name}[{', '.join(f'take[node{node}]' for node in tie)}]"]  # fmt: skip
    return "\n".join([*lines, ""])


def _coloured(nodes: int, values: int, degree: int, seed: int) -> str:
    return f"""\
{_nodes(nodes, values)}
set edges = {_written(_some_pairs(nodes, nodes * degree // 2, seed))}
variable take[agents]: values
reward clash[(a, b) in edges] when take[a] == take[b]: -price[a, b]
"""


def _nodes(nodes: int, values: int) -> str:
    return f"""\
agents node[1..{nodes}]
set values = value[1..{values}]
coalition cabal {{ members = {{node1, node2}} }}"""


def _written(edges: Iterable[Edge]) -> str:
    words = [f"(node{a}, node{b})" for a, b in edges]
    lines = [", ".join(words[i : i + 6]) for i in range(0, len(words), 6)]
    return "{\n  " + ",\n  ".join(lines) + "\n}"


def _some_pairs(nodes: int, number: int, seed: int) -> list[Edge]:
    every = list(combinations(range(1, nodes + 1), 2))
    return sorted(_chance("pairs", nodes, seed).sample(every, min(max(number, 1), len(every))))


def _chance(what: str, nodes: int, seed: int) -> random.Random:
    return random.Random(f"{what} {nodes} {seed}")


FAMILIES = {
    "tickets": Family(tickets, ("engineers", "tickets"), (3, 3)),
    "tickets_soft": Family(tickets_soft, ("engineers", "tickets"), (3, 3)),
    "sums": Family(sums, ("engineers", "tickets"), (3, 3)),
    "capacity": Family(capacity, ("patients", "wards"), (4, 2)),
    "meetings": Family(meetings, ("people", "meetings"), (3, 2)),
    "roster": Family(roster, ("nurses", "days"), (3, 2)),
    "tree": Family(tree, ("nodes", "values"), (5, 3)),
    "grid": Family(grid, ("rows", "columns", "values"), (2, 3, 2)),
    "scale_free": Family(scale_free, ("nodes", "values"), (5, 2)),
    "pairs": Family(pairs, ("nodes", "values", "density in %"), (4, 3, 100)),
    "tuples": Family(tuples, ("nodes", "values", "arity"), (5, 2, 3)),
    "colouring": Family(colouring, ("nodes", "values", "degree"), (5, 3, 2)),
    "colouring_random": Family(colouring_random, ("nodes", "values", "degree"), (5, 3, 2)),
}
"""By name."""


def main(arguments: list[str]) -> int:
    """Write one scenario to a file, or to stdout."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.families", description=__doc__)
    parser.add_argument("family", choices=FAMILIES)
    parser.add_argument("sizes", type=int, nargs="*")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-o", "--output", type=Path)
    given = parser.parse_args(arguments)
    try:
        written = family(given.family, *given.sizes, seed=given.seed)
    except ValueError as fault:
        parser.error(str(fault))
    if given.output is None:
        sys.stdout.write(written)
    else:
        given.output.write_text(written, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
