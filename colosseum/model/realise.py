"""Data for one seed. In: a declared spec, a seed and params; out: a World, every set, table and domain with its values.

Facts are computed when first asked for, so the order of statements never matters; a circle is a diagnostic.
"""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import field
from types import MappingProxyType
from typing import Any

from colosseum.diagnostics import Diagnostic, Label, Span, report
from colosseum.language import syntax
from colosseum.model import draws
from colosseum.model.evaluate import elements, indexed, value
from colosseum.model.networks import PUBLIC, joined, network_links
from colosseum.model.operations import LISTED
from colosseum.model.scenario import Graph
from colosseum.model.spec import BUILT_IN, Declared, check_names
from colosseum.model.tables import draw, set_elements, table_data
from colosseum.model.values import Elements, Fault, Key, Value, a, doubled, flatten, instance_name, kind, text
from colosseum.model.world import FAMILIES, Decided, Environment, Meter, Poisoned, Problems, World

LONGEST_WIRE = 60  # characters of the name that a channel has on the wire
UNMISTAKABLE = ("set", "reward", "requirement", "claim", "rubric")
"""Kinds whose names never stand where an element could, or that are sets of elements themselves."""


class Anything(frozenset[str]):
    """The elements before they are known: any name may be one, except what is built in."""

    def __contains__(self, name: object) -> bool:
        return name not in BUILT_IN


