"""`colosseum new`."""

import os
import shlex
from collections.abc import Sequence
from pathlib import Path

from colosseum.cli.words import file_errors, note, say_json
from colosseum.diagnostics import ColosseumError, closest, report, stop
from colosseum.language.copying import NewFile, copied, fitting, shipped_specs, starter, unfit


def begin(target: str | None, origin: str | None, *, listed: bool, as_json: bool) -> int:
    """Write a spec, or list those that ship."""
    if listed:
        return list_specs(as_json=as_json)
    return new_spec(target or "", origin, as_json=as_json)


def new_spec(target: str, origin: str | None, *, as_json: bool) -> int:
    """Write a spec, and what it reads, where nothing is yet."""
    head, last = os.path.split(target)
    folder, name = Path(head), last.removesuffix(".colo")
    reason = unfit(name)
    if reason:
        likely = shlex.quote(str(folder / fitting(name)))
        message = f"`{name}` cannot name a scenario: {reason}" if name else "the new spec needs a name"
        raise stop("C122", message, help=f"as in `colosseum new {likely}`")
    written = _write(_files(origin, name), folder)
    if as_json:
        say_json({"schema": 1, "written": [str(p) for p in written]})
    else:
        print("\n".join(f"wrote {p}" for p in written))  # noqa: T201 - the result
    spec = shlex.quote(str(folder / f"{name}.colo"))
    note("next, after a look at it:")
    for command, purpose in (("check", "is it well said?"), ("compile", "what is best?"), ("audit", "who gains?")):
        note(f"  {f'colosseum {command} {spec}':<40}  {purpose}")
    return 0


def list_specs(*, as_json: bool) -> int:
    """Print the names and titles of what ships."""
    specs = shipped_specs()
    if as_json:
        say_json({"schema": 1, "specs": [{"name": name, "title": title} for name, title in specs.items()]})
    else:
        print("\n".join(_listed(specs)))  # noqa: T201 - the result
    return 0


def _listed(specs: dict[str, str]) -> list[str]:
    width = max(map(len, specs), default=0)
    return [f"{name:<{width}}  {title}" for name, title in specs.items()]


def _files(origin: str | None, name: str) -> tuple[NewFile, ...]:
    """What to write. Raises ColosseumError."""
    if origin is None:
        return starter(name)
    specs, spec = shipped_specs(), origin.removesuffix(".colo")
    if spec not in specs:
        help_ = [*filter(None, [closest(spec, specs)]), "these ship:", *(f"  {line}" for line in _listed(specs))]
        raise ColosseumError(report("C122", None, f"no spec named `{origin}` ships with colosseum", help=help_))
    return copied(spec, name)


def _write(files: Sequence[NewFile], folder: Path) -> list[Path]:
    """Write all files, or none when one of them would replace another. Raises ColosseumError.

    What is there already with the same content is left as it is.
    """
    places = [(folder / file.path, file.content) for file in files]
    (spec, _), *others = places
    if len({place for place, _ in places}) < len(places):
        raise stop("C122", f"`{spec}` is also the name of a file that it uses", help="choose another name")
    with file_errors(spec):
        present = [place for place, content in others if place.exists() and place.read_bytes() == content]
        taken = next((place for place, _ in places if place.exists() and place not in present), None)
        if taken is not None:
            help_ = "choose another name" if taken == spec else "write the spec into a folder of its own, as in "
            help_ += "" if taken == spec else f"`colosseum new {folder / spec.stem / spec.stem} …`"
            raise stop("C122", f"`{taken}` is there already; nothing was written", help=help_)
        missing = [(place, content) for place, content in places if place not in present]
        for place, content in missing:
            place.parent.mkdir(parents=True, exist_ok=True)
            with place.open("xb") as file:
                file.write(content)
    return [place for place, _ in missing]
