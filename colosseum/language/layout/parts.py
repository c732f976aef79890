"""Parts that several statements have. In: their nodes and words; out: documents to put together."""

from colosseum.language.layout.document import (
    HARD,
    NEAR,
    NOTHING,
    SPACE,
    Break,
    Document,
    Stop,
    align,
    cat,
    fill,
    group,
    joined,
    nest,
)
from colosseum.language.layout.expressions import Expressions, opens_block
from colosseum.language.layout.grids import grid
from colosseum.language.layout.lines import WIDTH
from colosseum.language.layout.operators import Level, level_of
from colosseum.language.syntax import Drawn, Expr, Given, Grid, Indices, Loaded, Recipients, ToEach, ValueSource


class Parts(Expressions):
    """Headers, values and conditions of statements."""

    def spaced(self, number: int) -> Document:
        """So many words, a blank between them."""
        return joined([self.words.take() for _ in range(number)], SPACE)

    def named(self, indices: Indices | None) -> Document:
        """A statement's word, its name and its indices."""
        return cat(self.spaced(2), self.indices(indices))

    def recipients(self, node: Recipients | None) -> Document:
        """`to a`, `to each(i in S when c)`, or nothing."""
        if node is None:
            return NOTHING
        if isinstance(node, ToEach):
            return cat(self.spaced(2), self.bracketed(lambda: self.bound(node.binders, when=node.when)))
        return self.clause(node.recipient)

    def maybe(self, node: Expr | None) -> Document:
        """`when c`, `of S`, or nothing."""
        return NOTHING if node is None else self.clause(node)

    # ---- values -------------------------------------------------------------------------------------

    def source(self, header: list[Document], source: ValueSource, *, stop: str = "") -> Document:
        """A header and where the values come from."""
        match source:
            case Given(value=value):
                return self.given(header, value, stop=stop)
            case Drawn(call=call):
                return self.value(header, cat(self.words.take(), SPACE, self.expression(call)))
            case Loaded():
                return self.value(header, self.spaced(2))
            case Grid():
                return nest(cat(self.header(header), grid(source, self.words)))

    def given(self, header: list[Document], value: Expr, *, stop: str = "") -> Document:
        """A header, `=` and an expression; `stop` is the kind of statements whose `=` are lined up."""
        *front, last = [part for part in header if part is not NOTHING]
        sign = cat(Stop(stop), self.words.take()) if stop else self.words.take()
        return self.assigned([*front, cat(last, SPACE, sign)], value)

    def ended(self, header: list[Document]) -> list[Document]:
        """A header with the sign behind it that comes next."""
        *front, last = [part for part in header if part is not NOTHING]
        return [*front, cat(last, self.words.take())]

    def assigned(self, header: list[Document], value: Expr) -> Document:
        """A header that ends in a sign, and an expression behind it or, where that has operators, below it."""
        document = self.expression(value)
        if level_of(value) < Level.UNARY:
            return nest(cat(self.header(header), group(cat(Break(), document))))
        if opens_block(value) and not header[-1].closes and not document.opens:
            return cat(nest(self.header(header)), SPACE, document)
        return self.value(header, document)

    def value(self, header: list[Document], value: Document) -> Document:
        """A header and what goes on the same line, if there is room."""
        return nest(fill([self.header(header), value], snug=NEAR))

    def header(self, parts: list[Document]) -> Document:
        """A statement's first words and the clauses before its sign."""
        return fill(parts, apart=True)

    def told(self, header: list[Document], text: Document) -> Document:
        """A header and a text behind it, or below it if only that makes it fit."""
        return nest(fill([self.header(header), text], snug=WIDTH))

    def ruled(self, header: list[Document], condition: Expr, penalty: Expr | None = None) -> Document:
        """A header up to its colon, then an expression on the same line, or below when the author put it there."""
        start = self.ended(header)
        broken = self.words.broken()
        document = self.expression(condition)
        if penalty is not None:
            between = HARD if broken and self.words.broken() else Break()
            document = group(cat(document, between, self.penalty(penalty)))
        if self.words.next.kind == "UNDISCLOSED":
            document = group(cat(document, Break(), self.words.take()))
        return nest(cat(self.header(start), group(cat(HARD if broken else Break(), document))))

    def penalty(self, price: Expr) -> Document:
        """`penalty 3 per unit`."""
        document = self.clause(price)
        return cat(document, SPACE, self.words.take()) if self.words.next.kind == "PER_UNIT" else document

    def values(self, nodes: tuple[Expr, ...]) -> Document:
        """Expressions with commas, below each other's first column."""
        items = self.comma_separated(nodes, self.expression)
        return items[0] if len(nodes) == 1 and opens_block(nodes[0]) else align(fill(items))

    def listing(self, nodes: tuple[Expr, ...]) -> Document:
        """A word and its values; a block between braces closes where the word stands."""
        word, values = self.words.take(), self.values(nodes)
        if len(nodes) == 1 and opens_block(nodes[0]) and not word.closes and not values.opens:
            return cat(word, SPACE, values)
        return nest(cat(word, SPACE, values))
