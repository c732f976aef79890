"""Many objectives on one scenario. In: instances and seeded questions; out: ms an objective, ours and rivals'.

Every way answers the same questions, in turns, so that what else the machine does falls on all of them.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from math import inf
from statistics import median
from typing import TypeAlias

import numpy as np

from colosseum.solve.arrays import Floats
from colosseum.solve.backend import Query
from colosseum.solve.backends.highs import Highs
from colosseum.solve.lowering.program import Program, matrix
from colosseum.solve.solver import Solver

from .cases import BenchCase, HeldGoal, held, named, questions, single_payoffs
from .lines import Mark, Measurements
from .ours import ask
from .rivals import clock, pulp_rebuild, worth
from .rivals.direct import Direct

MILLI = 1e3


SMALL: dict[str, float | None] = {
    "tickets 6 8": 1 / 50, "tickets 12 16": None, "tickets 25 30": None, "capacity 6 3": None, "tree 20 3": None,
    "tickets_soft 6 8": None, "grid 4 4 3": None, "colouring 10 3 4": None, "colouring_random 10 3 4": None,
    "scale_free 10 3": None, "pairs 8 3 40": None, "tuples 8 2 3": None, "meetings 6 6": None,
}  # fmt: skip
"""Families, with the greatest ratio of live queries to a PuLP rebuild with HiGHS, where there is a bar."""
QUICK = 5
"""How many of these a quick run asks."""
NUMBER = 200
BLOCK = 20
"""Questions that one way is asked in a row before it is another's turn."""
REBUILT, QUICK_REBUILT = 40, 10
"""Of the questions, how many are put to programs that are rebuilt for each."""

Answers: TypeAlias = Callable[[], list[float | None]]


@dataclass
class Times:
    """Seconds by way, a figure for each question."""

    whole: list[float] = field(default_factory=list)
    solving: list[float] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)
    """What each question is, for `solving` and `direct`."""
    around: list[float] = field(default_factory=list)
    rebuilt: list[float] = field(default_factory=list)
    rivals: dict[str, list[float]] = field(default_factory=dict)

    def add(self, rival: str, seconds: float) -> None:
        """Note what a rival took."""
        self.rivals.setdefault(rival, []).append(seconds)

    def of_kind(self, kind: str, seconds: Sequence[float]) -> float | None:
        """The median in ms over questions of one kind."""
        return middle([s for k, s in zip(self.kinds, seconds, strict=True) if k == kind])

    def of(self, rival: str) -> float | None:
        """A rival's median in ms."""
        return middle(self.rivals.get(rival, []))


def middle(seconds: Sequence[float]) -> float | None:
    """The median in ms."""
    return median(seconds) * MILLI if seconds else None


def many(ledger: Measurements) -> None:
    """Measure every family, and print a table of HiGHS with and without PuLP, and one of rebuilding."""
    measured = []
    for words, rebuild in islice(SMALL.items(), QUICK if ledger.quick else None):
        made = named(words)
        measured.append((made.label, rebuild, times(ledger, made, questions(made.scenario, NUMBER))))
    ledger.tables(line for label, _, t in measured for line in _live(label, t))
    ledger.tables(line for label, rebuild, t in measured for line in _rebuilt(label, rebuild, t))
    ledger.tables(_jira(ledger))


def _live(label: str, t: Times) -> Iterator[Mark]:
    heading = "Many objectives on live objects, ms each"
    for kind in dict.fromkeys(t.kinds):
        ours, theirs = t.of_kind(kind, t.solving), t.of_kind(kind, t.rivals["direct"])
        yield Mark(heading, f"{label}, {kind}, solvers", ours, "direct HiGHS", theirs, most_ratio=1.2)
    every = f"{label}, all of them, solvers"
    yield Mark(heading, every, middle(t.solving), "direct HiGHS", t.of("direct"), most_ratio=1.2)
    yield Mark(heading, f"{label}, decoding and recomputing", middle(t.around), note="ours alone")


