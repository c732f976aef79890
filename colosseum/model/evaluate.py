"""Expressions into values. In: syntax, facts and bindings; out: a value, or a ground term where decisions matter.

Variable-free parts are folded; what is left mentions every variable that the text mentions (`0 * x` mentions x).
A mistake is raised as a Fault that carries the innermost span.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from colosseum.diagnostics import closest
from colosseum.language import syntax
from colosseum.model import terms
from colosseum.model.environment import Environment, newborn, unknown
from colosseum.model.faults import Poisoned
from colosseum.model.folding import Folded, conjunction, disjunction, inverse, link, term, total
from colosseum.model.functions import FUNCTIONS
from colosseum.model.lookup import look_up, payoff
from colosseum.model.spec import mentioned
from colosseum.model.terms import Constant, Ground
from colosseum.model.values import Elements, Fault, Value, a, arithmetic, at, extremum, flatten, kind, text, truth

LISTED = 10
"""Elements whose listing takes as long as one round of a loop."""
LARGEST_RANGE = 100_000


def evaluate(expr: syntax.Expr, env: Environment) -> Folded:
    """The value of an expression, or its ground term. Raises Fault with a span."""
    try:
        found = _EVALUATE[type(expr)](expr, env)
    except Fault as fault:
        at(fault, expr.span)
        raise
    except RecursionError:
        raise at(Fault("this expression is nested too deeply", code="C056"), expr.span) from None
    if isinstance(found, Ground):
        env.meter.count(1)  # a fault is the loop's
    return found


def value(expr: syntax.Expr, env: Environment) -> Value:
    """The value of an expression that no decision may change."""
    result = evaluate(expr, env.fixed())
    assert not isinstance(result, Ground)
    return result


def elements(expr: syntax.Expr, env: Environment) -> Elements:
    """The value of an expression as a set."""
    result = value(expr, env)
    if not isinstance(result, Elements):
        last = expr.span.text if isinstance(expr, syntax.Name | syntax.Number) else "8"
        help_ = f"a range of numbers is written `1..{last}`" if type(result) is int else ""
        raise at(Fault(f"this is {kind(result)} (`{text(result)}`), not a set", code="C057", help=help_), expr.span)
    return result


def condition(expr: syntax.Expr, env: Environment) -> bool:
    """The truth of a `where`."""
    result = value(expr, env)
    try:
        return truth(result, "`where`")
    except Fault as fault:
        raise at(fault, expr.span) from None


def bindings(binders: syntax.Binders, env: Environment) -> Iterator[Environment]:
    """Every choice of the binders that passes the filter, the last binder turning fastest."""
    for _, inner in nested(binders.items, env):
        if binders.where is None or condition(binders.where, inner):
            yield inner


def nested(
    loops: Sequence[syntax.Binder | syntax.Index], env: Environment
) -> Iterator[tuple[tuple[Value, ...], Environment]]:
    """The items and environments of nested loops without their filter; a loop with no names binds nothing.

    What does not depend on an outer binder is computed once, and its size is known before anything runs.
    """
    pools: list[Elements | None] = []
    bound: set[str] = set()
    for loop in loops:
        free = not bound or bound.isdisjoint(mentioned(loop.domain))
        pools.append(elements(loop.domain, env) if free else None)
        bound |= set(loop.names)
    sizes = [len(pool) for pool in pools if pool is not None]
    try:
        env.meter.foresee([*env.rounds, *sizes])
    except Fault as fault:
        raise at(fault, loops[0].span.to(loops[-1].span)) from None
    yield from _rounds(loops, pools, (), env.inside(sizes))


def _rounds(
    loops: Sequence[syntax.Binder | syntax.Index],
    pools: list[Elements | None],
    items: tuple[Value, ...],
    env: Environment,
) -> Iterator[tuple[tuple[Value, ...], Environment]]:
    if len(items) == len(loops):
        yield items, env
        return
    loop, pool = loops[len(items)], pools[len(items)]
    if pool is None:
        env = env.apart()
        pool = elements(loop.domain, env)
    try:
        env.meter.count(len(pool))
        for item in pool:
            bound = destructure(loop.names, item)
            yield from _rounds(loops, pools, (*items, item), env.bind(bound) if bound else env)
    except Fault as fault:
        raise at(fault, loop.domain.span) from None


def destructure(names: tuple[str, ...], item: Value) -> dict[str, Value]:
    """A binder's pattern against an element."""
    if len(names) <= 1:
        return dict.fromkeys(names, item)
    if not isinstance(item, tuple) or len(item) != len(names):
        raise Fault(f"`({', '.join(names)})` does not fit the element `{text(item)}`", code="C057")
    return dict(zip(names, item, strict=True))


# ---- names and look-ups ---------------------------------------------------------------------------------


