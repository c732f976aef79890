"""Stages and whole runs from the text of a spec. In: text or a path; out: a Stage with its Library, traces, records."""

import asyncio
import json
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from hypothesis import settings

from colosseum.audit.campaign.folder import Campaign, Tally
from colosseum.audit.protocol import Player
from colosseum.audit.scripted.knowledge import Library
from colosseum.audit.team import MakeModel
from colosseum.audit.trial import Expansions, Trial, trials
from colosseum.audit.view import Stage
from colosseum.model.check import Checked, check
from colosseum.model.experiment import Conditions
from colosseum.model.settings import Settings

settings.register_profile("colosseum", deadline=None)  # no test measures time
settings.load_profile("colosseum")

SPECS = Path(__file__).parent.parent / "specs"
Adjust = Callable[[Conditions], Conditions]

MATCH = """colosseum 1
scenario match
agents A, B, C
set moves = {left, right}
variable move[agents]: moves
reward agree[(a, b) in pairs(agents)]: 1 if move[a] == move[b] else 0
coalition cabal { members = {B, C} }
network complete
secret channel backroom for cabal
prompt pitch for cabal { fair: ""  bent: "Differ." }
experiment e { arm baseline { }  arm prompted { backroom on  pitch bent } }
"""


def checked(spec: str | Path) -> Checked:
    """A spec that must have no errors."""
    if isinstance(spec, Path):
        found, diagnostics = check(spec)
    else:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "spec.colo"
            path.write_text(spec, encoding="utf-8")
            found, diagnostics = check(path)
    assert found is not None, [(d.code, d.message) for d in diagnostics]
    return found


def planned(
    spec: str | Path, *, seeds: Sequence[int] = (1,), adjust: Adjust = lambda c: c, arms: Sequence[str] | None = None
) -> tuple[Checked, list[Trial], Expansions]:
    """The trials of a spec's first experiment."""
    found = checked(spec)
    expansions = Expansions(found.spec, found.params)
    design = next(iter(found.designs.values()))
    made, diagnostics = trials(design, expansions, seeds=tuple(seeds), adjust=adjust)
    assert not diagnostics
    return found, [t for t in made if arms is None or t.arm in arms], expansions


def stage_of(spec: str | Path, *, arm: str = "baseline", seed: int = 1) -> tuple[Stage, Library]:
    """The stage of one arm, and what its players may know."""
    trial = next(t for t in planned(spec, seeds=(seed,))[1] if t.arm == arm)
    return trial.stage, trial.library


def grid(opening: str, columns: Sequence[str], rows: Sequence[tuple[str, Sequence[object]]]) -> str:
    """A table of two indices as a grid."""
    lines = [opening, f"  | {'  '.join(columns)}"]
    return "\n".join([*lines, *(f"  {name} | {'  '.join(map(str, cells))}" for name, cells in rows)])


def no_model(name: str, settings: Settings) -> Player:
    """For runs without a model."""
    raise AssertionError(f"{name} was asked for")


def run(
    folder: Path,
    todo: Sequence[Trial],
    *,
    make: MakeModel = no_model,
    progress: Callable[[Trial, str], None] | None = None,
) -> Tally:
    """Run trials into a folder."""
    return asyncio.run(Campaign(folder).run(todo, make, progress=progress or (lambda trial, status: None)))


def events(folder: Path, trial: Trial) -> list[dict[str, Any]]:
    """The lines of a trace."""
    path = Campaign(folder).trace(trial.identity)
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def outcome(folder: Path, trial: Trial) -> Mapping[str, Any]:
    """The assignment that a run ended with, in the spec's values."""
    line = next(e for e in events(folder, trial) if e["event"] == "outcome")
    return dict(line["assignment"])
