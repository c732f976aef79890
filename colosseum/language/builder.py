"""The one tree builder. In: a rule of the grammar, its span and its pieces; out: the node of `syntax`, spans exact.

The method of a rule has the rule's name, with `_` behind a word of Python. Its pieces are those of Lark: tokens, what
the methods of inner rules gave, and None for an optional part that is absent. It is called when its rule is complete.
"""

import math
import re
from collections.abc import Callable, Iterator, Mapping
from textwrap import dedent
from typing import Any, TypeAlias

from colosseum.diagnostics import Diagnostic, Source, Span, report
from colosseum.language import syntax
from colosseum.language.syntax import Edition, Expr, Override, ScenarioName, Statement, Text, Use
from colosseum.language.words import QUOTE, Token

ESCAPES = {'"': '"', "\\": "\\", "n": "\n", "t": "\t"}
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_LABEL_PART = re.compile(r'"(?:\\.|[^"\\\n])*"|[^\s,"]+')
Piece: TypeAlias = Any  # a token, a node, or None where an optional part is absent
CONSTANTS = {"none": None, "on": True, "off": False}  # words that stand for values in a grid's cells
Readable: TypeAlias = Edition | ScenarioName | Use | Override | Statement
"""Whatever may stand at the outermost level of a file."""


def unquote_long(written: str) -> str:
    """The text between three quotes, which has no escapes: dedented, without its first line break and last blanks."""
    text = written[3:-3].replace("\r\n", "\n")
    head, newline, rest = text.partition("\n")
    if newline:
        text = dedent(rest) if not head.strip() else f"{head}\n{dedent(rest)}"
        body, newline, tail = text.rpartition("\n")
        if not tail.strip():
            text = body if newline else ""
    return text


def label_parts(written: str) -> Iterator[tuple[int, str]]:
    """The parts of `low, "a b", -3` with the offset of each."""
    for found in _LABEL_PART.finditer(written):
        yield found.start(), found[0]


def _made(kind: type[syntax.Node], pieces: str, **fixed: str) -> Callable[..., Piece]:
    """The method of a rule: which field of its node each piece fills, in order, and fields that are `fixed`.

    `x?` is whether the piece is there, `x$` its characters, `x@` the same and where they stand, `x^` a text, `x"` the
    value of a text or nothing, `x*` all pieces that the others leave; `-` fills no field.
    """
    fields = [(name.rstrip('?$@^"*'), name[-1]) for name in pieces.split()]
    many = next((place for place, (_, mark) in enumerate(fields) if mark == "*"), None)

    def method(self: "Builder", span: Span, *found: Piece) -> Piece:
        if many is not None:
            rest = len(found) - len(fields) + 1 + many
            found = (*found[:many], found[many:rest], *found[rest:])
        filled: dict[str, Piece] = {}
        for (name, mark), piece in zip(fields, found, strict=True):
            filled[name] = self.field(mark, piece)
            if mark == "@":
                filled[f"{name}_span"] = self.span(piece)
        filled.pop("-", None)
        return kind(**filled, **fixed, span=span)

    return method


