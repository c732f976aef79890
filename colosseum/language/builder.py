"""The one tree builder. In: a rule of the grammar, its span and its pieces; out: the node of `syntax`, spans exact.

The method of a rule has the rule's name, with `_` behind a word of Python. Its pieces are those of Lark: tokens, what
the methods of inner rules gave, and None for an optional part that is absent. It is called when its rule is complete.
"""

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from colosseum.diagnostics import Diagnostic, Source, Span, report
from colosseum.language import literals, syntax
from colosseum.language.syntax import Edition, Expr, Override, ScenarioName, Statement, Text, Use
from colosseum.language.words import Token

Piece: TypeAlias = Any
"""A token, a node, or None where an optional part is absent."""
Readable: TypeAlias = Edition | ScenarioName | Use | Override | Statement
"""Whatever may stand at the outermost level of a file."""


def _plain(kind: Callable[..., syntax.Node]) -> Callable[..., syntax.Node]:
    """The method of a rule whose pieces are the fields of its node."""
    return lambda self, span, *pieces: kind(*pieces, span=span)


def _declared(kind: Callable[..., syntax.Node]) -> Callable[..., syntax.Node]:
    """The same, where the first piece is the token of the name that the node declares."""
    return lambda self, span, name, *pieces: kind(str(name), self.span(name), *pieces, span=span)


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
        value = literals.unquote_long(token) if long else self.unquoted(token, token.start)
        return Text(value, long, span=self.span(token))

    def unquoted(self, written: str, start: int) -> str:
        """The value of `"…"` as written at `start`; an unknown escape is an error."""
        for low, high in literals.wrong_escapes(written):
            span = Span(self.source, start + low, start + high)
            help_ = 'the escapes are `\\"`, `\\\\`, `\\n` and `\\t`; a backslash itself is `\\\\`'
            self.diagnostics.append(report("C010", span, f"`{span.text}` is not an escape", help=help_))
        return literals.unquote(written)

    def value(self, token: Token, *, written: str = "") -> int | float:
        """The value of a number (or of its digits alone); 0 with a diagnostic for one beyond every float."""
        value = literals.number(written or token)
        if value is None:
            message = "this number is too large"
            self.diagnostics.append(report("C021", self.span(token), message, help="the largest is about 1.8e308"))
            return 0
        return value

    def contextual(self, word: Token, meant: str, expected: str) -> None:
        """Blame a word that is a name to the grammar and must be `meant` here."""
        if word != meant:
            self.diagnostics.append(report("C011", self.span(word), f"expected {expected}, found `{word}`"))

    # ---- statements -------------------------------------------------------------------------------------------

    def statement(self, span: Span, inner: Piece) -> Piece:
        """A rule that only names what stands inside."""
        return inner

    def edition(self, span: Span, number: Token) -> Edition:
        return Edition(self.value(number), span=span)

    def scenario(self, span: Span, name: Token, title: Token | None) -> ScenarioName:
        return ScenarioName(str(name), self.span(name), self.text(title).value if title else "", span=span)

    def use(self, span: Span, path: Token) -> Use:
        return Use(self.text(path).value, span=span)

    def agents(self, span: Span, word: Token, *items: Expr) -> syntax.Agents:
        return syntax.Agents(str(word), self.span(word), items, span=span)

    def set_(self, span: Span, name: Token, source: syntax.ValueSource) -> syntax.Set:
        if name.type == "LABEL" and not name.isidentifier():
            message = f"a set has a name, not a label such as `{name}`"
            help_ = "the first line of a grid begins with `|`, on a line below the set's name"
            self.diagnostics.append(report("C019", self.span(name), message, help=help_))
        return syntax.Set(str(name), self.span(name), source, span=span)

    def table(self, span: Span, private: Token | None, name: Token, *pieces: Piece) -> syntax.Table:
        return syntax.Table(str(name), self.span(name), private is not None, *pieces, span=span)

    def reward(self, span: Span, name: Token, *pieces: Piece) -> syntax.Reward:
        *parts, undisclosed = pieces
        found = (*parts, undisclosed is not None)
        return syntax.Reward(str(name), self.span(name), *found, span=span)

    def require(self, span: Span, name: Token, *pieces: Piece) -> syntax.Require:
        *parts, penalty, undisclosed = pieces
        price, per_unit = penalty or (None, None)
        found = (*parts, price, per_unit is not None, undisclosed is not None)
        return syntax.Require(str(name), self.span(name), *found, span=span)

    def penalty(self, span: Span, *pieces: Piece) -> tuple[Piece, ...]:
        return pieces

    def coalition(self, span: Span, name: Token, members: Piece, *objectives: syntax.Objective) -> syntax.Coalition:
        return syntax.Coalition(str(name), self.span(name), members, objectives, span=span)

    def channel(self, span: Span, secret: Token | None, name: Token, who: Piece, wire: Text | None) -> syntax.Channel:
        source = who if isinstance(who, syntax.Drawn) else syntax.Given(who, span=who.span)
        return syntax.Channel(str(name), self.span(name), secret is not None, source, wire, span=span)

    def as_(self, span: Span, word: Token, text: Token) -> Text:
        """`as "name"`; `as` is a name to the grammar, so that specs may still use it as one."""
        self.contextual(word, "as", "`as` or the next statement")
        return self.text(text)

    def claim(self, span: Span, name: Token, indices: Piece, text: Token, truth: Expr) -> syntax.Claim:
        return syntax.Claim(str(name), self.span(name), indices, self.text(text), truth, span=span)

    def prompt(self, span: Span, name: Token, recipients: Expr, *variants: Piece) -> syntax.Prompt:
        """A prompt without variants has one of no name."""
        found = (self.variant(self.span(v), "", v) if isinstance(v, Token) else v for v in variants)
        return syntax.Prompt(str(name), self.span(name), recipients, tuple(found), span=span)

    def variant(self, span: Span, name: str, *rest: Token) -> syntax.Variant:
        if rest[0].type == "NAME":
            self.contextual(rest[0], "paraphrases", "a text, or `paraphrases` and several of them")
        first, *others = (self.text(text) for text in rest if text.type != "NAME")
        return syntax.Variant(str(name), first, tuple(others), span=span)

    def rubric(self, span: Span, name: Token, reads: Piece, question: Token, *anchors: Token) -> syntax.Rubric:
        found = tuple(self._anchors(anchors))
        return syntax.Rubric(str(name), self.span(name), self.text(question), found, reads is not None, span=span)

    def _anchors(self, tokens: tuple[Token, ...]) -> Iterator[syntax.Anchor]:
        """Scores and their texts in turn."""
        for score, text in zip(tokens[::2], tokens[1::2], strict=True):
            span = self.span(score).to(self.span(text))
            yield syntax.Anchor(self.value(score), self.text(text), span=span)

    def reads(self, span: Span, verb: Token, what: Token) -> bool:
        self.contextual(verb, "reads", "a text, or `reads thoughts`")
        self.contextual(what, "thoughts", "`thoughts`")
        return True

    def experiment(self, span: Span, name: Token, question: Token | None, *parts: Piece) -> syntax.Experiment:
        asked = self.text(question).value if question else ""
        kinds = (syntax.Setting, syntax.Arm, syntax.Sweep)
        found: list[Piece] = [tuple([part for part in parts if isinstance(part, kind)]) for kind in kinds]
        return syntax.Experiment(str(name), self.span(name), asked, *found, span=span)

    def arm(self, span: Span, name: Token, *settings: syntax.Setting) -> syntax.Arm:
        return syntax.Arm(str(name), self.span(name), settings, span=span)

    def setting(self, span: Span, name: Token, *values: Expr) -> syntax.Setting:
        return syntax.Setting(str(name), self.span(name), values, span=span)

    def sweep(self, span: Span, name: Token, _in: Token, *values: Piece) -> syntax.Sweep:
        return syntax.Sweep(str(name), self.span(name), values[:-1], values[-1], span=span)

    def trace(self, span: Span, _word: Token, reader: Token, *mapped: syntax.Mapped) -> syntax.Trace:
        return syntax.Trace(self.text(reader).value, self.span(reader), mapped, span=span)

    def mapped(self, span: Span, kind: Token, what: Expr | None, source: Expr) -> syntax.Mapped:
        return syntax.Mapped(str(kind), what, source, span=span)

    def mapped_arm(self, span: Span, what: Expr, source: Expr) -> syntax.Mapped:
        """`arm`, `channel` and `param` are words of the grammar, and so no pieces."""
        return syntax.Mapped(self.source.text[span.start :].split(None, 1)[0], what, source, span=span)

    mapped_channel = mapped_param = mapped_arm
    members = statement
    override, given, drawn = _plain(syntax.Override), _plain(syntax.Given), _plain(syntax.Drawn)
    param, variable = _declared(syntax.Param), _declared(syntax.Variable)
    objective, network = _declared(syntax.Objective), _declared(syntax.Network)

    # ---- parts of statements ----------------------------------------------------------------------------------

    def loaded(self, span: Span, path: Token) -> syntax.Loaded:
        return syntax.Loaded(self.text(path).value, span=span)

    def recipients(self, span: Span, who: Piece, *when: Piece) -> syntax.Recipients:
        return syntax.ToEach(who, *when, span=span) if when else syntax.ToWhom(who, span=span)

    def indices(self, span: Span, *items: Piece) -> syntax.Indices:
        found = tuple([syntax.Index(i.names, i.domain, span=i.span) for i in items[:-1]])
        return syntax.Indices(found, items[-1], span=span)

    def over(self, span: Span, name: Token) -> syntax.Index:
        return syntax.Index((), self.name(span, name), span=span)

    def binders(self, span: Span, *items: Piece) -> syntax.Binders:
        return syntax.Binders(items[:-1], items[-1], span=span)

    def binder(self, span: Span, names: tuple[str, ...], _in: Token, domain: Expr) -> syntax.Binder:
        return syntax.Binder(names, domain, span=span)

    def pattern(self, span: Span, *names: Token) -> tuple[str, ...]:
        return tuple(map(str, names))

    # ---- grids ------------------------------------------------------------------------------------------------

    def grid(self, span: Span, columns: tuple[syntax.Cell, ...], *rows: syntax.GridRow) -> syntax.Grid:
        return syntax.Grid(columns, rows, span=span)

    def row(self, span: Span, label: Token, *entries: tuple[syntax.Cell, ...]) -> syntax.GridRow:
        cells = tuple([cell for entry in entries for cell in entry])
        return syntax.GridRow(tuple(self._label(label)), cells, span=span)

    def columns(self, span: Span, *tokens: Token | None) -> tuple[syntax.Cell, ...]:
        """One cell for each token; a minus belongs to the number behind it."""
        found: list[syntax.Cell] = []
        minus: Token | None = None
        for token in tokens:
            if token is not None and token.type == "MINUS":
                minus = token
            elif token is not None:
                place = self.span(minus).to(self.span(token)) if minus else self.span(token)
                found.append(self._cell(token, place, negative=minus is not None))
                minus = None
        return tuple(found)

    cell = columns

    def _cell(self, token: Token, span: Span, *, negative: bool) -> syntax.Cell:
        match token.type:
            case "NUMBER":
                value = self.value(token)
                return syntax.Cell(-value if negative else value, span=span)
            case "STRING":
                return syntax.Cell(self.unquoted(token, span.start), quoted=True, span=span)
            case "NONE":
                return syntax.Cell(None, span=span)
            case "ON" | "OFF":
                return syntax.Cell(token.type == "ON", span=span)
        return syntax.Cell(str(token), span=span)

    def _label(self, token: Token) -> Iterator[syntax.Cell]:
        """The parts of `low, "a b", -3`: one for each leading index."""
        for offset, written in literals.label_parts(token):
            start = token.start + offset
            span = Span(self.source, start, start + len(written))
            if written.startswith(literals.QUOTE):
                yield syntax.Cell(self.unquoted(written, start), quoted=True, span=span)
            elif written[0] == "-" or written.isdigit():
                value = self.value(token, written=written.removeprefix("-"))
                yield syntax.Cell(-value if written[0] == "-" else value, span=span)
            else:
                yield syntax.Cell(written, span=span)

    # ---- expressions ------------------------------------------------------------------------------------------

    def name(self, span: Span, token: Token) -> syntax.Name:
        return syntax.Name(str(token), span=span)

    def literal(self, span: Span, token: Token) -> Expr:
        match token.type:
            case "NUMBER":
                return syntax.Number(self.value(token), span=span)
            case "MONEY":
                return syntax.Money(float(self.value(token, written=token[1:])), span=span)
            case "NONE":
                return syntax.NoneLiteral(span=span)
            case "ON" | "OFF":
                return syntax.Switch(token.type == "ON", span=span)
        return self.text(token)

    def sum_(self, span: Span, left: Expr, operator: Token, right: Expr) -> syntax.Arithmetic:
        return syntax.Arithmetic(str(operator), left, right, span=span)

    def minus(self, span: Span, _sign: Token, operand: Expr) -> syntax.Minus:
        return syntax.Minus(operand, span=span)

    def either(self, span: Span, left: Expr, right: Expr) -> syntax.Logical:
        return syntax.Logical("or", left, right, span=span)

    def both(self, span: Span, left: Expr, right: Expr) -> syntax.Logical:
        return syntax.Logical("and", left, right, span=span)

    def comparison(self, span: Span, *pieces: Piece) -> syntax.Comparison:
        return syntax.Comparison(pieces[::2], tuple([" ".join(sign.split()) for sign in pieces[1::2]]), span=span)

    def lookup(self, span: Span, base: Expr, *keys: Expr) -> syntax.Lookup:
        return syntax.Lookup(base, keys, span=span)

    def tuple_(self, span: Span, *items: Expr) -> syntax.Tuple:
        return syntax.Tuple(items, span=span)

    def call(self, span: Span, function: Token, *arguments: Piece) -> syntax.Call:
        named = tuple([a for a in arguments if isinstance(a, syntax.NamedArgument)])
        others = tuple([a for a in arguments if not isinstance(a, syntax.NamedArgument | None)])
        return syntax.Call(str(function), others, named, span=span)

    def named(self, span: Span, name: Token, value: Expr) -> syntax.NamedArgument:
        return syntax.NamedArgument(str(name), value, span=span)

    def aggregate(self, span: Span, function: Token, *pieces: Piece) -> syntax.Aggregate:
        return syntax.Aggregate(str(function), *pieces, span=span)

    def quantifier(self, span: Span, kind: Token, *pieces: Piece) -> syntax.Quantifier:
        return syntax.Quantifier(str(kind), *pieces, span=span)

    def braces(self, span: Span, *pieces: Piece) -> Expr:
        items = tuple([piece for piece in pieces if piece is not None])
        if items and isinstance(items[0], syntax.Pair):
            return syntax.MapLiteral(items, span=span)
        if items and isinstance(items[-1], syntax.Binders):
            return syntax.SetBuilder(*items, span=span)
        return syntax.SetLiteral(items, span=span)

    def pair(self, span: Span, key: Token, value: Expr) -> syntax.Pair:
        label: Piece = self.name(self.span(key), key)
        if key.type in ("STRING", "NUMBER"):
            label = self.literal(self.span(key), key)
        return syntax.Pair(label, value, span=span)

    product, whole = sum_, name
    ternary, negation, range_ = _plain(syntax.Ternary), _plain(syntax.Negation), _plain(syntax.Range)
