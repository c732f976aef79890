"""Ground terms: what is left of an expression once binders, data and params are folded away.

In: an assignment (variable name -> value); out: the value. `toy.colo`'s `match[move[A], move[B]]` becomes
`Select((Decision("move[A]"), Decision("move[B]")), …)`. A term's scope is every variable it mentions, even where
folding made the mention idle (`0 * x` mentions x). Terms are immutable; scopes are computed once.
"""

from collections.abc import Callable, Mapping
from dataclasses import field
from functools import cached_property
from operator import attrgetter
from typing import Annotated, ClassVar, Literal, TypeAlias, cast

from typing_extensions import TypeAliasType

from colosseum.language.record import OneOf, Record, Tagged
from colosseum.model.values import Value

Assignment: TypeAlias = Mapping[str, Value]
NO_SCOPE: frozenset[str] = frozenset()
ALONE = (1, 1)
"""The extent of a term that no others are below."""


class Ground(Record):
    """What all terms are: known by `isinstance(x, Ground)`, since a folded expression is a term or a plain value."""

    below: ClassVar["tuple[Term, ...]"]
    """The terms that it is made of."""

    def __init_subclass__(cls, *, op: str, below: Callable[..., "tuple[Term, ...]"] = lambda term: ()) -> None:
        cls.op = field(default=op, kw_only=True)  # type: ignore[attr-defined]  # which kind of term it is in JSON
        cls.__annotations__ = {"op": Literal[op], **cls.__annotations__}
        super().__init_subclass__()
        cls.below = property(below)  # type: ignore[assignment]  # read as what it gives

    @cached_property
    def scope(self) -> frozenset[str]:
        """Every variable that it mentions."""
        scopes = [scope for part in self.below if (scope := part.scope)]
        return scopes[0] if len(scopes) == 1 else NO_SCOPE.union(*scopes)

    @cached_property
    def extent(self) -> tuple[int, int]:
        """How many terms it is written with, one that is shared counted each time, and how deep they are nested."""
        size, depth = 1, 0
        for part in self.below:
            inside, deeper = part.extent
            size += inside
            if deeper > depth:
                depth = deeper
        return size, depth + 1

    hashed = cached_property(Record.__hash__)
    """The hash, found once: the terms around it ask for it at every level."""

    def __hash__(self) -> int:
        return self.hashed

    @cached_property
    def evaluate(self) -> Callable[[Assignment], Value]:
        """Its value at an assignment of its scope; raises Fault."""
        from colosseum.model.term_code import function  # which itself imports this module

        return function(cast("Term", self))

    def __getstate__(self) -> dict[str, object]:  # functions do not travel, and other processes hash otherwise
        return {name: value for name, value in vars(self).items() if name not in ("hashed", "evaluate")}


class Constant(Ground, op="constant"):
    """A value that no decision changes."""

    value: Value
    """The value."""
    mentions: tuple[str, ...] = ()
    """Variables that the text mentions although they change nothing, as x in `0 * x`: they count for the scope."""

    extent: ClassVar[tuple[int, int]] = ALONE

    @property
    def scope(self) -> frozenset[str]:
        return frozenset(self.mentions) if self.mentions else NO_SCOPE


class Decision(Ground, op="decision"):
    """The value that a variable takes."""

    variable: str
    """The variable's name: `pick[engineer1]`."""
    extent: ClassVar[tuple[int, int]] = ALONE

    @cached_property
    def scope(self) -> frozenset[str]:
        return frozenset((self.variable,))


class Arithmetic(Ground, op="arithmetic", below=attrgetter("left", "right")):
    """`+ - * /` of two numbers, `+ - &` (union, difference, intersection) of two sets; none gives none."""

    operator: Annotated[str, OneOf(("+", "-", "*", "/", "&"))]
    """Which of them."""
    left: "Term"
    """What stands before the operator."""
    right: "Term"
    """What stands behind it."""


