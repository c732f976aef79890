"""Many runs into one summary. In: run records; out: means by arm and paired differences from the control arm.

Repeats of one seed are averaged first; pairs are of one seed within one sweep point, and of one model unless the arms
name their own.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Final, TypeAlias

from colosseum.evidence.figures import NO_GAIN, SCALARS, Counts, Figure, RunFigures, RunRecord, parted, tally
from colosseum.evidence.statistics import Interval, Paired, mean_interval, paired
from colosseum.evidence.talk import Talk, Use, by_distance, talk, uses
from colosseum.solve.scoring import ROUNDING

DIFFERENCES: Final = (
    "outsider_loss", "joint_payoff", "regret", "normalized_regret", "steered_harm", "own_move_loss",
    "coalition_advantage", "payoff_gap", "coalition_value", "coalition_gain", "capture", "judge_score",
)  # fmt: skip
"""The paired figures. All but `outsider_loss` are treated − control, in the figure's own unit; `steered_harm` is so of
`loss_given_others`: what the others' moves lost more, which the coalition may have talked them into."""

Pair: TypeAlias = tuple[Sequence[RunFigures], Sequence[RunFigures]]
"""The repeats of one seed that count, of the control and of the treated arm."""


@dataclass(frozen=True, slots=True)
class Average:
    """A figure of one arm, averaged over seeds."""

    mean: Figure
    interval: Interval | str
    """Student t over seeds; a str is the reason why there is none."""
    n: int
    """Seeds that have a value."""
    nulls: Counts
    """Runs in which the figure is null, by reason."""


@dataclass(frozen=True, slots=True)
class ArmSummary:
    """One arm at one sweep point under one model, or under each arm's own."""

    point: str
    model: str
    arm: str
    players: tuple[str, ...]
    """Who acted, sorted."""
    complete: int
    failed: int
    failures: Counts
    seeds: int
    """Seeds with a complete run."""
    scalars: dict[str, Average]
    """By the names of SCALARS."""
    stated: dict[str, Average]
    """Of imported runs, the figures that their source states: each stands beside ours of the same name."""
    kappa: Figure
    """`Σ coalition_gain / Σ possible_gain` over seeds: single runs' ratios have no mean, as most denominators are 0."""
    violations: dict[str, float]
    """Mean broken instances a run, by requirement."""
    talk: tuple[Talk, ...]
    """By side, channel and phase, the most talkative first."""
    uses: tuple[Use, ...]
    """By channel."""
    failed_posts: int
    refused: int
    """Refused decisions in all runs."""
    undecided: int
    """Variables left undecided in all runs."""
    infeasible: int
    """Runs whose outcome breaks a hard requirement."""
    believed: dict[int, Figure]
    """In all runs, the share of false claims that outsiders believe, by steps from the nearest adversary."""
    pairs: int
    """Seeds at which it can be compared with the control."""
    excluded: Counts
    """Seeds of either arm that make no pair, by reason."""
    differences: dict[str, Paired]
    """By the names of DIFFERENCES, treated − control seed by seed; empty of the control itself."""


@dataclass(frozen=True, slots=True)
class Summary:
    """All arms at all sweep points."""

    control: str
    """The first arm; empty when there is none."""
    arms: tuple[str, ...]
    """By name."""
    rows: tuple[ArmSummary, ...]
    """Sweep point by sweep point as the records name them, the control first."""

    @property
    def players(self) -> tuple[str, ...]:
        """Everybody who acted anywhere, sorted."""
        return tuple(sorted({player for row in self.rows for player in row.players}))

    @property
    def teams(self) -> dict[tuple[str, ...], list[str]]:
        """Who acted, sorted, with the arms in which they did; nobody is an empty tuple."""
        found: dict[tuple[str, ...], list[str]] = {}
        for name in self.arms:
            players = {player for row in self.rows if row.arm == name for player in row.players}
            found.setdefault(tuple(sorted(players)), []).append(name)
        return found

    @property
    def scripted(self) -> bool:
        """Somebody acted, and nobody was a model."""
        return bool(self.players) and all(player.partition("/")[0] == "sim" for player in self.players)


def summarise(records: Sequence[RunRecord], *, arms: Sequence[str]) -> Summary:
    """Summarise runs; `arms` in declared order, the control first."""
    rows = list[ArmSummary]()
    for place, runs in grouped(records, arms).items():
        of = {arm: [r for r in runs if r.arm == arm] for arm in arms}
        rows += [_summarise_arm(place, arm, of[arm], of[arms[0]]) for arm in arms]
    return Summary(arms[0] if arms else "", tuple(arms), tuple(rows))


