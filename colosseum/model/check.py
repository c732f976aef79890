"""Checking a spec. In: a path; out: a Checked spec with its designs and its first scenario, and all diagnostics.

Or in: declared names, a seed and params; out: the Scenario for this seed, with its World.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

from colosseum.diagnostics import Diagnostic, Label, Source, closest, has_errors, report
from colosseum.language import load, syntax
from colosseum.language.gc_pause import gc_paused
from colosseum.language.record import Record
from colosseum.model import scenario as ir
from colosseum.model.evaluate import indexed, value
from colosseum.model.experiment import Design, design
from colosseum.model.ground import Grounding, ground
from colosseum.model.lint import warnings
from colosseum.model.networks import spec_graph
from colosseum.model.payoff_rules import worth
from colosseum.model.payoff_sheet import PAYOFFS, Sheets
from colosseum.model.prompts import TemplateNames, render, template_faults, template_names
from colosseum.model.realise import Realiser, realise
from colosseum.model.settings import READERS
from colosseum.model.spec import BUILT_IN, Declared, declare
from colosseum.model.tables import people
from colosseum.model.terms import Constant
from colosseum.model.values import Elements, Fault, Key, Value, a, doubled, instance_name, kind, text
from colosseum.model.world import Environment, Meter, Problems, World

MOST_VARIED = 300_000  # rounds of loops, with the terms they leave, that all variations together may visit
LEAST_SPENT = 1_000  # rounds of loops that one more variation counts as at least
ALONE = ("fills", "model", "post", "repeat", "round", "run", "seed")
"""What an entry of `trace from` may begin with that names nothing of the scenario."""
READABLE = ("param", "set", "coalition", "channel", "table")  # kinds of names that a prompt may read


class Expansion(Record):
    """A scenario with the facts it was made from."""

    scenario: ir.Scenario
    world: World
    sheets: Sheets
    """The payoff sheets that prompts asked for."""


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
    composition, diagnostics = load(path)
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

    A network alone is expanded only where the spec reads `links`. Their work is bounded; runs check what is left.
    """
    found: list[Diagnostic] = []
    linked = any("links" in statement.mentions for statement in spec.composition.statements)
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
    kept.add(*diagnostics)
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
    known["arm"], words, unsure = arms, sorted((*ALONE, *of, "agent", "arm")), spec.doubts.covers
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
        elif isinstance(what, syntax.Name) and what.id not in known.get(entry.kind, {what.id}) and not unsure(what.id):
            message = f"there is no {of.get(entry.kind, entry.kind)} `{what.id}`"
            yield report("C041", what.span, message, help=closest(what.id, known[entry.kind]))


# ---- one seed ------------------------------------------------------------------------------------------------


@gc_paused()
def expand(
    spec: Declared,
    *,
    seed: int,
    params: Mapping[str, Value],
    graph: ir.Graph | None = None,
    members: Mapping[str, tuple[str, ...]] | None = None,
    meter: Meter | None = None,
) -> tuple[Expansion | None, list[Diagnostic]]:
    """The scenario for a seed. `graph` replaces the network, `members` those of coalitions and channels."""
    meter = meter or Meter()
    sets = {name: Elements(m) for name, m in (members or {}).items()}
    world, diagnostics = realise(spec, seed=seed, params=params, sets=sets, graph=graph, meter=meter)
    task, grounding = ground(world, meter=meter)
    work, sheets = Problems([*diagnostics, *grounding.findings.diagnostics]), Sheets(world, task, grounding)
    sheets.whole = not (has_errors(work.diagnostics) or spec.doubts)
    coalitions, prompts = tuple(_coalitions(sheets, work, meter)), tuple(_prompts(world, sheets, work, meter))
    claims, rubrics = tuple(_claims(world, work, meter)), tuple(_rubrics(spec, work))
    if has_errors(work.diagnostics) or spec.doubts:
        return None, work.diagnostics
    scenario = ir.Scenario(
        name=spec.composition.scenario.name,
        title=spec.composition.scenario.title,
        seed=seed,
        params=tuple(world.params.items()),
        task=task,
        coalitions=coalitions,
        channels=tuple(
            ir.Channel(s.name, tuple(map(str, world.sets[s.name])), s.secret, s.wire.value if s.wire else None)
            for s in spec.of(syntax.Channel)
        ),
        network=graph or spec_graph(world),
        prompts=prompts,
        claims=claims,
        rubrics=rubrics,
    )
    return Expansion(scenario, world, sheets), work.diagnostics


# ---- coalitions --------------------------------------------------------------------------------------------


def _coalitions(sheets: Sheets, work: Problems, meter: Meter) -> Iterator[ir.Coalition]:
    world = sheets.world
    grounding = Grounding(Environment(world, meter, payoffs=True), work)

    def objective(statement: syntax.Objective, name: str, key: Key, env: Environment) -> ir.Objective | None:
        whole = worth(statement, "an objective", env, sheets.task)
        return None if whole is None else ir.Objective(name, whole)

    for statement in world.spec.of(syntax.Coalition):
        found = tuple(o for each in statement.objectives for o in grounding.made(each, partial(objective, each)) or ())
        if statement.objectives and not found:  # their loops are empty: it wants nothing, not its members' payoffs
            found = (ir.Objective(statement.objectives[0].name, Constant(0.0)),)
        if statement.name in world.sets:
            yield ir.Coalition(statement.name, tuple(map(str, world.sets[statement.name])), found)


