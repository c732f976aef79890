"""Prompts. In: a template in a stranger's spec and what one agent may see; out: its text, or a diagnostic.

Templates are Jinja restricted to a whitelist of nodes; nothing in them calls, assigns or reaches into objects.
Reading a private row that is not the recipient's is an error, so what is rendered can be told to that agent.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from traceback import walk_tb
from typing import TYPE_CHECKING, Any

from colosseum.diagnostics import Diagnostic, Span, closest, report
from colosseum.language import syntax
from colosseum.language.record import Record
from colosseum.model.operations import no_entry
from colosseum.model.spec import Declared
from colosseum.model.values import Elements, Fault, Value, flatten, instance_name, text
from colosseum.model.world import Meter, Poisoned, TableData, World

if TYPE_CHECKING:
    from jinja2 import Environment, Template, nodes

LONGEST_PROMPT = 200_000  # characters that one prompt may render to
TEMPLATES = "`{{ me }}` prints, `{% for t in S %} … {% endfor %}` repeats, `{% if c %} … {% endif %}` chooses"
BLOCKS = re.compile(r"\{%.*?%\}")
MARKED = re.compile(r"\{\{.*?(?:\}\}|$)|\{%.*?(?:%\}|$)", re.DOTALL)
"""`{{ … }}` and `{% … %}`, also where the end is missing."""
TAG = re.compile(r"\{#.*?#\}|\{%[-+]?\s*(\w+).*?%\}", re.DOTALL)
ALLOWED = ("Template", "Output", "TemplateData", "For", "If", "Name", "Getitem", "Tuple", "Compare", "Operand", "And",
           "Or", "Not", "Test", "Const", "Filter")  # fmt: skip
UNKNOWN = {"Call": "calls", "Getattr": "attributes (`a.b`)", "Assign": "assignments", "CondExpr": "inline `if`",
           "Concat": "joining by `~`"}  # fmt: skip
"""Some of the nodes that prompts do not know, in words."""
TESTS = ("defined", "none", "number", "even", "odd", "in", "eq", "ne", "lt", "le", "gt", "ge")


class _Counted(Elements):
    """A set as a template sees it: every round of a loop is counted, so that no prompt runs for ever."""

    meter: Meter

    def __iter__(self) -> Iterator[Value]:
        for item in self.items:
            self.meter.count(1)
            yield item


def _shown(value: Value, meter: Meter) -> "Value | _Counted":
    return _Counted(value.items, meter) if isinstance(value, Elements) else value


class _Rows(Record):
    """A table as a template sees it: entries are read by index, private ones only by whom they are for."""

    table: TableData
    reader: str
    """Empty for a text that everybody reads."""
    meter: Meter
    spec: Declared

    def entry(self, key: object) -> "Value | _Counted":
        """The entry at an index; raises Fault, which knows the index."""
        flat = tuple(flatten(key if isinstance(key, tuple) else (key,)))
        name, audience = instance_name(self.table.name, flat), self.table.audience
        if flat not in self.table.entries:
            fault = no_entry(self.table, flat, self.spec)
        elif audience is None or self.reader in audience[flat]:
            return _shown(self.table.entries[flat], self.meter)
        else:
            help_ = "a private row may be read only in prompts for those who see it, as in `cost[me, t]`"
            reader = f"`{self.reader}`" if self.reader else "everybody"
            fault = Fault(f"this text tells {reader} the private `{name}`", code="C080", help=help_)
        fault.entry = self.table.name, tuple(map(text, flat))
        raise fault

    def __str__(self) -> str:
        raise Fault(f"the table `{self.table.name}` needs an index", code="C045")

    def __iter__(self) -> Iterator[Value]:
        raise Fault(f"`{self.table.name}` is a table, not a set", code="C057", help="loop over the set of its index")


def _join(value: object, between: object = "") -> str:
    """`S | join(", ")`, no longer than a prompt may be."""
    if not isinstance(value, _Counted | tuple):
        raise Fault(f"`join` takes a set, not `{value}`", code="C083")
    return str(between).join(_bounded((str(_finalize(item)) for item in value), len(str(between))))


def _finalize(value: object) -> object:
    """What is printed: none and pairs as the language writes them."""
    return text(value) if value is None or isinstance(value, tuple | bool) else value


def _bounded(pieces: Iterable[str], between: int = 0) -> Iterator[str]:
    """The pieces of a prompt with so many characters between them; raises Fault when they are too long."""
    length = 0
    for piece in pieces:
        length += len(piece) + between
        if length > LONGEST_PROMPT:
            message = f"this prompt renders to more than {LONGEST_PROMPT:,} characters"
            raise Fault(message, code="C082", help="loop over smaller sets")
        yield piece


FILTERS = {"join": _join, "round": lambda value, digits=0: round(float(value), digits), "length": len,
           "upper": lambda value: str(_finalize(value)).upper()}  # fmt: skip
"""What may follow `|`."""


@cache
def _jinja() -> "Environment":
    from jinja2 import StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    class Closed(ImmutableSandboxedEnvironment):
        """Looks up tables and pairs only: Jinja itself would go on to the attributes of an object."""

        def getitem(self, obj: Any, argument: Any) -> Any:
            if isinstance(obj, _Rows):
                return obj.entry(argument)
            if isinstance(obj, tuple) and type(argument) is int and 0 <= argument < len(obj):
                return obj[argument]
            raise Fault(f"`{_finalize(obj)}` is not a table, so it has no entry `{_finalize(argument)}`", code="C044")

    environment = Closed(
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=False, autoescape=False,
        finalize=_finalize,
    )  # fmt: skip
    environment.filters = dict(FILTERS)
    environment.tests = {name: environment.tests[name] for name in TESTS}
    environment.globals = {}
    return environment


class TemplateNames(Record):
    """The names that a template may read."""

    known: frozenset[str]
    other: Mapping[str, str]
    """What the names are that it may not read."""
    doubts: syntax.Doubts
    """Names that may be declared where the text is broken."""


def template_faults(text: syntax.Text, vocabulary: TemplateNames) -> list[Diagnostic]:
    """What a template does that no prompt may, and the names that it may not read, each told where it stands first."""
    from jinja2 import TemplateSyntaxError

    try:
        found: dict[str, Diagnostic] = {}
        for fault, line, name in _faults(_parsed(text.value), vocabulary):
            if fault.message not in found:  # places take long to find
                span = template_span(text, line, name)
                found[fault.message] = report(fault.code, span, fault.message, help=fault.help)
        if not found:
            _template(text.value)
        return list(found.values())
    except TemplateSyntaxError as error:
        tag = unclosed_tag(text) if str(error.message).startswith("Unexpected end of template") else None
        if tag is not None:
            help_ = f"`{{% end{tag.text.strip('{%- ').split()[0]} %}}` closes it"
            return [report("C081", tag, f"`{tag.text}` is never closed", help=help_)]
        reason = (error.message or "").partition(". ")[0].rstrip(".")
        message = f"this prompt is not a template: {reason[:1].lower()}{reason[1:]}"
        return [report("C081", template_span(text, error.lineno), message, help=TEMPLATES)]
    except (RecursionError, SyntaxError, MemoryError, ValueError):  # Python's own limits on code and on numbers
        message = "this prompt is nested too deeply, or a number in it has too many digits"
        return [report("C081", template_span(text, 1), message)]


@lru_cache(maxsize=256)
def _parsed(text: str) -> "nodes.Template":
    return _jinja().parse(lines_kept(text))


@lru_cache(maxsize=256)
def _template(text: str) -> "Template":
    """A text that passed the whitelist, compiled; every seed and every recipient has the same."""
    return _jinja().from_string(_parsed(text))


def render(
    text: syntax.Text, world: World, *, me: str, allies: tuple[str, ...], extra: Mapping[str, Value], meter: Meter
) -> str:
    """The text for one recipient; raises Fault. `meter` counts the rounds of loops, over all prompts of a world."""
    from jinja2 import TemplateError

    names = template_names(text.value)
    values: dict[str, Value] = {**{e: e for e in world.elements}, **world.params, **world.sets, **extra}
    values |= {"me": me, "allies": Elements(allies)}
    context: dict[str, object] = {name: _shown(value, meter) for name, value in values.items()}
    spec = world.spec
    for name, table in world.tables.items():
        if name not in spec.derived:
            rows = _Rows(table, me, meter, spec)
            context[name] = rows.entry(()) if () in table.entries and name in names else rows
    if any(name not in context and (name in spec.symbols or spec.doubts.covers(name)) for name in names):
        raise Poisoned("a fact is in error")
    try:
        whole = "".join(_bounded(_template(text.value).generate(context)))
    except (TypeError, ValueError, OverflowError, RecursionError, TemplateError) as error:
        span = template_span(text, _line(error))
        raise Fault(f"this prompt cannot be rendered: {error}", code="C081", span=span) from None
    except Fault as fault:
        fault.span = fault.span or template_span(text, _line(fault), *(fault.entry or ()))
        raise
    return "\n".join(line.rstrip() for line in whole.strip().splitlines())


def lines_kept(text: str) -> str:
    """A template in which only lines of nothing but `{% … %}` vanish; one that says more keeps its line's end."""

    def kept(line: str) -> str:
        whole = line.rstrip()
        if not whole.endswith("%}") or whole[:-2].endswith(("-", "+")) or not BLOCKS.sub("", whole).strip():
            return line
        return f"{whole[:-2]}+%}}"

    return "\n".join(map(kept, text.split("\n")))


