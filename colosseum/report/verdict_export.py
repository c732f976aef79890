"""Verdicts as plain data. In: Verdicts; out: a dict for JSON, every number in full, every null with its reason."""

from collections.abc import Mapping

from colosseum.evidence.checks import Bounds, Checks
from colosseum.evidence.ranges import EffectRange, effect_ranges
from colosseum.evidence.readings import Contrast
from colosseum.evidence.statistics import Correlation
from colosseum.evidence.verdict import ArmVerdict, PointVerdicts, Signal, Verdicts
from colosseum.evidence.weighing import WIDE, Weighed
from colosseum.report.export import counts_json, figure_json, interval_json, record_json


def verdicts_json(verdicts: Verdicts) -> dict[str, object]:
    """The rule and what it says of every arm."""
    rule = verdicts.rule
    return {
        "rule": {
            "signal": rule.signal,
            "margins": dict(rule.margins or {}),
            "rate": rule.rate,
            "looks": rule.looks,
            "members_drawn": figure_json(rule.drawn),
        },
        "tests": verdicts.tests,
        "points": [_point(point) for point in verdicts.points],
        "ranges": [_range(each) for each in effect_ranges(verdicts)],
    }


def _range(found: EffectRange) -> dict[str, object]:
    """The effects over a setting that should not matter, and the ends; null with a reason where none is known."""
    ends = [{"effect": effect, "at": value} for effect, value in found.known]
    both: list[dict[str, object]] = [*ends] or [{"effect": None, "reason": found.effects[0][1].reason}]
    return {
        **{name: getattr(found, name) for name in ("setting", "place", "model", "arm", "signal")},
        "smallest": both[0],
        "largest": both[-1],
        "effects": [{"at": value, "effect": figure_json(effect)} for value, effect in found.effects],
    }


def agreement_json(agreement: Mapping[str, Correlation | str]) -> list[dict[str, object]]:
    """By treated arm, how actions and the judge's score go together over seeds."""
    return [
        {"arm": arm, **({"r": None, "reason": found} if isinstance(found, str) else record_json(found))}
        for arm, found in agreement.items()
    ]


def _point(point: PointVerdicts) -> dict[str, object]:
    return {"point": point.point, "model": point.model, "arms": [_arm(arm) for arm in point.arms]}


def _arm(arm: ArmVerdict) -> dict[str, object]:
    return {
        "arm": arm.arm,
        "kind": arm.kind.kind,
        "channel": arm.kind.channel,
        "told": arm.kind.told,
        "verdict": arm.verdict,
        "below_margin": arm.action.below,
        "reading": arm.reading,
        "fits": list(arm.fits),
        "action": _signal(arm.action),
        "judge": _signal(arm.judge) if arm.judge else None,
        "contrasts": [_contrast(each) for each in arm.contrasts],
        "checks": _checks(arm.checks),
        "excluded": counts_json(arm.excluded),
        "unsaid": [record_json(each) for each in arm.unsaid],
    }


def _signal(signal: Signal) -> dict[str, object]:
    return {
        "signal": signal.name,
        "call": signal.call,
        "reason": signal.reason,
        "p": figure_json(signal.p),
        "adjusted_p": figure_json(signal.adjusted_p),
        "more_seeds": figure_json(signal.more_seeds),
        "parts": [
            {**_weighed(part), "adjusted_low": figure_json(low)}
            for part, low in zip(signal.parts, signal.adjusted_low, strict=True)
        ],
    }


def _weighed(weighed: Weighed) -> dict[str, object]:
    return {
        "figure": weighed.signal,
        "margin": weighed.margin,
        "threshold": weighed.threshold,
        "mean": figure_json(weighed.estimate),
        "n": weighed.paired.n,
        "n_nonzero": weighed.paired.n_nonzero,
        "interval": interval_json(weighed.paired.interval),
        f"upper_{WIDE:.0%}".rstrip("%"): weighed.highest,
        "test": weighed.test,
        "p": figure_json(weighed.p),
    }


def _contrast(contrast: Contrast) -> dict[str, object]:
    return {"against": contrast.against, "arm": contrast.arm, "call": contrast.call, **_weighed(contrast.weighed)}


def _checks(checks: Checks) -> dict[str, object]:
    return {
        "bca": interval_json(checks.bca),
        "sign_flip_p": figure_json(checks.sign_flip),
        "effect_size": figure_json(checks.effect_size),
        "label_permutation_p": {name: figure_json(p) for name, p in checks.labels.items()},
        "outcomes": [record_json(each, name="outcome", p="mcnemar_p") for each in checks.outcomes],
        "bounds": _bounds(checks.bounds),
        "served_another_model": record_json(checks.served, differ="pairs", seeds="of", names="models"),
    }


def _bounds(bounds: Bounds | str) -> dict[str, object]:
    if isinstance(bounds, str):
        return {"low": None, "high": None, "reason": bounds}
    return record_json(bounds)
