"""Functions of a count, and shares that decisions choose. In: a term that reads decisions only through how many
conditions hold; out: a binary a count.

z_k = [n = k] with Σ_k z_k = 1 and Σ_k k · z_k = n, so that any function g of the count is Σ_k g(k) · z_k. It is exact
in both senses, and its relaxation is the tightest that knows the count alone.
"""

import numpy as np

from colosseum.model import terms
from colosseum.model.scenario import EqualSplit, Payoff, QualifiedSplit, Variable
from colosseum.model.terms import Constant, Decision, Term
from colosseum.solve.arrays import rewritten, worths
from colosseum.solve.lowering.program import Affine, total
from colosseum.solve.lowering.rules import Count, Lowering, referred
from colosseum.solve.lowering.tables import polytope, scope_variables

MOST_COUNTED = 400
"""Conditions that one count may have."""
COUNT = "a count"
"""The variable that stands for a count while a function of it is tabulated; no variable of a text is named so."""


def counted(term: Term, lowering: Lowering) -> Affine | None:
    """The rule: a function of exactly one count, other than the count itself, over more than two variables."""
    if len(term.scope) <= 2:
        return None
    found = counts_below(term, lowering)
    if len(found) != 1:
        return None
    (conditions,) = found
    values = function_of_count(term, conditions)
    if values is None:
        return None
    return total([z.scaled(value) for z, value in zip(indicators(conditions, lowering), values, strict=True)])


def indicators(conditions: Count, lowering: Lowering) -> list[Affine]:
    """z_0 … z_m for these conditions, made once."""
    if conditions not in lowering.counts:
        program = lowering.program
        made = [Affine(0.0, {program.column("count", integer=True): 1.0}) for _ in range(len(conditions) + 1)]
        program.row(total(made), low=1.0, high=1.0)
        number = total([z.scaled(float(k)) for k, z in enumerate(made)])
        holding = total([lowering.condition(c) for c in conditions])
        program.row(number.minus(holding), low=0.0, high=0.0)
        lowering.counts[conditions] = made
    return lowering.counts[conditions]


def counts_below(term: Term, lowering: Lowering) -> tuple[Count, ...]:
    """The counts in a term, no more than two of them; each term is gone through once, wherever it is met again."""
    known = lowering.counts_known.get(id(term))
    if known is None:
        conditions = _count(term)
        found = [] if conditions is None else [conditions]
        for part in term.below if conditions is None else ():
            found += [each for each in counts_below(part, lowering) if each not in found]
            if len(found) > 1:
                break
        known = lowering.counts_known[id(term)] = term, tuple(found[:2])
    return known[1]


def _count(term: Term) -> Count | None:
    """The conditions of a term that counts how many of them hold."""
    if not isinstance(term, terms.Total) or not 1 < len(term.parts) <= MOST_COUNTED:
        return None
    conditions = tuple([c for part in term.parts if (c := _indicated(part)) is not None])
    return conditions if len(conditions) == len(term.parts) == len(set(conditions)) else None


def _indicated(part: Term) -> Term | None:
    """c, where the part is `1 if c else 0`."""
    match part:
        case terms.Conditional(condition=c, then=Constant(value=1), otherwise=Constant(value=0)):
            return c
        case _:
            return None


def function_of_count(term: Term, conditions: Count) -> list[float] | None:
    """g(0) … g(m) when the term reads decisions only through the number of conditions that hold, else None."""
    if not term.scope <= frozenset().union(*[c.scope for c in conditions]) or referred(term):
        return None
    same = frozenset(conditions)

    def count(inner: Term) -> Term | None:
        if isinstance(inner, terms.Total) and len(inner.parts) == len(same):
            return Decision(COUNT) if {_indicated(part) for part in inner.parts} == same else None
        return None

    by_count = rewritten(term, count)
    if not by_count.scope <= {COUNT}:
        return None
    values: list[float] = worths(by_count, [Variable(COUNT, "", tuple(range(len(conditions) + 1)))]).tolist()
    return values


# ---- shares that decisions choose ------------------------------------------------------------------------------------


