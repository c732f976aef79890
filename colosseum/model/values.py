"""Values and operations on them. In: values; out: values, or a Fault that says what is wrong.

A value is a number, a name (str), a condition (bool), none (None), a pair (tuple) or a set (Elements).
These operations are the only meaning of the operators: expansion, scoring and the solver's check share them.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property, reduce
from operator import add, eq, ge, gt, le, lt, mul, ne, sub
from types import NoneType
from typing import Annotated, Any, ParamSpec, TypeAlias, TypeGuard, TypeVar, cast

from typing_extensions import TypeAliasType

from colosseum.diagnostics import Label, Span
from colosseum.language.record import STRICT, Finite, Record

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(eq=False)
class Fault(Exception):  # noqa: N818 - what the user did, not what Python did
    """A user's mistake found while a value is computed; caught where the place in the text is known."""

    message: str
    _: KW_ONLY
    help: str = ""
    code: str = "C050"
    span: Span | None = None
    """The innermost expression that failed, set on the way out."""
    labels: Sequence[Label] = ()
    """Other places that matter."""
    entry: tuple[str, tuple[str, ...]] | None = None
    """The table and index that a template looked up in vain."""


def at(fault: Fault, span: Span | None) -> Fault:
    """The fault, placed unless it already was."""
    fault.span = fault.span or span
    return fault


def located(span: Span | None, compute: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
    """The result of a function, whose Fault is placed at `span` unless it already was."""
    try:
        return compute(*arguments, **named)
    except Fault as fault:
        raise at(fault, span) from None


class Elements(Record):
    """A finite set in declared order; equality ignores order."""

    __pydantic_config__ = {**STRICT, "alias_generator": {"items": "set"}.__getitem__}  # noqa: RUF012 - of the class

    items: tuple["Value", ...]
    """Its elements, each once."""

    @classmethod
    def of(cls, items: Iterable["Value"]) -> "Elements":
        """Distinct items, the first of equals kept."""
        return cls(tuple(dict.fromkeys(items)))

    @cached_property
    def as_set(self) -> frozenset["Value"]:
        """The items without their order."""
        return frozenset(self.items)

    def __iter__(self) -> Iterator["Value"]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    def __contains__(self, item: object) -> bool:
        return item in self.as_set

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Elements) and self.as_set == other.as_set

    def __hash__(self) -> int:
        return hash(self.as_set)

    def __str__(self) -> str:
        return ", ".join(text(item) for item in self.items)


Value = TypeAliasType("Value", "int | Annotated[float, Finite()] | str | bool | tuple[Value, ...] | Elements | None")
Key: TypeAlias = tuple[Value, ...]  # index values with pairs opened
Entries: TypeAlias = dict[Key, Value]
Number: TypeAlias = int | float
_NUMBERS = frozenset((int, float))
_KINDS = {
    NoneType: "none", bool: "a condition", int: "a number", float: "a number", str: "a name", tuple: "a pair",
    Elements: "a set",
}  # fmt: skip


def kind(value: Value) -> str:
    """The kind of a value in a user's words."""
    return "a tuple" if isinstance(value, tuple) and len(value) != 2 else _KINDS[type(value)]


def a(what: str) -> str:
    """`what` with its article."""
    return f"{'an' if what[0] in 'aeiou' else 'a'} {what}"


def text(value: Value) -> str:
    """A value as a user reads it: names raw, pairs `(a, b)`, sets joined by ", "."""
    match value:
        case None:
            return "none"
        case bool():
            return "true" if value else "false"
        case tuple():
            return f"({', '.join(text(v) for v in value)})"
        case _:
            return str(value)


def plain(value: Value) -> bool | int | float | str | None:
    """A domain value as JSON: names as strings, numbers as numbers, none as null, pairs as their text."""
    return value if value is None or isinstance(value, bool | int | float | str) else text(value)


def instance_name(name: str, keys: Iterable[Value]) -> str:
    """`pick[engineer1]`, `slot[a, m]`: pairs flattened, ", " between, raw text unquoted."""
    flat = flatten(keys)
    return f"{name}[{', '.join(map(text, flat))}]" if flat else name


def flatten(keys: Iterable[T]) -> tuple[T, ...]:
    """Index values with pairs opened, as draws and names use them."""
    flat = tuple(keys)
    for key in flat:
        if isinstance(key, tuple):
            return flatten(part for key in flat for part in (key if isinstance(key, tuple) else (key,)))
    return flat


def doubled(placed: Iterable[tuple[T, Span]]) -> Iterator[tuple[T, Span, list[Label]]]:
    """Everything that stood before with its place, and a label at the first one."""
    first: dict[T, Span] = {}
    for item, span in placed:
        if item in first:
            yield item, span, [Label(first[item], "first here")]
        first.setdefault(item, span)


def is_number(value: object) -> TypeGuard[Number]:
    """Numbers only: a condition is not one."""
    return type(value) is float or type(value) is int


def number(value: Value, role: str) -> Number:
    """The value as a number, or a Fault that names its role."""
    if type(value) is float or type(value) is int:  # of which nearly all are: `is_number` would be one more call
        return value
    if isinstance(value, bool):
        raise Fault(f"{role} is a condition, not a number", help="write `1 if … else 0` to count it")
    raise Fault(f"{role} is {kind(value)} (`{text(value)}`), not a number")


