"""Payoffs and requirements. In: a reward, requirement or objective in one round; out: its checked terms and credit."""

from itertools import pairwise
from typing import TypeAlias

from colosseum.language import syntax
from colosseum.model import terms
from colosseum.model.environment import Environment
from colosseum.model.evaluate import admitted, choices, evaluate, value
from colosseum.model.lookup import check_depth
from colosseum.model.operations import LISTED, disjunction, inverse, link
from colosseum.model.scenario import Credit, EqualSplit, Payoff, QualifiedSplit, Requirement, Task
from colosseum.model.tables import people
from colosseum.model.terms import NOTHING, Conditional, Constant, Folded, Ground, Term, term
from colosseum.model.undefined_payoffs import Domains, Example, fault_example, none_example
from colosseum.model.values import Elements, Fault, Number, Value, at, kind, located, number, text
from colosseum.model.world import Poisoned

MOST_SHOWN = 4
"""Decisions of an example assignment that are shown."""
Instance: TypeAlias = tuple[Requirement | None, Payoff | None]
SURE = Constant(True)


def worth(
    statement: syntax.Reward | syntax.Objective, role: str, env: Environment, domains: Domains
) -> Term | None:
    """The checked term that a reward or an objective is worth; None where its `when` is false. Raises Fault."""
    expr, holds = statement.value, admitted(statement.when, env)
    if holds is False:
        return None
    found = evaluate(expr, env)
    if found is None:
        raise Fault(f"{role} is none", code="C053", help="guard it with `when … != none`", span=expr.span)
    body = found if isinstance(found, Ground) else Constant(located(expr.span, number, found, role))
    whole = Conditional(holds, body, NOTHING) if isinstance(holds, Ground) else body
    _check_scope(whole, domains.task)
    if isinstance(holds, Ground):
        _refuse(fault_example(holds, domains), statement.when or expr)
    if body is found:
        _refuse(none_example(whole, domains), expr)
    return whole


def requirement(statement: syntax.Require, name: str, env: Environment, domains: Domains) -> Instance | None:
    """The instance of a `require`, with the penalty of a soft one; None where its `when` is false. Raises Fault."""
    holds = admitted(statement.when, env)
    if holds is False:
        return None
    inside = evaluate(statement.condition, env)
    if not isinstance(inside, Ground) and not isinstance(inside, bool):
        raise Fault(f"a requirement is a condition, not {kind(inside)} (`{text(inside)}`)", code="C050",
                    help="compare it, as in `… <= 1`", span=statement.condition.span)  # fmt: skip
    condition = term(inside)
    _check_scope(condition, domains.task)
    if isinstance(holds, Ground):
        _check_scope(holds, domains.task)
        _refuse(fault_example(holds, domains), statement.when or statement.condition)
        condition = term(disjunction([inverse(holds), inside]))
        _check_scope(condition, domains.task)
    _refuse(fault_example(condition, domains), statement.condition)
    if statement.penalty is None:
        return Requirement(name, statement.name, condition, None, None), None
    price = located(statement.penalty.span, number, value(statement.penalty, env), "a penalty")
    if price < 0:
        raise Fault(f"a penalty is a price ≥ 0, not {text(price)}", code="C066",
                    help="to pay, write a `reward`", span=statement.penalty.span)  # fmt: skip
    cost, missed = _cost(statement, price, holds, inside, condition, env)
    shares = credit(statement.recipients, env, cost.scope, domains.task)
    try:
        _refuse(none_example(cost, domains), statement.condition)
    except Fault as wrong:
        if missed is None or wrong.code != "C050":
            raise
        message = "`per unit` measures how far two numbers are apart, and these are not numbers"
        raise Fault(message, code="C067", help=wrong.help, span=statement.condition.span) from None
    payoff = Payoff(name, statement.name, "penalty", cost, shares)
    return Requirement(name, statement.name, condition, float(price), missed), payoff


def _cost(
    statement: syntax.Require, price: Number, holds: bool | Term, inside: Folded, condition: Term, env: Environment
) -> tuple[Term, Term | None]:
    """What breaking a soft requirement costs, and what `per unit` measures."""
    if not statement.per_unit:
        return Conditional(condition, NOTHING, Constant(-price)), None
    missed = _excess(statement.condition, inside, env)
    cost = terms.Arithmetic("*", Constant(-price), missed)
    return cost if holds is True else Conditional(term(holds), cost, NOTHING), missed


