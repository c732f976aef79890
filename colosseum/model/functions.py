"""The functions that expressions may call. In: folded arguments; out: a value or a term, or a Fault."""

from collections.abc import Callable, Sequence
from itertools import combinations, pairwise
from typing import TypeAlias

from colosseum.model.draws import DRAWS
from colosseum.model.environment import Meter
from colosseum.model.folding import Folded, extreme
from colosseum.model.terms import Absolute, Ground
from colosseum.model.values import Elements, Fault, Value, absolute, kind

Function: TypeAlias = Callable[[Sequence[Folded]], Folded]


def _one(name: str, arguments: Sequence[Folded]) -> Folded:
    if len(arguments) != 1:
        raise Fault(f"`{name}` takes one argument, not {len(arguments)}", code="C047")
    return arguments[0]


def _of_set(name: str, compute: Callable[[tuple[Value, ...]], Value]) -> Function:
    def call(arguments: Sequence[Folded]) -> Folded:
        argument = _one(name, arguments)
        if isinstance(argument, Ground):
            raise Fault(f"`{name}` needs a set that no decision changes", code="C055")
        if not isinstance(argument, Elements):
            raise Fault(f"`{name}` takes a set, not {kind(argument)}", code="C057")
        return compute(argument.items)

    return call


def _pairs(items: tuple[Value, ...]) -> Elements:
    """Every unordered pair once, in declared order."""
    Meter().foresee([len(items) * (len(items) - 1) // 2])
    return Elements(tuple(combinations(items, 2)))


def _absolute(arguments: Sequence[Folded]) -> Folded:
    argument = _one("abs", arguments)
    return Absolute(argument) if isinstance(argument, Ground) else absolute(argument)


def _extremum(which: str) -> Function:
    def call(arguments: Sequence[Folded]) -> Folded:
        if len(arguments) == 1 and isinstance(arguments[0], Elements):
            arguments = arguments[0].items
        return extreme(which, [(True, argument) for argument in arguments], aggregate=False)

    return call


def _draw(name: str) -> Function:
    def call(arguments: Sequence[Folded]) -> Folded:
        raise Fault(f"`{name}` draws, so it stands only after `~`", code="C047", help=f"as in `table t[S] ~ {name}(…)`")

    return call


FUNCTIONS: dict[str, Function] = {
    "abs": _absolute,
    "max": _extremum("max"),
    "min": _extremum("min"),
    "pairs": _of_set("pairs", _pairs),
    "size": _of_set("size", len),
    "steps": _of_set("steps", lambda items: Elements(tuple(pairwise(items)))),
    **{name: _draw(name) for name in sorted(DRAWS)},
}
