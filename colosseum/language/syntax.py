"""The syntax of a `.colo` text as frozen nodes. In: nothing; out: the types that the parser makes.

Every node carries the span it was read from; spans take no part in equality, so `parse(format(file)) == file`
compares what was said and not where. Names are kept as written: nothing is resolved here.
"""

from dataclasses import FrozenInstanceError, dataclass, field, fields
from typing import TypeAlias, TypeVar

from typing_extensions import dataclass_transform

from colosseum.diagnostics import Source, Span

C = TypeVar("C")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def node(kind: type[C]) -> type[C]:
    """A frozen dataclass whose equality, hash and immutability stand once, in Node.

    Generating them for each of some sixty classes would take a tenth of the time that `check` may take.
    """
    return dataclass(slots=True, eq=False, repr=False)(kind)


@node
class Node:
    """Something that stands at a place in a text."""

    span: Span = field(compare=False, repr=False, kw_only=True)

    def __setattr__(self, name: str, value: object) -> None:
        """Every attribute is set once, by the constructor."""
        if hasattr(self, name):
            raise FrozenInstanceError(f"cannot assign to field {name!r}")
        object.__setattr__(self, name, value)

    def __eq__(self, other: object) -> bool:
        """Equal in all that was said, wherever it stands."""
        if type(self) is not type(other):
            return NotImplemented
        return all(getattr(self, f.name) == getattr(other, f.name) for f in fields(self) if f.compare)  # type: ignore[arg-type]

    def __hash__(self) -> int:
        return hash((type(self), *(getattr(self, f.name) for f in fields(self) if f.compare)))  # type: ignore[arg-type]

    def __repr__(self) -> str:
        shown = (f"{f.name}={getattr(self, f.name)!r}" for f in fields(self) if f.repr)  # type: ignore[arg-type]
        return f"{type(self).__name__}({', '.join(shown)})"


# ---- expressions -------------------------------------------------------------------------------------


@node
class Number(Node):
    """`3`, `0.25`, `1e-3`: an int when written without point and exponent, else a float."""

    value: int | float


@node
class Text(Node):
    """`"…"` or `\"\"\"…\"\"\"`, unescaped; a long one is dedented, its first and last line break dropped."""

    value: str
    long: bool = False
    """Written with three quotes."""


@node
class Money(Node):
    """`$20`: an amount in US dollars."""

    value: float


@node
class NoneLiteral(Node):
    """`none`: the opt-out value."""


@node
class Switch(Node):
    """`on` or `off`."""

    on: bool


@node
class Name(Node):
    """A bare name: an element, a binder, a param, a set, a table, a variable (or `agents`)."""

    id: str


@node
class NamedArgument(Node):
    """`k = 2` in a call."""

    name: str
    value: "Expr"


@node
class Call(Node):
    """`choice(levels)`, `pairs(agents)`, `watts_strogatz(k = 2, p = 0.3)`."""

    function: str
    arguments: tuple["Expr", ...]
    named: tuple[NamedArgument, ...]


@node
class Binder(Node):
    """`i in S` or `(a, b) in pairs(S)`."""

    names: tuple[str, ...]
    domain: "Expr"


@node
class Binders(Node):
    """`i in S, j in T where c`: the filter sees every binder; later domains see earlier binders."""

    items: tuple[Binder, ...]
    where: "Expr | None"


@node
class Aggregate(Node):
    """`sum(e for i in S where c when d)`; `min` and `max` likewise."""

    function: str
    body: "Expr"
    binders: Binders
    when: "Expr | None"


@node
class Quantifier(Node):
    """`count(i in S when c)`, `any(…)`, `all(…)`."""

    kind: str
    binders: Binders
    when: "Expr | None"


@node
class SetLiteral(Node):
    """`{a, b, c}`; `{}` is empty."""

    items: tuple["Expr", ...]


@node
class SetBuilder(Node):
    """`{e for i in S where c}`."""

    body: "Expr"
    binders: Binders


@node
class Pair(Node):
    """`low: 0.25` inside a map; the key as written (a name, a text or a number)."""

    key: "Name | Text | Number"
    value: "Expr"