class Realiser(World):
    """Facts that are computed on demand and remembered; params that are set from outside are there from the start."""

    seed: int = 0
    graph: Graph | None = None
    """A network in place of the spec's own."""
    findings: Problems = field(default_factory=Problems)
    meter: Meter = field(default_factory=Meter)
    wrong: set[tuple[str, str]] = field(default_factory=set)
    """The facts that are in error."""
    open: list[tuple[str, str]] = field(default_factory=list)
    """The facts that are being computed, to notice circles."""

    births: dict[str, Span] = field(default_factory=dict)
    """The span where each named element first got its name."""

    def __post_init__(self) -> None:
        if not self.elements:
            vars(self)["elements"] = Anything()  # while the ranges in `x[1..n]` are counted
            for statement in self.spec.composition.statements:
                for name, span in self._births(statement):
                    self.births.setdefault(name, span)
            vars(self)["elements"] = frozenset(self.births)

    def _births(self, statement: syntax.Statement) -> Iterator[tuple[str, Span]]:
        """Every element that is born in a statement, and where: in expressions, names and texts in braces, `x[1..n]`.

        A bare name that is declared or bound refers to that.
        """
        spec, exprs, rows = self.spec, tuple[syntax.Expr, ...](), list[tuple[syntax.Cell, ...]]()
        match statement:
            case syntax.Agents(items=items, span=span):
                exprs = (syntax.SetLiteral(items, span=span),)
            case syntax.Set(source=syntax.Given(value=expr)):
                exprs = (expr,)
            case syntax.Set(source=syntax.Drawn(call=call)) | syntax.Table(source=syntax.Drawn(call=call)):
                exprs = call.arguments
            case syntax.Set(source=syntax.Grid() as grid):
                rows = [(*row.label, *row.cells) for row in grid.rows]
            case syntax.Table(source=syntax.Grid() as grid):
                rows = [row.cells for row in grid.rows]
            case syntax.Set(source=syntax.Loaded()) | syntax.Table(source=syntax.Loaded()):
                rows = [*spec.sheets[statement.name].rows] if statement.name in spec.sheets else []
        yield from ((cell.value, cell.span) for row in rows for cell in row if isinstance(cell.value, str))
        nodes = [node for expr in exprs for node in syntax.walk(expr)]
        bound = {name for node in syntax.walk(statement) if isinstance(node, syntax.Binder) for name in node.names}
        known = {*bound, *spec.doubts.contested, *spec.symbols}
        for node in nodes:
            match node:
                case syntax.SetLiteral(items=items):
                    yield from ((item.value, item.span) for item in items if isinstance(item, syntax.Text))
                    named = (item for item in items if isinstance(item, syntax.Name))
                    yield from ((item.id, item.span) for item in named if item.id not in known)
                case syntax.Lookup(base=syntax.Name(id=name), keys=(syntax.Range() as of,)) if name not in spec.symbols:
                    with suppress(Fault):  # told where the set itself is computed
                        yield from ((f"{name}{i}", node.span) for i in elements(of, self.environment()))

    def environment(self, *, decisions: bool = True) -> Environment:
        """A place to evaluate in, without bindings."""
        return Environment(self, self.meter, decisions=decisions)

    def fact(self, family: str, name: str) -> Any:
        key, known = (family, name), getattr(self, family)
        if name in known:
            return known[name]
        if key in self.wrong:
            raise Poisoned(f"`{name}` is in error")
        if name in self.spec.doubts.contested or (name not in self.spec.symbols and name != "links"):
            raise Poisoned(f"what `{name}` is, is uncertain")
        if key in self.open:
            circle = " -> ".join(f"`{n}`" for _, n in [*self.open[self.open.index(key) :], key])
            running = "no entry may read another one; add up earlier ones: `sum(… for s in 1..t)`"
            help_ = running if self.open[-1] == key and family == "tables" else ""
            raise Fault(f"`{name}` depends on itself: {circle}", code="C049", help=help_)
        self.open.append(key)
        try:
            known[name] = self._made(family, name)
        except Fault as fault:
            symbol = self.spec.symbols.get(name)
            self.findings.fault(fault, symbol.span if symbol else self.spec.composition.scenario.span)
            self.wrong.add(key)
        finally:
            self.open.pop()
        return self.fact(family, name)

    def _made(self, family: str, name: str) -> object:
        """What a statement says, computed. Raises Fault."""
        symbol, env = self.spec.symbols.get(name), self.environment(decisions=False)
        match family, symbol and symbol.statement:
            case "tables", syntax.Table() | syntax.Set() as statement:
                return table_data(name, statement, self)
            case "domains", syntax.Variable() as statement:
                return _decided(statement, self.environment())
            case "params", syntax.Param(value=expr):
                made = value(expr, env)
            case "sets", None:
                made = network_links(self)
            case "sets", syntax.Agents(items=items):
                made = self._agents(items, env)
            case "sets", syntax.Set(source=source):
                made = self._set(name, source, env)
            case "sets", syntax.Coalition(members=source) | syntax.Channel(members=source):
                made = self._people(name, source, env)
        env.refuse_private(name)
        return made

    def _agents(self, items: tuple[syntax.Expr, ...], env: Environment) -> Elements:
        made: list[tuple[Value, Span]] = []
        for item in items:
            part = value(item, env)
            made += ((agent, item.span) for agent in (part if isinstance(part, Elements) else (part,)))
        for agent, span in made:
            if not isinstance(agent, str):
                message = f"an agent is a name, not {kind(agent)} (`{text(agent)}`)"
                raise Fault(message, code="C057", help="as in `agents A, B` or `engineer[1..4]`", span=span)
        for agent, span, labels in doubled(made):
            message = f"the agent `{text(agent)}` is listed twice"
            self.findings.add(report("C061", span, message, labels=labels, help="leave one of them out"))
        if not made:
            raise Fault("there must be at least one agent", code="C043",
                        help="as in `agents A, B`; `engineer[1..n]` is nobody when `n` is below 1")  # fmt: skip
        return Elements.of(agent for agent, _ in made)

    def _set(self, name: str, source: syntax.ValueSource, env: Environment) -> Elements:
        match source:
            case syntax.Given(value=expr):
                made: Value = elements(expr, env)
            case syntax.Drawn(call=call):
                made = draw(call, draws.key(self.seed, name), env)
            case syntax.Loaded() | syntax.Grid():
                made = set_elements(name, source, self)
        if not isinstance(made, Elements):
            raise Fault(f"this draws {kind(made)}, not a set", code="C057", help="`sample` draws a set")
        for element in flatten(made):
            if not isinstance(element, str) and type(element) is not int:
                message = f"a set has names, whole numbers and pairs of them, not {kind(element)} (`{text(element)}`)"
                raise Fault(message, code="C057", span=source.span, help="quote `on`, `off`" * (type(element) is bool))
        written = ((", ".join(text(part) for part in flatten((element,))), source.span) for element in made)
        for each, span, _ in doubled(written):
            raise Fault(f"two elements of `{name}` would both be written `{each}`", code="C061", span=span)
        return made

    def _people(self, name: str, source: syntax.Given | syntax.Drawn, env: Environment) -> Elements:
        """Members of a coalition or channel: agents, in declared order."""
        drawn = source.call if isinstance(source, syntax.Drawn) else None
        where = source.value if isinstance(source, syntax.Given) else source.call
        chosen = draw(drawn, draws.key(self.seed, name), env) if drawn else value(where, env)
        found = Elements.of([chosen]) if isinstance(chosen, str) else chosen
        if not isinstance(found, Elements):
            raise Fault(f"`{name}` needs a set of agents, not {kind(found)}", code="C068")
        agents = self.members("agents")
        strange = next((m for m in found if m not in agents), None)
        if strange is not None:
            listed = where.items if isinstance(where, syntax.SetLiteral) else ()
            span = next((i.span for i in listed if isinstance(i, syntax.Name) and i.id == strange), where.span)
            raise Fault(f"`{text(strange)}` is not an agent", code="C068", help=f"agents: {agents}", span=span)
        whole = self.spec.symbols.get(where.id) if isinstance(where, syntax.Name) else None
        if not (found or drawn or (whole and whole.kind == "coalition")):  # a param may ask for 0 of such a coalition
            raise Fault(f"`{name}` has no members", code="C068")
        return Elements(tuple(a for a in agents if a in found))


