"""Conditions: comparisons, membership and their combinations as 0/1 forms."""

from colosseum.model import terms
from colosseum.model.terms import Decision, Term
from colosseum.solve.lowering.defined import ALWAYS, NEVER, both_defined, defined, numeric
from colosseum.solve.lowering.program import Affine, total
from colosseum.solve.lowering.rules import Lowering
from colosseum.solve.lowering.ties import open_at_ties


def inverse(term: Term, lowering: Lowering) -> Affine | None:
    """`not c` = 1 − c."""
    if not isinstance(term, terms.Inverse):
        return None
    return Affine(1.0).minus(lowering.condition(term.part))


def every(term: Term, lowering: Lowering) -> Affine | None:
    """`and`: below each part, and 1 when all are."""
    if not isinstance(term, terms.Every):
        return None
    return conjunction([lowering.condition(p) for p in term.parts], lowering)


def some(term: Term, lowering: Lowering) -> Affine | None:
    """`or` = not all not."""
    if not isinstance(term, terms.Some):
        return None
    parts = [Affine(1.0).minus(lowering.condition(p)) for p in term.parts]
    return Affine(1.0).minus(conjunction(parts, lowering))


def conjunction(parts: list[Affine], lowering: Lowering) -> Affine:
    """A column that is 1 where all the 0/1 parts are."""
    if any(p.fixed and p.constant == 0 for p in parts):
        return Affine(0.0)
    moving = [p for p in parts if not p.fixed]
    if len(moving) <= 1:
        return moving[0] if moving else Affine(1.0)
    column = Affine(0.0, {lowering.program.column("all", integral=True): 1.0})
    for part in moving:
        lowering.program.row(column.minus(part), high=0.0)
    lowering.program.row(column.minus(total(moving)), low=1.0 - len(moving))
    return column


def same(term: Term, lowering: Lowering) -> Affine | None:
    """Two decisions that agree: one column for each value that both may take; none agrees with nothing but none."""
    match term:
        case terms.Compare(operator="==" | "!=" as operator, left=Decision(variable=a), right=Decision(variable=b)):
            program = lowering.program
            other = program.task.variable[b].domain
            shared = [d for d in program.task.variable[a].domain if d in other]
            agree = total([
                conjunction([program.indicator(a, d), program.indicator(b, d)], lowering) for d in shared
            ])  # fmt: skip
            return agree if operator == "==" else Affine(1.0).minus(agree)
        case _:
            return None


def compared(term: Term, lowering: Lowering) -> Affine | None:
    """A comparison of numbers over larger scopes, reified."""
    if not isinstance(term, terms.Compare):
        return None
    if lowering.size(term.scope) <= lowering.limits.comparison and not lowering.names_payoffs(term):
        return None
    if not (numeric(term.left, lowering) and numeric(term.right, lowering)):
        return None
    if NEVER in (defined(term.left, lowering), defined(term.right, lowering)):
        return with_none(term, lowering)
    gap = lowering.number(term.left).minus(lowering.number(term.right))
    match term.operator:
        case "==":
            return equality(gap, term, lowering)
        case "!=":
            return Affine(1.0).minus(equality(gap, term, lowering))
        case _:
            known = lowering.condition(both_defined(term, lowering))
            return conjunction([ordered(term.operator, gap, term, lowering), known], lowering)


def with_none(term: terms.Compare, lowering: Lowering) -> Affine:
    """A comparison with none itself: only equality can hold, where the other side is none as well."""
    if term.operator not in ("==", "!="):
        return Affine(0.0)
    either = lowering.condition(terms.Some((defined(term.left, lowering), defined(term.right, lowering))))
    return either if term.operator == "!=" else Affine(1.0).minus(either)


def equality(gap: Affine, term: terms.Compare, lowering: Lowering) -> Affine:
    """Both sides numbers with the same value, or both none."""
    known = lowering.condition(both_defined(term, lowering))
    same_number = conjunction([*(ordered(o, gap, term, lowering) for o in ("<=", ">=")), known], lowering)
    left, right = defined(term.left, lowering), defined(term.right, lowering)
    if left == ALWAYS or right == ALWAYS:
        return same_number
    neither = lowering.condition(terms.Every((terms.Inverse(left), terms.Inverse(right))))
    return same_number + neither


def ordered(operator: str, gap: Affine, term: terms.Compare, lowering: Lowering) -> Affine:
    """A 0/1 form for `left < right` and its like, where the gap is left − right and neither side is none."""
    signed = gap if operator in ("<", "<=") else gap.scaled(-1.0)
    counted = lowering.program.grained(signed)
    if counted is not None:
        return below(counted + Affine(1.0 if operator in ("<", ">") else 0.0), lowering)
    comparison = terms.Compare(operator, term.left, term.right)
    every = [v.name for v in lowering.program.task.variables]
    scope = every if lowering.names_payoffs(term) else [name for name in every if name in term.scope]
    return open_at_ties(comparison, signed, lowering, scope=tuple(scope))


def below(gap: Affine, lowering: Lowering) -> Affine:
    """A 0/1 form that is 1 exactly where the whole-valued gap is ≤ 0."""
    low, high = lowering.program.bounds(gap)
    if high <= 0:
        return Affine(1.0)
    if low > 0:
        return Affine(0.0)
    column = Affine(0.0, {lowering.program.column("at most", integer=True): 1.0})
    lowering.program.row(gap + column.scaled(high), high=high)
    lowering.program.row(gap + column.scaled(1.0 - low), low=1.0)
    return column
