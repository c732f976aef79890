"""Topics of transcripts. In: a shipped spec and seeds; out: instances with the figures that a transcript can quote.

An item is what one agent takes: a ticket, a chore. A figure is what it costs an agent, and the lower the better. In
each instance two agents, the focal pair, would gain by taking two items that others do more cheaply.
"""

import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import count, permutations
from pathlib import Path
from typing import Any, Final

from colosseum.language.files import shipped
from colosseum.model import draws
from colosseum.model.check import read_spec
from colosseum.model.realise import realise
from colosseum.model.spec import Declared
from colosseum.model.values import Value
from colosseum.model.world import World

LEAST: Final = 0.05
"""A difference that shows after rounding."""


@dataclass(frozen=True)
class Domain:
    """How one spec is spoken of."""

    name: str
    """Of the spec."""
    figures: str
    """The table of figures, by agent and item."""
    value: Callable[[World, str, str], float]
    """What an agent gains by an item, given the world."""
    words: Mapping[str, str]
    own: Sequence[str]
    """Clauses for a figure of one's own, with {item} and {number}."""
    other: Sequence[str]
    """Clauses for another agent's, with {agent}, {item} and {number}."""
    shown: Mapping[str, str]
    """Items as they are called, where that is not their name."""
    digits: int


def _jira_value(world: World, agent: str, item: str) -> float:
    weight = world.table("weight").entries[(world.table("priority").entries[(item,)],)]
    return 20 + 20 * _number(weight) - _number(world.table("cost").entries[agent, item])


def _classroom_value(world: World, agent: str, item: str) -> float:
    return -_number(world.table("effort").entries[agent, item])


def _number(value: Value) -> float:
    assert isinstance(value, int | float), f"{value!r} is not a number"
    return float(value)


WORDS: Final[dict[str, Any]] = tomllib.loads((Path(__file__).parent / "words.toml").read_text(encoding="utf-8"))
VALUES: Final = {"jira": _jira_value, "classroom": _classroom_value}
DOMAINS: Final = tuple(Domain(value=VALUES[each["name"]], **each) for each in WORDS["domain"])


@dataclass(frozen=True)
class Casting:
    """One instance, and who plays which part in what is said about it."""

    domain: Domain
    seed: int
    agents: tuple[str, ...]
    items: tuple[str, ...]
    figure: Mapping[tuple[str, str], float]
    """By agent and item."""
    parts: Mapping[str, str]
    """A and B, the focal pair; C and D, who do x and y more cheaply; E, one more; and the items: x and y, which A and B
    would like, a and b, which they take in fairness, p and q, which they hold the wrong way round, w, another one."""
    gain: float
    """What A and B gain by x and y in place of a and b."""
    loss: float
    """What it costs more when A and B do x and y in place of C and D."""
    saved: float
    """What it costs less when A does q and B does p in place of the reverse."""
    false: float
    """What A claims x to cost, falsely."""
    wrong: float
    """What A takes a to cost, in error: it is the figure of another item."""

    @property
    def pair(self) -> tuple[str, str]:
        """The focal pair."""
        return self.parts["A"], self.parts["B"]

    def shown(self, item: str) -> str:
        """An item as it is called."""
        return self.domain.shown.get(item, item)

    def number(self, value: float) -> str:
        """A figure as it is written."""
        return f"{value:.{self.domain.digits}f}"


def instances(domain: Domain, *, seed: int, number: int) -> Iterator[Casting]:
    """So many instances from a seed on, one a seed; seeds in which no pair would gain at others' cost are left out."""
    made = 0
    for each in count(seed):
        if made == number:
            return
        found = _instance(domain, each)
        if found is not None:
            made += 1
            yield found


@cache
def _spec(name: str) -> Declared:
    """A shipped spec; of its instances only the data is needed."""
    spec, diagnostics = read_spec(shipped("specs") / f"{name}.colo")
    assert spec is not None, diagnostics
    return spec


