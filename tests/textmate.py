"""Highlighting in editors. In: the grammar's words; out: a TextMate grammar, as VS Code, Sublime and GitHub read it.

TextMate reads line by line: what may run over lines, a long text, has a pattern for its begin and one for its end.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from colosseum.language import shipped
from colosseum.language.tables import tables
from colosseum.language.words import (
    CONSTANTS,
    DECLARING,
    FUNCTIONS,
    GRAPHS,
    LINKS,
    LONG_QUOTE,
    MODIFIERS,
    OPENERS,
    PARTS,
    QUANTIFIERS,
    QUOTE,
    WORD_OPERATORS,
    spelled,
)

Lexeme: TypeAlias = Literal[
    "", "comment", "label", "money", "number", "opener", "modifier", "link", "operator", "constant",
    "function", "declared", "name", "bar", "sign", "punctuation", "quoted", "filter",
]  # fmt: skip
"""The classes; blanks have none. `declared` is the name that a statement gives; `quoted` stands in a template, and so
does `filter`, behind a bar."""


@dataclass(frozen=True)
class LexerRule:
    """A pattern, and the class of what it finds or of each of its groups, which then cover all of it."""

    pattern: str
    lexemes: tuple[Lexeme, ...]


COMPARISONS = ("==", "!=", "<=", ">=", "<", ">")
PUNCTUATION = frozenset("()[]{},:")
TEMPLATE_WORDS = ("and", "elif", "else", "endfor", "endif", "for", "if", "in", "is", "not", "or")
_PATTERN = re.compile(r"^([A-Z_]+)(?:\.\d+)?: +/(.*)/$", re.MULTILINE)
GAP = r"(?:\s|#[^\n]*(?![^\n]))"  # a comment ends where its line does, or a row of `#` would be read in 2^n ways
PRINT = (r"\{\{-?", r"-?\}\}")
BLOCK = (r"\{%-?", r"-?%\}")
REMARK = (r"\{#", r"#\}")
"""What a template puts in braces: `{{ me }}`, `{% for … %}`, `{# … #}`."""


def one_of(words: Iterable[str]) -> str:
    """A pattern for whole words; a blank in one stands for any space."""
    spaced = (word.replace(" ", r"\s+") for word in words)
    return rf"(?:{'|'.join(spaced)})(?!\w)"


def keywords(terminals: Iterable[str]) -> str:
    """The same for reserved words, by their terminals."""
    return one_of(sorted(map(spelled, terminals)))


def one_sign(signs: Iterable[str]) -> str:
    """A pattern for signs, longer ones first."""
    return "|".join(re.escape(sign) for sign in sorted(signs, key=lambda sign: (-len(sign), sign)))


def rules() -> tuple[LexerRule, ...]:
    """All but texts, in the order in which they are tried: the first that fits at a place holds there."""
    pattern = dict(_PATTERN.findall((shipped("grammar") / "colosseum.lark").read_text(encoding="utf-8")))
    signs = {sign for sign in (*tables()["written"].values(), *COMPARISONS) if not sign.isalpha()} - {"|"}
    name, people = pattern["NAME"], one_of(["agents"])
    return (
        LexerRule(rf"^([ \t]*)({people})(?![ \t]*[|,])", ("", "opener")),
        LexerRule(pattern["COMMENT"], ("comment",)),
        LexerRule(pattern["LABEL"], ("label",)),
        LexerRule(pattern["MONEY"], ("money",)),
        LexerRule(pattern["NUMBER"], ("number",)),
        LexerRule(rf"({keywords(DECLARING)})({GAP}+)(?!{pattern['LABEL']})({name})", ("opener", "", "declared")),
        LexerRule(rf"({one_of(['override'])})({GAP}+)({people})", ("modifier", "", "opener")),
        LexerRule(rf"{one_of(['reads'])}(?={GAP}+{one_of(['thoughts'])}{GAP}*\")", ("link",)),
        LexerRule(rf"{one_of(['trace'])}(?={GAP}+{one_of(['from'])}{GAP}*\")", ("opener",)),
        LexerRule(pattern["CONTRAST"], ("opener",)),
        LexerRule(rf"{one_of(['paraphrases', 'thoughts'])}(?={GAP}*\")", ("link",)),
        LexerRule(rf"({one_of(['is'])})({GAP}+)({one_of(['true', 'false'])})", ("link", "", "constant")),
        # `agents` is the name of a set except at the beginning of a line
        LexerRule(keywords((OPENERS | set(PARTS)) - MODIFIERS - {"AGENTS", "TRACE"}), ("opener",)),
        LexerRule(keywords(MODIFIERS), ("modifier",)),
        LexerRule(keywords(LINKS), ("link",)),
        LexerRule(pattern["UNDISCLOSED"], ("link",)),
        LexerRule(keywords(WORD_OPERATORS), ("operator",)),
        LexerRule(keywords(CONSTANTS), ("constant",)),
        LexerRule(rf"{one_of(sorted([*map(spelled, QUANTIFIERS), *FUNCTIONS, *GRAPHS]))}(?={GAP}*\()", ("function",)),
        LexerRule(name, ("name",)),
        LexerRule(re.escape("|"), ("bar",)),
        LexerRule(one_sign(signs - PUNCTUATION), ("sign",)),
        LexerRule(one_sign(signs & PUNCTUATION), ("punctuation",)),
    )  # fmt: skip


def template_rules() -> tuple[LexerRule, ...]:
    """What stands between the braces of a template. A text of one line has its quotes as `\\"`."""
    return (
        LexerRule(r"""'[^'\n]*'|\\"[^"\n]*?\\"|"[^"\n]*\"""", ("quoted",)),
        LexerRule(one_of(TEMPLATE_WORDS), ("operator",)),
        LexerRule(r"(\|)([ \t]*)([^\W\d]\w*)", ("sign", "", "filter")),
        LexerRule(r"[0-9]+(?:\.[0-9]+)?", ("number",)),
        LexerRule(r"[^\W\d]\w*", ("name",)),
        LexerRule(r"[\[\](){},.:]", ("punctuation",)),
        LexerRule(r"[-+*/%=!<>|~]", ("sign",)),
    )


