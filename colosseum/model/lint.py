"""Warnings. In: a spec without errors and its scenario; out: things that are allowed but probably not meant.

A `where` over private rows decides which instances there are, and a hard rule over private rows which choices are
allowed: whoever notices either can draw conclusions about rows of others. That is a flow.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import chain, pairwise, permutations
from typing import TypeAlias

from colosseum.diagnostics import Diagnostic, Label, Span, closest, report
from colosseum.language import syntax
from colosseum.language.record import Record
from colosseum.model.experiment import Conditions, Design
from colosseum.model.networks import live_channels
from colosseum.model.payoff_sheet import PAYOFFS, Sheets
from colosseum.model.prompts import template_names
from colosseum.model.scenario import Prompt, Scenario
from colosseum.model.spec import Declared
from colosseum.model.tables import few, in_order
from colosseum.model.values import instance_name
from colosseum.model.values import text as written

BRACED = re.compile(r"(?<!\{)\{\s*(\w+)\s*\}(?!\})")
NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?!\w)")
Guarded: TypeAlias = syntax.Variable | syntax.Reward | syntax.Require


def warnings(spec: Declared, scenario: Scenario, designs: Mapping[str, Design], sheets: Sheets) -> list[Diagnostic]:
    """Every warning, in the order of the checks."""
    return [
        *_idle(spec, scenario),
        *_powerless(spec, scenario),
        *_outside_domains(spec, sheets),
        *_idle_channels(spec, scenario),
        *_beside_control(spec, scenario, designs),
        *_not_disclosed(spec, scenario.prompts, sheets),
        *_single_braces(spec),
        *_telling(sheets),
    ]


def _idle(spec: Declared, scenario: Scenario) -> Iterator[Diagnostic]:
    """Tables and params of the main file that nothing reads, idle rewards, coalitions without outsiders."""
    read = _mentioned(spec)
    replaced = {s.name for s in spec.composition.overridden}
    for data in (*spec.of(syntax.Table), *spec.of(syntax.Param)):
        if data.name not in read and data.span.source is spec.composition.source and data.name not in replaced:
            yield report("W001", data.name_span, f"nothing reads the {spec.symbols[data.name].kind} `{data.name}`",
                         help="drop it, or use it in a reward or a prompt")  # fmt: skip
    for reward in spec.of(syntax.Reward):
        parts = [p for p in scenario.task.payoffs if p.statement == reward.name]
        if parts and not any(p.term.scope for p in parts):
            yield report("W002", reward.name_span, f"no decision changes the reward `{reward.name}`",
                         help="it adds the same amount for all decisions")  # fmt: skip
    for statement in spec.of(syntax.Coalition):
        if set(scenario.coalition[statement.name].members) == set(scenario.task.agents):
            yield report("W003", statement.name_span, f"everybody is in `{statement.name}`",
                         help="figures that compare it with outsiders will be null")  # fmt: skip


def _powerless(spec: Declared, scenario: Scenario) -> Iterator[Diagnostic]:
    """Agents who decide something, but are credited with nothing that mentions a decision of theirs."""
    task = scenario.task
    free = {v.name: v.owner for v in task.variables if len(v.domain) > 1}
    felt = {who for p in task.payoffs for who in {*p.credit.named} & {free.get(name, "") for name in p.scope}}
    idle = [agent for agent, own in task.owned.items() if own and agent not in felt]
    if not task.payoffs or not idle:
        return
    first = spec.symbols[task.owned[idle[0]][0].name.partition("[")[0]]
    yield report("W007", first.span, f"no decision of {some(idle)} changes its own payoff",
                 help="give it a `reward` that mentions its decisions, or check the credit by `to`")  # fmt: skip


def _outside_domains(spec: Declared, sheets: Sheets) -> Iterator[Diagnostic]:
    """Comparisons by `==` or `!=` of a decision with an element, a text or a number in no domain of its variable."""
    world, deciding = sheets.world, Guarded | syntax.Coalition | syntax.Table
    domains = {name: dict.fromkeys(chain(*each.domains.values())) for name, each in world.domains.items()}
    nodes = (n for s in spec.composition.statements if isinstance(s, deciding) for n in syntax.walk(s))
    for node in (n for n in nodes if isinstance(n, syntax.Comparison)):
        links = zip(node.operators, pairwise(node.operands), strict=True)
        for decision, other in (sides for o, two in links if o in ("==", "!=") for sides in permutations(two)):
            base = decision.base if isinstance(decision, syntax.Lookup) else decision
            domain = domains.get(base.id) if isinstance(base, syntax.Name) else None
            value = other.value if isinstance(other, syntax.Text | syntax.Number) else None
            if isinstance(other, syntax.Name) and other.id in world.elements:
                value = other.id
            if domain and value is not None and value not in domain:
                known = [written(each) for each in domain]
                message = f"no `{base.span.text}` can be `{written(value)}`: it is one of {some(known)}"
                yield report("W019", other.span, message, help=closest(written(value), known))


def _idle_channels(spec: Declared, scenario: Scenario) -> Iterator[Diagnostic]:
    """Secret channels whose members are not drawn, for one agent, or for those whom a known channel joins alone.

    An edge of a sparse network is such a channel: a pair that it joins gets nothing new by a secret one.
    """
    members = {c.name: c.members for c in scenario.channels}
    known = {frozenset(channel.members): channel.name for channel in live_channels(scenario, Conditions())}
    drawn = {c.name for c in spec.of(syntax.Coalition) if isinstance(c.members, syntax.Drawn)}
    for channel in (channel for channel in spec.of(syntax.Channel) if channel.secret):
        source, who = channel.members, members[channel.name]
        fixed = isinstance(source, syntax.Given) and drawn.isdisjoint(source.value.mentions)  # the same at all seeds
        if fixed and frozenset(who) in known:
            message = f"the members of `{channel.name}` already have a channel of their own: `{known[frozenset(who)]}`"
            yield report("W009", channel.name_span, message, help="an arm that turns it on gives them nothing new")
        if fixed and len(who) == 1:
            message = f"`{who[0]}` is alone in `{channel.name}`, and has nobody to talk to there"
            yield report("W016", channel.name_span, message, help="name at least two agents, or drop the channel")


def _telling(sheets: Sheets) -> Iterator[Diagnostic]:
    """Filters and hard rules by which agents learn of private rows of others."""
    for flow in flows(sheets):
        who = some(list(flow.learners))
        message = f"`{flow.statement.name}` tells {who} about {some(list(flow.cells))} by {flow.what}"
        help_ = "`colosseum explain --flows FILE` prints who can learn what"
        yield report("W017", flow.part.span, message, help=help_)


def _single_braces(spec: Declared) -> Iterator[Diagnostic]:
    """Names in braces as Python's f-strings have them, which a prompt prints as they stand."""
    known = {"me", "allies", PAYOFFS, *(s.name for s in spec.symbols.values() if s.kind in ("param", "set", "table"))}
    for text in (text for prompt in spec.of(syntax.Prompt) for variant in prompt.variants for text in variant.texts):
        found = BRACED.finditer(text.span.source.text, text.span.start, text.span.end)
        for name, place in ((each[1], each.span()) for each in found if each[1] in known):
            message, help_ = f"`{{{name}}}` is printed as it stands", f"write `{{{{ {name} }}}}` for its value"
            yield report("W020", Span(text.span.source, *place), message, help=help_)


