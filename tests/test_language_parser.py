"""Reading texts: every good file parses, every bad one says what its golden says, and nothing raises."""

import os
import subprocess
import sys
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from colosseum.diagnostics import CODES, Source, Span, render_text
from colosseum.language import parse, shipped, syntax
from colosseum.language.builder import Builder
from colosseum.language.failure import DEEPEST, LONGEST_CHAIN, clues
from colosseum.language.mistakes import EXPLANATIONS
from colosseum.language.parser import MOST_DIAGNOSTICS, lex
from colosseum.language.splitting import split
from colosseum.language.tables import import_lark, tables
from colosseum.language.words import OPENERS, Token

HERE = Path(__file__).parent
HEAD = 'colosseum 1\nscenario s "t"\n'
GOOD = sorted((HERE / "good").glob("*.colo"))
BAD = sorted((HERE / "bad").glob("syntax_*.colo"))
SPECS = sorted(shipped("specs").glob("*.colo"))


def source(path: Path) -> Source:
    return Source(path.name, path.read_bytes().decode())


def read(text: str) -> tuple[syntax.File, str]:
    file, diagnostics = parse(Source("text.colo", text))
    return file, render_text(diagnostics)


def only(text: str) -> object:
    """The one statement of a text that is well."""
    file, said = read(HEAD + text)
    assert said == ""
    assert len(file.statements) == 1
    return file.statements[0]


def value(expression: str) -> object:
    """An expression, read as a param's value."""
    param = only(f"param p = {expression}")
    assert isinstance(param, syntax.Param)
    return param.value


def golden(path: Path, said: str) -> None:
    """Compare with the text beside a bad file; UPDATE_GOLDENS=1 writes it anew."""
    expected = path.with_suffix(".txt")
    if os.environ.get("UPDATE_GOLDENS") == "1":
        expected.write_text(said, encoding="utf-8")
    assert said == expected.read_text(encoding="utf-8")


# ---- goldens ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", BAD, ids=lambda p: p.stem)
def test_a_bad_text_says_what_is_wrong(path: Path) -> None:
    _, diagnostics = parse(source(path))
    assert diagnostics
    golden(path, render_text(diagnostics))


@pytest.mark.parametrize("path", [*GOOD, *SPECS], ids=lambda p: p.stem)
def test_a_good_text_has_no_diagnostics(path: Path) -> None:
    file, diagnostics = parse(source(path))
    assert render_text(diagnostics) == ""
    assert file.edition is not None
    assert file.scenario is not None
    assert file.statements


def test_every_code_about_the_text_has_a_bad_file() -> None:
    said = "".join(path.with_suffix(".txt").read_text(encoding="utf-8") for path in BAD)
    missing = [code for code in CODES if "C001" <= code <= "C029" and f"[{code}]" not in said]
    assert missing == []


def test_every_clue_is_told_of_a_bad_file() -> None:
    told = set[int]()
    for text in map(source, sorted((HERE / "bad").glob("*.colo"))):
        for parsed in split(Builder(text), lex(text).tokens):
            for failure in parsed.failures:
                sure = next((each for each in EXPLANATIONS if each(failure)), None)
                told.add(id(sure or next((clue for clue in clues()["advice"] if clue.fits(failure)), None)))
    untold = [clue for clue in (*EXPLANATIONS, *clues()["advice"]) if id(clue) not in told]
    assert untold == []


# ---- the promise of the grammar ------------------------------------------------------------------------------


@pytest.mark.parametrize("path", [p for p in [*GOOD, *SPECS] if p.stem != "byte_order_mark"], ids=lambda p: p.stem)
def test_reading_whole_equals_reading_by_statements(path: Path) -> None:
    """Lark's own parser, lexer and tree builder on the whole text: equal nodes, with equal spans."""
    text = source(path)
    file, _ = parse(text)
    nodes = built(placing().parse(text.text, start="start"), text)
    ours = [file.edition, file.scenario, *file.statements]
    assert nodes == ours
    assert [spans(n) for n in nodes] == [spans(n) for n in ours]


@cache
def placing() -> Any:
    """Lark's own parser, which also knows the place of each tree."""
    grammar = (shipped("grammar") / "colosseum.lark").read_text(encoding="utf-8")
    starts = ["start", "statement"]
    return import_lark().Lark(grammar, parser="lalr", lexer="basic", start=starts, propagate_positions=True)


def built(tree: Any, source: Source) -> Any:
    """The node of a tree of Lark's, its tokens as ours."""
    pieces = [built(child, source) if hasattr(child, "children") else token(child) for child in tree.children]
    if tree.data == "start":
        return pieces
    name = str(tree.data)
    method = getattr(Builder(source), name if hasattr(Builder, name) else f"{name}_")
    return method(Span(source, tree.meta.start_pos, tree.meta.end_pos), *pieces)


def token(found: Any) -> Token | None:
    if found is None:
        return None
    word = Token(found)
    word.type, word.start, word.end = found.type, found.start_pos, found.end_pos
    return word


