"""Instances of a statement. In: `[a in agents, t in tasks where c]`, a domain or a draw; out: keys and their values."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TypeAlias

from colosseum.language import syntax
from colosseum.model import draws
from colosseum.model.environment import Environment
from colosseum.model.evaluate import condition, destructure, elements, value
from colosseum.model.values import Elements, Fault, Value, flatten

Key: TypeAlias = tuple[Value, ...]
"""Index values with pairs opened."""


def domain(statement: syntax.Variable, env: Environment, name: str) -> tuple[Value, ...]:
    """The values of one variable; `or none` adds the opt-out last."""
    expr, optional = statement.domain, False
    while isinstance(expr, syntax.Logical) and expr.operator == "or" and isinstance(expr.right, syntax.NoneLiteral):
        expr, optional = expr.left, True
    items = elements(expr, env).items
    if None in items:
        raise Fault("`none` is added with `or none`, not put in the set", code="C064")
    if not items and not optional:
        raise Fault(f"`{name}` has nothing to choose from", code="C064", help="an empty domain has no decision")
    return (*items, None) if optional else items


def draw(call: syntax.Call, key: str, env: Environment) -> Value:
    """The value of `~ call` for one key."""
    births = replace(env, births=True)
    arguments = [value(a, births) for a in call.arguments]
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
        fault.span = fault.span or call.span
        raise
    known = "choice(S), integer(lo, hi), uniform(lo, hi), normal(mean, sd), sample(S, k), shuffle(S)"
    fault = Fault(f"`{call.function}` cannot be drawn with these {len(arguments)} arguments", code="C058", help=f"draws: {known}")
    fault.span = call.span
    raise fault


def indexed(
    indices: syntax.Indices | None, env: Environment
) -> Iterator[tuple[Key, Environment]]:
    """(flattened key, environment) of every instance that `[…where…]` admits; one without indices."""
    if indices is None:
        yield (), env
        return
    for key, inner in _loops(list(indices.items), (), env):
        if indices.where is None or condition(indices.where, inner):
            yield tuple(flatten(key)), inner


def _loops(items: list[syntax.Index], key: tuple[Value, ...], env: Environment) -> (
    Iterator[tuple[Key, Environment]]
):  # fmt: skip
    if not items:
        yield key, env
        return
    pool = elements(items[0].domain, env)
    env.meter.count(len(pool))
    for item in pool:
        try:
            bound = destructure(items[0].names, item)
        except Fault as fault:
            fault.span = items[0].span
            raise
        yield from _loops(items[1:], (*key, item), env.bind(bound) if bound else env)
