"""The command line's contract: what goes where, exit codes, JSON shapes, words for every wrong option."""

import json
import os
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from chat_server import ChatServer, calls
from conftest import MATCH, SPECS
from plans import list_of, relist, trials_of
from specs_made import HEAD
from typer import testing
from typer.main import get_command
from warm_process import Command

from colosseum.campaign.part import read_seeds, seed_words
from colosseum.cli.commands import app
from colosseum.language.tables import tables

JIRA, TOY = str(SPECS / "jira.colo"), str(SPECS / "toy.colo")
STUDIES = str(SPECS / "jira_studies.colo")
SILENT = {k: v for k, v in os.environ.items() if k not in ("FORCE_COLOR", "NO_COLOR", "OPENAI_API_KEY", "COLUMNS")}

testing._get_command = cache(get_command)  # else every call makes all commands anew


@dataclass(frozen=True)
class Done:
    """What a command said, and its exit code."""

    returncode: int
    stdout: str
    stderr: str


def colosseum(*arguments: object, **environment: str | None) -> Done:
    """The command, in this process, where starting takes no time; it never ends by an exception of ours."""
    unset = dict.fromkeys(("FORCE_COLOR", "NO_COLOR", "OPENAI_API_KEY", "COLUMNS"))
    found = testing.CliRunner().invoke(app, [str(a) for a in arguments], env={**unset, **environment})
    assert found.exception is None or isinstance(found.exception, SystemExit), found.exception
    return Done(found.exit_code, found.stdout, found.stderr)


