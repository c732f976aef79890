"""Completion, as bash asks for it: by the function that the command itself prints."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from audited import scripted
from conftest import MATCH, SPECS
from test_cli_commands import colosseum

BASH = shutil.which("bash")
SWEPT = MATCH.replace("experiment e {", "param worth = 1\nexperiment e { sweep worth in 1, 2 ")


def completed(*words: object) -> list[str]:
    """What bash offers for the last word."""
    script = """
    eval "$(_COLOSSEUM_COMPLETE=source_bash colosseum)"
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
    _colosseum_completion colosseum
    printf '%s\\n' "${COMPREPLY[@]}"
    """
    asked = [str(BASH), "-c", script, "bash", "colosseum", *map(str, words)]
    path = f"{Path(sys.executable).parent}:/usr/bin:/bin"
    done = subprocess.run(asked, env={"PATH": path}, capture_output=True, text=True)
    return done.stdout.split()


@pytest.mark.skipif(BASH is None, reason="there is no bash here")
def test_bash_offers_the_names_of_the_spec() -> None:
    assert completed("compile", SPECS / "jira.colo", "--set", "") == ["engineers=", "tickets=", "insiders="]
    assert completed("audit", SPECS / "jira.colo", "--experiment", "topologies", "--arm", "pro") == ["prompted"]


def offered(*words: object) -> list[str]:
    """The same without a shell."""
    variables = {"_COLOSSEUM_COMPLETE": "complete_bash", "COMP_WORDS": " ".join(map(str, ("colosseum", *words, ""))),
                 "COMP_CWORD": str(len(words) + 1)}  # fmt: skip
    return colosseum(**variables).stdout.split()


def test_every_kind_of_name_is_offered_for_specs_and_folders(tmp_path: Path) -> None:
    folder = scripted(tmp_path, text=SWEPT)
    spec = next(tmp_path.glob("*.colo"))
    assert offered("prompts", spec, "--experiment") == ["e"]
    assert offered("frontier", spec, "--coalition") == offered("report", folder, "--coalition") == ["cabal"]
    assert offered("report", folder, "--point") == ["worth=1", "worth=2"]
    assert offered("audit", tmp_path / "none.colo", "--arm") == []
    spec.write_text(spec.read_text() + "reward broken: nowhere\n")
    assert offered("audit", spec, "--set") == ["worth="]
