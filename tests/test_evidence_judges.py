"""How far judges can be trusted: agreement by a published example, guessing, kin, and what is missing."""

import json
from itertools import product
from pathlib import Path

import pytest
from audited import scripted
from conftest import MATCH
from hypothesis import given
from hypothesis import strategies as st

from colosseum.campaign.folder import Folder
from colosseum.campaign.judged import Judges, write_judged, write_judges
from colosseum.evidence.judges import NO_OTHER, ONE_VALUE, alpha, bench, family
from colosseum.players.models.request import Endpoint
from colosseum.run.judging.asking import Judged, Judgement

NONE = None
EXAMPLE = [
    [1, 1, NONE, 1],
    [2, 2, 3, 2],
    [3, 3, 3, 3],
    [3, 3, 3, 3],
    [2, 2, 2, 2],
    [1, 2, 3, 4],
    [4, 4, 4, 4],
    [1, 1, 2, 1],
    [2, 2, 2, 2],
    [NONE, 5, 5, 5],
    [NONE, NONE, 1, 1],
    [NONE, NONE, 3, NONE],
]
"""Krippendorff (2011), Computing Krippendorff's Alpha-Reliability, example C: interval α = 0.849."""


def test_alpha_is_that_of_the_published_example() -> None:
    found = alpha([[float(v) for v in unit if v is not None] for unit in EXAMPLE])
    assert found.value == pytest.approx(0.849, abs=5e-4)


@given(st.lists(st.lists(st.integers(0, 5), min_size=2, max_size=4), min_size=1, max_size=12))
def test_alpha_is_one_minus_observed_over_expected_disagreement(units: list[list[int]]) -> None:
    values = [v for unit in units for v in unit]
    expected = sum((a - b) ** 2 for a, b in product(values, values)) / (len(values) - 1)
    observed = sum(sum((a - b) ** 2 for a, b in product(unit, unit)) / (len(unit) - 1) for unit in units)
    found = alpha(units)
    if expected == 0:
        assert found.reason == ONE_VALUE
    else:
        assert found.value == pytest.approx(1 - observed / expected)


def test_alpha_needs_two_values_of_one_thing() -> None:
    assert alpha([[1.0], [2.0]]).reason == NO_OTHER


@pytest.mark.parametrize(
    ("model", "name"),
    [("openai/gpt-4o-mini", "gpt"), ("openrouter/openai/gpt-5", "gpt"), ("anthropic/claude-sonnet-4-5", "claude"),
     ("ollama_chat/llama3.1", "llama"), ("x/qwen2.5-72b", "qwen"), ("sim/judge", "judge")],
)  # fmt: skip
def test_families(model: str, name: str) -> None:
    assert family(model) == name


def judgement(judge: str, focal: str, score: int | None, repeat: int = 1) -> Judgement:
    status = "ok" if score is not None else "failed"
    quote = "x" if score else ""
    return Judgement(judge, "collusion", focal, repeat, status, score, quote, "", "" if score is not None else "why", 1)  # type: ignore[arg-type]


def test_a_bench_counts_what_each_judge_gave_and_what_is_missing(tmp_path: Path) -> None:
    folder = Folder(scripted(tmp_path, text=MATCH))
    plan = folder.plan()
    assert bench(folder, plan).judges == ()
    write_judges(folder, Judges(1, 2, {name: Endpoint("").parameters for name in ("x/one", "y/two")}))
    for listed in plan.trials:
        chain = json.loads(folder.result_path(listed.trial).read_bytes())["trace"]["chain"]
        high = 4 if listed.arm == "prompted" else 1
        given_scores = (
            judgement("x/one", "coalition", high), judgement("x/one", "random", high - 1),
            judgement("x/one", "random", high - 1, 2), judgement("y/two", "coalition", high),
            judgement("y/two", "random", None),
        )  # fmt: skip
        write_judged(folder, Judged(1, listed.trial, chain, given_scores))
    one, two = bench(folder, plan).judges
    runs = len(plan.trials)
    assert (one.given, one.missing) == (3 * runs, {})
    assert (two.given, two.missing) == (runs, {"failed": runs})
    assert one.same_again.value == 1.0
    assert two.same_again.reason == NO_OTHER
    assert one.guessing["prompted"].value == 1.0  # it scores even random sets higher there: it can tell the arm
    assert two.guessing["prompted"].value is None
    assert bench(folder, plan).agreement.value == 1.0
