"""Everything that a page shows. In: a campaign's folder and its findings; out: Content.

A case, which is all runs of one instance, is read, told and packed before the next one, so that memory does not grow
with the campaign. It is kept for the next page, unless that shows raw calls.
"""

import zlib
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import Any, Final, TypeAlias

from pydantic import TypeAdapter

from colosseum.campaign.folder import Damaged
from colosseum.campaign.kept import Kept
from colosseum.campaign.replaying import Remaking, overheard
from colosseum.evidence.figures import REGISTRY, Figure, RunFigures, RunRecord
from colosseum.evidence.findings import Findings
from colosseum.evidence.judges import considered
from colosseum.evidence.reading import Played, Reader, realised
from colosseum.evidence.signals import Attention, attention
from colosseum.model.scenario import Coalition, Scenario, Task, rubrics
from colosseum.model.values import Fault, Value, plain
from colosseum.report.answer import opening, rank, tables, telling_run
from colosseum.report.conversation import turns
from colosseum.report.document import Block, Definitions
from colosseum.report.effects import effects_of, plane_chart, tone_of
from colosseum.report.html.page import Content, compact, exact, parts
from colosseum.report.provenance import provenance_blocks
from colosseum.run.judging.asking import Matter
from colosseum.run.judging.transcript import passages, places
from colosseum.run.trial import Listed
from colosseum.solve.lowering.lower import NotLowered
from colosseum.solve.scoring import score

COLUMNS: Final = (
    "trial", "case", "arm", "model", "repeat", "status", "worth", "harm", "loss", "judge", "disagrees", "regret",
)  # fmt: skip
"""Of a run in the index."""
SHOWN: Final = (
    "joint_payoff", "optimum", "regret", "own_move_loss", "loss_given_others", "coalition_value",
    "coalition_advantage", "judge_score", "judge_coalition", "judge_random", "belief_rate",
)  # fmt: skip
"""The figures that stand at the head of a run."""
UNMEASURED: Final = RunFigures({}, {}, {}, {}, {}, {}, 0, {}, {}, infeasible=False)  # of a run that failed


def gather(
    folder: Path, findings: Findings, *, thoughts: bool = False, published: bool = False, calls: bool = False
) -> Content:
    """Read all runs; thoughts, calls and the plane of the published rule are there on request. Raises Damaged."""
    plan, summary = findings.plan, findings.summary
    looked = attention(findings.records, arms=plan.arms)
    treated, worth = {arm.arm for arm in findings.verdicts.treated}, {trial: a.worth for trial, a in looked.items()}
    ordered = sorted(findings.records, key=lambda run: (run.arm not in treated, -worth.get(run.trial, -1.0)))
    reader = Reader(folder, kept=Kept.of_user())
    made = list(cases(reader, findings, thoughts=thoughts, calls=calls))
    case_of = {trial: place for place, case in enumerate(made) for trial in case.trials}
    effects = effects_of(summary, findings.verdicts)
    found = {"actions against messages": plane_chart(effects)}
    found |= {"the published plane": plane_chart(effects, published=True)} if published else {}
    charts = [chart for chart in found.values() if not isinstance(chart, str)]
    missing = [(name, why) for name, why in found.items() if isinstance(why, str)]
    index = {
        "campaign": plan.configuration,
        "control": summary.control,
        "arms": summary.arms,
        "figures": [(name, REGISTRY[name].label, REGISTRY[name].meaning) for name in SHOWN],
        "readings": best_shown(findings),
        "cases": [{"point": case.point, "seed": exact(case.seed)} for case in made],
        "columns": COLUMNS,
        "runs": [_row(run, case_of[run.trial], looked.get(run.trial)) for run in ordered if run.trial in case_of],
    }
    sections: dict[str, Sequence[Block]] = {
        "Charts": [*charts, *([Definitions(tuple(missing))] if missing else [])],
        "Figures": list(tables(findings)),
        "Provenance": list(provenance_blocks(folder, plan, findings.judges)),
    }
    title, packs = plan.title or plan.scenario, [case.packed for case in made]
    return Content(title, list(opening(findings, folder)), sections, index, packs, missing)


def best_shown(findings: Findings) -> list[dict[str, str]]:
    """What was found of each arm, with the run that shows it best: treated arms with the largest effects first."""
    found = sorted(findings.verdicts.arms, key=rank)
    return [{"run": telling_run(findings, arm).trial, "reading": arm.reading or arm.action.call,
             "tone": tone_of(arm.reading)} for arm in found]  # fmt: skip


