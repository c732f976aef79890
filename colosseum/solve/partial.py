"""Terms under partial assignments. In: a condition and some decisions; out: whether a completion can satisfy it.

Values are followed as small sets, and as intervals where sets grow. Both contain everything that is possible, so a
condition that cannot hold here holds nowhere; where the answer stays open, few completions are enumerated.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from math import inf, prod
from typing import TypeAlias

from colosseum.model import terms
from colosseum.model.scenario import Requirement, Task
from colosseum.model.terms import Term
from colosseum.model.values import Fault, Value, arithmetic, compare, is_number, member, number

MOST_VALUES = 64
MOST_COMPLETIONS = 2_000


@dataclass(frozen=True)
class NumberRange:
    """Numbers from low to high; without bounds anything at all, none and names included."""

    low: float
    high: float


Reach: TypeAlias = "frozenset[Value] | NumberRange"
OPEN: Reach = frozenset((True, False))
ANYTHING = NumberRange(-inf, inf)


def possible(condition: Term, decided: Mapping[str, Value], task: Task, *, witness: Mapping[str, Value]) -> bool:
    """Whether some completion of the decisions satisfies a condition; `witness` is one that is tried first.

    Exact when the interval bounds settle it (as for counts and sums in which each variable occurs once) or when at
    most 2 000 completions are open; beyond that "not excluded by the bounds" counts as possible.
    """
    if condition.evaluate(witness) is True:
        return True
    reach = reach_of(condition, decided, task)
    if reach == frozenset((True,)):
        return True
    if reach == frozenset((False,)):
        return False
    completions = _completions(condition, decided, task)
    return completions is None or any(condition.evaluate(x) is True for x in completions)


def shortfall(rule: Requirement, decided: Mapping[str, Value], task: Task, *, witness: Mapping[str, Value]) -> float:
    """How far every completion misses a rule at least: 0 where some completion satisfies it.

    With `per unit` in units of its excess (a lower bound past 2 000 completions), else 1 when it is missed for good.
    """
    if possible(rule.condition, decided, task, witness=witness):
        return 0.0
    if rule.excess is None:
        return 1.0
    floor = max(0.0, _interval(reach_of(rule.excess, decided, task)).low)
    least = inf
    for x in _completions(rule.excess, decided, task) or ():
        least = min(least, float(number(rule.excess.evaluate(x), f"the excess of `{rule.name}`")))
        if least <= floor:
            break
    return floor if least == inf else least


def _completions(term: Term, decided: Mapping[str, Value], task: Task) -> Iterator[dict[str, Value]] | None:
    """Every completion of the term's scope, opting out first; None when there are too many."""
    free = sorted(term.scope - decided.keys())
    domains = [task.variable[name].domain[::-1] for name in free]
    if prod(map(len, domains)) > MOST_COMPLETIONS:
        return None
    return ({**decided, **dict(zip(free, values, strict=True))} for values in product(*domains))


def reach_of(term: Term, decided: Mapping[str, Value], task: Task) -> Reach:
    """Everything that the term may be once the open decisions are taken."""

    def reach(inner: Term) -> Reach:
        return reach_of(inner, decided, task)

    match term:
        case terms.Constant(value=value):
            return frozenset((value,))
        case terms.Decision(variable=name):
            return frozenset((decided[name],)) if name in decided else frozenset(task.variable[name].domain)
        case terms.Conditional(condition=c, then=a, otherwise=b):
            when = reach(c)
            branches = [reach(t) for holds, t in ((True, a), (False, b)) if holds in _truths(when)]
            return branches[0] if len(branches) == 1 else _union(*branches)
        case terms.Total(parts=parts):
            return _sum([reach(p) for p in parts])
        case terms.Arithmetic(operator=operator, left=a, right=b):
            return _arithmetic(operator, reach(a), reach(b))
        case terms.Compare(operator=operator, left=a, right=b):
            return _compare(operator, reach(a), reach(b))
        case terms.Member(item=a, elements=b):
            return _each(lambda x, y: member(x, y), reach(a), reach(b)) or OPEN
        case terms.Every(parts=parts):
            return _all([_truths(reach(p)) for p in parts])
        case terms.Some(parts=parts):
            return _not(_all([_not(_truths(reach(p))) for p in parts]))
        case terms.Inverse(part=part):
            return _not(_truths(reach(part)))
        case terms.Select(keys=keys, entries=entries):
            wanted = [reach(k) for k in keys]
            found = [reach(e) for key, e in entries if all(_holds(w, k) for w, k in zip(wanted, key, strict=True))]
            missing: list[Reach] = [frozenset((None,))] if any(_holds(w, None) for w in wanted) else []
            return _union(*found, *missing) if found else ANYTHING
        case terms.Absolute(part=part):
            return _absolute(reach(part))
        case terms.Extremum(which=which, parts=parts, conditions=conditions):
            sure = all(isinstance(c, terms.Constant) and c.value is True for c in conditions)
            return _extremum(which, [reach(p) for p in parts]) if sure else ANYTHING
        case _:
            return ANYTHING


