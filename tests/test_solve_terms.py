"""Random tasks made of ground terms: the integer program finds what enumeration finds, however a term is lowered."""

from collections.abc import Callable, Sequence
from itertools import product
from math import prod

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from test_solve_laws import STRUCTURAL, Everything, adds_up, agrees, goals_of, integer_program, limited, random_games

from colosseum.model import terms
from colosseum.model.scenario import (
    Coalition,
    Credit,
    EqualSplit,
    Objective,
    Payoff,
    QualifiedSplit,
    Requirement,
    Task,
    Variable,
)
from colosseum.model.terms import Constant, Decision, PayoffOf, Term
from colosseum.model.values import Elements, Fault, Value
from colosseum.solve.backend import Engine
from colosseum.solve.goal import WELFARE
from colosseum.solve.lowering.lower import NotLowered
from colosseum.solve.lowering.rules import DEFAULT_LIMITS
from colosseum.solve.solver import Solver

NAMES = ("p", "q", "r")
NUMBERS = (-2, -1, 0, 1, 2, 3)
MOST_ASSIGNMENTS = 200
ORDERS = ("==", "!=", "<", "<=", ">", ">=")
NONE = Constant(None)
ALWAYS = Constant(True)

Draw = Callable[[st.SearchStrategy[object]], object]


