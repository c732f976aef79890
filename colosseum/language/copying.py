"""New specs. In: a name, and which shipped spec to begin from; out: the files to write, with their contents.

A copy is its original but for the scenario's name; the files that it reads come along, in the same places beside it.
"""

import os
import re
import shlex
from collections.abc import Sequence
from pathlib import Path

from colosseum.diagnostics import ColosseumError, Source, closest, file_errors, report, stop
from colosseum.language.compose import NewFile, gathered, load
from colosseum.language.files import shipped
from colosseum.language.parser import parse
from colosseum.language.words import KEYWORDS


def shipped_specs() -> dict[str, str]:
    """The titles of the specs that ship, by name."""
    found = {}
    for path in sorted(shipped("specs").glob("*.colo")):
        scenario = parse(Source(path.name, path.read_bytes().decode()))[0].scenario
        found[path.stem] = scenario.title if scenario else ""
    return found


def fits(name: str) -> bool:
    """Whether a scenario can have this name."""
    return bool(re.fullmatch(r"[^\W\d]\w*", name)) and not (name.upper() in KEYWORDS and name.islower())


def new_spec(target: str, origin: str | None = None) -> list[Path]:
    """Write a spec, or copy a shipped one with all that it reads, where nothing is yet. Raises ColosseumError."""
    head, last = os.path.split(target)
    folder, name = Path(head), last.removesuffix(".colo")
    if not fits(name):
        plain = re.sub(r"\W+", "_", name).strip("_") or "scenario"
        likely = shlex.quote(str(folder / (plain if name and fits(plain) else f"my_{plain}")))
        rule = "names have letters, digits and `_`, begin with no digit and are no reserved words"
        message = f"`{name}` cannot name a scenario: {rule}" if name else "the new spec needs a name"
        raise stop("C122", message, help=f"as in `colosseum new {likely}`")
    return _write(_files(origin, name), folder)


def listed(specs: dict[str, str]) -> list[str]:
    """A line for each, with its title."""
    width = max(map(len, specs), default=0)
    return [f"{name:<{width}}  {title}" for name, title in specs.items()]


def _files(origin: str | None, name: str) -> tuple[NewFile, ...]:
    """A short spec with a remark on every part, or a shipped one and all that it reads. Raises ColosseumError."""
    path = Path(__file__).with_name("starter.colo")
    if origin is not None:
        specs, spec = shipped_specs(), origin.removesuffix(".colo")
        if spec not in specs:
            help_ = [*filter(None, [closest(spec, specs)]), "these ship:", *(f"  {line}" for line in listed(specs))]
            raise ColosseumError(report("C122", None, f"no spec named `{origin}` ships with colosseum", help=help_))
        path = shipped("specs") / f"{spec}.colo"
    composition, diagnostics = load(path)
    assert composition is not None, diagnostics
    text, span = composition.source.text, composition.scenario.name_span
    main = NewFile(Path(f"{name}.colo"), (text[: span.start] + name + text[span.end :]).encode())
    return (main, *gathered(composition, folders=())[1:])


def _write(files: Sequence[NewFile], folder: Path) -> list[Path]:
    """Write all files, or none when one of them would replace another. Raises ColosseumError.

    What is there already with the same content is left as it is.
    """
    places = [(folder / file.path, file.content) for file in files]
    spec = places[0][0]
    if len({place for place, _ in places}) < len(places):
        raise stop("C122", f"`{spec}` is also the name of a file that it uses", help="choose another name")
    with file_errors(spec):
        missing = [(p, content) for p, content in places if p == spec or not p.exists() or p.read_bytes() != content]
        if taken := next((place for place, _ in missing if place.exists()), None):
            apart = f"write the spec into a folder of its own, as in `colosseum new {folder / spec.stem / spec.stem} …`"
            help_ = "choose another name" if taken == spec else apart
            raise stop("C122", f"`{taken}` is there already; nothing was written", help=help_)
        for place, content in missing:
            place.parent.mkdir(parents=True, exist_ok=True)
            with place.open("xb") as file:
                file.write(content)
    return [place for place, _ in missing]
