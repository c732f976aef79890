"""What commands print as JSON. In: the name of a kind of file; out: types of small answers, and every JSON Schema."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any

from colosseum.diagnostics import Code, WrittenDiagnostic, closest, stop
from colosseum.diagnostics.page import Page
from colosseum.evidence.registry import FigureEntry
from colosseum.model.json_text import plain
from colosseum.model.serial import schema_text


@dataclass(frozen=True)
class CheckedFile:
    """One file."""

    file: str
    ok: bool
    diagnostics: tuple[WrittenDiagnostic, ...]
    notes: tuple[str, ...]
    """What its experiments cannot settle, as they have too few seeds."""


@dataclass(frozen=True)
class CheckFile:
    """What is wrong with files."""

    files: tuple[CheckedFile, ...]


@dataclass(frozen=True)
class NewFiles:
    """What was written."""

    written: tuple[Path, ...]


@dataclass(frozen=True)
class SpecsFile:
    """The specs that ship."""

    specs: Mapping[str, str]
    """Titles by name."""


@dataclass(frozen=True)
class ExplainFile:
    """Codes of messages, figures, and words of verdicts."""

    codes: tuple[Code, ...]
    figures: tuple[FigureEntry, ...]
    words: Mapping[str, str]
    """Of calls, verdicts and readings, with what they say."""
    page: Page | None
    """Of the one code that was asked for."""
    says: str
    """What Colosseum says about its wrong example."""


# ---- their schemas -------------------------------------------------------------------------------------------------


DIALECT = "https://json-schema.org/draft/2020-12/schema"
MODEL = "model"
"""What `compile -o` writes."""


@dataclass(frozen=True)
class Kind:
    """A kind of file, of its lines, or of what a command prints."""

    about: str
    """What it is."""
    place: str
    """Of its type, or of a function that gives pydantic's adapter: a module below `colosseum`, and a name."""
    version: int | str
    """Raised when a field changes its name or meaning; of a file, the place of that number."""

    @property
    def printed(self) -> bool:
        """Whether a command prints it, with its version as `schema`."""
        return isinstance(self.version, int)

    @property
    def number(self) -> int:
        """Its version."""
        return self.version if isinstance(self.version, int) else int(_at(self.version))

    @property
    def adapter(self) -> Any:
        """What pydantic makes of its type."""
        from pydantic import TypeAdapter

        found = _at(self.place)
        if not isinstance(found, type):
            return found()
        if not hasattr(found, "__pydantic_config__"):
            found.__pydantic_config__ = {"use_attribute_docstrings": True}  # type: ignore[attr-defined]
        return TypeAdapter(found)


def _at(place: str) -> Any:
    module, name = place.split(":")
    return getattr(import_module(f"colosseum.{module}"), name)


