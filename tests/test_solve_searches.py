"""Where a solver alone is wrong: random games at which branch and bound once called a worse point optimal."""

import time
from collections.abc import Callable
from dataclasses import replace
from math import inf, isfinite
from pathlib import Path

import numpy as np
import pytest
from bench.cases import case
from specs_made import expanded
from test_solve_laws import STRUCTURAL, limited, tickets

from colosseum.solve.arrays import Floats
from colosseum.solve.backend import Status
from colosseum.solve.backends.highs_live import Best, Live, LiveProgram
from colosseum.solve.goal import WELFARE, Goal, payoff_of
from colosseum.solve.lowering.program import Matrix, matrix
from colosseum.solve.solver import Optimum, Solver

WITHOUT_PRESOLVE = """colosseum 1
scenario game "A random game"
agents ann, bob
set items = {p, q, r}
set slots = 0..1
set counts = 0..3
set busy = {ann}
table worth[items] = {p: 0, q: 0, r: 0.5}
table cost[agents, items] ~ integer(0, 9)
table bonus[k in counts] = k * (5 - 2 * k)
table match[items, items]
     | p    q   r
  p  | 1    0   2
  q  | 0.25 3  -1
  r  | 0    0   1
table load[i in items] = count(a in agents when pick[a] == i)
variable pick[agents]: items
variable slot[busy]: slots or none
variable buddy of ann: {ann, bob} or none

reward pay0: 0 if any(a in agents when pick[a] == q) and not all(a in busy when slot[a] >= 1) else -1
require rule0: 0 <= load[q] <= 1
require rule1 when pick[bob] != q and buddy == ann: pick[ann] in {p, r} or pick[bob] == none
require wish0 to each(a in agents when pick[a] == p) when pick[ann] == p:
  all(i in items when load[i] <= 1 or i == p) penalty 2.5
require wish1 to each(a in agents when pick[a] == p) when pick[bob] != q and buddy == ann:
  sum(slot[a] for a in busy when slot[a] != none) > 1 penalty 2.5
require unit0 to buddy: sum(slot[a] for a in busy when slot[a] != none) <= 1 penalty 2 per unit
require unit1 when pick[bob] != q and buddy == ann: load[p] <= 1 penalty 2 per unit
coalition cabal { members = {bob} }
"""
"""HiGHS 1.13 to 1.15 without presolve, at a tolerance of 1e-9, found -2.75 the least of `payoff[bob]`."""

BRIM = """colosseum 1
scenario near "A rule that is filled to the brim"
agents x[1..32]
set jobs = {go, stay}
variable pick[agents]: jobs
reward base when pick[x2] == go: 100000
reward small[i in agents where i != x1 and i != x2] when pick[i] == go: 1
require first: pick[x1] == go
require brim: sum((0.3 if q == x1 else 0.1) for q in agents when pick[q] == go) <= 0.1 + 0.2
"""
"""Within the tolerance of the relaxation x2 goes by 3e-8, which is almost whole and pays 0.003."""
INFLATED = """colosseum 1
scenario s "A bound above every point"
agents A, B
set ks = 0..2
set sm = 0..4
set jobs = {x, y}
table u[ks, jobs]
    | x    y
  0 | none none
  1 | 0.1  0.1
  2 | 1    -2
table g[sm] = {0: -2, 1: 0, 2: none, 3: 0.1, 4: 0}
variable bid[agents]: 0..2 or none
variable pick[agents]: jobs
reward r0 to A when u[bid[A], pick[B]] != none: u[bid[A], pick[B]]
reward r1: 0.3 if (bid[A] != none and bid[B] != 1) else 0.1
reward r2: -2 if (bid[A] != 0 and bid[B] != none) else 0
reward r3 when g[bid[B] * bid[A]] != none: g[bid[B] * bid[A]]
set many = 1..30
variable w[i in many] of A: 0..1
reward gain[i in many] when w[i] == 1: 1
require fixed: pick[B] == y
require room: count(i in many when w[i] == 1) <= 15
"""
"""The search with presolve finds 15.400001, as its tolerances let it."""

