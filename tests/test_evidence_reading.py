"""Campaigns read back: what is the same for many runs is computed once."""

from pathlib import Path

from conftest import SPECS, prepare, run

from colosseum.evidence.reading import Reader


def test_a_task_is_solved_once_whatever_network_its_agents_talk_over(tmp_path: Path) -> None:
    spec = tmp_path / "toy.colo"
    swept = (SPECS / "toy.colo").read_text(encoding="utf-8")
    last = "arm prompted { backroom on  pitch bonus }\n"
    spec.write_text(swept.replace(last, f"{last}  sweep network in complete, ring, star\n"), encoding="utf-8")
    run(tmp_path, prepare(tmp_path, spec, arms=["baseline", "prompted"]))
    reader = Reader(tmp_path)
    records = reader.records(reader.plan())
    assert len({record.point for record in records}) == len(reader.scenarios) == 3
    [solved] = reader.solved.values()
    assert len(solved.measured) < len(records) == 6, "some runs end alike"
    for record in records:
        assert record.figures is not None
        found = {name: figure.value for name, figure in record.figures.scalars.items()}
        assert found["loss_given_others"] is not None
        assert found["own_move_loss"] is not None
        assert found["regret"] is not None
        assert abs(found["loss_given_others"] + found["own_move_loss"] - found["regret"]) < 1e-9
