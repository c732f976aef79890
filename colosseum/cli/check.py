"""`colosseum check`."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from colosseum.campaign.vetting import vet_alone
from colosseum.cli.words import note, say_diagnostics, say_explain, say_json
from colosseum.diagnostics import Diagnostic, Severity, WrittenDiagnostic, counted, has_errors, written
from colosseum.evidence.arms import cautions


def check_files(files: Sequence[Path], *, as_json: bool) -> int:
    """Vet every file; exit 2 when one has errors."""
    listed: list[tuple[str, bool, tuple[WrittenDiagnostic, ...], tuple[str, ...]]] = []
    bad, said = False, list[Diagnostic]()
    for file in files:
        found, diagnostics, part = vet_alone(file)
        wrong = has_errors(diagnostics) or (found is None and not part)
        bad |= wrong
        notes = cautions(found) if found and not wrong else ()
        if as_json:
            listed.append((str(file), not wrong, tuple(map(written, diagnostics)), notes))
            continue
        say_diagnostics(diagnostics)
        said += diagnostics
        kinds = Counter("error" if d.severity is Severity.ERROR else "warning" for d in diagnostics)
        told = [counted(kinds[word], word) for word in ("error", "warning") if kinds[word]]
        if part and not wrong:
            print(f"{file}: ok as a part of other specs; check the specs that use it")  # noqa: T201 - the result
        elif wrong or found is None:
            note(f"{file}: {', '.join(told)}")
        else:
            task = found.expansion.scenario.task
            size = (f"{counted(len(task.agents), 'agent')}, {counted(len(task.variables), 'variable')}, "
                    f"{counted(len(task.payoffs), 'payoff')}, {counted(len(found.designs), 'experiment')}")  # fmt: skip
            print(f"{file}: ok ({size})" + (f", {', '.join(told)}" if told else ""))  # noqa: T201 - the result
            for words in notes:
                note(f"{file}: {words}")
    if as_json:
        from colosseum.report.published import CheckedFile, CheckFile

        say_json("check", CheckFile(tuple(CheckedFile(*each) for each in listed)))
    say_explain(said)
    return 2 if bad else 0
