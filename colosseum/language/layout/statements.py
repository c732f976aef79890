"""Statements. In: nodes and their words; out: documents whose first line says what it is, the rest indented below.

A grid has one line a row, its columns lined up: numbers to the right, names to the left.
"""

import math

from colosseum.language import syntax
from colosseum.language.layout import document as doc
from colosseum.language.layout.document import NOTHING, SPACE, Break, Document, cat, fill, group, nest
from colosseum.language.layout.expressions import Expressions, Level, level_of, opens_block
from colosseum.language.layout.printing import NEAR, WIDTH
from colosseum.language.layout.words import WordReader
from colosseum.language.syntax import Cell, Expr, Grid, Node
from colosseum.language.words import MODIFIERS, terminals

_CLAUSES = terminals("TO OF WHEN FOR")
_TEXTS = terminals("STRING LONG_STRING")
BETWEEN = "  "  # entries of a block on one line stand two blanks apart


class Statements(Expressions):
    """Lays out statements and their parts while it reads their words."""

    def statement(self, node: Node) -> Document:
        """A statement, or a part between braces; the comments before it have been taken."""
        match node:
            case syntax.Override():
                return cat(self.take(), SPACE, self.statement(node.statement))
            case syntax.Agents() | syntax.Setting() | syntax.Network():
                return self._listing(tuple(syntax.children(node)))
            case syntax.Given() | syntax.Drawn():
                return self._source([self.take()], node)
            case syntax.Variant() | syntax.Anchor():
                return self._wordings()
            case syntax.Mapped():
                return nest(fill([self.clause(node.what) if node.what else self.take(), self.clause(node.source)]))
            case syntax.Sweep():
                swept = cat(self.spaced(3), SPACE, self._values(node.values))
                return nest(fill([swept] if node.where is None else [swept, self.clause(node.where)]))
            case syntax.Contrast():
                return self.spaced(4)
            case syntax.Arm():
                return cat(self.spaced(2), SPACE, doc.Plain("", "arm"), self._block(node))
            case syntax.Trace():
                return cat(nest(self.spaced(3)), SPACE, self._block(node))
        return self._declaration(node, self._header(node))

    def _declaration(self, node: Node, header: list[Document]) -> Document:
        """What stands behind a statement's name, indices and clauses."""
        match node:
            case syntax.Param():
                return self._source(header, syntax.Given(node.value, span=node.value.span), stop="param")
            case syntax.Set() | syntax.Table():
                return self._source(header, node.source, stop="set" if isinstance(node, syntax.Set) else "")
            case syntax.Variable():
                return self._assigned(self._ended(header), node.domain)
            case syntax.Reward() | syntax.Objective():
                return self._ruled(header, node.value, None)
            case syntax.Require():
                return self._ruled(header, node.condition, node.penalty)
            case syntax.Claim():
                return self._value(self._ended(header), cat(self.take(), SPACE, self.clause(node.truth)), snug=WIDTH)
            case syntax.Channel(members=who):
                told = self._value(header, self.clause(who.call if isinstance(who, syntax.Drawn) else who.value))
                return told if node.wire is None else cat(told, SPACE, self.spaced(2))
            case syntax.Prompt() if self.words.next.kind != "LBRACE":
                return self._value(header, self.take(), snug=WIDTH)
            case syntax.Rubric():
                return cat(self._value(header, self.take(), snug=WIDTH), SPACE, self._block(node))
        title = cat(SPACE, self.take()) if self.words.next.kind == "STRING" else NOTHING
        start = nest(fill(header, apart=True), title)
        return cat(start, SPACE, self._block(node)) if self.words.next.kind == "LBRACE" else start

    # ---- headers ------------------------------------------------------------------------------------

    def _header(self, node: Node) -> list[Document]:
        """A statement's first words with its indices, then each clause `to`, `of`, `when` or `for` by itself."""
        reads = isinstance(node, syntax.Rubric) and node.thoughts
        parts = [self.spaced(2 + (self.words.next.kind in MODIFIERS) + 2 * reads)]
        for child in syntax.children(node):
            match child:
                case syntax.Binders():
                    parts[0] = cat(parts[0], self.closed(self.take(), self.loop(child)))
                case syntax.ToEach():
                    each = self.spaced(2)
                    parts.append(cat(each, self.closed(self.take(), self.loop(child.binders, when=child.when))))
                case syntax.ToWhom(recipient=who):
                    parts.append(self.clause(who))
                case syntax.Given():
                    break
                case _ if self.words.next.kind in _CLAUSES:
                    parts.append(self.clause(child))
        return parts

    def _ended(self, header: list[Document]) -> list[Document]:
        """A header with the sign behind it that comes next."""
        return [*header[:-1], cat(header[-1], self.take())]

    # ---- values -------------------------------------------------------------------------------------

    def _source(self, header: list[Document], source: syntax.ValueSource, *, stop: str = "") -> Document:
        """A header and where the values come from; `stop` is the kind of statements whose `=` are lined up."""
        match source:
            case syntax.Given(value=value):
                sign = cat(SPACE, doc.Plain("", stop), self.take())
                return self._assigned([*header[:-1], cat(header[-1], sign)], value)
            case syntax.Drawn(call=call):
                return self._value(header, self.clause(call))
            case syntax.Loaded():
                return self._value(header, self.spaced(2))
            case syntax.Grid():
                return nest(fill(header, apart=True), grid(source, self.words))

    def _assigned(self, header: list[Document], value: Expr) -> Document:
        """A header that ends in a sign, and an expression behind it or, where that has operators, below it."""
        document = self.expression(value)
        if level_of(value) < Level.UNARY:
            return nest(fill(header, apart=True), group(Break(), document))
        if opens_block(value) and not header[-1].closes and not document.opens:
            return cat(nest(fill(header, apart=True)), SPACE, document)
        return self._value(header, document)

    def _value(self, header: list[Document], value: Document, *, snug: int = NEAR) -> Document:
        """A header and what goes on the same line if there is room, or begins within so many columns."""
        return nest(fill([fill(header, apart=True), value], snug=snug))

    def _ruled(self, header: list[Document], condition: Expr, penalty: Expr | None) -> Document:
        """A header up to its colon, then an expression on the same line, or below when the author put it there."""
        start = self._ended(header)
        broken = self.words.broken()
        document = self.expression(condition)
        if penalty is not None:
            between = doc.HARD if broken and self.words.broken() else Break()
            price = self.clause(penalty)
            unit = cat(SPACE, self.take()) if self.words.next.kind == "PER_UNIT" else NOTHING
            document = group(document, between, price, unit)
        if self.words.next.kind == "UNDISCLOSED":
            document = group(document, Break(), self.take())
        return nest(fill(start, apart=True), group(doc.HARD if broken else Break(), document))

    def _values(self, nodes: tuple[Node, ...]) -> Document:
        """Expressions with commas, below each other's first column."""
        items = self.items(nodes)
        return items[0] if len(nodes) == 1 and opens_block(nodes[0]) else doc.align(fill(items))

    def _listing(self, nodes: tuple[Node, ...]) -> Document:
        """A word and its values; a block between braces closes where the word stands."""
        word, values = self.take(), self._values(nodes)
        if len(nodes) == 1 and opens_block(nodes[0]):
            return cat(word, SPACE, values)
        return nest(word, SPACE, values)

    def _wordings(self) -> Document:
        """`simple: "…"`, or `simple: paraphrases "…" "…"`."""
        named = cat(self.take(), self.take(), SPACE, self.take())
        texts: list[Document] = []
        while self.words.next.kind in _TEXTS:
            texts += [Break(), nest(self.take())]
        return nest(named, group(*texts))

    # ---- blocks -------------------------------------------------------------------------------------

    def _block(self, node: Node) -> Document:
        """`{ a  b }`, or one entry a line: when the author broke the line behind `{`, or there is no room."""
        start = self.words.next.start
        entries = sorted((e for e in syntax.children(node) if e.span.start > start), key=lambda e: e.span.start)
        opening, broken = self.take(), self.words.broken()
        inside: list[Document] = []
        for number, entry in enumerate(entries):
            inside += [self.words.separator(BETWEEN if number else " ", first=not number), self.statement(entry)]
        left = self.words.take_last(first=not entries)
        if not entries and left is NOTHING and not opening.closes:
            return cat(opening, SPACE, self.take())
        end = doc.HARD if broken or not entries else Break(" ")
        return group(opening, nest(*inside, left), end, self.take())


