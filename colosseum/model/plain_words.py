"""Expressions and payees in plain words. In: an expression of a spec and its facts; out: words for a player.

`count(a in agents when pick[a] == t) <= cap` becomes "(the number of a in agents where pick[a] = t) ≤ 1": params are
written out, brackets stand wherever two readings would differ. Names of tables, sets, variables and binders stay.
"""

import json
from collections.abc import Sequence
from itertools import combinations
from typing import TypeAlias

from colosseum.language import syntax
from colosseum.language.record import Record
from colosseum.model.evaluate import admitted, choices, evaluate
from colosseum.model.scenario import Credit, EqualSplit, Task
from colosseum.model.terms import Ground
from colosseum.model.values import Elements, Value
from colosseum.model.world import Environment, World

WHOLE, OR, AND, NOT, COMPARED, RANGE, SUM, PRODUCT, SIGN, ATOM = range(10)
"""How tightly an expression binds."""
SIGNS = {"==": "=", "!=": "≠", "<=": "≤", ">=": "≥", "*": "×", "&": "∩"}
LOOPS = {"sum": "the sum over", "min": "the least over", "max": "the greatest over", "any": "there is",
         "count": "the number of"}  # fmt: skip
EXACT_DIGITS, LEAST_DIGITS, MOST_DIGITS = 4, 2, 12
"""Decimals that a number may have to be printed as it is, and those of numbers that are rounded."""


def shown(value: Value, decimals: int | None = None) -> str:
    """A value, a number with its decimals; names that might be read as something else stand in quotes."""
    match value:
        case None | bool():
            return str(value).lower()
        case str():
            plain = value.isidentifier() and value not in ("none", "true", "false")
            return value if plain else json.dumps(value, ensure_ascii=False)
        case tuple():
            return f"({', '.join(map(shown, value))})"
        case Elements(items=items):
            return f"{{{', '.join(map(shown, items))}}}"
        case _ if decimals is not None:
            return f"{value:.{decimals}f}"
        case _:
            return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


def digits(numbers: Sequence[float], *, apart: bool) -> int | None:
    """The decimals to which these are rounded together: 0.01, or a thousandth of the largest; None to print them whole.

    Where numbers are compared (`apart`), no two that differ may read alike.
    """
    if all(round(x, EXACT_DIGITS) == x for x in numbers):
        return None
    largest, distinct = max(map(abs, numbers)), len(set(numbers)) if apart else 0
    for enough in range(LEAST_DIGITS, MOST_DIGITS):
        if largest * 10**enough >= 1000 and len({round(x, enough) for x in numbers}) >= distinct:
            return enough
    return MOST_DIGITS


class Words(Record):
    """Puts the expressions of one instance into words."""

    world: World

    def say(self, expr: syntax.Expr, least: int = WHOLE) -> str:
        """The words of an expression, in brackets where it binds less than the place demands."""
        level, words = self._said(expr)
        return words if level >= least else f"({words})"

    def filtered(self, binders: syntax.Binders | syntax.Indices, when: syntax.Expr | None = None) -> str:
        """`a in agents, (s, t) in pairs(tasks) where c and d`, `c` settled when compiled and `d` by decisions."""
        items: list[str] = []
        for item in binders.items:
            name = f"({', '.join(item.names)})" if len(item.names) > 1 else "".join(item.names) or "one"
            items.append(f"{name} in {self.say(item.domain, RANGE)}")
        tests = [test for test in (binders.where, when) if test is not None]
        said = " and ".join(self.say(test, AND if len(tests) > 1 else OR) for test in tests)
        return ", ".join(items) + (f" where {said}" if said else "")

    def _said(self, expr: syntax.Expr) -> tuple[int, str]:
        match expr:
            case syntax.Number(value=value) | syntax.Text(value=value) | syntax.Switch(on=value):
                return ATOM, shown(value)
            case syntax.Name(id=name) if name in self.world.params:
                said = shown(self.world.params[name])
                return SIGN if said.startswith("-") else ATOM, said
            case syntax.Name(id=name):
                return ATOM, name
            case syntax.Minus(operand=operand):
                return SIGN, f"-{self.say(operand, ATOM)}"
            case syntax.Range(low=low, high=high):
                return RANGE, f"{self.say(low, SUM)} to {self.say(high, SUM)}"
            case syntax.Arithmetic(operator=operator, left=left, right=right):
                level = PRODUCT if operator in "*/" else SUM
                return level, f"{self.say(left, level)} {SIGNS.get(operator, operator)} {self.say(right, level + 1)}"
            case syntax.Comparison(operands=operands, operators=operators):
                first, *rest = [self.say(operand, RANGE) for operand in operands]
                links = [f" {SIGNS.get(o, o)} {said}" for o, said in zip(operators, rest, strict=True)]
                return COMPARED, first + "".join(links)
            case syntax.Negation(operand=operand):
                return NOT, f"not {self.say(operand, NOT)}"
            case syntax.Logical(operator=operator, left=left, right=right):
                level = OR if operator == "or" else AND
                return level, f"{self.say(left, level)} {operator} {self.say(right, level + 1)}"
            case syntax.Ternary(then=then, condition=condition, otherwise=otherwise):
                return WHOLE, f"{self.say(then, OR)} if {self.say(condition, OR)} else {self.say(otherwise)}"
            case syntax.Aggregate(function=function, body=body, binders=binders, when=when):
                return WHOLE, f"{LOOPS[function]} {self.filtered(binders, when)} of {self.say(body, ATOM)}"
            case syntax.Quantifier(kind="all", binders=binders, when=when):
                return WHOLE, f"for each {self.filtered(binders)}: {self.say(when, OR) if when else 'true'}"
            case syntax.Quantifier(kind=kind, binders=binders, when=when):
                return WHOLE, f"{LOOPS[kind]} {self.filtered(binders, when)}"
            case syntax.Lookup(base=base, keys=keys):
                return ATOM, f"{self.say(base, ATOM)}[{self._listed(keys)}]"
            case syntax.Call(function=function, arguments=arguments):
                return ATOM, f"{function}({self._listed(arguments)})"
            case syntax.SetLiteral(items=items):
                return ATOM, f"{{{self._listed(items)}}}"
            case syntax.SetBuilder(body=body, binders=binders):
                return ATOM, f"{{{self.say(body, OR)} for {self.filtered(binders)}}}"
            case syntax.Tuple(items=items):
                return ATOM, f"({self._listed(items)})"
            case _:  # `none`; money and maps stand in no payoff
                return ATOM, expr.span.text

    def _listed(self, items: Sequence[syntax.Expr]) -> str:
        return ", ".join(self.say(item) for item in items)

