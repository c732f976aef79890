"""Instances of a statement. In: `[a in agents, t in tasks where c]`, a domain or a draw; out: keys and their values."""

from collections.abc import Callable, Iterator

from colosseum.diagnostics import closest
from colosseum.language import syntax
from colosseum.model import draws
from colosseum.model.environment import Environment
from colosseum.model.evaluate import Literal, prepare_condition, prepare_elements, prepare_loops, prepare_value
from colosseum.model.loops import rounds
from colosseum.model.operations import LISTED
from colosseum.model.values import Elements, Fault, Key, Value, flatten, kind, located, text

DRAWS = ", ".join(draws.DRAWS.values())


def domain(statement: syntax.Variable) -> Callable[[Environment, str], Key]:
    """The rule of a variable's domain: the values of the instance of this name; `or none` adds the opt-out last."""
    expr, optional = statement.domain, False
    while isinstance(expr, syntax.Logical) and expr.operator == "or" and isinstance(expr.right, syntax.NoneLiteral):
        expr, optional = expr.left, True
    span, choices = expr.span, prepare_elements(expr)

    def allowed(env: Environment, name: str) -> Key:
        items = choices(env).items
        env.place.meter.count(len(items) // LISTED)  # so that many instances of a long range are not too many in all
        if None in items:
            raise Fault("`none` is added with `or none`, not put in the set", code="C064",
                        help="as in `variable pick[agents]: tasks or none`", span=span)  # fmt: skip
        if not items and not optional:
            raise Fault(f"`{name}` has nothing to choose from", code="C064", help="an empty domain has no decision")
        return (*items, None) if optional else items

    return allowed


def draw(call: syntax.Call) -> Callable[[str, Environment], Value]:
    """The rule of `~ call`: the value for one key."""
    rules = [prepare_value(argument) for argument in call.arguments]
    alike = all(isinstance(argument, Literal) for argument in call.arguments)

    def drawn(key: str, env: Environment) -> Value:
        births = env if alike else env.where(env.place.open)
        arguments = [rule(births) for rule in rules]
        if call.named:
            message = f"`{call.function}` takes no named arguments"
            raise Fault(message, code="C047", help=f"draws: {DRAWS}", span=call.named[0].span)
        return located(call.span, _drawn, call.function, key, arguments)

    return drawn


def _drawn(function: str, key: str, arguments: list[Value]) -> Value:
    match function, arguments:
        case "integer", [low, high]:
            return draws.integer(key, low, high)
        case "normal", [mean, deviation]:
            return draws.normal(key, mean, deviation)
        case "uniform", [low, high]:
            return draws.uniform(key, low, high)
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


def indexed(indices: syntax.Indices | None, env: Environment) -> Iterator[tuple[Key, Environment]]:
    """(flattened key, environment) of every instance that `[…where…]` admits; one without indices.

    The private cells that the indices of an instance were computed from are its `reads`; all of them, also those of
    instances that were not admitted, are added to `env.reads`.
    """
    if indices is None:
        yield (), env
        return
    loops = prepare_loops(indices.items)
    admitted = None if indices.where is None else prepare_condition(indices.where)
    outer = env.apart()
    for key, instance in rounds(loops, outer, apart=True):
        passes = admitted is None or admitted(instance)
        if env.reads is not None and instance.reads:
            env.reads.update(instance.reads)
        if passes:
            yield flatten(key), instance
    if env.reads is not None and outer.reads:
        env.reads.update(outer.reads)
