"""Campaigns: many trials in one folder. In: trials and a folder; out: one trace a trial; whole ones are never redone.

    DIR/campaign.json            the experiment, its arms and the list of its trials
    DIR/scenarios/HASH.json      the scenarios that the traces refer to
    DIR/runs/ID.jsonl            the trace of a complete run; ID.failed.jsonl of one that failed; .part while it runs

More seeds or arms of the same configuration extend the list; another configuration makes it anew, and its runs stand
beside those of the old one.
"""

import asyncio
import hashlib
import json
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from colosseum import __version__
from colosseum.audit.protocol import CallFailed
from colosseum.audit.run import Run
from colosseum.audit.scripted.players import SCRIPTED
from colosseum.audit.team import MakeModel, players
from colosseum.audit.trace import Json, TraceWriter, encode
from colosseum.audit.trial import PROTOCOL, Expansions, Trial
from colosseum.model import serial
from colosseum.model.experiment import Design
from colosseum.model.values import plain

SIDE_BY_SIDE = 16
"""Runs of models in flight at once. Scripted ones never wait: one at a time is as fast, and Ctrl-C loses less."""


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

    def prepare(
        self, design: Design, trials: Sequence[Trial], expansions: Expansions, *, title: str, model: str | None
    ) -> None:
        """Write down what is to be done, before the first run; `model` is what was named in place of the spec's.

        `design` has all arms, also those that no trial is of. Raises OSError.
        """
        (self.folder / "scenarios").mkdir(parents=True, exist_ok=True)
        for found, scenario in expansions.scenarios.items():
            path, content = self.folder / "scenarios" / f"{found}.json", serial.dump(scenario)
            if not path.exists() or path.read_bytes() != content:
                replace_file(path, content)
        first, spec = trials[0].stage.scenario, expansions.spec.composition
        present = {design.arms[0], *(trial.arm for trial in trials)}  # the control is it, run or not
        plan: dict[str, Any] = {  # a border: what JSON holds
            "schema": 1,
            "colosseum": __version__,
            "scenario": first.name,
            "title": title,
            "experiment": design.name,
            "question": design.question,
            "arms": [name for name in design.arms if name in present],
            "coalitions": [c.name for c in first.coalitions],
            "configuration": configuration(expansions, design.name, model),
            "spec": spec.source.text,
            "trials": [listed(trial) for trial in trials],
        }
        self._extend(plan, design.arms)
        replace_file(self.folder / "campaign.json", (json.dumps(plan, ensure_ascii=False, indent=1) + "\n").encode())

    def _extend(self, plan: dict[str, Any], order: Sequence[str]) -> None:
        """Add what the folder's list of the same configuration has besides."""
        try:
            earlier = json.loads((self.folder / "campaign.json").read_bytes())
            if earlier["configuration"] != plan["configuration"]:
                return
            trials = {trial["trial"]: trial for trial in [*earlier["trials"], *plan["trials"]]}
            present = {order[0], *(trial["arm"] for trial in trials.values())}
            plan["arms"] = [name for name in order if name in present]
            plan["trials"] = list(trials.values())
        except (OSError, ValueError, KeyError, TypeError):
            return  # there is none, or it is not one of ours

    async def run(self, trials: Sequence[Trial], make: MakeModel, *, progress: Callable[[Trial, str], None]) -> Tally:
        """Run what is not complete. `progress` hears of every trial: reused, complete or failed."""
        todo: list[Trial] = []
        for trial in trials:
            if self.trace(trial.identity).exists():
                progress(trial, "reused")
            else:
                todo.append(trial)
        waiting, scripted = asyncio.Semaphore(SIDE_BY_SIDE), asyncio.Semaphore(1)
        outcomes: list[bool] = []

        async def one(trial: Trial) -> None:
            async with scripted if SCRIPTED.keys() >= set(trial.roles.values()) else waiting:
                await asyncio.sleep(0)  # so that Ctrl-C is heard between two runs that never wait
                complete = await self._one(trial, make)
            outcomes.append(complete)
            progress(trial, "complete" if complete else "failed")

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
            trace.close()  # before it is renamed
            with suppress(FileNotFoundError):  # another process completed the same trial and cleared this away
                os.replace(trace.part, self.failure(trial.identity))
            return False
        finally:
            trace.close()
        self.failure(trial.identity).unlink(missing_ok=True)
        return True


def listed(trial: Trial) -> dict[str, Json]:
    """A trial as campaign.json lists it."""
    return {
        "trial": trial.identity,
        "arm": trial.arm,
        "point": trial.point,
        "seed": trial.seed,
        "repeat": trial.stage.repeat,
        "model": model_words(trial),
        "players": trial.roles,
        "scenario": trial.scenario_hash,
    }


def configuration(expansions: Expansions, experiment: str, model: str | None) -> str:
    """A digest of all that runs of one report have in common: the spec's files, params, experiment and model."""
    content: dict[str, Json] = {
        "protocol": PROTOCOL,
        "spec": [source.text for source in expansions.spec.composition.sources],
        "params": {name: plain(value) for name, value in sorted(expansions.params.items())},
        "experiment": experiment,
        "model": model,
    }
    return hashlib.sha256(encode(content).encode()).hexdigest()


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