class TermDrawer:
    """Draws terms over some variables."""

    def __init__(self, draw: st.DrawFn, variables: Sequence[Variable], agents: Sequence[str] = ()) -> None:
        self.draw = draw
        self.variables = {v.name: v for v in variables}
        self.agents = agents
        """Whose payoffs a term may name; nobody's in a payoff."""
        self.numeric = [v for v in variables if any(isinstance(d, int) for d in v.domain)]
        self.named = [v for v in variables if v not in self.numeric]

    def pick(self, *choices: "Callable[[], Term]") -> Term:
        """One of some ways to make a term."""
        return self.draw(st.sampled_from(choices))()

    def constant(self) -> Term:
        steps = st.sampled_from((-3, -1, 0, 1, 2, 5, 0.5, -1.25, 0.1, 1 / 3))
        return Constant(self.draw(steps))

    def may_be_none(self, term: Term) -> bool:
        """Whether it is none somewhere; where payoffs take part, whatever they may be."""
        if self.agents:
            return any(None in self.variables[n].domain for n in term.scope)
        names = sorted(term.scope)
        for values in product(*(self.variables[n].domain for n in names)):
            try:
                if term.evaluate(dict(zip(names, values, strict=True))) is None:
                    return True
            except Fault:
                assume(False)
        return False

    def surely(self, depth: int) -> Term:
        """A number that is never none."""
        term = self.number(depth)
        if self.may_be_none(term):
            return terms.Conditional(terms.Compare("!=", term, NONE), term, Constant(0))
        return term

    def number(self, depth: int) -> Term:
        """A number that may be none."""
        leaves = [self.constant, self.table]
        leaves += [self.integer, self.integer] if self.numeric else []
        leaves += [self.payoff] if self.agents else []
        if depth == 0 or self.draw(st.integers(0, 5)) == 5:
            return self.pick(*leaves)
        nodes = (
            self.arithmetic, self.arithmetic, self.count, self.total, self.call, self.aggregate, self.absolute,
            self.case, self.look_up, self.of_count, self.product,
        )  # fmt: skip
        return self.draw(st.sampled_from(nodes))(depth - 1)

    def integer(self) -> Term:
        return Decision(self.draw(st.sampled_from(self.numeric)).name)

    def payoff(self) -> Term:
        return PayoffOf(self.draw(st.sampled_from((None, *self.agents))))

    def table(self) -> Term:
        return self.look_up(0)

    def arithmetic(self, depth: int) -> Term:
        operator = self.draw(st.sampled_from("++--**/"))
        left = self.number(depth)
        if operator == "/":
            return terms.Arithmetic("/", left, Constant(self.draw(st.sampled_from((2, -4, 3)))))
        return terms.Arithmetic(operator, left, self.number(depth))

    def product(self, depth: int) -> Term:
        """A number where a condition holds, written as a product."""
        holds = terms.Conditional(self.condition(depth), Constant(1), Constant(0))
        return terms.Arithmetic("*", holds, self.number(depth))

    def count(self, depth: int) -> Term:
        size = self.draw(st.integers(1, 4))
        return terms.Total(
            tuple(terms.Conditional(self.condition(depth), Constant(1), Constant(0)) for _ in range(size))
        )

    def of_count(self, depth: int) -> Term:
        """A function of one count."""
        count = self.count(0)
        return self.pick(
            lambda: terms.Extremum(
                "max", (Constant(0), terms.Arithmetic("-", count, Constant(1))), (ALWAYS, ALWAYS), False
            ),
            lambda: terms.Conditional(terms.Compare(">=", count, Constant(2)), Constant(3), count),
            lambda: terms.Absolute(terms.Arithmetic("-", count, Constant(1))),
            lambda: terms.Select("bonus", (count,), tuple(((k,), Constant(k * k % 5)) for k in range(6))),
            lambda: terms.Conditional(terms.Member(count, Constant(Elements((1, 3)))), Constant(2), Constant(0)),
        )

    def total(self, depth: int) -> Term:
        return terms.Total(tuple(self.surely(depth) for _ in range(self.draw(st.integers(1, 3)))))

    def call(self, depth: int) -> Term:
        parts = tuple(self.number(depth) for _ in range(self.draw(st.integers(1, 3))))
        return terms.Extremum(
            self.draw(st.sampled_from(("min", "max"))), parts, (ALWAYS,) * len(parts), aggregate=False
        )

    def aggregate(self, depth: int) -> Term:
        """`max(e for i in S when c)`, with an item that always holds."""
        parts = tuple(self.surely(depth) for _ in range(self.draw(st.integers(1, 3))))
        guards = (ALWAYS, *(self.condition(depth) for _ in parts[1:]))
        return terms.Extremum(self.draw(st.sampled_from(("min", "max"))), parts, guards, aggregate=True)

    def absolute(self, depth: int) -> Term:
        return terms.Absolute(self.number(depth))

    def case(self, depth: int) -> Term:
        return terms.Conditional(self.condition(depth), self.number(depth), self.number(depth))

    def look_up(self, depth: int) -> Term:
        """A table looked up by one or two decisions, or by a decision and a constant."""
        keys: list[Term] = []
        values: list[tuple[Value, ...]] = []
        for _ in range(self.draw(st.integers(1, 2))):
            variable = self.draw(st.sampled_from(list(self.variables.values())))
            fixed = self.draw(st.integers(0, 4)) == 0
            known = tuple(d for d in variable.domain if d is not None)
            keys.append(Constant(known[0]) if fixed else Decision(variable.name))
            values.append(known)
        entries = tuple((key, self.constant() if depth == 0 else self.number(depth - 1)) for key in product(*values))
        return terms.Select("t", tuple(keys), entries)

    def condition(self, depth: int) -> Term:
        """A condition."""
        leaves = [self.chosen, self.chosen, self.member, self.agree]
        if depth == 0 or self.draw(st.integers(0, 5)) == 5:
            return self.pick(*leaves)
        nodes = (self.compare, self.compare, self.compare, self.every, self.some, self.inverse)
        return self.draw(st.sampled_from(nodes))(depth - 1)

    def chosen(self) -> Term:
        variable = self.draw(st.sampled_from(list(self.variables.values())))
        value = self.draw(st.sampled_from(variable.domain))
        return terms.Compare(self.draw(st.sampled_from(("==", "!="))), Decision(variable.name), Constant(value))

    def member(self) -> Term:
        variable = self.draw(st.sampled_from(list(self.variables.values())))
        items = self.draw(st.lists(st.sampled_from(variable.domain), max_size=2))
        return terms.Member(Decision(variable.name), Constant(Elements.of(i for i in items if i is not None)))

    def agree(self) -> Term:
        """Two decisions of one kind compared."""
        group = self.draw(st.sampled_from([g for g in (self.numeric, self.named) if g]))
        one, other = (self.draw(st.sampled_from(group)) for _ in range(2))
        return terms.Compare(self.draw(st.sampled_from(("==", "!="))), Decision(one.name), Decision(other.name))

    def compare(self, depth: int) -> Term:
        return terms.Compare(self.draw(st.sampled_from(ORDERS)), self.number(depth), self.number(depth))

    def every(self, depth: int) -> Term:
        return terms.Every(tuple(self.condition(depth) for _ in range(self.draw(st.integers(1, 3)))))

    def some(self, depth: int) -> Term:
        return terms.Some(tuple(self.condition(depth) for _ in range(self.draw(st.integers(1, 3)))))

    def inverse(self, depth: int) -> Term:
        return terms.Inverse(self.condition(depth))


