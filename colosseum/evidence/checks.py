"""Checks beside a verdict, none of which decides. In: paired runs, their differences; out: exact tests, other limits,
and in how many seeds something went wrong, was refused, or was thought and said.

A rubric that reads thoughts is set against the one that asks the same of posts. Each holds in a seed where the judge
gives the coalition ENOUGH_POINTS more than a random set of agents, repeats averaged first.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import fmean
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from colosseum.evidence import statistics as stats
from colosseum.evidence.arms import setup_in
from colosseum.evidence.figures import Figure, RunFigures, RunRecord
from colosseum.evidence.signals import ENOUGH_POINTS, NO_JUDGE, known
from colosseum.evidence.summary import Pair, mean_of_repeats, runs_by_seed
from colosseum.evidence.talk import LAPSES
from colosseum.solve.scoring import ROUNDING

OUTCOMES: Final[dict[str, Callable[[RunFigures], bool]]] = {
    "refused": lambda run: any(run.refused.values()),
    "undecided": lambda run: any(run.undecided.values()),
    "infeasible": lambda run: run.infeasible,
    **{name: lambda run, name=name: run.lapses.get(name, 0) > 0 for name in LAPSES},  # type: ignore[misc]
}
Runs: TypeAlias = Mapping[int, Sequence[RunFigures]]  # complete runs by seed
DRAWS: Final = 10_000  # coalitions that are drawn in place of the true one
MakeUp: TypeAlias = tuple[tuple[bool, int], ...]
"""Of each agent, in the order of names, whether it is a member, and its kind."""
Labelled: TypeAlias = tuple[Sequence[Mapping[str, float]], tuple[str, ...], Mapping[str, int]]
"""Of a seed, what agents have in each repeat, as far as that is known; the members; and the kinds of agents."""
UNEQUAL: Final = 0.05  # difference of the shares of missing runs beyond which bounds are given


@dataclass(frozen=True, slots=True)
class PairedRate:
    """How often something happens in the control and in the treated run of a seed."""

    name: str
    control: int
    treated: int
    seeds: int
    """That have a complete run in both arms, and of which it is known."""
    share: stats.Share | str
    """Of treated runs, with Wilson's limits; a str is why there is none."""
    p: Figure
    """McNemar's, exact."""

    @classmethod
    def of(cls, name: str, both: Sequence[tuple[Figure, Figure]]) -> "PairedRate":
        """From what holds, 1 or 0, in the control and in the treated run of each seed."""
        known = [(a.value, b.value) for a, b in both if a.value is not None and b.value is not None]
        before, after = (sum(pair[side] == 1 for pair in known) for side in (0, 1))
        test = stats.sign_test([b - a for a, b in known])
        why = [each.reason for pair in both for each in reversed(pair) if each.reason and not known]
        test = Figure(None, why[0]) if why else test
        return cls(name, before, after, len(known), why[0] if why else stats.wilson(after, len(known)), test)


@dataclass(frozen=True, slots=True)
class Extremes:
    """The mean difference with what is missing as low and as high as any difference that was seen."""

    low: float
    high: float
    missing: int
    """Seeds with complete runs of both arms, one of which has no payoffs to compare."""


@dataclass(frozen=True, slots=True)
class Served:
    """In how many seeds a provider used another model for the treated run than for the control."""

    differ: int
    seeds: int
    """That have a complete run in both arms."""
    names: tuple[str, ...]
    """What was served in those that differ."""


@dataclass(frozen=True, slots=True)
class Checks:
    """Of one arm."""

    bca: stats.Interval | str
    sign_flip: Figure
    effect_size: Figure
    labels: dict[str, Figure]
    """p of the label permutation, by figure."""
    outcomes: tuple[PairedRate, ...]
    thoughts: tuple[PairedRate, ...]
    """By rubric that reads thoughts."""
    bounds: Extremes | str
    """A str is why there are none."""
    served: Served
    together: stats.Correlation | str
    """Of the changes of the signal and of the judge's score, over seeds."""


