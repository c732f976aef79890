"""Networks and channels. In: a graph as written, the agents, what an arm turns on; out: edges, and live channels.

Random graphs come from our own generator on one keyed seed and are redrawn until connected. They are the one stated
exception to identity by name: adding an agent may change any edge.
Agents read and use the name on the wire alone; the spec's names are for the researcher. A name on the wire is keyed by
seed, repeat and the channel's own name, so that it is equal in all arms and says nothing of other channels.
"""

import re
from collections.abc import Iterable
from functools import cache
from itertools import chain, combinations, count
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, TypeAlias

from colosseum.diagnostics import closest
from colosseum.language import syntax
from colosseum.language.words import PARAMETERS
from colosseum.model import draws
from colosseum.model.evaluate import value
from colosseum.model.scenario import Channel, Graph, Scenario
from colosseum.model.values import Elements, Fault, Value, is_number, located, text
from colosseum.model.world import Environment, Meter, World

if TYPE_CHECKING:
    from colosseum.model.experiment import Conditions
    from colosseum.model.realise import Realiser

Edge: TypeAlias = tuple[str, str]
MOST_REDRAWS = 1000
LABELS = Path(__file__).with_name("labels.txt")
PUBLIC = "public"  # the network's channel for everybody, in the spec and on the wire
ALIASES = {"small_world": "watts_strogatz", "scale_free": "barabasi_albert", "random": "erdos_renyi", "cycle": "ring"}


def parse_graph(expr: syntax.Expr, facts: World) -> Graph:
    """A graph from its expression: `ring`, `star(center = A)`, `edges({(A, B)})`; raises Fault."""
    name = expr.id if isinstance(expr, syntax.Name) else expr.function if isinstance(expr, syntax.Call) else ""
    if name not in PARAMETERS:
        near = f"did you mean `{ALIASES[name]}`?" if name in ALIASES else closest(name, PARAMETERS)
        help_ = near or f"networks: {', '.join(PARAMETERS)}"
        raise Fault(f"`{name or expr.span.text}` is not a kind of network", code="C070", help=help_, span=expr.span)
    known, given = PARAMETERS[name], dict[str, Value]()
    if isinstance(expr, syntax.Call):
        env = Environment(facts)
        named = [*zip(known, expr.arguments, strict=False), *((a.name, a.value) for a in expr.named)]
        if len({*known} & dict(named).keys()) < len(expr.arguments) + len(expr.named):
            help_ = f"it takes: {', '.join(known) or 'nothing'}"
            raise Fault(f"`{name}` does not take these arguments", code="C070", help=help_, span=expr.span)
        given = {argument: value(a, env) for argument, a in named}
        env.refuse_private("network")
    for missing in (k for k in known if k not in given and k != "center"):
        shown = ", ".join(f"{argument} = …" for argument in known if argument != "center")
        raise Fault(f"`{name}` needs `{missing}`", code="C070", help=f"as in `{name}({shown})`", span=expr.span)
    graph = Graph(name, tuple(given.items()))
    located(expr.span, check_graph, graph, facts.members("agents"))
    return graph


def check_graph(graph: Graph, agents: Elements) -> None:
    """Whether a graph can be laid over these agents; raises Fault."""
    for name, argument in graph.arguments:
        match name:
            case "center" if argument not in agents:
                raise Fault(f"`{text(argument)}` is not an agent", code="C070", help=f"agents: {agents}")
            case "p" if not is_number(argument) or not 0 <= argument <= 1:
                raise Fault(f"`p` is a probability, not `{text(argument)}`", code="C070")
            case "k" | "m" if type(argument) is not int or not 1 <= argument < max(2, len(agents)):
                most = f"below the number of agents ({len(agents)})"
                raise Fault(f"`{name}` is a whole number {most}, not `{text(argument)}`", code="C070")
            case "edges":
                for edge in argument if isinstance(argument, Elements) else (text(argument),):
                    if not (isinstance(edge, tuple) and len(edge) == 2 == len({*edge} & agents.as_set)):
                        help_ = f"as in `edges({{(A, B), (B, C)}})`; agents: {agents}"
                        raise Fault(f"`{text(edge)}` is not a pair of two agents", code="C070", help=help_)


