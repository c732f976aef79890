"""Terms over one variable. In: such a term; out: coefficients of the variable's choice columns.

`cost[a, t] if pick[a] == t else 0` asks of its variable nothing but whether it is t: it is worked out for t and for one
other value, however many tickets there are.
"""

from collections.abc import Iterable, Iterator
from itertools import chain
from types import NoneType

from colosseum.model import terms
from colosseum.model.scenario import Variable
from colosseum.model.terms import Constant, Decision, Ground, Term
from colosseum.model.values import Elements, Value
from colosseum.solve.arrays.worths import worth
from colosseum.solve.lowering.program import Affine
from colosseum.solve.lowering.rules import Lowering


class _Open(Exception):  # noqa: N818 - not an error: the term asks for more than equality
    """The term reads its variable's value itself."""


def chosen(term: Term, lowering: Lowering) -> Affine | None:
    """The commonest terms by far, `v == d` and `w if v == d else 0` for numbers w, without any evaluation."""
    match term:
        case terms.Compare(operator="==", left=Decision(variable=name), right=Constant(value=value)):
            weight = 1.0
        case terms.Conditional(
            condition=terms.Compare(operator="==", left=Decision(variable=name), right=Constant(value=value)),
            then=Constant(value=int() | float() as paid),
            otherwise=Constant(value=0 | 0.0),
        ):
            weight = float(paid)
        case _:
            return None
    program = lowering.program
    place = program.places[name].get(value)
    if place is None or type(value) not in program.task.variable[name].kinds:
        return None
    return Affine(0.0, {program.choices[name][place]: weight} if weight else {})


def unary(term: Term, lowering: Lowering) -> Affine | None:
    """The rule: a term over one variable becomes coefficients of its choice columns."""
    if len(term.scope) != 1 or lowering.names_payoffs(term):
        return None
    (name,) = term.scope
    variable, columns = lowering.program.task.variable[name], lowering.program.choices[name]
    told = _told_apart(term, variable, lowering.program.places[name])
    worths = {place: worth(term, {name: variable.domain[place]}) for place in told}
    other = next((d for place, d in enumerate(variable.domain) if place not in worths), None)
    elsewhere = 0.0 if len(worths) == len(columns) else worth(term, {name: other})
    if elsewhere:
        worths = {place: worths.get(place, elsewhere) for place in range(len(columns))}
    return Affine(0.0, {columns[place]: w for place, w in worths.items() if w})


def _told_apart(term: Term, variable: Variable, places: dict[Value, int]) -> Iterable[int]:
    """The places of values at which the term may differ from what it is at all others."""
    if len(variable.kinds - {NoneType}) > 1:  # values of several kinds differ in what they may be compared with
        return range(len(variable.domain))
    try:
        return dict.fromkeys(places[value] for value in chain(_asked(term), (None,)) if value in places)
    except _Open:
        return range(len(variable.domain))


def _asked(term: object) -> Iterator[Value]:
    """The values that a term asks its variable for, where it asks for equality only. Raises _Open."""
    match term:
        case terms.Compare(operator="==" | "!=", left=Decision(), right=Constant(value=value)):
            return iter((value,))
        case terms.Compare(operator="==" | "!=", left=Constant(value=value), right=Decision()):
            return iter((value,))
        case terms.Member(item=Decision(), elements=Constant(value=Elements() as values)):
            return iter(values)
        case Constant():
            return iter(())
        case Decision():
            raise _Open
        case Ground():
            return chain.from_iterable(_asked(part) for part in vars(term).values())
        case tuple():
            return chain.from_iterable(map(_asked, term))
        case _:
            return iter(())
