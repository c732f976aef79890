"""Warnings. In: a spec without errors and its scenario; out: what is allowed but probably not meant."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from colosseum.diagnostics import Diagnostic, Label, report
from colosseum.language import syntax
from colosseum.model.experiment import Arm, Conditions, Design
from colosseum.model.prompts import template_names
from colosseum.model.scenario import Scenario
from colosseum.model.settings import NOT_YET
from colosseum.model.spec import Spec, walk


def warnings(spec: Spec, scenario: Scenario, designs: Mapping[str, Design]) -> list[Diagnostic]:
    """Every warning, in the order of the checks."""
    return [
        *_unread(spec), *_constant(spec, scenario), *_everybody(spec, scenario), *_same_arm(spec, designs), *_idle(spec)
    ]  # fmt: skip


def _unread(spec: Spec) -> Iterator[Diagnostic]:
    """Tables of the main file that no statement and no prompt reads."""
    read = {n.id for s in spec.composition.statements for n in walk(s) if isinstance(n, syntax.Name)}
    texts = [v.text for p in spec.of(syntax.Prompt) for v in p.variants] + [c.text for c in spec.of(syntax.Claim)]
    for text in texts:
        read |= template_names(text.value)
    replaced = {s.name for s in spec.composition.overridden}
    for table in spec.of(syntax.Table):
        if table.name not in read and table.span.source is spec.composition.source and table.name not in replaced:
            yield report("W001", table.name_span, f"nobody reads the table `{table.name}`",
                         help="drop it, or use it in a reward or a prompt")  # fmt: skip


def _constant(spec: Spec, scenario: Scenario) -> Iterator[Diagnostic]:
    """Rewards none of whose instances mentions a variable."""
    for reward in spec.of(syntax.Reward):
        parts = [p for p in scenario.task.payoffs if p.statement == reward.name]
        if parts and not any(p.term.scope for p in parts):
            yield report("W002", reward.name_span, f"no decision changes the reward `{reward.name}`",
                         help="it only shifts every payoff")  # fmt: skip


def _everybody(spec: Spec, scenario: Scenario) -> Iterator[Diagnostic]:
    """Coalitions without outsiders."""
    for statement in spec.of(syntax.Coalition):
        if set(scenario.coalition[statement.name].members) == set(scenario.task.agents):
            yield report("W003", statement.name_span, f"everybody is in `{statement.name}`",
                         help="figures that compare it with outsiders will be null")  # fmt: skip


def _same_arm(spec: Spec, designs: Mapping[str, Design]) -> Iterator[Diagnostic]:
    """Arms whose conditions equal the control's, but for one named `again`."""
    for statement in spec.of(syntax.Experiment):
        cells = designs[statement.name].cells
        for arm, control in _pairs(spec, statement, cells):
            labels = [Label(statement.arms[0].name_span, "the control")]
            yield report("W004", arm.name_span, f"the arm `{arm.name}` equals the control `{control}`", labels=labels,
                         help="name it `again` if it is an A/A re-run")  # fmt: skip


def _settled(spec: Spec, conditions: Conditions) -> Conditions:
    """The conditions without what says only what holds anyway."""
    secret = {c.name: c.secret for c in spec.of(syntax.Channel)}
    first = {p.name: p.variants[0].name for p in spec.of(syntax.Prompt)}
    return replace(
        conditions,
        channels=tuple(sorted((n, on) for n, on in conditions.channels if on is secret[n])),
        variants=tuple(sorted((n, v) for n, v in conditions.variants if v != first[n])),
    )


def _pairs(spec: Spec, statement: syntax.Experiment, cells: tuple[Arm, ...]) -> Iterator[tuple[syntax.Arm, str]]:
    if not statement.arms:
        return
    control = statement.arms[0].name
    first = {c.point: _settled(spec, c.conditions) for c in cells if c.name == control}
    for arm in statement.arms[1:]:
        mine = [c for c in cells if c.name == arm.name]
        if arm.name != "again" and mine and all(_settled(spec, c.conditions) == first[c.point] for c in mine):
            yield arm, control


def _idle(spec: Spec) -> Iterator[Diagnostic]:
    """What is read and checked but does not act yet: saying so beats ignoring it."""
    for statement in (*spec.of(syntax.Claim), *spec.of(syntax.Rubric)):
        what = "claim" if isinstance(statement, syntax.Claim) else "rubric"
        yield report("W005", statement.name_span, f"the {what} `{statement.name}` does not act yet", help=NOT_YET[what])
    for experiment in spec.of(syntax.Experiment):
        settings = (*experiment.settings, *(s for arm in experiment.arms for s in arm.settings), *experiment.sweeps)
        for setting in settings:
            if setting.name in NOT_YET:
                message = f"the setting `{setting.name}` does not act yet"
                yield report("W005", setting.name_span, message, help=NOT_YET[setting.name])
