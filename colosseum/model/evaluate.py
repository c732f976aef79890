"""Expressions into values. In: syntax, facts and bindings; out: a value, or a ground term where decisions matter.

An expression is prepared once and then evaluated in every round of the loops around it. Variable-free parts are
folded; what is left mentions every variable that the text mentions (`0 * x` mentions x). A mistake is raised as a
Fault that carries the innermost span.
"""

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import TypeAlias

from colosseum.language import syntax
from colosseum.model import loops, operations
from colosseum.model.environment import Environment, Rule
from colosseum.model.folding import Folded, conjunction, disjunction, inverse
from colosseum.model.lookup import entry, enumeration, fact
from colosseum.model.loops import Choices, Loop, rounds
from colosseum.model.operations import constant, refusal
from colosseum.model.terms import Ground
from colosseum.model.values import Elements, Fault, Value, at, kind, located, text, truth

Literal: TypeAlias = syntax.Number | syntax.Text | syntax.Switch | syntax.NoneLiteral
ROUND = itemgetter(1)
"""The place of a round, without its items."""


def prepare(expr: syntax.Expr) -> Rule:
    """The rule of an expression. Its text is looked at now and not again."""
    match expr:
        case syntax.Number() | syntax.Text() | syntax.Switch() | syntax.NoneLiteral():
            return constant(_literal(expr))
        case syntax.Name(id=name):
            return _bound(name, _placed(fact(name), expr))
        case _:
            return _placed(_meaning(expr), expr)


def _literal(expr: Literal) -> Value:
    match expr:
        case syntax.Number(value=value) | syntax.Text(value=value) | syntax.Switch(on=value):
            return value
        case syntax.NoneLiteral():
            return None


def _placed(rule: Rule, expr: syntax.Expr) -> Rule:
    """The rule whose mistakes are said to be here, and whose terms are counted."""

    def placed(env: Environment) -> Folded:
        try:
            found = rule(env)
        except Fault as fault:
            at(fault, expr.span)
            raise
        except RecursionError:
            raise Fault("this expression is nested too deeply", code="C056", span=expr.span) from None
        if isinstance(found, Ground):
            env.place.meter.count(1)  # a fault is the loop's
        return found

    return placed


def _bound(name: str, free: Rule) -> Rule:
    """The value of a binder, else the meaning of the name without one."""

    def rule(env: Environment) -> Folded:
        bindings = env.bindings
        return bindings[name] if name in bindings else free(env)

    return rule


def _meaning(expr: syntax.Expr) -> Rule:
    """The rule of an expression from those of its parts."""
    match expr:
        case syntax.Lookup(base=syntax.Name(id=name), keys=keys):
            ranges = isinstance(keys[0], syntax.Range) and len(keys) == 1
            numbers = prepare_elements(keys[0]) if ranges else None
            return entry(name, [prepare(key) for key in keys], otherwise=enumeration(name, numbers))
        case syntax.Lookup(base=syntax.MapLiteral() as base):
            return prepare(base)
        case syntax.Lookup():
            return refusal("only a table or a variable can be looked up", code="C044")
        case syntax.Arithmetic(operator=operator, left=left, right=right):
            return operations.operation(operator, prepare(left), prepare(right))
        case syntax.Comparison(operators=operators, operands=operands):
            return operations.comparison(operators, [prepare(operand) for operand in operands])
        case syntax.Logical(operator=operator, left=left, right=right):
            join, sides = conjunction if operator == "and" else disjunction, (prepare(left), prepare(right))
            return lambda env: join([side(env) for side in sides])
        case syntax.Minus(operand=operand):
            return operations.minus(prepare(operand))
        case syntax.Negation(operand=operand):
            negated = prepare(operand)
            return lambda env: inverse(negated(env))
        case syntax.Ternary(condition=chosen, then=then, otherwise=otherwise):
            return operations.choice(prepare(chosen), prepare(then), prepare(otherwise))
        case syntax.Range(low=low, high=high):
            return operations.interval(prepare_value(low), prepare_value(high))
        case syntax.Call(function=function, arguments=arguments, named=named):
            return operations.call(function, [prepare(argument) for argument in arguments], named=bool(named))
        case _:
            return _collective(expr)


