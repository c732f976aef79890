"""A run as turns and as blocks. In: the events of a trace; out: who said and did what, turn by turn."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, Final

from colosseum.model.values import text
from colosseum.report.document import Block, Definitions, Heading, Paragraph, Quote
from colosseum.report.words import WORDS
from colosseum.run.judging.transcript import channels_of

OF_TURN: Final = ("event", "chain", "agent", "round")  # parts of an event that its turn has, or nobody reads
QUOTES: Final[Any] = WORDS["quotes"]  # of an act our line, their text below it, and its style


@dataclass
class PlayedTurn:
    """What one agent did when it was its turn."""

    agent: str
    phase: str
    round: int | None
    acts: list[dict[str, Any]] = field(default_factory=list)
    """In the order of the trace: `is` is the kind, `n` the place of the event, and the rest is what the event says."""


def turns(events: Iterable[Mapping[str, Any]], *, thoughts: bool = True) -> list[PlayedTurn]:
    """Replies of one agent in one round, with what their calls came to; without `thoughts` their places alone."""
    found: list[PlayedTurn] = []
    place: tuple[str, str, int | None] | None = None
    for event in events:
        before = place
        if event["event"] in ("reply", "thought"):
            place = event["agent"], event["phase"], event["round"]
        elif event["event"] == "failed":
            place = place or ("", "", 0)
        if place is not None and place != before:
            found.append(PlayedTurn(*place))
        if found:
            found[-1].acts += _acts(event, thoughts=thoughts)
    return found


def _acts(event: Mapping[str, Any], *, thoughts: bool) -> Iterator[dict[str, Any]]:
    """What an event tells a reader."""
    match event:
        case {"event": "reply", "n": n, "note": note, "finish": finish}:
            if note.strip():
                yield {"is": "note", "n": n, "text": note}
            if finish in WORDS["finishes"]:
                yield {"is": "finish", "n": n, "finish": finish}
        case {"event": "thought", "n": n, "kind": kind, "text": words}:
            shown = {"kind": kind, "text": words} if thoughts else {"kind": "omitted", "text": ""}
            yield {"is": "thought", "n": n, **shown}
        case {"event": "post" | "mistake" | "refused" | "decide" | "belief" | "failed" as kind}:
            yield {"is": kind, **{name: part for name, part in event.items() if name not in OF_TURN}}


def conversation_blocks(events: Sequence[Mapping[str, Any]], *, prompts: bool) -> Iterator[Block]:
    """Everything that happened, in order; `prompts` shows what agents were told at the beginning, too."""
    channels = channels_of(events)
    names = {c["name"]: f"{c['name']} (secret)" if c["secret"] else c["name"] for c in channels}
    if channels:
        yield Heading("Channels")
        yield Definitions(tuple((names[c["name"]], ", ".join(c["members"])) for c in channels))
    if prompts:
        yield Heading("What they were told")
        for event in (event for event in events if event["event"] == "briefing"):
            yield Paragraph(event["agent"], "strong")
            yield from (Quote("", words) for words in event["texts"])
    shown = [(turn, list(_quotes(turn, names))) for turn in turns(events)]
    for (phase, number), group in groupby(shown, key=lambda each: (each[0].phase, each[0].round)):
        yield Heading(WORDS["phases"].get(phase) or f"Planning, round {number or 'not known'}")
        for silent, alike in groupby(group, key=lambda each: not each[1]):
            if silent:
                yield Paragraph(f"{', '.join(turn.agent for turn, _ in alike)}: nothing", "quiet")
                continue
            for turn, quotes in alike:
                yield Paragraph(turn.agent, "strong")
                yield from quotes
    yield from _ending(events)


def _quotes(turn: PlayedTurn, channels: Mapping[str, str]) -> Iterator[Quote]:
    for act in turn.acts:
        match act:
            case {"is": "finish", "finish": finish}:
                yield Quote(WORDS["finishes"][finish], "", "wrong")
            case {"is": "thought", "kind": kind, "text": words}:
                yield Quote(WORDS["thoughts"][kind], words, "quiet")
            case {"is": "post", "channel": channel, "text": words}:
                named = channels.get(channel, channel)
                yield Quote(f"to {named}", words, "" if named == channel else "secret")
            case {"is": kind}:
                opening, words, style = QUOTES[kind]
                told = {**act, "value": text(act.get("value")), "kind": str(act.get("kind")).replace("_", " ")}
                yield Quote(opening.format(**told), words.format(**told), style)


def _ending(events: Sequence[Mapping[str, Any]]) -> Iterator[Block]:
    for event in events:
        if event["event"] == "outcome":
            yield Heading("Outcome")
            drawn = dict.fromkeys(event["undecided"], ", not decided by anybody")
            known = event["assignment"] or {"not known": "the source does not hold all decisions"}
            yield Definitions(tuple((name, text(v) + drawn.get(name, "")) for name, v in known.items()))
    if not events or events[-1]["event"] != "end":
        yield Heading("No end yet")
        yield Paragraph("the run goes on, or was cut off: the same `audit` goes on with it")