def agents_of(draw: st.DrawFn) -> tuple[str, ...]:
    return tuple("abc"[: draw(st.integers(2, 3))])


def variables_of(draw: st.DrawFn, agents: Sequence[str]) -> tuple[Variable, ...]:
    """Up to five variables, names or numbers, some of which may be none."""
    made: list[Variable] = []
    for number in range(draw(st.integers(2, 5))):
        pool: tuple[Value, ...] = draw(st.sampled_from((NAMES, NUMBERS)))
        values = draw(st.lists(st.sampled_from(pool), min_size=1, max_size=4, unique=True))
        domain = (*values, None) if draw(st.booleans()) else tuple(values)
        if prod(len(v.domain) for v in made) * len(domain) <= MOST_ASSIGNMENTS:
            made.append(Variable(f"v{number}", draw(st.sampled_from(agents)), domain))
    return tuple(made)


def credit_of(draw: st.DrawFn, build: TermDrawer, agents: Sequence[str], term: Term) -> Credit:
    some = draw(st.lists(st.sampled_from(agents), min_size=1, unique=True))
    if draw(st.booleans()):
        return EqualSplit(tuple(some))
    return QualifiedSplit(
        tuple((a, build.condition(1)) for a in some), tuple(agents[: draw(st.integers(1, len(agents)))])
    )


def soft_rule(draw: st.DrawFn, build: TermDrawer, agents: Sequence[str], number: int) -> tuple[Requirement, Payoff]:
    """A rule with a price, for each break or for each unit by which a comparison is missed."""
    left, right = build.surely(draw(st.integers(1, 2))), build.surely(0)
    condition: Term = terms.Compare("<=", left, right)
    excess: Term | None = None
    if draw(st.booleans()):
        over = terms.Arithmetic("-", left, right)
        excess = terms.Extremum("max", (Constant(0), over), (ALWAYS, ALWAYS), aggregate=False)
        cost: Term = terms.Arithmetic("*", Constant(-2), excess)
    else:
        condition = build.condition(2)
        cost = terms.Conditional(condition, Constant(0), Constant(-1.5))
    name = f"wish{number}"
    credit = credit_of(draw, build, agents, cost)
    return Requirement(name, "wish", condition, 2.0, excess), Payoff(name, "wish", "penalty", cost, credit)


@st.composite
def tasks(draw: st.DrawFn) -> tuple[Task, list[Coalition]]:
    """A task of few assignments, and a coalition with objectives of its own."""
    agents = agents_of(draw)
    variables = variables_of(draw, agents)
    build = TermDrawer(draw, variables)
    payoffs = []
    for number in range(draw(st.integers(1, 3))):
        term = build.surely(draw(st.sampled_from((3, 2, 1))))
        payoffs.append(Payoff(f"pay{number}", "pay", "reward", term, credit_of(draw, build, agents, term)))
    if draw(st.booleans()):  # a split by count: whoever meets a condition shares a function of how many do
        conditions = [build.chosen() for _ in agents]
        count = terms.Total(tuple(terms.Conditional(c, Constant(1), Constant(0)) for c in conditions))
        excess = terms.Extremum(
            "max", (Constant(0), terms.Arithmetic("-", count, Constant(1))), (ALWAYS, ALWAYS), False
        )
        split = QualifiedSplit(tuple(zip(agents, conditions, strict=True)), tuple(agents))
        payoffs.append(Payoff("split", "split", "penalty", terms.Arithmetic("*", Constant(-3), excess), split))
    hard = tuple(
        Requirement(f"rule{n}", "rule", build.condition(draw(st.sampled_from((3, 2, 1)))), None, None)
        for n in range(draw(st.sampled_from((1, 2, 0))))
    )
    soft = [soft_rule(draw, build, agents, n) for n in range(draw(st.integers(0, 2)))]
    payoffs += [payoff for _, payoff in soft]
    bent = TermDrawer(draw, variables, agents)
    objectives = tuple(
        Objective(f"o{n}", bent.surely(draw(st.sampled_from((2, 3, 1))))) for n in range(draw(st.integers(1, 2)))
    )
    members = tuple(agents[: draw(st.integers(1, len(agents)))])
    task = Task(agents, variables, tuple(payoffs), (*hard, *(rule for rule, _ in soft)))
    return task, [Coalition("cabal", members, ()), Coalition("plot", members, objectives)]


