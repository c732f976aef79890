"""The LALR(1) reader over Lark's tables. In: tokens one by one; out: a statement's node, or what could come next.

Lark's own loop makes trees, and calls several functions for each rule of a chain such as `expr: either: … atom`. This
one calls the Builder for whole rules only, and reads a text in a quarter of the time.
"""

from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

from colosseum.diagnostics import Span
from colosseum.language.builder import Builder, Piece
from colosseum.language.words import Token

if TYPE_CHECKING:
    from lark import Lark

END = "$END"
States: TypeAlias = tuple[int, ...]
MOST_KNOWN = 4096
"""Answers to `after` and to `passed` that are kept."""


@dataclass(frozen=True, slots=True)
class _Rule:
    """What is done when a rule is complete."""

    origin: str
    size: int
    parts: tuple[tuple[int | None, bool], ...]
    """What is kept: the place of a symbol, None for a part that is absent, and whether it is a list to be opened."""
    method: str
    """The Builder's; empty for a rule whose pieces belong to the rule around it."""
    only: bool
    """Whether a single piece stands for the whole."""
    passes: bool
    """Whether nothing is done at all: one symbol stands for another."""


class ParseTable:
    """Lark's table for the start symbol `statement`. Lark does not type it, hence Any in this file and `lexing`."""

    def __init__(self, tables: "Lark") -> None:
        conf: Any = tables.parse_interactive(start="statement").parser_state.parse_conf
        self.rows: dict[int, dict[str, tuple[object, Any]]] = conf.states
        self.first, self.last = conf.start_state, conf.end_state
        self.rules: dict[int, _Rule] = {}
        self.after = lru_cache(MOST_KNOWN)(self._after)
        self.passed = lru_cache(MOST_KNOWN)(self._passed)

    def rule(self, rule: Any) -> _Rule:
        """What completing a rule of Lark's does, found out once: as Lark's own tree builder does."""
        if id(rule) not in self.rules:
            absent = "".join(str(int(gap)) for gap in rule.options.empty_indices).split("0")
            parts: list[tuple[int | None, bool]] = []
            for place, symbol in enumerate(rule.expansion):
                parts += [(None, False)] * len(absent[place]) if rule.options.empty_indices else []
                if not (symbol.is_term and symbol.filter_out):
                    parts.append((place, not symbol.is_term and symbol.name.startswith("_")))
            parts += [(None, False)] * len(absent[-1]) if rule.options.empty_indices else []
            name, only = rule.alias or rule.origin.name, rule.options.expand1 and not rule.alias
            method = "" if name.startswith("_") else name if hasattr(Builder, name) else f"{name}_"
            passes = only and parts == [(0, False)] and len(rule.expansion) == 1
            self.rules[id(rule)] = _Rule(rule.origin.name, len(rule.expansion), tuple(parts), method, only, passes)
        return self.rules[id(rule)]

    def _passed(self, below: int, state: int, kind: str) -> int:
        """The state after a whole chain of rules that pass, once a symbol behind `below` has led to `state`."""
        while (found := self.rows[state].get(kind)) and type(found[1]) is not int and self.rule(found[1]).passes:
            state = self.rows[below][found[1].origin.name][1]
        return state

    def _after(self, states: States, kind: str) -> States | None:
        """The states that a terminal leads to, or None where it cannot come next."""
        stack = list(states)
        while (found := self.rows[stack[-1]].get(kind)) is not None:
            target = found[1]
            if type(target) is int:
                return (*stack, target)
            del stack[len(stack) - len(target.expansion) :]
            stack.append(self.rows[stack[-1]][target.origin.name][1])
            if kind == END and stack[-1] == self.last:
                return tuple(stack)
        return None


table = cache(ParseTable)
"""The Table of a grammar, made once."""


class Machine:
    """A parser of one statement."""

    def __init__(self, table: ParseTable, builder: Builder) -> None:
        self.table, self.builder = table, builder
        self.states: list[int] = [table.first]
        self.values: list[Piece] = []
        self.starts: list[int] = []
        self.ends: list[int] = []

    def feed(self, kind: str, token: Token | None, start: int, end: int) -> bool:
        """Go on with a token, or with `END`; False where it does not fit, and then nothing more can be fed."""
        rows, states, last = self.table.rows, self.states, self.table.last
        while (found := rows[states[-1]].get(kind)) is not None:
            target = found[1]
            if type(target) is int:
                states.append(target)
                self.values.append(token)
                self.starts.append(start)
                self.ends.append(end)
                return True
            rule = self.table.rules.get(id(target)) or self.table.rule(target)
            if rule.passes:
                states[-1] = self.table.passed(states[-2], states[-1], kind)
                continue
            self._reduce(rule)
            states.append(rows[states[-1]][rule.origin][1])
            if kind == END and states[-1] == last:
                return True
        return False

    def _reduce(self, rule: _Rule) -> None:
        """Put what a rule stands for in place of its symbols."""
        below = len(self.values) - rule.size
        symbols, pieces = self.values[below:], list[Piece]()
        for place, opened in rule.parts:
            if opened:
                pieces += symbols[place]  # type: ignore[index]  # what is absent is never opened
            else:
                pieces.append(None if place is None else symbols[place])
        start, end = self.starts[below], self.ends[-1]
        made: Piece = pieces
        if rule.only and len(pieces) == 1:
            made = pieces[0]
        elif rule.method:
            made = getattr(self.builder, rule.method)(Span(self.builder.source, start, end), *pieces)
        del self.states[below + 1 :]
        self.values[below:], self.starts[below:], self.ends[below:] = [made], [start], [end]

    def finish(self) -> bool:
        """End the statement; False where it is not complete."""
        return self.feed(END, None, self.ends[-1], self.ends[-1])

    def accepts(self) -> frozenset[str]:
        """Every terminal that could come next, `END` included. Slow: it tries them all."""
        return frozenset(kind for kind in self.table.rows[self.states[-1]] if kind.isupper() and self.takes(kind))

    def may_take(self, terminal: str) -> bool:
        """Whether the terminal has an entry in the table: necessary for `takes`, and fast."""
        return terminal in self.table.rows[self.states[-1]]

    def takes(self, terminal: str) -> bool:
        """Whether a terminal could come next: `accepts` for a single one."""
        return self.may_take(terminal) and self.table.after(tuple(self.states), terminal) is not None
