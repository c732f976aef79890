"""Calls of models. In: the ticket game, and a loopback server in a process of its own; out: CPU, and seconds.

What a call costs us is told above what litellm takes for the same calls, in the same process, in turns.
"""

import asyncio
import gc
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median

from colosseum.campaign.folder import Folder
from colosseum.campaign.planning import Planned
from colosseum.campaign.purse import Purse
from colosseum.campaign.retry import Attempt, Provider
from colosseum.campaign.runner import Options, PaidSource, Runner
from colosseum.model.check import check
from colosseum.model.experiment import Conditions
from colosseum.model.settings import Settings
from colosseum.players.models.call import library
from colosseum.players.models.failure import Failure
from colosseum.players.models.request import Endpoint, Price, Question
from colosseum.run.redaction import Redaction
from colosseum.run.trial import Block, Trial, Trials, blocks

from .cases import SPECS
from .lines import Mark, Measurements

sys.path.append(str(Path(__file__).parent.parent))
from chat_process import ChatProcess

MODEL = "openai/gpt-4o-mini"
"""A name with a price that litellm knows, so that it computes costs, too."""
KEY = "sk-fake-abcdefghijklmnop1234"
CPU_BAR = 0.4
"""ms a call above litellm."""
CPU_RUNS = 34
"""About 1 000 calls."""
LATENCY = 0.3
"""Seconds of an answer."""
CHAIN_BAR = 1.3
"""× the answers that one run waits for, one after the other."""
SIDE_BY_SIDE = 15
TURNS, QUICK_TURNS = 9, 5
REST = 0.3
"""Seconds in which litellm's own threads come to their end."""


def calls(ledger: Measurements) -> None:
    """Measure all of it."""
    os.environ["OPENAI_API_KEY"] = KEY
    ledger.tables(_cpu(ledger))
    ledger.tables(_chain(ledger))


@dataclass
class TicketRuns:
    """Runs of the ticket game, made through the runner in this process."""

    url: str
    runs: int
    provider: Provider = field(default_factory=Provider)
    asked: list[Question] = field(default_factory=list)
    """In order."""

    def blocks(self) -> list[tuple[Block, list[Trial]]]:
        """So many runs, in blocks of all arms."""
        checked, diagnostics = check(SPECS / "jira.colo")
        assert checked is not None, diagnostics
        design = replace(next(iter(checked.designs.values())), seeds=tuple(range(1, self.runs + 1)))
        trials = Trials(checked.spec, checked.params, _modelled, self._endpoint)
        made: list[tuple[Block, list[Trial]]] = []
        for block in blocks(design):
            left = self.runs - sum(len(some) for _, some in made)
            if left > 0:
                made.append((block, trials.of(block)[:left]))
        return made

    def _endpoint(self, model: str, settings: Settings) -> Endpoint:
        return Endpoint(MODEL, settings.temperature, settings.max_tokens, api_base=self.url)

    def run(self, made: Sequence[tuple[Block, list[Trial]]]) -> None:
        """All runs, in a fresh folder."""
        with tempfile.TemporaryDirectory() as folder:
            Folder(Path(folder)).plan_path.write_bytes(b"{}")
            purse = Purse(1000.0, {MODEL: Price(0.15, 0.6)})
            source = PaidSource(replace(self.provider, gates={}), purse, watch=self._heard)
            runner = Runner(Folder(Path(folder)), source, Options(), Redaction.of())
            by_block = {id(block): trials for block, trials in made}
            planned = [Planned(block, tuple(trial.listed for trial in trials)) for block, trials in made]
            tally = asyncio.run(runner.run(planned, lambda block: by_block[id(block)]))
        assert tally["complete"] == self.runs

    def _heard(self, request: Question, attempt: Attempt) -> None:
        assert not isinstance(attempt.result, Failure), attempt.result
        self.asked.append(request)


def _modelled(conditions: Conditions) -> Conditions:
    return replace(conditions, settings=replace(conditions.settings, model=(("agents", MODEL),)))


async def _bare(chains: Sequence[Sequence[Question]]) -> None:
    """The same calls by litellm alone."""
    litellm = library()

    async def one(chain: Sequence[Question]) -> None:
        for request in chain:
            endpoint = request.endpoint
            await litellm.acompletion(
                model=endpoint.model, messages=list(request.messages), tools=list(request.tools),
                max_tokens=endpoint.max_tokens, temperature=endpoint.temperature, timeout=endpoint.timeout,
                api_base=endpoint.api_base, num_retries=0,
            )  # fmt: skip

    await asyncio.gather(*map(one, chains))


def _cpu(ledger: Measurements) -> Iterator[Mark]:
    heading = "CPU of a call, ms"
    with ChatProcess() as server:
        campaign = TicketRuns(server.url, CPU_RUNS)
        made = campaign.blocks()
        ledger.note("calls: warming up")
        campaign.run(made)
        requests = campaign.asked.copy()
        chains = [requests[n::CPU_RUNS] for n in range(CPU_RUNS)]
        asyncio.run(_bare(chains))
        ours, theirs = list[float](), list[float]()
        for number in range(QUICK_TURNS if ledger.quick else TURNS):
            ledger.note(f"calls: CPU, turn {number + 1}")
            campaign.asked.clear()
            ours.append(_spent(lambda: campaign.run(made)) / len(requests) * 1e3)
            theirs.append(_spent(lambda: asyncio.run(_bare(chains))) / len(requests) * 1e3)
    above = sorted(o - t for o, t in zip(ours, theirs, strict=True))
    note = f"{len(requests)} calls of {CPU_RUNS} runs"
    yield Mark(heading, "all of a campaign", median(ours), "litellm alone", median(theirs), note=note)
    interval = f"the median of pairs lies between {above[1]:.2f} and {above[-2]:.2f}"  # of 9 with 96 %
    yield Mark(heading, "above litellm", median(above), most=CPU_BAR, note=interval)


def _chain(ledger: Measurements) -> Iterator[Mark]:
    heading = "Runs side by side, s"
    ledger.note("calls: runs side by side")
    with ChatProcess(latency=LATENCY) as server:
        campaign = TicketRuns(server.url, SIDE_BY_SIDE)
        made = campaign.blocks()
        began = time.perf_counter()
        campaign.run(made)
        took = time.perf_counter() - began
    chain = len(campaign.asked) / SIDE_BY_SIDE * LATENCY  # what these players need is the same in every run
    what = f"{SIDE_BY_SIDE} runs, {campaign.provider.most_connections} connections"
    yield Mark(heading, what, took, "the answers of one", chain, most_ratio=CHAIN_BAR)


def _spent(work: Callable[[], None]) -> float:
    """CPU seconds of all threads, with what litellm still does when its answers are there."""
    gc.collect()
    began = time.process_time()
    work()
    time.sleep(REST)
    return time.process_time() - began
