"""Parsed trees into expressions. In: Lark's trees with positions; out: the nodes of `syntax`, spans exact.

Recursion is safe here: `splitting` has refused deeper trees.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from colosseum.diagnostics import Diagnostic, Source, Span, report
from colosseum.language import literals
from colosseum.language.syntax import (
    Aggregate,
    Arithmetic,
    Binder,
    Binders,
    Call,
    Comparison,
    Expr,
    Logical,
    Lookup,
    MapLiteral,
    Minus,
    Money,
    Name,
    NamedArgument,
    Negation,
    NoneLiteral,
    Number,
    Pair,
    Quantifier,
    Range,
    SetBuilder,
    SetLiteral,
    Switch,
    Ternary,
    Text,
    Tuple,
)

if TYPE_CHECKING:
    from lark import ParseTree, Token

Piece: TypeAlias = Any
"""Lark does not type what a tree holds: a token, a tree, or None where an optional part is absent."""


@dataclass(slots=True)
class Reading:
    """The text being read and what is wrong with it so far."""

    source: Source
    diagnostics: list[Diagnostic] = field(default_factory=list)

    def span(self, piece: Piece) -> Span:
        """Where a token or a tree stands."""
        place = piece.meta if hasattr(piece, "meta") else piece
        return Span(self.source, place.start_pos, place.end_pos)

    def text(self, token: "Token") -> Text:
        """A quoted text, in one pair of quotes or three."""
        long = token.type == "LONG_STRING"
        value = literals.unquote_long(token) if long else self.unquoted(token, self.span(token).start)
        return Text(span=self.span(token), value=value, long=long)

    def unquoted(self, written: str, start: int) -> str:
        """The value of `"…"` as written at `start`; an unknown escape is an error."""
        for low, high in literals.wrong_escapes(written):
            span = Span(self.source, start + low, start + high)
            help_ = 'the escapes are `\\"`, `\\\\`, `\\n` and `\\t`; a backslash itself is `\\\\`'
            self.diagnostics.append(report("C010", span, f"`{span.text}` is not an escape", help=help_))
        return literals.unquote(written)

    def number(self, token: "Token", *, written: str = "") -> int | float:
        """The value of a number (or of its digits alone); 0 with a diagnostic for one beyond every float."""
        value = literals.number(written or token)
        if value is None:
            message = "this number is too large"
            self.diagnostics.append(report("C021", self.span(token), message, help="the largest is about 1.8e308"))
            return 0
        return value


def expression(tree: "ParseTree", reading: Reading) -> Expr:
    """The expression that a tree stands for."""
    span, parts = reading.span(tree), pieces(tree)
    match tree.data:
        case "literal":
            return _literal(parts[0], reading)
        case "name" | "whole":
            return Name(span=span, id=str(parts[0]))
        case "sum" | "product":
            left, operator, right = parts
            return Arithmetic(
                span=span, operator=str(operator), left=expression(left, reading), right=expression(right, reading)
            )
        case "minus":
            return Minus(span=span, operand=expression(parts[1], reading))
        case "either" | "both":
            word = "or" if tree.data == "either" else "and"
            return Logical(
                span=span, operator=word, left=expression(parts[0], reading), right=expression(parts[1], reading)
            )
        case "negation":
            return Negation(span=span, operand=expression(parts[0], reading))
        case "comparison":
            operators = tuple(" ".join(token.split()) for token in parts[1::2])
            return Comparison(span=span, operands=expressions(parts[::2], reading), operators=operators)
        case "range":
            return Range(span=span, low=expression(parts[0], reading), high=expression(parts[1], reading))
        case "ternary":
            then, condition, otherwise = expressions(parts, reading)
            return Ternary(span=span, then=then, condition=condition, otherwise=otherwise)
        case "lookup":
            return Lookup(span=span, base=expression(parts[0], reading), keys=expressions(parts[1:], reading))
        case "tuple":
            return Tuple(span=span, items=expressions(parts, reading))
    return _bracketed(tree, span, parts, reading)


def expressions(trees: "Iterable[ParseTree]", reading: Reading) -> tuple[Expr, ...]:
    """Several expressions in turn."""
    return tuple([expression(tree, reading) for tree in trees])


def maybe(tree: "ParseTree | None", reading: Reading) -> Expr | None:
    """An expression, or None where there is none."""
    return None if tree is None else expression(tree, reading)


def pieces(tree: "ParseTree") -> list[Piece]:
    """What a tree holds, untyped."""
    return list(tree.children)


def binders(tree: "ParseTree", reading: Reading) -> Binders:
    """`i in S, (a, b) in T where c`."""
    *items, where = pieces(tree)
    return Binders(
        span=reading.span(tree),
        items=tuple([binder(item, reading) for item in items]),
        where=maybe(where, reading),
    )


def binder(tree: "ParseTree", reading: Reading) -> Binder:
    """`i in S`."""
    pattern, _, domain = pieces(tree)
    names = tuple(str(name) for name in pattern.children)
    return Binder(span=reading.span(tree), names=names, domain=expression(domain, reading))


def call(tree: "ParseTree", reading: Reading) -> Call:
    """`choice(levels)`, `star(center = a)`."""
    function, *arguments = pieces(tree)
    given = [a for a in arguments if a is not None]
    return Call(
        span=reading.span(tree),
        function=str(function),
        arguments=expressions([a for a in given if a.data != "named"], reading),
        named=tuple(_named(given, reading)),
    )


def _named(arguments: "list[ParseTree]", reading: Reading) -> Iterator[NamedArgument]:
    for argument in arguments:
        if argument.data == "named":
            name, value = pieces(argument)
            yield NamedArgument(span=reading.span(argument), name=str(name), value=expression(value, reading))


def _bracketed(tree: "ParseTree", span: Span, parts: list[Piece], reading: Reading) -> Expr:
    """The expressions that end in a bracket of their own."""
    match tree.data:
        case "call":
            return call(tree, reading)
        case "aggregate":
            function, body, loops, when = parts
            return Aggregate(
                span=span,
                function=str(function),
                body=expression(body, reading),
                binders=binders(loops, reading),
                when=maybe(when, reading),
            )
        case "quantifier":
            kind, loops, when = parts
            return Quantifier(span=span, kind=str(kind), binders=binders(loops, reading), when=maybe(when, reading))
        case "braces":
            return _braces(span, [part for part in parts if part is not None], reading)
    raise AssertionError(f"the grammar has no expression {tree.data}")


def _braces(span: Span, parts: list[Piece], reading: Reading) -> Expr:
    if parts and parts[0].data == "pair":
        return MapLiteral(span=span, pairs=tuple([_pair(part, reading) for part in parts]))
    if parts and parts[-1].data == "binders":
        return SetBuilder(span=span, body=expression(parts[0], reading), binders=binders(parts[1], reading))
    return SetLiteral(span=span, items=expressions(parts, reading))


def _pair(tree: "ParseTree", reading: Reading) -> Pair:
    token, value = pieces(tree)
    key: Name | Text | Number
    match token.type:
        case "STRING":
            key = reading.text(token)
        case "NUMBER":
            key = Number(span=reading.span(token), value=reading.number(token))
        case _:
            key = Name(span=reading.span(token), id=str(token))
    return Pair(span=reading.span(tree), key=key, value=expression(value, reading))


def _literal(token: "Token", reading: Reading) -> Expr:
    span = reading.span(token)
    match token.type:
        case "NUMBER":
            return Number(span=span, value=reading.number(token))
        case "STRING":
            return reading.text(token)
        case "MONEY":
            return Money(span=span, value=float(reading.number(token, written=token[1:])))
        case "NONE":
            return NoneLiteral(span=span)
        case "ON" | "OFF":
            return Switch(span=span, on=token.type == "ON")
    raise AssertionError(f"the grammar has no literal {token.type}")
