"""Expressions into values. In: syntax, facts and bindings; out: a value, or a ground term where decisions matter.

Variable-free parts are folded; what is left mentions every variable that the text mentions (`0 * x` mentions x). A
mistake is raised as a Fault that carries the innermost span.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from colosseum.language import syntax
from colosseum.model import operations
from colosseum.model.operations import LOOKED_UP, fact, inverse, junction, look_up, payoff
from colosseum.model.spec import CALLED
from colosseum.model.terms import ONE, Conditional, Folded, Ground, Term, term
from colosseum.model.values import Elements, Fault, Key, Value, at, flatten, kind, located, text, truth
from colosseum.model.world import Environment, Poisoned


def evaluate(expr: syntax.Expr, env: Environment) -> Folded:
    """The value of an expression in one round of the loops around it, or its term. Raises Fault with a span."""
    if type(expr) is syntax.Name and expr.id in env.bindings:
        return env.bindings[expr.id]
    if type(expr) is syntax.Number:
        return expr.value
    try:
        found = _MEANINGS.get(type(expr), _collected)(expr, env)
    except Fault as fault:
        at(fault, expr.span)
        raise
    except RecursionError:
        raise Fault("this expression is nested too deeply", code="C056", span=expr.span) from None
    if isinstance(found, Ground):
        env.meter.count(1)  # a fault is the loop's
    return found


def _chosen(expr: syntax.Ternary, env: Environment) -> Folded:
    chosen = evaluate(expr.condition, env)
    if not isinstance(chosen, Ground):
        return evaluate(expr.then if truth(chosen, "the condition of `if`") else expr.otherwise, env)
    return Conditional(chosen, term(evaluate(expr.then, env)), term(evaluate(expr.otherwise, env)))


def _called(expr: syntax.Call, env: Environment) -> Folded:
    name = expr.function
    if name not in CALLED:
        raise Fault(f"`{name}` is not a function", code="C047")
    if expr.named:
        raise Fault(f"`{name}` takes no named arguments", code="C047")
    return operations.call(name, [evaluate(argument, env) for argument in expr.arguments], env)


def _looked_up(expr: syntax.Lookup, env: Environment) -> Folded:
    """`cost[a, t]`; `engineer[1..3]` where the name is not declared."""
    if not isinstance(expr.base, syntax.Name):
        raise Fault("only a table or a variable can be looked up", code="C044", help="as in `cost[a, t]`")
    name, symbol = expr.base.id, env.facts.spec.symbols.get(expr.base.id)
    if symbol and name in env.bindings:
        raise Poisoned(f"a loop variable hides `{name}`")
    if name in env.bindings or (symbol and symbol.kind not in LOOKED_UP):
        raise Fault(f"`{name}` is not a table or a variable", code="C044")
    if symbol is None and name != "payoff":
        first, *more = expr.keys
        if more or not isinstance(first, syntax.Range):
            raise env.unknown(name)
        made = tuple([f"{name}{i}" for i in elements(first, env)])
        for strange in (element for element in made if element not in env.facts.elements):
            raise env.unknown(strange)
        return Elements(made)
    keys = tuple([evaluate(key, env) for key in expr.keys])
    return payoff(keys, env) if symbol is None else look_up(symbol, keys, env)


def _collected(expr: syntax.Expr, env: Environment) -> Folded:
    """A loop or a set."""
    match expr:
        case syntax.Aggregate(function="sum" | "min" | "max" as which, body=body):
            items = [(holds, evaluate(body, inner)) for holds, inner in _guarded(expr, env)]
            return operations.total(items) if which == "sum" else operations.extreme(which, items, aggregate=True)
        case syntax.Aggregate(function=which):
            raise Fault(f"`{which}` cannot range over binders", code="C047", help="sum, min and max can")
        case syntax.Quantifier(kind="count"):
            return operations.total([(c, ONE if isinstance(c, Ground) else 1) for c, _ in _guarded(expr, env)])
        case syntax.Quantifier(kind=which, binders=binders, when=when):
            return junction([admitted(when, inner) for inner in choices(binders, env)], every=which == "all")
        case syntax.SetLiteral(items=items):
            return Elements.of(value(item, env) for item in items)
        case syntax.SetBuilder(body=body, binders=binders):
            return Elements.of([value(body, inner) for inner in choices(binders, env.fixed())])
        case syntax.Money():
            help_ = "write the number without `$`"
            raise Fault("an amount of money stands only after `budget`", code="C050", help=help_)
        case _:
            help_ = "give a table these entries, and look it up by its name"
            raise Fault("a map stands only after `table NAME[S] =` and after `model`", code="C048", help=help_)


# ---- what no decision may change ---------------------------------------------------------------------------


def value(expr: syntax.Expr, env: Environment) -> Value:
    """The value of an expression that no decision may change."""
    found = evaluate(expr, env.fixed())
    assert not isinstance(found, Ground)
    return found


def elements(expr: syntax.Expr, env: Environment) -> Elements:
    """The value of an expression that is a set."""
    found = value(expr, env)
    if not isinstance(found, Elements):
        last = expr.span.text if isinstance(expr, syntax.Name | syntax.Number) else "8"
        help_ = f"a range of numbers is written `1..{last}`" if type(found) is int else ""
        raise Fault(f"this is {kind(found)} (`{text(found)}`), not a set", code="C057",
                    help=help_, span=expr.span)  # fmt: skip
    return found


def condition(expr: syntax.Expr, env: Environment) -> bool:
    """Whether a `where` admits a round."""
    return located(expr.span, truth, value(expr, env), "`where`")


def admitted(when: syntax.Expr | None, env: Environment) -> bool | Term:
    """Whether a `when` holds; without one, it always does. Raises Fault."""
    if when is None:
        return True
    holds = evaluate(when, env)
    return holds if isinstance(holds, Ground) else located(when.span, truth, holds, "`when`")


# ---- loops -------------------------------------------------------------------------------------------------


def choices(binders: syntax.Binders, env: Environment) -> Iterator[Environment]:
    """The place of every round that the filter admits, the last binder turning fastest."""
    where, found = binders.where, rounds(binders.items, env)
    return (inner for _, inner in found if where is None or condition(where, inner))


def _guarded(loop: syntax.Aggregate | syntax.Quantifier, env: Environment) -> Iterator[tuple[Folded, Environment]]:
    """(condition, place) of every round whose `when` is not false."""
    for inner in choices(loop.binders, env):
        holds = admitted(loop.when, inner)
        if holds is not False:
            yield holds, inner


def indexed(indices: syntax.Binders | None, env: Environment) -> Iterator[tuple[Key, Environment]]:
    """(flattened key, environment) of every instance that `[…where…]` admits; one without indices.

    The private cells that the indices of an instance were computed from are its `reads`; all of them, also those of
    instances that were not admitted, are added to `env.reads`.
    """
    if indices is None:
        yield (), env
        return
    outer = env.bind((), None, apart=True)
    for key, instance in rounds(indices.items, outer, apart=True):
        passes = indices.where is None or condition(indices.where, instance)
        env.reads.update(instance.reads)
        if passes:
            yield flatten(key), instance
    env.reads.update(outer.reads)


def rounds(
    loops: Sequence[syntax.Binder], env: Environment, *, apart: bool = False
) -> Iterator[tuple[tuple[Value, ...], Environment]]:
    """The items and places of nested loops, the last one turning fastest.

    What does not depend on an outer loop is computed once, and its size is known before anything runs. `apart`: every
    round has private reads of its own, which begin with those of the domains that led to it.
    """
    pools: list[Elements | None] = []
    bound: set[str] = set()
    for loop in loops:
        depends = bound and not bound.isdisjoint(loop.domain.mentions)
        pools.append(None if depends else elements(loop.domain, env))
        bound.update(loop.names)
    sizes = (*env.rounds, *(len(pool) for pool in pools if pool is not None))
    located(loops[0].span.to(loops[-1].span), env.meter.foresee, sizes)

    def turn(items: tuple[Value, ...], env: Environment) -> Iterator[tuple[tuple[Value, ...], Environment]]:
        """The rounds of the loops that are left, inside those whose items are given."""
        loop, pool, innermost = loops[len(items)], pools[len(items)], len(items) + 1 == len(loops)
        if pool is None:
            env = env.bind((), None, apart=apart)
            pool = elements(loop.domain, env)
        try:
            env.meter.count(len(pool))
            for item in pool.items:
                inner = env.bind(loop.names, item, apart=apart and innermost)
                if innermost:
                    yield (*items, item), inner
                else:
                    yield from turn((*items, item), inner)
        except Fault as fault:
            raise at(fault, loop.domain.span) from None

    inside = env.bind((), None)
    inside.rounds = sizes
    return turn((), inside)


def _joined(x: syntax.Logical, env: Environment) -> Folded:
    """Where the left side decides, what cannot be computed on the right is left out; else its mentions are kept."""
    left, every = evaluate(x.left, env), x.operator == "and"
    try:
        return junction([left, evaluate(x.right, env)], every=every)
    except Fault:
        if isinstance(left, bool) and left is not every:
            return left
        raise


_MEANINGS: dict[type[syntax.Node], Callable[[Any, Environment], Folded]] = {
    syntax.Lookup: _looked_up,
    syntax.Arithmetic: lambda x, env: operations.operation(
        x.operator, evaluate(x.left, env), evaluate(x.right, env), env
    ),
    syntax.Comparison: lambda x, env: operations.comparison(x.operators, [evaluate(y, env) for y in x.operands], env),
    syntax.Name: lambda x, env: fact(x.id, env),
    syntax.Text: lambda x, env: x.value,
    syntax.Switch: lambda x, env: x.on,
    syntax.Logical: _joined,
    syntax.NoneLiteral: lambda x, env: None,
    syntax.Ternary: _chosen,
    syntax.Minus: lambda x, env: operations.minus(evaluate(x.operand, env)),
    syntax.Negation: lambda x, env: inverse(evaluate(x.operand, env)),
    syntax.Range: lambda x, env: operations.interval(value(x.low, env), value(x.high, env), env.meter),
    syntax.Call: _called,
    syntax.Tuple: lambda x, env: tuple([value(item, env) for item in x.items]),
}
"""What comes of the parts of an expression: by a table, a seed is expanded in a twelfth less time than by `match`."""