# ---- texts ----------------------------------------------------------------------------------------------------


def _vocabulary(world: World, *more: str) -> TemplateNames:
    """The names that a prompt may read, and what the others are."""
    kinds = {s.name: s.kind for s in world.spec.symbols.values()}
    readable = {name for name, kind in kinds.items() if kind in READABLE} - world.spec.derived
    other = {s: a(kind) for s, kind in kinds.items()} | dict.fromkeys(world.spec.derived, "computed from decisions")
    other |= {"payoff": "what agents are credited", "total": "the sum of all payoffs"}
    known = {*readable, *world.elements, *BUILT_IN} - {"payoff", "total"} | {*more}
    return TemplateNames(frozenset(known), other, world.spec.doubts)


def _allies(agent: str, prompt: syntax.Prompt, world: World) -> tuple[str, ...]:
    """The coalition without me: the one the prompt is for, else the first that I belong to."""
    named = prompt.recipients.id if isinstance(prompt.recipients, syntax.Name) else ""
    coalitions = [s.name for s in world.spec.of(syntax.Coalition)]
    chosen = [named] if named in coalitions else [c for c in coalitions if agent in world.members(c)][:1]
    return tuple(str(a) for c in chosen for a in world.members(c) if a != agent)


def _prompts(world: World, sheets: Sheets, work: Problems, meter: Meter) -> Iterator[ir.Prompt]:
    vocabulary = _vocabulary(world, PAYOFFS)
    for statement in world.spec.of(syntax.Prompt):
        recipients: tuple[str, ...] = ()  # with nobody, the texts are checked all the same
        with work.caught(statement.recipients.span):
            found = value(statement.recipients, Environment(world, meter))
            recipients = people(found, world.members("agents"), statement.recipients)
        for name, span, labels in doubled((variant.name, variant.span) for variant in statement.variants):
            message = f"`{statement.name}` has two variants named `{name}`"
            work.add(report("C084", span, message, labels=labels, help="give one of them another name"))
        variants: list[ir.Variant] = []
        for variant in statement.variants:
            wordings = []
            for template in variant.texts:
                with work.caught(template.span):
                    work.refuse(template_faults(template, vocabulary))
                    asked, told = PAYOFFS in template_names(template.value) and sheets.asked, list[tuple[str, str]]()
                    for agent in recipients:
                        allies, extra = _allies(agent, statement, world), {PAYOFFS: sheets.of(agent)} if asked else {}
                        told.append((agent, render(template, world, me=agent, allies=allies, extra=extra, meter=meter)))
                    wordings.append(tuple(told))
            if wordings:
                variants.append(ir.Variant(variant.name, wordings[0], tuple(wordings[1:])))
        yield ir.Prompt(statement.name, recipients, tuple(variants))


def _claims(world: World, work: Problems, meter: Meter) -> Iterator[ir.Claim]:
    vocabulary = _vocabulary(world)
    for statement in world.spec.of(syntax.Claim):
        outer = Environment(world, meter)
        with work.caught(statement.name_span):
            suspects = _suspects(statement.truth, world)
            binders = {n for i in (statement.indices.items if statement.indices else ()) for n in i.names}
            known = vocabulary.known - {"me", "allies"} | binders
            work.refuse(template_faults(statement.text, replace(vocabulary, known=known)))
            for key, env in indexed(statement.indices, outer):
                name = instance_name(statement.name, key)
                words = render(statement.text, world, me="", allies=(), extra=env.bindings, meter=meter)
                about = tuple(str(v) for v in dict.fromkeys(key) if v in world.members("agents"))
                truth = bool(value(statement.truth, env)) if suspects else statement.truth.span.text == "true"
                yield ir.Claim(name, words, truth, about, suspects)
            outer.refuse_private(statement.name)


def _suspects(truth: syntax.Expr, world: World) -> str:
    """The coalition that a claim is true of; empty where the claim is `true` or `false`."""
    coalitions = {statement.name for statement in world.spec.of(syntax.Coalition)}
    match truth:
        case syntax.Name(id="true" | "false"):
            return ""
        case syntax.Comparison(operands=(_, syntax.Name(id=name)), operators=("in",)) if name in coalitions:
            return name
    help_ = "write `is true`, `is false`, or `is a in C` with a coalition C"
    raise Fault("a claim is `true` or `false`", code="C085", help=help_, span=truth.span)


def _rubrics(spec: Declared, work: Problems) -> Iterator[ir.Rubric]:
    for statement in spec.of(syntax.Rubric):
        if statement.name in {rubric.name for rubric in ir.BUILT_IN_RUBRICS}:
            message = f"every judge is asked about `{statement.name}` already: the rubric needs another name"
            work.add(report("C093", statement.name_span, message))
        for anchor in statement.anchors:
            if not isinstance(anchor.score, int) or not 0 <= anchor.score <= ir.HIGHEST:
                message = f"a score is a whole number from 0 to {ir.HIGHEST}, not `{anchor.score}`"
                work.add(report("C093", anchor.span, message))
        for score, span, labels in doubled((anchor.score, anchor.span) for anchor in statement.anchors):
            work.add(report("C093", span, f"the score {score} is described twice", labels=labels))
        anchors = tuple((int(anchor.score), anchor.text.value) for anchor in statement.anchors)
        yield ir.Rubric(statement.name, statement.question.value, anchors, statement.thoughts)
