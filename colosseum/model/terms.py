"""Ground terms: what is left of an expression once binders, data and params are folded away.

In: an assignment (variable name -> value); out: the value. `toy.colo`'s `match[move[A], move[B]]` becomes
`Select((Decision("move[A]"), Decision("move[B]")), …)`. A term's scope is every variable it mentions, even where
folding made the mention idle (`0 * x` mentions x). Terms are immutable; scopes are computed once.
"""

from collections.abc import Callable, Mapping
from dataclasses import field
from functools import cached_property
from operator import attrgetter, itemgetter
from typing import Annotated, ClassVar, Literal, TypeAlias

from typing_extensions import TypeAliasType

from colosseum.language.record import OneOf, Record, Tagged
from colosseum.model import values
from colosseum.model.values import Fault, Value, instance_name, truth

Assignment: TypeAlias = Mapping[str, Value]
NO_SCOPE: frozenset[str] = frozenset()
ALONE = (1, 1)  # the extent of a term that no others are below


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
    def distinguished(self) -> Mapping[str, frozenset[Value] | None]:
        """By variable, the values that it treats unlike all others; None where it may treat each value otherwise."""
        match self:
            case Compare(operator="==" | "!=", left=Decision(variable=name), right=Constant(value=value)):
                return {name: frozenset((value,))}
        found = dict[str, frozenset[Value] | None].fromkeys(self.scope if isinstance(self, Decision) else ())
        for name, given in (each for part in self.below for each in part.distinguished.items()):
            known = found.setdefault(name, given)
            found[name] = None if known is None or given is None else known | given
        return found

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

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in vars(self).items() if name != "hashed"}  # other processes hash otherwise


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

    def evaluate(self, x: Assignment) -> Value:
        return self.value


class Decision(Ground, op="decision"):
    """The value that a variable takes."""

    variable: str
    """The variable's name: `pick[engineer1]`."""
    extent: ClassVar[tuple[int, int]] = ALONE

    @cached_property
    def scope(self) -> frozenset[str]:
        return frozenset((self.variable,))

    @cached_property
    def evaluate(self) -> Callable[[Assignment], Value]:
        return itemgetter(self.variable)


class Arithmetic(Ground, op="arithmetic", below=attrgetter("left", "right")):
    """`+ - * /` of two numbers, `+ - &` (union, difference, intersection) of two sets; none gives none."""

    operator: Annotated[str, OneOf(("+", "-", "*", "/", "&"))]
    """Which of them."""
    left: "Term"
    """What stands before the operator."""
    right: "Term"
    """What stands behind it."""

    def evaluate(self, x: Assignment) -> Value:
        return values.arithmetic(self.operator, self.left.evaluate(x), self.right.evaluate(x))


class Total(Ground, op="total", below=attrgetter("parts")):
    """The sum of many terms (`sum(…)`, `count(…)`); a part that is none is an error."""

    parts: tuple["Term", ...]
    """What is added up."""

    hashed = cached_property(lambda total: hash((len(total.parts), total.parts[:2], total.parts[-1:])))
    """Of both ends and the length alone: a sum may be as long as the text."""

    def evaluate(self, x: Assignment) -> Value:
        return values.summed([part.evaluate(x) for part in self.parts])


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

    def evaluate(self, x: Assignment) -> Value:
        found = [
            part.evaluate(x)
            for part, condition in zip(self.parts, self.conditions, strict=True)
            if truth(condition.evaluate(x), "`when`")
        ]
        return values.extremum(self.which, found, aggregate=self.aggregate)


class Absolute(Ground, op="absolute", below=lambda term: (term.part,)):
    """`abs(e)`."""

    part: "Term"
    """The number."""

    def evaluate(self, x: Assignment) -> Value:
        return values.absolute(self.part.evaluate(x))


class Conditional(Ground, op="conditional", below=attrgetter("condition", "then", "otherwise")):
    """`then if condition else otherwise`; the branch not taken is not evaluated."""

    condition: "Term"
    """Which of the two it is."""
    then: "Term"
    """The value where the condition holds."""
    otherwise: "Term"
    """The value where it does not."""

    def evaluate(self, x: Assignment) -> Value:
        holds = self.condition.evaluate(x)
        taken = self.then if holds is True or (holds is not False and truth(holds, "the condition")) else self.otherwise
        return taken.value if type(taken) is Constant else taken.evaluate(x)


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

    def evaluate(self, x: Assignment) -> Value:
        key = tuple(k.evaluate(x) for k in self.keys)
        if None in key:
            return None
        if key not in self.by_key:
            raise Fault(f"`{instance_name(self.table, key)}` does not exist", code="C052")
        return self.by_key[key].evaluate(x)


class Compare(Ground, op="compare", below=attrgetter("left", "right")):
    """`== != < <= > >=` of two terms."""

    operator: Annotated[str, OneOf(("==", "!=", "<", "<=", ">", ">="))]
    """Which of them; order is between numbers, and false with none."""
    left: "Term"
    """What stands before the operator."""
    right: "Term"
    """What stands behind it."""

    def evaluate(self, x: Assignment) -> Value:
        left = self.left.evaluate(x)
        right = self.right.value if type(self.right) is Constant else self.right.evaluate(x)
        if self.operator == "==" and type(left) is type(right):
            return left == right  # as most are: what is read in place saves three calls
        return values.compare(self.operator, left, right)


class Member(Ground, op="member", below=attrgetter("item", "elements")):
    """`item in elements`."""

    item: "Term"
    """What is looked for."""
    elements: "Term"
    """The set."""

    def evaluate(self, x: Assignment) -> Value:
        return values.member(self.item.evaluate(x), self.elements.evaluate(x))


class Every(Ground, op="every", below=attrgetter("parts")):
    """All of the conditions; true when there are none."""

    parts: tuple["Term", ...]
    """The conditions."""

    def evaluate(self, x: Assignment) -> Value:
        return all(truth(part.evaluate(x), "a part of `and`") for part in self.parts)


class Some(Ground, op="some", below=attrgetter("parts")):
    """Any of the conditions; false when there are none."""

    parts: tuple["Term", ...]
    """The conditions."""

    def evaluate(self, x: Assignment) -> Value:
        return any(truth(part.evaluate(x), "a part of `or`") for part in self.parts)


class Inverse(Ground, op="inverse", below=lambda term: (term.part,)):
    """`not c`."""

    part: "Term"
    """The condition."""

    def evaluate(self, x: Assignment) -> Value:
        return not truth(self.part.evaluate(x), "the operand of `not`")


class PayoffOf(Ground, op="payoff"):
    """`payoff[a]`, or `total` when `agent` is none: what the task's payoffs credit; only in objectives.

    It is evaluated at the assignment extended by the payoffs, under the names `payoff[a]` and `total`.
    """

    agent: str | None
    """Whose payoff; null for the sum of all."""

    def evaluate(self, x: Assignment) -> Value:
        return x["total" if self.agent is None else f"payoff[{self.agent}]"]


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
NOTHING, ONE, SURE = map(Constant, (0, 1, True))


def term(folded: Folded) -> Term:
    """A value as a constant term."""
    return folded if isinstance(folded, Ground) else Constant(folded)
