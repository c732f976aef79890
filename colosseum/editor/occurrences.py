"""Where names stand. In: a declared spec; out: each occurrence of each name, and what it is the name of."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from colosseum.diagnostics import Span
from colosseum.language import syntax
from colosseum.language.template_spans import MARKED
from colosseum.model.settings import SETTINGS
from colosseum.model.spec import Declared

Meaning: TypeAlias = tuple[str, str, str]
"""What a name means: its kind and where it holds (both empty for names that hold everywhere), and the name."""
WORD = re.compile(r"[^\W\d]\w*")
_IN_BRACES = re.compile(r"""(?<![\w.|])(?:[^\W\d]\w*|\\?"[^"\\]*\\?"|'[^']*')""")
"""A name or a quoted element in the braces of a template; what follows `.` or `|` is none."""


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A name at a place."""

    meaning: Meaning
    span: Span
    """Without quotes."""
    declares: bool = False


def occurrences(spec: Declared) -> list[Occurrence]:
    """All of them, in every file of the spec."""
    statements = (*spec.composition.statements, *spec.composition.overridden)
    return [found for statement in statements for found in _inside(statement, {}, spec)]


def _inside(node: syntax.Node, bound: Mapping[str, Meaning], spec: Declared) -> Iterator[Occurrence]:
    """The names in a node; `bound` are the loop variables that it knows."""
    below, source, start = list(syntax.children(node)), node.span.source, node.span.start
    for loop in below:
        if isinstance(loop, syntax.Binders | syntax.Indices):
            place = f"{source.name}:{start}"
            bound = {**bound, **{each: ("loop variable", place, each) for item in loop.items for each in item.names}}
    match node:
        case syntax.Setting(name=name) | syntax.Sweep(name=name):
            symbol = spec.symbols.get(name)
            yield Occurrence(("" if symbol else "setting" if name in SETTINGS else "", "", name), node.name_span)
            if symbol and symbol.kind == "prompt":
                chosen = (value for value in node.values if isinstance(value, syntax.Name))
                yield from (Occurrence(("variant", name, value.id), value.span) for value in chosen)
                return
        case syntax.Agents() | syntax.Network():
            pass  # these names are the language's
        case syntax.Experiment() | syntax.Arm() | syntax.Objective() | syntax.Trace():
            yield Occurrence((type(node).__name__.lower(), str(start), node.name), node.name_span, True)
        case syntax.Declaration(name=name):
            yield Occurrence(("", "", name), node.name_span, True)
            for each in node.variants if isinstance(node, syntax.Prompt) else ():
                if each.name:
                    yield Occurrence(("variant", name, each.name), _begins(each, each.name), True)
        case syntax.Name(id=name):
            yield Occurrence(bound.get(name, ("", "", name)), node.span)
        case syntax.Call(function=name) | syntax.Aggregate(function=name):
            yield Occurrence(("function", "", name), _begins(node, name))
        case syntax.Binder(names=names) | syntax.Index(names=names):
            for name, word in zip(names, WORD.finditer(source.text, start), strict=False):
                yield Occurrence(bound[name], Span(source, *word.span()), True)
        case syntax.Text(value=value) if "{{" in value or "{%" in value:
            yield from _in_template(node.span, bound)
        case syntax.Cell(value=str(value)) | syntax.Text(value=value):
            inner = node.span.text.strip('"')
            if inner == value:
                begin = start + node.span.text.startswith('"')
                yield Occurrence(("", "", value), Span(source, begin, begin + len(value)))
    for part in below:
        yield from _inside(part, bound, spec)


def _in_template(text: Span, bound: Mapping[str, Meaning]) -> Iterator[Occurrence]:
    """The names between the braces of a template; its own loop variables hide no name of the spec."""
    for block in MARKED.finditer(text.source.text, text.start, text.end):
        for word in _IN_BRACES.finditer(text.source.text, *block.span()):
            if name := word[0].strip("\\\"'"):
                start = word.start() + word[0].index(name)
                yield Occurrence(bound.get(name, ("", "", name)), Span(text.source, start, start + len(name)))


def _begins(node: syntax.Node, name: str) -> Span:
    """The name that a node begins with."""
    return Span(node.span.source, node.span.start, node.span.start + len(name))
