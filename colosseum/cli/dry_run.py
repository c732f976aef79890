"""`colosseum audit --dry-run`."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from colosseum.campaign.calls import read_calls
from colosseum.campaign.estimate import outlook
from colosseum.campaign.folder import Damaged, Folder
from colosseum.campaign.history import read_history, recall, spec_digest
from colosseum.campaign.judging_estimate import judging_estimates
from colosseum.campaign.model_options import read_asking
from colosseum.campaign.money import campaign_budget, check_budget, prices_of
from colosseum.campaign.panel import judges_of
from colosseum.campaign.part import read_design, read_shard, sharded
from colosseum.campaign.planning import configured, screened_before
from colosseum.campaign.screening import Screener
from colosseum.campaign.spending import Spent, spent_before
from colosseum.campaign.survey import Survey, survey
from colosseum.campaign.work import Request, default_folder, resolved
from colosseum.cli.forecast import Forecast, as_json, show
from colosseum.cli.words import checked_spec, note, say_json, wants_color
from colosseum.diagnostics import ColosseumError, stop
from colosseum.evidence.reading import Reader, Unreadable
from colosseum.evidence.seeds import Needed, needed, twins
from colosseum.model.check import Checked
from colosseum.model.values import Fault
from colosseum.optimum.lowering.lower import NotLowered
from colosseum.players.models.request import Price
from colosseum.report.page import page_on
from colosseum.run.team import UnknownPlayer
from colosseum.run.trial import Expansions, Listed, Trials


def dry_run_file(request: Request, *, as_data: bool) -> int:
    """Say what an audit would take. Asks nothing and writes nothing."""
    checked = checked_spec(request.file, params=request.params)
    path = request.out or default_folder(checked, request.part)
    try:
        found = forecast(request, checked, path)
    except Damaged as damaged:
        raise stop("C123", str(damaged), help="`--fresh` puts what is there aside and begins anew") from None
    except OSError as error:
        raise stop("C122", f"cannot read {error.filename or path}: {error.strerror}") from None
    if as_data:
        say_json(as_json(found))
    else:
        with page_on(sys.stdout, color=wants_color(sys.stdout.isatty())) as console:
            show(found, console)
    return 0


def forecast(request: Request, checked: Checked, path: Path) -> Forecast:
    """What is to be made, and what it will take. Raises ColosseumError, OSError and Damaged."""
    check_budget(request.budget)
    design = read_design(checked, request.part, file=str(request.file), say=note)
    asking, shard = read_asking(request.wanted, checked, design), read_shard(request.part.shard)
    trials = Trials(Expansions(checked.spec, checked.params), asking.adjust, asking.endpoint, request.couple)
    folder = Folder(path / "put aside" if request.fresh else path)
    shared = configured(checked.designs[design.name], trials.expansions, resolved(request, asking))
    screener = Screener(checked.designs[design.name], trials, screened_before(folder, shared.configuration))
    passing = list(screener.passing(sharded(design, (0, 1))))
    if screener.diagnostics or not passing:
        raise ColosseumError(*(screener.diagnostics or [screener.nothing]))
    try:
        own = passing[shard[0] :: shard[1]]
        found = survey(folder, own, trials, design.arms, shared.configuration, retry_failed=request.retry_failed)
    except UnknownPlayer as unknown:
        raise stop("C122", str(unknown), help=unknown.help) from None
    judges, repeats = judges_of(request.judged, design, asking)
    prices = prices_of({**found.endpoints, **{each.model: each for each in judges}})
    whole = campaign_budget(request.budget, design)
    known = partial(recall, read_history(), spec_digest(shared.digests))
    ahead = outlook(folder, found, prices, known, side_by_side=request.connections)
    spent = _spent(folder, found, whole=shard[1] == 1, asked=shared.configuration, prices=prices)
    planned = {block.point: len({b.seed for b in passing if b.point == block.point}) for block in passing}
    seeds, why = _seeds(planned, found, folder, next(iter(design.arms), ""))
    scenario = next(iter(found.examples.values()))[0].stage.scenario
    return Forecast(
        title=f"{checked.expansion.scenario.name}, experiment {design.name}",
        question=design.question,
        folder=path,
        survey=found,
        outlook=ahead,
        judges=judging_estimates(folder, found.listed, scenario, ahead, judges, repeats, prices),
        prices=prices,
        spent=spent.dollars,
        unpriced=spent.unpriced,
        unfinished=_unfinished(folder, found.missing),
        budget=None if whole is None else whole / shard[1],
        run_budget=request.budget.run,
        needed=seeds,
        no_seeds=why,
        screening=screener.screening,
    )


def _spent(folder: Folder, found: Survey, *, whole: bool, asked: str, prices: dict[str, Price]) -> Spent:
    """What was spent in the folder on the configuration asked for: of the whole campaign, or of a shard's own runs."""
    listed = {each.trial: each for each in found.listed}
    if whole and folder.plan_path.exists() and (plan := folder.plan()).configuration == asked:
        listed = {**{each.trial: each for each in plan.trials}, **listed}
    return spent_before(folder, listed.values(), prices)


def _unfinished(folder: Folder, missing: Sequence[Listed]) -> int:
    """Answers that runs will not ask for again."""
    paths = (folder.calls(each.trial) for each in missing)
    return sum(len(dict(read_calls(path))) for path in paths if path.exists())


def _seeds(planned: Mapping[str, int], found: Survey, folder: Folder, control: str) -> tuple[list[Needed], str]:
    """What arms like the control say of seeds, by sweep point, or why there is nothing to be said."""
    pairs = {point: names for point, block in found.examples.items() if (names := twins(block, control))}
    if not pairs:
        return [], (
            f"no arm asked for has the conditions of the control `{control}`; the differences of such an arm, as "
            "`arm again { }`, would show chance alone"
        )
    try:
        told = [
            each
            for point, names in pairs.items()
            for name in names
            if (each := _needed(found, folder, control, name, point, planned[point])) is not None
        ]
    except (Unreadable, NotLowered, Fault) as fault:
        return [], str(fault)
    if not told:
        name = next(iter(pairs.values()))[0]
        options = f"`--arm {control} --arm {name} --seeds 1..10`"
        made = f"the same command with {options} in place of `--dry-run` makes some"
        return [], f"there are no complete runs of `{control}` and `{name}`, which is like it; {made}"
    return told, ""


def _needed(found: Survey, folder: Folder, control: str, name: str, point: str, planned: int) -> Needed | None:
    """Of one sweep point; None where runs of one of the two arms are missing."""
    settings = next(t for t in found.examples[point] if t.arm == control).stage.conditions.settings
    chosen = tuple(each for each in found.kin if each.point == point and each.arm in (control, name))
    if {each.arm for each in chosen} != {control, name}:
        return None
    records = Reader(folder.path).records(replace(folder.plan(), trials=chosen))
    own, twin = ([r for r in records if r.arm == arm] for arm in (control, name))
    signal = settings.signal or "outsider_loss"
    return needed(own, twin, arm=name, point=point, signal=signal, margin=settings.margin, planned=planned)
