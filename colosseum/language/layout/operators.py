"""Operators and the brackets they need. In: expressions and their words; out: documents.

Brackets that an operator needs stay, and so do those in which the author groups one kind of operator inside another,
as in `(a and b) or c`; brackets around a whole value, a single word or a part of the same chain go.
"""

from collections.abc import Callable
from enum import IntEnum

from colosseum.language import syntax
from colosseum.language.layout.document import NEAR, SPACE, Break, Document, align, bracket, cat, fill, group, joined
from colosseum.language.layout.words import WordReader


class Level(IntEnum):
    """How tightly an expression binds, as the grammar's rules follow each other."""

    TERNARY = 0
    OR = 1
    AND = 2
    NOT = 3
    COMPARISON = 4
    RANGE = 5
    SUM = 6
    PRODUCT = 7
    UNARY = 8
    POSTFIX = 9
    ATOM = 10


def level_of(node: syntax.Expr) -> Level:
    """The level at which an expression stands without brackets."""
    match node:
        case syntax.Ternary():
            return Level.TERNARY
        case syntax.Logical(operator=word):
            return Level.OR if word == "or" else Level.AND
        case syntax.Negation():
            return Level.NOT
        case syntax.Comparison():
            return Level.COMPARISON
        case syntax.Range():
            return Level.RANGE
        case syntax.Arithmetic(operator=sign):
            return Level.PRODUCT if sign in "*/" else Level.SUM
        case syntax.Minus():
            return Level.UNARY
        case syntax.Lookup():
            return Level.POSTFIX
    return Level.ATOM


class Operators:
    """Expressions with operators; `atom` lays out all others."""

    def __init__(self, words: WordReader, atom: Callable[[syntax.Expr], Document]) -> None:
        self.words = words
        self.atom = atom

    def expression(self, node: syntax.Expr, *, least: Level = Level.TERNARY, beside: Level | None = None) -> Document:
        """An expression where at least `least` may stand without brackets; `beside` is the operator it belongs to."""
        if self.words.wrapped(node):
            if self._unwrapped(node, least, beside):
                return self.expression(node, least=least, beside=beside)
            opening, content = self.words.take(), self.expression(node)
            return bracket(opening, cat(content, self.words.take_before()), self.words.take())
        match node:
            case syntax.Ternary():
                return align(group(joined(self._branches(node), Break())))
            case syntax.Comparison():
                return align(fill(self._compared(node), snug=NEAR, apart=True))
            case syntax.Range():
                low = self.expression(node.low, least=Level.SUM, beside=Level.RANGE)
                return cat(low, self.words.take(), self.expression(node.high, least=Level.SUM, beside=Level.RANGE))
            case syntax.Negation():
                return cat(self.words.take(), SPACE, self.expression(node.operand, least=Level.NOT, beside=Level.NOT))
            case syntax.Minus():
                return cat(self.words.take(), self.expression(node.operand, least=Level.UNARY, beside=Level.UNARY))
            case syntax.Arithmetic():
                level = level_of(node)
                return align(fill(self._links(node, level), snug=NEAR if level is Level.PRODUCT else 0, apart=True))
            case syntax.Logical():
                return align(group(joined(self._links(node, level_of(node)), Break())))
        return self.atom(node)

    def _unwrapped(self, node: syntax.Expr, least: Level, beside: Level | None) -> bool:
        """Drop the bracket that comes next, if neither the meaning nor the reader needs it."""
        level = level_of(node)
        grouping = beside is not None and level < Level.POSTFIX and level != beside
        wanted = level < least or grouping
        return not (wanted and not self.words.doubled(node)) and self.words.drop_brackets()

    def _links(self, node: syntax.Expr, level: Level) -> list[Document]:
        """A chain of operators of one level: the first operand, then each operator with the one behind it."""
        while self.words.wrapped(node) and self._unwrapped(node, level, level):
            pass
        chained = level_of(node) is level and not self.words.wrapped(node)
        if chained and isinstance(node, syntax.Arithmetic | syntax.Logical):
            before = self._links(node.left, level)
            right = cat(self.words.take(), SPACE, self.expression(node.right, least=Level(level + 1), beside=level))
            return [*before, right]
        return [self.expression(node, least=level, beside=level)]

    def _compared(self, node: syntax.Comparison) -> list[Document]:
        parts = [self.expression(node.operands[0], least=Level.RANGE, beside=Level.COMPARISON)]
        for operand in node.operands[1:]:
            sign = self.words.take()
            parts.append(cat(sign, SPACE, self.expression(operand, least=Level.RANGE, beside=Level.COMPARISON)))
        return parts

    def _branches(self, node: syntax.Ternary) -> list[Document]:
        """`a if b`, `else c if d`, `else e`."""
        lead: list[Document] = []
        branches = []
        rest: syntax.Expr = node
        while isinstance(rest, syntax.Ternary) and not self.words.wrapped(rest):
            then = self.expression(rest.then, least=Level.OR, beside=Level.TERNARY)
            word = self.words.take()
            condition = cat(word, SPACE, self.expression(rest.condition, least=Level.OR, beside=Level.TERNARY))
            branches.append(cat(*lead, align(fill([then, condition], snug=NEAR, apart=True))))
            lead = [self.words.take(), SPACE]
            rest = rest.otherwise
            while self.words.wrapped(rest) and self._unwrapped(rest, Level.TERNARY, Level.TERNARY):
                pass
        return [*branches, cat(*lead, self.expression(rest, beside=Level.TERNARY))]


def is_short(node: syntax.Expr) -> bool:
    """Whether several such fit on a line in a long list: words, numbers, ranges, and look-ups of these."""
    match node:
        case syntax.Range(low=low, high=high):
            return is_short(low) and is_short(high)
        case syntax.Lookup(base=base, keys=keys):
            return is_short(base) and all(map(is_short, keys))
        case syntax.Minus(operand=operand):
            return is_short(operand)
    short = syntax.Name | syntax.Number | syntax.Text | syntax.Money | syntax.Switch | syntax.NoneLiteral
    return isinstance(node, short)
