"""Names. In: a composition; out: Declared, where each has one meaning; every element that is born, every unknown name.

New names are born only in `agents`, in `{…}` after `set` or a table's draw, in `ticket[1..8]` there, in grids and in
CSV files. So what a name means depends neither on the seed nor on the order in which facts are computed. Evaluation
would find only the first unknown name of a statement, and none in a loop over nothing; here all are found.
"""

import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypeVar, get_args

from colosseum.diagnostics import Diagnostic, Label, Span, closest, report
from colosseum.language import Composition, syntax
from colosseum.language.csv_files import Sheet, read_sheet
from colosseum.language.record import Record
from colosseum.language.syntax import NO_DOUBTS, Doubts
from colosseum.language.words import FUNCTIONS
from colosseum.model.draws import DRAWS
from colosseum.model.values import a

SymbolKind: TypeAlias = Literal[
    "param", "set", "table", "variable", "reward", "requirement", "coalition", "channel", "claim", "prompt", "rubric"
]
S = TypeVar("S", bound=syntax.Node)

_KIND: dict[type[syntax.Node], SymbolKind] = {syntax.Agents: "set", syntax.Require: "requirement"}
"""Of statements that are not called what they declare."""
MOST_HELPED = 100  # unknown names for which a near one is looked for, which takes as long as there are names
BUILT_IN = ("links", "payoff", "total", "me", "allies")
CALLED = tuple(function for function in FUNCTIONS if function != "sum")
"""The functions that expressions may call; draws are among them, to be refused with a help."""
AGGREGATES = ("sum", "min", "max")
LOOPS = (*AGGREGATES, "count", "any", "all")
INDEX = "an index is a set, or a name for each of its elements: `[agents]` or `[{} in agents]`"
ARTEFACTS = ("names", "memory", "tools", "protocol", "paraphrase")
"""Settings that should not matter, and are known to: where one is swept, a report gives the range of effects."""
LATER = (*ARTEFACTS, "purpose")
"""Channels, prompts and params may have the names of these settings; an experiment that says one then means that."""


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
    sheets: dict[str, Sheet]
    """What CSV files hold, by the set or table that is read from them."""
    doubts: Doubts = NO_DOUBTS
    """Names whose meaning is uncertain because of mistakes that are already told."""
    faults: dict[frozenset[str], tuple[Diagnostic, ...]] = field(default_factory=dict, compare=False)
    """What is wrong with the names, by the elements that there are."""

    def of(self, kind: type[S]) -> Iterator[S]:
        """The statements of one kind, in declared order."""
        return (s for s in self.composition.statements if isinstance(s, kind))

    @cached_property
    def derived(self) -> frozenset[str]:
        """Tables `= expr` that read variables (or another derived table): substituted where they are used."""
        readers: dict[str, list[str]] = {}
        for table in self.of(syntax.Table):
            for name in table.source.value.mentions if isinstance(table.source, syntax.Given) else ():
                readers.setdefault(name, []).append(table.name)
        ahead = [s.name for s in self.symbols.values() if s.kind == "variable"] + ["payoff", "total"]
        found: set[str] = set()
        while ahead:
            more = [t for t in readers.get(ahead.pop(), ()) if t not in found]
            found |= set(more)
            ahead += more
        return frozenset(found)

    def closure(self, nodes: Iterable[syntax.Node]) -> set[str]:
        """The declared names, and `links`, that these mention, those behind derived tables included."""
        found, ahead = set[str](), list(nodes)
        while ahead:
            new = {n for n in ahead.pop().mentions if n in self.symbols or n == "links"} - found
            found |= new
            ahead += [self.symbols[name].statement for name in new & self.derived]
        return found


def declare(composition: Composition) -> tuple[Declared, list[Diagnostic]]:
    """Sort out the names; clashes and unreadable data are diagnostics."""
    diagnostics: list[Diagnostic] = []
    symbols: dict[str, Symbol] = {}
    sheets: dict[str, Sheet] = {}
    doubts = composition.doubts
    for statement in composition.statements:
        source = getattr(statement, "source", None)
        if isinstance(source, syntax.Loaded):
            sheet, found = read_sheet(source, main=composition.source)
            diagnostics += found
            if sheet is not None:
                sheets[statement.name] = sheet
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


