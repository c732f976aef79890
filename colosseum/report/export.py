"""A summary as plain data. In: a Summary; out: a dict for JSON, every number in full, every null with its reason.

Keys come in the order of this file; entries in the order of the summary.
"""

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
    return {
        "point": point.point,
        "model": point.model,
        "arms": [_arm(arm) for arm in point.arms],
        "comparisons": [_comparison(comparison) for comparison in point.comparisons],
    }


def _arm(arm: ArmSummary) -> dict[str, object]:
    return {
        "arm": arm.arm,
        "players": list(arm.players),
        "complete": arm.complete,
        "failed": arm.failed,
        "failures": _counts(arm.failures),
        "seeds": arm.seeds,
        "figures": {name: _average(average) for name, average in arm.scalars.items()},
        "kappa": _figure(arm.kappa),
        "violations": dict(arm.violations),
        "posts": dict(arm.posts),
        "failed_posts": arm.failed_posts,
        "refused": arm.refused,
        "undecided": arm.undecided,
        "infeasible": arm.infeasible,
    }


def _comparison(comparison: Comparison) -> dict[str, object]:
    return {
        "arm": comparison.arm,
        "pairs": comparison.pairs,
        "excluded": _counts(comparison.excluded),
        "differences": {
            name: {**_paired(difference.paired), "nulls": _counts(difference.nulls)}
            for name, difference in comparison.differences.items()
        },
    }


def _average(average: Average) -> dict[str, object]:
    return {
        "mean": _figure(average.mean),
        "interval": _interval(average.interval),
        "n": average.n,
        "nulls": _counts(average.nulls),
    }


def _paired(paired: Paired) -> dict[str, object]:
    return {
        "mean": _figure(paired.mean),
        "sd": _figure(paired.sd),
        "n": paired.n,
        "n_nonzero": paired.n_nonzero,
        "interval": _interval(paired.interval),
        "reliable": paired.reliable,
        "sign_test_p": _figure(paired.sign_test),
    }


def _figure(figure: Figure) -> dict[str, object]:
    return {"value": figure.value, **({"reason": figure.reason} if figure.reason else {})}


def _interval(interval: Interval | str) -> dict[str, object]:
    match interval:
        case Interval():
            return {"low": interval.low, "high": interval.high, "level": interval.level, "sd": interval.sd}
        case reason:
            return {"low": None, "high": None, "reason": reason}


def _counts(counts: Counts) -> list[dict[str, object]]:
    return [{"reason": reason, "count": count} for reason, count in counts]
