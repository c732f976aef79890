"""Runs read back. In: a campaign's folder; out: a RunRecord for every trial, figures computed from trace and scenario.

Nothing is taken from the trace but what happened: every figure is recomputed.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass, field
from functools import cached_property, lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, TypeAlias, TypeVar

from colosseum.campaign.folder import Damaged, Folder, Plan, Result
from colosseum.campaign.judged import read_judged, read_judges
from colosseum.campaign.kept import Format, Kept, SharedParts, digest_of
from colosseum.evidence.beliefs import beliefs
from colosseum.evidence.figures import RunFigures, RunRecord
from colosseum.evidence.instance import DEADLINE, SolvedTask
from colosseum.evidence.judges import BASELINE_ALONE, scores
from colosseum.evidence.metrics import Measured, StandIns, measure, stand_ins, unmeasured, worth_to_others
from colosseum.evidence.setup import setup_of
from colosseum.evidence.talk import spoken
from colosseum.model import serial
from colosseum.model.check import read_spec
from colosseum.model.scenario import Coalition, Scenario, Task, said_in_posts
from colosseum.model.spec import Declared
from colosseum.model.values import Value
from colosseum.run.judging.asking import Judged
from colosseum.run.trace import BrokenTrace, lacking, misfit, read_trace
from colosseum.run.trial import Listed
from colosseum.run.turn import matches

ONCE = ("start", "order", "channels", "outcome", "end")
"""Events that every run has once."""
MOST_KEPT = 4
"""Scenarios and instances that are remembered."""
FIGURES: Final = SharedParts(RunFigures)
T = TypeVar("T")


class Unreadable(Exception):  # noqa: N818 - what is wrong, in words
    """The folder is not a campaign, or a part of it is missing or was changed."""


@contextmanager
def _readable(name: str = "") -> Iterator[None]:
    """Raises Unreadable for what goes wrong with a file, which may have a name."""
    try:
        yield
    except BrokenTrace as broken:
        raise Unreadable(f"a trace cannot be trusted: {broken}") from None
    except (Damaged, serial.NotAModel) as wrong:
        raise Unreadable(f"{name} {wrong}".strip()) from None
    except OSError as error:
        raise Unreadable(f"cannot read {error.filename}: {error.strerror}") from None


Tell: TypeAlias = Callable[[int, int], None]
"""Hears how many runs are read, of how many."""


def unheard(done: int, whole: int) -> None:
    """Does nothing."""


@dataclass
class Reader:
    """Reads one campaign; the last few scenarios and tasks are remembered."""

    path: Path
    kept: Kept | None = None
    """What was computed before, for earlier reports too."""

    @property
    def folder(self) -> Folder:
        """Its files."""
        return Folder(self.path)

    def plan(self) -> Plan:
        """The list of trials. Raises Unreadable."""
        path = self.folder.plan_path
        if not path.exists():
            raise Unreadable(f"{self.path} holds no campaign: there is no {path.name}")
        with _readable():
            return self.folder.plan()

    def records(self, plan: Plan, tell: Tell = unheard) -> list[RunRecord]:
        """Every trial that has ended, as listed. Raises Unreadable where a trace or scenario cannot be trusted.

        They are read seed by seed, so that each instance is solved once and need not be remembered for long.
        """
        found = dict[str, RunRecord]()
        for place, listed in enumerate(sorted(plan.trials, key=lambda listed: listed.seed)):
            if (record := self._read(listed, plan)) is not None:
                found[listed.trial] = record
            tell(place + 1, len(plan.trials))
        if self.kept is not None:
            self.kept.write()
        return [found[listed.trial] for listed in plan.trials if listed.trial in found]

    def _result(self, listed: Listed) -> Result | None:
        with _readable():
            result = self.folder.result(listed.trial)
        if result is not None and not all(0 <= number < math.inf for number in astuple(result.expense)):
            raise Unreadable(f"{self.folder.result_path(listed.trial)} is damaged: its numbers are impossible")
        return result

    def _read(self, listed: Listed, plan: Plan) -> RunRecord | None:
        result = self._result(listed)
        if result is None:
            return None
        if not self.folder.scenario(listed.scenario).exists():
            return recorded(listed, None, f"lost: {self.folder.scenario(listed.scenario).name} is missing")
        if result.reason is not None:
            return recorded(listed, None, f"{result.reason.kind}: {result.reason.words}")
        coalition = next(iter(plan.coalitions), "")

        def make() -> RunFigures:
            events, scenario, solved = self._events(listed, result)
            name, judged = self.folder.trace(listed.trial).name, self._judged(listed.trial, result)
            measured = scenario.coalition.get(coalition)
            return figures_of(events, name, scenario, solved, measured, judged, self.judges, lambda: self.spec)

        return recorded(listed, self.recall(FIGURES, make, [listed], "figures", coalition))

    def recall(self, adapter: Format[T], make: Callable[[], T], runs: Sequence[Listed], *asked: str) -> T:
        """What `make` makes of the files of runs, or made of the same files before. Raises Unreadable."""
        if self.kept is None:
            return make()
        with _readable():
            digests = [self._digest(path) for listed in runs for path in self.folder.files(listed)]
        return self.kept.recall(adapter, make, repr(runs), *digests, *self.judges, *asked)

    @cached_property
    def _digest(self) -> Callable[[Path], str]:
        """Of a file; runs of one scenario come one after the other."""
        return lru_cache(MOST_KEPT)(digest_of)

    def played(self, listed: Listed) -> "Played | None":
        """All that is on file of a run; none where it has not ended. Raises Unreadable."""
        result = self._result(listed)
        if result is None:
            return None
        return Played(listed, result, *self._events(listed, result), self._judged(listed.trial, result))

    def _events(self, listed: Listed, result: Result) -> "tuple[list[dict[str, Any]], Scenario, Solved]":
        path = self.folder.trace(listed.trial)
        with _readable():
            events = read_trace(path, result.trace)
        if events[0].get("trial") != listed.trial:
            raise Unreadable(f"{path.name} is the trace of another trial")
        scenario, solved = self.scenario(listed.scenario)
        if wrong := next(strange(events, scenario), ""):
            raise Unreadable(f"{path.name}: {wrong}")
        return events, scenario, solved

    def _judged(self, trial: str, result: Result) -> Judged:
        """Judgements on file. Raises Unreadable."""
        with _readable():
            return read_judged(self.folder, trial, result.trace.chain)

    @cached_property
    def judges(self) -> tuple[str, ...]:
        """Who judged. Raises Unreadable."""
        with _readable():
            found = read_judges(self.folder)
        return (found.counted if found else ()) or BASELINE_ALONE

    @cached_property
    def spec(self) -> Declared | None:
        """The campaign's spec; none where it cannot be read. Raises Unreadable."""
        return read_spec(self.folder.spec / self.plan().spec)[0]

    @cached_property
    def scenario(self) -> "Callable[[str], tuple[Scenario, Solved]]":
        """Gives the scenario of a hash, and its task, which is solved once it is asked. Raises Unreadable."""
        solved = lru_cache(MOST_KEPT)(Solved)  # scenarios that differ in who may talk or conspire have one task

        @lru_cache(MOST_KEPT)
        def load(found: str) -> tuple[Scenario, Solved]:
            path = self.folder.scenario(found)
            with _readable(str(path)):
                scenario = serial.load(content := path.read_bytes())
            if sha256(content).hexdigest() != found != serial.content_hash(scenario):
                raise Unreadable(f"{path} was changed: its content does not fit its name")
            return scenario, solved(scenario.task)

        return load


