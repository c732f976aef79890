"""Terms over more joint values than could be written out: products, quotients, comparisons of decimals.

Every optimum is compared with an enumeration by numpy, whose formulas are written here.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from by_hand import integer, sample
from specs_made import HEAD, expanded

from colosseum.solve.goal import WELFARE, Goal, coalition_goal
from colosseum.solve.solver import Solver

Formula = Callable[..., "np.ndarray[tuple[int, ...], np.dtype[np.float64]]"]


def ends(folder: Path, text: str, goal: Goal | None = None) -> tuple[float | None, float | None]:
    """The greatest and least value of F_n, or of the first coalition's objective, proven."""
    scenario = expanded(folder, HEAD + text)
    solver = Solver(scenario.task)
    aim = goal or (coalition_goal(scenario.coalitions[0]) if scenario.coalitions else WELFARE)
    best, worst = solver.maximise(aim, canonical=True), solver.minimise(aim)
    assert (best.status, worst.status) == ("optimal", "optimal")
    return best.value, worst.value


def enumerated(formula: Formula, *domains: Sequence[float]) -> tuple[float, float]:
    """The greatest and least value of a formula that numpy reckons for every assignment."""
    values = formula(*np.meshgrid(*(np.array(d, dtype=float) for d in domains), indexing="ij"))
    return float(np.nanmax(values)), float(np.nanmin(values))


THREE = "agents ann, bob\nvariable p of ann: 0..30\nvariable q of bob: -20..20\nvariable r of bob: 1..20\n"
DOMAINS = (range(31), range(-20, 21), range(1, 21))


@pytest.mark.parametrize(
    ("written", "formula"),
    [
        ("p * q - 0.37 * p * p + (q + r) * (p - 2 * r)", lambda p, q, r: p * q - 0.37 * p * p + (q + r) * (p - 2 * r)),
        ("max(p, 2 * r) * min(q, r) - 3 * p", lambda p, q, r: np.maximum(p, 2 * r) * np.minimum(q, r) - 3 * p),
        ("abs(p + q) * (r - 10)", lambda p, q, r: abs(p + q) * (r - 10)),
        ("(p * 0.1 if q > 3 else r * 0.7) * (q - 0.25)", lambda p, q, r: np.where(q > 3, 0.1 * p, 0.7 * r) * (q - .25)),
        ("p / (r + p) - 0.01 * q * r", lambda p, q, r: p / (r + p) - 0.01 * q * r),
        ("(p - q) / (25 + q + r)", lambda p, q, r: (p - q) / (25 + q + r)),
        ("bonus[p + r] * 0.5 + 0.1 * q", lambda p, q, r: ((p + r) * 7 % 11) * 0.5 + 0.1 * q),
    ],
)  # fmt: skip
def test_products_quotients_and_look_ups_by_sums(tmp_path: Path, written: str, formula: Formula) -> None:
    rest = "sum(k for k in 0..10 where any(m in 0..40 where 11 * m + k == 7 * s))"  # 7 s modulo 11
    table = f"set sums = 1..50\ntable bonus[s in sums] = {rest}\n" if "bonus" in written else ""
    text = f"{THREE}{table}reward pay: {written}"
    best, worst = enumerated(formula, *DOMAINS)
    assert ends(tmp_path, text) == (pytest.approx(best, abs=1e-9), pytest.approx(worst, abs=1e-9))


COSTS = np.array([[0.1, 0.9, 1.3, 1.9, 0.4], [0.7, 1.1, 0.3, 1.6, 0.2], [1.2, 0.5, 1.7, 0.8, 0.6],
                  [0.3, 1.4, 0.9, 1.8, 1.0], [0.6, 0.2, 1.5, 1.1, 0.7], [1.3, 0.4, 0.1, 0.9, 1.6],
                  [0.8, 1.0, 0.5, 1.2, 0.3]])  # fmt: skip
WORTH = np.round(COSTS[::-1, ::-1] ** 1.5 + 0.13, 2)


def staffed(rule: str) -> str:
    """Seven agents who take one of five options, with costs of one decimal: 78 125 assignments."""
    lines = [f"agents {', '.join(f'a{i}' for i in range(7))}", "set options = 0..4"]
    for name, table in (("cost", COSTS), ("worth", WORTH)):
        rows = [f"  a{i} | {'  '.join(map(str, row))}" for i, row in enumerate(table.tolist())]
        lines += [f"table {name}[agents, options]", "  | 0 1 2 3 4", *rows]
    return "\n".join([*lines, "variable take[agents]: options", "table spent = sum(cost[a, take[a]] for a in agents)",
                      "reward gain: sum(worth[a, take[a]] for a in agents)", rule])  # fmt: skip