class Total(Ground, op="total", below=attrgetter("parts")):
    """The sum of many terms (`sum(…)`, `count(…)`); a part that is none is an error."""

    parts: tuple["Term", ...]
    """What is added up."""


class Extremum(Ground, op="extremum", below=lambda term: (*term.parts, *term.conditions)):
    """`min(a, b)`, `max(e for …)`: the least or greatest of the parts whose condition holds.

    Written as a call, a part that is none makes it none; over binders (`aggregate`) it is an error.
    """

    which: Annotated[str, OneOf(("min", "max"))]
    """The least or the greatest."""
    parts: tuple["Term", ...]
    """What is compared."""
    conditions: tuple["Term", ...]
    """One for each part: whether it takes part."""
    aggregate: bool
    """Whether it runs over binders."""

    @property
    def sure(self) -> bool:
        """Whether all parts take part, whatever is decided."""
        return all(isinstance(condition, Constant) and condition.value is True for condition in self.conditions)


class Absolute(Ground, op="absolute", below=lambda term: (term.part,)):
    """`abs(e)`."""

    part: "Term"
    """The number."""


class Conditional(Ground, op="conditional", below=attrgetter("condition", "then", "otherwise")):
    """`then if condition else otherwise`; the branch not taken is not evaluated."""

    condition: "Term"
    """Which of the two it is."""
    then: "Term"
    """The value where the condition holds."""
    otherwise: "Term"
    """The value where it does not."""


class Select(Ground, op="select", below=lambda term: (*term.keys, *(entry for _, entry in term.entries))):
    """A table looked up by decisions: the entry whose key is what the key terms evaluate to; none gives none."""

    table: str
    """The table's name, for people."""
    keys: tuple["Term", ...]
    """One for each index of the table."""
    entries: tuple[tuple[tuple[Value, ...], "Term"], ...]
    """Pairs of a key, one value for each index, and the entry that stands there."""

    @cached_property
    def by_key(self) -> dict[tuple[Value, ...], "Term"]:
        return dict(self.entries)


class Compare(Ground, op="compare", below=attrgetter("left", "right")):
    """`== != < <= > >=` of two terms."""

    operator: Annotated[str, OneOf(("==", "!=", "<", "<=", ">", ">="))]
    """Which of them; order is between numbers, and false with none."""
    left: "Term"
    """What stands before the operator."""
    right: "Term"
    """What stands behind it."""


class Member(Ground, op="member", below=attrgetter("item", "elements")):
    """`item in elements`."""

    item: "Term"
    """What is looked for."""
    elements: "Term"
    """The set."""


class Every(Ground, op="every", below=attrgetter("parts")):
    """All of the conditions; true when there are none."""

    parts: tuple["Term", ...]
    """The conditions."""


class Some(Ground, op="some", below=attrgetter("parts")):
    """Any of the conditions; false when there are none."""

    parts: tuple["Term", ...]
    """The conditions."""


class Inverse(Ground, op="inverse", below=lambda term: (term.part,)):
    """`not c`."""

    part: "Term"
    """The condition."""


class PayoffOf(Ground, op="payoff"):
    """`payoff[a]`, or `total` when `agent` is none: what the task's payoffs credit; only in objectives.

    It is evaluated at the assignment extended by the payoffs, under the names `payoff[a]` and `total`.
    """

    agent: str | None
    """Whose payoff; null for the sum of all."""


Term = TypeAliasType(
    "Term",
    Annotated[
        Constant
        | Decision
        | Arithmetic
        | Total
        | Extremum
        | Absolute
        | Conditional
        | Select
        | Compare
        | Member
        | Every
        | Some
        | Inverse
        | PayoffOf,
        Tagged("op"),
    ],
)

Folded: TypeAlias = "Value | Term"
NOTHING, ONE, NONE, SURE = map(Constant, (0, 1, None, True))


def term(folded: Folded) -> Term:
    """A value as a constant term."""
    return folded if isinstance(folded, Ground) else Constant(folded)