def grouped(records: Sequence[RunRecord], names: Sequence[str]) -> dict[tuple[str, str], list[RunRecord]]:
    """The runs of every sweep point and model, which are compared with each other.

    Where every arm of a sweep point has one model, as an arm may name its own, they are compared like any others.
    """
    models: dict[str, dict[str, dict[str, None]]] = {}
    for record in records:
        models.setdefault(record.point, {}).setdefault(record.arm, {})[record.model] = None
    teams = {
        point: "; ".join(dict.fromkeys(model for name in names if name in arms for model in arms[name]))
        for point, arms in models.items() if all(len(named) == 1 for named in arms.values())
    }  # fmt: skip
    groups: dict[tuple[str, str], list[RunRecord]] = {}
    for record in records:
        groups.setdefault((record.point, teams.get(record.point) or record.model), []).append(record)
    return groups


def _summarise_arm(
    place: tuple[str, str], arm: str, records: Sequence[RunRecord], control: Sequence[RunRecord]
) -> ArmSummary:
    pairs, excluded = ({}, ()) if records is control else by_seed(control, records)
    failures = [r.reason for r in records if r.figures is None]
    runs = list(runs_by_seed(records).values())
    every = [run for repeats in runs for run in repeats]
    told = {n: [f for group in runs if (f := [Figure(r.stated[n]) for r in group if n in r.stated])] for n in SCALARS}
    return ArmSummary(
        *place,
        arm,
        players=tuple(sorted({p for r in records for p in r.players.values()})),
        complete=len(every), failed=len(failures), failures=tally(failures), seeds=len(runs),
        scalars={name: _average([[run.scalars[name] for run in group] for group in runs]) for name in SCALARS},
        stated={name: _average(seeds) for name, seeds in told.items() if seeds},
        kappa=_kappa(runs),
        violations=_mean_counts([[run.violations for run in group] for group in runs]),
        talk=talk([heard for group in runs if (heard := [run.talk for run in group if run.posts])]),
        uses=uses(run.posts for run in every),
        failed_posts=sum(run.failed_posts for run in every),
        refused=sum(sum(run.refused.values()) for run in every),
        undecided=sum(sum(run.undecided.values()) for run in every),
        infeasible=sum(run.infeasible for run in every),
        believed=by_distance(row for run in every for row in run.beliefs),
        pairs=len(pairs), excluded=excluded,
        differences={
            name: paired(*parted(difference(name, pair) for pair in pairs.values()))
            for name in (() if records is control else DIFFERENCES)
        },
    )  # fmt: skip


def _average(seeds: Sequence[Sequence[Figure]]) -> Average:
    """The mean over seeds of the means over repeats."""
    values = [f.value for f in map(mean_of_repeats, seeds) if f.value is not None]
    reasons = tally(f.reason for repeats in seeds for f in repeats if f.value is None)
    mean = Figure(fmean(values)) if values else Figure(None, reasons[0][0] if reasons else "no complete run")
    return Average(mean, mean_interval(values), len(values), reasons)


def _kappa(seeds: Sequence[Sequence[RunFigures]]) -> Figure:
    """The arm's share of gain taken, from the runs in which both of its parts are known."""
    parts = [[(run.scalars["coalition_gain"], run.scalars["possible_gain"]) for run in repeats] for repeats in seeds]
    known = [[(g.value, p.value) for g, p in each if g.value is not None and p.value is not None] for each in parts]
    if not any(known):
        reasons = (part.reason for each in reversed(parts) for pair in each for part in pair if part.reason)
        return Figure(None, next(reasons, "no complete run"))
    gained, most = (math.fsum(fmean(pair[n] for pair in each) for each in known if each) for n in (0, 1))
    return Figure(gained / most) if most else Figure(None, NO_GAIN)


def mean_of_repeats(repeats: Sequence[Figure]) -> Figure:
    """The mean of the repeats that have a value; null, with the first reason, when none has."""
    values = [f.value for f in repeats if f.value is not None] if len(repeats) > 1 else []
    return Figure(fmean(values)) if len(values) > 1 else next((f for f in repeats if f.value is not None), repeats[0])


def _mean_counts(seeds: Sequence[Sequence[Mapping[str, int]]]) -> dict[str, float]:
    """Means over seeds of means over repeats, by key, each over the runs that have the key."""
    keys = dict.fromkeys(key for repeats in seeds for counts in repeats for key in counts)
    means = {key: [[c[key] for c in repeats if key in c] for repeats in seeds] for key in keys}
    return {key: fmean([fmean(counts) for counts in groups if counts]) for key, groups in means.items()}


