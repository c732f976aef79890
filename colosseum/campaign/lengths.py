"""Lengths of replies. In: files of runs, or nothing; out: Lengths, and the Habits they show.

Lengths are sums of counts and never hold a word.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Literal, TypeAlias

from colosseum.campaign.calls import Recorded, read_paid
from colosseum.campaign.folder import Folder
from colosseum.campaign.prices import entry, priced
from colosseum.campaign.purse import BYTES
from colosseum.players.models.reply import reply
from colosseum.players.models.request import Endpoint, Price
from colosseum.players.view import TOOLS
from colosseum.run.trial import Listed

Basis: TypeAlias = Literal["defaults", "runs in this folder"]
"""Where lengths come from."""
THINKING = ("reasoning_effort", "reasoning", "thinking")
"""Parameters of `--extra-body` that make a model think."""
SAID, THOUGHT, LEAST_ROOM = 110.0, 900.0, 0.6
"""Tokens of one reply by default: what is said, and what is thought besides, at most this share of `max_tokens`."""
EXCHANGE = 400.0
"""Bytes of a call and what it is answered, besides the words in it; fewer by default than at most."""
LONGEST_TOKEN = 8.0
"""Bytes of a prompt for one token, at most: English has about four."""
MOST_MEASURED = 30
"""Runs that are read to learn lengths, spread evenly."""


@dataclass(frozen=True)
class Lengths:
    """Sums over calls of one model. Surveys count as deciding, thinking as completion. `counted` are calls with known
    tokens, `unpriced` those without a known price, `further` those after a turn's first, which add to its prompts."""

    planning_turns: float = 0.0
    planning_calls: float = 0.0
    deciding_turns: float = 0.0
    deciding_calls: float = 0.0
    posts: float = 0.0
    post_bytes: float = 0.0
    counted: float = 0.0
    prompt_bytes: float = 0.0
    prompt_tokens: float = 0.0
    completion_tokens: float = 0.0
    further: float = 0.0
    further_bytes: float = 0.0
    seconds: float = 0.0
    dollars: float = 0.0
    unpriced: float = 0.0

    @property
    def calls(self) -> float:
        """In all phases."""
        return self.planning_calls + self.deciding_calls

    def __add__(self, other: "Lengths") -> "Lengths":
        return Lengths(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))


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

    @classmethod
    def of(cls, measured: Lengths, default: Lengths) -> "Habits":
        """The means; defaults weigh as much as one turn of each kind."""
        m = measured + default
        return cls(
            m.planning_calls / m.planning_turns, m.deciding_calls / m.deciding_turns, m.posts / m.planning_turns,
            m.post_bytes / m.posts, m.completion_tokens / m.counted, m.further_bytes / m.further,
            m.prompt_bytes / m.prompt_tokens, m.seconds / m.calls,
        )  # fmt: skip


def ceiling_habits(endpoint: Endpoint) -> Habits:
    """All that one can do: every step of every turn, every token of every answer, posted where most others read it."""
    size, most = endpoint.most_tokens * BYTES, math.inf
    habits = Habits(most, most, most, size, endpoint.most_tokens, size + EXCHANGE, BYTES, endpoint.timeout)
    return replace(habits, everywhere=True)


def least_habits(endpoint: Endpoint) -> Habits:
    """The least that one can do: a call in a turn, and nothing said."""
    return Habits(1.0, 1.0, 0.0, 0.0, 1.0, 0.0, LONGEST_TOKEN, 0.0)


def default_lengths(endpoint: Endpoint) -> Lengths:
    """One turn of each kind, of a model that nothing is known of but whether it thinks."""
    most = endpoint.most_tokens
    thinking = SAID + min(THOUGHT, LEAST_ROOM * most)
    known = entry(endpoint.model)
    thinks: bool | None = bool(known.get("supports_reasoning")) if known else None
    thinks = any(endpoint.extra_body.get(name) for name in THINKING) or thinks
    each = min({True: thinking, False: SAID, None: math.sqrt(SAID * thinking) / 1.6}[thinks], float(most))
    planning, deciding = 1.5, 1.2
    calls, further = planning + deciding, planning + deciding - 2
    post = min(440.0, 4.0 * most)
    return Lengths(
        1.0, planning, 1.0, deciding, 1.0, post, calls, 4000 * calls, 1000 * calls, each * calls,
        further, (post + 250) * further, (1 + each / 60) * calls,
    )  # fmt: skip


def measure(folder: Folder, listed: Iterable[Listed], prices: Mapping[str, Price]) -> dict[str, Lengths]:
    """By model, what runs in the folder took. Raises OSError."""
    found: dict[str, Lengths] = {}
    for each in listed:
        for model, lengths in read_lengths(folder.calls(each.trial), prices).items():
            found[model] = found.get(model, Lengths()) + lengths
    return found


def read_lengths(path: Path, prices: Mapping[str, Price]) -> dict[str, Lengths]:
    """By model, the sums over the answers in a file of calls that were paid for there."""
    sums: dict[str, defaultdict[str, float]] = {}
    before: dict[tuple[str, ...], int] = {}
    for _, recorded in read_paid(path) if path.exists() else ():
        if recorded.origin or not recorded.turn:
            continue
        own, turn = sums.setdefault(recorded.model, defaultdict(float)), recorded.turn
        phase = "planning" if turn[1] == "planning" else "deciding"
        own[f"{phase}_turns"] += turn not in before
        own[f"{phase}_calls"] += 1
        if turn in before:
            own["further"] += 1
            own["further_bytes"] += max(0, recorded.prompt_bytes - before[turn])
        before[turn] = recorded.prompt_bytes
        _count(own, recorded, prices.get(recorded.model))
    return {model: Lengths(**own) for model, own in sums.items()}


def _count(own: defaultdict[str, float], recorded: Recorded, price: Price | None) -> None:
    """Add what one answer took."""
    answer, taken, cost = recorded.answer, recorded.answer.usage, recorded.answer.usage.cost
    if taken.prompt_tokens is not None and taken.completion_tokens is not None:
        own["counted"] += 1
        own["prompt_bytes"] += recorded.prompt_bytes
        own["prompt_tokens"] += taken.prompt_tokens
        own["completion_tokens"] += taken.completion_tokens
        cost = priced(answer, price).cost if cost is None else cost
    for call in reply(answer, known=TOOLS, as_text=True).calls:
        if call.tool == "post" and isinstance(call.arguments, dict):
            own["posts"] += 1
            own["post_bytes"] += len(str(call.arguments.get("text")).encode("utf-8", "surrogatepass"))
    own["seconds"] += answer.seconds
    own["dollars"] += cost or 0.0
    own["unpriced"] += cost is None