KINDS = {
    "trace": Kind("A line of a trace, runs/ID.jsonl: an event of a run. The lines are chained by hash.",
                  "run.events:adapter", "run.trace:VERSION"),
    "calls": Kind("A line of runs/ID.calls.jsonl: one attempt to ask a model, as it went.",
                  "campaign.schemas:calls_adapter", "campaign.schemas:VERSION"),
    "result": Kind("How a run ended, runs/ID.json; it seals the run's trace.",
                   "campaign.folder:result_adapter", "campaign.runner:SCHEMA"),
    "campaign": Kind("What a folder is of, campaign.json: what is compared with what, and the list of trials.",
                     "campaign.folder:plan_adapter", "campaign.folder:SCHEMA"),
    "judges": Kind("Who judges the runs of a folder, judged/judges.json, and how they are asked.",
                   "campaign.judged:judges_adapter", "run.judging.judgement:SCHEMA"),
    "judged": Kind("What judges made of a run, judged/ID.json.",
                   "campaign.judged:judged_adapter", "run.judging.judgement:SCHEMA"),
    "progress": Kind("A line that `audit --display json` writes a minute: how far a campaign has come.",
                     "campaign.progress:Progress", "campaign.progress:SCHEMA"),
    "prompts": Kind("`prompts --json`: the messages and tools of every agent's first turn.",
                    "campaign.openings:adapter", "campaign.openings:SCHEMA"),
    "report": Kind("`report`, `audit` and `judge` with --json, and report.json: what a campaign shows.",
                   "evidence.findings:ReportFile", 2),
    "compile": Kind("`compile --json`: the optima of an instance.", "evidence.answers:CompileFile", 2),
    "score": Kind("`score --json`: what decisions are worth.", "evidence.answers:ScoreFile", 2),
    "frontier": Kind("`frontier --json`: what a coalition could do.", "evidence.answers:FrontierFile", 2),
    "scan": Kind("`scan --json`: coalitions by what they could do.", "evidence.answers:ScanFile", 2),
    "power": Kind("`power --json`: what an experiment can see.", "evidence.power.content:PowerFile", 2),
    "plan": Kind("`plan --json`: what would be settled before the first run.", "evidence.audit_plan:AuditPlan", 2),
    "forecast": Kind("`audit --dry-run --json`: what runs will take.", "evidence.forecast:Forecast", 3),
    "config": Kind("`audit --show-config --json`: every option that holds.", "report.configuration:ConfigFile", 2),
    "check": Kind("`check --json`: what is wrong with specs.", "report.published:CheckFile", 2),
    "new": Kind("`new --json`: what was written.", "report.published:NewFiles", 1),
    "specs": Kind("`new --list --json`: the specs that ship.", "report.published:SpecsFile", 2),
    "explain": Kind("`explain --json`: codes and figures.", "report.published:ExplainFile", 2),
    "runs": Kind("`log list --json`: the runs of a campaign.", "report.log:RunsFile", 2),
    "run": Kind("`log show RUN --json`: one run with its events.", "report.log:RunFile", 2),
    "verify": Kind("`log verify --json`: what is not as it was written.", "campaign.verifying:Verified", 1),
    "replay": Kind("`replay --json`: what runs come to when they are made again.", "report.log:Replay", 2),
    "compare": Kind("`compare --json`: campaigns side by side.", "evidence.comparing:SideBySide", 1),
    "import": Kind("`import --json`: what became of runs that others made.", "imports.imported_run:ImportFile", 1),
    "merge": Kind("`merge --json`: what came of joining folders.", "campaign.merging:Merged", 2),
    "calibration": Kind("`judge calibrate --json`: how well judges tell the labelled set.",
                        "evidence.calibration:CalibrationFile", 2),
}  # fmt: skip


def document(kind: str, content: Any) -> dict[str, object]:
    """What a command prints as JSON, with the version of its schema."""
    events: tuple[object, ...] = ()
    if kind == "run":  # events may be nested too deep for pydantic, and are JSON already
        events, content = content.events, replace(content, events=())
    found = plain(content)
    assert isinstance(found, dict)
    return {"schema": KINDS[kind].number, **found, **({"events": events} if events else {})}


def published(name: str) -> str:
    """The schema of models or of a kind, indented, ending in a line feed. Raises ColosseumError."""
    if name == MODEL:
        return schema_text()
    if name not in KINDS:
        known = (MODEL, *KINDS)
        raise stop("C122", f"there is no schema `{name}`", help=closest(name, known) or f"schemas: {', '.join(known)}")
    kind = KINDS[name]
    found = kind.adapter.json_schema(mode="serialization" if kind.printed else "validation")
    if kind.printed:
        found["properties"] = {"schema": {"const": kind.number}, **found["properties"]}
        found["required"] = ["schema", *found.get("required", ())]
    about = {"title": f"Colosseum {name}", "description": kind.about}
    opening = {"$schema": DIALECT, "$id": f"urn:colosseum:{name}:{kind.number}", **about}
    return json.dumps(opening | found | about, ensure_ascii=False, indent=2) + "\n"
