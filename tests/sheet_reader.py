"""Reads payoff sheets as a player might. In: the texts of all agents' sheets; out: what any choices pay everybody.

It knows nothing of the compiler: it goes by the words alone. A number that is marked as rounded is an interval, half a
unit of its last digit to both sides. A comparison that such numbers leave open raises Unsure.
"""

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations, pairwise
from typing import Any

Names = Mapping[str, Any]
Meaning = Callable[[Names], Any]
TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|\d+(?:\.\d+)?(?:e[+-]?\d+)?|\w+|[^\s\w]')
DATA = "Numbers and lists"


class Unsure(Exception):  # noqa: N818 - what the reader is
    """Rounded numbers leave open whether a comparison holds."""


@dataclass(frozen=True)
class About:
    """A number of which only the bounds are known."""

    low: float
    high: float
    table: str = ""
    """Where it stands, if it was read and not computed: numbers of one table are in the order that they read."""


@dataclass
class SheetRule:
    """A reward, a penalty or a hard rule."""

    name: str
    choices: Callable[[Names], Iterator[Names]]
    when: Meaning
    amount: Meaning | None
    """None for a hard rule."""
    condition: Meaning | None
    payees: Callable[[Names], list[str]] | None


@dataclass
class Game:
    """What the sheets say."""

    rules: dict[str, SheetRule] = field(default_factory=dict)
    means: dict[str, tuple[list[str], Meaning]] = field(default_factory=dict)
    """Derived tables: the names of their indices, and what they mean."""
    sets: dict[str, list[Any]] = field(default_factory=dict)
    tables: dict[str, dict[tuple[Any, ...], Any]] = field(default_factory=dict)
    alone: dict[str, dict[str, tuple[list[str], dict[Any, Any]]]] = field(default_factory=dict)
    """By agent and variable: the statements that one choice settles, and what each choice pays by them."""
    hidden: dict[str, set[str]] = field(default_factory=dict)
    """By agent: what is said to be known to others only."""
    chosen: Mapping[str, Any] = field(default_factory=dict)
    agents: tuple[str, ...] = ()

    def paid(self, chosen: Mapping[str, Any], names: Iterable[str] | None = None) -> dict[str, Any]:
        """What every agent is paid at these choices, all rules together or those of these names."""
        self.chosen = chosen
        found: dict[str, Any] = dict.fromkeys(self.agents, 0)
        for rule in self.rules.values():
            if rule.amount is None or (names is not None and rule.name not in names):
                continue
            assert rule.payees is not None
            for env in rule.choices({}):
                if not rule.when(env):
                    continue
                amount = rule.amount(env)
                if amount == 0:
                    continue
                payees = rule.payees(env)
                for agent in payees:
                    found[agent] = plus(found[agent], over(amount, len(payees)))
        return found

    def broken(self, chosen: Mapping[str, Any]) -> set[str]:
        """The hard rules that these choices break."""
        self.chosen = chosen
        return {
            rule.name
            for rule in self.rules.values()
            if rule.amount is None and rule.condition is not None
            for env in rule.choices({})
            if rule.when(env) and not rule.condition(env)
        }


# ---- numbers ---------------------------------------------------------------------------------------------------


def bounds(x: Any) -> tuple[float, float]:
    return (x.low, x.high) if isinstance(x, About) else (x, x)


def about(low: float, high: float) -> Any:
    return low if low == high else About(low, high)


def plus(a: Any, b: Any) -> Any:
    if a is None or b is None:
        return None
    if isinstance(a, list):
        return list(dict.fromkeys([*a, *b]))
    return about(bounds(a)[0] + bounds(b)[0], bounds(a)[1] + bounds(b)[1])


def minus(a: Any, b: Any) -> Any:
    if a is None or b is None:
        return None
    if isinstance(a, list):
        return [x for x in a if x not in b]
    return about(bounds(a)[0] - bounds(b)[1], bounds(a)[1] - bounds(b)[0])


def times(a: Any, b: Any) -> Any:
    if a is None or b is None:
        return None
    products = [x * y for x in bounds(a) for y in bounds(b)]
    return about(min(products), max(products))


