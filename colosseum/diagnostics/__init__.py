"""What is said to a user about their text: a code, a place, a sentence and help. In: facts; out: words."""

from colosseum.diagnostics.codes import CODES, Code
from colosseum.diagnostics.diagnostic import Diagnostic, Label, Severity, closest, counted, has_errors, report
from colosseum.diagnostics.exception import EXPLAIN, ColosseumError, explain_words, stop
from colosseum.diagnostics.render import render_json, render_text
from colosseum.diagnostics.span import Source, Span

__all__ = [
    "CODES",
    "Code",
    "ColosseumError",
    "Diagnostic",
    "EXPLAIN",
    "Label",
    "Severity",
    "Source",
    "Span",
    "closest",
    "counted",
    "explain_words",
    "has_errors",
    "render_json",
    "render_text",
    "report",
    "stop",
]
