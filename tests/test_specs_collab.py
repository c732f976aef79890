"""What the shipped meetings, grid and assistant draw, and what their experiments compare."""

from functools import cache

import pytest
from conftest import SPECS

from colosseum.model.check import Checked, Expansion, check, expand
from colosseum.model.networks import connected
from colosseum.model.values import Elements, Value
from colosseum.solve.goal import WELFARE
from colosseum.solve.solver import Solver

SEEDS = range(1, 16)


@cache
def spec(name: str) -> Checked:
    found, diagnostics = check(SPECS / f"{name}.colo")
    assert found is not None, diagnostics
    return found


@cache
def drawn(name: str, seed: int, **params: Value) -> Expansion:
    found, diagnostics = expand(spec(name).spec, seed=seed, params=params)
    assert found is not None, diagnostics
    return found


def entries(found: Expansion, table: str) -> dict[tuple[Value, ...], Value]:
    return dict(found.world.tables[table].entries)


def items(value: Value) -> tuple[Value, ...]:
    assert isinstance(value, Elements)
    return value.items


@pytest.mark.parametrize("seed", SEEDS)
def test_friends_are_tied_into_one_graph_and_can_be_pleased(seed: int) -> None:
    found = drawn("assistant", seed)
    agents = list(items(found.world.sets["agents"]))
    ties = [tuple(agents.index(a) for a in tie) for tie in items(found.world.sets["ties"]) if isinstance(tie, tuple)]
    assert connected(len(agents), {(i, j) for i, j in ties})
    assert len(ties) == len(set(map(frozenset, ties)))
    likes, avoids, colours = (entries(found, name) for name in ("likes", "avoids", "colour_of"))
    for agent in agents:
        own = {colour for (a, _), colour in colours.items() if a == agent}
        assert set(items(likes[agent,])) <= own
        assert len(items(likes[agent,])) == min(2, len(own))
        assert len(items(avoids[agent,])) == 2
        assert not set(items(avoids[agent,])) & set(items(likes[agent,]))
    assert all(4 <= len(v.domain) <= 6 for v in found.scenario.task.variables)


@pytest.mark.parametrize("seed", SEEDS)
def test_more_power_is_asked_for_than_there_is(seed: int) -> None:
    found = drawn("grid", seed)
    lasts, begins, power, capacity = (entries(found, n) for n in ("lasts", "begins", "power", "capacity"))
    owned = [len(v) for v in found.scenario.task.owned.values()]
    assert all(3 <= n <= 6 for n in owned)
    assert all(2 <= len(v.domain) <= 3 for v in found.scenario.task.variables)
    for hour in range(24):
        running = [m for m in power if begins[m] <= hour < begins[m] + lasts[m]]  # type: ignore[operator]
        demand = sum(float(str(power[m])) for m in running)
        carried = sum(float(str(c)) for (_, h), c in capacity.items() if h == hour)
        assert 0.88 * demand - 1e-9 <= carried <= 0.94 * demand + 1e-9


@pytest.mark.parametrize("seed", SEEDS)
def test_everybody_has_a_soft_meeting_inside_the_day(seed: int) -> None:
    found = drawn("meetings", seed)
    kind, opens, closes, invited = (entries(found, n) for n in ("kind", "opens", "closes", "invited"))
    soft = [m for m in kind if kind[m] == "soft"]
    assert {a for m in soft for a in items(invited[m])} == set(found.scenario.task.agents)
    for m in kind:
        length = int(str(closes[m])) - int(str(opens[m]))
        assert 0 <= int(str(opens[m])) < int(str(closes[m])) <= 12
        assert 2 <= length <= 4 if m in soft else length == 1
        assert len(items(invited[m])) >= 2


@pytest.mark.parametrize("adversaries", range(5))
def test_victims_are_never_adversaries(adversaries: int) -> None:
    for seed in (1, 2, 3):
        found = drawn("meetings", seed, adversaries=adversaries)
        cabal = set(found.scenario.coalition["cabal"].members)
        marks = entries(found, "mark")
        assert len(cabal) == len(marks) == adversaries
        assert not cabal & {*items(found.world.sets["victim"]), *marks.values()}
        story = next(p for p in found.scenario.prompts if p.name == "story")
        told = {v.name: dict(v.texts) for v in story.variants}
        assert len(set(told["shared"].values())) == min(1, adversaries)
        assert all(str(marks[a,]) in told["own"][a] for a in told["own"])


def test_misinformation_is_swept_over_adversaries_and_networks() -> None:
    design = spec("meetings").designs["misinformation"]
    assert design.arms == ("baseline", "targeted", "mass")
    points = list(dict.fromkeys(cell.point for cell in design.cells))
    assert len(points) == 5 * 6
    kinds = ("complete", "path", "ring", "star", "watts_strogatz", "barabasi_albert")
    for number, point in enumerate(points):
        assert point.startswith(f"adversaries={number // 6}, network={kinds[number % 6]}")


@pytest.mark.parametrize("name", ["meetings", "grid", "assistant"])
def test_the_probe_has_every_arm_that_a_verdict_needs(name: str) -> None:
    arms = ("baseline", "again", "placebo", "emergent", "selfish", "prompted")
    assert next(iter(spec(name).designs.values())).arms == arms


@pytest.mark.parametrize("name", ["meetings", "grid", "assistant"])
def test_the_best_joint_payoff_is_proven(name: str) -> None:
    for seed in (1, 2, 3):
        assert Solver(drawn(name, seed).scenario.task).maximise(WELFARE).status == "optimal"
