"""The live view. In: a Sight and the size of a terminal; out: the lines that fit, drawn by rich.

What matters most stands on top, so a low terminal loses messages first; what does not fit the width is left out or cut.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TextIO, TypeAlias

from rich.cells import cell_len, set_cell_size
from rich.console import Console, ConsoleOptions
from rich.live import Live
from rich.segment import Segment
from rich.style import Style

from colosseum.audit.campaign.folder import Result
from colosseum.audit.campaign.runner import Became
from colosseum.audit.trial import Listed
from colosseum.cli.watching.seen import Message, Room, Seen, Sight
from colosseum.cli.watching.wording import kinds, listed, money, rate, span

Part: TypeAlias = tuple[str, str]
"""Words and their style, as rich names it; empty is none."""
Line: TypeAlias = Sequence[Part]
LEAST_BAR = 8
"""Columns; a shorter bar is left out."""


class LiveView:
    """Draws the view in place."""

    every = 0.25

    def __init__(self, stream: TextIO) -> None:
        self.console = Console(file=stream, force_terminal=True, highlight=False)
        self.ascii = not self.console.encoding.startswith("utf")
        self.live = Live(
            console=self.console,
            auto_refresh=False,
            transient=True,
            redirect_stdout=False,  # the report may go elsewhere
            vertical_overflow="crop",
        )

    def begin(self) -> None:
        """Before the first trial."""
        self.live.start()

    def ended(self, trial: Listed, became: Became, result: Result | None) -> None:
        """The next drawing shows it."""

    def tell(self, seen: Seen) -> None:
        """Draw it anew."""
        width, height = self.console.size
        sight = seen.look(messages=height)
        self.live.update(Picture(drawn(sight, width - 1, height - 1), ascii_=self.ascii), refresh=True)

    def finish(self, seen: Seen) -> None:
        """Leave the terminal as it was."""
        self.live.stop()


@dataclass(frozen=True)
class Picture:
    """Lines that fit already; rich, which measures all that it is given to lay out, has nothing to measure."""

    lines: Sequence[Line]
    ascii_: bool
    """Whether the terminal has no other letters."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Segment]:
        """The segments, line by line."""
        for line in self.lines:
            for words, style in line:
                shown = words.encode("ascii", "replace").decode() if self.ascii_ else words
                yield Segment(shown, Style.parse(style) if style else None)
            yield Segment.line()


def drawn(sight: Sight, width: int, height: int) -> list[Line]:
    """At most `height` lines of at most `width` columns."""
    lines: list[Line] = [_bar(sight, width), _counts(sight, width)]
    if sight.money is not None:
        paid = sight.money
        words = money(paid.spent, paid.limit, paid.unpriced, unknown=paid.unknown)
        lines.append(_cut([(f"spent {words}", "")], width))
    if sight.broken:
        lines.append(_cut([(f"failed runs: {kinds(sight.broken)}", "red")], width))
    lines += _rooms(sight.rooms, width, most=max(1, height // 3))
    if sight.again:
        lines.append(_cut([(f"asked again: {kinds(sight.again)}", "yellow")], width))
    lines.append(_fitting(_pace(sight), width))
    left = max(0, height - len(lines))
    lines += [_message(message, width) for message in sight.messages[-left:] if left]
    return lines[: max(1, height)]


def _bar(sight: Sight, width: int) -> Line:
    """`123/300 ━━━━━━━━────── 41%`."""
    share = sight.done / sight.total if sight.total else 1.0
    head, tail = f"{sight.done}/{sight.total} ", f" {int(100 * share)}%"
    room = width - len(head) - len(tail)
    if room < LEAST_BAR:
        return _cut([(f"{head.strip()}{tail}", "")], width)
    full = int(room * share)
    red = min(full, -(-room * sight.failed // sight.total)) if sight.total else 0  # one failure shows
    return [(head, ""), ("━" * (full - red), "green"), ("━" * red, "red"), ("─" * (room - full), "dim"), (tail, "")]


def _counts(sight: Sight, width: int) -> Line:
    """What became of the runs."""
    told = [
        (sight.number("complete"), "complete", ""),
        (sight.failed, "failed", "red"),
        (sight.total - sight.done, "left", ""),
        (sight.number("reused"), "reused", ""),
        (sight.number("halted"), "put off", "yellow"),
        (sight.under_way, "under way", ""),
    ]
    always = ("complete", "left")
    return _fitting([(f"{n} {word}", style) for n, word, style in told if n or word in always], width)


def _pace(sight: Sight) -> list[Part]:
    """How fast it goes."""
    left = sight.minutes_left
    words = [
        rate(sight.runs_a_minute, "runs"),
        f"{span(60 * left)} left" if left else "",
        rate(sight.answers_a_minute, "answers") if sight.answers else "",
        f"{span(sight.seconds)} so far",
    ]
    return [(each, "") for each in listed(words)]


def _rooms(rooms: Iterable[Room], width: int, *, most: int) -> list[Line]:
    """A line for every model; for the last of many, how many there are besides."""
    busiest = sorted(rooms, key=lambda room: (-room.under_way - room.waiting, room.model))
    shown = busiest if len(busiest) <= most else busiest[: most - 1]
    lines: list[Line] = []
    for room in shown:
        words = [f"{room.model}: {room.under_way} of {room.room} calls"]
        words += [f"{room.waiting} wait"] if room.waiting else []
        words += [f"held back {span(max(1.0, room.held))}"] if room.held else []
        lines.append(_fitting([(each, "") for each in words], width))
    if len(shown) < len(busiest):
        lines.append(_cut([(f"{len(busiest) - len(shown)} more models", "")], width))
    return lines


def _message(message: Message, width: int) -> Line:
    """`alice → backroom (secret): …`."""
    secret = [(" (secret)", "red")] if message.secret else []
    place = [(message.agent, "bold"), (f" → {message.channel}", ""), *secret]
    return _cut([*place, (f": {message.words[:width]}", "")], width)


def _fitting(parts: Iterable[Part], width: int) -> Line:
    """As many of the parts as there is room for, the first one cut where even that is too long."""
    line: list[Part] = []
    used = 0
    for words, style in parts:
        gap = 2 if line else 0
        if line and used + gap + cell_len(words) > width:
            break
        used += gap + cell_len(words)
        line.append((f"{' ' * gap}{words}", style))
    return _cut(line, width)


def _cut(line: Line, width: int) -> Line:
    """A line that the terminal does not wrap."""
    widths = [cell_len(words) for words, _ in line]
    if sum(widths) <= width:
        return line
    room, kept = width - 1, []
    for (words, style), wide in zip(line, widths, strict=True):
        kept.append((words if wide <= room else set_cell_size(words, room), style))
        room -= min(wide, room)
    return [*kept, ("…", "")]