APART = """colosseum 1
scenario apart "Payoffs of very different sizes"
agents a0, a1, a2, a3, a4, a5
set items = {i0, i1}
table worth[agents, items]
  | i0 i1
  a0 | 200000 600000
  a1 | -70 0.7
  a2 | -0.3 20
  a3 | -2 -10
  a4 | -0.07 -700000
  a5 | 9000 0.1
table match[items, items]
  | i0 i1
  i0 | -0.007 6
  i1 | 0.8 -600000
table bulk[items] = {i0: 2, i1: 1}
variable pick[agents]: items or none
reward own[a in agents, p in items] when pick[a] == p: worth[a, p]
reward pair[(a, b) in pairs(agents)] when pick[a] != none and pick[b] != none: match[pick[a], pick[b]]
require r0[p in items]: count(a in agents when pick[a] == p) <= 1 penalty 0.0014 per unit
require r1: count(a in agents when pick[a] == i1) == 2
coalition cabal { members = {a0, a1} }
"""
FARTHER = """colosseum 1
scenario farther "The same of thirteen agents"
agents a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12
set items = {i0, i1}
set some = {a0, a1, a2, a3, a4, a5, a6, a7}
table worth[agents, items]
  | i0 i1
  a0 | 300000 0.8
  a1 | -4 3000
  a2 | 4 4000
  a3 | 0.07 -0.3
  a4 | -8 1
  a5 | -20 -0.07
  a6 | 6 0.007
  a7 | -300 -70
  a8 | 3 -9
  a9 | -0.004 0.006
  a10 | -2000 -0.8
  a11 | 800000 -0.7
  a12 | 50000 -4
table match[items, items]
  | i0 i1
  i0 | 0.007 -500000
  i1 | -0.9 60000
variable pick[agents]: items or none
reward own[a in agents, p in items] when pick[a] == p: worth[a, p]
reward pair[(a, b) in pairs(some)] when pick[a] != none and pick[b] != none: match[pick[a], pick[b]]
require r1: count(a in agents when pick[a] == i1) == 1
require r0[p in items]: count(a in agents when pick[a] == p) <= 2 penalty 0.201 per unit
coalition cabal { members = {a0, a1} }
"""
"""At a tolerance of 1e-9 all searches together call 1 149 711.237 the most."""

CLOSE = """colosseum 1
scenario g "A least value that two searches miss by 0.064"
agents a0, a1, a2, a3, a4, a5, a6
set items = {i0, i1, i2}
set some = {a0, a1, a2, a3, a4, a5}
table worth[agents, items]
  | i0 i1 i2
  a0 | 200 0.09 -50
  a1 | 0.09 -4000 8000
  a2 | 4 7 60
  a3 | -300000 -0.007 0.1
  a4 | 5000 700000 -2
  a5 | 1000000 -60000 -0.09
  a6 | -0.06 0.004 3000000
table match[items, items]
  | i0 i1 i2
  i0 | 70 500 -4000
  i1 | 6 0.001 7000
  i2 | -8 900000 70000
variable pick[agents]: items or none
reward own[a in agents, p in items] when pick[a] == p: worth[a, p]
reward pair[(a, b) in pairs(some)] when pick[a] != none and pick[b] != none: match[pick[a], pick[b]]
require r0[p in items]: count(a in agents when pick[a] == p) <= 1 penalty 0.1536 per unit
coalition cabal { members = {a0, a1} }
"""
"""Both ways to search call -363494.3022 the least, unless they tell a grain from nothing."""
OFF = """colosseum 1
scenario g "Tolerances that add up to 0.128"
agents a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10
set items = {i0, i1, i2}
set some = {a0, a1, a2, a3, a4, a5, a6, a7, a8}
table worth[agents, items]
  | i0 i1 i2
  a0 | 3000 0.05 -4
  a1 | 3 900 8
  a2 | -600 40000 70
  a3 | 60 -90 100000
  a4 | 9 800000 9000
  a5 | -200 700 400000
  a6 | 0.4 -6000 -20
  a7 | 0.4 0.7 -0.06
  a8 | 0.002 7000 0.09
  a9 | -80000 900 -30
  a10 | 40 -70 -0.05
table match[items, items]
  | i0 i1 i2
  i0 | 0.08 0.02 600000
  i1 | 30 50 -800
  i2 | 0.008 -500 -0.5
variable pick[agents]: items or none
reward own[a in agents, p in items] when pick[a] == p: worth[a, p]
reward pair[(a, b) in pairs(some)] when pick[a] != none and pick[b] != none: match[pick[a], pick[b]]
require r0[p in items]: count(a in agents when pick[a] == p) <= 3 penalty 1793 per unit
require r1: count(a in agents when pick[a] == i1) <= 3
coalition cabal { members = {a0, a1} }
"""
"""With a tolerance of 1e-6 a search's point is worth 0.128 more to it than in the model."""
LOST = """colosseum 1
scenario g "A least value that a strict search loses again"
agents a0, a1, a2, a3, a4, a5
set items = {i0, i1, i2}
set some = {a0, a1, a2, a3}
table worth[agents, items]
  | i0 i1 i2
  a0 | 70 -5000 8
  a1 | 0.001 60 200000
  a2 | 100 600000 9000000
  a3 | 0.1 0.004 50000
  a4 | 90000 0.7 0.8
  a5 | 0.7 70000 3000
table match[items, items]
  | i0 i1 i2
  i0 | 4000000 0.4 0.6
  i1 | 40000 -60 8000
  i2 | -0.008 -5000000 -1
variable pick[agents]: items or none
reward own[a in agents, p in items] when pick[a] == p: worth[a, p]
reward pair[(a, b) in pairs(some)] when pick[a] != none and pick[b] != none: match[pick[a], pick[b]]
require r0[p in items]: count(a in agents when pick[a] == p) <= 2 penalty 1.201 per unit
require r1: count(a in agents when pick[a] == i1) == 1
coalition cabal { members = {a0, a1} }
"""
"""A search thinks 2 too much; by a strict tolerance it goes on to a point that is worth 100.384 less."""
MILLIONS = """colosseum 1
scenario s "Cases over sums of millions"
agents A, B
variable w0 of A: {3300000, 400000, 100000}
variable w1 of B: {100000, 3000000}
variable w2 of B: {2200000, -2000000, 1000000}
variable w3 of B: {-1300000, -1900000}
variable w4 of A: {-700000, 2400000, 0}
variable w5 of B: {-1500000, 1900000}
variable w6 of A: {3600000, -800000}
variable w8 of B: {1000000, 700000, 200000}
reward r0: (w0 + w1 + w6 + 100000 if w0 - w1 - w2 + w6 + w8 <= 7700000 else w0 - w1 - w2 + w6 + w8) / 1000000
reward r1: -(w0 + w1 + w3 - w6 + 100000 + w8 if w0 + w3 + w4 + w5 + w6 - 100000 <= -4400000
             else w0 + w3 + w4 + w5 + w6 - 100000) / 1000000
coalition c { members = {A} }
"""
"""With columns of 1e7 both searches called -0.8 the least."""