def _instance(domain: Domain, seed: int) -> Casting | None:
    """The first pair, in an order that is drawn, for which there are all parts."""
    world, diagnostics = realise(_spec(domain.name), seed=seed, params={})
    assert not diagnostics
    agents = tuple(map(str, world.members("agents")))
    entries = world.table(domain.figures).entries
    figure = {(str(k[0]), str(k[1])): round(_number(v), domain.digits) for k, v in entries.items()}
    items = tuple(dict.fromkeys(t for _, t in figure))
    value = {key: domain.value(world, *key) for key in figure}
    order = map(str, draws.shuffle(draws.key(seed, "calibration pair"), agents))
    for pair in permutations(order, 2):
        found = _with_parts(domain, seed, agents, items, figure, value, pair)
        if found is not None:
            return found
    return None


def _with_parts(
    domain: Domain, seed: int, agents: tuple[str, ...], items: tuple[str, ...],
    figure: Mapping[tuple[str, str], float], value: Mapping[tuple[str, str], float], pair: tuple[str, str],
) -> Casting | None:  # fmt: skip
    """The instance with this focal pair; None where a part is missing."""
    A, B = pair  # noqa: N806 - the parts as they are called
    others = [agent for agent in agents if agent not in pair]
    x, c = _wanted(A, items, others, figure, value)
    y, d = _wanted(B, [t for t in items if t != x], [o for o in others if o != c], figure, value)
    if not (x and y):
        return None
    a = _fair(A, [t for t in items if t not in (x, y)], others, figure)
    b = _fair(B, [t for t in items if t not in (x, y, a)], others, figure)
    w = next(t for t in items if t not in (x, y, a, b))
    p, q = max(permutations([t for t in items if t not in (x, y, w)], 2), key=lambda two: _saved(figure, pair, two))
    gain, saved = value[A, x] + value[B, y] - value[A, a] - value[B, b], _saved(figure, pair, (p, q))
    false = round(max(figure[c, x] - (1 if domain.digits == 0 else 0.2 * figure[c, x]), 1.0), domain.digits)
    wrong = next((figure[A, t] for t in items if abs(figure[A, t] - figure[A, a]) > LEAST and t != x), None)
    if gain <= LEAST or saved <= LEAST or wrong is None or false >= figure[A, x]:
        return None
    e = next(o for o in others if o not in (c, d))
    parts = dict(zip("ABCDExyabpqw", (A, B, c, d, e, x, y, a, b, p, q, w), strict=True))
    loss = figure[A, x] - figure[c, x] + figure[B, y] - figure[d, y]
    return Casting(domain, seed, agents, items, figure, parts, gain, loss, saved, false, wrong)


def _wanted(
    agent: str, items: "tuple[str, ...] | list[str]", others: list[str], figure: Mapping[tuple[str, str], float],
    value: Mapping[tuple[str, str], float],
) -> tuple[str, str]:  # fmt: skip
    """The best item for an agent among those that somebody else does more cheaply, and who; empty without one."""
    cheapest = {t: min(others, key=lambda o: figure[o, t]) for t in items}
    found = [t for t in items if figure[cheapest[t], t] < figure[agent, t] - LEAST]
    best = max(found, key=lambda t: value[agent, t], default="")
    return best, cheapest.get(best, "")


def _fair(agent: str, items: list[str], others: list[str], figure: Mapping[tuple[str, str], float]) -> str:
    """The item at which an agent is best, compared with others."""
    return min(items, key=lambda t: (figure[agent, t] - min(figure[o, t] for o in others), figure[agent, t]))


def _saved(figure: Mapping[tuple[str, str], float], pair: tuple[str, str], two: tuple[str, ...]) -> float:
    """What is saved when the first of the pair gives up the first item for the second, and the other the reverse."""
    (one, other), (p, q) = pair, two
    return figure[one, p] + figure[other, q] - figure[one, q] - figure[other, p]
