"""Which charts a report has. In: findings, and cases as they are read; out: charts, and why others are missing."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar

from colosseum.evidence.attention import Attention
from colosseum.evidence.figures import RunRecord
from colosseum.evidence.findings import Findings
from colosseum.evidence.reading import Played
from colosseum.model.scenario import Channel, Coalition, Scenario
from colosseum.optimum.lowering.lower import NotLowered
from colosseum.report.charts.arms import RAW, SHOWN, arms_chart
from colosseum.report.charts.effects import effects_of
from colosseum.report.charts.exposure import exposure_chart
from colosseum.report.charts.frontier import frontier_chart
from colosseum.report.charts.heat import wants_heat
from colosseum.report.charts.lines import BELIEVED, lines_chart
from colosseum.report.charts.network import network_chart
from colosseum.report.charts.plane import plane_chart
from colosseum.report.charts.posts import Kind, Posts, posts_chart
from colosseum.report.document import AnyChart, Chart
from colosseum.report.html.cases import Case
from colosseum.report.html.time_limited import exposures, prospects, time_limited

Shown: TypeAlias = tuple[str, AnyChart | str]
"""A chart by what it is called where there is none, and then the reason."""
T = TypeVar("T")


@dataclass
class Gallery:
    """Collects what charts need."""

    findings: Findings
    shown: RunRecord | None = None
    """The run whose instance is drawn at length."""
    why: str = ""
    """Why this one."""
    published: bool = False
    """Also by the published rule."""
    case: Case | None = field(default=None, init=False)
    posts: Counter[tuple[str, int, Kind]] = field(default_factory=Counter, init=False)
    runs: Counter[str] = field(default_factory=Counter, init=False)

    def add(self, case: Case) -> None:
        """Take what is needed of a case."""
        if self.shown is not None and (case.point, case.seed) == (self.shown.point, self.shown.seed):
            self.case = case
        members = case.coalition.members if case.coalition else ()
        for played, record in case.runs:
            if record.figures is not None:
                self._count(played, members)

    def _count(self, played: Played, members: Sequence[str]) -> None:
        arm = played.listed.arm
        self.runs[arm] += 1
        secret = {channel.name for channel in _channels(played) if channel.secret}
        for event in played.events:
            if event["event"] == "post":
                kind: Kind = ("members" if event["agent"] in members else "outsiders", event["channel"] in secret)
                self.posts[arm, int(event["round"]), kind] += 1

    def charts(self) -> tuple[list[AnyChart], list[tuple[str, str]]]:
        """All that there are, and the names of those there are none of, with the reason."""
        shown, missing = list[AnyChart](), list[tuple[str, str]]()
        for name, found in self._all():
            if isinstance(found, Chart):
                shown.append(found)
            else:
                missing.append((name, found))
        return shown, missing

    def _all(self) -> Iterator[Shown]:
        findings = self.findings
        effects = effects_of(findings.summary, findings.verdicts)
        yield "actions against messages", plane_chart(effects)
        if self.published:
            yield "the published plane", plane_chart(effects, published=True)
        if effects.sweep.numeric:
            surveyed = any(record.figures and record.figures.beliefs for record in findings.records)
            for measure in (*effects.margins, *([BELIEVED] if surveyed else [])):
                yield f"lines of {measure.replace('_', ' ')}", lines_chart(effects, measure)
        many = wants_heat(effects)
        own = [RAW.get(signal, signal) for signal in effects.margins]
        here = findings.at({self.shown.point}) if many and self.shown else findings
        where = self.shown.point if many and self.shown else ""
        for figure in dict.fromkeys([*own, *SHOWN]):
            found = arms_chart(findings.records, here.summary, figure, where=where)
            yield f"{figure.replace('_', ' ')} by arm", found
        yield from self._of_case()
        yield "posts by round", posts_chart(self._posts())

    def _of_case(self) -> Iterator[Shown]:
        """Of one instance."""
        case, shown = self.case, self.shown
        if case is None or not case.runs or shown is None:
            return
        where = ", ".join(part for part in (case.point, f"seed {case.seed}") if part)
        played = next((p for p, record in case.runs if record.trial == shown.trial), case.runs[0][0])
        yield "frontier", _frontier(case, played, self.findings.summary.arms, where, self.why)
        yield "exposure", _exposure(case, played, where)
        members, agents = case.coalition.members if case.coalition else (), played.scenario.task.agents
        found = network_chart(agents, _channels(played), members, where=f"{played.listed.arm}, {where}")
        yield "network", found

    def _posts(self) -> Posts:
        """Mean posts a run, arms in declared order."""
        made: dict[str, dict[int, dict[Kind, float]]] = {}
        for arm in (arm for arm in self.findings.summary.arms if self.runs[arm]):
            made[arm] = {}
            for (name, number, kind), count in self.posts.items():
                if name == arm:
                    made[arm].setdefault(number, {})[kind] = count / self.runs[arm]
        return made


def most_telling(
    ordered: Sequence[RunRecord], looked: Mapping[str, Attention], control: str
) -> tuple[RunRecord | None, str]:
    """The run whose instance is drawn, and why: the first, or where the coalition lost in it the most harmful."""
    runs = [run for run in ordered if run.figures is not None]
    base = {(run.point, run.seed, run.model): _value(run) for run in runs if run.arm == control}

    def gained(run: RunRecord) -> bool:
        before, after = base.get((run.point, run.seed, run.model)), _value(run)
        return before is not None and after is not None and after >= before

    def harm(run: RunRecord) -> float:
        found = looked.get(run.trial)
        return (found.harm.value if found else None) or 0.0

    if not runs or gained(runs[0]) or runs[0].arm == control:
        return (runs[0] if runs else None), ""
    best = max((run for run in runs if run.arm != control and gained(run)), key=harm, default=None)
    if best is None:
        return runs[0], "The coalition gained in no run."
    return best, f"Seed {best.seed} is shown: of all runs in which the coalition gained, this did the most harm."


def _value(run: RunRecord) -> float | None:
    return run.figures.scalars["coalition_value"].value if run.figures else None


def _channels(played: Played) -> list[Channel]:
    """Those that were live."""
    listed = [channel for event in played.events if event["event"] == "channels" for channel in event["channels"]]
    return [Channel(str(c["name"]), tuple(map(str, c["members"])), bool(c["secret"])) for c in listed]


def _frontier(case: Case, played: Played, arms: Sequence[str], where: str, why: str) -> AnyChart | str:
    found = _asked(prospects, case, played, "frontier")
    if isinstance(found, str):
        return found
    here: list[RunRecord] = [record for each, record in case.runs if each.scenario.task == played.scenario.task]
    return frontier_chart(found, here, arms=arms, where=where, why=why)


def _exposure(case: Case, played: Played, where: str) -> AnyChart | str:
    found = _asked(exposures, case, played, "scan")
    if isinstance(found, str):
        return found
    return exposure_chart(found, case.coalition.members if case.coalition else (), where=where)


def _asked(question: Callable[[Scenario, Coalition], T], case: Case, played: Played, command: str) -> T | str:
    try:
        instance = played.solved.instance
    except NotLowered as fault:
        return str(fault)
    return time_limited(question, played.scenario, case.coalition, instance, command=command)
