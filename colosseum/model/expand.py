"""A scenario for one seed. In: a declared spec, a seed and params; out: the checked Scenario and its World."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial

from colosseum.diagnostics import Diagnostic, has_errors, report
from colosseum.language import syntax
from colosseum.language.gc_pause import gc_paused
from colosseum.language.record import Record
from colosseum.model import scenario as ir
from colosseum.model.evaluate import indexed, value
from colosseum.model.ground import Grounding, ground
from colosseum.model.networks import spec_graph
from colosseum.model.payoff_rules import worth
from colosseum.model.payoff_sheet import PAYOFFS, Sheets
from colosseum.model.prompts import TemplateNames, check_template, render, template_names
from colosseum.model.realise import realise
from colosseum.model.spec import BUILT_IN, Declared
from colosseum.model.tables import people
from colosseum.model.values import Elements, Fault, Key, Value, a, doubled, instance_name
from colosseum.model.world import Environment, Meter, Problems, World

READABLE = ("param", "set", "coalition", "channel", "table")
"""Kinds of names that a prompt may read."""


class Expansion(Record):
    """A scenario with the facts it was made from."""

    scenario: ir.Scenario
    world: World
    sheets: Sheets
    """The payoff sheets that prompts asked for."""


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
    """The scenario for a seed. `graph` replaces the network, `members` the members of coalitions by name.

    `meter` counts the work.
    """
    meter = meter or Meter()
    realised, diagnostics = realise(spec, seed=seed, params=params, graph=graph, meter=meter)
    others = {name: Elements(m) for name, m in (members or {}).items()}
    world = replace(realised, sets={**realised.sets, **others})
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
        network=graph or spec_graph(realised),
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
        if statement.name in world.sets:
            yield ir.Coalition(statement.name, tuple(map(str, world.sets[statement.name])), found)


# ---- texts ----------------------------------------------------------------------------------------------------


def _vocabulary(world: World, *more: str) -> TemplateNames:
    """The names that a prompt may read, and what the others are."""
    kinds = {s.name: s.kind for s in world.spec.symbols.values()}
    readable = {name for name, kind in kinds.items() if kind in READABLE} - world.spec.derived
    other = {name: a(kind) for name, kind in kinds.items()}
    other |= dict.fromkeys(world.spec.derived, "computed from decisions")
    other |= {"payoff": "what agents are credited", "total": "the sum of all payoffs"}
    known = frozenset({*readable, *world.elements, *BUILT_IN} - {"payoff", "total"} | {*more})
    return TemplateNames(known, other, world.spec.doubts)


def _allies(agent: str, prompt: syntax.Prompt, world: World) -> tuple[str, ...]:
    """The coalition without me: the one the prompt is for, else the first that I belong to."""
    named = prompt.recipients.id if isinstance(prompt.recipients, syntax.Name) else ""
    coalitions = [s.name for s in world.spec.of(syntax.Coalition)]
    chosen = [named] if named in coalitions else [c for c in coalitions if agent in world.members(c)][:1]
    return tuple(str(a) for c in chosen for a in world.members(c) if a != agent)


def _prompts(world: World, sheets: Sheets, work: Problems, meter: Meter) -> Iterator[ir.Prompt]:
    vocabulary = _vocabulary(world, PAYOFFS)
    for statement in world.spec.of(syntax.Prompt):
        try:
            found = value(statement.recipients, Environment(world, meter))
            recipients = people(found, world.members("agents"), statement.recipients)
        except Fault as fault:
            work.fault(fault, statement.recipients.span)
            recipients = ()  # the texts are checked all the same
        for name, span, labels in doubled((variant.name, variant.span) for variant in statement.variants):
            message = f"`{statement.name}` has two variants named `{name}`"
            work.add(report("C084", span, message, labels=labels, help="give one of them another name"))
        variants: list[ir.Variant] = []
        for variant in statement.variants:
            wordings = []
            for text in (variant.text, *variant.paraphrases):
                with work.caught(text.span):
                    check_template(text, vocabulary)
                    asked, told = PAYOFFS in template_names(text.value) and sheets.asked, list[tuple[str, str]]()
                    for agent in recipients:
                        allies, extra = _allies(agent, statement, world), {PAYOFFS: sheets.of(agent)} if asked else {}
                        told.append((agent, render(text, world, me=agent, allies=allies, extra=extra, meter=meter)))
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
            check_template(statement.text, replace(vocabulary, known=known))
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
