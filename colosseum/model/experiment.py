"""Experiments. In: arms, sweeps and settings as written; out: a Design, from which trials are made.

The first arm is the control. An arm states only what differs; it wins over the experiment's settings. A sweep is a
cartesian factor; `where` drops combinations. Nothing is silently rewritten.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import product
from math import prod
from typing import TypeAlias, TypeVar

from colosseum.diagnostics import Diagnostic, Label, closest, report
from colosseum.language import syntax
from colosseum.language.record import Record
from colosseum.language.words import PARAMETERS
from colosseum.model.evaluate import condition, elements, value
from colosseum.model.networks import parse_graph
from colosseum.model.realise import Realiser
from colosseum.model.scenario import Graph
from colosseum.model.settings import READERS, SETTINGS, Settings, read_seeds, read_setting, switch_meant
from colosseum.model.spec import Declared
from colosseum.model.values import Elements, Fault, Value, a, at, doubled, kind, text
from colosseum.model.world import Environment, Poisoned, Problems

MOST_POINTS = 10_000  # combinations that an experiment may have
V = TypeVar("V")
Changing: TypeAlias = syntax.Setting | syntax.Sweep
MOST_RUNS = 1_000_000  # runs that an experiment may have
ONCE = ("budget", "judge", "opportunity", "margin", "signal", "seeds", "repeats")
"""Settings that all runs of an experiment share, so that no arm has its own."""


class Conditions(Record):
    """What may differ between arms and sweep points."""

    settings: Settings = field(default_factory=Settings)
    channels: tuple[tuple[str, bool], ...] = ()
    """Declared channels turned on or off."""
    variants: tuple[tuple[str, str], ...] = ()
    """Prompt -> variant, where it is not the first."""
    params: tuple[tuple[str, Value], ...] = ()
    graph: Graph | None = None
    """The network, where it is not the spec's own."""
    planted: bool = False
    """Whether the arm itself says who plays: its scripted players then need no prompt that bends them."""


class Arm(Record):
    """One arm at one sweep point."""

    name: str
    point: str
    """`network=ring, n=6`; empty when nothing is swept."""
    conditions: Conditions


class Design(Record):
    """An experiment ready to be run: its arms at every sweep point, seeds and repeats."""

    name: str
    question: str
    arms: tuple[str, ...]
    """Arm names; the first is the control."""
    cells: tuple[Arm, ...]
    """Every arm at every sweep point, points outermost."""
    seeds: tuple[int, ...]
    repeats: int
    contrasts: tuple[tuple[str, str], ...] = ()
    """Arms, or models that are swept, that are compared with each other."""

    @property
    def purposes(self) -> dict[str, str]:
        """What arms are for, of those that say so."""
        return {cell.name: said for cell in self.cells if (said := cell.conditions.settings.purpose)}

    @property
    def protocols(self) -> list[str]:
        """The folders of templates that it names, as paths from the main spec's own."""
        named = dict.fromkeys(cell.conditions.settings.protocol for cell in self.cells)
        return [name for name in named if name is not None]


def design(spec: Declared, statement: syntax.Experiment, *, params: Mapping[str, Value]) -> (
    tuple[Design | None, list[Diagnostic]]
):  # fmt: skip
    """Check an experiment and lay out its arms and sweep points."""
    work = _Reader(spec, params)
    base = work.varied(Conditions(), [(s, s.values) for s in statement.settings], once=True)
    seeds, repeats = base.settings.seeds, base.settings.repeats
    work.findings.add(*_contradictions(statement))
    laid = list(work.points(statement, base))
    arms = [(arm.name, [(s, s.values) for s in arm.settings]) for arm in statement.arms] or [("baseline", [])]
    contrasts = tuple(work.contrasts(statement, [name for name, _ in arms]))
    runs = len(laid) * len(arms) * len(seeds) * repeats
    if runs > MOST_RUNS:
        message = f"this experiment has {runs:,} runs, at most {MOST_RUNS:,} are allowed"
        help_ = "sweep over less, or take fewer seeds or repeats"
        return None, [*work.findings.diagnostics, report("C056", statement.name_span, message, help=help_)]
    cells = [Arm(name, label, work.varied(point, said)) for label, point in laid for name, said in arms]
    named = tuple(name for name, _ in arms)
    made = Design(statement.name, statement.question, named, tuple(cells), seeds, repeats, contrasts)
    purposes = made.purposes
    for arm in (each for each in statement.arms if each.name in purposes):
        if (purposes[arm.name] == "control") != (arm is statement.arms[0]):
            wrong = "the first arm is the control, and no other arm is"
            work.findings.add(report("C087", arm.name_span, wrong, help="leave out its `purpose`, or move the arm"))
    if work.findings.diagnostics:
        return None, work.findings.diagnostics
    if not cells:
        dropped = report("C092", statement.sweeps[0].span, "`where` drops every combination of the sweeps",
                         help="an experiment without a combination runs nothing")  # fmt: skip
        return None, [] if spec.doubts or work.facts.wrong else [dropped]
    return made, []