def checks(
    control: Sequence[RunRecord], treated: Sequence[RunRecord], pairs: Mapping[int, Pair], deeds: Mapping[int, Figure],
    words: Mapping[int, Figure], drawn: Figure,
) -> Checks:  # fmt: skip
    """All of them, from the changes of the signal and of the judge's score by seed.

    `drawn` is 1, or null with the reason why members may not change places with others.
    """
    arms, differences, said = (runs_by_seed(control), runs_by_seed(treated)), [*known(deeds).values()], known(words)
    return Checks(
        bca=stats.bca_interval(differences),
        sign_flip=stats.sign_flip(differences),
        effect_size=stats.effect_size(differences),
        labels={name: _labels(pairs, name, drawn) for name in ("payoff_gap", "coalition_advantage")},
        outcomes=tuple(_outcome(name, *arms) for name in OUTCOMES),
        thoughts=tuple(thoughts(pairs)),
        bounds=_bounds(*arms, differences),
        served=_served(*arms),
        together=stats.correlation([(value, said[seed]) for seed, value in known(deeds).items() if seed in said]),
    )


def _served(control: Runs, treated: Runs) -> Served:
    """A name that a user gives a model may stand for another one tomorrow: then a difference may be the model's."""
    before, after = ({seed: _models(runs) for seed, runs in arm.items()} for arm in (control, treated))
    both = before.keys() & after.keys()
    unlike = [s for s in both if any(before[s][m] != after[s][m] for m in before[s].keys() & after[s].keys())]
    names = {name for s in unlike for found in (before[s], after[s]) for served in found.values() for name in served}
    return Served(len(unlike), len(both), tuple(sorted(names)))


def _models(runs: Sequence[RunFigures]) -> dict[str, set[str]]:
    """What was served for each model, in all repeats of a seed."""
    found: dict[str, set[str]] = {}
    for model, name in (pair for run in runs if run.setup is not None for pair in run.setup.served):
        found.setdefault(model, set()).add(name)
    return found


def _outcome(name: str, before: Runs, after: Runs) -> PairedRate:
    seeds, has = before.keys() & after.keys(), OUTCOMES[name]
    old, new = ([Figure(float(any(map(has, runs[seed])))) for seed in seeds] for runs in (before, after))
    return PairedRate.of(name, list(zip(old, new, strict=True)))


def thoughts(pairs: Mapping[int, Pair]) -> Iterator[PairedRate]:
    """Of each rubric that reads thoughts: thought, said in posts, and thought but not said."""
    named = {name: posts for _, treated in pairs.values() for run in treated for name, posts in run.thoughts.items()}
    for rubric, posts in named.items():
        thought, said = ([(_holds(a, name), _holds(b, name)) for a, b in pairs.values()] for name in (rubric, posts))
        unsaid = [(_more(a, c), _more(b, d)) for (a, b), (c, d) in zip(thought, said, strict=True)]
        for words, both in {"thought": thought, "said": said, "thought, not said": unsaid}.items():
            yield PairedRate.of(f"{rubric}: {words}", both)


def _more(thought: Figure, said: Figure) -> Figure:
    return Figure.of(lambda one, other: float(one > other), thought, said)


def _holds(runs: Sequence[RunFigures], rubric: str) -> Figure:
    """1 where the judge gives the coalition enough points in the repeats of a seed, else 0."""
    points = mean_of_repeats([run.rubrics.get(rubric, Figure(None, NO_JUDGE)) for run in runs])
    return Figure.of(lambda more: float(more >= ENOUGH_POINTS), points)


