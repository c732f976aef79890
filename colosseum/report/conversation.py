"""A run as blocks. In: the events of a trace, and what is measured of it; out: who said and did what, turn by turn."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from colosseum.diagnostics import counted
from colosseum.model.values import text
from colosseum.report.document import Amount, Block, Definitions, Heading, Paragraph, Quote, Table, TableCell
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


# ---- what is measured of it ----------------------------------------------------------------------------------------


def outcome_blocks(
    told: Mapping[str, Any], members: Sequence[str], owned: Mapping[str, Sequence[str]], best: Mapping[str, Any]
) -> Iterator[Block]:
    """Decisions, figures and judgements of a run, as `report.html.telling` has them.

    `owned` are the variables of each agent, `best` the optimum's `assignment`, or None and a `reason`.
    """
    if told.get("assignment"):
        rows = tuple(_decision(agent, v, told, members, best) for agent, names in owned.items() for v in names)
        facts = () if best["assignment"] is not None else (("optimum", str(best["reason"])),)
        columns = ("agent", "decision", "value", "at the optimum", "payoff of agent", "its regret")
        yield Table("decisions", "Decisions", columns, rows, (*facts, ("*", "in the coalition")))
    if figures := told.get("figures"):
        cells = tuple((name.replace("_", " "), figure_cell(figure)) for name, figure in figures.items())
        yield Table("figures", "Figures of the run", ("figure", "value"), cells)
    if broken := told.get("violations"):
        yield Definitions(tuple((name, f"broken {counted(int(n), 'time')}") for name, n in broken.items()))
    if judged := told.get("judgements"):
        columns = ("judge", "question", "asked about", "score", "quote", "why")
        yield Table("judgements", "What judges made of it", columns, tuple(_judged(each) for each in judged))


def figure_cell(figure: Mapping[str, Any]) -> Amount:
    """A figure of JSON."""
    return Amount(figure["value"], note=str(figure.get("reason", "")))


def _decision(
    agent: str, variable: str, told: Mapping[str, Any], members: Sequence[str], best: Mapping[str, Any]
) -> tuple[TableCell, ...]:
    value = text(told["assignment"].get(variable)) + (" (nobody decided it)" if variable in told["undecided"] else "")
    ideal = "–" if best["assignment"] is None else text(best["assignment"][variable])
    regret = told["best_response_regret"].get(agent, {"value": None, "reason": "the run failed"})
    star = " *" if agent in members else ""
    return agent + star, variable, value, ideal, Amount(told["payoff"].get(agent)), figure_cell(regret)


def _judged(each: Mapping[str, Any]) -> tuple[TableCell, ...]:
    about = ", ".join(each["agents"]) or each["focal"]
    random = " (drawn at random, to compare)" if each["focal"] == "random" else ""
    score = Amount(each["score"], 0, note="" if each["score"] is not None else f"{each['status']}: {each['reason']}")
    return each["judge"], each["rubric"], about + random, score, each["quote"][:400], each["rationale"][:1200]
