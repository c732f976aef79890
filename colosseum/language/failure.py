"""The place where a statement fails. In: nothing; out: the facts from which `mistakes` makes a diagnostic."""

from dataclasses import dataclass
from enum import Enum, auto

from colosseum.diagnostics import Source, Span
from colosseum.language.words import Token


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
    def token(self) -> Token | None:
        """The token that does not fit; None at the end of the text."""
        return self.tokens[self.stop] if self.stop < len(self.tokens) else None

    def around(self, offset: int) -> Token | None:
        """A token before (-1, -2 …, of this statement) or after (1 …) the one that does not fit."""
        index = self.stop + offset
        lowest = self.start if offset < 0 else 0
        return self.tokens[index] if lowest <= index < len(self.tokens) else None

    @property
    def place(self) -> Span:
        """The token that does not fit, or the point after the last one when the statement just ends."""
        token, before = self.token, self.around(-1)
        if before is not None and (token is None or self.reason is ReadingReason.END):
            return Span(self.source, before.end, before.end)
        return self.at(token) if token is not None else Span(self.source, len(self.source.text), len(self.source.text))

    def at(self, token: Token) -> Span:
        """The span of a token."""
        return Span(self.source, token.start, token.end)