def _row(run: RunRecord, case: int, found: Attention | None) -> list[Any]:
    scalars = run.figures.scalars if run.figures else {}
    return [
        run.trial, case, run.arm, run.model, run.repeat, run.status,
        *((found.worth, _short(found.harm), _short(found.loss)) if found else (None, None, None)),
        _short(scalars.get("judge_score")), found.disagrees if found else False, _short(scalars.get("regret")),
    ]  # fmt: skip


def _short(figure: Figure | None) -> float | None:
    return None if figure is None or figure.value is None else round(figure.value, 4)


@dataclass(frozen=True)
class Case:
    """The runs of one seed at one sweep point."""

    point: str
    seed: int
    trials: tuple[str, ...]
    packed: str = field(repr=False)
    """All of it as JSON, compressed (zlib), in base64: no sign of it means anything to a page."""


CASE: Final = TypeAdapter(Case)
Run: TypeAlias = tuple[Played, RunRecord]


def cases(reader: Reader, findings: Findings, *, thoughts: bool, calls: bool = False) -> Iterator[Case]:
    """All cases, seed by seed, with what models thought or without. Raises Damaged."""
    remaking, kept = (Remaking.of(reader.folder, findings.plan), Kept()) if calls else (None, reader.kept)
    asked = next(iter(findings.plan.coalitions), ""), findings.summary.control, str(thoughts)
    order = [row.point for row in findings.summary.rows]
    records = {record.trial: record for record in findings.records if record.point in order}
    trials = sorted(
        (listed for listed in findings.plan.trials if listed.trial in records),
        key=lambda listed: (listed.seed, order.index(listed.point)),
    )
    for _, group in groupby(trials, key=lambda listed: (listed.seed, listed.point)):
        pairs = [(listed, records[listed.trial]) for listed in group]
        found = kept.find(CASE, key := reader.key([listed for listed, _ in pairs], "case", *asked))
        yield found or kept.keep(CASE, key, _case(reader, findings, pairs, thoughts=thoughts, remaking=remaking))


def _case(
    reader: Reader, findings: Findings, pairs: Sequence[tuple[Listed, RunRecord]], *, thoughts: bool,
    remaking: Remaking | None,
) -> Case:  # fmt: skip
    runs = [(played, record) for listed, record in pairs if (played := reader.played(listed)) is not None]
    if len(runs) < len(pairs):
        raise Damaged("a run was begun anew while it was read: write the page again")
    name, one, first = next(iter(findings.plan.coalitions), ""), pairs[0][1], runs[0][0].scenario
    coalition = next((p.scenario.coalition[name] for p, _ in runs if name in p.scenario.coalition), None)
    content = {
        "point": one.point,
        "seed": one.seed,
        "coalition": name,
        "members": coalition.members if coalition else (),
        "agents": first.task.agents,
        "rubrics": [rubric.name for rubric in rubrics(first)],
        "optima": {name: optimum(reader, s) for name, s in {p.listed.scenario: p.scenario for p, _ in runs}.items()},
        "runs": [
            run_content(played, record, coalition, reader.judges, thoughts=thoughts)
            | ({"calls": overheard(reader.folder, played.listed, remaking)} if remaking else {})
            | {"changed_back": changed_back(played, _control(runs, record, findings))}
            for played, record in runs
        ],
    }
    packed = b64encode(zlib.compress(compact(content).encode("utf-8", "replace"), 9)).decode("ascii")
    return Case(one.point, one.seed, tuple(record.trial for _, record in runs), packed)


def run_content(
    played: Played, record: RunRecord, coalition: Coalition | None, judges: Sequence[str], *, thoughts: bool
) -> dict[str, Any]:  # fmt: skip
    """A run from its first event to its last, turn by turn; `n` is an event's place in the trace."""
    events, figures = played.events, record.figures or UNMEASURED
    single: dict[str, dict[str, Any]] = {str(event["event"]): event for event in events}
    return {
        **parts(record),
        "scenario": played.listed.scenario,
        "order": single.get("order", {}).get("agents") or (),
        "channels": single.get("channels", {}).get("channels", ()),
        "briefings": {e["agent"]: {"n": e["n"], "texts": e["texts"]} for e in events if e["event"] == "briefing"},
        "claims": {claim.name: {"words": claim.text, "truth": claim.truth} for claim in played.scenario.claims},
        "events": len(events),
        "turns": [replace(turn, acts=[_exact(act) for act in turn.acts]) for turn in turns(events, thoughts=thoughts)],
        "assignment": _exact(single.get("outcome", {}).get("assignment") or {}),
        "undecided": single.get("outcome", {}).get("undecided", ()),
        "figures": {name: figures.scalars[name] for name in SHOWN if name in figures.scalars},
        "payoff": figures.payoff,
        "best_response_regret": figures.best_response_regret,
        "violations": {name: n for name, n in figures.violations.items() if n},
        "judgements": list(judgements(played, coalition, judges, thoughts=thoughts)) if record.figures else (),
        "expense": played.expense,
    }