def _contradictions(statement: syntax.Experiment) -> Iterator[Diagnostic]:
    """What is said twice: arms, sweeps, settings, and what is swept and set."""
    yield from _doubled(statement.arms, "C088", "there are two arms `{}`")
    yield from _doubled(statement.sweeps, "C089", "`{}` is swept twice")
    swept = {sweep.name: sweep for sweep in statement.sweeps}
    places: tuple[syntax.Experiment | syntax.Arm, ...] = (statement, *statement.arms)
    for where in places:
        yield from _doubled(where.settings, "C089", "`{}` is set twice")
        for setting in (setting for setting in where.settings if setting.name in swept):
            by = f" by the arm `{where.name}`" if where is not statement else ""
            message, labels = f"`{setting.name}` is swept, and set{by}", [Label(setting.name_span, "set here")]
            yield report("C089", swept[setting.name].name_span, message, labels=labels, help="keep one of the two")


def overruled(statement: syntax.Experiment, params: Mapping[str, Value]) -> list[Diagnostic]:
    """Params set from outside that the experiment sweeps: running it would say nothing of the values given."""
    return [
        report("C089", sweep.name_span, f"`{sweep.name}` is swept, and set from outside",
               help=f"leave out `--set {sweep.name}=…`")
        for sweep in statement.sweeps if sweep.name in params
    ]  # fmt: skip


def _doubled(declared: Sequence[syntax.Declaration], code: str, words: str) -> Iterator[Diagnostic]:
    for name, span, labels in doubled((each.name, each.name_span) for each in declared):
        yield report(code, span, words.format(name), labels=labels)


class Option(Record):
    """One value of a sweep."""

    sweep: syntax.Sweep
    expr: syntax.Expr
    label: str
    meaning: Value
    """What the sweep's name stands for in a `where`: a param's value, a graph's kind, a variant, a switch."""


