"""One optimum to proof, from a task. In: large instances and others; out: seconds, ours and other kinds of solvers'.

Ours begins with the task and includes lowering. HiGHS is given the same program, lowered; CP-SAT and toulbar2 begin
with the natural model at hand; the time in which rivals build their own is included, the start of a process told apart.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median

from colosseum.model.scenario import Task
from colosseum.solve.goal import WELFARE

from .cases import Case, Question, Refused, named
from .lines import Ledger, Line
from .network import Network, Unnatural, network
from .ours import Once, once
from .rivals import Answer, cp_sat, direct, elimination, toulbar2

LIMIT, QUICK_LIMIT = 60.0, 5.0
"""Seconds that a rival may search."""
SEEDS, QUICK_SEEDS = (1, 2, 3), (1,)
LARGEST_RATIO = 1.2
"""To CP-SAT, at the sizes that have bars."""

BARRED = {"tickets 200 250": 1.5, "capacity 100 8": 2.5, "meetings 80 80": 8.0, "tree 500 5": 0.2, "grid 8 8 4": 4.0}
"""Seconds."""
OTHERS = (
    "tickets 25 30", "tickets 100 125", "tickets_soft 12 16", "tickets_soft 25 30", "capacity 25 4", "meetings 20 20",
    "tree 20 3", "tree 100 4", "grid 4 4 5", "grid 6 6 4", "grid 8 8 5", "colouring 20 3 4", "colouring 30 4 5",
    "colouring_random 20 3 4", "colouring_random 20 3 6", "scale_free 20 3", "scale_free 50 4", "pairs 12 4 20",
    "pairs 12 4 40", "pairs 12 4 100", "tuples 12 3 3", "tuples 12 3 4", "jira", "meetings", "grid", "assistant",
    "hospital",
)  # fmt: skip
QUICK_OTHERS = ("tree 20 3", "grid 4 4 5", "colouring 20 3 4", "scale_free 20 3", "pairs 12 4 20", "jira", "assistant")


@dataclass(frozen=True)
class Solved:
    """Ours and the rivals' answers on one instance."""

    ours: Once
    rivals: dict[str, Answer]


def single(ledger: Ledger) -> None:
    """Measure the sizes that have bars, then the others."""
    seeds = QUICK_SEEDS if ledger.quick else SEEDS
    ledger.tables(line for words, bar in BARRED.items() for line in compared(ledger, words, seeds, bar=bar))
    others = QUICK_OTHERS if ledger.quick else OTHERS
    ledger.tables(line for words in others for line in compared(ledger, words, seeds, bar=None))


def compared(ledger: Ledger, words: str, seeds: tuple[int, ...], *, bar: float | None) -> list[Line]:
    """A family's lines: a rival's time is its median over the seeds, and so is ours."""
    heading = f"One optimum to proof, s, {'sizes with bars' if bar else 'others'}"
    try:
        made = [named(words, seed=seed) for seed in seeds]
    except Refused as refusal:
        return [Line(heading, words, None, most=bar, note=f"refused: {refusal}")]
    solved = [_solved(ledger, each) for each in made]
    return [_against(heading, made[0].label, rival, solved, bar if rival == "CP-SAT" else None)
            for rival in solved[0].rivals]  # fmt: skip


def _against(heading: str, label: str, rival: str, solved: list[Solved], bar: float | None) -> Line:
    """One line; what was not proven within the limit took at least as long."""
    lowering = median(each.ours.lowering for each in solved)
    seconds = median(each.ours.lowering + each.ours.solving for each in solved)
    unproven = sum(each.ours.optimum.status == "limit" for each in solved)
    notes = [f"ours: lowering {lowering:.2g}"] if bar else []
    notes += [f"ours: {unproven} of {len(solved)} not proven"] if unproven else []
    every = [each.rivals[rival] for each in solved]
    answers = [a for a in every if a.outcome in ("optimal", "infeasible", "limit")]
    if useless := [a for a in every if a not in answers]:
        notes.append(f"{useless[0].outcome} {useless[0].note}".strip() + f" on {len(useless)} of {len(every)}")
    if not answers:
        return Line(heading, label, seconds, rival, most=bar, note="; ".join(notes))
    late = [a.solve for a in answers if not a.proven]
    notes += [f"{len(late)} of {len(every)} not proven in {max(late):.0f} s"] if late else []
    return Line(
        heading,
        label,
        seconds,
        rival,
        median(a.build + a.solve for a in answers),
        most=bar,
        most_ratio=LARGEST_RATIO if bar else None,
        note="; ".join([*notes, *_started(answers)]),
        unproven=2 * len(late) > len(answers) and not unproven,
    )


def _started(answers: list[Answer]) -> Iterator[str]:
    startup = median(a.startup for a in answers)
    if startup:
        yield f"its process starts in {startup:.2f} s"


def _solved(ledger: Ledger, made: Case) -> Solved:
    """Solve an instance in all ways, and demand equal values."""
    ledger.note(f"single optima: {made.label}")
    ours = once(made.task, Question(WELFARE, {}))
    optimum = ours.optimum
    limit = QUICK_LIMIT if ledger.quick else LIMIT
    rivals = dict(_answers(made.task, limit))
    for rival, answer in rivals.items():
        if optimum.status == "limit":
            continue
        if answer.proven:
            ledger.equal(f"{made.label}, {rival}", optimum.value, answer.value, slack=answer.slack)
        elif answer.value is not None:
            ledger.at_most(f"{made.label}, {rival}", optimum.value, answer.value)
    return Solved(ours, rivals)


def _answers(task: Task, limit: float) -> Iterator[tuple[str, Answer]]:
    yield "HiGHS", direct.solve(task, limit=limit)
    yield "elimination", elimination.solve(task)
    natural = _natural(task)
    for rival, solve in (("CP-SAT", cp_sat.solve), ("toulbar2", toulbar2.solve)):
        if isinstance(natural, Answer):
            yield rival, natural
        else:
            yield rival, solve(task, limit=limit, natural=natural)


def _natural(task: Task) -> Network | Answer:
    try:
        return network(task)
    except Unnatural as fault:
        return Answer("not expressible", note=str(fault))
