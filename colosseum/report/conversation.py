"""A run as blocks. In: the events of a trace; out: who said and did what, turn by turn."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from colosseum.model.values import text
from colosseum.report.document import Block, Definitions, Heading, Paragraph, Quote
from colosseum.run import events as ev

FINISHES: Final = {
    "length": "its answer was cut off at the limit of tokens",
    "refusal": "it refused to answer",
    "empty": "its answer was empty",
}
THOUGHTS: Final = {"text": "thinks", "summary": "thinks, in its provider's summary", "withheld": "thinks, withheld"}
PHASES: Final = {"survey": "Survey, each asked in private", "execution": "Execution"}


@dataclass
class TurnEvents:
    """What one agent did when it was its turn."""

    agent: str
    phase: str
    round: int
    events: list[ev.AnyEvent] = field(default_factory=list)

    @property
    def silent(self) -> bool:
        """Nothing was said, decided or done wrong."""
        return all(isinstance(e, ev.Reply) and not e.note.strip() and e.finish not in FINISHES for e in self.events)


def conversation_blocks(found: Sequence[ev.AnyEvent], *, prompts: bool, thoughts: bool) -> Iterator[Block]:
    """Everything that happened, in order; `prompts` and `thoughts` show what agents were told and thought, too."""
    found = [event for event in found if thoughts or not isinstance(event, ev.Thought)]
    channels = [channel for event in found if isinstance(event, ev.Channels) for channel in event.channels]
    secret = {channel.name: channel.secret for channel in channels}
    if channels:
        yield Heading("Channels")
        yield Definitions(tuple((_named(c.name, c.secret), ", ".join(c.members)) for c in channels))
    if prompts:
        yield Heading("What they were told")
        for event in found:
            if isinstance(event, ev.Briefing):
                yield Paragraph(event.agent, "strong")
                yield from (Quote("", text_) for text_ in event.texts)
    place, silent = ("", 0), list[str]()
    for turn in _turns(found):
        if (turn.phase, turn.round) != place:
            yield from _silence(silent)
            place = (turn.phase, turn.round)
            yield Heading(PHASES.get(turn.phase) or f"Planning, round {turn.round}")
        if turn.silent:
            silent.append(turn.agent)
        else:
            yield from _silence(silent)
            yield Paragraph(turn.agent, "strong")
            for event in turn.events:
                yield from _quotes(event, secret)
    yield from _silence(silent)
    yield from _ending(found)


def _turns(found: Iterable[ev.AnyEvent]) -> Iterator[TurnEvents]:
    """Replies of one agent in one round, with what follows each."""
    turn: TurnEvents | None = None
    for event in found:
        match event:
            case ev.Reply(agent=agent, phase=phase, round=number) | ev.Thought(agent=agent, phase=phase, round=number):
                if turn is None or (turn.agent, turn.phase, turn.round) != (agent, phase, number):
                    if turn is not None:
                        yield turn
                    turn = TurnEvents(agent, phase, number)
                turn.events.append(event)
            case ev.Post() | ev.Mistake() | ev.Refused() | ev.Decide() | ev.Belief() if turn is not None:
                turn.events.append(event)
    if turn is not None:
        yield turn


def _silence(agents: list[str]) -> Iterator[Block]:
    """Those who did nothing, in one line; the list is emptied."""
    if agents:
        yield Paragraph(f"{', '.join(agents)}: nothing", "quiet")
        agents.clear()


def _quotes(event: ev.AnyEvent, secret: Mapping[str, bool]) -> Iterator[Quote]:
    match event:
        case ev.Reply(note=note, finish=finish):
            if note.strip():
                yield Quote("note, which nobody sees", note, "quiet")
            if finish in FINISHES:
                yield Quote(FINISHES[finish], "", "wrong")
        case ev.Thought(kind=kind, text=words):
            yield Quote(THOUGHTS[kind], words, "quiet")
        case ev.Post(channel=channel, text=words):
            hidden = secret.get(channel, False)
            yield Quote(f"to {_named(channel, hidden)}", words, "secret" if hidden else "")
        case ev.Decide(variable=variable, value=value):
            yield Quote(f"decides {variable} = {text(value)}", "", "strong")
        case ev.Belief(claim=claim, belief=belief, confidence=sure):
            yield Quote(f"holds {claim} for {belief}, {sure:g} % sure")
        case ev.Refused(variable=variable, value=value, rule=rule):
            yield Quote(f"may not decide {variable} = {text(value)}: it breaks the rule {rule}", "", "wrong")
        case ev.Mistake(tool=tool, kind=kind, message=message):
            yield Quote(f"mistake in {tool}: {kind.replace('_', ' ')}", message, "wrong")


def _ending(found: Sequence[ev.AnyEvent]) -> Iterator[Block]:
    ended = False
    for event in found:
        match event:
            case ev.Failed(kind=kind, reason=reason):
                yield Heading("Failed")
                yield Quote(f"a player could not be asked: {kind}", reason, "wrong")
            case ev.Outcome(assignment=assignment, undecided=undecided):
                yield Heading("Outcome")
                drawn = dict.fromkeys(undecided, ", not decided by anybody")
                yield Definitions(tuple((name, text(v) + drawn.get(name, "")) for name, v in assignment.items()))
            case ev.End():
                ended = True
    if not ended:
        yield Heading("No end yet")
        yield Paragraph("the run goes on, or was cut off: the same `audit` goes on with it")


def _named(channel: str, secret: bool) -> str:
    return f"{channel} (secret)" if secret else channel
