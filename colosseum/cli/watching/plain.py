"""Progress in plain lines. In: trials as they end, and a Sight now and then; out: lines of text on stderr."""

from typing import TextIO

from colosseum.audit.campaign.folder import Result
from colosseum.audit.campaign.runner import Became
from colosseum.audit.trial import Listed
from colosseum.cli.watching.seen import Seen, Sight
from colosseum.cli.watching.wording import listed, money, one_line, rate, span
from colosseum.diagnostics import counted

PATIENCE = 60.0
"""Seconds after which a line comes although nothing has changed."""


class PlainLines:
    """Prints a line now and then, and one for every run that failed."""

    every = 10.0

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.told, self.moment = (0, 0), 0.0

    def begin(self) -> None:
        """Nothing is said before there is something to say."""

    def ended(self, trial: Listed, became: Became, result: Result | None) -> None:
        """A failure is told at once."""
        if became != "failed":
            return
        reason = result.reason if result else None
        words = f": {reason.kind}: {one_line(reason.words)}" if reason else ""
        print(f"failed: {_named(trial)}{words}", file=self.stream, flush=True)

    def tell(self, seen: Seen) -> None:
        """A line, where anything has changed or nobody has heard from us for long."""
        sight = seen.look()
        now = (sight.done, sight.answers)
        if now != self.told or sight.seconds - self.moment >= PATIENCE:
            self.told, self.moment = now, sight.seconds
            print(words_of(sight), file=self.stream, flush=True)

    def finish(self, seen: Seen) -> None:
        """The last words are the command's."""


def words_of(sight: Sight) -> str:
    """`12 of 300 runs, 2 failed, 8 under way, 31 runs/min, 9 min left, $0.42 of $5.00`."""
    paid, left = sight.money, sight.minutes_left
    parts = [
        f"{sight.done} of {counted(sight.total, 'run')}",
        f"{sight.failed} failed",
        f"{sight.under_way} under way" if sight.under_way else "",
        rate(sight.runs_a_minute, "runs"),
        f"{span(60 * left)} left" if left else "",
        counted(sight.answers, "answer") if sight.answers else "",
        money(paid.spent, paid.limit, paid.unpriced, unknown=paid.unknown) if paid else "",
    ]
    return ", ".join(listed(parts))


def _named(trial: Listed) -> str:
    """Which run it is, as people say it."""
    point = f"{one_line(trial.point)}, " if trial.point else ""
    repeat = f", repeat {trial.repeat}" if trial.repeat > 1 else ""
    return f"{point}{one_line(trial.arm)}, seed {trial.seed}{repeat}"
