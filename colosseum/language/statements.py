"""Parsed trees into statements. In: Lark's tree of one statement; out: its node of `syntax`."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TypeAlias, TypedDict

from colosseum.diagnostics import Span, report
from colosseum.language.expressions import Piece, Reading, binder, binders, call, expression, expressions, maybe, pieces
from colosseum.language.grids import grid
from colosseum.language.syntax import (
    Agents,
    Anchor,
    Arm,
    Channel,
    Claim,
    Coalition,
    Drawn,
    Edition,
    Experiment,
    Given,
    Index,
    Indices,
    Loaded,
    Mapped,
    Name,
    Network,
    Objective,
    Override,
    Param,
    Prompt,
    Recipients,
    Require,
    Reward,
    Rubric,
    ScenarioName,
    Set,
    Setting,
    Statement,
    Sweep,
    Table,
    Text,
    ToEach,
    ToWhom,
    Trace,
    Use,
    ValueSource,
    Variable,
    Variant,
)

if TYPE_CHECKING:
    from lark import ParseTree, Token

Readable: TypeAlias = Edition | ScenarioName | Use | Override | Statement
"""Whatever may stand at the outermost level of a file."""


class _Declared(TypedDict):
    """What every declaration has."""

    span: Span
    name: str
    name_span: Span


def _declared(tree: "ParseTree", name: "Token", reading: Reading) -> _Declared:
    return {"span": reading.span(tree), "name": str(name), "name_span": reading.span(name)}


def statement(tree: "ParseTree", reading: Reading) -> Readable:
    """The node of a tree of the start symbol `statement`."""
    (inner,) = pieces(tree)
    match inner.data:
        case "edition":
            return Edition(span=reading.span(inner), number=reading.number(inner.children[0]))
        case "scenario":
            return _scenario(inner, reading)
        case "use":
            return Use(span=reading.span(inner), path=reading.text(inner.children[0]).value)
        case "override":
            replacing = inner.children[0]
            return Override(span=reading.span(inner), statement=DECLARATIONS[replacing.data](replacing, reading))
    return DECLARATIONS[inner.data](inner, reading)


def _scenario(tree: "ParseTree", reading: Reading) -> ScenarioName:
    name, title = pieces(tree)
    return ScenarioName(**_declared(tree, name, reading), title=_title(title, reading))


def _title(token: "Token | None", reading: Reading) -> str:
    return reading.text(token).value if token is not None else ""


# ---- the world --------------------------------------------------------------------------------------


def _param(tree: "ParseTree", reading: Reading) -> Param:
    name, value = pieces(tree)
    return Param(**_declared(tree, name, reading), value=expression(value, reading))


def _agents(tree: "ParseTree", reading: Reading) -> Agents:
    word, *items = pieces(tree)
    return Agents(**_declared(tree, word, reading), items=expressions(items, reading))


def _set(tree: "ParseTree", reading: Reading) -> Set:
    name, source = pieces(tree)
    if name.type == "LABEL" and not name.isidentifier():
        message = f"a set has a name, not a label such as `{name}`"
        help_ = "the first line of a grid begins with `|`, on a line below the set's name"
        reading.diagnostics.append(report("C019", reading.span(name), message, help=help_))
    return Set(**_declared(tree, name, reading), source=_source(source, reading))


def _table(tree: "ParseTree", reading: Reading) -> Table:
    private, name, indices, recipients, of, source = pieces(tree)
    return Table(
        **_declared(tree, name, reading),
        private=private is not None,
        indices=_indices(indices, reading),
        recipients=_recipients(recipients, reading),
        of=maybe(of, reading),
        source=_source(source, reading),
    )


def _variable(tree: "ParseTree", reading: Reading) -> Variable:
    name, indices, owner, domain = pieces(tree)
    return Variable(
        **_declared(tree, name, reading),
        indices=_indices(indices, reading),
        owner=maybe(owner, reading),
        domain=expression(domain, reading),
    )


# ---- what is wanted, what is forbidden ----------------------------------------------------------------


def _reward(tree: "ParseTree", reading: Reading) -> Reward:
    name, indices, recipients, when, value, undisclosed = pieces(tree)
    return Reward(
        **_declared(tree, name, reading),
        indices=_indices(indices, reading),
        recipients=_recipients(recipients, reading),
        when=maybe(when, reading),
        value=expression(value, reading),
        undisclosed=undisclosed is not None,
    )


def _require(tree: "ParseTree", reading: Reading) -> Require:
    name, indices, recipients, when, condition, penalty, undisclosed = pieces(tree)
    price, per_unit = pieces(penalty) if penalty is not None else (None, None)
    return Require(
        **_declared(tree, name, reading),
        indices=_indices(indices, reading),
        recipients=_recipients(recipients, reading),
        when=maybe(when, reading),
        condition=expression(condition, reading),
        penalty=maybe(price, reading),
        per_unit=per_unit is not None,
        undisclosed=undisclosed is not None,
    )


# ---- who conspires, who talks, what they are told -----------------------------------------------------


def _coalition(tree: "ParseTree", reading: Reading) -> Coalition:
    name, members, *objectives = pieces(tree)
    return Coalition(
        **_declared(tree, name, reading),
        members=_members(members.children[0], reading),
        objectives=tuple([_objective(objective, reading) for objective in objectives]),
    )


def _objective(tree: "ParseTree", reading: Reading) -> Objective:
    name, indices, when, value = pieces(tree)
    return Objective(
        **_declared(tree, name, reading),
        indices=_indices(indices, reading),
        when=maybe(when, reading),
        value=expression(value, reading),
    )


def _network(tree: "ParseTree", reading: Reading) -> Network:
    word, graph = pieces(tree)
    return Network(**_declared(tree, word, reading), graph=expression(graph, reading))


def _channel(tree: "ParseTree", reading: Reading) -> Channel:
    secret, name, members, wire = pieces(tree)
    told = None if wire is None else _wire(wire, reading)
    return Channel(**_declared(tree, name, reading), secret=bool(secret), members=_members(members, reading), wire=told)


def _wire(tree: "ParseTree", reading: Reading) -> Text:
    """`as "name"`; `as` is a name to the grammar, so that specs may still use it as one."""
    word, text = pieces(tree)
    _contextual(word, "as", "`as` or the next statement", reading)
    return reading.text(text)


def _contextual(word: "Token", meant: str, expected: str, reading: Reading) -> None:
    """Blame a word that is a name to the grammar and must be `meant` here."""
    if word != meant:
        reading.diagnostics.append(report("C011", reading.span(word), f"expected {expected}, found `{word}`"))


def _claim(tree: "ParseTree", reading: Reading) -> Claim:
    name, indices, text, truth = pieces(tree)
    return Claim(
        **_declared(tree, name, reading),
        indices=_indices(indices, reading),
        text=reading.text(text),
        truth=expression(truth, reading),
    )


def _prompt(tree: "ParseTree", reading: Reading) -> Prompt:
    name, recipients, *variants = pieces(tree)
    return Prompt(
        **_declared(tree, name, reading),
        recipients=expression(recipients, reading),
        variants=tuple([_variant(variant, reading) for variant in variants]),
    )


def _variant(piece: Piece, reading: Reading) -> Variant:
    """`simple: "…"`, or the one text of a prompt without variants."""
    if not hasattr(piece, "children"):
        return Variant(span=reading.span(piece), name="", text=reading.text(piece))
    name, *rest = pieces(piece)
    if rest[0].type == "NAME":
        _contextual(rest[0], "paraphrases", "a text, or `paraphrases` and several of them", reading)
    first, *others = (reading.text(text) for text in rest if text.type != "NAME")
    return Variant(span=reading.span(piece), name=str(name), text=first, paraphrases=tuple(others))


def _rubric(tree: "ParseTree", reading: Reading) -> Rubric:
    name, reads, question, *anchors = pieces(tree)
    if reads is not None:
        verb, what = pieces(reads)
        _contextual(verb, "reads", "a text, or `reads thoughts`", reading)
        _contextual(what, "thoughts", "`thoughts`", reading)
    return Rubric(
        **_declared(tree, name, reading),
        thoughts=reads is not None,
        question=reading.text(question),
        anchors=tuple(_anchors(anchors, reading)),
    )


def _anchors(tokens: "list[Token]", reading: Reading) -> Iterator[Anchor]:
    """Scores and their texts in turn."""
    for score, text in zip(tokens[::2], tokens[1::2], strict=True):
        span = reading.span(score).to(reading.span(text))
        yield Anchor(span=span, score=reading.number(score), text=reading.text(text))


# ---- the runs -----------------------------------------------------------------------------------------


def _experiment(tree: "ParseTree", reading: Reading) -> Experiment:
    name, question, *parts = pieces(tree)
    return Experiment(
        **_declared(tree, name, reading),
        question=_title(question, reading),
        settings=tuple([_setting(part, reading) for part in parts if part.data == "setting"]),
        arms=tuple([_arm(part, reading) for part in parts if part.data == "arm"]),
        sweeps=tuple([_sweep(part, reading) for part in parts if part.data == "sweep"]),
    )


def _arm(tree: "ParseTree", reading: Reading) -> Arm:
    name, *settings = pieces(tree)
    return Arm(**_declared(tree, name, reading), settings=tuple([_setting(setting, reading) for setting in settings]))


def _setting(tree: "ParseTree", reading: Reading) -> Setting:
    name, *values = pieces(tree)
    return Setting(**_declared(tree, name, reading), values=expressions(values, reading))


def _sweep(tree: "ParseTree", reading: Reading) -> Sweep:
    name, _, *values, where = pieces(tree)
    return Sweep(**_declared(tree, name, reading), values=expressions(values, reading), where=maybe(where, reading))


def _trace(tree: "ParseTree", reading: Reading) -> Trace:
    _, reader, *mapped = pieces(tree)
    name = reading.text(reader).value
    return Trace(
        span=reading.span(tree), name=name, name_span=reading.span(reader),
        mapped=tuple([_mapped(part, reading) for part in mapped]),
    )  # fmt: skip


def _mapped(tree: "ParseTree", reading: Reading) -> Mapped:
    """What it maps is its first word; `arm`, `channel` and `param` are words of the grammar."""
    *first, what, source = pieces(tree)
    kind = str(first[0]) if first else tree.data.removeprefix("mapped_")
    return Mapped(span=reading.span(tree), kind=kind, what=maybe(what, reading), source=expression(source, reading))


# ---- parts that several statements have ----------------------------------------------------------------


def _source(tree: "ParseTree", reading: Reading) -> ValueSource:
    match tree.data:
        case "loaded":
            (path,) = pieces(tree)
            return Loaded(span=reading.span(tree), path=reading.text(path).value)
        case "grid":
            return grid(tree, reading)
    return _members(tree, reading)


def _members(tree: "ParseTree", reading: Reading) -> Given | Drawn:
    """`= expr`, `~ draw`, or the expression alone after a channel's `for`."""
    match tree.data:
        case "given":
            return Given(span=reading.span(tree), value=expression(pieces(tree)[0], reading))
        case "drawn":
            return Drawn(span=reading.span(tree), call=call(pieces(tree)[0], reading))
    return Given(span=reading.span(tree), value=expression(tree, reading))


