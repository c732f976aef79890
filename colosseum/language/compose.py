"""A spec and the files it uses, as one list of statements. In: a path; out: a `Composition` and diagnostics.

`use` brings a file's statements to the place where it stands; `override` puts a statement in another's place.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from colosseum.diagnostics import Diagnostic, Label, Source, Span, closest, has_errors, report
from colosseum.language.files import forbidden, read_source, within
from colosseum.language.parser import NO_DOUBTS, Doubts, parse_doubtfully
from colosseum.language.syntax import Experiment, Override, ScenarioName, Statement, Trace, Use

DEEPEST = 16
"""Files that use each other in a chain."""


@dataclass(frozen=True, slots=True)
class Composition:
    """What a spec says once the files it uses are brought in."""

    source: Source
    """The main file."""
    sources: tuple[Source, ...]
    """Every file read, the main one first, then in the order of their `use`."""
    scenario: ScenarioName
    """The main file's."""
    statements: tuple[Statement, ...]
    """In order: a used file's where its `use` stands, an overriding one in place of what it replaces."""
    overridden: tuple[Statement, ...]
    """What was replaced, in the order of the overrides."""
    doubts: Doubts = NO_DOUBTS
    """What may be said where the text is broken."""


def load(path: Path | str) -> tuple[Composition | None, list[Diagnostic]]:
    """Read a spec and all that it uses; the composition is None when anything is wrong with it."""
    composition, diagnostics = load_doubtfully(path)
    return (None if has_errors(diagnostics) else composition), diagnostics


def load_doubtfully(path: Path | str) -> tuple[Composition | None, list[Diagnostic]]:
    """`load` as far as it goes: what could be read, with doubts about the rest; None when there is no text."""
    source = _main_source(Path(path))
    if isinstance(source, Diagnostic):
        return None, [source]
    reader = _FileReader(source)
    scenario = reader.bring(source, chain=())
    reader.declare()
    start = Span(source, 0, 0)
    composition = Composition(
        source=source,
        sources=tuple(reader.sources),
        scenario=scenario or ScenarioName(name="", name_span=start, title="", span=start),
        statements=tuple(reader.declared),
        overridden=tuple(reader.overridden),
        doubts=reader.doubts,
    )
    return composition, reader.diagnostics


def _main_source(path: Path) -> Source | Diagnostic:
    try:
        real = path.resolve()
    except (OSError, RuntimeError, ValueError):
        real = path
    return read_source(real, name=str(path), span=None)


class _FileReader:
    """What has been brought in so far."""

    def __init__(self, main: Source) -> None:
        assert main.path is not None
        self.main, self.folder = main, main.path.parent
        self.sources: list[Source] = []
        self.diagnostics: list[Diagnostic] = []
        self.found: list[Statement | Override] = []
        self.doubts = NO_DOUBTS
        self.contested: set[str] = set()
        self.declared: list[Statement] = []
        self.overridden: list[Statement] = []

    def bring(self, source: Source, *, chain: tuple[Source, ...]) -> ScenarioName | None:
        """Add a file's statements, and before them those of the files it uses."""
        self.sources.append(source)
        file, doubts, diagnostics = parse_doubtfully(source)
        self.diagnostics += diagnostics
        self.doubts |= doubts
        for statement in file.statements:
            if isinstance(statement, Use):
                self._use(statement, (*chain, source))
            else:
                self.found.append(statement)
        return file.scenario

    def _use(self, use: Use, chain: tuple[Source, ...]) -> None:
        source = self._find(use, chain)
        if isinstance(source, Diagnostic):
            self.diagnostics.append(source)
            self.doubts |= Doubts(everything=True)
        elif source is not None:
            self.bring(source, chain=chain)

    def _find(self, use: Use, chain: tuple[Source, ...]) -> Source | Diagnostic | None:
        """The source that a `use` names; None when it is here already."""
        naming = chain[-1].path
        assert naming is not None
        reason = forbidden(use.path)
        if reason:
            return report("C032", use.span, f"`use` does not follow `{use.path}`", help=reason)
        real = within(naming.parent / use.path, self.folder)
        if real is None:
            help_ = "files are read only below the folder of the spec that is run"
            return report("C032", use.span, f"`{use.path}` is outside the spec's own folder", help=help_)
        shown = " uses ".join(f"`{name}`" for name in (*(s.name for s in chain), self._name(real)))
        if any(real == s.path for s in chain):
            return report("C033", use.span, "files use each other in a circle", help=shown)
        if any(real == s.path for s in self.sources):
            return None
        if len(chain) >= DEEPEST:
            return report("C033", use.span, f"more than {DEEPEST} files use each other in a chain", help=shown)
        return read_source(real, name=self._name(real), span=use.span)

    def _name(self, real: Path) -> str:
        """A used file's name as the user would write it: beside the main file as that was written."""
        return str(Path(self.main.name).parent / real.relative_to(self.folder))

    def declare(self) -> None:
        """Give every name its statement: at most one declaration, replaced by the overrides that follow it."""
        places: dict[tuple[str, str], int] = {}
        missing: list[Override] = []
        for item in self.found:
            statement = item.statement if isinstance(item, Override) else item
            key = _key(statement)
            place = places.get(key)
            if place is None and isinstance(item, Override):
                missing.append(item)
            elif place is None:
                places[key] = len(self.declared)
                self.declared.append(statement)
            elif not isinstance(item, Override) or self.declared[place].span.source is statement.span.source:
                first, overrides = self.declared[place], isinstance(item, Override)
                self.diagnostics.append(_twice(statement, first, overrides=overrides))
                self.contested.add(statement.name)
            else:
                self.overridden.append(self.declared[place])
                self.declared[place] = statement
        self.doubts |= Doubts(contested=frozenset(self.contested))
        self.diagnostics += self._nothing_overridden(missing, places)

    def _nothing_overridden(self, missing: list[Override], places: dict[tuple[str, str], int]) -> Iterator[Diagnostic]:
        """Overrides without anything to replace; silent when it may be where the text could not be read."""
        for item in missing:
            statement, labels = item.statement, list[Label]()
            kind, name = _key(statement)
            message = f"there is no `{name}` to override"
            if (kind, name) in places:
                message = f"`{name}` is overridden before it is declared"
                labels = [Label(self.declared[places[kind, name]].name_span, "declared here")]
                help_ = "put the override after the `use` that brings it"
            elif self.doubts.covers(name):
                continue
            elif len(self.sources) == 1:
                help_ = "this file uses no other; leave `override` out"
            else:
                help_ = closest(name, [n for k, n in places if k == kind])
            yield report("C035", statement.name_span, message, labels=labels, help=help_)


def _key(statement: Statement) -> tuple[str, str]:
    """The namespace of a name and the name: experiments and mappings of traces have their own."""
    apart = isinstance(statement, Experiment | Trace)
    return (type(statement).__name__.lower() if apart else "", statement.name)


def _twice(statement: Statement, first: Statement, *, overrides: bool) -> Diagnostic:
    """A name that is declared again, by an `override` of the same file or without one."""
    name, elsewhere = statement.name, statement.span.source is not first.span.source
    labels = [Label(first.name_span, "here" if overrides else "first here")]
    if overrides:
        help_ = "`override` replaces a statement of a used file; keep only one of the two"
        return report("C036", statement.name_span, f"`{name}` is declared in this same file", labels=labels, help=help_)
    help_ = "to replace a statement of a used file, write `override` before it" if elsewhere else ""
    return report("C034", statement.name_span, f"`{name}` is declared twice", labels=labels, help=help_)
