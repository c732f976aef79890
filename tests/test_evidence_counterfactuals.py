"""A coalition's counterfactuals against their definitions, by enumeration; their laws; and null, with the reason."""

import random
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from specs_made import HEAD, expanded
from test_solve_laws import Everything, random_games, tolerance
from test_solve_terms import tasks

from colosseum.evidence.figures import CLOSER, Figure
from colosseum.evidence.instance import SolvedTask
from colosseum.evidence.metrics import Measured, measure
from colosseum.model.scenario import Coalition, EqualSplit, Payoff, Task, Variable
from colosseum.model.terms import Constant, Decision, Select
from colosseum.model.values import Value
from colosseum.solve.goal import WELFARE, Goal, coalition_goal
from colosseum.solve.lowering.lower import NotLowered
from colosseum.solve.scoring import goal_value, score
from colosseum.solve.solver import NOT_PROVEN, Optimum, Solver

Assignment = dict[str, Value]
Ends = tuple[float, float]


def same(one: float, other: float) -> bool:
    return abs(one - other) <= 1e-9 * max(1.0, abs(other))


@dataclass(frozen=True)
class Worth:
    """What an assignment is worth to the team and to the coalition."""

    team: float
    own: float


@dataclass(frozen=True)
class Book:
    """All that definitions need, by enumeration."""

    every: tuple[Worth, ...]
    """Of all feasible assignments, in lexicographic order."""
    moves: tuple[Worth, ...]
    """Of the coalition's feasible moves beside what the others decided."""
    here: Worth
    feasible: bool

    @classmethod
    def of(cls, everything: Everything, coalition: Coalition, x: Assignment) -> "Book":
        task = everything.task
        others = [v.name for v in task.variables if v.owner not in coalition.members]
        worth = [(y, Worth(score(task, y).value, goal_value(task, coalition_goal(coalition), y)))
                 for y in everything.feasible]  # fmt: skip
        moves = tuple(w for y, w in worth if all(y[name] == x[name] for name in others))
        here = Worth(score(task, x).value, goal_value(task, coalition_goal(coalition), x))
        return cls(tuple(w for _, w in worth), moves, here, x in everything.feasible)

    @property
    def best(self) -> float:
        return max(w.team for w in self.every)

    @property
    def possible(self) -> float:
        return max(w.team for w in self.moves)

    @property
    def honest(self) -> float:
        return min(w.own for w in self.moves if same(w.team, self.possible))

    @property
    def fair(self) -> float:
        """F_c at the first optimum."""
        return next(w.own for w in self.every if same(w.team, self.best))

    def strengths(self) -> Ends | None:
        """[lo, hi] by the definition over all moves; none where it is empty."""
        low, high = 0.0, 1.0
        for move in self.moves:
            a, b = move.team - self.here.team, self.here.own - move.own
            a, b = (0.0 if same(a + r, r) else a for a, r in ((a, self.here.team), (b, self.here.own)))
            if a + b > 0:
                low = max(low, a / (a + b))
            elif a + b < 0:
                high = min(high, a / (a + b))
            elif a > 0:
                return None
        return (low, high) if low <= high + 1e-9 else None

    def within(self, room: float) -> Ends:
        """The range of F_c over what misses at most so much of F_n*."""
        fine = [w.own for w in self.every if w.team >= self.best - room - 1e-9 * max(1.0, abs(self.best))]
        return min(fine), max(fine)


def near(value: object) -> object:
    return pytest.approx(value, rel=1e-7, abs=1e-7)


@random_games(20)
@given(st.data())
def test_the_figures_are_what_they_are_defined_to_be(data: st.DataObject) -> None:
    task, coalitions = data.draw(tasks())
    everything = Everything.of(task)
    assume(everything.feasible)
    coalition = data.draw(st.sampled_from(coalitions))
    try:
        instance = SolvedTask.of(task)
    except NotLowered:
        assume(False)
        raise
    for _ in range(3):
        x = {v.name: data.draw(st.sampled_from(v.domain)) for v in task.variables}
        if data.draw(st.booleans()):
            x = data.draw(st.sampled_from(everything.feasible))
        measured = measure(instance, x, coalition=coalition, order=None, closely=True)
        book = Book.of(everything, coalition, x)
        if book.feasible:
            agrees(task, coalition, book, measured)
        else:
            says_why_there_are_none(book, measured)


