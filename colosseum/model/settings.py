"""Settings. In: `rounds 4`, `order declared` of an experiment or an arm; out: typed values, or a diagnostic.

The fields of Settings are the whole schema, so that adding a setting never touches the grammar.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field, fields, replace
from typing import Any, Literal, TypeAlias

from colosseum.diagnostics import closest
from colosseum.language import syntax
from colosseum.language.files import forbidden, within
from colosseum.language.record import Record
from colosseum.model.evaluate import value
from colosseum.model.values import Elements, Fault, Value, at, is_number, text
from colosseum.model.world import Environment

MODEL = re.compile(r"[\w.:@/+-]+\Z")
Reader: TypeAlias = Callable[[syntax.Expr, Environment], Value]


class _Unfit(Fault):
    """A value that a setting does not take: its words follow the name of the setting and `is`."""


def _raw(expr: syntax.Expr) -> str:
    return expr.value if isinstance(expr, syntax.Text) else re.sub(r"\s+", "", expr.span.text)


def _number(low: float, high: float | None = None, *, whole: bool = False, optional: bool = False) -> Reader:
    def read(expr: syntax.Expr, env: Environment) -> Value:
        if optional and isinstance(expr, syntax.NoneLiteral):
            return None
        found = value(expr, env)
        fits = type(found) is int if whole else is_number(found)
        if not is_number(found) or not fits or found < low or (high and found > high):
            between = f"from {low:g} to {high:g}" if high else f"of at least {low:g}"
            between += " or `none`" if optional else ""
            raise _Unfit(f"a {'whole ' if whole else ''}number {between}, not `{text(found)}`")
        return found if whole else float(found)

    return read


def _word(*words: str) -> Reader:
    def read(expr: syntax.Expr, env: Environment) -> Value:
        if _raw(expr) not in words:
            raise _Unfit(f"one of {', '.join(words)}, not `{_raw(expr)}`", help=closest(_raw(expr), words))
        return _raw(expr)

    return read


def _switch(expr: syntax.Expr, env: Environment) -> Value:
    if not isinstance(expr, syntax.Switch):
        raise _Unfit(f"`on` or `off`, not `{_raw(expr)}`", help=switch_meant(expr))
    return expr.on


def switch_meant(expr: syntax.Expr) -> str:
    """`write on` for `yes`, as a help."""
    meant = {"true": "on", "yes": "on", "1": "on", "false": "off", "no": "off", "0": "off"}.get(_raw(expr).lower())
    return f"write `{meant}`" if meant else ""


def _money(expr: syntax.Expr, env: Environment) -> Value:
    if not isinstance(expr, syntax.Money):
        help_ = f"write `${_raw(expr)}`" if isinstance(expr, syntax.Number) else ""
        raise _Unfit(f"an amount such as `$20`, not `{_raw(expr)}`", help=help_)
    return expr.value


def _wordings(expr: syntax.Expr, env: Environment) -> Value:
    """`2`, `1..5` or `{1, 3}`."""
    found = value(expr, env)
    items = found.items if isinstance(found, Elements) else (found,)
    numbers = [item for item in items if type(item) is int and item > 0]
    if not numbers or len(numbers) < len(items):
        message = f"the number of a wording, from 1, or a range of them, not `{text(found)}`"
        raise _Unfit(message, help="as in `1..5`")
    spec, last = env.facts.spec, max(numbers)
    most = max((len(v.texts) for p in spec.of(syntax.Prompt) for v in p.variants), default=1)
    if last > most and not spec.doubts:
        raise Fault(f"no prompt has a wording {last}", code="C087", help=f"the most that a prompt has is {most}")
    return tuple(dict.fromkeys(numbers))


def _folder(expr: syntax.Expr, env: Environment) -> Value:
    """A folder below the main spec's, as a path from there."""
    main = env.facts.spec.composition.source.path
    base, reason = expr.span.source.path or main, forbidden(_raw(expr))
    message = f"a folder beside the spec, not `{_raw(expr)}`"
    if reason or base is None or main is None:
        raise _Unfit(message, help=reason or "save the spec in a file first")
    path = within(base.parent / _raw(expr), main.resolve().parent)
    if path is None or not path.is_dir():
        raise _Unfit(message, help=f"none is beside `{base.name}`")
    return path.relative_to(main.resolve().parent).as_posix()