SCOPES: dict[Lexeme, str] = {
    "comment": "comment.line.number-sign",
    "label": "entity.name.tag",
    "money": "constant.numeric.money",
    "number": "constant.numeric",
    "opener": "keyword.control",
    "modifier": "storage.modifier",
    "link": "keyword.other",
    "operator": "keyword.operator.word",
    "constant": "constant.language",
    "function": "support.function",
    "declared": "entity.name.type",
    "name": "variable.other",
    "bar": "punctuation.separator.bar",
    "sign": "keyword.operator",
    "punctuation": "punctuation",
    "quoted": "string.quoted.single",
    "filter": "support.function.filter",
}
"""What themes colour each class by; the language's own suffix is added."""
LANGUAGE = "colosseum"
Pattern = dict[str, object]


def textmate_grammar() -> Pattern:
    """The grammar, as JSON holds it."""
    long_text = _text("string.quoted.triple", LONG_QUOTE, end=LONG_QUOTE, escapes=False)
    short_text = _text("string.quoted.double", QUOTE, end=f"{QUOTE}|$", escapes=True)
    return {
        "name": "Colosseum",
        "scopeName": f"source.{LANGUAGE}",
        "fileTypes": ["colo"],
        "firstLineMatch": r"^\s*colosseum\s+[0-9]",
        "patterns": [long_text, *(_match(rule) for rule in rules()), short_text],
        "repository": {
            "template": {"patterns": [_match(rule) for rule in template_rules()]},
        },
    }


def textmate_text() -> str:
    """The grammar as it is published: indented, ending in a line feed."""
    return json.dumps(textmate_grammar(), ensure_ascii=False, indent=2) + "\n"


def _match(rule: LexerRule) -> Pattern:
    if len(rule.lexemes) == 1:
        return {"match": rule.pattern, "name": _scope(SCOPES[rule.lexemes[0]])}
    captures = {str(n): {"name": _scope(SCOPES[lexeme])} for n, lexeme in enumerate(rule.lexemes, start=1) if lexeme}
    return {"match": rule.pattern, "captures": captures}


def _text(scope: str, begin: str, *, end: str, escapes: bool) -> Pattern:
    """A text with its templates, each of which ends at the latest where the text does."""
    escape = [{"match": r"\\.", "name": _scope("constant.character.escape")}] if escapes else []
    within = rf"(?={end})"
    return {
        "begin": begin,
        "end": end,
        "name": _scope(scope),
        "patterns": [
            *(_inset(braces, within) for braces in (PRINT, BLOCK)),
            {"begin": REMARK[0], "end": f"{REMARK[1]}|{within}", "name": _scope("comment.block")},
            *escape,
        ],
    }


def _inset(braces: tuple[str, str], within: str) -> Pattern:
    return {
        "begin": braces[0],
        "end": f"{braces[1]}|{within}",
        "beginCaptures": {"0": {"name": _scope("punctuation.definition.template.begin")}},
        "endCaptures": {"0": {"name": _scope("punctuation.definition.template.end")}},
        "contentName": _scope("meta.embedded.template"),
        "patterns": [{"include": "#template"}],
    }


def _scope(name: str) -> str:
    return f"{name}.{LANGUAGE}"
