"""Functions of a count. In: a term that reads decisions only through how many conditions hold; out: a binary a count.

z_k = [n = k] with Σ_k z_k = 1 and Σ_k k · z_k = n, so that any function g of the count is Σ_k g(k) · z_k. It is exact
in both senses, and its relaxation is the tightest that knows the count alone.
"""

from collections.abc import Iterator

from colosseum.model import terms
from colosseum.model.terms import Constant, Term
from colosseum.solve.arrays.worths import worth
from colosseum.solve.lowering.program import Affine, total
from colosseum.solve.lowering.rules import Lowering, referred

MOST_COUNTED = 400
"""Conditions that one count may have."""


def counted(term: Term, lowering: Lowering) -> Affine | None:
    """The rule: a function of exactly one count, other than the count itself, over more than two variables."""
    if isinstance(term, terms.Total) or len(term.scope) <= 2:
        return None
    found = dict.fromkeys(counts_in(term))
    if len(found) != 1:
        return None
    (conditions,) = found
    values = function_of_count(term, conditions)
    if values is None:
        return None
    return total([z.scaled(value) for z, value in zip(indicators(conditions, lowering), values, strict=True)])


def indicators(conditions: tuple[Term, ...], lowering: Lowering) -> list[Affine]:
    """z_0 … z_m for these conditions, made once."""
    if conditions not in lowering.counts:
        program = lowering.program
        made = [Affine(0.0, {program.column("count", integer=True): 1.0}) for _ in range(len(conditions) + 1)]
        program.row(total(made), low=1.0, high=1.0)
        number = total([z.scaled(float(k)) for k, z in enumerate(made)])
        holding = total([lowering.condition(c) for c in conditions])
        program.row(number.minus(holding), low=0.0, high=0.0)
        lowering.counts[conditions] = made
    return lowering.counts[conditions]


def counts_in(term: Term) -> Iterator[tuple[Term, ...]]:
    """The conditions of every count inside a term."""
    match term:
        case terms.Total(parts=parts):
            conditions = tuple(c for p in parts if (c := _indicated(p)) is not None)
            if len(conditions) == len(parts) and 1 < len(set(conditions)) == len(parts) <= MOST_COUNTED:
                yield conditions
            else:
                for part in parts:
                    yield from counts_in(part)
        case terms.Compare(left=a, right=b) | terms.Arithmetic(left=a, right=b):
            yield from counts_in(a)
            yield from counts_in(b)
        case terms.Conditional(condition=c, then=a, otherwise=b):
            for part in (c, a, b):
                yield from counts_in(part)
        case terms.Absolute(part=part) | terms.Inverse(part=part):
            yield from counts_in(part)
        case terms.Extremum(parts=parts) | terms.Every(parts=parts) | terms.Some(parts=parts):
            for part in parts:
                yield from counts_in(part)
        case terms.Select(keys=keys):
            for key in keys:
                yield from counts_in(key)
        case terms.Member(item=item):
            yield from counts_in(item)
        case _:
            return


def _indicated(part: Term) -> Term | None:
    """c, where the part is `1 if c else 0`."""
    match part:
        case terms.Conditional(condition=c, then=Constant(value=1), otherwise=Constant(value=0)):
            return c
        case _:
            return None


def function_of_count(term: Term, conditions: tuple[Term, ...]) -> list[float] | None:
    """g(0) … g(m) when the term reads decisions only through the number of conditions that hold, else None."""
    counts = frozenset(id(total) for total in _counts_of(frozenset(conditions), term))
    first = _fold(term, counts, 0)
    if first.scope or referred(first):
        return None
    return [worth(first, {}), *(worth(_fold(term, counts, k), {}) for k in range(1, len(conditions) + 1))]


def _counts_of(conditions: frozenset[Term], term: Term) -> Iterator[terms.Total]:
    """The sums in a term that count just these conditions."""
    if isinstance(term, terms.Total) and len(term.parts) == len(conditions):
        if {_indicated(part) for part in term.parts} == conditions:
            yield term
    else:
        for part in term.below:
            yield from _counts_of(conditions, part)


def _fold(term: Term, counts: frozenset[int], k: int) -> Term:
    """The term with these counts, known by their identity, replaced by k."""

    def fold(inner: Term) -> Term:
        return _fold(inner, counts, k)

    match term:
        case terms.Total(parts=parts):
            return Constant(k) if id(term) in counts else terms.Total(tuple(fold(p) for p in parts))
        case terms.Compare(operator=o, left=a, right=b):
            return terms.Compare(o, fold(a), fold(b))
        case terms.Arithmetic(operator=o, left=a, right=b):
            return terms.Arithmetic(o, fold(a), fold(b))
        case terms.Conditional(condition=c, then=a, otherwise=b):
            return terms.Conditional(fold(c), fold(a), fold(b))
        case terms.Absolute(part=part):
            return terms.Absolute(fold(part))
        case terms.Inverse(part=part):
            return terms.Inverse(fold(part))
        case terms.Extremum(which=which, parts=parts, conditions=guards, aggregate=aggregate):
            return terms.Extremum(which, tuple(map(fold, parts)), tuple(map(fold, guards)), aggregate)
        case terms.Every(parts=parts):
            return terms.Every(tuple(map(fold, parts)))
        case terms.Some(parts=parts):
            return terms.Some(tuple(map(fold, parts)))
        case terms.Select(table=table, keys=keys, entries=entries):
            return terms.Select(table, tuple(map(fold, keys)), entries)
        case terms.Member(item=item, elements=elements):
            return terms.Member(fold(item), elements)
        case _:
            return term
