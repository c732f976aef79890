"""Values that need others. In: `a or b or …` in which one variable meets the others one by one; out: a row for each
set of values that would do.

`x ≥ y + 2 or x ≥ z + 5 or x == none` says which values of y or z a value of x needs. All values of x that need no more
than a set stand in its row together, `Σ x_d ≤ Σ y_e + Σ z_e`: the relaxation then sees what a precedence really asks.
"""

from functools import reduce

from colosseum.model.scenario import Variable
from colosseum.model.terms import Term
from colosseum.model.values import Fault, Value
from colosseum.optimum.lowering import Lowering
from colosseum.optimum.program import total
from colosseum.optimum.tables import scope_variables, worth

Support = frozenset[tuple[str, Value]]
"""Values of other variables of which one must be taken."""


def supported(parts: tuple[Term, ...], lowering: Lowering) -> bool:
    """Bind a clause so; False where its parts do not meet in one variable, or where they are too large."""
    pivot = _pivot(parts, lowering)
    if pivot is None or any(lowering.size(part.scope) > lowering.limits.conflict for part in parts):
        return False
    try:
        needed = {d: _support(pivot, d, parts, lowering) for d in pivot.domain}
    except Fault:  # a part that is undefined where another holds
        return False
    program = lowering.program
    for support in dict.fromkeys(s for s in needed.values() if s is not None):
        chosen = [program.indicator(pivot.name, d) for d, s in needed.items() if s is not None and s <= support]
        enough = [program.indicator(name, e) for name, e in sorted(support, key=str)]
        program.row(total(chosen).minus(total(enough)), high=0.0)
    return True


def _pivot(parts: tuple[Term, ...], lowering: Lowering) -> Variable | None:
    """The variable that every part about two variables reads."""
    pairs = [part.scope for part in parts if len(part.scope) == 2]
    if not pairs or any(len(part.scope) > 2 for part in parts):
        return None
    shared = reduce(frozenset.intersection, pairs)
    return next(iter(scope_variables(shared, lowering)), None) if shared else None


def _support(pivot: Variable, value: Value, parts: tuple[Term, ...], lowering: Lowering) -> Support | None:
    """What a value of the pivot needs; None where it needs nothing. Raises Fault."""
    needed: set[tuple[str, Value]] = set()
    for part in parts:
        others = [v for v in scope_variables(part.scope, lowering) if v.name != pivot.name]
        if not others:
            if worth(part, {pivot.name: value}):
                return None
            continue
        (other,) = others
        holding = [e for e in other.domain if worth(part, {pivot.name: value, other.name: e})]
        if len(holding) == len(other.domain):
            return None
        needed.update((other.name, e) for e in holding)
    return frozenset(needed)