def _name(expr: syntax.Name, env: Environment) -> Folded:
    name = expr.id
    if name in env.bindings:
        return env.bindings[name]
    if name == "links":
        return env.facts.links()
    if name == "total":
        return payoff(None, env)
    symbol = env.facts.symbol(name)
    match symbol.kind if symbol else None:
        case "param":
            return env.facts.param(name)
        case "set" | "coalition" | "channel":
            return env.facts.members(name)
        case "table" | "variable":
            return look_up(name, (), env)
    if symbol is None and env.facts.is_element(name):
        return name
    raise unknown(name, env)


def _lookup(expr: syntax.Lookup, env: Environment) -> Folded:
    if isinstance(expr.base, syntax.MapLiteral):
        return _map(expr.base, env)
    if not isinstance(expr.base, syntax.Name):
        raise Fault("only a table or a variable can be looked up", code="C044")
    name = expr.base.id
    symbol = env.facts.symbol(name)
    if name in env.bindings and symbol:
        raise Poisoned(f"a binder hides `{name}`")
    if name in env.bindings or (symbol and symbol.kind not in ("table", "variable")):
        what = a(symbol.kind) if symbol else "a binder"
        raise Fault(f"`{name}` is {what}, not a table or a variable", code="C044")
    if symbol is None and name != "payoff":
        return _enumerated(name, expr, env)
    keys = tuple(evaluate(k, env) for k in expr.keys)
    if name == "payoff":
        if len(keys) == 1 and isinstance(keys[0], str):
            return payoff(keys[0], env)
        if any(isinstance(key, Ground) for key in keys):
            help_ = "as in `sum(payoff[a] for a in agents when pick[B] == a)`"
            raise Fault("whose payoff this is, is decided only in a run", code="C044", help=help_)
        help_ = "what several are paid is `sum(payoff[a] for a in S)`"
        raise Fault("`payoff[a]` takes one agent", code="C044", help=help_)
    flat: list[Folded] = []
    for key in keys:
        flat += [key] if isinstance(key, Ground) else flatten((key,))
    return look_up(name, tuple(flat), env)


def _enumerated(name: str, expr: syntax.Lookup, env: Environment) -> Value:
    """`engineer[1..3]`: the elements engineer1 to engineer3."""
    key = expr.keys[0]
    if len(expr.keys) != 1 or not isinstance(key, syntax.Range):
        raise unknown(name, env)
    made = tuple(f"{name}{i}" for i in elements(key, env))
    strange = [m for m in made if not (env.births or env.facts.is_element(m))]
    if strange:
        raise unknown(strange[0], env)
    return Elements(made)


# ---- operators --------------------------------------------------------------------------------------------


def _arithmetic(expr: syntax.Arithmetic, env: Environment) -> Folded:
    left, right = evaluate(expr.left, env), evaluate(expr.right, env)
    if isinstance(left, Ground) or isinstance(right, Ground):
        return terms.Arithmetic(expr.operator, term(left), term(right))
    _read([left, right], env)
    return arithmetic(expr.operator, left, right)


def _minus(expr: syntax.Minus, env: Environment) -> Folded:
    operand = evaluate(expr.operand, env)
    if isinstance(operand, Ground):
        return terms.Arithmetic("*", Constant(-1), operand)
    return arithmetic("-", 0, operand)


