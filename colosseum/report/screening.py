"""Which seeds were left out before any run, and why. In: a screening; out: words for people, and JSON."""

from collections.abc import Iterable, Sequence

from colosseum.campaign.folder import Looked, Screening
from colosseum.diagnostics import counted
from colosseum.report.numbers import seed_words

LONGEST = 60
"""Characters of a list of seeds."""


def screening_words(screening: Screening) -> str:
    """`12 of 20 seeds have an opportunity of at least 0.1; left out: 3, 7..9`, sweep point by sweep point."""
    points = dict.fromkeys(each.point for each in screening.looked)
    parts = {point: [each for each in screening.looked if each.point == point] for point in points}
    words = {point: _words(looked, screening.least) for point, looked in parts.items()}
    if len(set(words.values())) == 1:
        each = " at every sweep point" if len(words) > 1 else ""
        return f"{next(iter(words.values()))}{each}"
    return "; ".join(f"{point}: {said}" for point, said in words.items())


def _words(looked: Sequence[Looked], least: float) -> str:
    """Of one sweep point."""
    kept = sum(each.kept for each in looked)
    words = f"{kept} of {counted(len(looked), 'seed')} {'has' if kept == 1 else 'have'} an opportunity of at least "
    words += f"{least:g}"
    less = [each.seed for each in looked if not each.kept and each.opportunity is not None]
    words += f"; left out: {_listed(less)}" if less else ""
    unknown: dict[str, list[int]] = {}
    for each in looked:
        if each.opportunity is None:
            unknown.setdefault(each.reason, []).append(each.seed)
    return words + "".join(f"; not known at {_listed(seeds)}: {reason}" for reason, seeds in unknown.items())


def _listed(seeds: Iterable[int]) -> str:
    words = seed_words(sorted(seeds)).replace(",", ", ")
    return words if len(words) <= LONGEST else f"{words[:LONGEST].rpartition(',')[0]}, …"


def screening_json(screening: Screening | None) -> dict[str, object] | None:
    """The same as data, with what was found at every seed; null where nothing was asked for."""
    if screening is None:
        return None
    points = dict.fromkeys(each.point for each in screening.looked)
    return {
        "least": screening.least,
        "looked": len(screening.looked),
        "kept": sum(each.kept for each in screening.looked),
        "points": [
            {"point": point, "seeds": [_seed(each) for each in screening.looked if each.point == point]}
            for point in points
        ],
    }


def _seed(each: Looked) -> dict[str, object]:
    found = {"value": each.opportunity, **({"reason": each.reason} if each.reason else {})}
    return {"seed": each.seed, "opportunity": found, "kept": each.kept}