def summed(table: "np.ndarray[tuple[int, ...], np.dtype[np.float64]]", *taken: object) -> object:
    """A sum over the agents in declared order, added up as the model adds."""
    total = 0.0
    for row, choice in zip(table, taken, strict=True):
        total = total + row[np.asarray(choice).astype(int)]
    return total


@pytest.mark.parametrize("order", ["<=", "<", ">=", ">", "!="])
def test_soft_comparisons_of_decimals(tmp_path: Path, order: str) -> None:
    """Many sums come to 4.3 only up to rounding: what breaks the rule is what breaks it in the model."""
    holds = {"<=": np.less_equal, "<": np.less, ">=": np.greater_equal, ">": np.greater, "!=": np.not_equal}[order]

    def formula(*taken: object) -> object:
        return summed(WORTH, *taken) - np.where(holds(summed(COSTS, *taken), 4.3), 0.0, 3.7)  # type: ignore[operator]

    best, worst = enumerated(formula, *[range(5)] * 7)  # type: ignore[arg-type]
    text = staffed(f"require budget: spent {order} 4.3 penalty 3.7")
    assert ends(tmp_path, text) == (pytest.approx(best, abs=1e-9), pytest.approx(worst, abs=1e-9))


def test_hard_comparisons_of_decimals(tmp_path: Path) -> None:
    def formula(*taken: object) -> object:
        spent = summed(COSTS, *taken)
        return np.where(np.logical_and(spent > 2.2, spent != 5.1), summed(WORTH, *taken), np.nan)  # type: ignore[operator]

    best, worst = enumerated(formula, *[range(5)] * 7)  # type: ignore[arg-type]
    found = ends(tmp_path, staffed("require budget: 2.2 < spent and spent != 5.1"))
    assert found == (pytest.approx(best, abs=1e-9), pytest.approx(worst, abs=1e-9))


def test_payoffs_compared_and_multiplied_in_an_objective(tmp_path: Path) -> None:
    text = """
    agents ann, bob
    variable p of ann: 0..9
    variable q of bob: 0..9
    reward one to ann: 0.3 * p - 0.1 * q * p
    reward two to bob: 0.7 * q + 0.2 * p
    coalition cabal { members = {ann} objective ahead: (p + q if payoff[ann] > payoff[bob] else 0 - p) * payoff[ann] }
    """

    def formula(p: float, q: float) -> object:
        ann, bob = 0.3 * p - 0.1 * q * p, 0.7 * q + 0.2 * p
        return np.where(ann > bob, p + q, -p) * ann

    best, worst = enumerated(formula, range(10), range(10))  # type: ignore[arg-type]
    assert ends(tmp_path, text) == (pytest.approx(best, abs=1e-9), pytest.approx(worst, abs=1e-9))


JOBS = [f"j{n}" for n in range(1, 151)]
KIND = {j: sample(("k1", "k2", "k3"), 1, 1, "kind", j)[0] for j in JOBS}
NEAR = {j: sample(JOBS, 4, 1, "near", j) for j in JOBS}
FIT = {j: sample(JOBS, 1, 1, "fit", j)[0] for j in JOBS}


@pytest.mark.parametrize(
    ("written", "rule"),
    [
        ("kind[v[a]] == kind[v[b]]", lambda p, q: KIND[p] == KIND[q]),
        ("v[a] in near[v[b]]", lambda p, q: p in NEAR[q]),
        ("fit[v[a]] != v[b]", lambda p, q: FIT[p] != q),
    ],
)
def test_names_and_sets_that_decisions_look_up(tmp_path: Path, written: str, rule: Callable[[str, str], bool]) -> None:
    """Two agents, 151 choices each: the value of every pair is worked out here, from draws made here."""
    text = """
    agents a, b
    set jobs = j[1..150]
    set kinds = {k1, k2, k3}
    table kind[j in jobs] of kinds ~ choice(kinds)
    table near[j in jobs] ~ sample(jobs, 4)
    table fit[j in jobs] of jobs ~ choice(jobs)
    table w[agents, jobs] ~ integer(0, 99)
    variable v[agents]: jobs or none
    """
    w = {(a, j): integer(0, 99, 1, "w", a, j) for a in "ab" for j in JOBS}
    values = [w["a", p] + w["b", q] + (40 if rule(p, q) else 0) for p in JOBS for q in JOBS]
    both = f"reward pay when v[a] != none and v[b] != none: w[a, v[a]] + w[b, v[b]] + (40 if {written} else 0)"
    assert ends(tmp_path, f"{text}{both}\nrequire b_decides: v[a] != none and v[b] != none") == (
        max(values),
        min(values),
    )
