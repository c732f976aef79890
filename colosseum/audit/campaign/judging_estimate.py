"""What judges will take. In: what is planned, what its runs may say, and judges; out: calls, tokens, dollars by judge.

At least nothing: a judge is not asked about a run in which nobody says anything. At most every judge uses all its tries
for every question, about transcripts as long as all that models may answer.
"""

from collections.abc import Mapping, Sequence

from colosseum.audit.campaign.estimate import Survey
from colosseum.audit.campaign.folder import Folder
from colosseum.audit.campaign.purse import BYTES
from colosseum.audit.campaign.rehearsal import Bounds, Load
from colosseum.audit.judging.asking import SYSTEM, TRIES, Matter
from colosseum.audit.judging.rubrics import questions
from colosseum.audit.judging.transcript import Transcript
from colosseum.players.models.reply import Price
from colosseum.players.models.request import Endpoint

SETS = 2
"""Of focal agents, that every question is asked about."""
CORRECTION = 200
"""Tokens, about, of what is said to a judge whose answer cannot be used."""


def judging_loads(
    folder: Folder,
    found: Survey,
    loads: Mapping[str, Bounds],
    judges: Sequence[Endpoint],
    repeats: int,
    prices: Mapping[str, Price],
) -> dict[str, Bounds]:
    """By judge, what judging the runs takes that are not judged yet; `loads` are those of players, for missing runs."""
    number = sum(not folder.judged(listed.trial).exists() for listed in found.listed)
    said = sum(bounds.high.completion_tokens for bounds in loads.values()) / max(1, len(found.missing))
    whole: dict[str, Bounds] = {}
    for endpoint in judges:
        one = _most_of_a_run(found, said, endpoint, prices.get(endpoint.model))
        bounds = whole[endpoint.model] = Bounds(Load(), Load())
        bounds.high.add(one, number * repeats)
    return whole


def _most_of_a_run(found: Survey, said: float, endpoint: Endpoint, price: Price | None) -> Load:
    """The most that one run takes, asked once."""
    trial = next(trial for block in found.examples.values() for trial in block)
    scenario, load = trial.stage.scenario, Load()
    for question in questions(scenario):
        matter = Matter(Transcript({}, {}, ()), question, "coalition", ())
        prompt = (len(SYSTEM) + len(matter.prompt)) / BYTES + said
        for tried in range(TRIES):
            tokens = prompt + tried * (endpoint.max_tokens + CORRECTION)
            dollars = price.cost(tokens, endpoint.max_tokens) if price else 0.0
            load.add(Load(1, tokens, endpoint.max_tokens, dollars), SETS)
    return load
