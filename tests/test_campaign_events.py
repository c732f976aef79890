"""What a campaign's files look like: every line of real campaigns fits the schemas that are published, and no other."""

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from audited import SPEC, Wild, lines, modelled, scripted
from jsonschema import Draft202012Validator
from plans import trials_of
from test_cli_commands import colosseum

from colosseum.players.models.failure import KINDS, STATUS
from colosseum.run import trace
from colosseum.run.trace import VERSION, misfit

TYPES = trace.line_types(Path(trace.__file__).with_name("events.toml"))
EVENTS = {get_args(each.model_fields["event"].annotation)[0] for each in TYPES.values() if "event" in each.model_fields}


def validator(kind: str) -> Draft202012Validator:
    """What is published."""
    done = colosseum("schema", kind)
    assert (done.returncode, done.stderr) == (0, "")
    schema = json.loads(done.stdout)
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Campaigns in which everything happens."""
    place = tmp_path_factory.mktemp("campaigns")
    return [
        scripted(place / "scripted", text=f'{SPEC}claim late[a in agents]: "{{{{ a }}}} is late" is false'),
        modelled(place / "failed", "--extra-body", '{"top_k": 20}', script=Wild(breaks="Differ.")),
        modelled(place / "refused", "--temperature", "0.1", script=Wild(refuses='agent "B"')),
    ]


def test_every_event_of_real_campaigns_fits(folders: list[Path]) -> None:
    schema, met = validator("trace"), set()
    for line in (line for folder in folders for line in lines(folder)):
        met.add(line["event"])
        assert list(schema.iter_errors(line)) == [], line
        assert misfit(line) == ""
        made = trace.events().validate_python(line).model_dump(exclude_unset=True)
        assert "imported" not in made  # of our own runs
        assert made == line
    assert met == EVENTS


def test_every_call_result_and_plan_fits(folders: list[Path]) -> None:
    call, result, campaign = validator("calls"), validator("result"), validator("campaign")
    made = [line for folder in folders for line in lines(folder, ".calls.jsonl")]
    assert {line["kind"] for line in made} == {"ok", "bad_request"}
    assert [error for line in made for error in call.iter_errors(line)] == []
    for folder in folders:
        for path in (folder / "runs").glob("*.json"):
            found = json.loads(path.read_bytes())
            assert list(result.iter_errors(found)) == []
            assert f"result:{found['schema']}" in result.schema["$id"]
        found = json.loads((folder / "campaign.json").read_bytes())
        assert list(campaign.iter_errors(found)) == []
        assert f"campaign:{found['schema']}" in campaign.schema["$id"]


LATER = {"wordings", "templates"}
"""Fields that traces of earlier versions do not have."""


def changed(line: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The line with a field more or less, or with a field of no type that there is, wherever fields are ours."""
    yield {**line, "more": 1}
    for key in line:
        if key not in LATER:
            yield {k: v for k, v in line.items() if k != key}
        yield {**line, key: [[]]}
    for path in (("usage",), ("conditions",), ("conditions", "settings"), ("channels", 0), ("calls", 0)):
        altered: Any = copy.deepcopy(line)
        part = altered
        for step in path:
            part = (
                part[step] if (isinstance(part, dict) and step in part) or (isinstance(part, list) and part) else None
            )
        if isinstance(part, dict):
            part["more"] = 1
            yield altered


def test_nothing_else_fits(folders: list[Path]) -> None:
    schema = validator("trace")
    firsts = {line["event"]: line for folder in folders for line in lines(folder)}
    assert len(firsts) == len(EVENTS)
    for line in firsts.values():
        for other in changed(line):
            assert not schema.is_valid(other), other
            assert misfit(other), other


def test_a_field_more_fits_no_other_file_either(folders: list[Path]) -> None:
    call, result, campaign = validator("calls"), validator("result"), validator("campaign")
    for line in lines(folders[1], ".calls.jsonl"):
        assert not call.is_valid({**line, "more": 1})
        assert not call.is_valid({k: v for k, v in line.items() if k != "place"})
    found = json.loads(next((folders[0] / "runs").glob("*.json")).read_bytes())
    assert not result.is_valid({**found, "more": 1})
    assert not result.is_valid({**found, "expense": {**found["expense"], "more": 1}})
    found = json.loads((folders[0] / "campaign.json").read_bytes())
    assert not campaign.is_valid({**found, "more": 1})
    assert not validator("trials").is_valid({**trials_of(folders[0])[0], "more": 1})


def test_the_schema_says_which_it_is_and_what_every_field_means() -> None:
    schema = validator("trace").schema
    assert schema["$id"] == f"urn:colosseum:trace:{VERSION}"
    assert schema["$defs"]["Start"]["properties"]["version"]["enum"][-1] == VERSION
    for name, part in schema["$defs"].items():
        own = {k: v for k, v in part.get("properties", {}).items() if k not in ("event", "channels", "settings")}
        assert all("description" in field or "$ref" in field for field in own.values()), name


def test_every_kind_of_failure_may_stand_in_a_trace() -> None:
    kinds = set(get_args(TYPES["Failed"].model_fields["kind"].annotation))
    assert kinds == {*KINDS.values(), *STATUS.values(), "bad_request", "transport", "agent"} - {"refusal"}


def test_the_plain_command_is_about_models() -> None:
    assert colosseum("schema").stdout == colosseum("schema", "model").stdout
    done = colosseum("schema", "traces")
    assert done.returncode == 2
    assert "did you mean `trace`?" in done.stderr
