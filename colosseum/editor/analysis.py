"""A spec as an editor has it. In: a path and the open texts; out: an Analysis: its diagnostics, its names."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from colosseum.campaign.vetting import vet_alone
from colosseum.diagnostics import Diagnostic, Span
from colosseum.editor.occurrences import Meaning, Occurrence, occurrences
from colosseum.language import syntax
from colosseum.language.files import BUFFERS
from colosseum.model.check import read_spec
from colosseum.model.realise import Realiser
from colosseum.model.settings import read_seeds
from colosseum.model.spec import Declared, Symbol
from colosseum.model.values import Fault


@dataclass(frozen=True)
class Analysis:
    """What is known of a spec, also of one with errors."""

    spec: Declared
    facts: Realiser
    """The values at its seed, computed when first asked for."""

    @cached_property
    def files(self) -> frozenset[Path | None]:
        """The files that it reads, of data as well."""
        cells = (sheet.header[0].span.source for sheet in self.spec.sheets.values() if sheet.header)
        return frozenset(source.path for source in (*self.spec.composition.sources, *cells))

    @cached_property
    def occurrences(self) -> list[Occurrence]:
        """Of all names, in all files."""
        return occurrences(self.spec)

    def at(self, path: Path, offset: int) -> Occurrence | None:
        """The name at a place, or just before it."""
        here = (o for o in self.occurrences if o.span.start <= offset <= o.span.end and o.span.source.path == path)
        return max(here, key=lambda o: o.span.start, default=None)

    def symbol(self, meaning: Meaning) -> Symbol | None:
        """What is declared by a name that holds everywhere."""
        return None if meaning[0] else self.spec.symbols.get(meaning[2])

    def declaration(self, meaning: Meaning) -> Span | None:
        """Where a meaning is declared; an element, where it is born."""
        if symbol := self.symbol(meaning):
            return symbol.span
        found = (o.span for o in self.occurrences if o.meaning == meaning and o.declares)
        return next(found, None if meaning[0] else self.facts.births.get(meaning[2]))


def analyse(
    path: Path, buffers: Mapping[Path, str], seed: int | None = None, *, checked: bool
) -> tuple[Analysis | None, list[Diagnostic]]:
    """Read a spec, with buffers in place of their files, and check it where that is asked; None when there is no text.

    `seed` defaults to the first of the first experiment.
    """
    BUFFERS.set(buffers)
    spec, diagnostics = read_spec(path)
    if checked:
        diagnostics = vet_alone(path)[1]
    if spec is None:
        return None, diagnostics
    return Analysis(spec, Realiser(spec, _first_seed(spec) if seed is None else seed, {})), diagnostics


def _first_seed(spec: Declared) -> int:
    """Of the first experiment that names one that can be computed, else 1."""
    settings = [s for e in spec.of(syntax.Experiment) for s in e.settings if s.name == "seeds"]
    try:
        return read_seeds(settings[0].values, Realiser(spec, 0, {}).environment())[0] if settings else 1
    except Fault:
        return 1
