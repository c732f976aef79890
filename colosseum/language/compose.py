"""A spec and the files it uses, as one list of statements. In: a path; out: a `Composition` and diagnostics.

`use` brings a file's statements to the place where it stands; `override` puts a statement in another's place.
"""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from colosseum.diagnostics import Diagnostic, Label, Source, Span, closest, report
from colosseum.language import syntax
from colosseum.language.files import forbidden, read_source, within
from colosseum.language.parser import parse
from colosseum.language.record import Record
from colosseum.language.syntax import NO_DOUBTS, Doubts, Override, ScenarioName, Statement, Use

DEEPEST = 16  # files that use each other in a chain


class Composition(Record):
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
    """Read a spec and all that it uses: what could be read, with doubts about the rest; None when there is no text."""
    real = Path(path)
    with suppress(OSError, RuntimeError, ValueError):  # a loop of links, or no path at all
        real = real.resolve()
    source = read_source(real, name=str(Path(path)), span=None)
    if isinstance(source, Diagnostic):
        return None, [source]
    reader, start = _FileReader(source), Span(source, 0, 0)
    scenario = reader.bring(source, chain=()) or ScenarioName(name="", name_span=start, title="", span=start)
    declared, overridden = reader.declare()
    found = Composition(source, tuple(reader.sources), scenario, tuple(declared), tuple(overridden), reader.doubts)
    return found, reader.diagnostics


class _FileReader:
    """What has been brought in so far."""

    def __init__(self, main: Source) -> None:
        assert main.path is not None
        self.main, self.folder = main, main.path.parent
        self.sources: list[Source] = []
        self.diagnostics: list[Diagnostic] = []
        self.found: list[Statement | Override] = []
        self.doubts = NO_DOUBTS

    def bring(self, source: Source, *, chain: tuple[Source, ...]) -> ScenarioName | None:
        """Add a file's statements, and before them those of the files it uses."""
        self.sources.append(source)
        file, diagnostics = parse(source)
        self.diagnostics += diagnostics
        self.doubts |= file.doubts
        for statement in file.statements:
            if not isinstance(statement, Use):
                self.found.append(statement)
                continue
            used = self._find(statement, (*chain, source))
            if isinstance(used, Diagnostic):
                self.diagnostics.append(used)
                self.doubts |= Doubts(everything=True)
            elif used is not None:
                self.bring(used, chain=(*chain, source))
        return file.scenario

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

    def declare(self) -> tuple[list[Statement], list[Statement]]:
        """The one declaration of each name, replaced by the overrides that follow it; and those that were replaced."""
        declared, overridden = dict[tuple[str, str], Statement](), list[Statement]()
        missing, contested = list[Statement](), set[str]()
        for item in self.found:
            overrides = isinstance(item, Override)
            statement = item.statement if isinstance(item, Override) else item
            before = declared.get(_key(statement))
            if before is None and overrides:
                missing.append(statement)
            elif before is not None and (not overrides or before.span.source is statement.span.source):
                self.diagnostics.append(_twice(statement, before, overrides=overrides))
                contested.add(statement.name)
            else:
                overridden += [before] if before is not None else []
                declared[_key(statement)] = statement
        self.doubts |= Doubts(contested=frozenset(contested))
        self.diagnostics += self._unfound(missing, declared)
        return list(declared.values()), overridden

    def _unfound(self, missing: list[Statement], declared: dict[tuple[str, str], Statement]) -> Iterator[Diagnostic]:
        """Overrides without anything to replace; silent when it may be where the text could not be read."""
        for statement in missing:
            name, later = statement.name, declared.get(_key(statement))
            if later is not None:
                message = f"`{name}` is overridden before it is declared"
                help_ = "put the override after the `use` that brings it"
                labels = [Label(later.name_span, "declared here")]
                yield report("C035", statement.name_span, message, labels=labels, help=help_)
            elif not self.doubts.covers(name):
                near = closest(name, [n for kind, n in declared if kind == _key(statement)[0]])
                help_ = near if len(self.sources) > 1 else "this file uses no other; leave `override` out"
                yield report("C035", statement.name_span, f"there is no `{name}` to override", help=help_)


class NewFile(Record):
    """A file to write."""

    path: Path
    """Relative to the folder of the new spec."""
    content: bytes


def gathered(composition: Composition, *, folders: Iterable[str]) -> tuple[NewFile, ...]:
    """A spec as it was read with all that it reads and templates in folders, the main file first; raises OSError."""
    main = composition.source.path
    assert main is not None
    own = (path for folder in folders for path in sorted((main.parent / folder).glob("*.jinja")))
    read = {source.path: source.text.encode() for source in composition.sources if source.path is not None}
    paths = dict.fromkeys((*read, *_data(composition), *own))
    return tuple(NewFile(p.relative_to(main.parent), read[p] if p in read else p.read_bytes()) for p in paths)


def _data(composition: Composition) -> Iterator[Path]:
    """The CSV files that a spec and those that it uses read."""
    for statement in (*composition.statements, *composition.overridden):
        if isinstance(statement, syntax.Set | syntax.Table) and isinstance(statement.source, syntax.Loaded):
            naming = statement.span.source.path
            assert naming is not None
            yield (naming.parent / statement.source.path).resolve()


def _key(statement: Statement) -> tuple[str, str]:
    """The namespace of a name and the name: experiments and mappings of traces have their own."""
    apart = isinstance(statement, syntax.Experiment | syntax.Trace)
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
