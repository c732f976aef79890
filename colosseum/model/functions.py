"""The functions that expressions may call. In: folded arguments; out: a value or a term, or a Fault."""

from collections.abc import Callable, Sequence
from itertools import combinations, pairwise
from typing import TypeAlias

from colosseum.model.environment import Meter
from colosseum.model.terms import Absolute, Constant, Extremum, Ground, Term
from colosseum.model.values import Elements, Fault, Value, extremum, kind, number

Folded: TypeAlias = "Value | Term"


def _one(name: str, arguments: Sequence[Folded]) -> Folded:
    if len(arguments) != 1:
        raise Fault(f"`{name}` takes one argument, not {len(arguments)}", code="C047")
    return arguments[0]


def _one_set(name: str, arguments: Sequence[Folded]) -> Elements:
    argument = _one(name, arguments)
    if isinstance(argument, Ground):
        raise Fault(f"`{name}` needs a set that no decision changes", code="C055")
    if not isinstance(argument, Elements):
        raise Fault(f"`{name}` takes a set, not {kind(argument)}", code="C057")
    return argument


def _size(arguments: Sequence[Folded]) -> Folded:
    return len(_one_set("size", arguments))


def _pairs(arguments: Sequence[Folded]) -> Folded:
    """Every unordered pair once, in declared order."""
    items = _one_set("pairs", arguments).items
    Meter().foresee([len(items) * (len(items) - 1) // 2])
    return Elements(tuple(combinations(items, 2)))


def _steps(arguments: Sequence[Folded]) -> Folded:
    """Consecutive pairs of a sequence."""
    items = _one_set("steps", arguments).items
    return Elements(tuple(pairwise(items)))


def _absolute(arguments: Sequence[Folded]) -> Folded:
    argument = _one("abs", arguments)
    if isinstance(argument, Ground):
        return Absolute(argument)
    return None if argument is None else abs(number(argument, "the argument of `abs`"))


def _extremum(which: str) -> Callable[[Sequence[Folded]], Folded]:
    def call(arguments: Sequence[Folded]) -> Folded:
        if len(arguments) == 1 and isinstance(arguments[0], Elements):
            arguments = arguments[0].items
        if any(isinstance(a, Ground) for a in arguments):
            parts = tuple(a if isinstance(a, Ground) else Constant(a) for a in arguments)
            return Extremum(which, parts, tuple(Constant(True) for _ in parts), aggregate=False)
        return extremum(which, [a for a in arguments if not isinstance(a, Ground)])

    return call


def _draw(name: str) -> Callable[[Sequence[Folded]], Folded]:
    def call(arguments: Sequence[Folded]) -> Folded:
        help_ = f"as in `table t[S] ~ {name}(…)`"
        raise Fault(f"`{name}` draws, so it stands only after `~`", code="C047", help=help_)

    return call


DRAWS = ("choice", "integer", "normal", "sample", "shuffle", "uniform")

FUNCTIONS: dict[str, Callable[[Sequence[Folded]], Folded]] = {
    "abs": _absolute,
    "max": _extremum("max"),
    "min": _extremum("min"),
    "pairs": _pairs,
    "size": _size,
    "steps": _steps,
    **{name: _draw(name) for name in DRAWS},
}
