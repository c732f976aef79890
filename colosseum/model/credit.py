"""Who is credited. In: `to …` and a payoff's scope; out: the Credit of one instance."""

from colosseum.language import syntax
from colosseum.model import terms
from colosseum.model.environment import Environment
from colosseum.model.evaluate import LISTED, bindings, evaluate
from colosseum.model.faults import Poisoned
from colosseum.model.folding import disjunction, link, term
from colosseum.model.scenario import Credit, EqualSplit, QualifiedSplit, Task
from colosseum.model.tables import people
from colosseum.model.terms import Ground, Term
from colosseum.model.values import Elements, Value, truth


def credit(recipients: syntax.Recipients | None, env: Environment, *, scope: frozenset[str], task: Task) -> Credit:
    """An equal split among whom `to` names; by default, or when that is nobody, among the distinct owners of the scope.

    With an empty scope the default is all agents. Raises Fault.
    """
    split = _split(recipients, env, scope, task)
    env.meter.count(len(split.agents) // LISTED if isinstance(split, EqualSplit) else len(split.candidates))
    return split


def _split(recipients: syntax.Recipients | None, env: Environment, scope: frozenset[str], task: Task) -> Credit:
    default = scope_owners(scope, task)
    agents = env.facts.members("agents")
    match recipients:
        case None:
            return EqualSplit(default)
        case syntax.ToWhom(recipient=expr):
            who = evaluate(expr, env)
            if isinstance(who, Ground):
                _check_known(who, task)
                for value in _reached(who, task):
                    if value is not None:
                        people(value, agents, expr)
                return QualifiedSplit(tuple((a, _receives(who, a, task)) for a in task.agents), default)
            if who is None:
                return EqualSplit(default)
            return EqualSplit(people(who, agents, expr) or default)
        case syntax.ToEach(binders=binders, when=when):
            qualified: dict[str, list[terms.Term | bool]] = {}
            first = binders.items[0].names[0]
            for inner in bindings(binders, env):
                holds = True if when is None else evaluate(when, inner)
                if isinstance(holds, Ground):
                    _check_known(holds, task)
                for agent in people(inner.bindings[first], agents, binders):
                    fits = holds if isinstance(holds, Ground) else truth(holds, "`when`")
                    qualified.setdefault(agent, []).append(fits)
            return _qualified(qualified, default, task)


def _check_known(found: Term, task: Task) -> None:
    """Raises Poisoned when a term mentions a variable that is in error."""
    if not found.scope <= task.variable.keys():
        raise Poisoned("a variable is in error")


def _qualified(qualified: "dict[str, list[Term | bool]]", default: tuple[str, ...], task: Task) -> Credit:
    conditions = {a: disjunction(list(qualified[a])) for a in task.agents if a in qualified}
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
    owners = {task.variable[name].owner for name in scope}
    return tuple(a for a in task.agents if a in owners) or task.agents
