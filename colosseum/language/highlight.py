"""Highlighting by Pygments, and so in Rich and in documents. In: the text of a spec; out: tokens with their class.

Pygments finds `ColosseumLexer` under the names `colosseum` and `colo`. It asks the parser's own reader for the words.
"""

import re
from collections.abc import Iterator
from operator import itemgetter
from typing import Any, ClassVar

from pygments.lexer import Lexer
from pygments.token import Comment, Error, Keyword, Name, Number, Operator, Punctuation, String, Whitespace

from colosseum.diagnostics import Source
from colosseum.language import words
from colosseum.language.parser import lex
from colosseum.language.words import Token

CLASSES: dict[str, Any] = {
    **dict.fromkeys(words.terminals("LPAR RPAR LBRACE RBRACE LSQB RSQB COMMA COLON"), Punctuation),
    **dict.fromkeys(words.OPENERS | words.PARTS | {"CONTRAST"}, Keyword.Declaration),
    **dict.fromkeys(words.MODIFIERS, Keyword.Type),
    **dict.fromkeys(words.LINKS | {"UNDISCLOSED"}, Keyword),
    **dict.fromkeys(words.WORD_OPERATORS, Operator.Word),
    **dict.fromkeys(words.CONSTANTS, Keyword.Constant),
    "VBAR": Punctuation.Marker,
    "LABEL": Name.Label,
    "MONEY": Number.Money,
    "NUMBER": Number,
}
"""What Pygments calls a terminal. Others are signs, or names in the eyes of Pygments: see `_named`."""
NAMES = {"NAME", "COUNT", "ANY", "ALL"}
TEXTS = {"STRING", "LONG_STRING"}
_INSIDE = re.compile(r"(\{\{.*?(?:\}\}|\Z)|\{%.*?(?:%\}|\Z))|(\{#.*?(?:#\}|\Z))|(\\.)|[^{\\]+|.", re.DOTALL)
_GAP = re.compile(r"[\s\ufeff]+|[^\s\ufeff]+")


def _named(before: Token | None, token: Token, after: Token | None) -> Any:
    """What Pygments calls a word that may be a name."""
    last, following = (each.type if each is not None else "" for each in (before, after))
    if token.type == "NAME" and last in words.DECLARING:
        return Name.Class
    if last == "IS" and token in ("true", "false"):
        return Keyword.Constant
    reads = token == "thoughts" and before == "reads" and following in TEXTS
    if reads or (token == "reads" and after == "thoughts") or (token == "paraphrases" and following in TEXTS):
        return Keyword
    called = token.type != "NAME" or token in (*words.FUNCTIONS, *words.GRAPHS)
    return Name.Builtin if following == "LPAR" and called else Name


def _text(token: Token) -> Iterator[tuple[int, Any, str]]:
    """The pieces of a text: what a template puts in braces, escapes in a text of one line, and the rest."""
    long, place = token.type == "LONG_STRING", 0
    for found in _INSIDE.finditer(token, 0, len(token) - (3 if long else 1)):
        kind = (String, String.Interpol, Comment.Multiline, String if long else String.Escape)[found.lastindex or 0]
        yield token.start + found.start(), kind, found[0]
        place = found.end()
    yield token.start + place, String, token[place:]


class ColosseumLexer(Lexer):  # type: ignore[misc]
    """Scenarios: `.colo` files."""

    name = "Colosseum"
    aliases: ClassVar[list[str]] = ["colosseum", "colo"]
    filenames: ClassVar[list[str]] = ["*.colo"]
    mimetypes: ClassVar[list[str]] = ["text/x-colosseum"]

    def get_tokens_unprocessed(self, text: str) -> Iterator[tuple[int, Any, str]]:
        """Every character of a text in order: its offset, class and piece; what the reader passes over is an error."""
        lexed = lex(Source("", text))
        pieces: list[tuple[int, Any, str]] = [(each.span.start, Comment.Single, each.text) for each in lexed.comments]
        around = [None, *lexed.tokens, None]
        for before, token, after in zip(around, lexed.tokens, around[2:], strict=False):
            if token.type in TEXTS:
                pieces += _text(token)
                continue
            kind = _named(before, token, after) if token.type in NAMES else CLASSES.get(token.type, Operator)
            if token.type == "AGENTS":  # the name of a set, except at the beginning of a line
                begins = not text[text.rfind("\n", 0, token.start) + 1 : token.start].strip("\ufeff \t\r")
                kind = kind if begins or (before is not None and before.type == "OVERRIDE") else Name
            pieces.append((token.start, kind, str(token)))
        place = 0
        for start, kind, part in [*sorted(pieces, key=itemgetter(0)), (len(text), Whitespace, "")]:
            for gap in _GAP.finditer(text, place, start):
                yield gap.start(), Error if gap[0].strip("\ufeff \t\r\n\f\v") else Whitespace, gap[0]
            yield start, kind, part
            place = start + len(part)
