"""Models as JSON: goldens of what ships, the published schema, the same bytes everywhere, words for no model."""

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from conftest import SPECS as FOLDER
from jsonschema import Draft202012Validator
from model_schema import json_schema, published
from specs_made import HEAD, expanded
from test_cli_commands import colosseum, read

from colosseum.language import shipped
from colosseum.model.check import check, expand, read_spec
from colosseum.model.scenario import Scenario
from colosseum.model.serial import LEFT_OUT, NotAModel, content_hash, dump, load, schema_text

HERE = Path(__file__).parent
SPECS = sorted(FOLDER.glob("*.colo"))
GOOD = sorted((HERE / "good").glob("model_*.colo"))
UPDATE = os.environ.get("UPDATE_GOLDENS") == "1"
READABLE = 20_000
"""Bytes of a model up to which its golden is the whole of it."""
LONGEST_RECORD = 2_000
INSTANCES = 2
"""Of a statement, to be validated against the schema."""
EVERYTHING = f"""{HEAD}param bonus = 0.5
agents A, "the boss"
set moves = {{1, 2, x, "å"}}
set two = 1..2
private table cost[agents, two] ~ integer(1, 9)
variable move[agents]: moves or none
variable level[agents]: 0..2
variable team of A: {{1..2, 2..3}}
reward none_at_all[a in agents] when move[a] != none: 0 * level[a] - 1
reward paid[a in agents] to each(b in agents when level[b] > 0): max(level[a], 1) * bonus / 2
reward sums: sum(abs(level[a] - 1) for a in agents when level[a] > 0)
reward most: max(level[a] + 1 for a in agents when level[a] >= 0)
reward looked_up[a in agents]: cost[a, level[a] + 1] if level[a] < 2 and not (level[a] == 1) else 0
reward member: 1 if level[A] in team or move[A] in {{x, "å"}} else 0
require apart: all((a, b) in pairs(agents) when level[a] != level[b])
require few[a in agents]: level[a] <= 1 penalty 2 per unit
coalition cabal {{ members = {{A}} objective own: payoff[A] - total objective up: level[A] }}
network star(center = A)
secret channel backroom for agents
claim c: "It is so." is true
prompt p for agents {{ plain: ""  other: "Hello {{{{ me }}}}" }}
rubric tone "Kind?" {{ 0: "no" 5: "yes" }}
"""


@cache
def shipped_scenario(path: Path) -> Scenario:
    found, diagnostics = check(path)
    assert found is not None, [(d.code, d.message) for d in diagnostics]
    return found.expansion.scenario


# ---- goldens -----------------------------------------------------------------------------------------------------


def outline(content: bytes) -> str:
    """A model for reviewers: its digest, then one record a line; of a large one, the first of each statement."""
    whole = len(content) <= READABLE
    model = json.loads(content)
    lines = [f"sha256 {hashlib.sha256(content).hexdigest()}", f"bytes {len(content)}"]
    for name, part in [*model.items(), *((f"task.{name}", part) for name, part in model["task"].items())]:
        if name == "task":
            continue
        if not isinstance(part, list):
            lines.append(f"{name} {written(part)}")
            continue
        lines.append(f"{name} ({len(part)})")
        lines += [f"  {line}" for line in (map(written, part) if whole else abridged(part))]
    return "\n".join(lines) + "\n"


def abridged(records: list[Any]) -> Iterator[str]:
    groups: dict[str, list[Any]] = {}
    for record in records:
        name = record if isinstance(record, str) else record.get("statement") or record.get("name") or record["table"]
        groups.setdefault(str(name).partition("[")[0], []).append(record)
    for name, group in groups.items():
        first = written(group[0])
        cut = f"… {len(first):,} characters" if len(first) > LONGEST_RECORD else ""
        yield first[:LONGEST_RECORD] + cut
        if len(group) > 1:
            yield f"… and {len(group) - 1} more of `{name}`"


def written(part: Any) -> str:
    return json.dumps(part, ensure_ascii=False)


@pytest.mark.parametrize("path", SPECS, ids=lambda p: p.stem)
def test_a_shipped_spec_gives_its_golden_model(path: Path) -> None:
    golden = HERE / "models" / f"{path.stem}.txt"
    found = outline(dump(shipped_scenario(path)))
    if UPDATE:
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(found, encoding="utf-8")
    missing = f"tests/models/{golden.name} is missing: write it with UPDATE_GOLDENS=1 pytest {__file__}, and read it"
    assert golden.exists(), missing
    assert found == golden.read_text(encoding="utf-8")


