"""Payoff sheets, `{{ payoffs }}`. In: a world and the task that scores it; out: the text for one reader.

A sheet states the goal, every reward and requirement as a formula in plain words, and the numbers that enter them as
far as they are the reader's to see. It is made from the statements and terms that score, when a prompt asks for it.

`count(a in agents when pick[a] == t) <= cap` becomes "(the number of a in agents where pick[a] = t) ≤ 1": params are
written out, brackets stand wherever two readings would differ. Names of tables, sets, variables and binders stay.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import TypeAlias

from colosseum.language import syntax
from colosseum.language.record import Record
from colosseum.model.evaluate import admitted, choices, evaluate
from colosseum.model.ground import Grounding
from colosseum.model.scenario import Credit, EqualSplit, Payoff, Task
from colosseum.model.terms import NOTHING, Ground
from colosseum.model.values import Elements, Value, number
from colosseum.model.world import Environment, Meter, Poisoned, TableData, World

Statement: TypeAlias = syntax.Reward | syntax.Require
PAYOFFS = "payoffs"  # what a prompt calls it; a declared name of the same letters comes first
GOAL = """\
Your payoff is what is paid to you below, less what you bear. The team's goal: all agents' payoffs, added up, \
as high as possible."""
DATA = "Numbers and lists (cost[Ann]: nails = 5 says that cost[Ann, nails] is 5):"
BUILT = {
    "pairs": "pairs(S) are all pairs of different elements of S, each pair once.",
    "steps": "steps(S) are the pairs of elements of S that follow one another.",
    "size": "size(S) is how many elements S has.",
}
WHOLE, OR, AND, NOT, COMPARED, RANGE, SUM, PRODUCT, SIGN, ATOM = range(10)  # how tightly an expression binds
SIGNS = {"==": "=", "!=": "≠", "<=": "≤", ">=": "≥", "*": "×", "&": "∩"}
LOOPS = {"sum": "the sum over", "min": "the least over", "max": "the greatest over", "any": "there is",
         "count": "the number of"}  # fmt: skip
EXACT_DIGITS, LEAST_DIGITS, MOST_DIGITS = 4, 2, 12
"""Decimals that a number may have to be printed as it is, and those of numbers that are rounded."""
Shared: TypeAlias = tuple[Environment, Credit]  # an instance: its bindings and who is credited
SHARED, DECIDERS = "split equally among", "those whose decisions it depends on"
MOST_BINDERS = 3  # binders that together may be the payees


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

    def filtered(self, binders: syntax.Binders, when: syntax.Expr | None = None) -> str:
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


@dataclass
class Sheets:
    """The sheets of one instance; each is made once, when it is asked for."""

    world: World
    task: Task
    grounding: Grounding
    """How the task was made."""
    whole: bool = False
    """Whether the instance is without errors."""
    made: dict[str, str] = field(default_factory=dict)

    @property
    def asked(self) -> bool:
        """Whether `payoffs` in a prompt means the sheet."""
        return PAYOFFS not in self.world.spec.symbols and PAYOFFS not in self.world.elements

    def of(self, reader: str) -> str:
        """The sheet of an agent; raises Poisoned where the instance is in error."""
        if not self.whole:
            raise Poisoned("a payoff is in error")
        if reader not in self.made:
            data = (f"- {line}" for line in (*self._alone(reader), *self._data(reader)))
            self.made[reader] = "\n".join((GOAL, *self.formulas, DATA, *data))
        return self.made[reader]

    @cached_property
    def told(self) -> tuple[Statement, ...]:
        """The rewards and requirements that agents are to know, in declared order."""
        statements = self.world.spec.composition.statements
        return tuple(s for s in statements if isinstance(s, Statement) and not s.undisclosed)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Everything that the formulas mention, in declared order."""
        found = self.world.spec.closure(self.told)
        return tuple(name for name in (*self.world.spec.symbols, "links") if name in found)

    @cached_property
    def statements(self) -> tuple[syntax.Declaration, ...]:
        """What is told, and the derived tables that it mentions."""
        spec = self.world.spec
        return (*self.told, *(spec.symbols[name].statement for name in self.names if name in spec.derived))

    @cached_property
    def formulas(self) -> tuple[str, ...]:
        """The rewards, requirements and derived tables in words: the same for every reader."""
        words = Words(self.world)
        lines = [f"- {self._formula(statement, words)}" for statement in self.statements]
        called = {node.function for s in self.statements for node in syntax.walk(s) if isinstance(node, syntax.Call)}
        return (*lines, *(said for function, said in BUILT.items() if function in called))

    def _formula(self, statement: syntax.Declaration, words: Words) -> str:
        assert isinstance(statement, syntax.Table | Statement)
        indices = statement.indices
        head = statement.name + (f", for each {words.filtered(indices)}" if indices is not None else "")
        if isinstance(statement, syntax.Table):
            assert isinstance(statement.source, syntax.Given)
            return f"{head} means {words.say(statement.source.value)}"
        head += f", if {words.say(statement.when)}: " if statement.when is not None else ": "
        if isinstance(statement, syntax.Reward):
            return f"{head}{words.say(statement.value)}, {self._paid(statement, words, 'paid')}"
        head += words.say(statement.condition)
        if statement.penalty is None:
            return f"{head} must hold, whatever else is paid"
        missed = "each unit by which that is missed" if statement.per_unit else "if not, that"
        price = words.say(statement.penalty)
        return f"{head} should hold; {missed} costs {price}, {self._paid(statement, words, 'borne')}"

    def _paid(self, statement: Statement, words: Words, verb: str) -> str:
        """`paid to a`, `split equally among all agents`; the default where it can come to that."""
        meter, guarded = Meter(), self._guarded(statement.indices, statement.recipients)
        paid = self.grounding.paid.get(statement.name, ())
        instances = [(replace(env, meter=meter), payoff.credit) for payoff, env in paid if payoff.term != NOTHING]
        match statement.recipients:
            case None:
                one = all(len(credit.named) == 1 for _, credit in instances)
                return f"{f'{verb} to' if one else SHARED} {self._named(instances, guarded=guarded)}"
            case syntax.ToWhom(recipient=expr):
                found = [evaluate(expr, env) for env, _ in instances]
                one = all(isinstance(who, str | Ground) for who in found)
                said = f"{f'{verb} to' if one else SHARED} {words.say(expr, ATOM)}"
                nobody = [who is None or (isinstance(who, Elements) and not who) for who in found]
            case syntax.ToEach(binders=binders, when=when):
                nobody = [not any(admitted(when, inner) for inner in choices(binders, env)) for env, _ in instances]
                single = len(binders.items) == len(binders.items[0].names) == 1
                first = "" if single else f"{binders.items[0].names[0]} for which there is "
                said = f"{SHARED} each {first}{words.filtered(binders, when)}"
        unclear = [s for s, none in zip(instances, nobody, strict=True) if none or not isinstance(s[1], EqualSplit)]
        return f"{said} (if that is nobody: {self._named(unclear, guarded=guarded)})" if unclear else said

    def _named(self, instances: Sequence[Shared], *, guarded: bool) -> str:
        """The agents who share by default: all, those whom binders stand for, always the same, or listed.

        Where some may not know which instances there are (`guarded`), they are told by a rule only, never by name.
        """
        groups = [(env.bindings, c.agents if isinstance(c, EqualSplit) else c.otherwise) for env, c in instances]
        names = list(groups[0][0]) if groups else []
        if groups and all(agents == self.task.agents for _, agents in groups) and len(self.task.agents) > 1:
            return "all agents"
        sizes = range(len(names) + 1)
        for some in (some for size in sizes[1 : MOST_BINDERS + 1] for some in combinations(names, size)):
            if all({bound[n] for n in some} == set(agents) for bound, agents in groups):
                return ", ".join(some)
        told = sizes if groups and not guarded else ()
        for some in (some for size in told for some in combinations(names, size)):  # the fewest that tell who shares
            found = {tuple(bound[n] for n in some): agents for bound, agents in groups}
            if all(found[tuple(bound[n] for n in some)] == agents for bound, agents in groups):
                places = [" and ".join(f"{n} = {shown(v)}" for n, v in zip(some, at, strict=True)) for at in found]
                lists = [", ".join(map(shown, agents)) for agents in found.values()]
                return "; ".join(f"{who} where {at}" if at else who for at, who in zip(places, lists, strict=True))
        return DECIDERS

    @cached_property
    def hidden(self) -> dict[str, frozenset[str]]:
        """Names that not all may see, with who sees all of each: private tables, coalitions, what follows from them."""
        spec, everybody = self.world.spec, frozenset(self.task.agents)
        found = {name: frozenset[str]() for name, table in self.world.tables.items() if table.private}
        groups = (*spec.of(syntax.Coalition), *(c for c in spec.of(syntax.Channel) if c.secret))
        found |= {group.name: frozenset(map(str, self.world.sets[group.name])) for group in groups}
        data = [s for s in (*spec.of(syntax.Set), *spec.of(syntax.Table)) if s.name not in spec.derived]
        for _ in data:  # a chain of what follows from what is no longer than that
            for statement in data:
                behind = [found[n] for n in statement.mentions if n in found and n in self.world.sets]
                if behind and statement.name not in found:
                    found[statement.name] = everybody.intersection(*behind)
        return found

    def _guarded(self, *nodes: syntax.Node | None) -> bool:
        return not self.hidden.keys().isdisjoint(self.world.spec.closure([node for node in nodes if node is not None]))

    def _data(self, reader: str) -> Iterator[str]:
        nodes = (node for s in self.statements for node in syntax.walk(s) if isinstance(node, syntax.Comparison))
        compared = {name for node in nodes for name in node.mentions}
        for name in (name for name in self.names if name not in self.world.spec.derived):
            table = self.world.tables.get(name)
            members = self.world.sets.get(name)
            if name in self.hidden and reader not in self.hidden[name] and not (table and table.private):
                yield f"{name}: known only to those whom it is about"
            elif members is not None:
                numbers = [x for x in members if type(x) is int]
                whole = len(numbers) == len(members) > 2 and numbers == list(range(numbers[0], numbers[-1] + 1))
                listed = f"{numbers[0]} to {numbers[-1]}" if whole else ", ".join(map(shown, members))
                yield f"{name}: {listed}"
            elif table is not None:
                yield from _rows(table, reader, apart=name in compared)

    def _alone(self, reader: str) -> Iterator[str]:
        """What each choice of the reader pays it, by the statements that ask for one decision of its own alone."""
        own = {v.name for v in self.task.owned[reader]}
        simple: list[tuple[str, list[Payoff]]] = []
        for statement in self.told:
            felt = [(p, env) for p, env in self.grounding.paid.get(statement.name, ()) if reader in p.credit.named]
            fixed = all(isinstance(p.credit, EqualSplit) for p, _ in felt)
            unary = all(len(p.term.scope) == 1 and p.term.scope <= own for p, _ in felt)
            if fixed and unary and self._sees(reader, statement, [env for _, env in felt]):
                simple.append((statement.name, [p for p, _ in felt]))
        for variable in self.task.owned[reader]:
            names = [name for name, felt in simple if any(variable.name in p.term.scope for p in felt)]
            payoffs = [p for _, felt in simple for p in felt if variable.name in p.term.scope]
            paid = [
                sum(number(p.term.evaluate({variable.name: value}), p.name) / len(p.credit.named) for p in payoffs)
                for value in variable.domain
            ]
            if names:
                entries = _entries(zip(variable.domain, paid, strict=True), digits(paid, apart=False))
                start = f"If you choose {variable.name}, {' and '.join(names)} alone pays you"
                yield f"{start}: {entries}"

    def _sees(self, reader: str, statement: Statement, instances: Sequence[Environment]) -> bool:
        """Whether the reader may see all that these instances were computed from."""
        if statement.recipients is not None and self._guarded(statement.recipients):
            return False
        hidden = self.world.spec.closure([statement]) & self.hidden.keys() & self.world.sets.keys()
        cells = {cell for env in instances for cell in env.reads}
        audiences = ((self.world.tables[table].audience or {})[key] for table, key in cells)
        return all(reader in known for known in (*(self.hidden[name] for name in hidden), *audiences))