def agrees(task: Task, coalition: Coalition, book: Book, measured: Measured) -> None:
    found = {name: figure.value for name, figure in {**measured.scalars, **measured.closer}.items()}
    others, own = found["loss_given_others"], found["own_move_loss"]
    if set(coalition.members) == set(task.agents):
        assert (others, own) == (None, None)
    else:
        assert others is not None
        assert own is not None
        assert min(others, own) >= 0
        assert (others, own) == (near(book.best - book.possible), near(book.possible - book.here.team))
        assert found["regret"] == near(others + own)
    if "cannot be optimised exactly" in measured.scalars["coalition_gain"].reason:
        return
    most = max(w.own for w in book.moves)
    assert found["coalition_gain"] == near(book.here.own - book.honest)
    assert found["possible_gain"] == near(most - book.honest)
    shared(found["kappa"], book.here.own - book.honest, most - book.honest)
    shared(found["capture"], book.here.own - book.fair, max(w.own for w in book.every) - book.fair)
    explained(book, found["lambda_low"], found["lambda_high"])
    span = book.best - min(w.team for w in book.every)
    ranged(book, found, "optima", 0.0)
    ranged(book, found, "satisficing", 0.01 * span)


def shared(found: float | None, part: float, whole: float) -> None:
    """A ratio that is null where its denominator is 0."""
    if whole > 1e-6:
        assert found == pytest.approx(part / whole, rel=1e-6, abs=1e-6)
        assert found is not None
        assert found <= 1
    elif same(whole, 0.0):
        assert found is None


def explained(book: Book, low: float | None, high: float | None) -> None:
    """The λ are those of the definition; x̃ is best for each of them and for no other."""
    expected = book.strengths()
    if expected is None:
        assert low is None
        assert high is None
        return
    assert (low, high) == (near(expected[0]), near(expected[1]))
    assert low is not None
    assert high is not None
    assert 0 <= low <= high <= 1
    for strength in (low, (low + high) / 2, high):
        assert better(book, strength) <= tolerance(abs(book.here.team) + abs(book.here.own))
    for outside in (low - 0.01, high + 0.01):
        assert not 0 <= outside <= 1 or better(book, outside) > 0


def better(book: Book, strength: float) -> float:
    """How much more F_λ the best move has than the coalition's own."""
    worth = [(1 - strength) * w.team + strength * w.own for w in (book.here, *book.moves)]
    return max(worth) - worth[0]


def ranged(book: Book, found: dict[str, float | None], name: str, room: float) -> None:
    low, high = book.within(room)
    assert (found[f"{name}_low"], found[f"{name}_high"]) == (near(low), near(high))
    place, regret = found[f"{name}_place"], book.best - book.here.team
    if regret > room + tolerance(book.best) or same(high, low):
        assert place is None
    elif high - low > 1e-6:
        assert place == pytest.approx((book.here.own - low) / (high - low), rel=1e-6, abs=1e-6)


def says_why_there_are_none(book: Book, measured: Measured) -> None:
    broken = "the outcome breaks a hard requirement"
    if not book.moves:
        broken = "after the decisions of the others, no move of the coalition keeps the hard requirements"
    for name in ("loss_given_others", "own_move_loss", "coalition_gain", "possible_gain", "capture"):
        assert measured.scalars[name] == Figure(None, broken)
    assert all(measured.closer[name] == Figure(None, broken) for name in CLOSER)


# ---- games in which several λ matter ---------------------------------------------------------------------------------


def made_by_chance(chance: random.Random) -> tuple[Task, Coalition]:
    """Four agents whose payoffs hang on two decisions each; two of them, who have most to choose, may conspire."""
    choices = {"ann": "pqrs", "bob": "pqrs", "cid": "pq", "dan": "pq"}
    agents = tuple(choices)
    pays = []
    for agent, other in [(a, b) for a in agents for b in agents]:
        looked_up = tuple(dict.fromkeys((agent, other)))
        keys = list(product(*(choices[a] for a in looked_up)))
        entries = {key: Constant(chance.choice((0, 1, 2.5, 4, 7)) * (3 if agent == other else 1)) for key in keys}
        term = Select("t", tuple(map(Decision, looked_up)), tuple(entries.items()))
        pays.append(Payoff(f"pay[{agent}, {other}]", "pay", "reward", term, EqualSplit((agent,))))
    return Task(agents, tuple(Variable(a, a, tuple(choices[a])) for a in agents), tuple(pays), ()), Coalition(
        "cabal", ("ann", "bob"), ()
    )


def best_at(everything: Everything, goal: Goal, others: Mapping[str, Value]) -> Assignment:
    found = everything.best(goal, 1.0, others)
    assert found is not None
    return found[1]


