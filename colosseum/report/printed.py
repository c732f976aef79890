"""What small commands print as JSON. In: nothing; out: their types, which `colosseum schema` publishes."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from colosseum.diagnostics import Code, WrittenDiagnostic
from colosseum.diagnostics.page import Page
from colosseum.evidence.registry import FigureEntry


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