class _Reader:
    """Reads settings against a spec."""

    def __init__(self, spec: Declared, params: Mapping[str, Value]) -> None:
        self.spec = spec
        self.findings = Problems()
        self.facts = Realiser(spec, dict(params))
        self.environment: Environment = self.facts.environment()

    def contrasts(self, statement: syntax.Experiment, arms: Sequence[str]) -> Iterator[tuple[str, str]]:
        """The two sides of each `compare`, both of them arms, or models that are swept."""
        swept, found = [sweep for sweep in statement.sweeps if sweep.name == "model"], list[set[str]]()
        for each in statement.contrasts:
            pair = each.first, each.second
            sides = [side.id if isinstance(side, syntax.Name) else side.value for side in pair]
            with self.findings.caught(each.span):
                models = [str(option.meaning) for sweep in swept for option in self.distinct(sweep)]
                known = models if sides[0] in models and not {*sides} <= {*arms} else arms
                for name, side in zip(sides, pair, strict=True):
                    if name not in known:
                        help_ = closest(name, known) or f"it names two arms ({', '.join(arms)}), or two swept models"
                        raise Fault(f"there is no arm `{name}`", code="C091", help=help_, span=side.span)
                if sides[0] == sides[1] or {*sides} in found:
                    words = "with itself" if sides[0] == sides[1] else f"with `{sides[1]}` twice"
                    raise Fault(f"`{sides[0]}` is compared {words}", code="C091")
                found.append({*sides})
                yield sides[0], sides[1]

    def varied(
        self, conditions: Conditions, said: Sequence[tuple[Changing, tuple[syntax.Expr, ...]]], *, once: bool = False
    ) -> Conditions:
        """Conditions with what an arm, the options of a sweep point or, `once`, the whole experiment say applied."""
        for where, values in said:
            with self.findings.caught(where.span):
                if where.name in ONCE and not once:
                    message = f"`{where.name}` is set once, for the whole experiment"
                    raise Fault(message, code="C086", span=where.name_span)
                conditions = self.apply(conditions, where, values)
        return replace(conditions, planted=any(isinstance(s, syntax.Setting) and s.name == "model" for s, _ in said))

    def points(self, statement: syntax.Experiment, base: Conditions) -> Iterator[tuple[str, Conditions]]:
        """The name and the conditions of every combination of the sweeps that passes their filters."""
        with self.findings.caught(statement.sweeps[0].span if statement.sweeps else statement.span):
            for chosen in self.combinations(statement.sweeps):
                label = ", ".join(f"{o.sweep.name}={o.label}" for o in chosen)
                yield label, self.varied(base, [(o.sweep, (o.expr,)) for o in chosen])

    def combinations(self, sweeps: Sequence[syntax.Sweep]) -> Iterator[tuple[Option, ...]]:
        """Every combination of these sweeps that passes their filters; raises Fault."""
        axes = [self.distinct(sweep) for sweep in sweeps]
        count = prod(map(len, axes))
        if count > MOST_POINTS:
            message = f"the sweeps make {count:,} combinations, at most {MOST_POINTS:,} are allowed"
            raise Fault(message, code="C056", span=sweeps[0].span)
        meanings = {o.meaning for axis in axes for o in axis if isinstance(o.meaning, str)}
        meanings |= {*PARAMETERS} if any(sweep.name == "network" for sweep in sweeps) else set()
        words = {word: word for word in sorted(meanings)}  # a `where` may compare with words that nothing declares
        for chosen in product(*axes):
            inner = replace(self.environment, bindings={**words, **{o.sweep.name: o.meaning for o in chosen}})
            if all(o.sweep.where is None or condition(o.sweep.where, inner) for o in chosen):
                yield chosen

    def distinct(self, sweep: syntax.Sweep) -> list[Option]:
        """The values of one sweep; a range stands for its numbers. Raises Fault."""
        found = [option for expr in sweep.values for option in self.options(sweep, expr)]
        for label, span, _ in doubled((option.label, option.expr.span) for option in found):
            raise Fault(f"`{sweep.name}` takes the value `{label}` twice", code="C089", span=span)
        return found

    def options(self, sweep: syntax.Sweep, expr: syntax.Expr) -> Iterator[Option]:
        label, symbol = " ".join(expr.span.text.split()), self.spec.symbols.get(sweep.name)
        match expr:
            case syntax.Range():
                numbers = [number for number in elements(expr, self.environment) if isinstance(number, int)]
                yield from (Option(sweep, syntax.Number(n, span=expr.span), text(n), n) for n in numbers)
            case _ if isinstance(expr, syntax.Switch | syntax.Number) or (symbol and symbol.kind == "param"):
                yield Option(sweep, expr, label, value(expr, self.environment))
            case syntax.Call(function=word) | syntax.Name(id=word) | syntax.Text(value=word):
                yield Option(sweep, expr, label, word)
            case _:
                yield Option(sweep, expr, label, re.sub(r"\s+", "", expr.span.text))

    def apply(self, conditions: Conditions, where: Changing, values: tuple[syntax.Expr, ...]) -> Conditions:
        """Conditions with one setting applied; raises Fault."""
        name = where.name
        if name == "seeds":
            settings = replace(conditions.settings, seeds=read_seeds(values, self.environment))
            return replace(conditions, settings=settings)
        if len(values) != 1:
            raise Fault(f"`{name}` takes one value, not {len(values)}", code="C087")
        expr = values[0]
        symbol = self.spec.symbols.get(name)
        if name == "network":
            return replace(conditions, graph=parse_graph(expr, self.facts))
        if name in READERS and (symbol is None or symbol.kind not in ("channel", "prompt", "param")):
            return replace(conditions, settings=read_setting(conditions.settings, name, expr, self.environment))
        match symbol.kind if symbol else None:
            case "channel":
                if not isinstance(expr, syntax.Switch):
                    message, help_ = f"the channel `{name}` is `on` or `off`", switch_meant(expr)
                    raise Fault(message, code="C087", help=help_, span=expr.span)
                return replace(conditions, channels=_put(conditions.channels, name, expr.on))
            case "prompt":
                return replace(conditions, variants=_put(conditions.variants, name, self._variant(name, expr)))
            case "param":
                found, own = value(expr, self.environment), self.facts.param(name)
                if kind(own) != kind(found):  # what reads a number could not read a set
                    braces = isinstance(where, syntax.Sweep) and isinstance(found, Elements)
                    help_ = f"write several values with commas, without braces: `sweep {name} in 1, 2`"
                    message = f"the param `{name}` is {kind(own)}, not {kind(found)}"
                    help_ = help_ if braces else f"the spec gives it `{text(own)}`"
                    raise Fault(message, code="C087", help=help_, span=expr.span)
                return replace(conditions, params=_put(conditions.params, name, found))
        raise at(self._unknown(name), where.name_span)

    def _unknown(self, name: str) -> Fault:
        if name not in self.spec.symbols and self.spec.doubts.covers(name):
            return Poisoned(f"`{name}` may be declared where the text is broken")
        if name in self.spec.symbols:
            message = f"`{name}` is {a(self.spec.symbols[name].kind)}, which an experiment cannot change"
            return Fault(message, code="C086", help="it changes settings, channels, prompts, params and the network")
        changeable = (s.name for s in self.spec.symbols.values() if s.kind in ("channel", "prompt", "param"))
        help_ = closest(name, [*SETTINGS, "arm", "compare", "network", "sweep", *changeable])
        help_ = "as in `compare one with another`, which names two arms" if name in ("compare", "with") else help_
        return Fault(f"`{name}` is not a setting, a channel, a prompt or a param", code="C086", help=help_)

    def _variant(self, name: str, expr: syntax.Expr) -> str:
        statement = self.spec.symbols[name].statement
        assert isinstance(statement, syntax.Prompt)
        known = [v.name for v in statement.variants if v.name]
        chosen = expr.id if isinstance(expr, syntax.Name) else expr.value if isinstance(expr, syntax.Text) else ""
        if chosen not in known:
            what = closest(chosen, known) or (f"variants: {', '.join(known)}" if known else "it has one text only")
            message = f"the prompt `{name}` has no variant `{chosen or expr.span.text}`"
            raise Fault(message, code="C090", help=what, span=expr.span)
        return chosen


def _put(pairs: tuple[tuple[str, V], ...], name: str, value: V) -> tuple[tuple[str, V], ...]:
    """The pairs with one name set; the place of a name that was set before is kept."""
    return tuple({**dict(pairs), name: value}.items())


def factors(point: str, model: str = "") -> dict[str, str]:
    """A point's factors by name, as `network=ring, n=6` says them; the model is one where it is not said."""
    found: dict[str, str] = {}
    for part in _parts(point):
        name, _, said = part.partition("=") if "=" in part else ("point", "", part)
        quoted = "=" in part and len(said) > 1 and said[0] == said[-1] == '"'
        found[name] = said[1:-1] if quoted else said
    return found if "model" in found or not model else {**found, "model": model}


def _parts(point: str) -> Iterator[str]:
    """At commas that stand in no bracket and no quotes."""
    depth, start = 0, 0
    for sign in re.finditer(r'"[^"]*"|[(\[{}\]),]', point):
        depth += (sign[0] in "([{") - (sign[0] in ")]}")
        if sign[0] == "," and not depth:
            yield point[start : sign.start()].strip()
            start = sign.end()
    if point[start:].strip():
        yield point[start:].strip()
