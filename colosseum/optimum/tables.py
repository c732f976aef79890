"""Small scopes as tables. In: a term over few variables; out: a local polytope of its tuples."""

from itertools import product

from colosseum.model.scenario import Variable
from colosseum.model.terms import Absolute, Conditional, Constant, Extremum, Term
from colosseum.model.values import Fault, Value
from colosseum.optimum.lowering import Lowering
from colosseum.optimum.program import Affine


def constant(term: Term, lowering: Lowering) -> Affine | None:
    """A term that mentions no variable, or whose mentions are idle."""
    if isinstance(term, Constant) or (not term.scope and not lowering.names_payoffs(term)):
        return Affine(worth(term, {}))
    return None


def small(term: Term, lowering: Lowering) -> Affine | None:
    """A case, an extreme or a distance over a small scope: its polytope is tighter than rows that binaries lift."""
    if not isinstance(term, Conditional | Extremum | Absolute) or lowering.size(term.scope) > lowering.limits.look_up:
        return None
    if isinstance(term, Conditional) and len(term.scope) <= 2:
        return None
    return table(term, lowering)


def table(term: Term, lowering: Lowering) -> Affine | None:
    """A term over few variables: one column a tuple, with marginal rows (the local polytope)."""
    if lowering.size(term.scope) > lowering.limits.table or lowering.names_payoffs(term):
        return None
    variables = scope_variables(term.scope, lowering)
    worths = {x: worth(term, dict(zip((v.name for v in variables), x, strict=True)))
              for x in product(*(v.domain for v in variables))}  # fmt: skip
    return polytope(variables, worths, lowering)


def polytope(variables: list[Variable], worths: dict[tuple[Value, ...], float], lowering: Lowering) -> Affine:
    """`Σ worth(x) · t_x` with `Σ_x∋(v=d) t_x = x[v = d]`; the choice columns being binary makes every t_x so."""
    if len(set(worths.values())) == 1:
        return Affine(next(iter(worths.values())))
    columns = _tuples(variables, lowering)
    return Affine(0.0, {columns[x]: w for x, w in worths.items() if w})


def _tuples(variables: list[Variable], lowering: Lowering) -> dict[tuple[Value, ...], int]:
    """A column for each joint value of some variables, made once: all terms over them count in the same columns."""
    scope = tuple(v.name for v in variables)
    if scope in lowering.tuples:
        return lowering.tuples[scope]
    program = lowering.program
    columns = {x: program.column(f"tuple {x}", integral=True) for x in product(*(v.domain for v in variables))}
    program.set_apart(columns.values())
    for position, variable in enumerate(variables):
        parts: dict[Value, dict[int, float]] = {d: {} for d in variable.domain}
        for x, column in columns.items():
            parts[x[position]][column] = 1.0
        for d, tuples in parts.items():
            program.row(Affine(0.0, tuples).minus(program.indicator(variable.name, d)), low=0.0, high=0.0)
    lowering.tuples[scope] = columns
    return columns


def scope_variables(scope: frozenset[str], lowering: Lowering) -> list[Variable]:
    """The variables of a scope in declared order."""
    return [v for v in lowering.program.task.variables if v.name in scope]


def worth(term: Term, assignment: dict[str, Value]) -> float:
    """A term's value as a number (a condition counts 1 or 0).

    None, and what cannot be computed, count 0: a guard elsewhere in the payoff keeps such assignments from counting,
    and where there is none the final evaluation of the optimum raises the Fault.
    """
    try:
        value = term.evaluate(assignment)
    except Fault:
        return 0.0
    return float(value) if isinstance(value, int | float) else 0.0