def read(*arguments: object) -> dict[str, Any]:
    done = colosseum(*arguments, "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert isinstance(found, dict)
    return found


@pytest.fixture(scope="module")
def audited(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a complete campaign."""
    folder = tmp_path_factory.mktemp("audited") / "deep" / "down"
    assert colosseum("audit", TOY, "--seeds", "1..2", "--out", folder).returncode == 0
    return folder


# ---- results ---------------------------------------------------------------------------------------------------


def test_check_says_what_is_in_every_file() -> None:
    done = colosseum("check", JIRA, TOY)
    assert done.returncode == 0
    few, alike, lacking, _ = done.stderr.splitlines()
    assert alike.startswith(f"{TOY}: experiment `collusion`: nothing is drawn: all 20 seeds are one instance")
    words = "no placebo arm is possible: its channel needs two outsiders, and `A` is the only one: add an agent"
    assert lacking == f"{TOY}: experiment `collusion`: {words}"
    assert few.startswith(f"{JIRA}: experiment `hidden_channel`: 5 seeds can only be a first try: an effect needs")
    assert [line.split(": ")[1][:2] for line in done.stdout.splitlines()] == ["ok", "ok"]
    files = read("check", JIRA, TOY)["files"]
    assert [f["ok"] for f in files] == [True, True]
    told = [few.removeprefix(f"{JIRA}: ")], [alike.removeprefix(f"{TOY}: "), lacking.removeprefix(f"{TOY}: ")]
    assert (files[0]["notes"], files[1]["notes"][:2]) == told


def test_check_goes_on_after_a_bad_file(tmp_path: Path) -> None:
    bad = tmp_path / "bad.colo"
    bad.write_text(MATCH.replace("moves\nreward", "movs\nreward"))
    done = colosseum("check", bad, TOY)
    assert done.returncode == 2
    assert done.stdout.startswith(f"{TOY}: ok")
    assert "error[C" in done.stderr
    found = json.loads(colosseum("check", bad, TOY, "--json").stdout)["files"]
    assert [f["ok"] for f in found] == [False, True]
    assert found[0]["diagnostics"][0]["severity"] == "error"


def test_compile_json_has_what_other_tools_read(tmp_path: Path) -> None:
    found = read("compile", TOY)
    assert {"schema", "scenario", "seed", "agents", "variables", "optimum", "minimum", "coalitions"} <= found.keys()
    assert found["variables"]["move[A]"] == {"owner": "A", "domain": ["left", "right"]}
    assert (found["optimum"]["status"], found["optimum"]["value"]) == ("optimal", 3)
    assert found["minimum"]["value"] == 1
    assert found["members"]["cabal"] == ["B", "C"]
    assert found["coalitions"]["cabal"]["value"] == 3
    assert set(found["optimum"]["assignment"]) == set(found["variables"])
    done = colosseum("compile", TOY, "-o", tmp_path / "m.json", "--lp", tmp_path / "m.lp")
    assert done.returncode == 0
    assert json.loads((tmp_path / "m.json").read_bytes())["schema"] == 1
    assert "maximize" in (tmp_path / "m.lp").read_text().lower()
    assert "3" in done.stdout
    assert "wrote" not in done.stdout


def test_compile_warns_of_a_penalty_that_the_optimum_pays(tmp_path: Path) -> None:
    spec = tmp_path / "game.colo"
    spec.write_text(
        f"{HEAD}param price = 3\nagents A, B, C\nset goods = {{car, bike}}\nvariable take[agents]: goods or none\n"
        "table worth[goods] = {car: 10, bike: 4}\n"
        "reward have[a in agents] when take[a] != none: worth[take[a]]\n"
        "require single[g in goods]: count(a in agents when take[a] == g) <= 1 penalty price\n",
        encoding="utf-8",
    )
    assert "warning[W010]: breaking `single[car]` pays: the optimum itself does" in colosseum("compile", spec).stderr
    assert "W010" not in colosseum("compile", spec, "--set", "price=17").stderr


def test_compile_takes_seeds_and_params() -> None:
    small = read("compile", JIRA, "--set", "engineers=5", "--set", "tickets=4", "--seed", 7)
    assert (len(small["variables"]), small["seed"], small["params"]["engineers"]) == (5, 7, 5)


def test_score_json_has_what_other_tools_read(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('{"move[A]": "left", "move[B]": "left", "move[C]": "right"}')
    found = read("score", TOY, "--assignment", path, "--order", "A,B,C")
    figures = found["figures"]
    assert {"score", "scalars", "closer", "best_response_regret", "sequential_regret"} == figures.keys()
    assert figures["score"]["value"] == 1
    assert figures["score"]["payoff"] == {"A": 0.5, "B": 0.5, "C": 0}
    assert figures["scalars"]["coalition_value"]["value"] == 3
    assert figures["scalars"]["regret"] == {"value": 2, "reason": ""}
    assert set(figures["best_response_regret"]) == {"A", "B", "C"}
    members = read("score", TOY, "--assignment", path, "--members", "A,B")
    assert members["figures"]["scalars"]["coalition_payoff"]["value"] == 0.5
    words = colosseum("score", TOY, "--assignment", path)
    assert (words.returncode, words.stderr) == (0, "")
    assert "joint payoff" in words.stdout


def test_a_missing_variable_is_undecided_and_null_is_none(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('{"pick[engineer1]": null, "pick[engineer2]": "ticket1"}')
    found = read("score", JIRA, "--assignment", path)
    assert len(found["undecided"]) == 4
    assert found["decided"]["engineer1"] == 1


def test_audit_prints_the_report_on_stdout_and_all_else_on_stderr(tmp_path: Path) -> None:
    done = colosseum("audit", TOY, "--seeds", "1..2", "--arm", "baseline", "--out", tmp_path)
    assert done.returncode == 0
    assert "2 runs complete" in done.stderr
    assert "no model was asked" in " ".join(done.stdout.split())
    assert "\x1b" not in done.stdout + done.stderr
    again = colosseum("audit", TOY, "--seeds", "1..2", "--arm", "baseline", "--out", tmp_path)
    assert "2 of them from before" in again.stderr
    assert again.stdout == done.stdout
    wider = json.loads(colosseum("audit", TOY, "--seeds", "3", "--out", tmp_path, "--json").stdout)
    assert wider["arms"] == ["baseline", "emergent", "prompted"]
    assert [arm["complete"] for arm in wider["rows"]] == [3, 1, 1]


def test_report_repeats_what_audit_said(audited: Path) -> None:
    found = read("report", audited)
    assert {"scenario", "experiment", "planned", "missing", "players", "scripted", "rows"} <= found.keys()
    assert (found["planned"], found["missing"], found["scripted"]) == (6, 0, True)
    assert colosseum("report", audited).stdout == colosseum("audit", TOY, "--seeds", "1..2", "--out", audited).stdout


def test_report_of_the_folder_above_names_those_below(audited: Path, tmp_path: Path) -> None:
    assert f"did you mean `{audited}`?" in colosseum("report", audited.parent).stderr
    for name in ("one", "two"):
        copied(audited, tmp_path / name)
    done = colosseum("report", tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"campaigns below it: {tmp_path / 'one'}, {tmp_path / 'two'}" in done.stderr


def test_report_counts_what_is_not_there(audited: Path, tmp_path: Path) -> None:
    copy = copied(audited, tmp_path)
    next((copy / "runs").glob("*.json")).unlink()
    done = colosseum("report", copy)
    assert done.returncode == 0
    assert "1 of 6 planned runs are missing, seed " in done.stdout
    assert read("report", copy)["missing"] == 1


# ---- the terminal ------------------------------------------------------------------------------------------------


def test_narrow_terminals_and_colour(audited: Path) -> None:
    narrow = colosseum("report", audited, COLUMNS="60")
    assert max(map(len, narrow.stdout.splitlines())) <= 60
    assert "\x1b" in colosseum("report", audited, FORCE_COLOR="1").stdout
    assert "\x1b[3" not in colosseum("report", audited, FORCE_COLOR="1", NO_COLOR="1").stdout
    assert "\x1b" not in colosseum("check", "nope.colo", NO_COLOR="1").stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("words", [("report",), ("report", "--json"), ("--version",)])
def test_a_full_disk_is_told_in_words(words: tuple[str, ...], audited: Path) -> None:
    command = [sys.executable, "-m", "colosseum", *words, *([audited] if words[0] == "report" else [])]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, env=SILENT, check=False)
    assert done.returncode == 2
    assert "cannot write the output: No space left on device" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_signal_while_python_still_imports_is_told_in_words() -> None:
    """The signal comes where the commands are looked up, before any of them could hear it."""
    program = (
        "import os, signal, sys, types\n"
        "def find_spec(name, path, target=None):\n"
        "    if name == 'colosseum.cli.commands':\n"
        "        os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, types.SimpleNamespace(find_spec=find_spec))\n"
        "from colosseum.cli import main\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", program, "check"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "interrupted\n")


def test_seeds_that_are_an_empty_variable_are_refused(tmp_path: Path) -> None:
    done = colosseum("audit", TOY, "--seeds", "", "--out", tmp_path / "out")
    assert (done.returncode, "`--seeds ` names no seed" in done.stderr) == (2, True)
    assert not (tmp_path / "out").exists()


def test_a_folder_whose_runs_are_gone_is_no_report(audited: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(audited, copy)
    shutil.rmtree(copy / "runs")
    done = colosseum("report", copy)
    assert (done.returncode, done.stdout) == (2, "")
    assert "holds no runs, though its plan lists some" in done.stderr


@pytest.mark.parametrize("word", ["margin", "seed", "harm", "fair share", "fair_share"])
def test_words_of_the_report_are_explained(word: str) -> None:
    assert colosseum("explain", word).stdout.startswith(word.replace("_", " "))


@pytest.mark.parametrize("command", ["report", "compile", "check"])
def test_a_reader_that_goes_away_is_no_error(command: str, audited: Path) -> None:
    target = str(audited) if command == "report" else JIRA
    running = Command(command, target, env=SILENT)
    running.stdout.close()
    with running.stderr:
        assert running.stderr.read() == ""
    assert running.wait() == 128 + signal.SIGPIPE, "as a shell says of `cat`"


def test_no_line_ends_in_blanks(audited: Path, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("{}", encoding="utf-8")
    pages = (("report", audited), ("compile", JIRA), ("score", TOY, "--assignment", tmp_path / "a.json"), ("explain",))
    for page in pages:
        lines = colosseum(*page).stdout.splitlines()
        assert len(lines) > 10
        assert [line for line in lines if line != line.rstrip()] == []


def test_no_command_is_told_half_in_the_list() -> None:
    assert "..." not in colosseum("--help").stdout.partition("Commands:")[2]


NEVER = {"litellm", "openai", "httpx", "dask", "distributed", "ortools", "pulp", "scipy.stats", "matplotlib", "pandas"}
"""Libraries that none of the commands below has a use for."""
LIGHT: list[tuple[tuple[object, ...], set[str]]] = [
    (("audit", "--help"), {"lark", "rich", "numpy", "pydantic"}),
    (("check", TOY), {"lark", "rich", "numpy", "pydantic"}),
    (("check", TOY, "--json"), {"lark", "rich", "numpy"}),
    (("explain", "regret"), {"lark", "numpy", "pydantic"}),
    (("compile", TOY), {"lark", "asyncio", "pydantic", "scipy"}),
    (("audit", TOY, "--seeds", "1..2", "--jobs", "1", "--out", "runs"), set()),
    (("report", "AUDITED"), {"jinja2", "lark"}),
]
"""Commands, and what else they do without."""


@pytest.mark.parametrize(("arguments", "unused"), LIGHT, ids=lambda each: each[0] if isinstance(each, tuple) else "")
def test_commands_import_nothing_heavy_that_they_do_not_use(
    arguments: tuple[object, ...], unused: set[str], audited: Path, tmp_path: Path
) -> None:
    """Newer versions of typer load pydantic by themselves to read options; we do not."""
    tables()  # made by Lark where nobody has yet
    script = (
        "import sys\nfrom colosseum.cli import main\n"
        "try:\n    main()\nexcept SystemExit as end:\n    assert not end.code\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    words = [sys.executable, "-c", script, *(str(audited if a == "AUDITED" else a) for a in arguments)]
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    imported = set(done.stderr.splitlines()[-1].split())
    assert "colosseum.cli.commands" in imported
    typers = {"pydantic"} if "typer._adapters" in imported else set[str]()
    assert imported & (NEVER | unused) <= typers


@pytest.mark.parametrize("command", ["check", "compile", "score", "frontier", "scan", "audit", "report"])
def test_every_command_explains_its_options(command: str) -> None:
    done = colosseum(command, "--help")
    assert (done.returncode, done.stderr) == (0, "")
    options = [line for line in done.stdout.splitlines() if line.startswith("  --")]
    assert all(len(line.split()) > 2 or line.rstrip().endswith(("V", "NAME", "DIR", "FILE")) for line in options)
    assert "--json" in done.stdout


def test_no_command_shows_the_commands() -> None:
    assert all(c in colosseum().stdout + colosseum().stderr for c in ("check", "compile", "score", "audit", "report"))


# ---- mistakes ----------------------------------------------------------------------------------------------------

WRONG: list[tuple[tuple[str, ...], str]] = [
    (("check", "nope.colo"), "no file `nope.colo`"),
    (("check", "."), "is a folder"),
    (("compile", "nope.colo"), "no file"),
    (("compile", TOY, "--seed", "x"), "--seed"),
    (("compile", TOY, "--seed", "-1"), "--seed"),
    (("compile", TOY, "--set", "n"), "name=value"),
    (("audit", TOY, "--set", "rounds=1"), "`rounds` is a setting"),
    (("audit", STUDIES, "--experiment", "coalition_size", "--set", "insiders=2"), "set from outside"),
    (("compile", TOY, "--set", "n=3"), "no param `n`"),
    (("compile", JIRA, "--set", "engineer=3"), "did you mean `engineers`"),
    (("compile", JIRA, "--set", "engineers=0"), "error[C"),
    (("compile", JIRA, "--set", "engineers=1e999"), "too large"),
    (("compile", JIRA, "--set", "engineers=lots"), "error[C"),
    (("compile", TOY, "-o", "/nope/x.json"), "cannot write"),
    (("compile", TOY, "--lp", "/nope/x.lp"), "cannot write"),
    (("compile", TOY, "--lp", "-"), "name a file"),
    (("score", TOY), "--assignment"),
    (("score", TOY, "--assignment", "nope.json"), "cannot read"),
    (("score", TOY, "--assignment", '{"move[A]": "left"}'), "`--assignment` takes the name of a file, not JSON"),
    (("score", TOY, "--assignment", "."), "cannot read"),
    (("audit", TOY, "--seeds", "x"), "is not a list of seeds"),
    (("audit", TOY, "--seeds", "5..1"), "names no seed"),
    (("audit", TOY, "--seeds", "1.." + "9" * 5000), "is not a list of seeds"),
    (("audit", TOY, "--seeds", "-1"), "is not a list of seeds"),
    (("audit", TOY, "--seeds", "1..9999999"), "names more than 1,000,000 seeds"),
    (("audit", TOY, "--arm", "promted"), "did you mean `prompted`"),
    (("audit", TOY, "--experiment", "nope"), "no experiment `nope`"),
    (("audit", TOY, "--model", "sim/xyz"), "no scripted player `sim/xyz`"),
    (("audit", TOY, "--model", "sim", "--model", "sim/greedy"), 'sweep model in "sim", "sim/greedy"'),
    (("audit", TOY, "--out", "/proc/nope"), "cannot write"),
    (("audit", TOY, "--out", TOY), "cannot write"),
    (("report", "nope"), "holds no campaign"),
    (("report", str(SPECS)), "holds no campaign"),
    (("report", TOY), "holds no campaign"),
    (("frobnicate",), "No such command"),
    (("check",), "error[C122]: missing argument `FILE…`"),
    (("check", TOY, "--nope"), "error[C122]: no such option: --nope"),
    (("scan", TOY), "add `--size K`; `colosseum scan --help` says what it takes"),
    (("import", TOY, TOY), "error[C122]: missing option `--out`"),
    (("audit", TOY, "--seed"), "error[C122]: no such option: --seed"),
    (("compile", TOY, "--seed", "-1"), "error[C122]: invalid value for `--seed`: -1 is not in the range"),
]


@pytest.mark.parametrize(("arguments", "words"), WRONG, ids=[" ".join(a)[-40:] for a, _ in WRONG])
def test_a_wrong_command_says_what_is_wrong(arguments: tuple[str, ...], words: str) -> None:
    done = colosseum(*arguments)
    assert done.returncode == 2
    assert words in done.stderr
    assert done.stdout == ""


ASSIGNMENTS = [
    ("not json", "is not JSON"), ("[]", "not a JSON object"), ("[" * 100_000, "is not JSON"),
    ('{"move[Z]": "left"}', "move[Z]"), ('{"move[A]": "lefft"}', "did you mean `left`"),
    ('{"move[A]": null}', "cannot be null"), ('{"move[A]": NaN}', "cannot be"),
    ('{"move[A]": "left", "move[A]": "right"}', "`move[A]` is given twice"), ('{"move[A]": "left",\n', "a.json:2:1"),
    ('{"move[A]": ' + "9" * 20_000 + "}", "is not JSON"), ("move[A] = left", 'as in {"move[A]": "left"}'),
]  # fmt: skip


@pytest.mark.parametrize(("content", "words"), ASSIGNMENTS, ids=[c[:20] for c, _ in ASSIGNMENTS])
def test_a_wrong_assignment_says_what_is_wrong(content: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(content)
    done = colosseum("score", TOY, "--assignment", tmp_path / "a.json")
    assert done.returncode == 2
    assert words in done.stderr


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("--members", "A,Z", "no agent `Z`"), ("--members", ",", "names no agent"),
        ("--order", "A,B", "leaves out `C`"), ("--order", "A,B,C,A", "twice"), ("--order", "A,B,X", "no agent `X`"),
        ("--coalition", "cabl", "did you mean `cabal`"),
    ],
)  # fmt: skip
def test_a_wrong_option_of_score(option: str, value: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("{}")
    done = colosseum("score", TOY, "--assignment", tmp_path / "a.json", option, value)
    assert done.returncode == 2
    assert words in done.stderr


def test_a_spec_without_an_experiment_cannot_be_audited(tmp_path: Path) -> None:
    (tmp_path / "s.colo").write_text(MATCH[: MATCH.index("experiment")])
    done = colosseum("audit", tmp_path / "s.colo", "--out", tmp_path / "o")
    assert done.returncode == 2
    assert "no experiment" in done.stderr


def test_hard_rules_that_nothing_satisfies(tmp_path: Path) -> None:
    (tmp_path / "s.colo").write_text(MATCH.replace("coalition", "require no: 1 == 2\ncoalition"))
    done = colosseum("compile", tmp_path / "s.colo")
    assert done.returncode == 2
    assert "no assignment satisfies" in done.stderr


# ---- damaged folders ---------------------------------------------------------------------------------------------


def copied(folder: Path, target: Path) -> Path:
    for path in folder.rglob("*"):
        if path.is_file():
            (target / path.relative_to(folder)).parent.mkdir(parents=True, exist_ok=True)
            (target / path.relative_to(folder)).write_bytes(path.read_bytes())
    return target


@pytest.mark.parametrize("part", ["campaign", "list", "no list", "trace", "scenario", "other trace", "cut trace"])
def test_a_damaged_folder_is_not_reported_on(part: str, audited: Path, tmp_path: Path) -> None:
    copy = copied(audited, tmp_path)
    runs, scenarios = sorted((copy / "runs").glob("*.jsonl")), sorted((copy / "scenarios").iterdir())
    match part:
        case "campaign":
            (copy / "campaign.json").write_text('{"schema": 1}')
        case "list":
            relist(copy, [{"trial": "0"}])
        case "no list":
            list_of(copy).unlink()
        case "trace":
            runs[0].write_bytes(runs[0].read_bytes().replace(b"left", b"right", 1))
        case "cut trace":
            runs[0].write_bytes(runs[0].read_bytes()[:700])
        case "other trace":
            runs[0].write_bytes(runs[1].read_bytes())
        case _:
            scenarios[0].write_bytes(scenarios[0].read_bytes().replace(b"left", b"west"))
    done = colosseum("report", copy)
    assert done.returncode == 2
    assert "error[C123]" in done.stderr
    assert done.stdout == ""


# ---- what a report leaves out --------------------------------------------------------------------------------------


def test_report_says_which_seeds_are_missing_and_what_was_asked_for(tmp_path: Path) -> None:
    colosseum("audit", TOY, "--seeds", "1..5", "--temperature", "0.5", "--out", tmp_path)
    for listed in trials_of(tmp_path):
        if listed["seed"] in (2, 4):
            (tmp_path / "runs" / f"{listed['trial'][:24]}.json").unlink()
    some = colosseum("report", tmp_path)
    assert "6 of 15 planned runs are missing, seeds 2,4: audit these to go on" in " ".join(some.stdout.split())
    full = colosseum("report", tmp_path, "--full")
    assert "missing    6 of 15 planned runs are missing, seeds 2,4: audit these to go on" in full.stdout
    assert "options    --temperature 0.5\n" in full.stdout
    other = colosseum("audit", TOY, "--seeds", "2", "--out", tmp_path)
    assert "also keeps 9 runs of another configuration, not in this report" in other.stderr
    assert "options" not in colosseum("report", tmp_path, "--full").stdout
    again = colosseum("audit", TOY, "--seeds", "2..3", "--out", tmp_path)
    assert "also keeps 6 runs of another configuration, not in this report" in again.stderr
    assert "also has runs of 1 other configuration" in " ".join(colosseum("report", tmp_path).stdout.split())


@pytest.mark.parametrize(
    ("seeds", "words"), [((1, 2, 3), "1..3"), ((4,), "4"), ((1, 3, 7, 8, 9), "1,3,7..9"), ((2, 1), "2,1"), ((), "")]
)
def test_seeds_in_few_words(seeds: tuple[int, ...], words: str) -> None:
    assert seed_words(seeds) == words
    assert not words or read_seeds(words) == seeds


def test_a_dry_run_counts_no_money_of_another_configuration(tmp_path: Path) -> None:
    with ChatServer([calls(("ready", {}), ("done", {}))]) as server:
        asked = ("audit", TOY, "--seeds", "1", "--arm", "baseline", "--model", "openai/gpt-4o-mini")
        more = ("--api-base", server.url, "--price", "1,1", "--out", tmp_path)
        colosseum(*asked, *more, "--temperature", "0", OPENAI_API_KEY="x")
    spent = [
        read(*asked, *more, "--temperature", heat, "--seeds", seeds, "--dry-run")["spent"]
        for heat, seeds in (("0", "1"), ("0", "2"), ("1", "2"))
    ]
    asked_once = sum(each["cost"] for path in tmp_path.glob("preflight/*") for each in map(json.loads, path.open()))
    assert spent[0] == spent[1] > spent[2] == pytest.approx(asked_once)


@pytest.mark.parametrize(
    ("typed", "offered"), [("colosseum re", {"report", "replay"}), ("colosseum audit --max", {"--max-tokens"})]
)
def test_a_shell_completes_commands_and_options(typed: str, offered: set[str]) -> None:
    code = "import sys; sys.argv = ['colosseum']; from colosseum.cli import main; main()"
    asked = {"_COLOSSEUM_COMPLETE": "complete_bash", "COMP_WORDS": typed, "COMP_CWORD": str(typed.count(" "))}
    done = subprocess.run(
        [sys.executable, "-c", code], env={**SILENT, **asked}, capture_output=True, text=True, check=False
    )
    assert offered <= set(done.stdout.split())


def test_of_many_errors_a_hundred_are_said_and_the_rest_counted(tmp_path: Path) -> None:
    rewards = "".join(f"reward r{n}[a in agents] to a: mvoe[a]\n" for n in range(150))
    spec = tmp_path / "many.colo"
    spec.write_text(f"colosseum 1\nscenario s\nagents A, B\nvariable move[agents]: 1..3\n{rewards}", encoding="utf-8")
    done = colosseum("check", spec)
    assert done.returncode == 2
    assert [done.stderr.count(words) for words in ("error[C041]", "did you mean `move`?")] == [100, 100]
    assert "… and 50 more" in done.stderr
    assert "150 errors" in done.stderr


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("plan", TOY, "--effect", "0.1"), "`--effect` would change nothing: it is for `--noise-from DIR`"),
        (("power", TOY, "--effect", "0.1"), "`--effect` would change nothing: it is for `--noise-from DIR`"),
        (("power", TOY, "--noise-from", "x", "--kind", "quiet"), "`--kind` would change nothing"),
        (("report", "x", "--calls"), "`--calls` would change nothing: it is for the page"),
        (("judge", "x", "y"), "`y` is one word too many"),
        (("judge", "x", "--runs", "3"), "`--runs` would change nothing"),
        (("judge", "calibrate", "x"), "`x` is one word too many"),
        (("judge", "label", "--out", "p.html"), "`judge label` needs a folder"),
        (("judge", "label", "x", "--import"), "`judge label` needs a folder, and with `--import` files"),
        (("judge", "label", "x", "--import", "f", "--out", "p.html"), "`--out` would change nothing"),
    ],
)
def test_what_would_change_nothing_is_refused(words: tuple[str | Path, ...], why: str) -> None:
    done = colosseum(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert why in done.stderr