Shared: TypeAlias = tuple[Environment, Credit]
"""An instance: its bindings and who is credited."""
DECIDERS = "those whose decisions it depends on"
MOST_BINDERS = 3
"""Binders that together may be the payees."""


class Payees(Record):
    """Says who is credited with the instances of one statement."""

    task: Task
    words: Words
    guarded: bool
    """Whether some may not know which instances there are: then payees are told by a rule only, never by name."""

    def say(self, recipients: syntax.Recipients | None, instances: Sequence[Shared], verb: str) -> str:
        """`paid to a`, `split equally among all agents`; the default where it can come to that."""
        match recipients:
            case None:
                one = all(len(credit.named) == 1 for _, credit in instances)
                return f"{f'{verb} to' if one else 'split equally among'} {self._named(instances)}"
            case syntax.ToWhom(recipient=expr):
                found = [evaluate(expr, env) for env, _ in instances]
                one = all(isinstance(who, str | Ground) for who in found)
                said = f"{f'{verb} to' if one else 'split equally among'} {self.words.say(expr, ATOM)}"
                nobody = [who is None or (isinstance(who, Elements) and not who) for who in found]
            case syntax.ToEach(binders=binders, when=when):
                nobody = [not any(admitted(when, inner) for inner in choices(binders, env)) for env, _ in instances]
                single = len(binders.items) == len(binders.items[0].names) == 1
                first = "" if single else f"{binders.items[0].names[0]} for which there is "
                said = f"split equally among each {first}{self.words.filtered(binders, when)}"
        unclear = [s for s, none in zip(instances, nobody, strict=True) if none or not isinstance(s[1], EqualSplit)]
        return f"{said} (if that is nobody: {self._named(unclear)})" if unclear else said

    def _named(self, instances: Sequence[Shared]) -> str:
        """The agents who share by default: all, those whom binders stand for, always the same, or listed."""
        groups = [(env.bindings, c.agents if isinstance(c, EqualSplit) else c.otherwise) for env, c in instances]
        names = list(groups[0][0]) if groups else []
        if groups and all(agents == self.task.agents for _, agents in groups) and len(self.task.agents) > 1:
            return "all agents"
        for size in range(1, MOST_BINDERS + 1):
            for some in combinations(names, size):
                if all({bound[n] for n in some} == set(agents) for bound, agents in groups):
                    return ", ".join(some)
        for size in range(0 if groups and not self.guarded else len(names) + 1, len(names) + 1):
            for some in combinations(names, size):  # the fewest that tell who shares
                found = {tuple(bound[n] for n in some): agents for bound, agents in groups}
                if all(found[tuple(bound[n] for n in some)] == agents for bound, agents in groups):
                    places = [" and ".join(f"{n} = {shown(v)}" for n, v in zip(some, at, strict=True)) for at in found]
                    lists = [", ".join(map(shown, agents)) for agents in found.values()]
                    listed = (f"{who} where {at}" if at else who for at, who in zip(places, lists, strict=True))
                    return "; ".join(listed)
        return DECIDERS