def _line(error: BaseException) -> int:
    """The line of the template that was being rendered: Jinja rewrites tracebacks to name it."""
    lines = [line for frame, line in walk_tb(error.__traceback__) if frame.f_code.co_filename == "<template>"]
    return lines[-1] if lines else 1


def _faults(node: "nodes.Node", vocabulary: TemplateNames) -> Iterator[tuple[Fault, int, str]]:
    """Every outermost node that prompts do not know, and every name that means nothing, with its line and name."""
    from jinja2 import nodes

    if (fault := _refused(node, vocabulary)) is not None:
        called = getattr(getattr(node, "node", None), "name", "")
        name = getattr(node, "attr", "") or getattr(node, "name", "") or called
        yield fault, node.lineno or 1, name  # Jinja knows most lines
        return
    inner = vocabulary
    if isinstance(node, nodes.For):
        targets = (node.target, *node.target.find_all(nodes.Name))
        inner = replace(vocabulary, known=vocabulary.known | {n.name for n in targets if isinstance(n, nodes.Name)})
    for child in node.iter_child_nodes():
        outside = isinstance(node, nodes.For) and any(child is each for each in (node.iter, *node.else_))
        yield from _faults(child, vocabulary if outside else inner)


def _refused(node: "nodes.Node", vocabulary: TemplateNames) -> Fault | None:
    """What is wrong with a node by itself."""
    from jinja2 import nodes

    kind, known = type(node).__name__, vocabulary.known
    match node:
        case nodes.BinExpr() | nodes.UnaryExpr() if kind not in ALLOWED:
            help_ = "compute it in a table, and print the table's entry"
            return Fault("prompts know no arithmetic", code="C083", help=help_)
        case _ if kind not in ALLOWED:
            help_ = f"they know {{{{ }}}}, for, if, look-ups, comparisons and the filters {', '.join(FILTERS)}"
            return Fault(f"prompts know no {UNKNOWN.get(kind, kind.lower())}", code="C083", help=help_)
        case nodes.Filter(name=name) if name not in FILTERS:
            return Fault(f"`{name}` is not a filter", code="C083", help=f"filters: {', '.join(FILTERS)}")
        case nodes.Test(name=name) if name not in TESTS:
            return Fault(f"`{name}` is not a test", code="C083", help=f"tests: {', '.join(TESTS)}")
        case nodes.Name(name=name, ctx="load") if name in vocabulary.other and name not in known:
            message = f"`{name}` is {vocabulary.other[name]}, and a prompt cannot read that"
            near = closest(name, known & {"payoffs"})
            return Fault(message, code="C083", help=near or "prompts read params, sets and tables of data")
        case nodes.Name(name=name, ctx="load") if name not in known and not vocabulary.doubts.covers(name):
            return Fault(f"`{name}` is not the name of anything", code="C041", help=closest(name, sorted(known)))
    return None