def spans(node: object) -> list[tuple[int, int]]:
    """Where a node and all below it stand."""
    if isinstance(node, Span):
        return [(node.start, node.end)]
    parts = node if isinstance(node, tuple) else ()
    parts = [getattr(node, f.name) for f in fields(node)] if is_dataclass(node) else parts
    return [place for part in parts if not isinstance(part, Source) for place in spans(part)]


def test_the_grammar_is_lalr_without_a_conflict() -> None:
    """Lark finds out whether words collide where `interegular` is there when it is imported: in a new process."""
    pytest.importorskip("interegular")
    grammar = (shipped("grammar") / "colosseum.lark").read_text(encoding="utf-8")
    assert "{0,7}" in grammar  # labels collide as two of them do, and eight take two minutes
    options = {"parser": "lalr", "lexer": "basic", "start": ["start", "statement"], "strict": True}
    code = f"from lark import Lark; Lark({grammar.replace('{0,7}', '{0,1}')!r}, **{options!r})"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_every_opener_is_a_terminal_of_the_grammar() -> None:
    assert {kind for row in tables()["rows"] for kind in row} >= OPENERS


# ---- what is read ---------------------------------------------------------------------------------------------


def test_numbers_are_ints_unless_written_with_point_or_exponent() -> None:
    def numbers(text: str) -> list[tuple[type, float]]:
        found = value(text)
        assert isinstance(found, syntax.SetLiteral)
        return [(type(n.value), n.value) for n in found.items if isinstance(n, syntax.Number)]

    assert numbers("{3, 0.25, 1e3, 007}") == [(int, 3), (float, 0.25), (float, 1000.0), (int, 7)]


def test_texts_are_unescaped() -> None:
    assert value(r'"a \"b\" \\ \n \t"') == syntax.Text(span=ANYWHERE, value='a "b" \\ \n \t')


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ('"""one"""', "one"),
        ('"""\n    a\n      b\n    """', "a\n  b"),
        ('"""\n    a\n\n    b\n"""', "a\n\nb"),
        ('"""a\n    b"""', "a\nb"),
        ('"""\r\n  a\r\n  b\r\n"""', "a\nb"),
        ('"""\n"""', ""),
        ('""""""', ""),
        ('"""\n  \\n stays\n"""', "\\n stays"),
    ],
)
def test_long_texts_lose_their_layout(written: str, meant: str) -> None:
    prompt = only(f"prompt p for agents {written}")
    assert isinstance(prompt, syntax.Prompt)
    assert prompt.variants[0].texts[0] == syntax.Text(span=ANYWHERE, value=meant, long=True)


def test_a_grid_keeps_labels_and_kinds() -> None:
    table = only('table t[a, b]\n  | x "y z" -3\nlow, "b c", -2 | 1 -2.5 none\nagents | on off "q"\n')
    assert isinstance(table, syntax.Table)
    assert isinstance(table.source, syntax.Grid)
    rows = [[c.value for c in (*row.label, *row.cells)] for row in table.source.rows]
    assert [c.value for c in table.source.columns] == ["x", "y z", -3]
    assert rows == [["low", "b c", -2, 1, -2.5, None], ["agents", True, False, "q"]]
    assert [c.quoted for c in table.source.rows[0].label] == [False, True, False]
    assert [c.span.text for c in table.source.rows[0].cells] == ["1", "-2.5", "none"]


def test_a_comment_may_follow_any_word_of_a_mapping() -> None:
    trace = only('trace from "x" { arm# which\n a is b  channel #\n c is d  seed# e\n is e }')
    assert isinstance(trace, syntax.Trace)
    assert [mapped.kind for mapped in trace.mapped] == ["arm", "channel", "seed"]


def test_operators_bind_as_the_grammar_says() -> None:
    shown = value("1 + 2 * -3 .. a[1] if not x in S and y or z else w")
    assert isinstance(shown, syntax.Ternary)
    assert isinstance(shown.then, syntax.Range)
    assert isinstance(shown.condition, syntax.Logical)
    assert shown.condition.operator == "or"
    assert shown.condition.span.text == "not x in S and y or z"


def test_a_chain_of_comparisons_is_one_node() -> None:
    chain = value("a < b == c not  in d")
    assert isinstance(chain, syntax.Comparison)
    assert chain.operators == ("<", "==", "not in")


def test_brackets_belong_to_the_span_of_what_contains_them() -> None:
    product = value("(a + b) * c")
    assert isinstance(product, syntax.Arithmetic)
    assert product.span.text == "(a + b) * c"
    assert product.left.span.text == "a + b"


def test_comments_are_kept_but_not_those_in_texts() -> None:
    file, said = read(HEAD + '# one\nparam n = 3 # two\nprompt p for agents "# no"\n#three')
    assert said == ""
    assert [c.text for c in file.comments] == ["# one", "# two", "#three"]


def test_one_mistake_spoils_one_statement() -> None:
    file, said = read(HEAD + "param a = 1\nparam b = = 2\nparam c = 3\nreward r: {\nparam d = 4\n")
    assert [s.name for s in file.statements if isinstance(s, syntax.Param)] == ["a", "c", "d"]
    assert said.count("error[") == 2


