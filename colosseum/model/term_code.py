"""Terms as functions. In: a ground term; out: a function of an assignment that gives its value, or raises a Fault.

Terms of one statement differ in their constants only, so a few expressions of Python, compiled once, do for all of
them: this takes a third of the time of walking each term. An expression is made of the words below, never of a spec's.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, assert_never

from colosseum.model import terms, values
from colosseum.model.terms import Assignment, Term
from colosseum.model.values import Fault, Value, instance_name

LARGEST = 40
"""Terms that one expression may stand for: what is larger is put together from several functions."""
CONDITIONS = (terms.Compare, terms.Member, terms.Every, terms.Some, terms.Inverse)
"""Terms that are true or false, whatever their parts are."""


def function(term: Term) -> Callable[[Assignment], Value]:
    """The function of a term."""
    constants: list[object] = []
    made = _compiled(_expression(term, constants), len(constants))
    found: Callable[[Assignment], Value] = made(*constants)
    return found


@lru_cache(maxsize=4096)
def _compiled(expression: str, constants: int) -> Any:
    """A function of the constants c0, c1, … that gives the function of x."""
    names = ", ".join(f"c{i}" for i in range(constants))
    return eval(f"lambda {names}: lambda x: {expression}", {**vars(values), "chosen": _chosen})


def _chosen(term: terms.Select, key: tuple[Value, ...]) -> Term:
    """The entry at a key."""
    if None in key:
        return terms.NONE
    if key not in term.by_key:
        raise Fault(f"`{instance_name(term.table, key)}` does not exist", code="C052")
    return term.by_key[key]


def _added(constant: object, constants: list[object]) -> str:
    """The name of one more constant."""
    constants.append(constant)
    return f"c{len(constants) - 1}"


def _part(part: Term, constants: list[object]) -> str:
    """The expression of a part of a term, by a function of its own where it is large."""
    match part:
        case terms.Constant(value=value):
            return _added(value, constants)
        case terms.Decision(variable=name):
            return f"x[{_added(name, constants)}]"
        case terms.PayoffOf(agent=agent):
            return f"x[{_added('total' if agent is None else f'payoff[{agent}]', constants)}]"
        case _ if part.extent[0] <= LARGEST:
            return _expression(part, constants)
    return f"{_added(part.evaluate, constants)}(x)"


def _truth(part: Term, said: str, role: str) -> str:
    """The expression of a part that must be true or false."""
    return said if isinstance(part, CONDITIONS) else f"truth({said}, {role!r})"


def _joined(term: terms.Every | terms.Some, word: str, constants: list[object]) -> str:
    """Conditions up to the first that decides."""
    role = f"a part of `{word}`"
    if term.parts and term.extent[0] <= LARGEST:
        return f"({f' {word} '.join(_truth(part, _part(part, constants), role) for part in term.parts)})"
    parts = _added([part.evaluate for part in term.parts], constants)
    return f"{'all' if word == 'and' else 'any'}(truth(part(x), {role!r}) for part in {parts})"


def _list(term: terms.Total | terms.Extremum, constants: list[object]) -> str:
    """The list of what is added up or compared."""
    if isinstance(term, terms.Extremum) and not term.sure:
        pairs = [(p.evaluate, c.evaluate) for p, c in zip(term.parts, term.conditions, strict=True)]
        return f"[part(x) for part, holds in {_added(pairs, constants)} if truth(holds(x), '`when`')]"
    if term.extent[0] <= LARGEST:
        return f"[{', '.join([_part(part, constants) for part in term.parts])}]"
    return f"[part(x) for part in {_added([part.evaluate for part in term.parts], constants)}]"


def _expression(term: Term, constants: list[object]) -> str:
    """The expression of a term; its constants are added to the others."""
    one, other = f"a{len(constants)}", f"b{len(constants)}"  # names of two values, which no part of a term has
    match term:
        case terms.Total():
            return f"summed({_list(term, constants)})"
        case terms.Extremum(which=which, aggregate=aggregate):
            return f"extremum({which!r}, {_list(term, constants)}, aggregate={aggregate})"
        case terms.Every():
            return _joined(term, "and", constants)
        case terms.Some():
            return _joined(term, "or", constants)
        case terms.Select(keys=keys):
            key = ", ".join([_part(key, constants) for key in keys])
            return f"chosen({_added(term, constants)}, ({key},)).evaluate(x)"
    said = [_part(part, constants) for part in term.below]
    match term:
        case terms.Compare(operator="==" | "!=" as operator):
            alike = f"type({one} := {said[0]}) is type({other} := {said[1]})"
            return f"({one} {operator} {other} if {alike} else compare({operator!r}, {one}, {other}))"
        case terms.Conditional(condition=condition):
            return f"({said[1]} if {_truth(condition, said[0], 'the condition')} else {said[2]})"
        case terms.Compare(operator=operator) | terms.Arithmetic(operator=operator):
            return f"{type(term).__name__.lower()}({operator!r}, {said[0]}, {said[1]})"
        case terms.Inverse(part=part):
            return f"(not {_truth(part, said[0], 'the operand of `not`')})"
        case terms.Member() | terms.Absolute():
            return f"{type(term).__name__.lower()}({', '.join(said)})"
        case terms.Constant() | terms.Decision() | terms.PayoffOf():
            return _part(term, constants)
    assert_never(term)
