"""Highlighting in editors. In: the grammar's words; out: a TextMate grammar, as VS Code, Sublime and GitHub read it.

TextMate reads line by line: what may run over lines, a long text, has a pattern for its begin and one for its end.
"""

import json

from colosseum.language.lexemes import BLOCK, PRINT, REMARK, Lexeme, LexerRule, rules, template_rules
from colosseum.language.literals import LONG_QUOTE, QUOTE

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
