"""Lark's interactive parser behind types. In: tokens one by one; out: a statement's tree, or what could come next."""

from copy import copy
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lark import Lark, ParseTree, Token


class Machine:
    """A parser of one statement; `feed` and `finish` raise lark.UnexpectedToken for a token that does not fit."""

    def __init__(self, tables: "Lark") -> None:
        self._parser: Any = tables.parse_interactive(start="statement")
        # Lark leaves much of the interactive parser untyped, hence Any in this file and nowhere else.

    def feed(self, token: "Token") -> None:
        """Go on with a token."""
        self._parser.feed_token(token)

    def finish(self, last: "Token") -> "ParseTree":
        """End the statement after its last token."""
        tree: ParseTree = self._parser.feed_eof(last)
        return tree

    def accepts(self) -> frozenset[str]:
        """Every terminal that could come next, `$END` included. Slow: it tries them all."""
        return frozenset(self._parser.accepts())

    def may_take(self, terminal: str) -> bool:
        """Whether the terminal has an entry in the table: necessary for `takes`, and fast."""
        return terminal in self._parser.choices()

    def takes(self, terminal: str) -> bool:
        """Whether a terminal could come next: `accepts` for a single one, and as free of effects."""
        from lark import Token, UnexpectedToken

        if not self.may_take(terminal):
            return False
        trial = self._parser.copy(deepcopy_values=False)
        trial.parser_state.parse_conf = copy(trial.parser_state.parse_conf)
        trial.parser_state.parse_conf.callbacks = {}
        try:
            trial.feed_token(Token(terminal, ""))
        except UnexpectedToken:
            return False
        return True
