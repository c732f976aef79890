"""Terms as functions. In: a ground term; out: a function of an assignment that gives its value, or raises a Fault.

Terms of one statement differ in their constants only, so a few expressions of Python, compiled once, do for all of
them: this takes a third of the time of walking each term. An expression is made of the words below, never of a spec's.
"""

from collections.abc import Callable, Iterable
from functools import lru_cache
from operator import add
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
    found: Callable[[Assignment], Value] = _compiled(_expression(term, constants, whole=True))(*constants)
    return found


@lru_cache(maxsize=4096)
def _compiled(expression: str) -> Any:
    """A function of the constants, in their order, that gives the function of x."""
    first, *others = expression.split("c?")
    names = [f"c{number}" for number in range(len(others))]
    numbered = first + "".join(map(add, names, others))
    return eval(f"lambda {', '.join(names)}: lambda x: {numbered}", {**vars(values), "chosen": _chosen})


def _chosen(term: terms.Select, key: tuple[Value, ...]) -> Term:
    """The entry at a key."""
    if None in key:
        return terms.NONE
    if key not in term.by_key:
        raise Fault(f"`{instance_name(term.table, key)}` does not exist", code="C052")
    return term.by_key[key]


def _expression(term: Term, constants: list[object], *, whole: bool = False) -> str:
    """The expression of a term with `c?` for each of its constants, which are added to the others.

    A part that is large is a function of its own.
    """
    match term:
        case terms.Constant(value=value):
            constants.append(value)
            return "c?"
        case terms.Decision(variable=name):
            constants.append(name)
            return "x[c?]"
        case terms.PayoffOf(agent=agent):
            constants.append("total" if agent is None else f"payoff[{agent}]")
            return "x[c?]"
        case _ if term.extent[0] > LARGEST and not whole:
            constants.append(term.evaluate)
            return "c?(x)"
        case terms.Select(keys=keys):
            constants.append(term)
            return f"chosen(c?, ({_all(keys, constants)},)).evaluate(x)"
        case terms.Total():
            return f"summed({_list(term, constants)})"
        case terms.Extremum(which=which, aggregate=aggregate):
            return f"extremum({which!r}, {_list(term, constants)}, aggregate={aggregate})"
        case terms.Every():
            return _joined(term, "and", constants)
        case terms.Some():
            return _joined(term, "or", constants)
        case terms.Compare(operator="==" | "!=" as operator, left=left, right=right):
            one, other = f"one{len(constants)}", f"other{len(constants)}"  # no value that is still held has these names
            alike = f"type({one} := {_expression(left, constants)}) is type({other} := {_expression(right, constants)})"
            return f"({one} {operator} {other} if {alike} else compare({operator!r}, {one}, {other}))"
        case terms.Compare(operator=operator) | terms.Arithmetic(operator=operator):
            return f"{type(term).__name__.lower()}({operator!r}, {_all(term.below, constants)})"
        case terms.Member() | terms.Absolute():
            return f"{type(term).__name__.lower()}({_all(term.below, constants)})"
        case terms.Conditional(condition=condition, then=then, otherwise=otherwise):
            taken, holds = _expression(then, constants), _truth(condition, "the condition", constants)
            return f"({taken} if {holds} else {_expression(otherwise, constants)})"
        case terms.Inverse(part=part):
            return f"(not {_truth(part, 'the operand of `not`', constants)})"
    assert_never(term)


def _all(parts: Iterable[Term], constants: list[object]) -> str:
    return ", ".join([_expression(part, constants) for part in parts])


def _truth(part: Term, role: str, constants: list[object]) -> str:
    """The expression of a part that must be true or false."""
    said = _expression(part, constants)
    return said if isinstance(part, CONDITIONS) else f"truth({said}, {role!r})"


def _joined(term: terms.Every | terms.Some, word: str, constants: list[object]) -> str:
    """Conditions up to the first that decides."""
    role = f"a part of `{word}`"
    if term.parts and term.extent[0] <= LARGEST:
        return f"({f' {word} '.join([_truth(part, role, constants) for part in term.parts])})"
    constants.append([part.evaluate for part in term.parts])
    return f"{'all' if word == 'and' else 'any'}(truth(part(x), {role!r}) for part in c?)"


def _list(term: terms.Total | terms.Extremum, constants: list[object]) -> str:
    """The list of what is added up or compared."""
    if isinstance(term, terms.Extremum) and not term.sure:
        constants.append([(p.evaluate, c.evaluate) for p, c in zip(term.parts, term.conditions, strict=True)])
        return "[part(x) for part, holds in c? if truth(holds(x), '`when`')]"
    if term.extent[0] <= LARGEST:
        return f"[{_all(term.parts, constants)}]"
    constants.append([part.evaluate for part in term.parts])
    return "[part(x) for part in c?]"
