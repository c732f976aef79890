"""A foreign run as a trace. In: a run, its mapping and the trial that it is compared as; out: its events."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from colosseum.diagnostics import closest
from colosseum.imports.foreign_run import LONGEST_NAME, Fields, ImportedRun, Refusal
from colosseum.imports.mapping import MappedRun
from colosseum.model.serial import Json, encode
from colosseum.model.values import Value, plain, text
from colosseum.run.trace import VERSION
from colosseum.run.trial import Listed, Trial


@dataclass(frozen=True)
class ForeignTrace(MappedRun):
    """A foreign run as the events of a trace. Raises Refusal where it breaks the scenario."""

    trial: Trial
    reader: str

    @property
    def players(self) -> dict[str, str]:
        return {a: self.run.models.get(name, "unknown")[:LONGEST_NAME] for a, name in self.foreign.items()}

    @property
    def start(self) -> dict[str, Json]:
        """What the run is: its identity is the SHA-256 of this."""
        imported: dict[str, Json] = {
            "reader": self.reader, "source": self.run.name[:LONGEST_NAME], "files": dict(self.run.files),
            "missing": list(self.run.missing), "reported": dict(self.run.reported),
        }  # fmt: skip
        ours: dict[str, Json] = {"players": dict(self.players), "models": {}, "wordings": {}, "templates": None}
        return self.trial.description() | ours | {"coupled": False, "imported": imported}

    @property
    def identity(self) -> str:
        return hashlib.sha256(encode(self.start).encode()).hexdigest()

    @property
    def listed(self) -> Listed:
        players = self.players
        told = self.mapping.value("model", self.run.fields, "model_label")
        model = text(told)[:LONGEST_NAME] if isinstance(told, str) else ", ".join(sorted(set(players.values())))
        return replace(self.trial.listed, trial=self.identity, model=model, players=players)

    @cached_property
    def taken(self) -> dict[str, Value]:
        """By variable, the decisions that agents took; others were drawn for them."""
        drawn, owned = {self.agent(name) for name in self.run.filled}, self.scenario.task.variable
        return {name: value for name, value in self.decisions.items() if owned[name].owner not in drawn}

    @property
    def summary(self) -> ImportedRun:
        listed = self.listed
        return ImportedRun(
            self.run.name[:LONGEST_NAME], "new", "", listed.trial, listed.arm, listed.seed, listed.repeat, listed.model,
            sum(not each.failed and each.channel is not None for each in self.run.said), len(self.taken),
            len(self.decisions) - len(self.taken), self.run.missing,
        )  # fmt: skip

    def events(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """All of its trace."""
        task, run = self.scenario.task, self.run
        for name in run.agents:
            self.agent(name)
        yield "start", {"version": VERSION, "trial": self.identity, **self.start}
        order = None if run.order is None else [self.agent(name) for name in run.order]
        if order is not None and sorted(order) != sorted(task.agents):
            raise Refusal("its turn order does not have every agent once")
        yield "order", {"agents": order}
        self._same_coalition()
        channels = self._channels()
        yield "channels", {"channels": list(channels.values())}
        for agent in (agent for agent in task.agents if self.foreign[agent] in run.told):
            yield "briefing", {"agent": agent, "texts": list(run.told[self.foreign[agent]])}
        yield from self._said(channels)
        last = self.trial.stage.conditions.settings.rounds + 1
        for name, value in self.taken.items():
            owner = task.variable[name].owner
            yield _reply(owner, "execution", last)
            yield "decide", {"agent": owner, "round": last, "variable": name, "value": plain(value)}
        decisions = self.decisions
        whole = run.decided and all(v.name in decisions or None in v.domain for v in task.variables)
        undecided = [v.name for v in task.variables if run.decided and v.name not in self.taken]
        realised = {v.name: plain(decisions.get(v.name)) for v in task.variables} if whole else None
        yield "outcome", {"assignment": realised, "undecided": undecided}
        yield "end", {"status": "complete"}

    def _same_coalition(self) -> None:
        """The members that the source names are those of the scenario, or else its figures say nothing of them."""
        if self.run.coalition is not None and self.scenario.coalitions:
            theirs = sorted({self.agent(name) for name in self.run.coalition})
            ours = sorted(self.scenario.coalitions[0].members)
            if theirs != ours:
                raise Refusal(f"its coalition is {', '.join(theirs)}, that of the scenario {', '.join(ours)}")

    def _channels(self) -> dict[str, dict[str, Json]]:
        """By name in the source: those that are the scenario's have its members where the source names none."""
        stage, everybody = self.trial.stage, {*self.foreign}
        live = {c.name: c for c in (*stage.scenario.channels, *stage.channels)}
        public = next((c.name for c in stage.channels if not c.secret and everybody == {*c.members}), None)
        found: dict[str, dict[str, Json]] = {}
        for each in self.run.channels:
            people = None if each.members is None else [self.agent(name) for name in each.members]
            name = self.channel(each.name)
            if public and name not in live and not each.secret and everybody == {*(people or ())}:
                name = public
            ours = live.get(name)
            if people is None and ours is None:
                help_ = closest(name, live) or f"channels: {', '.join(live)}"
                unknown = f"`{name}` is no channel of the scenario, and the source does not say its members"
                raise Refusal(f"{unknown}; {help_}")
            members: list[Json] = [*(people if people is not None else ours.members if ours else ())]
            secret = ours.secret if ours else each.secret
            found[each.name] = {"name": name, "members": members, "secret": secret, "wire": None}
        return found

    def _said(self, channels: Mapping[str, dict[str, Json]]) -> Iterator[tuple[str, dict[str, Any]]]:
        rounds, number = self.trial.stage.conditions.settings.rounds, 0
        for each in self.run.said:
            if each.round is not None and each.round > rounds + 1:
                raise Refusal(f"it has a round {each.round}, the experiment {rounds}: set `rounds {each.round}` there")
            agent, phase = self.agent(each.agent), "planning" if each.round != 0 else "execution"
            about: dict[str, Any] = {"agent": agent, "round": each.round if each.round != 0 else rounds + 1}
            yield _reply(agent, phase, about["round"], each.usage)
            if each.usage is not None:
                continue
            if each.channel is None:
                yield "thought", {**about, "phase": phase, "kind": "text", "text": each.text}
            elif each.failed:
                yield "mistake", {**about, "tool": "post", "kind": "unknown_channel", "message": each.failed}
            else:
                number += 1
                channel = channels[each.channel]["name"]
                yield "post", {"number": number, **about, "channel": channel, "text": each.text}


def _reply(agent: str, phase: str, when: int | None, usage: Fields | None = None) -> tuple[str, dict[str, Any]]:
    """A turn, in which what follows was done."""
    about: dict[str, Any] = {"calls": [], "note": "", "finish": "tool_calls", "usage": usage}
    return "reply", {"agent": agent, "phase": phase, "round": when, **about}
