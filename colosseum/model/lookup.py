"""Look-ups by name. In: a name and folded keys; out: an entry, an instance of a variable, or a Select over them."""

from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate, permutations

from colosseum.diagnostics import closest
from colosseum.language.syntax import Table, Variable
from colosseum.model import terms
from colosseum.model.environment import Environment
from colosseum.model.folding import Folded, term
from colosseum.model.scenario import Cell
from colosseum.model.spec import Symbol
from colosseum.model.terms import Decision, Ground, Select, Term
from colosseum.model.values import Fault, Value, flatten, instance_name, text
from colosseum.model.world import TableData

MOST_SWAPPED = 5
"""Indices whose orders are all tried; there are 120."""
DEEPEST = 130
"""Levels of a term; an expression as written has at most 120."""


def look_up(name: str, keys: tuple[Folded, ...], env: Environment) -> Folded:
    """The entry of a table or the instance of a variable; keys that decisions change give a Select."""
    symbol = env.facts.symbol(name)
    assert symbol is not None
    if any(k is None for k in keys):
        return None
    if symbol.kind == "variable":
        if not env.decisions:
            raise Fault(f"`{name}` is decided by an agent, so it cannot be used here", code="C055",
                        help="`where`, data, domains and loops know no decisions; test them with `when`")  # fmt: skip
        domains = env.facts.instances(name)
        return _select(name, keys, env, list(domains) if _moving(keys) else (),
                       lambda key: Decision(instance_name(name, key)), present=domains)  # fmt: skip
    table = env.facts.table(name)
    return _select(name, keys, env, list(table.entries) if _moving(keys) else (), lambda key: _entry(table, key, env),
                   present=table.entries)  # fmt: skip


def _moving(keys: tuple[Folded, ...]) -> bool:
    return any(isinstance(k, Ground) for k in keys)


def _select(
    name: str,
    keys: tuple[Folded, ...],
    env: Environment,
    known: "list[tuple[Value, ...]] | tuple[()]",
    entry: Callable[[tuple[Value, ...]], Folded],
    *,
    present: "Mapping[tuple[Value, ...], object]",
) -> Folded:
    if not _moving(keys):
        exact = tuple(k for k in keys if not isinstance(k, Ground))
        if exact not in present:
            raise _missing(name, exact, env)
        return entry(exact)
    reach = [_possible(k, env) for k in keys]
    widths = [_width(values) for values in reach]
    grouped = known if max(widths) == 1 else [_grouped(key, widths) for key in known]
    if grouped and len(grouped[0]) != len(keys):
        raise _missing(name, tuple(k if not isinstance(k, Ground) else "…" for k in keys), env)
    matching = [key for key in grouped if all(r is None or part in r for part, r in zip(key, reach, strict=True))]
    env.meter.count(len(known))
    if not matching:
        _refuse_swapped(name, reach, grouped, env)
    entries = tuple((key, term(entry(tuple(flatten(key))))) for key in matching)
    return Select(name, tuple(term(k) for k in keys), entries)


def _width(values: "frozenset[Value] | None") -> int:
    """How many indices a key with these values stands for: a decision between pairs for two."""
    widths = {len(tuple(flatten((value,)))) for value in values or () if isinstance(value, tuple)}
    return widths.pop() if len(widths) == 1 else 1


def _grouped(key: tuple[Value, ...], widths: list[int]) -> tuple[Value, ...]:
    """The indices of an entry as the keys of a look-up stand for them; unchanged where they do not fit."""
    if sum(widths) != len(key):
        return key
    ends = list(accumulate(widths))
    parts = [key[end - width : end] for end, width in zip(ends, widths, strict=True)]
    return tuple(part[0] if len(part) == 1 else part for part in parts)


def _possible(key: Folded, env: Environment) -> "frozenset[Value] | None":
    """The values a key can take, or None when only evaluation tells."""
    match key:
        case Decision(variable=name):
            family, _, _ = name.partition("[")
            domains = env.facts.instances(family)
            return next(frozenset(d) for k, d in domains.items() if instance_name(family, k) == name)
        case Ground():
            return None
        case _:
            return frozenset((key,))


