"""Spec files from the disk. In: paths as people write them; out: sources, or diagnostics that say why not."""

import os
import stat
from pathlib import Path, PurePosixPath, PureWindowsPath

from colosseum.diagnostics import Diagnostic, Source, Span, closest, report

LARGEST = 1024 * 1024
"""Bytes. A spec is read whole."""


def read_source(path: Path, *, name: str, span: Span | None) -> Source | Diagnostic:
    """Read a UTF-8 text (a byte order mark is dropped); `span` is where the file is named, if anywhere."""
    try:
        # A pipe or a device may block or never end, so the kind is looked at before anything is read.
        if path.is_dir():
            return report("C030", span, f"`{name}` is a folder, not a file")
        if not stat.S_ISREG(path.stat().st_mode):
            return report("C030", span, f"`{name}` is not a regular file")
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
    except FileNotFoundError:
        return report("C030", span, f"there is no file `{name}`", help=_nearby(path, name) or _beside(span))
    except OSError as refusal:
        return report("C030", span, f"`{name}` cannot be read: {refusal.strerror or 'the system refuses'}")
    except ValueError:
        return report("C030", span, "this path has a character that no path can have")
    return decoded(content, path=path, name=name, span=span)


def decoded(content: bytes, *, path: Path | None, name: str, span: Span | None) -> Source | Diagnostic:
    """The text of a spec's bytes."""
    if len(content) > LARGEST:
        return report("C031", span, f"`{name}` is larger than {LARGEST // 1024 // 1024} MiB")
    try:
        return Source(name=name, text=content.decode("utf-8-sig"), path=path)
    except UnicodeDecodeError as stop:
        line = content.count(b"\n", 0, stop.start) + 1
        return report("C031", span, f"`{name}` is not UTF-8 text (line {line})", help="save it in the encoding UTF-8")


def forbidden(path: str) -> str:
    """Why `use` does not even look for this path, or an empty string."""
    if "://" in path:
        return "`use` reads files of this folder, nothing from the web"
    if PurePosixPath(path).is_absolute() or PureWindowsPath(path).drive or path.startswith("~"):
        return "the path must be relative to the file that names it"
    if "\\" in path:
        return "folders are separated by `/`"
    if not path.strip():
        return "the path is empty"
    return ""


def within(path: Path, folder: Path) -> Path | None:
    """The path with symbolic links followed when that is below `folder`, else None."""
    try:
        real = path.resolve()
    except (OSError, RuntimeError, ValueError):  # a loop of links, or no path at all
        return None
    return real if real.is_relative_to(folder) else None


def _beside(span: Span | None) -> str:
    """Where the file of a `use` is looked for."""
    return f"it is looked for in the folder of `{Path(span.source.name).name}`" if span else ""


def _nearby(path: Path, name: str) -> str:
    """Did you mean …, among the specs of the same folder, written as the missing one was."""
    try:
        beside = [entry for entry in os.listdir(path.parent) if entry.endswith(".colo")]
    except OSError:
        return ""
    return closest(name, sorted(str(Path(name).parent / entry) for entry in beside))
