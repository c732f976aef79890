"""Terms that take few values, names and sets among them. In: a comparison of such terms; out: a 0/1 form.

A term is written as one form for each value that it may take: `kind[pick[a]]` is as many forms as there are kinds.
"""

from collections.abc import Iterable

from colosseum.model import terms
from colosseum.model.terms import Constant, Decision, Term
from colosseum.model.values import Elements, Fault, Value
from colosseum.solve.lowering.conditions import conjunction
from colosseum.solve.lowering.program import Affine, total
from colosseum.solve.lowering.rules import Lowering

MOST_OPTIONS = 600
"""Values that a term may take."""
Options = dict[Value, Affine]


def alike(term: Term, lowering: Lowering) -> Affine | None:
    """`==` and `!=` of names or sets that decisions look up: both take one of the values that they share."""
    if not isinstance(term, terms.Compare) or term.operator not in ("==", "!=") or _small(term, lowering):
        return None
    left, right = options(term.left, lowering), options(term.right, lowering)
    if left is None or right is None:
        return None
    agree = total([conjunction([form, right[value]], lowering) for value, form in left.items() if value in right])
    return agree if term.operator == "==" else Affine(1.0).minus(agree)


def within(term: Term, lowering: Lowering) -> Affine | None:
    """`x in S` where decisions choose either: for each set, the values in it."""
    if not isinstance(term, terms.Member) or _small(term, lowering):
        return None
    items, sets = options(term.item, lowering), options(term.elements, lowering)
    if items is None or sets is None:
        return None
    return total([
        conjunction([form, total([items[v] for v in items if v is not None and v in elements])], lowering)
        for elements, form in sets.items() if isinstance(elements, Elements)
    ])  # fmt: skip


def options(term: Term, lowering: Lowering) -> Options | None:
    """A form for each value that a term may take, 1 where it does; None for terms that are not of this kind."""
    match term:
        case Constant(value=value):
            return {value: Affine(1.0)}
        case _ if len(term.scope) == 1 and not lowering.names_payoffs(term):
            return _of_one(term, lowering)
        case terms.Conditional(condition=c, then=a, otherwise=b):
            holds = lowering.condition(c)
            return _joined([(holds, a), (Affine(1.0).minus(holds), b)], lowering)
        case terms.Select(keys=keys, entries=entries):
            found = [options(key, lowering) for key in keys]
            known = [f for f in found if f is not None]
            if len(known) < len(keys) or len(entries) > MOST_OPTIONS:
                return None
            chosen = [
                (conjunction([o[part] for o, part in zip(known, key, strict=True)], lowering), entry)
                for key, entry in entries if all(part in o for o, part in zip(known, key, strict=True))
            ]  # fmt: skip
            missing = Affine(1.0).minus(total([form for form, _ in chosen]))
            return _joined([*chosen, (missing, Constant(None))], lowering)
        case _:
            return None


def _of_one(term: Term, lowering: Lowering) -> Options:
    """The values of a term that one variable decides; what cannot be computed is none of them."""
    (name,) = term.scope
    found: dict[Value, list[Affine]] = {}
    for d in lowering.program.task.variable[name].domain:
        try:
            value = d if isinstance(term, Decision) else term.evaluate({name: d})
        except Fault:  # a guard elsewhere keeps it from counting
            continue
        found.setdefault(value, []).append(lowering.program.indicator(name, d))
    return {value: total(forms) for value, forms in found.items()}


def _joined(branches: Iterable[tuple[Affine, Term]], lowering: Lowering) -> Options | None:
    """The values of whichever branch holds."""
    found: dict[Value, list[Affine]] = {}
    for holds, term in branches:
        inner = options(term, lowering)
        if inner is None or len(found) > MOST_OPTIONS:
            return None
        for value, form in inner.items():
            found.setdefault(value, []).append(conjunction([holds, form], lowering))
    return {value: total(forms) for value, forms in found.items()}


def _small(term: Term, lowering: Lowering) -> bool:
    return lowering.size(term.scope) <= lowering.limits.comparison
