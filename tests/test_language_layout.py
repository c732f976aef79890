"""The canonical layout: the same words, the same comments, one way to stand; golden pairs in `fmt/`."""

import os
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from specs_generated import HEAD, STATEMENTS, Some, Words, laid_out, opened, relaid, specs

from colosseum.diagnostics import Source, Span, render_text
from colosseum.language import parse, shipped, syntax
from colosseum.language.failure import DEEPEST, LONGEST_CHAIN
from colosseum.language.layout import lay_out
from colosseum.language.layout.printing import WIDTH
from colosseum.language.parser import lex

HERE = Path(__file__).parent
EXAMPLES = int(os.environ.get("COLOSSEUM_EXAMPLES", "0"))
"""Set to run longer; 0 keeps what each test asks for."""
PAIRS = sorted(path for path in (HERE / "fmt").glob("*.colo") if not path.stem.endswith(".out"))
SPECS = sorted(shipped("specs").rglob("*.colo"))
REAL = [path.read_text(encoding="utf-8-sig") for path in [*SPECS, *sorted((HERE / "good").glob("*.colo"))]]
TOP = "colosseum 1\nscenario s\n\n"


SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]


def examples(number: int) -> settings:
    return settings(max_examples=EXAMPLES or number, suppress_health_check=SLOW)


def read(text: str) -> syntax.File:
    """A text that must be well formed."""
    file, diagnostics = parse(Source("text.colo", text))
    assert not diagnostics, render_text(diagnostics) + text
    return file


def formatted(text: str) -> str:
    result, diagnostics = lay_out(Source("text.colo", text))
    assert result is not None, render_text(diagnostics) + text
    return result


def only(statement: str) -> str:
    """One statement laid out, without the lines above it."""
    found = formatted(TOP + statement)
    assert found.startswith(TOP)
    return found.removeprefix(TOP)


def remarks(file: syntax.File) -> list[str]:
    return [comment.text.rstrip() for comment in file.comments]


def check(text: str) -> str:
    """What holds for any text: nothing is lost or changed, and a second time changes nothing."""
    before, laid = read(text), formatted(text)
    after = read(laid)
    assert (after.edition, after.scenario) == (before.edition, before.scenario)
    assert after.statements == before.statements
    assert remarks(after) == remarks(before)
    assert formatted(laid) == laid
    assert laid.endswith("\n")
    return laid


# ---- any spec ------------------------------------------------------------------------------------------------


@given(specs())
@examples(60)
def test_any_spec_keeps_what_it_says_and_stays_as_it_is_laid_out(text: str) -> None:
    check(text)


@given(st.sampled_from(REAL), st.integers(1, 2**32))
@examples(25)
def test_any_layout_of_a_real_spec(text: str, seed: int) -> None:
    again = relaid(text, seed)
    assert read(again).statements == read(text).statements
    check(again)


@given(st.sampled_from(REAL), st.data())
@examples(30)
def test_any_mutation_of_a_real_spec_is_laid_out_or_refused(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 20)))
    put = data.draw(
        st.sampled_from(["", " ", "\n", "#", "(", ")", ",", "a", "1", '"', '"""', "{", "}", "|", "if", "network"])
    )
    changed = text[:start] + put + text[end:]
    laid, diagnostics = lay_out(Source("text.colo", changed))
    assert (laid is None) == bool(diagnostics)
    if laid is not None:
        check(changed)


@pytest.mark.parametrize(
    ("opening", "closing"),
    [
        ("(1 + ", ")"),
        ("{", "}"),
        ("{e for i in ", "}"),
        ("sum(1 for i in ", ")"),
        ("f(k = ", ")"),
        ("f({", "})"),
        ("x[", "]"),
    ],
)
def test_the_deepest_nesting_is_laid_out(opening: str, closing: str) -> None:
    depth = DEEPEST // len(closing)
    check(f"{TOP}param n = {opening * depth}{'-' * (LONGEST_CHAIN - 2 * depth)}1{closing * depth}")


def test_every_statement_and_every_node_can_be_made() -> None:
    seen: set[str] = set()
    for name, statements in STATEMENTS.items():
        kinds = set()
        for text in made(statements):
            kinds.add(type(read(text).statements[0]).__name__)
            seen.update(type(node).__name__ for node in nodes(read(text)))
        assert kinds == {name.split()[0].capitalize()}
    kinds = {
        kind.__name__ for kind in vars(syntax).values() if isinstance(kind, type) and issubclass(kind, syntax.Node)
    }
    assert kinds - seen == {"Declaration", "Expr", "Node", "Statement"}


def made(statements: Some) -> list[str]:
    """Texts of one statement."""
    found: list[str] = []

    @given(HEAD, statements, st.integers(0, 2**32))
    @settings(max_examples=15, database=None, derandomize=True, suppress_health_check=SLOW)
    def make(head: Words, statement: Words, seed: int) -> None:
        found.append(laid_out((*head, *opened(statement, head)), seed))

    make()
    return found


def nodes(part: object) -> Iterator[object]:
    """Everything a file holds."""
    if isinstance(part, tuple):
        for each in part:
            yield from nodes(each)
    elif is_dataclass(part) and not isinstance(part, Source | Span):
        yield part
        for each in fields(part):
            yield from nodes(getattr(part, each.name))


