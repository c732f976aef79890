"""Campaigns read back: what is the same for many runs is computed once."""

import json
from pathlib import Path

import pytest
from conftest import SPECS, prepare, run

from colosseum.campaign.folder import Damaged, Folder
from colosseum.evidence.reading import Reader
from colosseum.run.trace import TraceWriter


def test_a_task_is_solved_once_whatever_network_its_agents_talk_over(tmp_path: Path) -> None:
    spec = tmp_path / "toy.colo"
    swept = (SPECS / "toy.colo").read_text(encoding="utf-8")
    last = "arm prompted { backroom on  pitch bonus }\n"
    spec.write_text(swept.replace(last, f"{last}  sweep network in complete, ring, star\n"), encoding="utf-8")
    run(tmp_path, prepare(tmp_path, spec, arms=["baseline", "prompted"]))
    reader = Reader(tmp_path)
    records = reader.records(reader.plan())
    listed = {each.scenario for each in reader.plan().trials}
    assert len({record.point for record in records}) == len(listed) == 3
    [solved] = {reader.solved(reader.scenario(each).task) for each in listed}
    assert len(solved.measured) < len(records) == 6, "some runs end alike"
    for record in records:
        assert record.figures is not None
        found = {name: figure.value for name, figure in record.figures.scalars.items()}
        assert found["loss_given_others"] is not None
        assert found["own_move_loss"] is not None
        assert found["regret"] is not None
        assert abs(found["loss_given_others"] + found["own_move_loss"] - found["regret"]) < 1e-9


@pytest.fixture(scope="module")
def sealed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of one run."""
    folder = tmp_path_factory.mktemp("sealed")
    run(folder, prepare(folder, SPECS / "toy.colo", arms=["prompted"], seeds=(1,)))
    return folder


@pytest.mark.parametrize("failed", [False, True])
@pytest.mark.parametrize(
    ("kind", "part", "value", "words"),
    [
        ("post", "agent", "nobody", "there is no agent `nobody`"),
        ("post", "channel", "nowhere", "there is no channel `nowhere`"),
        ("decide", "variable", "none", "there is no variable `none`"),
        ("reply", "round", None, "`reply.round`"),
        ("briefing", "texts", [1], "`briefing.texts.0`"),
        ("channels", "channels", None, "`channels.channels`"),
        ("start", "players", {}, "its agents are not the scenario's"),
    ],
)
def test_what_was_sealed_anew_and_can_be_no_run_is_refused(
    kind: str, part: str, value: object, words: str, failed: bool, sealed: Path
) -> None:
    """Neither a figure nor a page is made of it, and nothing breaks."""
    reader = Reader(sealed)
    (listed,) = reader.plan().trials
    folder = Folder(sealed)
    trace, result = folder.trace(listed.trial), folder.result_path(listed.trial)
    before = trace.read_bytes(), result.read_bytes()
    events = [json.loads(line) for line in before[0].splitlines()]
    next(event for event in events if event["event"] == kind)[part] = value
    writer = TraceWriter(trace)
    for event in events:
        writer.write(event["event"], **{k: v for k, v in event.items() if k not in ("n", "event", "chain")})
    writer.finish()
    content = json.loads(before[1])
    content["trace"] = {"events": writer.seal.events, "chain": writer.seal.chain}
    if failed:
        content |= {"status": "failed", "reason": {"kind": "timeout", "words": "too late"}}
    result.write_text(json.dumps(content), encoding="utf-8")
    try:
        with pytest.raises(Damaged, match=words):
            Reader(sealed).played(listed)
        if not failed:
            with pytest.raises(Damaged, match=words):
                Reader(sealed).records(reader.plan())
    finally:
        trace.write_bytes(before[0])
        result.write_bytes(before[1])