def _rows(table: TableData, reader: str, *, apart: bool) -> Iterator[str]:
    """`cost[engineer1]: ticket1 = 7.31, …`, and who alone knows the rest."""
    entries, audience = table.entries, table.audience
    visible = {key: entries[key] for key in entries if audience is None or reader in audience[key]}
    numbers = [x for x in visible.values() if isinstance(x, int | float) and not isinstance(x, bool)]
    decimals = digits(numbers, apart=apart) if numbers else None
    note = "" if decimals is None else " (rounded)"
    rows: dict[tuple[Value, ...], list[tuple[Value, Value]]] = {}
    for key, value in visible.items():
        if key:
            rows.setdefault(key[:-1], []).append((key[-1], value))
        else:
            yield f"{table.name}{note} = {shown(value, decimals)}"
    for prefix, cells in rows.items():
        yield f"{_cell(table.name, prefix)}{note}: {_entries(cells, decimals)}"
    unseen: dict[str, dict[str, None]] = {}
    beyond = ((key, who) for key, who in (audience or {}).items() if key not in visible)
    for key, who in dict.fromkeys((key if key[:-1] in rows else key[:-1], who) for key, who in beyond):
        cell, known = _cell(table.name, key), ", ".join(map(shown, who)) or "nobody"
        named = re.search(rf"\b{re.escape(known)}\b", cell.removeprefix(table.name))
        unseen.setdefault("the agent named" if named else known, {})[cell] = None
    for known, hidden in unseen.items():
        yield f"{', '.join(hidden)}: known only to {known}"


def _cell(name: str, key: tuple[Value, ...]) -> str:
    return f"{name}[{', '.join(map(shown, key))}]" if key else name


def _entries(pairs: Iterable[tuple[Value, Value]], decimals: int | None) -> str:
    return ", ".join(f"{shown(key)} = {shown(value, decimals)}" for key, value in pairs)