def _symbols(statement: syntax.Statement, sheets: dict[str, Sheet]) -> Iterator[Symbol]:
    kind: Any = _KIND.get(type(statement), type(statement).__name__.lower())
    if kind not in get_args(SymbolKind) or not isinstance(statement, syntax.Declaration):
        return
    private = isinstance(statement, syntax.Table) and statement.private
    yield Symbol(statement.name, kind, statement.name_span, statement, private)
    columns: tuple[syntax.Cell, ...] = ()
    match statement:
        case syntax.Set(source=syntax.Grid(columns=columns)):
            pass
        case syntax.Set(name=name, source=syntax.Loaded()) if name in sheets:
            columns = sheets[name].header[1:]
    yield from (Symbol(str(cell.value), "table", cell.span, statement) for cell in columns)


def _clashes(symbol: Symbol, symbols: dict[str, Symbol]) -> Iterator[Diagnostic]:
    from colosseum.model.settings import SETTINGS  # which itself imports this module

    setting = symbol.name in {*SETTINGS} - {*LATER} and symbol.kind in ("param", "channel", "prompt")
    if symbol.name in FUNCTIONS or symbol.name in BUILT_IN or setting:
        what = "a setting of experiments" if setting else "built in"
        yield report("C042", symbol.span, f"`{symbol.name}` is {what} and cannot name {a(symbol.kind)}",
                     help="choose another name")  # fmt: skip
    earlier = symbols.get(symbol.name)
    if earlier is not None:
        yield report("C040", symbol.span, f"`{symbol.name}` is already the name of {a(earlier.kind)}",
                     labels=[Label(earlier.span, "declared here")], help="choose another name")  # fmt: skip


# ---- unknown names -----------------------------------------------------------------------------------------


def check_names(spec: Declared, elements: frozenset[str]) -> tuple[Diagnostic, ...]:
    """Unknown names, functions and tables, and binders that hide a declared name: the same for all seeds."""
    if elements not in spec.faults:
        spec.faults[elements] = tuple(_Scope(spec, elements).each(spec.composition.statements, {}))
    return spec.faults[elements]


@cache
def _habits(kind: str) -> dict[str, str]:
    """The help for words that people bring from other languages: `functions`, `names`, or names `unlike` any other."""
    rows = tomllib.loads(Path(__file__).with_name("habits.toml").read_text(encoding="utf-8"))[kind]
    return {word: row["help"] for row in rows for word in row["words"]}


def _helped(diagnostic: Diagnostic, help_: str) -> Diagnostic:
    """An unknown name that is like no other, with this help."""
    return diagnostic if diagnostic.code != "C041" or diagnostic.help else replace(diagnostic, help=(help_,))


def _no_function(function: str, span: Span, known: Sequence[str], listed: str) -> Diagnostic:
    """The error for `f(…)` or `f(… for …)`, which may mean one of the known ones."""
    if function in CALLED:
        return report("C047", span, f"`{function}` takes no loop", help=listed)
    help_ = _habits("functions").get(function.lower()) or closest(function, known) or listed
    return report("C047", span, f"`{function}` is not a function", help=help_)