def test_agents_opens_a_statement_only_where_it_is_no_expression() -> None:
    file, said = read(HEAD + "set x = agents\nagents A, B\nset y = agents - {A}\nprompt p for agents {a: 1}\n")
    assert [type(s).__name__ for s in file.statements] == ["Set", "Agents", "Set"]
    assert said.count("error[") == 1


def test_each_mistake_of_repeated_statements_is_told_at_its_place() -> None:
    _, told = parse(Source("text.colo", HEAD + 'claim c: "\\q" is true\n' * 3))
    assert [(d.code, d.line) for d in told] == [("C010", 3), ("C010", 4), ("C010", 5)]


# ---- bounds ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("opening", ["(", "{", "f(", "a[", "sum(", "-(", "{a: "])
def test_deep_nesting_is_a_diagnostic(opening: str) -> None:
    _, said = read(f"{HEAD}param n = {opening * 10_000}")
    assert said.startswith("error[C018]")


@pytest.mark.parametrize("link", ["1 + ", "1 - ", "a * ", "-", "not ", "1 if a else ", "a and ", "a or ", "a & "])
def test_a_long_chain_is_a_diagnostic(link: str) -> None:
    _, said = read(f"{HEAD}param n = {link * 5_000}1")
    assert said.startswith("error[C018]")


@pytest.mark.parametrize(
    ("opening", "closing"),
    [("(1 + ", ")"), ("{", "}"), ("{e for i in ", "}"), ("sum(1 for i in ", ")"), ("f(k = ", ")"), ("{a: ", "}")],
)
def test_the_deepest_nesting_allowed_is_read(opening: str, closing: str) -> None:
    chain = "-" * (LONGEST_CHAIN - 2 * DEEPEST)
    file, said = read(f"{HEAD}param n = {opening * DEEPEST}{chain}1{closing * DEEPEST}")
    assert said == ""
    assert file == file
    assert hash(file.statements) == hash(file.statements)


def test_a_long_grid_and_a_long_set_are_read() -> None:
    rows = "".join(f"r{i} | {i}\n" for i in range(10_000))
    members = ", ".join(f"-{i} * 2" for i in range(2_000))
    file, said = read(f"{HEAD}table t[a, b]\n | x\n{rows}set s = {{{members}}}")
    assert said == ""
    table = file.statements[0]
    assert isinstance(table, syntax.Table)
    assert isinstance(table.source, syntax.Grid)
    assert len(table.source.rows) == 10_000


def test_the_number_of_diagnostics_is_bounded() -> None:
    _, diagnostics = parse(Source("text.colo", HEAD + "param p 3\n" * 500))
    assert len(diagnostics) == MOST_DIAGNOSTICS
    _, diagnostics = parse(Source("text.colo", HEAD + "param p = ;\n" * 500))
    assert len(diagnostics) <= MOST_DIAGNOSTICS


# ---- any text at all ------------------------------------------------------------------------------------------------

ANYWHERE = Span(Source("", ""), 0, 0)
WORDS = [*tables()["written"].values(), "a", "3", '"t"', '"""', '"', "\n"]
TEXTS = [path.read_text(encoding="utf-8") for path in [*SPECS, *GOOD]]


def check_any(text: str) -> None:
    """Whatever the text: no exception, spans inside it, statements in order."""
    file, diagnostics = parse(Source("text.colo", text))
    render_text(diagnostics)
    assert len(diagnostics) <= MOST_DIAGNOSTICS
    for diagnostic in diagnostics:
        for span in [diagnostic.span, *(label.span for label in diagnostic.labels)]:
            assert span is not None
            assert 0 <= span.start <= span.end <= len(text)
    within(file, 0, len(text))
    starts = [s.span.start for s in file.statements]
    assert starts == sorted(starts)


def within(node: object, low: int, high: int) -> None:
    """Every node stands inside the one that holds it."""
    if isinstance(node, syntax.Node):
        assert low <= node.span.start <= node.span.end <= high
        low, high = node.span.start, node.span.end
    if isinstance(node, tuple):
        for part in node:
            within(part, low, high)
    elif is_dataclass(node) and not isinstance(node, Source | Span):
        for each in fields(node):
            within(getattr(node, each.name), low, high)


@given(st.text())
def test_any_characters(text: str) -> None:
    check_any(text)


@given(st.lists(st.sampled_from(WORDS), max_size=40).map(" ".join))
@settings(max_examples=25)
def test_any_words(text: str) -> None:
    check_any(HEAD + text)


@given(st.sampled_from(TEXTS), st.data())
@settings(max_examples=25)
def test_any_mutation_of_a_good_text(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 30)))
    put = data.draw(st.one_of(st.just(""), st.sampled_from(WORDS), st.text(max_size=3)))
    check_any(text[:start] + put + text[end:])


@pytest.mark.parametrize("path", SPECS, ids=lambda p: p.stem)
def test_any_truncation_of_a_spec(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    for end in range(0, len(text), max(7, len(text) // 25)):
        check_any(text[:end])
