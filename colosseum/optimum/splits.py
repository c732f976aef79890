"""Shares that decisions choose. In: a payoff split among whoever qualifies; out: what one agent gets of it."""

from itertools import product

from colosseum.model.scenario import EqualSplit, Payoff, QualifiedSplit
from colosseum.model.terms import Term
from colosseum.optimum.counting import function_of_count, indicators
from colosseum.optimum.lowering import CannotLower, Lowering
from colosseum.optimum.program import Affine, total
from colosseum.optimum.scoring import may_credit
from colosseum.optimum.tables import polytope, scope_variables, worth


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
    if lowering.size(scope) > lowering.limits.split:
        counted = _by_count(payoff.term, split, lowering)
        if counted is not None:
            return counted.get(agent, Affine(0.0))
    if lowering.size(scope) > lowering.limits.table:
        raise CannotLower(f"the share of `{agent}` in `{payoff.name}`: {len(scope)} variables with "
                          f"{lowering.size(scope):,} joint values")  # fmt: skip
    return _tabulated(payoff, split, agent, scope, lowering)


def _tabulated(payoff: Payoff, split: QualifiedSplit, agent: str, scope: frozenset[str], lowering: Lowering) -> Affine:
    variables = scope_variables(scope, lowering)
    worths = {}
    for values in product(*(v.domain for v in variables)):
        x = dict(zip((v.name for v in variables), values, strict=True))
        sharers = split.shares(x)
        worths[values] = worth(payoff.term, x) / len(sharers) if agent in sharers else 0.0
    return polytope(variables, worths, lowering)


def _by_count(term: Term, split: QualifiedSplit, lowering: Lowering) -> dict[str, Affine] | None:
    """The shares when the payoff is a function g of how many qualify.

    With z_k = [n = k], w_ik = [i qualifies and n = k] has Σ_k w_ik = [i qualifies], Σ_i w_ik = k · z_k and w_ik ≤ z_k;
    agent i gets Σ_k g(k) / k · w_ik. None when the payoff depends on more than the count.
    """
    conditions = tuple(c for _, c in split.candidates)
    worths = function_of_count(term, conditions) if len(set(conditions)) == len(conditions) else None
    if worths is None:
        return None
    key = (term, split)
    if key not in lowering.shares:
        lowering.shares[key] = _shared(worths, split, lowering)
    return lowering.shares[key]


def _shared(worths: list[float], split: QualifiedSplit, lowering: Lowering) -> dict[str, Affine]:
    program, agents = lowering.program, [a for a, _ in split.candidates]
    conditions = tuple(c for _, c in split.candidates)
    counts = indicators(conditions, lowering)
    shares: dict[str, list[Affine]] = {a: [] for a in {**dict.fromkeys(agents), **dict.fromkeys(split.otherwise)}}
    joint = [[Affine(0.0, {program.column("counted", integral=True): 1.0}) for _ in agents] for _ in worths[1:]]
    for i, (agent, condition) in enumerate(zip(agents, conditions, strict=True)):
        program.row(total([w[i] for w in joint]).minus(lowering.condition(condition)), low=0.0, high=0.0)
        shares[agent] += [w[i].scaled(worths[k] / k) for k, w in enumerate(joint, start=1)]
    for k, (z, w) in enumerate(zip(counts[1:], joint, strict=True), start=1):
        program.row(total(w).minus(z.scaled(float(k))), low=0.0, high=0.0)
        for part in w:
            program.row(part.minus(z), high=0.0)
    for agent in split.otherwise:
        shares[agent].append(counts[0].scaled(worths[0] / len(split.otherwise)))
    return {agent: total(parts) for agent, parts in shares.items()}
