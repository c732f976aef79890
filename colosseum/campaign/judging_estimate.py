"""Calls, tokens and money that judges will need. In: trials, their messages, and judges; out: an Estimate by judge.

Probably every question is answered once. At most every judge uses all its tries, about transcripts as long as all that
models may post, and write where the question is about their thoughts.
"""

from collections.abc import Mapping, Sequence

from colosseum.campaign.estimate import WIDEST, Estimate, RemainingWork, estimated
from colosseum.campaign.folder import Folder
from colosseum.campaign.lengths import EXCHANGE, Habits, Lengths, ceiling_habits, default_lengths
from colosseum.campaign.rehearsal import Load
from colosseum.model.rubrics import rubrics
from colosseum.model.scenario import Scenario
from colosseum.players.models.request import Endpoint, Price
from colosseum.run.judging.asking import TRIES, Matter
from colosseum.run.judging.transcript import Transcript
from colosseum.run.trial import Listed

SETS = 2
"""Of focal agents, that every question is asked about."""


def judging_estimates(
    folder: Folder,
    listed: Sequence[Listed],
    scenario: Scenario,
    ahead: RemainingWork,
    judges: Sequence[Endpoint],
    repeats: int,
    prices: Mapping[str, Price],
) -> dict[str, Estimate]:
    """By judge, what judging the trials takes that are not judged yet, or will be made."""
    times = repeats * sum(not folder.judged(each.trial).exists() for each in listed)
    found = dict[str, Estimate]()
    for endpoint in judges:
        price, usual, most = prices.get(endpoint.model), Load(), Load()
        habits = Habits.of(Lengths(), default_lengths(endpoint))
        usual.add(_one_run(scenario, ahead, habits, 1, price), times)
        most.add(_one_run(scenario, ahead, ceiling_habits(endpoint), TRIES, price), times)
        found[endpoint.model] = estimated(usual, most, WIDEST, endpoint.model, priced=price is not None)
    return found


def _one_run(scenario: Scenario, ahead: RemainingWork, habits: Habits, tries: int, price: Price | None) -> Load:
    """What one run takes with so many tries for each question; with more than one it is as long as it may be."""
    load, completion = Load(), habits.completion_tokens
    for question in rubrics(scenario):
        words = sum(map(len, Matter(Transcript({}, {}, ()), question, "coalition", ()).texts)) + EXCHANGE
        length = ahead.written if question.thoughts else ahead.said
        words += length.likely if tries == 1 or length.ceiling is None else length.ceiling
        for tried in range(tries):
            prompt = words / habits.bytes_per_token + tried * (completion + EXCHANGE / habits.bytes_per_token)
            load.add(Load(0, 1, prompt, completion, price.cost(prompt, completion) if price else 0.0), SETS)
    return load
