"""Tables and literal sets. In: a table's statement and the facts it reads; out: its entries and who may see them.

A grid, a map or a CSV file is total: a missing, doubled or unknown entry is a diagnostic. A wrong label is told once,
at the label, and not for every cell beside it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

from colosseum.diagnostics import Diagnostic, Label, Span, closest, counted, report
from colosseum.language import syntax
from colosseum.language.csv_files import Sheet, cell_value, whole
from colosseum.language.syntax import Cell
from colosseum.model import draws
from colosseum.model.evaluate import choices, elements, evaluate, indexed, value
from colosseum.model.values import Elements, Entries, Fault, Key, Value, doubled, instance_name, kind, located, text
from colosseum.model.world import Environment, Poisoned, Problems, Read, TableData, World

if TYPE_CHECKING:
    from colosseum.model.realise import Realiser

Instance = tuple[Key, Environment]
Audience = dict[Key, tuple[str, ...]]
MOST_LISTED = 3  # entries that a message names before it counts the rest
MOST_KNOWN = 8  # labels that a help names
MOST_COMPARED = 2000  # labels among which a near one is looked for
TableEntry: TypeAlias = tuple[tuple[Cell, ...], Cell]
"""The labels of an entry of a table as data gives it, and its value."""


def table_data(name: str, statement: syntax.Table | syntax.Set, facts: "Realiser") -> TableData:
    """Every entry of a table, or of a further column of a set; raises Fault (Poisoned when it is already reported)."""
    if isinstance(statement, syntax.Set):
        facts.members(statement.name)  # a set in error has no columns
        assert isinstance(statement.source, syntax.Loaded | syntax.Grid)
        sheet = _sheet(statement.name, statement.source, facts)
        column = [str(cell.value) for cell in sheet.header].index(name)
        return TableData(name, {(row[0].value,): row[column].value for row in sheet.rows})
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
        each = ((k, e) for k, entry in found.items() for e in (entry if isinstance(entry, Elements) else (entry,)))
        for key, strange in ((k, e) for k, e in each if e not in allowed):
            what = f"{kind(strange)} `{text(strange)}`"
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
        case syntax.ToEach(when=when) as each:
            if when is not None:
                raise Fault("`when` tests decisions; a private table knows none", code="C062",
                            help="use `where`", span=when.span)  # fmt: skip
            return {key: tuple(dict.fromkeys(agent for agent, _ in rounds_of(each, env))) for key, env in instances}
        case None:
            position = agent_position([key for key, _ in instances], agents)
            if not instances:
                return {}
            if position is None:
                raise Fault(f"nobody may see the private table `{statement.name}`: no index is an agent", code="C062",
                            help="say who sees it with `to WHO`")  # fmt: skip
            return {key: (str(key[position]),) for key, _ in instances}


def draw(call: syntax.Call, key: str, env: Environment) -> Value:
    """The value of `~ call` for one key; names in braces may be new elements."""
    arguments = [value(argument, env) for argument in call.arguments]
    if call.named:
        message = f"`{call.function}` takes no named arguments"
        raise Fault(message, code="C047", help=draws.FORMS, span=call.named[0].span)
    return located(call.span, draws.drawn, call.function, key, arguments)


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


def rounds_of(each: syntax.ToEach, env: Environment) -> Iterator[tuple[str, Environment]]:
    """The agents of `each(…)`, whatever its `when` says, each with the round that names it."""
    agents, first = env.facts.members("agents"), each.binders.items[0].names[0]
    for inner in choices(each.binders, env):
        yield from ((agent, inner) for agent in people(inner.bindings[first], agents, each.binders))


def _listed(statement: syntax.Table, instances: list[Instance], facts: "Realiser") -> Entries:
    """The entries of a map, a grid or a file."""
    keys = [key for key, _ in instances]
    arity = len(keys[0]) if keys else 0
    match statement.source:
        case syntax.Given(value=syntax.MapLiteral() as entries):
            listed, rows = entries.span, _map_rows(statement.name, entries, arity if keys else 1, facts)
        case syntax.Grid() as grid:
            listed, rows = grid.span, grid_rows(grid, arity=arity, findings=facts.findings)
        case syntax.Loaded() as loaded:
            sheet, names = _loaded(statement.name, loaded, facts), tuple(names for _, names in headings(statement))
            listed = whole(sheet.header)
            rows = sheet_rows(sheet, table=statement.name, indices=names, at=loaded.span)
        case source:
            raise TypeError(source)
    return fit(rows, keys, statement, listed, facts.findings)


def _map_rows(name: str, entries: syntax.MapLiteral, width: int, facts: "Realiser") -> list[TableEntry]:
    if width != 1:
        message = f"a map gives a value for each label of one index, and `{name}` has {width or 'no'} indices"
        help_ = f"write `table {name}[S] = {{…}}` with the set of its labels, or a grid"
        raise Fault(message, code="C061", help=help_, span=entries.span)
    env, rows = facts.environment(), list[TableEntry]()
    for pair in entries.pairs:
        key = pair.key.id if isinstance(pair.key, syntax.Name) else pair.key.value
        entry: Any = value(pair.value, env)  # which may be a set
        rows.append(((Cell(key, span=pair.key.span),), Cell(entry, span=pair.span)))
    return rows


def set_elements(name: str, source: syntax.Loaded | syntax.Grid, facts: "Realiser") -> Elements:
    """The elements of a set from a file or a grid: the first column. Raises Poisoned for doubled ones, once told."""
    first, last = [row[0] for row in _sheet(name, source, facts).rows], Label(source.span, "the set")
    facts.findings.refuse(
        report("C061", span, f"`{text(element)}` is listed twice", labels=[*labels, last])
        for element, span, labels in doubled((cell.value, cell.span) for cell in first)
    )
    return Elements.of(cell.value for cell in first)


def _sheet(name: str, source: syntax.Loaded | syntax.Grid, facts: "Realiser") -> Sheet:
    """The columns of a set; the labels of a grid are the first one, which has no heading."""
    if isinstance(source, syntax.Loaded):
        return _loaded(name, source, facts)
    grid_rows(source, arity=2, findings=facts.findings)  # refuses rows of other lengths
    corner = Cell("", span=source.span)
    return Sheet((corner, *source.columns), tuple((*row.label, *row.cells) for row in source.rows))


def _loaded(name: str, source: syntax.Loaded, facts: "Realiser") -> Sheet:
    sheet = facts.spec.sheets.get(name)
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


# ---- entries of data ---------------------------------------------------------------------------------------


def headings(table: syntax.Table) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The set that each index runs over, and what a CSV header may call it; a pair's parts have no set."""
    for index in table.indices.items if table.indices else ():
        domain = index.domain.id if isinstance(index.domain, syntax.Name) else ""
        if len(index.names) > 1:
            yield from (("", (name,)) for name in index.names)
        else:
            yield domain, tuple(n for n in (domain, *index.names) if n)