@lru_cache(maxsize=256)
def template_names(text: str) -> frozenset[str]:
    """The names that a template reads; none when it is not a template."""
    from jinja2 import TemplateSyntaxError, nodes

    try:
        return frozenset(n.name for n in _parsed(text).find_all(nodes.Name) if n.ctx == "load")
    except (TemplateSyntaxError, RecursionError, ValueError):  # said where the template is compiled
        return frozenset()


# ---- places in templates -------------------------------------------------------------------------------------


def unclosed_tag(text: syntax.Text) -> Span | None:
    """The innermost `{% for … %}` or `{% if … %}` that nothing closes."""
    opened = list[Span]()
    for tag in TAG.finditer(text.span.source.text, text.span.start, text.span.end):
        if tag[1] in ("for", "if"):
            opened.append(Span(text.span.source, *tag.span()))
        elif tag[1] in ("endfor", "endif") and opened:
            opened.pop()
    return opened[-1] if opened else None


def template_span(text: syntax.Text, line: int, name: str = "", key: Sequence[str] = ()) -> Span:
    """The place of a name in the blocks of a line (counted from 1 in the template), with its indices.

    Of several, it is the one whose indices are written most like a key. Without a name it is the only block of the
    line; else the line; else, on a line of nothing, the whole text.
    """
    (low, high), source = _extent(text, line), text.span.source
    blocks = list(MARKED.finditer(source.text, low, high))
    named = re.compile(rf"\b{re.escape(name)}\b(?:\s*\[([^\[\]]*)\])?")
    found = [each for block in blocks for each in named.finditer(source.text, *block.span())] if name else []

    def alike(match: re.Match[str]) -> int:
        return sum(part.strip(" '\"\\") == other for part, other in zip((match[1] or "").split(","), key, strict=False))

    best = max(found, key=alike, default=blocks[0] if len(blocks) == 1 else None)
    place = best.span() if best else (low, high)
    return Span(source, *place) if low < high else text.span


def _extent(text: syntax.Text, line: int) -> tuple[int, int]:
    """Start and end of a template line in the source, without the blanks and quotes around it."""
    source = text.span.source
    head = 0 if text.long and text.span.text[3:].lstrip(" \t\r").startswith("\n") else 1
    number = min(text.span.line + line - head, len(source.line_starts))
    quotes = 3 if text.long else 1
    low = max(text.span.start + quotes, source.line_starts[number - 1])
    high = min(text.span.end - quotes, source.line_starts[number - 1] + len(source.line(number)))
    written = source.text[low:high]
    return low + len(written) - len(written.lstrip()), low + len(written.rstrip())
