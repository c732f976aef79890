"""Many objectives on one scenario. In: instances and seeded questions; out: ms an objective, ours and rivals'.

Every way answers the same questions, in turns, so that what else the machine does falls on all of them.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from statistics import median

import numpy as np

from colosseum.optimum.lower import Lowered
from colosseum.optimum.search import Query, Search
from colosseum.optimum.solve import TIME_LIMIT, Optimum, Solver

from .arrays import Numbers, arrays, held
from .cases import Case, Question, case, questions, single_payoffs
from .lines import Ledger, Line
from .ours import ask
from .rivals import clock, pulp_rebuild, worth
from .rivals.direct import Direct

MILLI = 1e3


@dataclass(frozen=True)
class Bars:
    """What a family must keep."""

    solving: float | None = None
    """ms an objective, in solvers."""
    rebuild: float | None = None
    """The greatest ratio to a PuLP rebuild with HiGHS."""


SMALL: tuple[tuple[tuple[str, ...], Bars], ...] = (
    (("tickets", "6", "8"), Bars(solving=0.1, rebuild=1 / 50)),
    (("tickets", "12", "16"), Bars(solving=0.2)),
    (("tickets", "25", "30"), Bars(solving=1.0)),
    (("tickets_soft", "6", "8"), Bars()),
    (("capacity", "6", "3"), Bars(solving=3.0)),
    (("tree", "20", "3"), Bars(solving=1.0)),
    (("grid", "4", "4", "3"), Bars()),
    (("colouring", "10", "3", "4"), Bars()),
    (("colouring_random", "10", "3", "4"), Bars()),
    (("scale_free", "10", "3"), Bars()),
    (("pairs", "8", "3", "40"), Bars()),
    (("tuples", "8", "2", "3"), Bars()),
    (("meetings", "6", "6"), Bars()),
)
QUICK = 5
"""How many of these a quick run asks; it has the bars."""
NUMBER, QUICK_NUMBER = 200, 60
REBUILT = 40
"""Of the questions, how many are put to programs that are rebuilt for each."""


@dataclass
class Times:
    """Seconds by way, a figure for each question."""

    whole: list[float] = field(default_factory=list)
    solving: list[float] = field(default_factory=list)
    around: list[float] = field(default_factory=list)
    rebuilt: list[float] = field(default_factory=list)
    rivals: dict[str, list[float]] = field(default_factory=dict)

    def add(self, rival: str, seconds: float) -> None:
        """Note what a rival took."""
        self.rivals.setdefault(rival, []).append(seconds)

    def of(self, rival: str) -> float | None:
        """A rival's median in ms."""
        return middle(self.rivals.get(rival, []))


def middle(seconds: Sequence[float]) -> float | None:
    """The median in ms."""
    return median(seconds) * MILLI if seconds else None


def many(ledger: Ledger) -> None:
    """Measure every family, and print a table of HiGHS with and without PuLP, and one of rebuilding."""
    chosen = SMALL[:QUICK] if ledger.quick else SMALL
    number = QUICK_NUMBER if ledger.quick else NUMBER
    measured = []
    for (name, *sizes), bars in chosen:
        made = case(name, *map(int, sizes))
        measured.append((made.label, bars, times(ledger, made, questions(made.scenario, number))))
    ledger.tables(line for label, bars, t in measured for line in _live(label, bars, t))
    ledger.tables(line for label, bars, t in measured for line in _rebuilt(label, bars, t))
    ledger.tables(_jira(ledger, number))


def _live(label: str, bars: Bars, t: Times) -> Iterator[Line]:
    heading = "Many objectives on live objects, ms each"
    yield Line(heading, f"{label}, solvers", middle(t.solving), "direct HiGHS", t.of("direct"),
               most=bars.solving, most_ratio=1.2)  # fmt: skip
    yield Line(heading, f"{label}, decoding and recomputing", middle(t.around), note="ours alone")


def _rebuilt(label: str, bars: Bars, t: Times) -> Iterator[Line]:
    heading = "Objectives one by one, ms each"
    yield Line(heading, f"{label}, new objects", middle(t.rebuilt), "direct HiGHS", t.of("direct new"), most_ratio=1.5)
    for engine in ("HiGHS", "CBC"):
        theirs = t.of(engine)
        note = "" if theirs is not None else "not installed"
        bar = bars.rebuild if engine == "HiGHS" else None
        rival = f"PuLP and {engine}"
        yield Line(heading, f"{label}, live, solvers", middle(t.solving), rival, theirs, most_ratio=bar, note=note)
        yield Line(heading, f"{label}, live, whole query", middle(t.whole), rival, theirs, note=note)


