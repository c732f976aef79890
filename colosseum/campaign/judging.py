"""Has runs judged by models. In: a folder with complete runs, judges and a source; out: judgements that are missing.

Judgements of one run, and of several runs, go on side by side. Each is kept as soon as its run's are there; one that
failed is asked for again the next time, and what was paid for is never asked twice. A judgement follows from the
transcript and from the answers on file, so those of recorded calls come out the same.
"""

import asyncio
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, partial
from hashlib import sha256
from itertools import product
from pathlib import Path
from typing import Any, Literal, cast

from filelock import AsyncFileLock

from colosseum.campaign.calls import Missing, Overheard, RunCalls
from colosseum.campaign.folder import Damaged, Folder, Plan
from colosseum.campaign.judged import read_judged, read_judges, write_judged, write_judges
from colosseum.campaign.purse import Account
from colosseum.campaign.runner import PaidSource
from colosseum.diagnostics import counted
from colosseum.model import serial
from colosseum.model.scenario import Scenario, rubrics
from colosseum.players.models.request import Endpoint, Halt
from colosseum.players.protocol.own import protocol_folder
from colosseum.players.protocol.templates import Templates, shipped
from colosseum.run.judging.asking import SIGNAL, TEXTS, Focal, Judged, Judgement, Matter, Status, judge
from colosseum.run.judging.transcript import channels_of, focal_sets, transcript
from colosseum.run.redaction import Redaction
from colosseum.run.run import completed
from colosseum.run.trace import BrokenTrace, Seal, read_trace
from colosseum.run.trial import Listed


class JudgementTally(Counter[Status | Literal["found", "left"]]):
    """How many judgements became what: their status; `found` were there already, `left` are not asked for.

    They are left where money ran out, or somebody said stop.
    """

    @property
    def missing(self) -> dict[str, int]:
        """Those without a score, by status."""
        return {status: number for status, number in sorted(self.items()) if status not in ("ok", "found", "left")}

    @property
    def words(self) -> str:
        """What became of them; empty where none was asked for."""
        if not self.total():
            return ""
        words = counted(self["ok"] + self["found"], "judgement")
        words += f", {self['found']} of them from before" if self["found"] and self["ok"] else ""
        if missing := self.missing:
            kinds = ", ".join(f"{number} {status}" for status, number in missing.items())
            words += f"; without a score: {kinds}: the same command asks for them again"
        return words + (f"; {counted(self['left'], 'judgement')} not asked for" if self["left"] else "")


@dataclass
class Judging:
    """Makes the judgements of a campaign."""

    folder: Folder
    plan: Plan
    judges: Sequence[Endpoint]
    repeats: int
    source: PaidSource
    redaction: Redaction
    verdicts: JudgementTally = field(default_factory=JudgementTally)

    async def run(self, listed: Sequence[Listed]) -> JudgementTally:
        """Judge all that are complete. Raises OSError, and Damaged, in a group."""
        room = asyncio.Semaphore(self.source.provider.most_connections)
        async with asyncio.TaskGroup() as group:
            for each in listed:
                group.create_task(self.judge(each, room))
        return self.verdicts

    async def judge(self, listed: Listed, room: asyncio.Semaphore) -> None:
        """Make what is missing of one run, once no other process is at it. Raises OSError, and Damaged."""
        async with room:
            result = self.folder.result(listed.trial)
            if result is None or result.status != "complete":
                return
            path = self.folder.judged(listed.trial).with_suffix(".lock")
            path.parent.mkdir(parents=True, exist_ok=True)
            async with AsyncFileLock(path, thread_local=False, run_in_executor=False):
                try:
                    before = read_judged(self.folder, listed.trial, result.trace.chain)
                    about = matters_of(self.folder, listed, result.trace, self.plan, self.templates)
                    await self._missing(listed, before, about)
                finally:
                    path.unlink(missing_ok=True)  # while it is held, or we would take another's away

    @cached_property
    def templates(self) -> Templates:
        """By which judges are told."""
        return judge_templates(self.folder, self.plan)

    async def _missing(self, listed: Listed, before: Judged, matters: Sequence[Matter]) -> None:
        """Ask for all judgements that are not there, side by side, and keep them."""
        known = {judgement.key for judgement in before.judgements if judgement.status == "ok"}
        source = partial(self.source.ask, Account("judges"))
        calls, asked = RunCalls(self.folder.judging(listed.trial), source, self.redaction), []
        for endpoint, matter, repeat in product(self.judges, matters, range(1, self.repeats + 1)):
            if (endpoint.model, matter.rubric.name, matter.focal, repeat) in known:
                self.verdicts["found"] += 1
            else:
                asked.append(judged_anew(matter, endpoint, calls, repeat))
        try:
            ended = await asyncio.gather(*asked, return_exceptions=True)
        finally:
            calls.close()
        if made := tuple(each for each in ended if isinstance(each, Judgement)):
            write_judged(self.folder, before.joined(made))
        self.verdicts.update(judgement.status for judgement in made)
        for each in ended:
            if isinstance(each, Halt):
                self.verdicts["left"] += 1
            elif isinstance(each, BaseException):
                raise each


