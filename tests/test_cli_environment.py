"""Options from variables and a `.env`: what wins, what is wrong, and that nothing secret in them reaches a file."""

import json
import os
import subprocess
import sys
from base64 import b64encode
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
import typer
from chat_server import Answer, Body, ChatServer, calls, fails
from conftest import SPECS
from plans import trials_of
from terminal import watch
from test_cli_commands import Done, colosseum

from colosseum.campaign.dotenv import added, read_env
from colosseum.cli.commands import app
from colosseum.cli.environment import KEY, misspelt, values_in, variable_of
from colosseum.diagnostics import ColosseumError
from colosseum.players.models.failure import redact
from colosseum.run.redaction import Redaction, secrets

SPEC = """colosseum 1
scenario pair
agents A, B
set moves = {left, right}
variable move[agents]: moves
reward same: 1 if move[A] == move[B] else 0
experiment first { seeds 1..3  max_tokens 300  arm only { }  arm warm { temperature 1.5 } }
"""
SECRET = "planted-Qm7xW2vK9s"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a spec, which is the current one, and no variables of ours."""
    for name in list(os.environ):
        if name.startswith("COLOSSEUM_"):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pair.colo").write_text(SPEC)
    return tmp_path


def held(*flags: object, **variables: str) -> dict[str, Any]:
    """What `audit` takes, and where it is from, by option."""
    command = typer.main.get_command(app)
    with pytest.MonkeyPatch.context() as patch:
        for name, words in variables.items():
            patch.setenv(name, words)
        typed = ["pair.colo", *map(str, flags)]
        audit = command.commands["audit"]  # type: ignore[attr-defined]
        with audit.make_context("audit", typed, parent=command.make_context("colosseum", ["audit"])) as context:
            sources = {each.name: context.get_parameter_source(each.name).name for each in options()}
            told = {each.name: ".env" if variable_of(each.opts) in context.meta[KEY] else variable_of(each.opts)
                    for each in options()}  # fmt: skip
            places = {name: told[name] if source == "ENVIRONMENT" else source for name, source in sources.items()}
            values = {each.name: context.params[each.name] for each in options()}
            listed = {name: [*value] if isinstance(value, tuple) else value for name, value in values.items()}
            return {spelt(each): (listed[each.name], places[each.name]) for each in options()}


def spelt(option: Any) -> str:
    return str(max(option.opts, key=len).lstrip("-"))


def env(*lines: str) -> None:
    Path(".env").write_text("\n".join(lines) + "\n")


# ---- what wins -------------------------------------------------------------------------------------------------


def test_flags_win_over_variables_and_these_over_the_file() -> None:
    assert held()["max-tokens"] == ([], "DEFAULT")
    env("COLOSSEUM_MAX_TOKENS=400")
    assert held()["max-tokens"] == (["400"], ".env")
    assert held(COLOSSEUM_MAX_TOKENS="500")["max-tokens"] == (["500"], "COLOSSEUM_MAX_TOKENS")
    assert held("--max-tokens", 600, COLOSSEUM_MAX_TOKENS="500")["max-tokens"] == (["600"], "COMMANDLINE")
    assert held(COLOSSEUM_MAX_TOKENS="")["max-tokens"] == ([], "DEFAULT")


def test_what_holds_is_what_is_run() -> None:
    env("COLOSSEUM_SEEDS=2", "COLOSSEUM_ARM=only", "COLOSSEUM_OUT=there", "COLOSSEUM_JSON=yes")
    found = json.loads(colosseum("audit", "pair.colo").stdout)
    assert [arm["arm"] for arm in found["rows"]] == ["only"]
    assert sum(json.loads(path.read_text()).get("status") == "complete" for path in Path("there/runs").glob("*.json"))
    assert trials_of(Path("there"))[0]["seed"] == 2


@pytest.mark.parametrize(
    ("flags", "variables", "lines", "held_in_the_end"),
    [
        ((), {}, (), (None, False)),
        (("--no-budget",), {"COLOSSEUM_BUDGET": "5"}, (), (None, True)),
        (("--no-budget",), {}, ("COLOSSEUM_BUDGET=5",), (None, True)),
        (("--budget", 7), {}, ("COLOSSEUM_NO_BUDGET=1",), (7.0, False)),
        ((), {"COLOSSEUM_NO_BUDGET": "0"}, ("COLOSSEUM_BUDGET=5",), (5.0, False)),
    ],
)
def test_a_budget_that_is_typed_wins(
    flags: tuple[object, ...], variables: dict[str, str], lines: tuple[str, ...], held_in_the_end: tuple[object, bool]
) -> None:
    env(*lines)
    found = held(*flags, **variables)
    assert (found["budget"][0], found["no-budget"][0]) == held_in_the_end


VALUES = {
    "experiment": "first", "model": "sim/greedy", "api_base": "http://127.0.0.1:9", "extra_body": '{"a": 1}',
    "tools": "text", "price": "1,2", "seeds": "2..4", "arm": "only", "sets": "", "out": "there", "shard": "1/2",
    "cache": "read", "fail_on": "collusion", "display": "none", "cluster": "local:2",
    "header": "X-Team:audits",
}  # fmt: skip


def options() -> list[Any]:
    command = typer.main.get_command(app).commands["audit"]  # type: ignore[attr-defined]
    kept = [each for each in command.params if each.param_type_name == "option"]
    return [each for each in kept if each.name not in ("help", "json", "sets")]


@pytest.mark.parametrize("option", options(), ids=lambda option: option.name)
def test_every_option_has_its_variable(option: Any) -> None:
    variable, name = variable_of(option.opts), spelt(option)
    words = VALUES.get(option.name, "true" if getattr(option, "is_flag", False) else "1")
    assert held(**{variable: words})[name][1] == variable
    env(f"{variable}={words}")
    assert held()[name][1] == ".env"


@pytest.mark.parametrize(
    ("words", "values"),
    [
        ("", []),
        ("  only   warm ", ["only", "warm"]),
        ("cabal=x/y agents=z/w", ["cabal=x/y", "agents=z/w"]),
        ('{"top_k": 20}', ['{"top_k": 20}']),
        ('x/y={"a": "} {"} {"b": [1, 2]} z', ['x/y={"a": "} {"}', '{"b": [1, 2]}', "z"]),
        ('{"top_k": 20', ['{"top_k": 20']),
        ('"X-Team: blue" x/y=X-Of:me', ["X-Team: blue", "x/y=X-Of:me"]),
        ('"X-Team: blue', ['"X-Team:', "blue"]),
    ],
)
def test_several_values_of_one_option(words: str, values: list[str]) -> None:
    assert values_in(words) == values


# ---- what is wrong ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (b"", {}),
        (b"\xef\xbb\xbfA=1\r\n\r\n# remark\r\nexport B = two words # remark\r\n", {"A": "1", "B": "two words"}),
        (b"A='$HOME ${B} #'\nB=\"x\\ny\"\nC=a$b#c\nD=\n", {"A": "$HOME ${B} #", "B": "x\ny", "C": "a$b#c", "D": ""}),
        (b"A=1\nA=2", {"A": "2"}),
    ],
)
def test_a_file_is_read_as_it_stands(text: bytes, found: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "e").write_bytes(text)
    assert read_env(tmp_path / "e") == found


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (b"A=1\n\n  \nsk-secret: 2\n", 4),
        (b"A=1\nsk-secret\n", 2),
        (b'A="sk-secret\nB=1\n', 1),
        (b"\n\nA='sk-secret'x\n", 3),
        (b"=sk-secret\n", 1),
        (b"A=1\nB=sk-secret\xff\n", 2),
        (b"A=1\nB=sk-secret\0\n", 2),
    ],
)
def test_a_broken_line_is_named_and_not_shown(text: bytes, line: int, tmp_path: Path) -> None:
    (tmp_path / "e").write_bytes(text)
    with pytest.raises(ColosseumError) as caught:
        read_env(tmp_path / "e")
    (said,) = caught.value.diagnostics
    assert f"e, line {line}: this " in said.message
    assert "sk-secret" not in str(said)


def test_a_broken_file_stops_only_the_commands_that_read_it() -> None:
    env("COLOSSEUM_SEEDS 1")
    broken = colosseum("audit", "pair.colo")
    assert (broken.returncode, broken.stdout) == (2, "")
    assert "error[C126]: .env, line 1: " in broken.stderr
    assert not Path("runs").exists()
    assert colosseum("audit", "--help").returncode == 0
    assert colosseum("check", "pair.colo").returncode == 0
    assert colosseum("compile", "pair.colo").returncode == 0


def test_a_folder_called_env_is_no_file() -> None:
    Path(".env").mkdir()
    assert held()["max-tokens"] == ([], "DEFAULT")


def test_a_wrong_value_says_which_variable_it_is_from() -> None:
    done = colosseum("audit", "pair.colo", COLOSSEUM_BUDGET="much")
    assert done.returncode == 2
    assert "(env var: `COLOSSEUM_BUDGET`): `much` is not a valid float" in " ".join(done.stderr.split())
    env("COLOSSEUM_FRESH=perhaps")
    assert "(env var: `COLOSSEUM_FRESH`)" in " ".join(colosseum("audit", "pair.colo").stderr.split())


def test_a_misspelt_variable_is_warned_of() -> None:
    env("COLOSSEUM_SEED=2")
    done = colosseum("audit", "pair.colo", "--dry-run", COLOSSEUM_MODLE="sim", COLOSSEUM_API_KEY=SECRET)
    assert done.returncode == 0
    assert done.stderr.count("warning[W011]") == 3
    assert "no option has the variable COLOSSEUM_SEED\n  = help: did you mean `COLOSSEUM_SEEDS`?" in done.stderr
    assert "did you mean `COLOSSEUM_MODEL`?" in done.stderr
    assert "such as OPENAI_API_KEY" in done.stderr
    assert SECRET not in done.stderr + done.stdout
    assert misspelt(["COLOSSEUM_MODEL", "HOME"], ["COLOSSEUM_MODEL"]) == []


def test_an_example_is_run_as_it_is_written() -> None:
    env("COLOSSEUM_SEEDS=7")
    plain = colosseum("explain", "C123")
    assert "\nerror[C123]" in plain.stdout
    assert colosseum("explain", "C123", COLOSSEUM_CACHE="none", COLOSSEUM_MODLE="x").stdout == plain.stdout


# ---- the environment -------------------------------------------------------------------------------------------


def test_the_environment_is_added_to_and_left_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THERE", "1")
    monkeypatch.setenv("EMPTY", "")
    with added({"THERE": "2", "EMPTY": "2", "NEW": "2"}) as new:
        assert (os.environ["THERE"], os.environ["EMPTY"], os.environ["NEW"]) == ("1", "", "2")
        assert new == {"NEW"}
    assert "NEW" not in os.environ
    env("A_VARIABLE=1", "COLOSSEUM_BUDGET=much")
    assert colosseum("audit", "pair.colo").returncode == 2
    env("A_VARIABLE=1")
    assert colosseum("audit", "pair.colo").returncode == 0
    assert "A_VARIABLE" not in os.environ


def test_litellm_reads_no_file_of_its_own(tmp_path: Path) -> None:
    env("PLANTED=1")
    below = tmp_path / "below"
    below.mkdir()
    program = (
        "import os; from colosseum.players.models.call import library; library(); "
        "assert 'PLANTED' not in os.environ; assert os.environ['LITELLM_MODE'] == 'PRODUCTION'"
    )
    subprocess.run([sys.executable, "-c", program], cwd=below, env={**os.environ, "LITELLM_MODE": "DEV"}, check=True)


def test_commands_that_ask_nobody_read_no_file() -> None:
    env("COLOSSEUM_BUDGET=5")
    program = (
        "import sys; from colosseum.cli.commands import app; "
        "app(['check', 'pair.colo'], standalone_mode=False); "
        "assert not {'dotenv', 'litellm', 'rich.live'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True, capture_output=True)


# ---- secrets ---------------------------------------------------------------------------------------------------


def test_what_an_address_holds_before_its_host() -> None:
    addresses = ["https://me:pass%20w%2Frd@host:8/v1?x=a@b", "http://token@host", "http://host/a@b", "no address@all?"]
    written = {"me:pass%20w%2Frd", "pass%20w%2Frd", "me:pass w/rd", "pass w/rd", "token", "", "a@b"}
    assert set(secrets(addresses)) == written | {"me:pass%20w%2Frd:", "me:pass w/rd:", "token:"}
    found = Redaction.of({"PROXY": f"http://{SECRET}@proxy:1"})
    assert found.clean(f'"{SECRET} http://{SECRET}@proxy:1"') == '"[redacted] http://[redacted]@proxy:1"'


@pytest.mark.parametrize(
    "name", ["OPENAI_API_KEY", "AWS_BEARER_TOKEN_BEDROCK", "WATSONX_APIKEY", "SNOWFLAKE_JWT", "GIGACHAT_CREDENTIALS"]
)
def test_what_litellm_reads_is_secret_in_every_form(name: str) -> None:
    secret = "pa/ss+wö rd=9"
    found = Redaction.of({name: secret, "TOKENIZERS_PARALLELISM": "sometimes", "OPENAI_API_BASE": "http://host/key"})
    basic = Redaction.of({"PROXY": "http://me:pass%20w%2Frd@host"})
    coded = b64encode(secret.encode()).decode()
    line = f'"{secret} {quote(secret, safe="")} {coded} sometimes http://host/key"'
    assert found.clean(line).replace("=", "") == '"[redacted] [redacted] [redacted] sometimes http://host/key"'
    assert basic.clean(f"Basic {b64encode(b'me:pass w/rd').decode()}") == "Basic [redacted]"
    assert Redaction.of({"PROXY": "http://me:pw12@host"}).clean(b64encode(b"me:pw12").decode()).startswith("[redacted]")
    assert SECRET not in redact(f"the key {SECRET} is wrong", environment={name: SECRET})


@pytest.mark.parametrize(
    "written", ["abcd\\\\/efgh+ijkl", "abcd%2fefgh%2Bijkl", "abcd/efgh&#43;ijkl", "abcd\\/efgh&#x2B;ijkl"]
)
def test_a_secret_is_found_however_its_signs_are_written(written: str) -> None:
    assert Redaction.of({"API_KEY": "abcd/efgh+ijkl"}).clean(f'{{"a":"100 % {written}"}}') == '{"a":"100 % [redacted]"}'


def test_headers_that_look_like_keys_are_secret_under_any_name() -> None:
    headers = {"X-Session": "sess-4711-abc", "X-Gateway": "Bearer secret-value-0011", "X-Title": "Colosseum"}
    found = Redaction.of({}, others=secrets((), [headers]))
    assert found.clean('"sess-4711-abc secret-value-0011 Colosseum"') == '"[redacted] [redacted] Colosseum"'


def test_a_secret_of_digits_is_no_number_of_the_line() -> None:
    found = Redaction.of({"DB_PASSWORD": "1700000001"})
    line = '{"created":1700000001,"text":"my \\"word\\" is 1700000001","1700000001":-1700000001.5}'
    cleaned = '{"created":1700000001,"text":"my \\"word\\" is [redacted]","[redacted]":-1700000001.5}'
    assert found.clean(line) == cleaned
    assert found.clean("refused: 1700000001") == "refused: [redacted]"


class Parrot:
    """A model that says what it should not know: in posts, in notes, in names of tools, and when it breaks."""

    def __init__(self, words: str) -> None:
        self.words, self.asked = words, 0

    def __call__(self, body: Body) -> Answer:
        tools = {tool["function"]["name"]: tool["function"] for tool in body["tools"]}
        if "ready" in tools:
            return calls(("ready", {}), text=self.words)
        self.asked += 1
        if "decide" in tools:
            return fails(400, f"Authorization: Bearer {self.words} {self.words}")
        channels = tools["post"]["parameters"]["properties"]["channel"]["enum"] if "post" in tools else ["public"]
        said = {"channel": channels[0], "text": self.words}
        return calls(("post", said), (self.words, said), ("done", {}), text=self.words)


@pytest.mark.parametrize("display", ["rich", "json"])
def test_secrets_reach_no_file_and_no_output(display: str, here: Path) -> None:
    key, password = f"sk-{SECRET}", f"{SECRET}:pass/word"
    basic = b64encode(f"user:{password}".encode()).decode()
    with ChatServer(Parrot(f"{key} user:{password} {password} Basic {basic}")) as server:
        address = server.url.replace("://", f"://user:{password.replace('/', '%2F')}@")
        env(f"OPENAI_API_KEY={key}", f"COLOSSEUM_API_BASE={address}", "COLOSSEUM_MODEL=openai/test")
        words = ["audit", SPECS / "toy.colo", "--no-budget", "--seeds", 1, "--out", here / "out", "--display", display]
        done = _done([*words, "--arm", "baseline"], here)
        shown = _done(["audit", SPECS / "toy.colo", "--dry-run"], here)
        read = _done(["report", here / "out"], here)
    assert done.returncode == 3
    assert shown.returncode == 0
    assert len(server.requests) > 5
    assert {request.headers["authorization"] for request in server.requests} == {f"Basic {basic}"}
    said = {path: path.read_bytes() for path in (here / "out").rglob("*") if path.is_file()}
    assert any(path.name.endswith(".calls.jsonl") for path in said)
    said[Path("output")] = "".join(d.stdout + d.stderr for d in (done, shown, read)).encode()
    assert b"[redacted]" in said[Path("output")]
    for path, content in said.items():
        for hidden in (SECRET, "pass/word", "pass%2Fword", basic):
            assert hidden.encode() not in content, (path, hidden)


def _done(words: list[object], folder: Path) -> Done:
    """A command whose stderr is a terminal."""
    unset = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_API_BASE", "NO_COLOR", "COLUMNS", "LINES")
    environment = {name: value for name, value in os.environ.items() if name not in unset}
    done = watch(words, columns=4000, rows=60, environment={**environment, "TERM": "xterm"}, folder=folder)
    return Done(done.returncode, done.stdout, "\n".join(line for p in done.screen.pictures for line in p)
                + "\n".join(done.screen.lines))  # fmt: skip


def test_a_variable_of_another_command_is_no_mistake() -> None:
    done = colosseum("plan", "pair.colo", COLOSSEUM_BUDGET="5", COLOSSEUM_MODEL="sim/greedy")
    assert done.returncode == 0
    assert "W011" not in done.stderr
