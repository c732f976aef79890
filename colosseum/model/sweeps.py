"""Sweeps. In: what a sweep lists; out: its options, the combinations of all sweeps that pass their filters,
and what the name of such a combination says.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from math import prod

from colosseum.language import syntax
from colosseum.language.record import Record
from colosseum.model.environment import Environment
from colosseum.model.evaluate import condition, elements, value
from colosseum.model.networks import PARAMETERS
from colosseum.model.settings import READERS
from colosseum.model.spec import Declared
from colosseum.model.values import Fault, Value, at, text

MOST_POINTS = 10_000
"""Combinations that an experiment may have."""
OPENING, CLOSING = "([{", ")]}"


class Option(Record):
    """One value of a sweep."""

    sweep: syntax.Sweep
    expr: syntax.Expr
    label: str
    meaning: Value
    """What the sweep's name stands for in a `where`: a param's value, a graph's kind, a variant, a switch."""


def points(statement: syntax.Experiment, spec: Declared, env: Environment) -> Iterator[tuple[Option, ...]]:
    """Every combination of the sweeps that passes their filters; raises Fault."""
    axes = [options(sweep, spec, env) for sweep in statement.sweeps]
    count = prod(len(axis) for axis in axes)
    if count > MOST_POINTS:
        shown = " × ".join(str(len(axis)) for axis in axes)
        message = f"the sweeps make {shown} = {count:,} combinations, at most {MOST_POINTS:,} are allowed"
        raise at(Fault(message, code="C056"), statement.sweeps[0].span)
    words = _words(axes)
    for chosen in product(*axes):
        inner = replace(env, bindings={**words, **{o.sweep.name: o.meaning for o in chosen}})
        if all(o.sweep.where is None or condition(o.sweep.where, inner) for o in chosen):
            yield chosen


def options(sweep: syntax.Sweep, spec: Declared, env: Environment) -> list[Option]:
    """The values of one sweep; a range stands for its numbers. Raises Fault."""
    found: dict[str, Option] = {}
    for expr in sweep.values:
        for option in _options(sweep, expr, spec, env):
            if option.label in found:
                raise at(Fault(f"`{sweep.name}` takes the value `{option.label}` twice", code="C089"), expr.span)
            found[option.label] = option
    return list(found.values())


def _options(sweep: syntax.Sweep, expr: syntax.Expr, spec: Declared, env: Environment) -> Iterator[Option]:
    if isinstance(expr, syntax.Range):
        for number in elements(expr, env):
            if isinstance(number, int):
                yield Option(sweep, syntax.Number(number, span=expr.span), text(number), number)
        return
    if sweep.name not in READERS and sweep.name != "network" and sweep.name not in spec.symbols:
        yield Option(sweep, expr, expr.span.text, None)  # refused where it is applied
        return
    label = " ".join(expr.span.text.split())
    symbol = spec.symbols.get(sweep.name)
    match expr:
        case _ if isinstance(expr, syntax.Switch | syntax.Number) or (symbol is not None and symbol.kind == "param"):
            yield Option(sweep, expr, label, value(expr, env))
        case syntax.Call(function=word) | syntax.Name(id=word) | syntax.Text(value=word):
            yield Option(sweep, expr, label, word)
        case _:
            yield Option(sweep, expr, label, re.sub(r"\s+", "", expr.span.text))


def _words(axes: list[list[Option]]) -> dict[str, Value]:
    """The words that a `where` may compare with, though nothing declares them: graphs, variants, settings."""
    swept = {o.sweep.name for axis in axes for o in axis}
    words = {o.meaning for axis in axes for o in axis if isinstance(o.meaning, str)}
    return {w: w for w in sorted({*words, *(PARAMETERS if "network" in swept else ())})}


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
    depth, quoted, start = 0, False, 0
    for place, sign in enumerate(point):
        quoted ^= sign == '"'
        if not quoted:
            depth += (sign in OPENING) - (sign in CLOSING)
            if sign == "," and not depth:
                yield point[start:place].strip()
                start = place + 1
    if point[start:].strip():
        yield point[start:].strip()
