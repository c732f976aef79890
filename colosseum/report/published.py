"""The JSON Schemas that are published. In: the name of a kind of file, or of what a command prints; out: its schema."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from colosseum.campaign import folder, judged, openings, schemas
from colosseum.model.serial import schema_text
from colosseum.run import events
from colosseum.run.judging import judgement
from colosseum.run.trace import VERSION

DIALECT = "https://json-schema.org/draft/2020-12/schema"
MODEL = "model"
"""What `compile -o` writes."""


@dataclass(frozen=True)
class Kind:
    """A kind of file, or of its lines."""

    about: str
    """What it is."""
    version: int
    """Raised when a field changes its name or meaning."""
    adapter: Callable[[], Any]
    """What pydantic makes of its type."""


KINDS = {
    "trace": Kind("A line of a trace, runs/ID.jsonl: an event of a run. The lines are chained by hash.",
                  VERSION, events.adapter),
    "calls": Kind("A line of runs/ID.calls.jsonl: one attempt to ask a model, as it went.", 2, schemas.calls_adapter),
    "result": Kind("How a run ended, runs/ID.json; it seals the run's trace.", 1, folder.result_adapter),
    "campaign": Kind("What a folder is of, campaign.json: what is compared with what, and the list of trials.",
                     folder.SCHEMA, folder.plan_adapter),
    "judges": Kind("Who judges the runs of a folder, judged/judges.json, and how they are asked.",
                   judgement.SCHEMA, judged.judges_adapter),
    "judged": Kind("What judges made of a run, judged/ID.json.", judgement.SCHEMA, judged.judged_adapter),
    "prompts": Kind("What `colosseum prompts --json` prints: the messages and tools of every agent's first turn.",
                    openings.SCHEMA, openings.adapter),
}  # fmt: skip


def published(name: str, kinds: Mapping[str, Kind] = KINDS) -> str:
    """The schema of models or of one of some kinds, indented, ending in a line feed."""
    if name == MODEL:
        return schema_text()
    kind = kinds[name]
    found = {key: value for key, value in _untitled(kind.adapter().json_schema()).items() if key != "description"}
    opening = {"$schema": DIALECT, "$id": f"urn:colosseum:{name}:{kind.version}", "title": f"Colosseum {name}"}
    return json.dumps({**opening, "description": kind.about, **found}, ensure_ascii=False, indent=2) + "\n"


def _untitled(schema: Any) -> Any:
    """The schema without the titles that pydantic makes of names."""
    match schema:
        case dict():
            return {k: _untitled(v) for k, v in schema.items() if k != "title" or not isinstance(v, str)}
        case list():
            return [_untitled(each) for each in schema]
        case _:
            return schema