def _mentioned(spec: Declared) -> set[str]:
    """Every name that a statement or a prompt reads; what an experiment sets is not read by that."""
    read: set[str] = set()
    for statement in spec.composition.statements:
        match statement:
            case syntax.Prompt(variants=variants):
                read = read.union(*(template_names(text.value) for v in variants for text in v.texts))
            case syntax.Claim(text=text):
                read |= template_names(text.value)
        read |= set(statement.mentions)
    return read


def _beside_control(spec: Declared, scenario: Scenario, designs: Mapping[str, Design]) -> Iterator[Diagnostic]:
    """Arms that equal the control, but for `again`, and those that the names alone tell in imports.

    And controls with all that a later arm gives a coalition, and more, so that effects have the wrong sign.
    """
    meant = {"again", "placebo", "selfish"} if any(spec.of(syntax.Trace)) else {"again"}
    coalitions = [{*coalition.members} for coalition in scenario.coalitions]
    prompts = [p for p in scenario.prompts if any({*p.recipients} <= members for members in coalitions)]
    told = {(p.name, v.name) for p in prompts for v in p.variants if any(text for _, text in v.texts)}
    for statement in (s for s in spec.of(syntax.Experiment) if s.arms):
        settled, given = dict[str, list[Conditions]](), dict[str, set[str]]()  # by arm: at every point, at the first
        for cell in designs[statement.name].cells:
            here = _settled(spec, cell.conditions)
            settled.setdefault(cell.name, []).append(here)
            texts = {f"`{name} {variant}`" for name, variant in here.variants if (name, variant) in told}
            given.setdefault(cell.name, {f"`{name} on`" for name, on in here.channels if on} | texts)
        control, *others = statement.arms
        for arm in (arm for arm in others if arm.name not in meant and settled[arm.name] == settled[control.name]):
            message = f"the arm `{arm.name}` equals the control `{control.name}`"
            labels = [Label(control.name_span, "the control")]
            help_ = "name it `again` if it repeats the control on purpose"
            yield report("W004", arm.name_span, message, labels=labels, help=help_)
        if less := [arm for arm in others if given[arm.name] < given[control.name]]:
            arm = min(less, key=lambda each: len(given[each.name]))
            more = " and ".join(sorted(given[control.name] - given[arm.name]))
            message = f"the control `{control.name}` has {more}, and the arm `{arm.name}` has not"
            labels = [Label(arm.name_span, "it has less than the control")]
            help_ = f"the first arm is the control: write `{arm.name}` first"
            yield report("W018", control.name_span, message, labels=labels, help=help_)


