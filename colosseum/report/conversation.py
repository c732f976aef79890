"""A run as a conversation. In: the events of a trace; out: a page that is read from top to bottom, turn by turn.

What agents wrote stands behind a bar, line by line, so that no text can pose as a line of ours.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from rich.console import Console
from rich.text import Text

from colosseum.report.page import list_facts, printable, say, say_heading
from colosseum.run import events as ev

_SECRET: Final = "magenta"
_WRONG: Final = "red"
_FINISH: Final = {
    "length": "its answer was cut off at the limit of tokens",
    "refusal": "it refused to answer",
    "empty": "its answer was empty",
}
_THOUGHTS: Final = {"text": "thinks", "summary": "thinks, in its provider's summary", "withheld": "thinks, withheld"}
_PHASES = {"survey": "Survey, each asked in private", "execution": "Execution"}


@dataclass
class _Turn:
    """What one agent did when it was its turn."""

    agent: str
    phase: str
    round: int
    events: list[ev.AnyEvent] = field(default_factory=list)

    @property
    def silent(self) -> bool:
        """Nothing was said, decided or done wrong."""
        return all(isinstance(e, ev.Reply) and not e.note.strip() and e.finish not in _FINISH for e in self.events)


def show_conversation(found: Sequence[ev.AnyEvent], console: Console, *, prompts: bool, thoughts: bool) -> None:
    """Everything that happened, in order; `prompts` and `thoughts` show what agents were told and thought, too."""
    found = [event for event in found if thoughts or not isinstance(event, ev.Thought)]
    secret = {c.name: c.secret for e in found if isinstance(e, ev.Channels) for c in e.channels}
    _channels(found, console)
    if prompts:
        _briefings(found, console)
    place, silent = ("", 0), list[str]()
    for turn in _turns(found):
        if (turn.phase, turn.round) != place:
            _silence(silent, console)
            place = (turn.phase, turn.round)
            say_heading(console, _PHASES.get(turn.phase) or f"Planning, round {turn.round}")
        if turn.silent:
            silent.append(turn.agent)
        else:
            _silence(silent, console)
            _turn(turn, secret, console)
    _silence(silent, console)
    _ending(found, console)


def _turns(found: Iterable[ev.AnyEvent]) -> Iterator[_Turn]:
    """Replies of one agent in one round, with what follows each."""
    turn: _Turn | None = None
    for event in found:
        match event:
            case ev.Reply(agent=agent, phase=phase, round=number) | ev.Thought(agent=agent, phase=phase, round=number):
                if turn is None or (turn.agent, turn.phase, turn.round) != (agent, phase, number):
                    if turn is not None:
                        yield turn
                    turn = _Turn(agent, phase, number)
                turn.events.append(event)
            case ev.Post() | ev.Mistake() | ev.Refused() | ev.Decide() | ev.Belief() if turn is not None:
                turn.events.append(event)
    if turn is not None:
        yield turn


def _channels(found: Sequence[ev.AnyEvent], console: Console) -> None:
    for event in found:
        if isinstance(event, ev.Channels) and event.channels:
            say_heading(console, "Channels")
            list_facts(console, [(_named(c.name, c.secret), ", ".join(c.members)) for c in event.channels])


def _briefings(found: Sequence[ev.AnyEvent], console: Console) -> None:
    say_heading(console, "What they were told")
    for event in found:
        if isinstance(event, ev.Briefing):
            say(console, event.agent, style="bold")
            for text in event.texts:
                _quote(console, text)


def _silence(agents: list[str], console: Console) -> None:
    """Those who did nothing, in one line; the list is emptied."""
    if agents:
        say(console, f"{', '.join(agents)}: nothing", style="dim")
        agents.clear()


def _turn(turn: _Turn, secret: Mapping[str, bool], console: Console) -> None:
    say(console, turn.agent, style="bold")
    for event in turn.events:
        match event:
            case ev.Reply(note=note, finish=finish):
                if note.strip():
                    _line(console, "note, which nobody sees", style="dim")
                    _quote(console, note, style="dim")
                if finish in _FINISH:
                    _line(console, _FINISH[finish], style=_WRONG)
            case ev.Thought(kind=kind, text=text):
                _line(console, _THOUGHTS[kind], style="dim")
                if text:
                    _quote(console, text, style="dim")
            case ev.Post(channel=channel, text=text):
                style = _SECRET if secret.get(channel) else ""
                _line(console, f"to {_named(channel, secret.get(channel, False))}", style=style)
                _quote(console, text, style=style)
            case ev.Decide(variable=variable, value=value):
                _line(console, f"decides {variable} = {_value(value)}", style="bold green")
            case ev.Belief(claim=claim, belief=belief, confidence=sure):
                _line(console, f"holds {claim} for {belief}, {sure:g} % sure")
            case ev.Refused(variable=variable, value=value, rule=rule):
                _line(console, f"may not decide {variable} = {_value(value)}: it breaks the rule {rule}", style=_WRONG)
            case ev.Mistake(tool=tool, kind=kind, message=message):
                _line(console, f"mistake in {tool}: {kind.replace('_', ' ')}", style=_WRONG)
                _quote(console, message, style=_WRONG)


def _ending(found: Sequence[ev.AnyEvent], console: Console) -> None:
    ended = False
    for event in found:
        match event:
            case ev.Failed(kind=kind, reason=reason):
                say_heading(console, "Failed")
                say(console, f"a player could not be asked: {kind}", style=_WRONG)
                _quote(console, reason, style=_WRONG)
            case ev.Outcome(assignment=assignment, undecided=undecided):
                say_heading(console, "Outcome")
                drawn = dict.fromkeys(undecided, ", not decided by anybody")
                list_facts(console, [(name, _value(v) + drawn.get(name, "")) for name, v in assignment.items()])
            case ev.End():
                ended = True
    if not ended:
        say_heading(console, "No end yet")
        say(console, "the run goes on, or was cut off: the same `audit` goes on with it")


def _named(channel: str, secret: bool) -> str:
    return f"{channel} (secret)" if secret else channel


def _value(value: ev.Value) -> str:
    return "none" if value is None else str(value)


def _line(console: Console, words: str, *, style: str = "") -> None:
    """A line of ours."""
    text = Text(printable(words, console.encoding), style)
    for number, line in enumerate(text.wrap(console, max(1, console.width - 4))):
        console.print(Text("  " if number == 0 else "    ") + line)


def _quote(console: Console, words: str, *, style: str = "") -> None:
    """Lines of somebody else."""
    bar = "| " if console.options.ascii_only else "│ "
    for part in words.splitlines() or [""]:
        text = Text(printable(part, console.encoding), style)
        for line in text.wrap(console, max(1, console.width - 6)) or [text]:
            line.rstrip()
            console.print(Text("    ") + Text(bar, "dim") + line)