@node
class MapLiteral(Node):
    """`{low: 0.25, high: 1}`."""

    pairs: tuple[Pair, ...]


@node
class Tuple(Node):
    """`(a, b)`."""

    items: tuple["Expr", ...]


@node
class Lookup(Node):
    """`cost[a, t]`, `engineer[1..n]`."""

    base: "Expr"
    keys: tuple["Expr", ...]


@node
class Ternary(Node):
    """`then if condition else otherwise`."""

    then: "Expr"
    condition: "Expr"
    otherwise: "Expr"


@node
class Logical(Node):
    """`a and b` or `a or b`; `operator` is the word."""

    operator: str
    left: "Expr"
    right: "Expr"


@node
class Negation(Node):
    """`not a`."""

    operand: "Expr"


@node
class Comparison(Node):
    """`a < b <= c`, `x in S`, `x not in S`: a chain, the `and` of its links.

    `operators[i]` stands between `operands[i]` and `operands[i + 1]`; it is one of == != < <= > >= `in` `not in`.
    """

    operands: tuple["Expr", ...]
    operators: tuple[str, ...]


@node
class Range(Node):
    """`1..5`, ends included; `D or none` of a variable is a Logical `or`."""

    low: "Expr"
    high: "Expr"


@node
class Arithmetic(Node):
    """`a + b`, `a - b`, `a * b`, `a / b`, `a & b` (sets: union, difference, intersection)."""

    operator: str
    left: "Expr"
    right: "Expr"


@node
class Minus(Node):
    """`-a`."""

    operand: "Expr"


Expr: TypeAlias = (
    Number
    | Text
    | Money
    | NoneLiteral
    | Switch
    | Name
    | Call
    | Aggregate
    | Quantifier
    | SetLiteral
    | SetBuilder
    | MapLiteral
    | Tuple
    | Lookup
    | Ternary
    | Logical
    | Negation
    | Comparison
    | Range
    | Arithmetic
    | Minus
)

# ---- where values come from -----------------------------------------------------------------------------


@node
class Given(Node):
    """`= expr`."""

    value: Expr


@node
class Drawn(Node):
    """`~ choice(levels)`."""

    call: Call


@node
class Loaded(Node):
    """`from "file.csv"`: a path relative to the file that names it."""

    path: str


@node
class Cell(Node):
    """One entry of a grid (a key of a row or column, or a value): a name or text as str, a number, None, a bool."""

    value: str | int | float | bool | None
    quoted: bool = False
    """Written in quotes."""


@node
class GridRow(Node):
    """`low, high | 1 2`: the label's parts and one cell for each column."""

    label: tuple[Cell, ...]
    cells: tuple[Cell, ...]


@node
class Grid(Node):
    """Literal data with its labels."""

    columns: tuple[Cell, ...]
    rows: tuple[GridRow, ...]


ValueSource: TypeAlias = Given | Drawn | Loaded | Grid

# ---- statements -----------------------------------------------------------------------------------------


@node
class Index(Node):
    """One index of a statement: `agents` (names is empty) or `a in agents` or `(a, b) in ties`."""

    names: tuple[str, ...]
    domain: Expr


@node
class Indices(Node):
    """`[a in agents, tasks where c]`."""

    items: tuple[Index, ...]
    where: Expr | None


@node
class ToWhom(Node):
    """`to expr`."""

    recipient: Expr


@node
class ToEach(Node):
    """`to each(i in S where c when d)`."""

    binders: Binders
    when: Expr | None


Recipients: TypeAlias = ToWhom | ToEach


@node
class Declaration(Node):
    """A statement that declares a name."""

    name: str
    name_span: Span = field(compare=False, repr=False)


@node
class Edition(Node):
    """`colosseum 1`, the first line of every file."""

    number: int | float


@node
class ScenarioName(Declaration):
    """`scenario jira "title"`."""

    title: str


@node
class Use(Node):
    """`use "file.colo"`."""

    path: str


@node
class Override(Node):
    """`override STATEMENT`."""

    statement: "Statement"


