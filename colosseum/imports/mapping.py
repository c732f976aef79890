"""How foreign runs meet a scenario. In: a `trace from` statement and fields of a run; out: what they are there."""

import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from colosseum.diagnostics import ColosseumError, closest, report
from colosseum.imports.foreign_run import Fields
from colosseum.language import syntax
from colosseum.language.syntax import mentioned

NOTHING: Final = object()
"""What a source does not hold."""
COMPARED: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
WORDS = {"true": True, "false": False}


@dataclass(frozen=True)
class TraceMapping:
    """The entries of a `trace from` statement; without them, names are as they stand."""

    mapped: tuple[syntax.Mapped, ...] = ()

    def of(self, kind: str) -> Iterator[tuple[list[str], syntax.Expr]]:
        """The entries that begin with a word, in declared order: `pick[a, t]` as its names, and what it is."""
        entries = (each for each in self.mapped if each.kind == kind)
        return ((list(mentioned(each.what)) if each.what else [], each.source) for each in entries)

    def source(self, kind: str) -> syntax.Expr | None:
        """The expression of the first entry of a kind."""
        return next((source for _, source in self.of(kind)), None)

    def value(self, kind: str, fields: Fields, default: str | None = None) -> Any:
        """What the first entry of a kind comes to, else the field `default`; NOTHING where there is none."""
        expr = self.source(kind)
        return fields.get(default or kind, NOTHING) if expr is None else evaluate(expr, fields)

    def read(self, kind: str) -> list[str]:
        """The names of the fields that the entries of a kind read."""
        return [name for _, source in self.of(kind) for name in mentioned(source)]

    def column(self, kind: str, default: str) -> str:
        """The name of the one field that an entry names."""
        expr = self.source(kind)
        return expr.id if isinstance(expr, syntax.Name) else default


def evaluate(expr: syntax.Expr, fields: Fields, bound: Mapping[str, Any] | None = None) -> Any:
    """An expression over a run's fields; NOTHING where it reads what the source does not hold.

    Raises ColosseumError where it cannot be computed, or names a field that there is not.
    """
    held = {**fields, **(bound or {})}
    match expr:
        case syntax.Number(value=value) | syntax.Text(value=value) | syntax.Switch(on=value):
            return value
        case syntax.NoneLiteral():
            return None
        case syntax.Name(id=name) if name in held or name in WORDS:
            return held.get(name, WORDS.get(name))
        case syntax.Name(id=name):
            help_ = closest(name, held) or f"fields: {', '.join(held)}"
            raise ColosseumError(report("C041", expr.span, f"the source has no field `{name}`", help=help_))
        case syntax.Lookup(base=base, keys=keys):
            return _looked_up(evaluate(base, held), [evaluate(key, held) for key in keys])
        case syntax.Negation(operand=operand):
            return not holds(operand, held)
        case syntax.Logical(operator=word, left=left, right=right):
            return (all if word == "and" else any)(holds(side, held) for side in (left, right))
        case syntax.Comparison(operands=operands, operators=operators):
            parts = [evaluate(operand, held) for operand in operands]
            links = zip(operators, parts, parts[1:], strict=False)
            return NOTHING if NOTHING in parts else all(_compared(*link) for link in links)
        case syntax.Arithmetic(operator="+" | "-" as sign, left=left, right=right):
            one, other = number(evaluate(left, held)), number(evaluate(right, held))
            known = isinstance(one, int | float) and isinstance(other, int | float)
            return (one + other if sign == "+" else one - other) if known else NOTHING
    help_ = "it has names, texts, numbers, comparisons, `and`, `or`, `not`, `+` and `-`"
    raise ColosseumError(report("C011", expr.span, "a mapping compares fields; it computes only sums", help=help_))


def _looked_up(found: Any, keys: list[Any]) -> Any:
    for key in keys:
        if isinstance(found, dict):
            found = found.get(key, found.get(str(key), NOTHING))
        elif isinstance(found, list | tuple) and isinstance(key, int) and 1 <= key <= len(found):
            found = found[key - 1]
        else:
            return NOTHING
    return found


def _compared(sign: str, left: Any, right: Any) -> bool:
    """Null equals nothing but null; texts of numbers and truths are meant as such."""
    if isinstance(left, str) and isinstance(right, bool | int | float):
        left = WORDS.get(left.lower(), number(left))
    try:
        return bool(COMPARED[sign](left, right))
    except TypeError:
        return False


def number(found: Any) -> Any:
    """A text of a number as one; all else as it stands."""
    try:
        return float(found) if isinstance(found, str) else found
    except ValueError:
        return found


def holds(expr: syntax.Expr, fields: Fields) -> bool:
    """Whether a condition on a run's fields is true."""
    found = evaluate(expr, fields)
    return found is True or (isinstance(found, str) and found.lower() == "true")
