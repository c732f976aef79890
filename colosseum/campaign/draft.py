"""A draft of a campaign's plan. In: a checked spec and a request; out: a Draft; nothing is written."""

from collections.abc import Sequence
from dataclasses import dataclass

from colosseum.campaign.folder import Folder
from colosseum.campaign.model_options import Asking
from colosseum.campaign.part import sharded
from colosseum.campaign.planning import Configured
from colosseum.campaign.registering import Registered, register
from colosseum.campaign.screening import Screener
from colosseum.campaign.work import Request, read_request
from colosseum.diagnostics import ColosseumError
from colosseum.model.check import Checked
from colosseum.model.experiment import Design
from colosseum.run.trial import Block, Trials, blocks


@dataclass(frozen=True)
class Draft:
    """What is settled once the options are read and the seeds are screened."""

    checked: Checked
    design: Design
    """With the arms and seeds that were asked for."""
    asking: Asking
    trials: Trials
    folder: Folder
    shared: Configured
    screener: Screener
    blocks: Sequence[Block]
    """Of the seeds that pass, in all shards."""
    own: Sequence[Block]
    """Of these, those of the shard that is asked for."""

    @property
    def title(self) -> str:
        """The scenario and the experiment."""
        return f"{self.checked.expansion.scenario.name}, experiment {self.design.name}"

    @property
    def seeds(self) -> dict[str, int]:
        """How many pass, by sweep point."""
        return {each.point: len({b.seed for b in self.blocks if b.point == each.point}) for each in self.blocks}

    @property
    def registered(self) -> Registered:
        """What an audit settles before its first run."""
        scenario, shared = self.checked.expansion.scenario, self.shared
        seeds, asked = len(self.design.seeds), shared.configuration
        return register(shared.design, scenario, self.checked.spec, seeds=seeds, configuration=asked)


def draft(checked: Checked, request: Request) -> Draft:
    """Read the options, look where runs may be, and screen the seeds. Raises ColosseumError, OSError and Damaged."""
    design, asking, trials, shared = read_request(checked, request)
    path = request.place(checked)
    folder = Folder(path / "put aside" if request.fresh else path)
    before = folder.earlier(shared.configuration)
    screener = Screener(shared.design, trials, before.screening if before else None)
    passing = list(screener.passing(blocks(design)))
    if screener.diagnostics or not passing:
        raise ColosseumError(*(screener.diagnostics or [screener.nothing]))
    own = list(screener.passing(sharded(design, request.part.shard)))
    return Draft(checked, design, asking, trials, folder, shared, screener, passing, own)
