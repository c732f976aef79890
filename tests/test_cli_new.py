"""`colosseum new`: whatever it writes checks, nothing is ever replaced, and every refusal says what to do."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import SPECS as FOLDER
from test_cli_commands import colosseum, read
from test_model_serial import shipped_scenario

from colosseum.language.copying import shipped_specs
from colosseum.model.check import check

SPECS = sorted(p.stem for p in FOLDER.glob("*.colo"))


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def files(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


# ---- what it writes ----------------------------------------------------------------------------------------------


def test_a_new_spec_checks_and_audits_as_it_is(tmp_path: Path) -> None:
    done = colosseum("new", "mine")
    assert (done.returncode, done.stdout) == (0, "wrote mine.colo\n")
    assert [line.split()[:3] for line in done.stderr.splitlines()[1:]] == [
        ["colosseum", command, "mine.colo"] for command in ("check", "compile", "audit")
    ]
    assert list(files(tmp_path)) == ["mine.colo"]
    checked = colosseum("check", "mine.colo")
    assert (checked.returncode, checked.stderr) == (0, ""), "it has seeds enough, and a placebo arm"
    solved = read("compile", "mine.colo")
    assert (solved["scenario"], solved["optimum"]["status"]) == ("mine", "optimal")
    card = read("plan", "mine.colo")["card"]
    assert card["opportunity"]["value"] > 0.5, "there is much to take, and all readings are possible"
    assert not any(figure["reason"] for figure in card["possible"].values())
    report = read("audit", "mine.colo", "--seeds", "1..2")
    assert json.dumps(report).count("mine") > 0
    assert len(list((tmp_path / "runs").glob("*/runs/*.jsonl"))) == 10


def test_the_starter_has_a_remark_on_every_part() -> None:
    colosseum("new", "mine")
    parts = Path("mine.colo").read_text(encoding="utf-8").split("\n\n")
    assert all(part.startswith("# ") for part in parts[1:])
    assert len(parts) >= 8


@pytest.mark.parametrize("spec", SPECS)
def test_a_copy_is_the_original_by_another_name(spec: str) -> None:
    done = colosseum("new", "deep/down/other", "--from", spec)
    assert done.returncode == 0, done.stderr
    before, after = ((place / f"{name}.colo").read_text(encoding="utf-8") for place, name in (
        (FOLDER, spec), (Path("deep/down"), "other")))  # fmt: skip
    assert after == re.sub(rf"^scenario {spec}\b", "scenario other", before, count=1, flags=re.MULTILINE)
    written = {line.removeprefix("wrote deep/down/") for line in done.stdout.splitlines()}
    assert written == set(files(Path("deep/down")))
    assert all((FOLDER / path).exists() for path in written - {"other.colo"})


@pytest.mark.parametrize("spec", ["jira_real", "jira_studies", "toy"])
def test_a_copy_is_the_same_game(spec: str) -> None:
    assert colosseum("new", "other", "--from", spec).returncode == 0
    copy, diagnostics = check("other.colo")
    assert copy is not None, diagnostics
    assert copy.expansion.scenario == replace(shipped_scenario(FOLDER / f"{spec}.colo"), name="other")


def test_a_copy_brings_what_it_uses_and_reads() -> None:
    written = ("sprint.colo", "jira.colo", "data/sprint_tasks.csv", "data/sprint_priority.csv", "data/sprint_cost.csv")
    said = colosseum("new", "sprint", "--from", "jira_real").stdout
    assert said.splitlines() == [f"wrote {path}" for path in written]


def test_names_may_have_letters_of_any_alphabet() -> None:
    assert colosseum("new", "größe.colo").returncode == 0
    assert colosseum("check", "größe.colo").returncode == 0


# ---- what it lists -----------------------------------------------------------------------------------------------


def test_the_list_has_every_shipped_spec_and_its_title() -> None:
    assert list(shipped_specs()) == SPECS
    lines = colosseum("new", "--list").stdout.splitlines()
    assert [line.split()[0] for line in lines] == SPECS
    assert "Six engineers share out eight tickets" in lines[SPECS.index("jira")]
    assert all(shipped_specs().values())


# ---- what it refuses ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("my game", "`my game` cannot name a scenario: names have letters, digits and `_`|`colosseum new my_game`"),
        ("a/my-game", "`my-game` cannot name a scenario|`colosseum new a/my_game`"),
        ("3x", "begin with no digit|`colosseum new my_3x`"),
        ("table", "`table` cannot name a scenario|are no reserved words|`colosseum new my_table`"),
        ("a/", "the new spec needs a name|`colosseum new a/my_scenario`"),
        ("", "the new spec needs a name|`colosseum new my_scenario`"),
        ("..", "cannot name a scenario|`colosseum new my_scenario`"),
        ("x.txt", "cannot name a scenario|`colosseum new x_txt`"),
    ],
)
def test_a_name_that_does_not_fit_is_explained(name: str, words: str, tmp_path: Path) -> None:
    done = colosseum("new", name)
    assert done.returncode == 2
    assert all(part in done.stderr for part in words.split("|")), done.stderr
    assert files(tmp_path) == {}
    suggested = done.stderr.partition("as in `colosseum new ")[2].partition("`")[0]
    assert colosseum("new", suggested).returncode == 0


def test_no_name_at_all() -> None:
    done = colosseum("new")
    assert done.returncode == 2
    assert "the new spec needs a name" in done.stderr


def test_an_unknown_origin_lists_what_ships(tmp_path: Path) -> None:
    done = colosseum("new", "mine", "--from", "jirra")
    assert done.returncode == 2
    assert "no spec named `jirra` ships with colosseum" in done.stderr
    assert "did you mean `jira`?" in done.stderr
    assert all(title in done.stderr for title in shipped_specs().values())
    assert colosseum("new", "mine", "--from", "../specs/jira").returncode == 2
    assert files(tmp_path) == {}


@pytest.mark.parametrize("there", ["mine.colo", "jira.colo", "data/sprint_cost.csv"])
def test_nothing_is_replaced_and_nothing_half_written(there: str, tmp_path: Path) -> None:
    place = tmp_path / there
    place.parent.mkdir(exist_ok=True)
    place.write_text("mine alone\n")
    done = colosseum("new", "mine", "--from", "jira_real")
    assert done.returncode == 2
    assert f"`{there}` is there already; nothing was written" in done.stderr
    assert files(tmp_path) == {there: b"mine alone\n"}


def test_a_folder_in_the_way_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "mine.colo").mkdir()
    (tmp_path / "plain").write_text("")
    assert colosseum("new", "mine").returncode == 2
    done = colosseum("new", "plain/mine")
    assert done.returncode == 2
    assert "cannot write" in done.stderr
    assert files(tmp_path) == {"plain": b""}


def test_two_copies_share_the_files_they_read(tmp_path: Path) -> None:
    assert colosseum("new", "one", "--from", "jira_real").returncode == 0
    before = files(tmp_path)
    done = colosseum("new", "two", "--from", "jira_real")
    assert (done.returncode, done.stdout) == (0, "wrote two.colo\n")
    assert {k: v for k, v in files(tmp_path).items() if k != "two.colo"} == before
    assert colosseum("new", "jira", "--from", "jira_real").returncode == 2
