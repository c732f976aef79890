"""Look-ups by name. In: a name and folded keys; out: an entry, an instance of a variable, or a Select over them."""

from collections.abc import Mapping
from itertools import islice, permutations
from typing import TypeGuard

from colosseum.diagnostics import closest
from colosseum.language.syntax import Table, Variable
from colosseum.model import terms
from colosseum.model.spec import Symbol
from colosseum.model.terms import Decision, Folded, Ground, Select, Term, term
from colosseum.model.values import Fault, Key, Value, flatten, instance_name, text
from colosseum.model.world import FAMILIES, Decided, Environment, Source

LOOKED_UP = ("table", "variable")
MOST_SWAPPED = 5
"""Indices whose orders are all tried; there are 120."""
DEEPEST = 130
"""Levels of a term; an expression as written has at most 120."""


def fact(name: str, env: Environment) -> Folded:
    """What a name that is no binder stands for."""
    facts = env.place.facts
    symbol = facts.spec.symbols.get(name)
    if symbol and symbol.kind in LOOKED_UP:
        return look_up(symbol, (), env)
    if symbol and symbol.kind in FAMILIES:
        found: Value = facts.fact(FAMILIES[symbol.kind], name)
        return found
    if symbol is None and name in facts.elements:
        return name
    if name == "links":
        return facts.links
    if name == "total":
        return payoff(None, env)
    raise env.unknown(name)


def look_up(symbol: Symbol, keys: tuple[Folded, ...], env: Environment) -> Folded:
    """The entry of a table or the instance of a variable; keys that decisions change give a Select."""
    if None in keys:
        return None
    if symbol.kind == "variable" and not env.place.decisions:
        raise Fault(f"`{symbol.name}` is decided by an agent, so it cannot be used here", code="C055",
                    help="`where`, data, domains and loops cannot read decisions; test them with `when`")  # fmt: skip
    return select(env.place.facts.fact(FAMILIES[symbol.kind], symbol.name), keys, env)


def select(source: Source, keys: tuple[Folded, ...], env: Environment) -> Folded:
    """An entry, once it is noted who read it. Pairs among keys are opened; keys that decisions change give a Select."""
    if not (_settled(keys) and keys in source.entries):
        keys = flatten(keys)
        if not _settled(keys):
            return _moving(source, keys, env)
        if keys not in source.entries:
            raise no_entry(source.name, keys, source.entries, env.place.facts.spec.symbols.get(source.name))
    entry: Folded = source.entries[keys]
    if isinstance(source, Decided):
        return entry
    if source.audience is not None:
        env.reads.add((source.name, keys))
    if isinstance(entry, Ground):  # of a derived table
        if not env.place.decisions:
            raise Fault(f"`{source.name}` depends on decisions, so it cannot be used here", code="C055")
        check_depth(entry)
        env.place.meter.count(entry.extent[0])  # it is substituted
    return entry


def _settled(keys: tuple[Folded, ...]) -> TypeGuard[Key]:
    """Whether no decision changes any of the keys."""
    for key in keys:  # noqa: SIM110 - a generator takes longer than the look-up itself
        if isinstance(key, Ground):
            return False
    return True


def _moving(source: Source, keys: tuple[Folded, ...], env: Environment) -> Folded:
    """Look up by keys that decisions change."""
    name, known = source.name, list(source.entries)
    reach = [_possible(k, env) for k in keys]
    widths = [_width(values) for values in reach]
    grouped = known if max(widths) == 1 else [_grouped(key, widths) for key in known]
    if grouped and len(grouped[0]) != len(keys):
        shown = tuple(k if not isinstance(k, Ground) else "…" for k in keys)
        raise no_entry(name, shown, source.entries, env.place.facts.spec.symbols.get(name))
    columns = [frozenset(each) if r is None else r for each, r in zip(zip(*grouped, strict=True), reach, strict=False)]
    matching = [key for key in grouped if all(map(frozenset.__contains__, columns, key))]
    env.place.meter.count(len(known))
    if not matching:  # perhaps the same indices in another order lead to an entry
        parts = [sorted((p for p in part or () if p is not None), key=text) for part in reach]
        key, entries = tuple(part[0] for part in parts if part), dict.fromkeys(grouped)
        if len(key) == len(parts) <= MOST_SWAPPED and any(other in entries for other in permutations(key)):
            raise no_entry(name, key, entries, env.place.facts.spec.symbols.get(name))
    found = tuple((key, term(select(source, flatten(key), env))) for key in matching)
    return Select(name, tuple(term(k) for k in keys), found)


