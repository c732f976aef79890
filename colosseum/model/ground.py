"""Tasks. In: a World; out: a Task, every variable, payoff and requirement as ground terms.

Or in: the public world and the private cells that one agent knows; out: the task that it can imagine. The public world
holds nothing that is secret from anybody: no private entry, coalition, secret channel or prompt. Unknown private
numbers are imagined as the mean of the known ones (of the same last index where there are any).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import starmap
from typing import TypeAlias, TypeVar

from colosseum.diagnostics import report
from colosseum.language import syntax
from colosseum.language.record import Record
from colosseum.model import draws
from colosseum.model.evaluate import indexed, value
from colosseum.model.payoff_rules import Instance, credit, requirement, worth
from colosseum.model.realise import Realiser
from colosseum.model.scenario import Cell, Payoff, Task, Variable
from colosseum.model.spec import Declared
from colosseum.model.tables import agent_position, draw, in_order, people, unseen
from colosseum.model.values import Entries, Fault, Key, Value, instance_name, is_number
from colosseum.model.world import Environment, Meter, Problems, Read, TableData, World

PUBLIC = (syntax.Param, syntax.Agents, syntax.Set, syntax.Table, syntax.Variable, syntax.Reward, syntax.Require,
          syntax.Network)  # fmt: skip
T = TypeVar("T")
Instanced: TypeAlias = syntax.Variable | syntax.Reward | syntax.Require | syntax.Objective
Stable: TypeAlias = dict[str, list[Instance]]
"""The instances of statements that are the same in several worlds, by name; empty until they are known."""


@dataclass
class Grounding:
    """One pass over the statements of a world."""

    place: Environment
    """Where they are evaluated, outside of all loops."""
    findings: Problems = field(default_factory=Problems)
    reads: dict[Read, None] = field(default_factory=dict)
    paid: dict[str, list[tuple[Payoff, Environment]]] = field(default_factory=dict)
    """By statement, its payoffs with their bindings and the private cells that were read for them."""
    filtered: dict[str, set[Read]] = field(default_factory=dict)
    """By statement, the private cells that say which instances there are."""
    ruled: dict[str, dict[Read, set[str]]] = field(default_factory=dict)
    """By hard requirement, the private cells that it was computed from, with who decides about what each binds."""

    def made(self, statement: Instanced, make: Callable[[str, Key, Environment], T | None]) -> list[T] | None:
        """What is made of every instance by its name, key and place; None after a fault, which is reported."""
        outer, found, name = self.place.bind((), None, apart=True), list[T](), ""
        try:
            for key, env in indexed(statement.indices, outer):
                name = instance_name(statement.name, key)
                made = make(name, key, env)
                found += [] if made is None else [made]
            self.note(outer.reads)
            self.filtered[statement.name] = outer.reads
        except Fault as fault:
            self.findings.fault(fault, statement.name_span, instance=name)
            return None
        return found

    def note(self, reads: set[Read]) -> None:
        """Remember the private cells that an instance was computed from, in a stable order."""
        self.reads |= dict.fromkeys(in_order(reads))


def ground(world: World, *, meter: Meter | None = None, stable: Stable | None = None) -> tuple[Task, Grounding]:
    """Expand variables, rewards and rules, those that `stable` names once; the task is whole without any error."""
    stable = {} if stable is None else stable
    work = Grounding(Environment(world, meter or Meter()))
    agents = tuple(str(a) for a in world.sets.get("agents", ()))
    made = {s.name: _variables(s, work) for s in world.spec.of(syntax.Variable)}
    known = replace(world, domains={n: d for n, d in world.domains.items() if made.get(n) is not None})
    work.place = replace(work.place, facts=known)
    task = Task(agents, tuple(v for each in made.values() for v in each or ()), (), ())
    instances: list[Instance] = []
    for statement in world.spec.composition.statements:
        if isinstance(statement, syntax.Reward | syntax.Require):
            found = stable.get(statement.name) or _instances(statement, task, work)
            if statement.name in stable and not work.findings.diagnostics:
                stable[statement.name] = found
            instances += found
    if not made and not world.spec.doubts:
        where = world.spec.composition.scenario.span
        work.findings.add(report("C064", where, "nobody decides anything: there are no variables",
                                 help="add a line such as `variable pick[agents]: tasks or none`"))  # fmt: skip
    reads = tuple(starmap(Cell, work.reads))
    payoffs, requirements = tuple(p for _, p in instances if p), tuple(r for r, _ in instances if r)
    return replace(task, payoffs=payoffs, requirements=requirements, reads=reads), work


def _variables(statement: syntax.Variable, work: Grounding) -> list[Variable] | None:
    """The instances of a variable; None when something is wrong with them."""
    decided = work.place.facts.domains.get(statement.name)
    if decided is None or "agents" not in work.place.facts.sets:
        return None
    position = agent_position(list(decided.domains), work.place.facts.members("agents"))

    def variable(name: str, key: Key, env: Environment) -> Variable:
        owner = _owner(statement, position, key, env)
        for source, _ in unseen(decided.reads[key], (owner,), env.facts):
            message = f"the domain of `{name}` is computed from `{source}`, which its owner `{owner}` may not see"
            raise Fault(message, code="C062")
        work.note(decided.reads[key])
        return Variable(name, owner, decided.domains[key])

    return work.made(statement, variable)


def _owner(statement: syntax.Variable, position: int | None, key: Key, env: Environment) -> str:
    """Who decides: whom `of` names, else the agent among the indices."""
    name, agents = statement.name, env.facts.members("agents")
    if statement.owner is not None:
        owners = people(value(statement.owner, env), agents, statement.owner)
        if len(owners) != 1:
            raise Fault(f"a variable has one owner, not {len(owners)}", code="C063")
        return owners[0]
    if position is not None:
        return str(key[position])
    help_ = f"one for each agent is `variable {name}[agents]: …`; else say who decides, as in `of {agents.items[0]}`"
    raise Fault(f"nobody owns `{name}`: no index is an agent", code="C063", help=help_)


def _instances(statement: syntax.Reward | syntax.Require, task: Task, work: Grounding) -> list[Instance]:
    def instance(name: str, key: Key, env: Environment) -> Instance | None:
        before = env.reads.copy()
        if isinstance(statement, syntax.Reward):
            paid = worth(statement, "a reward", env, task)
            if paid is None:
                return None
            shares = credit(statement.recipients, env, paid.scope, task)
            found: Instance | None = (None, Payoff(name, statement.name, "reward", paid, shares))
        else:
            found = requirement(statement, name, env, task)
        work.note(env.reads)
        if found and found[1]:
            work.paid.setdefault(statement.name, []).append((found[1], env))
        if found and found[0] and found[0].hard:
            owners = {task.variable[decided].owner for decided in found[0].condition.scope}
            for cell in env.reads - before:
                work.ruled.setdefault(statement.name, {}).setdefault(cell, set()).update(owners)
        return found

    if isinstance(statement, syntax.Require) and statement.penalty is None and statement.recipients is not None:
        fault = Fault("a hard requirement pays nobody, so `to` has no meaning here", code="C065",
                      help="give it a `penalty`, or drop `to`", span=statement.recipients.span)  # fmt: skip
        work.findings.fault(fault, statement.name_span)
        return []
    return work.made(statement, instance) or []


# ---- imagined ----------------------------------------------------------------------------------------------


class PublicWorld(Record):
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
    symbols = {n: s for n, s in world.spec.symbols.items() if isinstance(s.statement, PUBLIC)}
    spec = Declared(replace(composition, statements=statements, overridden=()), symbols, {})
    hidden = {t.name: tuple(t.entries) for t in world.tables.values() if t.private}
    sets = {n: s for n, s in world.sets.items() if n in symbols or n == "links"}
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
    facts = Realiser(spec, world.params, world.sets, {**world.tables}, elements=world.elements)
    try:
        for name, keys in public.hidden.items():
            facts.tables[name] = TableData(name, _believed(name, keys, known, facts), dict.fromkeys(keys, ()))
        named = (*world.tables, *public.hidden, *spec.derived)
        blind = {name: replace(facts.table(name), audience=None) for name in named}
        domains = {s.name: facts.decided(s.name) for s in spec.of(syntax.Variable)}
        task, work = ground(replace(world, tables=blind, domains=domains), stable=stable)
    except Fault:
        return None
    return None if work.findings.diagnostics else task


def _believed(name: str, keys: tuple[Key, ...], known: Mapping[Cell, Value], facts: Realiser) -> Entries:
    """A private table as an agent imagines it; without any entry, redrawn by its public rule, else zero."""
    own = {cell.key: value for cell, value in known.items() if cell.table == name}
    told = {k: own[k] for k in keys if k in own}
    statement = facts.spec.symbols[name].statement
    if not told and isinstance(statement, syntax.Table) and isinstance(statement.source, syntax.Drawn):
        call, places = statement.source.call, dict(indexed(statement.indices, facts.environment()))
        return {k: draw(call, draws.key(0, f"prior {name}", k), places[k]) for k in keys}
    if not told:
        return dict.fromkeys(keys, 0)
    by_last: dict[Key, list[Value]] = {}
    for k, v in told.items():
        by_last.setdefault(k[-1:], []).append(v)
    return {k: told[k] if k in told else _typical(by_last.get(k[-1:], [*told.values()])) for k in keys}


def _typical(values: list[Value]) -> Value:
    """Their mean, a whole number where they are; the first of what are no numbers."""
    numbers = [v for v in values if is_number(v)]
    if len(numbers) < len(values):
        return values[0]
    mean = sum(numbers) / len(numbers)
    return round(mean) if all(isinstance(v, int) for v in numbers) else mean
