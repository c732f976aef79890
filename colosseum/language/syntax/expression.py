"""Nodes, and expressions as nodes: names, look-ups, operators, loops and sets."""

from collections.abc import Iterator
from dataclasses import field
from functools import cached_property

from colosseum.diagnostics import Span
from colosseum.language.record import Record


class Node(Record):
    """Something that stands at a place in a text; equal to what says the same, wherever that stands."""

    span: Span = field(compare=False, repr=False, kw_only=True)

    @cached_property
    def mentions(self) -> tuple[str, ...]:
        """Every name in it, binders included; looked for once, as every seed asks."""
        return tuple([below.id for below in walk(self) if isinstance(below, Name)])


def children(node: Node) -> Iterator[Node]:
    """The nodes that stand directly in a node."""
    for name in node.__dataclass_fields__:
        value = getattr(node, name)
        for part in value if isinstance(value, tuple) else (value,):
            if isinstance(part, Node):
                yield part


def walk(node: Node) -> Iterator[Node]:
    """A node and all below it, in reading order."""
    stack = [node]
    while stack:
        current = stack.pop()
        yield current
        stack += reversed(list(children(current)))


class Expr(Node):
    """What has a value."""


class Number(Expr):
    """`3`, `0.25`, `1e-3`: an int when written without point and exponent, else a float."""

    value: int | float


class Text(Expr):
    """`"…"` or `\"\"\"…\"\"\"`, unescaped; a long one is dedented, its first and last line break dropped."""

    value: str
    long: bool = False
    """Written with three quotes."""


class Money(Expr):
    """`$20`: an amount in US dollars."""

    value: float


class NoneLiteral(Expr):
    """`none`: the opt-out value."""


class Switch(Expr):
    """`on` or `off`."""

    on: bool


class Name(Expr):
    """A bare name: an element, a binder, a param, a set, a table, a variable (or `agents`)."""

    id: str


class NamedArgument(Node):
    """`k = 2` in a call."""

    name: str
    value: Expr


class Call(Expr):
    """`choice(levels)`, `pairs(agents)`, `watts_strogatz(k = 2, p = 0.3)`."""

    function: str
    arguments: tuple[Expr, ...]
    named: tuple[NamedArgument, ...]


class Binder(Node):
    """`i in S` or `(a, b) in pairs(S)`; an index of a statement may have no names."""

    names: tuple[str, ...]
    domain: Expr


class Binders(Node):
    """`i in S, j in T where c`, also as indices: the filter sees every binder; later domains see earlier binders."""

    items: tuple[Binder, ...]
    where: Expr | None


class Aggregate(Expr):
    """`sum(e for i in S where c when d)`; `min` and `max` likewise."""

    function: str
    body: Expr
    binders: Binders
    when: Expr | None


class Quantifier(Expr):
    """`count(i in S when c)`, `any(…)`, `all(…)`."""

    kind: str
    binders: Binders
    when: Expr | None


class SetLiteral(Expr):
    """`{a, b, c}`; `{}` is empty."""

    items: tuple[Expr, ...]


class SetBuilder(Expr):
    """`{e for i in S where c}`."""

    body: Expr
    binders: Binders


class Pair(Node):
    """`low: 0.25` inside a map; the key as written (a name, a text or a number)."""

    key: Name | Text | Number
    value: Expr


class MapLiteral(Expr):
    """`{low: 0.25, high: 1}`."""

    pairs: tuple[Pair, ...]


class Tuple(Expr):
    """`(a, b)`."""

    items: tuple[Expr, ...]


class Lookup(Expr):
    """`cost[a, t]`, `engineer[1..n]`."""

    base: Expr
    keys: tuple[Expr, ...]


class Ternary(Expr):
    """`then if condition else otherwise`."""

    then: Expr
    condition: Expr
    otherwise: Expr


class Logical(Expr):
    """`a and b` or `a or b`; `operator` is the word."""

    operator: str
    left: Expr
    right: Expr


class Negation(Expr):
    """`not a`."""

    operand: Expr


class Comparison(Expr):
    """`a < b <= c`, `x in S`, `x not in S`: a chain, the `and` of its links.

    `operators[i]` stands between `operands[i]` and `operands[i + 1]`; it is one of == != < <= > >= `in` `not in`.
    """

    operands: tuple[Expr, ...]
    operators: tuple[str, ...]


class Range(Expr):
    """`1..5`, ends included; `D or none` of a variable is a Logical `or`."""

    low: Expr
    high: Expr


class Arithmetic(Expr):
    """`a + b`, `a - b`, `a * b`, `a / b`, `a & b` (sets: union, difference, intersection)."""

    operator: str
    left: Expr
    right: Expr


class Minus(Expr):
    """`-a`."""

    operand: Expr
