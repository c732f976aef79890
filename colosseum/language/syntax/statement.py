"""Statements as frozen nodes, where their values come from, and the file they stand in."""

from dataclasses import field
from typing import TypeAlias

from colosseum.diagnostics import Source, Span
from colosseum.language.record import Record
from colosseum.language.syntax.expression import Binders, Call, Expr, Name, Node, Text


class Given(Node):
    """`= expr`."""

    value: Expr


class Drawn(Node):
    """`~ choice(levels)`."""

    call: Call


class Loaded(Node):
    """`from "file.csv"`: a path relative to the file that names it."""

    path: str


class Cell(Node):
    """One entry of a grid (a key of a row or column, or a value): a name or text as str, a number, None, a bool."""

    value: str | int | float | bool | None
    quoted: bool = False
    """Written in quotes."""


class GridRow(Node):
    """`low, high | 1 2`: the label's parts and one cell for each column."""

    label: tuple[Cell, ...]
    cells: tuple[Cell, ...]


class Grid(Node):
    """Literal data with its labels."""

    columns: tuple[Cell, ...]
    rows: tuple[GridRow, ...]


ValueSource: TypeAlias = Given | Drawn | Loaded | Grid


class ToWhom(Node):
    """`to expr`."""

    recipient: Expr


class ToEach(Node):
    """`to each(i in S where c when d)`."""

    binders: Binders
    when: Expr | None


Recipients: TypeAlias = ToWhom | ToEach


class Declaration(Node):
    """A statement that declares a name."""

    name: str
    name_span: Span = field(compare=False, repr=False)


class Statement(Declaration):
    """One that stands by itself."""


class Edition(Node):
    """`colosseum 1`, the first line of every file."""

    number: int | float


class ScenarioName(Declaration):
    """`scenario jira "title"`."""

    title: str


class Use(Node):
    """`use "file.colo"`."""

    path: str


class Override(Node):
    """`override STATEMENT`."""

    statement: Statement


class Param(Statement):
    """`param n = 6`."""

    value: Expr


class Agents(Statement):
    """`agents A, B`, `agents engineer[1..n]`; its name is always `agents`."""

    items: tuple[Expr, ...]


class Set(Statement):
    """`set tasks = …`, `~ …`, `from …` or a grid whose further columns are tables over it."""

    source: ValueSource


class Table(Statement):
    """`[private] table NAME[…] [to WHO] [of SET] SOURCE`."""

    private: bool
    indices: Binders | None
    recipients: Recipients | None
    of: Expr | None
    source: ValueSource


class Variable(Statement):
    """`variable NAME[…] [of OWNER]: DOMAIN`."""

    indices: Binders | None
    owner: Expr | None
    domain: Expr


class Reward(Statement):
    """`reward NAME[…] [to WHO] [when COND]: EXPR`."""

    indices: Binders | None
    recipients: Recipients | None
    when: Expr | None
    value: Expr
    undisclosed: bool = False


class Require(Statement):
    """`require NAME[…] [to WHO] [when COND]: COND [penalty P [per unit]]`."""

    indices: Binders | None
    recipients: Recipients | None
    when: Expr | None
    condition: Expr
    penalty: Expr | None
    per_unit: bool
    undisclosed: bool = False


class Objective(Declaration):
    """`objective NAME[…] [when COND]: EXPR` inside a coalition."""

    indices: Binders | None
    when: Expr | None
    value: Expr


class Coalition(Statement):
    """`coalition NAME { members …  objective … }`."""

    members: Given | Drawn
    objectives: tuple[Objective, ...]


class Network(Statement):
    """`network ring`; its name is always `network`."""

    graph: Expr


class Channel(Statement):
    """`[secret] channel NAME for WHO` or `~ sample(…)`, and `as "name on the wire"`."""

    secret: bool
    members: Given | Drawn
    wire: Text | None


class Claim(Statement):
    """`claim NAME[…]: "text" is true|false`."""

    indices: Binders | None
    text: Text
    truth: Expr


class Variant(Node):
    """`simple: "…"` or `simple: paraphrases "…" "…"` of a prompt; `name` is empty for a prompt of one text."""

    name: str
    texts: tuple[Text, ...]
    """Its wordings."""


class Prompt(Statement):
    """`prompt NAME for WHO "…"` or `{ variant: "…" … }`."""

    recipients: Expr
    variants: tuple[Variant, ...]


class Anchor(Node):
    """`0: "…"` of a rubric."""

    score: int | float
    text: Text


class Rubric(Statement):
    """`rubric NAME [reads thoughts] "question" { 0: "…" … }`."""

    question: Text
    anchors: tuple[Anchor, ...]
    thoughts: bool = False


class Setting(Declaration):
    """`rounds 4`, `pitch simple`, `network ring`: a name and its values; in an experiment or an arm."""

    values: tuple[Expr, ...]


class Sweep(Declaration):
    """`sweep n in 4, 6, 8 where c`: what is swept and its values."""

    values: tuple[Expr, ...]
    where: Expr | None


class Arm(Declaration):
    """`arm prompted { backroom on  pitch simple }`."""

    settings: tuple[Setting, ...]


class Contrast(Node):
    """`compare one with another`: two arms, or two models that are swept."""

    first: Name | Text
    second: Name | Text


class Experiment(Statement):
    """`experiment NAME "question" { settings, arms, sweeps, contrasts }`."""

    question: str
    settings: tuple[Setting, ...]
    arms: tuple[Arm, ...]
    sweeps: tuple[Sweep, ...]
    contrasts: tuple[Contrast, ...]


class Mapped(Node):
    """`agent a is participant`, `seed is seed`: its first word, what of the scenario is meant, and fields of a run."""

    kind: str
    what: Expr | None
    source: Expr


class Trace(Statement):
    """`trace from "terrarium" { … }`: how runs that a reader of this name finds meet the scenario."""

    mapped: tuple[Mapped, ...]


class Comment(Node):
    """`# …`, kept for the formatter; without the blanks at its end."""

    text: str


class Doubts(Record):
    """Names whose meaning cannot be known because of a mistake that is already told."""

    words: frozenset[str] = frozenset()
    """Words in broken stretches: each may be declared, or born as an element, there."""
    contested: frozenset[str] = frozenset()
    """Names that are declared, but maybe not as what they are meant to be."""
    everything: bool = False
    """A whole file or table of names could not be read, so that any name may be declared there."""

    def __or__(self, other: "Doubts") -> "Doubts":
        return Doubts(self.words | other.words, self.contested | other.contested, self.everything or other.everything)

    def __bool__(self) -> bool:
        return bool(self.words or self.contested) or self.everything

    def covers(self, name: str) -> bool:
        """Whether a name that nothing declares may be declared where the text is broken; `ticket3` by `ticket`."""
        return self.everything or name in self.words or name.rstrip("0123456789") in self.words


NO_DOUBTS = Doubts()


class File(Record):
    """One parsed text: what it says, in order."""

    source: Source = field(compare=False, repr=False)
    edition: Edition | None
    """None only when the text lacks it, which is an error."""
    scenario: ScenarioName | None
    statements: tuple[Use | Override | Statement, ...]
    comments: tuple[Comment, ...] = ()
    doubts: Doubts = field(default=NO_DOUBTS, compare=False, repr=False)
    """What the stretches that could not be read may have declared."""
