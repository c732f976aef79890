"""`jira_drawn`: its instances against the published generator's, described again in plain Python with other draws."""

from collections import Counter
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any

import pytest
from scipy.optimize import linear_sum_assignment
from scipy.stats import chi2_contingency, ks_2samp

from colosseum.language import shipped
from colosseum.model.check import read_spec
from colosseum.model.realise import realise
from colosseum.model.spec import Declared

TAGS, AGENTS, TICKETS = 12, 6, 8
PARTS = (1.0, 0.5, 0.7, 0.5, 0.4)
OURS, THEIRS, UNLIKELY = 150, 1500, 0.001
WEIGHTS = {"low": 0.25, "medium": 0.5, "high": 0.75, "critical": 1.0}


@dataclass(frozen=True)
class DrawnTickets:
    """One instance: of each issue its tags, weight and effort, of each agent its skills and hours, and all costs."""

    issues: list[tuple[list[Any], float, int]]
    agents: list[tuple[dict[Any, float], int]]
    costs: list[list[float]]

    @property
    def best(self) -> float:
        """The best joint payoff where no ticket has two owners."""
        worth = [20 + 20 * self.issues[t // len(PARTS)][1] for t in range(TICKETS)]
        gains = [[max(0.0, w - c) for w, c in zip(worth, row, strict=True)] for row in self.costs]
        rows, columns = linear_sum_assignment(gains, maximize=True)
        return sum(gains[i][j] for i, j in zip(rows, columns, strict=True))


def cost(effort: float, tags: list[Any], skills: dict[Any, float], hours: float) -> float:
    """The published formula."""
    match = sum(skills.get(tag, 0.0) for tag in tags) / len(tags)
    return effort / max(0.1, match + 0.1) + max(0.0, effort - hours)


def theirs(seed: int) -> DrawnTickets:
    """An instance as the published generator draws it, by Python's random numbers."""
    chance = Random(seed)
    issues = [
        (chance.sample(range(TAGS), chance.randint(1, 2)), chance.choice([*WEIGHTS.values()]), chance.randint(2, 8))
        for _ in range(-(-TICKETS // len(PARTS)))
    ]
    used = sorted({tag for tags, _, _ in issues for tag in tags})
    agents = [
        ({s: chance.uniform(0.6, 1) for s in chance.sample(used, chance.randint(1, min(2, len(used))))},
         chance.randint(4, 10))
        for _ in range(AGENTS)
    ]  # fmt: skip
    tickets = [(tags, max(1.0, whole * part)) for tags, _, whole in issues for part in PARTS][:TICKETS]
    return DrawnTickets(issues, agents, [[cost(e, tags, *agent) for tags, e in tickets] for agent in agents])


@cache
def spec() -> Declared:
    found, diagnostics = read_spec(shipped("specs") / "jira_drawn.colo")
    assert found is not None, diagnostics
    return found


def ours(seed: int, **params: int) -> DrawnTickets:
    """An instance of the spec, from its tables."""
    world, diagnostics = realise(spec(), seed=seed, params=params)
    assert not diagnostics
    found: dict[str, Any] = {name: table.entries for name, table in world.tables.items()}
    issues = [(list(found["about"][i]), WEIGHTS[found["priority"][i]], found["workload"][i]) for i in found["about"]]
    agents = [({s: found["level"][*a, s] for s in found["skills"][a]}, found["hours"][a]) for a in found["skills"]]
    each = len(found["cost"]) // len(agents)
    costs = list(found["cost"].values())
    return DrawnTickets(issues, agents, [costs[i : i + each] for i in range(0, len(costs), each)])


@cache
def pools() -> tuple[list[DrawnTickets], list[DrawnTickets]]:
    return [ours(seed) for seed in range(1, OURS + 1)], [theirs(seed) for seed in range(THEIRS)]


@pytest.mark.parametrize(
    ("effort", "tags", "skills", "hours", "published"),
    [
        (4.0, ["mobile"], {"mobile": 0.7731068271620214, "testing": 0.9049120329831768}, 4, 4.581340880132329),
        (8.0, ["design", "testing"], {"mobile": 0.7731068271620214, "testing": 0.9049120329831768}, 4,
         18.480790798160864),
        (5.6, ["design", "testing"], {"mobile": 0.6101783443973843}, 8, 55.99999999999999),
    ],
)  # fmt: skip
def test_the_formula_gives_published_costs(
    effort: float, tags: list[str], skills: dict[str, float], hours: float, published: float
) -> None:
    assert cost(effort, tags, skills, hours) == pytest.approx(published, abs=1e-9)


def test_the_costs_of_the_spec_follow_the_formula() -> None:
    for drawn in pools()[0][:20]:
        tickets = [(tags, max(1.0, whole * part)) for tags, _, whole in drawn.issues for part in PARTS][:TICKETS]
        expected = [[cost(effort, tags, *agent) for tags, effort in tickets] for agent in drawn.agents]
        assert [*map(pytest.approx, drawn.costs)] == expected


def test_a_ticket_above_clearance_costs_more_where_that_is_asked_for() -> None:
    more = [
        b - a
        for seed in range(1, 21)
        for free, dear in zip(ours(seed).costs, ours(seed, shortfall=10).costs, strict=True)
        for a, b in zip(free, dear, strict=True)
    ]
    assert {round(each, 9) for each in more} == {0.0, 10.0}
    assert sum(map(bool, more)) / len(more) == pytest.approx(1 / 3, abs=0.12), "three of nine pairs of levels"


@pytest.mark.parametrize("tickets", [1, 5, 6, 12])
def test_the_last_issue_has_what_is_left(tickets: int) -> None:
    drawn = ours(1, tickets=tickets)
    assert len(drawn.issues) == -(-tickets // len(PARTS))
    assert [len(row) for row in drawn.costs] == [tickets] * AGENTS


COUNTED = {
    "priorities": lambda drawn: [weight for _, weight, _ in drawn.issues],
    "efforts": lambda drawn: [effort for _, _, effort in drawn.issues],
    "tags of an issue": lambda drawn: [len(tags) for tags, _, _ in drawn.issues],
    "tags in use": lambda drawn: [len({tag for tags, _, _ in drawn.issues for tag in tags})],
    "skills of an agent": lambda drawn: [len(skills) for skills, _ in drawn.agents],
    "availability": lambda drawn: [hours for _, hours in drawn.agents],
}
MEASURED = {
    "skill": lambda drawn: [level for skills, _ in drawn.agents for level in skills.values()],
    "cost of one agent's first ticket": lambda drawn: [drawn.costs[0][0]],
    "cost of another's last ticket": lambda drawn: [drawn.costs[-1][-1]],
    "best joint payoff": lambda drawn: [drawn.best],
}


@pytest.mark.parametrize("name", COUNTED)
def test_what_is_counted_is_distributed_as_published(name: str) -> None:
    counts = [Counter(value for drawn in pool for value in COUNTED[name](drawn)) for pool in pools()]
    values = sorted({*counts[0], *counts[1]})
    assert chi2_contingency([[count[value] for value in values] for count in counts]).pvalue > UNLIKELY


@pytest.mark.parametrize("name", MEASURED)
def test_what_is_measured_is_distributed_as_published(name: str) -> None:
    samples = [[value for drawn in pool for value in MEASURED[name](drawn)] for pool in pools()]
    assert ks_2samp(*samples).pvalue > UNLIKELY
