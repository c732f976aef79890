"""Values that need others. In: `a or b or …` in which one variable meets the others one by one; out: a row for each
set of values that would do.

`x ≥ y + 2 or x ≥ z + 5 or x == none` says which values of y or z a value of x needs. All values of x that need no more
than a set stand in its row together, `Σ x_d ≤ Σ y_e + Σ z_e`: the relaxation then sees what a precedence really asks.
"""

from functools import reduce
from typing import TypeAlias

import numpy as np

from colosseum.model.scenario import Variable
from colosseum.model.terms import Term
from colosseum.solve.arrays.worths import worths
from colosseum.solve.lowering.program import Affine
from colosseum.solve.lowering.rules import Lowering
from colosseum.solve.lowering.tables import scope_variables

Support: TypeAlias = frozenset[int]
"""Choice columns of other variables of which one must be 1."""


def supported(parts: tuple[Term, ...], lowering: Lowering) -> bool:
    """Bind a clause so; False where its parts do not meet in one variable, or where they are too large."""
    pivot = _pivot(parts, lowering)
    if pivot is None or any(lowering.size(part.scope) > lowering.limits.conflict for part in parts):
        return False
    needed = _needs(pivot, parts, lowering)
    program = lowering.program
    for support in dict.fromkeys(s for s in needed if s is not None):
        choices = zip(program.choices[pivot.name], needed, strict=True)
        chosen = Affine(0.0, {c: 1.0 for c, s in choices if s is not None and s <= support})
        program.row(chosen.minus(Affine(0.0, dict.fromkeys(sorted(support), 1.0))), high=0.0)
    return True


def _pivot(parts: tuple[Term, ...], lowering: Lowering) -> Variable | None:
    """The variable that every part about two variables reads."""
    pairs = [part.scope for part in parts if len(part.scope) == 2]
    if not pairs or any(len(part.scope) > 2 for part in parts):
        return None
    shared = reduce(frozenset.intersection, pairs)
    return next(iter(scope_variables(shared, lowering)), None) if shared else None


def _needs(pivot: Variable, parts: tuple[Term, ...], lowering: Lowering) -> list[Support | None]:
    """What each value of the pivot needs; None where it needs nothing."""
    needed: list[set[int] | None] = [set() for _ in pivot.domain]
    for part in parts:
        others = [v for v in scope_variables(part.scope, lowering) if v.name != pivot.name]
        choices = np.array(lowering.program.choices[others[0].name]) if others else np.array([], dtype=np.int64)
        holds = worths(part, [pivot, *others]).reshape(len(pivot.domain), -1) != 0
        for place, row in enumerate(holds):
            if row.all():
                needed[place] = None
            elif (so_far := needed[place]) is not None and others:
                so_far.update(choices[row].tolist())
    return [None if columns is None else frozenset(columns) for columns in needed]