def over(a: Any, b: Any) -> Any:
    if a is None or b is None:
        return None
    if bounds(b)[0] <= 0 <= bounds(b)[1]:
        raise Unsure
    quotients = [x / y for x in bounds(a) for y in bounds(b)]
    return about(min(quotients), max(quotients))


def compare(sign: str, a: Any, b: Any) -> bool:
    if isinstance(a, About) and isinstance(b, About) and a.table == b.table != "":
        a, b = a.low, b.low
    if sign in ("=", "≠"):
        if isinstance(a, list) and isinstance(b, list):
            same = set(a) == set(b)
        elif isinstance(a, About) or isinstance(b, About):
            if None in (a, b):
                same = False
            elif a == b or not (bounds(a)[1] < bounds(b)[0] or bounds(b)[1] < bounds(a)[0]):
                raise Unsure
            else:
                same = False
        else:
            same = a == b
        return same is (sign == "=")
    if a is None or b is None:
        return False
    if sign in (">", "≥"):
        a, b, sign = b, a, {">": "<", "≥": "≤"}[sign]
    (a_low, a_high), (b_low, b_high) = bounds(a), bounds(b)
    if a_high < b_low or (a_high == b_low and sign == "≤"):
        return True
    if a_low > b_high or (a_low == b_high and sign == "<"):
        return False
    raise Unsure


def extremum(which: str, values: list[Any]) -> Any:
    if any(v is None for v in values):
        return None
    pick = min if which == "min" else max
    return about(pick(bounds(v)[0] for v in values), pick(bounds(v)[1] for v in values))


def absolute(x: Any) -> Any:
    if x is None:
        return None
    low, high = bounds(x)
    return about(0 if low <= 0 <= high else min(abs(low), abs(high)), max(abs(low), abs(high)))


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "max": lambda *v: extremum("max", list(v)),
    "min": lambda *v: extremum("min", list(v)),
    "abs": absolute,
    "size": len,
    "pairs": lambda s: list(combinations(s, 2)),
    "steps": lambda s: list(pairwise(s)),
}


def flat(keys: Iterable[Any]) -> tuple[Any, ...]:
    found: list[Any] = []
    for key in keys:
        found += flat(key) if isinstance(key, tuple) else [key]
    return tuple(found)


# ---- formulas ----------------------------------------------------------------------------------------------------


