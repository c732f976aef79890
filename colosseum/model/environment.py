"""Where an expression is evaluated. In: facts, bindings and what is allowed; out: nothing, it is only carried."""

from dataclasses import dataclass, field, replace

from colosseum.diagnostics import closest
from colosseum.model.scenario import Cell
from colosseum.model.values import Fault, Value
from colosseum.model.world import Facts

MOST_STEPS = 5_000_000
"""Bindings that one expansion may visit; more is refused."""


@dataclass
class Meter:
    """Counts the work of an expansion, so that a stranger's spec cannot run for ever."""

    steps: int = 0

    def count(self, steps: int) -> None:
        """Raises a Fault when the limit is passed."""
        self.steps += steps
        if self.steps > MOST_STEPS:
            raise Fault(f"this expands to more than {MOST_STEPS:,} steps", code="C056", help="loop over smaller sets")


@dataclass(frozen=True)
class Environment:
    """Where an expression is evaluated."""

    facts: Facts
    bindings: dict[str, Value] = field(default_factory=dict)
    reads: set[Cell] | None = None
    """Private cells that were read are added here."""
    births: bool = False
    """Whether names in braces and `x[1..n]` may be new elements."""
    decisions: bool = True
    """Whether variables may be mentioned."""
    payoffs: bool = False
    """Whether `payoff[a]` and `total` may be mentioned."""
    meter: Meter = field(default_factory=Meter)

    def bind(self, bindings: dict[str, Value]) -> "Environment":
        """The same place with more binders."""
        return replace(self, bindings={**self.bindings, **bindings})

    def fixed(self) -> "Environment":
        """The same place, where decisions may not be mentioned (`where`, data, domains)."""
        return replace(self, decisions=False) if self.decisions else self


def newborn(name: str, env: Environment) -> bool:
    """Whether a name in braces is an element that needs no other declaration."""
    return env.births and name not in env.bindings and env.facts.symbol(name) is None


def unknown(name: str, env: Environment) -> Fault:
    """What to say about a name that means nothing here."""
    symbol = env.facts.symbol(name)
    if symbol is not None:
        return Fault(f"`{name}` is a {symbol.kind} and has no value", code="C041")
    known = [*env.bindings, *env.facts.spec.symbols, *env.facts.known_elements()]
    return Fault(f"`{name}` is not the name of anything", code="C041", help=closest(name, known))
