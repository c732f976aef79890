"""The first of many optima on arrays. In: tables and what an optimum is worth at least; out: the first such place.

Where elimination in declared order is too much work: what each value of each variable can reach at best is known after
one elimination in any order and a way back. Most values cannot reach the optimum and go; while any variable has a
choice left, the first one takes its first value, and the rest is asked again.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from colosseum.solve.arrays import Floats
from colosseum.solve.arrays import Places as Kept
from colosseum.solve.buckets import Ordering, Places, Solution, best_order, eliminate, given_order

LITTLE = 100_000
"""Joint values that are eliminated in declared order at once."""
MOST_WRITTEN = 1 << 22
"""Joint values that a sum of tables may have on the way back, where it is written out."""
MOST_WALKED = 1 << 28
"""Joint values that the search may go through in all."""

Table = tuple[tuple[str, ...], Floats]
"""The variables of its axes, and its values."""


def earliest(tables: Sequence[Table], sizes: Mapping[str, int], *, least: float, little: int = LITTLE) -> Places | None:
    """The first place, by the order of `sizes` and of values, at which the tables add up to `least`.

    None where that is too much work; there must be such a place. Up to `little` work is done in declared order at once.
    """
    kept: dict[str, Kept] = {name: np.arange(size, dtype=np.intp) for name, size in sizes.items()}
    walked = 0
    while any(len(places) > 1 for places in kept.values()):
        order, solved = _solved(tables, kept, little)
        if order is None or solved is None or walked + order.cost > MOST_WALKED:
            return None
        walked += order.cost
        names = list(solved.order.sizes)
        if [*order.turn] == names[::-1]:
            places = solved.first(slack=solved.value - least)
            return {name: int(kept[name][places.get(name, 0)]) for name in kept}
        for name, reached in solved.marginals().items():
            kept[name] = kept[name][reached >= least]
        undecided = next((name for name in names if len(kept[name]) > 1), None)
        if undecided is not None:
            kept[undecided] = kept[undecided][:1]
    return {name: int(places[0]) for name, places in kept.items()}


def _solved(tables: Sequence[Table], kept: Mapping[str, Kept], little: int) -> tuple[Ordering | None, Solution | None]:
    """The tables with the values left, eliminated: in declared order where that is little work."""
    sizes = {name: len(places) for name, places in kept.items() if len(places) > 1}
    left = [_cut(table, kept) for table in tables]
    scopes = [scope for scope, _ in left]
    reverse = given_order(scopes, sizes, list(sizes)[::-1])
    order = reverse if reverse is not None and reverse.cost <= little else best_order(scopes, sizes, most=MOST_WRITTEN)
    if order is None:
        return None, None
    return order, eliminate(left, order)


def _cut(table: Table, kept: Mapping[str, Kept]) -> Table:
    """A table at the values left; a variable with one value left has no axis."""
    names, values = table
    for axis, name in enumerate(names):
        if len(kept[name]) < values.shape[axis]:
            values = values.take(kept[name], axis=axis)
    left = tuple(name for name in names if len(kept[name]) > 1)
    return left, values.reshape([len(kept[name]) for name in left])
