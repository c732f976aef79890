"""Flows of private facts. In: a world and its task; out: what a statement tells agents of rows that they may not see.

A `where` over private rows decides which instances there are, and a hard rule over private rows which choices are
allowed: whoever notices either can draw conclusions about rows of others.
"""

from collections.abc import Iterator
from typing import TypeAlias

from colosseum.language import syntax
from colosseum.language.record import Record
from colosseum.model.evaluate import evaluate, indexed
from colosseum.model.payoff_sheet import Sheets
from colosseum.model.scenario import Task
from colosseum.model.table_rows import few
from colosseum.model.tables import in_order
from colosseum.model.values import instance_name
from colosseum.model.world import Environment, Read, Surroundings, World

Guarded: TypeAlias = syntax.Variable | syntax.Reward | syntax.Require


class Flow(Record):
    """What one statement tells of private rows."""

    statement: Guarded
    part: syntax.Expr
    """The `where` or the condition by which it tells."""
    cells: tuple[str, ...]
    """The rows: `cost[Ana]`, in a stable order."""
    learners: tuple[str, ...]
    """Those who may not see all of these rows, in declared order."""

    @property
    def what(self) -> str:
        """What they notice."""
        which = isinstance(self.statement, syntax.Require) and self.part is self.statement.condition
        return "which choices are allowed" if which else f"which instances of `{self.statement.name}` there are"


def flows(sheets: Sheets) -> Iterator[Flow]:
    """Every flow of an instance, in declared order. Raises Fault for what cannot be evaluated."""
    private = {name for name, table in sheets.world.tables.items() if table.private}
    for statement in sheets.world.spec.composition.statements if private else ():
        if isinstance(statement, Guarded) and not private.isdisjoint(sheets.closure([statement])):
            yield from _of_statement(statement, sheets.world, sheets.task)


def _of_statement(statement: Guarded, world: World, task: Task) -> Iterator[Flow]:
    outer, indices = Environment(Surroundings(world), reads=set()), statement.indices
    hard = statement if isinstance(statement, syntax.Require) and statement.penalty is None else None
    ruling = [part for part in ((hard.condition, hard.when) if hard else ()) if part is not None]
    owners = {r.name: {task.variable[n].owner for n in r.condition.scope} for r in task.hard}
    ruled: dict[Read, set[str]] = {}
    for key, env in indexed(indices, outer):
        before = set(env.reads or ())
        for part in ruling:
            evaluate(part, env)
        for cell in set(env.reads or ()) - before:
            ruled.setdefault(cell, set()).update(owners.get(instance_name(statement.name, key), ()))
    everybody = set(task.agents)
    if indices is not None and indices.where is not None:
        yield from _told(statement, indices.where, dict.fromkeys(outer.reads or (), everybody), world, task)
    if hard:
        yield from _told(statement, hard.condition, ruled, world, task)


def _told(
    statement: Guarded, part: syntax.Expr, noticed: dict[Read, set[str]], world: World, task: Task
) -> Iterator[Flow]:
    """A flow, where somebody notices what depends on a cell that it may not see."""
    audience = {cell: (world.tables[cell[0]].audience or {})[cell[1]] for cell in noticed}
    unseen = {cell: who.difference(audience[cell]) for cell, who in noticed.items()}
    cells = [cell for cell in in_order(set(noticed)) if unseen[cell]]
    if cells:
        learners = set[str]().union(*unseen.values())
        named = tuple(instance_name(*cell) for cell in cells)
        yield Flow(statement, part, named, tuple(agent for agent in task.agents if agent in learners))


def flow_lines(sheets: Sheets) -> Iterator[str]:
    """Who can learn what, in words: who sees each private table, who knows of groups, and what statements tell."""
    world = sheets.world
    for name, table in world.tables.items():
        seen: dict[tuple[str, ...], int] = {}
        for who in (table.audience or {}).values():
            seen[who] = seen.get(who, 0) + 1
        if table.private:
            shown = (f"{', '.join(who) or 'nobody'} ({number} of {len(table.entries)})" for who, number in seen.items())
            yield f"{name}: seen by {'; '.join(shown)}"
    secret = (c.name for c in world.spec.of(syntax.Channel) if c.secret)
    for group in (*(c.name for c in world.spec.of(syntax.Coalition)), *secret):
        yield f"{group}: known to its members, {world.sets[group]}"
    for flow in flows(sheets):
        part = " ".join(flow.part.span.text.split())
        yield f"{flow.statement.name}: tells {', '.join(flow.learners)} about {few(flow.cells)} by {flow.what}: {part}"