Row = tuple[float, dict[int, float], float]
EMPTY_BY_PRESOLVE: list[Row] = [
    (1, {2: 1, 3: 1, 4: 1}, 1), (-inf, {3: 1, 5: 1}, 0), (0, {0: -1, 6: 1, 7: 1}, 0),
    (-inf, {0: 0.725, 1: -0.525, 3: 2, 5: -1}, 2.0000000055250005), (-inf, {3: -1, 8: 1}, 0), (0, {3: -1, 8: 1}, inf),
    (-inf, {4: -6.25, 8: -0.1, 9: 1}, 0), (0, {4: 101 / 6, 8: -0.1, 9: 1}, inf), (-inf, {0: 1, 1: 1, 10: 1}, 1),
    (1, {0: 1, 1: 1, 10: 1}, inf), (1, {0: 1, 11: 1}, inf), (-inf, {11: 1, 12: -1}, 0), (-inf, {0: 1, 11: 1, 12: 1}, 2),
]  # fmt: skip
"""HiGHS 1.15 with presolve says that these rows have no point, at its own tolerances too."""


def test_no_search_is_believed_alone(tmp_path: Path) -> None:
    assert limited(expanded(tmp_path, WITHOUT_PRESOLVE).task, STRUCTURAL).minimise(payoff_of("bob")).value == -3


def test_rows_that_presolve_calls_empty_have_a_point() -> None:
    starts = np.cumsum([0, *(len(weights) for _, weights, _ in EMPTY_BY_PRESOLVE)])
    index = np.array([column for _, weights, _ in EMPTY_BY_PRESOLVE for column in weights])
    weights = np.array([weight for _, weights, _ in EMPTY_BY_PRESOLVE for weight in weights.values()], dtype=np.float64)
    low, high, whole = np.zeros(13), np.ones(13), np.isin(np.arange(13), [0, 1, 2, 3, 4, 12])
    low[[5, 9]], high[[5, 9]] = (-1.0, -6.25), (3.0, 101 / 6)
    rows = (np.array([row[side] for row in EMPTY_BY_PRESOLVE], dtype=np.float64) for side in (0, 2))
    live = LiveProgram(Matrix(low, high, whole, starts, index, weights, *rows), time.monotonic)
    assert live.search(np.zeros(13), live.matrix, most=0.0, until=inf).status == "optimal"


@pytest.mark.parametrize(
    ("text", "ask", "value"),
    [
        (APART, Solver.maximise, 9_023.1202), (FARTHER, Solver.maximise, 1_150_012.223),
        (CLOSE, Solver.minimise, -363_494.3662), (OFF, Solver.minimise, -99_850.02),
        (LOST, Solver.minimise, -9_799_993.397), (MILLIONS, Solver.minimise, -2.7),
    ],
    ids=["apart", "farther", "close", "off", "lost", "millions"],
)  # fmt: skip
def test_no_size_of_payoffs_hides_an_optimum(
    tmp_path: Path, text: str, ask: Callable[[Solver, Goal], Optimum], value: float
) -> None:
    """As enumerated."""
    found = ask(Solver(expanded(tmp_path, text).task, only="highs"), WELFARE)
    assert (found.status, found.value) == ("optimal", pytest.approx(value, rel=1e-12))


