"""Checks of the terms of every instance. In: an evaluated expression; out: its term, or a Fault with an example."""

from collections.abc import Callable, Mapping

from colosseum.language import syntax
from colosseum.model.environment import Environment
from colosseum.model.evaluate import prepare, prepare_when
from colosseum.model.faults import Poisoned
from colosseum.model.folding import NOTHING
from colosseum.model.lookup import check_depth
from colosseum.model.scenario import Task
from colosseum.model.spec import Spec
from colosseum.model.terms import Conditional, Constant, Ground, Term
from colosseum.model.undefined_payoffs import Domains, fault_example, none_example
from colosseum.model.values import Fault, Value, at, located, number, text, truth

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


def check_known(found: Term, task: Task) -> None:
    """Raises Poisoned when a term mentions a variable that is in error."""
    if not found.scope <= task.names:
        raise Poisoned("a variable is in error")


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


def worth(statement: syntax.Reward | syntax.Objective, role: str, spec: Spec) -> (
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