def fit(rows: Iterable[TableEntry], keys: Iterable[Key], table: syntax.Table, at: Span, findings: Problems) -> Entries:
    """The entries in the order of the keys, listed at a span. Raises Poisoned when something is wrong, and reported."""
    order = dict.fromkeys(keys)
    labels = [dict.fromkeys(column) for column in zip(*order, strict=True)] if order else []
    found: dict[Key, Cell] = {}
    strange: dict[tuple[int, Value], Cell] = {}
    beside: list[tuple[Key, Cell]] = []
    diagnostics: list[Diagnostic] = []
    for parts, entry in rows:
        key = tuple(part.value for part in parts)
        unknown = [i for i, part in enumerate(key) if i >= len(labels) or part not in labels[i]]
        for position in unknown:
            strange.setdefault((position, key[position]), parts[position])
        if key in found:
            message = f"`{instance_name(table.name, key)}` is given twice"
            diagnostics.append(report("C061", entry.span, message, labels=[Label(found[key].span, "first here")]))
        elif key in order:
            found[key] = entry
        elif not unknown:
            beside.append((key, entry))
    for (position, _), label in strange.items():
        diagnostics.append(_unknown_label(position, label, labels, table))
    if beside:  # their labels are known, but not together
        names = few([f"`{instance_name(table.name, key)}`" for key, _ in beside])
        help_ = "the `where` of its indices leaves this out; without it, every combination has a value"
        here = [Label(table.name_span, "the table")]
        diagnostics.append(report("C061", beside[0][1].span, f"the table has no {names}", labels=here, help=help_))
    if not strange:
        diagnostics += _missing([key for key in order if key not in found], table, at)
    findings.refuse(diagnostics)
    return {key: found[key].value for key in order}


def _unknown_label(
    position: int, label: Cell, labels: Sequence[Mapping[Value, None]], table: syntax.Table
) -> Diagnostic:
    """A row's or column's label that no entry of the table has."""
    part = text(label.value)
    over = dict(enumerate(name for name, _ in headings(table))).get(position)
    known = [text(each) for each in labels[position]] if position < len(labels) else []
    what = f"is not in `{over}`, over which `{table.name}` runs" if over else f"is not an index of `{table.name}`"
    labelled = [Label(table.name_span, "the table")]
    owner = f"`{over}` has" if over else "known are"
    help_ = closest(part, known[:MOST_COMPARED]) or (f"{owner}: {few(known, MOST_KNOWN)}" if known else "")
    return report("C061", label.span, f"`{part}` {what}", labels=labelled, help=help_)


