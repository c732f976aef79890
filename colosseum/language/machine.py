"""The LALR(1) reader over Lark's tables. In: tokens one by one; out: a statement's node, or what could come next.

Lark's own loop calls several functions for each rule of a chain such as `expr: either: … atom`. This one passes over
such rules, and reads a text in half of the time.
"""

from functools import cache, lru_cache
from typing import Any

from colosseum.diagnostics import Span
from colosseum.language.builder import Builder, Piece
from colosseum.language.tables import tables
from colosseum.language.words import Token

END = "$END"


@cache
def _table() -> Any:
    """Lark's table for the start symbol `statement`. Lark does not type it, hence Any in this file and `lexing`.

    Its callbacks make of the symbols of a rule a tree, named after the rule, without signs and keywords and with None
    for absent parts; those of a rule that only chooses give what it chose.
    """
    return tables().parse_interactive(start="statement").parser_state.parse_conf


class Machine:
    """A parser of one statement."""

    def __init__(self, builder: Builder) -> None:
        self.table, self.builder = _table(), builder
        self.states: list[int] = [self.table.start_state]
        self.values: list[Piece] = []
        self.starts: list[int] = []
        self.ends: list[int] = []

    def feed(self, kind: str, token: Token | None, start: int, end: int) -> bool:
        """Go on with a token, or with `END`; False where it does not fit, and then nothing more can be fed."""
        rows, states = self.table.states, self.states
        while (found := rows[states[-1]].get(kind)) is not None:
            target = found[1]
            if type(target) is int:
                states.append(target)
                self.values.append(token)
                self.starts.append(start)
                self.ends.append(end)
                return True
            if len(target.expansion) == 1 and target.options.expand1 and not target.alias:
                states.pop()  # one symbol stands for another
            else:
                self._reduce(target)
            states.append(rows[states[-1]][target.origin.name][1])
            if kind == END and states[-1] == self.table.end_state:
                return True
        return False

    def _reduce(self, rule: Any) -> None:
        """Put what a rule stands for in place of its symbols; what a rule with `_` holds belongs to the rule around."""
        below = len(self.values) - len(rule.expansion)
        made = self.table.callbacks[rule](self.values[below:])
        start, end, name = self.starts[below], self.ends[-1], getattr(made, "data", "_")
        if name[0] != "_":
            method = getattr(self.builder, name, None) or getattr(self.builder, f"{name}_")
            made = method(Span(self.builder.source, start, end), *made.children)
        del self.states[below + 1 :]
        self.values[below:], self.starts[below:], self.ends[below:] = [made], [start], [end]

    def finish(self) -> bool:
        """End the statement; False where it is not complete."""
        return self.feed(END, None, self.ends[-1], self.ends[-1])

    def accepts(self) -> frozenset[str]:
        """Every terminal that could come next, `END` included."""
        return frozenset(kind for kind in self.table.states[self.states[-1]] if kind.isupper() and self.takes(kind))

    def takes(self, terminal: str) -> bool:
        """Whether a terminal could come next: `accepts` for a single one."""
        return _taken(tuple(self.states), terminal)


@lru_cache(4096)
def _taken(states: tuple[int, ...], terminal: str) -> bool:
    """Whether a terminal could come next after states; kept, since most statements end alike."""
    stack, rows = list(states), _table().states
    while (found := rows[stack[-1]].get(terminal)) is not None:
        target = found[1]
        if type(target) is int:
            return True
        del stack[len(stack) - len(target.expansion) :]
        stack.append(rows[stack[-1]][target.origin.name][1])
        if terminal == END and stack[-1] == _table().end_state:
            return True
    return False
