"""Shares that decisions choose. In: a payoff split among whoever qualifies; out: what one agent gets of it."""

from itertools import product

from colosseum.model import terms
from colosseum.model.scenario import EqualSplit, Payoff, QualifiedSplit
from colosseum.model.terms import Constant, Term
from colosseum.model.values import number
from colosseum.optimum.lowering import LARGEST_TABLE, CannotLower, Lowering
from colosseum.optimum.program import Affine, total
from colosseum.optimum.scoring import may_credit
from colosseum.optimum.tables import polytope, scope_variables

TINY_TABLE = 64


def agent_payoff(agent: str, lowering: Lowering) -> Affine:
    """r_i as an affine form. Raises CannotLower."""
    parts = [p for p in lowering.program.task.payoffs if may_credit(p.credit, agent)]
    return total([share(p, agent, lowering) for p in parts])


def share(payoff: Payoff, agent: str, lowering: Lowering) -> Affine:
    """What one payoff credits to one agent."""
    if isinstance(payoff.credit, EqualSplit):
        return lowering.number(payoff.term).scaled(1.0 / len(payoff.credit.agents))
    split = payoff.credit
    scope = payoff.term.scope.union(*(c.scope for _, c in split.candidates))
    if lowering.size(scope) > TINY_TABLE:
        counted = _by_count(payoff.term, split, lowering)
        if counted is not None:
            return counted.get(agent, Affine(0.0))
    if lowering.size(scope) > LARGEST_TABLE:
        raise CannotLower(f"the share of `{agent}` in `{payoff.name}`: {len(scope)} variables with "
                          f"{lowering.size(scope):,} joint values")  # fmt: skip
    return _tabulated(payoff, split, agent, scope, lowering)


def _tabulated(payoff: Payoff, split: QualifiedSplit, agent: str, scope: frozenset[str], lowering: Lowering) -> Affine:
    variables = scope_variables(scope, lowering)
    worths = {}
    for values in product(*(v.domain for v in variables)):
        x = dict(zip((v.name for v in variables), values, strict=True))
        sharers = split.shares(x)
        worths[values] = number(payoff.term.evaluate(x), payoff.name) / len(sharers) if agent in sharers else 0.0
    return polytope(variables, worths, lowering)


def _by_count(term: Term, split: QualifiedSplit, lowering: Lowering) -> dict[str, Affine] | None:
    """The shares when the payoff is a function g of how many qualify: one binary for each count.

    z_k = [n = k] with Σ_k z_k = 1 and Σ_k k z_k = n; w_ik = [i qualifies and n = k] with Σ_k w_ik = [i qualifies] and
    Σ_i w_ik = k z_k; agent i gets Σ_k g(k) / k · w_ik. None when the payoff depends on more than the count.
    """
    worths = _function_of_count(term, [c for _, c in split.candidates])
    if worths is None:
        return None
    key = terms.Every((term, *(c for _, c in split.candidates)))
    if key in lowering.shares:
        return lowering.shares[key]
    program, agents = lowering.program, [a for a, _ in split.candidates]
    counts = [Affine(0.0, {program.column("count", integer=True): 1.0}) for _ in worths]
    qualifies = [lowering.condition(c) for _, c in split.candidates]
    program.row(total(counts), low=1.0, high=1.0)
    counted = total([z.scaled(float(k)) for k, z in enumerate(counts)])
    program.row(counted.minus(total(qualifies)), low=0.0, high=0.0)
    shares: dict[str, list[Affine]] = {a: [] for a in {**dict.fromkeys(agents), **dict.fromkeys(split.otherwise)}}
    joint = [[Affine(0.0, {program.column("counted", integral=True): 1.0}) for _ in agents] for _ in worths[1:]]
    for i, (agent, form) in enumerate(zip(agents, qualifies, strict=True)):
        program.row(total([w[i] for w in joint]).minus(form), low=0.0, high=0.0)
        shares[agent] += [w[i].scaled(worths[k] / k) for k, w in enumerate(joint, start=1)]
    for k, (z, w) in enumerate(zip(counts[1:], joint, strict=True), start=1):
        program.row(total(w).minus(z.scaled(float(k))), low=0.0, high=0.0)
        for part in w:
            program.row(part.minus(z), high=0.0)
    for agent in split.otherwise:
        shares[agent].append(counts[0].scaled(worths[0] / len(split.otherwise)))
    lowering.shares[key] = {agent: total(parts) for agent, parts in shares.items()}
    return lowering.shares[key]


def _function_of_count(term: Term, conditions: list[Term]) -> list[float] | None:
    """g(0) … g(m) when the term reads decisions only through the number of conditions that hold."""
    wanted = set(conditions)
    if len(wanted) != len(conditions):
        return None
    values = []
    for k in range(len(conditions) + 1):
        folded = _counted(term, wanted, k)
        if folded.scope:
            return None
        values.append(number(folded.evaluate({}), "a payoff"))
    return [float(v) for v in values]


def _counted(term: Term, conditions: set[Term], k: int) -> Term:
    """The term with its count of the conditions replaced by k."""
    match term:
        case terms.Total(parts=parts) if _is_count(parts, conditions):
            return Constant(k)
        case terms.Compare(operator=o, left=a, right=b):
            return terms.Compare(o, _counted(a, conditions, k), _counted(b, conditions, k))
        case terms.Arithmetic(operator=o, left=a, right=b):
            return terms.Arithmetic(o, _counted(a, conditions, k), _counted(b, conditions, k))
        case terms.Conditional(condition=c, then=a, otherwise=b):
            return terms.Conditional(*(_counted(t, conditions, k) for t in (c, a, b)))
        case terms.Absolute(part=part):
            return terms.Absolute(_counted(part, conditions, k))
        case terms.Inverse(part=part):
            return terms.Inverse(_counted(part, conditions, k))
        case terms.Extremum(which=which, parts=parts, conditions=guards, aggregate=aggregate):
            return terms.Extremum(which, tuple(_counted(p, conditions, k) for p in parts), guards, aggregate)
        case terms.Every(parts=parts):
            return terms.Every(tuple(_counted(p, conditions, k) for p in parts))
        case terms.Some(parts=parts):
            return terms.Some(tuple(_counted(p, conditions, k) for p in parts))
        case _:
            return term


def _is_count(parts: tuple[Term, ...], conditions: set[Term]) -> bool:
    """Whether the parts are `1 if c else 0` for exactly these conditions."""
    counted = {
        p.condition for p in parts
        if isinstance(p, terms.Conditional) and p.then == Constant(1) and p.otherwise == Constant(0)
    }  # fmt: skip
    return len(counted) == len(parts) and counted == conditions