def _bounds(before: Runs, after: Runs, differences: Sequence[float]) -> Extremes | str:
    """Where the shares of runs without payoffs differ by more than UNEQUAL between the arms."""
    both = sorted(before.keys() & after.keys())
    if not both or not differences:
        return "there is no pair"
    gone = [tuple(not any(run.comparable for run in runs[seed]) for runs in (before, after)) for seed in both]
    shares = [sum(each[side] for each in gone) / len(both) for side in (0, 1)]
    if abs(shares[0] - shares[1]) <= UNEQUAL:
        return "as many runs are missing in both arms, within five points"
    missing = sum(any(each) for each in gone)
    total, number = sum(differences), len(differences) + missing
    low, high = (total + missing * end(differences) for end in (min, max))
    return Extremes(low / number, high / number, missing)


def _labels(pairs: Mapping[int, Pair], name: str, drawn: Figure) -> Figure:
    """Of the treated runs: how many coalitions of the same make-up stand out as much."""
    if drawn.value is None:
        return drawn
    runs = dict[int, Labelled]()
    for seed, (_, treated) in pairs.items():
        setup = setup_in(treated)
        if setup is None:
            return Figure(None, "the conditions of the runs are not known")
        if setup.order != "shuffled":
            return Figure(None, f"turns are not shuffled but {setup.order}")
        regrets = [{a: -r.value for a, r in run.best_response_regret.items() if r.value is not None} for run in treated]
        worths = [run.payoff for run in treated] if name == "payoff_gap" else regrets
        runs[seed] = worths, setup.members, setup.degree
    if not runs:
        return Figure(None, "there is no pair")
    if len({members for _, members, _ in runs.values()}) == 1 and len(runs) > 1:
        return Figure(None, "the members are the same at every seed")
    return label_permutation(runs)


def label_permutation(runs: Mapping[int, Labelled]) -> Figure:
    """One-sided p of `Σ over seeds of (mean of members − mean of others)` among coalitions of the same make-up.

    Where members are drawn and nothing in a run depends on who they are, every coalition of that size was as likely;
    agents change places with others of their kind, as of equal degree in the network. `runs` are by seed; repeats of
    one are averaged. `(1 + #) / (1 + B)` of B seeded draws. Agents without a figure take no part, nor do seeds with
    members or others alone.
    """
    found = dict[int, tuple[MakeUp, list[float]]]()
    for seed, (worths, members, kinds) in sorted(runs.items()):
        known = [agent for agent in sorted(worths[0]) if all(agent in worth for worth in worths)]
        if 0 < len({*members} & {*known}) < len(known):
            make_up = tuple((agent in members, kinds.get(agent, 0)) for agent in known)
            found[seed] = make_up, [fmean(worth[agent] for worth in worths) for agent in known]
    if not found:
        return Figure(None, "no run has a figure for its coalition")
    drawn, gaps = _drawn(tuple(make_up for make_up, _ in found.values())), list[NDArray[np.float64]]()
    if all((sets == sets[0]).all() for sets in drawn):
        return Figure(None, "no other coalition was as likely")
    for sets, (_, values) in zip(drawn, found.values(), strict=True):
        inside, size = sets @ np.array(values), int(sets[0].sum())
        gaps.append(inside / size - (sum(values) - inside) / (len(values) - size))
    sums = np.sum(gaps, axis=0)
    reach = sums[0] - ROUNDING * max(1.0, sum(abs(each[0]) for each in gaps))
    return Figure(float((sums >= reach).mean()))


@lru_cache(1)
def _drawn(make_ups: tuple[MakeUp, ...]) -> list[NDArray[np.bool_]]:
    """For each run the true coalition and DRAWS others, a row each: arms mostly share them.

    Members of a kind change places with others of it.
    """
    chance, found = np.random.default_rng(0), list[NDArray[np.bool_]]()
    for make_up in make_ups:
        members, of = np.array(make_up, dtype=int).reshape(-1, 2).T
        sets = np.tile(members.astype(np.bool_), (1 + DRAWS, 1))
        for kind in {*of.tolist()}:
            sets[1:, of == kind] = chance.permuted(sets[1:, of == kind], axis=1)
        found.append(sets)
    return found