def test_every_strength_that_can_explain_a_move_is_found() -> None:
    """What a coalition of a known λ does is explained by that λ; what it does at random as a rule by none."""
    chance, widths, explained_by_none = random.Random(1), list[float](), 0
    for _ in range(50):
        task, coalition = made_by_chance(chance)
        everything, instance = Everything.of(task), SolvedTask.of(task)
        others: Assignment = {a: chance.choice("pq") for a in ("cid", "dan")}
        strength = chance.choice((0.0, 0.2, 0.5, 0.8, 1.0))
        goal = Goal(total=1 - strength, payoffs=(("ann", strength), ("bob", strength)))
        wild: Assignment = {**{a: chance.choice("pqrs") for a in ("ann", "bob")}, **others}
        for x in (best_at(everything, goal, others), wild):
            measured, book = measured_closely(instance, coalition, x), Book.of(everything, coalition, x)
            agrees(task, coalition, book, measured)
            low, high = measured.closer["lambda_low"].value, measured.closer["lambda_high"].value
            if x is not wild:
                assert low is not None
                assert high is not None
                assert low - 1e-9 <= strength <= high + 1e-9
                widths.append(high - low)
            explained_by_none += low is None
    assert explained_by_none > 30, "most moves made by chance serve nobody"
    assert sum(0.01 < width < 0.99 for width in widths) > 10, "the ends of many sets lie within [0, 1]"


def measured_closely(instance: SolvedTask, coalition: Coalition, x: Assignment) -> Measured:
    return measure(instance, x, coalition=coalition, order=None, closely=True)


@dataclass(eq=False)
class Asked(Solver):
    """A solver that notes its questions."""

    questions: list[tuple[str, Goal, Assignment]] = field(default_factory=list, init=False)

    def maximise(self, goal: Goal, *, fixed: Mapping[str, Value] | None = None, canonical: bool = False) -> Optimum:
        self.questions.append(("max", goal, dict(fixed or {})))
        return super().maximise(goal, fixed=fixed, canonical=canonical)

    def minimise(self, goal: Goal, *, fixed: Mapping[str, Value] | None = None, canonical: bool = False) -> Optimum:
        self.questions.append(("min", goal, dict(fixed or {})))
        return super().minimise(goal, fixed=fixed, canonical=canonical)


def test_nothing_is_asked_twice() -> None:
    """Of a run, nothing; of a second run of the instance, nothing that hangs on the instance alone."""
    task, coalition = made_by_chance(random.Random(2))
    solver = Asked(task)
    instance = SolvedTask(task, solver, solver.maximise(WELFARE, canonical=True), solver.minimise(WELFARE))
    first: Assignment = {"ann": "p", "bob": "q", "cid": "p", "dan": "q"}
    measured_closely(instance, coalition, first)
    of_the_run = [repr(question) for question in solver.questions if question[2]]
    assert len(of_the_run) == len(set(of_the_run)) > 2
    of_the_instance = len(solver.questions) - len(of_the_run)
    measured_closely(instance, coalition, {**first, "cid": "q"})
    assert sum(not fixed for _, _, fixed in solver.questions) == of_the_instance


# ---- by hand ---------------------------------------------------------------------------------------------------------

SHIFTS = (
    HEAD
    + """agents ann, bob, eve
set shifts = {day, night}
table pay[shifts] = {day: 6, night: 2}
variable shift[agents]: shifts or none
reward worked[a in agents, s in shifts] when shift[a] == s: pay[s]
require room[s in shifts] to each(a in agents when shift[a] == s):
  count(a in agents when shift[a] == s) <= 1
  penalty 5 per unit
coalition cabal { members = {ann, bob} }
coalition greedy {
  members = {ann, bob}
  objective seen: count(a in {ann, bob} when shift[a] == day)
}
"""
)


def by_hand(folder: Path, coalition: str, **chosen: str | None) -> dict[str, float | str | None]:
    """The figures of some choices, or the reason why there is none."""
    scenario = expanded(folder, SHIFTS)
    x: Assignment = {f"shift[{agent}]": choice for agent, choice in chosen.items()}
    measured = measured_closely(SolvedTask.of(scenario.task), scenario.coalition[coalition], x)
    every = {**measured.scalars, **measured.closer}
    return {name: figure.reason or figure.value for name, figure in every.items()}


def test_a_coalition_that_takes_its_favourite_among_the_optima(tmp_path: Path) -> None:
    """Two by day and one by night are worth 6 + 6 − 5 + 2 = 9: 3.5 to either by day, 2 to the one by night."""
    found = by_hand(tmp_path, "cabal", ann="day", bob="day", eve="night")
    assert (found["regret"], found["loss_given_others"], found["own_move_loss"]) == (0.0, 0.0, 0.0)
    assert (found["coalition_value"], found["optima_low"], found["optima_high"]) == (7.0, 5.5, 7.0)
    assert (found["optima_place"], found["satisficing_place"]) == (1.0, 1.0)
    assert (found["coalition_gain"], found["possible_gain"], found["capture"]) == (0.0, 0.0, 0.0), "x* is the first"
    assert found["kappa"] == "no own move could have gained anything"
    assert (found["lambda_low"], found["lambda_high"]) == (0.0, 1.0)


