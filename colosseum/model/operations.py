"""Operators and functions. In: values and terms; out: a value where all are values, else a ground term, or a Fault."""

from collections.abc import Callable, Sequence
from itertools import combinations, pairwise

from colosseum.model import terms, values
from colosseum.model.draws import DRAWS
from colosseum.model.terms import Decision, Folded, Ground, Term, term
from colosseum.model.values import Elements, Fault, Number, Value, arithmetic, kind, text, truth
from colosseum.model.world import Environment, Meter

LISTED = 10
"""Elements whose listing takes as long as one round of a loop."""
LARGEST_RANGE = 100_000
FUNCTIONS = ("abs", "max", "min", "pairs", "size", "steps", *sorted(DRAWS))
"""The functions that expressions may call; draws are among them, to be refused with a help."""


def operation(operator: str, left: Folded, right: Folded, env: Environment) -> Folded:
    """`+ - * / &`."""
    if isinstance(left, Ground) or isinstance(right, Ground):
        return terms.Arithmetic(operator, term(left), term(right))
    if isinstance(left, Elements) or isinstance(right, Elements):
        _read((left, right), env)
    return arithmetic(operator, left, right)


def minus(operand: Folded) -> Folded:
    """`-e`."""
    if isinstance(operand, Ground):
        return terms.Arithmetic("*", terms.Constant(-1), operand)
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
        env.place.meter.count(sum(sizes) // LISTED)


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
    return terms.Inverse(operand) if isinstance(operand, Ground) else not truth(operand, "the operand of `not`")


def conjunction(parts: list[Folded]) -> Folded:
    """`and` of the parts, with the values folded in; mentions are kept."""
    return _connect(parts, neutral=True, join=terms.Every)


def disjunction(parts: list[Folded]) -> Folded:
    """`or` of the parts."""
    return _connect(parts, neutral=False, join=terms.Some)


def _connect(parts: list[Folded], *, neutral: bool, join: Callable[[tuple[Term, ...]], Term]) -> Folded:
    ground = [p for p in parts if isinstance(p, Ground)]
    plain = [p for p in parts if not isinstance(p, Ground)]
    role = "a part of `and`" if neutral else "a part of `or`"
    decided = any(truth(p, role) is not neutral for p in plain)
    if not ground:
        return neutral is not decided
    if decided:
        return terms.Constant(not neutral, tuple(sorted(terms.NO_SCOPE.union(*(part.scope for part in ground)))))
    return ground[0] if len(ground) == 1 else join(tuple(ground))


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
            constant = values.added((constant, terms.summand(body)))
    if not parts:
        return constant
    return terms.Total((*parts, terms.Constant(constant)) if constant else tuple(parts))


def extreme(which: str, rounds: list[tuple[Folded, Folded]], *, aggregate: bool) -> Folded:
    """The least or greatest of guarded parts."""
    made = terms.Extremum(which, tuple(term(b) for _, b in rounds), tuple(term(c) for c, _ in rounds), aggregate)
    return made if any(isinstance(part, Ground) for pair in rounds for part in pair) else made.evaluate({})
