"""Names that the shell completes. In: a command line that is being typed; out: the names that its spec declares."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

COMPLETED = {"sets": "param", "set_": "param"} | {k: k for k in ("coalition", "experiment", "arm", "point")}
"""The kind of name that completes an option, by its parameter."""


def completing(function: Callable[..., object]) -> None:
    """Let the shell complete a command's options by names in its FILE or DIR, also of a spec with errors."""
    for parameter, kind in COMPLETED.items():
        if parameter in function.__annotations__:
            (option,) = function.__annotations__[parameter].__metadata__
            option.autocompletion = _completion(kind)


def _completion(kind: str) -> Callable[[Any], list[str]]:
    return lambda ctx: list(dict.fromkeys(_names(kind, ctx)))  # typer knows a context by this name


def _names(kind: str, typed: Any) -> Iterator[str]:
    from colosseum.campaign.folder import Folder
    from colosseum.language import syntax
    from colosseum.model.check import read_spec

    path = Path(next(iter(typed.args), ""))  # an option without its value leaves arguments unread
    path = Folder(path).spec / plan.spec if path.is_dir() and (plan := Folder(path).earlier()) else path
    spec, _ = read_spec(path)
    if spec is None:
        return
    chosen = typed.params.get("experiment")
    experiments = [each for each in spec.of(syntax.Experiment) if chosen in (None, each.name)]
    match kind:
        case "experiment":
            yield from (each.name for each in spec.of(syntax.Experiment))
        case "arm":
            yield from (arm.name for each in experiments for arm in each.arms)
        case "point":
            sweeps = [sweep for each in experiments for sweep in each.sweeps]
            yield from (f"{sweep.name}={value.span.text}" for sweep in sweeps for value in sweep.values)
        case _:
            yield from (f"{s.name}=" if kind == "param" else s.name for s in spec.symbols.values() if s.kind == kind)
