"""Checking specs: every bad one says what its golden says, every good one is well, and nothing raises."""

from pathlib import Path

import pytest
from test_language_parser import golden

from colosseum.diagnostics import CODES, render_text
from colosseum.language import shipped
from colosseum.model.check import check

HERE = Path(__file__).parent
BAD = sorted(path.name for path in (HERE / "bad").glob("model_*.colo"))
GOOD = sorted((HERE / "good").glob("model_*.colo"))
SPECS = sorted(shipped("specs").glob("*.colo"))
ELSEWHERE = {"C091", "W010", "W011"}
"""Codes of the same range that the command line gives."""


@pytest.mark.parametrize("name", BAD)
def test_a_bad_spec_says_what_is_wrong(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(HERE / "bad")
    checked, diagnostics = check(name)
    assert diagnostics
    assert (checked is None) == (not name.startswith("model_warnings"))
    golden(HERE / "bad" / name, render_text(diagnostics))


def test_every_code_of_the_model_has_a_bad_file() -> None:
    said = "".join(path.read_text(encoding="utf-8") for path in (HERE / "bad").glob("model_*.txt"))
    known = [c for c in CODES if ("C040" <= c <= "C099" or c.startswith("W")) and c not in ELSEWHERE]
    assert [code for code in known if f"[{code}]" not in said] == []


@pytest.mark.parametrize("path", [*GOOD, *SPECS], ids=lambda p: p.stem)
def test_a_good_spec_has_no_diagnostics(path: Path) -> None:
    checked, diagnostics = check(path)
    assert render_text(diagnostics) == ""
    assert checked is not None