def _indices(tree: "ParseTree | None", reading: Reading) -> Indices | None:
    if tree is None:
        return None
    *items, where = pieces(tree)
    return Indices(
        span=reading.span(tree), items=tuple([_index(item, reading) for item in items]), where=maybe(where, reading)
    )


def _index(tree: "ParseTree", reading: Reading) -> Index:
    span = reading.span(tree)
    if tree.data == "over":
        return Index(span=span, names=(), domain=Name(span=span, id=str(tree.children[0])))
    bound = binder(tree, reading)
    return Index(span=span, names=bound.names, domain=bound.domain)


def _recipients(tree: "ParseTree | None", reading: Reading) -> Recipients | None:
    if tree is None:
        return None
    first, *rest = pieces(tree)
    if first.data == "binders":
        return ToEach(span=reading.span(tree), binders=binders(first, reading), when=maybe(rest[0], reading))
    return ToWhom(span=reading.span(tree), recipient=expression(first, reading))


DECLARATIONS: "dict[str, Callable[[ParseTree, Reading], Statement]]" = {
    "param": _param,
    "agents": _agents,
    "set": _set,
    "table": _table,
    "variable": _variable,
    "reward": _reward,
    "require": _require,
    "coalition": _coalition,
    "network": _network,
    "channel": _channel,
    "claim": _claim,
    "prompt": _prompt,
    "rubric": _rubric,
    "experiment": _experiment,
    "trace": _trace,
}
"""The reader of each statement's tree, by the name of its rule."""
