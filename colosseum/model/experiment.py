"""Experiments. In: arms, sweeps and settings as written; out: a Design, from which trials are made.

The first arm is the control. An arm states only what differs; it wins over the experiment's settings. A sweep is a
cartesian factor; `where` drops combinations. Nothing is silently rewritten.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import product
from typing import TypeVar

from colosseum.diagnostics import Diagnostic, Label, closest, report
from colosseum.language import syntax
from colosseum.model.environment import Environment
from colosseum.model.evaluate import condition, value
from colosseum.model.faults import Findings
from colosseum.model.networks import parse_graph
from colosseum.model.realise import Realiser
from colosseum.model.scenario import Graph
from colosseum.model.settings import READERS, Settings, read_seeds, read_setting
from colosseum.model.spec import Spec
from colosseum.model.values import Fault, Value, text

V = TypeVar("V")


@dataclass(frozen=True)
class Conditions:
    """What may differ between arms and sweep points."""

    settings: Settings = field(default_factory=Settings)
    channels: tuple[tuple[str, bool], ...] = ()
    """Declared channels turned on or off."""
    variants: tuple[tuple[str, str], ...] = ()
    """Prompt -> variant, where it is not the first."""
    params: tuple[tuple[str, Value], ...] = ()
    graph: Graph | None = None
    """The network, where it is not the spec's own."""


@dataclass(frozen=True)
class Arm:
    """One arm at one sweep point."""

    name: str
    point: str
    """`network=ring, n=6`; empty when nothing is swept."""
    conditions: Conditions


@dataclass(frozen=True)
class Design:
    """An experiment ready to be run: its arms at every sweep point, seeds and repeats."""

    name: str
    question: str
    arms: tuple[str, ...]
    """Arm names; the first is the control."""
    cells: tuple[Arm, ...]
    """Every arm at every sweep point, points outermost."""
    seeds: tuple[int, ...]
    repeats: int


def design(spec: Spec, statement: syntax.Experiment, *, params: Mapping[str, Value]) -> (
    tuple[Design | None, list[Diagnostic]]
):  # fmt: skip
    """Check an experiment and lay out its arms and sweep points."""
    work = _Reader(spec, params)
    base, seeds, repeats = work.experiment(statement)
    _check_arms(statement, work)
    points = list(work.points(statement, base))
    cells = [
        Arm(arm.name, label, work.arm(arm, point)) for label, point in points for arm in statement.arms
    ]  # fmt: skip
    if not statement.arms:
        cells = [Arm("baseline", label, point) for label, point in points]
    if work.findings.diagnostics:
        return None, work.findings.diagnostics
    arms = tuple(a.name for a in statement.arms) or ("baseline",)
    return Design(statement.name, statement.question, arms, tuple(cells), seeds, repeats), []


def _check_arms(statement: syntax.Experiment, work: "_Reader") -> None:
    seen: dict[str, syntax.Arm] = {}
    for arm in statement.arms:
        if arm.name in seen:
            work.findings.add(report("C088", arm.name_span, f"there are two arms `{arm.name}`",
                                     labels=[Label(seen[arm.name].name_span, "first here")]))  # fmt: skip
        seen.setdefault(arm.name, arm)
    swept: dict[str, syntax.Sweep] = {}
    for sweep in statement.sweeps:
        if sweep.name in swept:
            work.findings.add(report("C089", sweep.name_span, f"`{sweep.name}` is swept twice",
                                     labels=[Label(swept[sweep.name].name_span, "first here")]))  # fmt: skip
        swept.setdefault(sweep.name, sweep)
    for arm in statement.arms:
        for setting in arm.settings:
            if setting.name in swept:
                work.findings.add(report("C089", swept[setting.name].name_span, f"`{setting.name}` is swept, and set by an arm",
                                         labels=[Label(setting.name_span, f"set by `{arm.name}`")],
                                         help="an arm or a sweep may say it, not both"))  # fmt: skip


