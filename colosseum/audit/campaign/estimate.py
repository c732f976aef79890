"""What a campaign will take. In: blocks of trials, and a folder that may be there; out: runs, calls, tokens, dollars.

Nothing is written. One block of every sweep point is rehearsed, and stands for its others. Runs that are complete show
what runs like them take besides, whatever bounds there are.
"""

import asyncio
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from colosseum.audit.campaign.folder import Damaged, Folder, Result
from colosseum.audit.campaign.rehearsal import Bounds, rehearse
from colosseum.audit.campaign.spending import spent_before
from colosseum.audit.trial import Block, Listed, Trial, Trials
from colosseum.diagnostics import Diagnostic
from colosseum.model.json_text import Json, encode
from colosseum.players.models.reply import Price
from colosseum.players.models.request import Endpoint

ALIKE = ("protocol", "arm", "point", "players", "models", "conditions", "coupled")
"""What runs have in common that differ in seed and repeat alone."""


@dataclass
class Runs:
    """Of one arm, or of all."""

    planned: int = 0
    complete: int = 0
    failed: int = 0
    """That stay so, unless they are tried again."""
    missing: int = 0
    """Those that are still to be made."""


@dataclass(frozen=True)
class Survey:
    """Everything that is planned, and how far it is."""

    listed: tuple[Listed, ...]
    missing: tuple[Listed, ...]
    arms: dict[str, Runs]
    """In the order in which they are met."""
    examples: dict[str, tuple[Trial, ...]]
    """By sweep point, the trials of one block."""

    @property
    def runs(self) -> Runs:
        """Of all arms."""
        each = self.arms.values()
        return Runs(
            sum(a.planned for a in each), sum(a.complete for a in each), sum(a.failed for a in each),
            sum(a.missing for a in each),
        )  # fmt: skip

    @property
    def endpoints(self) -> dict[str, Endpoint]:
        """The models of all trials, and how they are asked in the first arm that has them."""
        found: dict[str, Endpoint] = {}
        for trial in (trial for block in self.examples.values() for trial in block):
            found = {**trial.endpoints, **found}
        return found


def survey(
    folder: Folder, blocks: Iterable[Block], trials: Trials, *, retry_failed: bool = False
) -> tuple[Survey | None, list[Diagnostic]]:
    """See what is to be done, or what is wrong with a trial. Raises OSError, Damaged, and UnknownPlayer."""
    listed: list[Listed] = []
    missing: list[Listed] = []
    arms: dict[str, Runs] = {}
    examples: dict[str, tuple[Trial, ...]] = {}
    for block in blocks:
        made, diagnostics = trials.of(block)
        if diagnostics:
            return None, diagnostics
        examples.setdefault(block.point, tuple(made))
        for each in (trial.listed for trial in made):
            result = folder.result(each.trial)
            runs = arms.setdefault(each.arm, Runs())
            again = result is None or (result.status == "failed" and retry_failed)
            runs.planned += 1
            runs.complete += result is not None and result.status == "complete"
            runs.failed += result is not None and result.status == "failed" and not again
            runs.missing += again
            listed.append(each)
            missing += [each] if again else []
    return Survey(tuple(listed), tuple(missing), arms, examples), []


def estimate(found: Survey, prices: Mapping[str, Price]) -> dict[str, Bounds]:
    """What the missing runs come to, by model."""
    return asyncio.run(_estimated(found, prices))


async def _estimated(found: Survey, prices: Mapping[str, Price]) -> dict[str, Bounds]:
    number: dict[tuple[str, str], int] = {}
    for each in found.missing:
        number[each.point, each.arm] = number.get((each.point, each.arm), 0) + 1
    whole: dict[str, Bounds] = {}
    for point, block in found.examples.items():
        for arm, models in (await rehearse(block, prices)).items():
            for model, bounds in models.items():
                sums = whole.setdefault(model, Bounds())
                sums.low.add(bounds.low, number.get((point, arm), 0))
                sums.high.add(bounds.high, number.get((point, arm), 0))
    return whole


