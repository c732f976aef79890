"""Expressions. In: nodes and their words; out: documents that break where a reader would.

Brackets that an operator needs stay, and so do those in which the author groups one kind of operator inside another,
as in `(a and b) or c`; brackets around a whole value, a single word or a part of the same chain go.
"""

from collections.abc import Iterable, Sequence
from enum import IntEnum
from typing import TypeAlias

from colosseum.language import syntax
from colosseum.language.layout.document import SPACE, Break, Document, align, braced, cat, fill, group, joined, nest
from colosseum.language.layout.printing import NEAR
from colosseum.language.layout.words import WordReader
from colosseum.language.syntax import Expr, Node

Item: TypeAlias = Node | str  # what stands between commas; a name in a pattern is no node


Level = IntEnum("Level", "TERNARY OR AND NOT COMPARISON RANGE SUM PRODUCT UNARY POSTFIX ATOM")
"""How tightly an expression binds, as the grammar's rules follow each other."""
_LEVELS = {
    syntax.Ternary: Level.TERNARY,
    syntax.Negation: Level.NOT,
    syntax.Comparison: Level.COMPARISON,
    syntax.Range: Level.RANGE,
    syntax.Minus: Level.UNARY,
    syntax.Lookup: Level.POSTFIX,
}
_SHORT = (syntax.Name, syntax.Number, syntax.Text, syntax.Money, syntax.Switch, syntax.NoneLiteral, syntax.Range,
          syntax.Lookup, syntax.Minus)  # fmt: skip
_OPERATORS = {"or": Level.OR, "and": Level.AND, "*": Level.PRODUCT, "/": Level.PRODUCT}


def level_of(node: Node) -> Level:
    """The level at which an expression stands without brackets."""
    if isinstance(node, syntax.Logical | syntax.Arithmetic):
        return _OPERATORS.get(node.operator, Level.SUM)
    return _LEVELS.get(type(node), Level.ATOM)


