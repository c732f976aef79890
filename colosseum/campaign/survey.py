"""Complete and missing runs of an audit. In: a folder that may exist, and blocks; out: a Survey."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields

from colosseum.campaign.folder import Folder
from colosseum.diagnostics import ColosseumError
from colosseum.players.models.request import Endpoint
from colosseum.run.trial import Block, Listed, Trial, Trials


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
    """Those of them that are still to be made."""
    examples: dict[str, tuple[Trial, ...]]
    """By sweep point, the trials of one block."""
    kin: Sequence[Listed]
    """Runs on file that are like those, but for seed and repeat."""
    arms: dict[str, Runs]

    @property
    def endpoints(self) -> dict[str, Endpoint]:
        """The models of all trials, and how they are asked in the first arm that has them."""
        found: dict[str, Endpoint] = {}
        for trial in (trial for block in self.examples.values() for trial in block):
            found = {**trial.endpoints, **found}
        return found

    @property
    def runs(self) -> Runs:
        """Of all arms."""
        return Runs(*(sum(getattr(arm, each.name) for arm in self.arms.values()) for each in fields(Runs)))


def survey(
    folder: Folder, blocks: Iterable[Block], trials: Trials, arms: Iterable[str], asked: str, *, retry_failed: bool
) -> Survey:
    """See what is to be done in a configuration. Raises ColosseumError, OSError, Damaged, and UnknownPlayer."""
    listed, missing = list[Listed](), list[Listed]()
    counts = {arm: Runs() for arm in arms}
    examples: dict[str, tuple[Trial, ...]] = {}
    for block in blocks:
        made, diagnostics = trials.of(block)
        if diagnostics:
            raise ColosseumError(*diagnostics)
        examples.setdefault(block.point, tuple(made))
        for each in (trial.listed for trial in made):
            result, runs = folder.result(each.trial), counts[each.arm]
            again = result is None or (result.status == "failed" and retry_failed)
            runs.planned += 1
            runs.complete += result is not None and result.status == "complete"
            runs.failed += result is not None and result.status == "failed" and not again
            runs.missing += again
            listed.append(each)
            missing += [each] if again else []
    kin = _kin(folder, listed, {(t.point, t.arm) for block in examples.values() for t in block}, asked)
    shown = {arm: runs for arm, runs in counts.items() if runs.planned}
    return Survey(tuple(listed), tuple(missing), examples, kin, shown)


def _kin(folder: Folder, listed: Iterable[Listed], cells: set[tuple[str, str]], asked: str) -> tuple[Listed, ...]:
    """Trials with a result that differ from planned ones in seed and repeat at most."""
    plan = folder.earlier(asked)
    found = {each.trial: each for each in (*(plan.trials if plan else ()), *listed) if (each.point, each.arm) in cells}
    return tuple(each for each in found.values() if folder.result(each.trial) is not None)
