"""Vets a spec. In: a path, a seed and params; out: the checked spec, and everything that is wrong or doubtful."""

from collections.abc import Mapping
from pathlib import Path

from colosseum.diagnostics import ColosseumError, Diagnostic, has_errors
from colosseum.language import load, syntax
from colosseum.model.check import Checked, check
from colosseum.model.values import Value

ELSEWHERE = ("C041", "C043", "C064")
"""What a part leaves to the specs that use it: some of its names, who decides, and what."""


def vet(
    file: Path, *, seed: int | None = None, params: Mapping[str, Value] | None = None
) -> tuple[Checked | None, list[Diagnostic]]:
    """What `check` says, and what is wrong with the prompt templates that experiments name."""
    found, diagnostics = check(file, seed=seed, params=params)
    named = sorted({name for design in found.designs.values() for name in design.protocols}) if found else []
    if named:
        from colosseum.players.protocol.own import protocol_folder
    return found, [*diagnostics, *(each for name in named for each in protocol_folder(file, name)[1])]


def vet_alone(file: Path) -> tuple[Checked | None, list[Diagnostic], bool]:
    """The same of a file that may be a part of other specs: what it leaves to them is not said. Whether it is one."""
    found, diagnostics = vet(file)
    part = found is None and all(d.code >= "C040" for d in diagnostics) and _is_part(file)
    return found, [d for d in diagnostics if not (part and d.code in ELSEWHERE)], part


def _is_part(file: Path) -> bool:
    """Whether a file reads well and holds only texts and data: it is there to be used by specs that say who decides."""
    composition, _ = load(file)
    parts = syntax.Param | syntax.Set | syntax.Table | syntax.Claim | syntax.Prompt | syntax.Rubric
    statements = composition.statements if composition else ()
    return bool(statements) and all(isinstance(s, parts) for s in statements)


def require(found: Checked | None, diagnostics: list[Diagnostic]) -> Checked:
    """The spec, where it has no errors. Raises ColosseumError."""
    if found is None or has_errors(diagnostics):
        raise ColosseumError(*diagnostics)
    return found
