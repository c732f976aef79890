"""Conditions: comparisons, membership and their combinations as 0/1 forms."""

from colosseum.model import terms
from colosseum.model.terms import Constant, Decision, Term
from colosseum.optimum.lowering import Lowering
from colosseum.optimum.program import Affine, total


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


def ordered(term: Term, lowering: Lowering) -> Affine | None:
    """A comparison of whole forms over larger scopes, reified; false where a side is none."""
    if not isinstance(term, terms.Compare) or lowering.size(term.scope) <= 400:
        return None
    if term.operator not in ("<", "<=", ">", ">="):
        return equality(term, lowering)
    left, right = lowering.number(term.left), lowering.number(term.right)
    gap = left.minus(right) if term.operator in ("<", "<=") else right.minus(left)
    if not lowering.program.whole(gap):
        return None
    strict = 1.0 if term.operator in ("<", ">") else 0.0
    return conjunction([below(gap + Affine(strict), lowering), *defined(term, lowering)], lowering)


def equality(term: terms.Compare, lowering: Lowering) -> Affine | None:
    """`==` of whole forms: neither above nor below."""
    if any(isinstance(side, Constant) and not isinstance(side.value, int | float) for side in (term.left, term.right)):
        return None
    if not (numeric(term.left, lowering) and numeric(term.right, lowering)):
        return None
    gap = lowering.number(term.left).minus(lowering.number(term.right))
    if not lowering.program.whole(gap):
        return None
    sides = [below(gap, lowering), below(gap.scaled(-1.0), lowering), *defined(term, lowering)]
    equal = conjunction(sides, lowering)
    return equal if term.operator == "==" else Affine(1.0).minus(equal)


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


def numeric(term: Term, lowering: Lowering) -> bool:
    """Whether a term is a number wherever it is not none."""
    match term:
        case Constant(value=value):
            return isinstance(value, int | float) and not isinstance(value, bool)
        case Decision(variable=name):
            domain = lowering.program.task.variable[name].domain
            return all(d is None or (isinstance(d, int | float) and not isinstance(d, bool)) for d in domain)
        case terms.Select(entries=entries):
            return all(numeric(entry, lowering) for _, entry in entries)
        case terms.Conditional(then=a, otherwise=b):
            return numeric(a, lowering) and numeric(b, lowering)
        case terms.Compare() | terms.Member() | terms.Every() | terms.Some() | terms.Inverse():
            return False
        case _:
            return True


def defined(term: Term, lowering: Lowering) -> list[Affine]:
    """Forms that are 1 where the decisions a comparison computes with are not none."""
    names = sorted(optional(term, lowering))
    return [Affine(1.0).minus(lowering.program.indicator(name, None)) for name in names]


def optional(term: Term, lowering: Lowering) -> frozenset[str]:
    """Decisions whose none makes the term none: those it computes with, not those it sums over or tests."""
    match term:
        case Decision(variable=name):
            has_none = None in lowering.program.task.variable[name].domain
            return frozenset((name,)) if has_none else frozenset()
        case terms.Arithmetic(left=a, right=b) | terms.Compare(left=a, right=b):
            return optional(a, lowering) | optional(b, lowering)
        case terms.Absolute(part=part):
            return optional(part, lowering)
        case terms.Select(keys=keys):
            return frozenset().union(*(optional(k, lowering) for k in keys))
        case terms.Extremum(parts=parts, aggregate=False):
            return frozenset().union(*(optional(p, lowering) for p in parts))
        case _:
            return frozenset()
