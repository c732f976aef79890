"""A foreign run as a trace. In: a run, its mapping and the trial that it is compared as; out: its events."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from colosseum.diagnostics import closest
from colosseum.imports.foreign_run import ForeignRun, Refusal
from colosseum.imports.imported_run import LONGEST_NAME, ImportedRun
from colosseum.imports.mapping import MappedRun
from colosseum.model.json_text import Json, encode
from colosseum.model.values import plain, text
from colosseum.run.trace import VERSION
from colosseum.run.trial import Listed, Trial


@dataclass(frozen=True)
class ForeignTrace:
    """A foreign run as the events of a trace. Raises Refusal where it breaks the scenario."""

    run: ForeignRun
    trial: Trial
    mapped: MappedRun
    reader: str

    @property
    def players(self) -> dict[str, str]:
        return {a: self.run.models.get(name, "unknown")[:LONGEST_NAME] for a, name in self.mapped.foreign.items()}

    @property
    def start(self) -> dict[str, Json]:
        """What the run is: its identity is the SHA-256 of this."""
        imported: dict[str, Json] = {
            "reader": self.reader, "source": self.run.name[:LONGEST_NAME], "files": dict(self.run.files),
            "missing": list(self.run.missing), "reported": dict(self.run.reported),
        }  # fmt: skip
        players: dict[str, Json] = dict(self.players)
        ours = self.trial.description() | {"players": players, "models": {}, "wordings": {}, "templates": None}
        return ours | {"coupled": False, "imported": imported}

    @property
    def identity(self) -> str:
        return hashlib.sha256(encode(self.start).encode()).hexdigest()

    @property
    def listed(self) -> Listed:
        players = self.players
        mapping = self.mapped.mapping
        told = mapping.value("model", self.run.fields) if mapping.source("model") else None
        model = text(told)[:LONGEST_NAME] if isinstance(told, str) else ", ".join(sorted(set(players.values())))
        return replace(self.trial.listed, trial=self.identity, model=model, players=players)

    @property
    def filled(self) -> set[str]:
        """Variables that were drawn for agents."""
        task = self.trial.stage.scenario.task
        return {v.name for name in self.run.filled for v in task.owned[self.mapped.agent(name)]}

    @property
    def summary(self) -> ImportedRun:
        listed, decided = self.listed, self.mapped.decisions.keys() - self.filled
        return ImportedRun(
            self.run.name[:LONGEST_NAME], "new", "", listed.trial, listed.arm, listed.seed, listed.repeat, listed.model,
            sum(not each.failed and each.channel is not None for each in self.run.said), len(decided),
            len(self.filled & self.mapped.decisions.keys()), self.run.missing,
        )  # fmt: skip

    def events(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """All of its trace."""
        task, run = self.trial.stage.scenario.task, self.run
        yield "start", {"version": VERSION, "trial": self.identity, **self.start}
        order = None if run.order is None else [self.mapped.agent(name) for name in run.order]
        if order is not None and sorted(order) != sorted(task.agents):
            raise Refusal("its turn order does not have every agent once")
        yield "order", {"agents": order}
        self._same_coalition()
        channels = self._channels()
        yield "channels", {"channels": list(channels.values())}
        yield from self._said(channels)
        decisions, last = self.mapped.decisions, self.trial.stage.conditions.settings.rounds + 1
        for name, value in decisions.items():
            if name not in self.filled:
                yield _reply(task.variable[name].owner, "execution", last)
                decided = {"agent": task.variable[name].owner, "round": last, "variable": name, "value": plain(value)}
                yield "decide", decided
        undecided = [v.name for v in task.variables if v.name not in decisions or v.name in self.filled]
        whole = all(v.name in decisions or (run.decided and None in v.domain) for v in task.variables)
        realised = {v.name: plain(decisions.get(v.name)) for v in task.variables} if whole and run.decided else None
        yield "outcome", {"assignment": realised, "undecided": undecided if run.decided else []}
        yield "end", {"status": "complete"}

    def _same_coalition(self) -> None:
        """The members that the source names are those of the scenario, or else its figures say nothing of them."""
        scenario = self.trial.stage.scenario
        if self.run.coalition is not None and scenario.coalitions:
            theirs, ours = {self.mapped.agent(name) for name in self.run.coalition}, scenario.coalitions[0].members
            if theirs != {*ours}:
                names = (", ".join(sorted(each)) or "nobody" for each in (theirs, ours))
                raise Refusal("its coalition is {}, that of the scenario {}".format(*names))

    def _channels(self) -> dict[str, dict[str, Json]]:
        """By name in the source: those that are the scenario's have its members where the source names none."""
        stage, everybody = self.trial.stage, {*self.mapped.foreign}
        live = {c.name: c for c in (*stage.scenario.channels, *stage.channels)}
        public = next((c.name for c in stage.channels if not c.secret and everybody == {*c.members}), None)
        found: dict[str, dict[str, Json]] = {}
        for each in self.run.channels:
            people = None if each.members is None else [self.mapped.agent(name) for name in each.members]
            name = self.mapped.channel(each.name)
            if public and name not in live and not each.secret and everybody == {*(people or ())}:
                name = public
            ours = live.get(name)
            if people is None and ours is None:
                help_ = closest(name, live) or f"channels: {', '.join(live)}"
                words = f"`{name}` is no channel of the scenario, and the source does not say its members; {help_}"
                raise Refusal(words)
            members: list[Json] = [*(people if people is not None else ours.members if ours else ())]
            secret = ours.secret if ours else each.secret
            found[each.name] = {"name": name, "members": members, "secret": secret, "wire": None}
        return found

    def _said(self, channels: Mapping[str, dict[str, Json]]) -> Iterator[tuple[str, dict[str, Any]]]:
        rounds, number = self.trial.stage.conditions.settings.rounds, 0
        for each in self.run.said:
            if each.phase == "planning" and each.round is not None and each.round > rounds + 1:
                raise Refusal(f"it has a round {each.round}, the experiment {rounds}: set `rounds {each.round}` there")
            agent, when = self.mapped.agent(each.agent), rounds + 1 if each.phase == "execution" else each.round
            yield _reply(agent, each.phase, when)
            if each.channel is None:
                about = {"phase": each.phase, "round": when, "kind": "text", "text": each.text}
                yield "thought", {"agent": agent, **about}
            elif each.failed:
                told = {"tool": "post", "kind": "unknown_channel", "message": each.failed}
                yield "mistake", {"agent": agent, "round": when, **told}
            else:
                number += 1
                where = {"channel": channels[each.channel]["name"], "text": each.text}
                yield "post", {"number": number, "agent": agent, "round": when, **where}


def _reply(agent: str, phase: str, when: int | None) -> tuple[str, dict[str, Any]]:
    """A turn, in which what follows was done."""
    about: dict[str, Any] = {"calls": [], "note": "", "finish": "tool_calls", "usage": None}
    return "reply", {"agent": agent, "phase": phase, "round": when, **about}