def test_there_is_no_golden_without_a_spec() -> None:
    assert {p.stem for p in (HERE / "models").glob("*.txt")} <= {p.stem for p in SPECS}


# ---- the same bytes everywhere ---------------------------------------------------------------------------------

WRITE = f"""
import sys
sys.path.insert(0, {str(HERE)!r})
from test_model_serial import expansion
for path in sys.argv[1:]:
    sys.stdout.buffer.write(expansion(path))
"""
SEED = 3


def expansion(path: Path | str) -> bytes:
    """The model of a spec at `SEED`."""
    spec, _ = read_spec(path)
    assert spec is not None
    found, _ = expand(spec, seed=SEED, params={})
    assert found is not None
    return dump(found.scenario)


def test_models_are_the_same_bytes_in_every_process(tmp_path: Path) -> None:
    small = [path for path in SPECS if not path.stem.startswith("hospital")]
    specs = [str(path.resolve()) for path in small]
    places = [
        {"PYTHONHASHSEED": "0"},
        {
            "PYTHONHASHSEED": "1",
            "LC_ALL": "C",
            "LANG": "C",
            "PYTHONUTF8": "0",
            "PYTHONCOERCECLOCALE": "0",
            "TZ": "Asia/Kathmandu",
        },
    ]
    folders = [tmp_path, Path("/")]
    runs = [
        subprocess.Popen(
            [sys.executable, "-c", WRITE, *specs], env={**os.environ, **place}, cwd=folder, stdout=subprocess.PIPE
        )
        for place, folder in zip(places, folders, strict=True)
    ]
    here = b"".join(map(expansion, small))
    assert [run.communicate()[0] == here for run in runs] == [True, True]
    assert [run.returncode for run in runs] == [0, 0]


def test_what_compile_writes_has_the_scenario_s_hash(tmp_path: Path) -> None:
    path = tmp_path / "toy.json"
    said = read("compile", FOLDER / "toy.colo", "-o", path)
    content = path.read_bytes()
    assert content.endswith(b"}\n")
    assert content.count(b"\n") == 1
    assert hashlib.sha256(content).hexdigest() == content_hash(load(content)) == said["model_sha256"]


# ---- the schema --------------------------------------------------------------------------------------------------


def test_the_published_schema_is_what_the_command_prints() -> None:
    if UPDATE:
        (shipped("grammar") / "model.schema.json").write_text(published(), encoding="utf-8")
    assert published() == schema_text() == colosseum("schema").stdout


def test_the_schema_is_one_and_says_what_every_field_is() -> None:
    schema = json_schema()
    Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["properties"]["schema"]["const"] == 1
    for name, part in {"": schema, **schema["$defs"]}.items():
        assert part["description"], name
        if part.get("additionalProperties") is False:
            assert part["required"] == [key for key in part["properties"] if key not in LEFT_OUT], name
            assert [k for k, v in part["properties"].items() if not v.get("description")] == [], name


def kinds(part: Any) -> Iterator[str]:
    """Every kind of term and split in a model."""
    if isinstance(part, dict):
        yield from (part[tag] for tag in ("op", "how") if tag in part)
        part = list(part.values())
    if isinstance(part, list):
        for inner in part:
            yield from kinds(inner)


def thinned(model: Any) -> Any:
    """A model with the first instances of every statement: validating a large one whole takes a minute."""
    for name in ("payoffs", "requirements"):
        groups: dict[str, list[Any]] = {}
        for record in model["task"][name]:
            groups.setdefault(record["statement"], []).append(record)
        model["task"][name] = [record for group in groups.values() for record in group[:INSTANCES]]
    return model


@cache
def validator() -> Draft202012Validator:
    return Draft202012Validator(json_schema())


@pytest.mark.parametrize("path", [*SPECS, *GOOD], ids=lambda p: p.stem)
def test_models_fit_the_schema_and_survive_it(path: Path) -> None:
    scenario = shipped_scenario(path)
    content = dump(scenario)
    validator().validate(thinned(json.loads(content)))
    again = load(content)
    assert again == scenario
    assert dump(again) == content


def test_a_model_of_everything_fits_the_schema_and_survives_it(tmp_path: Path) -> None:
    scenario = expanded(tmp_path, EVERYTHING)
    content, schema = dump(scenario), json_schema()
    model = json.loads(content)
    Draft202012Validator(schema).validate(model)
    assert dump(load(content)) == content
    assert load(content) == scenario
    tags = {*schema["$defs"]["Term"]["properties"]["op"]["enum"], "equal", "qualified"}
    assert set(kinds(model)) == tags