@dataclass(frozen=True)
class Measured:
    """What complete runs of one team of models took, a run, and what those that are missing will take by that."""

    team: str
    runs: int
    calls: float
    prompt_tokens: float | None
    completion_tokens: float | None
    uncounted: int
    """Answers whose tokens were not counted; without any, the tokens are known."""
    dollars: float | None
    unpriced: int
    """Answers without a known price; without any, the dollars are."""
    missing: int
    """Runs of the team that are still to be made."""
    missing_dollars: float | None


@dataclass
class _Sums:
    results: list[Result] = field(default_factory=list)
    dollars: dict[str, list[float]] = field(default_factory=dict)
    """By arm."""
    unpriced: int = 0


def measured(folder: Folder, found: Survey, kin: Sequence[Listed], prices: Mapping[str, Price]) -> list[Measured]:
    """By team, what its complete runs in the folder took. Raises OSError, and Damaged."""
    teams: dict[str, _Sums] = {}
    for each in kin:
        result, team = folder.result(each.trial), _team(found, each)
        if not team or result is None or result.status != "complete":
            continue
        sums, spent = teams.setdefault(team, _Sums()), spent_before(folder, [each], prices)
        sums.results.append(result)
        sums.dollars.setdefault(each.arm, []).append(spent.dollars)
        sums.unpriced += spent.unpriced
    missing: dict[str, list[str]] = {}
    for each in found.missing:
        missing.setdefault(_team(found, each), []).append(each.arm)
    return [_means(team, sums, missing.get(team, [])) for team, sums in teams.items()]


def _means(team: str, sums: _Sums, missing: Sequence[str]) -> Measured:
    runs = [result.expense for result in sums.results]
    number, uncounted = len(runs), sum(run.uncounted for run in runs)
    every = [dollars for arm in sums.dollars.values() for dollars in arm]
    mean = sum(every) / number
    by_arm = {arm: sum(each) / len(each) for arm, each in sums.dollars.items()}
    return Measured(
        team=team,
        runs=number,
        calls=sum(run.calls - run.shared for run in runs) / number,
        prompt_tokens=None if uncounted else sum(run.prompt_tokens for run in runs) / number,
        completion_tokens=None if uncounted else sum(run.completion_tokens for run in runs) / number,
        uncounted=uncounted,
        dollars=None if sums.unpriced else mean,
        unpriced=sums.unpriced,
        missing=len(missing),
        missing_dollars=None if sums.unpriced else sum(by_arm.get(arm, mean) for arm in missing),
    )


def _team(found: Survey, listed: Listed) -> str:
    """The models of a trial; empty where it asks none."""
    trial = next((t for t in found.examples.get(listed.point, ()) if t.arm == listed.arm), None)
    return ", ".join(sorted(trial.endpoints)) if trial else ""


def relatives(folder: Folder, found: Survey) -> list[Listed]:
    """Trials of the folder that have a result and differ from planned ones in seed and repeat alone.

    How each was played is said at the beginning of its trace. A folder that holds no campaign has none.
    """
    try:
        listed = {each.trial: each for each in (*folder.plan().trials, *found.listed)}
    except (OSError, Damaged):
        return []
    wanted = {(t.point, t.arm): _likeness(t.description()) for block in found.examples.values() for t in block}
    return [
        each
        for each in listed.values()
        if (each.point, each.arm) in wanted
        and folder.result(each.trial) is not None
        and _opening(folder, each) == wanted[each.point, each.arm]
    ]


def _likeness(description: Mapping[str, Json]) -> str:
    return encode({name: description.get(name) for name in ALIKE})


def _opening(folder: Folder, listed: Listed) -> str:
    """How a run was played, as its trace opens; empty where it does not say so."""
    try:
        with open(folder.trace(listed.trial), "rb") as file:
            opening = json.loads(file.readline())
    except (OSError, ValueError):
        return ""
    return _likeness(opening) if isinstance(opening, dict) else ""
