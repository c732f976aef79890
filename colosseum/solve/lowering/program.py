"""Integer programs without a solver. In: columns and rows; out: the polytope that several objectives share.

A Program has one binary `x[v = d]` for each value of each variable, one row each `Σ_d x[v = d] = 1`, and whatever
columns the payoffs needed. A Matrix is the same as arrays by rows.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import repeat
from math import ceil, inf, log2
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from colosseum.model.scenario import Task
from colosseum.model.values import Value, is_number, text
from colosseum.solve.arrays import Floats, Places, as_number

FEWEST_STEPS = 4  # values from which a variable's number has a column of its own where sums take it
MOST_COLUMNS = 100_000  # columns that a program may have
MOST_WEIGHTS = 2_000_000  # coefficients that all its rows may have
LARGEST = 1e9  # how far a column may reach: rows are kept to 1e-9, and no switch may be off by a whole unit
LARGE, SMALLER = 1e5, 1e4  # larger numbers are divided: searches of HiGHS err with columns of 1e7 and more
MOSTLY = 0.5  # a column of 0 or 1 above this counts as 1

Key: TypeAlias = tuple[float, frozenset[tuple[int, float]]]


class CannotLower(Exception):  # noqa: N818 - a finding about the task, not a failure
    """A term is too irregular for an integer program, or its program would grow past what can be solved."""


@dataclass(slots=True)  # not frozen: there are thousands, which take twice as long to make then
class Affine:
    """`constant + Σ coefficient · column`; nobody changes one."""

    constant: float = 0.0
    coefficients: dict[int, float] = field(default_factory=dict)

    def __add__(self, other: "Affine") -> "Affine":
        return total((self, other))

    def scaled(self, factor: float) -> "Affine":
        """Every part times a number."""
        if factor == 1:
            return self
        return Affine(self.constant * factor, {c: v * factor for c, v in self.coefficients.items() if v * factor})

    def minus(self, other: "Affine") -> "Affine":
        """self − other."""
        return self + other.scaled(-1.0)

    @property
    def key(self) -> Key:
        """Equal for equal forms, in whatever order they were put together."""
        return self.constant, frozenset(self.coefficients.items())


def total(parts: Iterable[Affine], factors: Iterable[float] = repeat(1.0)) -> Affine:
    """The sum of parts times factors, in time linear in the parts."""
    constant, found = 0.0, dict[int, float]()
    for part, factor in zip(parts, factors, strict=False):
        constant += factor * part.constant
        for column, value in part.coefficients.items():
            found[column] = found.get(column, 0.0) + factor * value
    return Affine(constant, found if all(found.values()) else {c: v for c, v in found.items() if v})


def unit_of(*ends: float) -> float:
    """The power of two by which numbers up to these ends are divided down to SMALLER; 1 where none is LARGE."""
    most = max(map(abs, ends))
    return 2.0 ** ceil(log2(most / SMALLER)) if most > LARGE else 1.0


@dataclass(frozen=True, slots=True)
class Column:
    """One unknown between its bounds."""

    name: str
    low: float
    high: float
    integer: bool
    integral: bool
    """Takes whole values at every feasible point where the integer columns do."""


CHOICE = Column("choice", 0.0, 1.0, integer=True, integral=True)  # `x[v = d]`, whatever the variable and the value


@dataclass(frozen=True, slots=True)
class Row:
    """`low ≤ Σ coefficient · column ≤ high`; an open side is infinite."""

    coefficients: dict[int, float]
    low: float
    high: float


@dataclass
class Program:
    """Columns and rows over a task. It only grows: an objective asked for later may add columns of its own."""

    task: Task
    columns: list[Column] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    weights: int = 0  # coefficients of all rows
    groups: dict[int, range] = field(default_factory=dict)
    """By column: those of which exactly one is 1, it among them."""
    parents: dict[int, tuple[int, range]] = field(default_factory=dict)
    """By column: the column of a group that it is a part of, and all parts, which sum to that one."""
    choices: dict[str, range] = field(default_factory=dict)
    """The columns `x[v = d]` of each variable, in the order of its domain; they stand before all others."""
    choice: dict[tuple[str, type, Value], int] = field(default_factory=dict)
    """The column `x[v = d]` by the name of v, the type of d, and d."""
    steps: dict[range, int] = field(default_factory=dict)
    """By choices: the column with the place of the value in the domain, where sums count it as a number."""

    def __post_init__(self) -> None:
        for variable in self.task.variables:
            self.choices[variable.name] = choice = self.group(CHOICE, len(variable.domain))
            self.choice.update(((variable.name, type(d), d), c) for d, c in zip(variable.domain, choice, strict=True))
            self.row(Affine(0.0, dict.fromkeys(choice, 1.0)), low=1.0, high=1.0)

    @cached_property
    def places(self) -> dict[str, dict[Value, int]]:
        """Where each value of a variable stands in its domain."""
        return {v.name: {d: place for place, d in enumerate(v.domain)} for v in self.task.variables}

    def column(
        self, name: str, *, low: float = 0.0, high: float = 1.0, integer: bool = False, integral: bool = True
    ) -> int:
        """Add a column and return its number. Raises CannotLower."""
        if max(-low, high) > LARGEST:
            raise CannotLower(
                f"a number in it may reach {max(-low, high):.2g}, and the solver is exact up to {LARGEST:g}"
            )
        return self.many(Column(name, low, high, integer, integral), 1).start

    def many(self, column: Column, count: int) -> range:
        """Add equal columns and return their numbers. Raises CannotLower."""
        if len(self.columns) + count > MOST_COLUMNS:
            raise CannotLower(f"the integer program has more than {MOST_COLUMNS:,} columns with it")
        if self.weights > MOST_WEIGHTS:
            raise CannotLower(f"the rows of the integer program have more than {MOST_WEIGHTS:,} coefficients with it")
        made = range(len(self.columns), len(self.columns) + count)
        self.columns += [column] * count
        return made

    def group(self, column: Column, count: int) -> range:
        """Add equal columns of which rows let exactly one be 1."""
        made = self.many(column, count)
        self.groups.update(dict.fromkeys(made, made))
        return made

    def row(self, body: Affine, *, low: float = -inf, high: float = inf) -> None:
        """Add `low ≤ body ≤ high`."""
        self.weights += len(body.coefficients)
        self.rows.append(Row(body.coefficients, low - body.constant, high - body.constant))

    def number(self, variable: str) -> Affine | None:
        """A variable as one column, if its values are numbers at equal steps; None where they are not, or are few.

        Sums have one coefficient for it then: an optimum of `hospital_published.colo` takes 1.1 s instead of 13.
        """
        domain, choice = self.task.variable[variable].domain, self.choices[variable]
        first, step = as_number(domain[0]), as_number(domain[-1]) - as_number(domain[-2:][0])
        even = all(is_number(d) and d == first + step * place for place, d in enumerate(domain))
        if not even or len(domain) < FEWEST_STEPS:
            return None
        if choice not in self.steps:
            column = self.steps[choice] = self.column("number", high=len(domain) - 1.0, integer=True)
            places = {c: float(place) for place, c in enumerate(choice) if place}
            self.row(Affine(0.0, {**places, column: -1.0}), low=0.0, high=0.0)
        return Affine(first, {self.steps[choice]: step})

    def indicator(self, variable: str, value: Value) -> Affine:
        """`x[variable = value]`; 0 for a value outside the domain."""
        place = self.places[variable].get(value)
        return Affine(0.0, {} if place is None else {self.choices[variable][place]: 1.0})

    def fixed(self, matrix: "Matrix", values: Mapping[str, Value]) -> "Matrix":
        """The arrays with bounds at which variables have these values."""
        low, high = matrix.low.copy(), matrix.high.copy()
        for name, value in values.items():
            choice = self.choices[name]
            low[choice.start : choice.stop] = high[choice.start : choice.stop] = 0.0
            if (place := self.places[name].get(value)) is not None:
                low[choice[place]] = high[choice[place]] = 1.0
        return replace(matrix, low=low, high=high) if values else matrix

    @property
    def labels(self) -> list[str]:
        """What each column stands for, in words."""
        choices = [f"{v.name} = {text(value)}" for v in self.task.variables for value in v.domain]
        return choices + [column.name for column in self.columns[len(choices) :]]

    def bounds(self, body: Affine) -> tuple[float, float]:
        """The least and greatest value that the body could take; of a group one column counts, with what it splits."""
        low = high = body.constant
        grouped, splits = dict[range, dict[int, tuple[float, float]]](), dict[tuple[int, range], list[float]]()
        for number, coefficient in body.coefficients.items():
            if (split := self.parents.get(number)) is not None:
                splits.setdefault(split, [0.0]).append(coefficient)
            elif (group := self.groups.get(number)) is not None:
                grouped.setdefault(group, {})[number] = coefficient, coefficient
            else:
                column = self.columns[number]
                ends = coefficient * column.low, coefficient * column.high
                low, high = low + min(ends), high + max(ends)
        for (choice, _), parts in splits.items():
            reached = grouped.setdefault(self.groups.get(choice, range(choice, choice + 2)), {})
            least, most = reached.get(choice, (0.0, 0.0))
            reached[choice] = least + min(parts), most + max(parts)
        for group, reached in grouped.items():
            every = [*reached.values(), *([(0.0, 0.0)] if len(reached) < len(group) else [])]
            low, high = low + min(least for least, _ in every), high + max(most for _, most in every)
        return low, high

    def whole(self, body: Affine) -> bool:
        """Whether the body takes whole values only."""
        return float(body.constant).is_integer() and all(
            float(v).is_integer() and self.columns[c].integral for c, v in body.coefficients.items()
        )

    def decode(self, values: "NDArray[np.float64]") -> dict[str, Value]:
        """The assignment that column values stand for, in declared order; the greatest share decides what is open."""
        values, ranges = values.copy() if self.steps else values, list(self.choices.values())
        for choice, column in self.steps.items():
            values[choice.start : choice.stop] = 0.0
            values[choice[round(float(values[column]))]] = 1.0
        taken = np.flatnonzero(values[: ranges[-1].stop if ranges else 0] > MOSTLY).tolist()
        if len(taken) != len(ranges) or not all(c in r for c, r in zip(taken, ranges, strict=True)):
            taken = [r.start + int(np.argmax(values[r.start : r.stop])) for r in ranges]
        every = zip(self.task.variables, taken, ranges, strict=True)
        return {v.name: v.domain[column - r.start] for v, column, r in every}


# ---- as arrays -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Matrix:
    """`low ≤ x ≤ high`, some of x whole, `row_low ≤ A x ≤ row_high`; an open side of a row is infinite."""

    low: Floats
    high: Floats
    whole: NDArray[np.bool_]
    starts: Places
    """Where each row of A starts in `index` and `weights`, and where the last one ends."""
    index: Places
    """The column of each coefficient, row after row."""
    weights: Floats
    row_low: Floats
    row_high: Floats


def matrix(program: Program) -> Matrix:
    """All columns and rows."""
    columns, rows = program.columns, program.rows
    return Matrix(
        low=np.array([column.low for column in columns]),
        high=np.array([column.high for column in columns]),
        whole=np.array([column.integer for column in columns]),
        starts=np.cumsum([0, *(len(row.coefficients) for row in rows)], dtype=np.int64),
        index=np.array([column for row in rows for column in row.coefficients], dtype=np.int64),
        weights=np.array([weight for row in rows for weight in row.coefficients.values()], dtype=np.float64),
        row_low=np.array([row.low for row in rows]), row_high=np.array([row.high for row in rows]),
    )  # fmt: skip


def without_fixed(matrix: Matrix) -> tuple[NDArray[np.bool_], Matrix]:
    """Which columns have a choice (all, where none has), and the program of these."""
    free = matrix.low < matrix.high
    free |= not free.any()
    rows, kept = np.repeat(np.arange(len(matrix.row_low)), np.diff(matrix.starts)), free[matrix.index]
    sums = np.bincount(rows[~kept], (matrix.weights * matrix.low[matrix.index])[~kept], len(matrix.row_low))
    lengths = np.bincount(rows[kept], minlength=len(matrix.row_low))
    return free, Matrix(
        matrix.low[free], matrix.high[free], matrix.whole[free], np.concatenate([[0], np.cumsum(lengths)]),
        (np.cumsum(free) - 1)[matrix.index[kept]], matrix.weights[kept], matrix.row_low - sums, matrix.row_high - sums,
    )  # fmt: skip