def _settled(spec: Declared, conditions: Conditions) -> Conditions:
    """The conditions without what says only what holds anyway."""
    secret = {c.name: c.secret for c in spec.of(syntax.Channel)}
    first = {p.name: p.variants[0].name for p in spec.of(syntax.Prompt)}
    channels = tuple(sorted((n, on) for n, on in conditions.channels if on is secret[n]))
    variants = tuple(sorted((n, v) for n, v in conditions.variants if v != first[n]))
    return replace(conditions, planted=False, channels=channels, variants=variants)


def _not_disclosed(spec: Declared, prompts: tuple[Prompt, ...], sheets: Sheets) -> Iterator[Diagnostic]:
    """A warning for each statement that some who decide about it are not told, and that is not `undisclosed`.

    It reaches an agent by `{{ payoffs }}`, or by texts in which every table, param and constant of it stands.
    """
    asking = {p.name: {name for v in p.variants for text in v.texts for name in template_names(text.value)}
              for p in spec.of(syntax.Prompt)}  # fmt: skip
    read, said, task = defaultdict[str, set[str]](set), defaultdict[str, set[float]](set), sheets.task
    for prompt, (agent, text) in ((p, told) for p in prompts for v in p.variants for w in v.wordings for told in w):
        read[agent] |= asking[prompt.name]
        said[agent].update(map(float, NUMBER.findall(text)))
    deciders, world = defaultdict[str, set[str]](set), sheets.world
    hard = ((rule.statement, rule.condition.scope) for rule in task.hard)
    for name, scope in (*((p.statement, p.scope) for p in task.payoffs), *hard):
        deciders[name] |= {task.variable[decided].owner for decided in scope}
    for statement in sheets.told if prompts else ():
        named = spec.closure([statement])
        facts = named & {*world.tables, *world.params} - spec.derived
        parts = (statement, *(spec.symbols[name].statement for name in named & spec.derived))
        numbers = {float(n.value) for part in parts for n in syntax.walk(part) if isinstance(n, syntax.Number)} - {0.0}
        told = {a for a in read if (PAYOFFS in read[a] and sheets.asked) or (facts <= read[a] and numbers <= said[a])}
        if left := [a for a in task.agents if a in deciders[statement.name] - told]:
            message = f"`{statement.name}` depends on {some(left)}, and no prompt tells them about it"
            help_ = "put `{{ payoffs }}` into their prompt, or end the statement with `undisclosed` if it is meant"
            yield report("W012", statement.name_span, message, help=help_)


def some(names: list[str]) -> str:
    """`A`, `B` and 3 more."""
    return few([f"`{name}`" for name in names])


# ---- flows of private facts ----------------------------------------------------------------------------------


class Flow(Record):
    """What one statement tells of private rows."""

    statement: Guarded
    part: syntax.Expr
    """The `where` or the condition by which it tells."""
    cells: tuple[str, ...]
    """The rows: `cost[Ana]`, in a stable order."""
    what: str
    """What it tells: `which choices are allowed`."""
    learners: tuple[str, ...]
    """Those who may not see all of these rows, in declared order."""


def flows(sheets: Sheets) -> Iterator[Flow]:
    """Every flow of an instance, in declared order."""
    audience = {(t.name, key): who for t in sheets.world.tables.values() for key, who in (t.audience or {}).items()}
    agents, work = sheets.task.agents, sheets.grounding
    for statement in (s for s in sheets.world.spec.composition.statements if isinstance(s, Guarded)):
        where = statement.indices.where if statement.indices else None
        rule = statement.condition if isinstance(statement, syntax.Require) else None
        filtered = {cell: {*agents} for cell in work.filtered[statement.name]}
        which = f"which instances of `{statement.name}` there are"
        ruled = work.ruled.get(statement.name, {})
        for part, what, noticed in ((where, which, filtered), (rule, "which choices are allowed", ruled)):
            unseen = {cell: noticed[cell].difference(audience[cell]) for cell in in_order({*noticed})}
            cells = tuple(instance_name(*cell) for cell, who in unseen.items() if who)
            learners = tuple(a for a in agents if any(a in who for who in unseen.values()))
            if part and cells:
                yield Flow(statement, part, cells, what, learners)


def flow_lines(sheets: Sheets) -> Iterator[str]:
    """Who can learn what, in words: who sees each private table, who knows of groups, and what statements tell."""
    world = sheets.world
    for name, table in world.tables.items():
        seen = Counter((table.audience or {}).values())
        if table.private:
            shown = (f"{', '.join(who) or 'nobody'} ({number} of {len(table.entries)})" for who, number in seen.items())
            yield f"{name}: seen by {'; '.join(shown)}"
    secret = (c.name for c in world.spec.of(syntax.Channel) if c.secret)
    for group in (*(c.name for c in world.spec.of(syntax.Coalition)), *secret):
        yield f"{group}: known to its members, {world.sets[group]}"
    for flow in flows(sheets):
        part = " ".join(flow.part.span.text.split())
        yield f"{flow.statement.name}: tells {', '.join(flow.learners)} about {few(flow.cells)} by {flow.what}: {part}"
