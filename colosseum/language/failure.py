"""The place where a statement fails. In: nothing; out: the facts from which `mistakes` makes a diagnostic."""

from dataclasses import dataclass
from enum import Enum, auto

from colosseum.diagnostics import Source, Span
from colosseum.language.words import CLOSERS, MODIFIERS, NOTHING, PARTS, Token, phrases

HEAD_OF_SWEEP = 4
"""Tokens after which what follows may as well be a setting of the experiment."""


class ReadingReason(Enum):
    """What the reader ran into."""

    TOKEN = auto()
    """A token that cannot stand there."""
    END = auto()
    """The statement ends too early: the next one begins, or the text ends."""
    NO_OPENER = auto()
    """The first word opens no statement."""
    BRACKET = auto()
    """A closing bracket that does not fit."""
    ROW = auto()
    """A new line inside a grid that has no bar."""
    DEPTH = auto()
    """Too many brackets inside each other."""
    CHAIN = auto()
    """Too many operators in a row."""


@dataclass(frozen=True, slots=True)
class ReadingFailure:
    """A statement that could not be read."""

    reason: ReadingReason
    source: Source
    tokens: list[Token]
    """All tokens of the text."""
    start: int
    """The index of the statement's first token."""
    stop: int
    """The index of the token that does not fit; may be one past the last."""
    accepts: frozenset[str] = frozenset()
    """The terminals that could have stood there."""
    opened: tuple[Token, ...] = ()
    """The brackets that are open there."""

    @property
    def token(self) -> Token:
        """The token that does not fit; NOTHING at the end of the text."""
        return self.around(0)

    def around(self, offset: int) -> Token:
        """A token before (-1, -2 …, of this statement) or after (1 …) the one that does not fit, or NOTHING."""
        index = self.stop + offset
        lowest = self.start if offset < 0 else 0
        return self.tokens[index] if lowest <= index < len(self.tokens) else NOTHING

    @property
    def innermost(self) -> Token:
        """The bracket that was opened last, or NOTHING."""
        return self.opened[-1] if self.opened else NOTHING

    @property
    def place(self) -> Span:
        """The token that does not fit, or the point after the last one when the statement just ends."""
        before = self.around(-1)
        if before is not NOTHING and (self.token is NOTHING or self.reason is ReadingReason.END):
            return Span(self.source, before.end, before.end)
        return self.at(self.token)

    def at(self, token: Token) -> Span:
        """The span of a token; the end of the text for NOTHING."""
        end = len(self.source.text)
        return Span(self.source, token.start, token.end) if token is not NOTHING else Span(self.source, end, end)

    @property
    def opening(self) -> int:
        """The index of the word that opens the statement, or the innermost part of one that is under way."""
        index = self.start
        while index + 1 < len(self.tokens) and index < self.stop and self.tokens[index].type in MODIFIERS:
            index += 1
        inner = [i for i in range(self.start, self.stop) if self.tokens[i].type in PARTS and self._under_way(i)]
        return inner[-1] if inner else index

    def _under_way(self, index: int) -> bool:
        """Whether a part that begins at an index has not ended where the statement fails."""
        kind, depth = self.tokens[index].type, 0
        for token in self.tokens[index : self.stop]:
            depth += (token.type in CLOSERS.values()) - (token.type in CLOSERS)
            if depth < 0 or (depth == 0 and token.type == "RBRACE" and kind == "ARM"):
                return False
        return kind != "SWEEP" or self.stop <= index + HEAD_OF_SWEEP

    @property
    def form(self) -> str:
        """`it is written …` with the user's own name, or an empty string where nothing is known of the statement."""
        index = self.opening
        kind = self.tokens[index].type
        if kind not in phrases()["forms"] or index >= self.stop:
            return ""
        follower = self.around(index + 1 - self.stop)
        name = str(follower) if follower.type in ("NAME", "LABEL") else "NAME"
        return f"it is written {' or '.join(f'`{form.format(name=name)}`' for form in phrases()['forms'][kind])}"
