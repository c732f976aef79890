"""Values as Python has them. In: paths, seeds, params, names, numbers; out: the same as the command line has them."""

from collections.abc import Iterable, Mapping, Sequence
from math import inf
from numbers import Integral, Real
from os import PathLike
from pathlib import Path
from typing import Any, Final, TypeAlias

from colosseum.campaign.model_options import Names, wanted_of
from colosseum.campaign.part import Part
from colosseum.campaign.work import Request
from colosseum.diagnostics import stop
from colosseum.model.values import Value

Place: TypeAlias = str | PathLike[str]  # a path as users write it
BOUNDS: Final = {
    **dict.fromkeys(("connections", "jobs", "repeats", "runs", "size"), (Integral, 1, inf)),
    **dict.fromkeys(("budget", "opportunity", "patience", "run_budget"), (Real, 0, inf)),
    **dict.fromkeys(("at", "noises", "strengths"), (Real, 0, 1)),
    "pool": (Integral, 10, inf), "sizes": (Integral, 2, inf), "studies": (Integral, 100, inf),
    "temperature": (Real, 0, 2),
}  # fmt: skip
"""By argument, its kind, the least and the most, as the option of the command has them."""


def bounded(**given: object) -> None:
    """Check numbers by the names of their arguments; None is left out. Raises ColosseumError."""
    for name, value in given.items():
        numbers(name, () if value is None else (value,))


def numbers(name: str, given: object) -> tuple[Any, ...]:
    """One number, or several, within the bounds of their argument. Raises ColosseumError."""
    (kind, least, most), found = BOUNDS[name], _each(given)
    for each in found:
        if isinstance(each, bool) or not isinstance(each, kind) or not least <= float(each) <= most:
            what = "a whole number" if kind is Integral else "a number"
            ends = f"from {least} to {most}" if most < inf else f"from {least} on"
            raise stop("C122", f"`{name}` has to be {what} {ends}, not {each!r}"[:300])
    return found


def several(name: str, given: object) -> tuple[str, ...]:
    """One name, or several. Raises ColosseumError where there is something else."""
    found = _each(given)
    if wrong := [each for each in found if not isinstance(each, str)]:
        raise stop("C122", f"`{name}` has to be a text or several, not {wrong[0]!r}"[:300])
    return found


def _each(given: object) -> tuple[Any, ...]:
    return tuple(given) if isinstance(given, Iterable) and not isinstance(given, str) else (given,)


def listed(name: str, given: Sequence[str] | None) -> str | None:
    """Names with commas between them. Raises ColosseumError."""
    return None if given is None else ",".join(several(name, given))


def places_of(name: str, given: Place | Sequence[Place]) -> list[Path]:
    """One path, or several, as users write them. Raises ColosseumError where there is none."""
    found = [place_of(each) for each in _each(given)]
    if not found:
        raise stop("C122", f"`{name}` has no path: name one at least")
    return found


def place_of(given: Place) -> Path:
    """A path as users write it, with `~`. Raises ColosseumError where there can be none."""
    if not isinstance(given, str | PathLike) or "\0" in str(given):
        raise stop("C123", f"{given!r} is no path" + ": no name has the sign 0" * isinstance(given, str))
    try:
        return Path(given).expanduser()
    except RuntimeError:
        raise stop("C123", f"cannot read {given}: there is no home folder of that name") from None


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
        case Real() if abs(float(value)) < inf:
            return float(value)
    raise stop("C122", f"the param `{name}` has to be a number, a truth or a name, not {value!r}"[:300])


def request_of(
    file: Path, params: Mapping[str, Value], experiment: str | None, models: Names | None, *,
    seeds: Sequence[int] | str | None = None, arms: str | Sequence[str] = (), out: Place | None = None,
    shard: str | None = None, asking: Mapping[str, object] | None = None, **more: Any,
) -> Request:  # fmt: skip
    """What is asked for, as the command line would, with `more` fields. Raises ColosseumError."""
    words = seeds if seeds is None or isinstance(seeds, str) else ",".join(str(seed_of(each)) for each in _each(seeds))
    part = Part(experiment, words, several("arms", arms), None if shard is None else str(shard))
    place = None if out is None else place_of(out)
    return Request(file, params, part, wanted_of(models, asking or {}), out=place, **more)
