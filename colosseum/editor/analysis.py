"""A spec as an editor has it. In: a path and the open texts; out: each place of each name, with what it means there."""

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from colosseum.diagnostics import Span
from colosseum.language import syntax
from colosseum.language.files import BUFFERS
from colosseum.language.record import Record
from colosseum.model.check import read_spec
from colosseum.model.prompts import MARKED
from colosseum.model.realise import Realiser
from colosseum.model.settings import SETTINGS, read_seeds
from colosseum.model.spec import Declared
from colosseum.model.values import Fault

WORD = re.compile(r"[^\W\d]\w*")
_IN_BRACES = re.compile(r"""(?<![\w.|])(?:[^\W\d]\w*|\\?"[^"\\]*\\?"|'[^']*')""")
"""A name or a quoted element in the braces of a template; what follows `.` or `|` is none."""


class Meaning(NamedTuple):
    """What a name means. A name that holds everywhere has neither kind nor place."""

    name: str
    kind: str = ""
    place: str = ""


class Occurrence(NamedTuple):
    """A name at a place, without quotes."""

    meaning: Meaning
    span: Span
    declares: bool = False


class Analysis(Record):
    """The names of a spec, also of one with errors."""

    spec: Declared

    @cached_property
    def files(self) -> frozenset[Path | None]:
        """The files that it reads, of data as well."""
        cells = (sheet.header[0].span.source for sheet in self.spec.sheets.values() if sheet.header)
        return frozenset(source.path for source in (*self.spec.composition.sources, *cells))

    @cached_property
    def facts(self) -> Realiser:
        """The values at the first seed of the first experiment, else at 1, computed when first asked for."""
        facts = Realiser(self.spec, seed=1)
        try:
            seeds = next(s.values for e in self.spec.of(syntax.Experiment) for s in e.settings if s.name == "seeds")
            return Realiser(self.spec, seed=read_seeds(seeds, facts.environment())[0])
        except (Fault, StopIteration):
            return facts

    @cached_property
    def occurrences(self) -> list[Occurrence]:
        """Of all names, in all files."""
        statements = (*self.spec.composition.statements, *self.spec.composition.overridden)
        return [found for statement in statements for found in _inside(statement, {}, self.spec)]

    def at(self, path: Path, offset: int) -> Meaning | None:
        """The meaning of the name at a place, or just before it."""
        here = (o for o in self.occurrences if o.span.start <= offset <= o.span.end and o.span.source.path == path)
        last = max(here, key=lambda o: o.span.start, default=None)
        return last.meaning if last else None

    def declaration(self, meaning: Meaning) -> Span | None:
        """The place that declares a name; of an element, its first."""
        if not meaning.kind and meaning.name in self.spec.symbols:
            return self.spec.symbols[meaning.name].span
        found = (o.span for o in self.occurrences if o.meaning == meaning and o.declares)
        return next(found, None if meaning.kind else self.facts.births.get(meaning.name))


def analyse(path: Path, texts: Mapping[Path, str]) -> Analysis | None:
    """Read a spec, with open texts in place of their files; None when it has no text."""
    BUFFERS.set(texts)
    spec, _ = read_spec(path)
    return Analysis(spec) if spec else None


def _inside(node: syntax.Node, bound: Mapping[str, Meaning], spec: Declared) -> Iterator[Occurrence]:
    """The names in a node; `bound` are the loop variables that it knows."""
    below, source, start = list(syntax.children(node)), node.span.source, node.span.start
    for loop in below:
        if isinstance(loop, syntax.Binders):
            place = f"{source.name}:{start}"
            bound = {**bound, **{n: Meaning(n, "loop variable", place) for item in loop.items for n in item.names}}
    match node:
        case syntax.Setting(name=name) | syntax.Sweep(name=name):
            symbol = spec.symbols.get(name)
            yield Occurrence(Meaning(name, "setting" if name in SETTINGS and not symbol else ""), node.name_span)
            if symbol and symbol.kind == "prompt":
                chosen = (value for value in node.values if isinstance(value, syntax.Name))
                yield from (Occurrence(Meaning(value.id, "variant", name), value.span) for value in chosen)
                return
        case syntax.Experiment() | syntax.Arm() | syntax.Objective() | syntax.Trace():
            yield Occurrence(Meaning(node.name, type(node).__name__.lower(), str(start)), node.name_span, True)
        case syntax.Declaration(name=name) if name not in ("agents", "network"):  # which the language declares
            yield Occurrence(Meaning(name), node.name_span, True)
            for each in node.variants if isinstance(node, syntax.Prompt) else ():
                if each.name:
                    span = Span(source, each.span.start, each.span.start + len(each.name))
                    yield Occurrence(Meaning(each.name, "variant", name), span, True)
        case syntax.Name(id=name):
            yield Occurrence(bound.get(name, Meaning(name)), node.span)
        case syntax.Call(function=name) | syntax.Aggregate(function=name):
            yield Occurrence(Meaning(name, "function"), Span(source, start, start + len(name)))
        case syntax.Binder(names=names):
            for name, word in zip(names, WORD.finditer(source.text, start), strict=False):
                yield Occurrence(bound[name], Span(source, *word.span()), True)
        case syntax.Text(value=value) if "{{" in value or "{%" in value:
            yield from _in_template(node.span, bound)
        case syntax.Cell(value=str(value)) | syntax.Text(value=value) if node.span.text.strip('"') == value:
            begin = start + node.span.text.startswith('"')
            yield Occurrence(Meaning(value), Span(source, begin, begin + len(value)))
    arms = {a.name: Meaning(a.name, "arm", str(a.span.start)) for a in below if isinstance(a, syntax.Arm)}
    for part in below:
        yield from _inside(part, arms if isinstance(part, syntax.Contrast) else bound, spec)


def _in_template(text: Span, bound: Mapping[str, Meaning]) -> Iterator[Occurrence]:
    """The names between the braces of a template; its own loop variables hide no name of the spec."""
    for block in MARKED.finditer(text.source.text, text.start, text.end):
        for word in _IN_BRACES.finditer(text.source.text, *block.span()):
            if name := word[0].strip("\\\"'"):
                start = word.start() + word[0].index(name)
                yield Occurrence(bound.get(name, Meaning(name)), Span(text.source, start, start + len(name)))
