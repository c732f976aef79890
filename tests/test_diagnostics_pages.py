"""What is explained about codes: every code has a page, wrong examples give it, right ones do not."""

import ast
import contextlib
import re
from pathlib import Path

import pytest
from test_cli_commands import Done, colosseum

from colosseum.diagnostics import CODES, Diagnostic, Severity, render_text
from colosseum.diagnostics.page import FENCE, FOLDER, SPEC, Example, read_page
from colosseum.evidence.figures import REGISTRY
from colosseum.language.words import phrases
from colosseum.model.check import check

WRITTEN = sorted(path.stem for path in FOLDER.iterdir())
WIDEST = 76
"""A line of an example fits on a terminal of 80 columns, indented."""


def checked(example: Example, folder: Path) -> list[Diagnostic]:
    """What a check of the example's spec says, read in a folder of its own."""
    lay_out(example, folder)
    with contextlib.chdir(folder):
        return check(SPEC)[1]


def ran(example: Example, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Done:
    """What the last of the example's commands says, run in a folder of its own."""
    lay_out(example, folder)
    monkeypatch.chdir(folder)
    return [colosseum(*arguments) for arguments in example.commands][-1]


def lay_out(example: Example, folder: Path) -> None:
    for file in example.files:
        (folder / file.name).parent.mkdir(parents=True, exist_ok=True)
        (folder / file.name).write_bytes(file.content)


# ---- the table -------------------------------------------------------------------------------------------------


def test_the_table_has_what_the_source_can_report_and_nothing_else() -> None:
    package = FOLDER.parents[1]
    said = {
        node.value
        for path in package.rglob("*.py")
        if path.name != "codes.py"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and re.fullmatch(r"[CW]\d{3}", node.value)
    }
    clues = (clue for group in phrases()["clues"].values() for clue in group)
    assert said | {clue["code"] for clue in clues if "code" in clue} == set(CODES)


def test_every_code_about_a_spec_has_a_bad_one() -> None:
    goldens = "".join(path.read_text(encoding="utf-8") for path in (Path(__file__).parent / "bad").glob("*.txt"))
    assert [c for c in CODES if not read_page(c).wrong.commands and f"[{c}]" not in goldens] == []


def test_every_code_has_a_page_and_every_page_a_code() -> None:
    assert sorted(CODES) == WRITTEN


# ---- the pages -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("code", WRITTEN)
def test_a_wrong_example_gives_its_code(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = read_page(code).wrong
    if wrong.commands:
        done = ran(wrong, tmp_path, monkeypatch)
        warns = code.startswith("W")
        assert (done.returncode, done.stderr.count("error[")) == ((0, 0) if warns else (2, 1)), done.stderr
        assert f"{'warning' if warns else 'error'}[{code}]" in done.stderr
        return
    said = checked(wrong, tmp_path)
    grave = [d.code for d in said if d.severity is Severity.ERROR]
    assert said, "nothing is said"
    assert (said if code.startswith("W") else [d for d in said if d.severity is Severity.ERROR])[0].code == code
    assert set(grave) <= {code}, render_text(said)


@pytest.mark.parametrize("code", WRITTEN)
def test_a_right_example_is_well(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    right = read_page(code).right
    if right.commands:
        done = ran(right, tmp_path, monkeypatch)
        assert done.returncode == 0, done.stderr
        assert "error[" not in done.stderr
        assert f"[{code}]" not in done.stderr
    else:
        assert render_text(checked(right, tmp_path)) == ""


@pytest.mark.parametrize("code", WRITTEN)
def test_a_page_reads_well(code: str) -> None:
    found = read_page(code)
    sentences = found.meaning.count(". ") + found.meaning.count("? ") + 1
    assert 2 <= sentences <= 5
    assert found.meaning.endswith(".")
    assert found.wrong != found.right
    assert [c[:1] for c in found.wrong.commands][-1:] == [c[:1] for c in found.right.commands][-1:]
    for example in (found.wrong, found.right):
        lines = [line for file in example.files for line in file.text.splitlines()]
        assert len(lines) <= 30
        assert max(map(len, lines)) <= WIDEST


@pytest.mark.parametrize("code", WRITTEN)
def test_a_page_has_two_examples_and_nothing_but_fences_in_them(code: str) -> None:
    text = (FOLDER / f"{code}.md").read_text(encoding="utf-8")
    meaning, *parts = re.split(r"^## (Wrong|Right)\n", text, flags=re.MULTILINE)
    assert meaning.strip()
    assert parts[::2] == ["Wrong", "Right"]
    for part in parts[1::2]:
        assert FENCE.sub("", part).strip() == ""
        assert all(line.startswith("colosseum ") for line in re.findall(r"^```sh\n(.*)", part, re.MULTILINE))
    for example in (read_page(code).wrong, read_page(code).right):
        assert len({file.name for file in example.files}) == len(example.files) > 0


# ---- the command -----------------------------------------------------------------------------------------------


def test_the_list_has_every_code_in_its_group() -> None:
    done = colosseum("explain", COLUMNS="100")
    assert (done.returncode, done.stderr) == (0, "")
    assert [line[2:] for line in done.stdout.splitlines() if re.match(r"  [CW]\d{3}  ", line)] == [
        f"{c.code}  {c.title}" for c in CODES.values()
    ]
    assert list(CODES) == sorted(CODES)
    firsts = re.findall(r"^  (\S+)(?:  .*)?$", done.stdout, re.MULTILINE)
    assert all(name in firsts or {name[:24], name[24:]} <= {*firsts} for name in REGISTRY)


@pytest.mark.parametrize("code", [c for c in WRITTEN if c != "C124"])
def test_a_code_is_explained_with_what_is_really_said(code: str) -> None:
    found = read_page(code)
    done = colosseum("explain", code, COLUMNS="60")
    assert (done.returncode, done.stderr) == (0, "")
    assert "\x1b" not in done.stdout
    lines = done.stdout.splitlines()
    assert lines[0].startswith(f"{code}  {CODES[code].title[:20]}")
    heads = [line.partition(" ─")[0] for line in lines]
    wrong, said, right = (heads.index(head) for head in ("Wrong", "What Colosseum says", "Right"))
    assert wrong < said < right
    shown = [line.rstrip() for line in lines[right:]]
    assert {line.rstrip() for file in found.right.files for line in file.text.splitlines()} <= {*shown}
    assert any(f"[{code}]: " in line for line in lines[said:right])
    assert "explain: " not in done.stdout


@pytest.mark.parametrize("words", ["c041", "41", "error[C041]", " C41 "])
def test_a_code_may_be_written_as_it_comes(words: str) -> None:
    assert colosseum("explain", words).stdout == colosseum("explain", "C041").stdout


@pytest.mark.parametrize(
    ("words", "help_"),
    [
        ("C039", "did you mean `C0"), ("claim", "C085"), ("C999", "lists all codes"), ("", "lists all codes"),
        ("../C041", "did you mean `C041`"), ("C\u0664\u0661", "lists all codes"), ("0" * 5000, "lists all codes"),
    ],
)  # fmt: skip
def test_an_unknown_code_is_told(words: str, help_: str) -> None:
    done = colosseum("explain", words)
    assert (done.returncode, done.stdout) == (2, "")
    assert "error[C122]: there is no code" in done.stderr
    assert help_ in done.stderr


def test_colour_where_it_is_wanted() -> None:
    for code in ("C101", "W001", "C041"):
        assert "\x1b[" in colosseum("explain", code, FORCE_COLOR="1").stdout
        plain = colosseum("explain", code, FORCE_COLOR="1", NO_COLOR="1").stdout
        assert not re.search(r"\x1b\[[0-9;]*3[0-9]", plain)


def test_errors_end_with_the_command_that_explains_them(tmp_path: Path) -> None:
    for code in ("C041", "W001"):
        lay_out(read_page(code).wrong, tmp_path)
        (tmp_path / SPEC).rename(tmp_path / f"{code}.colo")
    lay_out(read_page("C015").wrong, tmp_path)
    done = colosseum("check", tmp_path / "C041.colo", tmp_path / "W001.colo", tmp_path / SPEC)
    assert done.stderr.splitlines()[-1] == "explain: colosseum explain C041 (also C015)"
    assert done.stderr.count("explain: ") == 1
    assert "explain: " not in colosseum("check", tmp_path / "W001.colo").stderr
    assert "explain: " not in colosseum("check", tmp_path / "C041.colo", "--json").stderr
    assert colosseum("compile", tmp_path / "C041.colo").stderr.endswith("explain: colosseum explain C041\n")
