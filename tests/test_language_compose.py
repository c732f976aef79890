"""Files that use files: what is brought in, what is replaced, and what is refused."""

import os
from pathlib import Path

import pytest

from colosseum.diagnostics import CODES, Source, render_text
from colosseum.language import Composition, load, shipped, syntax
from colosseum.language.files import LARGEST

BAD = Path(__file__).parent / "bad"
HEAD = 'colosseum 1\nscenario s "t"\n'


@pytest.mark.parametrize("name", sorted(p.name for p in BAD.glob("compose_*.colo")))
def test_a_bad_composition_says_what_is_wrong(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(BAD)
    said = render_text(load(name)[1])
    golden = (BAD / name).with_suffix(".txt")
    if os.environ.get("UPDATE_GOLDENS") == "1":
        golden.write_text(said, encoding="utf-8")
    assert said == golden.read_text(encoding="utf-8")


def test_every_code_about_composition_has_a_bad_file() -> None:
    said = "".join(path.read_text(encoding="utf-8") for path in BAD.glob("compose_*.txt"))
    missing = [code for code in CODES if "C030" <= code <= "C039" and f"[{code}]" not in said]
    assert missing == []


def compose(folder: Path, files: dict[str, str], *, main: str = "main.colo") -> tuple[Composition | None, str]:
    """Write files with a head each and load the main one."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(HEAD + text, encoding="utf-8")
    composition, diagnostics = load(folder / main)
    return composition, render_text(diagnostics)


def names(composition: Composition | None) -> list[str]:
    assert composition is not None
    return [statement.name for statement in composition.statements]


def test_a_used_file_stands_where_its_use_stands(tmp_path: Path) -> None:
    composition, said = compose(
        tmp_path,
        {
            "main.colo": 'param a = 1\nuse "parts/one.colo"\nparam z = 1\n',
            "parts/one.colo": 'param b = 1\nuse "two.colo"\nparam d = 1\n',
            "parts/two.colo": "param c = 1\n",
        },
    )
    assert said == ""
    assert names(composition) == ["a", "b", "c", "d", "z"]
    assert composition is not None
    assert [Path(s.name).relative_to(tmp_path).as_posix() for s in composition.sources] == [
        "main.colo",
        "parts/one.colo",
        "parts/two.colo",
    ]
    assert composition.source is composition.sources[0]
    assert composition.source.path == (tmp_path / "main.colo").resolve()
    assert composition.scenario.span.source is composition.source


def test_an_override_takes_the_place_of_what_it_replaces(tmp_path: Path) -> None:
    composition, said = compose(
        tmp_path,
        {
            "main.colo": 'use "one.colo"\noverride param b = 3\noverride agents X, Y\n',
            "one.colo": 'use "two.colo"\nagents A\noverride param b = 2\n',
            "two.colo": "param b = 1\nnetwork ring\n",
        },
    )
    assert said == ""
    assert names(composition) == ["b", "network", "agents"]
    assert composition is not None
    assert [s.span.text for s in composition.statements] == ["param b = 3", "network ring", "agents X, Y"]
    assert [s.span.text for s in composition.overridden] == ["param b = 1", "param b = 2", "agents A"]
    assert not any(isinstance(s, syntax.Override | syntax.Use) for s in composition.statements)


def test_a_file_used_twice_is_brought_in_once(tmp_path: Path) -> None:
    composition, said = compose(
        tmp_path,
        {
            "main.colo": 'use "one.colo"\nuse "two.colo"\nuse "./two.colo"\n',
            "one.colo": 'use "two.colo"\n',
            "two.colo": "param b = 1\n",
        },
    )
    assert said == ""
    assert names(composition) == ["b"]


def test_experiments_have_a_namespace_of_their_own(tmp_path: Path) -> None:
    composition, said = compose(tmp_path, {"main.colo": "param e = 1\nexperiment e { arm a { } }\n"})
    assert said == ""
    assert names(composition) == ["e", "e"]


def test_points_up_are_followed_while_they_stay_inside(tmp_path: Path) -> None:
    composition, said = compose(
        tmp_path,
        {"main.colo": 'use "a/one.colo"\n', "a/one.colo": 'use "../b/two.colo"\n', "b/two.colo": "param p = 1\n"},
    )
    assert said == ""
    assert names(composition) == ["p"]


def test_a_link_out_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "secret.colo").write_text(HEAD)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "link.colo").symlink_to(tmp_path / "secret.colo")
    (tmp_path / "in" / "folder").symlink_to(tmp_path)
    texts = {"in/main.colo": 'use "link.colo"\nuse "folder/secret.colo"\n'}
    said = compose(tmp_path, texts, main="in/main.colo")[1]
    assert said.count("error[C032]") == 2


def test_a_link_inside_the_folder_is_followed(tmp_path: Path) -> None:
    (tmp_path / "link.colo").symlink_to(tmp_path / "one.colo")
    composition, said = compose(
        tmp_path, {"main.colo": 'use "link.colo"\nuse "one.colo"\n', "one.colo": "param b = 1\n"}
    )
    assert said == ""
    assert names(composition) == ["b"]


def test_a_chain_of_files_is_bounded(tmp_path: Path) -> None:
    files = {f"f{i}.colo": f'use "f{i + 1}.colo"\nparam p{i} = 1\n' for i in range(20)}
    said = compose(tmp_path, files, main="f0.colo")[1]
    assert said.startswith("error[C033]: more than 16 files use each other in a chain")
    assert compose(tmp_path, {**files, "f15.colo": "param last = 1\n"}, main="f0.colo")[1] == ""


def test_loops_of_links_and_odd_paths_are_diagnostics(tmp_path: Path) -> None:
    (tmp_path / "loop.colo").symlink_to(tmp_path / "loop.colo")
    long = "x" * 5000
    for path in ("loop.colo", "a\0b.colo", long):
        said = compose(tmp_path, {"main.colo": f'use "{path}"\n'})[1]
        assert said.startswith("error[C03")
        assert load(tmp_path / path)[1]


def test_only_regular_files_of_a_bounded_size_are_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.colo")
    (tmp_path / "large.colo").write_bytes(b" " * (LARGEST + 1))
    (tmp_path / "bytes.colo").write_bytes(HEAD.encode() + b"# \xff\n")
    for name, code in (("pipe.colo", "C030"), ("large.colo", "C031"), ("bytes.colo", "C031"), ("none.colo", "C030")):
        composition, diagnostics = load(tmp_path / name)
        assert composition is None
        assert [(d.code, d.span) for d in diagnostics] == [(code, None)]


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read everything")
def test_an_unreadable_file_is_a_diagnostic(tmp_path: Path) -> None:
    path = tmp_path / "main.colo"
    path.write_text(HEAD)
    path.chmod(0)
    assert [d.code for d in load(path)[1]] == ["C030"]


def test_a_byte_order_mark_is_dropped(tmp_path: Path) -> None:
    (tmp_path / "main.colo").write_bytes(b"\xef\xbb\xbf" + HEAD.encode() + b"param n = 1\n")
    composition, diagnostics = load(str(tmp_path / "main.colo"))
    assert diagnostics == []
    assert names(composition) == ["n"]


def test_every_shipped_spec_composes() -> None:
    for path in sorted(shipped("specs").glob("*.colo")):
        composition, diagnostics = load(path)
        assert render_text(diagnostics) == ""
        assert composition is not None
        assert isinstance(composition.source, Source)
