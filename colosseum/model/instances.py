"""Instances of a statement. In: `[a in agents, t in tasks where c]`, a domain or a draw; out: keys and their values."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TypeAlias

from colosseum.diagnostics import closest
from colosseum.language import syntax
from colosseum.model import draws
from colosseum.model.environment import Environment
from colosseum.model.evaluate import LISTED, condition, elements, nested, value
from colosseum.model.values import Elements, Fault, Value, at, flatten, kind, text

Key: TypeAlias = tuple[Value, ...]
"""Index values with pairs opened."""
DRAWN = ("choice", "integer", "normal", "sample", "shuffle", "uniform")
DRAWS = "choice(S), integer(lo, hi), uniform(lo, hi), normal(mean, sd), sample(S, k), shuffle(S)"


def domain(statement: syntax.Variable, env: Environment, name: str) -> tuple[Value, ...]:
    """The values of one variable; `or none` adds the opt-out last."""
    expr, optional = statement.domain, False
    while isinstance(expr, syntax.Logical) and expr.operator == "or" and isinstance(expr.right, syntax.NoneLiteral):
        expr, optional = expr.left, True
    items = elements(expr, env).items
    env.meter.count(len(items) // LISTED)  # so that many instances of a long range are not too many in all
    if None in items:
        fault = Fault("`none` is added with `or none`, not put in the set", code="C064",
                      help="as in `variable pick[agents]: tasks or none`")  # fmt: skip
        raise at(fault, expr.span)
    if not items and not optional:
        raise Fault(f"`{name}` has nothing to choose from", code="C064", help="an empty domain has no decision")
    return (*items, None) if optional else items


def draw(call: syntax.Call, key: str, env: Environment) -> Value:
    """The value of `~ call` for one key."""
    births = replace(env, births=True)
    arguments = [value(a, births) for a in call.arguments]
    if call.named:
        message = f"`{call.function}` takes no named arguments"
        raise at(Fault(message, code="C047", help=f"draws: {DRAWS}"), call.named[0].span)
    try:
        match call.function, arguments:
            case "choice", [Elements(items=items)]:
                return draws.choice(key, items)
            case "choice", [_, _, *_]:
                return draws.choice(key, arguments)
            case "integer", [low, high]:
                return draws.integer(key, low, high)
            case "uniform", [low, high]:
                return draws.uniform(key, low, high)
            case "normal", [mean, deviation]:
                return draws.normal(key, mean, deviation)
            case "sample", [Elements() as pool, size]:
                return draws.sample(key, pool, size)
            case "shuffle", [Elements(items=items)]:
                return Elements(draws.shuffle(key, items))
    except Fault as fault:
        raise at(fault, call.span) from None
    if call.function not in DRAWN:
        help_ = closest(call.function, DRAWN) or f"draws: {DRAWS}"
        raise at(Fault(f"`{call.function}` is not a draw", code="C058", help=help_), call.span)
    shown = ", ".join(f"{kind(a)} (`{text(a)}`)" for a in arguments) or "nothing"
    raise at(Fault(f"`{call.function}` cannot draw from {shown}", code="C058", help=f"draws: {DRAWS}"), call.span)


def indexed(indices: syntax.Indices | None, env: Environment) -> Iterator[tuple[Key, Environment]]:
    """(flattened key, environment) of every instance that `[…where…]` admits; one without indices.

    The private cells that the indices of an instance were computed from are its `reads`; all of them, also those of
    instances that were not admitted, are added to `env.reads`.
    """
    if indices is None:
        yield (), env.apart()
        return
    loops = replace(env, separate=True, reads=None if env.reads is None else set(env.reads))
    for key, inner in nested(indices.items, loops):
        instance = replace(inner.apart(), separate=False)
        admitted = indices.where is None or condition(indices.where, instance)
        if env.reads is not None and instance.reads:
            env.reads.update(instance.reads)
        if admitted:
            yield tuple(flatten(key)), instance
    if env.reads is not None and loops.reads:
        env.reads.update(loops.reads)
