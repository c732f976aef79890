"""Tables and literal sets. In: a table's statement and the facts it reads; out: its entries and who may see them."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from colosseum.diagnostics import Diagnostic, Label, closest, report
from colosseum.language import syntax
from colosseum.language.csv_files import Sheet, whole
from colosseum.model import draws, table_rows
from colosseum.model.evaluate import choices, elements, evaluate, indexed, value
from colosseum.model.spec import place
from colosseum.model.table_rows import TableEntry
from colosseum.model.values import Elements, Entries, Fault, Key, Value, instance_name, kind, located, text
from colosseum.model.world import Environment, Poisoned, Read, TableData, World

if TYPE_CHECKING:
    from colosseum.model.realise import Realiser

Instance = tuple[Key, Environment]
DRAWS = ", ".join(draws.DRAWS.values())
Audience = dict[Key, tuple[str, ...]]


def table_data(name: str, facts: "Realiser") -> TableData:
    """Every entry of a table; raises Fault (Poisoned when the mistake is already reported)."""
    statement = facts.spec.symbols[name].statement
    if isinstance(statement, syntax.Set):
        return _column(name, statement, facts)
    assert isinstance(statement, syntax.Table)
    outer = facts.environment(decisions=name in facts.spec.derived)
    instances = list(indexed(statement.indices, outer))
    audience = _audience(statement, instances, facts) if statement.private else None
    if audience is None and outer.reads:
        raise Fault(f"which entries the public table `{name}` has depends on a private one", code="C062",
                    help="make it `private`", span=(statement.indices or statement).span)  # fmt: skip
    if statement.recipients and not statement.private:
        raise Fault("only a private table has recipients", code="C062",
                    help="add `private`", span=statement.recipients.span)  # fmt: skip
    match statement.source:
        case syntax.Given(value=syntax.MapLiteral()) | syntax.Loaded() | syntax.Grid():
            found = _listed(statement, instances, facts)
        case syntax.Given() | syntax.Drawn():
            found = _computed(statement, instances, audience, facts)
    if statement.of is not None:
        allowed = elements(statement.of, facts.environment())
        for key, entry in found.items():
            strange = [e for e in (entry if isinstance(entry, Elements) else (entry,)) if e not in allowed]
            if strange:
                what = f"{kind(strange[0])} `{text(strange[0])}`"
                message = f"`{instance_name(name, key)}` is {what}, which is not in the table's set"
                raise Fault(message, code="C061", help=f"its values are: {allowed}", span=statement.of.span)
    return TableData(name, found, audience)


def _computed(
    statement: syntax.Table, instances: list[Instance], audience: Audience | None, facts: "Realiser"
) -> Entries:
    derived, source = statement.name in facts.spec.derived, statement.source
    found: Entries = {}
    for key, env in instances:
        try:
            if isinstance(source, syntax.Drawn):
                found[key] = draw(source.call, draws.key(facts.seed, statement.name, key), env)
            elif isinstance(source, syntax.Given):
                found[key] = evaluate(source.value, env)  # type: ignore[assignment]  # a derived table holds terms
            if env.reads and not derived:
                seen_by = facts.members("agents") if audience is None else audience[key]
                for private, agent in unseen(env.reads, seen_by, facts):  # a table is seen by no more than its sources
                    help_ = "make it `private`" if audience is None else f"`{agent}` may not see `{private}`"
                    name = instance_name(statement.name, key)
                    message = f"`{name}` is computed from `{private}`, which fewer agents may see"
                    raise Fault(message, code="C062", help=help_)
        except Fault as fault:
            if key and not fault.help:
                fault.help = f"this happens for `{instance_name(statement.name, key)}`"
            raise
    return found


def unseen(reads: set[Read], agents: Iterable[Value], facts: World) -> Iterator[tuple[str, str]]:
    """The private cells that not all of these agents may see, each with an agent who may not."""
    for table, key in in_order(reads):
        audience = facts.table(table).audience  # none where an agent imagines the table
        hidden = (agent for agent in agents if audience is not None and agent not in audience[key])
        yield from ((instance_name(table, key), text(agent)) for agent in hidden)


def _audience(statement: syntax.Table, instances: list[Instance], facts: "Realiser") -> Audience:
    """The agents who see each entry: `to WHO`, else the agent at the first index whose elements are all agents."""
    agents = facts.members("agents")
    match statement.recipients:
        case syntax.ToWhom(recipient=recipient):
            return {key: people(value(recipient, env), agents, recipient) for key, env in instances}
        case syntax.ToEach(binders=binders, when=when):
            if when is not None:
                raise Fault("`when` tests decisions; a private table knows none", code="C062",
                            help="use `where`", span=when.span)  # fmt: skip
            first = binders.items[0].names[0]
            return {
                key: tuple(dict.fromkeys(
                    a for inner in choices(binders, env) for a in people(inner.bindings[first], agents, binders)
                ))
                for key, env in instances
            }  # fmt: skip
        case None:
            position = agent_position([key for key, _ in instances], agents)
            if not instances:
                return {}
            if position is None:
                raise Fault(f"nobody may see the private table `{statement.name}`: no index is an agent", code="C062",
                            help="say who sees it with `to WHO`")  # fmt: skip
            alone = {agent: (str(agent),) for agent in agents}
            return {key: alone[key[position]] for key, _ in instances}


def draw(call: syntax.Call, key: str, env: Environment) -> Value:
    """The value of `~ call` for one key; names in braces may be new elements."""
    arguments = [value(argument, env) for argument in call.arguments]
    if call.named:
        message = f"`{call.function}` takes no named arguments"
        raise Fault(message, code="C047", help=f"draws: {DRAWS}", span=call.named[0].span)
    return located(call.span, _drawn, call.function, key, arguments)


def _drawn(function: str, key: str, arguments: list[Value]) -> Value:
    match function, arguments:
        case "integer" | "normal" | "uniform", [one, other]:
            of_numbers = {"integer": draws.integer, "normal": draws.normal, "uniform": draws.uniform}
            return of_numbers[function](key, one, other)
        case "choice", [Elements(items=items)]:
            return draws.choice(key, items)
        case "choice", [_, _, *_]:
            return draws.choice(key, arguments)
        case "sample", [Elements() as pool, size]:
            return draws.sample(key, pool, size)
        case "shuffle", [Elements(items=items)]:
            return Elements(draws.shuffle(key, items))
    if function not in draws.DRAWS:
        help_ = closest(function, sorted(draws.DRAWS)) or f"draws: {DRAWS}"
        raise Fault(f"`{function}` is not a draw", code="C058", help=help_)
    shown = ", ".join(f"{kind(a)} (`{text(a)}`)" for a in arguments) or "nothing"
    raise Fault(f"`{function}` cannot draw from {shown}", code="C058", help=f"draws: {DRAWS}")


def in_order(reads: set[Read]) -> Iterable[Read]:
    """Cells by their written names: sets have no order of their own, and the same text must give the same words."""
    return sorted(reads, key=lambda read: instance_name(*read))


def agent_position(keys: list[Key], agents: Elements) -> int | None:
    """The first index whose elements are all agents, or None."""
    width = len(keys[0]) if keys else 0
    return next((i for i in range(width) if agents.as_set.issuperset([key[i] for key in keys])), None)


def people(who: Value, agents: Elements, at_node: syntax.Node) -> tuple[str, ...]:
    """An agent or a set of agents as a tuple of names."""
    items = who.items if isinstance(who, Elements) else (who,)
    for item in items:
        if item not in agents.as_set:
            raise Fault(f"`{text(item)}` is not an agent", code="C065", help=f"agents: {agents}", span=at_node.span)
    return tuple([str(item) for item in items])


def _listed(statement: syntax.Table, instances: list[Instance], facts: "Realiser") -> Entries:
    """The entries of a map, a grid or a file."""
    keys = [key for key, _ in instances]
    arity = len(keys[0]) if keys else 0
    match statement.source:
        case syntax.Given(value=syntax.MapLiteral() as entries):
            listed, rows = entries.span, _map_rows(statement.name, entries, arity if keys else 1, facts)
        case syntax.Grid() as grid:
            listed, rows = grid.span, table_rows.grid_rows(grid, arity=arity, findings=facts.findings)
        case syntax.Loaded() as loaded:
            sheet, names = _loaded(loaded, facts), tuple(names for _, names in table_rows.headings(statement))
            listed = whole(sheet.header)
            rows = table_rows.sheet_rows(sheet, table=statement.name, indices=names, at=loaded.span)
        case source:
            raise TypeError(source)
    return table_rows.fit(rows, keys, statement, listed, facts.findings)


def _map_rows(name: str, entries: syntax.MapLiteral, width: int, facts: "Realiser") -> list[TableEntry]:
    if width != 1:
        message = f"a map gives a value for each label of one index, and `{name}` has {width or 'no'} indices"
        other = "write it as a grid, or compute it by `= expr`"
        help_ = other if width else f"write `table {name}[S] = {{…}}` with the set of its labels"
        raise Fault(message, code="C061", help=help_, span=entries.span)
    env, rows = facts.environment(), list[TableEntry]()
    for pair in entries.pairs:
        key = pair.key.id if isinstance(pair.key, syntax.Name) else pair.key.value
        entry: Any = value(pair.value, env)  # which may be a set
        rows.append(((syntax.Cell(key, span=pair.key.span),), syntax.Cell(entry, span=pair.span)))
    return rows


def _column(name: str, statement: syntax.Set, facts: "Realiser") -> TableData:
    """A further column of a set's grid or CSV file, as a table over the set."""
    facts.members(statement.name)  # a set in error has no columns
    assert isinstance(statement.source, syntax.Loaded | syntax.Grid)
    sheet = _sheet(statement.source, facts)
    column = [str(cell.value) for cell in sheet.header].index(name)
    return TableData(name, {(row[0].value,): row[column].value for row in sheet.rows})


