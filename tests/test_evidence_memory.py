"""Memory of a report: Python's collector rests while it is made, so what is in no use must go by itself."""

import weakref

import pytest
from conftest import SPECS, checked

from colosseum.evidence.instance import SolvedTask
from colosseum.evidence.metrics import measure
from colosseum.language.gc_pause import gc_paused


@pytest.mark.parametrize("spec", ["jira", "bidding", "hospital"])
def test_an_instance_goes_with_its_last_user(spec: str) -> None:
    """Its engines were asked: elimination, the relaxation, and searches, which HiGHS calls back from."""
    scenario = checked(SPECS / f"{spec}.colo").expansion.scenario
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
