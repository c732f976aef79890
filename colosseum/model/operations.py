"""Operators and functions. In: folded operands; out: a value or a term, or a Fault."""

from collections.abc import Sequence
from itertools import combinations, pairwise

from colosseum.diagnostics import closest
from colosseum.model import terms
from colosseum.model.draws import DRAWS
from colosseum.model.environment import Environment, Meter
from colosseum.model.folding import Folded, conjunction, extreme, link, term
from colosseum.model.terms import Constant, Decision, Ground
from colosseum.model.values import Elements, Fault, Value, absolute, arithmetic, calculated, is_number, kind, text

LISTED = 10
"""Elements whose listing takes as long as one round of a loop."""
LARGEST_RANGE = 100_000
FUNCTIONS = ("abs", "max", "min", "pairs", "size", "steps", *sorted(DRAWS))
"""The functions that expressions may call; draws are among them, to be refused with a help."""


def operation(operator: str, left: Folded, right: Folded, env: Environment) -> Folded:
    """`+ - * / &`."""
    if operator != "&" and is_number(left) and is_number(right):
        return calculated(operator, left, right)
    if isinstance(left, Ground) or isinstance(right, Ground):
        return terms.Arithmetic(operator, term(left), term(right))
    if isinstance(left, Elements) or isinstance(right, Elements):
        _read((left, right), env)
    return arithmetic(operator, left, right)


def minus(operand: Folded) -> Folded:
    """`-e`."""
    if isinstance(operand, Ground):
        return terms.Arithmetic("*", Constant(-1), operand)
    return arithmetic("-", 0, operand)


def interval(low: Value, high: Value, meter: Meter) -> Elements:
    """`low..high`."""
    if type(low) is not int or type(high) is not int:
        raise Fault(f"a range runs between whole numbers, not from `{text(low)}` to `{text(high)}`", code="C057")
    size = high - low + 1
    if size > LARGEST_RANGE:
        raise Fault(f"this range has {size:,} numbers, at most {LARGEST_RANGE:,} are allowed", code="C056")
    meter.count(max(0, size - 1) // LISTED)
    return Elements(tuple(range(low, high + 1)))


def comparison(operators: Sequence[str], operands: Sequence[Folded], env: Environment) -> Folded:
    """`a < b <= c`, `x in S`: a chain, mostly of one link."""
    left, right = operands[0], operands[1]
    if len(operators) == 1 and operators[0] == "==" and isinstance(left, Decision) and isinstance(right, str):
        return env.place.test(left, right)
    if "==" in operators or "!=" in operators:
        _read(operands, env)
    if len(operators) == 1:
        return link(operators[0], left, right)
    return conjunction([link(o, *sides) for o, sides in zip(operators, pairwise(operands), strict=True)])


def check_called(name: str, *, named: bool) -> None:
    """Raises a Fault for a call of what is no function, or with named arguments."""
    if name not in FUNCTIONS:
        help_ = closest(name, FUNCTIONS) or f"functions: {', '.join(sorted(FUNCTIONS))}"
        raise Fault(f"`{name}` is not a function", code="C047", help=help_)
    if named:
        raise Fault(f"`{name}` takes no named arguments", code="C047")


def call(name: str, arguments: Sequence[Folded], env: Environment) -> Folded:
    """`max(a, b)`, `size(S)`."""
    if name != "size":
        _read(arguments, env)
    if name in DRAWS:
        raise Fault(f"`{name}` draws, so it stands only after `~`", code="C047", help=f"as in `table t[S] ~ {name}(…)`")
    alone = arguments[0] if len(arguments) == 1 else None
    found: Folded
    if name in ("min", "max"):
        items = alone.items if isinstance(alone, Elements) else arguments
        found = extreme(name, [(True, item) for item in items], aggregate=False)
    elif len(arguments) != 1:
        raise Fault(f"`{name}` takes one argument, not {len(arguments)}", code="C047")
    elif name == "abs":
        found = terms.Absolute(alone) if isinstance(alone, Ground) else absolute(alone)
    else:
        found = _of_set(name, alone)
    _read((found,), env)
    return found


def _of_set(name: str, argument: Folded) -> Value:
    """`size(S)`, `steps(S)`, and `pairs(S)`: every unordered pair once, in declared order."""
    if isinstance(argument, Ground):
        raise Fault(f"`{name}` needs a set that no decision changes", code="C055")
    if not isinstance(argument, Elements):
        raise Fault(f"`{name}` takes a set, not {kind(argument)}", code="C057")
    if name == "size":
        return len(argument)
    if name == "steps":
        return Elements(tuple(pairwise(argument)))
    Meter().foresee([len(argument) * (len(argument) - 1) // 2])
    return Elements(tuple(combinations(argument, 2)))


def _read(operands: Sequence[Folded], env: Environment) -> None:
    """Count the elements of sets that are gone through at once."""
    if Elements in map(type, operands):
        sizes = [len(operand) for operand in operands if isinstance(operand, Elements)]
        env.place.meter.count(sum(sizes) // LISTED)
