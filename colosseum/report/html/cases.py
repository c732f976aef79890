"""Cases: all runs of one instance, side by side. In: a campaign's folder and its findings; out: cases one by one, each
with what its viewer needs, and packed so that a page stays small.

A case is read, told and packed before the next one, so that memory does not grow with the campaign.
"""

import json
import zlib
from base64 import b64encode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, cast

from colosseum.campaign.overhearing import overheard
from colosseum.campaign.replaying import Remaking
from colosseum.evidence.figures import RunRecord
from colosseum.evidence.findings import Findings
from colosseum.evidence.reading import Played, Reader, realised
from colosseum.model.rubrics import rubrics
from colosseum.model.scenario import Coalition
from colosseum.model.values import Fault, Value, plain
from colosseum.optimum.lowering.lower import NotLowered
from colosseum.optimum.scoring import score
from colosseum.report.html.page import exact
from colosseum.report.html.telling import tell, without_thoughts
from colosseum.run.trial import Listed


@dataclass(frozen=True)
class Case:
    """The runs of one seed at one sweep point."""

    point: str
    seed: int
    runs: Sequence[tuple[Played, RunRecord]] = field(repr=False)
    coalition: Coalition | None
    """The one that is measured; members may be drawn anew by seed."""
    content: dict[str, Any] = field(repr=False)
    """All of it as plain data."""

    @property
    def packed(self) -> str:
        """The content as JSON, compressed (zlib), in base64: no sign of it means anything to a page."""
        words = json.dumps(exact(self.content), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        return b64encode(zlib.compress(words.encode("utf-8", "replace"), 9)).decode("ascii")


def cases(reader: Reader, findings: Findings, *, thoughts: bool, calls: bool = False) -> Iterator[Case]:
    """All cases, seed by seed, with what models thought or without. Raises Unreadable."""
    make = Remaking.of(reader.folder, findings.plan) if calls else None
    records = {record.trial: record for record in findings.records}
    shown = {point.point for point in findings.summary.points}
    ended = [listed for listed in findings.plan.trials if listed.trial in records and listed.point in shown]
    order = {point: number for number, point in enumerate(dict.fromkeys(listed.point for listed in ended))}
    ended.sort(key=lambda listed: (listed.seed, order[listed.point]))
    for (seed, point), group in groupby(ended, key=lambda listed: (listed.seed, listed.point)):
        yield _case(reader, point, seed, list(group), records, findings, thoughts=thoughts, make=make)


def _case(
    reader: Reader, point: str, seed: int, group: Sequence[Listed], records: dict[str, RunRecord], findings: Findings,
    *, thoughts: bool, make: Remaking | None = None,
) -> Case:  # fmt: skip
    runs = [(played, records[listed.trial]) for listed in group if (played := reader.played(listed)) is not None]
    name = next(iter(findings.plan.coalitions), "")
    coalition = next((p.scenario.coalition[name] for p, _ in runs if name in p.scenario.coalition), None)
    told = (
        tell(played, record, coalition, reader.panel)
        | ({"calls": overheard(reader.folder, played.listed, make)} if make else {})
        | {"changed_back": changed_back(played, _control(runs, record, findings))}
        for played, record in runs
    )
    content = {
        "point": point,
        "seed": seed,
        "coalition": name,
        "members": list(coalition.members) if coalition else [],
        "agents": list(runs[0][0].scenario.task.agents) if runs else [],
        "rubrics": [rubric.name for rubric in rubrics(runs[0][0].scenario)] if runs else [],
        "optima": {name: optimum(played) for name, played in {p.listed.scenario: p for p, _ in runs}.items()},
        "runs": [each if thoughts else without_thoughts(each) for each in told],
    }
    return Case(point, seed, runs, coalition, content)


def _control(runs: Sequence[tuple[Played, RunRecord]], record: RunRecord, findings: Findings) -> Played | None:
    """The complete run of the control arm that a run is compared with."""
    equal = ((p, r) for p, r in runs if (r.arm, r.model) == (findings.summary.control, record.model) and r.figures)
    return min(equal, key=lambda each: each[1].repeat != record.repeat, default=(None, None))[0]


def changed_back(played: Played, control: Played | None) -> dict[str, dict[str, float] | None]:
    """By decision that differs from the control run's, what it changed for each agent, all others staying as they were.

    None where the control's decision would break a hard rule there, or has no payoff.
    """
    found: dict[str, dict[str, float] | None] = {}
    if control is None or played.result.reason is not None:
        return found
    task = played.scenario.task
    mine, theirs = map(_outcome, (played, control))
    paid = score(task, mine).payoff
    for name in (name for name, value in mine.items() if value != theirs.get(name, value)):
        try:
            back = score(task, {**mine, name: theirs[name]})
        except Fault:
            found[name] = None
        else:
            found[name] = {a: paid[a] - r for a, r in back.payoff.items() if r != paid[a]} if back.feasible else None
    return found


def _outcome(played: Played) -> dict[str, Value]:
    ended = next(event for event in played.events if event["event"] == "outcome")
    return realised(ended["assignment"], played.scenario.task)


def optimum(played: Played) -> dict[str, Any]:
    """The team's best assignment in a run's instance, and what it pays; null with a reason where it is not known."""
    try:
        found = played.solved.recall(lambda: _optimum(played), "the optimum and what it pays")
    except NotLowered as fault:
        return {"assignment": None, "reason": str(fault)}
    if found is None:
        return {"assignment": None, "reason": f"the optimum is not known: {played.solved.instance.optimum.status}"}
    return cast("dict[str, Any]", found)


def _optimum(played: Played) -> dict[str, Any] | None:
    """None where it is not proven."""
    task, best = played.scenario.task, played.solved.instance.optimum
    if best.assignment is None or best.status != "optimal":
        return None
    paid = score(task, best.assignment)
    return {
        "assignment": {name: plain(value) for name, value in best.assignment.items()},
        "owners": {name: variable.owner for name, variable in task.variable.items()},
        "payoff": dict(paid.payoff),
        "joint_payoff": paid.value,
    }