def set_elements(source: syntax.Loaded | syntax.Grid, facts: "Realiser") -> Elements:
    """The elements of a set from a file or a grid: the first column. Raises Poisoned for doubled ones, once told."""
    seen, diagnostics = dict[Value, syntax.Cell](), list[Diagnostic]()
    for cell, *_ in _sheet(source, facts).rows:
        if cell.value in seen:
            labels = [Label(seen[cell.value].span, "first here"), Label(source.span, "the set")]
            diagnostics.append(report("C061", cell.span, f"`{text(cell.value)}` is listed twice", labels=labels))
        seen.setdefault(cell.value, cell)
    facts.findings.refuse(diagnostics)
    return Elements(tuple(seen))


def _sheet(source: syntax.Loaded | syntax.Grid, facts: "Realiser") -> Sheet:
    """The columns of a set; the labels of a grid are the first one, which has no heading."""
    if isinstance(source, syntax.Loaded):
        return _loaded(source, facts)
    for row in source.rows:
        if len(row.label) != 1:
            raise Fault("a set's rows have one label each", code="C060", span=row.span)
        if len(row.cells) != len(source.columns):
            raise Fault(f"this row has {table_rows.uneven(len(row.cells), source)}", code="C060", span=row.span)
    corner = syntax.Cell("", span=source.span)
    return Sheet((corner, *source.columns), tuple((*row.label, *row.cells) for row in source.rows))


def _loaded(source: syntax.Loaded, facts: "Realiser") -> Sheet:
    sheet = facts.spec.sheets.get(place(source))
    if sheet is None:
        raise Poisoned("unreadable")
    if not sheet.seeds:
        return sheet
    rows = tuple(row for row, of in zip(sheet.rows, sheet.seeds, strict=True) if of == facts.seed)
    if not rows:
        known = ", ".join(map(str, dict.fromkeys(sheet.seeds)))
        message = f"this file has no data for seed {facts.seed}"
        raise Fault(message, code="C059", help=f"its seeds: {known}", span=source.span)
    return Sheet(sheet.header, rows)