def _range(expr: syntax.Range, env: Environment) -> Value:
    low, high = value(expr.low, env), value(expr.high, env)
    if type(low) is not int or type(high) is not int:
        raise Fault(f"a range runs between whole numbers, not from `{text(low)}` to `{text(high)}`", code="C057")
    if high - low >= LARGEST_RANGE:
        raise Fault(f"this range has {high - low + 1:,} numbers, at most {LARGEST_RANGE:,} are allowed", code="C056")
    env.meter.count(max(0, high - low) // LISTED)
    return Elements(tuple(range(low, high + 1)))


def _comparison(expr: syntax.Comparison, env: Environment) -> Folded:
    operands = [evaluate(o, env) for o in expr.operands]
    if "==" in expr.operators or "!=" in expr.operators:
        _read(operands, env)
    return conjunction([
        link(operator, left, right)
        for operator, left, right in zip(expr.operators, operands, operands[1:], strict=False)
    ])  # fmt: skip


def _logical(expr: syntax.Logical, env: Environment) -> Folded:
    parts = [evaluate(expr.left, env), evaluate(expr.right, env)]
    return conjunction(parts) if expr.operator == "and" else disjunction(parts)


def _ternary(expr: syntax.Ternary, env: Environment) -> Folded:
    chosen = evaluate(expr.condition, env)
    if not isinstance(chosen, Ground):
        return evaluate(expr.then if truth(chosen, "the condition of `if`") else expr.otherwise, env)
    return terms.Conditional(chosen, term(evaluate(expr.then, env)), term(evaluate(expr.otherwise, env)))


# ---- loops ---------------------------------------------------------------------------------------------------


def _guarded(body: Callable[[Environment], Folded], binders: syntax.Binders, when: syntax.Expr | None,
             env: Environment) -> Iterator[tuple[Folded, Folded]]:  # fmt: skip
    """(condition, body) of every round whose condition is not false."""
    for inner in bindings(binders, env):
        holds: Folded = True if when is None else evaluate(when, inner)
        if isinstance(holds, Ground) or truth(holds, "`when`"):
            yield holds, body(inner)


def _aggregate(expr: syntax.Aggregate, env: Environment) -> Folded:
    if expr.function not in ("sum", "min", "max"):
        raise Fault(f"`{expr.function}` cannot range over binders", code="C047", help="sum, min and max can")
    rounds = list(_guarded(lambda inner: evaluate(expr.body, inner), expr.binders, expr.when, env))
    if expr.function == "sum":
        return total(rounds)
    if not any(isinstance(part, Ground) for pair in rounds for part in pair):
        values = [body for _, body in rounds if not isinstance(body, Ground)]
        if None in values:
            raise Fault(f"an item of `{expr.function}` is none", code="C053")
        return extremum(expr.function, values)
    return terms.Extremum(expr.function, tuple(term(b) for _, b in rounds), tuple(term(c) for c, _ in rounds), True)


def _quantifier(expr: syntax.Quantifier, env: Environment) -> Folded:
    if expr.kind == "count":
        return total(list(_guarded(lambda _: 1, expr.binders, expr.when, env)))
    parts: list[Folded] = [
        True if expr.when is None else evaluate(expr.when, inner) for inner in bindings(expr.binders, env)
    ]
    return disjunction(parts) if expr.kind == "any" else conjunction(parts)


# ---- sets and calls -------------------------------------------------------------------------------------------


def _set_literal(expr: syntax.SetLiteral, env: Environment) -> Value:
    """`{a, b}`; where elements may be born, a name that means nothing else is one."""
    return Elements.of(
        item.id if isinstance(item, syntax.Name) and newborn(item.id, env) else value(item, env) for item in expr.items
    )


def _set_builder(expr: syntax.SetBuilder, env: Environment) -> Value:
    inside = replace(env.fixed(), births=False)
    return Elements.of([value(expr.body, inner) for inner in bindings(expr.binders, inside)])


def _tuple(expr: syntax.Tuple, env: Environment) -> Value:
    return tuple(value(item, env) for item in expr.items)


def _money(expr: syntax.Money, env: Environment) -> Value:
    raise Fault("an amount of money stands only after `budget`", code="C050", help="write the number without `$`")


def _map(expr: syntax.MapLiteral, env: Environment) -> Value:
    raise at(Fault("a map stands only after `table NAME[S] =` and after `model`", code="C048",
                   help="give a table these entries, and look it up by its name"), expr.span)  # fmt: skip


def _call(expr: syntax.Call, env: Environment) -> Folded:
    function = FUNCTIONS.get(expr.function)
    if function is None:
        help_ = closest(expr.function, FUNCTIONS) or f"functions: {', '.join(sorted(FUNCTIONS))}"
        raise Fault(f"`{expr.function}` is not a function", code="C047", help=help_)
    if expr.named:
        raise Fault(f"`{expr.function}` takes no named arguments", code="C047")
    arguments = [evaluate(a, env) for a in expr.arguments]
    if expr.function != "size":
        _read(arguments, env)
    found = function(arguments)
    _read([found], env)
    return found


def _read(operands: Sequence[Folded], env: Environment) -> None:
    """Count the elements of sets that are gone through at once."""
    sets = [operand for operand in operands if isinstance(operand, Elements)]
    if sets:
        env.meter.count(sum(map(len, sets)) // LISTED)


_EVALUATE: dict[type[syntax.Node], Callable[..., Folded]] = {
    syntax.Number: lambda expr, env: expr.value,
    syntax.Text: lambda expr, env: expr.value,
    syntax.Money: _money,
    syntax.NoneLiteral: lambda expr, env: None,
    syntax.Switch: lambda expr, env: expr.on,
    syntax.Name: _name,
    syntax.Lookup: _lookup,
    syntax.Call: _call,
    syntax.Aggregate: _aggregate,
    syntax.Quantifier: _quantifier,
    syntax.SetLiteral: _set_literal,
    syntax.SetBuilder: _set_builder,
    syntax.MapLiteral: _map,
    syntax.Tuple: _tuple,
    syntax.Ternary: _ternary,
    syntax.Logical: _logical,
    syntax.Negation: lambda expr, env: inverse(evaluate(expr.operand, env)),
    syntax.Comparison: _comparison,
    syntax.Range: _range,
    syntax.Arithmetic: _arithmetic,
    syntax.Minus: _minus,
}
