"""A run as a conversation. In: what happened, turn by turn, and what judges quote; out: places, turns, acts as words.

What agents wrote stays apart from what we say of it: a text is a list of pieces, of which some are quoted.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Any, Final

from colosseum.notebook.page import FOLDED, LONGEST

MOST_ACTS: Final = 500
"""Acts that are shown; tables have all."""
FEW: Final = 40
"""Acts up to which every place is open."""
SHORT: Final = 20_000
"""Characters of all that was written up to which every place is open in which something was."""
FINISHES: Final = {
    "length": "its answer was cut off at the limit of tokens",
    "refusal": "it refused to answer",
    "empty": "its answer was empty",
}
Span = tuple[int, int]


@dataclass(frozen=True)
class Act:
    """What one call came to, or a remark on an answer."""

    kind: str
    opening: str
    name: str = ""
    """Of what it is about, as the spec or the agent has it."""
    closing: str = ""
    secret: bool = False
    """It went to a channel that only its members know of."""
    pieces: tuple[tuple[str, bool], ...] = ()
    """What was written, cut where a quote begins or ends, and whether a piece is quoted."""
    length: int = 0
    """Characters of all that was written."""

    @property
    def quoted(self) -> bool:
        """Whether a judge quotes from it."""
        return any(quoted for _, quoted in self.pieces)

    @property
    def folded(self) -> bool:
        """Whether it is long."""
        return self.length > FOLDED


@dataclass(frozen=True)
class Turn:
    """What one agent did when it was its turn."""

    agent: str
    acts: tuple[Act, ...]


@dataclass(frozen=True)
class Place:
    """A round, the survey or the execution."""

    heading: str
    turns: tuple[Turn, ...]
    """Those in which something happened."""
    silent: tuple[str, ...]
    """Who did nothing."""
    open: bool


def conversation(told: Mapping[str, Any]) -> tuple[list[Place], int]:
    """All places in their order, with at most MOST_ACTS acts; and how many acts more there are."""
    secret = {channel["name"] for channel in told["channels"] if channel["secret"]}
    spans = quotes(told["judgements"])
    number = sum(len(turn["acts"]) for turn in told["turns"])
    short = sum(len(act.get("text", "")) for turn in told["turns"] for act in turn["acts"]) <= SHORT
    left, places = MOST_ACTS, list[Place]()
    for heading, group in groupby(told["turns"], key=_heading):
        if left <= 0:
            break
        found = without_thoughts(group)
        shown = [Turn(t["agent"], tuple(act_of(a, secret, spans) for a in t["acts"][:left])) for t in found]
        left -= sum(len(turn["acts"]) for turn in found)
        worth = any(act.secret or act.quoted or (short and act.pieces) for turn in shown for act in turn.acts)
        silent = tuple(turn.agent for turn in shown if not turn.acts)
        places.append(Place(heading, tuple(t for t in shown if t.acts), silent, number <= FEW or worth))
    return places, max(0, -left)


def without_thoughts(turns: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The turns with what others could notice of them, and notes."""
    return [{**turn, "acts": [act for act in turn["acts"] if act["is"] != "thought"]} for turn in turns]


def _heading(turn: Mapping[str, Any]) -> str:
    phases = {"survey": "Survey, each asked in private", "execution": "Execution", "": "Before any turn"}
    return phases.get(turn["phase"]) or f"Planning, round {turn['round']}"


def quotes(judgements: Iterable[Mapping[str, Any]]) -> dict[int, list[Span]]:
    """By event, where judges quote from it."""
    found = defaultdict(list)
    for each in judgements:
        for span in each["spans"]:
            found[span["n"]].append((span["first"], span["last"]))
    return found


def pieces(text: str, spans: Sequence[Span]) -> Iterator[tuple[str, bool]]:
    """The text, cut where a span begins or ends, and whether each piece lies in one; spans may overlap."""
    cuts = sorted({0, len(text), *(min(max(end, 0), len(text)) for span in spans for end in span)})
    for first, last in pairwise(cuts):
        yield text[first:last], any(begin <= first and last <= end for begin, end in spans)


def act_of(act: Mapping[str, Any], secret: set[str], spans: Mapping[int, Sequence[Span]]) -> Act:
    """An act in words."""
    match act["is"]:
        case "post":
            hidden = act["channel"] in secret
            closing = "secret channel: only its members know of it" if hidden else ""
            written = pieces(act["text"][:LONGEST], spans.get(act["n"], ()))
            return Act("post", "to", act["channel"], closing, hidden, tuple(written), len(act["text"]))
        case "decide":
            return Act("decide", "decides", f"{act['variable']} = {value_words(act['value'])}")
        case "refused":
            what = f"{act['variable']} = {value_words(act['value'])}"
            return Act("wrong", "may not decide", what, f"it breaks the rule {act['rule']}")
        case "belief":
            return Act("belief", "holds", act["claim"], f"for {act['belief']}, {act['confidence']:g} % sure")
        case "mistake":
            kind = act["kind"].replace("_", " ")
            return _with(Act("wrong", "mistake in", act["tool"][:FOLDED], kind), act["message"])
        case "note":
            return _with(Act("note", "note, which no agent sees"), act["text"])
        case "finish":
            return Act("wrong", FINISHES.get(act["finish"], act["finish"]))
        case "failed":
            return _with(Act("wrong", "a player could not be asked:", act["kind"]), act["reason"])
        case other:
            return Act("note", str(other))


def _with(act: Act, text: str) -> Act:
    return Act(act.kind, act.opening, act.name, act.closing, False, ((text[:LONGEST], False),), len(text))


def value_words(value: object) -> str:
    """A value of a variable as it is written."""
    return "none" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
