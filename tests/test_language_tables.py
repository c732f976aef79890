"""The cached parser tables: used when whole and ours, built anew in every other case."""

import json
import os
from pathlib import Path

import pytest

from colosseum.language.tables import build_tables, cache_folder, cached_tables

GRAMMAR = 'statement: NAME ("." NAME)+\nNAME: /[a-z]+/\n%ignore " "\n'
"""A small one: that of the language takes a second to build, and is read by all other tests."""


def saved(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.is_dir() else []


def works(grammar: str, folder: Path | None) -> None:
    used, made = cached_tables(grammar, folder), json.loads(json.dumps(build_tables(grammar)))
    assert json.loads(json.dumps(used["rules"])) == made["rules"]
    assert used["pattern"] == made["pattern"]
    assert len(used["rows"]) == len(made["rows"])  # Lark numbers states by chance


def test_tables_are_left_in_a_private_folder_and_used_again(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "colosseum"
    works(GRAMMAR, folder)
    (file,) = saved(folder)
    assert folder.stat().st_mode & 0o777 == 0o700
    before = file.stat()
    works(GRAMMAR, folder)
    assert saved(folder) == [file]
    assert file.stat().st_mtime_ns == before.st_mtime_ns


@pytest.mark.parametrize("damage", [b"", b"nonsense", b"\x80\x05.", b"{}", b"1", None])
def test_a_damaged_file_is_replaced(tmp_path: Path, damage: bytes | None) -> None:
    folder = tmp_path / "colosseum"
    works(GRAMMAR, folder)
    (file,) = saved(folder)
    whole = file.read_bytes()
    file.write_bytes(whole[:-1] if damage is None else damage)
    works(GRAMMAR, folder)
    assert json.loads(file.read_bytes())["rules"] == json.loads(whole)["rules"]
    assert saved(folder) == [file]


def test_another_grammar_has_another_file(tmp_path: Path) -> None:
    folder = tmp_path / "colosseum"
    works(GRAMMAR, folder)
    works(GRAMMAR + "\n// a remark\n", folder)
    assert len(saved(folder)) == 2


def test_a_folder_that_others_may_write_is_not_trusted(tmp_path: Path) -> None:
    folder = tmp_path / "colosseum"
    folder.mkdir()
    folder.chmod(0o777)
    works(GRAMMAR, folder)
    assert saved(folder) == []


def test_a_link_in_place_of_the_folder_is_not_trusted(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    (tmp_path / "colosseum").symlink_to(tmp_path / "elsewhere")
    works(GRAMMAR, tmp_path / "colosseum")
    assert saved(tmp_path / "elsewhere") == []


def test_a_file_in_place_of_the_folder_only_costs_time(tmp_path: Path) -> None:
    (tmp_path / "colosseum").write_text("")
    works(GRAMMAR, tmp_path / "colosseum")
    works(GRAMMAR, tmp_path / "colosseum" / "below")


def test_a_folder_in_place_of_the_file_only_costs_time(tmp_path: Path) -> None:
    folder = tmp_path / "colosseum"
    works(GRAMMAR, folder)
    (file,) = saved(folder)
    file.unlink()
    file.mkdir()
    works(GRAMMAR, folder)
    assert saved(folder) == [file]


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write everywhere")
def test_a_folder_that_cannot_be_written_only_costs_time(tmp_path: Path) -> None:
    folder = tmp_path / "colosseum"
    folder.mkdir(mode=0o500)
    works(GRAMMAR, folder)
    works(GRAMMAR, folder / "below")
    assert saved(folder) == []


def test_no_home_means_no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    works(GRAMMAR, None)
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert cache_folder() == Path("/somewhere/colosseum")
    monkeypatch.setenv("XDG_CACHE_HOME", "not/absolute")
    assert cache_folder() != Path("not/absolute/colosseum")