class _Scope:
    """The meanings of names in a spec."""

    def __init__(self, spec: Declared, elements: frozenset[str]) -> None:
        self.spec, self.elements = spec, elements
        self.helps: dict[tuple[str, bool], str] = {}

    def inside(self, node: syntax.Node | None, bound: dict[str, Span]) -> Iterator[Diagnostic]:
        """Every mistake in a statement or an expression."""
        match node:
            case None | syntax.Rubric() | syntax.Experiment() | syntax.Trace():
                pass  # texts and settings are read where they are used
            case syntax.Network(graph=graph):
                yield from self.below(graph, bound)  # its kind is checked where it is used
            case syntax.Variable(indices=indices, owner=owner, domain=domain):
                inner = dict(bound)
                yield from self.loop(indices, inner)
                yield from map(self.as_agents, self.inside(owner, inner))
                for unknown in self.inside(domain, inner):  # no elements are born in a domain
                    name = unknown.span.text if unknown.span else ""
                    yield _helped(unknown, f"declare new names in a set, as in `set answers = {{{name}, …}}`")
            case syntax.Coalition(members=members, objectives=objectives):
                yield from map(self.as_agents, self.inside(members, bound))
                yield from self.each(objectives, bound)
            case syntax.Channel() | syntax.Prompt() | syntax.ToWhom() | syntax.ToEach():
                yield from map(self.as_agents, self.below(node, bound))
            case syntax.Claim(indices=indices, truth=truth) if not isinstance(truth, syntax.Comparison):
                yield from self.loop(indices, dict(bound))
            case syntax.Drawn(call=call):
                yield from self.each(call.arguments, bound)
            case syntax.Pair(value=value):
                yield from self.inside(value, bound)
            case syntax.Name(id=name):
                if not self.means(name, bound):
                    yield from self.unknown(name, node.span, bound)
            case syntax.Lookup(base=syntax.Name() as base, keys=keys):
                yield from self.base(base, keys, bound)
                yield from self.each(keys, bound)
            case syntax.Arithmetic(operator="-", left=syntax.Name(id=left), right=syntax.Name(id=right)) if not (
                self.means(left, bound) or self.means(right, bound) or node.span.text != f"{left}-{right}"
            ):
                help_ = f'quote it everywhere, as in `"{left}-{right}"`'
                yield report("C041", node.span, f"`{left}-{right}` is no name: names have no `-`", help=help_)
            case syntax.Call(function="sum"):
                yield report("C047", node.span, "`sum` needs a loop", help="as in `sum(cost[a] for a in agents)`")
            case _:
                if isinstance(node, syntax.Aggregate) and node.function not in AGGREGATES:
                    yield _no_function(node.function, node.span, LOOPS, f"loops: {', '.join(LOOPS)}")
                if isinstance(node, syntax.Call) and node.function not in CALLED:
                    yield from self.not_called(node.function, node.span)
                yield from self.below(node, bound)

    def below(self, node: syntax.Node, bound: dict[str, Span]) -> Iterator[Diagnostic]:
        """What stands in a node: its loop, and the other parts, which know the binders."""
        inner, parts = dict(bound), list(syntax.children(node))
        loop = next((part for part in parts if isinstance(part, syntax.Binders)), None)
        yield from self.loop(loop, inner)
        nameless = [item for item in (loop.items if loop else ()) if not item.names]
        for unknown in self.each((part for part in parts if part is not loop), inner):
            name, of = unknown.span.text if unknown.span else "", nameless[0].span.text if nameless else ""
            yield _helped(unknown, f"if it is one of `{of}`, write `[{name} in {of}]`") if nameless else unknown

    def each(self, parts: Iterable[syntax.Node], bound: dict[str, Span]) -> Iterator[Diagnostic]:
        for part in parts:
            yield from self.inside(part, bound)

    def loop(self, loop: syntax.Binders | None, inner: dict[str, Span]) -> Iterator[Diagnostic]:
        """The domains of a loop and what it leaves out; its binders are added to `inner`."""
        for item in loop.items if loop else ():
            for diagnostic in self.inside(item.domain, inner):
                yield diagnostic if item.names else _helped(diagnostic, INDEX.format(item.span.text))
                inner |= {} if item.names else {item.span.text: item.span}  # told once: `[a]` for `[a in agents]`
            yield from self.bind(item.names, item.span, inner)
        yield from self.inside(loop and loop.where, inner)

    def as_agents(self, diagnostic: Diagnostic) -> Diagnostic:
        """Add the list of agents as help."""
        statement = next(self.spec.of(syntax.Agents), None)
        names = ", ".join(" ".join(item.span.text.split()) for item in statement.items) if statement else ""
        return _helped(diagnostic, f"agents: {names}") if statement else diagnostic

    def bind(self, names: tuple[str, ...], span: Span, bound: dict[str, Span]) -> Iterator[Diagnostic]:
        """Add binders; one that hides a declared name, an element or another binder is an error."""
        for name in names:
            symbol = self.spec.symbols.get(name)
            if symbol is not None or name in bound or name in self.elements:
                kind = symbol.kind if symbol else "loop variable" if name in bound else "element"
                labels = [Label(symbol.span, "declared here")] if symbol else []
                if symbol and symbol.kind == "prompt":
                    both, label = f"`{name}` is a prompt and a loop variable", Label(span, "the loop variable")
                    yield report("C040", symbol.span, both, labels=[label], help="choose another name for one of them")
                message = f"the loop variable `{name}` hides the {kind} `{name}`"
                yield report("C040", span, message, labels=labels, help="choose another name")
            bound[name] = span

    def not_called(self, function: str, span: Span) -> Iterator[Diagnostic]:
        """The error for a call of something that is no function."""
        symbol = self.spec.symbols.get(function)
        if symbol is not None and symbol.kind in ("table", "variable"):
            message = f"`{function}` is {a(symbol.kind)}, which is looked up in square brackets"
            inside = " ".join(span.text.removeprefix(function).strip("( )").split())
            labels = [Label(symbol.span, "declared here")]
            yield report("C047", span, message, labels=labels, help=f"write `{function}[{inside}]`")
        elif symbol is not None or not self.spec.doubts.covers(function):
            listed = f"functions: {', '.join(f for f in CALLED if f not in DRAWS)}"
            yield _no_function(function, span, CALLED, listed)

    def means(self, name: str, bound: dict[str, Span]) -> bool:
        """Whether a bare name has a meaning here."""
        return name in bound or name in self.elements or name in self.spec.symbols or name in ("links", "total")

    def base(self, base: syntax.Name, keys: tuple[syntax.Expr, ...], bound: dict[str, Span]) -> Iterator[Diagnostic]:
        """Check the name before `[…]`."""
        name, span, symbol = base.id, base.span, self.spec.symbols.get(base.id)
        if name in bound and symbol is not None:
            return  # that the binder hides it was said
        if name in bound or (symbol and symbol.kind not in ("table", "variable")):
            what = a(symbol.kind) if symbol else "a binder"
            labels = [Label(symbol.span, "declared here")] if symbol else []
            yield report("C044", span, f"`{name}` is {what}, not a table or a variable", labels=labels)
        elif symbol is None and name != "payoff" and not (len(keys) == 1 and isinstance(keys[0], syntax.Range)):
            yield from self.unknown(name, span, bound, among=("table", "variable"))

    def unknown(
        self, name: str, span: Span, bound: dict[str, Span], *, among: tuple[str, ...] = ()
    ) -> Iterator[Diagnostic]:
        """The error for a name that means nothing; none when it may be declared where the text is broken."""
        if name == "agents" or self.spec.doubts.covers(name):  # that there are no agents is told once
            return
        what = "a table or a variable" if among else "anything"
        key = name, bool(among)
        if key not in self.helps and len(self.helps) < MOST_HELPED:
            declared = [s.name for s in self.spec.symbols.values() if not among or s.kind in among]
            known, others = (declared, []) if among else ([*bound, *declared], self.elements)
            stem = name.removesuffix("s")
            family = [e for e in self.elements if e.startswith(stem) and e[len(stem) :].isdigit()]
            first = min(family, key=lambda e: (len(e), e), default="")
            named = f"elements are named `{first}`; did you mean the set they are in?" if first else ""
            near = _habits("names").get(name) or closest(name, known) or named or closest(name, others)
            self.helps[key] = near or _habits("unlike").get(name, "")
        yield report("C041", span, f"`{name}` is not the name of {what}", help=self.helps.get(key, ""))
