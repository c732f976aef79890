"""Payoff rules. In: a reward, requirement or objective; out: the checked terms of an instance."""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import TypeAlias

from colosseum.language import syntax
from colosseum.model import terms
from colosseum.model.credit import credit
from colosseum.model.environment import Environment, Rule
from colosseum.model.evaluate import prepare, prepare_links, prepare_value, prepare_when
from colosseum.model.folding import NOTHING, Folded, disjunction, inverse, term
from colosseum.model.lookup import check_depth, check_known
from colosseum.model.operations import refusal
from colosseum.model.scenario import Payoff, Requirement, Task
from colosseum.model.spec import Declared
from colosseum.model.terms import Conditional, Constant, Ground, Term
from colosseum.model.undefined_payoffs import Domains, fault_example, none_example
from colosseum.model.values import Fault, Number, Value, at, kind, located, number, text, truth

MOST_SHOWN = 4
"""Decisions of an example assignment that are shown."""


def guard(expr: syntax.Expr | None) -> Callable[[Environment], "bool | Term"]:
    """The rule of a statement's `when`: a truth where no decision matters, else its term."""
    if expr is None:
        return lambda env: True
    rule, span = prepare_when(expr), expr.span

    def guarded(env: Environment) -> bool | Term:
        holds = rule(env)
        return holds if isinstance(holds, Ground) else located(span, truth, holds, "`when`")

    return guarded


def check_scope(found: Term, task: Task) -> None:
    """`check_known`, and a Fault when a term is nested too deeply."""
    check_known(found, task)
    check_depth(found)


def check_none(payoff: Term, expr: syntax.Expr, domains: Domains) -> None:
    """Raises a Fault with an example when a payoff can be none or cannot be computed."""
    found = none_example(payoff, domains)
    if found is not None:
        raise _with_example(*found, expr)


def check_condition(holds: "Value | Term", expr: syntax.Expr | None, domains: Domains) -> None:
    """Raises a Fault with an example when a condition can be none of the kind or cannot be computed."""
    found = fault_example(holds, domains) if isinstance(holds, Ground) and expr is not None else None
    if found is not None and expr is not None:
        raise _with_example(*found, expr)


def _with_example(x: Mapping[str, Value], fault: Fault, expr: syntax.Expr) -> Fault:
    shown = [f"{name} = {text(v)}" for name, v in x.items()][:MOST_SHOWN]
    example = f"for example when {', '.join(shown)}{', …' if len(x) > MOST_SHOWN else ''}"
    fault.help = f"{fault.help}; {example}" if fault.help else example
    return at(fault, expr.span)


def worth(statement: syntax.Reward | syntax.Objective, role: str, spec: Declared) -> (
    Callable[[Environment, Domains], Term | None]
):  # fmt: skip
    """The rule of what a reward or an objective is worth: its checked term, or None where its `when` is false."""
    guarded, rule, expr = guard(statement.when), prepare(statement.value), statement.value

    def instance(env: Environment, domains: Domains) -> Term | None:
        holds = guarded(env)
        if holds is False:
            return None
        found = rule(env)
        if found is None:
            raise Fault(f"{role} is none", code="C053", help="guard it with `when … != none`", span=expr.span)
        body = found if isinstance(found, Ground) else Constant(located(expr.span, number, found, role))
        whole = Conditional(holds, body, NOTHING) if isinstance(holds, Ground) else body
        check_scope(whole, domains.task)
        check_condition(holds, statement.when, domains)
        if body is found:
            check_none(whole, expr, domains)
        return whole

    return instance


Instance: TypeAlias = tuple[Requirement | None, Payoff | None]
SURE = Constant(True)