def _width(values: "frozenset[Value] | None") -> int:
    """The number of indices that a key with these values fills: two for a decision between pairs."""
    widths = {len(flatten((value,))) for value in values or () if isinstance(value, tuple)}
    return widths.pop() if len(widths) == 1 else 1


def _grouped(key: Key, widths: list[int]) -> Key:
    """The indices of an entry as the keys of a look-up stand for them; unchanged where they do not fit."""
    if sum(widths) != len(key):
        return key
    rest = iter(key)
    return tuple(next(rest) if width == 1 else tuple(islice(rest, width)) for width in widths)


def _possible(key: Folded, env: Environment) -> "frozenset[Value] | None":
    """The values a key can take, or None when only evaluation tells."""
    if isinstance(key, Decision):
        return env.place.facts.decided(key.variable.partition("[")[0]).reach[key.variable]
    return None if isinstance(key, Ground) else frozenset((key,))


def no_entry(name: str, key: Key, entries: Mapping[Key, object], symbol: Symbol | None) -> Fault:
    """The Fault for an entry that does not exist, with help where another order of its indices does."""
    needed = len(next(iter(entries), key))
    if needed != len(key):
        words = "index" if needed == 1 else "indices"
        return Fault(f"`{name}` takes {needed} {words}, not {len(key)}", code="C045", help=_declaration(name, symbol))
    message = f"`{instance_name(name, key)}` does not exist"
    if len(key) <= MOST_SWAPPED and any(other in entries for other in permutations(key)):
        parts = ("the indices seem to be swapped", _declaration(name, symbol))
        return Fault(message, code="C052", help="; ".join(p for p in parts if p))
    declared_by = symbol.statement if symbol else None
    where = declared_by.indices.where if isinstance(declared_by, Table | Variable) and declared_by.indices else None
    if where is not None and all(any(k[i : i + 1] == (part,) for k in entries) for i, part in enumerate(key)):
        shown = " ".join(where.span.text.split())
        return Fault(message, code="C052", help=f"it is left out by `where {shown}`; filter this loop in the same way")
    near = closest(instance_name(name, key), [instance_name(name, k) for k in list(entries)[:2000]])
    return Fault(message, code="C052", help=near)


def _declaration(name: str, symbol: Symbol | None) -> str:
    """The declaration of a table or variable with indices, as a help."""
    indices = symbol.statement.indices if symbol and isinstance(symbol.statement, Table | Variable) else None
    return f"it is declared as `{name}{' '.join(indices.span.text.split())}`" if indices else ""


def check_depth(found: Term) -> None:
    """Raises a Fault for a term that is nested too deeply for later stages."""
    if found.extent[1] > DEEPEST:
        message = f"tables that decisions change are substituted here more than {DEEPEST} levels deep"
        raise Fault(message, code="C056", help="use fewer tables that read other tables")


def payoff(keys: tuple[Folded, ...] | None, env: Environment) -> Term:
    """`payoff[a]`, or `total` without keys. Raises Fault."""
    agent = keys[0] if keys else None
    if keys is not None and any(isinstance(key, Ground) for key in keys):
        help_ = "as in `sum(payoff[a] for a in agents when pick[B] == a)`"
        raise Fault("a decision chooses whose payoff this is", code="C044", help=help_)
    if keys is not None and not (len(keys) == 1 and isinstance(agent, str)):
        help_ = "the payoff of several agents is `sum(payoff[a] for a in S)`"
        raise Fault("`payoff[a]` takes one agent", code="C044", help=help_)
    if not env.place.payoffs:
        help_ = "as in `coalition rivals { members = {B}  objective lead: payoff[B] - payoff[A] }`"
        raise Fault("payoffs may be named in a coalition's objective only", code="C046", help=help_)
    if not env.place.decisions:
        raise Fault("payoffs depend on decisions, so they cannot be used here", code="C055")
    if not isinstance(agent, str):
        return terms.PayoffOf(None)
    agents = env.place.facts.members("agents")
    if agent not in agents:
        help_ = closest(agent, [text(known) for known in agents]) or f"agents: {agents}"
        raise Fault(f"`{agent}` is not an agent", code="C044", help=help_)
    return terms.PayoffOf(agent)