class SheetLine:
    """One line of a sheet, read word by word."""

    def __init__(self, text: str, game: Game) -> None:
        self.words = TOKEN.findall(text)
        self.at = 0
        self.game = game

    def next(self, ahead: int = 0) -> str:
        place = self.at + ahead
        return self.words[place] if place < len(self.words) else ""

    def take(self, *expected: str) -> str:
        for word in expected:
            assert self.next() == word, f"{word} expected at {self.words[self.at :][:8]} of {' '.join(self.words)}"
            self.at += 1
        if not expected:
            self.at += 1
        return self.words[self.at - 1]

    def skips(self, *words: str) -> bool:
        """Whether these come next; if so they are passed over."""
        if all(self.next(i) == word for i, word in enumerate(words)):
            self.at += len(words)
            return True
        return False

    # ---- expressions

    def expression(self) -> Meaning:
        then = self.either()
        if not self.skips("if"):
            return then
        condition = self.either()
        self.take("else")
        otherwise = self.expression()
        return lambda env: then(env) if condition(env) else otherwise(env)

    def either(self) -> Meaning:
        parts = [self.both()]
        while self.skips("or"):
            parts.append(self.both())
        return parts[0] if len(parts) == 1 else lambda env: any(p(env) for p in parts)

    def both(self) -> Meaning:
        parts = [self.inverse()]
        while self.skips("and"):
            parts.append(self.inverse())
        return parts[0] if len(parts) == 1 else lambda env: all(p(env) for p in parts)

    def inverse(self) -> Meaning:
        if self.skips("not"):
            inside = self.inverse()
            return lambda env: not inside(env)
        return self.compared()

    def compared(self) -> Meaning:
        operands, signs = [self.range()], list[str]()
        while self.next() in ("=", "≠", "<", "≤", ">", "≥", "in") or (self.next() == "not" and self.next(1) == "in"):
            sign = self.take()
            signs.append("not in" if sign == "not" and self.take("in") else sign)
            operands.append(self.range())
        if not signs:
            return operands[0]
        self.last = (operands, signs)

        def holds(env: Names) -> bool:
            values = [o(env) for o in operands]
            links = zip(signs, pairwise(values), strict=True)
            return all((a in b) is (s == "in") if "in" in s else compare(s, a, b) for s, (a, b) in links)

        return holds

    def range(self) -> Meaning:
        low = self.sum()
        if not self.skips("to"):
            return low
        high = self.sum()
        return lambda env: list(range(low(env), high(env) + 1))

    def sum(self) -> Meaning:
        found = self.product()
        while self.next() in ("+", "-", "∩"):
            sign = self.take()
            found = self.joined(sign, found, self.product())
        return found

    def joined(self, sign: str, left: Meaning, right: Meaning) -> Meaning:
        if sign == "∩":
            return lambda env: [x for x in left(env) if x in right(env)]
        rule = {"+": plus, "-": minus, "×": times, "/": over}[sign]
        return lambda env: rule(left(env), right(env))

    def product(self) -> Meaning:
        found = self.signed()
        while self.next() in ("×", "/"):
            sign = self.take()
            found = self.joined(sign, found, self.signed())
        return found

    def signed(self) -> Meaning:
        if self.skips("-"):
            inside = self.signed()
            return lambda env: minus(0, inside(env))
        return self.atom()

    def atom(self) -> Meaning:
        word = self.next()
        if word == "the":
            return self.gathered()
        if self.skips("there", "is"):
            choices = self.filtered()
            return lambda env: any(True for _ in choices(env))
        if self.skips("for", "each"):
            choices = self.filtered()
            self.take(":")
            inside = self.either()
            return lambda env: all(inside(e) for e in choices(env))
        if self.skips("("):
            items = self.listed(")")
            return items[0] if len(items) == 1 else lambda env: tuple(i(env) for i in items)
        if self.skips("{"):
            return self.braces()
        self.take()
        if word[0] == '"' or word[0].isdigit():
            value = json.loads(word)
            return lambda env: value
        if word in ("none", "true", "false"):
            constant = {"none": None, "true": True, "false": False}[word]
            return lambda env: constant
        if self.next() == "(" and word in FUNCTIONS:
            self.take()
            arguments = self.listed(")")
            return lambda env: FUNCTIONS[word](*(a(env) for a in arguments))
        keys = self.listed("]") if self.skips("[") else None
        return lambda env: self.named(word, keys, env)

    def gathered(self) -> Meaning:
        self.take("the")
        which = self.take()
        if which == "number":
            self.take("of")
            choices = self.filtered()
            return lambda env: sum(1 for _ in choices(env))
        self.take("over")
        choices = self.filtered()
        self.take("of")
        body = self.atom()
        if which != "sum":
            name = {"least": "min", "greatest": "max"}[which]
            return lambda env: extremum(name, [body(e) for e in choices(env)])

        def total(env: Names) -> Any:
            found: Any = 0
            for each in choices(env):
                found = plus(found, body(each))
            return found

        return total

    def braces(self) -> Meaning:
        if self.skips("}"):
            return lambda env: []
        first = self.expression()
        if self.skips("for"):
            choices = self.filtered()
            self.take("}")
            return lambda env: list(dict.fromkeys(first(e) for e in choices(env)))
        rest = self.listed("}") if self.skips(",") else (self.take("}") and [])
        items = [first, *rest]
        return lambda env: list(dict.fromkeys(i(env) for i in items))

    def listed(self, end: str) -> list[Meaning]:
        found = [] if self.next() == end else [self.expression()]
        while self.skips(","):
            found.append(self.expression())
        self.take(end)
        return found

    def named(self, word: str, keys: list[Meaning] | None, env: Names) -> Any:
        game = self.game
        if keys is None and word in env:
            return env[word]
        if keys is None and word in game.sets:
            return game.sets[word]
        key = () if keys is None else tuple(k(env) for k in keys)
        if None in key:
            return None
        key = flat(key)
        if word in game.means:
            names, meaning = game.means[word]
            return meaning(dict(zip(names, key, strict=True)))
        if word in game.tables:
            return game.tables[word][key]
        variable = f"{word}[{', '.join(map(plain, key))}]" if key else word
        return game.chosen.get(variable, word)

    # ---- loops

    def filtered(self) -> Callable[[Names], Iterator[Names]]:
        """`a in agents, (s, t) in pairs(tasks) where c`."""
        loops = [self.binder()]
        while self.next() == "," and self.at_binder(1):
            self.take()
            loops.append(self.binder())
        test = self.either() if self.skips("where") else None

        def choices(env: Names, left: int = 0) -> Iterator[Names]:
            if left == len(loops):
                if test is None or test(env):
                    yield env
                return
            names, domain = loops[left]
            for item in domain(env):
                bound = zip(names, item, strict=True) if len(names) > 1 else zip(names, [item], strict=False)
                yield from choices({**env, **dict(bound)}, left + 1)

        self.bound = [name for names, _ in loops for name in names]
        return choices

    def at_binder(self, ahead: int) -> bool:
        if self.next(ahead) == "(":
            while self.next(ahead) not in (")", ""):
                ahead += 1
        return self.next(ahead + 1) == "in" and self.next(ahead) not in ("not",)

    def binder(self) -> tuple[list[str], Meaning]:
        names = [self.take()]
        if names == ["("]:
            names = [self.take()]
            while self.skips(","):
                names.append(self.take())
            self.take(")")
        self.take("in")
        return ([] if names == ["one"] else names), self.range()

    # ---- lines

    def rule(self) -> None:
        """`- name, for each …, if …: …` or `- name, for each … means …`."""
        name = self.take()
        choices: Callable[[Names], Iterator[Names]] = lambda env: iter([env])  # noqa: E731
        self.bound = []
        if self.skips(",", "for", "each"):
            choices = self.filtered()
        bound = self.bound
        if self.skips("means"):
            self.game.means[name] = (bound, self.expression())
            return
        when: Meaning = lambda env: True  # noqa: E731
        if self.skips(",", "if"):
            when = self.expression()
        self.take(":")
        self.last: tuple[list[Meaning], list[str]] = ([], [])
        body = self.expression()
        if self.skips("must", "hold"):
            self.game.rules[name] = SheetRule(name, choices, when, None, body, None)
            return
        amount = body
        if self.skips("should", "hold", ";"):
            amount = self.penalty(body)
        self.take(",")
        self.game.rules[name] = SheetRule(name, choices, when, amount, None, self.payees())

    def penalty(self, body: Meaning) -> Meaning:
        operands, signs = self.last
        if self.skips("if", "not", ",", "that", "costs"):
            price = self.expression()
            return lambda env: 0 if body(env) else minus(0, price(env))
        self.take("each", "unit", "by", "which", "that", "is", "missed", "costs")
        price = self.expression()

        def missed(env: Names) -> Any:
            found: Any = 0
            for sign, (a, b) in zip(signs, pairwise([o(env) for o in operands]), strict=True):
                far = (
                    absolute(minus(a, b))
                    if sign == "="
                    else extremum("max", [0, minus(a, b) if sign == "≤" else minus(b, a)])
                )
                found = plus(found, far)
            return times(minus(0, price(env)), found)

        return missed

    def payees(self) -> Callable[[Names], list[str]]:
        if self.next() in ("paid", "borne"):
            self.take()
            self.take("to") if self.next() == "to" else self.take("by")
        else:
            self.take("split", "equally", "among")
        who = self.people()
        if not self.skips("(", "if", "that", "is", "nobody", ":"):
            return who
        otherwise = self.people()
        self.take(")")
        return lambda env: who(env) or otherwise(env)

    def people(self) -> Callable[[Names], list[str]]:
        """Some agents by a rule, or lists of them by place."""
        if self.skips("all", "agents"):
            return lambda env: list(self.game.agents)
        if self.skips("each"):
            first = self.next()
            self.skips(first, "for", "which", "there", "is")
            choices = self.filtered()
            first = first if first != "(" else self.bound[0]

            def each(env: Names) -> list[str]:
                found = {e[first]: None for e in choices(env)}
                return [a for a in self.game.agents if a in found]

            return each
        lists: list[tuple[list[Meaning], Meaning | None]] = []
        while True:
            names = [self.atom()]
            while self.skips(","):
                names.append(self.atom())
            lists.append((names, self.either() if self.skips("where") else None))
            if not self.skips(";"):
                break

        def named(env: Names) -> list[str]:
            for names, place in lists:
                if place is None or place(env):
                    found = [n(env) for n in names]
                    people = [a for f in found for a in (f if isinstance(f, list) else [f]) if a is not None]
                    return list(dict.fromkeys(people))
            raise AssertionError("no list for this place")

        return named


