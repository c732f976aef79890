"""Prompts. In: a template in a stranger's spec and what one agent may see; out: its text, or a diagnostic.

Templates are Jinja restricted to a whitelist of nodes; nothing in them calls, assigns or reaches into objects.
Reading a private row that is not the recipient's is an error, so what is rendered can be told to that agent.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from colosseum.diagnostics import Span, closest
from colosseum.language import syntax
from colosseum.model.environment import Meter
from colosseum.model.values import Elements, Fault, Value, flatten, instance_name
from colosseum.model.world import TableData, World

if TYPE_CHECKING:
    from jinja2 import Environment, Template, nodes

LONGEST_PROMPT = 200_000
"""Characters that one prompt may render to."""
ALLOWED = frozenset(
    "Template Output TemplateData For If Name Getitem Tuple Compare Operand And Or Not Test Const Filter".split()
)
FILTERS = ("join", "round", "upper", "length")
TESTS = ("defined", "none", "number", "even", "odd", "in", "eq", "ne", "lt", "le", "gt", "ge")


@dataclass(frozen=True)
class _Counted:
    """A set as a template sees it: every round of a loop is counted, so that no prompt runs for ever."""

    elements: Elements
    meter: Meter

    def __iter__(self) -> Iterator[Value]:
        for item in self.elements:
            self.meter.count(1)
            yield item

    def __len__(self) -> int:
        return len(self.elements)

    def __contains__(self, item: object) -> bool:
        return item in self.elements

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Counted) and self.elements == other.elements

    def __hash__(self) -> int:
        return hash(self.elements)

    def __str__(self) -> str:
        return str(self.elements)


def _shown(value: Value, meter: Meter) -> "Value | _Counted":
    return _Counted(value, meter) if isinstance(value, Elements) else value


@dataclass(frozen=True)
class _Rows:
    """A table as a template sees it: entries are read by index, private ones only by whom they are for."""

    table: TableData
    reader: str
    meter: Meter

    def __getitem__(self, key: Any) -> Any:
        flat = tuple(flatten(key if isinstance(key, tuple) else (key,)))
        if flat not in self.table.entries:
            raise Fault(f"`{instance_name(self.table.name, flat)}` does not exist", code="C052")
        if self.table.audience is not None and self.reader not in self.table.audience[flat]:
            name = instance_name(self.table.name, flat)
            raise Fault(f"this prompt tells `{self.reader}` the private `{name}`", code="C080",
                        help="a private row may be read only in prompts for those who see it, as in `cost[me, t]`")  # fmt: skip
        return _shown(self.table.entries[flat], self.meter)

    def __str__(self) -> str:
        raise Fault(f"the table `{self.table.name}` needs an index", code="C045")

    __iter__ = None


@cache
def _jinja() -> "Environment":
    from jinja2 import StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    environment = ImmutableSandboxedEnvironment(
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=False, autoescape=False,
        finalize=lambda value: "none" if value is None else value,
    )  # fmt: skip
    environment.filters = {name: environment.filters[name] for name in FILTERS}
    environment.tests = {name: environment.tests[name] for name in TESTS}
    environment.globals = {}
    return environment


@dataclass(frozen=True)
class Compiled:
    """A template that passed the whitelist."""

    template: "Template"
    text: syntax.Text


def compile_template(text: syntax.Text, *, known: frozenset[str]) -> Compiled:
    """Check a template against the whitelist and its names against `known`; raises Fault with a span."""
    from jinja2 import TemplateSyntaxError

    try:
        tree = _jinja().parse(text.value)
    except TemplateSyntaxError as error:
        raise _at(Fault(f"this prompt is not a template: {error.message}", code="C081"), text, error.lineno) from None
    except RecursionError:
        raise _at(Fault("this prompt is nested too deeply", code="C081"), text, 1) from None
    _check(tree, text, known)
    return Compiled(_jinja().from_string(tree), text)


def render(compiled: Compiled, world: World, *, me: str, allies: tuple[str, ...], extra: dict[str, Value]) -> str:
    """The text for one recipient; raises Fault."""
    meter = Meter()
    values: dict[str, Value] = {**{e: e for e in world.known_elements()}, **world.params, **world.sets, **extra}
    values |= {"me": me, "allies": Elements(allies), "links": world.network_links}
    context: dict[str, object] = {name: _shown(value, meter) for name, value in values.items()}
    for name, table in world.tables.items():
        if name not in world.spec.derived:
            rows = _Rows(table, me, meter)
            context[name] = rows[()] if () in table.entries else rows
    pieces: list[str] = []
    length = 0
    try:
        for piece in compiled.template.generate(context):
            length += len(piece)
            if length > LONGEST_PROMPT:
                raise Fault(f"this prompt renders to more than {LONGEST_PROMPT:,} characters", code="C082")
            pieces.append(piece)
    except (TypeError, ValueError, OverflowError) as error:
        raise _at(Fault(f"this prompt cannot be rendered: {error}", code="C081"), compiled.text, 1) from None
    except Fault as fault:
        fault.span = fault.span or compiled.text.span
        raise
    return "\n".join(line.rstrip() for line in "".join(pieces).strip().splitlines())


def _check(node: "nodes.Node", text: syntax.Text, known: frozenset[str]) -> None:
    from jinja2 import nodes

    kind = type(node).__name__
    if kind not in ALLOWED:
        message = f"prompts know no {_WORDS.get(kind, kind)}"
        raise _at(Fault(message, code="C083", help="they know {{ }}, for, if, look-ups, comparisons and the filters "
                        + ", ".join(FILTERS)), text, node.lineno)  # fmt: skip
    if isinstance(node, nodes.Filter) and node.name not in FILTERS:
        raise _at(Fault(f"`{node.name}` is not a filter", code="C083", help=f"filters: {', '.join(FILTERS)}"), text, node.lineno)
    if isinstance(node, nodes.Test) and node.name not in TESTS:
        raise _at(Fault(f"`{node.name}` is not a test", code="C083", help=f"tests: {', '.join(TESTS)}"), text, node.lineno)
    if isinstance(node, nodes.Name) and node.ctx == "load" and node.name not in known:
        fault = Fault(f"`{node.name}` is not the name of anything", code="C041", help=closest(node.name, known))
        raise _at(fault, text, node.lineno, word=node.name)
    if isinstance(node, nodes.For):
        _check(node.iter, text, known)
        bound = known | {n.name for n in _names(node.target)} | {"loop"}
        for child in (*([node.test] if node.test else []), *node.body):
            _check(child, text, bound)
        for child in node.else_:
            _check(child, text, known)
        return
    for child in node.iter_child_nodes():
        _check(child, text, known)


def template_names(text: str) -> set[str]:
    """The names that a template reads; none when it is not a template."""
    from jinja2 import TemplateSyntaxError, nodes

    try:
        return {n.name for n in _jinja().parse(text).find_all(nodes.Name) if n.ctx == "load"}
    except TemplateSyntaxError:
        return set()


def _names(target: "nodes.Node") -> Iterator["nodes.Name"]:
    from jinja2 import nodes

    return iter([target] if isinstance(target, nodes.Name) else list(target.find_all(nodes.Name)))


_WORDS = {"Call": "calls", "Getattr": "attributes (`a.b`)", "Assign": "assignments", "Add": "arithmetic",
          "Sub": "arithmetic", "Mul": "arithmetic", "Div": "arithmetic", "Macro": "macros", "Include": "includes",
          "Import": "imports", "Block": "blocks", "Extends": "inheritance", "Slice": "slices", "Concat": "joining by `~`",
          "Mod": "arithmetic", "Pow": "arithmetic", "FloorDiv": "arithmetic", "Neg": "arithmetic", "Pos": "arithmetic",
          "CondExpr": "inline `if`", "List": "lists", "Dict": "dictionaries"}  # fmt: skip


def _at(fault: Fault, text: syntax.Text, line: int, *, word: str = "") -> Fault:
    """Place a fault at a line of the template, at a word of it when that can be found."""
    source = text.span.source
    number = min(text.span.line + line - (0 if text.long and text.span.text.startswith('"""\n') else 1), len(source.line_starts))
    start = max(text.span.start, source.line_starts[number - 1])
    end = min(text.span.end, start + len(source.line(number)))
    found = source.text.find(word, start, end) if word else -1
    if start >= end:
        fault.span = text.span
    else:
        fault.span = Span(source, found, found + len(word)) if found >= 0 else Span(source, start, end)
    return fault
