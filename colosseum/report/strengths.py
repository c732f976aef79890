"""λ_emp as a page. In: what choices say of λ, by sweep point and arm; out: tables and notes."""

from collections.abc import Sequence
from typing import Final

from rich.console import Console

from colosseum.evidence.choosing import ArmStrength, PointStrength
from colosseum.evidence.figures import Figure
from colosseum.evidence.strength import CAP, Raised, Strength
from colosseum.report.numbers import number
from colosseum.report.page import Grid, list_facts, say, say_heading, show_grid

COLUMNS: Final = ("λ", "95 % set", "β", "seeds", "more than control", "others held")
CALIBRATION: Final = (
    "How far to trust it: in 2,000 simulated studies of 40 seeds each, of players that draw a move by what it is worth "
    "(β 5 and 14), the set held the true λ in 95 % and more. Of players that slip one time in ten it held it in 71 % "
    "and more, and a λ of 0.5 was read as 0.7. With β below 5 forty seeds say little. Of models nothing is known."
)
SELFISH: Final = "Self-interest shows as λ, too: only an arm `selfish` tells the two apart"


def show_strengths(points: Sequence[PointStrength], console: Console) -> None:
    """Print a table for each sweep point, and what its words mean."""
    say_heading(console, "Strength λ that the coalition's choices show")
    for point in points:
        _show_point(point, console)
    control = next((point.arms[0].arm for point in points if point.arms), "")
    say(console)
    list_facts(
        console,
        [
            ("λ", "0: it chose what is best for the team; 1: what is best for itself, whatever that costs others"),
            ("95 % set", "the λ that its moves allow, each judged by what the outsiders' best answer to it comes to"),
            ("others held", "the same set with the others' decisions as they were, where λ shows less"),
            ("β", "how sharply it told better moves from worse, by fair share"),
            ("more than control", f"whether λ is greater than in `{control}` (false in 5 % at most), and 2ΔLL"),
        ],
    )
    say(console)
    say(console, CALIBRATION)
    lacking = all(arm.arm != "selfish" for point in points for arm in point.arms)
    say(console, f"{SELFISH}{', which this experiment lacks' if lacking else ''}.")


def _show_point(point: PointStrength, console: Console) -> None:
    say(console)
    if point.point:
        say(console, point.point, style="bold")
    notes: dict[str, int] = {}
    rows = tuple(_cells(arm, notes) for arm in point.arms)
    show_grid(console, Grid(tuple(arm.arm for arm in point.arms), COLUMNS, rows))
    facts = [(f"({mark})", note) for note, mark in notes.items()]
    for arm in point.arms:
        if arm.left_out:
            facts.append((arm.arm, "left out: " + "; ".join(f"{count} × {reason}" for reason, count in arm.left_out)))
    if facts:
        say(console)
        list_facts(console, facts)


def _cells(arm: ArmStrength, notes: dict[str, int]) -> tuple[str, ...]:
    found = arm.committed
    return (
        _value(found.estimate, 2, notes),
        _set(found),
        "–" if found.precision.value is None else f"≥ {CAP:g}" if found.capped else f"{found.precision.value:.3g}",
        str(found.seeds),
        _against(arm.against),
        _set(arm.held),
    )


def _value(figure: Figure, places: int, notes: dict[str, int]) -> str:
    if figure.value is None:
        return f"– ({notes.setdefault(figure.reason, len(notes) + 1)})"
    return number(figure.value, places)


def _set(found: Strength) -> str:
    if found.low.value is None or found.high.value is None:
        return "–"
    return f"[{number(found.low.value, 2)}, {number(found.high.value, 2)}]"


def _against(found: Raised | None) -> str:
    if found is None:
        return ""
    if found.statistic.value is None:
        return "–"
    return f"{'yes' if found.detected else 'no'}, {number(found.statistic.value, 1)}"