def _decided(statement: syntax.Variable, outer: Environment) -> Decided:
    """Every instance of a variable. Raises Fault."""
    found = Decided(statement.name, {}, {})
    for key, env in indexed(statement.indices, outer):
        found.domains[key] = _domain(statement, instance_name(statement.name, key), env)
        found.reads[key] = env.reads
    for name, span, _ in doubled((instance_name(statement.name, key), statement.name_span) for key in found.domains):
        raise Fault(f"two instances of `{statement.name}` would both be named `{name}`", code="C061", span=span)
    return found


def _domain(statement: syntax.Variable, name: str, env: Environment) -> Key:
    """What the variable of this name may be; `or none` adds the opt-out last."""
    expr, optional = statement.domain, False
    while isinstance(expr, syntax.Logical) and expr.operator == "or" and isinstance(expr.right, syntax.NoneLiteral):
        expr, optional = expr.left, True
    items = elements(expr, env).items
    env.meter.count(len(items) // LISTED)  # so that many instances of a long range are not too many in all
    if None in items:
        raise Fault("`none` is added with `or none`, not put in the set", code="C064",
                    help="as in `variable pick[agents]: tasks or none`", span=expr.span)  # fmt: skip
    if not items and not optional:
        raise Fault(f"`{name}` has nothing to choose from", code="C064", help="an empty domain has no decision")
    return (*items, None) if optional else items


def realise(
    spec: Declared, *, seed: int, params: Mapping[str, Value], sets: Mapping[str, Elements] = MappingProxyType({}),
    graph: Graph | None = None, meter: Meter | None = None,
) -> tuple[World, list[Diagnostic]]:  # fmt: skip
    """Compute every fact but `sets` that are given; all mistakes are reported. The world lacks what is in error."""
    facts = Realiser(spec, dict(params), dict(sets), seed=seed, graph=graph, meter=meter or Meter())
    facts.findings.add(*check_names(spec, facts.elements))
    known: dict[str, dict[str, Any]] = {family: {} for family in FAMILIES.values()}
    wanted = [(FAMILIES[s.kind], s.name, s.span) for s in spec.symbols.values() if s.kind in FAMILIES]
    for family, name, span in (*wanted, ("sets", "links", spec.composition.scenario.span)):
        with facts.findings.caught(span):
            known[family][name] = facts.fact(family, name)
    known["sets"].setdefault("links", Elements(()))
    _check_elements(facts)
    _check_channels(facts, tuple(str(a) for a in known["sets"].get("agents", ())))
    return World(spec, **known, elements=facts.elements), facts.findings.diagnostics


def _check_elements(facts: Realiser) -> None:
    """An element never equals a table, param, variable, coalition, channel or prompt, nor what is built in."""
    for name, born in facts.births.items():
        symbol = facts.spec.symbols.get(name)
        if symbol is not None and symbol.kind not in UNMISTAKABLE:
            message = f"`{name}` is both an element and {a(symbol.kind)}"
            labels = [Label(born, "the element")]
            facts.findings.add(report("C040", symbol.span, message, labels=labels, help="rename one of them"))
        if name in BUILT_IN:
            message = f"`{name}` is built in and cannot name an element"
            facts.findings.add(report("C042", born, message, help="choose another name"))


def _check_channels(facts: Realiser, agents: tuple[str, ...]) -> None:
    """No declared channel is named as one of the network's own may be: a post reaches whom its channel's name says."""
    for statement in facts.spec.of(syntax.Channel):
        names = [(statement.name, statement.name_span)]
        if wire := statement.wire:
            names.append((wire.value, wire.span))
            if not (wire.value.isprintable() and 0 < len(wire.value.strip()) == len(wire.value) <= LONGEST_WIRE):
                message = f"a channel's name has 1 to {LONGEST_WIRE} characters on one line, and no blank at either end"
                facts.findings.add(report("C042", wire.span, message))
        for name, span in names:
            if name == PUBLIC or joined(name, agents):  # posts go by name
                message = f"`{name}` is how a network names a channel of its own"
                facts.findings.add(report("C042", span, message, help="choose another name"))