GAPS = ("", " ", " ", "  ")  # blanks before a label, its bar, the first cell, and each further cell


def grid(node: Grid, words: WordReader) -> Document:
    """The header and the rows, each on a line of its own."""
    rows: list[tuple[Document, list[Document]]] = []
    for label, cells in [((), node.columns), *((row.label, row.cells) for row in node.rows)]:
        before = words.separator("", first=not rows)
        rows.append((before, [words.take() if label else NOTHING, words.take(), *(_cell(words) for _ in cells)]))
    columns = range(max(len(entries) for _, entries in rows))
    widths = [max(_width(entries[i]) for _, entries in rows if i < len(entries)) for i in columns]
    values = [[part for row in node.rows for part in row.label], []]
    values += [[row.cells[i - 2] for row in node.rows if i < len(row.cells) + 2] for i in columns[2:]]
    parts: list[Document] = []
    for before, entries in rows:
        parts.append(before)
        for i, entry in enumerate(entries):
            filling = doc.Plain(" " * (widths[i] - _width(entry)))
            parts += [doc.Plain(GAPS[min(i, 3)]), *((filling, entry) if _numbers(values[i]) else (entry, filling))]
    return cat(*parts)


def _cell(words: WordReader) -> Document:
    """A cell; a minus is a word of its own."""
    return cat(words.take(), words.take()) if words.next.kind == "MINUS" else words.take()


def _width(entry: Document) -> int:
    """Its columns; none for an entry that a comment breaks."""
    return 0 if math.isinf(entry.width) else int(entry.width)


def _numbers(cells: list[Cell]) -> bool:
    """Whether a column holds numbers, with or without none."""
    others = any(cell.quoted or isinstance(cell.value, bool | str) for cell in cells)
    return not others and any(cell.value is not None for cell in cells)
