"""Names in expressions. In: a Spec and the elements it declares; out: every name that means nothing, where it stands.

Evaluation would find only the first unknown name of a statement, and none in a loop over nothing; this pass finds all.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from colosseum.diagnostics import Diagnostic, Label, Span, closest, report
from colosseum.language import syntax
from colosseum.model.functions import DRAWS, FUNCTIONS
from colosseum.model.networks import PARAMETERS
from colosseum.model.spec import Spec, walk
from colosseum.model.values import a

AGGREGATES = ("sum", "min", "max")
NOTHING = ("nothing", "null", "None", "nil", "NULL", "NA", "empty", "nobody")
TRUTHS = ("true", "false", "True", "False", "TRUE", "FALSE")
_DRAWN = "draws stand after `~`, as in `table t[S] ~ integer(1, 6)` or `~ uniform(0, 1)`"
_AVERAGE = "an average is a sum by a size: `sum(x[i] for i in S) / size(S)`"
_HABITS = {
    **dict.fromkeys(("random", "rand", "randint", "randrange", "runif", "rnorm", "gauss"), _DRAWN),
    "average": _AVERAGE,
    "avg": _AVERAGE,
    "mean": _AVERAGE,
    "len": "did you mean `size`?",
    "length": "did you mean `size`?",
    "card": "did you mean `size`?",
    "range": "a range is written `1..8`",
    "round": "numbers are not rounded, except in prompts: `{{ x | round(1) }}`",
    "exists": "did you mean `any`, as in `any(i in S when …)`?",
    "forall": "did you mean `all`, as in `all(i in S when …)`?",
}
"""What to write in place of functions of other languages."""


def check_names(spec: Spec, elements: frozenset[str]) -> Iterator[Diagnostic]:
    """Unknown names, functions and tables, and binders that hide a declared name."""
    scope = _Scope(spec, elements)
    for statement in spec.composition.statements:
        for part in _parts(statement):
            bound, found = scope.indices(part.indices)
            yield from found
            yield from map(scope.as_agents, scope.recipients(part.recipients, bound))
            for expr in part.exprs:
                told = scope.expression(expr, bound, births=part.births)
                if isinstance(statement, syntax.Variable):
                    told = map(_in_domain if expr is statement.domain else scope.as_agents, told)
                yield from map(scope.as_agents, told) if part.agents else told
            told = scope.source(part.source, bound, births=part.births)
            yield from map(scope.as_agents, told) if part.agents else told


def _in_domain(diagnostic: Diagnostic) -> Diagnostic:
    """A domain chooses among elements that exist: none are born in it."""
    if diagnostic.code != "C041" or diagnostic.help:
        return diagnostic
    name = diagnostic.span.text if diagnostic.span else ""
    return replace(diagnostic, help=(f"new names are born in a set, as in `set answers = {{{name}, …}}`",))


def _no_loop(function: str, span: Span) -> Diagnostic:
    """What to say of `f(… for …)`."""
    loops = (*AGGREGATES, "count", "any", "all")
    if function in FUNCTIONS:
        return report("C047", span, f"`{function}` takes no loop", help=f"loops: {', '.join(loops)}")
    help_ = _HABITS.get(function.lower()) or closest(function, loops) or f"loops: {', '.join(loops)}"
    return report("C047", span, f"`{function}` is not a function", help=help_)


@dataclass(frozen=True)
class _Part:
    """What is looked at of a statement: its indices bind names in all the rest."""

    exprs: tuple[syntax.Expr | None, ...] = ()
    indices: syntax.Indices | None = None
    recipients: syntax.Recipients | None = None
    source: syntax.ValueSource | None = None
    births: bool = False
    """Whether names in braces may be new elements."""
    agents: bool = False
    """Whether it says who is meant."""


def _parts(statement: syntax.Statement) -> Iterator[_Part]:
    match statement:
        case syntax.Param(value=value):
            yield _Part((value,))
        case syntax.Agents(items=items):
            yield _Part(tuple(i for i in items if not isinstance(i, syntax.Name)), births=True)
        case syntax.Set(source=source):
            yield _Part(source=source, births=True)
        case syntax.Table(indices=indices, recipients=recipients, of=of, source=source):
            yield _Part((of,))
            yield _Part((), indices, recipients, source)
        case syntax.Variable(indices=indices, owner=owner, domain=domain):
            yield _Part((owner, domain), indices)
        case syntax.Reward(indices=indices, recipients=recipients, when=when, value=value):
            yield _Part((when, value), indices, recipients)
        case syntax.Require(indices=indices, recipients=recipients, when=when, condition=condition, penalty=penalty):
            yield _Part((when, condition, penalty), indices, recipients)
        case syntax.Coalition(members=source, objectives=objectives):
            yield _Part(source=source, agents=True)
            for objective in objectives:
                yield _Part((objective.when, objective.value), objective.indices)
        case syntax.Channel(members=source):
            yield _Part(source=source, agents=True)
        case syntax.Claim(indices=indices):
            yield _Part((), indices)
        case syntax.Prompt(recipients=expr):
            yield _Part((expr,), agents=True)
        case syntax.Network() | syntax.Rubric() | syntax.Experiment():
            pass  # a graph, a text and settings are read where they are used


class _Scope:
    """What names mean in a spec."""

    def __init__(self, spec: Spec, elements: frozenset[str]) -> None:
        self.spec, self.elements = spec, elements

    def indices(self, indices: syntax.Indices | None) -> tuple[dict[str, Span], list[Diagnostic]]:
        """The binders of a statement's indices and what is wrong with them."""
        bound: dict[str, Span] = {}
        found: list[Diagnostic] = []
        for index in indices.items if indices else ():
            found += [self._as_index(index, d) for d in self.expression(index.domain, bound)]
            found += self.bind(index.names, index.span, bound)
        if indices is not None:
            found += self.expression(indices.where, bound)
        return bound, found

    def _as_index(self, index: syntax.Index, diagnostic: Diagnostic) -> Diagnostic:
        """`[a]` alone: an index is a set, or a name for each of its elements."""
        if index.names or diagnostic.code != "C041" or diagnostic.help:
            return diagnostic
        help_ = "an index is a set, or a name for each of its elements"
        return replace(diagnostic, help=(f"{help_}: `[agents]` or `[{index.span.text} in agents]`",))

    def as_agents(self, diagnostic: Diagnostic) -> Diagnostic:
        """Where it is said who is meant, an unknown name like no other is told with the agents there are."""
        statement = next(self.spec.of(syntax.Agents), None)
        if diagnostic.code != "C041" or diagnostic.help or statement is None:
            return diagnostic
        names = ", ".join(" ".join(item.span.text.split()) for item in statement.items)
        return replace(diagnostic, help=(f"agents: {names}",))

    def bind(self, names: tuple[str, ...], span: Span, bound: dict[str, Span]) -> Iterator[Diagnostic]:
        """Add binders; one that hides a declared name, an element or another binder is an error."""
        for name in names:
            symbol = self.spec.symbols.get(name)
            if symbol is not None or name in bound or name in self.elements:
                what = f"the {symbol.kind} `{name}`" if symbol else f"the binder `{name}`" if name in bound else (
                    f"the element `{name}`"
                )  # fmt: skip
                labels = [Label(symbol.span, "declared here")] if symbol else []
                message = f"the binder `{name}` hides {what}"
                yield report("C040", span, message, labels=labels, help="choose another name")
            bound[name] = span

    def binders(self, binders: syntax.Binders, bound: dict[str, Span]) -> tuple[dict[str, Span], list[Diagnostic]]:
        """The names inside a loop."""
        inner, found = dict(bound), list[Diagnostic]()
        for binder in binders.items:
            found += self.expression(binder.domain, inner)
            found += self.bind(binder.names, binder.span, inner)
        found += self.expression(binders.where, inner)
        return inner, found

    def recipients(self, recipients: syntax.Recipients | None, bound: dict[str, Span]) -> Iterator[Diagnostic]:
        """`to …`."""
        match recipients:
            case syntax.ToWhom(recipient=expr):
                yield from self.expression(expr, bound)
            case syntax.ToEach(binders=binders, when=when):
                inner, found = self.binders(binders, bound)
                yield from found
                yield from self.expression(when, inner)
            case None:
                pass

    def source(
        self, source: syntax.ValueSource | None, bound: dict[str, Span], *, births: bool
    ) -> Iterator[Diagnostic]:
        """`= expr` and `~ call`; grids and files name only what they declare."""
        match source:
            case syntax.Given(value=syntax.MapLiteral(pairs=pairs)):
                for pair in pairs:
                    yield from self.expression(pair.value, bound)
            case syntax.Given(value=expr):
                yield from self.expression(expr, bound, births=births)
            case syntax.Drawn(call=call):
                for argument in call.arguments:
                    yield from self.expression(argument, bound, births=True)
            case syntax.Loaded() | syntax.Grid() | None:
                pass

    def expression(
        self, expr: syntax.Expr | None, bound: dict[str, Span], *, births: bool = False
    ) -> Iterator[Diagnostic]:
        """Every name of an expression."""
        match expr:
            case None:
                return
            case syntax.Name(id=name):
                if not self.means(name, bound):
                    yield from self.unknown(name, expr.span, bound)
            case syntax.Lookup(base=syntax.Name(id=name) as base, keys=keys):
                yield from self.base(name, base.span, keys, bound, births=births)
                for key in keys:
                    yield from self.expression(key, bound)
            case syntax.Aggregate(function=function, body=body, binders=binders, when=when):
                if function not in AGGREGATES:
                    yield _no_loop(function, expr.span)
                yield from self.loop(binders, (body, when), bound)
            case syntax.Quantifier(binders=binders, when=when):
                yield from self.loop(binders, (when,), bound)
            case syntax.SetBuilder(body=body, binders=binders):
                yield from self.loop(binders, (body,), bound)
            case syntax.SetLiteral(items=items):
                for item in items:
                    if not (births and isinstance(item, syntax.Name)):
                        yield from self.expression(item, bound)
            case syntax.Call(function="sum"):
                yield report("C047", expr.span, "`sum` needs a loop", help="as in `sum(cost[a] for a in agents)`")
            case syntax.Call(function=function):
                if function not in FUNCTIONS and function not in PARAMETERS:
                    yield from self.not_called(function, expr.span)
                yield from self.below(expr, bound, births=births)
            case _:
                yield from self.below(expr, bound, births=births)

    def not_called(self, function: str, span: Span) -> Iterator[Diagnostic]:
        """What to say of a call of something that is no function."""
        symbol = self.spec.symbols.get(function)
        if symbol is not None and symbol.kind in ("table", "variable"):
            message = f"`{function}` is {a(symbol.kind)}, which is looked up in square brackets"
            inside = " ".join(span.text.removeprefix(function).strip("( )").split())
            labels = [Label(symbol.span, "declared here")]
            yield report("C047", span, message, labels=labels, help=f"write `{function}[{inside}]`")
        elif symbol is not None or not self.spec.doubts.covers(function):
            help_ = _HABITS.get(function.lower()) or closest(function, FUNCTIONS)
            help_ = help_ or f"functions: {', '.join(f for f in FUNCTIONS if f not in DRAWS)}"
            yield report("C047", span, f"`{function}` is not a function", help=help_)

    def loop(
        self, binders: syntax.Binders, parts: tuple[syntax.Expr | None, ...], bound: dict[str, Span]
    ) -> Iterator[Diagnostic]:
        """What stands inside a loop."""
        inner, found = self.binders(binders, bound)
        yield from found
        for part in parts:
            yield from self.expression(part, inner)

    def below(self, node: syntax.Node, bound: dict[str, Span], *, births: bool) -> Iterator[Diagnostic]:
        """The parts of an expression that binds nothing."""
        for field in node.__dataclass_fields__:
            value = getattr(node, field)
            for part in value if isinstance(value, tuple) else (value,):
                if isinstance(part, syntax.NamedArgument | syntax.Pair):
                    yield from self.expression(part.value, bound, births=births)
                elif isinstance(part, syntax.Node):
                    yield from self.expression(part, bound, births=births)  # type: ignore[arg-type]

    def means(self, name: str, bound: dict[str, Span]) -> bool:
        """Whether a bare name has a meaning here."""
        return name in bound or name in self.elements or name in self.spec.symbols or name in ("links", "total")

    def base(
        self, name: str, span: Span, keys: tuple[syntax.Expr, ...], bound: dict[str, Span], *, births: bool
    ) -> Iterator[Diagnostic]:
        """What stands before `[…]`."""
        symbol = self.spec.symbols.get(name)
        if name in bound and symbol is not None:
            return  # that the binder hides it was said
        if name in bound or (symbol and symbol.kind not in ("table", "variable")):
            what = a(symbol.kind) if symbol else "a binder"
            labels = [Label(symbol.span, "declared here")] if symbol else []
            yield report("C044", span, f"`{name}` is {what}, not a table or a variable", labels=labels)
        elif symbol is None and name != "payoff":
            enumerated = len(keys) == 1 and isinstance(keys[0], syntax.Range)
            if not (enumerated and (births or any(e.startswith(name) for e in self.elements))):
                yield from self.unknown(name, span, bound, among=("table", "variable"))

    def unknown(
        self, name: str, span: Span, bound: dict[str, Span], *, among: tuple[str, ...] = ()
    ) -> Iterator[Diagnostic]:
        """What to say about a name that means nothing; nothing when it may be declared where the text is broken."""
        if self.spec.doubts.covers(name):
            return
        declared = [s.name for s in self.spec.symbols.values() if not among or s.kind in among]
        known = declared if among else [*bound, *declared, *self.elements]
        what = "a table or a variable" if among else "anything"
        foreign = name in NOTHING or name in TRUTHS
        help_ = (not foreign and self._plural(name)) or (not foreign and closest(name, known)) or self._hint(name)
        yield report("C041", span, f"`{name}` is not the name of {what}", help=help_)

    def _plural(self, name: str) -> str:
        """`engineers` for the set of engineer1, engineer2, …."""
        stem = name.removesuffix("s")
        for statement in self.spec.composition.statements:
            if isinstance(statement, syntax.Agents | syntax.Set) and stem != name:
                for node in walk(statement):
                    if isinstance(node, syntax.Lookup) and isinstance(node.base, syntax.Name) and node.base.id == stem:
                        return f"did you mean `{statement.name}`, the set of `{stem}1`, …?"
        return ""

    def _hint(self, name: str) -> str:
        if name in NOTHING:
            return "to choose nothing is written `none`"
        if name in TRUTHS:
            return "there are no such values; a condition is a comparison, and `1 if condition else 0` counts it"
        if name == "network":
            return "`links` are the pairs that it joins; its kind can be compared in the `where` of a sweep only"
        if name == "payoff":
            return "in a coalition's objective, what the agent A is paid is `payoff[A]`, what all are paid `total`"
        family = [e for e in self.elements if e.startswith(name) and e[len(name) :].isdigit()]
        if not family:
            return ""
        return f"`{name}` is how elements are named (`{min(family, key=len)}`); did you mean the set they are in?"
