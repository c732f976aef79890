"""Highlighting: the parser's words, Pygments and a TextMate grammar agree on every character of every spec."""

import io
import json
import os
import re
from pathlib import Path

import pytest
from conftest import SPECS as FOLDER
from editor import scopes
from jinja2 import Environment
from pygments.lexers import get_lexer_by_name, get_lexer_for_filename
from pygments.token import (
    Comment,
    Error,
    Keyword,
    Name,
    Number,
    Operator,
    Punctuation,
    String,
    Token,
    Whitespace,
)
from textmate import COMPARISONS, SCOPES, textmate_grammar, textmate_text

from colosseum.diagnostics import Source
from colosseum.language import shipped
from colosseum.language.highlight import ColosseumLexer
from colosseum.language.parser import lex
from colosseum.language.tables import tables
from colosseum.language.words import (
    CONSTANTS,
    DECLARING,
    KEYWORDS,
    LINKS,
    OPENERS,
    PARTS,
    QUANTIFIERS,
    WORD_OPERATORS,
)

HERE = Path(__file__).parent
GRAMMAR = (shipped("grammar") / "colosseum.lark").read_text(encoding="utf-8")
TEXTS = [*sorted(FOLDER.rglob("*.colo")), *sorted((HERE / "good").glob("*.colo"))]
BAD = sorted((HERE / "bad").glob("*.colo"))
ODD = '''colosseum 1
scenario odd "with \\"quotes\\", {{ braces }} and a # that is no comment"   # but this is one
param n=-3 param share = 1.5e-3
agents Åsa, "the boss"  override agents B
set s |
  a | "x y"
  agents | agents
set t = {agents, b} - {c}
table f[agents, s, t] from "data/f.csv"
  ann, "b c", -3 | 1 none
variable v[a in agents where a not   in {b}]: 0..5 or none
prompt p for agents """
  {% for t in s if t != "a" %}{{ t | join(", ") | upper }} {# not said #}{% endfor %} a "quote" \\n {{
"""
prompt q for agents { one: "{{ v[me, \\"b c\\"] | round(1) }}" two: "{{ open" three: "{% if x %}" four: "{# open" }
claim c: "it is" is true
claim d: "it is" is  false
experiment e { budget $20.50  network star(center = B)  sweep network in ring, complete
  sweep n in count, star (1) arm in_between { } }
'''


def read(path: Path) -> str:
    return path.read_bytes().decode()


TOKENS = {
    Whitespace: "",
    Comment.Single: "comment",
    Name.Label: "label",
    Number.Money: "money",
    Number: "number",
    Keyword.Declaration: "opener",
    Keyword.Type: "modifier",
    Keyword: "link",
    Operator.Word: "operator",
    Keyword.Constant: "constant",
    Name.Builtin: "function",
    Name.Class: "declared",
    Name: "name",
    Punctuation.Marker: "bar",
    Operator: "sign",
    Punctuation: "punctuation",
    String: "",
    String.Interpol: "braces",
    String.Escape: "escape",
    Comment.Multiline: "remark",
}
"""The class that Pygments calls so."""


def classes_by_pygments(text: str) -> list[str]:
    """The class of each character; inside texts `text` and what a template does there, as in `text name`."""
    texts = [token for token in lex(Source("", text)).tokens if token.type in ("STRING", "LONG_STRING")]
    regions = {place for token in texts for place in range(token.start, token.end)}
    found: list[str] = []
    for place, token, part in ColosseumLexer().get_tokens_unprocessed(text):
        assert place == len(found)
        found += [f"text {TOKENS[token]}".strip() if place in regions else TOKENS[token]] * len(part)
    return ["" if c.isspace() and not kind.startswith("text") else kind for c, kind in zip(text, found, strict=True)]


