"""Memory of a report: Python's collector rests while it is made, so what is in no use must go by itself."""

import weakref

import pytest
from conftest import SPECS

from colosseum.evidence.instance import SolvedTask
from colosseum.evidence.metrics import measure
from colosseum.language.gc_pause import gc_paused
from colosseum.model.check import check


@pytest.mark.parametrize(("spec", "params"), [("jira", {}), ("bidding", {}), ("hospital", {"slots": 8})])
def test_an_instance_goes_with_its_last_user(spec: str, params: dict[str, int]) -> None:
    """Its engines were asked: elimination, the relaxation, and searches, which HiGHS calls back from."""
    found, _ = check(SPECS / f"{spec}.colo", params=params)
    assert found is not None
    scenario = found.expansion.scenario
    with gc_paused():
        instance = SolvedTask.of(scenario.task)
        assert instance.optimum.assignment is not None
        coalition = scenario.coalitions[0]
        measure(instance, instance.optimum.assignment, coalition=coalition, order=scenario.task.agents, closely=True)
        solver = instance.solver
        parts = instance, solver, solver.elimination, solver.elimination.factors, solver.highs, solver.highs.live
        left = [weakref.ref(part) for part in parts]
        del instance, solver, parts
        assert [part() for part in left] == [None] * len(left)
