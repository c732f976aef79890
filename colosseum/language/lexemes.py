"""Patterns for highlighting. In: a Vocabulary; out: rules that Pygments and TextMate grammars share.

Patterns are in the part of Python's and Oniguruma's languages that both read alike.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from colosseum.language.vocabulary import TEMPLATE_WORDS, TRUTHS, Vocabulary

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


GAP = r"(?:\s|#[^\n]*(?![^\n]))"  # a comment ends where its line does, or a row of `#` would be read in 2^n ways
PRINT = (r"\{\{-?", r"-?\}\}")
BLOCK = (r"\{%-?", r"-?%\}")
REMARK = (r"\{#", r"#\}")
"""What a template puts in braces: `{{ me }}`, `{% for … %}`, `{# … #}`."""


def one_of(words: Iterable[str]) -> str:
    """A pattern for whole words; a blank in one stands for any space."""
    spaced = (word.replace(" ", r"\s+") for word in words)
    return rf"(?:{'|'.join(spaced)})(?!\w)"


def one_sign(signs: Iterable[str]) -> str:
    """A pattern for signs, longer ones first."""
    return "|".join(re.escape(sign) for sign in signs)


def rules(words: Vocabulary) -> tuple[LexerRule, ...]:
    """All but texts, in the order in which they are tried: the first that fits at a place holds there."""
    pattern, name, people = words.patterns, words.patterns["NAME"], one_of(["agents"])
    openers = [word for word in words.openers if word != "agents"]  # which is a set's name but where a line begins
    return (
        LexerRule(rf"^([ \t]*)({people})(?![ \t]*[|,])", ("", "opener")),
        LexerRule(pattern["COMMENT"], ("comment",)),
        LexerRule(pattern["LABEL"], ("label",)),
        LexerRule(pattern["MONEY"], ("money",)),
        LexerRule(pattern["NUMBER"], ("number",)),
        LexerRule(rf"({one_of(words.declaring)})({GAP}+)(?!{pattern['LABEL']})({name})", ("opener", "", "declared")),
        LexerRule(rf"({one_of(['override'])})({GAP}+)({people})", ("modifier", "", "opener")),
        LexerRule(rf"{one_of(['reads'])}(?={GAP}+{one_of(['thoughts'])}{GAP}*\")", ("link",)),
        LexerRule(rf"{one_of(['trace'])}(?={GAP}+{one_of(['from'])}{GAP}*\")", ("opener",)),
        LexerRule(rf"{one_of(['paraphrases', 'thoughts'])}(?={GAP}*\")", ("link",)),
        LexerRule(rf"({one_of(['is'])})({GAP}+)({one_of(TRUTHS)})", ("link", "", "constant")),
        LexerRule(one_of(openers), ("opener",)),
        LexerRule(one_of(words.modifiers), ("modifier",)),
        LexerRule(one_of(words.links), ("link",)),
        LexerRule(pattern["UNDISCLOSED"], ("link",)),
        LexerRule(one_of(words.operators), ("operator",)),
        LexerRule(one_of(words.constants), ("constant",)),
        LexerRule(rf"{one_of(words.functions)}(?={GAP}*\()", ("function",)),
        LexerRule(name, ("name",)),
        LexerRule(re.escape(words.bar), ("bar",)),
        LexerRule(one_sign(words.signs), ("sign",)),
        LexerRule(one_sign(words.punctuation), ("punctuation",)),
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
