"""Expressions. In: nodes and their words; out: documents that break where a reader would."""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from colosseum.language import syntax
from colosseum.language.layout.document import (
    NEAR,
    NOTHING,
    SPACE,
    Break,
    Document,
    align,
    bracket,
    cat,
    fill,
    group,
    joined,
    nest,
)
from colosseum.language.layout.operators import Level, Operators, is_short
from colosseum.language.layout.words import WordReader

N = TypeVar("N")


class Expressions:
    """Lays out expressions while it reads their words."""

    def __init__(self, words: WordReader) -> None:
        self.words = words
        self.expression = Operators(words, self._atom).expression

    def _atom(self, node: syntax.Expr) -> Document:
        match node:
            case syntax.Lookup():
                base = self.expression(node.base, least=Level.POSTFIX, beside=Level.POSTFIX)
                return cat(base, self.bracketed(lambda: self.listed(node.keys)))
            case syntax.Call():
                return self._call(node)
            case syntax.Aggregate(binders=loops):
                return cat(self.words.take(), self.bracketed(lambda: self._over(node.body, loops, when=node.when)))
            case syntax.Quantifier():
                return cat(self.words.take(), self.bracketed(lambda: self.bound(node.binders, when=node.when)))
            case syntax.Tuple():
                return self.bracketed(lambda: self.listed(node.items))
            case syntax.SetLiteral():
                return self.bracketed(lambda: self.listed(node.items), block=True)
            case syntax.MapLiteral():
                return self.bracketed(lambda: joined(self.comma_separated(node.pairs, self._pair), Break()), block=True)
            case syntax.SetBuilder():
                return self.bracketed(lambda: self._over(node.body, node.binders))
        return self.words.take()

    # ---- brackets -----------------------------------------------------------------------------------

    def bracketed(self, content: Callable[[], Document], *, block: bool = False) -> Document:
        """What stands between the next word, an opening bracket, and its closing one."""
        opening, inside = self.words.take(), content()
        return bracket(opening, cat(inside, self.words.take_before()), self.words.take(), block=block)

    def _call(self, node: syntax.Call) -> Document:
        """`f(a, k = 1)`; braces as the only argument open and close with the call."""
        arguments: list[syntax.Expr | syntax.NamedArgument] = [*node.arguments, *node.named]
        arguments.sort(key=lambda argument: argument.span.start)
        name = self.words.take()
        if opens_block(node):
            return cat(name, self.words.take(), self.expression(node.arguments[0]), self.words.take())
        dense = all(is_short(a.value if isinstance(a, syntax.NamedArgument) else a) for a in arguments)
        return cat(name, self.bracketed(lambda: self._separated(arguments, self._argument, dense=dense)))

    def _argument(self, argument: syntax.Expr | syntax.NamedArgument) -> Document:
        if not isinstance(argument, syntax.NamedArgument):
            return self.expression(argument)
        return cat(self.words.take(), SPACE, self.words.take(), SPACE, self.expression(argument.value))

    def _pair(self, pair: syntax.Pair) -> Document:
        key = cat(self.words.take(), self.words.take())
        return nest(fill([key, self.expression(pair.value)], snug=NEAR))

    def listed(self, nodes: Sequence[syntax.Expr]) -> Document:
        """Expressions with commas; many short ones share lines."""
        return self._separated(nodes, self.expression, dense=all(map(_is_dense, nodes)))

    def _separated(self, nodes: Iterable[N], layout: Callable[[N], Document], *, dense: bool) -> Document:
        """Items with commas behind them; a comment among them gives each its own line."""
        items = self.comma_separated(nodes, layout)
        commented = any(item.closes or item.opens for item in items)
        return align(fill(items)) if dense and not commented else group(joined(items, Break()))

    def comma_separated(self, nodes: Iterable[N], layout: Callable[[N], Document]) -> list[Document]:
        """Each item with the comma that follows it."""
        items: list[Document] = []
        for node in nodes:
            if items:
                items[-1] = cat(items[-1], self.words.take())
            items.append(layout(node))
        return items

    # ---- loops ------------------------------------------------------------------------------------------

    def _over(self, body: syntax.Expr, binders: syntax.Binders, *, when: syntax.Expr | None = None) -> Document:
        """`e for i in S`, then `where` and `when` on lines of their own if there is no room."""
        inside = self.expression(body)
        loops = cat(self.words.take(), SPACE, self._loops(binders))
        return self._clauses([inside, loops], binders.where, when)

    def bound(self, binders: syntax.Binders, *, when: syntax.Expr | None) -> Document:
        """`i in S, j in T where c when d`."""
        return self._clauses([self._loops(binders)], binders.where, when)

    def indices(self, node: syntax.Indices | None) -> Document:
        """`[a in agents, tasks where c]`, or nothing."""
        if node is None:
            return NOTHING
        return self.bracketed(lambda: self._clauses([self._loops(node)], node.where, None))

    def _loops(self, node: syntax.Binders | syntax.Indices) -> Document:
        items: Sequence[syntax.Binder | syntax.Index] = node.items
        return align(fill(self.comma_separated(items, self._binder)))

    def _binder(self, node: syntax.Binder | syntax.Index) -> Document:
        if not node.names:
            return self.words.take()
        pattern = self._pattern(node.names) if len(node.names) > 1 else self.words.take()
        return cat(pattern, SPACE, self.words.take(), SPACE, self.expression(node.domain, least=Level.RANGE))

    def _pattern(self, names: tuple[str, ...]) -> Document:
        """`(a, b)`."""
        return self.bracketed(lambda: self._separated(names, lambda _: self.words.take(), dense=True))

    def _clauses(self, loops: list[Document], where: syntax.Expr | None, when: syntax.Expr | None) -> Document:
        parts = [align(group(joined(loops, Break())))]
        parts += [self.clause(condition) for condition in (where, when) if condition is not None]
        return group(joined(parts, Break()))

    def clause(self, condition: syntax.Expr) -> Document:
        """A word such as `where` or `when` and the expression behind it."""
        return cat(self.words.take(), SPACE, self.expression(condition))


def opens_block(node: syntax.Expr) -> bool:
    """Whether an expression ends its first line with an opening brace when it has no room: its last line closes it."""
    match node:
        case syntax.SetLiteral() | syntax.MapLiteral():
            return True
        case syntax.Call(arguments=[only], named=[]):
            return isinstance(only, syntax.SetLiteral | syntax.MapLiteral)
    return False


def _is_dense(node: syntax.Expr) -> bool:
    return is_short(node) or (isinstance(node, syntax.Tuple) and all(map(is_short, node.items)))
