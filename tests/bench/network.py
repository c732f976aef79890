"""A task in its natural form, for rivals. In: a task; out: numbers on values, small tables, `max(0, …)` and rows.

This is what a modeller would write down: nothing of the integer program's columns is in it, except that hard rules are
taken from it where they are linear in `variable = value`. What does not fit is Unnatural, and says so.
"""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from itertools import product
from math import prod

from colosseum.model import terms
from colosseum.model.scenario import Task
from colosseum.model.terms import Constant, Decision, Term
from colosseum.model.values import Fault, Value
from colosseum.solve.lowering.lower import lower

MOST_ENTRIES = 4_096
"""Joint values of a table."""
FEW = 2
"""Variables over which a payoff is a table, whatever is written."""

Item = tuple[int, int, float]
"""A variable, the place of a value in its domain, and a number: 0 unless the variable takes that value."""


class Unnatural(Exception):  # noqa: N818 - a finding about a task
    """A part of the task is no table, no `max(0, …)` and no linear rule."""


@dataclass
class Network:
    """Maximise what is paid, under the rows. Variables and values by their places in declared order."""

    sizes: tuple[int, ...]
    constant: float = 0.0
    unary: list[list[float]] = field(default_factory=list)
    tables: dict[tuple[int, ...], list[float]] = field(default_factory=dict)
    """Worths by scope, the last variable turning fastest."""
    excesses: list[tuple[float, float, list[Item]]] = field(default_factory=list)
    """`−price · max(0, constant + Σ items)`."""
    rows: list[tuple[float | None, float | None, list[Item]]] = field(default_factory=list)
    """`low ≤ Σ items ≤ high`."""

    def plain(self) -> dict[str, object]:
        """As JSON has it."""
        return {**asdict(self), "tables": list(self.tables.items())}

    @property
    def parts(self) -> int:
        """How many numbers of an assignment are added up."""
        return len(self.unary) + len(self.tables) + len(self.excesses)


def network(task: Task) -> Network:
    """The natural form of F_n. Raises Unnatural."""
    made = Network(tuple(len(v.domain) for v in task.variables))
    made.unary = [[0.0] * size for size in made.sizes]
    builder = _Builder(task, made)
    for payoff in task.payoffs:
        builder.pay(payoff.term, 1.0)
    made.rows += builder.rules()
    return made


@dataclass
class _Builder:
    task: Task
    network: Network

    def pay(self, term: Term, weight: float) -> None:
        """Add `weight · term`."""
        scope = self.scope(term)
        if self.single(term, weight):
            return
        if len(scope) <= FEW and self.entries(scope) <= MOST_ENTRIES:
            self.tabulate(term, scope, weight)
            return
        match term:
            case terms.Total(parts=parts):
                for part in parts:
                    self.pay(part, weight)
            case terms.Arithmetic(operator="+" | "-" as sign, left=left, right=right):
                self.pay(left, weight)
                self.pay(right, weight if sign == "+" else -weight)
            case terms.Arithmetic(operator="*", left=Constant(value=int() | float() as factor), right=inner):
                self.pay(inner, weight * factor)
            case terms.Extremum(which="max", parts=(Constant(value=0), body)) if weight < 0:
                constant, items = self.linear(body)
                self.network.excesses.append((-weight, constant, items))
            case _ if self.entries(scope) <= MOST_ENTRIES:
                self.tabulate(term, scope, weight)
            case _:
                raise Unnatural(f"a payoff over {len(scope)} variables")

    def single(self, term: Term, weight: float) -> bool:
        """Add `x if variable == value else 0` as the one number that it is; whether it is one."""
        match term:
            case terms.Conditional(
                condition=terms.Compare(operator="==", left=Decision(variable=name), right=Constant(value=value)),
                then=Constant(value=int() | float() as then),
                otherwise=Constant(value=0),
            ) if value in self.task.variable[name].domain:
                place = self.task.variable[name].domain.index(value)
                self.network.unary[self.task.position[name]][place] += weight * then
                return True
            case _:
                return False

    def tabulate(self, term: Term, scope: tuple[int, ...], weight: float) -> None:
        """Add a term as the table of all its values."""
        variables = [self.task.variables[i] for i in scope]
        names = [v.name for v in variables]
        worths = [
            weight * _number(term, dict(zip(names, values, strict=True)))
            for values in product(*(v.domain for v in variables))
        ]
        if not scope:
            self.network.constant += worths[0]
            return
        known = self.network.unary[scope[0]] if len(scope) == 1 else self.network.tables.get(scope, [0.0] * len(worths))
        added = [a + b for a, b in zip(known, worths, strict=True)]
        if len(scope) == 1:
            self.network.unary[scope[0]] = added
        else:
            self.network.tables[scope] = added

    def linear(self, term: Term) -> tuple[float, list[Item]]:
        """A sum of functions of one variable each. Raises Unnatural."""
        inner = _Builder(self.task, Network(self.network.sizes, unary=[[0.0] * size for size in self.network.sizes]))
        inner.pay(term, 1.0)
        if inner.network.tables or inner.network.excesses:
            raise Unnatural("a `max(0, …)` of more than a sum")
        return inner.network.constant, [
            (v, d, worth) for v, worths in enumerate(inner.network.unary) for d, worth in enumerate(worths) if worth
        ]

    def rules(self) -> Iterable[tuple[float | None, float | None, list[Item]]]:
        """The hard rules, linear in `variable = value`. Raises Unnatural."""
        program = lower(self.task).program
        place = {c: (v, d) for v, name in enumerate(program.choices) for d, c in enumerate(program.choices[name])}
        for row in program.rows[len(self.task.variables) :]:  # the first say that each variable takes one value
            if not row.coefficients.keys() <= place.keys():
                raise Unnatural("a rule that is not linear in values")
            yield row.low, row.high, [(*place[c], float(weight)) for c, weight in row.coefficients.items()]

    def scope(self, term: Term) -> tuple[int, ...]:
        """The variables of a term, by their places."""
        return tuple(sorted(self.task.position[name] for name in term.scope))

    def entries(self, scope: tuple[int, ...]) -> int:
        """How many joint values a scope has."""
        return prod(self.network.sizes[v] for v in scope)


def _number(term: Term, x: dict[str, Value]) -> float:
    """A term's value; what cannot be computed is guarded elsewhere and counts 0."""
    try:
        value = term.evaluate(x)
    except Fault:
        return 0.0
    return float(value) if isinstance(value, int | float) else 0.0