# ---- golden pairs ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", PAIRS, ids=lambda p: p.stem)
def test_golden_pairs(path: Path) -> None:
    laid = check(path.read_bytes().decode())
    golden = path.with_suffix(".out.colo")
    if os.environ.get("UPDATE_GOLDENS") == "1":
        golden.write_bytes(laid.encode())
    assert laid == golden.read_bytes().decode()


@pytest.mark.parametrize("path", SPECS, ids=lambda p: p.stem)
def test_shipped_specs_are_laid_out(path: Path) -> None:
    text = path.read_bytes().decode()
    assert check(text) == text, f"run `colosseum fmt {path.name}`"


@pytest.mark.parametrize("text", REAL, ids=range(len(REAL)))
def test_only_texts_and_comments_stick_out(text: str) -> None:
    source = Source("text.colo", formatted(text))
    texts = [t for t in lex(source).tokens if t.type in ("STRING", "LONG_STRING")]
    ends = [(source.position(t.start)[0], source.position(t.end)[0]) for t in texts]
    excused = {line for first, last in ends for line in range(first, last + 1)}
    excused |= {comment.span.line for comment in read(source.text).comments}
    lines = enumerate(source.text.split("\n"), start=1)
    assert [line for number, line in lines if len(line) > WIDTH and number not in excused] == []


# ---- brackets ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("((a))", "a"),
        ("(a + b)", "a + b"),
        ("(a + b) + c", "a + b + c"),
        ("a + (b + c)", "a + (b + c)"),
        ("(a * b) + c", "(a * b) + c"),
        ("((a * b)) + c", "(a * b) + c"),
        ("(a and b) or c", "(a and b) or c"),
        ("a if b else (c if d else e)", "a if b else c if d else e"),
        ("(a if b else c) if d else e", "(a if b else c) if d else e"),
        ("-(a)", "-a"),
        ("-(a * b)", "-(a * b)"),
        ("- - a", "--a"),
        ("not (a == b)", "not (a == b)"),
        ("(a == b) == c", "(a == b) == c"),
        ("(cost[a])[b]", "cost[a][b]"),
        ("f((a + b), (c))", "f(a + b, c)"),
        ("{(a), (b + c)}", "{a, b + c}"),
        ("((a, b))", "(a, b)"),
        ("(1) .. (n - 1)", "1..(n - 1)"),
        ("sum((e) for i in (S) where (c) when (d))", "sum(e for i in S where c when d)"),
        ("sum(e for i in (a or b))", "sum(e for i in (a or b))"),
    ],
)
def test_brackets_stay_where_they_matter(written: str, meant: str) -> None:
    check(f"{TOP}param p = {written}")
    assert only(f"param p = {written}") == f"param p = {meant}\n"


# ---- texts and numbers --------------------------------------------------------------------------------------------


def test_numbers_and_texts_stay_as_they_are_written() -> None:
    statement = 'param p = f(0.50, 007, 1E3, "a \\" \\n  b", $20)\n'
    assert only(statement) == statement


@pytest.mark.parametrize(
    ("written", "laid"),
    [
        ('"""one"""', ' """one"""'),
        ('"""\n a\n   b\n"""', ' """\n  a\n    b\n"""'),
        ('"""\n\n a\n\n b\n\n      """', ' """\n\n  a\n\n  b\n\n"""'),
        ('"""a\n    b"""', ' """\n  a\n  b\n"""'),
        ('"""  a\n  b\n"""', ' """\n    a\n  b\n"""'),
        ('"""\n"""', ' """"""'),
    ],
)
def test_long_texts_are_indented_with_their_statement(written: str, laid: str) -> None:
    check(f"{TOP}prompt p for agents {written}")
    assert only(f"prompt p for agents {written}") == f"prompt p for agents{laid}\n"


def test_a_long_text_that_would_change_stays_as_it_is() -> None:
    written = 'prompt p for agents """\n  a\r\r\n  b\n  """\n'
    assert only(written) == written
    written = 'prompt p for agents """\n  a\r"""\n'
    check(TOP + written)
    assert only(written) == written


# ---- whole files -----------------------------------------------------------------------------------------------------


def test_a_text_with_mistakes_is_not_laid_out() -> None:
    text, diagnostics = lay_out(Source("text.colo", TOP + "param a = = 1"))
    assert text is None
    assert [d.code for d in diagnostics] == ["C017"]


def test_lines_end_as_the_first_one_does() -> None:
    assert formatted("colosseum 1\r\nscenario s\nparam a=1") == "colosseum 1\r\nscenario s\r\n\r\nparam a = 1\r\n"
    assert formatted("colosseum 1\nscenario s\r\n\r\n") == "colosseum 1\nscenario s\n"


def test_blank_lines_stay_one_at_a_time() -> None:
    text = (
        "\n\n# top\n\n\ncolosseum 1\n\nscenario s\nparam a = 1\n\n\n\nset b = {}\nexperiment e { x 1 }\nset c = {}\n\n"
    )
    found = "# top\n\ncolosseum 1\nscenario s\n\nparam a = 1\n\nset b = {}\n\nexperiment e { x 1 }\n\nset c = {}\n"
    assert formatted(text) == found


def test_a_comment_in_brackets_that_go_stands_behind_the_comma() -> None:
    found = check("colosseum 1\nscenario s\nparam a = max(((1 # one\n)), (2) # two\n)")
    assert "param a = max(1,  # one\n              2  # two\n  )" in found
