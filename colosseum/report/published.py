"""What commands print as JSON. In: the name of a kind of file; out: types of small answers, and every JSON Schema."""

import json
import tomllib
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from types import UnionType
from typing import Any, Final, get_args

from colosseum.diagnostics import WrittenDiagnostic, one_of
from colosseum.model.serial import plain, schema_text


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


DIALECT = "https://json-schema.org/draft/2020-12/schema"
MODEL = "model"  # what `compile -o` writes


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
        if not isinstance(found, type | UnionType):
            return found()
        for each in get_args(found) or (found,):
            if not hasattr(each, "__pydantic_config__"):
                each.__pydantic_config__ = {"use_attribute_docstrings": True}
        return TypeAdapter(found)


def _at(place: str) -> Any:
    module, name = place.split(":")
    return getattr(import_module(f"colosseum.{module}"), name)


_FILE: Final = (Path(__file__).parent / "kinds.toml").read_text(encoding="utf-8")
KINDS: Final = {name: Kind(**entry) for name, entry in tomllib.loads(_FILE).items()}


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
    kind = KINDS[one_of("schema", name, (MODEL, *KINDS))]
    found = kind.adapter.json_schema(mode="serialization" if kind.printed else "validation")
    if kind.printed:
        found["properties"] = {"schema": {"const": kind.number}, **found["properties"]}
        found["required"] = ["schema", *found.get("required", ())]
    about = {"title": f"Colosseum {name}", "description": kind.about}
    opening = {"$schema": DIALECT, "$id": f"urn:colosseum:{name}:{kind.number}", **about}
    return json.dumps(opening | found | about, ensure_ascii=False, indent=2) + "\n"
