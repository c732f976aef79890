"""The place where a statement fails. In: nothing; out: the facts from which `mistakes` makes a diagnostic."""

from dataclasses import dataclass
from enum import Enum, auto

from colosseum.diagnostics import Source, Span
from colosseum.language.words import CLOSERS, MODIFIERS, Token

HEAD_OF_SWEEP = 4
"""Tokens after which what follows may as well be a setting of the experiment."""
PARTS = ("ARM", "SWEEP", "OBJECTIVE", "MEMBERS")
FORMS = {
    "COLOSSEUM": ("colosseum 1",),
    "SCENARIO": ('scenario {name} "title"',),
    "USE": ('use "file.colo"',),
    "PARAM": ("param {name} = 6",),
    "AGENTS": ("agents A, B, C", "agents engineer[1..4]"),
    "SET": ("set {name} = {{a, b, c}}",),
    "TABLE": (
        "table {name}[agents] = 3",
        "table {name}[agents] ~ uniform(0, 1)",
        'table {name}[agents] from "file.csv"',
    ),
    "VARIABLE": ("variable {name}[agents]: {{a, b}} or none",),
    "REWARD": ("reward {name}[a in agents] when …: 3",),
    "REQUIRE": ("require {name}: … <= 1", "require {name}: … <= 1 penalty 5"),
    "COALITION": ("coalition {name} {{ members = {{A, B}} }}",),
    "NETWORK": ("network ring",),
    "CHANNEL": ("channel {name} for agents", "secret channel {name} for {{A, B}}"),
    "CLAIM": ('claim {name}: "…" is true',),
    "PROMPT": ('prompt {name} for agents "…"', 'prompt {name} for agents {{ plain: "…" loud: "…" }}'),
    "RUBRIC": ('rubric {name} "question" {{ 0: "…" 5: "…" }}', 'rubric {name} reads thoughts "question" {{ … }}'),
    "EXPERIMENT": ("experiment {name} {{ rounds 4  arm baseline {{ }}  arm loud {{ backroom on }} }}",),
    "ARM": ("arm {name} {{ }}", "arm {name} {{ backroom on  rounds 2 }}"),
    "SWEEP": ("sweep {name} in 4, 6, 8",),
    "OBJECTIVE": ("objective {name}: payoff[A] + payoff[B]",),
    "MEMBERS": ("members = {{A, B}}",),
}
"""One or more examples for each word that opens a statement or a part of one."""


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
        if kind not in FORMS or index >= self.stop:
            return ""
        follower = self.tokens[index + 1] if index + 1 < len(self.tokens) else None
        name = str(follower) if follower is not None and follower.type in ("NAME", "LABEL") else "NAME"
        return f"it is written {' or '.join(f'`{example.format(name=name)}`' for example in FORMS[kind])}"
