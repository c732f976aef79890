"""A draft of a campaign's plan. In: a checked spec and a request; out: a Draft; nothing is written."""

from collections.abc import Sequence
from dataclasses import dataclass

from colosseum.campaign.folder import Folder
from colosseum.campaign.model_options import Asking, read_asking
from colosseum.campaign.money import check_budget
from colosseum.campaign.part import read_design, sharded
from colosseum.campaign.planning import Configured, configured
from colosseum.campaign.registering import Registered, register
from colosseum.campaign.screening import Screener
from colosseum.campaign.work import Request, resolved
from colosseum.diagnostics import ColosseumError
from colosseum.model.check import Checked
from colosseum.model.experiment import Design
from colosseum.run.trial import Block, Expansions, Trials, blocks


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
        design, scenario = self.checked.designs[self.design.name], self.checked.expansion.scenario
        asked = self.shared.configuration
        return register(design, scenario, self.checked.spec, seeds=len(self.design.seeds), configuration=asked)


def draft(checked: Checked, request: Request) -> Draft:
    """Read the options, look where runs may be, and screen the seeds. Raises ColosseumError, OSError and Damaged."""
    check_budget(request.budget)
    design = read_design(checked, request.part, file=str(request.file), say=request.warn)
    asking = read_asking(request.wanted, checked, design)
    trials = Trials(Expansions(checked.spec, checked.params), asking.adjust, asking.endpoint, request.couple)
    path, whole = request.place(checked), checked.designs[design.name]
    folder = Folder(path / "put aside" if request.fresh else path)
    shared = configured(whole, trials.expansions, resolved(request, asking))
    before = folder.earlier(shared.configuration)
    screener = Screener(whole, trials, before.screening if before else None)
    passing = list(screener.passing(blocks(design)))
    if screener.diagnostics or not passing:
        raise ColosseumError(*(screener.diagnostics or [screener.nothing]))
    own = list(screener.passing(sharded(design, request.part.shard)))
    return Draft(checked, design, asking, trials, folder, shared, screener, passing, own)