def _collective(expr: syntax.Expr) -> Rule:
    """The rule of a loop or a set."""
    match expr:
        case syntax.Aggregate(function="sum" | "min" | "max" as which, body=body, binders=binders, when=when):
            return loops.aggregate(which, prepare_bindings(binders), prepare_when(when), prepare(body))
        case syntax.Aggregate(function=which):
            return refusal(f"`{which}` cannot range over binders", code="C047", help="sum, min and max can")
        case syntax.Quantifier(kind="count", binders=binders, when=when):
            return loops.count(prepare_bindings(binders), prepare_when(when))
        case syntax.Quantifier(kind=which, binders=binders, when=when):
            return loops.quantifier(which, prepare_bindings(binders), prepare_when(when))
        case syntax.SetLiteral(items=items):
            names = (item.id if isinstance(item, syntax.Name) else "" for item in items)
            return operations.listed([(name, prepare_value(item)) for name, item in zip(names, items, strict=True)])
        case syntax.SetBuilder(body=body, binders=binders):
            return operations.built(prepare_value(body), prepare_bindings(binders))
        case syntax.Tuple(items=items):
            parts = [prepare_value(item) for item in items]
            return lambda env: tuple([part(env) for part in parts])
        case syntax.Money():
            help_ = "write the number without `$`"
            return refusal("an amount of money stands only after `budget`", code="C050", help=help_)
        case _:
            help_ = "give a table these entries, and look it up by its name"
            return refusal("a map stands only after `table NAME[S] =` and after `model`", code="C048", help=help_)


def prepare_value(expr: syntax.Expr) -> Callable[[Environment], Value]:
    """The rule of an expression that no decision may change."""
    if isinstance(expr, Literal):
        literal = _literal(expr)
        return lambda env: literal
    rule = prepare(expr)

    def found(env: Environment) -> Value:
        result = rule(env.fixed())
        assert not isinstance(result, Ground)
        return result

    return found


def prepare_elements(expr: syntax.Expr) -> Callable[[Environment], Elements]:
    """The rule of an expression that is a set."""
    rule = prepare_value(expr)

    def found(env: Environment) -> Elements:
        result = rule(env)
        if not isinstance(result, Elements):
            last = expr.span.text if isinstance(expr, syntax.Name | syntax.Number) else "8"
            help_ = f"a range of numbers is written `1..{last}`" if type(result) is int else ""
            raise Fault(f"this is {kind(result)} (`{text(result)}`), not a set", code="C057",
                        help=help_, span=expr.span)  # fmt: skip
        return result

    return found


def prepare_condition(expr: syntax.Expr) -> Callable[[Environment], bool]:
    """The rule of a `where`."""
    rule = prepare_value(expr)
    return lambda env: located(expr.span, truth, rule(env), "`where`")


def prepare_when(expr: syntax.Expr | None) -> Rule:
    """The rule of a `when`; without one, every round is admitted."""
    return constant(True) if expr is None else prepare(expr)


def prepare_loops(items: Sequence[syntax.Binder | syntax.Index]) -> list[Loop]:
    """Nested loops, their domains ready to be evaluated."""
    found: list[Loop] = []
    bound: set[str] = set()
    for item in items:
        depends = bool(bound) and not bound.isdisjoint(syntax.mentioned(item.domain))
        found.append(Loop(item, prepare_elements(item.domain), depends))
        bound |= set(item.names)
    return found


def prepare_links(expr: syntax.Comparison) -> tuple[Rule, list[Rule]]:
    """The rule of a comparison, and those of its operands for who asks for them in the same places."""
    operands = [operations.once(prepare(operand)) for operand in expr.operands]
    return _placed(operations.comparison(expr.operators, operands), expr), operands


def prepare_bindings(binders: syntax.Binders) -> Choices:
    """Every choice of the binders that passes the filter, the last binder turning fastest."""
    nested = prepare_loops(binders.items)
    if binders.where is None:
        return lambda env: map(ROUND, rounds(nested, env))
    where = prepare_condition(binders.where)
    return lambda env: (inner for _, inner in rounds(nested, env) if where(inner))


def value(expr: syntax.Expr, env: Environment) -> Value:
    """The value of an expression in one place, which no decision may change."""
    return prepare_value(expr)(env)


def elements(expr: syntax.Expr, env: Environment) -> Elements:
    """The value of an expression in one place, as a set."""
    return prepare_elements(expr)(env)
