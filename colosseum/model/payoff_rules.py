"""Payoffs and requirements. In: a reward, requirement or objective in one round; out: its checked terms and credit.

A payoff that is none at some assignment, or cannot be computed there, is refused with the assignment as an example.
Hard requirements that no assignment satisfies together are told by a least set of them, found by QuickXplain (Junker,
AAAI 2004): halves are left out as long as the rest still contradicts itself.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice, pairwise, product
from math import prod
from typing import TypeAlias

from colosseum.diagnostics import Diagnostic, Label, report
from colosseum.language import syntax
from colosseum.model import terms
from colosseum.model.evaluate import admitted, evaluate, value
from colosseum.model.operations import LISTED, check_depth, inverse, junction, link
from colosseum.model.scenario import Credit, EqualSplit, Payoff, QualifiedSplit, Requirement, Task
from colosseum.model.spec import Declared
from colosseum.model.tables import few, people, rounds_of
from colosseum.model.terms import NOTHING, SURE, Conditional, Constant, Folded, Ground, Term, term
from colosseum.model.values import Elements, Fault, Value, at, kind, located, number, text, truth
from colosseum.model.world import Environment, Meter, Poisoned

MOST_TRIED = 20_000  # assignments tried for one leaf
MOST_NAMES = 6  # variables of a leaf that is tried whole
FEW = 16  # mixed assignments tried of a larger one
Kinds: TypeAlias = frozenset[type]
NUMBERS: Kinds = frozenset((int, float))
NONE: Kinds = frozenset((type(None),))
NUMBERS_OR_NONE = NUMBERS | NONE
CONDITION: Kinds = frozenset((bool,))
SETS: Kinds = frozenset((Elements, type(None)))
FAULT: Kinds = frozenset((Fault,))
MOST_SHOWN = 4  # decisions of an example assignment that are shown
SECONDS = 20.0  # for the search for a conflict; a single question gets a fifth of that
MOST_NAMED = 5  # instances of one statement that are named before the rest is counted
Together: TypeAlias = tuple[Requirement, ...]
Holds: TypeAlias = Callable[[Task], bool | None]
"""Whether any assignment satisfies a task; None where that is not found out in time."""
Instance: TypeAlias = tuple[Requirement | None, Payoff | None]


def worth(statement: syntax.Reward | syntax.Objective, role: str, env: Environment, task: Task) -> Term | None:
    """The checked term that a reward or an objective is worth; None where its `when` is false. Raises Fault."""
    expr, holds = statement.value, admitted(statement.when, env)
    if holds is False:
        return None
    found = evaluate(expr, env)
    if found is None:
        raise Fault(f"{role} is none", code="C053", help="guard it with `when … != none`", span=expr.span)
    body = found if isinstance(found, Ground) else Constant(located(expr.span, number, found, role))
    whole = Conditional(holds, body, NOTHING) if isinstance(holds, Ground) else body
    _check_scope(whole, task)
    if isinstance(holds, Ground):
        _try(holds, CONDITION, statement.when or expr, env, task)
    if body is found:
        _check_payoff(whole, expr, env, task)
    return whole


def requirement(statement: syntax.Require, name: str, env: Environment, task: Task) -> Instance | None:
    """The instance of a `require`, with the penalty of a soft one; None where its `when` is false. Raises Fault."""
    holds = admitted(statement.when, env)
    if holds is False:
        return None
    inside = evaluate(statement.condition, env)
    if not isinstance(inside, Ground) and not isinstance(inside, bool):
        raise Fault(f"a requirement is a condition, not {kind(inside)} (`{text(inside)}`)", code="C050",
                    help="compare it, as in `… <= 1`", span=statement.condition.span)  # fmt: skip
    condition = term(junction([inverse(holds), inside], every=False) if isinstance(holds, Ground) else inside)
    _check_scope(condition, task)
    if isinstance(holds, Ground):
        _try(holds, CONDITION, statement.when or statement.condition, env, task)
    _try(condition, CONDITION, statement.condition, env, task)
    if statement.penalty is None:
        return Requirement(name, statement.name, condition, None, None), None
    price = located(statement.penalty.span, number, value(statement.penalty, env), "a penalty")
    if price < 0:
        raise Fault(f"a penalty is a price ≥ 0, not {text(price)}", code="C066",
                    help="to pay, write a `reward`", span=statement.penalty.span)  # fmt: skip
    missed = _excess(statement.condition, inside, env, task) if statement.per_unit else None
    if missed is None:
        cost: Term = Conditional(condition, NOTHING, Constant(-price))
    else:
        cost = terms.Arithmetic("*", Constant(-price), missed)
        cost = Conditional(holds, cost, NOTHING) if isinstance(holds, Ground) else cost
    shares = credit(statement.recipients, env, cost.scope, task)
    _check_payoff(cost, statement.condition, env, task)
    payoff = Payoff(name, statement.name, "penalty", cost, shares)
    return Requirement(name, statement.name, condition, float(price), missed), payoff


def _excess(expr: syntax.Expr, inside: Folded, env: Environment, task: Task) -> Term:
    """The distance by which each link of a comparison is missed, summed; `inside` is the comparison itself."""
    help_ = "drop `per unit` to charge once for each broken instance"
    if not isinstance(expr, syntax.Comparison) or any(o not in ("<=", ">=", "==") for o in expr.operators):
        message = "`per unit` measures how far a comparison with `<=`, `>=` or `==` is missed"
        raise Fault(message, code="C067", help=help_, span=expr.span)
    if len(expr.operators) == 1 and isinstance(inside, terms.Compare):
        found = [inside.left, inside.right]
    else:
        found = [term(evaluate(operand, env)) for operand in expr.operands]
    if not all(kinds(each, task) <= NUMBERS_OR_NONE | FAULT for each in found):
        message = "`per unit` measures how far two numbers are apart, and these are not numbers"
        raise Fault(message, code="C067", help=help_, span=expr.span)
    parts = [_distance(o, *sides) for o, sides in zip(expr.operators, pairwise(found), strict=True)]
    return parts[0] if len(parts) == 1 else terms.Total(tuple(parts))


def _distance(operator: str, left: Term, right: Term) -> Term:
    if operator == "==":
        return terms.Absolute(terms.Arithmetic("-", left, right))
    over = terms.Arithmetic("-", left, right) if operator == "<=" else terms.Arithmetic("-", right, left)
    return terms.Extremum("max", (NOTHING, over), (SURE, SURE), aggregate=False)


# ---- credit ------------------------------------------------------------------------------------------------


def credit(recipients: syntax.Recipients | None, env: Environment, scope: frozenset[str], task: Task) -> Credit:
    """The credit of an instance of this scope: an equal split among whom `to` names. Raises Fault.

    By default, or when that is nobody: among the distinct owners of the scope, and among all agents where it is empty.
    """
    owners = {task.variable[name].owner for name in scope}
    default = tuple([agent for agent in task.agents if agent in owners]) or task.agents
    match recipients:
        case None:
            found: Credit = EqualSplit(default)
        case syntax.ToWhom(recipient=expr):
            found = _to_whom(expr, env, default, task)
        case syntax.ToEach():
            found = _to_each(recipients, env, default, task)
    shared = len(found.agents) // LISTED if isinstance(found, EqualSplit) else len(found.candidates)
    env.meter.count(shared)
    return found


def _to_whom(expr: syntax.Expr, env: Environment, default: tuple[str, ...], task: Task) -> Credit:
    who, agents = evaluate(expr, env), env.facts.members("agents")
    if isinstance(who, Ground):
        _check_scope(who, task)
        reached = dict.fromkeys(who.evaluate(x) for x in _assignments(who, env.meter, task))
        for each in reached:
            people(Elements(()) if each is None else each, agents, expr)
        several = any(isinstance(each, Elements) for each in reached)  # a set of agents shares among its elements
        tests = ((a, link("in", a, who) if several else link("==", who, a)) for a in task.agents)
        return QualifiedSplit(tuple((agent, term(test)) for agent, test in tests), default)
    return EqualSplit(default if who is None else people(who, agents, expr) or default)


def _to_each(each: syntax.ToEach, env: Environment, default: tuple[str, ...], task: Task) -> Credit:
    qualified: dict[str, list[Folded]] = {}
    for agent, inner in rounds_of(each, env):
        holds = admitted(each.when, inner)
        _check_scope(term(holds), task)
        qualified.setdefault(agent, []).append(holds)
    conditions = {a: junction(qualified[a], every=False) for a in task.agents if a in qualified}
    if not any(isinstance(c, Ground) for c in conditions.values()):
        return EqualSplit(tuple(a for a, c in conditions.items() if c is True) or default)
    return QualifiedSplit(tuple((a, term(c)) for a, c in conditions.items()), default)


# ---- examples of mistakes ------------------------------------------------------------------------------------


def _check_scope(found: Term, task: Task) -> None:
    """Raises Poisoned when a term mentions a variable that is in error, and a Fault when it is nested too deeply."""
    if not found.scope <= task.variable.keys():
        raise Poisoned("a variable is in error")
    check_depth(found)


def _check_payoff(found: Term, expr: syntax.Expr, env: Environment, task: Task) -> None:
    """Raises a Fault with an assignment of the scope at which a term is none or cannot be computed, if one is found.

    Sums are searched part by part; of large leaves, or once the meter allows no more, only some assignments are tried.
    """
    if isinstance(found, terms.Total) and not kinds(found, task) <= NUMBERS:
        for part in found.parts:
            _check_payoff(part, expr, env, task)
    else:
        _try(found, NUMBERS, expr, env, task)


def _try(found: Term, allowed: Kinds, expr: syntax.Expr, env: Environment, task: Task) -> None:
    """Raises a Fault with an assignment at which a term is of another kind or cannot be computed, if one is found."""
    for x in () if kinds(found, task) <= allowed else _assignments(found, env.meter, task):
        try:
            made = found.evaluate(defaultdict(lambda: 1.0, x))  # payoffs that an objective names are 1
            if allowed is CONDITION:
                truth(made, "this condition")
            elif made is None:
                raise Fault("this payoff can be none", code="C053", help="guard it with `when … != none`")
            else:
                number(made, "this payoff")
        except Fault as fault:
            shown = [f"{name} = {text(v)}" for name, v in x.items()][:MOST_SHOWN]
            example = f"for example when {', '.join(shown)}{', …' if len(x) > MOST_SHOWN else ''}"
            fault.help = f"{fault.help}; {example}" if fault.help else example
            raise at(fault, expr.span) from None


def _assignments(term: Term, meter: Meter, task: Task) -> Iterator[dict[str, Value]]:
    """Assignments of a term's scope: all of them where they are few, else some of every kind."""
    position = task.position
    scope = {name: task.variable[name].domain for name in sorted(term.scope, key=position.__getitem__)}
    if len(scope) <= MOST_NAMES:
        every = min(MOST_TRIED, prod(map(len, scope.values())))
        most = every if meter.affords(every * term.extent[0]) else FEW
        yield from (dict(zip(scope, values, strict=True)) for values in islice(product(*scope.values()), most))
        return
    for turn in range(FEW):
        yield {n: d[turn * (1 + i) % len(d)] for i, (n, d) in enumerate(scope.items())}
    for turn in range(max(len(d) for d in scope.values())):
        yield {n: d[-1 - turn % len(d)] for n, d in scope.items()}
    x, raised = {n: d[0] for n, d in scope.items()}, [(n, v) for n, d in scope.items() for v in d[1:]]
    for name, higher in raised if meter.affords(len(raised) * term.extent[0]) else ():
        x[name] = higher  # one step after the other: counts, and sums of numbers, take all that they may
        yield x