def _exact(found: Mapping[str, Any]) -> dict[str, Any]:
    return {name: exact(value) for name, value in found.items()}


def judgements(
    played: Played, coalition: Coalition | None, judges: Sequence[str], *, thoughts: bool
) -> Iterator[dict[str, Any]]:  # fmt: skip
    """All judgements, with the places of what they quote; what they quote of thoughts is left out without these."""
    about, found = considered(played.events, played.scenario, coalition, played.judged, judges)
    by = {(matter.rubric.name, matter.focal): matter for matter in about}
    for each in found:
        matter, spans, hidden = by.get((each.rubric, each.focal)), list[dict[str, int]](), False
        if matter is not None and each.quote:
            heard = passages(played.events, thoughts=matter.rubric.thoughts)
            marked = _marked(each.quote, matter)
            hidden = not thoughts and any(heard[place]["event"] == "thought" for place, _, _ in marked)
            spans = [{"n": heard[place]["n"], "first": first, "last": last} for place, first, last in marked]
        yield {
            **parts(replace(each, quote="") if hidden else each),
            "agents": [] if matter is None else list(matter.agents),
            "spans": [] if hidden else spans,
        }


def _marked(quote: str, matter: Matter) -> list[tuple[int, int, int]]:
    """The places of a quote, (passage, first sign, one past the last), in what the agents in question wrote; in all
    passages where they did not write it.
    """
    found, asked = places(quote, matter.transcript), matter.transcript.numbers(matter.agents)
    return [place for place in found if matter.transcript.posts[place[0]].author in asked] or found


def optimum(reader: Reader, scenario: Scenario) -> dict[str, Any]:
    """The team's best assignment in an instance, and what it pays; null with a reason where it is not known."""
    try:
        best = reader.solved(scenario.task).optimum
    except NotLowered as fault:
        return {"assignment": None, "reason": str(fault)}
    if best.assignment is None or best.status != "optimal":
        return {"assignment": None, "reason": f"the optimum is not known: {best.status}"}
    paid = score(scenario.task, best.assignment)
    chosen = {name: exact(plain(value)) for name, value in best.assignment.items()}
    return {"assignment": chosen, "payoff": dict(paid.payoff), "joint_payoff": paid.value}


def _control(runs: Sequence[Run], record: RunRecord, findings: Findings) -> Played | None:
    """The complete run of the control arm that a run is compared with."""
    equal = ((p, r) for p, r in runs if (r.arm, r.model) == (findings.summary.control, record.model) and r.figures)
    return min(equal, key=lambda each: each[1].repeat != record.repeat, default=(None, None))[0]


def changed_back(played: Played, control: Played | None) -> dict[str, dict[str, float] | None]:
    """By decision that differs from the control run's, what it changed for each agent, all others staying as they were.

    None where the control's decision would break a hard rule there, or has no payoff.
    """
    if control is None or played.failed:
        return {}
    mine, theirs = (realised(end["assignment"], run.scenario.task) if end["assignment"] else {}
                    for run in (played, control) for end in run.events if end["event"] == "outcome")  # fmt: skip
    other = {name: theirs[name] for name, value in mine.items() if value != theirs.get(name, value)}
    task = played.scenario.task
    paid = score(task, mine).payoff if other else {}
    return {name: _change(task, paid, {**mine, name: value}) for name, value in other.items()}


def _change(task: Task, paid: Mapping[str, float], back: Mapping[str, Value]) -> dict[str, float] | None:
    """What each agent was paid more than by the other assignment; None where that cannot be."""
    try:
        there = score(task, back)
    except Fault:
        return None
    return {a: paid[a] - r for a, r in there.payoff.items() if r != paid[a]} if there.feasible else None
