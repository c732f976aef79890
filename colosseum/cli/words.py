"""Words for the user. In: diagnostics and results; out: text on stdout and stderr."""

import math
import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, TextIO

from colosseum.diagnostics import ColosseumError, Diagnostic, explain_words, render_text, stop
from colosseum.diagnostics.harmless import harmless

if TYPE_CHECKING:
    from colosseum.model.check import Checked
    from colosseum.model.values import Value
    from colosseum.report.document import Block


MOST_SAID = 100  # diagnostics


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
    """The first MOST_SAID diagnostics on stderr, with colour where it is a terminal that wants it."""
    every = list(diagnostics)
    if words := render_text(every[:MOST_SAID], color=wants_color(sys.stderr.isatty())):
        print(words, file=sys.stderr)  # noqa: T201 - this is where words go out
    if len(every) > MOST_SAID:
        note(f"… and {len(every) - MOST_SAID:,} more\n")


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


def refuse_idle(why: str, **options: object) -> None:
    """Refuse options that would change nothing, by their names. Raises ColosseumError."""
    for name, given in options.items():
        if given is not None and given is not False:
            raise stop("C122", f"`--{name.replace('_', '-')}` would change nothing: {why}")


def note(words: str) -> None:
    """A remark on stderr, as long as anybody reads it; a terminal gets lines that fit it."""
    shown = harmless(words)
    if sys.stderr.isatty():
        from rich.console import Console

        wide = Console(stderr=True).width
        shown = "\n".join(fill(s, wide, break_long_words=False, break_on_hyphens=False) for s in shown.split("\n"))
    try:
        print(shown, file=sys.stderr)  # noqa: T201 - this is where words go out
    except OSError:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115 - for all that is still said


def print_out(words: str) -> None:
    """A result on stdout."""
    print(words, flush=True)  # noqa: T201 - this is where words go out


def output(blocks: Callable[[], Iterable["Block"]], kind: str, content: Callable[[], object], as_json: bool) -> None:
    """A result on stdout, as a page or as JSON."""
    if as_json:
        say_json(kind, content())
    else:
        show(blocks())


def show(blocks: Iterable["Block"], stream: TextIO | None = None) -> None:
    """Blocks as a page, on stdout where no stream is named."""
    from colosseum.report.page import print_blocks

    stream = stream or sys.stdout
    print_blocks(blocks, stream, color=wants_color(stream.isatty()))


def checked_spec(file: Path, sets: list[str] | None = None, *, seed: int | None = None) -> "Checked":
    """A spec without errors, its params set as typed, its warnings said. Raises ColosseumError."""
    from colosseum.campaign.vetting import require, vet

    found, diagnostics = vet(file, seed=seed, params=read_sets(sets))
    checked = require(found, diagnostics)
    say_diagnostics(diagnostics)
    return checked


def read_sets(sets: Iterable[str] | None) -> Mapping[str, "Value"]:
    """`--set n=8` as params. Raises ColosseumError."""
    params = dict[str, "Value"]()
    for item in sets or ():
        name, equals, word = item.partition("=")
        if not equals or not name.strip() or not word.strip():
            raise stop("C122", f"`--set {item}` is not of the form name=value", help="as in `--set n=8`")
        if read_value(word.strip()) in (math.inf, -math.inf):
            raise stop("C122", f"`--set {item}`: the number is too large")
        params[name.strip()] = read_value(word.strip())
    return params


def read_value(word: str) -> "Value":
    """A number where it is one, else a name."""
    if re.fullmatch(r"-?\d{1,300}", word):
        return int(word)
    if re.fullmatch(r"-?(\d+\.\d*|\.\d+|\d+(\.\d*)?[eE][+-]?\d+)", word):
        return float(word)
    return word
