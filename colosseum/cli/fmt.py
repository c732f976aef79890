"""`colosseum fmt`. In: files, or `-` for stdin; out: the files rewritten, or what would change.

A rewritten file keeps its line ends, its byte order mark and its permissions, and is replaced in one step.
"""

import codecs
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import unified_diff
from io import StringIO
from pathlib import Path

from colosseum.cli.words import complain, note, say_diagnostics, wants_color
from colosseum.diagnostics import Diagnostic, Source, stop
from colosseum.diagnostics.harmless import harmless
from colosseum.language.files import LARGEST, decoded, read_source
from colosseum.language.layout import lay_out

STDIN = Path("-")


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
    typed = sys.stdin.buffer.read(LARGEST + 1) if file == STDIN else None
    source = (read_source(file, name=str(file), span=None) if typed is None
              else decoded(typed, path=None, name="<stdin>", span=None))  # fmt: skip
    text, diagnostics = (None, [source]) if isinstance(source, Diagnostic) else lay_out(source)
    if isinstance(source, Diagnostic) or text is None:
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


def _say(text: str) -> None:
    """A result on stdout, its line ends as they are."""
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode())
    sys.stdout.buffer.flush()


def _difference(source: Source, text: str) -> Iterator[str]:
    """A unified diff, as `patch` reads it; on a terminal, without control characters."""
    shown = sys.stdout.isatty() or wants_color(terminal=False)
    before, after = (list(StringIO(whole, newline="\n")) for whole in (source.text, text))  # broken at `\n` only
    for line in unified_diff(before, after, source.name, f"{source.name} (formatted)"):
        whole = line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
        yield harmless(whole.replace("\r\n", "\n").expandtabs()) if shown else whole


def _replace(path: Path, text: str) -> bool:
    """Put a text in a file's place; False, with the reason said, when the system refuses."""
    from colosseum.campaign.folder import replace_file

    try:
        real = path.resolve(strict=True)
        mark = codecs.BOM_UTF8 if real.read_bytes().startswith(codecs.BOM_UTF8) else b""
        mode = real.stat().st_mode
        replace_file(real, mark + text.encode())
        real.chmod(mode)
    except OSError as refusal:
        complain(stop("C122", f"cannot write {path}: {refusal.strerror}"))
        return False
    return True
