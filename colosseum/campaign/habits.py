"""Habits of models. In: how a model is asked; out: the lengths of its replies, probably, at most and at least."""

import math
from dataclasses import dataclass, replace

from colosseum.campaign.prices import entry
from colosseum.campaign.purse import BYTES
from colosseum.players.models.request import Endpoint

THINKING = ("reasoning_effort", "reasoning", "thinking")
"""Parameters of `--extra-body` that make a model think."""
SAID, THOUGHT, LEAST_ROOM = 110.0, 900.0, 0.6
"""Tokens of one reply by default: what is said, and what is thought besides, at most this share of `max_tokens`."""
EXCHANGE = 400.0
"""Bytes of a call and what it is answered, besides the words in it; fewer by default than at most."""
LONGEST_TOKEN = 8.0
"""Bytes of a prompt for one token, at most: English has about four."""


@dataclass(frozen=True)
class Habits:
    """How one model acts: means, or for a ceiling the most that there can be."""

    planning_calls: float
    """Of a turn, as `deciding_calls`; a turn never has more than its steps."""
    deciding_calls: float
    posts: float
    """Of a planning turn."""
    post_bytes: float
    completion_tokens: float
    """Of a call."""
    step_bytes: float
    """That one exchange adds to the prompt of a turn's next call."""
    bytes_per_token: float
    seconds: float
    """Of a call."""
    everywhere: bool = False
    """Posts come in every phase, where most others read them: for a ceiling."""


def default_habits(endpoint: Endpoint) -> Habits:
    """Those of a model that nothing is known of but whether it thinks."""
    most = endpoint.most_tokens
    thinking = SAID + min(THOUGHT, LEAST_ROOM * most)
    known = entry(endpoint.model)
    thinks: bool | None = bool(known.get("supports_reasoning")) if known else None
    thinks = any(endpoint.extra_body.get(name) for name in THINKING) or thinks
    each = min({True: thinking, False: SAID, None: math.sqrt(SAID * thinking) / 1.6}[thinks], float(most))
    post = min(440.0, 4.0 * most)
    return Habits(1.5, 1.2, 1.0, post, each, post + 250, 4.0, 1 + each / 60)


def ceiling_habits(endpoint: Endpoint) -> Habits:
    """All that one can do: every step of every turn, every token of every answer, posted where most others read it."""
    size, most = endpoint.most_tokens * BYTES, math.inf
    habits = Habits(most, most, most, size, endpoint.most_tokens, size + EXCHANGE, BYTES, endpoint.timeout)
    return replace(habits, everywhere=True)


def least_habits(endpoint: Endpoint) -> Habits:
    """The least that one can do: a call in a turn, and nothing said."""
    return Habits(1.0, 1.0, 0.0, 0.0, 1.0, 0.0, LONGEST_TOKEN, 0.0)