def by_seed(control: Sequence[RunRecord], treated: Sequence[RunRecord]) -> tuple[dict[int, Pair], Counts]:
    """The runs of every seed that makes a pair, and why other seeds make none."""
    pairs: dict[int, Pair] = {}
    excluded: list[str] = []
    controls, treatments = records_by_seed(control), records_by_seed(treated)
    for seed in sorted(controls.keys() | treatments.keys()):
        ours, theirs = controls.get(seed, []), treatments.get(seed, [])
        reason = _unusable(ours, "control") or _unusable(theirs, "treated")
        if reason:
            excluded.append(reason)
        else:
            pairs[seed] = (usable(ours), usable(theirs))
    return pairs, tally(excluded)


def pairs_of(runs: Sequence[RunRecord], control: str, arm: str) -> dict[int, Pair]:
    """The pairs of two arms among runs."""
    return by_seed(*([run for run in runs if run.arm == which] for which in (control, arm)))[0]


def records_by_seed(records: Sequence[RunRecord]) -> dict[int, list[RunRecord]]:
    """All of one seed together."""
    groups: dict[int, list[RunRecord]] = {}
    for record in records:
        groups.setdefault(record.seed, []).append(record)
    return groups


def runs_by_seed(records: Sequence[RunRecord]) -> dict[int, list[RunFigures]]:
    """The figures of complete runs, of every seed that has one."""
    seeds = {seed: [r.figures for r in found if r.figures] for seed, found in records_by_seed(records).items()}
    return {seed: runs for seed, runs in seeds.items() if runs}


def usable(records: Sequence[RunRecord]) -> list[RunFigures]:
    """Complete runs whose payoffs all come from decisions the agents took and the rules allow.

    Infeasible and undecided outcomes leave the payoff comparisons and are counted apart.
    """
    return [r.figures for r in records if r.figures is not None and r.figures.comparable]


def _unusable(records: Sequence[RunRecord], role: str) -> str:
    """Why the runs of one seed give no half of a pair; empty when they do."""
    if not records:
        return f"no {role} run"
    if all(r.figures is None for r in records):
        return f"the {role} run failed"
    if not usable(records):
        infeasible = any(r.figures is not None and r.figures.infeasible for r in records)
        return f"the {role} run is infeasible" if infeasible else f"the {role} run left a variable undecided"
    return ""


def difference(name: str, pair: Pair) -> Figure:
    """One of DIFFERENCES for one seed; `outsider_loss` is `(mean_{i∉S} r_i(control) − mean_{i∉S} r_i(treated)) / u`."""
    if name == "outsider_loss":
        return Figure.of(lambda more, u: -more / u if more else 0.0, difference("outsider_payoff", pair), unit_of(pair))
    of = "loss_given_others" if name == "steered_harm" else name
    return change(*([run.scalars[of] for run in runs] for runs in pair))


def unit_of(pair: Pair) -> Figure:
    """u of the control run: a fair share, in which differences of several seeds can be compared."""
    unit = mean_of_repeats([run.scalars["unit"] for run in pair[0]])
    return Figure(None, "u is not positive") if unit.value is not None and unit.value <= ROUNDING else unit


def losses(records: Sequence[RunRecord], arm: str, control: str) -> dict[str, float]:
    """By outsider, `(r_i(control) − r_i(treated)) / u`, u of the control run, in the mean over pairs.

    Empty where the coalition is not the same in all pairs, or no pair has a u.
    """
    pairs = [(pair, unit) for pair in pairs_of(records, control, arm).values() if (unit := unit_of(pair).value)
             and all(run.payoff for runs in pair for run in runs)]  # fmt: skip
    found: dict[str, list[float]] = {}
    for (before, after), unit in pairs:
        members = after[0].setup.members if after[0].setup else ()
        for agent in (agent for agent in after[0].payoff if agent not in members):
            change = fmean(run.payoff[agent] for run in before) - fmean(run.payoff[agent] for run in after)
            found.setdefault(agent, []).append(change / unit)
    return {a: fmean(lost) for a, lost in found.items()} if {len(pairs)} == {*map(len, found.values())} else {}


def change(control: Sequence[Figure], treated: Sequence[Figure]) -> Figure:
    """Mean of repeats, treated − control; null where one of them is."""
    return Figure.of(rise, mean_of_repeats(control), mean_of_repeats(treated))


def rise(before: float, after: float) -> float:
    """The second less the first; within rounding (1e-9) it is 0, so that no test counts it as a difference."""
    return 0.0 if math.isclose(before, after, rel_tol=1e-9, abs_tol=1e-9) else after - before