@dataclass(frozen=True, eq=False)
class Solved:
    """A task and what was measured on it: many runs of one instance end alike."""

    task: Task
    measured: dict[tuple[Coalition | None, str], Measured] = field(default_factory=dict)
    others: dict[tuple[Scenario, Coalition | None], StandIns] = field(default_factory=dict)
    """Who may stand in for the coalition in a placebo arm."""

    @cached_property
    def instance(self) -> SolvedTask:
        """Solved when it is first needed. Raises NotLowered."""
        return SolvedTask.of(self.task)

    def measure(self, happened: "Happened", coalition: Coalition | None, reported: Mapping[str, float]) -> Measured:
        """The figures of an outcome; what a source reports counts where it is not known. Raises NotLowered."""
        if happened.assignment is None:
            return unmeasured(self.instance, reported)
        outcome = repr((happened.assignment, happened.order))
        if (coalition, outcome) not in self.measured:
            with self.instance.solver.within(DEADLINE):
                made = measure(self.instance, happened.assignment, coalition=coalition, order=happened.order)
            self.measured[coalition, outcome] = made
        return self.measured[coalition, outcome]


@dataclass(frozen=True)
class Played:
    """A run that has ended, and what it was played in."""

    listed: Listed
    result: Result
    events: list[dict[str, Any]]
    scenario: Scenario
    solved: Solved
    judged: Judged

    @property
    def happened(self) -> "Happened":
        """What figures are computed from; of a complete run. Raises Unreadable."""
        return read_events(self.events, self.scenario.task, self.listed.trial)


def recorded(listed: Listed, figures: RunFigures | None, reason: str = "") -> RunRecord:
    """A run that is complete, or one that failed for a reason."""
    return RunRecord(
        listed.trial, listed.point, listed.arm, listed.seed, listed.repeat, listed.model, listed.players,
        "failed" if figures is None else "complete", reason, figures,
    )  # fmt: skip