def requirement(statement: syntax.Require, spec: Declared) -> Callable[[str, Environment, Domains], Instance | None]:
    """The rule of a `require`: its instance of a name, with the penalty of a soft one; None where `when` is false."""
    guarded, (rule, excess) = guard(statement.when), _condition(statement)
    soft = _penalty(statement, excess)

    def instance(name: str, env: Environment, domains: Domains) -> Instance | None:
        holds = guarded(env)
        if holds is False:
            return None
        inside = rule(env)
        if not isinstance(inside, Ground) and not isinstance(inside, bool):
            raise Fault(f"a requirement is a condition, not {kind(inside)} (`{text(inside)}`)", code="C050",
                        help="compare it, as in `… <= 1`", span=statement.condition.span)  # fmt: skip
        condition = term(inside)
        check_scope(condition, domains.task)
        if isinstance(holds, Ground):
            check_scope(holds, domains.task)
            check_condition(holds, statement.when, domains)
            condition = term(disjunction([inverse(holds), inside]))
            check_scope(condition, domains.task)
        check_condition(condition, statement.condition, domains)
        if soft is None:
            return Requirement(name, statement.name, condition, None, None), None
        return soft(name, holds, condition, env, domains)

    return instance


def _condition(statement: syntax.Require) -> tuple[Rule, Rule | None]:
    """The rules of what should hold, and of what `per unit` measures where it is missed."""
    expr = statement.condition
    if not statement.per_unit:
        return prepare(expr), None
    if not isinstance(expr, syntax.Comparison) or any(o not in ("<=", ">=", "==") for o in expr.operators):
        message = "`per unit` measures how far a comparison with `<=`, `>=` or `==` is missed"
        help_ = "drop `per unit` to charge once for each broken instance"
        return prepare(expr), refusal(message, code="C067", help=help_, span=expr.span)
    rule, operands = prepare_links(expr)
    return rule, _excess(expr.operators, operands)


def _excess(operators: Sequence[str], operands: Sequence[Rule]) -> Rule:
    """The distance by which each link of a comparison is missed, summed."""

    def excess(env: Environment) -> Folded:
        found = [term(operand(env)) for operand in operands]
        parts = [_distance(o, *sides) for o, sides in zip(operators, pairwise(found), strict=True)]
        return parts[0] if len(parts) == 1 else terms.Total(tuple(parts))

    return excess


def _distance(operator: str, left: Term, right: Term) -> Term:
    if operator == "==":
        return terms.Absolute(terms.Arithmetic("-", left, right))
    over = terms.Arithmetic("-", left, right) if operator == "<=" else terms.Arithmetic("-", right, left)
    return terms.Extremum("max", (NOTHING, over), (SURE, SURE), aggregate=False)


def _penalty(
    statement: syntax.Require, excess: Rule | None
) -> Callable[[str, "bool | Term", Term, Environment, Domains], Instance] | None:
    """The rule of what breaking a soft requirement costs."""
    if statement.penalty is None:
        return None
    priced, split = _price(statement.penalty), credit(statement.recipients)

    def soft(name: str, holds: "bool | Term", condition: Term, env: Environment, domains: Domains) -> Instance:
        price = priced(env)
        missed = None if excess is None else term(excess(env))
        if missed is None:
            cost: Term = terms.Conditional(condition, NOTHING, Constant(-price))
        else:
            cost = terms.Arithmetic("*", Constant(-price), missed)
            cost = cost if holds is True else terms.Conditional(term(holds), cost, NOTHING)
        shares = split(env, cost.scope, domains.task)
        try:
            check_none(cost, statement.condition, domains)
        except Fault as wrong:
            if missed is None or wrong.code != "C050":
                raise
            message = "`per unit` measures how far two numbers are apart, and these are not numbers"
            raise Fault(message, code="C067", help=wrong.help, span=statement.condition.span) from None
        payoff = Payoff(name, statement.name, "penalty", cost, shares)
        return Requirement(name, statement.name, condition, float(price), missed), payoff

    return soft


def _price(expr: syntax.Expr) -> Callable[[Environment], Number]:
    rule = prepare_value(expr)

    def price(env: Environment) -> Number:
        found = located(expr.span, number, rule(env), "a penalty")
        if found < 0:
            raise Fault(f"a penalty is a price ≥ 0, not {text(found)}", code="C066",
                        help="to pay, write a `reward`", span=expr.span)  # fmt: skip
        return found

    return price
