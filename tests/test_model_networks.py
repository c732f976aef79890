"""Networks: every kind has the right edges, is connected, and is the same for the same seed."""

from pathlib import Path

import pytest
from specs_made import TEAM, checked, said

from colosseum.model.networks import connected, graph_edges, public_channels
from colosseum.model.scenario import Graph
from colosseum.model.values import Elements, Fault

AGENTS = tuple("ABCDEFGH")
RANDOM = [
    Graph("erdos_renyi", (("p", 0.3),)),
    Graph("watts_strogatz", (("k", 4), ("p", 0.3))),
    Graph("barabasi_albert", (("m", 2),)),
]


def edges(kind: str, agents: str = "ABCD", **arguments: object) -> list[str]:
    graph = Graph(kind, tuple(arguments.items()))  # type: ignore[arg-type]
    return ["".join(edge) for edge in graph_edges(graph, tuple(agents), seed=1)]


def test_the_fixed_kinds() -> None:
    assert edges("complete") == ["AB", "AC", "AD", "BC", "BD", "CD"]
    assert edges("path") == ["AB", "BC", "CD"]
    assert edges("ring") == ["AB", "AD", "BC", "CD"]
    assert edges("star") == ["AB", "AC", "AD"]
    assert edges("star", center="C") == ["AC", "BC", "CD"]
    assert edges("edges", edges=Elements((("D", "A"), ("B", "C"), ("A", "D")))) == ["AD", "BC"]


@pytest.mark.parametrize("kind", ["complete", "path", "ring", "star"])
def test_the_smallest_teams(kind: str) -> None:
    assert edges(kind, "A") == []
    assert edges(kind, "AB") == ["AB"]


@pytest.mark.parametrize("graph", RANDOM, ids=lambda g: g.kind)
def test_random_graphs_are_connected_and_reproducible(graph: Graph) -> None:
    found = {seed: graph_edges(graph, AGENTS, seed=seed) for seed in range(40)}
    for seed, listed in found.items():
        pairs = {(AGENTS.index(a), AGENTS.index(b)) for a, b in listed}
        assert connected(len(AGENTS), pairs)
        assert all(i < j for i, j in pairs)
        assert len(pairs) == len(listed)
        assert graph_edges(graph, AGENTS, seed=seed) == listed
    assert len(set(found.values())) > 20


def test_random_graphs_have_their_number_of_edges() -> None:
    for seed in range(20):
        assert len(graph_edges(RANDOM[1], AGENTS, seed=seed)) == 16
        assert len(graph_edges(RANDOM[2], AGENTS, seed=seed)) == 2 + 5 * 2


def test_a_random_graph_never_changes() -> None:
    found = ["".join(edge) for edge in graph_edges(RANDOM[0], AGENTS[:5], seed=1)]
    assert found == ["AC", "BD", "BE", "CD", "CE", "DE"]


def test_a_graph_that_cannot_be_connected_is_refused_soon() -> None:
    with pytest.raises(Fault):
        graph_edges(Graph("erdos_renyi", (("p", 0.0),)), AGENTS, seed=1)
    many = tuple(str(i) for i in range(1200))
    with pytest.raises(Fault):
        graph_edges(Graph("erdos_renyi", (("p", 0.0001),)), many, seed=1)


def test_channels() -> None:
    def names(graph: Graph, *, consolidate: bool = False) -> list[str]:
        return [c.name for c in public_channels(graph, tuple("ABCD"), seed=1, consolidate=consolidate)]

    listed = Elements((("A", "B"), ("B", "C"), ("A", "C"), ("C", "D")))
    assert names(Graph("complete")) == ["public"]
    assert names(Graph("path")) == ["A_B", "B_C", "C_D"]
    assert names(Graph("edges", (("edges", listed),))) == ["A_B", "A_C", "B_C", "C_D"]
    assert names(Graph("edges", (("edges", listed),)), consolidate=True) == ["A_B_C", "C_D"]


def test_channels_whose_members_read_alike_have_names_of_their_own() -> None:
    agents = ("A", "B", "B_C", "A_B", "C", "A_B_C (2)", "A_B_C")
    alike = Elements((("A", "B_C"), ("A_B", "C"), ("A", "B"), ("B", "C"), ("A", "C")))
    listed = Graph("edges", (("edges", alike),))
    apart = public_channels(listed, agents, seed=1, consolidate=False)
    assert {c.name: c.members for c in apart} == {
        "A_B": ("A", "B"), "A_B_C": ("A", "B_C"), "A_C": ("A", "C"), "B_C": ("B", "C"), "A_B_C (2)": ("A_B", "C"),
    }  # fmt: skip
    together = public_channels(listed, agents, seed=1, consolidate=True)
    assert [c.name for c in together] == ["A_B_C", "A_B_C (2)", "A_B_C (3)"]


def test_links_follow_the_network(tmp_path: Path) -> None:
    text = (
        f"{TEAM}network path\nreward r[(a, b) in pairs(agents) where (a, b) in links]: 1 if move[a] == move[b] else 0\n"
    )
    assert [p.name for p in checked(tmp_path, text).expansion.scenario.task.payoffs] == ["r[A, B]", "r[B, C]"]


def test_too_many_agents_for_a_complete_network(tmp_path: Path) -> None:
    _, words = said(
        tmp_path, 'colosseum 1\nscenario s "t"\nagents a[1..5000]\nvariable v[agents]: 0..1\nreward r: v[a1]\n'
    )
    assert "rounds, at most 1,000,000 are allowed" in words
