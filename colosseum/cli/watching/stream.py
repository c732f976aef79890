"""Progress for programs. In: trials as they end, and a Sight now and then; out: a JSON object a line on stderr.

An object of our own begins a line with `{"event":`; warnings and errors, which are words, never do. Text is ASCII with
escapes. `"event": "trial"` comes when a trial has ended:

    schema      1
    trial, point, arm, seed, repeat      which one; `trial` is its identity
    became      complete, failed, reused (complete before), failed before, or halted (put off, since there is no
                money left or somebody said stop)
    reason      {"kind", "words"} of a run that failed, else null
    expense     {"calls", "retries", "shared", "dollars", "unpriced"}, null where there is no result; `dollars` is null
                where no price is known, `unpriced` counts the answers that are not in it

`"event": "summary"` comes every ten seconds, and as the last line:

    schema      1
    final       whether it is the last one
    seconds     since the beginning
    total, complete, reused, failed, halted, left, under_way      runs; failed counts those that failed before, too,
                and left those that were put off
    answers     of models, without those that were on file
    again, broken      attempts that are repeated, and runs that failed, by kind
    dollars, unpriced, budget      as above, null without models; `budget` is null where there is none
    runs_a_minute, answers_a_minute      over the last minute; null as long as there is too little to tell it by
    models      for each {"model", "under_way", "room", "waiting", "held"}: calls on the wire, how many there may be,
                those that wait for room, and the seconds that the provider still asks to wait
"""

from dataclasses import asdict
from typing import TextIO

from colosseum.audit.campaign.folder import Expense, Result
from colosseum.audit.campaign.runner import Became
from colosseum.audit.trial import Listed
from colosseum.cli.watching.seen import Seen, Sight
from colosseum.cli.watching.wording import one_line
from colosseum.model.json_text import Json

SCHEMA = 1


class JsonLines:
    """Prints an object for every trial and every ten seconds."""

    every = 10.0

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def begin(self) -> None:
        """Nothing has happened yet."""

    def ended(self, trial: Listed, became: Became, result: Result | None) -> None:
        """The object of one trial."""
        reason = result.reason if result else None
        self._print(
            {
                "event": "trial",
                "schema": SCHEMA,
                **{name: getattr(trial, name) for name in ("trial", "point", "arm", "seed", "repeat")},
                "became": became,
                "reason": {"kind": reason.kind, "words": one_line(reason.words)} if reason else None,
                "expense": _expense(result.expense) if result else None,
            }
        )

    def tell(self, seen: Seen) -> None:
        """How far it has come."""
        self._print(summary(seen.look(), final=False))

    def finish(self, seen: Seen) -> None:
        """How far it came."""
        self._print(summary(seen.look(), final=True))

    def _print(self, content: dict[str, Json]) -> None:
        import json

        print(json.dumps(content, separators=(",", ":"), allow_nan=False), file=self.stream, flush=True)


def _expense(expense: Expense) -> dict[str, Json]:
    own = expense.calls - expense.shared
    return {
        "calls": expense.calls,
        "retries": expense.retries,
        "shared": expense.shared,
        "dollars": None if own and expense.unpriced == own else expense.cost,
        "unpriced": expense.unpriced,
    }


def summary(sight: Sight, *, final: bool) -> dict[str, Json]:
    """The object of a campaign at one moment."""
    paid = sight.money
    nothing_known = paid is None or (not paid.spent and (paid.unpriced > 0 or paid.unknown))
    return {
        "event": "summary",
        "schema": SCHEMA,
        "final": final,
        "seconds": round(sight.seconds, 3),
        "total": sight.total,
        "complete": sight.number("complete"),
        "reused": sight.number("reused"),
        "failed": sight.failed,
        "halted": sight.number("halted"),
        "left": sight.total - sight.done,
        "under_way": sight.under_way,
        "answers": sight.answers,
        "again": sight.again,
        "broken": sight.broken,
        "dollars": None if paid is None or nothing_known else paid.spent,
        "unpriced": None if paid is None else paid.unpriced,
        "budget": None if paid is None else paid.limit,
        "runs_a_minute": _rounded(sight.runs_a_minute),
        "answers_a_minute": _rounded(sight.answers_a_minute),
        "models": [{**asdict(room), "held": round(room.held, 3)} for room in sight.rooms],
    }


def _rounded(rate: float | None) -> float | None:
    return None if rate is None else round(rate, 2)