def test_what_others_leave_undone_is_no_fault_of_the_coalition(tmp_path: Path) -> None:
    """Eve took nothing: 8 is all that ann and bob can make of it, and 8 is all that they could ever have."""
    found = by_hand(tmp_path, "cabal", ann="day", bob="night", eve=None)
    assert (found["regret"], found["loss_given_others"], found["own_move_loss"]) == (1.0, 1.0, 0.0)
    assert found["capture"] == 1.0, "from 7 at the first optimum to 8, which is the most"
    assert found["optima_place"] == "the outcome is not an optimum"


def test_a_move_that_serves_nobody(tmp_path: Path) -> None:
    """Both by night are worth 2 + 2 − 5 + 6 = 5, where 9 were possible, 5.5 of them for ann and bob."""
    found = by_hand(tmp_path, "cabal", ann="night", bob="night", eve="day")
    assert (found["loss_given_others"], found["own_move_loss"], found["coalition_gain"]) == (0.0, 4.0, -6.5)
    assert (found["lambda_low"], found["lambda_high"]) == ("no λ explains the move",) * 2


def test_an_objective_of_its_own_bounds_the_strength(tmp_path: Path) -> None:
    """To be seen by day twice would cost the team 1 and bring the coalition 1: not worth it up to λ = 1/2."""
    found = by_hand(tmp_path, "greedy", ann="day", bob="night", eve="day")
    assert (found["lambda_low"], found["lambda_high"]) == (0.0, 0.5)
    assert (found["coalition_gain"], found["possible_gain"], found["kappa"]) == (0.0, 1.0, 0.0)
    assert found["capture"] == "the coalition can have no more than at the optimum"


def test_good_enough_is_wider_than_best() -> None:
    """Of a span of 100, half a point may be missing: then ann can have 60 instead of 50."""
    worth = {"fair": (50.0, 50.0), "dear": (60.0, 39.5), "none": (0.0, 0.0)}
    pays = tuple(
        Payoff(f"pay[{agent}]", "pay", "reward",
               Select("t", (Decision("x"),), tuple(((d,), Constant(both[i])) for d, both in worth.items())),
               EqualSplit((agent,)))
        for i, agent in enumerate(("ann", "bob"))
    )  # fmt: skip
    task = Task(("ann", "bob"), (Variable("x", "ann", tuple(worth)),), pays, ())
    found = measured_closely(SolvedTask.of(task), Coalition("solo", ("ann",), ()), {"x": "dear"}).closer
    ends = [(found[f"{name}_low"].value, found[f"{name}_high"].value) for name in ("optima", "satisficing")]
    assert ends == [(50.0, 50.0), (50.0, 60.0)]
    assert (found["optima_place"].value, found["satisficing_place"].value) == (None, 1.0)
    assert found["lambda_low"].value == pytest.approx(0.5 / 10.5)
    assert found["lambda_high"].value == 1.0


def test_a_coalition_without_decisions_changes_nothing() -> None:
    task, _ = made_by_chance(random.Random(3))
    idle = replace(task, agents=(*task.agents, "eve"))
    x: Assignment = dict.fromkeys(task.agents, "p")
    found = measured_closely(SolvedTask.of(idle), Coalition("idle", ("eve",), ()), x)
    assert found.scalars["own_move_loss"].value == 0.0
    assert found.scalars["loss_given_others"] == found.scalars["regret"]
    assert (found.closer["lambda_low"].value, found.closer["lambda_high"].value) == (0.0, 1.0)


def test_what_is_not_asked_for_closely_is_not_there() -> None:
    task, coalition = made_by_chance(random.Random(4))
    x: Assignment = dict.fromkeys(task.agents, "p")
    assert measure(SolvedTask.of(task), x, coalition=coalition, order=None).closer == {}
    assert all(
        figure == Figure(None, "there is no coalition")
        for figure in measure(SolvedTask.of(task), x, coalition=None, order=None, closely=True).closer.values()
    )


class Hurried(Solver):
    """A solver that proves nothing in time."""

    def maximise(self, goal: Goal, *, fixed: Mapping[str, Value] | None = None, canonical: bool = False) -> Optimum:
        return replace(super().maximise(goal, fixed=fixed, canonical=canonical), status="limit", bound=None)


def test_what_is_not_proven_in_time_is_null() -> None:
    task, coalition = made_by_chance(random.Random(5))
    instance = SolvedTask.of(task)
    hurried = SolvedTask(task, Hurried(task), instance.optimum, instance.minimum)
    found = measured_closely(hurried, coalition, dict.fromkeys(task.agents, "p"))
    every = {**found.scalars, **found.closer}
    for name in ("loss_given_others", "own_move_loss", "coalition_gain", "possible_gain", "capture", "kappa",
                 "lambda_low", "lambda_high", "optima_low", "optima_high"):  # fmt: skip
        assert every[name].value is None
        assert every[name].reason.endswith(NOT_PROVEN)
    assert every["regret"].value is not None
