"""What tells one mistake from another. In: the facts of a failure; out: a diagnostic or an advice.

The clues stand in `mistakes.toml`, which is read when the first text fails.
"""

from dataclasses import dataclass

from colosseum.diagnostics import Diagnostic, Label, Span, report
from colosseum.language import words
from colosseum.language.failure import ReadingFailure, ReadingReason
from colosseum.language.splitting import DEEPEST, LONGEST_CHAIN
from colosseum.language.words import NOTHING, Token

GROUPS = {
    "INDEXED": "TABLE VARIABLE REWARD REQUIRE CLAIM OBJECTIVE",
    "IN_EXPERIMENT": "EXPERIMENT ARM SWEEP",
    "TEXT": "STRING LONG_STRING",
    "OPENER": " ".join(sorted(words.OPENERS)),
    "INNER_WORD": " ".join(words.phrases()["belongs"]),
    "CLOSING": " ".join(words.CLOSERS),
    "VALUE": " ".join(sorted(words.STARTS_EXPRESSION)),
    "SIGN_OF_VALUE": " ".join(sorted(words.STARTS_EXPRESSION - {"NAME", "AGENTS"})),
}
"""Terminals that many clues speak of, by the word that stands for them."""


@dataclass(frozen=True, slots=True)
class Clue:
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
    match where:
        case "token":
            return token
        case "before":
            return before
        case "both":
            return before.to(token)
        case "ahead":
            return token.to(after)
        case "first":
            return f.at(f.tokens[f.opening + 1])
    return f.place


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


CLUES = {group: tuple(Clue(**fields) for fields in clues) for group, clues in words.phrases()["clues"].items()}
"""All clues, by the group in which they are tried."""
