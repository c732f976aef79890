"""Vets a spec. In: a path, a seed and params; out: the checked spec, and everything that is wrong or doubtful."""

from collections.abc import Mapping
from pathlib import Path

from colosseum.diagnostics import ColosseumError, Diagnostic, has_errors
from colosseum.model.check import Checked, check
from colosseum.model.values import Value


def vet(
    file: Path, *, seed: int | None = None, params: Mapping[str, Value] | None = None
) -> tuple[Checked | None, list[Diagnostic]]:
    """What `check` says, and what is wrong with the prompt templates that experiments name."""
    found, diagnostics = check(file, seed=seed, params=params)
    return found, [*diagnostics, *(_wrong_protocols(found) if found else ())]


def require(found: Checked | None, diagnostics: list[Diagnostic]) -> Checked:
    """The spec, where it has no errors. Raises ColosseumError."""
    if found is None or has_errors(diagnostics):
        raise ColosseumError(*diagnostics)
    return found


def _wrong_protocols(checked: Checked) -> list[Diagnostic]:
    named = sorted({name for design in checked.designs.values() for name in design.protocols})
    if named:
        from colosseum.players.protocol.own import protocol_folder
    return [each for name in named for each in protocol_folder(checked.spec.composition.source.path, name)[1]]
