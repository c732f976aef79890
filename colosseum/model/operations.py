"""Operators, functions, look-ups. In: values and terms; out: a value where all are values, else a term, or a Fault."""

from collections.abc import Sequence
from itertools import combinations, islice, pairwise
from typing import cast

from colosseum.diagnostics import closest
from colosseum.model import terms, values
from colosseum.model.draws import DRAWS
from colosseum.model.spec import Declared, Symbol
from colosseum.model.terms import Decision, Folded, Ground, Select, Term, term
from colosseum.model.values import Elements, Fault, Key, Number, Value, flatten, instance_name, kind, text
from colosseum.model.world import FAMILIES, Decided, Environment, Meter, Source

LISTED = 10  # elements whose listing takes as long as one round of a loop
LARGEST_RANGE = 100_000
LOOKED_UP = ("table", "variable")
DEEPEST = 130  # levels of a term; an expression as written has at most 120


def operation(operator: str, left: Folded, right: Folded, env: Environment) -> Folded:
    """`+ - * / &`."""
    if isinstance(left, Ground) or isinstance(right, Ground):
        return terms.Arithmetic(operator, term(left), term(right))
    if isinstance(left, Elements) or isinstance(right, Elements):
        _read((left, right), env)
    return values.arithmetic(operator, left, right)


def minus(operand: Folded) -> Folded:
    """`-e`."""
    if isinstance(operand, Ground):
        return terms.Arithmetic("*", terms.Constant(-1), operand)
    return values.arithmetic("-", 0, operand)