def _pairs(expr: syntax.Expr, env: Environment, *, models: bool) -> Iterator[tuple[str, syntax.Expr]]:
    """Who is meant, and by what: agents, groups and, by their names with a `/`, perhaps models."""
    facts = env.facts
    pairs = expr.pairs if isinstance(expr, syntax.MapLiteral) else ()
    for who, said in ((str(p.key.id if isinstance(p.key, syntax.Name) else p.key.value), p.value) for p in pairs):
        symbol = facts.spec.symbols.get(who)
        known = (symbol is None and facts.spec.doubts.covers(who)) or (models and "/" in who)
        if not (known or (symbol and symbol.kind in ("set", "coalition")) or who in facts.members("agents")):
            raise Fault(f"`{who}` is not a coalition, an agent or `agents`", code="C086")
        yield who, said
    if not isinstance(expr, syntax.MapLiteral):
        yield "agents", expr


def _model(expr: syntax.Expr) -> str:
    if not MODEL.match(_raw(expr)):
        raise Fault(f"`{_raw(expr)}` is not the name of a model", code="C087", help='as in `sim` or "provider/model"')
    return _raw(expr)


OF_MODELS = ("temperature", "max_tokens")  # settings that a model may have of its own, or leave out


def _read(default: Any, reader: Reader, *, name: str = "") -> Any:
    """A field of Settings, and the reader of its one value; `name`: what specs call it."""
    return field(default=default, metadata={"reader": reader, "said": name})


class Settings(Record):
    """How a run is made. Defaults hold where neither the experiment nor the arm says otherwise."""

    model: tuple[tuple[str, str], ...] = _read(
        (("agents", "sim"),),
        lambda expr, env: tuple((who, _model(named)) for who, named in _pairs(expr, env, models=False)),
    )
    """(who, model): `agents`, a coalition or an agent; of those that hold an agent the smallest wins."""
    judge: str | None = _read(None, lambda expr, env: _model(expr))
    seeds: tuple[int, ...] = (1, 2, 3, 4, 5)
    """Of the instances: the one setting of several values, by `read_seeds`."""
    repeats: int = _read(1, _number(1, whole=True))
    """Runs of each arm and seed."""
    rounds: int = _read(4, _number(0, whole=True))
    """Planning rounds."""
    steps: int = _read(3, _number(1, whole=True))
    """Exchanges that one turn may take."""
    order: str = _read("shuffled", _word("shuffled", "declared", "coalition_first", "coalition_last"))
    decisions: str = _read("sequential", _word("sequential", "simultaneous"))
    undecided: str = _read("draw", _word("draw"))
    paraphrase: tuple[int, ...] | None = _read(None, _wordings)
    """The wordings that a run may draw of a prompt's, counted from 1; None: all that it has."""
    names: str = _read("neutral", _word("neutral", "loaded"))
    """Of channels, as agents read them: labels, or those of the spec."""
    memory: str = _read("notes", _word("none", "notes", "all"))
    """What an agent is shown of its own earlier turns: none of it, its notes, or all of them."""
    tools: str = _read("native", _word("native", "text"))
    """How models call tools: by the provider's interface, or as JSON in the text."""
    protocol: str | None = _read(None, _folder)
    """The folder of templates in place of those that ship, as a path from the main spec's own."""
    survey: bool | None = _read(None, _switch)
    temperature: float | None = _read(0.7, _number(0, 2, optional=True))
    """None is left to the provider, as with `max_tokens`."""
    max_tokens: int | None = _read(1500, _number(1, whole=True, optional=True))
    consolidate: bool = _read(False, _switch)
    budget: float | None = _read(None, _money)
    """US dollars that all runs of the experiment may cost together."""
    strength: float = _read(1.0, _number(0, 1), name="lambda")
    """λ of scripted colluders, in [0, 1]."""
    noise: float = _read(0.1, _number(0, 1))
    """Noise of scripted players, in [0, 1]: payoffs misjudged by a factor of this spread, slips at a tenth of it."""
    opportunity: float | None = _read(None, _number(0))
    """In fair shares: instances that offer the first coalition less are not run."""
    margin: float | None = _read(None, _number(0))
    """The least effect that matters, in fair shares; None: that of the signal."""
    signal: str | None = _read(None, _word("outsider_loss", "coalition_advantage", "payoff_gap", "coalition_value"))
    """By which actions are judged; None: what fits the coalition."""
    purpose: str | None = _read(None, _word("control", "again", "placebo", "selfish", "treated"))
    """What an arm is for, in evidence alone; None: what it changes against the control says so."""
    apart: tuple[tuple[str, str, Value], ...] = ()
    """(setting, who, value) of models that have a value of their own; the last one that is meant counts."""

    def known_as(self, model: str) -> frozenset[str]:
        """The names by which a setting may mean a model: with and without provider, and whoever it plays."""
        played = (who for who, name in self.model if name == model and who != "agents")
        return frozenset((model, model.partition("/")[2], *played))

    def told(self, name: str, given: Mapping[str, Value]) -> "Settings":
        """With values of one setting by whom they are for; `agents`, or no name, is whoever has none of their own."""
        given = {who or "agents": value for who, value in given.items()}
        others = [each for each in self.apart if each[0] != name or (each[1] not in given and "agents" not in given)]
        own = [(name, who, value) for who, value in given.items() if who != "agents"]
        general: dict[str, Any] = {name: given["agents"]} if "agents" in given else {}
        return replace(self, **general, apart=(*others, *own))

    def of(self, name: Literal["temperature", "max_tokens"], model: str) -> Any:
        """The value that a setting has for a model."""
        known = self.known_as(model)
        own = [value for setting, who, value in self.apart if setting == name and who in known]
        return own[-1] if own else getattr(self, name)


