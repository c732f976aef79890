"""Stages and whole runs from the text of a spec. In: text or a path; out: a Stage with its Library, traces, records."""

import asyncio
import gc
import json
import tempfile
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import one_thread  # noqa: F401 - before what imports NumPy
import pytest
from hypothesis import settings

from colosseum.campaign.folder import Folder, Result, replace_file
from colosseum.campaign.planning import Planned, configured, plan, write_plan
from colosseum.campaign.purse import Purse
from colosseum.campaign.retry import OnAttempt, Provider
from colosseum.campaign.runner import Options, PaidSource, Progress, Runner, Tally
from colosseum.model.check import Checked, check
from colosseum.model.experiment import Conditions
from colosseum.model.settings import Settings
from colosseum.players.models.failure import Failure
from colosseum.players.models.reply import Answer
from colosseum.players.models.request import Endpoint, Price, Question
from colosseum.run.redaction import Redaction
from colosseum.run.stage import Library, Stage
from colosseum.run.trial import Block, Listed, Trial, Trials, blocks

settings.register_profile("colosseum", deadline=None, max_examples=50)  # no test measures time
settings.load_profile("colosseum")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Imports make no garbage, and what they make stays: to look through it would take as long again."""
    gc.disable()
    collected = yield
    gc.freeze()
    gc.enable()
    return collected


KEY = "sk-fake-abcdefghijklmnop1234"


@pytest.fixture
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    """The key that every call needs, and no other address."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    for name in ("OPENAI_BASE_URL", "OPENAI_API_BASE"):
        monkeypatch.delenv(name, raising=False)


SPECS = Path(__file__).parent.parent / "specs"
Adjust = Callable[[Conditions], Conditions]

MATCH = """colosseum 1
scenario match
agents A, B, C
set moves = {left, right}
variable move[agents]: moves
reward agree[(a, b) in pairs(agents)]: 1 if move[a] == move[b] else 0 undisclosed
coalition cabal { members = {B, C} }
network complete
secret channel backroom for cabal
prompt pitch for cabal { fair: ""  bent: "Differ." }
experiment e { arm baseline { }  arm prompted { backroom on  pitch bent } }
"""


def checked(spec: str | Path) -> Checked:
    """A spec that must have no errors."""
    lasts = isinstance(spec, str) or spec.is_relative_to(SPECS)
    return _checked_once(spec) if lasts else _checked(spec)


def _checked(spec: str | Path) -> Checked:
    if isinstance(spec, Path):
        found, diagnostics = check(spec)
    else:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "spec.colo"
            path.write_text(spec, encoding="utf-8")
            found, diagnostics = check(path)
    assert found is not None, [(d.code, d.message) for d in diagnostics]
    return found


_checked_once = lru_cache(maxsize=16)(_checked)


def endpoint(name: str, settings: Settings) -> Endpoint:
    """How a model is asked."""
    return Endpoint(name, temperature=settings.temperature, max_tokens=settings.max_tokens)


def planned(
    spec: str | Path,
    *,
    seeds: Sequence[int] = (1,),
    adjust: Adjust = lambda c: c,
    arms: Sequence[str] | None = None,
) -> tuple[Checked, list[Trial], Trials]:
    """The trials of a spec's first experiment."""
    found = checked(spec)
    design = replace(next(iter(found.designs.values())), seeds=tuple(seeds))
    trials = Trials(found.spec, found.params, adjust, endpoint)
    made: list[Trial] = []
    for block in blocks(design):
        made += [trial for trial in trials.of(block) if arms is None or trial.arm in arms]
    return found, made, trials


def prepare(
    folder: Path,
    spec: str | Path,
    *,
    seeds: Sequence[int] = (1,),
    adjust: Adjust = lambda c: c,
    arms: Sequence[str] | None = None,
    model: str = "",
) -> list[Trial]:
    """The same, with the campaign's plan in its folder."""
    found, made, trials = planned(spec, seeds=seeds, adjust=adjust, arms=arms)
    whole = next(iter(found.designs.values()))
    cells = tuple(cell for cell in whole.cells if arms is None or cell.name in arms)
    part = replace(whole, seeds=tuple(seeds), cells=cells)
    asked, files = configured(whole, found, {"model": model}, seeds=len(part.seeds))
    kept = Folder(folder)
    wanted = plan(kept, asked, whole, blocks(part), trials, before=kept.earlier())[1]
    write_plan(kept, files, wanted)
    return made


def adjusted(**changed: object) -> Adjust:
    """Settings changed in every arm."""

    def adjust(given: Conditions) -> Conditions:
        return replace(given, settings=replace(given.settings, **changed))  # type: ignore[arg-type]

    return adjust


def stage_of(spec: str | Path, *, arm: str = "baseline", seed: int = 1) -> tuple[Stage, Library]:
    """The stage of one arm, and what its players may know."""
    trial = next(t for t in planned(spec, seeds=(seed,))[1] if t.arm == arm)
    return trial.stage, trial.instance.library


def results(folder: Folder) -> list[tuple[Listed, Result | None]]:
    """Every trial that is planned, with its result."""
    return [(listed, folder.result(listed.trial)) for listed in folder.plan().trials]


def grid(opening: str, columns: Sequence[str], rows: Sequence[tuple[str, Sequence[object]]]) -> str:
    """A table of two indices as a grid."""
    lines = [opening, f"  | {'  '.join(columns)}"]
    return "\n".join([*lines, *(f"  {name} | {'  '.join(map(str, cells))}" for name, cells in rows)])


class Silence:
    """For runs without a model."""

    under_way, stopping, gave_up = 0, False, None

    async def ask(self, request: Question, *, heard: OnAttempt) -> Answer | Failure:
        """Nobody may ask."""
        raise AssertionError(f"{request.endpoint.model} was asked")


def run(
    folder: Path,
    todo: Sequence[Trial],
    *,
    provider: Provider | None = None,
    progress: Progress = lambda listed, became, result: None,
    limit: float | None = None,
    prices: Mapping[str, Price] | None = None,
) -> Tally:
    """Run trials into a folder, each as a block of its own."""
    purse = Purse(limit, prices or {})
    source = PaidSource(provider or Silence(), purse)
    if not Folder(folder).plan_path.exists():
        replace_file(Folder(folder).plan_path, b"{}")  # no campaign has runs before its plan
    runner = Runner(Folder(folder), source, Options(), Redaction(), progress)
    alone = [(Block(t.point, t.seed, number, ()), t) for number, t in enumerate(todo)]
    made = {id(block): [trial] for block, trial in alone}
    each = [Planned(block, (trial.listed,)) for block, trial in alone]
    return asyncio.run(runner.run(each, lambda block: made[id(block)]))


def events(folder: Path, trial: Trial) -> list[dict[str, Any]]:
    """The lines of a trace."""
    path = Folder(folder).trace(trial.identity)
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def outcome(folder: Path, trial: Trial) -> Mapping[str, Any]:
    """The assignment that a run ended with, in the spec's values."""
    line = next(e for e in events(folder, trial) if e["event"] == "outcome")
    return dict(line["assignment"])
