"""Words for the user. In: diagnostics and results; out: text on stdout and stderr."""

import math
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING
from unicodedata import category

from colosseum.diagnostics import ColosseumError, Diagnostic, explain_words, render_text, stop
from colosseum.model.check import Checked
from colosseum.model.values import Value
from colosseum.players.vetting import require, vet

if TYPE_CHECKING:
    from colosseum.report.document import Block


def complain(stop: ColosseumError) -> int:
    """Say why, and return the exit code."""
    say_diagnostics(stop.diagnostics)
    say_explain(stop.diagnostics)
    return 2


def say_explain(diagnostics: Iterable[Diagnostic]) -> None:
    """The command that explains the first error, after everything else that is said."""
    if words := explain_words(diagnostics):
        note(words)


def say_diagnostics(diagnostics: Iterable[Diagnostic]) -> None:
    """Diagnostics on stderr, with colour where it is a terminal that wants it."""
    words = render_text(diagnostics, color=wants_color(sys.stderr.isatty()))
    if words:
        print(words, file=sys.stderr)  # noqa: T201 - this is where words go out


def wants_color(terminal: bool) -> bool:
    """NO_COLOR wins, then FORCE_COLOR, then whether it is a terminal."""
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (terminal and os.environ.get("TERM") != "dumb")


def say_json(kind: str, result: object) -> None:
    """A result of a published kind as JSON on stdout; characters that a terminal would obey are escaped."""
    import json

    from colosseum.report.published import document

    content = document(kind, result)

    try:
        text = json.dumps(content, ensure_ascii=False, allow_nan=False, indent=2)
    except RecursionError:  # what is indented may be less deep
        text = json.dumps(content, ensure_ascii=False, allow_nan=False)
    print(harmless(text))  # noqa: T201 - this is where words go out


def note(words: str) -> None:
    """A remark on stderr."""
    print(harmless(words), file=sys.stderr)  # noqa: T201 - this is where words go out


def harmless(words: str) -> str:
    """The words with an escape of JSON for every character that a terminal would obey or nobody sees."""
    hidden = {ord(c): "".join(f"\\u{n:04x}" for n in _halves(c)) for c in set(words) if c != "\n" and _obeyed(c)}
    return words.translate(hidden) if hidden else words


def _obeyed(character: str) -> bool:
    """Control, format (also what turns the writing direction), halves of characters, breaks of lines and paragraphs."""
    return not character.isprintable() and category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp")


def _halves(character: str) -> Iterator[int]:
    """The one or two units of UTF-16 that JSON escapes."""
    units = character.encode("utf-16-be", "surrogatepass")
    return (int.from_bytes(units[n : n + 2]) for n in range(0, len(units), 2))


def print_out(words: str) -> None:
    """A result on stdout."""
    print(words)  # noqa: T201 - this is where words go out


def output(blocks: Callable[[], Iterable["Block"]], kind: str, content: object, as_json: bool) -> None:
    """A result on stdout, as a page or as JSON."""
    if as_json:
        say_json(kind, content)
        return
    from colosseum.report.page import print_blocks

    print_blocks(blocks(), sys.stdout, color=wants_color(sys.stdout.isatty()))


def checked_spec(file: Path, *, seed: int | None = None, params: Mapping[str, Value] | None = None) -> Checked:
    """A spec without errors, its warnings said. Raises ColosseumError."""
    found, diagnostics = vet(file, seed=seed, params=params)
    checked = require(found, diagnostics)
    say_diagnostics(diagnostics)
    return checked


def read_sets(sets: Iterable[str] | None) -> Mapping[str, Value]:
    """`--set n=8` as params. Raises ColosseumError."""
    params: dict[str, Value] = {}
    for item in sets or ():
        name, equals, word = item.partition("=")
        if not equals or not name.strip() or not word.strip():
            raise stop("C122", f"`--set {item}` is not of the form name=value", help="as in `--set n=8`")
        if read_value(word.strip()) in (math.inf, -math.inf):
            raise stop("C122", f"`--set {item}`: the number is too large")
        params[name.strip()] = read_value(word.strip())
    return params


def read_value(word: str) -> Value:
    """A number where it is one, else a name."""
    if re.fullmatch(r"-?\d{1,300}", word):
        return int(word)
    if re.fullmatch(r"-?(\d+\.\d*|\.\d+|\d+(\.\d*)?[eE][+-]?\d+)", word):
        return float(word)
    return word
