"""Settings of one model: what the server receives of each, what a trial is made of, and what reaches a file."""

import json
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from chat_mind import plays
from chat_server import Answer, Body, ChatServer, fails
from conftest import KEY, MATCH, checked
from test_cli_commands import Done, colosseum

from colosseum.campaign.model_options import Asking, Wanted, read_asking
from colosseum.diagnostics import ColosseumError
from colosseum.model.experiment import Conditions

TEAM = ("--model", "cabal=openai/mini", "--model", "agents=openai/large")
SECRET = "Bearer s3cret-t0ken-of-mine"


def audited(folder: Path, server: ChatServer, *more: object, text: str = MATCH, team: Sequence[str] = TEAM) -> Done:
    (folder / "spec.colo").write_text(text)
    return colosseum(
        "audit", folder / "spec.colo", *team, "--api-base", server.url, "--no-budget", "--seeds", "1",
        "--out", folder / "out", *more, OPENAI_API_KEY=KEY,
    )  # fmt: skip


def sent(server: ChatServer, name: str) -> dict[str, set[Any]]:
    """What every model received under a name; None where nothing was."""
    found: dict[str, set[Any]] = defaultdict(set)
    for request in server.requests:
        found[request.body["model"]].add(request.body.get(name))
    return dict(found)


def test_each_model_is_asked_in_its_own_way(tmp_path: Path) -> None:
    with ChatServer(plays) as server:
        done = audited(
            tmp_path, server, "--temperature", "mini=1", "--temperature", "0.3", "--max-tokens", "cabal=none",
            "--max-tokens", "900", "--extra-body", 'openai/large={"top_k": 5}',
            "--header", f"cabal=X-Team-Key: {SECRET}", "--header", "X-Project: audits",
            "--timeout", "cabal=60", "--timeout", "30",
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert sent(server, "temperature") == {"mini": {1.0}, "large": {0.3}}
        assert sent(server, "max_tokens") == {"mini": {None}, "large": {900}}
        assert sent(server, "top_k") == {"mini": {None}, "large": {5}}
        headers = {(r.body["model"], r.headers.get("x-team-key"), r.headers.get("x-project")) for r in server.requests}
    assert headers == {("mini", SECRET, None), ("large", None, "audits")}
    options = json.loads((tmp_path / "out" / "campaign.json").read_text())["options"]
    assert options["temperature"] == {"mini": 1.0, "": 0.3}
    assert options["header"] == {"cabal": ["X-Team-Key"], "": ["X-Project"]}
    files = [path for path in (tmp_path / "out").rglob("*") if path.is_file()]
    assert not [path for path in files if b"s3cret" in path.read_bytes()]
    assert "s3cret" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("model", "more", "told"),
    [("gpt-5-mini", (), True), ("gpt-5-mini", ("--max-tokens", "6000"), False), ("gpt-4o-mini", (), False)],
)
def test_a_model_that_thinks_within_the_usual_limit_is_told(
    model: str, more: Sequence[str], told: bool, tmp_path: Path
) -> None:
    with ChatServer(plays) as server:
        done = audited(tmp_path, server, "--temperature", "none", *more, team=("--model", f"openai/{model}"))
    assert done.returncode == 0, done.stderr
    words = f"`openai/{model}` has 1500 tokens a reply to think, too: `--max-tokens openai/{model}=6000`"
    assert done.stderr.count(words) == told


def test_a_header_that_comes_back_in_an_error_reaches_no_file(tmp_path: Path) -> None:
    def leaks(body: Body) -> Answer:
        return plays(body) if "ready" in str(body["tools"]) else fails(400, f"bad {SECRET}")

    with ChatServer(leaks) as server:
        done = audited(tmp_path, server, "--header", f"Authorization2: {SECRET}")
    assert done.returncode == 3, done.stderr
    assert "s3cret" not in done.stdout + done.stderr
    assert not [p for p in (tmp_path / "out").rglob("*") if p.is_file() and b"s3cret" in p.read_bytes()]


def test_a_spec_gives_models_settings_of_their_own(tmp_path: Path) -> None:
    told = 'model {cabal: "openai/mini", agents: "openai/large"}  temperature {cabal: 1, agents: none}  max_tokens 800'
    text = MATCH.replace("experiment e {", f"experiment e {{ {told} ")
    assert text != MATCH
    with ChatServer(plays) as server:
        done = audited(tmp_path, server, text=text, team=())
        assert done.returncode == 0, done.stderr
        assert sent(server, "temperature") == {"mini": {1.0}, "large": {None}}
        assert sent(server, "max_tokens") == {"mini": {800}, "large": {800}}
    formatted = colosseum("fmt", "--check", tmp_path / "spec.colo")
    assert formatted.returncode in (0, 1), formatted.stderr


def test_a_model_that_takes_one_temperature_is_named_with_its_option(tmp_path: Path) -> None:
    words = "Unsupported value: 'temperature' does not support 0.7. Only the default (1) value is supported."

    def picky(body: Body) -> Answer:
        return fails(400, words) if body["model"] == "mini" and body.get("temperature") != 1 else plays(body)

    with ChatServer(picky) as server:
        refused = audited(tmp_path, server)
        assert refused.returncode == 2
        assert "set `--temperature openai/mini=1`" in refused.stderr
        taken = audited(tmp_path, server, "--temperature", "openai/mini=1")
        assert taken.returncode == 0, taken.stderr
        assert sent(server, "temperature")["large"] == {0.7}


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        (Wanted(temperature=("9",)), "`--temperature` is a number from 0 to 2, or none, not `9`"),
        (Wanted(temperature=("nobody=1",)), "`nobody` is no model, and plays with none of its own"),
        (Wanted(max_tokens=("0.5",)), "`--max-tokens` is a whole number"),
        (Wanted(timeout=("none",)), "`--timeout` is a number"),
        (Wanted(header=("nonsense",)), "`--header` is a name and a value"),
        (Wanted(header=("X-A: a\nX-B: b",)), "`--header` is a name and a value"),
    ],
)
def test_what_cannot_be_meant_is_refused(wanted: Wanted, words: str) -> None:
    with pytest.raises(ColosseumError) as raised:
        read_asking(wanted, checked(MATCH))
    assert words in raised.value.diagnostics[0].message


def test_the_command_line_wins_over_the_spec_for_whom_it_means() -> None:
    found = checked(MATCH.replace("experiment e {", 'experiment e { temperature {"openai/b": 0.1, agents: 0.2} '))
    conditions = next(iter(found.designs.values())).cells[0].conditions
    wanted = Wanted(models=("openai/a", "cabal=openai/b", "A=openai/c"), temperature=("cabal=none", "c=0.9"))
    asking = read_asking(wanted, found)
    settings = asking.adjust(conditions).settings
    heat = {name: asking.endpoint(f"openai/{name}", settings).temperature for name in "abc"}
    assert heat == {"a": 0.2, "b": None, "c": 0.9}
    again = Asking.from_options(json.loads(json.dumps(asking.options)))
    assert again.adjust(conditions).settings == settings


def test_a_plain_value_is_for_all() -> None:
    settings = Conditions().settings.told("temperature", {"cabal": 1.0, "agents": 0.5}).told("temperature", {"": 0.1})
    assert (settings.temperature, settings.apart) == (0.1, ())
