"""Hospitals. The published game: the shipped variant gives the joint payoff and the shares that it was scored with.

A vector's units, patients, stock and clock are written as a spec that uses the variant and overrides its instance.
"""

import json
import shutil
from math import fsum
from pathlib import Path
from typing import Any

import pytest

from colosseum.language.shipped import shipped
from colosseum.model.check import check
from colosseum.model.scenario import Task
from colosseum.model.values import Value
from colosseum.solve.goal import WELFARE
from colosseum.solve.scoring import hard_broken, score
from colosseum.solve.solver import Solver

VECTORS = sorted((Path(__file__).parent / "vectors").glob("hospital_*.json"))
SUPPLIES = {
    "IV_Kits": "iv_kit", "Anesthetics": "anaesthetic", "Pain_Killers": "pain_killer", "Radio_Contrast": "contrast",
    "Oxygen_Tanks": "oxygen", "Surgical_Packs": "pack", "PPE_Sets": "ppe",
}  # fmt: skip
PATHWAYS = {4: "operated", 2: "observed", 3: "scanned"}
"""By how many steps they have."""


def write_spec(vector: dict[str, Any], folder: Path, *, slot_hours: int) -> Path:
    """The shipped variant with a vector's instance; the provisioner keeps the name it has there."""
    specs = shipped("specs")
    shutil.copytree(specs / "lib", folder / "lib")
    for name in ("hospital", "hospital_published"):
        shutil.copy(specs / f"{name}.colo", folder)
    initial = vector["initial"]
    units = {n: u for n, u in initial["agents_map"].items() if u["service"] != "Provisioning"}
    hospitals = list(dict.fromkeys(u["hospital"] for u in units.values()))
    stock = {h: [initial["inventory"][h][s] for s in SUPPLIES] for h in hospitals}
    lines = [
        'colosseum 1\nscenario vector "A published instance"\nuse "hospital_published.colo"',
        f"override param slot_hours = {slot_hours}\noverride param slots = {168 // slot_hours}",
        f"override param first_hospital = {hospitals[0]}",
        f"override set hospitals = {{{', '.join(hospitals)}}}",
        "override set units\n | hospital service",
        *(f"  {n} | {u['hospital']} {u['service'].lower()}" for n, u in units.items()),
        f"override set patients = {{{', '.join(initial['patients'])}}}",
        "override table arrival[patients]\n | hour",
        *(f"  {n} | {p['arrival_time']}" for n, p in initial["patients"].items()),
        "override table pathway[patients] of pathways\n | kind",
        *(f"  {n} | {PATHWAYS[len(p['pathway'])]}" for n, p in initial["patients"].items()),
        "override private table stock[h in hospitals, s in supplies] to each(u in units where hospital[u] == h)",
        f" | {' '.join(SUPPLIES.values())}",
        *(f"  {h} | {' '.join(map(str, amounts))}" for h, amounts in stock.items()),
        "override private table reserve[supplies] to provisioner\n | units",
        *(f"  {ours} | {initial['inventory']['Resource_Provisioner'][name]}" for name, ours in SUPPLIES.items()),
        "override set porters = units",
        f"override coalition cabal {{ members = {{{', '.join(list(units)[:2])}}} }}",
        "override experiment misalignment { arm baseline { } arm emergent { backroom on } }",
    ]
    file = folder / "vector.colo"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def decisions(vector: dict[str, Any], task: Task) -> dict[str, Value]:
    """What the operations came to, where each schedules a step: none where none did, and nothing sent."""
    given: dict[str, Value] = {v.name: None if None in v.domain else 0 for v in task.variables}
    for kind, unit, act in vector["operations"]:
        assert kind == "schedule"
        given[f"start[{act['patient_id']}, {unit}]"] = act["start_time"]
    return given


def hospital(path: Path, folder: Path, *, slot_hours: int = 1) -> tuple[dict[str, Any], Task]:
    vector = json.loads(path.read_text(encoding="utf-8"))
    checked, diagnostics = check(write_spec(vector, folder, slot_hours=slot_hours))
    assert checked is not None, diagnostics
    return vector, checked.expansion.scenario.task


@pytest.mark.parametrize("path", VECTORS, ids=lambda p: p.stem)
def test_the_published_figures(path: Path, tmp_path: Path) -> None:
    vector, task = hospital(path, tmp_path)
    for assignment, figures in (
        (decisions({**vector, "operations": []}, task), vector["original_no_action"]),
        (decisions(vector, task), vector["original_after"]),
    ):
        assert hard_broken(task.requirements, assignment) == []
        scored = score(task, assignment)
        assert scored.value == pytest.approx(figures["joint_reward"], abs=1e-9)
        expected = {a if a != "Resource_Provisioner" else "provisioner": r for a, r in figures["agent_rewards"].items()}
        assert scored.payoff == pytest.approx(expected, abs=1e-9)
        assert fsum(scored.payoff.values()) == pytest.approx(scored.value, abs=1e-9)


def test_a_dive_that_turns_proves_the_optimum_without_branching() -> None:
    """At seed 6 the relaxation is tight, and going to 1 wherever that is free ends where nothing is free any more."""
    checked, _ = check(shipped("specs") / "hospital.colo", seed=6)
    assert checked is not None
    solver = Solver(checked.expansion.scenario.task)
    best = solver.maximise(WELFARE)
    assert (best.status, best.value) == ("optimal", pytest.approx(6970, abs=1e-9))
    assert not any("integer" in vars(component) for component in solver.highs.components)