class _Reader:
    """Reads settings against a spec."""

    def __init__(self, spec: Spec, params: Mapping[str, Value]) -> None:
        self.spec = spec
        self.findings = Findings()
        self.facts = Realiser(spec, 0, params)
        self.environment: Environment = self.facts.environment()

    def experiment(self, statement: syntax.Experiment) -> tuple[Conditions, tuple[int, ...], int]:
        """The settings that hold for every arm, the seeds and the repeats."""
        conditions, seeds, repeats = Conditions(), tuple(range(1, 6)), 1
        for setting in statement.settings:
            try:
                if setting.name == "seeds":
                    seeds = read_seeds(setting.values, self.environment)
                elif setting.name == "repeats":
                    repeats = self._repeats(setting)
                else:
                    conditions = self.apply(conditions, setting.name, setting.values, setting)
            except Fault as fault:
                self.findings.fault(fault, setting.span)
        return conditions, seeds, repeats

    def _repeats(self, setting: syntax.Setting) -> int:
        found = value(setting.values[0], self.environment)
        if type(found) is not int or found < 1 or len(setting.values) != 1:
            raise Fault(f"`repeats` is a whole number of at least 1, not `{text(found)}`", code="C087")
        return found

    def arm(self, arm: syntax.Arm, base: Conditions) -> Conditions:
        """What holds in an arm at a sweep point."""
        conditions = base
        for setting in arm.settings:
            try:
                if setting.name in ("seeds", "repeats"):
                    raise Fault(f"`{setting.name}` is said once, for the whole experiment: arms are paired by seed",
                                code="C086")  # fmt: skip
                conditions = self.apply(conditions, setting.name, setting.values, setting)
            except Fault as fault:
                self.findings.fault(fault, setting.span)
        return conditions

    def points(self, statement: syntax.Experiment, base: Conditions) -> Iterator[tuple[str, Conditions]]:
        """Every combination of the sweeps that passes their filters."""
        for chosen in product(*([(s, e) for e in s.values] for s in statement.sweeps)):
            conditions, words, bound = base, list[str](), dict[str, Value]()
            try:
                for sweep, expr in chosen:
                    conditions = self.apply(conditions, sweep.name, (expr,), sweep)
                    words.append(f"{sweep.name}={expr.span.text}")
                    bound[sweep.name] = self._swept(sweep.name, expr)
                inner = self.environment.bind(bound)
                if all(s.where is None or condition(s.where, inner) for s in statement.sweeps):
                    yield ", ".join(words), conditions
            except Fault as fault:
                self.findings.fault(fault, chosen[0][0].span)

    def _swept(self, name: str, expr: syntax.Expr) -> Value:
        symbol = self.spec.symbols.get(name)
        return value(expr, self.environment) if symbol and symbol.kind == "param" else expr.span.text

    def apply(
        self, conditions: Conditions, name: str, values: tuple[syntax.Expr, ...], at: syntax.Declaration
    ) -> Conditions:
        """Conditions with one setting applied; raises Fault."""
        if len(values) != 1:
            raise Fault(f"`{name}` takes one value, not {len(values)}", code="C087")
        expr = values[0]
        symbol = self.spec.symbols.get(name)
        if name == "network":
            return replace(conditions, graph=parse_graph(expr, self.facts))
        if name in READERS:
            changed = read_setting(conditions.settings, name, expr, self.environment)
            if name == "model":
                self._check_model(changed, expr)
            return replace(conditions, settings=changed)
        match symbol.kind if symbol else None:
            case "channel":
                if not isinstance(expr, syntax.Switch):
                    raise _at(Fault(f"the channel `{name}` is `on` or `off`", code="C087"), expr)
                return replace(conditions, channels=_put(conditions.channels, name, expr.on))
            case "prompt":
                return replace(conditions, variants=_put(conditions.variants, name, self._variant(name, expr)))
            case "param":
                return replace(conditions, params=_put(conditions.params, name, value(expr, self.environment)))
        known = [*READERS, "seeds", "repeats", "network",
                 *(s.name for s in self.spec.symbols.values() if s.kind in ("channel", "prompt", "param"))]  # fmt: skip
        fault = Fault(f"`{name}` is not a setting, a channel, a prompt or a param", code="C086",
                      help=closest(name, known))  # fmt: skip
        fault.span = at.name_span
        raise fault

    def _check_model(self, settings: Settings, expr: syntax.Expr) -> None:
        for who, _ in settings.model:
            symbol = self.spec.symbols.get(who)
            if not ((symbol and symbol.kind in ("set", "coalition")) or who in self.facts.members("agents")):
                raise _at(Fault(f"`{who}` is not a coalition, an agent or `agents`", code="C086"), expr)

    def _variant(self, name: str, expr: syntax.Expr) -> str:
        statement = self.spec.symbols[name].statement
        assert isinstance(statement, syntax.Prompt)
        known = [v.name for v in statement.variants if v.name]
        chosen = expr.id if isinstance(expr, syntax.Name) else expr.value if isinstance(expr, syntax.Text) else ""
        if chosen not in known:
            what = closest(chosen, known) or (f"variants: {', '.join(known)}" if known else "it has one text only")
            raise _at(Fault(f"the prompt `{name}` has no variant `{chosen or expr.span.text}`", code="C090", help=what), expr)
        return chosen


def _put(pairs: tuple[tuple[str, V], ...], name: str, value: V) -> tuple[tuple[str, V], ...]:
    """The pairs with one name set; the place of a name that was set before is kept."""
    return tuple({**dict(pairs), name: value}.items())


def _at(fault: Fault, node: syntax.Node) -> Fault:
    fault.span = node.span
    return fault
