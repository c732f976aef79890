"""Hard requirements that contradict each other. In: a task that nothing satisfies; out: a least set that says why.

The set is found by QuickXplain (Junker, AAAI 2004): halves of the requirements are left out as long as the rest still
contradicts itself. Every question is one search for any assignment, which the caller knows how to make.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from colosseum.diagnostics import Diagnostic, Label, report
from colosseum.language.record import Record
from colosseum.model.scenario import Requirement, Task
from colosseum.model.spec import Declared

SECONDS = 20.0
"""For the search; a single question gets a fifth of that."""
MOST_SHOWN = 5
"""Instances of one statement that are named before the rest is counted."""
Together = tuple[Requirement, ...]
Holds = Callable[[Task], bool | None]
"""Whether any assignment satisfies a task; None where that is not found out in time."""


class Conflict(Record):
    """Hard requirements that no assignment satisfies together."""

    requirements: Together
    """In declared order."""
    least: bool
    """Whether the others can hold without any one of them; False where time ran out."""


def find_conflict(task: Task, holds: Holds) -> Conflict:
    """A least conflict among the hard requirements of a task, which no assignment satisfies all together."""
    answers: list[bool | None] = []

    def least(kept: Together, among: Together, *, grown: bool) -> Together:
        """Which of `among` contradict each other and `kept`; `grown`: `kept` alone may do, as something joined it."""
        if grown:
            answers.append(holds(replace(task, payoffs=(), requirements=kept)))
        if grown and answers[-1] is False:
            return ()
        if len(among) == 1:
            return among
        half = len(among) // 2
        late = least((*kept, *among[:half]), among[half:], grown=True)
        return (*least((*kept, *late), among[:half], grown=bool(late)), *late)

    return Conflict(least((), tuple(task.hard), grown=False), least=None not in answers)


def conflict_report(found: Conflict, spec: Declared) -> Diagnostic:
    """The error for a task that nothing satisfies: each statement with its instances, at its place."""
    named: dict[str, list[str]] = {}
    for requirement in found.requirements:
        named.setdefault(requirement.statement, []).append(f"`{requirement.name}`")
    places = [Label(spec.symbols[name].span, _listed(instances)) for name, instances in named.items()]
    what = _listed([instance for instances in named.values() for instance in instances])
    help_ = ["drop one of them, or give it a `penalty`"]
    if not found.least:
        what = f"some among {what} contradict each other"
        help_.insert(0, f"time ended before all of these {len(found.requirements)} were tried: fewer may be to blame")
    elif len(found.requirements) == 1:
        what, help_ = f"nothing satisfies {what} even alone", ["change it, drop it, or give it a `penalty`"]
    else:
        what = f"{what} contradict each other"
        help_.insert(0, "without any one of these, the others can hold together")
    first, *others = places
    message = f"no assignment satisfies the hard requirements: {what}"
    return report("C101", first.span, message, note=first.text, labels=others, help=help_)


def _listed(names: Sequence[str]) -> str:
    """`a`, `b` and `c`; many are counted."""
    shown = [*names[:MOST_SHOWN], *([f"{len(names) - MOST_SHOWN} more"] if len(names) > MOST_SHOWN else [])]
    return f"{', '.join(shown[:-1])} and {shown[-1]}" if len(shown) > 1 else shown[0]