def times(ledger: Ledger, made: Case, asked: Sequence[Question]) -> Times:
    """Put the questions to all ways in turns."""
    ledger.note(f"many objectives: {made.label}")
    solver = Solver(made.task)
    for question in asked:  # objectives may add columns the first time that they are lowered
        solver.lowered.objective(question.goal)
    program, table = solver.lowered.program, arrays(solver.lowered.program)
    direct, found = Direct(table), Times()
    rebuilt = set(range(0, len(asked), max(1, len(asked) // REBUILT)))
    ask(solver, asked[0])  # the first query builds the live objects
    direct.maximise(_weights(solver.lowered, asked[0]), {})
    for number, question in enumerate(asked):
        mine = ask(solver, question)
        found.whole.append(mine.whole)
        found.solving.append(mine.solving)
        found.around.append(mine.whole - mine.solving)
        weights, fixed = _weights(solver.lowered, question), held(program, question.fixed)
        label = f"{made.label}, objective {number}"
        ways: dict[str, Callable[[], Numbers | None]] = {"direct": lambda: direct.maximise(weights, fixed)}  # noqa: B023
        if number in rebuilt:
            ways |= _new(solver, question, weights, fixed)
            found.rebuilt.append(_anew(ledger, label, solver, question, mine.optimum))
        for rival, way in ways.items():
            began = clock()
            point = way()
            found.add(rival, clock() - began)
            theirs = None if point is None else worth(made.task, question.goal, program.decode(point))
            ledger.equal(f"{label}, {rival}", mine.optimum.value, theirs)
    return found


def _new(
    solver: Solver, question: Question, weights: Numbers, fixed: dict[int, float]
) -> dict[str, Callable[[], Numbers | None]]:
    """The ways that make everything anew from the lowered program."""
    program, form = solver.lowered.program, solver.lowered.form(question.goal)
    ways: dict[str, Callable[[], Numbers | None]] = {
        "direct new": lambda: Direct(arrays(program)).maximise(weights, fixed)
    }
    if pulp_rebuild.available("HiGHS"):
        ways["HiGHS"] = lambda: pulp_rebuild.maximise(program, form, fixed, engine="HiGHS")
    if pulp_rebuild.available("CBC"):
        ways["CBC"] = lambda: pulp_rebuild.maximise(program, form, fixed, engine="CBC")
    return ways


def _anew(ledger: Ledger, label: str, solver: Solver, question: Question, known: Optimum) -> float:
    """Seconds of our own path with new objects behind the same lowered program."""
    began = clock()
    search = Search(solver.task, solver.lowered, TIME_LIMIT)
    found = search.best(Query(question.goal, 1.0, question.fixed))
    spent = clock() - began
    ledger.equal(f"{label}, ours anew", known.value, found.value)
    return spent


def _weights(lowered: Lowered, question: Question) -> Numbers:
    """What each column adds to an objective."""
    weights = lowered.objective(question.goal).weights
    return np.concatenate([weights, np.zeros(len(lowered.program.columns) - len(weights))])


def _jira(ledger: Ledger, number: int) -> Iterator[Line]:
    """The shipped tickets with their soft split: F_λ, and the slowest single r_i."""
    heading = "specs/jira.colo, soft, ms an objective in solvers"
    made = case("jira")
    bendings = [q for q in questions(made.scenario, number) if q.goal.total and not q.fixed]
    t = times(ledger, made, bendings)
    yield Line(heading, "F_λ", middle(t.solving), "direct HiGHS", t.of("direct"), most=0.6, most_ratio=1.2)
    yield Line(heading, "F_λ, whole query", middle(t.whole), "PuLP and HiGHS", t.of("HiGHS"))
    solver, singles = Solver(made.task), list(single_payoffs(made.task))
    for question in (*singles, *singles):
        ask(solver, question)
    seconds = {q.goal.payoffs[0][0]: list[float]() for q in singles}
    for _ in range(max(5, number // len(singles))):
        for question in singles:
            seconds[question.goal.payoffs[0][0]].append(ask(solver, question).solving)
    slowest = max(seconds, key=lambda agent: median(seconds[agent]))
    yield Line(heading, f"r_i, the slowest ({slowest})", middle(seconds[slowest]), most=2.5)
