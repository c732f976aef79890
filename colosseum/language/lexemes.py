"""Patterns for highlighting. In: the language's words; out: rules that Pygments and TextMate grammars share.

Patterns are in the part of Python's and Oniguruma's languages that both read alike.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from colosseum.language.shipped import shipped
from colosseum.language.words import (
    CONSTANTS,
    DECLARING,
    FUNCTIONS,
    GRAPHS,
    LINKS,
    MODIFIERS,
    OPENERS,
    PARTS,
    QUANTIFIERS,
    SIGNS,
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
    name, people, signs = pattern["NAME"], one_of(["agents"]), {*SIGNS.values(), *COMPARISONS} - {"|"}
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
