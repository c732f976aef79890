"""`colosseum view`: the page of a campaign as a file of its folder."""

from pathlib import Path

from audited import scripted
from conftest import MATCH, SPECS
from test_cli_commands import colosseum


def test_a_campaign_is_a_file(tmp_path: Path) -> None:
    runs = scripted(tmp_path, text=MATCH)
    done = colosseum("view", runs, "--no-browser")
    assert done.returncode == 0
    assert done.stdout == ""
    assert str(runs / "report.html") in "".join(done.stderr.split())
    assert (runs / "report.html").read_text(encoding="utf-8").rstrip().endswith("</html>")
    assert colosseum("log", "verify", runs).returncode == 0


def test_what_is_no_campaign_is_not_shown() -> None:
    done = colosseum("view", SPECS, "--no-browser")
    assert done.returncode == 2
    assert "holds no campaign" in done.stderr
    assert not (SPECS / "report.html").exists()
