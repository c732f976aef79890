"""`colosseum check`."""

from collections.abc import Sequence
from pathlib import Path

from colosseum.cli.words import note, say_diagnostics, say_explain, say_json
from colosseum.diagnostics import Diagnostic, Severity, has_errors, render_json
from colosseum.model.check import check


def check_files(files: Sequence[Path], *, as_json: bool) -> int:
    """Vet every file; exit 2 when one has errors."""
    bad = False
    listed = []
    said: list[Diagnostic] = []
    for file in files:
        found, diagnostics = check(file)
        wrong = found is None or has_errors(diagnostics)
        bad |= wrong
        if as_json:
            import json

            listed.append({"file": str(file), "ok": not wrong, "diagnostics": json.loads(render_json(diagnostics))})
            continue
        say_diagnostics(diagnostics)
        said += diagnostics
        errors = sum(d.severity is Severity.ERROR for d in diagnostics)
        warnings = len(diagnostics) - errors
        counted = [_count(errors, "error")] if errors else []
        counted += [_count(warnings, "warning")] if warnings else []
        if wrong or found is None:
            note(f"{file}: {', '.join(counted)}")
        else:
            task = found.expansion.scenario.task
            size = (f"{_count(len(task.agents), 'agent')}, {_count(len(task.variables), 'variable')}, "
                    f"{_count(len(task.payoffs), 'payoff')}, {_count(len(found.designs), 'experiment')}")  # fmt: skip
            print(f"{file}: ok ({size})" + (f", {', '.join(counted)}" if counted else ""))  # noqa: T201 - the result
    if as_json:
        say_json({"schema": 1, "files": listed})
    say_explain(said)
    return 2 if bad else 0


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"