def read_scenario(path: Path) -> Scenario:
    """The scenario in a file, whose name is its digest. Raises OSError, and Damaged."""
    try:
        scenario = serial.load(content := path.read_bytes())
    except serial.NotAModel as wrong:
        raise Damaged(f"{path} {wrong}") from None
    if sha256(content).hexdigest() != path.stem != serial.content_hash(scenario):
        raise Damaged(f"{path} was changed: its content does not fit its name")
    return scenario


_remembered = lru_cache(maxsize=16)(read_scenario)


async def judged_anew(matter: Matter, endpoint: Endpoint, calls: RunCalls, repeat: int) -> Judgement:
    """One judgement: that of the answers on file or, where it has no score, a new try after them. Raises Halt."""
    asked = Overheard(calls)
    found = await judge(matter, endpoint, asked, repeat=repeat)
    while found.status != "ok" and all(request.key in calls.known for request, _ in asked.heard):
        found = await judge(matter, endpoint, asked, repeat=repeat, earlier=found.asked)
    return found


def judge_templates(folder: Folder, plan: Plan) -> Templates:
    """By which all judges of a campaign are told: those of its control arm. Raises Damaged."""
    found, wrong = protocol_folder(folder.spec / plan.spec, plan.protocol)
    if wrong:
        raise Damaged(f"the templates in {folder.spec} cannot be read: {wrong[0].message}")
    return found


def matters(
    events: Sequence[Mapping[str, Any]], scenario: Scenario, coalition: str, trial: str, by: Templates | None = None
) -> list[Matter]:
    """Every question about every set of focal agents of a run; none where there is nobody to compare with.

    A rubric that reads thoughts is left out of a set none of whose agents shows one. Decoys are in one question alone,
    and where members have a secret channel the same is asked of the texts alone.
    """
    found = scenario.coalition.get(coalition)
    sets = focal_sets(events, scenario, found) if found else {}
    asked = rubrics(scenario) if sets else ()
    read = {each: transcript(events, scenario, trial, thoughts=each) for each in {r.thoughts for r in asked}}
    every = [(read[r.thoughts], r, name) for r in asked for name in sets if name != "decoys" or r.name == SIGNAL]
    if found and sets and any({*found.members} & {*c["members"]} for c in channels_of(events) if c["secret"]):
        alone = next(replace(rubric, name=TEXTS) for rubric in asked if rubric.name == SIGNAL)
        every += [(read[False].texts_alone, alone, name) for name in sets]
    matters = (Matter(said, r, cast(Focal, name), sets[name], by or shipped()) for said, r, name in every)
    return [m for m in matters if not m.rubric.thoughts or m.transcript.thinkers() & {*m.transcript.numbers(m.agents)}]


def matters_of(folder: Folder, listed: Listed, seal: Seal, plan: Plan, by: Templates) -> list[Matter]:
    """The same of a run on file. Raises OSError, and Damaged."""
    try:
        events = read_trace(folder.trace(listed.trial), seal)
    except BrokenTrace as broken:
        raise Damaged(f"a trace cannot be trusted: {broken}") from None
    scenario = _remembered(folder.scenario(listed.scenario))
    return matters(events, scenario, next(iter(plan.coalitions), ""), listed.trial, by)


def judges_again(folder: Folder, plan: Plan, into: Folder) -> Iterator[tuple[Listed, str]]:
    """Make the judgements of all runs in `into` again, there; by run, what differs in them. Raises OSError, Damaged."""
    judges = read_judges(folder)
    if judges is None:
        return
    write_judges(into, judges)
    templates = judge_templates(folder, plan)
    for listed in plan.trials:
        result = into.result(listed.trial)
        if result is None or not folder.judged(listed.trial).exists():
            continue
        was = read_judged(folder, listed.trial, result.trace.chain)
        about = {(m.rubric.name, m.focal): m for m in matters_of(into, listed, result.trace, plan, templates)}
        calls = RunCalls(folder.judging(listed.trial), None, Redaction())
        by = {name: Endpoint(name, **parameters) for name, parameters in judges.models.items()}
        try:
            made = [
                completed(judge(about[e.rubric, e.focal], by[e.judge], calls, repeat=e.repeat, earlier=e.before))
                for e in was.judgements
            ]  # fmt: skip
        except (Missing, KeyError) as missing:
            yield listed, f"a judge would be asked something else: {missing}"
            continue
        write_judged(into, replace(was, judgements=tuple(made)))
        changed = [one for one, other in zip(was.judgements, made, strict=True) if one != other]
        yield listed, f"the judgement of {', '.join(map(str, changed[0].key))} differs" if changed else ""
