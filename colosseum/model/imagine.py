"""The task that one agent can imagine. In: the public world and the private cells it knows; out: a Task.

The public world holds nothing that is secret from anybody: no private entry, coalition, secret channel or prompt.
Unknown private numbers are imagined as the mean of the known ones (of the same last index where there are any).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from colosseum.language import syntax
from colosseum.model.draws import key
from colosseum.model.environment import Environment
from colosseum.model.evaluate import indexed
from colosseum.model.ground import Stable, ground
from colosseum.model.realise import Realiser
from colosseum.model.scenario import Cell, Task
from colosseum.model.spec import Declared
from colosseum.model.tables import draw
from colosseum.model.values import Entries, Fault, Key, Value, instance_name, is_number
from colosseum.model.world import TableData, World

PUBLIC = (syntax.Param, syntax.Agents, syntax.Set, syntax.Table, syntax.Variable, syntax.Reward, syntax.Require,
          syntax.Network)  # fmt: skip


@dataclass(frozen=True)
class PublicWorld:
    """A world without its secrets, and the keys of its private tables."""

    world: World
    hidden: dict[str, tuple[Key, ...]]
    """Private tables: their keys (the index sets are public), not their entries."""

    def cells(self) -> dict[str, Cell]:
        """Every private cell by its written name."""
        return {instance_name(t, k): Cell(t, k) for t, keys in self.hidden.items() for k in keys}


def publish(world: World) -> PublicWorld:
    """Strip a world of everything that is secret from anybody."""
    composition = world.spec.composition
    statements = tuple(s for s in composition.statements if isinstance(s, PUBLIC))
    names = {s.name for s in world.spec.symbols.values() if isinstance(s.statement, PUBLIC)}
    spec = Declared(
        replace(composition, statements=statements, overridden=()),
        {n: s for n, s in world.spec.symbols.items() if n in names},
        {},
    )
    hidden = {t.name: tuple(t.entries) for t in world.tables.values() if t.private}
    sets = {n: s for n, s in world.sets.items() if n in names}
    tables = {n: t for n, t in world.tables.items() if not t.private and n not in spec.derived}
    return PublicWorld(replace(world, spec=spec, sets=sets, tables=tables, domains={}), hidden)


def visible(world: World, agent: str) -> dict[Cell, Value]:
    """The private cells that an agent may see."""
    return {
        Cell(t.name, k): t.entries[k] for t in world.tables.values() for k, who in (t.audience or {}).items()
        if agent in who
    }  # fmt: skip


def imagine(public: PublicWorld, known: Mapping[Cell, Value], *, stable: Stable | None = None) -> Task | None:
    """The task that these beliefs imply; None when they are too odd to make one. No belief changes what is `stable`."""
    world, spec = public.world, public.world.spec
    facts = Realiser(spec, 0, world.params, memo={("network", "links"): world.links})
    for family, known_facts in (("params", world.params), ("sets", world.sets), ("tables", world.tables)):
        facts.memo |= {(family, name): fact for name, fact in known_facts.items()}
    tables = dict(world.tables)
    try:
        for name, keys in public.hidden.items():
            entries = _believed(name, keys, known, facts)
            tables[name] = TableData(name, entries, dict.fromkeys(keys, ()))
            facts.memo["tables", name] = tables[name]
        tables |= {n: facts.table(n) for n in spec.derived}
        domains = {s.name: facts.decided(s.name) for s in spec.of(syntax.Variable)}
        blind = {n: replace(t, audience=None) for n, t in tables.items()}
        task, diagnostics = ground(replace(world, tables=blind, domains=domains), stable=stable)
    except Fault:
        return None
    return None if diagnostics else task


def _believed(name: str, keys: tuple[Key, ...], known: Mapping[Cell, Value], facts: Realiser) -> Entries:
    told = {k: known[Cell(name, k)] for k in keys if Cell(name, k) in known}
    if not told:
        return _prior(name, keys, facts)
    everything = list(told.values())
    by_last: dict[Value, list[Value]] = {}
    for k, v in told.items():
        by_last.setdefault(k[-1] if k else None, []).append(v)
    return {k: told[k] if k in told else _typical(by_last.get(k[-1] if k else None, everything)) for k in keys}


def _typical(values: list[Value]) -> Value:
    numbers = [v for v in values if isinstance(v, int | float) and is_number(v)]
    if len(numbers) < len(values):
        return values[0]
    mean = sum(numbers) / len(numbers)
    return round(mean) if all(isinstance(v, int) for v in numbers) else mean


def _prior(name: str, keys: tuple[Key, ...], facts: Realiser) -> Entries:
    """A table of which nothing is known: redrawn or recomputed by its public rule, else zero."""
    statement = facts.spec.symbols[name].statement
    assert isinstance(statement, syntax.Table)
    if not isinstance(statement.source, syntax.Drawn):
        return dict.fromkeys(keys, 0)
    environments: dict[Key, Environment] = dict(indexed(statement.indices, facts.environment()))
    return {k: draw(statement.source.call, key(0, f"prior {name}", k), environments[k]) for k in keys}
