"""Highlighting by Pygments, and so in Rich and in documents. In: the text of a spec; out: tokens with their class.

Pygments finds `ColosseumLexer` under the names `colosseum` and `colo`. It asks the parser's own reader for the words.
"""

import re
from collections.abc import Iterator
from operator import itemgetter
from typing import Any, ClassVar

from pygments.lexer import Lexer, RegexLexer, bygroups, include
from pygments.token import Comment, Error, Keyword, Name, Number, Operator, Punctuation, String, Whitespace

from colosseum.diagnostics import Source
from colosseum.language.lexing import lex
from colosseum.language.words import (
    CONSTANTS,
    DECLARING,
    FUNCTIONS,
    GRAPHS,
    LINKS,
    MODIFIERS,
    OPENERS,
    PARTS,
    WORD_OPERATORS,
    Token,
    terminals,
)

CLASSES: dict[str, Any] = {
    **dict.fromkeys(terminals("LPAR RPAR LBRACE RBRACE LSQB RSQB COMMA COLON"), Punctuation),
    **dict.fromkeys(OPENERS | set(PARTS), Keyword.Declaration),
    **dict.fromkeys(MODIFIERS, Keyword.Type),
    **dict.fromkeys(LINKS | {"UNDISCLOSED"}, Keyword),
    **dict.fromkeys(WORD_OPERATORS, Operator.Word),
    **dict.fromkeys(CONSTANTS, Keyword.Constant),
    "VBAR": Punctuation.Marker,
    "LABEL": Name.Label,
    "MONEY": Number.Money,
    "NUMBER": Number,
}
"""What Pygments calls a terminal. Others are signs, or names in the eyes of Pygments: see `_named`."""
NAMES = {"NAME", "COUNT", "ANY", "ALL"}
TEXTS = {"STRING", "LONG_STRING"}
_GAP = re.compile(r"[\s\ufeff]+|[^\s\ufeff]+")


def _named(before: Token | None, token: Token, after: Token | None) -> Any:
    """What Pygments calls a word that may be a name."""
    last, following = (each.type if each is not None else "" for each in (before, after))
    if token.type == "NAME" and last in DECLARING:
        return Name.Class
    if last == "IS" and token in ("true", "false"):
        return Keyword.Constant
    reads = token == "thoughts" and before == "reads" and following in TEXTS
    if reads or (token == "reads" and after == "thoughts") or (token == "paraphrases" and following in TEXTS):
        return Keyword
    called = token.type != "NAME" or token in (*FUNCTIONS, *GRAPHS)
    return Name.Builtin if following == "LPAR" and called else Name


class TextLexer(RegexLexer):  # type: ignore[misc]
    """What stands between quotes on one line, and what a template says in it."""

    name = "Colosseum text"
    flags = re.DOTALL
    tokens: ClassVar[dict[str, list[Any]]] = {
        "root": [(r"\\.", String.Escape), include("inside")],
        "inside": [
            (r"\{\{-?", String.Interpol, "print"),
            (r"\{%-?", String.Interpol, "block"),
            (r"\{#", Comment.Multiline, "remark"),
            (r"[^{\\]+|.", String),
        ],
        "print": [(r"-?\}\}", String.Interpol, "#pop"), include("template")],
        "block": [(r"-?%\}", String.Interpol, "#pop"), include("template")],
        "remark": [(r"#\}", Comment.Multiline, "#pop"), (r"[^#]+|.", Comment.Multiline)],
        "template": [
            (r"\s+", Whitespace),
            (r"""'[^'\n]*'|\\"[^"\n]*?\\"|"[^"\n]*\"""", String.Single),
            (r"(?:and|elif|else|endfor|endif|for|if|in|is|not|or)(?!\w)", Operator.Word),
            (r"(\|)([ \t]*)([^\W\d]\w*)", bygroups(Operator, Whitespace, Name.Function)),
            (r"[0-9]+(?:\.[0-9]+)?", Number),
            (r"[^\W\d]\w*", Name),
            (r"[\[\](){},.:]", Punctuation),
            (r"[-+*/%=!<>|~]", Operator),
            (r".", String),
        ],
    }


class LongTextLexer(TextLexer):
    """What stands between three quotes: the same without escapes."""

    name = "Colosseum long text"
    tokens: ClassVar[dict[str, list[Any]]] = {"root": [include("inside")]}


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
        words = [None, *lexed.tokens, None]
        for before, token, after in zip(words, lexed.tokens, words[2:], strict=False):
            if token.type in TEXTS:
                quotes, lexer = (3, LongTextLexer) if token.type == "LONG_STRING" else (1, TextLexer)
                start, inside = token.start + quotes, token[quotes:-quotes]
                pieces += [(start - quotes, String, token[:quotes]), (token.end - quotes, String, token[:quotes])]
                pieces += [(start + at, kind, part) for at, kind, part in lexer().get_tokens_unprocessed(inside)]
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