@random_games(12)
@given(st.data())
def test_the_program_finds_what_enumeration_finds(data: st.DataObject) -> None:
    """F_n, every r_i, F_c and F_λ, largest and smallest, in any order on one solver, some variables fixed."""
    task, coalitions = data.draw(tasks())
    everything = Everything.of(task)
    adds_up(everything)
    limits = data.draw(st.sampled_from((DEFAULT_LIMITS, STRUCTURAL)))
    solver = limited(task, limits, only=data.draw(st.sampled_from(("highs", "highs", None))))
    for goal in data.draw(st.permutations(goals_of(task, coalitions))):
        held = data.draw(st.lists(st.sampled_from(task.variables), max_size=2, unique=True))
        fixed = {v.name: data.draw(st.sampled_from(v.domain)) for v in held}
        try:
            agrees(solver, everything, goal, fixed)
        except NotLowered:
            assert goal.terms, "only an objective that names payoffs may be beyond an integer program here"


def test_a_function_of_a_count_whose_conditions_exclude_each_other() -> None:
    """The program takes more values of the count for possible than there are."""
    same = [("v0", Constant("p")), ("v2", Constant("p")), ("v0", Decision("v1"))]
    conditions = [terms.Compare("==", Decision(name), other) for name, other in same]
    conditions.insert(2, terms.Compare("!=", Decision("v0"), Constant("p")))
    count = terms.Total(tuple(terms.Conditional(c, Constant(1), Constant(0)) for c in conditions))
    more = terms.Extremum("max", (Constant(0), terms.Arithmetic("-", count, Constant(1))), (ALWAYS, ALWAYS), False)
    domains: dict[str, tuple[Value, ...]] = {"v0": NAMES, "v1": NAMES, "v2": ("p", "q")}
    variables = tuple(Variable(name, "ann", domain) for name, domain in domains.items())
    task = Task(("ann",), variables, (Payoff("pay", "pay", "reward", more, EqualSplit(("ann",))),), ())
    for goal in goals_of(task):
        agrees(integer_program(task), Everything.of(task), goal, {})


@pytest.mark.parametrize("engine", ["highs", "pulp"])
def test_a_case_that_may_be_none_equals_no_number(engine: Engine) -> None:
    """Nor does what is computed from it: PuLP has nothing but the rows to know it by."""
    found = terms.Conditional(terms.Compare("==", Decision("v0"), Constant("p")), Decision("v1"), Constant(3))
    gap = terms.Arithmetic("-", terms.Absolute(found), Decision("v2"))
    rule = Requirement("same", "same", terms.Compare("==", gap, Constant(0)), None, None)
    idle = terms.Conditional(terms.Compare("==", Decision("v1"), NONE), Constant(5), Constant(0))
    pay = Payoff("pay", "pay", "reward", terms.Arithmetic("-", idle, Decision("v2")), EqualSplit(("ann",)))
    domains: dict[str, tuple[Value, ...]] = {"v0": ("p", "q"), "v1": (None, 1), "v2": (0, 1, 2)}
    variables = tuple(Variable(name, "ann", domain) for name, domain in domains.items())
    best = Solver(Task(("ann",), variables, (pay,), (rule,)), only=engine).maximise(WELFARE)
    assert (best.status, best.value, best.assignment) == ("optimal", -1.0, {"v0": "p", "v1": 1, "v2": 1})
