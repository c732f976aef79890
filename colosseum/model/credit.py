"""Credit for payoffs. In: `to …` and a payoff's scope; out: the Credit of one instance."""

from collections.abc import Callable
from typing import TypeAlias

from colosseum.language import syntax
from colosseum.model import terms
from colosseum.model.environment import Environment
from colosseum.model.evaluate import prepare, prepare_bindings, prepare_when
from colosseum.model.folding import Folded, disjunction, link, term
from colosseum.model.lookup import check_known
from colosseum.model.operations import LISTED
from colosseum.model.scenario import Credit, EqualSplit, QualifiedSplit, Task
from colosseum.model.tables import people
from colosseum.model.terms import Ground, Term
from colosseum.model.values import Elements, Value, truth

Splitting: TypeAlias = Callable[[Environment, frozenset[str], Task], Credit]
"""The credit of an instance of this scope. Raises Fault."""


def credit(recipients: syntax.Recipients | None) -> Splitting:
    """An equal split among whom `to` names; by default, or when that is nobody, among the distinct owners of the scope.

    With an empty scope the default is all agents.
    """
    split: Splitting = _among_owners
    match recipients:
        case syntax.ToWhom(recipient=expr):
            split = _to_whom(expr)
        case syntax.ToEach(binders=binders, when=when):
            split = _to_each(binders, when)

    def credited(env: Environment, scope: frozenset[str], task: Task) -> Credit:
        found = split(env, scope, task)
        shared = len(found.agents) // LISTED if isinstance(found, EqualSplit) else len(found.candidates)
        env.place.meter.count(shared)
        return found

    return credited


def _among_owners(env: Environment, scope: frozenset[str], task: Task) -> Credit:
    """The default."""
    return EqualSplit(scope_owners(scope, task))


def _to_whom(expr: syntax.Expr) -> Splitting:
    rule = prepare(expr)

    def split(env: Environment, scope: frozenset[str], task: Task) -> Credit:
        who, agents, default = rule(env), env.place.facts.members("agents"), scope_owners(scope, task)
        if isinstance(who, Ground):
            check_known(who, task)
            for value in _reached(who, task):
                if value is not None:
                    people(value, agents, expr)
            return QualifiedSplit(tuple((a, _receives(who, a, task)) for a in task.agents), default)
        if who is None:
            return EqualSplit(default)
        return EqualSplit(people(who, agents, expr) or default)

    return split


def _to_each(binders: syntax.Binders, when: syntax.Expr | None) -> Splitting:
    choices, condition, first = prepare_bindings(binders), prepare_when(when), binders.items[0].names[0]

    def split(env: Environment, scope: frozenset[str], task: Task) -> Credit:
        agents = env.place.facts.members("agents")
        qualified: dict[str, list[Folded]] = {}
        for inner in choices(env):
            holds = condition(inner)
            if isinstance(holds, Ground):
                check_known(holds, task)
            for agent in people(inner.bindings[first], agents, binders):
                fits = holds if isinstance(holds, Ground) else truth(holds, "`when`")
                qualified.setdefault(agent, []).append(fits)
        return _qualified(qualified, scope_owners(scope, task), task)

    return split


def _qualified(qualified: dict[str, list[Folded]], default: tuple[str, ...], task: Task) -> Credit:
    conditions = {a: disjunction(qualified[a]) for a in task.agents if a in qualified}
    if not any(isinstance(c, Ground) for c in conditions.values()):
        return EqualSplit(tuple(a for a, c in conditions.items() if c is True) or default)
    return QualifiedSplit(tuple((a, term(c)) for a, c in conditions.items()), default)


def _reached(who: Term, task: Task) -> tuple[Value, ...]:
    """The values that a recipient can take, as far as its own form tells."""
    match who:
        case terms.Decision(variable=name):
            return task.variable[name].domain
        case terms.Constant(value=value):
            return (value,)
        case terms.Select(entries=entries):
            return tuple(v for _, entry in entries for v in _reached(entry, task))
        case terms.Conditional(then=then, otherwise=otherwise):
            return (*_reached(then, task), *_reached(otherwise, task))
        case _:
            return ()


def _receives(who: Term, agent: str, task: Task) -> Term:
    """Whether a recipient that decisions choose is this agent; a set-valued one shares among its elements."""
    if any(isinstance(value, Elements) for value in _reached(who, task)):
        return term(link("in", agent, who))
    return term(link("==", who, agent))


def scope_owners(scope: frozenset[str], task: Task) -> tuple[str, ...]:
    """The distinct owners of the variables in a scope, in declared order; all agents when it is empty."""
    return tuple(sorted({task.variable[name].owner for name in scope}, key=task.rank.__getitem__)) or task.agents