@node
class Param(Declaration):
    """`param n = 6`."""

    value: Expr


@node
class Agents(Declaration):
    """`agents A, B`, `agents engineer[1..n]`; its name is always `agents`."""

    items: tuple[Expr, ...]


@node
class Set(Declaration):
    """`set tasks = …`, `~ …`, `from …` or a grid whose further columns are tables over it."""

    source: ValueSource


@node
class Table(Declaration):
    """`[private] table NAME[…] [to WHO] [of SET] SOURCE`."""

    private: bool
    indices: Indices | None
    recipients: Recipients | None
    of: Expr | None
    source: ValueSource


@node
class Variable(Declaration):
    """`variable NAME[…] [of OWNER]: DOMAIN`."""

    indices: Indices | None
    owner: Expr | None
    domain: Expr


@node
class Reward(Declaration):
    """`reward NAME[…] [to WHO] [when COND]: EXPR`."""

    indices: Indices | None
    recipients: Recipients | None
    when: Expr | None
    value: Expr


@node
class Require(Declaration):
    """`require NAME[…] [to WHO] [when COND]: COND [penalty P [per unit]]`."""

    indices: Indices | None
    recipients: Recipients | None
    when: Expr | None
    condition: Expr
    penalty: Expr | None
    per_unit: bool


@node
class Objective(Declaration):
    """`objective NAME[…] [when COND]: EXPR` inside a coalition."""

    indices: Indices | None
    when: Expr | None
    value: Expr


@node
class Coalition(Declaration):
    """`coalition NAME { members …  objective … }`."""

    members: Given | Drawn
    objectives: tuple[Objective, ...]


@node
class Network(Declaration):
    """`network ring`; its name is always `network`."""

    graph: Expr


@node
class Channel(Declaration):
    """`[secret] channel NAME for WHO` or `~ sample(…)`."""

    secret: bool
    members: Given | Drawn


@node
class Claim(Declaration):
    """`claim NAME[…]: "text" is true|false`."""

    indices: Indices | None
    text: Text
    truth: Expr


@node
class Variant(Node):
    """`simple: "…"` of a prompt; `name` is empty for a prompt of one text."""

    name: str
    text: Text


@node
class Prompt(Declaration):
    """`prompt NAME for WHO "…"` or `{ variant: "…" … }`."""

    recipients: Expr
    variants: tuple[Variant, ...]


@node
class Anchor(Node):
    """`0: "…"` of a rubric."""

    score: int | float
    text: Text


@node
class Rubric(Declaration):
    """`rubric NAME "question" { 0: "…" … }`."""

    question: Text
    anchors: tuple[Anchor, ...]


@node
class Setting(Declaration):
    """`rounds 4`, `pitch simple`, `network ring`: a name and its values; in an experiment or an arm."""

    values: tuple[Expr, ...]


@node
class Sweep(Declaration):
    """`sweep n in 4, 6, 8 where c`: what is swept and its values."""

    values: tuple[Expr, ...]
    where: Expr | None


@node
class Arm(Declaration):
    """`arm prompted { backroom on  pitch simple }`."""

    settings: tuple[Setting, ...]


@node
class Experiment(Declaration):
    """`experiment NAME "question" { settings, arms, sweeps }`."""

    question: str
    settings: tuple[Setting, ...]
    arms: tuple[Arm, ...]
    sweeps: tuple[Sweep, ...]


Statement: TypeAlias = (
    Param
    | Agents
    | Set
    | Table
    | Variable
    | Reward
    | Require
    | Coalition
    | Network
    | Channel
    | Claim
    | Prompt
    | Rubric
    | Experiment
)


@node
class Comment(Node):
    """`# …`, kept for the formatter."""

    text: str


@dataclass(frozen=True, slots=True)
class File:
    """One parsed text: what it says, in order."""

    source: Source = field(compare=False, repr=False)
    edition: Edition | None
    """None only when the text lacks it, which is an error."""
    scenario: ScenarioName | None
    statements: tuple[Use | Override | Statement, ...]
    comments: tuple[Comment, ...] = ()
