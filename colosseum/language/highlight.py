"""Highlighting by Pygments, and so in Rich and in documents. In: the text of a spec; out: tokens with their class.

Pygments finds `ColosseumLexer` under the names `colosseum` and `colo`.
"""

import re
from typing import Any, ClassVar

from pygments.lexer import RegexLexer, bygroups, this, using
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Whitespace

from colosseum.language.lexemes import BLOCK, PRINT, REMARK, Lexeme, LexerRule, rules, template_rules
from colosseum.language.literals import LONG_QUOTE, QUOTE

TOKENS: dict[Lexeme, Any] = {
    "": Whitespace,
    "comment": Comment.Single,
    "label": Name.Label,
    "money": Number.Money,
    "number": Number,
    "opener": Keyword.Declaration,
    "modifier": Keyword.Type,
    "link": Keyword,
    "operator": Operator.Word,
    "constant": Keyword.Constant,
    "function": Name.Builtin,
    "declared": Name.Class,
    "name": Name,
    "bar": Punctuation.Marker,
    "sign": Operator,
    "punctuation": Punctuation,
    "quoted": String.Single,
    "filter": Name.Function,
}
"""What Pygments calls each class."""
_Rules = list[tuple[Any, ...]]


def _put(rule: LexerRule) -> tuple[Any, ...]:
    tokens = [TOKENS[lexeme] if lexeme else using(this) for lexeme in rule.lexemes]  # a gap may hold comments
    return rule.pattern, tokens[0] if len(tokens) == 1 else bygroups(*tokens)


def _template(end: str) -> _Rules:
    return [
        (end, String.Interpol, "#pop"),
        (r"\s+", Whitespace),
        *(_put(rule) for rule in template_rules()),
        (r".", String),
    ]


def _text(*escapes: tuple[Any, ...]) -> dict[str, _Rules]:
    return {
        "root": [
            (PRINT[0], String.Interpol, "print"),
            (BLOCK[0], String.Interpol, "block"),
            (REMARK[0], Comment.Multiline, "remark"),
            *escapes,
            (r"[^{\\]+|.", String),
        ],
        "print": _template(PRINT[1]),
        "block": _template(BLOCK[1]),
        "remark": [(REMARK[1], Comment.Multiline, "#pop"), (r"[^#]+|.", Comment.Multiline)],
    }


class LongTextLexer(RegexLexer):  # type: ignore[misc]
    """What stands between three quotes, and what a template says in it."""

    name = "Colosseum long text"
    flags = re.DOTALL
    tokens: ClassVar[dict[str, _Rules]] = _text()


class TextLexer(RegexLexer):  # type: ignore[misc]
    """What stands between quotes on one line: the same, and escapes."""

    name = "Colosseum text"
    flags = re.DOTALL
    tokens: ClassVar[dict[str, _Rules]] = _text((r"\\.", String.Escape))


def _root() -> _Rules:
    """A label may begin with a quote, so that texts of one line come after labels, and long ones before."""
    long_text = (rf"({LONG_QUOTE})((?s:.*?))({LONG_QUOTE})", bygroups(String, using(LongTextLexer), String))
    short_text = (rf"({QUOTE})((?:\\.|[^{QUOTE}\\\n])*)({QUOTE})", bygroups(String, using(TextLexer), String))
    blanks = (r"\n|[^\S\n]+|\ufeff", Whitespace)
    return [long_text, *(_put(rule) for rule in rules()), short_text, blanks]


class ColosseumLexer(RegexLexer):  # type: ignore[misc]
    """Scenarios: `.colo` files."""

    name = "Colosseum"
    aliases: ClassVar[list[str]] = ["colosseum", "colo"]
    filenames: ClassVar[list[str]] = ["*.colo"]
    mimetypes: ClassVar[list[str]] = ["text/x-colosseum"]
    tokens: ClassVar[dict[str, _Rules]] = {"root": _root()}
