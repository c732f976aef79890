"""Judgements looked at again. In: a folder; out: judgements made again from recorded calls, or what is wrong with them.

No model is asked: a judgement follows from the transcript and from the answers on file, so it comes out the same.
"""

from collections.abc import Iterator, Sequence

from colosseum.campaign.calls import Missing, RunCalls
from colosseum.campaign.folder import Folder, Plan
from colosseum.campaign.judged import Judges, read_judged, read_judges, write_judged, write_judges
from colosseum.campaign.judging import judge_templates, judged_once, matters
from colosseum.model import serial
from colosseum.players.models.request import Endpoint
from colosseum.run.event_loop import completed
from colosseum.run.judging.asking import Matter
from colosseum.run.judging.judgement import Judged, Judgement
from colosseum.run.redaction import Redaction
from colosseum.run.trace import read_trace
from colosseum.run.trial import Listed


def judges_again(folder: Folder, plan: Plan, into: Folder) -> Iterator[tuple[Listed, str]]:
    """Make the judgements of all runs that are in `into` again, there; each run's, with what differs in them.

    Raises OSError, and Damaged.
    """
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
        try:
            events = read_trace(into.trace(listed.trial), result.trace)
            scenario = serial.load(into.scenario(listed.scenario).read_bytes())
            about = matters(events, scenario, next(iter(plan.coalitions), ""), listed.trial, templates)
            now = completed(_again(was, judges, about, folder))
        except Missing as missing:
            yield listed, f"a judge would be asked something else: {missing}"
            continue
        write_judged(into, now)
        changed = [one for one, other in zip(was.judgements, now.judgements, strict=True) if one != other]
        yield listed, f"the judgement of {', '.join(map(str, changed[0].key))} differs" if changed else ""


async def _again(was: Judged, judges: Judges, about: Sequence[Matter], folder: Folder) -> Judged:
    calls = RunCalls(folder.judging(was.trial), None, Redaction(), "read")
    known = {(matter.rubric.name, matter.focal): matter for matter in about}
    made: list[Judgement] = []
    for each in was.judgements:
        matter = known.get((each.rubric, each.focal))
        if matter is None or each.judge not in judges.models:
            raise Missing(f"nobody is asked about {each.rubric} by {each.judge}")
        endpoint = Endpoint(each.judge, **judges.models[each.judge])
        made.append(await judged_once(matter, endpoint, calls, each.repeat, each.before))
    return Judged(was.schema, was.trial, was.chain, tuple(made))