def _truths(reach: Reach) -> frozenset[Value]:
    return reach if isinstance(reach, frozenset) and reach <= {True, False} else frozenset((True, False))


def _not(reach: frozenset[Value]) -> frozenset[Value]:
    return frozenset(not v for v in reach)


def _all(parts: list[frozenset[Value]]) -> frozenset[Value]:
    if any(p == {False} for p in parts):
        return frozenset((False,))
    return frozenset((True,)) if all(p == {True} for p in parts) else frozenset((True, False))


def _holds(reach: Reach, value: Value) -> bool:
    if isinstance(reach, frozenset):
        return value in reach
    return reach == ANYTHING or (isinstance(value, int | float) and reach.low <= value <= reach.high)


def _interval(reach: Reach) -> NumberRange:
    if isinstance(reach, NumberRange):
        return reach
    numbers = [v for v in reach if isinstance(v, int | float) and is_number(v)]
    return NumberRange(min(numbers), max(numbers)) if len(numbers) == len(reach) and numbers else ANYTHING


def _union(*parts: Reach) -> Reach:
    if all(isinstance(p, frozenset) for p in parts):
        joined: frozenset[Value] = frozenset().union(*(p for p in parts if isinstance(p, frozenset)))
        if len(joined) <= MOST_VALUES:
            return joined
    ends = [_interval(p) for p in parts]
    return NumberRange(min(e.low for e in ends), max(e.high for e in ends))


def _sum(parts: list[Reach]) -> Reach:
    ends = [_interval(p) for p in parts]
    return NumberRange(sum(e.low for e in ends), sum(e.high for e in ends))


def _absolute(reach: Reach) -> Reach:
    ends = _interval(reach)
    if ends == ANYTHING:
        return ANYTHING
    low, high = abs(ends.low), abs(ends.high)
    return NumberRange(0.0 if ends.low <= 0 <= ends.high else min(low, high), max(low, high))


def _extremum(which: str, parts: list[Reach]) -> Reach:
    """Part by part: the least of `min` is the least of all lows."""
    ends = [_interval(p) for p in parts]
    if not ends or ANYTHING in ends:
        return ANYTHING
    pick = min if which == "min" else max
    return NumberRange(pick(e.low for e in ends), pick(e.high for e in ends))


def _each(operation: Callable[[Value, Value], Value], left: Reach, right: Reach) -> frozenset[Value] | None:
    """The results for every pair of values; None when there are too many or a side is an interval."""
    if not isinstance(left, frozenset) or not isinstance(right, frozenset) or len(left) * len(right) > MOST_VALUES**2:
        return None
    try:
        return frozenset(operation(a, b) for a in left for b in right)
    except Fault:
        return None


def _arithmetic(operator: str, left: Reach, right: Reach) -> Reach:
    found = _each(lambda a, b: arithmetic(operator, a, b), left, right)
    if found is not None and len(found) <= MOST_VALUES:
        return found
    a, b = _interval(left), _interval(right)
    match operator:
        case "+":
            return NumberRange(a.low + b.low, a.high + b.high)
        case "-":
            return NumberRange(a.low - b.high, a.high - b.low)
        case _:
            return ANYTHING


def _compare(operator: str, left: Reach, right: Reach) -> Reach:
    found = _each(lambda a, b: compare(operator, a, b), left, right)
    if found is not None:
        return found
    if None in (left if isinstance(left, frozenset) else ()) or None in (right if isinstance(right, frozenset) else ()):
        return OPEN
    a, b = _interval(left), _interval(right)
    match operator:
        case "<=":
            return _order(a.high <= b.low, a.low > b.high)
        case "<":
            return _order(a.high < b.low, a.low >= b.high)
        case ">=":
            return _order(a.low >= b.high, a.high < b.low)
        case ">":
            return _order(a.low > b.high, a.high <= b.low)
        case "==":
            return _order(a.low == a.high == b.low == b.high, a.high < b.low or b.high < a.low)
        case _:
            return _order(a.high < b.low or b.high < a.low, a.low == a.high == b.low == b.high)


def _order(always: bool, never: bool) -> Reach:
    return frozenset((True,)) if always else frozenset((False,)) if never else OPEN
