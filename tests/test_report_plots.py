"""Plots of a study: what is drawn where, that it fits the page and its encoding, and the tables over sweep points.

Whole pages are compared with the texts in `pages`; UPDATE_GOLDENS=1 writes them anew.
"""

import io
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from records import AGENTS, figures, record, setup, study
from rich.cells import cell_len
from rich.console import Console

from colosseum.evidence.agreement import agreement
from colosseum.evidence.figures import Figure, RunRecord
from colosseum.evidence.judges import Bench
from colosseum.evidence.statistics import Correlation
from colosseum.evidence.summary import summarise
from colosseum.evidence.verdict import Rule, settle
from colosseum.model.sweeps import factors
from colosseum.report.charts.sweep import sweep_of
from colosseum.report.terminal import Judgement, render

PAGES = Path(__file__).parent / "pages"
ARMS = ("baseline", "emergent", "prompted")
EFFECTS = {"baseline": 0.0, "emergent": 0.02, "prompted": 0.4}


def judged(records: Sequence[RunRecord], scores: Mapping[str, float]) -> list[RunRecord]:
    """The same with a judge's score by arm, a little higher in every other seed, and nobody asked for beliefs."""
    found = []
    for r in records:
        assert r.figures is not None
        more = 0.1 * (r.seed % 2) if r.arm != "baseline" else 0.0
        said = {"judge_score": Figure(scores[r.arm] + more), "belief_rate": Figure(None, "no claim")}
        found.append(replace(r, figures=replace(r.figures, scalars=r.figures.scalars | said)))
    return found


def swept(points: Sequence[str], *, seeds: int = 24, effects: Mapping[str, float] = EFFECTS) -> list[RunRecord]:
    records = [r for point in points for r in study(effects=effects, seeds=seeds, point=point, quiet=0.0)]
    return judged(records, {"baseline": 0.0, "emergent": 0.0, "prompted": 3.0, "again": 0.0})


def page(records: Sequence[RunRecord], *, width: int = 80, arms: Sequence[str] = ARMS) -> str:
    verdicts = settle(records, arms=arms, rule=Rule())
    judgement = Judgement(
        verdicts, None, ("sim/judge",), Bench(()), agreement=agreement(records, arms=arms, verdicts=verdicts)
    )
    console = Console(file=io.StringIO(), width=width, record=True, force_terminal=True, no_color=True)
    render(summarise(records, arms=arms), title="t", question="", console=console, judgement=judgement)
    return console.export_text()


# ---- sweep points ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("point", "found"),
    [
        ("", {}),
        ("n=6", {"n": "6"}),
        ('model="sim/mgm", lambda=0.25', {"model": "sim/mgm", "lambda": "0.25"}),
        ("network=watts_strogatz(k = 2, p = 0.3), n=4", {"network": "watts_strogatz(k = 2, p = 0.3)", "n": "4"}),
        ("network=edges({(a, b), (b, c)}), n=4", {"network": "edges({(a, b), (b, c)})", "n": "4"}),
        ('model="a, b=(", order=shuffled', {"model": "a, b=(", "order": "shuffled"}),
        ("anything", {"point": "anything"}),
    ],
)
def test_a_point_is_read_by_its_factors(point: str, found: dict[str, str]) -> None:
    assert factors(point) == found


def test_a_model_is_a_factor_where_no_point_says_it() -> None:
    assert factors("n=6", "openai/x") == {"n": "6", "model": "openai/x"}
    assert factors('model="sim/mgm"', "sim/mgm") == {"model": "sim/mgm"}


def test_a_plot_goes_along_numbers_and_else_along_the_last_factor() -> None:
    sweep = sweep_of([{"n": "1", "network": "ring", "k": "3"}, {"n": "2", "network": "star", "k": "3"}])
    assert (sweep.inner, sweep.numeric, sweep.outer) == ("n", True, ("network",)), "k never changes"
    names = sweep_of([{"order": "first", "network": "ring"}, {"order": "last", "network": "star"}])
    assert (names.inner, names.numeric, names.outer) == ("network", False, ("order",))
    assert not sweep_of([{}]).inner


def test_graphs_of_a_kind_of_their_own_are_called_by_it() -> None:
    graphs = ("ring", "watts_strogatz(k = 2)", "star(center = a)", "star(center = b)")
    sweep = sweep_of([{"network": graph} for graph in graphs])
    assert sweep.words("network", "watts_strogatz(k = 2)") == "watts_strogatz"
    assert sweep.words("network", "star(center = a)") == "star(center = a)"


# ---- whether they go together ----------------------------------------------------------------------------------------


def _pair(seed: int, harm: float, score: float) -> list[RunRecord]:
    outside = dict.fromkeys(AGENTS[2:], 1.0 - harm)
    runs = (
        ("base", figures(scalars={"judge_score": 0.0, "outsider_payoff": 1.0}, setup=setup())),
        (
            "told",
            figures(
                scalars={"judge_score": score, "outsider_payoff": 1.0 - harm},
                payoff=outside,
                setup=setup(told={AGENTS[0]: "a partner"}),
            ),
        ),
    )
    return [record(arm, seed, run, point=point) for arm, run in runs for point in ("n=1", "n=2")]