def _excess(expr: syntax.Expr, inside: Folded, env: Environment) -> Term:
    """The distance by which each link of a comparison is missed, summed; `inside` is the comparison itself."""
    if not isinstance(expr, syntax.Comparison) or any(o not in ("<=", ">=", "==") for o in expr.operators):
        message = "`per unit` measures how far a comparison with `<=`, `>=` or `==` is missed"
        help_ = "drop `per unit` to charge once for each broken instance"
        raise Fault(message, code="C067", help=help_, span=expr.span)
    if isinstance(inside, terms.Compare) and len(expr.operators) == 1:
        return _distance(inside.operator, inside.left, inside.right)
    found = [term(evaluate(operand, env)) for operand in expr.operands]
    parts = [_distance(o, *sides) for o, sides in zip(expr.operators, pairwise(found), strict=True)]
    return parts[0] if len(parts) == 1 else terms.Total(tuple(parts))


def _distance(operator: str, left: Term, right: Term) -> Term:
    if operator == "==":
        return terms.Absolute(terms.Arithmetic("-", left, right))
    over = terms.Arithmetic("-", left, right) if operator == "<=" else terms.Arithmetic("-", right, left)
    return terms.Extremum("max", (NOTHING, over), (SURE, SURE), aggregate=False)


# ---- checks ------------------------------------------------------------------------------------------------


def _check_scope(found: Term, task: Task) -> None:
    """Raises Poisoned when a term mentions a variable that is in error, and a Fault when it is nested too deeply."""
    if not found.scope <= task.variable.keys():
        raise Poisoned("a variable is in error")
    check_depth(found)


def _refuse(found: Example | None, expr: syntax.Expr) -> None:
    """Raises the Fault of an example assignment, where there is one."""
    if found is not None:
        x, fault = found
        shown = [f"{name} = {text(v)}" for name, v in x.items()][:MOST_SHOWN]
        example = f"for example when {', '.join(shown)}{', …' if len(x) > MOST_SHOWN else ''}"
        fault.help = f"{fault.help}; {example}" if fault.help else example
        raise at(fault, expr.span)


# ---- credit ------------------------------------------------------------------------------------------------


def credit(recipients: syntax.Recipients | None, env: Environment, scope: frozenset[str], task: Task) -> Credit:
    """The credit of an instance of this scope: an equal split among whom `to` names. Raises Fault.

    By default, or when that is nobody: among the distinct owners of the scope, and among all agents where it is empty.
    """
    match recipients:
        case None:
            found: Credit = EqualSplit(_scope_owners(scope, task))
        case syntax.ToWhom(recipient=expr):
            found = _to_whom(expr, env, _scope_owners(scope, task), task)
        case syntax.ToEach():
            found = _to_each(recipients, env, _scope_owners(scope, task), task)
    shared = len(found.agents) // LISTED if isinstance(found, EqualSplit) else len(found.candidates)
    env.place.meter.count(shared)
    return found


def _to_whom(expr: syntax.Expr, env: Environment, default: tuple[str, ...], task: Task) -> Credit:
    who, agents = evaluate(expr, env), env.place.facts.members("agents")
    if isinstance(who, Ground):
        _check_scope(who, task)
        reached = [each for each in _reached(who, task) if each is not None]
        for each in reached:
            people(each, agents, expr)
        several = any(isinstance(each, Elements) for each in reached)  # a set of agents shares among its elements
        tests = ((a, link("in", a, who) if several else link("==", who, a)) for a in task.agents)
        return QualifiedSplit(tuple((agent, term(test)) for agent, test in tests), default)
    return EqualSplit(default if who is None else people(who, agents, expr) or default)


def _to_each(each: syntax.ToEach, env: Environment, default: tuple[str, ...], task: Task) -> Credit:
    agents, first = env.place.facts.members("agents"), each.binders.items[0].names[0]
    qualified: dict[str, list[Folded]] = {}
    for inner in choices(each.binders, env):
        holds = admitted(each.when, inner)
        if isinstance(holds, Ground):
            _check_scope(holds, task)
        for agent in people(inner.bindings[first], agents, each.binders):
            qualified.setdefault(agent, []).append(holds)
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
        case Conditional(then=then, otherwise=otherwise):
            return (*_reached(then, task), *_reached(otherwise, task))
        case _:
            return ()


def _scope_owners(scope: frozenset[str], task: Task) -> tuple[str, ...]:
    """The distinct owners of the variables in a scope, in declared order; all agents when it is empty."""
    return tuple(sorted({task.variable[name].owner for name in scope}, key=task.rank.__getitem__)) or task.agents