@pytest.mark.parametrize(("text", "value"), [(BRIM, 0.0), (INFLATED, 15.4)], ids=["brim", "inflated"])
def test_what_holds_by_a_tolerance_alone_is_no_optimum(tmp_path: Path, text: str, value: float) -> None:
    found = Solver(expanded(tmp_path, text).task).maximise(WELFARE)
    assert (found.status, found.value) == ("optimal", pytest.approx(value, abs=1e-12))


def test_a_query_has_its_time_whatever_was_asked_before() -> None:
    """HiGHS counts it from the first run."""
    lowered = Solver(tickets()).highs.lowered
    costs, live = lowered.objective(WELFARE).weights, LiveProgram(matrix(lowered.program), lambda: 0.0)
    for _ in range(3):
        before = live.highs.getRunTime()
        live.relax(costs, live.matrix, until=7.0)
        assert live.highs.getOptionValue("time_limit")[1] == 7.0 + before


def test_a_first_point_has_a_share_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rules that leave little room near the relaxation's point would take all of it, and leave no point at all."""
    lowered, given = Solver(case("capacity", 50, 8).task).highs.lowered, list[float]()

    def fruitless(self: Live, costs: Floats, *, until: float, above: float = -inf) -> Best:
        given.append(until)
        return Best("limit", None, inf)

    costs, live = lowered.objective(WELFARE).weights, LiveProgram(matrix(lowered.program), lambda: 50.0)
    best = live.relax(costs, live.matrix, until=inf)
    monkeypatch.setattr(Live, "ask", fruitless)
    assert live.search(costs, live.matrix, most=best.bound, until=150.0).status == "limit"
    assert given == [60.0, 150.0, 150.0]


def test_a_known_point_cuts_off_none_that_is_a_little_better() -> None:
    """The first point of 50 items that are worth 100 000 more each is worse by 2, which is less than a millionth."""
    lowered = Solver(case("capacity", 50, 8).task).highs.lowered
    gains, values = np.round(4 * lowered.objective(WELFARE).weights) / 4, list[float]()
    for more in (0.0, 100_000.0):
        costs = np.where(gains, gains + more, 0.0)
        live = LiveProgram(matrix(lowered.program), time.monotonic)
        found = live.search(costs, live.matrix, most=live.relax(costs, live.matrix, until=inf).bound, until=inf)
        assert (found.status, found.point is not None) == ("optimal", True)
        values.append(float(gains @ np.round(found.point)))
    assert values == [398.25, 398.25]


@pytest.mark.parametrize("seconds", [0.0, 1e-9, 1e-3])
def test_what_a_relaxation_leaves_open_is_no_bound(seconds: float) -> None:
    """HiGHS tells 0 of a relaxation that it has not solved."""
    found = Solver(case("tickets", 50, 60).task, seconds, only="highs").maximise(WELFARE)
    assert (found.status, found.value, found.bound) == ("limit", None, None)


@pytest.mark.parametrize("status", ["optimal", "limit"])
def test_what_a_search_tells_is_a_bound(status: Status, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first comes to no end, or tells more than its point is worth."""
    lowered, ask = Solver(tickets()).highs.lowered, Live.ask

    def boasting(self: Live, costs: Floats, *, until: float, above: float = -inf) -> Best:
        answer = ask(self, costs, until=until, above=above)
        return answer if isfinite(above) else replace(answer, status=status, bound=answer.bound + 3)

    monkeypatch.setattr(Live, "ask", boasting)
    costs, live = lowered.objective(WELFARE).weights, LiveProgram(matrix(lowered.program), time.monotonic)
    alone = live.search(costs, live.matrix, most=inf, until=inf)
    assert alone.point is not None
    best = costs @ alone.point
    assert (alone.status, alone.bound) == ("limit", best + 3)
    assert live.search(costs, live.matrix, most=best + 2, until=inf).bound == best + 2
    assert live.search(costs, live.matrix, most=best, until=inf).status == "optimal"


def test_a_search_that_was_cut_off_does_not_stop_the_next_one() -> None:
    """HiGHS remembers that it was interrupted, unless it is told otherwise at each look."""
    solver = Solver(case("capacity", 50, 8).task, 0.05, by_work=True, only="highs")
    assert solver.maximise(WELFARE).status == "limit"
    solver.time_limit = 100.0
    found = solver.maximise(WELFARE)
    assert (found.status, found.value) == ("optimal", pytest.approx(397.72997))
