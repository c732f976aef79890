"""Terms that may be none. In: a number's term; out: a condition that holds where it is a number and not none.

Arithmetic and look-ups with none give none, comparisons swallow it, and a sum with a none in it is a Fault: it counts
as defined here, since no assignment at which it arises is worth anything.
"""

from colosseum.model import terms
from colosseum.model.terms import Constant, Decision, Term
from colosseum.model.values import Value
from colosseum.solve.lowering.rules import Lowering

ALWAYS = Constant(True)
NEVER = Constant(False)


def both_defined(term: terms.Compare, lowering: Lowering) -> Term:
    """Where neither side of a comparison is none."""
    return _all([defined(term.left, lowering), defined(term.right, lowering)])


def defined(term: Term, lowering: Lowering) -> Term:
    """A condition that holds exactly where the term is not none; ALWAYS where it cannot be."""
    match term:
        case Constant(value=value):
            return NEVER if value is None else ALWAYS
        case Decision(variable=name):
            optional = None in lowering.program.task.variable[name].domain
            return terms.Compare("!=", term, Constant(None)) if optional else ALWAYS
        case terms.Arithmetic(left=a, right=b):
            return _all([defined(a, lowering), defined(b, lowering)])
        case terms.Absolute(part=part):
            return defined(part, lowering)
        case terms.Extremum(parts=parts, aggregate=False):
            return _all([defined(p, lowering) for p in parts])
        case terms.Conditional(condition=c, then=a, otherwise=b):
            return _all([_where(c, defined(a, lowering)), _where(_not(c), defined(b, lowering))])
        case terms.Select(keys=keys, entries=entries):
            known = [defined(k, lowering) for k in keys]
            return _all([*known, *(_where(_chosen(keys, key), defined(e, lowering)) for key, e in entries)])
        case _:
            return ALWAYS


def _chosen(keys: tuple[Term, ...], values: tuple[Value, ...]) -> Term:
    return terms.Every(tuple(terms.Compare("==", k, Constant(v)) for k, v in zip(keys, values, strict=True)))


def _where(condition: Term, holds: Term) -> Term:
    """`condition` implies `holds`."""
    return ALWAYS if holds == ALWAYS else _not(condition) if holds == NEVER else terms.Some((_not(condition), holds))


def _not(condition: Term) -> Term:
    return terms.Inverse(condition)


def _all(parts: list[Term]) -> Term:
    distinct = tuple(p for p in dict.fromkeys(parts) if p != ALWAYS)
    return ALWAYS if not distinct else distinct[0] if len(distinct) == 1 else terms.Every(distinct)


def numeric(term: Term, lowering: Lowering) -> bool:
    """Whether a term is a number wherever it is not none."""

    def number(value: Value) -> bool:
        return value is None or (isinstance(value, int | float) and not isinstance(value, bool))

    match term:
        case Constant(value=value):
            return number(value)
        case Decision(variable=name):
            return all(number(d) for d in lowering.program.task.variable[name].domain)
        case terms.Arithmetic(left=a, right=b):
            return numeric(a, lowering) and numeric(b, lowering)
        case terms.Select(entries=entries):
            return all(numeric(entry, lowering) for _, entry in entries)
        case terms.Conditional(then=a, otherwise=b):
            return numeric(a, lowering) and numeric(b, lowering)
        case terms.Compare() | terms.Member() | terms.Every() | terms.Some() | terms.Inverse():
            return False
        case _:
            return True
