"""How foreign runs meet a scenario. In: a `trace from` statement and a run; out: its parts by the scenario's names."""

import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from colosseum.diagnostics import ColosseumError, closest, report
from colosseum.imports.foreign_run import Fields, ForeignRun, Refusal
from colosseum.language import syntax
from colosseum.language.syntax import mentioned
from colosseum.model.scenario import Scenario, Variable
from colosseum.model.values import Value
from colosseum.run.turn import matches

NOTHING: Final = object()
"""What a source does not hold."""
SKIPPED = ("skip", "none", "", None)
"""How sources write that an agent opts out."""
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

    def column(self, kind: str, default: str) -> str:
        """The name of the one field that an entry names."""
        expr = self.source(kind)
        return expr.id if isinstance(expr, syntax.Name) else default


@dataclass(frozen=True)
class MappedRun:
    """A run's names as the scenario has them. Raises Refusal where it does not fit."""

    mapping: TraceMapping
    run: ForeignRun
    scenario: Scenario

    @cached_property
    def foreign(self) -> dict[str, str]:
        """By agent of the scenario, its name in the source."""
        given = {a: self._foreign(a) if self.run.agents else a for a in self.scenario.task.agents}
        if unknown := [agent for agent, name in given.items() if name in (NOTHING, None)]:
            raise Refusal(f"the source does not say who `{unknown[0]}` is")
        found = {agent: str(name) for agent, name in given.items()}
        if len({*found.values()}) < len(found):
            raise Refusal("two agents of the scenario have one name in the source")
        return found

    def _foreign(self, agent: str) -> Any:
        for (name, *keys), source in self.mapping.of("agent"):
            number = agent.removeprefix(name)
            if keys and agent != number and number.isdecimal():
                return evaluate(source, self.run.fields, {keys[0]: int(number)})
            if not keys and name == agent:
                return evaluate(source, self.run.fields)
            if not keys and name not in self.scenario.task.agents:  # `a is participant`: as they stand
                return agent if isinstance(source, syntax.Name) else evaluate(source, self.run.fields, {name: agent})
        return agent

    @cached_property
    def ours(self) -> dict[str, str]:
        """By name in the source, the agent of the scenario."""
        return {name: agent for agent, name in self.foreign.items()}

    def agent(self, name: str) -> str:
        """An agent by its name in the source. Raises Refusal."""
        if name not in self.ours:
            help_ = closest(name, self.ours) or f"agents: {', '.join(self.ours)}"
            raise Refusal(f"`{name}` is not an agent of the scenario; {help_}")
        return self.ours[name]

    def channel(self, name: str) -> str:
        """A channel by its name in the source: mapped, else as it stands."""
        entries = self.mapping.of("channel")
        return next((ours for (ours, *_), each in entries if str(evaluate(each, self.run.fields)) == name), name)

    @cached_property
    def decisions(self) -> dict[str, Value]:
        """By variable, the decisions that the source holds. Raises Refusal where one is outside its domain."""
        told = self.run.fields.get("decisions") or {}
        names = [v.name for v in self.scenario.task.variables]
        if strange := [name for name in told if name not in names]:
            help_ = closest(strange[0], names) or f"variables: {', '.join(names)}"
            raise Refusal(f"`{strange[0]}` is not a variable of the scenario; {help_}")
        given = {v: told.get(v.name, self._given(v)) for v in self.scenario.task.variables}
        return {v.name: self._within(v, value) for v, value in given.items() if value is not NOTHING}

    def _given(self, variable: Variable) -> Any:
        base, *indices = variable.name.removesuffix("]").replace("[", ", ").split(", ")
        shared: Fields = dict.fromkeys(self.run.fields, NOTHING) if self.run.own else self.run.fields
        own = {**shared, **self.run.own.get(self.foreign[variable.owner], {})}  # nobody decides by another's row
        for (name, *keys), source in self.mapping.of("decide"):
            if name == base:
                bound = {key: self.foreign.get(index, index) for key, index in zip(keys, indices, strict=False)}
                return evaluate(source, own, bound)
        return NOTHING

    def _within(self, variable: Variable, given: Any) -> Value:
        given = self.ours.get(given, given) if isinstance(given, str) else given
        if given in SKIPPED and None in variable.domain:
            return None
        for value in variable.domain:
            if matches(given, value):
                return value
        domain = [str(value) for value in variable.domain]
        help_ = closest(str(given), domain) or f"its values: {', '.join(domain[:8])}"
        raise Refusal(f"`{variable.name}` is `{given}`, which is not in its domain; {help_}")


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
        case syntax.Name(id=name):
            return _field(expr, name, held)
        case syntax.Lookup(base=base, keys=keys):
            return _looked_up(evaluate(base, held), [evaluate(key, held) for key in keys])
        case syntax.Negation(operand=operand):
            return not holds(operand, held)
        case syntax.Logical(operator=word, left=left, right=right):
            return (all if word == "and" else any)(holds(side, held) for side in (left, right))
        case syntax.Comparison(operands=operands, operators=operators):
            parts = [evaluate(operand, held) for operand in operands]
            return all(_compared(*pair) for pair in zip(operators, parts, parts[1:], strict=False))
        case syntax.Arithmetic(operator="+" | "-" as sign, left=left, right=right):
            one, other = number(evaluate(left, held)), number(evaluate(right, held))
            known = isinstance(one, int | float) and isinstance(other, int | float)
            return (one + other if sign == "+" else one - other) if known else NOTHING
    help_ = "it has names, texts, numbers, comparisons, `and`, `or`, `not`, `+` and `-`"
    raise ColosseumError(report("C011", expr.span, "a mapping compares fields; it computes only sums", help=help_))


def _field(expr: syntax.Name, name: str, held: Fields) -> Any:
    if name in held or name in WORDS:
        return held.get(name, WORDS.get(name))
    help_ = closest(name, held) or f"fields: {', '.join(held)}"
    raise ColosseumError(report("C041", expr.span, f"the source has no field `{name}`", help=help_))


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
    """Null and what the source does not hold equal nothing but null; texts of numbers and truths are meant as such."""
    if isinstance(left, str) and isinstance(right, bool | int | float):
        left = WORDS.get(left.lower(), number(left))
    try:
        return NOTHING not in (left, right) and bool(COMPARED[sign](left, right))
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
