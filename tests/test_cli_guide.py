"""The guides and the README: their shell lines and Python run as they stand, in a folder with `toy.colo` alone.

A block `sh` is run; `sh model` needs a key, a network or minutes, so that only its commands and options are looked up;
`sh install` is what others run. A block `json NAME` is a file of that name.
"""

import contextlib
import io
import json
import pkgutil
import re
import shlex
import shutil
from pathlib import Path

import pytest
from reference import PIECE, ROOT
from test_cli_commands import colosseum
from typer.main import get_command

import colosseum as api
from colosseum.campaign.work import Request
from colosseum.cli.commands import app
from colosseum.cli.guide import PAGES, guide_pages
from colosseum.language.copying import new_spec
from colosseum.language.files import read_source

GUIDES = sorted(page.stem for page in PAGES.glob("*.md"))
README = ROOT / "README.md"
TEXTS = {name: (PAGES / f"{name}.md").read_text(encoding="utf-8") for name in GUIDES} | {
    "front": README.read_text(encoding="utf-8")
}


def test_every_topic_is_listed_and_printed() -> None:
    listed = colosseum("guide").stdout
    assert sorted(re.findall(r"^ • (\w+):", listed, re.MULTILINE)) == sorted(guide_pages())
    for topic, page in guide_pages().items():
        shown = colosseum("guide", topic).stdout.splitlines()
        assert page.read_text(encoding="utf-8").split("\n")[0].removeprefix("# ") in " ".join(shown[:3])
        assert max(map(len, shown)) <= 80
    unknown = colosseum("guide", "modles")
    assert (unknown.returncode, "`models`" in unknown.stderr) == (2, True)


@pytest.mark.parametrize("name", TEXTS)
def test_what_a_page_shows_runs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    new_spec("toy", "toy")
    if name == "front":
        shutil.copytree(ROOT / "specs", "specs")
        spec = Path("specs/bidding.colo")
        spec.write_text(spec.read_text(encoding="utf-8").replace("seeds 1..20", "seeds 1..3"), encoding="utf-8")
        assert colosseum("audit", spec).returncode == 0
    for piece in PIECE.finditer(TEXTS[name]):
        match piece["info"].split():
            case ["sh"]:
                for words in commands(piece["code"]):
                    done = colosseum(*words)
                    assert done.returncode == 0, (words, done.stderr)
            case ["sh", "model"]:
                for words in commands(piece["code"]):
                    parse(words)
            case ["python"]:
                with contextlib.redirect_stdout(io.StringIO()):
                    exec(compile(piece["code"], name, "exec"), {})
            case ["json", file]:
                Path(file).write_text(piece["code"], encoding="utf-8")


def commands(block: str) -> list[list[str]]:
    """The words of the `colosseum` commands of a block, without the first."""
    lines = (shlex.split(line, comments=True) for line in block.splitlines())
    return [words[1:] for words in lines if words and words[0] == "colosseum"]


def parse(words: list[str]) -> None:
    """Fails where a command or an option is unknown."""
    command = get_command(app).commands[words[0]]
    command.make_context(words[0], words[1:])


def test_commands_and_options_in_sentences_exist() -> None:
    known = get_command(app).commands
    options = {o for command in (get_command(app), *known.values()) for each in command.params for o in each.opts}
    options |= {o for command in known["log"].commands.values() for each in command.params for o in each.opts}
    for name, text in TEXTS.items():
        for code in re.findall(r"`([^`\n]+)`", PIECE.sub("", text)):
            if found := re.match(r"colosseum ([a-z]+)", code):
                assert found[1] in known, (name, code)
            assert set(re.findall(r"--[a-z][a-z-]+", code)) <= options | {"--help"}, (name, code)


def test_functions_that_a_page_names_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    named = {words.rpartition(".")[2]: pkgutil.resolve_name(re.sub(r"\.(\w+)$", r":\1", words))
             for words in re.findall(r"`(colosseum(?:\.\w+)+)\(", TEXTS["python"]) if words.count(".") > 1}  # fmt: skip
    assert named["new_spec"]("mine", "toy") == [Path("mine.colo")]
    source = read_source(Path("mine.colo"), name="mine.colo", span=None)
    assert named["lay_out"](source) == (source.text, [])
    campaign = api.audit("mine.colo", seeds="1..3")
    blocks = named["full"](campaign.findings, campaign.folder, published=True)
    assert "By the published rule" in named["text_of"](blocks)
    assert named["calibrate_judges"](Request(Path()))[0].judges[0].judge == "sim/judge"
    assert named["read_page"]("C041").code.code == "C041"
    assert named["looked_up"]("regret").name == "regret"
    assert "$schema" in json.loads(named["published"]("trace"))
    with pytest.raises(api.ColosseumError, match="is not an address"):
        named["run_proxy"]("nowhere", None, seed=1, port=0, log=None, ready=print)
    assert len(named) == 9


def test_the_readme_is_short() -> None:
    assert TEXTS["front"].count("\n") <= 180


def test_the_way_through_the_code_names_files_that_exist() -> None:
    way = (ROOT / "colosseum" / "README.md").read_text(encoding="utf-8")
    files = re.findall(r"[\w/]+/[\w*]+\.(?:py|toml|txt|md|jinja|lark)\b", way)
    paths = [*files, *re.findall(r"`([a-z]+(?:/[a-z]+)+)`", way)]
    assert len(paths) > 50
    for path in paths:
        assert any(any(base.glob(path)) for base in (ROOT, ROOT / "colosseum")), path
