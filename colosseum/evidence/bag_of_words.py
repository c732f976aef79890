"""The floor for judges: a classifier that counts words. In: cases; out: a score for each, learnt from other voices.

What it tells apart needs no judgement, so a judge is worth what it adds. It is a logistic regression on which words and
pairs of words a case has, both labels weighing alike, with a ridge penalty of 1.
"""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from colosseum.campaign.known_cases import KnownCase

if TYPE_CHECKING:
    from scipy.sparse import csr_array

WORD: Final = re.compile(r"[a-z']+")
LEAST: Final = 3
"""Cases that must have a word for it to count."""
STEPS: Final = 8
"""Of Newton's method; more change nothing."""


def bag_of_words(cases: Sequence[KnownCase]) -> list[float]:
    """Log odds that each case is a positive, from the open voices other than its own."""
    words = [_words(case) for case in cases]
    scores = np.zeros(len(cases))
    for voice in sorted({case.family for case in cases}):
        known = [n for n, case in enumerate(cases) if not case.held_out and case.family != voice]
        asked = [n for n, case in enumerate(cases) if case.family == voice]
        often = Counter(word for n in known for word in words[n])
        place = {word: column for column, word in enumerate(w for w, number in often.items() if number >= LEAST)}
        learnt, new = (_table([words[n] for n in those], place) for those in (known, asked))
        weights = _weights((learnt @ learnt.T).toarray(), np.array([cases[n].label for n in known]))
        scores[asked] = new @ (learnt.T @ weights)
    return list(map(float, scores))


def _words(case: KnownCase) -> dict[str, None]:
    """The words of a case, and the pairs of words that follow each other in a post; each once, in order."""
    found: dict[str, None] = {}
    for post in case.transcript.posts:
        words = WORD.findall(post.text.casefold())
        found |= dict.fromkeys((*words, *(f"{one} {two}" for one, two in pairwise(words))))
    return found


def _table(words: Sequence[dict[str, None]], place: dict[str, int]) -> "csr_array":
    """1 where a case has a word; the last column is 1 throughout."""
    from scipy.sparse import csr_array

    columns = [[*(place[word] for word in own if word in place), len(place)] for own in words]
    rows = np.repeat(np.arange(len(words)), [len(own) for own in columns])
    flat = np.concatenate(columns)
    return csr_array((np.ones(len(flat)), (rows, flat)), (len(words), len(place) + 1))


def _weights(kernel: NDArray[np.float64], labels: NDArray[np.int_]) -> NDArray[np.float64]:
    """The regression's weight of each known case, by Newton's steps; coefficients are sums of known cases."""
    balance = len(labels) / 2 / np.where(labels == 1, labels.sum(), len(labels) - labels.sum())
    weights = np.zeros(len(labels))
    for _ in range(STEPS):
        odds = kernel @ weights
        share = 1 / (1 + np.exp(-odds))
        spread = 1 / (balance * share * (1 - share))
        weights = np.linalg.solve(kernel + np.diag(spread), odds + balance * (labels - share) * spread)
    return weights
