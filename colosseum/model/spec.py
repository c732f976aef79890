"""Declarations by name. In: a composition of statements; out: Declared, where every name has one meaning."""

from collections.abc import Callable, Iterator
from dataclasses import field
from functools import cached_property
from typing import Any, Literal, TypeAlias, TypeVar, get_args

from colosseum.diagnostics import Diagnostic, Label, Span, report
from colosseum.language import Composition, syntax
from colosseum.language.csv_files import Sheet, read_sheet
from colosseum.language.parser import NO_DOUBTS, Doubts
from colosseum.language.record import Record
from colosseum.language.words import FUNCTIONS
from colosseum.model.values import a

SymbolKind: TypeAlias = Literal[
    "param", "set", "table", "variable", "reward", "requirement", "coalition", "channel", "claim", "prompt", "rubric"
]
Place: TypeAlias = tuple[str, int]
"""The place of a `from "…"`: the name of its text and its offset."""
S = TypeVar("S", bound=syntax.Node)

_KIND: dict[type[syntax.Node], SymbolKind] = {syntax.Agents: "set", syntax.Require: "requirement"}
"""Of statements that are not called what they declare."""
MOST_HELPED = 100
"""Unknown names for which a near one is looked for, which takes as long as there are names."""
BUILT_IN = ("links", "payoff", "total", "me", "allies")
ARTEFACTS = ("names", "memory", "tools", "protocol", "paraphrase")
"""Settings that should not matter, and are known to: where one is swept, a report gives the range of effects. Channels,
prompts and params may have their names; an experiment that says one then means that."""


class Symbol(Record):
    """The meaning of a declared name."""

    name: str
    kind: SymbolKind
    span: Span
    statement: syntax.Declaration
    private: bool = False


class Declared(Record):
    """A composition whose names are sorted out; nothing is evaluated yet."""

    composition: Composition
    symbols: dict[str, Symbol]
    sheets: dict[Place, Sheet]
    """CSV files by the place that names them."""
    doubts: Doubts = NO_DOUBTS
    """Names whose meaning is uncertain because of mistakes that are already told."""
    _helps: dict[object, str] = field(default_factory=dict)

    def of(self, kind: type[S]) -> Iterator[S]:
        """The statements of one kind, in declared order."""
        return (s for s in self.composition.statements if isinstance(s, kind))

    def helped(self, name: object, make: Callable[[], str]) -> str:
        """A help for an unknown name, made once for each of the first MOST_HELPED."""
        if name not in self._helps and len(self._helps) < MOST_HELPED:
            self._helps[name] = make()
        return self._helps.get(name, "")

    @cached_property
    def derived(self) -> frozenset[str]:
        """Tables `= expr` that read variables (or another derived table): substituted where they are used."""
        readers: dict[str, list[str]] = {}
        for table in self.of(syntax.Table):
            for name in syntax.mentioned(table.source.value) if isinstance(table.source, syntax.Given) else ():
                readers.setdefault(name, []).append(table.name)
        ahead = [s.name for s in self.symbols.values() if s.kind == "variable"] + ["payoff", "total"]
        found: set[str] = set()
        while ahead:
            more = [t for t in readers.get(ahead.pop(), ()) if t not in found]
            found |= set(more)
            ahead += more
        return frozenset(found)


def declare(composition: Composition) -> tuple[Declared, list[Diagnostic]]:
    """Sort out the names; clashes and unreadable data are diagnostics."""
    diagnostics: list[Diagnostic] = []
    symbols: dict[str, Symbol] = {}
    sheets: dict[Place, Sheet] = {}
    doubts = composition.doubts
    for statement in composition.statements:
        source = getattr(statement, "source", None)
        if isinstance(source, syntax.Loaded):
            sheet, found = read_sheet(source, main=composition.source)
            diagnostics += found
            if sheet is not None:
                sheets[place(source)] = sheet
            else:
                doubts |= Doubts(everything=True)  # its names may be anything
    for statement in composition.statements:
        for symbol in _symbols(statement, sheets):
            clashes = list(_clashes(symbol, symbols))
            diagnostics += clashes
            if clashes:
                doubts |= Doubts(contested=frozenset((symbol.name,)))
            symbols.setdefault(symbol.name, symbol)
    if "agents" not in symbols and not doubts.covers("agents"):
        message = "nobody decides anything here: there are no agents"
        help_ = "add a line such as `agents A, B, C`"
        diagnostics.append(report("C043", composition.scenario.span, message, help=help_))
    return Declared(composition, symbols, sheets, doubts), diagnostics


def _symbols(statement: syntax.Statement, sheets: dict[Place, Sheet]) -> Iterator[Symbol]:
    kind: Any = _KIND.get(type(statement), type(statement).__name__.lower())
    if kind not in get_args(SymbolKind) or not isinstance(statement, syntax.Declaration):
        return
    private = isinstance(statement, syntax.Table) and statement.private
    yield Symbol(statement.name, kind, statement.name_span, statement, private)
    source, columns = getattr(statement, "source", None), tuple[syntax.Cell, ...]()
    if isinstance(source, syntax.Grid):
        columns = source.columns
    elif isinstance(source, syntax.Loaded) and place(source) in sheets:
        columns = sheets[place(source)].header[1:]
    for cell in columns if isinstance(statement, syntax.Set) else ():
        yield Symbol(str(cell.value), "table", cell.span, statement)


def _clashes(symbol: Symbol, symbols: dict[str, Symbol]) -> Iterator[Diagnostic]:
    from colosseum.model.settings import SETTINGS  # which itself imports this module

    setting = symbol.name in {*SETTINGS} - {*ARTEFACTS} and symbol.kind in ("param", "channel", "prompt")
    if symbol.name in FUNCTIONS or symbol.name in BUILT_IN or setting:
        what = "a setting of experiments" if setting else "built in"
        yield report("C042", symbol.span, f"`{symbol.name}` is {what} and cannot name {a(symbol.kind)}",
                     help="choose another name")  # fmt: skip
    earlier = symbols.get(symbol.name)
    if earlier is not None and earlier.statement is not symbol.statement:
        yield report("C040", symbol.span, f"`{symbol.name}` is already the name of {a(earlier.kind)}",
                     labels=[Label(earlier.span, "declared here")], help="choose another name")  # fmt: skip


def place(loaded: syntax.Loaded) -> Place:
    """The identity of a `from "…"`."""
    return loaded.span.source.name, loaded.span.start
