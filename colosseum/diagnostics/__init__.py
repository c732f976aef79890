"""Messages to users about their text: a code, a place, a sentence and help. In: facts; out: words."""

from colosseum.diagnostics.codes import CODES, Code
from colosseum.diagnostics.diagnostic import Diagnostic, Label, Severity, closest, counted, has_errors, nearest, report
from colosseum.diagnostics.exception import ColosseumError, explain_words, file_errors, one_of, stop
from colosseum.diagnostics.render import WrittenDiagnostic, render_text, written
from colosseum.diagnostics.span import Source, Span

__all__ = [
    "CODES", "Code", "ColosseumError", "Diagnostic", "Label", "Severity", "Source", "Span", "WrittenDiagnostic",
    "closest", "counted", "explain_words", "file_errors", "has_errors", "nearest", "one_of", "render_text", "report",
    "stop", "written",
]  # fmt: skip