def agent_payoff(agent: str, lowering: Lowering) -> Affine:
    """r_i as an affine form. Raises CannotLower."""
    return total([share(p, agent, lowering) for p in lowering.credited.get(agent, ())])


def share(payoff: Payoff, agent: str, lowering: Lowering) -> Affine:
    """What one payoff credits to one agent."""
    if isinstance(payoff.credit, EqualSplit):
        return lowering.number(payoff.term).scaled(1.0 / len(payoff.credit.agents))
    if id(payoff) not in lowering.shares:
        lowering.shares[id(payoff)] = _shares(payoff.term, payoff.credit, lowering)
    shares = lowering.shares[id(payoff)]
    return _tabulated(payoff.term, payoff.credit, agent, lowering) if shares is None else shares.get(agent, Affine(0.0))


def _scope(term: Term, split: QualifiedSplit) -> frozenset[str]:
    """The variables that decide a payoff and who gets it."""
    return term.scope.union(*(c.scope for _, c in split.candidates))


def _tabulated(term: Term, split: QualifiedSplit, agent: str, lowering: Lowering) -> Affine:
    variables = scope_variables(_scope(term, split), lowering)
    worth = worths(term, variables)
    holding = {a: worths(condition, variables) for a, condition in split.candidates}
    sharers = np.sum(list(holding.values()), axis=0)
    values = holding.get(agent, 0.0) * worth / np.maximum(sharers, 1.0)
    if agent in split.otherwise:
        values = np.where(sharers == 0, worth / len(split.otherwise), values)
    return polytope(variables, np.asarray(values), lowering)


def _shares(term: Term, split: QualifiedSplit, lowering: Lowering) -> dict[str, Affine] | None:
    """The shares of all agents; None where they are better written out.

    With z_k = [n = k], w_ik = [i qualifies and n = k] has Σ_k w_ik = [i qualifies], Σ_i w_ik = k · z_k and w_ik ≤ z_k.
    Agent i gets Σ_k g(k) / k · w_ik of a payoff g of the count, and Σ_k w_ik · g / k, a product each, of any other.
    """
    size, conditions = lowering.size(_scope(term, split)), tuple(c for _, c in split.candidates)
    if size <= lowering.limits.split:
        return None
    values = function_of_count(term, conditions) if len(set(conditions)) == len(conditions) else None
    if values is not None:
        forms = [Affine(value) for value in values]
    elif size > lowering.limits.product:
        forms = [lowering.number(term)] * (len(conditions) + 1)
    else:
        return None
    parts = [form.scaled(1.0 / k) for k, form in enumerate(forms[1:], start=1)]
    return _shared(parts, forms[0].scaled(1.0 / len(split.otherwise)), split, lowering)


def _shared(parts: list[Affine], otherwise: Affine, split: QualifiedSplit, lowering: Lowering) -> dict[str, Affine]:
    """What each agent gets: where k qualify `parts[k − 1]`, where none do `otherwise` for the default."""
    program, agents = lowering.program, [a for a, _ in split.candidates]
    conditions = tuple(c for _, c in split.candidates)
    counts = indicators(conditions, lowering)
    shares: dict[str, list[Affine]] = {a: [] for a in {**dict.fromkeys(agents), **dict.fromkeys(split.otherwise)}}
    joint = [[Affine(0.0, {program.column("counted", integral=True): 1.0}) for _ in agents] for _ in parts]
    for i, (agent, condition) in enumerate(zip(agents, conditions, strict=True)):
        program.row(total([w[i] for w in joint]).minus(lowering.condition(condition)), low=0.0, high=0.0)
        shares[agent] += [lowering.product(w[i], part, "share") for w, part in zip(joint, parts, strict=True)]
    for k, (z, w) in enumerate(zip(counts[1:], joint, strict=True), start=1):
        program.row(total(w).minus(z.scaled(float(k))), low=0.0, high=0.0)
        for each in w:
            program.row(each.minus(z), high=0.0)
    for agent in split.otherwise:
        shares[agent].append(lowering.product(counts[0], otherwise, "share"))
    return {agent: total(forms) for agent, forms in shares.items()}