def network_links(facts: "Realiser") -> Elements:
    """`links`: the pairs joined by the network, in declared order."""
    graph, agents = facts.graph or spec_graph(facts), facts.members("agents")
    declared = next(facts.spec.of(syntax.Network), None) if facts.graph is None else None
    check_graph(graph, agents)
    place = declared.graph.span if declared else None
    return Elements(located(place, graph_edges, graph, tuple(map(str, agents)), seed=facts.seed))


def spec_graph(facts: World) -> Graph:
    """The network that the spec itself declares; complete when it declares none."""
    statement = next(facts.spec.of(syntax.Network), None)
    return Graph("complete") if statement is None else parse_graph(statement.graph, facts)


def graph_edges(graph: Graph, agents: tuple[str, ...], *, seed: int) -> tuple[Edge, ...]:
    """The edges among the agents, in declared order, each named from the earlier agent to the later."""
    arguments = dict(graph.arguments)
    n = len(agents)
    Meter().foresee([n * (n - 1) // 2 if graph.kind in ("complete", "erdos_renyi") else n])
    match graph.kind:
        case "complete":
            return tuple(combinations(agents, 2))
        case "path":
            pairs = {(i, i + 1) for i in range(n - 1)}
        case "ring":
            pairs = {_edge(i, (i + 1) % n) for i in range(n) if n > 1}
        case "star":
            center = agents.index(str(arguments.get("center", agents[0])))
            pairs = {_edge(center, i) for i in range(n) if i != center}
        case "edges":
            listed = arguments["edges"]
            assert isinstance(listed, Elements)
            pairs = {_edge(*(agents.index(str(a)) for a in e)) for e in listed if isinstance(e, tuple)}
        case _:
            numbers = {k: float(v) for k, v in graph.arguments if isinstance(v, int | float)}
            pairs = _random(graph.kind, numbers, n, seed)
    return tuple((agents[i], agents[j]) for i, j in sorted(pairs))


def _edge(i: int, j: int) -> tuple[int, int]:
    return (i, j) if i < j else (j, i)


def _random(kind: str, arguments: dict[str, float], n: int, seed: int) -> set[tuple[int, int]]:
    meter = Meter()
    # each edge of a ring looks for a free end; ten looks take as long as one round of a loop
    works = {"erdos_renyi": n * (n - 1) // 2, "watts_strogatz": n * n * int(arguments.get("k", 0)) // 20}
    work = max(n, works.get(kind, 0))
    for attempt in range(MOST_REDRAWS):
        meter.count(work)
        rng = Random(draws.digest(draws.key(seed, "network", (kind, attempt))))
        match kind:
            case "erdos_renyi":
                pairs = {pair for pair in combinations(range(n), 2) if rng.random() < arguments["p"]}
            case "watts_strogatz":
                pairs = _watts_strogatz(n, int(arguments["k"]), arguments["p"], rng)
            case _:
                pairs = _barabasi_albert(n, int(arguments["m"]), rng)
        if connected(n, pairs):
            return pairs
    message = f"no connected `{kind}` network of {n} agents was found in {MOST_REDRAWS} tries"
    raise Fault(message, code="C070", help="give it more edges")


def _watts_strogatz(n: int, k: int, p: float, rng: Random) -> set[tuple[int, int]]:
    """A ring lattice of k // 2 neighbours to each side, each edge rewired with probability p."""
    pairs = {_edge(i, (i + step) % n) for step in range(1, max(1, k // 2) + 1) for i in range(n) if n > 1}
    for i, j in sorted(pairs):
        free = [t for t in range(n) if t != i and _edge(i, t) not in pairs]
        if free and rng.random() < p:
            pairs.discard((i, j))
            pairs.add(_edge(i, rng.choice(free)))
    return {(i, j) for i, j in pairs if i != j}


def _barabasi_albert(n: int, m: int, rng: Random) -> set[tuple[int, int]]:
    """Preferential attachment: each newcomer joins m others, chosen by degree."""
    pairs = {(0, j) for j in range(1, min(m + 1, n))}
    ends = [end for pair in sorted(pairs) for end in pair]
    for newcomer in range(m + 1, n):
        chosen: set[int] = set()
        while len(chosen) < m:
            chosen.add(rng.choice(ends))
        pairs |= {(old, newcomer) for old in chosen}
        ends += [end for old in sorted(chosen) for end in (old, newcomer)]
    return pairs


def connected(n: int, pairs: set[tuple[int, int]]) -> bool:
    """Whether everybody can reach everybody."""
    reached = news = {0}
    while news:
        news = {end for pair in pairs if not reached.isdisjoint(pair) for end in pair} - reached
        reached = reached | news
    return len(reached) == n


def public_channels(graph: Graph, agents: tuple[str, ...], *, seed: int, consolidate: bool) -> tuple[Channel, ...]:
    """Complete: one channel for all. Any other graph: one an edge, or one a clique of a cover with `consolidate`."""
    if graph.kind == "complete" or len(agents) < 3:
        return (Channel(PUBLIC, agents, secret=False),)
    edges = graph_edges(graph, agents, seed=seed)
    groups = _clique_cover(agents, edges) if consolidate else edges
    names = _apart(map("_".join, groups), "{} ({})")  # A and B_C read like A_B and C
    return tuple(Channel(name, group, False) for name, group in zip(names, groups, strict=True))


def _apart(names: Iterable[str], numbered: str) -> list[str]:
    """The names; posts go by name, so one that was there before gets a number."""
    found: list[str] = []
    for name in names:
        others = (numbered.format(name, number) for number in count(2))
        found.append(next(each for each in chain((name,), others) if each not in found))
    return found


def joined(name: str, agents: tuple[str, ...]) -> bool:
    """Whether a name is that of two or more agents in declared order, joined by `_`, as a network names channels."""
    some = "".join(f"(?:{re.escape(agent)}_)?" for agent in agents)
    return name not in agents and re.fullmatch(some, f"{name}_") is not None


def _clique_cover(agents: tuple[str, ...], edges: tuple[Edge, ...]) -> tuple[tuple[str, ...], ...]:
    """Cliques that cover every edge: the one that covers most uncovered edges first, ties by declared order."""
    import networkx

    rank = {agent: i for i, agent in enumerate(agents)}
    cliques = [tuple(sorted(c, key=rank.__getitem__)) for c in networkx.find_cliques(networkx.Graph(list(edges)))]
    cliques.sort(key=lambda c: [rank[a] for a in c])
    uncovered, cover = set(edges), list[tuple[str, ...]]()
    while uncovered:
        best = max(cliques, key=lambda c: len(uncovered & set(combinations(c, 2))))
        cover.append(best)
        uncovered -= set(combinations(best, 2))
    return tuple(sorted(cover, key=lambda c: [rank[a] for a in c]))


def live_channels(scenario: Scenario, conditions: "Conditions") -> tuple[Channel, ...]:
    """The network's channels, then the declared ones. A secret one is off unless the arm turns it on; others are on.

    A channel that was drawn for fewer than two has nobody to talk to, so there is none.
    """
    switched, consolidate = dict(conditions.channels), conditions.settings.consolidate
    network = public_channels(scenario.network, scenario.task.agents, seed=scenario.seed, consolidate=consolidate)
    declared = (c for c in scenario.channels if switched.get(c.name, not c.secret) and len(c.members) > 1)
    return (*network, *declared)


def wire_names(scenario: Scenario, conditions: "Conditions", repeat: int) -> dict[str, str]:
    """The name on the wire of every live channel, by its name in the spec; no two have the same.

    All channels that the spec declares count, live or not, so that no arm changes the name of another's.
    """
    labels, live = {PUBLIC: PUBLIC}, live_channels(scenario, conditions)
    every = (*(c for c in live if c not in scenario.channels), *scenario.channels)
    for channel in every:
        labels.setdefault(channel.name, _label(scenario.seed, repeat, channel.name, set(labels.values())))
    loaded = conditions.settings.names == "loaded"
    names = _apart((c.wire or (c.name if loaded else labels[c.name]) for c in every), "{} {}")
    known = {channel.name: name for channel, name in zip(every, names, strict=True)}
    return {channel.name: known[channel.name] for channel in live}


def _label(seed: int, repeat: int, name: str, taken: set[str]) -> str:
    """Two words that nobody has yet."""
    keys = (draws.key(seed, "wire", (name, repeat, attempt)) for attempt in count())
    places = ([draws.integer(draws.key(0, key, (n,)), 0, len(_words()) - 1) for n in (1, 2)] for key in keys)
    return next(label for i, j in places if (label := f"{_words()[i]}-{_words()[j]}") not in taken)


@cache
def _words() -> tuple[str, ...]:
    return tuple(LABELS.read_text(encoding="utf-8").split())