def _rebuilt(label: str, rebuild: float | None, t: Times) -> Iterator[Mark]:
    heading = "Objectives one by one, ms each"
    yield Mark(heading, f"{label}, new, solvers", middle(t.rebuilt), "direct HiGHS", t.of("direct new"), most_ratio=1.5)
    for engine in ("HiGHS", "CBC"):
        theirs = t.of(engine)
        note = "" if theirs is not None else "not installed"
        rival, live = f"PuLP and {engine}", f"{label}, live, solvers"
        if rebuild is not None and engine == "HiGHS":
            yield Mark(heading, live, middle(t.solving), rival, theirs, most_ratio=rebuild, note=note)
        yield Mark(heading, f"{label}, live, whole query", middle(t.whole), rival, theirs, note=note)
    theirs = t.of("elimination")
    yield Mark(heading, f"{label}, live, whole query", middle(t.whole), "elimination", theirs,
               note="" if theirs is not None else "too large")  # fmt: skip


def times(ledger: Measurements, made: BenchCase, asked: Sequence[HeldGoal]) -> Times:
    """Put the questions to live objects, then some of them to ways that make everything anew."""
    ledger.note(f"many objectives: {made.label}")
    solver = Solver(made.task)
    for question in asked:  # objectives may add columns the first time that they are lowered
        solver.highs.lowered.objective(question.goal)
    compared = _Compared(ledger, made, solver, Direct(matrix(solver.highs.lowered.program)))
    compared.live(asked)  # not counted: live objects are built, and whatever is slow the first time is done with
    compared.found = Times(kinds=[question.kind for question in asked])
    compared.live(asked)
    few = max(1, len(asked) // (QUICK_REBUILT if ledger.quick else REBUILT))
    compared.anew(asked[::few])
    compared.by_pulp(asked[::few])
    compared.eliminated(asked[::few])
    return compared.found


@dataclass
class _Compared:
    """All ways to answer questions on one instance."""

    ledger: Measurements
    made: BenchCase
    solver: Solver
    direct: Direct
    found: Times = field(default_factory=Times)

    def live(self, asked: Sequence[HeldGoal]) -> None:
        """Ours and HiGHS alone, on live objects; in blocks, as objectives are mostly asked one after the other."""
        for start in range(0, len(asked), BLOCK):
            block = asked[start : start + BLOCK]

            def ours(block: Sequence[HeldGoal] = block) -> list[float | None]:
                return [self.ours(question) for question in block]

            def theirs(block: Sequence[HeldGoal] = block) -> list[float | None]:
                ways = [partial(self.direct.maximise, *self.arguments(question)) for question in block]
                return [self.value("direct", question, way) for question, way in zip(block, ways, strict=True)]

            self.in_turn(f"objective {start}", ours, theirs, start // BLOCK)

    def anew(self, asked: Sequence[HeldGoal]) -> None:
        """The same on objects made anew from the lowered program."""
        for number, question in enumerate(asked):
            way = partial(_direct, self.solver.highs.lowered.program, *self.arguments(question))
            ours, theirs = partial(self.ours_anew, question), partial(self.value, "direct new", question, way)
            self.in_turn(f"objective {number} anew", lambda f=ours: [f()], lambda f=theirs: [f()], number)

    def in_turn(self, label: str, ours: Answers, theirs: Answers, number: int) -> None:
        """Either is the first every other time, as the first finds the caches colder; their values must be equal."""
        if number % 2:
            mine, other = ours(), theirs()
        else:
            other, mine = theirs(), ours()
        for place, (value, rival) in enumerate(zip(mine, other, strict=True)):
            self.ledger.equal(f"{self.made.label}, {label} + {place}", value, rival)

    def arguments(self, question: HeldGoal) -> tuple[Floats, dict[int, float]]:
        """What each column adds to the objective, and which columns are fixed."""
        lowered = self.solver.highs.lowered
        weights = lowered.objective(question.goal).weights
        padded = np.concatenate([weights, np.zeros(len(lowered.program.columns) - len(weights))])
        return padded, held(lowered.program, question.fixed)

    def ours(self, question: HeldGoal) -> float | None:
        """Our own exact value; the seconds of its parts are noted."""
        mine = ask(self.solver, question)
        self.found.whole.append(mine.whole)
        self.found.solving.append(mine.solving)
        self.found.around.append(mine.whole - mine.solving)
        return mine.optimum.value

    def value(self, name: str, question: HeldGoal, way: Callable[[], Floats | None]) -> float | None:
        """The exact value of a way's assignment; its seconds are noted."""
        began = clock()
        point = way()
        self.found.add(name, clock() - began)
        if point is None:
            return None
        return worth(self.made.task, question.goal, self.solver.highs.lowered.program.decode(point))

    def ours_anew(self, question: HeldGoal) -> float | None:
        """Our own exact value with new objects; decoding and recomputing are taken off its seconds."""
        began = clock()
        query = Query(question.goal, question.fixed)
        anew = Highs(self.solver.task)
        anew.__dict__["lowered"] = self.solver.highs.lowered
        found = anew.solve(query, until=inf)
        self.found.rebuilt.append(clock() - began - median(self.found.around))
        return found.value

    def by_pulp(self, asked: Sequence[HeldGoal]) -> None:
        """A PuLP problem for every question."""
        program = self.solver.highs.lowered.program
        for number, question in enumerate(asked):
            form, fixed = self.solver.highs.lowered.form(question.goal), held(program, question.fixed)
            mine = self.solver.maximise(question.goal, fixed=question.fixed).value
            for engine in pulp_rebuild.engines():
                way = partial(pulp_rebuild.maximise, program, form, fixed, engine=engine)
                theirs = self.value(engine, question, way)
                self.ledger.equal(f"{self.made.label}, objective {number}, PuLP and {engine}", mine, theirs)

    def eliminated(self, asked: Sequence[HeldGoal]) -> None:
        """Elimination from factors that are kept, where it is not too large."""
        kept = Solver(self.made.task, only="elimination")
        kept.maximise(asked[0].goal, fixed=asked[0].fixed)  # this makes the tables
        for number, question in enumerate(asked):
            began = clock()
            found = kept.maximise(question.goal, fixed=question.fixed)
            seconds = clock() - began
            if found.status == "limit":
                continue
            self.found.add("elimination", seconds)
            mine = self.solver.maximise(question.goal, fixed=question.fixed).value
            self.ledger.equal(f"{self.made.label}, objective {number}, elimination", mine, found.value)


def _direct(program: Program, weights: Floats, fixed: dict[int, float]) -> Floats | None:
    return Direct(matrix(program)).maximise(weights, fixed)


def _jira(ledger: Measurements) -> Iterator[Mark]:
    """The shipped tickets with their soft split: F_λ, and the slowest single r_i."""
    heading = "specs/jira.colo, soft, ms an objective in solvers"
    made = named("jira")
    bendings = [q for q in questions(made.scenario, NUMBER) if q.goal.total and not q.fixed]
    t = times(ledger, made, bendings)
    yield Mark(heading, "F_λ", middle(t.solving), "direct HiGHS", t.of("direct"), most_ratio=1.2)
    yield Mark(heading, "F_λ, whole query", middle(t.whole), "PuLP and HiGHS", t.of("HiGHS"))
    solver, singles = Solver(made.task), list(single_payoffs(made.task))
    for question in (*singles, *singles):
        ask(solver, question)
    seconds = {q.goal.payoffs[0][0]: list[float]() for q in singles}
    for _ in range(max(5, NUMBER // len(singles))):
        for question in singles:
            seconds[question.goal.payoffs[0][0]].append(ask(solver, question).solving)
    slowest = max(seconds, key=lambda agent: median(seconds[agent]))
    yield Mark(heading, f"r_i, the slowest ({slowest})", middle(seconds[slowest]))
