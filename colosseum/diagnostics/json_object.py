"""A JSON object that a user wrote. In: a text; out: its entries, what is given twice, and where a name stands."""

import json
from collections import Counter

from colosseum.diagnostics.diagnostic import Diagnostic, report
from colosseum.diagnostics.exception import ColosseumError, stop
from colosseum.diagnostics.span import Source, Span


def read_object(source: Source, *, help: str) -> tuple[dict[str, object], list[Diagnostic]]:  # noqa: A002 - as users read
    """What it gives each name, and the names that it gives twice. Raises ColosseumError."""
    doubled: dict[str, None] = {}

    def unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
        doubled.update((name, None) for name, times in Counter(name for name, _ in pairs).items() if times > 1)
        return dict(pairs)

    try:
        given = json.loads(source.text, object_pairs_hook=unique)
    except json.JSONDecodeError as error:
        message = f"{source.name} is not JSON: {error.msg[:1].lower()}{error.msg[1:]}"
        raise ColosseumError(report("C120", Span(source, error.pos, error.pos + 1), message, help=help)) from None
    except (ValueError, RecursionError):
        raise stop("C120", f"{source.name} is not JSON: it has too many brackets or digits", help=help) from None
    if not isinstance(given, dict):
        raise stop("C120", f"{source.name} is not a JSON object", help=help)
    return given, [report("C121", place_in(source, n), f"`{n}` is given twice", help="leave one out") for n in doubled]


def place_in(source: Source, name: str) -> Span | None:
    """Where a text names something, if it writes the name plainly."""
    words = json.dumps(name, ensure_ascii=False)
    start = source.text.find(words)
    return Span(source, start, start + len(words)) if start >= 0 else None
