"""`colosseum fmt`. In: files, or `-` for stdin; out: the files rewritten, or what would change.

A rewritten file keeps its line ends (those of its first line), its byte order mark and its permissions; a link is
followed. It is replaced in one step, so nobody ever reads half of it.
"""

import codecs
import os
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import unified_diff
from pathlib import Path

from colosseum.cli.words import complain, note, say_diagnostics, wants_color
from colosseum.diagnostics import Diagnostic, Source, stop
from colosseum.language.files import LARGEST, decoded, read_source
from colosseum.language.layout import lay_out

STDIN = Path("-")
STYLES = {"---": "1", "+++": "1", "@": "36", "-": "31", "+": "32"}
"""ANSI styles of a diff's lines, by how they begin."""


def format_files(files: Sequence[Path], *, check: bool, diff: bool) -> int:
    """Lay files out: 2 when one cannot be, else 1 when `check` is set and one would change, else 0."""
    outcomes = Counter(_format(file, check=check, diff=diff) for file in files)
    if files != [STDIN]:
        changed = "would change" if check or diff else "formatted"
        told = {"changed": changed, "same": "unchanged", "wrong": "left as it is"}
        note(", ".join(f"{outcomes[o]} {words}" for o, words in told.items() if outcomes[o]))
    if outcomes["wrong"]:
        return 2
    return int(check and outcomes["changed"] > 0)


def _format(file: Path, *, check: bool, diff: bool) -> str:
    """What became of one file: `changed`, `same` or `wrong`."""
    source = _read(file)
    if isinstance(source, Diagnostic):
        say_diagnostics([source])
        return "wrong"
    text, diagnostics = lay_out(source)
    if text is None:
        say_diagnostics(diagnostics)
        return "wrong"
    changed = text != source.text
    if diff:
        _say("".join(_difference(source, text)))
    elif check:
        _say(f"{source.name}\n" if changed else "")
    elif source.path is None:
        _say(text)
    elif changed and not _replace(source.path, text):
        return "wrong"
    return "changed" if changed else "same"


def _read(file: Path) -> Source | Diagnostic:
    if file == STDIN:
        return decoded(sys.stdin.buffer.read(LARGEST + 1), path=None, name="<stdin>", span=None)
    return read_source(file, name=str(file), span=None)


def _say(text: str) -> None:
    """A result on stdout, its line ends as they are."""
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode())
    sys.stdout.buffer.flush()


def _difference(source: Source, text: str) -> Iterator[str]:
    """A unified diff, as `patch` reads it; for eyes, coloured and without control characters."""
    terminal = sys.stdout.isatty()
    color = wants_color(terminal)
    old, new = _lines(source.text), _lines(text)
    for line in unified_diff(old, new, source.name, f"{source.name} (formatted)"):
        whole = line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
        shown = _visible(whole) if terminal or color else whole
        style = next((style for start, style in STYLES.items() if line.startswith(start)), "")
        yield f"\x1b[{style}m{shown[:-1]}\x1b[0m\n" if color and style else shown


def _visible(text: str) -> str:
    """Control characters as one mark each: a spec may come from a stranger, and a terminal would obey it."""
    kept = text.replace("\r\n", "\n")
    return "".join(c if c.isprintable() or c in "\n\t" else "\N{REPLACEMENT CHARACTER}" for c in kept)


def _lines(text: str) -> list[str]:
    """Lines with their ends, broken at `\\n` only."""
    *whole, rest = text.split("\n")
    return [f"{line}\n" for line in whole] + ([rest] if rest else [])


def _replace(path: Path, text: str) -> bool:
    """Put a text in a file's place; False, with the reason said, when the system refuses."""
    part: Path | None = None
    try:
        real = path.resolve(strict=True)
        with real.open("rb") as file:
            mark = codecs.BOM_UTF8 if file.read(len(codecs.BOM_UTF8)) == codecs.BOM_UTF8 else b""
        number, name = tempfile.mkstemp(dir=real.parent, prefix=f".{real.name}.", suffix=".part")
        part = Path(name)
        with os.fdopen(number, "wb") as file:
            file.write(mark + text.encode())
        shutil.copymode(real, part)
        os.replace(part, real)
    except OSError as refusal:
        if part is not None:
            part.unlink(missing_ok=True)
        complain(stop("C122", f"cannot write {path}: {refusal.strerror}"))
        return False
    return True
