"""The part that is asked for. In: a checked spec, and options as typed; out: a Design, the trials of its blocks."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from colosseum.diagnostics import ColosseumError, closest, one_of, stop
from colosseum.language import syntax
from colosseum.model.check import Checked
from colosseum.model.experiment import Design, factors, overruled
from colosseum.run.trial import Block, Listed, blocks

Say: TypeAlias = Callable[[str], None]  # is told remarks for people
MOST_LISTED: Final = 12  # sweep points that a message names
MOST_SEEDS: Final = 1_000_000  # of one range


def silent(words: str) -> None:
    """Tells nobody."""


@dataclass(frozen=True)
class Part:
    """The part of an experiment that is to be run."""

    experiment: str | None = None
    seeds: str | None = None
    arms: tuple[str, ...] = ()
    shard: str | None = None
    """`i/N`: every N-th block from the i-th on."""

    @property
    def is_shard(self) -> bool:
        """Whether it is one of several. Raises ColosseumError."""
        return read_shard(self.shard)[1] > 1


def read_design(checked: Checked, part: Part, *, file: str, say: Say = silent) -> Design:
    """The experiment asked for, with the arms and seeds asked for. Raises ColosseumError."""
    if not checked.designs:
        example = 'experiment first "Does a private channel change anything?" { seeds 1..5  arm baseline { } }'
        message = f"{file} has no experiment, so there is nothing to run"
        raise stop("C091", message, help=f"add one, such as `{example}`")
    name = one_of("experiment", part.experiment or next(iter(checked.designs)), checked.designs, code="C091")
    design = checked.designs[name]
    if swept := overruled(next(e for e in checked.spec.of(syntax.Experiment) if e.name == name), checked.params):
        raise ColosseumError(*swept)
    wanted = {one_of("arm", arm, design.arms, code="C091") for arm in part.arms} or {*design.arms}
    if design.arms[0] not in wanted:
        say(f"the control `{design.arms[0]}` is left out: differences need runs of it, in this folder")
    arms, cells = tuple(a for a in design.arms if a in wanted), tuple(c for c in design.cells if c.name in wanted)
    seeds = design.seeds if part.seeds is None else read_seeds(part.seeds)
    return replace(design, arms=arms, cells=cells, seeds=seeds)


def matching(words: str, points: Mapping[str, Mapping[str, str]]) -> list[str]:
    """The sweep points, by name with their factors, that have what `network=ring, n=6` says. Raises ColosseumError."""
    wanted = factors(str(words))
    found = [point for point, has in points.items() if wanted.items() <= has.items()]
    if not found or not wanted:
        names = [point for point in points if point]
        help_ = closest(words, names) or f"points: {'; '.join(names[:MOST_LISTED]) or 'nothing is swept'}"
        raise stop("C122", f"`--point {words}`: there is no such sweep point", help=help_)
    return found


def at_point(design: Design, words: str | None) -> Design:
    """The experiment at the first sweep point that has what the words say. Raises ColosseumError."""
    points = {cell.point: factors(cell.point) for cell in design.cells}
    here = next(iter(points)) if words is None else matching(words, points)[0]
    return replace(design, cells=tuple(cell for cell in design.cells if cell.point == here))


def read_shard(words: str | None) -> tuple[int, int]:
    """`2/5` as (1, 5): which blocks are ours. Raises ColosseumError."""
    first, slash, number = (words or "1/1").partition("/")
    whole = slash and first.isdecimal() and number.isdecimal() and words in (None, f"{int(first)}/{int(number)}")
    if not (whole and 1 <= int(first) <= int(number)):
        help_ = "as in `--shard 2/5`, the second of five parts"
        raise stop("C122", f"`--shard {words}` is not a part i of N", help=help_)
    return int(first) - 1, int(number)


def sharded(design: Design, words: str | None) -> Iterator[Block]:
    """The blocks of shards such as `2/5` or `1/5,2/5`; a block is never split. Raises ColosseumError."""
    shards = [read_shard(each) for each in (words or "1/1").split(",")]
    number = len({cell.point for cell in design.cells}) * len(design.seeds) * design.repeats
    if all(first >= number for first, _ in shards):
        raise stop("C122", f"`--shard {words}` has no run", help=f"there are {number} blocks: take fewer shards")
    return blocks(design, lambda place: any(place % n == first for first, n in shards))


def united(every: Iterable[str | None]) -> str | None:
    """Shards of one experiment as they are named together; None where they are all of it."""
    found = sorted({each for words in every for each in (words or "1/1").split(",")})
    numbers = Counter(each.partition("/")[2] for each in found)
    return None if any(str(times) == number for number, times in numbers.items()) else ",".join(found)


def in_order(trials: Iterable[Listed], points: Iterable[str]) -> tuple[Listed, ...]:
    """Each trial once, as one process lists them: by sweep point in the order of `points`, then by seed and repeat."""
    found, rank = {listed.trial: listed for listed in trials}.values(), ranks(points)
    return tuple(sorted(found, key=lambda listed: (rank(listed.point), listed.seed, listed.repeat)))


def ranks(points: Iterable[str]) -> Callable[[str], int]:
    """The place of each sweep point in this order; those that it lacks follow, in the order in which they are asked."""
    known = {point: place for place, point in enumerate(dict.fromkeys(points))}
    return lambda point: known.setdefault(point, len(known))


def read_seeds(words: str) -> tuple[int, ...]:
    """`1..5`, `3`, `1,2,7..9` as seeds. Raises ColosseumError."""
    seeds: list[int] = []
    for part in words.split(",") if words.strip() else ():
        match = re.fullmatch(r"\s*(\d{1,18})\s*(?:\.\.\s*(\d{1,18})\s*)?", part)
        if match is not None and int(match[2] or match[1]) - int(match[1]) > MOST_SEEDS:
            raise stop("C122", f"`--seeds {words}` names more than {MOST_SEEDS:,} seeds")
        if match is None:
            help_ = "as in `--seeds 1..5` or `--seeds 1,2,7`"
            raise stop("C122", f"`--seeds {words}` is not a list of seeds", help=help_)
        seeds += range(int(match[1]), int(match[2] or match[1]) + 1)
    if not seeds:
        raise stop("C122", f"`--seeds {words}` names no seed", help="as in `1..5`; leave it out for those of the spec")
    return tuple(dict.fromkeys(seeds))


def seed_words(seeds: Iterable[int]) -> str:
    """Seeds as one types them: `1..5`, `3`, `1,3,7..9`, in the order given."""
    spans: list[list[int]] = []
    for seed in seeds:
        if spans and seed == spans[-1][1] + 1:
            spans[-1][1] = seed
        else:
            spans.append([seed, seed])
    return ",".join(str(first) if first == last else f"{first}..{last}" for first, last in spans)
