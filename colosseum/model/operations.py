"""Operators, sets and calls. In: the rules of their parts; out: the rule of the whole."""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from colosseum.diagnostics import Span, closest
from colosseum.model import terms
from colosseum.model.environment import MOST_STEPS, Environment, Rule, newborn
from colosseum.model.folding import Folded, conjunction, link, term
from colosseum.model.functions import FUNCTIONS
from colosseum.model.terms import Constant, Decision, Ground
from colosseum.model.values import Elements, Fault, Value, arithmetic, calculated, is_number, text, truth

LISTED = 10
"""Elements whose listing takes as long as one round of a loop."""
LARGEST_RANGE = 100_000


def constant(value: Value) -> Rule:
    """The rule of what is the same everywhere."""
    return lambda env: value


def refusal(message: str, *, code: str, help: str = "", span: Span | None = None) -> Rule:  # noqa: A002 - users' word
    """The rule of what has no meaning."""

    def rule(env: Environment) -> Folded:
        raise Fault(message, code=code, help=help, span=span)

    return rule


def once(rule: Rule) -> Rule:
    """The same rule, which finds again what it last found in the same place.

    The meter counts it again: what the two uses make of it is written twice.
    """
    last: tuple[Environment, Folded, int] | None = None

    def kept(env: Environment) -> Folded:
        nonlocal last
        meter = env.place.meter
        if last is not None and last[0] is env and meter.steps + last[2] <= MOST_STEPS:
            meter.steps += last[2]
            return last[1]
        before = meter.steps
        found = rule(env)
        last = (env, found, meter.steps - before)
        return found

    return kept


def operation(operator: str, left: Rule, right: Rule) -> Rule:
    """`+ - * / &`."""

    numeric = operator != "&"

    def rule(env: Environment) -> Folded:
        a, b = left(env), right(env)
        if numeric and is_number(a) and is_number(b):
            return calculated(operator, a, b)
        if isinstance(a, Ground) or isinstance(b, Ground):
            return terms.Arithmetic(operator, term(a), term(b))
        if isinstance(a, Elements) or isinstance(b, Elements):
            _read((a, b), env)
        return arithmetic(operator, a, b)

    return rule


def minus(operand: Rule) -> Rule:
    """`-e`."""

    def rule(env: Environment) -> Folded:
        negated = operand(env)
        if isinstance(negated, Ground):
            return terms.Arithmetic("*", Constant(-1), negated)
        return arithmetic("-", 0, negated)

    return rule


def interval(first: Callable[[Environment], Value], last: Callable[[Environment], Value]) -> Rule:
    """`low..high`."""

    def rule(env: Environment) -> Folded:
        low, high = first(env), last(env)
        if type(low) is not int or type(high) is not int:
            raise Fault(f"a range runs between whole numbers, not from `{text(low)}` to `{text(high)}`", code="C057")
        size = high - low + 1
        if size > LARGEST_RANGE:
            raise Fault(f"this range has {size:,} numbers, at most {LARGEST_RANGE:,} are allowed", code="C056")
        env.place.meter.count(max(0, size - 1) // LISTED)
        return Elements(tuple(range(low, high + 1)))

    return rule


def comparison(operators: Sequence[str], operands: Sequence[Rule]) -> Rule:
    """`a < b <= c`, `x in S`: a chain, mostly of one link."""
    equality = "==" in operators or "!=" in operators
    operator, first, second = operators[0], operands[0], operands[1]

    def single(env: Environment) -> Folded:
        left, right = first(env), second(env)
        if operator == "==" and isinstance(left, Decision) and isinstance(right, str):
            return env.place.test(left, right)
        if equality and (isinstance(left, Elements) or isinstance(right, Elements)):
            _read((left, right), env)
        return link(operator, left, right)

    def chain(env: Environment) -> Folded:
        found = [operand(env) for operand in operands]
        if equality:
            _read(found, env)
        return conjunction([link(o, *sides) for o, sides in zip(operators, pairwise(found), strict=True)])

    return single if len(operators) == 1 else chain


def choice(condition: Rule, then: Rule, otherwise: Rule) -> Rule:
    """`then if condition else otherwise`."""

    def rule(env: Environment) -> Folded:
        chosen = condition(env)
        if not isinstance(chosen, Ground):
            return then(env) if truth(chosen, "the condition of `if`") else otherwise(env)
        return terms.Conditional(chosen, term(then(env)), term(otherwise(env)))

    return rule


def listed(items: Sequence[tuple[str, Callable[[Environment], Value]]]) -> Rule:
    """`{a, b}`, its items with their names if that is all they are: where elements may be born, a new one is."""
    return lambda env: Elements.of(name if name and newborn(name, env) else item(env) for name, item in items)


def built(body: Callable[[Environment], Value], choices: Callable[[Environment], Iterator[Environment]]) -> Rule:
    """`{e for i in S}`."""
    return lambda env: Elements.of([body(inner) for inner in choices(env.where(env.place.closed))])


def call(name: str, arguments: Sequence[Rule], *, named: bool) -> Rule:
    """`max(a, b)`, `size(S)`."""
    function = FUNCTIONS.get(name)
    if function is None:
        help_ = closest(name, FUNCTIONS) or f"functions: {', '.join(sorted(FUNCTIONS))}"
        return refusal(f"`{name}` is not a function", code="C047", help=help_)
    if named:
        return refusal(f"`{name}` takes no named arguments", code="C047")
    called = function

    def rule(env: Environment) -> Folded:
        found = [argument(env) for argument in arguments]
        if name != "size":
            _read(found, env)
        result = called(found)
        _read((result,), env)
        return result

    return rule


def _read(operands: Sequence[Folded], env: Environment) -> None:
    """Count the elements of sets that are gone through at once."""
    if Elements in map(type, operands):
        sizes = [len(operand) for operand in operands if isinstance(operand, Elements)]
        env.place.meter.count(sum(sizes) // LISTED)