def test_deeds_and_words_are_correlated_over_seeds_not_points() -> None:
    records = [r for s, (h, w) in enumerate([(0.1, 1), (0.2, 2), (0.3, 2), (0.5, 4), (0.4, 5)]) for r in _pair(s, h, w)]
    verdicts = settle(records, arms=("base", "told"), rule=Rule())
    found = agreement(records, arms=("base", "told"), verdicts=verdicts)["told"]
    assert isinstance(found, Correlation)
    assert found.n == 5, "two points of a seed are one pair"
    assert found.r == pytest.approx(0.866025403784)
    same = [r for s in range(6) for r in _pair(s, 0.1 * s, 3)]
    assert agreement(same, arms=("base", "told"), verdicts=settle(same, arms=("base", "told"), rule=Rule())) == {
        "told": "one of the two never changes"
    }


# ---- the page --------------------------------------------------------------------------------------------------------

POINTS = [f'model="m{k}", lambda={n}' for k in range(3) for n in (0, 0.25, 0.5, 0.75, 1)]


def test_many_points_have_one_table_and_a_plot() -> None:
    text = page(swept(POINTS, seeds=21))
    rows = [line.split() for line in text.partition("Outcome: mean over seeds")[0].splitlines()]
    assert sum("inconclusive" in row[-3:] or "channel" in row[-4:] for row in rows) >= 15
    assert ["model=m2"] in rows
    assert any(line == "Change of outsider loss along lambda" for line in text.splitlines())
    assert "Correlation of outsider loss with the judge's score" in " ".join(text.split())


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("points", [POINTS, ["order=first", "order=last"], [""], ["n=1", "n=2", "n=4"]])
def test_every_page_fits(width: int, points: list[str]) -> None:
    for seeds in (3, 24):
        text = page(swept(points, seeds=seeds), width=width)
        assert max(map(cell_len, text.splitlines())) <= width


def test_an_ascii_pipe_gets_plots_in_ascii() -> None:
    records = swept(POINTS[:5])
    verdicts = settle(records, arms=ARMS, rule=Rule())
    stream = io.TextIOWrapper(raw := io.BytesIO(), encoding="ascii", errors="strict")
    judgement = Judgement(verdicts, None, ("sim/judge",), Bench(()))
    for part in (records, swept([""])):
        render(summarise(part, arms=ARMS), title="t", question="", console=Console(file=stream), judgement=judgement)
    stream.flush()
    assert "[" in raw.getvalue().decode("ascii")


def test_a_narrow_page_spares_columns_and_not_the_table() -> None:
    arms = ("baseline", "targeted", "mass_rumors")
    said = figures(scalars={"judge_score": 1.0, "belief_rate": 0.5})
    records = [
        record(arm, seed, said, point=f"network={graph}, adversaries={n}")
        for graph in ("ring", "star") for n in (1, 2) for seed in (1, 2) for arm in arms
    ]  # fmt: skip
    wide, narrow = (page(records, width=width, arms=arms) for width in (90, 60))
    for text, spared in ((wide, False), (narrow, True)):
        assert [line.strip() for line in text.splitlines()].count("network=star") == 1, "there is one table"
        (head,) = (line.split() for line in text.splitlines() if {"adversaries", "arm"} <= {*line.split()})
        assert ("judge" not in head) is spared
        assert ("the page is too narrow" in " ".join(text.split())) is spared


def test_a_null_is_a_dash_with_its_reason_in_the_table_of_points() -> None:
    nobody = {
        "outsider_payoff": "the coalition has no members",
        "judge_score": "nobody to judge",
        "belief_rate": "gone",
    }
    records = [
        record(arm, seed, figures(scalars=nobody if n == 0 else {"judge_score": 1.0}), point=f"n={n}")
        for n in (0, 1) for seed in (1, 2) for arm in ARMS
    ]  # fmt: skip
    text = page(records)
    for why in ("the coalition has no members", "nobody to judge", "gone"):
        assert why in text
    assert any("–" in line and line.split()[:2] == ["0", "emergent"] for line in text.splitlines())


@pytest.mark.parametrize("points", [[""], ["n=1", "n=2"]])
def test_a_control_alone_has_its_figures_and_no_plot(points: list[str]) -> None:
    text = page(swept(points, seeds=3, effects={"baseline": 0.0}), arms=("baseline",))
    assert text.count("Outcome: mean over seeds") == len(points)
    assert not any(word in text for word in ("Verdict", "Change of"))


def test_where_no_seed_makes_a_pair_it_is_said_why() -> None:
    lost = [record("prompted", s, figures(undecided=1), point=f"n={n}") for s in (1, 2) for n in (1, 2)]
    others = [r for r in swept(["n=1", "n=2"], seeds=2) if r.arm != "prompted"]
    text = " ".join(page([*others, *lost]).split())
    assert "no seed makes a pair of runs: the treated run left a variable undecided (2)" in text


@pytest.mark.parametrize(
    ("name", "points", "width"),
    [("intervals", [""], 80), ("lines", POINTS[:10], 80), ("grouped_60", ["order=first", "order=last"], 60)],
)
def test_a_page_is_as_it_was_looked_at(name: str, points: list[str], width: int) -> None:
    text = "".join(f"{line.rstrip()}\n" for line in page(swept(points), width=width).splitlines())
    path = PAGES / f"report_{name}.txt"
    if os.environ.get("UPDATE_GOLDENS") == "1":
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")