def test_values_are_plain_json(tmp_path: Path) -> None:
    model = json.loads(dump(expanded(tmp_path, EVERYTHING)))
    assert list(model) == list(json_schema()["properties"])
    assert model["params"] == {"bonus": 0.5}
    domains = {v["name"]: v["domain"] for v in model["task"]["variables"]}
    assert domains["move[A]"] == [1, 2, "x", "å", None]
    assert domains["team"] == [{"set": [1, 2]}, {"set": [2, 3]}]
    assert model["network"] == {"kind": "star", "arguments": {"center": "A"}}
    assert model["prompts"][0]["variants"][1]["texts"] == {"A": "Hello A", "the boss": "Hello the boss"}
    assert model["rubrics"][0]["anchors"] == [[0, "no"], [5, "yes"]]
    assert {"table": "cost", "key": ["the boss", 1]} in model["task"]["reads"]


# ---- what is no model --------------------------------------------------------------------------------------------


def changed(model: Any, path: tuple[str | int, ...], value: object) -> Any:
    """The model with the part at a path replaced, or taken out for `...`."""
    part = model
    for step in path[:-1]:
        part = part[step]
    if value is ...:
        del part[path[-1]]
    else:
        part[path[-1]] = value
    return model


MISFIT = "does not fit `schema: 1` at "
WRONG: list[tuple[tuple[str | int, ...], object, str]] = [
    (("schema",), 2, "has `schema: 2`; this version of colosseum reads `schema: 1`"),
    (("schema",), ..., "is not a model: a model is a JSON object with `schema: 1`"),
    (("title",), ..., MISFIT + "`title`: field required"),
    (("task", "variables", 1, "owner"), ..., MISFIT + "`task.variables.1.owner`: field required"),
    (("task", "variables", 1, "colour"), "red", MISFIT + "`task.variables.1.colour`: unexpected keyword argument"),
    (("task", "payoffs", 0, "term", "op"), "power", MISFIT + "`task.payoffs.0.term`: "),
    (("task", "payoffs", 0, "kind"), "gift", MISFIT + "`task.payoffs.0.kind`: "),
    (("task", "payoffs", 0, "term", "keys"), 3, MISFIT + "`task.payoffs.0.term.select.keys`: "),
    (("coalitions", 0, "objectives", 0, "term", "operator"), "**",
     MISFIT + "`coalitions.0.objectives.0.term.arithmetic.operator`: "),
]  # fmt: skip


@pytest.mark.parametrize(("path", "value", "words"), WRONG, ids=[f"{case[0][-1]}={case[1]}" for case in WRONG])
def test_what_is_wrong_with_a_model_is_said_and_found_by_the_schema(
    path: tuple[str | int, ...], value: object, words: str
) -> None:
    model = changed(json.loads(dump(shipped_scenario(FOLDER / "toy.colo"))), path, value)
    with pytest.raises(NotAModel) as caught:
        load(json.dumps(model).encode())
    assert str(caught.value).startswith(words)
    assert not validator().is_valid(model)


@pytest.mark.parametrize(
    "text", ["", "{", "[1]", "null", '{"schema": NaN}', "[" * 100_000, '{"op":' * 100_000], ids=lambda t: t[:9]
)
def test_other_texts_are_no_models(text: str) -> None:
    with pytest.raises(NotAModel):
        load(text.encode())


def test_numbers_are_finite() -> None:
    content = dump(shipped_scenario(FOLDER / "jira.colo"))
    number = next(c for c in content.split(b'"value":')[1:] if b"." in c[:8]).partition(b",")[0]
    for wrong in (b"NaN", b"Infinity", b"1e999"):
        with pytest.raises(NotAModel):
            load(content.replace(number, wrong, 1))


def test_a_folder_of_runs_says_which_schema_it_was_written_with(tmp_path: Path) -> None:
    toy = FOLDER / "toy.colo"
    assert colosseum("audit", toy, "--seeds", "1", "--arm", "baseline", "--out", tmp_path).returncode == 0
    (written_model,) = (tmp_path / "scenarios").iterdir()
    written_model.write_bytes(written_model.read_bytes().replace(b'"schema":1', b'"schema":2'))
    done = colosseum("report", tmp_path)
    assert done.returncode == 2
    assert "has `schema: 2`; this version of colosseum reads `schema: 1`" in done.stderr
