"""What a text declares. In: a text; out: the symbols of an editor's outline."""

from lsprotocol.types import DocumentSymbol, SymbolKind

from colosseum.diagnostics import Source
from colosseum.editor.utf16 import Utf16
from colosseum.language import syntax
from colosseum.language.parser import parse


def outlined(source: Source) -> list[DocumentSymbol]:
    """The declarations of a text; an experiment has its arms."""
    lines = Utf16(source.text)
    statements = (s.statement if isinstance(s, syntax.Override) else s for s in parse(source)[0].statements)
    return [_symbol(statement, lines) for statement in statements if isinstance(statement, syntax.Declaration)]


def _symbol(node: syntax.Declaration, lines: Utf16) -> DocumentSymbol:
    arms = [_symbol(arm, lines) for arm in node.arms] if isinstance(node, syntax.Experiment) else []
    whole, name = lines.range(node.span.start, node.span.end), lines.range(node.name_span.start, node.name_span.end)
    kind = SymbolKind.Module if arms else SymbolKind.Variable
    return DocumentSymbol(node.name, kind, whole, name, type(node).__name__.lower(), children=arms)
