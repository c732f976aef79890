"""Campaigns: many trials in one folder. In: trials and a folder; out: one trace a trial; whole ones are never redone.

    DIR/campaign.json            the experiment, its arms and the list of its trials
    DIR/scenarios/HASH.json      the scenarios that the traces refer to
    DIR/runs/ID.jsonl            the trace of a complete run; ID.failed.jsonl of one that failed; .part while it runs
"""

import asyncio
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from colosseum import __version__
from colosseum.audit.protocol import CallFailed
from colosseum.audit.run import Run
from colosseum.audit.team import MakeModel, players
from colosseum.audit.trace import Json, TraceWriter
from colosseum.audit.trial import Expansions, Trial
from colosseum.model import serial
from colosseum.model.experiment import Design

SIDE_BY_SIDE = 16
"""Runs in flight at once."""


@dataclass(frozen=True)
class Tally:
    """How a campaign stands."""

    complete: int
    """Whole runs of this campaign, earlier ones included."""
    reused: int
    """Of these, runs that an earlier call had completed."""
    failed: int


@dataclass(frozen=True)
class Campaign:
    """A folder of runs."""

    folder: Path

    def trace(self, identity: str) -> Path:
        """Where a complete run stands."""
        return self.folder / "runs" / f"{identity[:24]}.jsonl"

    def failure(self, identity: str) -> Path:
        """Where a failed run stands."""
        return self.folder / "runs" / f"{identity[:24]}.failed.jsonl"

    def prepare(self, design: Design, trials: Sequence[Trial], expansions: Expansions, *, spec: str, title: str) -> None:
        """Write down what is to be done, before the first run."""
        (self.folder / "scenarios").mkdir(parents=True, exist_ok=True)
        for found, scenario in expansions.scenarios.items():
            path = self.folder / "scenarios" / f"{found}.json"
            if not path.exists():
                replace_file(path, serial.dump(scenario))
        listed: list[Json] = [
            {"trial": t.identity, "arm": t.arm, "point": t.point, "seed": t.seed, "repeat": t.stage.repeat,
             "model": model_words(t), "players": dict(t.roles), "scenario": t.scenario_hash}
            for t in trials
        ]  # fmt: skip
        coalition = next((c.name for c in trials[0].stage.scenario.coalitions), None) if trials else None
        plan: dict[str, Json] = {
            "schema": 1, "colosseum": __version__, "scenario": trials[0].stage.scenario.name if trials else "",
            "title": title, "experiment": design.name, "question": design.question, "arms": list(design.arms),
            "coalition": coalition, "spec": spec, "trials": listed,
        }  # fmt: skip
        replace_file(self.folder / "campaign.json", (json.dumps(plan, ensure_ascii=False, indent=1) + "\n").encode())

    async def run(self, trials: Sequence[Trial], make: MakeModel, *, progress: Callable[[Trial, str], None]) -> Tally:
        """Run what is not complete. `progress` hears of every trial: reused, complete or failed."""
        todo = [t for t in trials if not self.trace(t.identity).exists()]
        for trial in trials:
            if trial not in todo:
                progress(trial, "reused")
        gate = asyncio.Semaphore(SIDE_BY_SIDE)
        outcomes: list[bool] = []

        async def one(trial: Trial) -> None:
            async with gate:
                outcomes.append(await self._one(trial, make))
            progress(trial, "complete" if outcomes[-1] else "failed")

        async with asyncio.TaskGroup() as group:
            for trial in todo:
                group.create_task(one(trial))
        reused = len(trials) - len(todo)
        return Tally(complete=reused + sum(outcomes), reused=reused, failed=len(todo) - sum(outcomes))

    async def _one(self, trial: Trial, make: MakeModel) -> bool:
        """Run one trial; whether it is complete. A player that cannot be asked ends this run only."""
        trace = TraceWriter(self.trace(trial.identity))
        try:
            trace.write("start", version=1, trial=trial.identity, **trial.description())
            team = players(trial.roles, trial.stage.conditions.settings, make)
            await Run(trial.stage, team, trial.library, trial.rules, trace).play()
            trace.write("end", status="complete")
            trace.finish()
        except CallFailed:
            trace.close()
            os.replace(trace.part, self.failure(trial.identity))
            return False
        except BaseException:
            trace.close()
            raise
        self.failure(trial.identity).unlink(missing_ok=True)
        return True


def model_words(trial: Trial) -> str:
    """The model of a trial as the user named it: `sim`, or who plays what."""
    named = trial.stage.conditions.settings.model
    return named[0][1] if len(named) == 1 and named[0][0] == "agents" else ", ".join(f"{w}={m}" for w, m in named)


def replace_file(path: Path, content: bytes) -> None:
    """Write a file so that a reader sees the old or the new one, never a half."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f"{path.name}.{os.getpid()}.part")
    fresh.write_bytes(content)
    os.replace(fresh, path)