def classes_by_textmate(text: str) -> list[str]:
    """The same from the scopes that an editor gives."""
    lexemes = {f"{scope}.colosseum": lexeme for lexeme, scope in SCOPES.items()}
    special = {
        "constant.character.escape.colosseum": "escape",
        "comment.block.colosseum": "remark",
        "punctuation.definition.template.begin.colosseum": "braces",
        "punctuation.definition.template.end.colosseum": "braces",
        "meta.embedded.template.colosseum": "",
    }
    found = []
    for character, stack in zip(text, scopes(textmate_grammar(), text), strict=True):
        quoted = bool(stack) and stack[0].startswith("string.quoted")
        inner = stack[-1] if stack else ""
        word = special.get(inner, "" if quoted and len(stack) == 1 else lexemes.get(inner, inner))
        kind = f"text {word}".strip() if quoted else word
        found.append("" if character.isspace() and not quoted else kind)
    return found


def blank_in_templates(text: str, classes: list[str]) -> list[str]:
    """Blanks inside a text have no class of their own."""
    return ["text" if c.isspace() and kind.startswith("text") else kind for c, kind in zip(text, classes, strict=True)]


def shown(text: str, classes: list[str]) -> list[str]:
    """Runs of a class as `class:text`, to compare and to read."""
    runs: list[list[str]] = []
    for character, kind in zip(text, classes, strict=True):
        if runs and runs[-1][0] == kind:
            runs[-1][1] += character
        else:
            runs.append([kind, character])
    return [f"{kind}:{part}" for kind, part in runs if kind]


# ---- agreement ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", [*map(read, TEXTS), ODD], ids=[*(p.stem for p in TEXTS), "odd"])
def test_pygments_and_textmate_agree(text: str) -> None:
    """Pygments asks the parser's reader for the words; TextMate has patterns of its own, also inside of braces."""
    inside = re.compile(r"text (?!escape|remark|braces).*")
    pygments, textmate = classes_by_pygments(text), classes_by_textmate(text)
    agreed = [a if inside.match(b) else b for a, b in zip(pygments, textmate, strict=True)]
    assert shown(text, blank_in_templates(text, agreed)) == shown(text, blank_in_templates(text, pygments))
    assert {a for a, b in zip(pygments, textmate, strict=True) if inside.match(b)} <= {"text braces"}


def test_words_that_belong_together_may_have_comments_between_them() -> None:
    text = 'claim c: "" is # set of\n\n#\n true( ) param # agents\n b = max # (\n (b, undisclosed # set\n)'
    assert {"constant:true", "declared:b", "function:max", "name:undisclosed"} <= {
        *shown(text, classes_by_pygments(text))
    }


@pytest.mark.parametrize("path", TEXTS, ids=lambda p: p.stem)
def test_a_valid_spec_has_no_error_token(path: Path) -> None:
    tokens = list(ColosseumLexer().get_tokens_unprocessed(read(path)))
    assert [part for _, token, part in tokens if token in Error] == []
    assert Token.Error not in {token for _, token, _ in tokens}


@pytest.mark.parametrize("path", [*TEXTS, *BAD], ids=lambda p: p.stem)
def test_no_character_is_lost(path: Path) -> None:
    text = read(path)
    assert "".join(part for _, _, part in ColosseumLexer().get_tokens_unprocessed(text)) == text


def test_template_parts_are_what_jinja_reads() -> None:
    """Every part of every prompt: Jinja's own lexer tells braces, names, signs and texts apart likewise."""
    compared = 0
    for text in map(read, TEXTS):
        classes = blank_in_templates(text, classes_by_textmate(text))
        for found in re.finditer(r'"""(?s:.*?)"""|"(?:\\.|[^"\\\n])*"', text):
            if "{" not in found[0] or "\\" in found[0] or classes[found.start()] != "text":
                continue
            place = found.start()
            for _, kind, part in Environment().lex(found[0]):
                assert text.startswith(part, place)
                said = {k for c, k in zip(part, classes[place : place + len(part)], strict=True) if not c.isspace()}
                assert said <= JINJA.get(kind, {"text"}), (part, kind, said)
                compared += kind in JINJA
                place += len(part)
    assert compared > 50


