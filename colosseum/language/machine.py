"""The LALR(1) reader over Lark's tables. In: tokens one by one; out: a statement's node, or what could come next.

Lark's own loop calls several functions for each rule of a chain such as `expr: either: … atom`. This one passes over
such rules, and reads a text in half of the time.
"""

from collections.abc import Callable
from functools import cache
from typing import TypeAlias

from colosseum.diagnostics import Span
from colosseum.language.builder import Builder, Piece
from colosseum.language.tables import Tables, tables
from colosseum.language.words import Token

END = "$END"
_END = Token()
_END.type = END
_Maker: TypeAlias = Callable[..., Piece]


@cache
def _table() -> tuple[Tables, list[_Maker | None]]:
    """The tables, and for each of their rules the method that makes its node, if it makes one."""
    rules = tables()["rules"]
    return tables(), [None if name[:1] in ("", "_") else _maker(name) for _, _, name, _ in rules]


def _maker(name: str) -> _Maker:
    found: _Maker = getattr(Builder, name, None) or getattr(Builder, f"{name}_")
    return found


class Machine:
    """A parser of one statement."""

    def __init__(self, builder: Builder) -> None:
        self.table, self.makers = _table()
        self.builder = builder
        self.states: list[int] = [self.table["start"]]
        self.values: list[Piece] = []
        self.starts: list[int] = []
        self.ends: list[int] = []

    def feed(self, token: Token) -> bool:
        """Go on with a token; False where it does not fit, and then nothing more can be fed."""
        kind, rows, rules, states = token.type, self.table["rows"], self.table["rules"], self.states
        while (target := rows[states[-1]].get(kind)) is not None:
            if target >= 0:
                states.append(target)
                self.values.append(token)
                self.starts.append(token.start)
                self.ends.append(token.end)
                return True
            symbol, length, name, _ = rules[~target]
            if length == 1 and not name:
                states.pop()  # one symbol stands for another
            else:
                self._reduce(~target)
            states.append(rows[states[-1]][symbol])
            if kind == END and states[-1] == self.table["end"]:
                return True
        return False

    def _reduce(self, number: int) -> None:
        """Put what a rule stands for in place of its symbols."""
        _, length, name, places = self.table["rules"][number]
        below = len(self.values) - length
        start, end, found = self.starts[below], self.ends[-1], list[Piece]()
        for place in places:
            if place is None or place >= 0:
                found.append(place if place is None else self.values[below + place])
            elif found:
                found += self.values[below + ~place]
            else:
                found = self.values[below + ~place]  # the list itself: long ones grow by an item at a time
        maker = self.makers[number]
        made = found if maker is None else maker(self.builder, Span(self.builder.source, start, end), *found)
        del self.states[below + 1 :]
        self.values[below:], self.starts[below:], self.ends[below:] = [made if name else found[0]], [start], [end]

    def finish(self) -> bool:
        """End the statement; False where it is not complete."""
        return self.feed(_END)

    def accepts(self) -> frozenset[str]:
        """Every terminal that could come next, `END` included."""
        return frozenset(kind for kind in self.table["rows"][self.states[-1]] if kind.isupper() and self.takes(kind))

    def takes(self, terminal: str) -> bool:
        """Whether a terminal could come next: `accepts` for a single one."""
        stack, rows = self.states[:], self.table["rows"]
        while (target := rows[stack[-1]].get(terminal)) is not None:
            if target >= 0:
                return True
            symbol, length, _, _ = self.table["rules"][~target]
            del stack[len(stack) - length :]
            stack.append(rows[stack[-1]][symbol])
            if terminal == END and stack[-1] == self.table["end"]:
                return True
        return False