def interval(low: Value, high: Value, meter: Meter) -> Elements:
    """`low..high`; a quotient that is whole will do."""
    low, high = (int(v) if isinstance(v, float) and v.is_integer() else v for v in (low, high))
    if type(low) is not int or type(high) is not int:
        raise Fault(f"a range runs between whole numbers, not from `{text(low)}` to `{text(high)}`", code="C057")
    size = high - low + 1
    if size > LARGEST_RANGE:
        raise Fault(f"this range has {size:,} numbers, at most {LARGEST_RANGE:,} are allowed", code="C056")
    meter.count(max(0, size - 1) // LISTED)
    return Elements(tuple(range(low, high + 1)))


def comparison(operators: Sequence[str], operands: Sequence[Folded], env: Environment) -> Folded:
    """`a < b <= c`, `x in S`: a chain, mostly of one link."""
    if "==" in operators or "!=" in operators:
        _read(operands, env)
    if len(operators) == 1:
        return link(operators[0], *operands)
    return junction([link(o, *sides) for o, sides in zip(operators, pairwise(operands), strict=True)], every=True)


def call(name: str, arguments: Sequence[Folded], env: Environment) -> Folded:
    """`max(a, b)`, `size(S)`, `steps(S)`, and `pairs(S)`: every unordered pair once, in declared order."""
    if name != "size":
        _read(arguments, env)
    if name in DRAWS:
        raise Fault(f"`{name}` draws, so it stands only after `~`", code="C047", help=f"as in `table t[S] ~ {name}(…)`")
    alone = arguments[0] if len(arguments) == 1 else None
    if name in ("min", "max"):
        items = alone.items if isinstance(alone, Elements) else arguments
        return extreme(name, [(True, item) for item in items], aggregate=False)
    if len(arguments) != 1:
        raise Fault(f"`{name}` takes one argument, not {len(arguments)}", code="C047")
    if name == "abs":
        return terms.Absolute(alone) if isinstance(alone, Ground) else values.absolute(alone)
    if isinstance(alone, Ground):
        raise Fault(f"`{name}` needs a set that no decision changes", code="C055")
    if not isinstance(alone, Elements):
        raise Fault(f"`{name}` takes a set, not {kind(alone)}", code="C057")
    if name == "size":
        return len(alone)
    if name == "pairs":
        Meter().foresee([len(alone) * (len(alone) - 1) // 2])
    found = Elements(tuple(pairwise(alone) if name == "steps" else combinations(alone, 2)))
    _read((found,), env)
    return found


def _read(operands: Sequence[Folded], env: Environment) -> None:
    """Count the elements of sets that are gone through at once."""
    if Elements in map(type, operands):
        sizes = [len(operand) for operand in operands if isinstance(operand, Elements)]
        env.meter.count(sum(sizes) // LISTED)


# ---- what some decision may change ------------------------------------------------------------------------


def link(operator: str, left: Folded, right: Folded) -> Folded:
    """One link of a comparison chain."""
    if operator == "not in":
        return inverse(link("in", left, right))
    if isinstance(left, Ground) or isinstance(right, Ground):
        sides = term(left), term(right)
        return terms.Member(*sides) if operator == "in" else terms.Compare(operator, *sides)
    return values.member(left, right) if operator == "in" else values.compare(operator, left, right)


def inverse(operand: Folded) -> Folded:
    """`not c`."""
    return terms.Inverse(operand) if isinstance(operand, Ground) else not values.truth(operand, "the operand of `not`")


def junction(parts: list[Folded], *, every: bool) -> Folded:
    """`and` (`every`) or `or` of the parts, with the values folded in; mentions are kept."""
    ground = [p for p in parts if isinstance(p, Ground)]
    role = "a part of `and`" if every else "a part of `or`"
    decided = any(values.truth(p, role) is not every for p in parts if not isinstance(p, Ground))
    if not ground:
        return every is not decided
    if decided:
        return terms.Constant(not every, tuple(sorted(terms.NO_SCOPE.union(*(part.scope for part in ground)))))
    return ground[0] if len(ground) == 1 else (terms.Every if every else terms.Some)(tuple(ground))


def total(rounds: list[tuple[Folded, Folded]]) -> Folded:
    """A sum of guarded parts; its plain values are added up."""
    constant: Number = 0
    parts: list[Term] = []
    for holds, body in rounds:
        if isinstance(holds, Ground):
            parts.append(terms.Conditional(holds, term(body), terms.NOTHING))
        elif isinstance(body, Ground):
            parts.append(body)
        else:
            constant = values.summed((constant, body))
    if not parts:
        return constant
    return terms.Total((*parts, terms.Constant(constant)) if constant else tuple(parts))


def extreme(which: str, rounds: list[tuple[Folded, Folded]], *, aggregate: bool) -> Folded:
    """The least or greatest of guarded parts."""
    if any(isinstance(part, Ground) for pair in rounds for part in pair):
        return terms.Extremum(which, tuple(term(b) for _, b in rounds), tuple(term(c) for c, _ in rounds), aggregate)
    return values.extremum(which, [body for _, body in cast(list[tuple[bool, Value]], rounds)], aggregate=aggregate)


# ---- look-ups by name --------------------------------------------------------------------------------------


def fact(name: str, env: Environment) -> Folded:
    """What a name that is no binder stands for."""
    facts = env.facts
    symbol = facts.spec.symbols.get(name)
    if symbol and symbol.kind in LOOKED_UP:
        return look_up(symbol, (), env)
    if symbol is None and name in facts.elements:
        return name
    family = FAMILIES.get(symbol.kind) if symbol else "sets" if name == "links" else None
    if family:
        found: Value = facts.fact(family, name)
        return found
    if name == "total":
        return payoff(None, env)
    raise env.unknown(name)


def look_up(symbol: Symbol, keys: tuple[Folded, ...], env: Environment) -> Folded:
    """The entry of a table or the instance of a variable; keys that decisions change give a Select."""
    if None in keys:
        return None
    if symbol.kind == "variable" and not env.decisions:
        raise Fault(f"`{symbol.name}` is decided by an agent, so it cannot be used here", code="C055",
                    help="`where`, data, domains and loops cannot read decisions; test them with `when`")  # fmt: skip
    return select(env.facts.fact(FAMILIES[symbol.kind], symbol.name), keys, env)


def select(source: Source, keys: tuple[Folded, ...], env: Environment) -> Folded:
    """An entry, once it is noted who read it. Pairs among keys are opened; keys that decisions change give a Select."""
    key = cast(Key, keys)
    if key not in source.entries:
        key = flatten(key)
        if any(isinstance(part, Ground) for part in key):
            return _moving(source, key, env)
        if key not in source.entries:
            raise no_entry(source, key, env.facts.spec)
    entry: Folded = source.entries[key]
    if isinstance(source, Decided):
        return entry
    if source.audience is not None:
        env.reads.add((source.name, key))
    if isinstance(entry, Ground):  # of a derived table
        if not env.decisions:
            raise Fault(f"`{source.name}` depends on decisions, so it cannot be used here", code="C055")
        check_depth(entry)
        env.meter.count(entry.extent[0])  # it is substituted
    return entry


def _moving(source: Source, keys: tuple[Folded, ...], env: Environment) -> Folded:
    """Look up by keys that decisions change."""
    known = list(source.entries)
    reach = [_possible(k, env) for k in keys]
    widths = [_width(values) for values in reach]
    grouped = known if max(widths) == 1 else [_grouped(key, widths) for key in known]
    if grouped and len(grouped[0]) != len(keys):
        shown = tuple(k if not isinstance(k, Ground) else "…" for k in keys)
        raise no_entry(source, shown, env.facts.spec)
    columns = [frozenset(each) if r is None else r for each, r in zip(zip(*grouped, strict=True), reach, strict=False)]
    matching = [key for key in grouped if all(map(frozenset.__contains__, columns, key))]
    env.meter.count(len(known))
    found = tuple((key, term(select(source, flatten(key), env))) for key in matching)
    return Select(source.name, tuple(term(k) for k in keys), found)


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
        return env.facts.decided(key.variable.partition("[")[0]).reach[key.variable]
    return None if isinstance(key, Ground) else frozenset((key,))


def no_entry(source: Source, key: Key, spec: Declared) -> Fault:
    """The Fault for an entry that does not exist, with what the table's indices are as help."""
    name, entries, symbol = source.name, source.entries, spec.symbols.get(source.name)
    indices = getattr(symbol.statement, "indices", None) if symbol else None  # a column of a set has none
    declared = f"it is declared as `{name}{' '.join(indices.span.text.split())}`" if indices else ""
    needed = len(next(iter(entries), key))
    if needed != len(key):
        words = "index" if needed == 1 else "indices"
        return Fault(f"`{name}` takes {needed} {words}, not {len(key)}", code="C045", help=declared)
    where = indices.where if indices else None
    if where is not None and all(any(k[i : i + 1] == (part,) for k in entries) for i, part in enumerate(key)):
        declared = f"it is left out by `where {' '.join(where.span.text.split())}`; filter this loop in the same way"
    return Fault(f"`{instance_name(name, key)}` does not exist", code="C052", help=declared)


def check_depth(found: Term) -> None:
    """Raises a Fault for a term that is nested too deeply for later stages."""
    if found.extent[1] > DEEPEST:
        message = f"tables that decisions change are substituted here more than {DEEPEST} levels deep"
        raise Fault(message, code="C056", help="use fewer tables that read other tables")


def payoff(keys: tuple[Folded, ...] | None, env: Environment) -> Term:
    """`payoff[a]`, or `total` without keys. Raises Fault."""
    agent = keys[0] if keys else None
    if keys is not None and not (len(keys) == 1 and isinstance(agent, str)):
        help_ = "of several it is `sum(payoff[a] for a in S)`, of a chosen one `sum(payoff[a] for a in S when c)`"
        raise Fault("`payoff[a]` takes one agent, whom no decision chooses", code="C044", help=help_)
    if not env.payoffs:
        help_ = "as in `coalition rivals { members = {B}  objective lead: payoff[B] - payoff[A] }`"
        raise Fault("payoffs may be named in a coalition's objective only", code="C046", help=help_)
    if not env.decisions:
        raise Fault("payoffs depend on decisions, so they cannot be used here", code="C055")
    if not isinstance(agent, str):
        return terms.PayoffOf(None)
    agents = env.facts.members("agents")
    if agent not in agents:
        help_ = closest(agent, [text(known) for known in agents]) or f"agents: {agents}"
        raise Fault(f"`{agent}` is not an agent", code="C044", help=help_)
    return terms.PayoffOf(agent)