JINJA = {
    "variable_begin": {"text braces"},
    "variable_end": {"text braces"},
    "block_begin": {"text braces"},
    "block_end": {"text braces"},
    "name": {"text name", "text operator", "text filter"},
    "integer": {"text number"},
    "float": {"text number"},
    "operator": {"text sign", "text punctuation"},
    "string": {"text quoted"},
    "comment": {"text remark"},
    "comment_begin": {"text remark"},
    "comment_end": {"text remark"},
}


# ---- what they are made from -----------------------------------------------------------------------------------------


def test_the_published_grammar_is_the_generated_one() -> None:
    published = shipped("grammar") / "colosseum.tmLanguage.json"
    if os.environ.get("UPDATE_GOLDENS") == "1":
        published.write_text(textmate_text(), encoding="utf-8")
    assert published.read_text(encoding="utf-8") == textmate_text()
    assert json.loads(textmate_text())["scopeName"] == "source.colosseum"


def test_every_word_of_the_grammar_is_in_one_class() -> None:
    classes = [OPENERS, set(PARTS), LINKS, WORD_OPERATORS, CONSTANTS, QUANTIFIERS, {"UNDISCLOSED"}]
    assert sum(map(len, classes)) == len(KEYWORDS)
    patterns = dict(re.findall(r"^([A-Z_]+)[.\d]*: +/(.*)/$", GRAMMAR, re.MULTILINE)) | tables()["written"]
    words = {name for name, pattern in patterns.items() if re.fullmatch(r"[a-z]+(\\s\+[a-z]+\\b)?", pattern)}
    assert words | {"UNDISCLOSED", "TRACE"} == KEYWORDS  # which are names elsewhere
    assert set(re.findall('"([^"]+)"', re.search("^COMPARE:.*$", GRAMMAR, re.MULTILINE)[0])) == set(COMPARISONS)


def test_words_that_declare_are_those_before_a_name_in_the_grammar() -> None:
    assert {word.upper() for word in re.findall(r'"([a-z]+)"\s+\(?NAME\b', GRAMMAR)} - {"SWEEP"} == DECLARING


# ---- where it is used ------------------------------------------------------------------------------------------------


def test_pygments_finds_the_lexer() -> None:
    for found in (get_lexer_by_name("colosseum"), get_lexer_by_name("colo"), get_lexer_for_filename("a/b.colo")):
        assert type(found).__name__ == "ColosseumLexer"


def test_rich_shows_a_spec_in_colour() -> None:
    from rich.console import Console
    from rich.syntax import Syntax

    text = read(FOLDER / "jira.colo")
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=True, width=200, color_system="truecolor")
    console.print(Syntax(text, "colosseum"))
    shown_text = re.sub(r"\x1b\[[0-9;]*m", "", screen.getvalue())
    assert [line.rstrip() for line in shown_text.rstrip().splitlines()] == [line.rstrip() for line in text.splitlines()]
    plain = io.StringIO()
    Console(file=plain, force_terminal=True, width=200, color_system="truecolor").print(Syntax(text, "text"))
    assert screen.getvalue().count("\x1b[") > 3 * plain.getvalue().count("\x1b[")


def test_the_reference_says_how_an_editor_takes_the_grammar() -> None:
    section = (shipped("grammar") / "README.md").read_text(encoding="utf-8").split("\n## Editors\n")[1]
    found = re.search(r"```json\n(.*?)```", section, re.DOTALL)
    assert found is not None
    offered = json.loads(found[1])["contributes"]
    (language,), (grammar,) = offered["languages"], offered["grammars"]
    assert language["id"] == grammar["language"]
    assert language["extensions"] == [f".{kind}" for kind in textmate_grammar()["fileTypes"]]
    assert grammar["scopeName"] == textmate_grammar()["scopeName"]
    assert (shipped("grammar") / grammar["path"]).is_file()
    assert all(f"`{alias}`" in section for alias in ColosseumLexer.aliases)