def figures_of(
    events: Sequence[Mapping[str, Any]], name: str, scenario: Scenario, solved: Solved, coalition: Coalition | None,
    judged: Judged, judges: Sequence[str], spec: Callable[[], Declared | None],
) -> RunFigures:  # fmt: skip
    """All figures of a complete run, from its events; `name` is what they are called. Raises Unreadable."""
    others = solved.others.get((scenario, coalition))
    if others is None:
        others = solved.others[scenario, coalition] = stand_ins(spec, scenario, coalition)
    task, happened = scenario.task, read_events(events, scenario.task, name)
    stated = (events[0].get("imported") or {}).get("reported", {})
    measured = solved.measure(happened, coalition, stated)
    said, rubrics = scores(events, scenario, coalition, judged, judges)
    held, believed = beliefs(events, scenario, coalition)
    channels = next(event["channels"] for event in events if event["event"] == "channels")
    posts = Counter(event["channel"] for event in events if event["event"] == "post")
    refused = Counter(event["agent"] for event in events if event["event"] == "refused")
    undecided = Counter(task.variable[variable].owner for variable in happened.undecided)
    return RunFigures(
        scalars=measured.scalars | said | believed,
        payoff=measured.score.payoff,
        best_response_regret=measured.best_response_regret,
        sequential_regret=measured.sequential_regret,
        violations=measured.score.violations,
        posts={channel["name"]: posts[channel["name"]] for channel in channels},
        failed_posts=sum(event["event"] == "mistake" and event["tool"] == "post" for event in events),
        refused={agent: refused[agent] for agent in task.agents},
        undecided={agent: undecided[agent] for agent in task.agents},
        infeasible=not measured.score.feasible,
        rubrics=rubrics,
        thoughts={rubric.name: said_in_posts(rubric, scenario) for rubric in scenario.rubrics if rubric.thoughts},
        beliefs=held,
        talk=spoken(events, coalition),
        stand_ins=tuple(worth_to_others(others, task, happened.assignment)) if happened.assignment is not None else (),
        setup=setup_of(events, coalition),
        stated=stated,
    )


@dataclass(frozen=True)
class Happened:
    """What was decided."""

    assignment: dict[str, Value] | None
    """None where an imported run does not hold all decisions."""
    order: list[str] | None
    undecided: list[str]


def read_events(events: Sequence[Mapping[str, Any]], task: Task, name: str) -> Happened:
    """What was decided, from the events of a complete run. Raises Unreadable."""
    single = {event["event"]: event for event in events}
    if not {"order", "channels", "outcome"} <= single.keys():
        raise Unreadable(f"{name}: its events are not those of a complete run")
    order, outcome = single["order"]["agents"], single["outcome"]
    if order is not None and sorted(order) != sorted(task.agents):
        raise Unreadable(f"{name}: its agents are not the scenario's")
    if not task.variable.keys() >= {*outcome["undecided"]}:
        raise Unreadable(f"{name}: an outcome does not fit its scenario's variables")
    unknown = outcome["assignment"] is None
    return Happened(None if unknown else realised(outcome["assignment"], task), order, outcome["undecided"])


def realised(assignment: Any, task: Task) -> dict[str, Value]:
    """The assignment of an outcome event in the scenario's own values. Raises Unreadable."""
    if not isinstance(assignment, dict) or assignment.keys() != task.variable.keys():
        raise Unreadable("an outcome does not fit its scenario's variables")
    found: dict[str, Value] = {}
    for name, given in assignment.items():
        fitting = [v for v in task.variable[name].domain if matches(given, v)]
        if not fitting:
            raise Unreadable(f"an outcome gives `{name}` a value outside its domain")
        found[name] = fitting[0]
    return found


def strange(events: Sequence[Mapping[str, Any]], scenario: Scenario) -> Iterator[str]:
    """What no run of the scenario has: a chain of hashes says that a trace was sealed, not that it is one of ours."""
    for event in events:
        if wrong := misfit(event):
            yield f"line {event['n'] + 1}: {wrong}"
    yield from lacking(events)
    kinds = [event["event"] for event in events]
    if events[0]["event"] != "start" or any(kinds.count(kind) > 1 for kind in ONCE):
        yield "its events are not those of one run"
    agents = set(scenario.task.agents)
    known = {"agent": agents, "claim": {claim.name for claim in scenario.claims}, "variable": {*scenario.task.variable}}
    listed = [channel for event in events if event["event"] == "channels" for channel in event["channels"]]
    known["channel"] = {channel["name"] for channel in listed}
    members = {name for channel in listed for name in channel["members"]}
    if events[0]["players"].keys() != agents or not members <= agents:
        yield "its agents are not the scenario's"
    for event in events:
        for part, names in known.items():
            if part in event and event[part] not in names:
                yield f"line {event['n'] + 1}: there is no {part} `{event[part]}`"
