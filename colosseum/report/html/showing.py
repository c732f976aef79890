"""Which pictures a report has. In: findings, and cases as they are read; out: pictures, and why others are missing."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar

from colosseum.evidence.figures import RunRecord
from colosseum.evidence.reading import Played
from colosseum.model.scenario import Channel, Coalition, Scenario
from colosseum.optimum.lowering.lower import NotLowered
from colosseum.report.findings import Findings
from colosseum.report.html.cases import Case
from colosseum.report.html.patience import exposures, patiently, prospects
from colosseum.report.html.pictures.arms import RAW, SHOWN, arms_picture
from colosseum.report.html.pictures.differences import differences_picture
from colosseum.report.html.pictures.exposure import exposure_picture
from colosseum.report.html.pictures.frontier import frontier_picture, realised
from colosseum.report.html.pictures.lines import BELIEVED, lines_picture
from colosseum.report.html.pictures.network import network_picture
from colosseum.report.html.pictures.picture import Picture
from colosseum.report.html.pictures.plane import plane_picture
from colosseum.report.html.pictures.rounds import Kind, Posts, rounds_picture
from colosseum.report.plots.effects import effects_of

Shown: TypeAlias = tuple[str, Picture | str]
"""A picture by what it is called where there is none, and then the reason."""
T = TypeVar("T")


@dataclass
class Gallery:
    """Collects what pictures need."""

    findings: Findings
    wanted: tuple[str, int] | None = None
    """Sweep point and seed of the case that is drawn at length."""
    best: str = ""
    """The run in it that is most worth a look."""
    case: Case | None = field(default=None, init=False)
    posts: Counter[tuple[str, int, Kind]] = field(default_factory=Counter, init=False)
    runs: Counter[str] = field(default_factory=Counter, init=False)

    def add(self, case: Case) -> None:
        """Take what is needed of a case."""
        if (case.point, case.seed) == self.wanted:
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

    def pictures(self) -> tuple[list[Picture], list[tuple[str, str]]]:
        """All that there are, and the names of those there are none of, with the reason."""
        shown, missing = list[Picture](), list[tuple[str, str]]()
        for name, found in self._all():
            if isinstance(found, Picture):
                shown.append(found)
            else:
                missing.append((name, found))
        return shown, missing

    def _all(self) -> Iterator[Shown]:
        findings = self.findings
        effects = effects_of(findings.summary, findings.verdicts)
        for signal in effects.margins:
            found = differences_picture(effects, signal, records=findings.records)
            yield f"differences of {signal.replace('_', ' ')}", found
        yield "actions against words", plane_picture(effects)
        if effects.sweep.numeric:
            surveyed = any(record.figures and record.figures.beliefs for record in findings.records)
            for measure in (*effects.margins, *([BELIEVED] if surveyed else [])):
                yield f"lines of {measure.replace('_', ' ')}", lines_picture(effects, measure)
        for figure in dict.fromkeys([*(RAW.get(signal, signal) for signal in effects.margins), *SHOWN]):
            yield f"{figure.replace('_', ' ')} by arm", arms_picture(findings.records, findings.summary, figure)
        yield from self._of_case()
        yield "posts by round", rounds_picture(self._posts())

    def _of_case(self) -> Iterator[Shown]:
        """Of one instance, that of the run that is most worth a look."""
        if self.case is None or not self.case.runs:
            return
        case = self.case
        where = ", ".join(part for part in (case.point, f"seed {case.seed}") if part)
        played = next((p for p, record in case.runs if record.trial == self.best), case.runs[0][0])
        yield "frontier", _frontier(case, played, self.findings.summary.arms, where)
        yield "exposure", _exposure(case, played, where)
        members, agents = case.coalition.members if case.coalition else (), played.scenario.task.agents
        found = network_picture(agents, _channels(played), members, where=f"{played.listed.arm}, {where}")
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


def _channels(played: Played) -> list[Channel]:
    """Those that were live."""
    listed = [channel for event in played.events if event["event"] == "channels" for channel in event["channels"]]
    return [Channel(str(c["name"]), tuple(map(str, c["members"])), bool(c["secret"])) for c in listed]


def _frontier(case: Case, played: Played, arms: Sequence[str], where: str) -> Picture | str:
    found = _asked(prospects, case, played, "frontier")
    if isinstance(found, str):
        return found
    here: list[RunRecord] = [record for each, record in case.runs if each.scenario.task == played.scenario.task]
    return frontier_picture(found, realised(here), arms=arms, where=where)


def _exposure(case: Case, played: Played, where: str) -> Picture | str:
    found = _asked(exposures, case, played, "scan")
    if isinstance(found, str):
        return found
    return exposure_picture(found, case.coalition.members if case.coalition else (), where=where)


def _asked(question: Callable[[Scenario, Coalition], T], case: Case, played: Played, command: str) -> T | str:
    try:
        instance = played.solved.instance
    except NotLowered as fault:
        return str(fault)
    return patiently(question, played.scenario, case.coalition, instance, command=command)