def _missing(name: str, key: tuple[Value, ...], env: Environment) -> Fault:
    symbol = env.facts.symbol(name)
    table = symbol is not None and symbol.kind == "table"
    entries: Mapping[tuple[Value, ...], object] = env.facts.table(name).entries if table else env.facts.instances(name)
    needed = len(next(iter(entries), ()))
    if entries and needed != len(key):
        words = "index" if needed == 1 else "indices"
        return Fault(f"`{name}` takes {needed} {words}, not {len(key)}", code="C045", help=_declaration(name, symbol))
    return no_entry(name, key, entries, symbol)


def _refuse_swapped(
    name: str, reach: "list[frozenset[Value] | None]", known: Sequence[tuple[Value, ...]], env: Environment
) -> None:
    """Raises a Fault when no decision leads to an entry, but the same indices in another order do."""
    parts = [sorted((p for p in part if p is not None), key=text) for part in reach if part is not None]
    if len(parts) == len(reach) and all(parts):
        key, entries = tuple(part[0] for part in parts), dict.fromkeys(known)
        if len(key) <= MOST_SWAPPED and any(other in entries for other in permutations(key)):
            raise no_entry(name, key, entries, env.facts.symbol(name))


def no_entry(
    name: str, key: tuple[Value, ...], entries: Mapping[tuple[Value, ...], object], symbol: Symbol | None
) -> Fault:
    """What to say of an entry that does not exist: in another order of its indices it may."""
    message = f"`{instance_name(name, key)}` does not exist"
    if len(key) <= MOST_SWAPPED and any(other in entries for other in permutations(key)):
        parts = ("the indices seem to be swapped", _declaration(name, symbol))
        return Fault(message, code="C052", help="; ".join(p for p in parts if p))
    declared_by = symbol.statement if symbol else None
    where = declared_by.indices.where if isinstance(declared_by, Table | Variable) and declared_by.indices else None
    if where is not None and all(any(k[i : i + 1] == (part,) for k in entries) for i, part in enumerate(key)):
        shown = " ".join(where.span.text.split())
        help_ = f"it is left out by `where {shown}`; filter this loop in the same way"
        return Fault(message, code="C052", help=help_)
    near = closest(instance_name(name, key), [instance_name(name, k) for k in list(entries)[:2000]])
    return Fault(message, code="C052", help=near)


def _declaration(name: str, symbol: Symbol | None) -> str:
    """How a table or a variable with indices is declared."""
    indices = symbol.statement.indices if symbol and isinstance(symbol.statement, Table | Variable) else None
    return f"it is declared as `{name}{' '.join(indices.span.text.split())}`" if indices else ""


def _entry(table: TableData, key: tuple[Value, ...], env: Environment) -> Folded:
    if env.reads is not None and table.private:
        env.reads.add(Cell(table.name, key))
    entry: Folded = table.entries[key]  # a derived table holds terms
    if isinstance(entry, Ground) and not env.decisions:
        raise Fault(f"`{table.name}` depends on decisions, so it cannot be used here", code="C055")
    if isinstance(entry, Ground):
        check_depth(entry)
        env.meter.count(entry.extent[0])  # it is substituted
    return entry


def check_depth(found: Term) -> None:
    """Raises a Fault for a term that is nested too deeply for later stages."""
    if found.extent[1] > DEEPEST:
        message = f"tables that decisions change are substituted here more than {DEEPEST} levels deep"
        raise Fault(message, code="C056", help="compute less of it by tables of tables")


def payoff(agent: str | None, env: Environment) -> Term:
    if not env.payoffs:
        help_ = "as in `coalition rivals { members = {B}  objective lead: payoff[B] - payoff[A] }`"
        raise Fault("payoffs may be named in a coalition's objective only", code="C046", help=help_)
    if not env.decisions:
        raise Fault("payoffs depend on decisions, so they cannot be used here", code="C055")
    if agent is not None and agent not in env.facts.members("agents"):
        agents = env.facts.members("agents")
        help_ = closest(agent, [text(known) for known in agents]) or f"agents: {agents}"
        raise Fault(f"`{agent}` is not an agent", code="C044", help=help_)
    return terms.PayoffOf(agent)
