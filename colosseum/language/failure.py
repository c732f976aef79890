"""The place where a statement fails, and what tells one mistake from another there.

In: the facts of a failure; out: the diagnostics and advices of the clues in `mistakes.toml` that fit it.
"""

from enum import Enum, auto
from functools import cache

from colosseum.diagnostics import Diagnostic, Label, Source, Span, report
from colosseum.language import words
from colosseum.language.record import Record
from colosseum.language.words import NOTHING, Token

DEEPEST = 40  # brackets inside each other
LONGEST_CHAIN = 120
"""Brackets inside each other and operators in a row, together: the depth of an expression's tree stays below."""
HEAD_OF_SWEEP = 4  # tokens after which what follows may as well be a setting of the experiment
GROUPS = {
    "INDEXED": "TABLE VARIABLE REWARD REQUIRE CLAIM OBJECTIVE",
    "IN_EXPERIMENT": "EXPERIMENT ARM SWEEP",
    "TEXT": "STRING LONG_STRING",
    "OPENER": " ".join(sorted(words.OPENERS)),
    "INNER_WORD": " ".join(sorted(words.PARTS | {"PENALTY", "WHEN", "WHERE"})),
    "CLOSING": " ".join(words.CLOSERS),
    "VALUE": " ".join(sorted(words.STARTS_EXPRESSION)),
    "SIGN_OF_VALUE": " ".join(sorted(words.STARTS_EXPRESSION - {"NAME", "AGENTS"})),
}
"""Terminals that many clues speak of, by the word that stands for them."""


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


class ReadingFailure(Record):
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
        while index + 1 < len(self.tokens) and index < self.stop and self.tokens[index].type in words.MODIFIERS:
            index += 1
        inner = [i for i in range(self.start, self.stop) if self.tokens[i].type in words.PARTS and self._under_way(i)]
        return inner[-1] if inner else index

    def _under_way(self, index: int) -> bool:
        """Whether a part that begins at an index has not ended where the statement fails."""
        kind, depth = self.tokens[index].type, 0
        for token in self.tokens[index : self.stop]:
            depth += (token.type in words.CLOSERS.values()) - (token.type in words.CLOSERS)
            if depth < 0 or (depth == 0 and token.type == "RBRACE" and kind == "ARM"):
                return False
        return kind != "SWEEP" or self.stop <= index + HEAD_OF_SWEEP

    @property
    def form(self) -> str:
        """`it is written …` with the user's own name, or an empty string where nothing is known of the statement."""
        index = self.opening
        kind = self.tokens[index].type
        if kind not in words.phrases()["forms"] or index >= self.stop:
            return ""
        follower = self.around(index + 1 - self.stop)
        name = str(follower) if follower.type in ("NAME", "LABEL") else "NAME"
        return f"it is written {' or '.join(f'`{form.format(name=name)}`' for form in words.phrases()['forms'][kind])}"


class Clue(Record):
    """What a mistake looks like, and what is said of it; `mistakes.toml` says what each field means."""

    code: str = ""
    """Empty for an advice, which stands below a general message."""
    message: str = ""
    help: str = ""
    token: str = ""
    before: str = ""
    earlier: str = ""
    after: str = ""
    joined: str = ""
    ahead: str = ""
    opener: str = ""
    inside: str = ""
    accepts: str = ""
    words: int = 0
    """0 for any number."""
    reason: str = "-END"
    goes_on: bool = False
    at: str = "place"

    def __call__(self, f: ReadingFailure) -> Diagnostic | None:
        """The diagnostic, where the clue fits."""
        if not self.fits(f):
            return None
        filled = _words(f)
        message, help_ = self.message.format_map(filled), self.help.format_map(filled)
        opened = f.innermost if f.reason is ReadingReason.BRACKET else NOTHING
        labels = [Label(f.at(opened), f"`{opened}` is opened here")] if opened else []
        return report(self.code, _blamed(f, self.at), message, labels=labels, help=help_)

    def advice(self, f: ReadingFailure) -> str:
        """The help alone, or an empty string."""
        return self.help.format_map(_words(f)) if self.fits(f) else ""

    def fits(self, f: ReadingFailure) -> bool:
        """Whether the failure looks so."""
        token, before, after = f.token, f.around(-1), f.around(1)
        misspelt = token.type == "NAME" and words.meant_keyword(token, f.accepts)
        kinds = (
            ("MISSPELT" if misspelt else token.type, self.token),
            (f.reason.name, self.reason),
            (before.type, self.before),
            (f.around(-2).type, self.earlier),
            (after.type, self.after),
            (f.tokens[f.opening].type, self.opener),
            (f.innermost.type, self.inside),
        )
        return (
            all(_among(kind, wanted) for kind, wanted in kinds)
            and all((word.lstrip("-") in f.accepts) is (word[0] != "-") for word in self.accepts.split())
            and _together(before, token, self.joined)
            and _together(token, after, self.ahead)
            and self.words in (0, f.stop - f.opening)
            and not (self.goes_on and after.type not in f.accepts - words.KEYWORDS - {"EQUAL", "COLON", "LSQB"})
        )


def _among(kind: str, wanted: str) -> bool:
    """Whether a terminal is one of those wanted, and none of those with a minus."""
    words = [word for each in wanted.split() for word in GROUPS.get(each, each).split()]
    return f"-{kind}" not in words and (kind in words or all(word[0] == "-" for word in words))


def _together(left: Token, right: Token, wanted: str) -> bool:
    """Whether two words with nothing between them are one of the signs wanted, if any is."""
    return not wanted or (left.end == right.start and f"{left}{right}" in wanted.split())


def _blamed(f: ReadingFailure, where: str) -> Span:
    """The words that a clue blames."""
    token, before, after = f.at(f.token), f.at(f.around(-1)), f.at(f.around(1))
    first = f.at(f.around(f.opening + 1 - f.stop))
    places = {"token": token, "before": before, "both": before.to(token), "ahead": token.to(after), "first": first}
    return places.get(where, f.place)


def _words(f: ReadingFailure) -> dict[str, str]:
    """What may stand in braces: words of the text, as written or shortened; the form of the statement."""
    token, before, after = f.token, f.around(-1), f.around(1)
    return {
        "token": token, "before": before, "after": after, "earlier": f.around(-2), "bracket": f.innermost,
        "form": f.form, "opener": f.tokens[f.opening], "first": f.around(min(f.opening + 1 - f.stop, 0)),
        "found": words.found(token), "behind": words.found(before),
        "name": after if after.type == "NAME" else "NAME",
        "kind": {"PRIVATE": "table", "SECRET": "channel"}.get(before.type, ""),
        "belongs": words.phrases()["belongs"].get(token.type, ""),
        "deepest": str(DEEPEST), "longest": str(LONGEST_CHAIN),
    }  # fmt: skip


@cache
def clues() -> dict[str, tuple[Clue, ...]]:
    """All clues of `mistakes.toml`, by the group in which they are tried."""
    return {group: tuple(Clue(**fields) for fields in clues) for group, clues in words.phrases()["clues"].items()}