def plain(value: Any) -> str:
    return "none" if value is None else str(value)


# ---- data -----------------------------------------------------------------------------------------------------------


def number(value: Any, word: str, table: str) -> Any:
    if isinstance(value, bool | str | tuple | list | None):
        return value
    half = 0.5 * 10.0 ** -len(word.partition(".")[2])
    return About(value - half, value + half, table)


class Data(SheetLine):
    """A line of numbers or a list."""

    def value(self, table: str = "") -> Any:
        """A value; one of a table whose numbers are rounded."""
        start = self.at
        found = self.signed()({})
        return number(found, "".join(self.words[start : self.at]), table) if table else found

    def entries(self, table: str) -> Iterator[tuple[Any, Any]]:
        while True:
            key = self.value()
            self.take("=")
            yield key, self.value(table)
            if not self.skips(","):
                break

    def read(self, agent: str) -> None:
        if self.skips("If", "you", "choose"):
            return self.alone(agent)
        if "known" in self.words:
            self.game.hidden.setdefault(agent, set()).add(" ".join(self.words))
            return None
        name = self.take()
        prefix = tuple(k({}) for k in self.listed("]")) if self.skips("[") else ()
        rounded = name if self.skips("(", "rounded", ")") else ""
        table = self.game.tables.setdefault(name, {})
        if self.skips("="):
            table[()] = self.value(rounded)
            return None
        self.take(":")
        if not self.next():
            self.game.sets[name] = []
        elif self.next(1) == "to" and self.words[self.at].isdigit():
            self.game.sets[name] = self.range()({})
        elif "=" in self.words:
            for key, value in self.entries(rounded):
                table[flat((*prefix, key))] = value
        else:
            self.game.sets[name] = [self.value()]
            while self.skips(","):
                self.game.sets[name].append(self.value())
        if not table:
            del self.game.tables[name]
        return None

    def alone(self, agent: str) -> None:
        """`If you choose pick[A], done and liked alone pays you: left = 3, right = 0`."""
        text = " ".join(self.words)
        start = self.at
        while not (self.next() == "," and self.next(2) in ("alone", "and")):
            self.at += 1
        variable = "".join(w if w != "," else ", " for w in self.words[start : self.at])
        names = list[str]()
        while self.take() in (",", "and"):
            names.append(self.take())
        self.take("pays", "you")
        assert self.take() == ":", text
        mine = self.game.alone.setdefault(agent, {})
        known = mine.setdefault(variable, (names, {}))[1]
        known.update(self.entries(variable))


def read(sheets: Mapping[str, str]) -> Game:
    """The game that these sheets, by agent, describe together."""
    game = Game(agents=tuple(sheets))
    for agent, text in sheets.items():
        formulas, found, data = text.partition(DATA)
        assert found, "a sheet has two parts"
        for line in data.splitlines()[1:]:
            Data(line.removeprefix("- "), game).read(agent)
        for line in formulas.splitlines():
            if line.startswith("- "):
                reading = SheetLine(line.removeprefix("- "), game)
                reading.rule()
    return game


def near(said: Any, true: float) -> bool:
    """Whether a payoff that was read is the true one, as far as its digits tell."""
    low, high = bounds(said)
    slack = 1e-9 * max(1, abs(true)) + 1e-12
    return low - slack <= true <= high + slack or math.isclose(low, true, abs_tol=1e-9)