def _missing(keys: Sequence[Key], table: syntax.Table, at: Span) -> Iterator[Diagnostic]:
    if keys:
        in_file = at.source is not table.span.source
        labels = [Label(table.name_span, "the table")] if in_file else []
        message = f"no value for {few([f'`{instance_name(table.name, key)}`' for key in keys])}"
        place = at if in_file else table.name_span
        yield report("C061", place, message, labels=labels, help="a table has a value for each of its indices")


def few(names: Sequence[str], most: int = MOST_LISTED) -> str:
    """`a`, `b` and `c`; the first of many, and how many more there are."""
    shown = [*names[:most], *([f"{len(names) - most} more"] if len(names) > most else [])]
    return " and ".join(filter(None, (", ".join(shown[:-1]), *shown[-1:])))


def sheet_rows(sheet: Sheet, *, table: str, indices: tuple[tuple[str, ...], ...], at: Span) -> list[TableEntry]:
    """A table's entries. `indices[i]` are the names that the header may use for index i. Raises Fault.

    k indices: a header of k index names and the table's name, one row an entry; for k ≥ 2 also a matrix whose first
    k − 1 columns are indices and whose other headers are labels of the last.
    """
    k, header = len(indices), [str(cell.value) for cell in sheet.header]
    if k == 0:
        message = f"`{table}` has no index, so it cannot be read from a file"
        raise Fault(message, code="C059", help="write `= …`", span=at)
    leads = all(name in names or not names for name, names in zip(header, indices[: max(1, k - 1)], strict=False))
    listed = len(header) == k + 1 and (not indices[k - 1] or header[k - 1] in indices[k - 1])  # by any heading
    if leads and listed and header[-1] == table:
        return [(r[:k], r[k]) for r in sheet.rows]
    if leads and not listed and 2 <= k <= len(header):
        labelled = [replace(cell, value=cell_value(str(cell.value))) for cell in sheet.header[k - 1 :]]
        matrix = ((r[: k - 1], zip(labelled, r[k - 1 :], strict=True)) for r in sheet.rows)
        return [((*lead, label), cell) for lead, cells in matrix for label, cell in cells]
    shown = [names[0] if names else f"index{i + 1}" for i, names in enumerate(indices)]
    wanted = ",".join((*shown, table))
    other = f", or `{','.join(shown[:-1])},` and the labels of `{shown[-1]}`" if k >= 2 else ""
    message, help_ = f"the header of this file does not fit `{table}`", f"it must be `{wanted}`{other}"
    raise Fault(message, code="C059", help=help_, span=whole(sheet.header), labels=[Label(at, "read here")])


def grid_rows(grid: syntax.Grid, *, arity: int, findings: Problems) -> list[TableEntry]:
    """A grid's entries: with one index a single column of values, with more the columns are the last index.

    Raises Fault; Poisoned for what is reported.
    """
    diagnostics = []
    lengths = {len(row.cells) for row in grid.rows}
    if len(grid.rows) > 1 and len(lengths) == 1 and lengths != {len(grid.columns)}:
        message = f"every row has {uneven(lengths.pop(), grid)}"
        help_ = "the first line of a grid names each column; only the column of labels has no heading"
        raise Fault(message, code="C060", help=help_, span=whole(grid.columns))
    for row in grid.rows:
        if len(row.cells) != len(grid.columns):
            message = f"this row has {uneven(len(row.cells), grid)}"
            diagnostics.append(report("C060", row.span, message, labels=[Label(whole(grid.columns), "the columns")]))
        lead = max(1, arity - 1)
        if len(row.label) != lead:
            message = f"this row's label has {counted(len(row.label), 'part')}, and needs {lead}"
            help_ = "write the leading indices, with commas, before the bar"
            diagnostics.append(report("C060", row.span, message, help=help_))
    if arity == 1 and len(grid.columns) != 1:
        diagnostics.append(report("C060", whole(grid.columns), "a table of one index has one column of values"))
    findings.refuse(diagnostics)
    rows = ((row.label, zip(grid.columns, row.cells, strict=True)) for row in grid.rows)
    return [(lead if arity == 1 else (*lead, column), cell) for lead, cells in rows for column, cell in cells]


def uneven(cells: int, grid: syntax.Grid) -> str:
    """How many cells a row has, and how many columns there are."""
    are = "is" if len(grid.columns) == 1 else "are"
    return f"{counted(cells, 'cell')}, but there {are} {counted(len(grid.columns), 'column')}"
