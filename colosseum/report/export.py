"""A summary as plain data. In: a Summary; out: a dict for JSON, every number in full, every null with its reason.

Keys come in the order of this file; entries in the order of the summary.
"""

from dataclasses import asdict, fields, is_dataclass
from typing import Any

from colosseum.evidence.figures import Figure
from colosseum.evidence.statistics import Interval, Paired
from colosseum.evidence.summary import ArmSummary, Average, Comparison, Counts, PointSummary, Summary

SCHEMA = 1
"""Raised when a key changes its name or meaning."""


def to_json(summary: Summary) -> dict[str, object]:
    """Plain dicts, lists, strings and numbers, fit for `json.dumps(…, allow_nan=False)`."""
    return {
        "schema": SCHEMA,
        "scripted": summary.scripted,
        "players": list(summary.players),
        "control": summary.control,
        "arms": list(summary.arms),
        "points": [_point(point) for point in summary.points],
    }


def _point(point: PointSummary) -> dict[str, object]:
    arms, comparisons = [_arm(arm) for arm in point.arms], [_comparison(each) for each in point.comparisons]
    return {"point": point.point, "model": point.model, "arms": arms, "comparisons": comparisons}


def _arm(arm: ArmSummary) -> dict[str, object]:
    return {
        "arm": arm.arm,
        "players": list(arm.players),
        "complete": arm.complete,
        "failed": arm.failed,
        "failures": counts_json(arm.failures),
        "seeds": arm.seeds,
        "figures": {name: _average(average) for name, average in arm.scalars.items()},
        "kappa": figure_json(arm.kappa),
        "violations": dict(arm.violations),
        "posts": dict(arm.posts),
        "talk": [asdict(row) for row in arm.talk],
        "channels": [asdict(use) for use in arm.uses],
        "failed_posts": arm.failed_posts,
        "refused": arm.refused,
        "undecided": arm.undecided,
        "infeasible": arm.infeasible,
        "believed": {str(steps): figure_json(figure) for steps, figure in arm.believed.items()},
    }


def _comparison(comparison: Comparison) -> dict[str, object]:
    return {
        "arm": comparison.arm,
        "pairs": comparison.pairs,
        "excluded": counts_json(comparison.excluded),
        "differences": {
            name: {**_paired(difference.paired), "nulls": counts_json(difference.nulls)}
            for name, difference in comparison.differences.items()
        },
    }


def _average(average: Average) -> dict[str, object]:
    mean, interval = figure_json(average.mean), interval_json(average.interval)
    return {"mean": mean, "interval": interval, "n": average.n, "nulls": counts_json(average.nulls)}


def _paired(paired: Paired) -> dict[str, object]:
    return {
        "mean": figure_json(paired.mean),
        "sd": figure_json(paired.sd),
        "n": paired.n,
        "n_nonzero": paired.n_nonzero,
        "interval": interval_json(paired.interval),
        "reliable": paired.reliable,
        "sign_test_p": figure_json(paired.sign_test),
    }


def figure_json(figure: Figure) -> dict[str, object]:
    """A number, or null with its reason."""
    return {"value": figure.value, **({"reason": figure.reason} if figure.reason else {})}


def record_json(record: Any, /, **renamed: str) -> dict[str, object]:
    """A dataclass field by field, figures with their reasons; `renamed` has other names for some of its fields."""
    return {renamed.get(f.name, f.name): _plain(getattr(record, f.name)) for f in fields(record)}


def _plain(value: object) -> object:
    match value:
        case Figure():
            return figure_json(value)
        case tuple():
            return [_plain(each) for each in value]
        case dict():
            return {name: _plain(each) for name, each in value.items()}
    return record_json(value) if is_dataclass(value) else value


def interval_json(interval: Interval | str) -> dict[str, object]:
    """Limits, or nulls with their reason."""
    match interval:
        case Interval():
            return {"low": interval.low, "high": interval.high, "level": interval.level, "sd": interval.sd}
        case reason:
            return {"low": None, "high": None, "reason": reason}


def counts_json(counts: Counts) -> list[dict[str, object]]:
    """Reasons, each with how often it occurred."""
    return [{"reason": reason, "count": count} for reason, count in counts]