def kinds(term: Term, task: Task) -> Kinds:
    """The types of the values that a term may take, with Fault among them where it may fail.

    Overflow is left out, and so is division by a constant. Comparisons swallow none; arithmetic and look-ups do not.
    """
    match term:
        case terms.Constant(value=value):
            return frozenset((type(value),))
        case terms.Decision(variable=name):
            return task.variable[name].kinds
        case terms.PayoffOf():
            return NUMBERS
        case terms.Arithmetic(operator=operator, left=left, right=right):
            sides = kinds(left, task) | kinds(right, task)
            sure = sides <= NUMBERS_OR_NONE and (operator != "/" or isinstance(right, terms.Constant))
            return sides if sure else sides | FAULT
        case terms.Absolute(part=part):
            inside = kinds(part, task)
            return inside if inside <= NUMBERS_OR_NONE else FAULT
        case terms.Total() | terms.Every() | terms.Some() | terms.Inverse():
            wanted = NUMBERS if isinstance(term, terms.Total) else CONDITION
            return wanted if all(kinds(part, task) <= wanted for part in term.below) else FAULT
        case terms.Extremum(parts=parts, sure=sure):
            return NUMBERS if sure and all(kinds(part, task) <= NUMBERS for part in parts) else FAULT
        case terms.Conditional(condition=condition, then=then, otherwise=otherwise):
            found = kinds(then, task) | kinds(otherwise, task)
            return found if kinds(condition, task) <= CONDITION else found | FAULT
        case terms.Select(keys=keys, entries=entries, by_key=by_key):
            reach = [task.variable[key.variable].domain for key in keys if isinstance(key, terms.Decision)]
            sure = len(reach) == len(keys) and all(key in by_key for key in product(*reach))
            return frozenset[type]().union(*(kinds(entry, task) for _, entry in entries)) if sure else FAULT
        case terms.Compare(operator=operator, left=left, right=right):
            sides = kinds(left, task) | kinds(right, task)
            alike = operator in ("==", "!=") and len(sides - NONE) <= 1 and Fault not in sides
            return CONDITION if alike or sides <= NUMBERS_OR_NONE else FAULT
        case terms.Member(item=item, elements=elements):
            sure = Fault not in kinds(item, task) and kinds(elements, task) <= SETS
            return CONDITION if sure else FAULT


