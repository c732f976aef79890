"""Names of elements. In: a declared spec; out: every element that its text names, and the span of its first mention.

New names are born only in `agents`, in `{…}` after `set` or a table's draw, in `ticket[1..8]` there, in grids and in
CSV files. So what a name means depends neither on the seed nor on the order in which facts are computed.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

from colosseum.diagnostics import Span
from colosseum.language import syntax
from colosseum.model.spec import Declared, place
from colosseum.model.values import Elements, Fault

Count: TypeAlias = Callable[[syntax.Range], Elements]
"""The numbers of the range in `ticket[1..n]`. Raises Fault."""
Born: TypeAlias = Iterator[tuple[str, Span]]


def births(spec: Declared, count: Count) -> dict[str, Span]:
    """Every element that is born, with the place of its first birth."""
    found: dict[str, Span] = {}
    for statement in spec.composition.statements:
        for name, span in _born(statement, spec, count):
            found.setdefault(name, span)
    return found


def _born(statement: syntax.Statement, spec: Declared, count: Count) -> Born:
    match statement:
        case syntax.Agents(items=items):
            yield from _items(items, spec, frozenset())
            yield from _below(items, spec, count)
        case syntax.Set(source=syntax.Given(value=expr)):
            yield from _below((expr,), spec, count)
        case syntax.Set(source=syntax.Drawn(call=call)) | syntax.Table(source=syntax.Drawn(call=call)):
            yield from _below(call.arguments, spec, count)
        case syntax.Set(source=source) | syntax.Table(source=source):
            rows: Iterable[Iterable[syntax.Cell]] = ()
            if isinstance(source, syntax.Grid):
                rows = ((*(row.label if isinstance(statement, syntax.Set) else ()), *row.cells) for row in source.rows)
            elif isinstance(source, syntax.Loaded) and place(source) in spec.sheets:
                rows = spec.sheets[place(source)].rows
            yield from ((cell.value, cell.span) for row in rows for cell in row if isinstance(cell.value, str))
        case _:
            pass


def _items(items: Iterable[syntax.Expr], spec: Declared, bound: frozenset[str]) -> Born:
    """Names and texts that stand directly among agents or in braces; a bare name that is declared refers to that."""
    for item in items:
        match item:
            case syntax.Name(id=name) if not (name in spec.symbols or name in bound or name in spec.doubts.contested):
                yield name, item.span
            case syntax.Text(value=name):
                yield name, item.span
            case _:
                pass


def _below(exprs: Iterable[syntax.Expr], spec: Declared, count: Count) -> Born:
    nodes = [node for expr in exprs for node in syntax.walk(expr)]
    bound = frozenset(name for node in nodes if isinstance(node, syntax.Binder) for name in node.names)
    for node in nodes:
        match node:
            case syntax.SetLiteral(items=items):
                yield from _items(items, spec, bound)
            case syntax.Lookup(base=syntax.Name(id=name), keys=(syntax.Range() as key,)) if name not in spec.symbols:
                try:
                    yield from ((f"{name}{i}", node.span) for i in count(key))
                except Fault:
                    continue  # told where the set itself is computed
            case _:
                pass
