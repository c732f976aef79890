"""Literal grids. In: Lark's tree of a grid; out: its columns and rows as cells."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from colosseum.diagnostics import Span
from colosseum.language import literals
from colosseum.language.expressions import Piece, Reading, pieces
from colosseum.language.syntax import Cell, Grid, GridRow

if TYPE_CHECKING:
    from lark import ParseTree, Token


def grid(tree: "ParseTree", reading: Reading) -> Grid:
    """A header of columns and the rows below it."""
    columns, *rows = pieces(tree)
    return Grid(
        span=reading.span(tree),
        columns=tuple(_cells(columns.children, reading)),
        rows=tuple([_row(row, reading) for row in rows]),
    )


def _row(tree: "ParseTree", reading: Reading) -> GridRow:
    label, *entries = pieces(tree)
    return GridRow(
        span=reading.span(tree),
        label=tuple(_label(label, reading)),
        cells=tuple([cell for entry in entries for cell in _cells(entry.children, reading)]),
    )


def _cells(tokens: list[Piece], reading: Reading) -> Iterator[Cell]:
    """One cell for each token; a minus belongs to the number behind it, an absent minus is None."""
    minus: Token | None = None
    for token in tokens:
        if token is None:
            continue
        if token.type == "MINUS":
            minus = token
            continue
        span = reading.span(minus).to(reading.span(token)) if minus is not None else reading.span(token)
        yield _cell(token, span, reading, negative=minus is not None)
        minus = None


def _cell(token: "Token", span: Span, reading: Reading, *, negative: bool) -> Cell:
    match token.type:
        case "NUMBER":
            value = reading.number(token)
            return Cell(span=span, value=-value if negative else value)
        case "STRING":
            return Cell(span=span, value=reading.unquoted(token, span.start), quoted=True)
        case "NONE":
            return Cell(span=span, value=None)
        case "ON" | "OFF":
            return Cell(span=span, value=token.type == "ON")
    return Cell(span=span, value=str(token))


def _label(token: "Token", reading: Reading) -> Iterator[Cell]:
    """The parts of `low, "a b", -3`: one for each leading index."""
    start = reading.span(token).start
    for offset, written in literals.label_parts(token):
        span = Span(reading.source, start + offset, start + offset + len(written))
        if written.startswith(literals.QUOTE):
            yield Cell(span=span, value=reading.unquoted(written, span.start), quoted=True)
        elif written[0] == "-" or written.isdigit():
            yield Cell(span=span, value=_integer(token, written, reading))
        else:
            yield Cell(span=span, value=written)


def _integer(token: "Token", written: str, reading: Reading) -> int | float:
    value = reading.number(token, written=written.removeprefix("-"))
    return -value if written[0] == "-" else value
