"""`colosseum fmt`: what it writes, what it leaves alone, what it says, and with which exit code."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import SPECS
from typer.testing import CliRunner, Result

from colosseum.cli.commands import app

RAW = "colosseum 1\nscenario s\nparam  n=3 # three\n"
LAID = "colosseum 1\nscenario s\n\nparam n = 3  # three\n"
WRONG = "colosseum 1\nscenario s\nparam n 3\n"


def fmt(*arguments: object, text: str | bytes | None = None, color: bool = False) -> Result:
    environment = {"FORCE_COLOR": "1" if color else None, "NO_COLOR": None}
    done = CliRunner().invoke(app, ["fmt", *map(str, arguments)], input=text, env=environment)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    path = tmp_path / "spec.colo"
    path.write_text(RAW)
    return path


def test_a_file_is_rewritten_once(spec: Path) -> None:
    done = fmt(spec)
    assert (done.exit_code, done.stdout, done.stderr) == (0, "", "1 formatted\n")
    assert spec.read_text() == LAID
    before = spec.stat().st_mtime_ns
    done = fmt(spec)
    assert (done.exit_code, done.stderr) == (0, "1 unchanged\n")
    assert spec.stat().st_mtime_ns == before


def test_check_lists_what_would_change_and_changes_nothing(spec: Path) -> None:
    toy = SPECS / "toy.colo"
    done = fmt(spec, toy, "--check")
    assert (done.exit_code, done.stdout, done.stderr) == (1, f"{spec}\n", "1 would change, 1 unchanged\n")
    assert spec.read_text() == RAW
    assert fmt(toy, "--check").exit_code == 0


def test_diff_shows_what_would_change_and_changes_nothing(spec: Path) -> None:
    done = fmt(spec, "--diff")
    assert done.exit_code == 0
    header = f"--- {spec}\n+++ {spec} (formatted)\n@@ -1,3 +1,4 @@\n"
    lines = " colosseum 1\n scenario s\n-param  n=3 # three\n+\n+param n = 3  # three\n"
    assert done.stdout == header + lines
    assert fmt(spec, "--diff", "--check").exit_code == 1
    assert spec.read_text() == RAW


def test_a_diff_for_eyes_has_no_control_characters(spec: Path) -> None:
    spec.write_bytes(RAW.replace("three", "\x1b[2J").replace("\n", "\r\n").encode())
    assert "-param  n=3 # \\u001b[2J\n" in fmt(spec, "--diff", color=True).stdout
    assert b"-param  n=3 # \x1b[2J\r\n" in fmt(spec, "--diff").stdout_bytes


def test_a_diff_tells_that_the_last_line_does_not_end(spec: Path) -> None:
    spec.write_text(LAID.removesuffix("\n"))
    expected = "-param n = 3  # three\n\\ No newline at end of file\n+param n = 3  # three\n"
    assert fmt(spec, "--diff").stdout.endswith(expected)


def test_stdin_goes_to_stdout() -> None:
    done = fmt("-", text=RAW)
    assert (done.exit_code, done.stdout, done.stderr) == (0, LAID, "")
    assert fmt("-", text=LAID).stdout == LAID
    assert fmt("-", "--check", text=RAW).exit_code == 1
    assert fmt("-", "--check", text=RAW).stdout == "<stdin>\n"
    assert fmt("-", text=RAW.replace("\n", "\r\n").encode()).stdout_bytes == LAID.replace("\n", "\r\n").encode()


def test_mistakes_are_told_and_the_file_is_left_alone(spec: Path, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.colo"
    wrong.write_text(WRONG)
    done = fmt(wrong, spec)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith("error[C017]")
    assert done.stderr.endswith("1 formatted, 1 left as it is\n")
    assert (wrong.read_text(), spec.read_text()) == (WRONG, LAID)
    assert fmt(wrong, "--check").exit_code == 2
    assert fmt("-", text=WRONG).exit_code == 2


@pytest.mark.parametrize(
    ("content", "code"), [(b"colosseum 1\n\xff\n", "C031"), (b"#" * (4 * 1024 * 1024 + 1), "C031"), (b"", "C001")]
)
def test_what_is_no_text_is_left_alone(spec: Path, content: bytes, code: str) -> None:
    spec.write_bytes(content)
    for done in (fmt(spec), fmt("-", text=content)):
        assert done.exit_code == 2
        assert f"error[{code}]" in done.stderr
    assert spec.read_bytes() == content


def test_a_missing_file_and_a_folder_are_told(tmp_path: Path) -> None:
    done = fmt(tmp_path / "no.colo", tmp_path)
    assert done.exit_code == 2
    assert done.stderr.count("error[C030]") == 2


def test_a_file_keeps_its_mark_its_line_ends_and_its_permissions(spec: Path) -> None:
    spec.write_bytes(b"\xef\xbb\xbf" + RAW.replace("\n", "\r\n").encode())
    spec.chmod(0o640)
    assert fmt(spec).exit_code == 0
    assert spec.read_bytes() == b"\xef\xbb\xbf" + LAID.replace("\n", "\r\n").encode()
    assert stat.S_IMODE(spec.stat().st_mode) == 0o640
    assert fmt(spec, "--check").exit_code == 0


def test_a_link_is_followed_and_nothing_is_left_behind(spec: Path) -> None:
    link = spec.with_name("link.colo")
    link.symlink_to(spec.name)
    assert fmt(link).exit_code == 0
    assert link.is_symlink()
    assert spec.read_text() == LAID
    assert sorted(path.name for path in spec.parent.iterdir()) == ["link.colo", "spec.colo"]


def test_a_file_that_cannot_be_replaced_is_told(spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(part: Path, real: Path) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "replace", refuse)
    done = fmt(spec)
    assert done.exit_code == 2
    assert done.stderr.startswith(f"error[C122]: cannot write {spec}: Permission denied")
    assert [path.name for path in spec.parent.iterdir()] == ["spec.colo"]
    assert spec.read_text() == RAW


def test_names_mean_nothing_and_used_files_are_not_read(spec: Path) -> None:
    spec.write_text('colosseum 1\nscenario s\n\nuse "nowhere.colo"\noverride set x = {y}\n')
    assert fmt(spec, "--check").exit_code == 0


def test_the_command_itself_reads_and_writes_bytes() -> None:
    command = [sys.executable, "-m", "colosseum", "fmt", "-"]
    done = subprocess.run(command, input=RAW.encode(), capture_output=True, check=True)
    assert done.stdout == LAID.encode()