class Builder:
    """The text being read, what is wrong with it so far, and a method for each rule."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.diagnostics: list[Diagnostic] = []

    def span(self, token: Token) -> Span:
        return Span(self.source, token.start, token.end)

    def text(self, token: Token) -> Text:
        """A quoted text, in one pair of quotes or three."""
        long = token.type == "LONG_STRING"
        value = unquote_long(token) if long else self.unquoted(token, token.start)
        return Text(value, long, span=self.span(token))

    def unquoted(self, written: str, start: int) -> str:
        """The value of `"…"` as written at `start`; an unknown escape is an error and stays as it is."""

        def escaped(found: re.Match[str]) -> str:
            if found[1] not in ESCAPES:
                span = Span(self.source, start + 1 + found.start(), start + 1 + found.end())
                help_ = 'the escapes are `\\"`, `\\\\`, `\\n` and `\\t`; a backslash itself is `\\\\`'
                self.diagnostics.append(report("C010", span, f"`{span.text}` is not an escape", help=help_))
            return ESCAPES.get(found[1], found[0])

        return _ESCAPE.sub(escaped, written[1:-1])

    def value(self, digits: str, span: Span) -> int | float:
        """An int when written without point and exponent, else a float; 0, with a diagnostic, beyond every float."""
        if not math.isfinite(float(digits)):
            message = "this number is too large"
            self.diagnostics.append(report("C021", span, message, help="the largest is about 1.8e308"))
            return 0
        return int(digits) if digits.isdigit() else float(digits)

    def field(self, mark: str, piece: Piece) -> Piece:
        """What a piece puts into a field, by its mark in `_made`."""
        match mark:
            case "?":
                return piece is not None
            case "$" | "@":
                return str(piece)
            case "^":
                return self.text(piece)
            case '"':
                return self.text(piece).value if piece else ""
        return piece

    def contextual(self, word: Token, meant: str, expected: str) -> None:
        """Blame a word that is a name to the grammar and must be `meant` here."""
        if word != meant:
            self.diagnostics.append(report("C011", self.span(word), f"expected {expected}, found `{word}`"))

    # ---- statements -------------------------------------------------------------------------------------------

    def statement(self, span: Span, inner: Piece) -> Piece:
        """A rule that only names what stands inside."""
        return inner

    def edition(self, span: Span, number: Token) -> Edition:
        return Edition(self.value(number, self.span(number)), span=span)

    def set_(self, span: Span, name: Token, source: syntax.ValueSource) -> syntax.Set:
        if name.type == "LABEL" and not name.isidentifier():
            message = f"a set has a name, not a label such as `{name}`"
            help_ = "the first line of a grid begins with `|`, on a line below the set's name"
            self.diagnostics.append(report("C019", self.span(name), message, help=help_))
        return syntax.Set(str(name), self.span(name), source, span=span)

    def channel(self, span: Span, secret: Token | None, name: Token, who: Piece, wire: Text | None) -> syntax.Channel:
        source = who if isinstance(who, syntax.Drawn) else syntax.Given(who, span=who.span)
        return syntax.Channel(str(name), self.span(name), secret is not None, source, wire, span=span)

    def as_(self, span: Span, word: Token, text: Token) -> Text:
        """`as "name"`; `as` is a name to the grammar, so that specs may still use it as one."""
        self.contextual(word, "as", "`as` or the next statement")
        return self.text(text)

    def plain(self, span: Span, text: Token) -> syntax.Variant:
        return syntax.Variant("", (self.text(text),), span=span)

    def variant(self, span: Span, name: Token, *rest: Token) -> syntax.Variant:
        if rest[0].type == "NAME":
            self.contextual(rest[0], "paraphrases", "a text, or `paraphrases` and several of them")
        return syntax.Variant(str(name), tuple([self.text(text) for text in rest if text.type != "NAME"]), span=span)

    def anchor(self, span: Span, score: Token, text: Token) -> syntax.Anchor:
        return syntax.Anchor(self.value(score, self.span(score)), self.text(text), span=span)

    def reads(self, span: Span, verb: Token, what: Token) -> bool:
        self.contextual(verb, "reads", "a text, or `reads thoughts`")
        self.contextual(what, "thoughts", "`thoughts`")
        return True

    def experiment(self, span: Span, name: Token, question: Token | None, *parts: Piece) -> syntax.Experiment:
        asked = self.text(question).value if question else ""
        kinds = (syntax.Setting, syntax.Arm, syntax.Sweep, syntax.Contrast)
        found: list[Piece] = [tuple([part for part in parts if isinstance(part, kind)]) for kind in kinds]
        return syntax.Experiment(str(name), self.span(name), asked, *found, span=span)

    def contrast(self, span: Span, _word: Token, one: Token, _with: Token, other: Token) -> syntax.Contrast:
        sides = (self.name(self.span(s), s) if s.type == "NAME" else self.text(s) for s in (one, other))
        return syntax.Contrast(*sides, span=span)

    scenario, use = _made(ScenarioName, 'name@ title"'), _made(Use, 'path"')
    override, param = _made(Override, "statement"), _made(syntax.Param, "name@ value")
    agents, network = _made(syntax.Agents, "name@ items*"), _made(syntax.Network, "name@ graph")
    table = _made(syntax.Table, "private? name@ indices recipients of source")
    variable = _made(syntax.Variable, "name@ indices owner domain")
    reward = _made(syntax.Reward, "name@ indices recipients when value undisclosed?")
    require = _made(syntax.Require, "name@ indices recipients when condition penalty per_unit? undisclosed?")
    coalition = _made(syntax.Coalition, "name@ members objectives*")
    objective = _made(syntax.Objective, "name@ indices when value")
    claim = _made(syntax.Claim, "name@ indices text^ truth")
    prompt = _made(syntax.Prompt, "name@ recipients variants*")
    rubric = _made(syntax.Rubric, "name@ thoughts? question^ anchors*")
    arm, setting = _made(syntax.Arm, "name@ settings*"), _made(syntax.Setting, "name@ values*")
    sweep = _made(syntax.Sweep, "name@ - values* where")
    mapped = _made(syntax.Mapped, "kind$ what source")
    given, drawn, loaded = _made(syntax.Given, "value"), _made(syntax.Drawn, "call"), _made(syntax.Loaded, 'path"')
    members = statement

    def trace(self, span: Span, _word: Token, reader: Token, *mapped: syntax.Mapped) -> syntax.Trace:
        return syntax.Trace(self.text(reader).value, self.span(reader), mapped, span=span)

    # ---- parts of statements ----------------------------------------------------------------------------------

    def over(self, span: Span, name: Token) -> syntax.Binder:
        return syntax.Binder((), self.name(span, name), span=span)

    def pattern(self, span: Span, *names: Token) -> tuple[str, ...]:
        return tuple(map(str, names))

    # ---- grids ------------------------------------------------------------------------------------------------

    def row(self, span: Span, label: Token, *cells: syntax.Cell) -> syntax.GridRow:
        return syntax.GridRow(tuple(self._label(label)), cells, span=span)

    def columns(self, span: Span, *cells: syntax.Cell) -> tuple[syntax.Cell, ...]:
        return cells

    def key(self, span: Span, *tokens: Token | None) -> syntax.Cell:
        """A minus belongs to the number behind it."""
        return self._cell("".join(filter(None, tokens)), span, CONSTANTS)

    constant = key

    def _label(self, token: Token) -> Iterator[syntax.Cell]:
        """The parts of `low, "a b", -3`: one for each leading index."""
        for offset, written in label_parts(token):
            start = token.start + offset
            yield self._cell(written, Span(self.source, start, start + len(written)), {})

    def _cell(self, written: str, span: Span, constants: Mapping[str, bool | None]) -> syntax.Cell:
        """A text, a number, one of some words that stand for values, or a name."""
        if written.startswith(QUOTE):
            return syntax.Cell(self.unquoted(written, span.start), quoted=True, span=span)
        digits = written.removeprefix("-")
        if digits[0].isdigit():
            value = self.value(digits, Span(self.source, span.end - len(digits), span.end))
            return syntax.Cell(value if digits == written else -value, span=span)
        return syntax.Cell(constants.get(written, written), span=span)

    # ---- expressions ------------------------------------------------------------------------------------------

    def name(self, span: Span, token: Token) -> syntax.Name:
        return syntax.Name(str(token), span=span)

    def literal(self, span: Span, token: Token) -> Expr:
        match token.type:
            case "NUMBER":
                return syntax.Number(self.value(token, span), span=span)
            case "MONEY":
                return syntax.Money(float(self.value(token[1:], span)), span=span)
            case "NONE":
                return syntax.NoneLiteral(span=span)
            case "ON" | "OFF":
                return syntax.Switch(token.type == "ON", span=span)
        return self.text(token)

    def comparison(self, span: Span, *pieces: Piece) -> syntax.Comparison:
        return syntax.Comparison(pieces[::2], tuple([" ".join(sign.split()) for sign in pieces[1::2]]), span=span)

    def call(self, span: Span, function: Token, *arguments: Piece) -> syntax.Call:
        named = tuple([a for a in arguments if isinstance(a, syntax.NamedArgument)])
        others = tuple([a for a in arguments if not isinstance(a, syntax.NamedArgument | None)])
        return syntax.Call(str(function), others, named, span=span)

    def pair(self, span: Span, key: Token, value: Expr) -> syntax.Pair:
        label: Piece = self.name(self.span(key), key)
        if key.type in ("STRING", "NUMBER"):
            label = self.literal(self.span(key), key)
        return syntax.Pair(label, value, span=span)

    whole = name
    to_whom, to_each = _made(syntax.ToWhom, "recipient"), _made(syntax.ToEach, "binders when")
    set_literal, set_builder = _made(syntax.SetLiteral, "items*"), _made(syntax.SetBuilder, "body binders")
    map_literal = _made(syntax.MapLiteral, "pairs*")
    indices = binders = _made(syntax.Binders, "items* where")
    binder = _made(syntax.Binder, "names - domain")
    grid = _made(syntax.Grid, "columns rows*")
    ternary, negation = _made(syntax.Ternary, "then condition otherwise"), _made(syntax.Negation, "operand")
    range_, minus = _made(syntax.Range, "low high"), _made(syntax.Minus, "- operand")
    either, both = (_made(syntax.Logical, "left right", operator=word) for word in ("or", "and"))
    sum_ = product = _made(syntax.Arithmetic, "left operator$ right")
    lookup, tuple_ = _made(syntax.Lookup, "base keys*"), _made(syntax.Tuple, "items*")
    named, quantifier = _made(syntax.NamedArgument, "name$ value"), _made(syntax.Quantifier, "kind$ binders when")
    aggregate = _made(syntax.Aggregate, "function$ body binders when")
