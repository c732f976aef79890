"""Checking a spec. In: a path; out: a Checked spec with its designs and its first expansion, and all diagnostics."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from colosseum.diagnostics import Diagnostic, Label, Source, closest, has_errors, report
from colosseum.language import syntax
from colosseum.language.compose import load_doubtfully
from colosseum.language.record import Record
from colosseum.model.expand import Expansion, expand
from colosseum.model.experiment import Design, design
from colosseum.model.lint import warnings
from colosseum.model.realise import Realiser, realise
from colosseum.model.settings import READERS
from colosseum.model.spec import Declared, declare
from colosseum.model.values import Fault, Value, kind, text
from colosseum.model.world import Meter, Problems

MOST_VARIED = 300_000
"""Rounds of loops, with the terms they leave, that all variations together may visit."""
LEAST_SPENT = 1_000
"""Rounds of loops that one more variation counts as at least."""
ALONE = ("fills", "model", "post", "repeat", "round", "run", "seed")
"""What an entry of `trace from` may begin with that names nothing of the scenario."""


class Checked(Record):
    """A spec without errors."""

    spec: Declared
    params: dict[str, Value]
    """Params set from outside."""
    designs: dict[str, Design]
    """Experiments by name, in declared order."""
    expansion: Expansion
    """The scenario for `seed`."""

    @property
    def seed(self) -> int:
        """The seed that was expanded."""
        return self.expansion.scenario.seed


def read_spec(path: Path | str) -> tuple[Declared | None, list[Diagnostic]]:
    """Load a file, follow its `use`s and sort out its names; None when there is no text.

    With errors the spec is what could be read, and its doubts cover what could not.
    """
    composition, diagnostics = load_doubtfully(path)
    if composition is None:
        return None, diagnostics
    spec, found = declare(composition)
    return spec, [*diagnostics, *found]


def check(
    path: Path | str, *, seed: int | None = None, params: Mapping[str, Value] | None = None
) -> tuple[Checked | None, list[Diagnostic]]:
    """Check everything about a spec; `seed` defaults to the first of the first experiment, else 1."""
    spec, diagnostics = read_spec(path)
    if spec is None:
        return None, diagnostics
    changed = dict(params or {})
    wrong = list(_wrong_params(spec, changed))
    if wrong:
        return None, [*diagnostics, *wrong]
    designs: dict[str, Design] = {}
    late = list(_mapping_faults(spec))
    for statement in spec.of(syntax.Experiment):
        made, problems = design(spec, statement, params=changed)
        late += problems
        designs |= {made.name: made} if made else {}
    first = next(iter(designs.values()), None)
    chosen = seed if seed is not None else first.seeds[0] if first else 1
    expansion, problems = expand(spec, seed=chosen, params=changed)
    varied: list[Diagnostic] = []
    if expansion is not None and not has_errors([*diagnostics, *problems]):
        varied = _variations(spec, designs, chosen, changed, own=dict(expansion.scenario.params))
    found = [*problems, *late, *varied]
    if changed:  # which may be to blame
        shown = " ".join(f"--set {name}={text(given)}" for name, given in changed.items())
        found = [replace(each, help=(*each.help, f"this happens with `{shown}`")) for each in found]
    diagnostics = _distinct([*diagnostics, *found], spec.composition.source)
    if expansion is None or has_errors(diagnostics):
        return None, diagnostics
    diagnostics += _distinct(warnings(spec, expansion.scenario, designs, expansion.sheets), spec.composition.source)
    return Checked(spec, changed, designs, expansion), diagnostics


def _wrong_params(spec: Declared, changed: Mapping[str, Value]) -> Iterator[Diagnostic]:
    """Options that name no param, or give one a value of another kind than the spec does."""
    known = {s.name: s for s in spec.of(syntax.Param)}
    for name, given in changed.items():
        if name not in known:
            if not spec.doubts.covers(name):
                help_ = closest(name, known) or f"params: {', '.join(known) or 'none'}"
                help_ = f"`{name}` is a setting: it stands in an experiment or an arm" if name in READERS else help_
                yield report("C122", None, f"`--set {name}=…`: there is no param `{name}`", help=help_)
            continue
        try:
            own = Realiser(spec).param(name)
        except Fault:
            continue  # told where the spec says it
        if kind(own) != kind(given):
            message = f"`--set {name}={text(given)}`: the param `{name}` is {kind(own)}, not {kind(given)}"
            labels = [Label(known[name].span, "declared here")]
            yield report("C122", None, message, labels=labels, help=f"in the spec it is {text(own)}")


def _variations(
    spec: Declared, designs: Mapping[str, Design], seed: int, params: Mapping[str, Value], *, own: Mapping[str, Value]
) -> list[Diagnostic]:
    """What goes wrong under the params and networks that arms and sweeps set, other than the spec's `own` values.

    A network alone is expanded only where the spec reads `links`. The work
    of all of them together is bounded; what is left is checked when it is run.
    """
    found: list[Diagnostic] = []
    linked = any("links" in syntax.mentioned(statement) for statement in spec.composition.statements)
    tried: set[object] = {((), None)}
    spent = 0
    for of in designs.values():
        for cell in of.cells:
            if spent > MOST_VARIED:
                return found
            changed = tuple((name, value) for name, value in cell.conditions.params if own[name] != value)
            meter, graph = Meter(), cell.conditions.graph
            if (changed, graph) in tried:
                continue
            make = expand if linked or (changed, None) not in tried else realise
            problems = make(spec, seed=seed, params={**params, **dict(changed)}, graph=graph, meter=meter)[1]
            spent += meter.steps + LEAST_SPENT
            tried |= {(changed, None), (changed, graph)}
            where = f"the arm `{cell.name}` of `{of.name}`" + (f" at {cell.point}" if cell.point else "")
            own_span = next(s.name_span for s in spec.of(syntax.Experiment) if s.name == of.name)
            for problem in problems:  # it is the experiment's when nothing else is at fault
                span = own_span if problem.span == spec.composition.scenario.span else problem.span
                found.append(replace(problem, span=span, help=(*problem.help, f"this happens in {where}")))
    return found


def _distinct(diagnostics: list[Diagnostic], main: Source) -> list[Diagnostic]:
    """The first of each code at each place, in reading order: one mistake is told once."""
    kept = Problems()
    for diagnostic in diagnostics:
        kept.add(diagnostic)
    return sorted(kept.diagnostics, key=lambda d: _place(d, main))


def _place(d: Diagnostic, main: Source) -> tuple[int, int]:
    """Its place in the main file, also when only a second place of it is there; other files come last."""
    spans = [d.span, *(label.span for label in d.labels)]
    return next(((0, span.start) for span in spans if span is not None and span.source is main), (1, 0))


def _mapping_faults(spec: Declared) -> Iterator[Diagnostic]:
    """Unknown words, arms, channels, params and variables. Names of fields are a source's own: imports check them."""
    arms = {arm.name for statement in spec.of(syntax.Experiment) for arm in statement.arms} or {"baseline"}
    of = {"channel": "channel", "param": "param", "decide": "variable"}
    known = {word: {s.name for s in spec.symbols.values() if s.kind == kind} for word, kind in of.items()}
    known["arm"], words = arms, sorted((*ALONE, *of, "agent", "arm"))
    for entry in (entry for statement in spec.of(syntax.Trace) for entry in statement.mapped):
        what = entry.what.base if isinstance(entry.what, syntax.Lookup) else entry.what
        if entry.kind not in words:
            help_ = closest(entry.kind, words) or f"words: {', '.join(words)}"
            yield report("C011", entry.span, f"`{entry.kind}` maps nothing", help=help_)
        elif (entry.what is None) != (entry.kind in ALONE):
            shown = f"{entry.kind} is …" if entry.kind in ALONE else f"{entry.kind} NAME is …"
            yield report("C011", entry.span, f"expected `{shown}`")
        elif entry.what and not all(isinstance(n, syntax.Name | syntax.Lookup) for n in syntax.walk(entry.what)):
            yield report("C011", entry.what.span, "expected a name, or a name with indices")
        elif isinstance(what, syntax.Name) and what.id not in known.get(entry.kind, {what.id}):
            message = f"there is no {of.get(entry.kind, entry.kind)} `{what.id}`"
            yield report("C041", what.span, message, help=closest(what.id, known[entry.kind]))
