"""The live view. In: a Sight and the size of a terminal; out: the lines that fit, drawn by rich.

What matters most stands on top, so a low terminal loses messages first; what does not fit the width is left out or cut.
"""

from collections.abc import Iterable, Iterator
from typing import TextIO

from rich.cells import cell_len
from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from colosseum.audit.campaign.folder import Result
from colosseum.audit.campaign.runner import Became
from colosseum.audit.trial import Listed
from colosseum.cli.watching.seen import Message, Room, Seen, Sight
from colosseum.cli.watching.wording import kinds, listed, money, rate, span

LEAST_BAR = 8
"""Columns; a shorter bar is left out."""


class LiveView:
    """Draws the view in place."""

    every = 0.25

    def __init__(self, stream: TextIO) -> None:
        self.console = Console(file=stream, force_terminal=True, highlight=False)
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
        self.live.update(Group(*self._lines(seen, width - 1, height - 1)), refresh=True)

    def finish(self, seen: Seen) -> None:
        """Leave the terminal as it was."""
        self.live.stop()

    def _lines(self, seen: Seen, width: int, height: int) -> list[Text]:
        lines = drawn(seen.look(messages=height), width, height)
        if not self.console.encoding.startswith("utf"):
            lines = [Text(line.plain.encode("ascii", "replace").decode()) for line in lines]
        return lines


def drawn(sight: Sight, width: int, height: int) -> list[Text]:
    """At most `height` lines of at most `width` columns."""
    lines = [_bar(sight, width), _counts(sight, width)]
    if sight.money is not None:
        paid = sight.money
        words = money(paid.spent, paid.limit, paid.unpriced, unknown=paid.unknown)
        lines.append(_cut(Text(f"spent {words}"), width))
    if sight.broken:
        lines.append(_cut(Text(f"failed runs: {kinds(sight.broken)}", "red"), width))
    lines += _rooms(sight.rooms, width, most=max(1, height // 3))
    if sight.again:
        lines.append(_cut(Text(f"asked again: {kinds(sight.again)}", "yellow"), width))
    lines.append(_fitting(_pace(sight), width))
    left = max(0, height - len(lines))
    lines += [_message(message, width) for message in sight.messages[-left:] if left]
    return lines[: max(1, height)]


def _bar(sight: Sight, width: int) -> Text:
    """`123/300 ━━━━━━━━────── 41%`."""
    share = sight.done / sight.total if sight.total else 1.0
    head, tail = f"{sight.done}/{sight.total} ", f" {int(100 * share)}%"
    room = width - len(head) - len(tail)
    if room < LEAST_BAR:
        return _cut(Text(f"{head.strip()}{tail}"), width)
    full = int(room * share)
    red = min(full, -(-room * sight.failed // sight.total)) if sight.total else 0  # one failure shows
    return Text.assemble(
        head, ("━" * (full - red), "green"), ("━" * red, "red"), ("─" * (room - full), "dim"), tail
    )  # fmt: skip


def _counts(sight: Sight, width: int) -> Text:
    """What became of the runs."""
    told = [
        (sight.number("complete"), "complete", ""),
        (sight.failed, "failed", "red"),
        (sight.total - sight.done, "left", ""),
        (sight.number("reused"), "reused", ""),
        (sight.number("halted"), "without money", "yellow"),
        (sight.under_way, "under way", ""),
    ]
    always = ("complete", "left")
    return _fitting((Text(f"{n} {word}", style) for n, word, style in told if n or word in always), width)


def _pace(sight: Sight) -> Iterator[Text]:
    """How fast it goes."""
    left = sight.minutes_left
    words = [
        rate(sight.runs_a_minute, "runs"),
        f"{span(60 * left)} left" if left else "",
        rate(sight.answers_a_minute, "answers") if sight.answers else "",
        f"{span(sight.seconds)} so far",
    ]
    return (Text(each) for each in listed(words))


def _rooms(rooms: Iterable[Room], width: int, *, most: int) -> list[Text]:
    """A line for every model; for the last of many, how many there are besides."""
    busiest = sorted(rooms, key=lambda room: (-room.under_way - room.waiting, room.model))
    shown = busiest if len(busiest) <= most else busiest[: most - 1]
    lines = []
    for room in shown:
        words = [f"{room.model}: {room.under_way} of {room.room} calls"]
        words += [f"{room.waiting} wait"] if room.waiting else []
        words += [f"held back {span(room.held)}"] if room.held else []
        lines.append(_fitting((Text(each) for each in words), width))
    if len(shown) < len(busiest):
        lines.append(_cut(Text(f"{len(busiest) - len(shown)} more models"), width))
    return lines


def _message(message: Message, width: int) -> Text:
    """`alice → backroom (secret): …`."""
    place = Text.assemble(
        (message.agent, "bold"), " → ", message.channel, (" (secret)" if message.secret else "", "red")
    )
    return _cut(Text.assemble(place, f": {message.words}"), width)


def _fitting(parts: Iterable[Text], width: int) -> Text:
    """As many of the parts as there is room for, the first one cut where even that is too long."""
    line = Text()
    for part in parts:
        gap = "  " if line.plain else ""
        if line.plain and cell_len(line.plain) + len(gap) + cell_len(part.plain) > width:
            break
        line = Text.assemble(line, gap, part)
    return _cut(line, width)


def _cut(line: Text, width: int) -> Text:
    """One line that the terminal does not wrap."""
    line.no_wrap = True
    line.truncate(max(1, width), overflow="ellipsis")
    return line
