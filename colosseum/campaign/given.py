"""Values as Python has them. In: paths, seeds, params, names; out: the same as the command line has them."""

from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from os import PathLike
from pathlib import Path

from colosseum.campaign.model_options import Names, wanted_of
from colosseum.campaign.part import Part
from colosseum.campaign.work import Request
from colosseum.diagnostics import stop
from colosseum.model.values import Value


def several(names: str | Sequence[str]) -> tuple[str, ...]:
    """One name, or several."""
    return (names,) if isinstance(names, str) else tuple(names)


def listed(names: Sequence[str] | None) -> str | None:
    """Names with commas between them."""
    return None if names is None else ",".join(several(names))


def seeds_of(given: Sequence[int] | str | None) -> str | None:
    """Seeds with commas between them. Raises ColosseumError."""
    words = given if given is None or isinstance(given, str) else ",".join(str(seed_of(seed)) for seed in given)
    if words is not None and not words.strip():
        raise stop("C122", "no seed is given: leave `seeds` out for those of the experiment")
    return words


def place_of(given: str | PathLike[str]) -> Path:
    """A path as users write it, with `~`. Raises ColosseumError where there can be none."""
    path = Path(given)
    if "\0" in str(path):
        raise stop("C123", f"{str(path)!r} is no path: no name has the sign 0")
    try:
        return path.expanduser()
    except RuntimeError:
        raise stop("C123", f"cannot read {path}: there is no home folder of that name") from None


def seed_of(given: object) -> int:
    """A seed, also of numpy. Raises ColosseumError."""
    if isinstance(given, bool) or not isinstance(given, Integral) or given < 0:
        raise stop("C122", f"the seed has to be a whole number from 0 on, not {given!r}"[:300])
    return int(given)


def param_of(name: str, value: object) -> Value:
    """A param as a spec has it: also numbers of numpy are numbers. Raises ColosseumError."""
    match value:
        case bool() | str():
            return value
        case Integral():
            return int(value)
        case Real() if abs(float(value)) < float("inf"):
            return float(value)
    raise stop("C122", f"the param `{name}` has to be a number, a truth or a name, not {value!r}"[:300])


def request_of(
    file: Path, params: Mapping[str, Value], experiment: str | None, models: Names | None, *,
    seeds: Sequence[int] | str | None = None, arms: str | Sequence[str] = (), out: str | PathLike[str] | None = None,
    shard: str | None = None, asking: Mapping[str, object] | None = None,
) -> Request:  # fmt: skip
    """What is asked for, as the command line would. Raises ColosseumError."""
    part = Part(experiment, seeds_of(seeds), several(arms), shard)
    return Request(file, params, part, wanted_of(models, asking or {}), out=None if out is None else place_of(out))