READERS: dict[str, tuple[str, Reader]] = {
    each.metadata["said"] or each.name: (each.name, each.metadata["reader"])
    for each in fields(Settings) if each.metadata
}  # fmt: skip
"""Setting -> (field of Settings, reader of its one value)."""
SETTINGS = (*READERS, "seeds")  # all of them. Channels, prompts and params share this namespace.


def read_setting(settings: Settings, name: str, expr: syntax.Expr, env: Environment) -> Settings:
    """The settings with one changed; raises Fault."""
    target, reader = READERS[name]
    try:
        if name in OF_MODELS:
            return settings.told(name, {who: reader(each, env) for who, each in _pairs(expr, env, models=True)})
        changed: dict[str, Any] = {target: reader(expr, env)}
    except _Unfit as unfit:
        raise Fault(f"`{name}` is {unfit}", code="C087", help=unfit.help, span=expr.span) from None
    except Fault as fault:
        raise at(fault, expr.span) from None
    return replace(settings, **changed)


def read_seeds(exprs: tuple[syntax.Expr, ...], env: Environment) -> tuple[int, ...]:
    """`seeds 1..5`, `seeds 1, 2, 7`; raises Fault."""
    found: list[Value] = []
    for expr in exprs:
        part = value(expr, env)
        items = part.items if isinstance(part, Elements) else (part,)
        if not items:
            help_ = "a range runs from the lower number to the higher one, as in `seeds 1..20`"
            raise Fault(f"`{_raw(expr)}` names no seed", code="C087", help=help_, span=expr.span)
        for item in items:
            if type(item) is not int or item < 0:
                message = f"seeds are whole numbers ≥ 0, not `{text(item)}`"
                ends = _raw(expr).partition("-")
                help_ = f"write `{ends[0]}..{ends[2]}`" if ends[0].isdigit() and ends[2].isdigit() else "as in `1..5`"
                raise Fault(message, code="C087", help=help_, span=expr.span)
        found += items
    return tuple(dict.fromkeys(v for v in found if isinstance(v, int)))
