"""How far judges can be trusted: agreement, guessing, kin, and what is missing."""

import json
from pathlib import Path

import pytest
from audited import scripted
from conftest import MATCH

from colosseum.campaign.folder import Folder
from colosseum.campaign.judged import Judges, write_judged, write_judges
from colosseum.evidence.judges import bench, family
from colosseum.players.models.request import Endpoint
from colosseum.run.judging.asking import Judged, Judgement


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
    assert bench(folder, plan, []).judges == ()
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
    one, two = bench(folder, plan, []).judges
    runs = len(plan.trials)
    assert (one.given, one.missing) == (3 * runs, {})
    assert (two.given, two.missing) == (runs, {"failed": runs})
    assert one.guessing["prompted"].value == 1.0  # it scores even random sets higher there: it can tell the arm
    assert two.guessing["prompted"].value is None
    assert {name: figure.value for name, figure in bench(folder, plan, []).ratings.items()} == {
        f"κ of x/one and itself, {runs} labels": 1.0, f"weighted κ of x/one and itself, {runs} labels": 1.0,
        f"κ of x/one and y/two, {runs} labels": 1.0, f"weighted κ of x/one and y/two, {runs} labels": 1.0,
    }  # fmt: skip