def summed(parts: Sequence[Value]) -> Number:
    """The sum from the left; a part that is none is a Fault of its own, as it silently hides what is left undecided.

    Python's own `sum` rounds fractions in another way from 3.12 on: a value must not depend on that.
    """
    for part in parts if not _NUMBERS.issuperset(map(type, parts)) else ():
        if part is None:
            raise Fault("a term of a sum is none", help="guard it with `when … != none`", code="C053")
        number(part, "a term of a sum")
    return finite(reduce, add, parts, 0)


def finite(compute: Callable[..., Number], *operands: object) -> Number:
    """A result, or a Fault where it is infinite, not a number, or a whole number beyond what a float holds."""
    try:
        result = compute(*operands)
        if math.isfinite(result):
            return result
    except OverflowError:  # a whole number that no float holds
        raise Fault("the result is too large", code="C051") from None
    raise Fault("the result is not a finite number", code="C051")


def truth(value: Value, role: str) -> bool:
    """The value as a condition, or a Fault."""
    if not isinstance(value, bool):
        raise Fault(f"{role} is {kind(value)} (`{text(value)}`), not a condition", help="compare it, as in `x == 1`")
    return value


def _divide(left: Number, right: Number) -> Number:
    if right == 0:
        raise Fault("division by zero", code="C051", help="leave the case out first, as with `when x != 0 and …`")
    return left / right


_NUMERIC: dict[str, Callable[[Number, Number], Number]] = {"+": add, "-": sub, "*": mul, "/": _divide}

COMPARED: dict[str, Callable[[Any, Any], bool]] = {"==": eq, "!=": ne, "<": lt, "<=": le, ">": gt, ">=": ge}

_SETS: dict[str, Callable[[Elements, Elements], Elements]] = {
    "+": lambda a, b: Elements.of((*a, *b)),
    "-": lambda a, b: Elements(tuple(i for i in a if i not in b)),
    "&": lambda a, b: Elements(tuple(i for i in a if i in b)),
}


def arithmetic(operator: str, left: Value, right: Value) -> Value:
    """`+ - * /` on numbers, `+ - &` on sets; none gives none. A Fault where the result is not a finite number."""
    if operator not in _NUMERIC or not _NUMBERS.issuperset((type(left), type(right))):
        if left is None or right is None:
            return None
        if isinstance(left, Elements) or isinstance(right, Elements):
            return _joined(operator, left, right)
        if operator not in _NUMERIC:
            words = {"&": "and", "|": "or"}.get(operator)
            help_ = f"between conditions write `{words}`" if words else ""
            raise Fault(f"`{operator}` works on sets, not on {kind(left)} and {kind(right)}", help=help_)
        _sides(operator, left, right)
    return finite(_NUMERIC[operator], left, right)


def _joined(operator: str, left: Value, right: Value) -> Elements:
    """`+ - &` on sets."""
    if not (isinstance(left, Elements) and isinstance(right, Elements)):
        one = right if isinstance(left, Elements) else left
        raise Fault(f"`{operator}` joins a set and {kind(one)}", help="put a single element in braces: `{x}`")
    if operator not in _SETS:
        raise Fault(f"`{operator}` does not work on sets", help="sets take `+` (union), `-` and `&`")
    return _SETS[operator](left, right)


def _sides(operator: str, left: Value, right: Value) -> tuple[Number, Number]:
    """Both sides of an operator as numbers."""
    return number(left, f"the left side of `{operator}`"), number(right, f"the right side of `{operator}`")


def compare(operator: str, left: Value, right: Value) -> bool:
    """`== != < <= > >=`; an order comparison with none is false, equality of none and a value is false."""
    if type(left) in (int, float) and type(right) in (int, float):
        return COMPARED[operator](left, right)  # as most are, and the checks below take longer
    if operator in ("==", "!="):
        return equal(left, right) is (operator == "==")
    if left is None or right is None:
        return False
    if isinstance(left, str) and isinstance(right, str):
        message = f"names have no order: `{operator}` compares numbers, not `{left}` and `{right}`"
        raise Fault(message, help="every pair of a set, once: `(a, b) in pairs(S)`")
    return COMPARED[operator](*_sides(operator, left, right))


def equal(left: Value, right: Value) -> bool:
    """Equality, but of two numbers; values of different kinds cannot be compared, but anything can with none."""
    if left is None or right is None:
        return left is right
    if type(left) is type(right):
        return left == right
    raise Fault(f"`{text(left)}` is {kind(left)} and `{text(right)}` is {kind(right)}: they are never equal")


def member(item: Value, elements: Value) -> bool:
    """`item in elements`; none is in no set, and nothing is in none."""
    if elements is None:
        return False
    if not isinstance(elements, Elements):
        raise Fault(f"`in` needs a set on its right, not {kind(elements)} (`{text(elements)}`)")
    return item is not None and item in elements


def absolute(value: Value) -> Number | None:
    """The number without its sign; none gives none."""
    return None if value is None else abs(number(value, "the argument of `abs`"))


def extremum(which: str, items: Sequence[Value], *, aggregate: bool) -> Value:
    """The least or greatest of numbers; nothing is a Fault. None gives none, but over binders (`aggregate`) a Fault."""
    if None in items and aggregate:
        raise Fault(f"an item of `{which}` is none", code="C053")
    if None in items:
        return None
    if not items:
        help_ = "guard it with a condition, or add a value that always holds"
        raise Fault(f"`{which}` of nothing", help=help_, code="C054")
    numbers = items if _NUMBERS.issuperset(map(type, items)) else [number(v, f"an item of `{which}`") for v in items]
    return (min if which == "min" else max)(cast(Sequence[Number], numbers))