# ---- contradictions ------------------------------------------------------------------------------------------


def find_conflict(task: Task, holds: Holds) -> tuple[Together, bool]:
    """A conflict among the hard requirements of a task, which no assignment satisfies all together, in declared order.

    With it, whether it is least: the others can hold without any one of them. False where time ran out.
    """
    answers: list[bool | None] = []

    def least(kept: Together, among: Together, *, grown: bool) -> Together:
        """Which of `among` contradict each other and `kept`; `grown`: `kept` alone may do, as something joined it."""
        if grown:
            answers.append(holds(replace(task, payoffs=(), requirements=kept)))
        if grown and answers[-1] is False:
            return ()
        if len(among) == 1:
            return among
        half = len(among) // 2
        late = least((*kept, *among[:half]), among[half:], grown=True)
        return (*least((*kept, *late), among[:half], grown=bool(late)), *late)

    return least((), tuple(task.hard), grown=False), None not in answers


def conflict_report(found: tuple[Together, bool], spec: Declared) -> Diagnostic:
    """The error for a task that nothing satisfies: each statement with its instances, at its place."""
    requirements, least = found
    named: dict[str, list[str]] = {}
    for requirement in requirements:
        named.setdefault(requirement.statement, []).append(f"`{requirement.name}`")
    places = [Label(spec.symbols[name].span, few(instances, MOST_NAMED)) for name, instances in named.items()]
    what = few([instance for instances in named.values() for instance in instances], MOST_NAMED)
    help_ = ["drop one of them, or give it a `penalty`"]
    if not least:
        what = f"some among {what} contradict each other"
        help_.insert(0, f"time ended before all of these {len(requirements)} were tried: fewer may be to blame")
    elif len(requirements) == 1:
        what, help_ = f"nothing satisfies {what} even alone", ["change it, drop it, or give it a `penalty`"]
    else:
        what = f"{what} contradict each other"
        help_.insert(0, "without any one of these, the others can hold together")
    first, *others = places
    message = f"no assignment satisfies the hard requirements: {what}"
    return report("C101", first.span, message, note=first.text, labels=others, help=help_)