class Expressions:
    """Lays out expressions while it reads their words."""

    def __init__(self, words: WordReader) -> None:
        self.words, self.take = words, words.take

    def expression(self, node: Node, *, least: Level = Level.TERNARY, beside: Level | None = None) -> Document:
        """An expression where at least `least` may stand without brackets; `beside` is the operator it belongs to."""
        while self.words.wrapped(node):
            if not self._unwrapped(node, least, beside):
                return self.closed(self.take(), self.expression(node))
        level = level_of(node)
        match node:
            case syntax.Ternary():
                return align(group(joined(self._branches(node), Break())))
            case syntax.Logical():
                return align(group(joined(self._links(node, level), Break())))
            case syntax.Arithmetic() | syntax.Comparison():
                return align(fill(self._links(node, level), snug=0 if level is Level.SUM else NEAR, apart=True))
            case syntax.Range():
                low = self.expression(node.low, least=Level.SUM, beside=level)
                return cat(low, self.take(), self.expression(node.high, least=Level.SUM, beside=level))
            case syntax.Negation():
                return self.clause(node.operand, least=level, beside=level)
            case syntax.Minus():
                return cat(self.take(), self.expression(node.operand, least=level, beside=level))
            case syntax.Lookup():
                base = self.expression(node.base, least=level, beside=level)
                return cat(base, self.closed(self.take(), self.listed(node.keys, least=Level.RANGE)))
        return self._atom(node)

    def _atom(self, node: Node) -> Document:
        match node:
            case syntax.Call() if opens_block(node):  # braces as the only argument open and close with the call
                return cat(self.take(), self.take(), self.expression(node.arguments[0]), self.take())
            case syntax.Call():
                arguments = sorted((*node.arguments, *node.named), key=lambda argument: argument.span.start)
                return cat(self.take(), self.closed(self.take(), self.listed(arguments)))
            case syntax.Aggregate(binders=loops):
                return cat(self.take(), self.closed(self.take(), self.loop(loops, body=node.body, when=node.when)))
            case syntax.Quantifier():
                return cat(self.take(), self.closed(self.take(), self.loop(node.binders, when=node.when)))
            case syntax.Tuple():
                return self.closed(self.take(), self.listed(node.items))
            case syntax.SetLiteral(items=items) | syntax.MapLiteral(pairs=items):
                return self.closed(self.take(), self.listed(items), block=True)
            case syntax.SetBuilder():
                return self.closed(self.take(), self.loop(node.binders, body=node.body))
        return self.take()

    # ---- operators ----------------------------------------------------------------------------------

    def _unwrapped(self, node: Node, least: Level, beside: Level | None) -> bool:
        """Drop the bracket that comes next, if neither the meaning nor the reader needs it."""
        level = level_of(node)
        wanted = level < least or (beside is not None and beside != level < Level.POSTFIX)
        return not wanted and self.words.drop_brackets()

    def _bare(self, node: Node, level: Level) -> bool:
        """Whether no bracket is left around a part of a chain, once those that nobody needs are dropped."""
        while self.words.wrapped(node) and self._unwrapped(node, level, level):
            pass
        return not self.words.wrapped(node)

    def _links(self, node: Node, level: Level) -> list[Document]:
        """A chain of operators of one level: the first operand, then each operator with the one behind it."""
        if isinstance(node, syntax.Comparison) and level is Level.COMPARISON:
            first = self.expression(node.operands[0], least=Level.RANGE, beside=level)
            return [first, *(self.clause(each, least=Level.RANGE, beside=level) for each in node.operands[1:])]
        bare = self._bare(node, level)
        if bare and isinstance(node, syntax.Arithmetic | syntax.Logical) and level_of(node) is level:
            before = self._links(node.left, level)
            return [*before, self.clause(node.right, least=Level(level + 1), beside=level)]
        return [self.expression(node, least=level, beside=level)]

    def _branches(self, node: syntax.Ternary) -> list[Document]:
        """`a if b`, `else c if d`, `else e`."""
        lead: list[Document] = []
        branches = []
        rest: Expr = node
        while isinstance(rest, syntax.Ternary) and self._bare(rest, Level.TERNARY):
            then = self.expression(rest.then, least=Level.OR, beside=Level.TERNARY)
            condition = self.clause(rest.condition, least=Level.OR, beside=Level.TERNARY)
            branches.append(cat(*lead, align(fill([then, condition], snug=NEAR, apart=True))))
            lead = [self.take(), SPACE]
            rest = rest.otherwise
        return [*branches, cat(*lead, self.expression(rest, beside=Level.TERNARY))]

    def spaced(self, number: int) -> Document:
        """So many words, a blank between them."""
        return joined([self.take() for _ in range(number)], SPACE)

    # ---- lists and loops ------------------------------------------------------------------------------

    def clause(self, node: Node, *, least: Level = Level.TERNARY, beside: Level | None = None) -> Document:
        """A word such as `where` or `+` and the expression behind it."""
        return cat(self.take(), SPACE, self.expression(node, least=least, beside=beside))

    def closed(self, opening: Document, content: Document, *, block: bool = False) -> Document:
        """What stands between an opening bracket and its closing one, which is the next word."""
        inside = cat(content, *self.words.take_before())
        return group(opening, braced(inside) if block else align(inside), self.take())

    def listed(self, nodes: Sequence[Item], *, least: Level = Level.TERNARY) -> Document:
        """Items with commas: many short ones share lines, unless a comment among them gives each its own."""
        items = self.items(nodes, least=least)
        if nodes and isinstance(nodes[0], syntax.Pair):
            return joined(items, Break())
        commented = any(item.closes or item.opens for item in items)
        dense = all(map(_is_dense, nodes)) and not commented
        return align(fill(items)) if dense else group(joined(items, Break()))

    def items(self, nodes: Iterable[Item], *, least: Level = Level.TERNARY) -> list[Document]:
        """Each item with the comma that follows it."""
        items: list[Document] = []
        for node in nodes:
            if items:
                items[-1] = cat(items[-1], self.take())
            items.append(self._item(node, least))
        return items

    def _item(self, node: Item, least: Level) -> Document:
        match node:
            case str() | syntax.Binder(names=()):
                return self.take()
            case syntax.NamedArgument():
                return cat(self.take(), SPACE, self.clause(node.value))
            case syntax.Pair():
                return nest(fill([cat(self.take(), self.take()), self.expression(node.value)], snug=NEAR))
            case syntax.Binder(names=names):
                pattern = self.closed(self.take(), self.listed(names)) if len(names) > 1 else self.take()
                return cat(pattern, SPACE, self.clause(node.domain, least=Level.RANGE))
        return self.expression(node, least=least)

    def loop(self, node: syntax.Binders, *, body: Expr | None = None, when: Expr | None = None) -> Document:
        """`e for i in S`, or its binders alone; `where` and `when` on lines of their own if there is no room."""
        first = [] if body is None else [self.expression(body)]
        lead = [] if body is None else [self.take(), SPACE]
        first.append(cat(*lead, align(fill(self.items(node.items)))))
        clauses = [self.clause(condition) for condition in (node.where, when) if condition is not None]
        return group(joined([align(group(joined(first, Break()))), *clauses], Break()))


def opens_block(node: Node) -> bool:
    """Whether an expression ends its first line with an opening brace when it has no room: its last line closes it."""
    if isinstance(node, syntax.Call) and len(node.arguments) == 1 and not node.named:
        node = node.arguments[0]
    return isinstance(node, syntax.SetLiteral | syntax.MapLiteral)


def _is_dense(node: Item) -> bool:
    """Whether several such fit on a line in a long list: words, numbers, ranges, look-ups, and pairs of these."""
    if isinstance(node, str):
        return True
    parts = syntax.children(node) if isinstance(node, syntax.Tuple | syntax.NamedArgument) else (node,)
    return all(isinstance(below, _SHORT) for part in parts for below in syntax.walk(part))
