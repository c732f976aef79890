"""Runs read back. In: a campaign's folder; out: a RunRecord for every trial, figures computed from trace and scenario.

Nothing is taken from the trace but what happened: every figure is recomputed.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import Any, Final, TypeAlias

from colosseum.campaign.calls import Expense
from colosseum.campaign.folder import Damaged, Folder, Plan, Result
from colosseum.campaign.judged import read_judged, read_judges
from colosseum.campaign.judging import read_scenario
from colosseum.campaign.kept import Kept, SharedParts, digest_of
from colosseum.evidence.arms import setup_of
from colosseum.evidence.figures import RunFigures, RunRecord
from colosseum.evidence.instance import SolvedTask
from colosseum.evidence.judges import BASELINE_ALONE, scores
from colosseum.evidence.metrics import StandIns, measure, stand_ins, unmeasured, worth_to_others
from colosseum.evidence.talk import beliefs, lapses, spoken
from colosseum.model.check import read_spec
from colosseum.model.scenario import Coalition, Scenario, Task, said_in_posts
from colosseum.model.values import Fault, Value
from colosseum.run.judging.asking import Judged
from colosseum.run.judging.transcript import channels_of
from colosseum.run.trace import BrokenTrace, read_trace
from colosseum.run.trial import Listed
from colosseum.run.turn import matches

ONCE = ("start", "order", "channels", "outcome", "end")  # events that every run has once
MOST_KEPT = 4  # scenarios and instances that are remembered
FIGURES: Final = SharedParts(RunFigures)


Tell: TypeAlias = Callable[[int, int], None]  # hears how many runs are read, of how many


def unheard(*done: object) -> None:
    """Tells nobody."""


class Reader:
    """Reads one campaign; the last few scenarios and tasks are remembered."""

    def __init__(self, path: Path, kept: Kept | None = None) -> None:
        self.path, self.folder = path, Folder(path)
        self.kept = kept or Kept()
        """What was computed before, for earlier reports too."""
        self.scenario = lru_cache(MOST_KEPT)(lambda digest: read_scenario(self.folder.scenario(digest)))
        """Gives the scenario of a hash. Raises OSError, and Damaged."""
        self.solved: Callable[[Task], SolvedTask] = lru_cache(MOST_KEPT)(SolvedTask.of)
        """A task with its optima; scenarios that differ in who may talk or conspire have one. Raises NotLowered."""
        others = partial(stand_ins, lambda: read_spec(self.folder.spec / self.plan().spec)[0])
        self.others: Callable[[Scenario, Coalition | None], StandIns] = lru_cache(MOST_KEPT)(others)
        """Who may stand in for a coalition in a placebo arm; the spec is read where it is needed."""
        self._digest = lru_cache(MOST_KEPT)(digest_of)  # runs of one scenario come one after the other

    def plan(self) -> Plan:
        """The list of trials. Raises OSError, and Damaged."""
        path = self.folder.plan_path
        if not path.exists():
            raise Damaged(f"{self.path} holds no campaign: there is no {path.name}")
        return self.folder.plan()

    def records(self, plan: Plan, tell: Tell = unheard) -> list[RunRecord]:
        """Every trial that has ended, as listed. Raises OSError, and Damaged where a run cannot be trusted.

        They are read seed by seed, so that each instance is solved once and need not be remembered for long.
        """
        name, found = next(iter(plan.coalitions), ""), dict[str, RunRecord]()
        for place, listed in enumerate(sorted(plan.trials, key=lambda listed: listed.seed)):
            result = self._result(listed)
            if result is not None and (why := self._lost(listed, result)):
                found[listed.trial] = recorded(listed, None, why)
            elif result is not None:
                figures = self.kept.find(FIGURES, key := self.key([listed], "figures", name))
                if figures is None:
                    run = self._played(listed, result)
                    instance, coalition = self.solved(run.scenario.task), run.scenario.coalition.get(name)
                    made = figures_of(run, instance, coalition, self.judges, self.others(run.scenario, coalition))
                    figures = self.kept.keep(FIGURES, key, made)
                found[listed.trial] = recorded(listed, figures)
            tell(place + 1, len(plan.trials))
        return [found[listed.trial] for listed in plan.trials if listed.trial in found]

    def _result(self, listed: Listed) -> Result | None:
        result = self.folder.result(listed.trial)
        if result is not None and not all(0 <= number < math.inf for number in astuple(result.expense)):
            raise Damaged(f"{self.folder.result_path(listed.trial)} is damaged: its numbers are impossible")
        return result

    def _lost(self, listed: Listed, result: Result) -> str:
        """Why a run has no figures; empty where it has."""
        if not (path := self.folder.scenario(listed.scenario)).exists():
            return f"lost: {path.name} is missing"
        return "" if result.reason is None else f"{result.reason.kind}: {result.reason.words}"

    def key(self, runs: Sequence[Listed], *asked: str) -> bytes:
        """Of a question about runs, by all that is on file of them. Raises OSError, and Damaged."""
        digests = [self._digest(path) for listed in runs for path in self.folder.files(listed)]
        return self.kept.key(repr(runs), *digests, *self.judges, *asked)

    def played(self, listed: Listed) -> "Played | None":
        """All that is on file of a run; none where it has not ended. Raises OSError, and Damaged."""
        result = self._result(listed)
        return None if result is None else self._played(listed, result)

    def _played(self, listed: Listed, result: Result) -> "Played":
        path, scenario = self.folder.trace(listed.trial), self.scenario(listed.scenario)
        try:
            events = read_trace(path, result.trace)
        except BrokenTrace as broken:
            raise Damaged(f"a trace cannot be trusted: {broken}") from None
        if events[0].get("trial") != listed.trial:
            raise Damaged(f"{path.name} is the trace of another trial")
        if wrong := next(strange(events, scenario), ""):
            raise Damaged(f"{path.name}: {wrong}")
        judged = read_judged(self.folder, listed.trial, result.trace.chain)
        return Played(listed, events, scenario, judged, result.reason is not None, result.expense)

    @cached_property
    def judges(self) -> tuple[str, ...]:
        """Who judged. Raises OSError, and Damaged."""
        found = read_judges(self.folder)
        return (found.counted if found else ()) or BASELINE_ALONE


@dataclass(frozen=True)
class Played:
    """A run that has ended, and what it was played in."""

    listed: Listed
    events: list[dict[str, Any]]
    scenario: Scenario
    judged: Judged
    failed: bool = False
    expense: Expense | None = None
    """None of players that are planted."""

    @cached_property
    def happened(self) -> "Happened":
        """What was decided, in a complete run. Raises Damaged."""
        task, name, single = self.scenario.task, self.listed.trial, {event["event"]: event for event in self.events}
        if not {"order", "channels", "outcome"} <= single.keys():
            raise Damaged(f"{name}: its events are not those of a complete run")
        order, outcome = single["order"]["agents"], single["outcome"]
        if order is not None and sorted(order) != sorted(task.agents):
            raise Damaged(f"{name}: its agents are not the scenario's")
        if not task.variable.keys() >= {*outcome["undecided"]}:
            raise Damaged(f"{name}: an outcome does not fit its scenario's variables")
        unknown = outcome["assignment"] is None
        return Happened(None if unknown else realised(outcome["assignment"], task), order, outcome["undecided"])

    @property
    def stated(self) -> dict[str, float]:
        """What the source of an imported run says of it."""
        return (self.events[0].get("imported") or {}).get("reported", {})  # type: ignore[no-any-return]


@dataclass(frozen=True)
class Happened:
    """What was decided."""

    assignment: dict[str, Value] | None
    """None where an imported run does not hold all decisions."""
    order: list[str] | None
    undecided: list[str]


def recorded(listed: Listed, figures: RunFigures | None, reason: str = "") -> RunRecord:
    """A run that is complete, or one that failed for a reason."""
    return RunRecord(
        listed.trial, listed.point, listed.arm, listed.seed, listed.repeat, listed.model, listed.players,
        "failed" if figures is None else "complete", reason, figures,
    )  # fmt: skip


def figures_of(
    run: Played, instance: SolvedTask, coalition: Coalition | None, judges: Sequence[str], others: StandIns
) -> RunFigures:
    """All figures of a complete run, from its events and its solved instance. Raises Damaged, and NotLowered."""
    events, scenario, task, end = run.events, run.scenario, run.scenario.task, run.happened
    heard = "messages" not in (events[0].get("imported") or {}).get("missing", ())
    try:
        measured = measure(instance, end.assignment, coalition=coalition, order=end.order, reported=run.stated)
    except Fault as fault:
        measured = unmeasured(instance, {}, f"what is paid cannot be computed: {fault.message}")
    said, rubrics = scores(events, scenario, coalition, run.judged, judges)
    held, believed = beliefs(events, scenario, coalition)
    channels = channels_of(events) if heard else ()
    posts = Counter(event["channel"] for event in events if event["event"] == "post")
    refused = Counter(event["agent"] for event in events if event["event"] == "refused")
    undecided = Counter(task.variable[variable].owner for variable in end.undecided)
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
        lapses=lapses(events, scenario, coalition),
        beliefs=held,
        talk=spoken(events, coalition),
        stand_ins=tuple(worth_to_others(others, task, end.assignment)) if end.assignment is not None else (),
        setup=setup_of(events, coalition, scenario.prompts),
        stated=run.stated,
    )


def realised(assignment: Any, task: Task) -> dict[str, Value]:
    """The assignment of an outcome event in the scenario's own values. Raises Damaged."""
    if not isinstance(assignment, dict) or assignment.keys() != task.variable.keys():
        raise Damaged("an outcome does not fit its scenario's variables")
    found: dict[str, Value] = {}
    for name, given in assignment.items():
        fitting = [v for v in task.variable[name].domain if matches(given, v)]
        if not fitting:
            raise Damaged(f"an outcome gives `{name}` a value outside its domain")
        found[name] = fitting[0]
    return found


def strange(events: Sequence[Mapping[str, Any]], scenario: Scenario) -> Iterator[str]:
    """What no run of the scenario has: a chain of hashes says that a trace was sealed, not that it is one of ours."""
    kinds = [event["event"] for event in events]
    if events[0]["event"] != "start" or any(kinds.count(kind) > 1 for kind in ONCE):
        yield "its events are not those of one run"
    agents = set(scenario.task.agents)
    known = {"agent": agents, "claim": {claim.name for claim in scenario.claims}, "variable": {*scenario.task.variable}}
    known["channel"] = {channel["name"] for channel in channels_of(events)}
    members = {name for channel in channels_of(events) for name in channel["members"]}
    if events[0]["players"].keys() != agents or not members <= agents:
        yield "its agents are not the scenario's"
    for event in events:
        for part, names in known.items():
            if part in event and event[part] not in names:
                yield f"line {event['n'] + 1}: there is no {part} `{event[part]}`"
